"""Lowering of operators, on numbers and on the elements of arrays."""

import math
import operator
from typing import Any

from numba.core import types
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target

from morula.static import ir
from morula.static.front.operands import Items, type_of
from morula.static.ir import Const, Value
from morula.static.unsupported import Unsupported

OPERATORS: dict[str, Any] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "max2": max,
    "min2": min,
}
FOLDABLE = frozenset({"+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "max2", "min2"})


def scalar_type(f: Any, argument_types: list[types.Type]) -> types.Type:
    """What Numba returns for a call of `f` with scalars."""
    try:
        signature = cpu_target.typing_context.resolve_function_type(f, tuple(argument_types), {})
    except NumbaError:
        signature = None
    if signature is None:
        raise Unsupported(f"{getattr(f, '__name__', f)} of {', '.join(map(str, argument_types))}")
    return types.unliteral(signature.return_type)


def folded(symbol: str, a: Any, b: Any) -> Const | None:
    """An operation on two literals: Python's compiler knows it, and Numba drops what it decides against."""
    if symbol not in FOLDABLE or not all(isinstance(x, Const) and type(x.value) in (int, float) for x in (a, b)):
        return None
    if symbol in ("/", "//", "%") and b.value == 0:
        return None
    value = OPERATORS[symbol](a.value, b.value)
    return Const(value) if math.isfinite(value) else None


class Operations:
    """The part of lowering that knows operators."""

    raises_on_zero: bool

    def binary(self: Any, symbol: str, a: Any, b: Any, base: str, t: types.Type | None) -> Any:
        if symbol in ("+", "-") and isinstance(b, Const) and type(b.value) is int and b.value == 0:
            if isinstance(a, Value) and isinstance(a.type, types.Integer):
                return a
        if symbol == "+" and isinstance(a, Items) and isinstance(b, Items):
            return Items((*a.items, *b.items))
        if symbol == "@":
            return self.array_call(operator.matmul, [a, b], {}, base, t)
        return self.elementwise("binary", symbol, [a, b], base, t)

    def elementwise(self: Any, kind: str, attr: Any, args: list, base: str, t: types.Type | None) -> Any:
        """An operation on numbers, or on the elements of arrays."""
        for x in args:
            if not isinstance(x, Value | Const | ir.Undefined):
                raise Unsupported(f"an operation on a {type(x).__name__.lower()}")
        if kind == "binary" and (constant := folded(attr, *args)) is not None:
            return constant
        if any(ir.is_array(x) for x in args):
            if t is None:
                t = self.map_type(kind, attr, args)
            if not isinstance(t, types.Array):
                raise Unsupported("an operation on arrays that gives no array")
            return self.emit("map", args, base, t, attr=(kind, attr))
        if t is None:
            held = [type_of(x) for x in args]
            if kind == "unary":
                t = held[0] if attr in ("+", "-") else types.boolean
            else:
                t = scalar_type(OPERATORS[attr] if kind == "binary" else attr, held)
        if kind == "binary" and attr in ("/", "//", "%") and self.raises_on_zero:
            if not (isinstance(args[1], Const) and args[1].value):
                self.effect("check", [args[1]])
        return self.emit(kind, args, base, t, attr=attr)

    def map_type(self: Any, kind: str, attr: Any, args: list) -> types.Array:
        inner = [x.type.dtype if ir.is_array(x) else type_of(x) for x in args]
        ndim = max(x.type.ndim for x in args if ir.is_array(x))
        if kind == "unary":
            dtype = inner[0]
        else:
            dtype = scalar_type(OPERATORS[attr] if kind == "binary" else attr, inner)
        return types.Array(dtype, ndim, "C")
