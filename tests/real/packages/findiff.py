import numpy as np
from findiff import PDE, BoundaryConditions, Diff, FinDiff, Gradient

CALLS: dict = {}
X = np.linspace(0.0, 1.0, 9)
F = np.sin(3.0 * X)
G = np.outer(np.sin(X[:6]), np.cos(X[:6]))
CALLS["FinDiff"] = (lambda f: FinDiff(0, X[1] - X[0], 2, acc=4)(f**2), F)
CALLS["mixed"] = (lambda f: FinDiff((0, 0.1, 1), (1, 0.1, 1))(f), G)
CALLS["Diff"] = (lambda f: (Diff(0, 0.125) ** 2 + 2.0 * Diff(0, 0.125))(f**2), F)
CALLS["Coefficient"] = (lambda a, f: (a * FinDiff(0, 0.125, 2))(f), 1.7, F)
CALLS["Gradient"] = (lambda f: Gradient(h=[0.1, 0.1])(f**2), G)
CALLS["non-uniform"] = (lambda x, f: FinDiff(0, x, 1)(f), X**1.1, F)


def solved(a, b):
    bc = BoundaryConditions((9,))
    bc[0], bc[-1] = a, b
    return PDE(FinDiff(0, X[1] - X[0], 2) - FinDiff(0, X[1] - X[0], 1), F, bc).solve()


CALLS["PDE"] = (solved, 0.3, 1.2)
