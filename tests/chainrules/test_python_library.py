"""Rules for Python's own library where finite differences cannot look: kinks, large numbers, fractions, draws."""

import cmath
import math
import operator
import random
import statistics
import subprocess
import sys
from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from chainrules import (
    NotImplementedTangent,
    candidates,
    is_non_differentiable,
    project,
    rules_for,
    scalar_rule_for,
    unthunk,
)

INF = math.inf


def in_space(bar, x):
    return bar if isinstance(bar, NotImplementedTangent) else project(unthunk(bar), x)


def grads(f, *args, seed=1.0, **kwargs):
    """Cotangents of the arguments, as an engine without traits gets them."""
    for rule in candidates(f, args):
        answer = rule.function(*args, **kwargs)
        if answer is not NotImplemented:
            bars = answer[1](seed)
            bars = bars if isinstance(bars, tuple) else (bars,)
            assert len(bars) == len(args)
            return tuple([in_space(b, x) for b, x in zip(bars, args, strict=True)])
    return NotImplemented


# -- kinks, ties, large numbers ---------------------------------------------------------------------------


def test_selections_and_ties():
    assert grads(max, 1.0, 1.0) == (None, 1.0) and grads(min, 1.0, 1.0) == (1.0, None)
    assert grads(max, 1.0, 1.0, 1.0) == (1.0, None, None)
    assert grads(max, [1.0, 3.0, 3.0]) == ([None, 1.0, None],)
    assert grads(min, (3.0, 1.0, 1.0)) == ((None, 1.0, None),)
    assert grads(max, np.array([1.0, 3.0, 3.0]))[0].tolist() == [0.0, 1.0, 0.0]
    assert grads(max, -2.0, 2.0, key=abs) == (1.0, None)  # by key they are items: the first is Python's
    assert grads(max, [], default=1.0) == ([],)
    assert grads(sorted, [2.0, 1.0, 2.0], seed=[1.0, 2.0, 3.0]) == ([2.0, 1.0, 3.0],)
    assert grads(sorted, [2.0, 1.0, 2.0], seed=[1.0, 2.0, 3.0], reverse=True) == ([1.0, 3.0, 2.0],)
    for xs in ([math.nan, 1.0], [1.0, math.nan]):
        (rule,) = (r for r in rules_for(max) if not r.types)
        assert rule.function(xs)[0] is max(xs)


def test_a_key_is_asked_once_for_each_item():
    asked = []

    def key(x):
        asked.append(x)
        return -x

    for f in (max, min, sorted):
        asked.clear()
        grads(f, [1.0, 2.0, 3.0], key=key, seed=[1.0] * 3 if f is sorted else 1.0)
        assert sorted(asked) == [1.0, 2.0, 3.0]


def test_spread_of_a_constant_sample_is_zero():
    for f in (statistics.stdev, statistics.pstdev):
        assert grads(f, [2.0, 2.0]) == ([0.0, 0.0],)
    assert grads(statistics.pstdev, [2.0]) == ([0.0],)
    assert grads(statistics.stdev, [2.0, 2.0], 2.0) == ([0.0, 0.0], 0.0)


def test_ties_of_statistics_go_in_order():
    assert grads(statistics.median, [1.0, 1.0, 1.0]) == ([None, 1.0, None],)
    assert grads(statistics.median_low, [2.0, 1.0, 1.0, 2.0]) == ([None, None, 1.0, None],)
    assert grads(statistics.median_grouped, [1.0, 2.0, 2.0, 3.0]) == ([None, 1.0, None, None],)
    assert grads(statistics.mode, [1.0, 2.0, 2.0]) == ([None, 1.0, None],)
    assert grads(statistics.multimode, [1.0, 2.0, 2.0, 1.0], seed=[3.0, 4.0]) == ([3.0, 4.0, None, None],)
    nan = np.array([math.nan])
    assert isinstance(grads(statistics.mode, nan)[0], NotImplementedTangent)
    assert grads(statistics.mode, ["a", "b", "b"], seed=None) == ([None, None, None],)


def test_means_at_zero():
    assert grads(statistics.harmonic_mean, [0.0, 1.0]) == ([2.0, 0.0],)
    assert grads(statistics.harmonic_mean, [0.0, 0.0, 1.0]) == ([0.0, 0.0, 0.0],)
    x_bar, w_bar = grads(statistics.harmonic_mean, [1.0, 2.0], [0.0, 1.0])
    assert x_bar == [0.0, 1.0] and w_bar == [2.0 * (1 - 2.0), 0.0]
    if sys.version_info >= (3, 13):
        assert grads(statistics.geometric_mean, [0.0, 1.0]) == ([INF, 0.0],)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.12")
def test_ranks_are_constant():
    x, y = [1.0, 2.0, 4.0], [3.0, 2.0, 5.0]
    assert grads(statistics.correlation, x, y, method="ranked") == ([0.0] * 3, [0.0] * 3)


def test_numbers_at_the_ends_of_the_range():
    a_bar, b_bar = grads(math.atan2, 3e200, 4e200)
    assert math.isclose(a_bar, 1.6e-201) and math.isclose(b_bar, -1.2e-201)
    a_bar, b_bar = grads(math.atan2, 3e-200, 4e-200)
    assert math.isclose(a_bar, 1.6e199) and math.isclose(b_bar, -1.2e199)
    assert grads(math.atan2, 0.0, 0.0) == (0.0, 0.0)
    assert grads(math.frexp, 1.5e308, seed=(1.0, None)) == (2.0**-1024,)
    assert grads(math.frexp, 1e-308, seed=(1.0, None)) == (2.0**1023,)
    assert grads(math.frexp, 5e-310, seed=(1.0, None)) == (INF,)
    assert grads(math.asinh, 1e200) == (1e-200,)
    assert grads(math.log, 10**400) == (0.0,)
    assert grads(math.ldexp, 1e-300, 1100)[0] == INF
    assert np.allclose(grads(math.hypot, 3e200, 4e200), (0.6, 0.8))
    assert math.isnan(grads(abs, math.nan)[0])


def test_sides_of_branch_cuts():
    # On a cut the derivative is that of the side on which the sign of the zero puts the number.
    for f in (cmath.asin, cmath.acos, cmath.acosh, cmath.asinh):
        for z in (2 + 0j, complex(2, -0.0), -3 + 0j, complex(-3, -0.0), 2j, complex(-0.0, 2), complex(-0.0, -2)):
            if f is cmath.asinh:  # along the cut
                wanted = (f(complex(z.real, z.imag + 1e-7)) - f(z)) / 1e-7j
            else:
                wanted = (f(complex(z.real + 1e-7, z.imag)) - f(z)) / 1e-7
            assert np.isclose(grads(f, z)[0].conjugate(), wanted, rtol=1e-5), (f, z)


def test_products_of_complex_numbers():
    assert grads(math.prod, [1j, 2.0]) == ([2.0 + 0j, 0.0],)
    assert grads(math.prod, [0.0, 0.0, 3.0]) == ([0.0, 0.0, 0.0],)


def test_sum_starts_with_an_array():
    x_bar, start_bar = grads(sum, np.ones(3), np.zeros(3), seed=np.array([1.0, 2.0, 3.0]))
    assert x_bar.tolist() == [6.0, 6.0, 6.0] and start_bar.tolist() == [1.0, 2.0, 3.0]


def test_items_that_are_read_twice():
    get = operator.itemgetter(0, 0)
    (rule,) = candidates(get, ([1.0, 2.0],))
    assert rule.function(get, [1.0, 2.0])[1]((1.0, 2.0))[1] == [3.0, None]
    assert grads(operator.getitem, {"a": 1.0, "b": 2.0}, "b", seed=5.0)[0] == {"a": None, "b": 5.0}
    one = operator.itemgetter("b")
    assert rule.function(one, {"a": 1.0, "b": 2.0})[1](5.0)[1] == {"b": 5.0}
    assert grads(operator.getitem, np.zeros(2), [1, 1], seed=np.array([1.0, 2.0]))[0].tolist() == [0.0, 3.0]


# -- fractions and decimal numbers ------------------------------------------------------------------------


def test_fractions_stay_exact():
    a, b, one = Fraction(1, 3), Fraction(2, 7), Fraction(1)
    wanted = {
        operator.add: (1, 1), operator.sub: (1, -1), operator.mul: (b, a), operator.truediv: (1 / b, -a / b**2),
        operator.mod: (1, -1), operator.floordiv: (0, 0), Fraction: (1 / b, -a / b**2),
    }  # fmt: skip
    for f, partials in wanted.items():
        assert grads(f, a, b, seed=one) == partials, f
    assert grads(operator.pow, a, 3, seed=one)[0] == Fraction(1, 3)
    assert grads(operator.pow, a, -1, seed=one)[0] == -9
    assert grads(abs, -a, seed=one) == (-1,) and grads(operator.neg, a, seed=one) == (-1,)
    assert grads(math.prod, [a, b], seed=one) == ([b, a],)
    assert grads(statistics.mean, [a, b], seed=one) == ([Fraction(1, 2)] * 2,)
    assert grads(statistics.median, [a, b], seed=one) == ([Fraction(1, 2)] * 2,)
    assert grads(statistics.harmonic_mean, [a, b], seed=one)[0][0] == Fraction(72, 169)
    assert grads(statistics.variance, [a, b, one], seed=one)[0][2] == one - (a + b + one) / 3
    assert grads(sum, [a, b], seed=one) == ([one, one],)
    for f, args in [(operator.truediv, (a, b)), (statistics.mean, ([a, b],)), (Fraction, (a, b))]:
        bars = grads(f, *args, seed=one)
        assert all(type(v) is Fraction for v in (bars[0] if isinstance(bars[0], list) else bars))
    assert grads(Fraction, 0.5) == (1.0,) and grads(Fraction, 3, 4) == (0.25, -3 / 16)
    assert grads(Fraction, "1/3") is NotImplemented
    assert is_non_differentiable(Fraction.limit_denominator)
    assert grads(float, a) == (1.0,)


def test_decimal_numbers_meet_no_floats():
    x, y, one = Decimal("1.5"), Decimal("0.25"), Decimal(1)
    assert grads(operator.truediv, x, y, seed=one) == (4, -24)
    assert grads(operator.pow, x, 2, seed=one)[0] == 3
    assert grads(operator.pow, x, y, seed=one)[1].quantize(Decimal("1e-9")) == Decimal("0.448720904")
    assert grads(float, x) == (Decimal(1),) and type(grads(float, x)[0]) is Decimal
    assert grads(Decimal, 1.5, seed=Decimal(2)) == (2.0,) and grads(Decimal, "1.5") is NotImplemented
    assert grads(Decimal.sqrt, Decimal(4)) == (Decimal("0.25"),)
    assert grads(Decimal.sqrt, Decimal(0)) == (Decimal("inf"),)
    assert grads(Decimal.exp, Decimal(0)) == (1,) and grads(Decimal.ln, Decimal(4)) == (Decimal("0.25"),)
    assert abs(float(grads(Decimal.log10, Decimal(4))[0]) - 0.25 / math.log(10)) < 1e-15
    assert grads(statistics.mean, [x, y], seed=one) == ([Decimal("0.5")] * 2,)
    assert grads(statistics.stdev, [x, y], seed=one)[0][0] == (x - y) / 2 / statistics.stdev([x, y])


# -- draws ------------------------------------------------------------------------------------------------


def drawn(f, *args, **kwargs):
    """Value and pullback by the rule, after it has been found to be the plain one and to leave the same state."""
    random.seed(7)
    wanted, after = f(*args, **kwargs), random.random()
    random.seed(7)
    (rule,) = candidates(f, args)
    y, pullback = rule.function(*args, **kwargs)
    assert y == wanted and random.random() == after
    return y, pullback


def test_draws_without_parameters_are_constants():
    for name in "random randint randrange getrandbits seed".split():
        assert is_non_differentiable(getattr(random, name))


def test_items_that_are_drawn():
    xs = [1.0, 2.0, 3.0, 4.0]
    y, pullback = drawn(random.choice, xs)
    assert pullback(5.0) == ([5.0 if x == y else None for x in xs],)
    for f, args, kwargs in [
        (random.sample, (xs, 3), {}), (random.choices, (xs,), {"k": 6}), (random.choices, (xs, [1, 2, 3, 4]), {"k": 6}),
        (random.sample, (xs, 3), {"counts": [2, 1, 1, 2]}), (random.choices, (xs, None), {"cum_weights": [1, 2, 3, 9]}),
    ]:  # fmt: skip
        y, pullback = drawn(f, *args, **kwargs)
        x_bar, *rest = pullback([x * 10 for x in y])
        assert x_bar == [x * 10 * y.count(x) or None for x in xs] and rest == [None] * (len(args) - 1)
    _, pullback = drawn(random.choices, xs, [0.5, 1.0, 1.0, 1.0], k=2)
    assert isinstance(pullback([1.0, 2.0])[1], NotImplementedTangent)
    (rule,) = candidates(random.choice, ({1: 2.0},))
    assert rule.function({1: 2.0}) is NotImplemented


# -- iterators --------------------------------------------------------------------------------------------


def test_iterators_are_declined_and_not_walked():
    for f in (sum, max, min, sorted, math.fsum, math.prod, statistics.mean, statistics.median, statistics.fmean):
        xs = [1.5, 0.5, 2.5]
        seed = [1.0, 2.0, 3.0] if f is sorted else 1.0
        walked = iter(xs)
        assert grads(f, walked, seed=seed) is NotImplemented and next(walked) == 1.5
        assert grads(f, {1.5, 2.5}, seed=seed) is NotImplemented is grads(f, deque(xs), seed=seed)


def test_arguments_by_name():
    for f, options in [(statistics.mean, {"data": [1.0, 2.0]}), (statistics.median, {"data": [1.0, 2.0]})]:
        (rule,) = candidates(f, ())
        y, pullback = rule.function(**options)
        assert y == 1.5 and pullback(1.0) == ()
        assert rule.function(data={1.0, 2.0}) is NotImplemented is rule.function(data=iter([1.0]))


def test_nothing_is_imported_for_the_rules():
    code = (
        "import sys, numpy; before = set(sys.modules); import chainrules; chainrules.rules_for(abs);"
        "print(sorted({'statistics', 'fractions', 'decimal'} & (set(sys.modules) - before)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_partials_leave_arrays_without_axes_as_they_are():
    for f in (math.gamma, math.lgamma):
        x = np.array(1.5)
        scalar_rule_for(f).partials[0](f(x), x)
        assert x == 1.5
