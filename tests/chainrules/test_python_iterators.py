"""Rules that need something of the engine, with an engine that knows finite differences only.

A value that is an iterator is compared by what it gives; its cotangent is a list.
"""

from functools import partial
from itertools import islice

import numpy as np
import pytest
from cases.python_iterators import ENDLESS, HELD, WITH_CONFIG

from chainrules import NoTangent, NotImplementedTangent, candidates, project, unthunk
from chainrules.testing import (
    FiniteDifferenceConfig,
    directional_derivative,
    inner,
    leaves,
    random_tangent,
    test_rrule,
)
from chainrules.testing.leaves import copied, is_inexact, replaced


def settled(y, most=1000):
    """What iterators give, as lists."""
    if hasattr(y, "__next__"):
        return [settled(v) for v in islice(y, most)]
    return type(y)([settled(v, most) for v in y]) if type(y) in (list, tuple) else y


def called(f, args, kwargs, config=None):
    """Value and pullback by the rule, with one cotangent for each argument."""
    config = config or FiniteDifferenceConfig()
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
    f, args, kwargs = case
    test_rrule(f, *args, kwargs=kwargs)


@pytest.mark.parametrize(("case", "most"), ENDLESS, ids=[name_of(c) for c, _ in ENDLESS])
def test_iterators_that_are_left_early(case, most):
    f, args, kwargs = case
    check(f, args, kwargs, most)


@pytest.mark.parametrize("case", HELD, ids=map(name_of, HELD))
def test_objects_that_hold_arguments(case):
    check(*case)
