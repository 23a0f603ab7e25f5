"""A run as a list of operations, each with what it was computed of, so that it can be walked many times.

A tape holds what one backward pass needs. Second derivatives along many directions need more: which function a partial
is of, and the values it was taken at. A `Recorder` notes these instead of computing tangents. What it does not know how
to walk (writes into arrays, rules that are neither linear nor products) makes the recording fail, and the general way
is gone.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from morula.eager.calls.short_ways import general_way
from morula.eager.context.number_entries import Gather, Selected, Stacked, Summed
from morula.eager.context.observed import WATCH
from morula.eager.context.reverse import Reverse
from morula.eager.context.run import raise_recursion_limit, restore_recursion_limit
from morula.eager.forward.following import Following
from morula.eager.forward.levels import Level
from morula.eager.memory.array_shadows import Buffer, Keyed, Strided

ndarray = np.ndarray
Pair = tuple[Any, Any]
FLOAT = np.dtype(float)
REDUCTIONS = {np.sum: False, ndarray.sum: False, np.mean: True, ndarray.mean: True}
PRODUCTS = {np.matmul, np.dot, ndarray.dot, ndarray.__matmul__}


class Operation:
    """One operation: ``y`` of ``args``, with their shadows.

    Attributes:
        kind: "partials", "product", "reduction", "move", "stack", or "whole", a compiled function.
        detail: the partials; whether a reduction is a mean, and its axis; the key of a move; the places of a stack; the
            call of a compiled function, with its gradient and products of its Hessian with directions.
    """

    __slots__ = ("args", "detail", "ds", "kind", "y", "y_d")

    def __init__(self, kind: str, detail: Any, y: Any, y_d: Any, args: tuple, ds: tuple):
        self.kind = kind
        self.detail = detail
        self.y = y
        self.y_d = y_d
        self.args = args
        self.ds = ds


class Recording(Level):
    """What stands in the place of a derivation while a context records.

    Attributes:
        operations: in order.
        is_walkable: whether all of them can be walked.
    """

    def __init__(self) -> None:
        super().__init__()
        self.operations: list[Operation] = []
        self.is_walkable = True

    def add(self, kind: str, detail: Any, y: Any, y_d: Any, args: tuple, ds: tuple) -> None:
        self.is_walkable = self.is_walkable and is_plain(y_d) and all(d is None or is_plain(d) for d in ds)
        self.operations.append(Operation(kind, detail, y, y_d, args, ds))


def is_plain(shadow: Any) -> bool:
    """Whether a shadow is that of a number, or of double precision memory in C order."""
    if type(shadow) is list:
        return True
    if type(shadow) not in (Buffer, Keyed, Strided) or shadow.overlaps or shadow.dtype != FLOAT:
        return False
    root = shadow.buffer
    owner = root()
    return root.place is None and owner is not None and owner.flags.c_contiguous and root.dtype == FLOAT


class DerivedInside(BaseException):
    """The recorded function asks for a tangent, which a recorder does not compute; no program catches this."""


class Recorder(Following):
    """A context that records."""

    __slots__ = ()
    quick = False

    def begin_level(self, of_pullback: bool = False) -> tuple[list[Level], int]:
        raise DerivedInside

    @property
    def recording(self) -> Recording:
        """The operations so far."""
        return cast(Recording, self.levels[0])

    def general(self, f: Any, n: int) -> Callable:
        return general_way(f, n)

    def by_partials(self, partials: Any, y: Any, y_d: Any, args: tuple, ds: tuple) -> None:
        if y_d is not None:
            if any(np.iscomplexobj(a) for a in (y, *args)):  # a negative number's root is complex
                self.recording.is_walkable = False
            self.recording.add("partials", partials, y, y_d, args, ds)

    def note(self, entry: Any) -> None:
        recording = self.recording
        if type(entry) is list:
            inputs = entry[1:]
            self.to_tape(entry)
            if len(inputs) == 3:
                recording.add("move", inputs[1], None, entry, (), (inputs[0],))
            else:
                recording.add("partials", tuple(inputs[1::2]), None, entry, (), tuple(inputs[::2]))
        elif type(entry) is Gather and whole(entry.key):
            recording.add("move", entry.key, None, entry.y_d, (), (entry.x_d,))
        elif type(entry) is Stacked:
            recording.add(
                "stack", [i for i, _ in entry.shadows], None, entry.y_d, (), tuple(d for _, d in entry.shadows)
            )
        elif type(entry) is Summed:
            n = len(entry.shadows)
            recording.add("partials", (1.0,) * n, None, entry.y_d, (), tuple(entry.shadows))
        elif type(entry) is Selected and entry.shadows[entry.chosen] is not None:
            recording.add("partials", (1.0,), None, entry.y_d, (), (entry.shadows[entry.chosen],))
        else:
            recording.is_walkable = False

    def _rule_result(self, f: Any, rule: Callable, args: tuple, shadows: tuple, kw: dict, opaque: bool) -> Pair | None:
        found, entries = self.answered(f, rule, args, shadows, kw, opaque)
        recording = self.recording
        if entries and found is not None:
            y, y_d = found[0], entries[0].y_d
            if opaque or not all(type(a) is ndarray for a, d in zip(args, shadows, strict=True) if d is not None):
                recording.is_walkable = False
            elif f in PRODUCTS and len(args) == 2 and not kw and is_product(*args):
                recording.add("product", None, y, y_d, args, shadows)
            elif f in REDUCTIONS and shadows[0] is not None and is_simple(args, kw):
                axis = kw.get("axis", args[1] if len(args) > 1 else None)
                recording.add("reduction", (REDUCTIONS[f], axis), y, y_d, args[:1], shadows[:1])
            else:
                recording.is_walkable = False
        return found


def whole(key: Any) -> bool:
    """Whether a fancy key has no slices, so that an axis before it stays in its place."""
    parts = key if type(key) is tuple else (key,)
    return all(isinstance(k, ndarray | int | np.integer) for k in parts)


def is_simple(args: tuple, kw: dict) -> bool:
    """Whether a reduction goes over all axes, or one, and has no other options."""
    axis = kw.get("axis", args[1] if len(args) > 1 else None)
    plain = not kw.keys() - {"axis", "dtype"} and kw.get("dtype") in (None, FLOAT) and len(args) <= 2
    return plain and (axis is None or isinstance(axis, int))


def is_product(x: Any, y: Any) -> bool:
    return type(x) is ndarray and type(y) is ndarray and x.ndim in (1, 2) and y.ndim in (1, 2)


def record(f: Callable, args: tuple) -> tuple[Any, list[Any], Any, list[Operation]] | None:
    """Run ``f(*args)`` of numbers and arrays, which are copied; None where it cannot be walked.

    Returns:
        The value, the shadows of the arguments, that of the value, and the operations.
    """
    ctx = Reverse(taped=False)
    if WATCH:
        WATCH[-1](ctx, f, None)
    recording = Recording()
    args = tuple([np.array(a) if isinstance(a, ndarray) else a for a in args])
    leaves = [ctx.records.leaf(a) for a in args]
    before = ctx.begin_level()
    ctx.levels = [recording]
    ctx.follow_as(Recorder)
    raise_recursion_limit()
    try:
        y, y_d = ctx.whole(ctx.call, f, args, tuple(leaves))
    except DerivedInside:
        return None
    finally:
        restore_recursion_limit()
        ctx.follow_as(Following)
        ctx.end_level(before)
        ctx.finish_forward()
    y_d = ctx.shadow_of(y, y_d)
    if not recording.is_walkable or not all(map(is_plain, leaves)) or y_d is None or not is_plain(y_d):
        return None
    return y, leaves, y_d, recording.operations
