"""Several derivatives in one number: a vector of the processor, whose lanes are tangents along different directions.

Generated code that follows several directions at once reads as the code that follows one: the tangent of a number is
one value, which is added to others, and multiplied by numbers that all directions share. The tangent of an array has
one more axis, the last one, for the lanes.
"""

import operator
from functools import cache
from typing import Any

import numpy as np
from llvmlite import binding
from llvmlite import ir as llvm
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, overload

from morula.static.numba.compiling import helper

__all__ = [
    "clear", "fill_lanes", "get_lane", "lane_of", "lanes_at", "lanes_times", "no_lanes", "put_lane", "seed_lanes",
    "set_columns", "set_lanes", "take_lanes",
]  # fmt: skip


FEWEST = 4  # directions that are worth the compilation of code for several at once
LARGE = 4096  # elements


@cache
def widest() -> int:
    """How many lanes are worth their while: two vectors of the processor, where the vectors are wide."""
    has_wide = binding.get_host_cpu_features().get("avx512f", False)
    return 16 if has_wide else 8


def width_for(directions: int, args: tuple = ()) -> int:
    """How many lanes there should be for so many directions: fewer beside large arrays, whose tangents leave caches."""
    is_large = any(isinstance(a, np.ndarray) and a.size > LARGE for a in args)
    return 8 if directions <= 8 or is_large else widest()


class Lanes(types.Type):
    """As many doubles as there are lanes."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"lanes{width}")


@register_default(Lanes)
class LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, of: Any):
        super().__init__(manager, of, llvm.VectorType(llvm.DoubleType(), of.width))


def spread(builder: Any, x: Any, t: llvm.VectorType) -> Any:
    """A number in every lane."""
    nothing = llvm.Constant(t, llvm.Undefined)
    first = builder.insert_element(nothing, x, llvm.Constant(llvm.IntType(32), 0))
    mask = llvm.Constant(llvm.VectorType(llvm.IntType(32), t.count), [0] * t.count)
    return builder.shuffle_vector(first, nothing, mask)


def zeros(t: Any) -> Any:
    return llvm.Constant(t, [0.0] * t.count)


def vectors(builder: Any, args: Any) -> list[Any]:
    """Two operands, of which one is a vector and the other one may be a number, as vectors."""
    t = next(x.type for x in args if isinstance(x.type, llvm.VectorType))
    return [x if isinstance(x.type, llvm.VectorType) else spread(builder, x, t) for x in args]


# -- arithmetic -------------------------------------------------------------------------------------------------------


class LanesBinary(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        widths = {a.width for a in args if isinstance(a, Lanes)}
        kinds = types.Float | types.Integer | Lanes
        if len(args) != 2 or kws or len(widths) != 1 or not all(isinstance(a, kinds) for a in args):
            return None
        return signature(Lanes(*widths), *[a if isinstance(a, Lanes) else types.float64 for a in args])


class LanesUnary(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(args[0], args[0]) if len(args) == 1 and isinstance(args[0], Lanes) and not kws else None


def _binary(f: Any, inplace: Any, name: str) -> None:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*vectors(builder, args))

    for function in (f, inplace):
        infer_global(function)(type("LanesBinary", (LanesBinary,), {}))
        for kinds in ((Lanes, Lanes), (Lanes, types.Float), (types.Float, Lanes)):
            lower_builtin(function, *kinds)(generate)


_binary(operator.add, operator.iadd, "fadd")
_binary(operator.sub, operator.isub, "fsub")
_binary(operator.mul, operator.imul, "fmul")
_binary(operator.truediv, operator.itruediv, "fdiv")
infer_global(operator.neg)(LanesUnary)


@lower_builtin(operator.neg, Lanes)
def lower_neg(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])


def is_width(t: Any) -> bool:
    return isinstance(t, types.IntegerLiteral)


@intrinsic(prefer_literal=True)
def no_lanes(typing_context: Any, width: Any) -> Any:
    """The tangents of a number that does not depend on anything, in a literal number of lanes."""
    if not is_width(width):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return zeros(context.get_value_type(sig.return_type))

    return Lanes(width.literal_value)(width), generate


@intrinsic
def lanes_times(typing_context: Any, g: Any, x: Any) -> Any:
    """`times` in each lane: 0 where a factor is exactly 0."""
    if not isinstance(g, Lanes) or not isinstance(x, types.Number | Lanes):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = vectors(builder, args)
        nothing = zeros(a.type)
        is_zero = builder.or_(builder.fcmp_ordered("==", a, nothing), builder.fcmp_ordered("==", b, nothing))
        return builder.select(is_zero, nothing, builder.fmul(a, b))

    return g(g, x if isinstance(x, Lanes) else types.float64), generate


# -- memory -----------------------------------------------------------------------------------------------------------


def place_of(context: Any, builder: Any, sig: Any, args: Any, vector: Any, more: tuple[int, ...] = (0,)) -> Any:
    """The address of the lanes of one element: of an array, at an index, which `more` are the last ones of."""
    array = sig.args[0]
    made = context.make_array(array)(context, builder, args[0])
    shape = cgutils.unpack_tuple(builder, made.shape)
    places = []
    for t, i, n in zip(sig.args[1], cgutils.unpack_tuple(builder, args[1]), shape, strict=False):
        i = context.cast(builder, i, t, types.intp if t.signed else types.uintp)
        if t.signed:
            is_low = builder.icmp_signed("<", i, i.type(0))
            i = builder.select(is_low, builder.add(i, n), i)
        places.append(i)
    places += [shape[0].type(k) for k in more]
    address = cgutils.get_item_pointer(context, builder, array, made, places, wraparound=False)
    return builder.bitcast(address, vector.as_pointer())


def is_place(array: Any, index: Any, more: int = 1) -> bool:
    is_dots = isinstance(array, types.Array) and array.dtype == types.float64
    is_index = isinstance(index, types.BaseTuple) and all(isinstance(t, types.Integer) for t in index)
    return is_dots and is_index and array.ndim == len(index) + more


@intrinsic(prefer_literal=True)
def lanes_at(typing_context: Any, array: Any, index: Any, width: Any) -> Any:
    """The tangents of the element of an array at a place, from the array of its tangents."""
    if not is_place(array, index) or not is_width(width):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(place_of(context, builder, sig, args, context.get_value_type(sig.return_type)), align=8)

    return Lanes(width.literal_value)(array, index, width), generate


@intrinsic
def set_lanes(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Put the tangents of an element there."""
    if not is_place(array, index) or not isinstance(value, Lanes):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], place_of(context, builder, sig, args, args[2].type), align=8)
        return context.get_dummy_value()

    return types.none(array, index, value), generate


@intrinsic
def get_lane(typing_context: Any, x: Any, k: Any) -> Any:
    """One lane."""
    if not isinstance(x, Lanes) or not isinstance(k, types.Integer):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], args[1])

    return types.float64(x, types.intp), generate


# -- Jacobians --------------------------------------------------------------------------------------------------------


@helper()
def seed_lanes(dots: Any, at: int, seed: float) -> None:
    """Put a seed into the directions `at`, `at + 1` ... in the lanes 0, 1 ..., as far as there are such."""
    for k in range(max(0, -at), min(dots.shape[1], dots.shape[0] - at)):
        dots[at + k, k] = seed


@helper()
def set_columns(columns: Any, at: int, dots: Any) -> None:
    """The lanes become the columns `at`, `at + 1` ..., as far as there are such."""
    low, high = max(0, -at), min(dots.shape[1], columns.shape[1] - at)
    for r in range(columns.shape[0]):
        for k in range(low, high):
            columns[r, at + k] = dots[r, k]


@helper()
def fill_lanes(dots: Any, directions: Any, at: int) -> None:
    """The directions `at`, `at + 1` ..., one to a row, become the lanes; zeros where there are no more."""
    there = min(dots.shape[1], directions.shape[0] - at)
    for j in range(dots.shape[0]):
        for k in range(there):
            dots[j, k] = directions[at + k, j]
        for k in range(there, dots.shape[1]):
            dots[j, k] = 0.0


@helper()
def take_lanes(rows: Any, dots: Any, at: int) -> None:
    """The lanes become the rows `at`, `at + 1` ..., as far as there are such."""
    there = min(dots.shape[1], rows.shape[0] - at)
    for j in range(dots.shape[0]):
        for k in range(there):
            rows[at + k, j] = dots[j, k]


@helper()
def clear(x: Any) -> None:
    """Zeros in an array."""
    for index in np.ndindex(x.shape):
        x[index] = 0.0


@helper()
def lane_of(dots: Any, k: int) -> Any:
    """One lane of the tangents of an array."""
    return np.ascontiguousarray(dots[..., k])


def put_lane(made: Any, k: int, found: Any) -> None:
    """Put tangents along one direction into their lane."""


@overload(put_lane)
def put_lane_overload(made: Any, k: int, found: Any) -> Any:
    if isinstance(found, types.Array):
        return _put_complex_array if isinstance(found.dtype, types.Complex) else _put_array
    if isinstance(found, types.Complex):

        def put_complex(made: Any, k: int, found: Any) -> None:
            made[0, 0, k] = found.real
            made[0, 1, k] = found.imag

        return put_complex

    def put_number(made: Any, k: int, found: Any) -> None:
        made[0, k] = found

    return put_number


def _put_array(made: Any, k: int, found: Any) -> None:
    rows = made.reshape((-1, made.shape[made.ndim - 1]))
    for r, v in enumerate(found.flat):
        rows[r, k] = v


def _put_complex_array(made: Any, k: int, found: Any) -> None:
    rows = made.reshape((-1, 2, made.shape[made.ndim - 1]))
    for r, v in enumerate(found.flat):
        rows[r, 0, k] = v.real
        rows[r, 1, k] = v.imag
