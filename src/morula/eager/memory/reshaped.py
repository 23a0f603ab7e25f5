"""``x.shape = shape``: an array that is given another layout where it is, with whoever else holds it."""

from __future__ import annotations

from typing import Any

import numpy as np

from morula.eager.context.protocol import Context
from morula.eager.memory.array_shadows import Buffer, Keyed, Place, Strided
from morula.eager.memory.layout import address_of, owner_of
from morula.eager.memory.writes import Write

ndarray = np.ndarray


class Reshape(Write):
    """Walking back, the array and its shadow have the layout again that what stands before on the tape knows.

    Attributes:
        before, after: the shapes.
    """

    __slots__ = ("after", "before", "layout")

    def __init__(self, x: ndarray, x_d: Any, before: tuple[int, ...]):
        super().__init__(x, x_d, Ellipsis, None, None, None, True)
        self.before = before
        self.after = x.shape
        self.layout = lay_out(x, x_d, None)

    def undo(self) -> Any:
        """Bring the old layout back."""
        set_shape(self.x, self.before)
        lay_out(self.x, self.x_d, self.layout)
        return None

    def redo(self) -> None:
        """The new layout, once more."""
        if self.x.shape != self.after:
            set_shape(self.x, self.after)
            self.layout = lay_out(self.x, self.x_d, None)

    def pull(self, strict: bool) -> None:
        self.undo()


def lay_out(x: ndarray, x_d: Any, layout: tuple | None) -> tuple:
    """Give the shadow of `x` a former layout, or that of `x` now; the one that it had."""
    if x_d is None:
        return ()
    if type(x_d) is Buffer:
        had: tuple = (x_d.shape, x_d.strides)
        x_d.shape, x_d.strides = (x.shape, x.strides) if layout is None else layout
        if x_d.bar is not None:
            x_d.bar, x_d.owned = np.reshape(x_d.bar, x.shape), bool(x_d.owned)
    elif type(x_d) is Strided:
        had = (x_d.shape, x_d.strides)
        now = Strided(x_d.buffer, 0, x)
        x_d.shape, x_d.strides = (now.shape, now.strides) if layout is None else layout
    else:  # of what an index made of the parent's, as it lies there
        had = (x_d.shape, x_d.parent, x_d.key, x_d.within)
        if layout is None:
            parent = Strided(x_d.buffer, address_of(x) - address_of(owner_of(x)), x)
            x_d.shape, x_d.parent, x_d.key, x_d.within = x.shape, parent, Ellipsis, x.shape
        else:
            x_d.shape, x_d.parent, x_d.key, x_d.within = layout
    return had


def assign_shape(ctx: Context, x: ndarray, x_d: Any, shape: Any) -> None:
    """``x.shape = shape`` of an array that the tape may refer to.

    Raises:
        NotDifferentiable: tangents follow it, or its cotangent has a layout of its own.
    """
    if x_d is None:
        x_d = ctx.buffers.find(x)
    before = x.shape
    if shape == before:
        x.shape = shape
        return
    is_simple_view = x_d is None or (type(x_d) in (Buffer, Strided, Keyed) and is_simple(x_d.buffer.place))
    if ctx.depth or not is_simple_view:
        ctx.refuse_if_kept(x, "assigning the attribute 'shape' of an array")
        x.shape = shape
        return
    x.shape = shape
    entry = Reshape(x, x_d, before)
    ctx.append(entry)
    ctx.writes.append(entry)


def is_simple(place: Place | None) -> bool:
    """Whether a cotangent mirrors the whole of its owner's memory, byte by byte."""
    return place is None or (place.span is None and place.scale == 1 and place.other is None and not place.aside)


def set_shape(x: ndarray, shape: tuple[int, ...]) -> None:
    """``x.shape = shape``, without NumPy's advice to use another way."""
    in_place = getattr(x, "_set_shape", None)
    if in_place is not None:
        in_place(shape)
    else:
        x.shape = shape
