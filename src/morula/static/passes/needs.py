"""What the backward pass of one statement reads: the partial derivatives it forms, the shadows it adds to."""

import re
from typing import Any

from morula.static import ir
from morula.static.ir import Branch, Loop, Op, Statement, Value
from morula.static.numba.elementary import describe_op
from morula.static.passes.activity import SCALAR, Activity

PLACE = re.compile(r"\{(y|\d)\}")  # an operand, or the value, in the text of a partial derivative
SHADOW = "shadow"  # a need of the shadow of an array, as opposed to the array itself


def backward_reads(s: Statement, activity: Activity, is_undone: bool) -> list[Any]:
    """Values, and pairs (SHADOW, array).

    Args:
        s: a statement that has a backward pass.
        activity: of the function.
        is_undone: for a store, whether the backward pass puts back what it overwrote.
    """
    if isinstance(s, Loop):
        # a loop that only `exit` ends runs as often as it ran; one over a range runs over its range again
        return [x for x in (s.start, s.stop, s.step) if x is not None] + ([s.trips] if s.trips else [])
    if isinstance(s, Branch):
        return [s.test]
    if s.kind in SCALAR:
        return _reads_of_scalar(s, activity)
    if s.kind == "load":
        return [*s.args[1:], (SHADOW, s.args[0])]
    if s.kind == "store":
        found: list[Any] = [*s.args[2:]]
        if activity.is_active(s.args[0]):
            found.append((SHADOW, s.args[0]))
        if is_undone:
            found.append(s.args[0])
        return found
    if s.kind == "array":
        return _reads_of_rule(s, activity)
    if s.kind == "fit":
        return [(SHADOW, s.args[0]), (SHADOW, s.out)]
    if s.kind in ir.WITHOUT_BACKWARD:
        return []
    raise AssertionError(f"no backward pass for {s.kind}")


def _reads_of_scalar(s: Op, activity: Activity) -> list[Any]:
    found: list[Any] = []
    for x, partial in zip(s.args, describe_op(s.kind, s.attr).partials, strict=False):
        if not activity.is_active(x) or partial is None:
            continue
        if partial.startswith("select"):
            found.append(s.args[0])
        for place in PLACE.findall(partial):
            found.append(s.out if place == "y" else s.args[int(place)])
        if partial.startswith("sign") and isinstance(s.args[0], Value):
            found.append(s.args[0])
    return found


def _reads_of_rule(s: Op, activity: Activity) -> list[Any]:
    rule = s.attr
    found: list[Any] = []
    for name, x in zip(rule.parameters, s.args, strict=True):
        found.append(x)
        if name in rule.differentiable and activity.is_active(x) and ir.is_array(x):
            found.append((SHADOW, x))
    for out in s.outs:
        found.append(out)
        if ir.is_array(out):
            found.append((SHADOW, out))
    return found
