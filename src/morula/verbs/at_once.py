"""What a solver finds, with all its first derivatives in one step, where static adjoints pull back what it calls.

See `chainrules.RuleConfig.at_once`.
"""

from collections.abc import Callable
from functools import cached_property
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType, NoneType
from typing import Any, NamedTuple

import numpy as np

from morula.eager.calls.captured import captured_by
from morula.eager.calls.registry import structural
from morula.eager.context.number_entries import ByJacobians, WeightedArrays
from morula.eager.context.protocol import Context
from morula.eager.replay.imprint import changed, imprint
from morula.errors import NotDifferentiable
from morula.static.python.called import static_curvature, static_pullback
from morula.static.python.choice import chosen
from morula.verbs.programs import Pair, Programs, pulls_once

FLOAT = np.dtype(float)
VARIADIC = CO_VARARGS | CO_VARKEYWORDS
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
    if not pulls_once(ctx) or chosen() == "eager":
        return None, None
    moving = [*_parts(ctx, given, ds[4]), *_parts(ctx, others, ds[5])]
    if type(f) is not FunctionType or any(map(_is_hidden, moving)):
        return None, None
    captured = _captured(ctx, f)
    if captured is None:
        return None, None
    if f.__kwdefaults__ or len(given) + 1 != f.__code__.co_argcount or f.__code__.co_flags & VARIADIC:
        return None, None
    before = imprint(f, given)
    try:
        found = solve(config, f, Ways(f, (x, *given), captured), given, others, *constants)
    except Exception:  # what is wrong there, it is in the way that any engine goes
        return None, None
    if found is None or changed(before, imprint(f, given), but_for=HARMLESS):
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


class Ways:
    """What a solver's function is differentiated by, as often as one likes, where static adjoints can tell.

    Cotangents are those of all arguments, 0.0 of constants, then of the active variables that the function captures.
    """

    def __init__(self, f: FunctionType, args: tuple, captured: dict[str, Moving]):
        self.f, self.args, self.names = f, args, tuple(captured)
        self.wanted = tuple([i for i, a in enumerate(args) if np.asarray(a).dtype == FLOAT])
        self.constants = [i for i in range(len(args)) if i not in self.wanted]
        moving = [*[args[i] for i in self.wanted[1:]], *[m.value for m in captured.values()]]
        self.still = [np.zeros(x.shape) if type(x) is np.ndarray else 0.0 for x in moving]

    @cached_property
    def _pullback(self) -> Callable[..., Any]:
        n = np.size(self.args[0])
        return _known(static_pullback(self.f, self.args, np.ones(n), self.wanted, self.names))

    @cached_property
    def _curvature(self) -> Callable[..., Any]:
        return _known(static_curvature(self.f, self.args, self.wanted, self.names))

    def reach(self, order: int) -> bool:
        """Whether there is a way to derivatives of this order."""
        try:
            return self._pullback is not None if order == 1 else self._curvature is not None
        except Unknown:
            return False

    def pullback(self, x: Any, y_bar: np.ndarray) -> list:
        """The cotangents of a call with `x` as the first argument."""
        return self._completed(_known(self._pullback(x, *self.args[1:], y_bar))[1])

    def curvature(self, x: Any, x_dot: Any) -> tuple[list, list]:
        """The gradient of a call that gives a number, and the change of that along a tangent of `x`."""
        _, bars, changes = _known(self._curvature(x, *self.args[1:], x_dot, *self.still))
        return self._completed(bars), self._completed(changes)

    def _completed(self, bars: tuple) -> list:
        found = [0.0 if bar is None else bar for bar in bars]
        for i in self.constants:
            found.insert(i, 0.0)
        return found


def _known(found: Any) -> Any:
    if found is None:
        raise Unknown
    return found
