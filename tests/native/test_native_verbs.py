"""Verbs on compiled functions directly, with kernels written by hand, against the eager tier on the Python function."""

import fake_kernels as fk
import numba
import numpy as np
import pytest
from morula_helpers import assert_differences, assert_same

import chainrules
import morula
from morula.static.tiers import fallback, verbs

X = np.array([0.3, -0.7, 1.1, 0.4])
Y = np.array([1.5, 0.2, -0.6, 0.9])
SPRING = fk.Spring(1.5, Y)

CALLS = [
    (fk.weighted, (X, Y)),
    (fk.weighted, (np.tile(X, 2)[::2], Y)),
    (fk.relax, (X, 0.3)),
    (fk.energy, (SPRING, 0.7)),
    (fk.powers, (1.3, 3)),
    (fk.powers, (np.float64(1.3), 3)),
    (fk.mean, (X, 4)),
]


@pytest.fixture(autouse=True)
def _kernels(kernels):
    return kernels


def copied(args):
    return tuple([a.copy() if isinstance(a, np.ndarray) else a for a in args])


@pytest.mark.parametrize(("f", "args"), CALLS, ids=lambda p: getattr(p, "__name__", ""))
def test_gradient_and_its_kin(f, args, kernels):
    args = copied(args)
    before = copied(args)
    positions = tuple(range(len(args)))
    if f is fk.powers:
        positions = (0,)
    with morula.native_mode("never"):
        want = morula.gradient(f.py_func, *args)
        value = f.py_func(*copied(args))
    if kernels is not None:
        kernels.clear()
    for _ in range(2):  # the first call writes the runner, the second one finds it
        g = morula.gradient(f, *args)
        assert_same(g, want, rtol=1e-13)
        assert all(isinstance(b, type(a)) for a, b in zip(g, want, strict=True))
        y, g = morula.withgradient(f, *args)
        assert type(y) is float
        np.testing.assert_allclose(y, value, rtol=1e-14)
        assert_same(g, want, rtol=1e-13)
        assert_differences(lambda *a: f(*a), tuple(args), g) if f not in (fk.powers, fk.mean) else None
        assert_same(morula.grad(f)(*args), want[0], rtol=1e-13)
        assert_same(morula.grad(f, positions)(*args), tuple(want[i] for i in positions), rtol=1e-13)
        y, g = morula.value_and_grad(f, positions)(*args)
        assert_same(g, tuple(want[i] for i in positions), rtol=1e-13)
        np.testing.assert_allclose(y, value, rtol=1e-14)
    assert kernels is None or set(kernels) == {f"{f.py_func.__name__}_forward"}
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b) if isinstance(a, np.ndarray) else None
    work = copied(args)
    y, back = morula.pullback(f, *work)
    np.testing.assert_allclose(y, value, rtol=1e-14)
    assert_same(back(1.0), want, rtol=1e-13)
    assert_same(back(1.0), want, rtol=1e-13)


def test_the_runner_is_used_again(kernels):
    verbs.forget_runners()
    morula.gradient(fk.weighted, X, Y)
    runners = [r for r in [reference() for reference in verbs._every.values()] if r]
    assert sum(map(len, runners)) == 1
    for _ in range(3):
        morula.gradient(fk.weighted, X, Y)
    assert sum(map(len, runners)) == 1
    morula.gradient(fk.weighted, X, np.tile(Y, 2)[::2])
    assert sum(map(len, runners)) == 2
    assert kernels in (None, ["weighted_forward"] * 5)


def test_the_same_array_twice_has_two_gradients(kernels):
    g = morula.gradient(fk.weighted, X, X)
    assert_same(g, (X * X, 2 * X * X), rtol=1e-14)
    g = morula.gradient(fk.weighted, X[1:], X[:-1])
    assert_same(g, (X[:-1] ** 2, 2 * X[1:] * X[:-1]), rtol=1e-14)
    assert kernels in (None, ["weighted_forward"] * 2)


@pytest.mark.filterwarnings("ignore::morula.errors.NativeFallbackWarning")
def test_memory_that_is_shared_with_what_is_written():
    with pytest.raises(morula.AliasedArgumentsError):
        z = X.copy()
        morula.gradient(fk.fill_sum, z, z)
    z = np.arange(8.0)
    before = z.copy()
    with pytest.raises(morula.AliasedArgumentsError):
        morula.gradient(fk.fill_sum, z[:5], z[3:7])
    np.testing.assert_array_equal(z, before)
    g = morula.gradient(fk.fill_sum, z[:4], z[4:])  # one owner, no element in common
    assert_same(g, (np.zeros(4), 4 * z[4:]), rtol=1e-14)


def test_arguments_are_as_before_after_an_error():
    x = np.array([0.5, 0.25, 3.0, 0.1])
    before = x.copy()
    for verb in (morula.gradient, morula.withgradient, lambda f, *a: morula.grad(f)(*a)):
        for _ in range(2):
            with pytest.raises(ValueError, match="too large") as info:
                verb(fk.guarded, x, 1.0)
            assert not isinstance(info.value, morula.MorulaError)
            np.testing.assert_array_equal(x, before)
    assert_same(morula.grad(fk.guarded)(x, 5.0), 2 * x)


def test_elements_that_share_memory_are_refused_as_in_the_eager_tier():
    x = np.broadcast_to(np.array([2.0]), 4)
    for f in (fk.weighted, fk.weighted.py_func):
        with pytest.raises(morula.NotDifferentiable, match="share memory"):
            morula.gradient(f, x, Y)


def test_arrays_of_other_classes_are_refused_as_in_the_eager_tier():
    x = np.ma.masked_array(X, X > 1)
    for f in (fk.weighted, fk.weighted.py_func):
        with pytest.raises(morula.NotDifferentiable, match=r"(?i)masked"):
            morula.gradient(f, x, Y)
    morula.gradient(fk.weighted, X, Y)
    with pytest.raises(morula.NotDifferentiable, match=r"(?i)masked"):
        morula.gradient(fk.weighted, x, Y)


def test_values_that_are_no_real_number():
    for f, args in ((fk.scaled, (X, 2.0)), (fk.both, (X,)), (fk.fill, (np.zeros(4), X))):
        for g in (f, f.py_func):
            for verb in (morula.gradient, lambda g, *a: morula.grad(g)(*a)):
                with pytest.raises(morula.ResultError, match="returned"):
                    verb(g, *args)
    y, (g,) = morula.withgradient(fk.both, X)
    assert_same(g, np.ones(4))
    np.testing.assert_allclose(y[1], X * X)


def test_float_arrays_of_other_layouts_and_dtypes():
    weighted = fk.product
    x = np.arange(6.0).reshape(2, 3)
    for a in (x, np.asfortranarray(x), x[:, ::-1], x.astype(np.float32)):
        g = morula.gradient(weighted, a, x)
        want = morula.gradient(weighted.py_func, a, x)
        assert_same(g, want, rtol=1e-6)
        assert [b.dtype for b in g] == [b.dtype for b in want]


def test_a_rule_declared_later_takes_effect():
    @numba.njit
    def product(x, y):
        return (x * y * y).sum()

    weighted = product
    prepared = morula.grad(weighted)
    assert_same(prepared(X, Y), Y * Y)
    chainrules.rrule(weighted)(lambda x, y: (weighted(x, y), lambda c: (c * 100.0 * y, c * 0.0 * y)))
    assert_same(prepared(X, Y), 100.0 * Y)
    assert_same(morula.gradient(weighted, X, Y)[0], 100.0 * Y)
    morula.adjoint(weighted)(lambda x, y: (weighted(x, y), lambda c: (c * 10.0 * y, c * 0.0 * y)))
    assert_same(prepared(X, Y), 10.0 * Y)
    assert_same(morula.gradient(lambda x: weighted(x, Y), X), (10.0 * Y,))


def test_never_means_the_python_function(kernels):
    morula.gradient(fk.weighted, X, Y)
    prepared = morula.grad(fk.weighted)
    prepared(X, Y)
    if kernels is not None:
        kernels.clear()
    with morula.native_mode("never"):
        assert_same(morula.gradient(fk.weighted, X, Y), (Y * Y, 2 * X * Y))
        assert_same(prepared(X, Y), Y * Y)
    assert kernels in (None, [])
    prepared(X, Y)
    assert kernels in (None, ["weighted_forward"]) and fallback.never_blocks == 0


def test_defaults_and_keywords(kernels):
    weighted = fk.product
    with morula.native_mode("never"):
        want = morula.gradient(weighted, X)
    if kernels is not None:
        kernels.clear()
    assert_same(morula.gradient(weighted, X), want)
    assert_same(morula.grad(weighted)(X), want[0])
    assert_same(morula.gradient(weighted, X, y=3.0), (np.full(4, 9.0),))
    assert kernels in (None, ["product_forward"] * 3)
    with pytest.raises(TypeError, match="argument"):
        morula.gradient(weighted)
    with pytest.raises(morula.MorulaError, match="argnums=3"):
        morula.grad(weighted, 3)(X, 2.0)


def test_stale_memory_is_found_out():
    x, y = X.copy(), Y.copy()
    _, back = morula.pullback(fk.weighted, x, y)
    x[1] = 5.0
    with pytest.raises(morula.StaleMemoryError, match="weighted"):
        back(1.0)
    x[1] = X[1]
    assert_same(back(1.0), (Y * Y, 2 * X * Y))


def test_pullback_leaves_what_the_function_wrote():
    x = X.copy()
    y, back = morula.pullback(fk.relax, x, 0.3)
    after = X.copy()
    np.testing.assert_allclose(y, fk.relax(after, 0.3))
    np.testing.assert_array_equal(x, after)
    first = back(1.0)
    np.testing.assert_array_equal(x, after)
    assert_same(back(2.0), tuple(2 * g for g in first))
    np.testing.assert_array_equal(x, after)


def test_functions_are_not_kept_alive():
    import gc
    import weakref

    def make():
        @numba.njit
        def product(x, y):
            return (x * y * y).sum()

        return product

    f = make()
    morula.gradient(f, X, Y)
    seen = weakref.ref(f)
    assert id(f) in verbs._of_function
    key = id(f)
    del f
    gc.collect()
    if seen() is None:  # Numba itself keeps some alive
        assert key not in verbs._of_function
