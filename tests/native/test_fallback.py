"""Compiled functions without kernels: the Python function is differentiated, with one warning or none."""

import math
import warnings

import fake_kernels as fk
import numba
import numpy as np
import pytest
from morula_helpers import assert_differences, assert_same

import morula

X = np.array([0.3, -0.7, 1.1, 0.4])


@pytest.fixture(autouse=True)
def _kernels(handmade):
    return handmade


def collect(call):
    """What a call gives, and the fallback warnings that it shows."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        result = call()
    assert all(w.category is morula.NativeFallbackWarning for w in shown), shown
    return result, [str(w.message) for w in shown], shown


VERBS = [
    lambda f, x: morula.gradient(f, x)[0],
    lambda f, x: morula.withgradient(f, x).gradient[0],
    lambda f, x: morula.pullback(f, x)[1](1.0)[0],
    lambda f, x: morula.grad(f)(x),
    lambda f, x: morula.value_and_grad(f)(x)[1],
    lambda f, x: morula.gradient(lambda x: f(x) * 1.0, x)[0],
    lambda f, x: morula.jacobian(lambda x: f(x[0]) * x[1], np.array([x, 1.0, 1.0]))[0][0],
]


@pytest.mark.parametrize("verb", VERBS)
def test_one_warning_for_each_function(verb):
    g, messages, shown = collect(lambda: [verb(fk.unknown, 1.3) for _ in range(3)])
    np.testing.assert_allclose(g, 3 * 1.3**2)
    assert len(messages) == 1
    assert "unknown uses a construct of a test (line 7)" in messages[0]
    assert shown[0].filename == __file__


def test_no_warning_where_a_function_is_not_differentiated():
    _, messages, _ = collect(lambda: morula.gradient(lambda x: fk.unknown(2.0) * x, 1.3))
    assert messages == []


def test_forward_mode_and_higher_orders():
    f = fk.unknown
    found, messages, _ = collect(
        lambda: (
            morula.jvp(f, (1.3,), (2.0,))[1],
            morula.hessian(f, 1.3),
            morula.hvp(f, 1.3, 2.0),
            morula.gradient(lambda x: morula.gradient(f, x)[0], 1.3)[0],
            morula.jvp(morula.grad(f), (1.3,), (1.0,))[1],
            morula.gradient(lambda x: morula.jvp(f, (x,), (1.0,))[1], 1.3)[0],
            morula.grad(morula.grad(morula.grad(f)))(1.3),
        )
    )
    np.testing.assert_allclose(found, [2 * 3 * 1.69, 7.8, 15.6, 7.8, 7.8, 7.8, 6.0])
    assert len(messages) == 1


@pytest.mark.parametrize("verb", VERBS)
def test_require_turns_it_into_an_error(verb):
    with morula.native_mode("require"):
        with pytest.raises(morula.NotNative, match="unknown uses a construct of a test"):
            morula.jvp(fk.unknown, (1.3,), (1.0,))
        with pytest.raises(morula.NotNative, match="forward mode inside another derivation"):
            morula.gradient(lambda x: morula.jvp(fk.unknown, (x,), (1.0,))[1], 1.3)
        with pytest.raises(morula.NotNative, match=r"unknown uses a construct of a test \(line 7\)"):
            verb(fk.unknown, 1.3)
        assert_same(morula.gradient(fk.weighted, X, X), (X * X, 2 * X * X), rtol=1e-14)


def test_never_and_as_a_decorator(handmade):
    @morula.native_mode("never")
    def run():
        return morula.gradient(fk.unknown, 1.3), morula.gradient(fk.weighted, X, X)

    _, messages, _ = collect(run)
    assert messages == [] and handmade == []
    with pytest.raises(morula.MorulaError, match="'auto', 'require', 'never'"), morula.native_mode("often"):
        pass


def test_a_construct_of_a_callee_is_named_once():
    g, messages, _ = collect(lambda: [morula.gradient(fk.calls_unknown, 1.3)[0] for _ in range(2)])
    np.testing.assert_allclose(g, 3 * 1.3**2 + 1)
    assert len(messages) == 1
    assert "calls_unknown calls unknown, which uses a construct of a test (line 7)" in messages[0]


def test_a_warning_that_is_an_error_leaves_arguments_alone():
    x = X.copy()

    @numba.njit
    def squares(x):
        x[0] = x[1] * x[1]
        return x.sum()

    with pytest.raises(morula.NativeFallbackWarning):
        morula.gradient(squares, x)
    np.testing.assert_array_equal(x, X)
    g, messages, _ = collect(lambda: morula.gradient(squares, x)[0])
    assert len(messages) == 1
    assert_same(g, np.array([0.0, 1 + 2 * X[1], 1.0, 1.0]))
    np.testing.assert_array_equal(x, X)


def test_integers_that_count_as_numbers():
    g, messages, _ = collect(lambda: morula.gradient(fk.mean, X, 4))
    assert_same(g, (np.full(4, 0.25), -X.sum() / 16))
    assert messages == []


def test_integer_arrays_that_count_as_numbers():
    @numba.njit
    def by_counts(x, n):
        return (x * n).sum()

    n = np.arange(4)
    g, messages, _ = collect(lambda: morula.gradient(by_counts, X, n))
    assert_same(g, (n.astype(float), X))
    assert len(messages) == 1 and "integer argument 'n'" in messages[0]
    _, messages, _ = collect(lambda: morula.grad(by_counts)(X, n))
    assert messages == []


def test_integers_that_only_count(handmade):
    g, messages, _ = collect(lambda: morula.gradient(fk.powers, 1.3, 3))
    assert_same(g, (3 * 1.3**2, None))
    assert messages == [] and handmade == ["powers_forward"]
    g, messages, _ = collect(lambda: morula.gradient(lambda x, n: fk.powers(x, n), 1.3, 3))
    assert_same(g, (3 * 1.3**2, None))
    assert messages == []


def test_what_does_not_reach_the_value_has_no_gradient():
    @numba.njit
    def first(x, y):
        return x * (2.0 if y > 0 else 1.0)

    @numba.njit
    def nothing(x, y):
        return float(len(y)) + int(x)

    with morula.native_mode("never"):
        assert morula.gradient(first, 1.5, 2.0) == (2.0, None)
        assert morula.gradient(nothing, 1.5, X) == (None, None)
    assert morula.gradient(nothing, 1.5, X) == (None, None)
    assert morula.grad(nothing)(1.5, X) == 0.0
    assert morula.pullback(nothing, 1.5, X)[1](1.0) == (None, None)
    assert morula.gradient(lambda x: nothing(x, X) + x, 1.5) == (1.0,)


@pytest.mark.parametrize("part", ["kernels_of", "plain", "forward", "backward"])
def test_where_generating_or_compiling_fails(part, monkeypatch):
    from numba.core.errors import TypingError

    import morula.static.numba.kernels as kernels

    def fails(*_):
        raise KeyError("b") if part == "kernels_of" else TypingError("Failed in a step\nname 'x_bar' is not defined")

    def kernels_of(*given):
        found = fails() if part == "kernels_of" else fk.kernels_of(*given)
        setattr(found, part, fails)
        return found

    monkeypatch.setattr(kernels, "kernels_of", kernels_of)
    x = np.array([0.3, 0.4])

    def uses():
        y = x.copy()
        return (
            morula.gradient(fk.relax, y, 0.3)[0],
            morula.pullback(fk.relax, y.copy(), 0.3)[1](1.0)[0],
            morula.gradient(lambda x: fk.relax(x * 1.0, 0.3), y)[0],
            morula.grad(fk.relax)(y, 0.3),
            y,
        )

    found, messages, _ = collect(uses)
    for g in found[:4]:
        np.testing.assert_allclose(g, [1 + 0.3 * 2 * 0.3, 1.0])
    np.testing.assert_array_equal(found[4], x)
    assert len(messages) == 1
    said = "KeyError: 'b'" if part == "kernels_of" else "TypingError: name 'x_bar' is not defined"
    assert f"generating an adjoint failed ({said})" in messages[0]


def test_captured_active_variables():
    def outer(x):
        @numba.njit
        def inner(y):
            return y * y * x

        return inner(2.0) + inner(x)

    g, messages, _ = collect(lambda: morula.gradient(outer, 3.0))
    np.testing.assert_allclose(g[0], 4 + 3 * 9.0)
    assert len(messages) == 1 and "captured variables" in messages[0]


def test_prange_runs_as_range():
    @numba.njit(parallel=False)
    def total(x):
        s = 0.0
        for i in numba.prange(len(x)):
            s += x[i] * x[i]
        return s

    g, messages, _ = collect(lambda: morula.gradient(total, X))
    assert_same(g, (2 * X,))
    assert len(messages) == 1


def test_vectorize_is_followed_element_by_element():
    @numba.vectorize
    def wave(x, k):
        return math.sin(x * k) if x > 0 else x * x

    f = lambda x, k: wave(x, k).sum() + wave(0.5, k)
    g, messages, _ = collect(lambda: morula.gradient(f, X, 1.7))
    assert_differences(f, (X, 1.7), g)
    assert len(messages) == 1 and "numba.vectorize" in messages[0]
    with morula.native_mode("never"):
        assert_same(morula.gradient(f, X, 1.7), g)


def test_guvectorize_that_reads_from_outside_is_refused():
    factor = np.array([2.0])

    @numba.guvectorize(["void(float64[:],float64[:])"], "(n)->(n)")
    def twice(x, y):
        for i in range(len(x)):
            y[i] = factor[0] * x[i]

    with pytest.raises(morula.NotDifferentiable, match="twice was given active values"):
        morula.gradient(lambda x: twice(x).sum(), X)
    assert morula.gradient(lambda x: x * twice(np.ones(2)).sum(), 3.0) == (4.0,)


def test_calls_that_nothing_active_reaches_write_and_are_undone(handmade):
    @numba.njit
    def count(table, i):
        table[i] += 1.0
        return table

    def f(x):
        table = np.array([1.0, 2.0])
        a = x * table
        same = count(table, 1)
        assert same is table
        b = x * table
        part = fk.tail(table)
        part[0] = 7.0
        return (a * b).sum() + (x * table).sum()

    g, messages, _ = collect(lambda: morula.gradient(f, X[:2]))
    want = (2 * X[:2] * np.array([1.0, 2.0 * 3.0]) + np.array([1.0, 7.0]),)
    assert_same(g, want)
    assert messages == [] and handmade == []


@numba.njit
def blocks(n, size):
    found = 1
    if size > 1:
        found = np.ceil(n / size)
    return found


@numba.njit
def by_blocks(x, n):
    total = 0.0
    for _ in range(blocks(n, 1)):
        total += x * x
    return total


def test_counting_to_a_float_is_left_to_compiled_code():
    assert by_blocks(3.0, 2) == 9.0
    with morula.native_mode("never"), pytest.raises(morula.NotDifferentiable, match=r"only compiled code can.*int\("):
        morula.gradient(lambda x: by_blocks(x, 2), 3.0)


@numba.njit
def total(values):
    s = 0.0
    for v in values:
        s += v * v
    return s


@numba.njit
def total_by_name(table):
    s = 0.0
    for k in table:
        s += table[k]
    return s


@numba.njit
def hands_on_an_empty_list(x):
    kept = [x[0]]
    kept.pop()
    try:
        return x[1] * x[2] + total(kept)
    except Exception:
        return 0.0


@numba.njit
def hands_on_a_dict(x):
    table = {0: x[0] * x[1]}
    table[1] = x[2]
    try:
        return total_by_name(table) * x[3]
    except Exception:
        return 0.0


@pytest.mark.parametrize("f", [hands_on_an_empty_list, hands_on_a_dict])
@pytest.mark.filterwarnings("ignore::morula.NativeFallbackWarning")
def test_what_only_compiled_code_can_hand_on(f):
    """Python cannot give an empty list to compiled code, which has no such limit: no handler must see that."""
    for _ in range(3):
        value, (g,) = morula.withgradient(f, X)
        assert value == f(X)
        np.testing.assert_allclose(g, _slopes(f), rtol=1e-7, atol=1e-9)
    with pytest.raises(ValueError, match="empty list"):
        morula.gradient(lambda x: x.sum() + total([]), X)


def _slopes(f):
    steps = 1e-6 * np.eye(len(X))
    return [(f(X + h) - f(X - h)) / 2e-6 for h in steps]
