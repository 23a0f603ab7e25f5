"""What a solver finds, with all its first derivatives in one step, where static adjoints pull back what it calls.

See `chainrules.RuleConfig.at_once`.
"""

from types import FunctionType, NoneType
from typing import Any, NamedTuple

import numpy as np

from morula.eager.calls.captured import captured_by
from morula.eager.calls.registry import structural
from morula.eager.context.number_entries import ByJacobians, WeightedArrays
from morula.eager.context.protocol import Context
from morula.eager.replay.imprint import changed, imprint
from morula.errors import NotDifferentiable
from morula.static.python.called import Ways
from morula.static.python.choice import chosen
from morula.verbs.programs import Pair, Programs, pulls_once

FLOAT = np.dtype(float)
HARMLESS: frozenset[type] = frozenset({int, bool, str, NoneType})  # what a function may store that a solver calls


class Moving(NamedTuple):
    """Something that the solution may depend on; `shadow` is None where that is constant."""

    value: Any
    shadow: Any


@structural(Programs.at_once)
def _at_once(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    config, solve, f, x, given, others, *constants = args
    if not pulls_once(ctx) or chosen() == "eager":
        return None, None
    moving = _parts(ctx, given, ds[4])
    of_others = []
    for part in _parts(ctx, others, ds[5]):
        if type(part.value) is not FunctionType:
            moving.append(part)
        elif (of_function := _captured(ctx, part.value)) is not None:
            of_others.append((part.value, {name: m.value for name, m in of_function.items()}))
            moving += of_function.values()
        else:
            return None, None
    if type(f) is not FunctionType or any(map(_is_hidden, moving)):
        return None, None
    captured = _captured(ctx, f)
    if captured is None:
        return None, None
    ways = Ways.beside_others(f, x, given, {name: m.value for name, m in captured.items()}, of_others)
    if ways is None:
        return None, None
    functions = (f, *(g for g, _ in of_others))
    before = imprint(*functions, given)
    try:
        found = solve(config, f, ways, given, others, *constants)
    except Exception:  # what is wrong there, it is in the way that any engine goes
        return None, None
    if found is None or changed(before, imprint(*functions, given), but_for=HARMLESS):
        return None, None
    (y, rest), jacobians = found
    if jacobians is None:
        return (y, rest), None
    moving += captured.values()
    terms = [(m.shadow, j) for m, j in zip(moving, jacobians, strict=True) if m.shadow is not None]
    if not all(np.all(np.isfinite(j)) and np.any(j) for _, j in terms):  # zero, or absent: the other way knows
        return None, None
    y_d: Any = ctx.buffers.new(y) if type(y) is np.ndarray else [0]
    ctx.append(ByJacobians(y_d, terms) if type(y) is np.ndarray else WeightedArrays(y_d, terms))
    return (y, rest), ctx.packed((y_d, None))


def _parts(ctx: Context, values: tuple, shadows: Any) -> list[Moving]:
    return [Moving(x, ctx.array_shadow(x, d)) for x, d in zip(values, shadows or (None,) * len(values), strict=True)]


def _is_hidden(m: Moving) -> bool:
    """Whether something may lie in what is neither a number nor an array of numbers."""
    if type(m.value) is np.ndarray:
        return m.value.dtype.kind == "O" or (m.shadow is not None and m.value.dtype != FLOAT)
    return type(m.value) not in (float, np.float64) and (m.shadow is not None or type(m.value) not in (int, str, bool))


def _captured(ctx: Context, f: FunctionType) -> dict[str, Moving] | None:
    """The active variables that a function captures, if they are numbers and arrays; None where others are."""
    if not ctx.reaches_active(f, set()):
        return {}
    if ctx.state:
        return None
    try:
        found = {name: Moving(x, d) for name, x, d in captured_by(ctx, f, "at_once")}
    except NotDifferentiable:  # active values lie elsewhere than in captured variables
        return None
    return None if any(map(_is_hidden, found.values())) else found
