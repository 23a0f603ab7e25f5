"""A forward rule and a reverse rule of the same function are transposes of each other, at kinks and ties too."""

import numpy as np
import pytest

from chainrules.testing import call_frule, call_rule, inner, random_tangent

nan = np.nan
TIED = [np.array([2.0, 5.0, 5.0, 2.0]), np.array([[1.0, 1.0], [0.0, 1.0]]), np.zeros((2, 2)), np.array(3.0)]
MISSING = [np.array([nan, 5.0, 5.0, 2.0]), np.array([[1.0, nan], [0.0, 1.0]])]
REDUCTIONS = [np.sum, np.prod, np.mean, np.var, np.std, np.max, np.min, np.ptp, np.median]
SKIPPING = [np.nansum, np.nanmax, np.nanmin, np.nanmedian]


@pytest.mark.parametrize(
    ("f", "x"),
    [*((f, x) for f in REDUCTIONS for x in TIED), *((f, x) for f in SKIPPING for x in TIED + MISSING)],
    ids=lambda v: getattr(v, "__name__", None),
)
@pytest.mark.parametrize("options", [{}, {"axis": -1}, {"keepdims": True}], ids=str)
def test_reductions(f, x, options):
    if x.ndim == 0 and "axis" in options:
        return
    check(f, (x,), options)


@pytest.mark.parametrize("x", TIED)
def test_choices(x):
    for axis in (None, -1) if x.ndim else (None,):
        check(np.sort, (x,), {"axis": axis})
        check(np.cumsum, (x,), {"axis": axis})
    for bounds in ((1.0, 2.0), (None, 5.0), (2.0, None), (3.0, 1.0)):
        check(np.clip, (x, *bounds), {})
    check(np.where, (x > 1, x, 2.0), {})
    for f in (np.max, np.min):
        check(f, (x,), {"initial": 2.0})
    check(np.prod, (x,), {"initial": 2.0, "where": x > 1})


def check(f, args, options):
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        y, back = call_rule(f, *args, **options)
        y_bar = random_tangent(y, rng)
        bars = back(y_bar)
        dots = tuple(random_tangent(a, rng) for a in args)
        same, y_dot = call_frule(f, args, dots, **options)
    np.testing.assert_array_equal(same, y)
    wanted = sum(inner(bar, dot) for bar, dot in zip(bars, dots, strict=True))
    assert inner(y_bar, y_dot) == pytest.approx(wanted), (f, args, options)
