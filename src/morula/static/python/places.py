"""Places in what a hot callee is given: an argument by its position, then a pair for each step on from there.

The pair says whether it is an item, and has the attribute or the key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chainrules import Tangent
from morula.eager.context.kinds import ATOMS
from morula.eager.context.protocol import Context
from morula.static.python.plain_classes import dataclass
from morula.static.python.things import fields_of

__all__ = ["Places", "own", "part_at", "part_of_gradient", "shadow_at", "write_at"]


@dataclass(frozen=True)
class Places:
    """What a text does with what it is given.

    Attributes:
        sources: where the numbers and arrays are that its pullback is about.
        written: what the program writes into, whose contents are the last items of the value.
        returns: whether what the program returns stands before these.
        read: by position and by step, what it reads, one in another; None for what nothing else is in.
    """

    sources: tuple[tuple, ...]
    written: tuple[tuple, ...]
    returns: bool
    read: dict[Any, Any]


def shadow_at(ctx: Context, args: tuple, ds: tuple, path: tuple) -> Any:
    """The shadow of the number or the array at a place."""
    x, d = _at(ctx, args, ds, path)
    return ctx.buffers.find(x) if d is None and type(x) is np.ndarray else d


def write_at(ctx: Context, args: tuple, ds: tuple, path: tuple, v: Any, v_d: Any) -> None:
    """Have a value at a place, as an assignment of the program would."""
    if len(path) == 1:
        ctx.setitem(args[path[0]], ds[path[0]], Ellipsis, v, v_d)
        return
    is_item, key = path[-1]
    (ctx.setitem if is_item else ctx.setattr)(*_at(ctx, args, ds, path[:-1]), key, v, v_d)


def _at(ctx: Context, args: tuple, ds: tuple, path: tuple) -> tuple[Any, Any]:
    x, d = args[path[0]], ds[path[0]]
    for is_item, key in path[1:]:
        x, d = ctx.getitem(x, d, key, None) if is_item else ctx.getattr(x, d, key)
    return x, d


def part_at(args: tuple, path: tuple) -> Any:
    """What is at a place."""
    x = args[path[0]]
    for is_item, key in path[1:]:
        x = x[key] if is_item else getattr(x, key)
    return x


def part_of_gradient(bar: Any, path: tuple) -> Any:
    """The part of the cotangent of an argument that belongs to a place in it."""
    for _, key in path[1:]:
        if isinstance(bar, Tangent):
            bar = dict(bar.fields())
        if bar is None or (isinstance(bar, dict) and key not in bar):
            return None
        bar = bar[key]
    return bar


def own(x: Any, read: dict[Any, Any] | None) -> Any:
    """What holds the same, as far as it is `read`, and stays so; None: it is no object or dict.

    What is in it and is not read may be in something else, too, and is left out.
    """
    if type(x) is np.ndarray:
        return x.copy("K")
    kind = type(x)
    if read is None:
        return [own(v, None) for v in x] if kind is list else x
    if isinstance(x, tuple):
        parts = [_part(v, read, (True, i)) for i, v in enumerate(x)]
        return tuple(parts) if kind is tuple else kind(*parts)
    if kind is list:
        return [_part(v, read, (True, i)) for i, v in enumerate(x)]
    if kind is dict:
        return {k: _part(v, read, (True, k)) for k, v in x.items()}
    found = object.__new__(kind)
    for name, value in fields_of(x).items():
        object.__setattr__(found, name, _part(value, read, (False, name)))
    return found


def _part(value: Any, read: dict[Any, Any], step: tuple[bool, Any]) -> Any:
    if step in read:
        return own(value, read[step])
    return value if type(value) in ATOMS else None
