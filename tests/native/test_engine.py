"""Compiled functions inside differentiated ones, with kernels written by hand: each call is one tape entry."""

import fake_kernels as fk
import numpy as np
import pytest
from morula_helpers import assert_differences, assert_same

import morula

X = np.array([0.3, -0.7, 1.1, 0.4])
Y = np.array([1.5, 0.2, -0.6, 0.9])


@pytest.fixture(autouse=True)
def _kernels(kernels):
    return kernels


def check(f, *args, runs, log):
    """The gradient through kernels against that of the Python functions and against differences; kernels did run."""
    before = [np.copy(a) for a in args]
    value, g = morula.withgradient(f, *args)
    assert log is None or log == runs, log
    with morula.native_mode("never"):
        want_value, want = morula.withgradient(f, *args)
    assert log is None or log == runs, log
    np.testing.assert_allclose(value, want_value, rtol=1e-14)
    assert_same(g, want, rtol=1e-13, atol=1e-13)
    assert_differences(f, args, g)
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)
    _, back = morula.pullback(f, *[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])
    once = back(1.0)
    assert_same(once, want, rtol=1e-13, atol=1e-13)
    assert_same(back(2.0), tuple(None if g is None else 2 * g for g in once), rtol=1e-13, atol=1e-13)
    return g


def reads(x, y):
    return fk.weighted(x * 2.0, y) * np.sin(x[0])


def same_array_twice(x, y):
    return fk.weighted(x, x) + fk.weighted(y, x)


def overlapping_reads(x, y):
    return fk.weighted(x[1:], x[:-1]) + y[0]


def views_of_columns(x, y):
    z = np.outer(x, y)
    return fk.weighted(z[:, 1], z[2]) + z.sum()


def reversed_view(x, y):
    return fk.weighted(x[::-1], y) ** 2


def writes(x, k):
    z = x * x
    before = z.sum() * z[2]
    value = fk.relax(z, k)
    return before + value * z[1] + (z * z).sum()


def writes_into_a_view(x, k):
    z = np.concatenate((x, 2.0 * x))
    value = fk.relax(z[2:6], k)
    z[3] = z[2] * k
    return value + (z**3).sum()


def writes_into_an_argument(x, k):
    return fk.relax(x, k) * x[3] + x[1]


def writes_twice(x, k):
    z = x + 1.0
    a = fk.relax(z, k)
    b = fk.relax(z, 0.5 * k)
    return a * b + z[3]


def writes_what_was_constant(x, y):
    out = np.zeros(4)
    before = out.sum()
    fk.fill(out, x)
    first = (out * y).sum()
    fk.fill(out, y)
    return first + (out * x).sum() + before


def returns_an_argument(x, y):
    out = np.ones(4)
    z = fk.fill(out, x)
    z[0] *= y[1]
    return (out * y).sum() + z[0] ** 2


def returns_a_view(x, y):
    z = x * y
    t = fk.tail(z)
    t[0] = t[1] * x[0]
    return (z * z).sum() + t[2]


def returns_a_view_of_a_constant(x, y):
    z = np.ones(4)
    t = fk.tail(z)
    t[1] = x[0] * x[1]
    return z.sum() * x[2] + y[0] + fk.tail(z)[1]


def returns_an_array(x, s):
    y = fk.scaled(x, s)
    y[1] = s
    return (fk.scaled(y, s) * x).sum()


def returns_a_tuple(x, y):
    total, squares = fk.both(x)
    squares[0] = total
    return (squares * y).sum() + total * total


def uses_a_part_of_the_result(x, y):
    return fk.both(x)[0] * y[0]


def named_tuple(x, t):
    return fk.energy(fk.Spring(x[0] * t, x[1:]), t)


def in_a_loop(x, k):
    total = 0.0
    z = x.copy()
    for i in range(3):
        total += fk.relax(z, k) * z[i]
        z[0] = z[3]
    return total


def by_keyword(x, s):
    return fk.scaled(s=s * 2.0, x=x).sum() * s


PROGRAMS = [
    (reads, (X, Y), ["weighted_forward"]),
    (same_array_twice, (X, Y), ["weighted_forward"] * 2),
    (overlapping_reads, (X, Y), ["weighted_forward"]),
    (views_of_columns, (X, Y), ["weighted_forward"]),
    (reversed_view, (X, Y), ["weighted_forward"]),
    (writes, (X, 0.3), ["relax_forward"]),
    (writes_into_a_view, (X, 0.3), ["relax_forward"]),
    (writes_into_an_argument, (X, 0.3), ["relax_forward"]),
    (writes_twice, (X, 0.3), ["relax_forward"] * 2),
    (writes_what_was_constant, (X, Y), ["fill_forward"] * 2),
    (returns_an_argument, (X, Y), ["fill_forward"]),
    (returns_a_view, (X, Y), ["tail_forward"]),
    (returns_a_view_of_a_constant, (X, Y), ["tail_forward"]),
    (returns_an_array, (X, 0.6), ["scaled_forward"] * 2),
    (returns_a_tuple, (X, Y), ["both_forward"]),
    (uses_a_part_of_the_result, (X, Y), ["both_forward"]),
    (named_tuple, (X, 0.6), ["energy_forward"]),
    (in_a_loop, (X, 0.3), ["relax_forward"] * 3),
    (by_keyword, (X, 0.6), ["scaled_forward"]),
]


@pytest.mark.parametrize(("f", "args", "runs"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_programs(f, args, runs, kernels):
    check(f, *[np.copy(a) if isinstance(a, np.ndarray) else a for a in args], runs=runs, log=kernels)


def catches_half_way(x, limit):
    z = x * x
    try:
        value = fk.guarded(z, limit)
    except ValueError:
        value = z[1] * 3.0
    return value + (z**2).sum()


def catches_before_anything(x, limit):
    z = x * x
    try:
        value = fk.guarded(z[::-1], limit)
    except ValueError:
        value = z[1] * 3.0
    return value + (z**2).sum()


@pytest.mark.parametrize("f", [catches_half_way, catches_before_anything])
def test_what_a_call_that_raises_has_written(f, kernels):
    x = np.array([0.3, -0.7, 1.5, 0.4]) if f is catches_half_way else np.array([0.3, -0.7, 0.4, 1.5])
    g = morula.gradient(f, x, 1.0)
    assert kernels in (None, ["guarded_forward"])
    with morula.native_mode("never"):
        assert_same(g[0], morula.gradient(f, x, 1.0)[0], rtol=1e-13)
    assert_differences(f, (x, 1.0), g)
    _, back = morula.pullback(f, x, 1.0)
    assert_same(back(1.0)[0], g[0])
    assert_same(back(1.0)[0], g[0])


def test_an_error_that_is_not_caught_passes_unchanged(kernels):
    x = np.array([0.3, 3.0])
    with pytest.raises(ValueError, match="too large") as info:
        morula.gradient(lambda x: fk.guarded(x, 1.0) * 2.0, x)
    assert type(info.value) is ValueError
    np.testing.assert_array_equal(x, [0.3, 3.0])


def test_memory_of_which_two_arguments_are_made():
    def f(x, y):
        return fk.relax(x, 0.3) + fk.weighted(x, y)

    with pytest.raises(morula.AliasedArgumentsError):
        x = X.copy()
        morula.gradient(f, x, x)


def test_a_constant_copy_of_memory_that_is_written():
    def f(x):
        z = x * 2.0
        kept = morula.stop_gradient(z)
        return fk.relax(z, 0.1) + kept.sum()

    with pytest.raises(morula.NotDifferentiable, match="stop_gradient"):
        morula.gradient(f, X)


def test_a_hook_on_what_is_given(kernels):
    def f(x):
        z = morula.hook(lambda c: 10.0 * c, x)
        return fk.weighted(z, X)

    assert_same(morula.gradient(f, X), (10.0 * X * X,), rtol=1e-14)
    assert kernels in (None, ["weighted_forward"])


def test_nothing_came_for_the_result():
    def f(x, y):
        fk.scaled(x, 2.0)
        return y.sum()

    assert_same(morula.gradient(f, X, Y), (None, np.ones(4)))


def test_strict_zeros_run_the_kernel_twice():
    def f(x):
        a = fk.scaled(x, 2.0)
        return np.where(x > 0, a, np.log(a)).sum() + 0.0 * np.sqrt(x[0] - x[0])

    x = np.array([0.5, 1.5])
    with np.errstate(all="ignore"):
        assert_same(morula.gradient(f, x), (np.array([2.0, 2.0]),))


def test_checkpoints_and_loops(kernels):
    def step(z, k):
        fk.relax(z, k)
        return z

    def f(x, k):
        z = x * 1.0
        for _ in range(3):
            z = morula.checkpoint(lambda z, k: fk.scaled(z, k) * z, z, k)
        return z.sum()

    g = morula.gradient(f, X, 0.4)
    with morula.native_mode("never"):
        assert_same(g, morula.gradient(f, X, 0.4), rtol=1e-13)
    assert_differences(f, (X, 0.4), g)
    assert kernels is None or len(kernels) == 3  # when the steps run again, with a tape


def test_parts_of_one_owner_are_separate():
    def f(x, y):
        z = np.concatenate((x, y))
        fk.fill(z[:4], z[4:])
        return (z * np.arange(8.0)).sum()

    g = morula.gradient(f, X, Y)
    assert_differences(f, (X, Y), g)


def test_overlapping_memory_that_is_written_goes_to_the_python_function():
    with pytest.warns(morula.NativeFallbackWarning, match="share memory"):
        g = morula.gradient(overlapping, X)
    with morula.native_mode("never"):
        want = morula.gradient(overlapping, X)
    assert_same(g, want, rtol=1e-13)
    assert_differences(overlapping, (X,), g)


def overlapping(x):
    z = np.concatenate((x, x))
    fk.fill(z[:4], z[2:6])
    return (z * np.arange(8.0)).sum()


def test_broadcast_arguments_inside():
    def f(x, y):
        z = np.broadcast_to(x[:1], 4)
        return fk.weighted(z, y) + fk.weighted(y, z)

    g = morula.gradient(f, X, Y)
    assert_differences(f, (X, Y), g)


def test_second_derivatives_through_kernels_of_the_value(kernels):
    def f(x):
        return fk.weighted(x, x) + fk.relax(x * 1.0, 0.3)

    H = morula.hessian(f, X)
    g = lambda x: morula.gradient(f, x)[0]
    step = 1e-5
    want = [(g(X + step * e) - g(X - step * e)) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(H, want, rtol=1e-6, atol=1e-8)
    inner = lambda x: (morula.gradient(f, x)[0] * Y).sum()
    np.testing.assert_allclose(morula.gradient(inner, X)[0], H @ Y, rtol=1e-12)


def test_code_adjoint(handmade):
    assert morula.code_adjoint(fk.weighted, X, Y) == "written by hand"
    with pytest.raises(morula.NotNative, match="a construct of a test"):
        morula.code_adjoint(fk.unknown, 1.0)
    with pytest.raises(TypeError):
        morula.code_adjoint(fk.weighted)


def test_compiled_functions_as_arguments_and_in_objects(kernels):
    class Model:
        def __init__(self, f, w):
            self.f = f
            self.w = w

    def f(function, model, x):
        return function(x, model.w) * model.f(model.w, x)

    model = Model(fk.weighted, Y)
    g = morula.gradient(f, fk.weighted, model, X)
    with morula.native_mode("never"):
        want = morula.gradient(f, fk.weighted, model, X)
    assert g[0] is None and want[0] is None
    assert_same(g[1].w, want[1].w, rtol=1e-13)
    assert_same(g[2], want[2], rtol=1e-13)
    assert g[1].f is None
    assert kernels is None or len(kernels) == 2


def test_threads_of_their_own():
    import threading

    results = []

    def work():
        results.append(morula.gradient(lambda x: writes(x, 0.3), X)[0])

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for r in results:
        np.testing.assert_array_equal(r, results[0])
    assert len(results) == 4
