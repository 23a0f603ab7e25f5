"""Eager programs around compiled functions with generated kernels: numbers of all kinds, views, results of results."""

import numba
import numpy as np
import pytest
from morula_helpers import assert_differences, assert_same

import morula


@numba.njit
def quadratic(z, w):
    s = 0.0
    for i in range(len(w)):
        s += (z * w[i]).real ** 2
    return s


@numba.njit
def single(x, k):
    t = np.float32(0)
    for i in range(len(x)):
        t += x[i] * x[i] * k
    return t


@numba.njit
def nested(p, x):
    (a, (b, w)) = p
    return a * b * w.sum() * x


@numba.njit
def exchanged(x, y):
    return y, x, (x[0] * y[1], x + y)


@numba.njit
def itself(x):
    return x


@numba.njit
def row(m, i):
    return m[i]


@numba.njit
def with_row(m, i, v):
    m[i, :] = v * v
    return m


@numba.njit
def running(x):
    out = np.empty_like(x)
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
        out[i] = s
    return out


@numba.njit
def rebinds(x, n, k):
    y = x
    for _ in range(n):
        y = y * k / (2.0 + np.sqrt(y * y + 1.0))
        x[0] += y[1]
    return y.sum()


def complex_numbers(z, w):
    return quadratic(z * 2.0, w) * quadratic(z, w * z.real)


def single_precision(x, k):
    return single(x, k) * 2.0 + x.sum()


def nested_tuples(a, w):
    return nested((a, (a * 2.0, w * a)), 1.5)


def arguments_and_new_arrays_as_results(x, y):
    a, b, (s, t) = exchanged(x * 2, y * 3)
    a[0] = s
    t[1] = b[0] * s
    return (a * b).sum() + (t * t).sum() + s


def the_argument_itself(x):
    y = x * x
    z = itself(y)
    z[1] = x[0]
    w = itself(z)
    w *= 2.0
    return (y * x).sum()


def a_row_is_a_view(m):
    a = m * m
    r = row(a, 1)
    r[0] = r[1] * 2
    a[1, 2] = a[0, 0] * r[2]
    return (a * a).sum() + r.sum()


def other_layouts(m, v):
    a = np.asfortranarray(m * m)
    b = with_row(a, 0, v)
    b[1, 1] = b[0, 1]
    c = with_row(m.T.copy().T, 1, v * 2.0)
    return (a * m).sum() + (c * c).sum()


def rows_and_columns(m):
    t = 0.0
    for i in range(3):
        t = t + running(m[:, i])[1] * running(m[i])[2]
    return t


def results_of_results(x):
    a = running(x)
    b = running(a)
    a[0] = b[1]
    c = running(a[::-1])
    return c.sum() * b[2]


def rebound_arrays_and_what_is_left_in_an_argument(x, k):
    z = x * 2.0
    a = rebinds(z, 3, k)
    return a * z[0] + (z * z).sum()


def no_numbers_come_of_zeros(x):
    y = x - x
    return rebinds(y, 2, 0.5) + np.sqrt(x * x).sum() + running(y).sum()


M = np.random.default_rng(0).normal(size=(3, 3))
X, Y = M[0].copy(), M[1].copy()
PROGRAMS = [
    (complex_numbers, (1.3 + 0.4j, np.array([1 + 2j, 0.5j, 2.0]))),
    (single_precision, (X.astype(np.float32), np.float32(0.7))),
    (nested_tuples, (1.2, X)),
    (arguments_and_new_arrays_as_results, (X, Y)),
    (the_argument_itself, (X,)),
    (a_row_is_a_view, (M,)),
    (other_layouts, (M, X)),
    (rows_and_columns, (M,)),
    (results_of_results, (X,)),
    (rebound_arrays_and_what_is_left_in_an_argument, (X, 0.7)),
    (no_numbers_come_of_zeros, (X,)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_programs(f, args):
    args = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
    rtol = 1e-5 if f is single_precision else 1e-11
    value, g = morula.withgradient(f, *args)
    with morula.native_mode("never"):
        want_value, want = morula.withgradient(f, *args)
    np.testing.assert_allclose(value, want_value, rtol=rtol)
    assert_same(g, want, rtol=rtol, atol=1e-12)
    if f is not single_precision:
        assert_differences(f, tuple(args), g, rtol=1e-5, atol=1e-6)
    _, back = morula.pullback(f, *args)
    assert_same(back(1.0), g, rtol=rtol, atol=1e-12)
    assert_same(back(1.0), g, rtol=rtol, atol=1e-12)


def test_sums_on_the_way_are_used():
    x = np.array([0.3, -0.5, 0.9])
    y, back = morula.pullback(running, x)
    np.testing.assert_allclose(back(np.array([1.0, 10.0, 100.0]))[0], 2 * x * [111.0, 110.0, 100.0])
    np.testing.assert_allclose(y, np.cumsum(x * x))


@pytest.mark.filterwarnings("default::morula.NativeFallbackWarning")
def test_where_the_compiler_trips_over_itself(monkeypatch):
    """An error of Numba's own, which no user understands: the Python function is differentiated."""
    from morula.static.numba import compiling

    @numba.njit
    def relaxed(x, k):
        x[0] += k * x[1]
        return x[0] * x[1]

    def trips(may_use_masks):
        raise AssertionError("key already in dictionary: 's_2'")

    monkeypatch.setattr(compiling, "faithful_vectors", trips)
    x = np.array([0.3, 0.4])
    with pytest.warns(morula.NativeFallbackWarning, match="key already in dictionary"):
        g = morula.gradient(relaxed, x.copy(), 0.5)
    for again in (
        morula.pullback(relaxed, x.copy(), 0.5)[1](1.0),
        morula.gradient(lambda x, k: relaxed(x * 1.0, k), x, 0.5),
    ):
        assert_same(again, g)
    assert_differences(lambda x, k: relaxed.py_func(x.copy(), k), (x, 0.5), g)


@numba.njit(parallel=True)
def multiplied_in_parallel(x, y):
    s = 0.0
    for i in numba.prange(len(x)):
        s += x[i] * x[i] * y[i]
    return s


@pytest.mark.parametrize(
    "views",
    [lambda x: (x, x), lambda x: (x, x[::-1]), lambda x: (x[1:], x[:-1]), lambda x: (x[::2], x[1::2]),
     lambda x: (x, np.broadcast_to(x[3], x.shape)), lambda x: (x[:0], x[:0]), lambda x: (x[:1], x[2:3])],
)  # fmt: skip
def test_parallel_loops_over_views_of_one_array(views):
    """Each thread writes into the shadows, which are views of one array, too: no update may be lost."""
    x = np.cos(np.arange(4000.0))
    want = morula.gradient(lambda x: multiplied_in_parallel.py_func(*views(x)), x)[0]
    want = np.zeros(4000) if want is None else want  # of empty arrays: the loop has read nothing
    for _ in range(10):
        g = morula.gradient(lambda x: multiplied_in_parallel(*views(x)), x)[0]
        np.testing.assert_allclose(g, want, rtol=1e-12, atol=1e-14)


class Counted(np.ndarray):
    """An array whose items are something else for Python."""

    def __getitem__(self, key):
        return 100.0


@numba.njit
def squares_into(x, out):
    for i in range(len(x)):
        out[i] = x[i] * x[i]
    return out


def test_compiled_code_sees_the_memory_of_array_classes():
    def f(x):
        out = np.zeros(4).view(Counted)
        found = squares_into((2.0 * x).view(Counted), out)
        return float(np.asarray(found).sum()) * len(type(found).__name__)

    value, (g,) = morula.withgradient(f, X)
    assert value == f(X)
    assert_differences(f, (X,), (g,))
