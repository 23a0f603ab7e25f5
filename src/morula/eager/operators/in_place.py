"""Augmented assignment to arrays: ``x += z`` and the like."""

from typing import Any

import numpy as np

from chainrules import strong_mul
from morula.eager.context.kinds import NUMERIC, PYTHON
from morula.eager.context.part import Part
from morula.eager.context.sweep import send
from morula.eager.context.tape import LARGE
from morula.eager.memory.array_shadows import Buffer, is_stopped
from morula.eager.memory.layout import owner_of
from morula.eager.memory.outputs import AFTERWARDS
from morula.eager.memory.writes import Write, is_unread, wrote_whole
from morula.eager.numpy.array_likes import wraps
from morula.eager.operators.operations import IN_PLACE
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]

# Those with a scalar rule that change a real array in place.
FUSED = frozenset({"add", "sub", "mul", "truediv"})


class InPlaceArrays(Part):
    """Augmented assignment in a reverse context."""

    __slots__ = ()

    fuses = True  # one tape entry for ``x op= y``, where that is possible

    def array_in_place(self, op: Any, x: ndarray, x_d: Any, y: Any, y_d: Any) -> Pair:
        """``x op= y`` of an array: fused where all is real and plain, otherwise an operation and a write."""
        dtype = x.dtype
        if self.fuses and op.name in FUSED and dtype.kind == "f" and not self.handed_out and not self.records.aliased:
            ty = type(y)
            if (y.dtype is dtype and (y.shape == x.shape or y_fits(y, x))) if ty is ndarray else ty in PYTHON:
                if ty is ndarray and y_d is None:
                    y_d = self.buffers.find(y)
                root = None
                if x_d is not None:
                    root = x_d if type(x_d) is Buffer else x_d.buffer
                if root is None or (root.place is not None and root.place.aside):
                    x_d = self.buffers.find(x)
                    root = None if x_d is None else x_d.buffer
                if root is not None and not x_d.overlaps and (root.place is None or not is_stopped(root)):
                    owner = x if x.base is None else owner_of(x)
                    if owner is not x and owner.base is not None:
                        self.refuse_lent(owner)
                    entry = InPlace(x, x_d, op, y, y_d)
                    is_small = x.size <= LARGE
                    if is_small or entry.reads_operand(owner) or not is_unread(x, root, owner, self.tape):
                        entry.old = x.copy()
                    try:
                        op.in_place(x, y)
                    except AFTERWARDS:
                        self.log(entry, owner)
                        raise
                    self.writes.append(entry)
                    self.append(entry)
                    if is_small:
                        root.last_write = None
                    else:
                        wrote_whole(x, root, self.tape, entry)
                    return x, x_d
        if not x.flags.writeable and type(y) in NUMERIC:
            IN_PLACE[op.name](x, y)  # raises what NumPy raises
        if wraps(y):  # what NumPy writes into an array is not wrapped
            y, y_d = self.as_array(y, y_d) or (np.asarray(y), None)
        failure: Exception | None = None
        try:
            try:
                z, z_d = getattr(self, op.name)(x, x_d, y, y_d)
            except AFTERWARDS as error:
                failure = error
                with np.errstate(all="ignore"):
                    z, z_d = getattr(self, op.name)(x, x_d, y, y_d)
        except self.refusals:
            raise
        except (ValueError, TypeError):
            if type(y) in NUMERIC:
                IN_PLACE[op.name](x, y)  # the same error, in the words of an assignment
            raise
        if (
            not isinstance(z, ndarray | np.generic)
            or np.shape(z) != x.shape
            or not np.can_cast(z.dtype, x.dtype, "same_kind")
        ):
            if type(y) in NUMERIC:
                IN_PLACE[op.name](x, y)  # raises what NumPy raises
            raise NotDifferentiable(f"a {type(y).__qualname__} changes an array in place; assign the result instead")
        x, x_d = self.write_whole(x, x_d, z, z_d)
        if failure is not None:
            raise failure
        return x, x_d


class InPlace(Write):
    """``x op= z`` for real arrays: the cotangent is changed in place too.

    Attributes:
        op: the operation, with its partials.
        z, z_d: the operand, kept where a partial reads it, and its shadow.
    """

    __slots__ = ("op", "z", "z_d")
    reads = ("z",)
    arrays = ("x", "z")

    def __init__(self, x: ndarray, x_d: Any, op: Any, z: Any, z_d: Any):
        self.x, self.x_d, self.key, self.old = x, x_d, Ellipsis, None
        self.v = self.v_d = self.wrote = None
        self.unique = True
        self.op = op
        self.z_d = z_d
        self.z = z if op.keep[0 if z_d is not None else 1][2] else None

    @property
    def kept(self) -> tuple[bool, bool, bool]:
        """Which of the result, x as it was and z the partials read."""
        return self.op.keep[0 if self.z_d is not None else 1]

    def reads_operand(self, owner: ndarray) -> bool:
        """Whether the partials read memory of an owner as it was before the operation."""
        return self.kept[1] or (type(self.z) is ndarray and owner_of(self.z) is owner)

    @property
    def reads_result(self) -> bool:  # type: ignore[override]
        return self.kept[0]

    def reads_memory(self, owner: ndarray) -> bool:
        return self.reads_result or self.reads_operand(owner)

    def pull(self, strict: bool) -> None:
        x, z, op = self.x, self.z, self.op
        y = x.copy() if op.keep[0][0] else None
        if self.undo() is None:
            return
        x_d, z_d = self.x_d, self.z_d
        x_bar = x_d.view()
        p, q = op.p, op.q
        if z_d is None:
            if p != 1:
                product(p, y, x, z, x_bar, strict, x_bar)
            return
        if q != 1:  # taken before x_bar changes, and added after: the operand may be the same memory
            z_bar = -x_bar if q == -1 else product(q, y, x, z, x_bar, strict)
        elif p == 1 and type(z_d) is Buffer and z_d.bar is not None and z_d is not x_d.buffer:  # it is added at once
            z_bar = x_bar
        else:
            z_bar = x_bar.copy()
        if p != 1:
            product(p, y, x, z, x_bar, strict, x_bar)
        send(z_d, z_bar, True)


def product(p: Any, y: Any, x: Any, z: Any, x_bar: ndarray, strict: bool, out: ndarray | None = None) -> ndarray:
    """The product of a partial, a number or a function of the operation's values, with a cotangent."""
    if callable(p):
        p = p(y, x, z)
    if not strict:
        return np.multiply(x_bar, p, out)
    bar = strong_mul(p, x_bar)
    if out is None:
        return bar
    out[...] = bar
    return out


def y_fits(y: ndarray, x: ndarray) -> bool:
    """Whether ``x op y`` has the shape of `x`."""
    if y.shape == x.shape:
        return True
    sizes = zip(reversed(x.shape), reversed(y.shape), strict=False)
    return y.ndim <= x.ndim and all(m == n or m == 1 for n, m in sizes)
