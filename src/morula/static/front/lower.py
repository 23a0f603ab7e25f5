"""Lowering: the typed normal form becomes values that are assigned once."""

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types

from morula.static import ir
from morula.static.front.array_lists import ArrayLists, refuse_writes
from morula.static.front.calls import Calls
from morula.static.front.free_names import FreeNames
from morula.static.front.indexing import Indexing
from morula.static.front.inlining import FRESH
from morula.static.front.joins import Joins
from morula.static.front.kept import KeptCalls
from morula.static.front.list_order import ListOrder
from morula.static.front.lists import ListRef, Lists, has_list
from morula.static.front.loops import Loops
from morula.static.front.normal_form import NormalForm
from morula.static.front.operands import Items, Static, type_of, unified
from morula.static.front.room import Room
from morula.static.front.rows import Rows
from morula.static.front.types import LineTypes
from morula.static.ir import Block, Branch, Const, Function, Join, Op, Undefined, Value
from morula.static.naming import Names
from morula.static.unsupported import Unsupported

INT = types.intp


def lower(form: NormalForm, argument_types: tuple, line_types: LineTypes, raises_on_zero: bool = True) -> Function:
    """The intermediate representation of a function in normal form.

    Args:
        form: the function.
        argument_types: the Numba types of its parameters.
        line_types: the types of its lines.
        raises_on_zero: whether a division by zero raises (`error_model="python"`, as Numba does by itself).

    Raises:
        Unsupported: it uses something that has no representation.
    """
    return _Lowering(form, argument_types, line_types, raises_on_zero).run()


class _Lowering(ArrayLists, Calls, FreeNames, Joins, Indexing, Loops, KeptCalls, ListOrder, Lists, Room, Rows):
    def __init__(self, form: NormalForm, argument_types: tuple, line_types: LineTypes, raises_on_zero: bool):
        self.form = form
        self.raises_on_zero = raises_on_zero
        self.argument_types = argument_types
        self.line_types = line_types
        self.fresh = Names(form.namespace)
        self.callees: list[Any] = []
        self.block = Block()
        self.env: dict[str, Any] = {}
        self.roomy: frozenset[ListRef] = frozenset()
        self.appended: list[tuple[Value, Op]] = []
        self.constants: dict[int, Value] = {}
        self.line = self.call_line = 0  # the latter of the call in whose place a body stands

    def run(self) -> Function:
        parameters: list[Value] = []
        leaves: dict[Value, tuple[int, tuple[int, ...]]] = {}
        for place, (name, t) in enumerate(zip(self.form.parameters, self.argument_types, strict=True)):
            parameter = Value(self.fresh(name), t, None, self.block)
            parameters.append(parameter)
            if isinstance(t, types.BaseTuple):
                self.env[name] = self.leaf_items(parameter, t, place, (), leaves, name)
            elif isinstance(t, types.NoneType | types.Omitted):
                self.env[name] = Const(None)
            elif isinstance(t, types.EnumMember) and isinstance(t.dtype, types.Integer):
                self.env[name] = self.emit("unary", [parameter], name, t.dtype, attr="value")
            else:
                self.env[name] = parameter
                leaves[parameter] = (place, ())
        body = self.block
        try:
            self.statements(self.form.tree.body[:-1])
            last = self.form.tree.body[-1]
            assert isinstance(last, ast.Return)
            result = self.operand(last.value) if last.value is not None else Const(None)
            if has_list(result):
                raise Unsupported("a list that is returned")
            made = Function(self.form.name, parameters, body, result, leaves, self.form.namespace, self.form.user_lines)
            if self.appended:
                self.line = self.appended[0][1].line
                refuse_writes(made, self.appended)
        except Unsupported as error:
            if error.line is None and self.line:
                error.function, error.line = self.form.user_lines.get(self.line, ("", 0))
            raise
        made.callees = self.callees
        return made

    def leaf_items(self, value: Value, t: Any, place: int, path: tuple, leaves: dict, base: str) -> Items:
        items: list[Any] = []
        for k, item_type in enumerate(t.types):
            fields = getattr(t, "fields", ())
            name = f"{base}_{fields[k] if fields else k}"
            part = self.emit("item", [value], name, item_type, attr=k)
            if isinstance(item_type, types.BaseTuple):
                items.append(self.leaf_items(part, item_type, place, (*path, k), leaves, name))
            else:
                leaves[part] = (place, (*path, k))
                items.append(part)
        return Items(tuple(items), tuple(getattr(t, "fields", ())), t)

    # -- values -----------------------------------------------------------------------------------------------

    def value(self, base: str, t: types.Type, definition: Any = None) -> Value:
        return Value(self.fresh(base), t, definition, self.block, base)

    def emit(self, kind: str, args: list, base: str, t: types.Type, attr: Any = None) -> Value:
        """Append an operation with one result."""
        op = Op(kind, [], args, attr, self.line)
        out = self.value(base, t, op)
        op.outs.append(out)
        self.block.statements.append(op)
        return out

    def effect(self, kind: str, args: list, attr: Any = None) -> None:
        self.block.statements.append(Op(kind, [], args, attr, self.line))

    def operand(self, e: ast.expr) -> Any:
        """What an atom stands for."""
        if isinstance(e, ast.Constant):
            return Const(e.value)
        if isinstance(e, ast.UnaryOp) and isinstance(e.operand, ast.Constant):
            return Const(-e.operand.value)  # type: ignore[operator]
        if isinstance(e, ast.Name):
            if e.id in self.env:
                return self.env[e.id]
            if e.id in self.form.namespace:
                return self.static(e.id, self.form.namespace[e.id])
            return self.static(e.id, getattr(__import__("builtins"), e.id, Undefined()))
        if isinstance(e, ast.Attribute):
            owner = self.operand(e.value)
            if isinstance(owner, Static):
                return Static(getattr(owner.value, e.attr), f"{owner.name}.{e.attr}")
        raise Unsupported(f"the operand {ast.unparse(e)}")

    # -- statements -------------------------------------------------------------------------------------------

    def statements(self, body: list[ast.stmt]) -> None:
        for s in body:
            if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant):
                for name in str(s.value.value).removeprefix(FRESH).split():
                    self.env[name] = Undefined()
            elif not self.is_dead(s):
                self.line = self.call_line or s.lineno
                getattr(self, f"on_{type(s).__name__}")(s)

    def is_dead(self, s: ast.stmt) -> bool:
        """Whether Numba found that control never gets here."""
        return not any(getattr(node, "lineno", 0) in self.line_types.lines for node in ast.walk(s))

    def on_Pass(self, s: ast.Pass) -> None:
        pass

    def on_Expr(self, s: ast.Expr) -> None:
        self.expression(s.value, "t", None)

    def on_Raise(self, s: ast.Raise) -> None:
        if isinstance(s.exc, ast.Call):
            args = [self.operand(a) for a in s.exc.args]
            self.effect("raise", args, ast.unparse(s.exc.func))
        else:
            self.effect("raise", [], None if s.exc is None else ast.unparse(s.exc))

    def on_Assign(self, s: ast.Assign) -> None:
        target = s.targets[0]
        if isinstance(target, ast.Name):
            t = self.line_types.assigned.get(s.lineno, {}).get(target.id)
            self.env[target.id] = self.expression(s.value, target.id, t)
        else:
            assert isinstance(target, ast.Subscript)
            self.write(target, None, self.operand(s.value))

    def on_AugAssign(self, s: ast.AugAssign) -> None:
        value = self.operand(s.value)
        symbol = SYMBOLS[type(s.op)]
        if isinstance(s.target, ast.Subscript):
            self.write(s.target, symbol, value)
            return
        assert isinstance(s.target, ast.Name)
        held = self.env[s.target.id]
        if isinstance(held, ListRef):
            raise Unsupported("a list that is added to")
        t = self.line_types.assigned.get(s.lineno, {}).get(s.target.id)
        if t is None:
            return  # Numba found that it never runs
        if ir.is_array(held):
            self.write_array(held, symbol, value)
        else:
            self.env[s.target.id] = self.binary(symbol, held, value, s.target.id, t)

    def on_If(self, s: ast.If) -> None:
        test = self.operand(s.test)
        then_dead = all(self.is_dead(x) for x in s.body) and not isinstance(s.body[0], ast.Pass)
        else_dead = bool(s.orelse) and all(self.is_dead(x) for x in s.orelse)
        if isinstance(test, Const) or then_dead or else_dead:
            chosen = not then_dead if (then_dead or else_dead) else bool(test.value)
            self.statements(s.body if chosen else s.orelse)
            return
        self.fork(test, lambda: self.statements(s.body), lambda: self.statements(s.orelse), self.line)

    def fork(self, test: Any, then_part: Callable[[], None], else_part: Callable[[], None], line: int) -> None:
        """A branch, whose parts are lowered by functions."""
        branch = Branch(test, Block(), Block(), [], line)
        before = self.env
        envs = []
        for block, lower_part in ((branch.then, then_part), (branch.orelse, else_part)):
            block.owner, block.parent = branch, self.block
            self.block, self.env = block, dict(before)
            lower_part()
            envs.append(self.env)
            self.block = block.parent
        then, orelse = envs
        then_ends, else_ends = ends(branch.then), ends(branch.orelse)
        self.env = dict(before)
        self.block.statements.append(branch)
        for name in sorted({*then, *orelse}):
            a, b = then.get(name, Undefined()), orelse.get(name, Undefined())
            if then_ends:
                a = Undefined()
            if else_ends:
                b = Undefined()
            self.env[name] = a if a is b else self.join(branch, name, a, b)

    def join(self, branch: Branch, name: str, a: Any, b: Any) -> Any:
        """The value of a variable after a branch."""
        if isinstance(a, Const) and isinstance(b, Const) and type(a.value) is type(b.value) and a.value == b.value:
            return a
        if isinstance(a, Items) or isinstance(b, Items):
            some = a if isinstance(a, Items) else b
            if any(isinstance(x, Items) and len(x.items) != len(some.items) for x in (a, b)):
                return Undefined()
            parts = [x.items if isinstance(x, Items) else [Undefined()] * len(some.items) for x in (a, b)]
            joined = [self.join(branch, f"{name}_{k}", *pair) for k, pair in enumerate(zip(*parts, strict=True))]
            return Items(tuple(joined), some.fields, some.type)
        if isinstance(a, ListRef) or isinstance(b, ListRef):
            return a if isinstance(b, Undefined) else b if isinstance(a, Undefined) else Undefined()
        if isinstance(a, Static) or isinstance(b, Static):
            return a if isinstance(a, Static) else b
        t = unified([type_of(a), type_of(b)])
        if t is None:
            return Undefined()
        out = self.value(name, t, branch)
        branch.joins.append(Join(out, a, b))
        return out

    # -- expressions ------------------------------------------------------------------------------------------

    def expression(self, e: ast.expr, base: str, t: types.Type | None) -> Any:
        method = getattr(self, f"of_{type(e).__name__}", None)
        if method is None:
            raise Unsupported(f"an expression of the kind {type(e).__name__}")
        return method(e, base, t)

    def of_Constant(self, e: ast.Constant, base: str, t: Any) -> Any:
        return Const(e.value)

    def of_Name(self, e: ast.Name, base: str, t: Any) -> Any:
        return self.operand(e)

    def of_BinOp(self, e: ast.BinOp, base: str, t: Any) -> Any:
        symbol = SYMBOLS.get(type(e.op))
        if symbol is None:
            raise Unsupported("an operator of that kind")
        left, right = self.operand(e.left), self.operand(e.right)
        if isinstance(left, ListRef) and symbol == "*" and isinstance(right, Value | Const):
            return self.repeated_list(left, right, base)
        return self.binary(symbol, left, right, base, t)

    def of_UnaryOp(self, e: ast.UnaryOp, base: str, t: Any) -> Any:
        x = self.operand(e.operand)
        symbol = UNARY[type(e.op)]
        if isinstance(x, Const) and symbol == "not ":
            return Const(not x.value)
        if isinstance(x, ListRef) and symbol == "not ":
            return self.elementwise("binary", "==", [self.env[x.count], Const(0)], base, types.boolean)
        return self.elementwise("unary", symbol, [x], base, t)

    def of_Compare(self, e: ast.Compare, base: str, t: Any) -> Any:
        a, b = self.operand(e.left), self.operand(e.comparators[0])
        symbol = COMPARE[type(e.ops[0])]
        if symbol in ("is", "is not"):
            same = isinstance(a, Const) and a.value is None
            if not (isinstance(b, Const) and b.value is None):
                raise Unsupported("`is` between values")
            return Const(same == (symbol == "is"))
        if symbol in ("in", "not in") or isinstance(a, Items) or isinstance(b, Items):
            return self.membership(symbol, a, b)
        return self.elementwise("binary", symbol, [a, b], base, t)

    def of_Tuple(self, e: ast.Tuple, base: str, t: Any) -> Any:
        return Items(tuple(self.operand(item) for item in e.elts), (), t)

    def of_Subscript(self, e: ast.Subscript, base: str, t: Any) -> Any:
        x = self.operand(e.value)
        if isinstance(x, ListRef):
            return self.list_item(x, e.slice, base)
        if isinstance(x, Items):
            return self.tuple_item(x, e.slice)
        if not ir.is_array(x):
            raise Unsupported(f"indexing of {'a record' if isinstance(type_of(x), types.Record) else type_of(x)}")
        x, template = self.looked_into(x, e.slice, may_copy=True)
        if all(kind == "index" for kind, _ in template) and len(template) == x.type.ndim:
            return self.load(x, [v for _, v in template], base)
        if any(kind == "array" for kind, _ in template):
            return self.gather(x, template, base, t)
        return self.view(x, template, base, t)

    def tuple_item(self, x: Items, index: ast.expr) -> Any:
        if isinstance(index, ast.Slice):
            parts = [None if p is None else self.operand(p) for p in (index.lower, index.upper, index.step)]
            if any(p is not None and not isinstance(p, Const) for p in parts):
                raise Unsupported("a slice of a tuple")
            return Items(x.items[slice(*[None if p is None else p.value for p in parts])])
        k = self.operand(index)
        if not isinstance(k, Const):
            return self.chosen_item(x, k)
        return x.items[k.value]

    def chosen_item(self, x: Items, k: Any) -> Any:
        """The item of a tuple of numbers that a variable names."""
        found = [type_of(item) for item in x.items]
        if not found or any(t != found[0] for t in found) or not isinstance(found[0], types.Number):
            raise Unsupported("a tuple of something other than numbers of one type that is indexed by a variable")
        below = self.elementwise("binary", "<", [k, Const(0)], "below", types.boolean)
        k = self.elementwise("call", np.where, [below, self.binary("+", k, Const(len(found)), "k", INT), k], "k", INT)
        for symbol, bound in (("<", 0), (">=", len(found))):
            test = self.elementwise("binary", symbol, [k, Const(bound)], "beside", types.boolean)
            self.raise_if(test, "IndexError", "tuple index out of range")
        item = x.items[-1]
        for place in range(len(found) - 2, -1, -1):
            test = self.elementwise("binary", "==", [k, Const(place)], "here", types.boolean)
            item = self.elementwise("call", np.where, [test, x.items[place], item], "item", found[0])
        return item

    def of_Attribute(self, e: ast.Attribute, base: str, t: Any) -> Any:
        owner = self.operand(e.value)
        if isinstance(owner, Static):
            return self.static(e.attr, getattr(owner.value, e.attr))
        if isinstance(owner, Items):
            if e.attr in owner.fields:
                return owner.items[owner.fields.index(e.attr)]
            raise Unsupported(f"the attribute {e.attr} of a tuple")
        return self.attribute(owner, e.attr, base, t)


def ends(block: Block) -> bool:
    """Whether a block ends by raising."""
    last = block.statements[-1] if block.statements else None
    return isinstance(last, Op) and last.kind == "raise"


SYMBOLS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
UNARY: dict[type, str] = {ast.USub: "-", ast.UAdd: "+", ast.Not: "not ", ast.Invert: "~"}
COMPARE: dict[type, str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
