"""Rules that need something of the engine, with an engine that knows finite differences only.

A value that is an iterator is compared by what it gives; its cotangent is a list.
"""

from functools import partial
from itertools import islice

import numpy as np
import pytest
from cases.python_iterators import ENDLESS, WITH_CONFIG, Affine

from chainrules import NoTangent, NotImplementedTangent, RuleConfig, Tangent, candidates, project, unthunk
from chainrules.testing import directional_derivative, inner, leaves, random_tangent
from chainrules.testing.leaves import copied, is_inexact, replaced


class Differences(RuleConfig):
    """An engine that differentiates numbers and arrays by finite differences, and callable objects by field."""

    traits = frozenset({"reverse", "iterators"})

    def rrule_via(self, f, args, kwargs):
        def pullback(y_bar):
            bars = [
                self.bar(lambda v, i=i: f(*args[:i], v, *args[i + 1 :], **kwargs), x, y_bar) for i, x in enumerate(args)
            ]
            own = NoTangent()
            if type(f) is Affine:
                own = Tangent(
                    Affine,
                    slope=self.bar(lambda v: Affine(v, f.shift)(*args), f.slope, y_bar),
                    shift=self.bar(lambda v: Affine(f.slope, v)(*args), f.shift, y_bar),
                )
            return own, *bars

        return f(*args, **kwargs), pullback

    def bar(self, f, x, y_bar):
        if not is_inexact(x):
            return None
        if not isinstance(x, np.ndarray):
            return directional_derivative(lambda h: inner(y_bar, f(x + h)))
        x_bar = np.zeros(x.shape)
        for i in np.ndindex(x.shape):
            unit = np.zeros(x.shape)
            unit[i] = 1.0
            x_bar[i] = directional_derivative(lambda h, unit=unit: inner(y_bar, f(x + h * unit)))
        return x_bar


def settled(y, most=1000):
    """What iterators give, as lists."""
    if hasattr(y, "__next__"):
        return [settled(v) for v in islice(y, most)]
    return type(y)([settled(v, most) for v in y]) if type(y) in (list, tuple) else y


def called(f, args, kwargs, config=None):
    """Value and pullback by the rule, with one cotangent for each argument."""
    config = config or Differences()
    for rule in candidates(f, args, config):
        given = (config,) if rule.needs else ()
        whole = (f, *args) if rule.instances else args
        answer = rule.function(*given, *whole, **kwargs)
        if answer is not NotImplemented:
            y, pullback = answer
            return y, partial(brought, pullback, whole)
    raise AssertionError(f"no rule for {f}")


def brought(pullback, args, y_bar):
    bars = pullback(y_bar)
    bars = bars if isinstance(bars, tuple) else (bars,)
    assert len(bars) == len(args)
    return [in_space(bar, x) for bar, x in zip(bars, args, strict=True)]


def in_space(bar, x):
    return bar if isinstance(bar, NotImplementedTangent) else project(unthunk(bar), x)


def at(bar, path):
    for p in path:
        if bar is None or isinstance(bar, NoTangent) or (isinstance(bar, list) and p >= len(bar)):
            return None
        bar = bar[p]
    return unthunk(bar)


def check(f, args, kwargs, most=1000):
    y, back = called(f, copied(args), kwargs)
    assert type(y) is type(f(*copied(args), **kwargs))
    y = settled(y, most)
    wanted = settled(f(*copied(args), **kwargs), most)
    assert len(list(leaves(y))) == len(list(leaves(wanted)))
    for (path, a), (other, b) in zip(leaves(y), leaves(wanted), strict=True):
        assert path == other and type(a) is type(b) and np.array_equal(a, b)
    y_bar = random_tangent(y, np.random.default_rng(0))
    bars = back(y_bar)
    for bar, again in zip(bars, back(y_bar), strict=True):
        assert repr(bar) == repr(again)  # the pullback can be called again
    bars = bars[len(bars) - len(args) :]
    for i, arg in enumerate(args):
        for path, leaf in leaves(arg):
            if not is_inexact(leaf) or not np.size(leaf):
                continue
            direction = random_tangent(leaf, np.random.default_rng(1))

            def phi(h, i=i, path=path, direction=direction):
                moved = list(copied(args))
                moved[i] = replaced(moved[i], path, lambda v: v + h * direction)
                return inner(y_bar, settled(f(*moved, **kwargs), most))

            got = inner(at(bars[i], path), direction)
            assert np.isclose(got, directional_derivative(phi), rtol=1e-6, atol=1e-8), (i, path)


def name_of(case):
    f, args, kwargs = case
    return (
        f"{getattr(f, '__name__', type(f).__name__)}({','.join(type(a).__name__ for a in args)}){sorted(kwargs) or ''}"
    )


@pytest.mark.parametrize("case", WITH_CONFIG, ids=map(name_of, WITH_CONFIG))
def test_rule(case):
    check(*case)


@pytest.mark.parametrize(("case", "most"), ENDLESS, ids=[name_of(c) for c, _ in ENDLESS])
def test_iterators_that_are_left_early(case, most):
    f, args, kwargs = case
    check(f, args, kwargs, most)
