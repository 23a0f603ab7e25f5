"""A soap film in a bent wire: Newton's method with exact products of the Hessian, and nothing else but NumPy.

    python examples/newton_cg.py [plot.png]

The film takes the shape of least area over the unit square for given heights at its border. On a grid that is a
problem of some hundred unknowns whose Hessian nobody wants to write down, and which products with it solve: each takes
a few gradients' time, whatever the number of unknowns.
"""

import sys
import time

import numpy as np
from scipy.optimize import minimize

import morula

N = 26  # inner points of each row


def wire(x, y):
    return 0.35 * np.sin(3 * np.pi * x) * (1 - 2 * y) + 0.4 * (2 * x - 1) ** 2


def border():
    """Heights on the whole grid, right at its border."""
    t = np.linspace(0, 1, N + 2)
    return wire(*np.meshgrid(t, t))


BORDER = border()


def area(heights):
    """Of the film over the grid, two triangles to a cell."""
    z = BORDER.copy()
    z[1:-1, 1:-1] = heights.reshape(N, N)
    h = 1 / (N + 1)
    right, up = np.diff(z, axis=1) / h, np.diff(z, axis=0) / h
    below = np.sqrt(1 + right[:-1] ** 2 + up[:, :-1] ** 2)
    above = np.sqrt(1 + right[1:] ** 2 + up[:, 1:] ** 2)
    return (below + above).sum() * h**2 / 2


class Counted:
    """A method of a problem that counts its calls."""

    def __init__(self, method):
        self.method = method
        self.calls = 0

    def __call__(self, *args):
        self.calls += 1
        return self.method(*args)


def solve(method, second, **options):
    problem = morula.for_scipy(area)
    fun, jac, hessp = Counted(problem.fun), Counted(problem.jac), Counted(problem.hessp)
    start = time.perf_counter()
    given = {"hessp": hessp} if second else {}
    found = minimize(fun, np.zeros(N * N), jac=jac, method=method, options=options, **given)
    seconds = time.perf_counter() - start
    return found.x, (found.nit, fun.calls, jac.calls, hessp.calls, np.linalg.norm(problem.jac(found.x)), seconds)


def main(path="newton_cg.png"):
    rng = np.random.default_rng(0)
    x, v = 0.1 * rng.normal(size=N * N), rng.normal(size=N * N)
    h = 1e-5
    differences = (morula.gradient(area, x + h * v)[0] - morula.gradient(area, x - h * v)[0]) / (2 * h)
    product = morula.hvp(area, x, v)
    apart = np.max(abs(product - differences)) / np.max(abs(product))

    print(f"The film of least area: {N * N} unknowns\n")
    print("                                  steps   values  gradients  products   |gradient|   seconds")
    films = []
    for label, method, second, options in (
        ("trust-ncg, exact products", "trust-ncg", True, {"gtol": 1e-9}),
        ("Newton-CG, exact products", "Newton-CG", True, {"xtol": 1e-10}),
        ("Newton-CG, its own differences", "Newton-CG", False, {"xtol": 1e-10}),
        ("BFGS", "BFGS", False, {"gtol": 1e-9, "maxiter": 2000}),
    ):
        film, (steps, values, gradients, products, norm, seconds) = solve(method, second, **options)
        films.append(film)
        print(f"  {label:<31}{steps:6d}{values:9d}{gradients:11d}{products:10d}{norm:13.1e}{seconds:10.2f}")
    print(f"\nleast area {area(films[0]):.6f}, flat over the middle {area(np.zeros(N * N)):.6f}")
    print(f"a product and the difference of two gradients: largest relative difference {apart:.1e}")
    worst = max(np.max(abs(film - films[0])) for film in films[1:])
    print(f"the solutions differ by {worst:.1e} at the most")
    plot(films[0], path)
    print(f"Plot of the film: {path}")


def plot(film, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    z = BORDER.copy()
    z[1:-1, 1:-1] = film.reshape(N, N)
    t = np.linspace(0, 1, N + 2)
    x, y = np.meshgrid(t, t)
    figure = plt.figure(figsize=(6.4, 4.8), layout="constrained")
    axes = figure.add_subplot(projection="3d")
    axes.plot_surface(x, y, z, cmap="viridis", linewidth=0, antialiased=True, rstride=1, cstride=1, alpha=0.95)
    for side in (np.s_[0, :], np.s_[-1, :], np.s_[:, 0], np.s_[:, -1]):
        axes.plot(x[side], y[side], z[side], color="#222222", linewidth=2.5)
    axes.set(title="A soap film in a bent wire", xlabel="x", ylabel="y", zlabel="height")
    axes.view_init(32, -58)
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
