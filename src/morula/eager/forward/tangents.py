"""The tangents of values, found by their shadows, and which forward derivations are followed just now."""

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.captured import FunctionShadow, ObjectShadow
from morula.eager.calls.twins import HandlerTable
from morula.eager.containers.parts import varying_names
from morula.eager.containers.records import Record, Unsupported
from morula.eager.context.kinds import is_plain_object
from morula.eager.context.part import Part
from morula.eager.context.results import DictResult
from morula.eager.forward.levels import Level, NoShadows, UntapedLevel, adoptable, same_view
from morula.eager.memory.array_shadows import ARRAY_SHADOWS
from morula.eager.memory.wholes import RecordsShadow
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]
PLAINLY = NoShadows()


class Tangents(Part):
    """Tangents in a context.

    Attributes:
        levels: the forward derivations that go on, the outermost first.
        depth: how many of them are followed; an operation on tangents of the k-th follows k.
        taped: whether there is a tape; without one, operations that no derivation follows are done plainly.
        to_tape: the `append` of the tape.
        handlers: the tables of short ways for calls, which are not taken while a derivation is followed.
    """

    __slots__ = ()

    # -- which derivations go on --------------------------------------------------------------------------

    levels: list[Level]
    depth: int
    taped: bool
    general: Callable[[Any, int], Callable]  # of the class that follows, as `note`
    note: Callable[[Any], None]
    to_tape: Any
    handlers: tuple

    def begin_level(self, of_pullback: bool = False) -> tuple[list[Level], int]:
        """Begin a derivation inside those that are followed; returns what `end_level` needs."""
        before = self.levels, self.depth
        self.levels = [*self.levels[: self.depth], (Level if self.taped else UntapedLevel)(of_pullback)]
        self.descend(len(self.levels))
        return before

    def end_level(self, before: tuple[list[Level], int]) -> None:
        self.levels = before[0]
        self.descend(before[1])

    def descend(self, depth: int) -> int:
        """From now on only the first `depth` derivations are followed; returns how many were."""
        before = self.depth
        self.depth = depth
        if depth == 0 and before:
            self.__class__ = KINDS[0]
            self.append = self.to_tape
            self.on1, self.on2, self.on3, self.on_list = self.handlers
        elif depth and not before:
            self.handlers = self.on1, self.on2, self.on3, self.on_list
            self.follow_as(KINDS[1])
        return before

    def follow_as(self, kind: type) -> None:
        """Go on as a context of a class that follows derivations in a way of its own."""
        self.__class__ = kind
        self.append = self.note
        self.on_list, self.on1, self.on2, self.on3 = [HandlerTable(self.general, n) for n in range(4)]

    def ops(self, k: int) -> Any:
        """What operations on the tangents of derivation `k` are asked of, while only the outer ones are followed."""
        return PLAINLY if k == 0 and not self.taped else self

    # -- the tangent of a value ---------------------------------------------------------------------------

    def dot(self, k: int, x_d: Any) -> Pair | None:
        """The tangent of a number or an array by its shadow; None where it is zero."""
        level = self.levels[k]
        if type(x_d) is list:
            return level.number(x_d)
        buffer = x_d.buffer
        mirror = None if buffer is None else level.mirror(buffer)
        if mirror is None:
            return None
        if type(x_d) is RecordsShadow:
            raise NotDifferentiable("an array of records with tangents is used as a whole; use its fields")
        x_dot = same_view(x_d, mirror)
        return x_dot, (None if k == 0 and not self.taped else self.buffers.find(x_dot))

    def dots(self, k: int, x: Any, x_d: Any) -> Pair | None:
        """The tangent of any value, in its structure, with None for what is zero; None where all of it is."""
        if x_d is None:
            return None
        if type(x_d) is list or type(x_d) in ARRAY_SHADOWS:
            return self.dot(k, x_d)
        if type(x_d) is DictResult:
            x_d = (tuple(x_d.items), tuple(x_d.items.values()))
        if type(x_d) is tuple:
            values, shadows = ([x[key] for key in x_d[0]], x_d[1]) if isinstance(x, dict) else (x, x_d)
            found = [self.dots(k, v, s) for v, s in zip(values, shadows, strict=True)]
            if all(p is None for p in found):
                return None
            parts = [(None, None) if p is None else p for p in found]
            dots, dots_d = [t for t, _ in parts], [t_d for _, t_d in parts]
            if isinstance(x, tuple):
                return tuple(dots), (tuple(dots_d) if any(d is not None for d in dots_d) else None)
            if isinstance(x, dict):
                made = dict(zip(x_d[0], dots, strict=True))
                self.ops(k).new_dict(made, dict(zip(x_d[0], dots_d, strict=True)))
                return made, None
            self.ops(k).new_list(dots, dots_d)
            return dots, None
        if isinstance(x_d, FunctionShadow):
            if x_d.is_method:
                ((_, owner, own),) = x_d.captured
                return self.dots(k, owner, own)
            parts_of = x_d.captured
        elif isinstance(x_d, ObjectShadow):
            parts_of = x_d.parts
        elif isinstance(x_d, Record):
            values = [(n, getattr(x_d.obj, n, None), s) for n, s in x_d.slots.items()]
            parts_of = [(n, v, self.shadow_of(v, s)) for n, v, s in values]
        else:
            return None
        fields = {n: p for n, v, s in parts_of if (p := self.dots(k, v, s)) is not None}
        if not fields:
            return None
        named = {n: t for n, (t, _) in fields.items()}
        self.ops(k).new_dict(named, {n: t_d for n, (_, t_d) in fields.items()})
        return named, None

    def set_dot(self, k: int, y: Any, y_d: Any, y_dot: Any, y_dot_d: Any, fresh: bool = False) -> None:
        """Let a result have a tangent, of its structure; while only outer derivations are followed."""
        if y_dot is None:
            return
        if y_d is None:  # the shadows of what lies in a list, a dict or an object are in its record
            y_d = self.records.of(y) if isinstance(y, dict | list) or is_plain_object(y) else None
            if y_d is None:
                return
        ops = self.ops(k)
        if type(y_d) is list:
            if type(y_dot) is ndarray:
                if y_dot.ndim:
                    y_dot, y_dot_d = ops.call(np.reshape, (y_dot, ()), (y_dot_d, None))
                y_dot, y_dot_d = ops.getitem(y_dot, y_dot_d, (), None)
            if isinstance(y_dot, complex | np.complexfloating) and not isinstance(y, complex | np.complexfloating):
                y_dot, y_dot_d = ops.call(np.real, (y_dot,), (y_dot_d,))
            self.levels[k].set_number(y_d, y_dot, y_dot_d)
        elif type(y_d) in ARRAY_SHADOWS:
            self._set_array(k, ops, y_d, y_dot, y_dot_d, fresh)
        elif type(y_d) is DictResult:
            for key, shadow in y_d.items.items():
                if key in y_dot:
                    self.set_dot(k, y[key], shadow, *ops.getitem(y_dot, y_dot_d, key, None))
        elif type(y_d) is tuple:
            for i, shadow in enumerate(y_d):
                self.set_dot(k, y[i], shadow, *ops.getitem(y_dot, y_dot_d, i, None))
        elif type(y_d) is Record and isinstance(y, dict | list):
            for key in y_dot if isinstance(y, dict) else range(len(y)):
                self.set_dot(k, y[key], y_d.slots[key], *ops.getitem(y_dot, y_dot_d, key, None))
        elif type(y_d) is Record and y_d.lifted:
            for name in varying_names(y):
                of_dict = isinstance(y_dot, dict)
                if name in y_dot if of_dict else hasattr(y_dot, name):
                    value = getattr(y, name)
                    part = self.records.part(y_d, name, value)
                    get = ops.getitem(y_dot, y_dot_d, name, None) if of_dict else ops.getattr(y_dot, y_dot_d, name)
                    self.set_dot(k, value, part, *get)
        elif isinstance(y_d, Unsupported):
            _ = y_d.shape  # raises, and says why
        else:
            raise NotDifferentiable(
                f"the tangent of a {type(y).__qualname__} that a rule returned cannot be followed in forward mode"
            )

    def _set_array(self, k: int, ops: Any, y_d: Any, y_dot: Any, y_dot_d: Any, fresh: bool) -> None:
        level = self.levels[k]
        mirror = level.mirror(y_d.buffer)
        if mirror is None:
            mirror = level.new_mirror(y_d.buffer)
        if fresh and y_d.buffer is y_d and adoptable(y_dot, mirror):
            mirror.bar, mirror.owned = y_dot, True
            return
        if np.iscomplexobj(y_dot) and y_d.dtype.kind != "c":
            y_dot, y_dot_d = ops.call(np.real, (y_dot,), (y_dot_d,))
        ops.setitem(same_view(y_d, mirror), None, Ellipsis, y_dot, y_dot_d)


KINDS: list[type] = []  # the context without forward derivations, and with some; once they are there
