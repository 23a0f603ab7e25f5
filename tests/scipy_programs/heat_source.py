"""A diffusion equation as a constraint: conductivity from temperatures, sparse and direct."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg, factorized, splu, spsolve

N = 12
h = 1.0 / (N + 1)
GRID = np.linspace(h, 1 - h, N)
MEASURED = GRID * (1 - GRID) * (1 + 0.3 * GRID)


def assemble(k):
    """-(k u')' with k on the edges of the cells."""
    main = (k[:-1] + k[1:]) / h**2
    off = -k[1:-1] / h**2
    return sp.diags([off, main, off], [-1, 0, 1], format="csc")


def misfit(log_k):
    A = assemble(np.exp(log_k))
    f = np.ones(N)
    u = spsolve(A, f)
    smoothness = np.sum(np.diff(log_k) ** 2)
    return 0.5 * np.sum((u - MEASURED) ** 2) + 1e-3 * smoothness


class PoissonProblem:
    """Two dimensions; five-point stencil; the coefficients are those of a few bumps."""

    def __init__(self, n=5):
        self.n = n
        self.lap = None
        xs = np.linspace(0, 1, n + 2)[1:-1]
        self.xx, self.yy = np.meshgrid(xs, xs, indexing="ij")
        T = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]) * (n + 1) ** 2
        eye = sp.identity(n)
        self.laplacian = sp.kron(T, eye) + sp.kron(eye, T)

    def absorption(self, q):
        a = np.zeros_like(self.xx)
        for height, x0, y0, width in q.reshape(-1, 4):
            a += height * np.exp(-((self.xx - x0) ** 2 + (self.yy - y0) ** 2) / (2 * width**2))
        return a.ravel()

    def solve(self, q, n_steps=3, dt=0.01):
        """Backward Euler, with one factorization."""
        A = sp.identity(self.n**2, format="csc") + dt * (self.laplacian + sp.diags(self.absorption(q))).tocsc()
        lu = splu(A)
        solve = factorized(A)
        u = np.ones(self.n**2)
        for i in range(n_steps):
            u = lu.solve(u) if i % 2 else solve(u)
        return u

    def objective(self, q):
        u = self.solve(q)
        B = sp.csr_matrix(self.laplacian) + sp.diags(self.absorption(q))
        w, info = cg(B, u, rtol=1e-12)
        assert info == 0
        return np.linalg.norm(u) ** 2 + w @ w


def entry_by_entry(c):
    """A chain of springs, put together as finite elements are."""
    rows, cols, vals = [], [], []
    for e, stiffness in enumerate(c):
        for i in range(2):
            for j in range(2):
                rows.append(e + i)
                cols.append(e + j)
                vals.append(stiffness if i == j else -stiffness)
    K = sp.coo_matrix((vals, (rows, cols)), shape=(len(c) + 1, len(c) + 1)).tocsr()
    free = np.arange(1, len(c) + 1)
    load = np.linspace(0, 1, len(c))
    u = spsolve(K[free, :][:, free], load)
    return u @ load + u[-1] ** 2


PROGRAMS = [
    (misfit, 0.1 * np.sin(np.arange(N + 1))),
    (PoissonProblem().objective, np.array([1.0, 0.4, 0.5, 0.3, 2.0, 0.7, 0.2, 0.4])),
    (entry_by_entry, np.array([1.0, 2.0, 1.5, 0.7])),
]
