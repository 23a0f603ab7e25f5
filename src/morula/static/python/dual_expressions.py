"""Expressions of a text with their tangents: names, operators, parts, displays."""

from __future__ import annotations

import ast
import bisect
import builtins
import math
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from chainrules import is_non_differentiable
from morula.eager.context.kinds import module_of
from morula.static.python.ir import Unsupported
from morula.static.python.types import TESTS

__all__ = ["Both", "DualExpressions", "closed", "place_of"]

OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.Mod: "%",
    ast.FloorDiv: "//",
}  # fmt: skip
CONSTANT = frozenset([
    len, int, range, id, type, isinstance, np.sign, "order_of", bisect.bisect_left, bisect.bisect_right,
    list.index, list.count, *TESTS,
])  # fmt: skip
PARTS = frozenset(["T", "real", "imag"])  # of an array, whose tangents are those of its tangent
STILL = frozenset(["shape", "size", "ndim", "dtype", "flags", "strides", "itemsize", "nbytes"])
NUMBERS = frozenset(["float", "len", "int", "vdot", "abs"])

Both = tuple[str, str | None]


class DualExpressions:
    """The part of `duals.Duals` that reads expressions."""

    space: dict[str, Any]
    active: set[str]
    arrays: set[str]
    lists: set[str]
    functions: dict[str, ast.FunctionDef]
    lines: list[str]
    count: int
    by_rule: Callable[[ast.expr, Any, str, list[Both]], str]

    # -- what may move, and what may be an array ----------------------------------------------------------------

    def moves(self, e: ast.expr | None) -> bool:
        """Whether an expression may have a tangent."""
        if isinstance(e, ast.Name):
            return e.id in self.active
        if isinstance(e, ast.Attribute):
            return e.attr not in STILL and self.moves(e.value)
        if isinstance(e, ast.Subscript):
            return self.moves(e.value)
        if isinstance(e, ast.BinOp):
            return not isinstance(e.op, ast.FloorDiv) and (self.moves(e.left) or self.moves(e.right))
        if isinstance(e, ast.UnaryOp):
            return not isinstance(e.op, ast.Not) and self.moves(e.operand)
        if isinstance(e, ast.IfExp):
            return self.moves(e.body) or self.moves(e.orelse)
        if isinstance(e, ast.Tuple | ast.List):
            return any(map(self.moves, e.elts))
        if isinstance(e, ast.Dict):
            return any(map(self.moves, e.values))
        if isinstance(e, ast.ListComp):
            (turn,) = e.generators
            return self.moves(turn.iter) and not isinstance(e.elt, ast.BinOp)  # that is of zeros
        if isinstance(e, ast.Call):
            f = self.callee(e.func)
            if isinstance(f, FunctionType) and isinstance(e.func, ast.Name) and e.func.id in self.functions:
                return False
            if f in CONSTANT or (f is not None and not isinstance(f, str) and is_constant(f)):
                return False
            if isinstance(e.func, ast.Attribute) and f is None and self.moves(e.func.value):
                return True
            return any(map(self.moves, e.args)) or any(self.moves(k.value) for k in e.keywords)
        # of nodes that nobody knows, so that none of them is taken for a constant
        return not isinstance(e, ast.Compare) and any(self.moves(x) for x in children(e))

    def is_array(self, e: ast.expr | None) -> bool:
        """Whether an expression may be an array of NumPy's."""
        if isinstance(e, ast.Name):
            return e.id in self.arrays or e.id.startswith("zeros_")
        if isinstance(e, ast.BinOp):
            return self.is_array(e.left) or self.is_array(e.right)
        if isinstance(e, ast.UnaryOp):
            return self.is_array(e.operand)
        if isinstance(e, ast.IfExp):
            return self.is_array(e.body) or self.is_array(e.orelse)
        if isinstance(e, ast.Subscript | ast.Attribute):
            return self.is_array(e.value)
        if isinstance(e, ast.Tuple):
            return any(map(self.is_array, e.elts))
        if isinstance(e, ast.Call):
            if isinstance(e.func, ast.Attribute) and self.callee(e.func) is None:
                return e.func.attr not in ("item", "tolist", "append", "pop") and self.is_array(e.func.value)
            if isinstance(e.func, ast.Name) and e.func.id in NUMBERS:
                return False
            f = self.callee(e.func)
            room = module_of(f).partition(".")[0]
            is_number = isinstance(f, np.ufunc) or room in ("math", "builtins", "chainrules")
            return not is_number or any(map(self.is_array, e.args))
        return False

    def is_list(self, e: ast.expr) -> bool:
        """Whether an expression is a list, or a sum of lists."""
        if isinstance(e, ast.BinOp):
            return isinstance(e.op, ast.Add) and (self.is_list(e.left) or self.is_list(e.right))
        return isinstance(e, ast.List) or (isinstance(e, ast.Name) and e.id in self.lists)

    def callee(self, f: ast.expr) -> Any:
        """What is called; None for a method."""
        if isinstance(f, ast.Name):
            return self.space.get(f.id, getattr(builtins, f.id, f.id))
        if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name):
            owner = self.space.get(f.value.id)
            if isinstance(owner, ModuleType):
                return getattr(owner, f.attr)
        return None

    # -- texts ------------------------------------------------------------------------------------------------------

    def atom(self, text: str) -> str:
        """A name for a value that is read more than once."""
        if text.isidentifier() or text.replace(".", "").isdigit():
            return text
        self.count += 1
        self.lines.append(f"u{self.count} = {text}")
        return f"u{self.count}"

    def zero(self, e: ast.expr, v: str) -> str:
        """The tangent of a value that does not move."""
        if isinstance(e, ast.Name) and e.id.startswith("zeros_"):
            return v
        if isinstance(e, ast.Constant):
            return "None" if e.value is None else "0.0"
        if isinstance(e, ast.Name) and e.id == "UNBOUND":
            return "0.0"
        if isinstance(e, ast.Tuple | ast.List):
            found = [self.zero(x, ast.unparse(x)) for x in e.elts]
            return f"({', '.join(found)},)" if isinstance(e, ast.Tuple) else f"[{', '.join(found)}]"
        return f"nothing({v})"

    def named(self, given: Any) -> str:
        for name, held in self.space.items():
            if held is given:
                return name
        name = f"p{len(self.space)}"
        self.space[name] = given
        return name

    def dual(self, e: ast.expr) -> Both:
        """The texts of a value and of its tangent, None where nothing moves; either of them is to be used once."""
        if not self.moves(e):
            return closed(e), None
        method = getattr(self, f"_{type(e).__name__}", None)
        if method is None:
            raise Unsupported(f"{type(e).__name__} in forward mode")
        found: Both = method(e)
        return found

    def _Name(self, e: ast.Name) -> Both:
        return e.id, f"dot_{e.id}"

    def _Attribute(self, e: ast.Attribute) -> Both:
        if e.attr not in PARTS:
            raise Unsupported(f"the attribute {e.attr!r} in forward mode")
        v, d = self.dual(e.value)
        return f"{v}.{e.attr}", f"{d}.{e.attr}"

    def _Subscript(self, e: ast.Subscript) -> Both:
        v, d = self.dual(e.value)
        place = place_of(e.slice)
        return f"{v}[{place}]", f"{d}[{place}]"

    def _UnaryOp(self, e: ast.UnaryOp) -> Both:
        v, d = self.dual(e.operand)
        sign = "-" if isinstance(e.op, ast.USub) else "+"
        return f"({sign}{v})", f"({sign}{d})"

    def _several(self, e: ast.Tuple | ast.List) -> tuple[str, str]:
        found = [self.dual(x) for x in e.elts]
        dots = [d or self.zero(x, v) for x, (v, d) in zip(e.elts, found, strict=True)]
        return ", ".join(v for v, _ in found), ", ".join(dots)

    def _Tuple(self, e: ast.Tuple) -> Both:
        v, d = self._several(e)
        return f"({v},)", f"({d},)"

    def _List(self, e: ast.List) -> Both:
        v, d = self._several(e)
        return f"[{v}]", f"[{d}]"

    def _Dict(self, e: ast.Dict) -> Both:
        items: list[str] = []
        dots: list[str] = []
        for k, x in zip(e.keys, e.values, strict=True):
            v, d = self.dual(x)
            if k is None:
                items.append(f"**{v}")
                dots.append(f"**{d or v}")
            else:
                items.append(f"{ast.unparse(k)}: {v}")
                dots.append(f"{ast.unparse(k)}: {d or self.zero(x, v)}")
        return f"{{{', '.join(items)}}}", f"{{{', '.join(dots)}}}"

    def _ListComp(self, e: ast.ListComp) -> Both:
        (turn,) = e.generators
        v, d = self.dual(turn.iter)
        tail = f"{ast.unparse(e.elt)} for {ast.unparse(turn.target)} in"
        return f"[{tail} {v}]", f"[{tail} {d}]"

    def _IfExp(self, e: ast.IfExp) -> Both:
        test = self.atom(closed(e.test))
        outer = self.lines
        found = []
        for part in (e.body, e.orelse):
            self.lines = []
            v, d = self.dual(part)
            found.append((self.lines, v, d or self.zero(part, v)))
        self.lines = outer
        (body, v, d), (other, w, c) = found
        if not body and not other:
            return f"({v} if {test} else {w})", f"({d} if {test} else {c})"
        self.count += 1
        name = f"u{self.count}"
        for head, lines, value, moved in ((f"if {test}:", body, v, d), ("else:", other, w, c)):
            assigned = [*lines, f"dot_{name} = {moved}", f"{name} = {value}"]
            self.lines += [head, *[f"    {line}" for line in assigned]]
        return name, f"dot_{name}"

    def _BinOp(self, e: ast.BinOp) -> Both:
        if isinstance(e.left, ast.List) and isinstance(e.op, ast.Mult):
            v, d = self.dual(e.left)
            n = closed(e.right)
            return f"({v} * {n})", f"({d} * {n})"
        (a, da), (b, db) = self.dual(e.left), self.dual(e.right)
        op = OPERATORS[type(e.op)]
        if op in "+-":
            return self._sum(e, op, (a, da), (b, db))
        if op == "*" or op == "@":
            a, b = self.atom(a), self.atom(b)
            terms = ([f"{da} {op} {b}"] if da else []) + ([f"{a} {op} {db}"] if db else [])
            return f"({a} {op} {b})", f"({' + '.join(terms)})"
        if op == "/":
            b = self.atom(b)
            if db is None:
                return f"({a} / {b})", f"({da} / {b})"
            y = self.atom(f"({a} / {b})")
            return y, f"(({da} - {y} * {db}) / {b})" if da else f"(-({y} * {db}) / {b})"
        if op == "%":
            a, b = self.atom(a), self.atom(b)
            less = f" - ({a} // {b}) * {db}" if db else ""
            return f"({a} % {b})", f"({da or '0.0'}{less})"
        return self._power(e, (a, da), (b, db))

    def _sum(self, e: ast.BinOp, op: str, one: Both, other: Both) -> Both:
        (a, da), (b, db) = one, other
        text = f"({a} {op} {b})"
        if self.is_list(e):  # each item keeps its place
            return text, f"({da or self.zero(e.left, a)} + {db or self.zero(e.right, b)})"
        if da and db:
            return text, f"({da} {op} {db})"
        d = da or (f"(-{db})" if op == "-" else str(db))
        constant = e.right if da else e.left
        if self.is_array(constant):
            text = self.atom(text)
            d = f"fit({d}, {text})"
        return text, d

    def _power(self, e: ast.BinOp, one: Both, other: Both) -> Both:
        (a, da), (p, dp) = one, other
        a, p = self.atom(a), self.atom(p)
        if dp is None and isinstance(e.right, ast.Constant):
            n: Any = e.right.value
            if n == 2:
                return f"({a} ** {p})", f"(2.0 * {a} * {da})"
            if n == 1:
                return f"({a} ** {p})", f"({da})"
            if n > 2:
                return f"({a} ** {p})", f"({p} * {a} ** {float(n) - 1.0!r} * {da})"
        y = self.atom(f"({a} ** {p})")
        return y, self.by_rule(e, np.power if self.is_array(e) else math.pow, y, [(a, da), (p, dp)])


def children(e: ast.expr | None) -> list[ast.expr]:
    """The expressions that an expression is made of."""
    return [] if e is None else [x for x in ast.iter_child_nodes(e) if isinstance(x, ast.expr)]


def closed(e: ast.expr) -> str:
    """The text of an expression, in parentheses where it needs them."""
    text = ast.unparse(e)
    simple = ast.Name | ast.Constant | ast.Subscript | ast.Call | ast.Attribute | ast.Tuple | ast.List | ast.ListComp
    return text if isinstance(e, simple) else f"({text})"


def place_of(index: ast.expr) -> str:
    """The text of an index in brackets."""
    if not isinstance(index, ast.Tuple):
        return ast.unparse(index)
    return ", ".join(map(ast.unparse, index.elts)) + "," * (len(index.elts) == 1)


def is_constant(f: Any) -> bool:
    """Whether nothing moves in what a function gives."""
    try:
        return bool(is_non_differentiable(f))
    except TypeError:
        return False
