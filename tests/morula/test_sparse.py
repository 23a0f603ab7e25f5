"""Sparse Jacobians and Hessians: every pattern holds the dense matrix, every value equals it, and changes are found."""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import morula
from extent import SAMPLED

sys.path.insert(0, str(Path(__file__).parents[2]))

from hypothesis import HealthCheck, Phase, given, seed, settings
from tests.fuzz.grammar import programs
from tests.fuzz.groups import CORE, DEFAULT
from tests.fuzz.sparse import check_patterns

from morula.verbs.native_columns import native_columns
from morula.verbs.tape_patterns import pattern_by_tape

sparse = pytest.importorskip("scipy.sparse")
X = np.array([0.3, 1.7, -0.4, 2.2, 0.9, 1.1, -1.3, 0.6, 1.9, 0.8, -0.7, 1.4])
POSITIVE = abs(X) + 0.5


@dataclass
class State:
    heat: np.ndarray
    rate: float


def brusselator(x):
    u, v = x[: len(x) // 2], x[len(x) // 2 :]
    w = np.concatenate(([1.0], u, [1.0]))
    z = np.concatenate(([3.0], v, [3.0]))
    reaction = u**2 * v
    return np.concatenate(
        (1 + reaction - 4 * u + (w[2:] - 2 * u + w[:-2]), 3 * u - reaction + (z[2:] - 2 * v + z[:-2]))
    )


def loop(x):
    y = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        y[i] = x[i - 1] - 2 * x[i] ** 2 + x[i + 1]
    return y


def five_point(x):
    u = np.zeros((5, 6))
    u[1:-1, 1:-1] = x.reshape(3, 4)
    return (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1] + np.exp(u[1:-1, 1:-1])).ravel()


def nine_point(x):
    u = np.pad(x.reshape(3, 4), 1)
    return sum([u[i : i + 3, j : j + 4] ** 2 for i in range(3) for j in range(3)])


def in_place(x):
    y = x.copy()
    y[1:] *= x[:-1]
    y[::2] += 1.0
    y += np.roll(x, 2)
    return y


def upwind(x):
    flux = np.where(x > 0, x**2, np.roll(x, -1))
    return flux - np.roll(flux, 1)


def gathers(x):
    return x[np.array([0, 0, 5, 2])] * x[[3, 1, 1, 7]] + x[X > 1][:4]


def scatters(x):
    y = np.zeros(4)
    np.add.at(y, [0, 1, 1, 3], x[:4] ** 2)
    return y


def reductions(x):
    a = x.reshape(3, 4)
    return np.concatenate([a.sum(0), a.mean(1), np.max(a, axis=1), [a.prod()], np.add.reduce(a), a.std(axis=-1)])


def containers(x):
    d = {"a": [v * 2 for v in x[:3]], "b": (x[3], x[4])}
    d["a"].append(d["b"][0] * d["b"][1])
    return [math.sin(v) for v in d["a"]], max(x[5], x[6])


def objects(x):
    s = State(heat=x[:5].copy(), rate=x[6])
    s.heat[1:] = s.heat[:-1] * s.rate
    return s


def helper(u):
    return u * u


def helpers(x):
    return np.array([helper(v) + helper(w) for v, w in zip(x[1:], x[:-1], strict=True)])


def recurrence(x):
    y = [x[0]]
    for v in x[1:]:
        y.append(0.5 * y[-1] + v)
    return np.array(y)


def banded_matrix(x):
    a = np.diag(np.ones(12)) + np.diag(np.arange(11.0) + 1, 1)
    return a @ np.sin(x)


def sparse_product(x):
    a = sparse.diags_array([np.ones(11), np.arange(12.0)], offsets=[-1, 0]).tocsr()
    return a @ x**2


def entries(x):
    a = sparse.csr_array((x[:4], (np.array([0, 1, 1, 3]), np.array([1, 1, 2, 0]))), shape=(4, 4))
    return a @ x[4:8]


def solve(x):
    a = np.eye(3) * 4 + x[:9].reshape(3, 3) * 0.1
    return np.concatenate([np.linalg.solve(a, x[9:]), x[:2]])


def complex_inside(x):
    z = x[:6] + 1j * x[6:]
    w = z * z
    return w.real + np.abs(z) + np.conj(z).imag


def blocks(x):
    return np.concatenate([np.exp(b).sum() * b for b in np.split(x, 3)])


def shapes(x):
    a = np.stack([x[:6], x[6:]], axis=1).T[::-1]
    return np.tile(np.flip(a, 1), 2).ravel(order="F")[:10] + np.repeat(x[:5], 2)


def products(x):
    a, b = x[:6].reshape(2, 3), x[6:].reshape(3, 2)
    return a @ b, np.einsum("ij,ji->i", a, b), np.outer(a[0], b[0]), np.dot(a, b[:, 0])


def slices_of_slices(x):
    y = x.reshape(3, 4)[1:, ::2]
    z = y.T[0]
    return z * 2, y.sum(), x.tolist()[3]


def stencils(x):
    return (
        np.diff(x, 2),
        np.gradient(x),
        np.convolve(x, [1.0, 2.0, 1.0], "same"),
        np.gradient(x, X.cumsum() + 9 * np.arange(12), edge_order=2),
    )


def special(x):
    from scipy import special

    return special.gammaln(POSITIVE * x**2 + 1) + special.xlogy(2.0, x**2) + special.expit(np.roll(x, 1))


def interpolated(x):
    return np.interp(x, np.linspace(-3, 3, 9), np.linspace(-3, 3, 9) ** 2), np.clip(x, -1, 1), np.maximum(x[1:], x[:-1])


def fourier(x):
    return np.fft.rfft(x[:5]).real + x[4:7], np.sort(x.reshape(3, 4), axis=1)


def out_arguments(x):
    y = np.zeros(12)
    np.multiply(x, x[::-1], out=y)
    np.sin(y, out=y, where=X > 0)
    return y


def views_written(x):
    y = x.copy().reshape(3, 4)
    row = y[1]
    row[:] = y[0] * y[2]
    y.T[2] = row[0]
    return y


def inner_gradient(x):
    return morula.gradient(lambda u: (u**3).sum() + u[0] * u[1], x)[0][:3]


def generator(x):
    return sum(v * w for v, w in zip(x[:2], x[2:4], strict=True)), math.prod([x[5], x[6]])


PROGRAMS = [
    brusselator, loop, five_point, nine_point, in_place, upwind, gathers, scatters, reductions, containers, objects,
    helpers, recurrence, banded_matrix, sparse_product, entries, solve, complex_inside, blocks, shapes, products,
    slices_of_slices, stencils, special, interpolated, fourier, out_arguments, views_written, inner_gradient, generator,
]  # fmt: skip
DENSE_BY_RULE = {solve, inner_gradient}


def dense(f: Callable, x: np.ndarray) -> np.ndarray:
    """The Jacobian of the numbers of the value, by forward runs along unit directions."""

    def flat(x: Any) -> np.ndarray:
        return morula.ravel(f(x))[0]

    columns = []
    for k in range(x.size):
        unit = np.zeros(x.size)
        unit[k] = 1.0
        y, y_dot = morula.jvp(f, (x,), (unit.reshape(x.shape),))
        parts = morula.verbs.structure.Structure(y)
        columns.append(parts.joined(parts.parts(y_dot)))
    return np.array(columns).T


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["columns", "rows", "both", None])
def test_values_are_those_of_the_dense_jacobian(f: Callable, mode: str | None) -> None:
    want = dense(f, X)
    jacobian = morula.SparseJacobian(f, mode=mode)
    for x, expected in ((X, want), (X * 1.1, dense(f, X * 1.1))):
        np.testing.assert_allclose(jacobian(x).toarray(), expected, rtol=1e-12, atol=1e-13)
    assert jacobian.found == 1
    assert not np.any((want != 0) & ~jacobian.pattern.toarray())


TIGHT = [f for f in PROGRAMS if f not in DENSE_BY_RULE]


@pytest.mark.parametrize("f", TIGHT, ids=lambda f: f.__name__)
def test_patterns_are_no_larger_than_they_must_be(f: Callable) -> None:
    """The union over many points is the pattern, where no function is dense by want of a pattern."""
    rng = np.random.default_rng(0)
    union = sum([dense(f, 2 * rng.normal(size=12)) != 0 for _ in range(40)], dense(f, X) != 0)
    pattern = morula.jacobian_sparsity(f, X).toarray()
    np.testing.assert_array_equal(pattern, union)


def joined_and_cut(x, n=3):
    y = np.concatenate((x[n:], [2.0], x[:n], x[4:6] * x[0:2]))
    y[1:4] *= y[2:5]
    y[5:8] = x[:3] - np.roll(x, 2)[1:4]
    y[6] = 1.0
    y[-2:] += 1.0
    z = np.hstack([y[:4], np.copy(y[3:]).reshape(3, 4).ravel() ** 2])
    return z[2:] - x[0] if n == 4 else z[2:] / z[:-2]


VECTORS = [joined_and_cut, lambda x: joined_and_cut(x, 4), lambda x: x, lambda x: x[3:5]]


@pytest.mark.parametrize("f", [*PROGRAMS, *VECTORS])
def test_patterns_by_tape_are_those_by_marks(f: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    by_tape = morula.jacobian_sparsity(f, X)
    assert by_tape.dtype == bool
    assert by_tape.has_canonical_format
    if f in (brusselator, joined_and_cut):
        assert pattern_by_tape(f, X, (), {}) is not None
    monkeypatch.setattr(morula.verbs.sparsity, "pattern_by_tape", lambda *_: None)
    assert (by_tape != morula.jacobian_sparsity(f, X)).nnz == 0


def local_functions():
    from scipy import integrate, interpolate, linalg, ndimage, signal, spatial, special, stats

    knots = np.r_[0, 0, 0, np.arange(11.0), 10, 10]
    quarter = lambda n: 0.25 + 0.5 * np.arange(n)
    rows = lambda x: x.reshape(3, 4)
    blocks = lambda x: x.reshape(3, 2, 2) + 5 * np.eye(2)
    return {
        "gaussian_filter": lambda x: ndimage.gaussian_filter(rows(x), 0.4, truncate=2, mode="mirror"),
        "uniform_filter": lambda x: ndimage.uniform_filter(rows(x), (2, 1), origin=(-1, 0)),
        "correlate": lambda x: ndimage.correlate(rows(x), [[0.0, 1.0], [2.0, 0.0]], mode="constant"),
        "convolve1d": lambda x: ndimage.convolve1d(x, [1.0, 2.0], mode="wrap"),
        "laplace": lambda x: ndimage.laplace(rows(x), mode="nearest"),
        "sobel": lambda x: ndimage.sobel(rows(x), mode="grid-wrap"),
        "convolve": lambda x: signal.convolve(x, [1.0, 2.0, 1.0], "same"),
        "fftconvolve": lambda x: signal.correlate(x, [1.0, 2.0], "valid"),
        "lfilter": lambda x: signal.lfilter([1.0, 0.5], [1.0], x),
        "inv": lambda x: np.linalg.inv(blocks(x)),
        "det": lambda x: np.linalg.det(blocks(x)),
        "solve": lambda x: np.linalg.solve(blocks(x), np.ones((3, 2, 1))),
        "batches": lambda x: blocks(x) @ np.ones((3, 2, 3)),
        "kron": lambda x: np.kron(rows(x), [1.0, 2.0]),
        "tensordot": lambda x: np.tensordot(rows(x), np.ones((2, 4)), ((1,), (1,))),
        "reduceat": lambda x: np.add.reduceat(x, [0, 2, 7]),
        "polyval": lambda x: np.polyval([1.0, 2.0, 3.0], x),
        "logsumexp": lambda x: special.logsumexp(rows(x), axis=1),
        "softmax": lambda x: special.softmax(rows(x), axis=0),
        "trapezoid": lambda x: integrate.trapezoid(rows(x), axis=1),
        "fft": lambda x: np.fft.rfft(x.reshape(4, 3), axis=1).real,
        "fftshift": lambda x: np.fft.fftshift(rows(x), axes=1),
        "outer": lambda x: np.subtract.outer(x, x[:3]) + np.multiply.outer(x, [1.0, 2.0, 3.0]),
        "vecdot": lambda x: np.inner(rows(x)[:2], rows(x)[1:]) + np.sum(rows(x), axis=1, keepdims=True)[:2],
        "ediff1d": lambda x: np.ediff1d(x, to_end=[1.0, 2.0]),
        "svd": lambda x: np.linalg.svd(blocks(x))[1],
        "columns": lambda x: np.linalg.solve(np.eye(3) + 0.1, rows(x)),
        "chebval": lambda x: np.polynomial.chebyshev.chebval(x, [1.0, 2.0, 3.0]),
        "correlate of NumPy": lambda x: np.correlate(x, [1.0, 2.0, 1.0], "same"),
        "zoom": lambda x: ndimage.zoom(rows(x), 1.7, order=1),
        "shift": lambda x: ndimage.shift(rows(x), (0.4, -1.3), order=1, mode="grid-wrap"),
        "affine_transform": lambda x: ndimage.affine_transform(rows(x), [[0.9, 0.1], [-0.1, 1.1]], 0.3, order=0),
        "cubes": lambda x: ndimage.shift(x, 0.4, order=3, prefilter=False, mode="mirror"),
        "map_coordinates": lambda x: ndimage.map_coordinates(np.arange(30.0).reshape(5, 6), abs(rows(x)[:2])),
        "savgol": lambda x: signal.savgol_filter(x, 5, 2),
        "upfirdn": lambda x: signal.upfirdn([1.0, 2.0, 1.0], x, 2, 3),
        "resample_poly": lambda x: signal.resample_poly(x, 3, 2, window=np.ones(3)),
        "convolve2d": lambda x: signal.convolve2d(rows(x), [[1.0, 2.0]], "same", "symm"),
        "detrend": lambda x: signal.detrend(rows(x), axis=1),
        "block_diag": lambda x: linalg.block_diag(rows(x)[:2], x[8]),
        "toeplitz": lambda x: linalg.toeplitz(x[:5], x[2:9]) + linalg.hankel(x[3:8], np.zeros(7)),
        "inv of SciPy": lambda x: linalg.inv(blocks(x)),
        "solve_banded": lambda x: linalg.solve_banded((1, 1), [[0, 1, 1], [4, 4, 4], [1, 1, 0]], rows(x)),
        "cdist": lambda x: spatial.distance.cdist(rows(x), [[1.0, 2.0, 0.0, 0.5]]),
        "pdist": lambda x: spatial.distance.squareform(spatial.distance.pdist(rows(x))) + 1e-3 * np.sum(rows(x), 1),
        "BSpline": lambda x: interpolate.BSpline(knots, x, 3)(quarter(17)),
        "PPoly": lambda x: interpolate.PPoly(rows(x).T, np.arange(4.0))(quarter(5)),
        "pchip": lambda x: interpolate.CubicHermiteSpline(np.arange(6.0), x[:6], x[6:])(quarter(9)),
        "logpdf": lambda x: stats.norm.logpdf(x[:6], x[6:], 2.0),
        "logpmf": lambda x: stats.poisson.logpmf(np.arange(12) % 3, np.exp(x)),
        "comb": lambda x: special.lambertw(x + 3).real,
    }


@pytest.mark.filterwarnings("ignore")
def test_functions_have_the_patterns_of_their_dense_jacobians() -> None:
    rng = np.random.default_rng(0)
    for name, f in local_functions().items():
        points = [rng.normal(size=12) for _ in range(3)]
        union = sum([abs(dense(f, x)) > 1e-12 for x in points], np.zeros((1, 1), bool))
        np.testing.assert_array_equal(morula.jacobian_sparsity(f, X).toarray(), union, err_msg=name)


# -- Hessians ---------------------------------------------------------------------------------------------------


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosenbrock_loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return total


def groups(x):
    shared, own = x[:2], x[2:]
    eta = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]]) @ shared
    return sum([np.sum(np.logaddexp(0, eta + b)) for b in own]) + np.sum(own**2) / 2


def quotient(x):
    return np.sum(x[:-1] / (2 + np.cos(x[1:]))) + x[0] * x[5] / x[7]


def separable(x):
    return np.sum(np.exp(x)) + 3 * x[0] - x.mean()


def linear_then_square(x):
    return np.sum(np.diff(x) ** 2) + (x[0] + x[3]) ** 3


def unused(x):
    _ = np.sum(x) ** 2
    return x[0] * x[1]


def matrix_product(x):
    a, b = x[:6].reshape(2, 3), x[6:].reshape(3, 2)
    return np.trace(a @ b)


def written(x):
    y = x.copy()
    y[1:] *= x[:-1]
    y[0] = 1.0
    return y.sum() + y[2] * y[9]


def of_entries(x):
    a = sparse.csr_array((x[:4], (np.array([0, 1, 1, 3]), np.array([1, 1, 2, 0]))), shape=(4, 4))
    return (a @ x[4:8]).sum()


def determinant(x):
    return np.linalg.det(np.eye(2) * 9 + x[:4].reshape(2, 2)) + x[5] ** 2


def of_lists(x):
    pairs = [(a, b) for a, b in zip(x[::2], x[1::2], strict=True)]
    return sum([math.sin(a) * b for a, b in pairs])


def product_of_three(x):
    return x[0] * x[1] * x[2] + np.prod(x[3:6]) + np.hypot(x[7], x[8])


def constant(x):
    return 3.0


def straight(x):
    return x.sum()


SCALARS = [
    rosenbrock, rosenbrock_loop, groups, quotient, separable, linear_then_square, unused, matrix_product, written,
    of_entries, determinant, of_lists, product_of_three, constant, straight,
]  # fmt: skip


@pytest.mark.parametrize("f", SCALARS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("order", ["natural", "largest first", "smallest last", None])
def test_values_are_those_of_the_dense_hessian(f: Callable, order: str | None) -> None:
    hessian = morula.SparseHessian(f, order=order)
    for x in (X, X * 1.1):
        np.testing.assert_allclose(hessian(x).toarray(), morula.hessian(f, x), rtol=1e-11, atol=1e-11)
    assert hessian.found == 1


@pytest.mark.parametrize("f", [f for f in SCALARS if f is not determinant], ids=lambda f: f.__name__)
def test_patterns_of_hessians_are_no_larger_than_they_must_be(f: Callable) -> None:
    union = sum([morula.hessian(f, X * s) != 0 for s in (1.0, 0.7, 1.3)], np.zeros((12, 12), bool))
    np.testing.assert_array_equal(morula.hessian_sparsity(f, X).toarray(), union)


# -- patterns that change ---------------------------------------------------------------------------------------


def branching(x):
    return x * x[0] if x[0] > 0 else x * x[::-1]


def index_by_value(x):
    return x * x[int(abs(x[0])) % 3]


@pytest.mark.parametrize("mode", ["columns", "rows", "both"])
@pytest.mark.parametrize(("f", "times"), [(branching, (1, 2, 3)), (index_by_value, (1, 2, 2))])
def test_a_pattern_that_changes_is_found_again(f: Callable, times: tuple, mode: str) -> None:
    jacobian = morula.SparseJacobian(f, mode=mode)
    for first, found in zip((0.5, -1.5, 1.5), times, strict=True):
        x = np.array([first, 2.0, 3.0, 4.0, 5.0])
        np.testing.assert_allclose(jacobian(x).toarray(), morula.jacobian(f, x)[0])
        assert jacobian.found == found


def test_a_pattern_that_changes_is_an_error_where_that_is_wanted() -> None:
    jacobian = morula.SparseJacobian(branching, find_again=False)
    jacobian(np.array([1.0, 2.0]))
    with pytest.raises(morula.ResultError, match="does not fit"):
        jacobian(np.array([-1.0, 2.0]))
    with pytest.raises(morula.ResultError, match="does not fit"):
        morula.SparseJacobian(lambda x: x[::-1] * x, pattern=np.eye(4), find_again=False)(np.ones(4))
    unchecked = morula.SparseJacobian(lambda x: x[::-1] * x, pattern=np.eye(4), check=False)
    assert unchecked(np.ones(4)).shape == (4, 4)


def test_a_hessian_whose_pattern_changes_is_found_again() -> None:
    def f(x):
        return (x[0] * x[1] if x[2] > 0 else x[1] * x[3]) + np.sum(x**2)

    hessian = morula.SparseHessian(f)
    for x in (np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, -3.0, 4.0])):
        np.testing.assert_allclose(hessian(x).toarray(), morula.hessian(f, x), atol=1e-14)
    assert hessian.found == 2


def test_another_number_of_results_is_found_again() -> None:
    jacobian = morula.SparseJacobian(lambda x: x[x > 0] ** 2)
    for x in (np.array([1.0, -2.0, 3.0]), np.array([1.0, 2.0, 3.0])):
        np.testing.assert_allclose(jacobian(x).toarray(), np.diag(2 * x)[x > 0])


def stencil(x, t=1.0, way=0):
    y = np.zeros((2, len(x) + 2))
    y[0, 1:-1] = t * x
    y[1, 1:-1] = np.sin(x) if way else x**2 * np.roll(x, 1)
    y[1] += 1e12 * y[0]
    return np.concatenate((y[:, 2:] - 2 * y[:, 1:-1], x[None] * 3.0)).cumsum(axis=0).ravel()


@pytest.mark.parametrize("f", [stencil, brusselator, five_point, upwind, in_place, scatters, products, stencils])
def test_what_is_the_same_at_all_points_is_kept(f: Callable) -> None:
    """Later points take only the steps that read values; equal numbers at any of them, also with other constants."""
    jacobian = morula.SparseJacobian(f, mode="rows")
    plans = []
    for x in (X, -0.3 * X, 0 * X, X**2, X):
        np.testing.assert_allclose(jacobian(x).toarray(), dense(f, x), rtol=1e-12, atol=1e-12)
        plans.append(jacobian._plan)
    assert jacobian.found == 1
    if f in (stencil, brusselator, five_point):
        assert plans[0] is not None and all(p is plans[0] for p in plans)


def test_constants_that_change_are_noticed() -> None:
    jacobian = morula.SparseJacobian(stencil, mode="rows")
    for t, way in ((1.0, 0), (1.0, 0), (1.0 + 1e-12, 0), (2.0, 1), (2.0, 1), (1.0, 0), (0.0, 1)):
        for x in (X, 0 * X):
            found = jacobian(x, t, way).toarray()
            np.testing.assert_allclose(found, dense(lambda x, t=t, way=way: stencil(x, t, way), x), rtol=1e-14)
    factor = np.ones(12)
    scaled = morula.SparseJacobian(lambda x: 1e12 * np.roll(x, 1) + factor * x + x[0] ** 3, mode="both")
    for k in range(6):
        factor[3] = 1.0 + k / 2
        assert scaled(X).toarray()[3, 3] == factor[3]


@pytest.mark.parametrize("mode", ["rows", "columns"])
@pytest.mark.filterwarnings("ignore")
def test_numbers_that_are_not_finite_hide_no_change(mode: str) -> None:
    """Neither do they spread to other entries."""

    def f(x):
        return np.sqrt(x) * x[int(abs(x[1])) % 3] + np.diff(x, prepend=0.0)

    jacobian = morula.SparseJacobian(f, mode=mode)
    for bad in (1.0, np.inf, np.nan, 0.0, -1.0, 2.0):
        for k in range(3):
            x = np.array([4.0, k + 0.5, 2.0, bad, 3.0])
            np.testing.assert_allclose(jacobian(x).toarray(), morula.jacobian(f, x)[0], rtol=1e-12)


def test_a_small_entry_beside_large_ones_is_missed_by_no_check() -> None:
    scale = np.array([1e6, 1.0, 1e-3])
    with pytest.raises(morula.ResultError, match="does not fit"):
        morula.SparseJacobian(
            lambda x: scale[:2] @ x[:2] + scale[2] * x[2] + 0 * x[:1], pattern=[[1, 1, 0]], find_again=False
        )(np.ones(3))


def test_a_function_that_is_not_the_same_twice_is_an_error() -> None:
    state = [0]

    def f(x):
        state[0] += 1
        y = x.copy()
        y *= state[0]
        return y

    with pytest.raises(morula.ResultError, match="a different value"):
        morula.SparseJacobian(f, mode="columns", order="natural")(np.ones(2))


# -- arguments and results --------------------------------------------------------------------------------------


def test_structures_numbers_and_empty_arrays() -> None:
    def f(p, k, scale=1.0):
        return {"a": p["u"] * p["v"][0] * k, "b": [p["v"][1] ** 2 * scale], "c": "text"}

    point = {"u": np.array([1.0, 2.0]), "v": (3.0, 4.0), "n": 2}
    got = morula.sparse_jacobian(f, point, 2.0, scale=5.0).toarray()
    np.testing.assert_allclose(got[:, :4], [[6, 0, 2, 0], [0, 6, 4, 0], [0, 0, 0, 40]])
    assert morula.sparse_jacobian(lambda x: x**3, 2.0).toarray().tolist() == [[12.0]]
    assert morula.sparse_jacobian(lambda x: x**3, np.array(2.0)).toarray().tolist() == [[12.0]]
    assert morula.sparse_jacobian(lambda x: x[:0], np.ones(3)).shape == (0, 3)
    assert morula.sparse_jacobian(lambda x: np.ones(2), np.zeros(0)).shape == (2, 0)
    assert morula.sparse_jacobian(lambda x: None, np.ones(3)).shape == (0, 3)
    assert morula.sparse_hessian(lambda x: 0.0 * x.sum(), np.zeros(0)).shape == (0, 0)
    assert morula.sparse_hessian(lambda x: x**3, 2.0).toarray().tolist() == [[12.0]]
    assert morula.jacobian_sparsity(lambda x: 1.0, np.ones((2, 2))).nnz == 0


def test_an_object_as_argument() -> None:
    found = morula.sparse_jacobian(lambda s: s.heat * s.rate, State(np.array([1.0, 2.0]), 3.0))
    np.testing.assert_allclose(found.toarray(), [[3, 0, 1], [0, 3, 2]])


def test_single_precision_stays() -> None:
    found = morula.sparse_jacobian(lambda x: np.diff(x) ** 2, X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.toarray(), morula.jacobian(lambda x: np.diff(x) ** 2, X)[0], rtol=1e-5)
    assert morula.sparse_hessian(rosenbrock, X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("n", [1500, 3000])
def test_numbers_too_coarse_to_count_with_are_dense(n: int) -> None:
    x = np.ones(n, np.float16)
    assert morula.jacobian_sparsity(lambda x: np.sin(x[1:]) * x[:-1], x).nnz == n * (n - 1)


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(morula.NotDifferentiable, match="complex"):
        morula.sparse_jacobian(lambda x: x, np.ones(2, complex))
    with pytest.raises(morula.ResultError, match="complex"):
        morula.sparse_jacobian(lambda x: x * 1j, np.ones(2))


def test_arguments_are_not_written() -> None:
    def f(x):
        x *= 2
        x[1:] += x[:-1] ** 2
        return x

    x = np.ones(4)
    found = morula.sparse_jacobian(f, x)
    np.testing.assert_array_equal(x, 1.0)
    np.testing.assert_allclose(found.toarray(), morula.jacobian(f, x)[0])


def test_wrong_options_are_errors() -> None:
    with pytest.raises(morula.MorulaError, match="mode"):
        morula.SparseJacobian(branching, mode="forward")
    with pytest.raises(morula.MorulaError, match="order"):
        morula.SparseJacobian(branching, order="random")(np.ones(2))
    with pytest.raises(morula.MorulaError, match="symmetric"):
        morula.SparseHessian(rosenbrock, pattern=[[1, 1], [0, 1]])
    with pytest.raises(morula.ResultError, match="one real number"):
        morula.sparse_hessian(lambda x: x, np.ones(2))
    with pytest.raises(morula.NotDifferentiable, match="inside"):
        morula.gradient(lambda x: morula.sparse_jacobian(np.sin, x).sum(), np.ones(2))


def test_infinite_derivatives_stay_in_their_places() -> None:
    x = np.array([0.0, 1.0, 4.0])
    found = morula.sparse_jacobian(lambda x: np.sqrt(x) + np.roll(x, 1), x).toarray()
    np.testing.assert_array_equal(found, morula.jacobian(lambda x: np.sqrt(x) + np.roll(x, 1), x)[0])


def test_a_rule_of_the_users_is_dense() -> None:
    def half(x):
        return x[: len(x) // 2]

    morula.adjoint(half)(lambda x: (x[: len(x) // 2], lambda y_bar: np.concatenate([y_bar, 0 * y_bar])))
    assert morula.jacobian_sparsity(half, np.ones(4)).nnz == 8


def test_compiled_functions_are_followed() -> None:
    numba = pytest.importorskip("numba")

    @numba.njit
    def f(x):
        y = np.zeros(len(x))
        for i in range(1, len(x)):
            y[i] = x[i] * x[i - 1]
        return y

    x = np.arange(1.0, 6.0)
    assert morula.jacobian_sparsity(f, x).nnz == 8
    np.testing.assert_allclose(morula.sparse_jacobian(f, x).toarray(), morula.jacobian(f.py_func, x)[0])


def test_compiled_functions_give_their_columns_at_once() -> None:
    numba = pytest.importorskip("numba")

    @numba.njit
    def f(x, scale):
        y = np.zeros((2, len(x)))
        for i in range(1, len(x)):
            y[0, i] = x[i] * x[i - 1]
            y[1, i] = scale * math.sqrt(x[i])
        return y

    @numba.njit
    def written(x):
        for i in range(len(x) - 1, 0, -1):
            x[i] *= x[i - 1]
        return x[::2]

    x, units = np.arange(1.0, 6.0), np.eye(5)
    columns = native_columns(f, x, (2.0,), {}, units)
    assert columns is not None
    np.testing.assert_allclose(columns.T, morula.jacobian(f.py_func, x, 2.0)[0].reshape(10, 5))
    found = morula.SparseJacobian(f)
    for scale in (2.0, 3.0):
        want = morula.jacobian(f.py_func, x, scale)[0].reshape(10, 5)
        np.testing.assert_allclose(found(x, scale).toarray(), want)
        np.testing.assert_allclose(found(x, scale=scale).toarray(), want)
    assert (found.mode, found.colours) == ("columns", 2)
    x.flags.writeable = False
    np.testing.assert_allclose(native_columns(f, x, (2.0,), {}, units), columns)
    assert native_columns(f, np.zeros(5), (2.0,), {}, units) is None  # slopes that are not finite
    x = np.arange(1.0, 6.0)
    assert native_columns(written, x, (), {}, units) is None
    np.testing.assert_allclose(morula.sparse_jacobian(written, x).toarray(), morula.jacobian(written.py_func, x)[0])
    np.testing.assert_array_equal(x, np.arange(1.0, 6.0))


# -- SciPy ------------------------------------------------------------------------------------------------------


def bratu(u):
    w = np.concatenate(([0.0], u, [0.0]))
    return w[2:] - 2 * u + w[:-2] + np.exp(u) / (len(u) + 1) ** 2


def test_problems_for_scipy_have_sparse_derivatives() -> None:
    from scipy.optimize import least_squares, minimize

    problem = morula.for_scipy(lambda p: bratu(p["u"]), {"u": np.zeros(30)}, sparse=True)
    found = least_squares(problem.fun, problem.x0, jac=problem.jac, method="trf")
    assert sparse.issparse(problem.jac(found.x))
    np.testing.assert_allclose(problem.fun(found.x), 0, atol=1e-7)
    np.testing.assert_allclose(problem.jac(found.x).toarray(), morula.jacobian(bratu, found.x)[0])

    scalar = morula.for_scipy(rosenbrock, sparse=True)
    x0 = np.full(20, 1.3)
    found = minimize(scalar.fun, x0, method="trust-constr", jac=scalar.jac, hess=scalar.hess, options={"gtol": 1e-10})
    np.testing.assert_allclose(found.x, 1.0, atol=1e-6)
    found = minimize(scalar.fun, x0, method="Newton-CG", jac=scalar.jac, hess=scalar.hess, options={"xtol": 1e-10})
    np.testing.assert_allclose(found.x, 1.0, atol=1e-6)


def test_sparse_constraints() -> None:
    problem = morula.for_scipy(lambda x: x[1:] * x[:-1], sparse=True)
    x, v = np.array([1.0, 2.0, 3.0]), np.array([2.0, 5.0])
    np.testing.assert_allclose(problem.weighted_hess(x, v).toarray(), [[0, 2, 0], [2, 0, 5], [0, 5, 0]])
    np.testing.assert_allclose(problem.weighted_hess(x, 0 * v).toarray(), 0)


def test_stiff_equations() -> None:
    from scipy.integrate import solve_ivp

    jacobian = morula.SparseJacobian(lambda u, t: 900 * bratu(u))
    both = [
        solve_ivp(lambda t, u: 900 * bratu(u), (0, 0.1), np.zeros(30), "BDF", jac=jac, rtol=1e-8, atol=1e-10).y[:, -1]
        for jac in (lambda t, u: jacobian(u, t), None)
    ]
    np.testing.assert_allclose(*both, rtol=1e-6)


# -- random programs --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_random_programs_have_their_derivatives_within_their_patterns() -> None:
    right = []

    @seed(0)
    @settings(
        max_examples=5 if SAMPLED else 20, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(programs((CORE, *DEFAULT)))
    def judge(source: str) -> None:
        verdict = check_patterns(source)
        assert verdict.kind != "wrong", f"{verdict.message}\n\n{source}"
        right.append(verdict.kind == "right")

    judge()
    assert SAMPLED or np.mean(right) > 0.6


VECTOR_LINES = (
    "a = a * b[::-1]", "a[1:] += b[:-1]", "b = np.roll(a, {k})", "b = np.where(a > b, a, b * 2)", "a = np.sin(b)",
    "c = a[{k}] * b[{j}]", "a = a + c", "b[{k}] = c", "a = np.concatenate((b[{k}:], a[:{k}]))", "v = a.reshape(2, 4)",
    "v = v.T", "v = v.reshape(2, 4) * a.reshape(2, 4)", "a = v.ravel()", "v[{k} % 2] = b[:4]", "c = a[:{k}].sum()",
    "b = np.array([t * c for t in a])", "a = a[np.array([3, 1, 0, 2, 7, 7, 5, {k}])]", "b = np.diff(a, prepend=c)",
    "l = list(a); l[{k}] = l[{j}] * 2.0; b = np.array(l)", "b = np.maximum(a, b)", "a = np.cumsum(b)",
    "for i in range(1, 8):\n        a[i] = a[i] * b[i - 1] + c", "w = a[::2]; w *= b[1::2]", "a = a @ M",
    "b = np.convolve(a, [1.0, 0.5], 'same')", "c = math.exp(-c * c)", "np.add.at(b, [0, 1, {k}], a[:3])",
    "a, b = b, a", "d = dict(u=a, c=c); a = d['u'] * d['c']", "b = np.pad(a[1:-1], 1, 'edge')", "b = np.sort(a)",
    "a = np.stack([a[:4], b[4:]], 1).ravel()", "c = max(a[{k}], c)", "a = np.einsum('i,i->i', a, b)",
    "b = b.clip(-2, 2)",
)  # fmt: skip


@pytest.mark.parametrize("number", range(40))
def test_random_programs_of_vectors(number: int) -> None:
    """Sequences of array operations: Jacobian and Hessian are what the dense verbs give."""
    rng = np.random.default_rng(number)
    lines = [
        str(rng.choice(VECTOR_LINES)).replace("{k}", str(rng.integers(0, 8))).replace("{j}", str(rng.integers(0, 8)))
        for _ in range(rng.integers(3, 12))
    ]
    body = "".join(f"    {line}\n" for line in lines)
    source = f"def f(x):\n    a, b, c, v = x[:8] * 1.0, x[4:] * 0.5, x[0], x[:8].reshape(2, 4).copy()\n{body}"
    source += "    return np.concatenate([a, b, [c], v.ravel()])\n"
    namespace = {"np": np, "math": math, "M": np.diag([1.0, 2, 0, 1, 1, 3, 1, 1]) + np.eye(8, k=3)}
    exec(source, namespace)
    f: Any = namespace["f"]
    try:
        f(X)
    except (ValueError, RuntimeWarning, OverflowError):
        pytest.skip("no program")
    want = dense(f, X)
    pattern = morula.jacobian_sparsity(f, X).toarray()
    assert not np.any((want != 0) & ~pattern), source
    np.testing.assert_allclose(morula.sparse_jacobian(f, X).toarray(), want, rtol=1e-9, atol=1e-12, err_msg=source)
    g = lambda x: (np.sin(f(x)) * np.arange(25.0)).sum() if number % 2 else f(x)[number % 25]
    hessian = morula.hessian(g, X)
    assert not np.any((abs(hessian) > 1e-13) & ~morula.hessian_sparsity(g, X).toarray()), source
    found = morula.sparse_hessian(g, X).toarray()
    np.testing.assert_allclose(found, hessian, rtol=1e-9, atol=1e-10 * (1 + abs(hessian).max()), err_msg=source)


def test_without_scipy_there_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ModuleNotFoundError, match=r"morula\[sparse\]"):
        morula.jacobian_sparsity(np.sin, np.ones(2))
