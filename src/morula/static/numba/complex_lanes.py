"""Tangents of complex numbers along several directions: two vectors, of the real parts and of the imaginary ones.

The tangent of a complex array has two axes more than the array: one of length two, for real and imaginary parts, and
the last one for the lanes. Real parts are views of it, then.
"""

import operator
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic

from morula.static.numba.compiling import helper
from morula.static.numba.lanes import Lanes, is_place, is_width, place_of, spread, zeros

__all__ = [
    "complex_lane_of", "complex_lanes", "complex_lanes_at", "conj_lanes", "get_complex_lane", "imag_lanes",
    "no_complex_lanes", "real_lanes", "set_complex_lanes",
]  # fmt: skip


class ComplexLanes(types.Type):
    """As many complex numbers as there are lanes."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"complex_lanes{width}")


@register_default(ComplexLanes)
class ComplexLanesModel(models.StructModel):
    def __init__(self, manager: Any, of: Any):
        super().__init__(manager, of, [("real", Lanes(of.width)), ("imag", Lanes(of.width))])


Halves = tuple[Any, Any]  # the two vectors; None for that of the imaginary parts of a real number


def halves(context: Any, builder: Any, t: Any, x: Any, vector: Any) -> Halves:
    """Of lanes or a number."""
    if isinstance(t, ComplexLanes):
        made = cgutils.create_struct_proxy(t)(context, builder, value=x)
        return made.real, made.imag
    if isinstance(t, Lanes):
        return x, None
    if isinstance(t, types.Complex):
        number = context.make_complex(builder, t, value=x)
        return spread(builder, number.real, vector), spread(builder, number.imag, vector)
    return spread(builder, x, vector), None


def joined(context: Any, builder: Any, t: ComplexLanes, real: Any, imag: Any) -> Any:
    made = cgutils.create_struct_proxy(t)(context, builder)
    made.real, made.imag = real, imag
    return made._getvalue()


class ComplexBinary(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) != 2 or kws or not all(isinstance(a, types.Number | Lanes | ComplexLanes) for a in args):
            return None
        widths = {a.width for a in args if isinstance(a, Lanes | ComplexLanes)}
        if len(widths) != 1 or not any(isinstance(a, types.Complex | ComplexLanes) for a in args):
            return None
        made = [
            a if isinstance(a, Lanes | ComplexLanes)
            else types.complex128 if isinstance(a, types.Complex)
            else types.float64
            for a in args
        ]  # fmt: skip
        return signature(ComplexLanes(*widths), *made)


class ComplexUnary(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(args[0], args[0]) if len(args) == 1 and isinstance(args[0], ComplexLanes) and not kws else None


def plus(builder: Any, a: Halves, b: Halves) -> Halves:
    imag = a[1] if b[1] is None else b[1] if a[1] is None else builder.fadd(a[1], b[1])
    return builder.fadd(a[0], b[0]), imag


def minus(builder: Any, a: Halves, b: Halves) -> Halves:
    imag = a[1] if b[1] is None else builder.fneg(b[1]) if a[1] is None else builder.fsub(a[1], b[1])
    return builder.fsub(a[0], b[0]), imag


def product(builder: Any, a: Halves, b: Halves) -> Halves:
    if a[1] is None or b[1] is None:
        (only, _), (real, imag) = (a, b) if a[1] is None else (b, a)
        return builder.fmul(only, real), builder.fmul(only, imag)
    real = builder.fsub(builder.fmul(a[0], b[0]), builder.fmul(a[1], b[1]))
    return real, builder.fadd(builder.fmul(a[0], b[1]), builder.fmul(a[1], b[0]))


def _binary(f: Any, inplace: Any, how: Any) -> None:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = context.get_value_type(Lanes(sig.return_type.width))
        a, b = [halves(context, builder, t, x, vector) for t, x in zip(sig.args, args, strict=True)]
        return joined(context, builder, sig.return_type, *how(builder, a, b))

    kinds = [(ComplexLanes, ComplexLanes)]
    kinds += [(ComplexLanes, k) for k in (Lanes, types.Float, types.Complex)]
    kinds += [(k, ComplexLanes) for k in (Lanes, types.Float, types.Complex)]
    kinds += [(Lanes, types.Complex), (types.Complex, Lanes)]
    for function in (f, inplace):
        infer_global(function)(type("ComplexBinary", (ComplexBinary,), {}))
        for pair in kinds:
            lower_builtin(function, *pair)(generate)


_binary(operator.add, operator.iadd, plus)
_binary(operator.sub, operator.isub, minus)
_binary(operator.mul, operator.imul, product)
infer_global(operator.neg)(ComplexUnary)


@lower_builtin(operator.neg, ComplexLanes)
def lower_neg(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    real, imag = halves(context, builder, sig.args[0], args[0], None)
    return joined(context, builder, sig.return_type, builder.fneg(real), builder.fneg(imag))


@intrinsic
def conj_lanes(typing_context: Any, x: Any) -> Any:
    """The conjugates."""
    if not isinstance(x, ComplexLanes):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        real, imag = halves(context, builder, sig.args[0], args[0], None)
        return joined(context, builder, sig.return_type, real, builder.fneg(imag))

    return x(x), generate


@intrinsic
def real_lanes(typing_context: Any, x: Any) -> Any:
    """The real parts: a function, since a declared attribute `real` would be one that programs may mean."""
    if not isinstance(x, Lanes | ComplexLanes):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return halves(context, builder, sig.args[0], args[0], None)[0]

    return Lanes(x.width)(x), generate


@intrinsic
def imag_lanes(typing_context: Any, x: Any) -> Any:
    """The imaginary parts."""
    if not isinstance(x, ComplexLanes):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return halves(context, builder, sig.args[0], args[0], None)[1]

    return Lanes(x.width)(x), generate


@intrinsic
def complex_lanes(typing_context: Any, x: Any) -> Any:
    """The same numbers as complex ones."""
    if not isinstance(x, Lanes | ComplexLanes):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        real, imag = halves(context, builder, sig.args[0], args[0], None)
        return joined(context, builder, sig.return_type, real, zeros(real.type) if imag is None else imag)

    return ComplexLanes(x.width)(x), generate


@intrinsic(prefer_literal=True)
def no_complex_lanes(typing_context: Any, width: Any) -> Any:
    """The tangents of a complex number that does not depend on anything."""
    if not is_width(width):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        nothing = zeros(context.get_value_type(Lanes(sig.return_type.width)))
        return joined(context, builder, sig.return_type, nothing, nothing)

    return ComplexLanes(width.literal_value)(width), generate


@intrinsic(prefer_literal=True)
def complex_lanes_at(typing_context: Any, array: Any, index: Any, width: Any) -> Any:
    """The tangents of the element of a complex array at a place, from the array of its tangents."""
    if not is_place(array, index, 2) or not is_width(width):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = context.get_value_type(Lanes(sig.return_type.width))
        places = [place_of(context, builder, sig, args, vector, (half, 0)) for half in (0, 1)]
        return joined(context, builder, sig.return_type, *[builder.load(place, align=8) for place in places])

    return ComplexLanes(width.literal_value)(array, index, width), generate


@intrinsic
def set_complex_lanes(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Put the tangents of an element there."""
    if not is_place(array, index, 2) or not isinstance(value, ComplexLanes):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        for half, x in enumerate(halves(context, builder, sig.args[2], args[2], None)):
            builder.store(x, place_of(context, builder, sig, args, x.type, (half, 0)), align=8)
        return context.get_dummy_value()

    return types.none(array, index, value), generate


@intrinsic
def get_complex_lane(typing_context: Any, x: Any, k: Any) -> Any:
    """One lane."""
    if not isinstance(x, ComplexLanes) or not isinstance(k, types.Integer):
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        number = context.make_complex(builder, types.complex128)
        real, imag = halves(context, builder, sig.args[0], args[0], None)
        number.real, number.imag = builder.extract_element(real, args[1]), builder.extract_element(imag, args[1])
        return number._getvalue()

    return types.complex128(x, types.intp), generate


@helper()
def complex_lane_of(dots: Any, k: int) -> Any:
    """One lane of the tangents of a complex array."""
    return dots[..., 0, k] + 1j * dots[..., 1, k]
