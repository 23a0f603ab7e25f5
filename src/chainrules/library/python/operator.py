"""The `operator` module, which is also what the operators of the language mean.

The rules take numbers and arrays and decline everything else: what ``+`` means for a list is a matter of
structure.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...declarations import non_differentiable
from ...rules import rrule, rules_for
from ...scalar import scalar_rule
from ..numpy.linear import matmul_rule
from ..partials import NUMERIC, phase, power_dp, power_dx, quotient, reciprocal, remainder_dy, signum

non_differentiable(
    operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt, operator.not_,
    operator.truth, operator.is_, operator.is_not, operator.and_, operator.or_, operator.xor, operator.inv,
    operator.invert, operator.lshift, operator.rshift, operator.contains, operator.countOf,
    operator.indexOf, operator.index, operator.length_hint, operator.iand, operator.ior, operator.ixor,
    operator.ilshift, operator.irshift,
)  # fmt: skip


def _quotient_db(y: Any, a: Any, b: Any) -> Any:
    return -quotient(y, b)


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
rrule(operator.matmul, np.ndarray, np.ndarray)(matmul_rule)


@rrule(operator.concat)
def concat_rule(a: Any, b: Any) -> Any:
    """The seed, cut where the first sequence ends."""
    if not isinstance(a, (list, tuple)):
        return NotImplemented
    n = len(a)
    return operator.concat(a, b), lambda y_bar: (y_bar[:n], y_bar[n:])
