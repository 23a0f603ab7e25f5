"""Forward mode of compiled functions, and second derivatives by it.

Tangents are compared with central differences of the compiled function, with complex steps of its twin, and with the
cotangents of the reverse kernels; products of Hessians with differences of gradients and with the eager tier.
"""

import cmath
import math

import numpy as np
import pytest

numba = pytest.importorskip("numba")

import programs_calls
import programs_data
import programs_loops
import programs_parallel
import programs_traps
from native_helpers import (
    A,
    Programs,
    along,
    at_path,
    by_floats,
    check_lanes,
    check_products,
    copied,
    joint,
    moved,
    point,
    tangent_of,
    twin,
    value_rtol,
    weights_of,
)  # fmt: skip
from numba import njit, prange

import morula
from chainrules.testing.comparing import Tolerance, judge
from morula.static.numba.kernels import kernels_of
from morula.static.numba.second_order import second_order
from morula.static.unsupported import Unsupported

MODULES = (programs_loops, programs_data, programs_calls, programs_traps, programs_parallel)
BY_NAME = {p.values[0].py_func.__name__: p for module in reversed(MODULES) for p in reversed(module.PROGRAMS)}
CHOSEN = (
    "steps_of_every_kind", "step_that_is_an_argument", "left_by_break", "continues", "returns_from_inside",
    "iterations_that_do_not_run", "numbers_of_all_kinds", "returns_a_complex_number", "single_precision", "only_writes",
    "returns_a_tuple", "a_callee_writes_into_the_argument", "constants",
)  # fmt: skip
x4, y4 = A(0.3, -0.7, 1.1, 0.4), A(1.2, 0.5, -0.3, 0.8)
SMALL = Programs()


@SMALL(x4, 0.7)
@njit
def names_of_tangents(x, x_dot):
    """Variables may be called as tangents are."""
    s = 0.0
    for i in range(len(x)):
        s_dot = x[i] * x_dot
        s += s_dot * s_dot * x_dot
    return s


@SMALL(2.0, 0.7)
@SMALL(2.0, 0.3)
@njit
def assigned_alike(x, a):
    p = 1.0
    q = x * a
    s = 0.0
    if a > 0.5:
        p = q
        s += x
    else:
        p = q
    return p * p + s


@SMALL(x4, y4)
@njit
def exchanged(x, y):
    u, v = x.copy(), y.copy()
    for k in range(3):
        for i in range(1, len(u)):
            v[i] = u[i] * u[i - 1] + 0.3 * v[i] + k
        u, v = v, u
    return u.sum() * v[1]


@SMALL(x4, 0.4)
@SMALL(x4, 0.9)
@njit
def chosen_array(x, a):
    if a > 0.5:
        u = x
    else:
        u = np.zeros(4)
        u[1] = a
    return (u * u).sum() * a


@SMALL(x4, y4[:1].copy())
@njit
def broadcast(x, y):
    return (x * y).sum() + ((x + y) * x)[2]


@SMALL(x4.reshape(2, 2), x4[:2].copy())
@njit
def by_rules(m, v):
    return (m @ v).sum() * np.cumsum(v)[1]


@SMALL(0.4 + 0.7j, 0.3)
@njit
def of_complex_numbers(z, a):
    w = z * z + a * z.conjugate() - 1j / z
    w = cmath.exp(w * 0.3) + cmath.sin(z) * a + z**3 + a
    for _ in range(3):
        w = w * w * 0.3 + z
    u = a + 2.0j if a > 0.1 else w
    return w.real * a + (w * u).imag + abs(z) * w.imag


@SMALL(A(0.4 + 0.7j, -0.2 + 0.5j), x4[:2].copy())
@njit
def returns_complex_elements(z, x):
    w = np.zeros(2, np.complex128)
    for i in range(2):
        w[i] = x[i]
        w[i] += z[i] * x[i - 1] * np.conj(z[i])
    return w, abs(w[0])


@SMALL(x4, 0.37)
@njit
def functions(x, a):
    s = a ** x[2] + x[0] ** a + math.atan2(x[1], a) + math.hypot(x[0], a) + max(x[0], a) * min(a, x[1])
    s += math.erf(a) + math.gamma(x[2]) + math.log1p(a) + abs(x[1]) + math.copysign(a, x[1])
    return s + x[0] % a + np.sign(a) * np.sqrt(a) + (a if x[0] > a else x[1]) + np.where(x > 0.0, x, a).sum()


@SMALL(np.sin(np.arange(200.0)), 0.7)
@njit(parallel=True)
def in_parallel(x, a):
    u = np.empty(len(x))
    s = 0.0
    p = 1.0
    for i in prange(len(x)):
        u[i] = x[i] * x[i - 1] * a
        s += u[i] * a
    for i in prange(len(x)):
        p *= 1.0 + 0.01 * x[i]
    return s * p


PROGRAMS = [*SMALL, *[BY_NAME[name] for name in CHOSEN]]


@pytest.mark.parametrize(("f", "args", "options"), PROGRAMS)
def test_against_differences(f, args, options):
    at = point(f, args, plain=f)
    direction = weights_of(args, np.random.default_rng(3))
    found, _ = tangent_of(at, direction)
    single = value_rtol(at) > 1e-9
    tolerance = Tolerance(2e-3, 2e-3, 1e-2) if single else Tolerance(1e-6, 1e-8, 1e-2)
    plain = twin(f, F32=np.float64, C64=np.complex128) if single else f
    loss = at.loss(plain)
    start = tuple(np.asarray(a, np.float64) if single and isinstance(a, np.ndarray) else a for a in args)
    judge("along a direction", found, lambda h: float(loss(*moved(start, direction, h))), tolerance, who="it")


OF_FLOATS = ("functions", "returns_from_inside", "only_writes", "assigned_alike", "exchanged", "by_rules")


@pytest.mark.parametrize("name", OF_FLOATS)
def test_directions_at_once(name):
    f, args, _ = next(p.values for p in PROGRAMS if p.values[0].py_func.__name__ == name)
    check_lanes(point(f, args, plain=f))


REVERSED = (
    "assigned_alike", "exchanged", "by_rules", "of_complex_numbers", "returns_complex_elements", "functions",
    "in_parallel", "returns_from_inside", "only_writes",
)  # fmt: skip


@pytest.mark.parametrize("name", REVERSED)
def test_tangents_and_cotangents_agree(name):
    """``<y_bar, J v> = <J^T y_bar, v>``; the tangents lie apart in memory."""
    f, args, _ = next(p.values for p in PROGRAMS if p.values[0].py_func.__name__ == name)
    at = point(f, args, plain=f)
    direction = weights_of(args, np.random.default_rng(4))
    found, kernels = tangent_of(at, direction, gaps=True)
    want = along(joint(kernels, at), direction)
    assert found == pytest.approx(want, rel=1e-11)


def test_against_complex_steps():
    f = by_name("names_of_tangents")
    direction = weights_of((x4, 0.7), np.random.default_rng(5))
    h = 1e-30
    shifted = twin(f)(x4 + 1j * h * direction[0,], 0.7 + 1j * h * direction[1,])
    kernels = kernels_of(f, (x4, 0.7), (True, True))
    _, (y_dot,) = kernels.tangent((x4, 0.7), (direction[0,], direction[1,]))
    assert y_dot == pytest.approx(shifted.imag / h, rel=1e-14)


def by_name(name):
    return next(p.values[0] for p in PROGRAMS if p.values[0].py_func.__name__ == name)


def test_constants_have_no_tangents():
    kernels = kernels_of(by_name("broadcast"), (x4, y4[:1].copy()), (False, True))
    (leaf,) = kernels.leaves
    assert leaf.argument == 1
    _, (y_dot,) = kernels.tangent((x4, y4[:1].copy()), (np.array([1.0]),))
    assert y_dot == pytest.approx(x4.sum() + x4[2])


# -- products with infinite partials ----------


@njit
def root_of_square(x):
    return math.sqrt(x * x) + math.sqrt(x) * 0.0 + x


def test_an_infinite_partial_is_killed_by_a_zero():
    assert morula.jvp(root_of_square, (0.0,), (1.0,)) == (0.0, 1.0)
    assert morula.jvp(root_of_square.py_func, (0.0,), (1.0,)) == (0.0, 1.0)


# -- the engine ----------


@njit
def fill(out, x):
    for i in range(len(x)):
        out[i] = 2.0 * x[i] * x[i] + out[i]
    return out


@njit
def pair(x):
    return x * 2.0, (x[0] * x[1], 3)


@njit
def spring(p, t):
    s = 0.0
    for i in range(len(p[1])):
        s += p[0] * p[1][i] ** 2 * t
    return s


def around(x, a, fill=fill, pair=pair, spring=spring):
    out = np.ones(3)
    kept = fill(out, x * x)
    y, (z, n) = pair(out[::-1] + kept)
    return y.sum() * z * n + out[1] + spring((a, x), 2.0) * spring((2.0, out), a)


@pytest.fixture
def counted(monkeypatch):
    """How often a tangent function ran."""
    from morula.static.numba.kernels import Kernels

    runs = []
    tangent = Kernels.tangent
    monkeypatch.setattr(Kernels, "tangent", lambda self, *given: (runs.append(1), tangent(self, *given))[1])
    return runs


def test_jvp_of_calls_inside_of_python(counted):
    x, v = A(0.3, 0.4, 0.5), A(1.0, 2.0, -1.0)
    got = morula.jvp(around, (x, 0.7), (v, 0.5))
    assert len(counted) == 4
    plain = (fill.py_func, pair.py_func, spring.py_func)
    want = morula.jvp(lambda x, a: around(x, a, *plain), (x, 0.7), (v, 0.5))
    np.testing.assert_allclose(got, want, rtol=1e-13)
    assert morula.pushforward(around, (x, 0.7), (v, 0.5)) == got


def test_jvp_of_a_compiled_function(counted):
    x, v = A(0.3, 0.4, 0.5), A(1.0, 2.0, -1.0)
    kept = x.copy()
    (_, (z, n)), (y_dot, (z_dot, n_dot)) = morula.jvp(pair, (x,), (v,))
    assert (z, n, n_dot) == (0.12, 3, None)
    np.testing.assert_allclose(y_dot, 2 * v)
    assert z_dot == pytest.approx(0.4 + 0.6)
    out = A(1.0, 2.0, 3.0)
    _, y_dot = morula.jvp(fill, (out, x), (v, None))
    np.testing.assert_array_equal(y_dot, v)
    np.testing.assert_array_equal(out, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(x, kept)
    _, y_dot = morula.jvp(fill, (out, x), (None, v))
    np.testing.assert_allclose(y_dot, 4 * x * v)
    assert len(counted) == 3


def test_nested_derivations_take_the_python_function(counted):
    x, v = A(0.3, 0.4, 0.5), A(1.0, 2.0, -1.0)

    def slope(x):
        return morula.jvp(spring, ((2.0, x), 1.5), ((1.0, v), None))[1]

    g = morula.gradient(slope, x)[0]
    np.testing.assert_allclose(g, 1.5 * 2 * (x + 2.0 * v), rtol=1e-13)
    assert counted == []


@njit
def minded(x):
    if x[0] < 0.0:
        raise ValueError("negative")
    return x.sum()


def test_exceptions_surface():
    with pytest.raises(ValueError, match="negative"):
        morula.jvp(minded, (-x4,), (x4,))


# -- second order ----------

SECOND = Programs()


@SECOND(x4, 0.6)
@njit
def energy(x, a):
    s = 0.0
    for i in range(1, len(x)):
        d = x[i] - x[i - 1]
        s += math.exp(-a * d * d) * math.sin(x[i]) + a**3 / (1.0 + d * d)
    return s


@SECOND(x4.reshape(2, 2), 3)
@njit
def iterated(m, n):
    u = m.copy()
    for _ in range(n):
        for i in range(2):
            for j in range(2):
                u[i, j] = math.tanh(u[i, j] * m[j, i] + u[j, i])
    return (u * m).sum()


@SECOND(x4, 1.5)
@njit
def until_large(x, limit):
    s = 1.0
    k = 0
    while s < limit * 4.0:
        s += s * x[k % 4] ** 2 + 0.3
        k += 1
    return s * limit


@SECOND(x4 + 1.0, 1.0)
@SECOND(x4 + 1.0, 2.0)
@SECOND(x4 + 1.0, 2.3)
@njit
def powers(x, p):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** p + p ** x[i]
    return s


@SECOND(x4.copy(), 0.3)
@njit
def in_place(x, a):
    for _ in range(2):
        for i in range(1, len(x)):
            x[i] = x[i] * x[i - 1] + a * x[i]
    return x[3] * x[2]


@SECOND(x4, y4[:1].copy())
@njit
def of_arrays(x, y):
    return (np.exp(x * y) * x).sum() + np.sqrt((x * x).sum())


def product_of(f, args, direction):
    kernels = kernels_of(f, copied(args), by_floats(args))
    parts = tuple(direction[leaf.argument, *leaf.path] for leaf in kernels.leaves)
    found = second_order(kernels, copied(args)).product(copied(args), parts)
    return {(leaf.argument, *leaf.path): part for leaf, part in zip(kernels.leaves, found, strict=True)}, kernels


def gradient_by(kernels, args):
    bars = [np.zeros_like(at_path(args, (leaf.argument, *leaf.path))) for leaf in kernels.leaves if leaf.is_array]
    _, numbers = kernels.joint(args, bars, (1.0,))
    arrays, others = iter(bars), iter(numbers)
    return {(leaf.argument, *leaf.path): next(arrays if leaf.is_array else others) for leaf in kernels.leaves}


@pytest.mark.parametrize(("f", "args", "options"), SECOND)
def test_products_at_once(f, args, options):
    at = point(f, args, plain=f)
    if f is in_place:  # each product needs the arguments as they were
        with pytest.raises(Unsupported):
            check_products(at)
    else:
        check_products(at)


@pytest.mark.parametrize(("f", "args", "options"), SECOND)
def test_products_against_differences_and_the_eager_tier(f, args, options):
    direction = weights_of(args, np.random.default_rng(6))
    found, kernels = product_of(f, args, direction)
    h = 1e-5
    low, high = (gradient_by(kernels, moved(args, direction, s * h)) for s in (-1, 1))
    for path, part in found.items():
        want = (np.asarray(high[path]) - np.asarray(low[path])) / (2 * h)
        np.testing.assert_allclose(part, want, rtol=2e-6, atol=2e-7)
    spots = [i for i, a in enumerate(args) if not isinstance(a, int)]

    def plain(*moving):
        given = list(copied(args))
        for i, a in zip(spots, moving, strict=True):
            given[i] = a.copy() if isinstance(a, np.ndarray) else a
        return twin(f)(*given)

    at, along = tuple(args[i] for i in spots), tuple(direction[i,] for i in spots)
    want = morula.hvp(lambda p: plain(*p), at, along)
    for i, part in zip(spots, want, strict=True):
        np.testing.assert_allclose(found[i,], part, rtol=1e-10, atol=1e-12)


@njit
def rosenbrock(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return s


@njit
def cubic(a, k=2.0):
    return a**3 * k


@njit
def of_a_tuple(p):
    return p[0] ** 2 * (p[1] * p[1]).sum()


@njit
def with_a_list(x):
    kept = [x[0] * x[1]]
    kept.append(x[1] ** 2)
    return kept[0] * kept[1]


@pytest.fixture
def natively(monkeypatch):
    """The eager ways to second derivatives are closed."""
    from morula.verbs import hessian_operators as hessians

    def closed(*_):
        raise AssertionError("the eager tier was asked")

    monkeypatch.setattr(hessians.Program, "of", closed)
    monkeypatch.setattr(hessians.HessianOperator, "_start", closed)


def test_the_verbs_of_second_order(natively):
    optimize = pytest.importorskip("scipy.optimize")
    v = y4
    np.testing.assert_allclose(morula.hessian(rosenbrock, x4), optimize.rosen_hess(x4), rtol=1e-13)
    np.testing.assert_allclose(morula.hvp(rosenbrock, x4, v), optimize.rosen_hess_prod(x4, v), rtol=1e-13)
    np.testing.assert_allclose(morula.diaghessian(rosenbrock, x4), np.diag(optimize.rosen_hess(x4)), rtol=1e-13)
    assert morula.laplacian(rosenbrock, x4) == pytest.approx(np.trace(optimize.rosen_hess(x4)))
    H = morula.hvp(rosenbrock, x4)
    assert H.value == pytest.approx(optimize.rosen(x4))
    np.testing.assert_allclose(H.gradient, optimize.rosen_der(x4), rtol=1e-13)
    np.testing.assert_allclose(H(v), optimize.rosen_hess_prod(x4, v), rtol=1e-13)
    np.testing.assert_array_equal(H(v), H(v))
    assert morula.hessian(cubic, 2.0) == morula.hvp(cubic, 2.0, 1.0) == 24.0
    assert morula.hessian(cubic, 2.0, k=0.5) == 6.0


def test_structures_and_points_that_are_written(natively):
    p = (2.0, A(1.0, 3.0))
    found = morula.hessian(of_a_tuple, p)
    assert found[0][0] == 20.0
    np.testing.assert_array_equal(found[0][1], [8.0, 24.0])
    np.testing.assert_array_equal(found[1][1], 8.0 * np.eye(2))
    x = x4.copy()
    f = by_second("in_place")
    found = morula.hessian(f, x, a=0.3)
    np.testing.assert_array_equal(x, x4)
    want = [product_of(f, (x4, 0.3), {(0,): e, (1,): 0.0})[0][0,] for e in np.eye(4)]
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-14)


def by_second(name):
    return next(p.values[0] for p in SECOND if p.values[0].py_func.__name__ == name)


def test_outside_of_the_subset_the_eager_tier_goes_on():
    kernels = None
    try:
        kernels = kernels_of(with_a_list, (x4,), (True,))
        second_order(kernels, (x4,))
    except Unsupported:
        pass
    a, b = x4[:2]
    want = np.zeros((4, 4))
    want[0, 1] = want[1, 0] = 3 * b * b
    want[1, 1] = 6 * a * b
    np.testing.assert_allclose(morula.hessian(with_a_list, x4), want, rtol=1e-12, atol=1e-15)
    with morula.native_mode("never"):
        np.testing.assert_allclose(morula.hessian(rosenbrock, x4), morula.hessian(rosenbrock.py_func, x4), rtol=1e-13)


def test_third_order_goes_on_eagerly():
    v = y4
    g = morula.gradient(lambda x: morula.hvp(rosenbrock, x, v) @ v, x4)[0]
    h = 1e-4
    for i, e in enumerate(np.eye(4)):
        up, down = (morula.hvp(rosenbrock, x4 + s * h * e, v) @ v for s in (1, -1))
        assert g[i] == pytest.approx((up - down) / (2 * h), rel=1e-7)


def test_where_generating_the_second_derivative_fails(monkeypatch):
    """In a way that nobody foresaw: the eager tier goes on."""
    from morula.static.numba import second_order as module

    def fails(*_):
        raise KeyError("x_dot")

    @njit
    def f(x):
        return (x[1:] * x[:-1] * x[1:]).sum()

    monkeypatch.setattr(module, "emit_tangent", fails)
    with pytest.raises(Unsupported, match="KeyError: 'x_dot'"):
        second_order(kernels_of(f, (x4,), (True,)), (x4,))
    np.testing.assert_allclose(morula.hessian(f, x4), morula.hessian(f.py_func, x4), rtol=1e-13)
