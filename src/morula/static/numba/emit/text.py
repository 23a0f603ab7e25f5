"""How generated code says operands and operations."""

import re
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.operands import dtype_text
from morula.static.front.source import canonical_name
from morula.static.ir import Const, Op, Undefined, Value
from morula.static.numba import vector_math
from morula.static.numba.elementary import ALSO, describe_op
from morula.static.passes.bounds import Bounds
from morula.static.unsupported import Unsupported

# What is said of real numbers by `math`'s names, which have vector versions: see `vector_math`.
_OF_MATH = ALSO | {
    "power": "pow", "float_power": "pow",
    **{name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "exp2", "expm1")},
    **{name: name for name in ("log", "log2", "log10", "log1p", "hypot")},
}  # fmt: skip


def _text(op: Op) -> str:
    text = describe_op(op.kind, op.attr).text
    if op.kind not in ("call", "binary") or not isinstance(op.out.type, types.Float):
        return text
    name = _OF_MATH.get(getattr(op.attr, "__name__", "")) if op.kind == "call" else None
    if op.attr == "**" and not _is_whole(op.args[1]):
        name = "pow"
    return text if name is None else f"math.{name}({', '.join(f'{{{i}}}' for i in range(len(op.args)))})"


def _is_whole(x: Any) -> bool:
    """Whether an exponent is an integer: that power is a product."""
    if isinstance(x, Const):
        return float(x.value).is_integer()
    return not isinstance(x.type, types.Float)


class Lines:
    """Text that grows line by line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 1

    def add(self, line: str, comment: str = "") -> None:
        self.lines.append("    " * self.depth + line + (f"  # {comment}" if comment else ""))

    def text(self) -> str:
        return "\n".join(self.lines)


def zero(t: types.Type) -> str:
    """The zero of a type of numbers."""
    if isinstance(t, types.Boolean):
        return "False"
    if isinstance(t, types.Integer):
        return "0"
    if t == types.float64:
        return "0.0"
    return f"{dtype_text(t)}(0.0)"


def operand_text(x: Any) -> str:
    """An operand."""
    if isinstance(x, Value):
        return x.name
    if isinstance(x, Const):
        if isinstance(x.value, float) and x.value != x.value:
            return "np.nan"
        if isinstance(x.value, float) and x.value in (float("inf"), float("-inf")):
            return "np.inf" if x.value > 0 else "(-np.inf)"
        text = repr(x.value)
        return f"({text})" if text.startswith("-") else text
    assert isinstance(x, Undefined)
    raise Unsupported("a variable that may be undefined")


FUNCTION = re.compile(r"\b(?:math|np)\.(\w+)\(")


def vectorised(text: str, operands: Any) -> str:
    """The text with functions that have a version for vectors, where its operands are real."""
    if not all(isinstance(getattr(x, "type", None), types.Float) or isinstance(x, Const) for x in operands):
        return text

    def chosen(found: re.Match[str]) -> str:
        name = ALSO.get(found.group(1), found.group(1))
        return f"vector_math.{name}(" if name in vector_math.available() else found.group(0)

    return FUNCTION.sub(chosen, text)


def has_vector_version(op: Op) -> bool:
    """Whether a call is of a function that has a version for vectors."""
    return "vector_math." in vectorised(_text(op), op.args)


class Texts:
    """Texts of operations; it knows which indices are never negative."""

    def __init__(self) -> None:
        self.bounds = Bounds()
        self.cast: dict[Value, str] = {}

    def index(self, x: Any) -> str:
        """An index; without wrap-around where it is known not to be negative, so that loops can be vectorised."""
        if isinstance(x, Value) and x in self.cast:
            return self.cast[x]
        if isinstance(x, Value) and self.bounds.is_natural(x):
            return f"np.uintp({x.name})"
        return operand_text(x)

    def element(self, array: str, index: list[Any]) -> str:
        return f"{array}[{', '.join(self.index(x) for x in index) or '()'}]"

    def view(self, base: str, op: Op) -> str:
        """The view that `op` takes, of the array named `base` (the array itself, or its shadow)."""
        how, template = op.attr
        if how in ("T", "real", "imag"):
            return f"{base}.{how}"
        if how == "axes":
            return f"np.transpose({base}, {template})"
        if how == "ravel":
            return f"{base}.reshape(-1)"
        if how == "reshape":
            return f"{base}.reshape(({', '.join(operand_text(x) for x in op.args[1:])},))"
        parts = []
        for kind, place in template:
            if kind == "index":
                parts.append(self.index(op.args[place]))
            elif kind == "slice":
                low, high, step = ("" if p is None else operand_text(op.args[p]) for p in place)
                parts.append(f"{low}:{high}" + (f":{step}" if step else ""))
            else:
                parts.append({"newaxis": "None", "ellipsis": "..."}[kind])
        return f"{base}[{', '.join(parts)}]"

    def zeros(self, v: Value, how: str = "zeros") -> str:
        """A fresh array of the shape of `v`."""
        d = v.definition
        dtype = "" if v.type.dtype == types.float64 else f", dtype={dtype_text(v.type.dtype)}"
        if isinstance(d, Op) and d.kind == "new":
            sizes = ", ".join(operand_text(x) for x in d.args)
            return f"np.{how}({sizes if len(d.args) == 1 else f'({sizes})'}{dtype})"
        return f"np.{how}({v.name}.shape{dtype})"

    def in_bounds(self, array: str, index: list[Any]) -> str:
        """The condition that an index is inside an array, given by its name."""
        tests = []
        for axis, x in enumerate(index):
            n = f"{array}.shape[{axis}]"
            low = self.bounds.lower(x)
            tests.append(
                f"{operand_text(x)} < {n}" if low is not None and low >= 0 else f"-{n} <= {operand_text(x)} < {n}"
            )
        return " and ".join(tests)

    def operation(self, op: Op) -> str:
        """The right-hand side of an operation with a value."""
        if op.kind in ("unary", "binary", "call", "cast"):
            text = _text(op).format(*[operand_text(x) for x in op.args])
            return vectorised(text, op.args) if op.kind == "call" else text
        if op.kind == "load":
            array: Any = op.args[0]
            text = self.element(array.name, op.args[1:])
            if op.attr == "guarded":
                return f"{text} if {self.in_bounds(array.name, op.args[1:])} else {zero(op.out.type)}"
            return text
        if op.kind == "shape":
            return f"{operand_text(op.args[0])}.shape[{op.attr}]"
        if op.kind == "item":
            return f"float({operand_text(op.args[0])})" if op.attr is None else f"{operand_text(op.args[0])}[{op.attr}]"
        if op.kind == "view":
            return self.view(operand_text(op.args[0]), op)
        if op.kind == "new":
            how = op.attr[0]
            return self.zeros(op.out, how)
        if op.kind == "fit":
            return f"fit{len(op.args) - 1}({', '.join(operand_text(x) for x in op.args)})"
        if op.kind == "resized":
            return f"{op.attr}({', '.join(operand_text(x) for x in op.args)})"
        if op.kind == "constant_call":
            args = ", ".join(operand_text(x) for x in op.args)
            return f"{canonical_name(op.attr)}({args})"
        if op.kind == "array":
            return self.rule_call(op)
        raise AssertionError(op.kind)

    def rule_call(self, op: Op) -> str:
        rule = op.attr
        if getattr(rule, "callee", None) is not None:
            return f"{rule.primal.__name__}({', '.join(typed_operand_text(x) for x in op.args)})"
        args = list(op.args)
        for name in rule.parameters[::-1]:
            if args and isinstance(args[-1], Const) and name in rule.defaults and args[-1].value == rule.defaults[name]:
                args.pop()
            else:
                break
        name = canonical_name(rule.primal) or getattr(rule.primal, "__name__", "")
        if name == "matmul":
            return f"{operand_text(args[0])} @ {operand_text(args[1])}"
        return f"{name}({', '.join(operand_text(x) for x in args)})"


def typed_operand_text(x: Any) -> str:
    """An operand; Numba would compile a function that calls itself anew for each literal, and not type it."""
    if isinstance(x, Const) and type(x.value) is int:
        return f"np.int64({x.value})"
    return operand_text(x)


def is_scalar(x: Any) -> bool:
    return isinstance(x, Value) and not ir.is_array(x)
