"""Expressions in shadow-passing form.

``Expressions.expr(node)`` emits the statements that compute `node` in Python's own order of evaluation and
returns where the result is: an `Operand`, a pair of atoms (names or constants) for value and shadow. A shadow
of None means that the value can never be active, and no code at all is spent on it.
"""

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from morula.transform import names
from morula.transform.build import (
    assign,
    constant,
    ctx_call,
    fresh,
    is_none,
    load,
    none,
    pair,
    store,
    tuple_of,
)
from morula.transform.names import COMPREHENSIONS, Globals, Scope
from morula.transform.syntax import place, walk

BINARY = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
}
UNARY = {ast.UAdd: "pos", ast.USub: "neg", ast.Invert: "invert"}
COMPARE = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
# Attributes that every library keeps for numbers; anything else read off a module is asked of the context.
NUMBER_MODULES = ("math", "cmath", "numpy")


@dataclass(frozen=True)
class Operand:
    """Where a computed expression is: atoms for its value and its shadow (None: never active)."""

    at: ast.expr
    shadow_at: ast.expr | None = None

    @property
    def value(self) -> ast.expr:
        return fresh(self.at)

    @property
    def shadow(self) -> ast.expr | None:
        return None if self.shadow_at is None else fresh(self.shadow_at)

    @property
    def d(self) -> ast.expr:
        """The shadow as an expression in any case."""
        return self.shadow or none()


class Refused(Exception):
    """A construct that has no shadow-passing form; the whole function is then refused when it is met."""

    def __init__(self, construct: str, node: ast.AST):
        super().__init__(construct)
        self.construct = construct
        self.line = getattr(node, "lineno", 0)


class Expressions:
    """Emits expressions into ``self.out``; `Statements` builds on it."""

    def __init__(self, scope: Scope, global_names: Globals, suffix: str, taken: set[str]):
        self.scope = scope
        self.global_names = global_names
        self.suffix = suffix  # of a shadow's name; no name of the function ends with it
        self.taken = taken  # every identifier of the function, so that temporaries never clash
        self.out: list[ast.stmt] = []
        self.count = 0
        self.kept = 0
        self.class_shadows: dict[str, str] | None = None  # in a class body: the names it binds, their shadows
        self.here: ast.AST = ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)

    # -- emission -----------------------------------------------------------------------------------------

    def emit(self, statement: ast.stmt, like: ast.AST | None = None) -> None:
        place(statement, like if like is not None else self.here)
        self.out.append(statement)

    def fresh(self) -> str:
        """A temporary that lives until the next statement of the user."""
        if self.class_shadows is not None:
            return self.lasting("c")  # a variable of the function around the class
        while True:
            self.count += 1
            name = f"t{self.count}"
            if name not in self.taken:
                return name

    def is_fresh(self, name: str) -> bool:
        """Whether `fresh` makes names like this one."""
        return name.startswith("t") and name[1:].isdecimal() and name not in self.taken

    def lasting(self, stem: str) -> str:
        """A temporary that lives through the body of a compound statement."""
        while True:
            self.kept += 1
            name = f"{stem}{self.kept}"
            if name not in self.taken:
                self.taken.add(name)
                return name

    def d(self, name: str) -> str:
        shadow = self.class_shadows.get(name) if self.class_shadows is not None else None
        return shadow or name + self.suffix

    def block(self, build: Callable[[], Any]) -> tuple[list[ast.stmt], Any]:
        """Run `build` with a new list to emit into; return the list and its result."""
        outer, self.out = self.out, []
        try:
            result = build()
            return self.out, result
        finally:
            self.out = outer

    def into(self, call: ast.expr, target: str | None) -> Operand:
        """``target, target_d = call``, into a new temporary when there is no target."""
        name = target or self.fresh()
        self.emit(assign(pair(name, self.d(name)), call))
        return Operand(load(name), load(self.d(name)))

    def value_into(self, value: ast.expr) -> Operand:
        """``t = value``, never active."""
        name = self.fresh()
        self.emit(assign(store(name), value))
        return Operand(load(name))

    # -- operands -----------------------------------------------------------------------------------------

    def expr(self, node: ast.expr, target: str | None = None) -> Operand:
        """Emit `node`; `target` may name the variable that is about to receive it."""
        before = self.here
        self.here = node
        try:
            method = getattr(self, "_" + type(node).__name__, None)
            if method is None:
                raise Refused(f"the expression {type(node).__name__}", node)
            return method(node, target)
        finally:
            self.here = before

    def exprs(self, nodes: list[ast.expr]) -> list[Operand]:
        """Several operands, left to right; a name that a later one may rebind is copied first."""
        operands = []
        for i, node in enumerate(nodes):
            operand = self.expr(node)
            if isinstance(operand.value, ast.Name) and self._may_change(operand.value.id, nodes[i + 1 :]):
                operand = self.copied(operand)
            operands.append(operand)
        return operands

    def _may_change(self, name: str, later: list[ast.expr]) -> bool:
        acts = [n for node in later for n in walk(node) if not isinstance(n, ast.Name | ast.Constant)]
        if not acts:
            return False
        if any(isinstance(n, ast.NamedExpr) and n.target.id == name for n in acts):
            return True
        return self.scope.is_shared(name) or (not self.scope.is_variable(name) and name in self.global_names.namespace)

    def copied(self, operand: Operand) -> Operand:
        if operand.shadow is None:
            return self.value_into(operand.value)
        return self.into(tuple_of([operand.value, operand.shadow]), None)

    def pack(self, shadows: list[ast.expr | None]) -> ast.expr | None:
        """The shadow of a tuple display: None where every part is."""
        if all(s is None for s in shadows):
            return None
        live = [s for s in shadows if s is not None]
        whole = tuple_of([none() if s is None else s for s in shadows])
        return ast.IfExp(is_none(*live), none(), whole)

    # -- atoms --------------------------------------------------------------------------------------------

    def _Constant(self, node: ast.Constant, target: str | None) -> Operand:
        return Operand(constant(node.value))

    def _Name(self, node: ast.Name, target: str | None) -> Operand:
        if not self.scope.is_variable(node.id):
            self.global_names.read.add(node.id)
            return self._state(node.id) if node.id in self.global_names.state else Operand(load(node.id))
        if self.scope.is_inactive(node.id):
            return Operand(load(node.id))
        return Operand(load(node.id), load(self.d(node.id)))

    def _state(self, name: str) -> Operand:
        """A global variable that programs rebind, with its shadow."""
        value = self.fresh()
        self.emit(assign(store(value), load(name)))
        self.emit(assign(store(self.d(value)), ctx_call("global_shadow", constant(name), load(value))))
        return Operand(load(value), load(self.d(value)))

    def _NamedExpr(self, node: ast.NamedExpr, target: str | None) -> Operand:
        operand = self.expr(node.value)
        self.assign_name(node.target.id, operand)
        return self._Name(node.target, None)

    def assign_name(self, name: str, operand: Operand) -> None:
        """``name = value`` for a variable or a global of this function."""
        if not self.scope.is_variable(name):  # declared global
            self.emit(assign(store(name), operand.value))
            self.emit(ast.Expr(ctx_call("global_written", constant(name), operand.value, operand.d)))
        elif self.scope.is_inactive(name):
            self.emit(assign(store(name), operand.value))
        elif isinstance(operand.value, ast.Name) and operand.value.id == name:
            if not self._has_just_set(name):  # ``x = x``, which raises where it is not bound
                self.emit(ast.Expr(operand.value))
        else:
            self.emit(assign(pair(name, self.d(name)), tuple_of([operand.value, operand.d])))

    def _has_just_set(self, name: str) -> bool:
        """Whether the last statement was emitted straight into a variable."""
        last = self.out[-1] if self.out else None
        targets = walk(last.targets[0]) if isinstance(last, ast.Assign) else ()
        return any(isinstance(n, ast.Name) and n.id == name for n in targets)

    def _JoinedStr(self, node: ast.JoinedStr, target: str | None) -> Operand:
        return self.value_into(self._joined(node))

    def _joined(self, node: ast.JoinedStr) -> ast.JoinedStr:
        values: list[ast.expr] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self._told(part.value)
                spec = self._joined(part.format_spec) if isinstance(part.format_spec, ast.JoinedStr) else None
                values.append(ast.FormattedValue(value, part.conversion, spec))
            else:
                values.append(part)
        return ast.JoinedStr(values)

    def _told(self, node: ast.expr) -> ast.expr:
        """A value that becomes text, of which the context is told where it may be active."""
        operand = self.copied(self.expr(node))
        return operand.value if self.inert(node) else ctx_call("tell", operand.value, operand.d)

    # -- operators ----------------------------------------------------------------------------------------

    def _BinOp(self, node: ast.BinOp, target: str | None) -> Operand:
        left, right = self.exprs([node.left, node.right])
        if self.inert(node.left, node.right):
            return self.value_into(ast.BinOp(left.value, node.op, right.value))
        return self.into(ctx_call(BINARY[type(node.op)], left.value, left.d, right.value, right.d), target)

    def inert(self, *nodes: ast.expr) -> bool:
        """Whether operands can neither be active nor hold anything active, so that a plain operator will do."""
        return all(names.is_inactive(node, self.scope, self.global_names) for node in nodes)

    def _UnaryOp(self, node: ast.UnaryOp, target: str | None) -> Operand:
        operand = self.expr(node.operand)
        if isinstance(node.op, ast.Not):
            return self.value_into(ast.UnaryOp(ast.Not(), operand.value))
        if self.inert(node.operand):
            if isinstance(operand.value, ast.Constant):
                return Operand(ast.UnaryOp(node.op, operand.value))
            return self.value_into(ast.UnaryOp(node.op, operand.value))
        return self.into(ctx_call(UNARY[type(node.op)], operand.value, operand.d), target)

    def _Compare(self, node: ast.Compare, target: str | None) -> Operand:
        if len(node.ops) == 1:
            left, right = self.exprs([node.left, node.comparators[0]])
            plain = self.inert(node.left, node.comparators[0])
            return self.value_into(self._comparison(node.ops[0], left, right, plain))
        result = self.fresh()
        self._compare_chain(
            result, self.copied(self.expr(node.left)), list(zip(node.ops, node.comparators, strict=True))
        )
        return Operand(load(result))

    def _compare_chain(self, result: str, left: Operand, rest: list[tuple[ast.cmpop, ast.expr]]) -> None:
        op, node = rest[0]
        right = self.copied(self.expr(node)) if len(rest) > 1 else self.expr(node)
        self.emit(assign(store(result), self._comparison(op, left, right, False)))
        if len(rest) > 1:
            body, _ = self.block(lambda: self._compare_chain(result, right, rest[1:]))
            self.emit(ast.If(load(result), body, []))

    def _comparison(self, op: ast.cmpop, left: Operand, right: Operand, plain: bool) -> ast.expr:
        if plain or isinstance(op, ast.Is | ast.IsNot):
            return ast.Compare(left.value, [op], [right.value])
        if isinstance(op, ast.In | ast.NotIn):
            inside = ctx_call("contains", right.value, right.d, left.value, left.d)
            return ast.UnaryOp(ast.Not(), inside) if isinstance(op, ast.NotIn) else inside
        return ctx_call(COMPARE[type(op)], left.value, left.d, right.value, right.d)

    def _BoolOp(self, node: ast.BoolOp, target: str | None) -> Operand:
        result = self.fresh()
        active = self._short_circuit(result, node.op, node.values)
        return Operand(load(result), load(self.d(result)) if active else None)

    def _short_circuit(self, result: str, op: ast.boolop, values: list[ast.expr]) -> bool:
        active = not names.is_inactive(ast.BoolOp(op, values), self.scope, self.global_names)
        self._set(result, self.expr(values[0]), active)
        if len(values) > 1:
            body, _ = self.block(lambda: self._rest(result, op, values[1:], active))
            test = load(result) if isinstance(op, ast.And) else ast.UnaryOp(ast.Not(), load(result))
            self.emit(ast.If(test, body, []))
        return active

    def _rest(self, result: str, op: ast.boolop, values: list[ast.expr], active: bool) -> None:
        for i, value in enumerate(values):
            self._set(result, self.expr(value), active)
            if i + 1 < len(values):
                body, _ = self.block(lambda i=i: self._rest(result, op, values[i + 1 :], active))  # type: ignore[misc]
                test = load(result) if isinstance(op, ast.And) else ast.UnaryOp(ast.Not(), load(result))
                self.emit(ast.If(test, body, []))
                return

    def _set(self, name: str, operand: Operand, active: bool) -> None:
        if active:
            self.emit(assign(pair(name, self.d(name)), tuple_of([operand.value, operand.d])))
        else:
            self.emit(assign(store(name), operand.value))

    def _IfExp(self, node: ast.IfExp, target: str | None) -> Operand:
        test = self.expr(node.test)
        result = self.fresh()
        active = not names.is_inactive(node, self.scope, self.global_names)
        body, _ = self.block(lambda: self._set(result, self.expr(node.body), active))
        orelse, _ = self.block(lambda: self._set(result, self.expr(node.orelse), active))
        self.emit(ast.If(test.value, body, orelse))
        return Operand(load(result), load(self.d(result)) if active else None)

    # -- access -------------------------------------------------------------------------------------------

    def _Attribute(self, node: ast.Attribute, target: str | None) -> Operand:
        static = self.static_object(node)
        if static is not None:
            return Operand(self._static_chain(node))
        base = self.expr(node.value)
        return self.into(ctx_call("getattr", base.value, base.d, constant(node.attr)), target)

    def static_object(self, node: ast.expr) -> Any:
        """The function, class, module or library constant that a dotted name stands for, else None."""
        if isinstance(node, ast.Name):
            owner = self.scope.owner(node.id)
            if owner is not None:
                return sys.modules.get(owner.imports.get(node.id, ""))
            return self.global_names.static(node.id)
        if isinstance(node, ast.Attribute):
            base = self.static_object(node.value)
            if isinstance(base, ModuleType):
                value = vars(base).get(node.attr)
                if names.is_static(value):
                    return value
                if base.__name__.split(".")[0] in NUMBER_MODULES and (
                    callable(value) or isinstance(value, int | float | complex) or node.attr == "newaxis"
                ):
                    return value if value is not None else constant
        return None

    def _static_chain(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Attribute):
            return ast.Attribute(self._static_chain(node.value), node.attr, ast.Load())
        assert isinstance(node, ast.Name)
        return load(node.id)

    def _Subscript(self, node: ast.Subscript, target: str | None) -> Operand:
        base, key = self.exprs([node.value, node.slice])
        return self.into(ctx_call("getitem", base.value, base.d, key.value, key.d), target)

    def _Slice(self, node: ast.Slice, target: str | None) -> Operand:
        parts = self.exprs([p if p is not None else none() for p in (node.lower, node.upper, node.step)])
        plain = ctx_call("slice", *(p.value for p in parts))
        active: list[ast.expr] = [ast.Compare(p.d, [ast.IsNot()], [none()]) for p in parts if p.shadow is not None]
        if not active:
            return self.value_into(plain)
        checked = ctx_call("active_slice", *(part for p in parts for part in (p.value, p.d)))
        is_active = ast.BoolOp(ast.Or(), active) if len(active) > 1 else active[0]
        return self.value_into(ast.IfExp(is_active, checked, plain))

    def _Starred(self, node: ast.Starred, target: str | None) -> Operand:
        raise Refused("a starred expression here", node)

    # -- functions inside expressions ---------------------------------------------------------------------

    def comprehension(self, node: Any, target: str | None) -> Operand:
        raise NotImplementedError  # `Comprehensions` knows how

    _ListComp = _SetComp = _DictComp = _GeneratorExp = lambda self, node, target: self.comprehension(node, target)

    def _Yield(self, node: ast.Yield, target: str | None) -> Operand:
        operand = self.expr(node.value) if node.value is not None else Operand(none())
        sent = ctx_call("sent", ast.Yield(tuple_of([operand.value, operand.d])))
        return self.into(sent, target)

    def _YieldFrom(self, node: ast.YieldFrom, target: str | None) -> Operand:
        operand = self.expr(node.value)
        return self.into(ast.YieldFrom(ctx_call("delegate", operand.value, operand.d)), target)

    def _Await(self, node: ast.Await, target: str | None) -> Operand:
        raise Refused("await", node)


assert all(hasattr(Expressions, "_" + c.__name__) for c in COMPREHENSIONS)
