"""What sparse Jacobians and Hessians cost, in runs or gradients of the program itself.

    python benchmarks/sparse.py [--repeat 7] [--small]

For each problem: the pattern, the colouring, a prepared evaluation with its check and without, and beside them the
dense verb where that fits into memory, SciPy's differences in groups, which are given the pattern, and JAX, which is
given the pattern and its colours, where it is installed. Prepared evaluations are those of a long run: half a second of
them comes first.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize._numdiff import approx_derivative, group_columns

import morula
from morula.verbs.colouring import column_colours
from morula.verbs.compressed import sums

try:
    import jax
except ImportError:
    jax = None
else:
    jax.config.update("jax_enable_x64", True)


def brusselator(x):
    u, v = x[: len(x) // 2], x[len(x) // 2 :]
    left, right = np.concatenate(([1.0], u, [1.0])), np.concatenate(([3.0], v, [3.0]))
    reaction = u**2 * v
    return np.concatenate((
        1 + reaction - 4 * u + 50 * (left[2:] - 2 * u + left[:-2]),
        3 * u - reaction + 50 * (right[2:] - 2 * v + right[:-2]),
    ))  # fmt: skip


def brusselator_loop(x):
    n = len(x) // 2
    y = np.empty(2 * n)
    for i in range(n):
        u, v = x[i], x[n + i]
        ul, ur = x[i - 1] if i > 0 else 1.0, x[i + 1] if i < n - 1 else 1.0
        vl, vr = x[n + i - 1] if i > 0 else 3.0, x[n + i + 1] if i < n - 1 else 3.0
        y[i] = 1 + u * u * v - 4 * u + 50 * (ul - 2 * u + ur)
        y[n + i] = 3 * u - u * u * v + 50 * (vl - 2 * v + vr)
    return y


def five_point(x):
    m = round(len(x) ** 0.5)
    u = np.zeros((m + 2, m + 2))
    u[1:-1, 1:-1] = x.reshape(m, m)
    centre = u[1:-1, 1:-1]
    return (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * centre + np.exp(centre)).ravel()


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def mixed_effects(groups: int, shared: int = 4, size: int = 3) -> Callable:
    rng = np.random.default_rng(0)
    design, group = rng.normal(size=(groups * size, shared)), np.repeat(np.arange(groups), size)
    hit = rng.random(len(group)) < 0.4

    def loss(p):
        eta = design @ p[:shared] + p[shared:][group]
        return np.sum(np.logaddexp(0, eta)) - np.sum(eta[hit]) + np.sum(p[shared:] ** 2) / 2

    return loss


def best(repeat: int, f: Callable, *args: Any) -> tuple[float, Any]:
    """The least time of several calls, and what the last one gave."""
    least, found = np.inf, None
    for _ in range(repeat):
        start = time.perf_counter()
        found = f(*args)
        least = min(least, time.perf_counter() - start)
    return least, found


def settled(f: Callable, x: np.ndarray) -> Callable:
    """`f` after half a second of calls."""
    end = time.perf_counter() + 0.5
    while time.perf_counter() < end:
        f(x)
    return f


# -- JAX, with arrays in the place of displays and of writes -----------------------------------------------------


def brusselator_for_jax(x):
    xp = jax.numpy
    u, v = x[: len(x) // 2], x[len(x) // 2 :]
    left, right = xp.pad(u, 1, constant_values=1.0), xp.pad(v, 1, constant_values=3.0)
    reaction = u**2 * v
    return xp.concatenate((
        1 + reaction - 4 * u + 50 * (left[2:] - 2 * u + left[:-2]),
        3 * u - reaction + 50 * (right[2:] - 2 * v + right[:-2]),
    ))  # fmt: skip


def five_point_for_jax(x):
    m = round(len(x) ** 0.5)
    u = jax.numpy.pad(x.reshape(m, m), 1)
    centre = u[1:-1, 1:-1]
    return (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * centre + jax.numpy.exp(centre)).ravel()


def rosenbrock_for_jax(x):
    return jax.numpy.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


FOR_JAX = {brusselator: brusselator_for_jax, five_point: five_point_for_jax, rosenbrock: rosenbrock_for_jax}


def by_jax(f: Callable, x: np.ndarray, pattern: Any, repeat: int) -> tuple[float, Any]:
    """One prepared evaluation: products with the columns of each colour, all at once and compiled, and the matrix."""
    colours = column_colours(pattern)
    seeds = jax.numpy.asarray(sums(colours, int(colours.max()) + 1, x.dtype))
    products = jax.jit(jax.vmap(lambda x, v: jax.jvp(f, (x,), (v,))[1], (None, 0)))
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    at = colours[pattern.indices] * pattern.shape[0] + rows

    def matrix(x: np.ndarray) -> Any:
        data = np.asarray(products(x, seeds)).ravel().take(at)
        return type(pattern)((data, pattern.indices.copy(), pattern.indptr.copy()), shape=pattern.shape)

    matrix(x)
    return best(repeat, matrix, x)


def line(name: str, n: int, unit: float, what: str, columns: dict[str, Any]) -> None:
    shown = [f"{k} {v / unit:.1f}" if isinstance(v, float) else f"{k} {v}" for k, v in columns.items()]
    print(f"{name:16} n = {n:6}  {what} {unit * 1e6:9.0f} us | {', '.join(shown)}", flush=True)


def jacobian(name: str, f: Callable, n: int, repeat: int) -> None:
    x = np.random.default_rng(1).uniform(0.5, 1.5, n)
    unit, _ = best(max(repeat, 5), f, x)
    found, pattern = best(min(repeat, 2), morula.jacobian_sparsity, f, x)
    plain = getattr(f, "py_func", f)
    checked = morula.SparseJacobian(f)
    coloured, _ = best(1, checked._use, pattern)
    value, jac = best(repeat, settled(checked, x), x)
    unchecked = morula.SparseJacobian(f, pattern=pattern, check=False)
    bare, _ = best(repeat, settled(unchecked, x), x)
    columns = {"pattern": found, "colouring": coloured, "J": value, "J unchecked": bare}
    groups = group_columns(pattern)
    columns["SciPy's differences"], _ = best(
        repeat, lambda: approx_derivative(plain if f is plain else f, x, method="2-point", sparsity=(pattern, groups))
    )
    if n <= 1000:
        columns["dense"], dense = best(1, lambda: morula.jacobian(f, x)[0])
        np.testing.assert_allclose(jac.toarray(), dense, rtol=1e-12, atol=1e-12)
    if jax is not None and plain in FOR_JAX:
        columns["JAX"], other = by_jax(FOR_JAX[plain], x, pattern, repeat)
        np.testing.assert_allclose(jac.data, other.data, rtol=1e-9, atol=1e-9)
    columns |= {"colours": checked.colours, "mode": checked.mode, "groups": groups.max() + 1}
    line(name, n, unit, "run", columns)


def hessian(name: str, f: Callable, n: int, repeat: int) -> None:
    x = np.random.default_rng(1).uniform(0.5, 1.5, n)
    unit, _ = best(max(repeat, 5), morula.gradient, f, x)
    found, pattern = best(min(repeat, 2), morula.hessian_sparsity, f, x)
    checked = morula.SparseHessian(f)
    coloured, _ = best(1, checked._use, pattern)
    value, matrix = best(repeat, settled(checked, x), x)
    columns = {"pattern": found, "colouring": coloured, "H": value}
    if jax is not None and f in FOR_JAX:
        columns["JAX"], other = by_jax(jax.grad(FOR_JAX[f]), x, pattern, repeat)
        np.testing.assert_allclose(matrix.data, other.data, rtol=1e-9, atol=1e-7)
    if n <= 1000:
        columns["dense"], dense = best(1, morula.hessian, f, x)
        np.testing.assert_allclose(matrix.toarray(), dense, rtol=1e-10, atol=1e-9)
    line(name, n, unit, "gradient", {**columns, "colours": checked.colours, "entries": pattern.nnz})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--small", action="store_true", help="leave out the largest sizes")
    options = parser.parse_args()
    sizes = (100, 1000) if options.small else (100, 1000, 10_000)
    for n in sizes:
        jacobian("Brusselator", brusselator, n, options.repeat)
    try:
        import numba
    except ImportError:
        print("Brusselator as a loop: Numba is not installed")
    else:
        for n in sizes:
            jacobian("Brusselator njit", numba.njit(brusselator_loop), n, min(options.repeat, 3))
    for m in (10, 30) if options.small else (10, 30, 200):
        jacobian("five points", five_point, m * m, options.repeat)
    for n in sizes if options.small else (*sizes, 100_000):
        hessian("Rosenbrock", rosenbrock, n, options.repeat)
    for groups in (20, 200) if options.small else (20, 200, 2000):
        hessian("mixed effects", mixed_effects(groups), groups + 4, options.repeat)


if __name__ == "__main__":
    main()
