"""What a solver finds, with all its first derivatives in one step, where static adjoints pull back what it calls.

See `chainrules.RuleConfig.at_once`.
"""

from collections.abc import Callable
from types import FunctionType, NoneType
from typing import Any, NamedTuple

import numpy as np

from morula.eager.calls.captured import captured_by
from morula.eager.calls.registry import structural
from morula.eager.context.number_entries import ByJacobians, WeightedArrays
from morula.eager.context.protocol import Context
from morula.eager.context.reverse import Reverse
from morula.eager.replay.imprint import changed, imprint
from morula.errors import NotDifferentiable
from morula.static.python.choice import chosen
from morula.static.python.pairs import static_pullback
from morula.verbs.programs import Pair, Programs

FLOAT = np.dtype(float)
HARMLESS: frozenset[type] = frozenset({int, bool, str, NoneType})  # what a function may store that a solver calls


class Moving(NamedTuple):
    """Something that the solution may depend on; `shadow` is None where that is constant."""

    value: Any
    shadow: Any


class Unknown(Exception):
    """A static adjoint cannot tell."""


@structural(Programs.at_once)
def _at_once(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    config, solve, f, x, given, others, *constants = args
    if type(ctx) is not Reverse or not ctx.taped or ctx.depth or ctx.around or chosen() == "eager":
        return None, None
    moving = [*_parts(given, ds[4]), *_parts(others, ds[5])]
    if type(f) is not FunctionType or any(map(_is_hidden, moving)):
        return None, None
    captured = _captured(ctx, f)
    if captured is None:
        return None, None
    pull = _pullback(f, (x, *given), tuple(captured))
    if pull is None:
        return None, None
    before = imprint(f, given)
    try:
        found = solve(config, f, pull, given, others, *constants)
    except Exception:  # what is wrong there, it is in the way that any engine goes
        return None, None
    if found is None or changed(before, imprint(f, given), but_for=HARMLESS):
        return None, None
    (y, rest), jacobians = found
    moving += captured.values()
    terms = [(m.shadow, j) for m, j in zip(moving, jacobians, strict=True) if m.shadow is not None]
    if not all(np.all(np.isfinite(j)) for _, j in terms):
        return None, None
    y_d: Any = ctx.buffers.new(y) if type(y) is np.ndarray else [0]
    ctx.append(ByJacobians(y_d, terms) if type(y) is np.ndarray else WeightedArrays(y_d, terms))
    return (y, rest), ctx.packed((y_d, None))


def _parts(values: tuple, shadows: Any) -> list[Moving]:
    return [Moving(x, d) for x, d in zip(values, shadows or (None,) * len(values), strict=True)]


def _is_hidden(m: Moving) -> bool:
    """Whether something may lie in what is neither a number nor an array of the run."""
    if type(m.value) is np.ndarray:
        return m.value.dtype != FLOAT or m.shadow is None
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


def _pullback(f: FunctionType, args: tuple, captured: tuple[str, ...]) -> Callable[..., list] | None:
    """``pullback(x, y_bar)`` with the cotangents of all arguments, None of constants, then of captured variables."""
    if f.__kwdefaults__ or len(args) != f.__code__.co_argcount or f.__code__.co_flags & 0x0C:
        return None
    wanted = tuple([i for i, a in enumerate(args) if type(a) in (float, np.float64, np.ndarray)])
    n = np.size(args[0]) if isinstance(args[0], np.ndarray) else 1
    weighted = static_pullback(f, args, np.ones(n), wanted, captured)
    if weighted is None:
        return None

    others, constants = args[1:], [i for i in range(len(args)) if i not in wanted]

    def pullback(x: Any, y_bar: np.ndarray) -> list:
        found = weighted(x, *others, y_bar)
        if found is None:
            raise Unknown
        bars = [0.0 if bar is None else bar for bar in found[1]]
        for i in constants:
            bars.insert(i, 0.0)
        return bars

    return pullback
