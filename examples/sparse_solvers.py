"""Stiff chemistry, a flame, a sensor network and a regression: SciPy's solvers with sparse derivatives.

    python examples/sparse_solvers.py [plot.png]

Four problems whose Jacobian or Hessian is nearly empty. Where its entries are is found in one run of the plain program,
and all of them by a handful of products, for `scipy.integrate.solve_ivp`, `scipy.optimize.root`,
`scipy.optimize.least_squares` and `scipy.optimize.minimize`. Beside them stand the same solvers with differences of
their own. The pictures show the patterns.
"""

import sys
import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares, minimize, root

import morula

POINTS = 250  # of each grid
SENSORS = 40
GROUPS = 100


def brusselator(t, state):
    """Two substances on a line, their concentrations held at both ends (Prigogine and Lefever, 1968)."""
    u, v = state[:POINTS], state[POINTS:]
    scale = (POINTS + 1) ** 2 / 50
    left, right = np.concatenate(([1.0], u, [1.0])), np.concatenate(([3.0], v, [3.0]))
    reaction = u**2 * v
    return np.concatenate((
        1 + reaction - 4 * u + scale * np.diff(left, 2),
        3 * u - reaction + scale * np.diff(right, 2),
    ))  # fmt: skip


def flame(u):
    """Bratu's equation u'' + 3 exp(u) = 0 for the temperature between two cold walls."""
    padded = np.pad(u, 1)
    return np.diff(padded, 2) + 3.0 / (POINTS + 1) ** 2 * np.exp(u)


def sensors():
    """Who hears whom, and at which distance; the first four know where they are."""
    rng = np.random.default_rng(3)
    places = rng.uniform(0, 1, (SENSORS, 2))
    pairs = [(i, j) for i in range(SENSORS) for j in range(i) if np.linalg.norm(places[i] - places[j]) < 0.35]
    first, second = np.array(pairs).T
    return places, first, second, np.linalg.norm(places[first] - places[second], axis=1)


PLACES, FIRST, SECOND, HEARD = sensors()


def misfit(p):
    xy = np.concatenate((PLACES[:4], p.reshape(-1, 2)))
    return np.hypot(*(xy[FIRST] - xy[SECOND]).T) - HEARD


RNG = np.random.default_rng(0)
DESIGN, GROUP = RNG.normal(size=(5 * GROUPS, 3)), np.repeat(np.arange(GROUPS), 5)
HIT = RNG.random(len(GROUP)) < 0.4


def regression(p):
    """The negative log-density of a logistic regression whose groups have an effect of their own."""
    eta = DESIGN @ p[:3] + p[3:][GROUP]
    return np.sum(np.logaddexp(0, eta)) - np.sum(eta[HIT]) + np.sum(p[3:] ** 2) / 2


def timed(solve, f, *args, **options):
    """What a solver finds, how often it calls the function and what was given as its derivative, and the seconds."""
    calls = 0

    def counted(function):
        def called(*given):
            nonlocal calls
            calls += 1
            return function(*given)

        return called

    if "jac" in options:
        options["jac"] = counted(options["jac"])
    start = time.perf_counter()
    found = solve(counted(f), *args, **options)
    return found, calls, time.perf_counter() - start


def integrated(method, end):
    """solve_ivp, whose methods for stiff equations ask for a Jacobian where the last one has become too old."""
    start = np.concatenate((1 + np.sin(2 * np.pi * np.linspace(0, 1, POINTS)), np.full(POINTS, 3.0)))
    of_state = morula.SparseJacobian(lambda state, t: brusselator(t, state))
    options = {"method": method, "rtol": 1e-6, "atol": 1e-8}
    ours, *cost = timed(solve_ivp, brusselator, (0, end), start, jac=lambda t, y: of_state(y, t), **options)
    plain, *beside = timed(solve_ivp, brusselator, (0, end), start, **options)
    return f"solve_ivp, {method}", of_state, *cost, *beside, ours.y[:, -1] - plain.y[:, -1]


def solved():
    """root, which takes dense Jacobians only."""
    jacobian = morula.SparseJacobian(flame)
    ours, *cost = timed(root, flame, np.zeros(POINTS), jac=lambda u: jacobian(u).toarray(), tol=1e-11)
    plain, *beside = timed(root, flame, np.zeros(POINTS), tol=1e-11)
    return "root", jacobian, *cost, *beside, ours.x - plain.x


def located():
    """least_squares, by the problem that `for_scipy` makes."""
    near = (PLACES[4:] + 0.05 * np.random.default_rng(1).normal(size=(SENSORS - 4, 2))).ravel()
    problem = morula.for_scipy(misfit, near, sparse=True)
    options = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14, "tr_solver": "lsmr"}
    ours, *cost = timed(least_squares, problem.fun, near, jac=problem.jac, **options)
    plain, *beside = timed(least_squares, misfit, near, **options)
    jacobian = morula.SparseJacobian(misfit)
    jacobian(near)
    return "least_squares, trf", jacobian, *cost, *beside, ours.x - plain.x


def fitted(method):
    """minimize, whose trust-constr and Newton-CG take sparse Hessians; their own differences are of the gradient."""
    start = np.zeros(3 + GROUPS)
    problem = morula.for_scipy(regression, sparse=True)
    tight = {"trust-constr": {"gtol": 1e-9, "xtol": 1e-12}, "Newton-CG": {"xtol": 1e-10}}[method]
    given = {"x0": start, "jac": problem.jac, "method": method, "options": tight}
    ours, *cost = timed(minimize, problem.fun, hess=problem.hess, **given)
    by_differences = {"hess": "2-point"} if method == "trust-constr" else {}
    plain, *beside = timed(minimize, problem.fun, **by_differences, **given)
    hessian = morula.SparseHessian(regression)
    hessian(start)
    return f"minimize, {method}", hessian, *cost, *beside, ours.x - plain.x


def main(path="sparse_solvers.png"):
    rows = [
        integrated("BDF", 5),
        integrated("Radau", 0.3),
        solved(),
        located(),
        fitted("trust-constr"),
        fitted("Newton-CG"),
    ]
    print("SciPy's solvers with sparse derivatives, and with differences of their own\n")
    print("                            entries    colours    calls  seconds   differences: calls  seconds   apart")
    for name, matrix, calls, seconds, others, beside, apart in rows:
        m, n = matrix.pattern.shape
        size = f"{matrix.pattern.nnz} of {m * n}"
        worst = np.max(abs(apart))
        print(
            f"  {name:<24}{size:>15}{matrix.colours:8d}{calls:10d}{seconds:9.2f}{others:21d}{beside:9.2f}{worst:8.0e}"
        )
    dense = morula.jacobian(flame, np.linspace(0, 1, POINTS))[0]
    sparse = morula.sparse_jacobian(flame, np.linspace(0, 1, POINTS))
    print(f"\nlargest difference of the sparse and the dense Jacobian: {np.max(abs(sparse - dense)):.1e}")
    plot([(name, matrix.pattern) for name, matrix, *_ in [rows[0], *rows[2:5]]], path)
    print(f"Plot of the patterns: {path}")


def plot(patterns, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 4, figsize=(11, 3.4), layout="constrained")
    for axes, (name, pattern) in zip(panels, patterns, strict=True):
        axes.spy(pattern, markersize=1.2 if pattern.shape[1] > 80 else 2, color="#2f6f8f")
        axes.set_title(name, fontsize=10)
        axes.set(xlabel=f"{pattern.nnz} entries", xticks=[], yticks=[])
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
