"""Variables, attributes and results that hold None at times, in the static tier."""

import math

import numpy as np
import pytest
from static_checks import check_static, found_by

import morula
from morula.static.python.pairs import new_pair

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def hit(r, t):
    inside = r * r - t * t
    if inside < 0:
        return None
    s = math.sqrt(inside)
    return s if s > 0.5 else None


def nearest(r, c):
    best, total = None, 0.0
    for i in range(20):
        t = hit(r, 0.17 * i)
        if t is not None and (best is None or t * c < best):
            best = t * c
        total += 1.0 if t is None else t
    return total + best


class Controller:
    def __init__(self, gain):
        self.gain, self.last = gain, None

    def __call__(self, error):
        slope = 0.0 if self.last is None else error - self.last
        self.last = error
        return self.gain * error + 0.1 * slope

    def reset(self):
        self.last = None


def controlled(gain, x):
    control, cost = Controller(gain), 0.0
    for k in range(40):
        if k == 20:
            control.reset()
        x += 0.1 * control(1.0 - x)
        cost += (1 - x) ** 2
    return cost


def first_above(a, b):
    for i in range(10):
        if a * i > b:
            return i * a, b


def pairs_or_none(a, b):
    total = 0.0
    for k in range(12):
        found = first_above(a + 0.05 * k, b)
        if found is None:
            continue
        u, v = found
        total += u * v
    return total


def extremes(a, b):
    low = high = None
    for k in range(12):
        x = math.sin(a * k) + b
        if low is None or x < low:
            low = x
        if high is None or x > high:
            high = x
    return high - low * b


def handed_on(a, b):
    x = None
    if a > 100:
        x = a
    y = x
    z = b if y is None else y
    w = None if a > 0.5 else a * b
    return z * 2 + a**2 + (w if w is not None else 3 * a)


def scaled(x, by=None):
    if by is None:
        by = 2.0
    return x * by


def as_arguments(a, b):
    last, total = None, 0.0
    for k in range(8):
        total += scaled(a, last) * math.cos(b * k)
        if k % 3:
            last = b * k
        elif k == 6:
            last = None
    return total


def converged(a, b):
    def solve(x):
        for _ in range(50):
            new = x - (x * x - a) / (2 * x)
            if abs(new - x) < 1e-12:
                return new
            x = new
        return None

    roots = [solve(b + 0.3 * i) for i in range(9)]
    return sum(r**3 for r in roots if r is not None)


PROGRAMS = [
    (nearest, (1.3, 0.7)), (controlled, (0.8, 0.3)), (pairs_or_none, (0.7, 3.1)), (extremes, (0.7, 0.2)),
    (handed_on, (0.7, 0.2)), (handed_on, (0.2, 0.7)), (as_arguments, (0.7, 0.2)), (nearest, (np.float64(1.3), 0.7)),
    (converged, (2.0, 0.9)),
]  # fmt: skip


@pytest.mark.parametrize("f, args", PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_what_may_be_none_is_static(f, args):
    check_static(f, args)
    found = {}
    for tier in ("eager", "static"):
        with morula.tier(tier):
            along = morula.jvp(f, args, (0.3, -1.0))
            found[tier] = (*along, *morula.hvp(lambda x, f=f: f(*x), args, (1.0, 0.5)))
    np.testing.assert_allclose(found["static"], found["eager"], rtol=1e-10)


def late(a, b):
    last = None
    for k in range(3):
        if k * a > b:
            last = k * a
    return last + b  # which fails where there is none


def other_things(a, b):
    node = None
    for k in range(5):
        node = (a * k, node)
    total = 0.0
    while node is not None:
        value, node = node
        total += value * b
    return total


def counter_or_none(a, b):
    k = None
    for k in range(4):
        a = a * b + k
    return a if k is None else a * k


@pytest.mark.parametrize(
    "f, args", [(late, (1.0, 0.5)), (late, (1.0, 5.0)), (other_things, (0.4, 0.7)), (counter_or_none, (0.4, 0.7))]
)  # fmt: skip
def test_the_outcome_is_the_eager_one(f, args):
    assert repr(found_by("static", f, args)) == repr(found_by("eager", f, args))
    assert repr(found_by("static", f, args)) == repr(found_by("eager", f, args))


def order_of_operands(x, y):
    scale = y

    def changed(v):
        nonlocal scale
        scale = v * scale
        return scale

    return scale / changed(x) + scale * changed(y) + max(scale, changed(x))


def test_an_operand_is_read_before_a_call_changes_it():
    check_static(order_of_operands, (1.3, 0.7))


def test_products_with_the_hessian_of_a_constant_are_zero():
    for tier in ("eager", "static"):
        with morula.tier(tier):
            assert morula.hvp(lambda x: 3, (1.0, 2.0), (1.0, 0.5)) == (0.0, 0.0)
            found = morula.hvp(lambda x: np.sum(x[0] * np.ones(3)) ** 2 * x[1], (1.0, np.float64(2.0)), (1.0, 0.5))
            assert [type(v) for v in found] == [float, np.float64]


def by_regime(x, slope, limit):
    total = 0.0
    for i in range(6):
        total += slope * i + x if x < limit else x
    return total


def by_turns(x, rate):
    y = x
    for _ in range(int(x)):
        y *= rate
    return y


@pytest.mark.parametrize("wrap", [float, np.float64])
@pytest.mark.parametrize(
    ("f", "args", "absent"),
    [
        (by_regime, (1.0, 2.0, 3.0), [False, False, True]), (by_regime, (4.0, 2.0, 3.0), [False, True, True]),
        (by_turns, (0.5, 2.0), [False, True]), (by_turns, (2.5, 2.0), [False, False]),
    ],
)  # fmt: skip
def test_a_parameter_that_this_run_does_not_use_is_absent_without_the_eager_tier(f, args, absent, wrap):
    args = tuple(map(wrap, args))
    value, bars = new_pair(f, args, tuple(range(len(args)))).run(f, *args)
    assert value == f(*args)
    assert [bar is None for bar in bars] == absent
    with morula.tier("eager"):
        assert [(type(bar), bar) for bar in bars] == [(type(e), e) for e in morula.gradient(f, *args)]


def test_a_derivative_that_is_zero_may_be_absent_which_the_eager_tier_knows():
    def f(x, rate):
        unused = rate * x
        return unused * 0.0 if x > 1 else x

    assert new_pair(f, (2.0, 3.0), (0, 1)).run(f, 2.0, 3.0) is None
    assert repr(found_by("static", f, (2.0, 3.0))) == repr(found_by("eager", f, (2.0, 3.0)))


def sign_of_the_other(x, y):
    return x * math.copysign(1.0, y)


def steps_of_the_other(x, y):
    return x * y if x > 5 else x * (y // 1.0)


def floors_of_the_other(x, y):
    return x * y if x > 5 else x * math.floor(y)


@pytest.mark.parametrize("f", [sign_of_the_other, steps_of_the_other, floors_of_the_other])
@pytest.mark.parametrize("x", [1.5, 6.0])
def test_what_depends_on_steps_alone_has_a_derivative_of_zero(f, x):
    for tier in ("eager", "static"):
        with morula.tier(tier):
            for _ in range(3):
                found = morula.gradient(f, x, 2.5)
                assert found[1] == (x if x > 5 and f is not sign_of_the_other else 0.0)
                assert morula.pullback(f, x, 2.5)[1](1.0) == found


@pytest.mark.parametrize("x", [0.7, -0.7])
def test_a_derivative_of_an_operation_that_is_zero_is_not_absent(x):
    def f(x, y):
        if y > 5.0:
            return x * y
        return math.copysign(y + y, x)

    assert repr(found_by("static", f, (x, 2.0))) == repr(found_by("eager", f, (x, 2.0)))
