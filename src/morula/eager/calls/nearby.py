"""A function with active values that are a little other, to see what depends on them that has no derivative.

See `chainrules.RuleConfig.nearby`.
"""

import copy
from types import CellType, FunctionType, MethodType
from typing import Any

import numpy as np

from morula.eager.calls.captured import FunctionShadow, ObjectShadow, shadow_of_argument
from morula.eager.containers.records import Record
from morula.eager.context.kinds import is_plain_object
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable

STEP = 1e-3


class Unknown(Exception):
    """Active values lie where they cannot be replaced."""


def nearby(ctx: Context, f: Any) -> Any:
    """`f` with other values, each moved by half of `STEP` to all of it, up or down; None where they are not known."""
    try:
        return moved(f, shadow_of_argument(ctx, f, None, "nearby"), np.random.default_rng(0))
    except (Unknown, NotDifferentiable):
        return None


def moved(x: Any, shadow: Any, draws: np.random.Generator) -> Any:
    """`x` with other numbers where it has a shadow.

    Raises:
        Unknown: something with a shadow is of no kind that is known here.
    """
    if shadow is None:
        return x
    if isinstance(x, float | complex | np.inexact) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc"):
        size = np.where(np.abs(x) > 0, np.abs(x), 1.0)
        step = STEP * size * draws.uniform(0.5, 1.0, np.shape(x)) * draws.choice([-1.0, 1.0], np.shape(x))
        y = np.asarray(x + step, np.asarray(x).dtype)
        return y if isinstance(x, np.ndarray) else type(x)(y.item())
    if isinstance(x, list | tuple) and type(x) in (list, tuple) and type(shadow) is tuple:
        return type(x)(moved(v, s, draws) for v, s in zip(x, shadow, strict=True))
    if type(x) is dict and type(shadow) is tuple:
        return {k: moved(v, s, draws) for (k, v), s in zip(x.items(), shadow[1], strict=True)}
    if isinstance(x, FunctionType) and isinstance(shadow, FunctionShadow):
        return moved_function(x, {name: part for name, _, part in shadow.captured}, draws)
    if isinstance(x, MethodType) and isinstance(shadow, FunctionShadow):
        return MethodType(x.__func__, moved(x.__self__, shadow.captured[0][2], draws))
    if isinstance(shadow, FunctionShadow) and shadow.is_method:
        return moved(x, shadow.captured[0][2], draws)
    if is_plain_object(x) and isinstance(shadow, Record | ObjectShadow):
        return moved_object(x, shadow, draws)
    raise Unknown


def moved_function(f: FunctionType, shadows: dict[str, Any], draws: np.random.Generator) -> FunctionType:
    """A function with cells of its own for what moves."""
    cells = [
        CellType(moved(cell.cell_contents, shadows[name], draws)) if name in shadows else cell
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
    ]
    other = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, tuple(cells))
    other.__kwdefaults__ = f.__kwdefaults__
    return other


def moved_object(x: Any, shadow: Record | ObjectShadow, draws: np.random.Generator) -> Any:
    """A copy of an object with other attributes."""
    parts = shadow.slots.items() if isinstance(shadow, Record) else [(name, part) for name, _, part in shadow.parts]
    other = copy.copy(x)
    for name, part in parts:
        object.__setattr__(other, name, moved(getattr(x, name), part, draws))
    return other
