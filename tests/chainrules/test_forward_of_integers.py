"""Integers that vary: forward rules and reverse rules are one linear map there too, in every case."""

import math

import cases
import numpy as np
import pytest
from scipy import ndimage
from test_rules_numerically import name_of

from chainrules import NotImplementedDerivative, NotImplementedTangent, frules_for
from chainrules.testing import call_frule
from chainrules.testing.calling import find_call
from chainrules.testing.leaves import _mapped, copied, inner, is_absent, is_inexact, leaves, settled

# Indices, a conversion whose reverse rule takes integers for constants, and filters that round to integers.
APART = {np.ix_, np.ndarray.__array__}
APART |= {ndimage.correlate, ndimage.convolve, ndimage.correlate1d, ndimage.convolve1d}
APART |= {ndimage.spline_filter, ndimage.spline_filter1d}  # SciPy knows no complex coefficients of integers


def rounded(x):
    if isinstance(x, np.ndarray):
        return np.rint(3 * x).astype(int) if x.dtype.kind == "f" else x
    return round(3 * x) if type(x) is float and math.isfinite(x) else x


def moves(x, rng):
    """A random tangent or seed, also of integers."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "iufc":
        return rng.standard_normal(x.shape)
    if isinstance(x, (int, float, complex, np.number)) and not isinstance(x, (bool, np.bool_)):
        return float(rng.standard_normal())
    return None


def difference(case, rng):
    """How far the inner products are apart, relative; ``None`` where there is no such call."""
    f, args, kwargs = case
    given = _mapped(args, rounded)
    varied = [any(is_inexact(leaf) for _, leaf in leaves(x)) for x in args]
    try:
        f(*copied(given), **kwargs)
        call = find_call(f, copied(given), kwargs)
    except Exception:  # not for integers
        return None
    y_bar = _mapped(settled(call.y), lambda v: moves(v, rng))
    try:
        bars = call.back(copied(y_bar))[call.rule.instances :]
    except NotImplementedDerivative:  # at a pole
        return None
    lacking = cases.LACKING.get(f, ())
    dots = tuple(
        _mapped(x, lambda v: moves(v, rng))
        if free and i not in lacking and not isinstance(bar, NotImplementedTangent)
        else None
        for i, (x, free, bar) in enumerate(zip(given, varied, bars, strict=True))
    )
    if not frules_for(f):
        return None
    try:
        _, y_dot = call_frule(f, copied(given), copied(dots), **kwargs)
    except NotImplementedDerivative:
        return None
    if isinstance(y_dot, NotImplementedTangent):
        return None
    forward = inner(y_bar, y_dot)
    reverse = sum(inner(bar, x_dot) for bar, x_dot in zip(bars, dots, strict=True) if x_dot is not None)
    if not (math.isfinite(forward) or math.isfinite(reverse)):
        return 0.0  # a pole
    return abs(forward - reverse) / max(1.0, abs(forward), abs(reverse))


@pytest.mark.slow
def test_forward_and_reverse_rules_agree():
    rng, found = np.random.default_rng(0), 0
    with np.errstate(all="ignore"):
        for case in cases.CASES:
            if case[0] in APART or not callable(case[0]):
                continue
            off = difference(case, rng)
            assert off is None or off < 1e-6, name_of(case)
            found += off is not None
    assert found > 4000


def test_integers_made_of_floats_are_constant():
    _, y_dot = call_frule(np.linspace, (0.0, 2.0, 3), (1.0, 1.0, None), dtype=int)
    assert is_absent(y_dot)
    assert call_frule(sum, ([1, 2],), ([1.0, 2.0],)) == (3, 3.0)
    y, y_dot = call_frule(np.array, ([1, 2],), ([0.5, 0.25],))
    assert y.tolist() == [1, 2] and np.asarray(y_dot).tolist() == [0.5, 0.25]
