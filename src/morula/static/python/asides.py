"""Calls that are statements of their own: ``t = step(u); total += t`` for ``total += step(u)``.

What a function writes into arrays that it is given is seen by whatever is computed afterwards. Where its call is all
that a statement computes, it is known what that is. So everything that an expression has come to before the call gets
a variable, and so does the call; what follows is read from these.
"""

from __future__ import annotations

import ast
from collections.abc import Set
from copy import copy
from types import CodeType
from typing import Any

from morula.transform.syntax import walk

__all__ = ["as_written", "called_apart"]

BLOCKS = ("body", "orelse", "finalbody")


class _InNoOrder(Exception):
    """A call in an expression that may not come to it, or in another order."""


def called_apart(function: Any, calls: Set[int], code: CodeType) -> tuple[ast.FunctionDef, set[str]] | None:
    """A function in which these calls, by their identities, are statements of their own, and its new variables.

    None where that cannot be. All other statements are those that they were.

    >>> f = ast.parse("def f(u):\\n n = 0\\n while n + step(u) > 1: n += 1").body[0]
    >>> calls = {id(n) for n in walk(f) if isinstance(n, ast.Call)}
    >>> print(ast.unparse(called_apart(f, calls, compile("0", "", "eval"))[0].body[1]))
    while True:
        aside0 = step(u)
        if not n + aside0 > 1:
            break
        n += 1
    """
    if not isinstance(function, ast.FunctionDef):
        return None
    apart = _Apart(calls, code, function)
    try:
        found = copy(function)
        found.body = apart.block(function.body)
    except _InNoOrder:
        return None
    return found, apart.names


def as_written(call: Any) -> Any:
    """The call in the program's text that one in such a function is."""
    return getattr(call, "as_written", call)


class _Apart:
    def __init__(self, calls: Set[int], code: CodeType, function: ast.FunctionDef):
        self.calls, self.code = calls, code
        self.taken = {n.id for n in walk(function) if isinstance(n, ast.Name)} | {*code.co_names, *code.co_varnames}
        self.names: set[str] = set()
        self.named: set[str] = set()  # what the statement assigns inside expressions
        self.before: list[ast.stmt] = []  # what comes before the statement that is read

    def has_call(self, node: ast.AST) -> bool:
        return any(id(n) in self.calls for n in walk(node))

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [part for s in statements for part in (self.statement(s) if self.has_call(s) else [s])]

    def statement(self, s: Any) -> list[ast.stmt]:
        s = copy(s)
        for name in BLOCKS:
            if getattr(s, name, None):
                setattr(s, name, self.block(getattr(s, name)))
        if isinstance(s, ast.Try):
            s.handlers = [copy(h) for h in s.handlers]
            for handler in s.handlers:
                handler.body = self.block(handler.body)
        outer, self.before = self.before, []
        self.named = {n.target.id for n in walk(s) if isinstance(n, ast.NamedExpr)}
        if isinstance(s, ast.While) and self.has_call(s.test):
            s = self._loop(s)
        elif isinstance(s, ast.If):
            s.test = self.expression(s.test)
        elif isinstance(s, ast.AugAssign) and self.has_call(s):
            if not isinstance(s.target, ast.Name) or self._may_change(s.target.id):
                raise _InNoOrder
            s.value = self.expression(s.value)
        elif isinstance(s, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return) and s.value is not None:
            s.value = self.expression(s.value)
        if any(self.has_call(n) for n in ast.iter_child_nodes(s) if not isinstance(n, ast.stmt | ast.ExceptHandler)):
            raise _InNoOrder
        found, self.before = [*self.before, s], outer
        return found

    def _loop(self, s: ast.While) -> ast.While:
        if s.orelse:
            raise _InNoOrder
        tests = s.test.values if isinstance(s.test, ast.BoolOp) and isinstance(s.test.op, ast.And) else [s.test]
        for test in tests:
            held = self.expression(test)
            leave = ast.If(ast.UnaryOp(ast.Not(), held), [ast.Break()], [])
            self.before.append(ast.fix_missing_locations(ast.copy_location(leave, test)))
        found = ast.copy_location(ast.While(ast.copy_location(ast.Constant(True), s.test), self.before + s.body, []), s)
        self.before = []
        return found

    def expression(self, e: ast.expr) -> ast.expr:
        """What gives the value of an expression once the statements `before` have run."""
        if not self.has_call(e):
            return e
        if isinstance(e, ast.NamedExpr):
            self.before.append(ast.copy_location(ast.Assign([e.target], self.expression(e.value)), e))
            return ast.copy_location(ast.Name(e.target.id, ast.Load()), e)
        if isinstance(e, ast.Call) and id(e) in self.calls:
            inner = self._parts(e) if any(self.has_call(n) for n in ast.iter_child_nodes(e)) else e
            assert isinstance(inner, ast.Call)
            return self._kept(inner)
        return self._parts(e)

    def _parts(self, e: ast.expr) -> ast.expr:
        """The expression, with parts of it that are come to before a call in variables."""
        found: Any = copy(e)
        places: list[tuple[Any, Any]]  # in the order in which Python comes to them
        if isinstance(e, ast.BinOp):
            places = [(found, "left"), (found, "right")]
        elif isinstance(e, ast.UnaryOp):
            places = [(found, "operand")]
        elif isinstance(e, ast.Subscript):
            places = [(found, "value"), (found, "slice")]
        elif isinstance(e, ast.Attribute):
            places = [(found, "value")]
        elif isinstance(e, ast.Compare) and len(e.ops) == 1:
            found.comparators = list(e.comparators)
            places = [(found, "left"), (found.comparators, 0)]
        elif isinstance(e, ast.Tuple | ast.List):
            found.elts = list(e.elts)
            places = [(found.elts, i) for i in range(len(e.elts))]
        elif isinstance(e, ast.IfExp) and self.has_call(e.test):
            places = [(found, "test")]
        elif isinstance(e, ast.BoolOp):
            found.values = list(e.values)
            places = [(found.values, 0)]
        elif isinstance(e, ast.Call):
            found.args, found.keywords = list(e.args), [copy(k) for k in e.keywords]
            places = [(found.args, i) for i in range(len(e.args))] + [(k, "value") for k in found.keywords]
            found.as_written = as_written(e)
            if isinstance(e.func, ast.Attribute) and self.has_call(e.func) and not any(map(self.has_call, e.args)):
                found.func = copy(e.func)  # a method of what the call gives
                places = [(found.func, "value")]
            elif not self._is_function(e.func):
                raise _InNoOrder
        else:
            raise _InNoOrder
        parts = [owner[at] if isinstance(at, int) else getattr(owner, at) for owner, at in places]
        last = max((i for i, part in enumerate(parts) if self.has_call(part)), default=-1)
        for i, ((owner, at), part) in enumerate(zip(places[: last + 1], parts, strict=False)):
            new = self.expression(part)
            if i < last and not self._is_still(new):
                new = self._kept(new)
            if isinstance(at, int):
                owner[at] = new
            else:
                setattr(owner, at, new)
        return found

    def _kept(self, e: ast.expr) -> ast.expr:
        """A variable that holds what an expression comes to now."""
        if isinstance(e, ast.Starred | ast.Slice):
            raise _InNoOrder
        name = f"aside{len(self.names)}"
        while name in self.taken:
            name += "_"
        self.names.add(name)
        self.taken.add(name)
        target = ast.copy_location(ast.Name(name, ast.Store()), e)
        self.before.append(ast.copy_location(ast.Assign([target], e), e))
        return ast.copy_location(ast.Name(name, ast.Load()), e)

    def _is_function(self, e: ast.expr) -> bool:
        """Whether a call of it may be looked up behind other calls: a function from outside, maybe of a module."""
        name = e.value if isinstance(e, ast.Attribute) else e
        return isinstance(name, ast.Name) and (name.id not in self.code.co_varnames or isinstance(e, ast.Name)) \
            and not self._may_change(name.id)  # fmt: skip

    def _is_still(self, e: ast.expr) -> bool:
        """Whether an expression is the same thing behind a call."""
        if isinstance(e, ast.Name):
            return e.id in self.names or not self._may_change(e.id)
        return isinstance(e, ast.Constant) or (isinstance(e, ast.UnaryOp) and isinstance(e.operand, ast.Constant))

    def _may_change(self, name: str) -> bool:
        """Whether a function that is called, or an assignment inside the expression, may assign to the variable."""
        return name in self.code.co_cellvars or name in self.code.co_freevars or name in self.named
