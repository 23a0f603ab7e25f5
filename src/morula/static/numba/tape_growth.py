"""Tapes of loops whose trip counts are not known before they run.

If a tape were another array after each iteration that may have made it grow, Numba would count references to it in
every iteration: that takes ten times as long as a short loop. Numbers are therefore kept in memory whose owner stays
the same, and are read and written through a pointer, which is another one where they had to move:

    x_held, x_room = room_for(64, np.float64), 64
    x_tape = start_of(x_held, np.float64)
    while ...:
        if top >= x_room:
            x_room = 2 * x_room
            x_tape = widened(x_held, x_room, np.float64)
        x_tape[top] = x
        top += 1
    hold(x_held)

Arrays that grow (`grown`) are what leaves compiled code, and what the generator reads once more for second derivatives.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir as llvm
from numba import types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic

from morula.static.numba.compiling import helper

OWNER = types.MemInfoPointer(types.voidptr)


@helper()
def grown(tape: Any, size: int) -> Any:
    """A tape with room for at least `size` entries, with the same entries so far; it doubles."""
    if size <= tape.shape[0]:
        return tape
    wider = np.empty(max(size, 2 * tape.shape[0]), tape.dtype)
    for k in range(tape.shape[0]):  # assigning to a slice takes Numba seconds to compile
        wider[k] = tape[k]
    return wider


@helper()
def grown2(tape: Any, size: int, width: int) -> Any:
    """The same of the tangents of a tape, in so many lanes."""
    if size <= tape.shape[0]:
        return tape
    wider = np.empty((max(size, 2 * tape.shape[0]), width))
    for k in range(tape.shape[0]):
        for j in range(width):
            wider[k, j] = tape[k, j]
    return wider


@helper()
def grown3(tape: Any, size: int, halves: int, width: int) -> Any:
    """The same of complex numbers."""
    if size <= tape.shape[0]:
        return tape
    wider = np.empty((max(size, 2 * tape.shape[0]), halves, width))
    for k in range(tape.shape[0]):
        for h in range(halves):
            for j in range(width):
                wider[k, h, j] = tape[k, h, j]
    return wider


# -- numbers behind a pointer -----------------------------------------------------------------------------------------


class Entries(types.Type):
    """A pointer to numbers of one type, as they stand in arrays."""

    def __init__(self, dtype: types.Type) -> None:
        self.dtype = dtype
        super().__init__(name=f"entries({dtype})")


@register_default(Entries)
class EntriesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, of: Any):
        super().__init__(manager, of, manager.lookup(of.dtype).get_data_type().as_pointer())


@infer_global(operator.getitem)
class ReadEntry(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if isinstance(args[0], Entries) and isinstance(args[1], types.Integer):
            return signature(args[0].dtype, args[0], types.uintp)
        return None


@infer_global(operator.setitem)
class WriteEntry(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if isinstance(args[0], Entries) and isinstance(args[1], types.Integer):
            return signature(types.none, args[0], types.uintp, args[0].dtype)
        return None


@lower_builtin(operator.getitem, Entries, types.Integer)
def read_entry(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.unpack_value(builder, sig.return_type, builder.gep(args[0], [args[1]]))


@lower_builtin(operator.setitem, Entries, types.Integer, types.Any)
def write_entry(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    context.pack_value(builder, sig.args[2], args[2], builder.gep(args[0], [args[1]]))
    return context.get_dummy_value()


@intrinsic
def room_for(typing_context: Any, size: Any, dtype: Any) -> Any:
    """The owner of memory for so many numbers of a type."""
    if not (isinstance(size, types.Integer) and isinstance(dtype, types.NumberClass)):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.nrt.meminfo_new_varsize(builder, _bytes(context, builder, args[0], dtype))

    return OWNER(types.intp, dtype), generate


@intrinsic
def start_of(typing_context: Any, owner: Any, dtype: Any) -> Any:
    """A pointer to the first number."""
    if owner != OWNER or not isinstance(dtype, types.NumberClass):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _pointer(context, builder, sig, context.nrt.meminfo_data(builder, args[0]))

    return Entries(dtype.dtype)(owner, dtype), generate


@intrinsic
def widened(typing_context: Any, owner: Any, size: Any, dtype: Any) -> Any:
    """A pointer to the first number, where there is room for so many now; the numbers so far are kept."""
    if owner != OWNER or not (isinstance(size, types.Integer) and isinstance(dtype, types.NumberClass)):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        size = _bytes(context, builder, args[1], dtype)
        return _pointer(context, builder, sig, context.nrt.meminfo_varsize_realloc(builder, args[0], size))

    return Entries(dtype.dtype)(owner, types.intp, dtype), generate


@intrinsic
def hold(typing_context: Any, owner: Any) -> Any:
    """Nothing: an owner, and what it owns, is there until here."""
    if owner != OWNER:
        return None
    return types.none(owner), lambda context, builder, sig, args: context.get_dummy_value()


def _pointer(context: Any, builder: Any, sig: Any, start: Any) -> llvm.Value:
    return builder.bitcast(start, context.get_value_type(sig.return_type))


def _bytes(context: Any, builder: Any, size: Any, dtype: Any) -> llvm.Value:
    width = context.get_abi_sizeof(context.get_data_type(dtype.dtype))
    return builder.mul(size, context.get_constant(types.intp, width))
