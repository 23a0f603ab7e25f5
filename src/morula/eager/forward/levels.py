"""Tangents: one number or array for each shadow and each forward derivation (`Level`) that is going on.

A tangent is found through the shadow of its primal, so whatever carries shadows (variables, containers, closures,
generators) carries tangents too. That of an array is memory of its own beside the owner's: a view's tangent is the
same view of it, as in reverse mode.
"""

from typing import Any

import numpy as np

from morula.eager.memory.array_shadows import NO_ACTION, Buffer, Keyed, Strided

ndarray = np.ndarray
Pair = tuple[Any, Any]


class Level:
    """One forward derivation.

    Attributes:
        numbers: tangents of numbers on a tape, ``id(shadow) -> (shadow, x_dot, shadow of x_dot)``.
        of_pullback: whether it serves a derivative of a reverse derivation, so that what has no forward meaning of
            its own (a hook) has none here.
    """

    __slots__ = ("numbers", "of_pullback")

    def __init__(self, of_pullback: bool = False):
        self.numbers: dict[int, tuple[Any, Any, Any]] = {}
        self.of_pullback = of_pullback

    def number(self, x_d: list) -> Pair | None:
        """The tangent of a number and its shadow; None where it is zero."""
        found = self.numbers.get(id(x_d))
        return None if found is None else found[1:]

    def set_number(self, x_d: list, x_dot: Any, x_dot_d: Any) -> None:
        self.numbers[id(x_d)] = (x_d, x_dot, x_dot_d)

    def mirror(self, buffer: Buffer) -> Buffer | None:
        """What holds the tangent of an owner of memory, or None where nothing is there yet."""
        mirrors = getattr(buffer, "mirrors", None)
        return None if mirrors is None else mirrors.get(self)

    def new_mirror(self, buffer: Buffer) -> Buffer:
        owner = buffer()
        assert owner is not None
        mirror = Buffer(owner, NO_ACTION)
        mirror.bar = None
        mirror.owned = False
        mirror.place = buffer.place
        mirror.shape = buffer.shape
        mirror.dtype = buffer.dtype
        mirror.strides = buffer.strides
        mirrors = getattr(buffer, "mirrors", None)
        if mirrors is None:
            mirrors = buffer.mirrors = {}
        mirrors[self] = mirror
        return mirror


class UntapedLevel(Level):
    """A forward derivation without a tape: the tangent of a number lives as long as its shadow does."""

    __slots__ = ()

    def number(self, x_d: list) -> Pair | None:
        return x_d[1].get(self) if len(x_d) == 2 else None

    def set_number(self, x_d: list, x_dot: Any, x_dot_d: Any) -> None:
        if len(x_d) == 2:
            x_d[1][self] = (x_dot, x_dot_d)
        else:  # what it was computed of is needed no more
            x_d[1:] = [{self: (x_dot, x_dot_d)}]


def same_view(x_d: Any, mirror: Buffer) -> ndarray:
    """The tangent of the array with the shadow `x_d`, whose owner's tangent is in `mirror`."""
    if type(x_d) is Keyed:
        return same_view(x_d.parent, mirror)[x_d.key]
    if type(x_d) is Strided:
        memory = mirror.memory()
        if 0 in x_d.shape:
            return np.empty(x_d.shape, x_d.dtype)
        return ndarray(x_d.shape, x_d.dtype, memory, x_d.offset, x_d.strides)
    return mirror.view()


def adoptable(x_dot: Any, mirror: Buffer) -> bool:
    """Whether an array can be the tangent of a whole owner as it is."""
    return (
        type(x_dot) is ndarray
        and x_dot.base is None
        and x_dot.dtype == mirror.dtype
        and x_dot.shape == mirror.shape
        and x_dot.strides == mirror.strides
        and (x_dot.flags.c_contiguous or x_dot.flags.f_contiguous)
        and x_dot.flags.writeable
    )


class NoShadows:
    """The operations of a context for what has no shadows: plain Python."""

    @staticmethod
    def call(f: Any, args: tuple, ds: tuple = (), kw: dict | None = None, kw_d: dict | None = None) -> Pair:
        return f(*args, **(kw or {})), None

    @staticmethod
    def add(x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        return x + y, None

    @staticmethod
    def mul(x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
        return x * y, None

    @staticmethod
    def neg(x: Any, x_d: Any) -> Pair:
        return -x, None

    @staticmethod
    def getitem(o: Any, o_d: Any, key: Any, key_d: Any) -> Pair:
        return o[key], None

    @staticmethod
    def getattr(o: Any, o_d: Any, name: str) -> Pair:
        return getattr(o, name), None

    @staticmethod
    def setitem(o: Any, o_d: Any, key: Any, v: Any, v_d: Any, key_d: Any = None) -> None:
        o[key] = v

    @staticmethod
    def new_list(xs: list, shadows: list) -> None:
        """No shadows to give."""

    @staticmethod
    def new_dict(d: dict, shadows: dict) -> None:
        """No shadows to give."""
