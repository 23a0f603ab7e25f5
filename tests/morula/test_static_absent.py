"""Derivatives of zero in the static tier: zero where something was sent, absent where nothing was."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize
from static_checks import alike, check_tiers, found_by

import morula
from morula.static.python.pairs import SOME, VAIN, record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def payoff(spot, strike):
    return max(spot - strike, 0.0) * spot


def other_branch(p):
    y = p["a"] if p["a"] < 5.0 else p["b"]
    return (y - 2.0) ** 2


def largest(xs):
    return max(xs)


def largest_of_new(xs):
    return max([x * x for x in xs]) + min(x * 2.0 for x in xs)


def largest_by_key(xs):
    return max(xs, key=lambda x: -x * x)


def largest_of_three(a, b, c):
    return max(a, b, c) * a


def overwritten(xs):
    xs = xs[:]
    xs[1] = max(xs)
    return sum(xs)


def searched(xs):
    ys = [math.sin(x) for x in xs]
    k = ys.index(max(ys))
    return xs[k] ** 2 + ys[k]


def best_by_hand(xs):
    squares = [x * x for x in xs]
    best = squares[0]
    for y in squares:
        if y > best:
            best = y
    return best


def in_order(xs):
    return sorted(xs)[0] * 2.0 + sorted(xs, key=lambda x: -x)[0]


def of_elements(a, xs):
    total = 0.0
    for x in xs:
        total = total * 0.0 + x
    return total * a


def down(x, n):
    return x * 0.0 if n == 0 else down(x * x, n - 1)


def at_a_kink(x, y):
    return abs(x) + abs(y) * x + min(x, y)


def swapped(p):
    a, b = p
    t = [a, b * 2.0]
    t[0], t[1] = t[1], t[0]
    return t[1] * 0.0 + 1.0 * a


XS = [0.4, -0.3, 0.9]
PROGRAMS = [
    (payoff, (1.0, 2.0)), (payoff, (2.0, 1.0)), (other_branch, ({"a": 2.0, "b": 1.0},)),
    (other_branch, ({"a": 6.0, "b": 2.0},)), (other_branch, ({"a": 6.0, "b": 3.0},)), (largest, (XS,)),
    (largest, (XS * 5,)), (largest_of_new, (XS,)), (largest_of_new, (XS * 5,)), (largest_by_key, (XS * 4,)),
    (largest_of_three, (1.0, 2.0, 3.0)), (overwritten, (XS,)), (overwritten, (XS * 5,)), (searched, (XS,)),
    (searched, (XS * 5,)), (best_by_hand, (XS * 5,)), (in_order, (XS,)), (in_order, (XS * 5,)),
    (of_elements, (0.0, np.arange(12.0))), (of_elements, (1.0, np.arange(12.0))), (down, (1.5, 3)),
    (at_a_kink, (0.0, 0.0)), (at_a_kink, (0.0, 1.0)), (swapped, ((1.0, 2.0),)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_zero_and_absent_derivatives(f, args):
    check_tiers(f, args)


def made(source):
    space = {"math": math, "np": np}
    exec(source, space)
    return space["f"]


def test_calls_with_zeros_are_answered_in_the_end():
    """A function whose derivative is zero time and again is not left to the eager tier."""
    f = made("def f(x, k):\n    return max(x - k, 0.0)\n")
    with morula.tier("static"):
        morula.gradient(f, 2.0, 1.0)
    (pair,) = record_of(f).all_pairs
    before = pair.calls
    for _ in range(VAIN + 2 * SOME):
        assert morula.gradient(f, 1.0, 2.0) == (0.0, 0.0)
    assert morula.gradient(f, 2.0, 1.0) == (1.0, -1.0)
    assert pair.calls - before >= VAIN and pair.failures == 0
    assert record_of(f).all_pairs == [pair]


def test_nothing_is_told_apart_from_infinities():
    f = made("def f(x, y):\n    return math.sqrt(x) * 0.0 + max(y, x)\n")
    eager, static = found_by("eager", f, (0.0, 1.0)), found_by("static", f, (0.0, 1.0))
    assert alike(static.gradient, eager.gradient)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(x, y):\n    return x * (y > 1.0)\n", (1.0, None)),
        ("def f(x, y):\n    return x * float(y > 1.0) + int(y) + math.isnan(y)\n", (1.0, None)),
        ("def f(x, y):\n    return x + math.floor(y)\n", (1.0, 0.0)),
        ("def f(x, y):\n    return np.sum(np.where(np.arange(12.0) > y, 2.0, 0.5) * x)\n", (21.0 - 0.5 * 3, None)),
    ],
)
def test_what_comparisons_depend_on_is_absent(source, expected):
    f = made(source)
    assert found_by("eager", f, (1.0, 2.5)).gradient == expected
    assert found_by("static", f, (1.0, 2.5)).gradient == expected


def written_beside(u, c):
    u[0] = c
    u[0] = u[1] * u[2]
    return u.sum()


def test_arrays_that_are_written_beside_what_is_wanted():
    """What was written into an array and overwritten again is zero as it is in the eager tier, and not absent."""
    for c in (0.4, np.float64(0.4)):
        args = (np.ones(4), c)
        with morula.tier("eager"):
            expected = morula.grad(written_beside, 1)(*args)
        with morula.tier("static"):
            for _ in range(5):
                assert repr(morula.grad(written_beside, 1)(args[0].copy(), c)) == repr(expected)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x, y):\n    p = x\n    w = np.array([x, y, 0.3])\n    p = y * 2.0\n    return p + w[1]\n",
        "def f(x, y):\n    u = x\n    v = np.array([y, u]) * 2.0\n    u = v[0]\n    return u * y\n",
        "def f(x, y):\n    w = np.array([x, y])\n    s = w[1]\n    if y > 5.0:\n        s = s + w[0]\n    return s\n",
    ],
)
def test_parts_of_an_array_are_sent_to_with_it(source):
    """A variable that held the number before, and holds what depends on another part, is no way to it."""
    f = made(source)
    expected = found_by("eager", f, (1.0, 2.5)).gradient
    assert expected[0] == 0.0 and expected[1] != 0.0
    assert found_by("static", f, (1.0, 2.5)).gradient == expected


def root_of_a_choice(x, y):
    return optimize.newton(lambda z: z + 0.1 * np.sin(z) - x * (0.3 if y < 0.4 else 0.25), 0.5)


def bracketed(x, y):
    return optimize.brentq(lambda z: z + (x if y < 0.4 else 0.25 * x), -5.0, 5.0) * 2.0


def integral_of_a_choice(x, y):
    return integrate.quad(lambda t: x * t * (2.0 if y > 0.4 else 1.0), 0.0, 1.0)[0]


def integral_that_is_zero(x, y):
    return integrate.quad(lambda t: x * t + y * (t - 0.5), 0.0, 1.0)[0]


@pytest.mark.parametrize("f", [root_of_a_choice, bracketed, integral_of_a_choice, integral_that_is_zero])
def test_what_functions_given_to_solvers_only_ask_about_is_absent(f):
    """A variable that decides about a branch, and nothing else, is sent nothing, in one step or in many."""
    with morula.tier("eager"):
        expected = morula.gradient(f, 0.7, 0.3)
    assert (expected[1] is None) == (f is not integral_that_is_zero)
    with morula.tier("static"):
        for _ in range(4):
            found = morula.gradient(f, 0.7, 0.3)
            assert (found[1] is None) == (expected[1] is None)
            np.testing.assert_allclose(found[0], expected[0], rtol=1e-9)


class Counter:
    total = 1.0


COUNTER = Counter()


def counted(x, y):
    COUNTER.total = COUNTER.total + x
    y -= y
    return y**y / (x * x)


def told(x, y):
    print(x)
    y -= y
    return y**y / (x * x)


def test_a_text_that_gives_way_in_the_end_has_done_nothing(capsys):
    """Nothing is sent to `y` but what is not finite, which only the end of the text finds out."""
    COUNTER.total = 1.0
    with morula.tier("static"):
        for n in range(1, SOME + 3):
            morula.gradient(counted, 1.5, np.float64(-1.0))
            assert COUNTER.total == 1.0 + 1.5 * n
            morula.gradient(told, 1.5, np.float64(-1.0))
            assert capsys.readouterr().out == "1.5\n"
    assert record_of(told).all_pairs


def largest_of_a_container(x, y):
    items, kept = [x, 0.5, y], [0.2] * 2
    kept.append(max(items) + 0.0)
    items = kept
    items.remove(items[0])
    return items[-1] + items[0]


def smallest_by_a_key(x, y):
    items, kept = [x, 0.5, y], [0.2] * 2
    kept.append(min(items, key=lambda v: -abs(v)))
    items = kept
    items.remove(items[0])
    return items[-1]


@pytest.mark.parametrize("f", [largest_of_a_container, smallest_by_a_key])
def test_zero_is_sent_to_what_a_container_did_not_choose(f):
    for args in [(-0.1, -0.2), (-0.2, -0.2), (0.7, 0.1), (0.1, -0.9)]:
        eager = found_by("eager", f, args)
        for _ in range(SOME + 2):
            assert repr(found_by("static", f, args)) == repr(eager)
