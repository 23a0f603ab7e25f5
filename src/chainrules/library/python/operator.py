"""The `operator` module, which is also what the operators of the language mean.

The rules for arithmetic take numbers and arrays and decline everything else: what ``+`` means for a list is a matter
of structure.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...accumulate import accumulate
from ...declarations import non_differentiable
from ...lookup import rules_for
from ...rules import rrule
from ...scalar import scalar_rule
from ..numpy.linear import matmul_rule
from ..numpy.shared import scatter
from ..partials import NUMERIC, phase, power_dp, power_dx, quotient, reciprocal, remainder_dy, signum
from .items import parts

non_differentiable(
    operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt, operator.not_,
    operator.truth, operator.is_, operator.is_not, operator.and_, operator.or_, operator.xor, operator.inv,
    operator.invert, operator.lshift, operator.rshift, operator.contains, operator.countOf,
    operator.indexOf, operator.index, operator.length_hint, operator.iand, operator.ior, operator.ixor,
    operator.ilshift, operator.irshift,
)  # fmt: skip
for _name in ("is_none", "is_not_none"):  # Python 3.14
    if hasattr(operator, _name):
        non_differentiable(getattr(operator, _name))

ARITHMETIC: list[tuple[Any, ...]] = [
    (operator.add, operator.iadd, 1, 1),
    (operator.sub, operator.isub, 1, -1),
    (operator.mul, operator.imul, lambda y, a, b: b, lambda y, a, b: a),
    (operator.truediv, operator.itruediv, lambda y, a, b: reciprocal(b), lambda y, a, b: -quotient(y, b)),
    (operator.pow, operator.ipow, power_dx, power_dp),
]
REAL_ARITHMETIC: list[tuple[Any, ...]] = [
    (operator.floordiv, operator.ifloordiv, 0, 0),
    (operator.mod, operator.imod, 1, remainder_dy),
]

for table, real in ((ARITHMETIC, False), (REAL_ARITHMETIC, True)):
    for f, in_place, *partials in table:
        scalar_rule(f, *partials, real=real, types=(NUMERIC, NUMERIC))
        # An in-place operator on immutable numbers is its value form; on arrays it writes, which is the
        # engine's.
        (value_rule,) = rules_for(f)

        def _numbers_only(a: Any, b: Any, rule: Any = value_rule.function) -> Any:
            return NotImplemented if isinstance(a, np.ndarray) else rule(a, b)

        rrule(in_place, NUMERIC, NUMERIC)(_numbers_only)

scalar_rule(operator.neg, -1, types=(NUMERIC,))
scalar_rule(operator.pos, 1, types=(NUMERIC,))
scalar_rule(operator.abs, lambda y, x: signum(x), real=True, types=(NUMERIC,))

COMPLEX = (complex, np.complexfloating, np.ndarray)


def complex_abs_rule(z: Any) -> Any:
    """``|z|``: the cotangent is ``y_bar z / |z|``, 0 at 0."""
    if isinstance(z, np.ndarray) and z.dtype.kind != "c":
        return NotImplemented
    y = abs(z)
    return y, lambda y_bar: phase(y, z) * y_bar


rrule(operator.abs, COMPLEX)(complex_abs_rule)
for _types in ((np.ndarray, np.ndarray), (np.ndarray, (list, tuple)), ((list, tuple), np.ndarray)):
    rrule(operator.matmul, *_types)(matmul_rule)


@rrule(operator.concat)
def concat_rule(a: Any, b: Any) -> Any:
    """The seed, cut where the first sequence ends."""
    if not isinstance(a, (list, tuple)):
        return NotImplemented
    n = len(a)
    return operator.concat(a, b), lambda y_bar: (y_bar[:n], y_bar[n:])


# -- reading of elements -------------------------------------------------------------------


def array_item_bar(x: Any, index: Any, y_bar: Any) -> Any:
    """Zeros of the shape of ``x``, and the cotangents of the elements that were read where they lie, added up."""
    places = np.arange(x.size).reshape(x.shape)[index]
    return scatter(places, np.broadcast_to(y_bar, np.shape(places)), x.size).reshape(x.shape)


def item_bar(x: Any, index: Any, y_bar: Any) -> Any:
    """The cotangent of a container of which one item, or a slice, was read."""
    if isinstance(x, np.ndarray):
        return array_item_bar(x, index, y_bar)
    if isinstance(x, Mapping):
        return {index: y_bar}
    places = range(len(x))[index]
    bars: list[Any] = [None] * len(x)
    if isinstance(places, range):
        for place, bar in zip(places, parts(y_bar, len(places)), strict=True):
            bars[place] = bar
    else:
        bars[places] = y_bar
    return bars


@rrule(operator.getitem, (list, tuple, dict, np.ndarray))
def getitem_rule(x: Any, index: Any) -> Any:
    """Zero for what was not read; a place that was read twice has both cotangents."""
    if not _reads_plainly(x):
        return NotImplemented
    return x[index], lambda y_bar: (item_bar(x, index, y_bar), None)


def _reads_plainly(x: Any) -> bool:
    if isinstance(x, np.ndarray):
        return type(x) is np.ndarray and x.dtype.kind in "fciub"
    return getattr(type(x), "__getitem__", None) in (list.__getitem__, tuple.__getitem__, dict.__getitem__)


@rrule(operator.itemgetter, instances=True, with_self=True)
def itemgetter_rule(get: Any, x: Any) -> Any:
    """As the items that it reads."""
    if not _reads_plainly(x):
        return NotImplemented
    _, indices = get.__reduce__()

    def itemgetter_pullback(y_bar: Any) -> Any:
        x_bar: Any = None
        for index, bar in zip(indices, parts(y_bar, len(indices)) if len(indices) > 1 else (y_bar,), strict=True):
            if bar is not None:
                x_bar = accumulate(x_bar, item_bar(x, index, bar))
        return None, x_bar

    return get(x), itemgetter_pullback
