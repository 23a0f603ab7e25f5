"""Twins that say where they are: what `morula.explain` runs in place of the twins of every other run.

A marked twin is the twin with calls between its statements, ``ctx.at((file, line))`` where a line begins and
``ctx.again((file, line))`` where one goes on after a call, and with calls around the operations that may end activity:

    ``ctx.lt(x, x_d, 0.0, None)``       becomes ``ctx.ended("lt", ctx.lt(x, x_d, 0.0, None), x_d, None)``
    ``ctx.on1[round](ctx, x, x_d)``     becomes ``ctx.watched1(round, x, x_d)``
    ``ctx.method(x, x_d, "sum", ...)``  becomes ``ctx.watched("method", x, x_d, "sum", ...)``
    ``str(x)``                          becomes ``ctx.ended("str", str(x), x_d)``
"""

import ast
from types import CodeType, FunctionType
from typing import Any

from morula.transform.build import CTX, ctx_call, fresh
from morula.transform.codes import ByCode
from morula.transform.deep import deeply
from morula.transform.reading import reading_of
from morula.transform.syntax import one_at_a_time, place
from morula.transform.template import _compiled, _Made

__all__ = ["marked_code"]

WATCHED = frozenset({"method", "call", "call1", "call2"})
ENDS = frozenset({"lt", "le", "gt", "ge", "eq", "ne", "contains", "whole_number"})
TABLES = ("on1", "on2", "on3", "on_list")
CALLS = frozenset({"method", "call", "call1", "call2", *TABLES, "getattr", "getitem", "setitem", "setattr", "iter"})
PLAIN_ENDS = frozenset({"str", "repr", "int", "bool", "format", "hash"})
_marked: ByCode[CodeType] = ByCode()


def marked_code(function: FunctionType) -> CodeType:
    """The code of the marked twin of a function that has a twin."""
    code = function.__code__
    found = _marked.get(code)
    if found is None:
        with one_at_a_time:
            where = reading_of(code)

            def make() -> CodeType:
                made = _Made(function, where)
                assert made.twin is not None
                twin = Marker(code.co_filename, made.suffix).marked(made.twin)
                return _compiled(twin, code, made.suffix, where)[0]

            found = deeply(make)
            _marked.put(code, found)
    return found


class Marker(ast.NodeTransformer):
    """Writes the marks into a twin."""

    def __init__(self, filename: str, suffix: str):
        self.filename = filename
        self.suffix = suffix
        self.shadows: set[str] = set()
        self.unset: set[str] = set()  # of temporaries that were last given a value without one

    def marked(self, twin: ast.FunctionDef) -> ast.FunctionDef:
        """The twin with marks."""
        self.shadows = {n.id for n in ast.walk(twin) if isinstance(n, ast.Name) and n.id.endswith(self.suffix)}
        self.shadows |= {a.arg for a in twin.args.args if a.arg.endswith(self.suffix)}
        self._blocks(twin)
        return twin

    def _blocks(self, node: Any) -> None:
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, self._block(block) if field in ("body", "orelse", "finalbody") else block)
                if field in ("handlers", "cases"):
                    for part in block:
                        self._blocks(part)

    def _block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        line, called = None, False
        for statement in block:
            if not isinstance(statement, ast.Nonlocal | ast.Global | ast.FunctionDef | ast.ClassDef | ast.Pass):
                if statement.lineno != line:
                    out.append(self._mark("at", statement))
                elif called:
                    out.append(self._mark("again", statement))
                line, called = statement.lineno, _calls(statement)
            out.append(statement)
            if isinstance(statement, ast.FunctionDef):
                if statement.args.args and statement.args.args[0].arg == CTX:
                    self._blocks(statement)  # a comprehension
            elif isinstance(statement, ast.ClassDef):
                continue
            elif isinstance(statement, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Match | ast.TryStar):
                self._blocks(statement)
                for field in ("test", "iter", "subject"):
                    if hasattr(statement, field):
                        setattr(statement, field, self.visit(getattr(statement, field)))
            else:
                out[-1] = self.visit(statement)
                self._note_shadows(statement)
        return out

    def _note_shadows(self, statement: ast.stmt) -> None:
        """A temporary has a shadow in one place of a twin and none in another; it never lives on into a later line."""
        bound = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for name in bound:
            d = name + self.suffix
            (self.unset.discard if d in bound else self.unset.add)(d)
        self.unset -= bound

    def _has_shadow(self, name: str) -> bool:
        d = name + self.suffix
        return d in self.shadows and d not in self.unset

    def _mark(self, kind: str, like: ast.stmt) -> ast.stmt:
        mark = ast.Expr(ctx_call(kind, ast.Constant((self.filename, like.lineno))))  # type: ignore[arg-type]
        place(mark, like)
        return mark

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """The user's, which is called elsewhere."""
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """An operation of the context, or a plain call."""
        self.generic_visit(node)
        f = node.func
        if isinstance(f, ast.Subscript) and (table := _of_context(f.value)) in TABLES:
            made = ctx_call(table.replace("on", "watched", 1), f.slice, *node.args[1:])
        elif (name := _of_context(f)) in ENDS:
            made = ctx_call("ended", ast.Constant(name), node, *(fresh(d) for d in node.args[1::2]))
        elif name in WATCHED:
            made = ctx_call("watched", ast.Constant(name), *node.args)
            made.keywords = node.keywords
        elif name == "text" and isinstance(node.args[0], ast.Name):
            made = ctx_call("ended", ast.Constant(node.args[0].id), node, fresh(node.args[2]))
        elif isinstance(f, ast.Name) and f.id in PLAIN_ENDS and node.args and isinstance(node.args[0], ast.Name):
            x = node.args[0].id
            if not self._has_shadow(x):
                return node
            made = ctx_call("ended", ast.Constant(f.id), node, ast.Name(x + self.suffix, ast.Load()))
        else:
            return node
        place(made, node)
        return made

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """An f-string shows values, whose derivatives it loses."""
        shown = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
        shadows: list[ast.expr] = [ast.Name(x + self.suffix, ast.Load()) for x in shown if self._has_shadow(x)]
        if not shadows:
            return node
        made = ctx_call("ended", ast.Constant("an f-string"), node, *shadows)
        place(made, node)
        return made


def _of_context(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == CTX:
        return node.attr
    return None


def _calls(statement: ast.stmt) -> bool:
    return any(_of_context(n) in CALLS for n in ast.walk(statement) if isinstance(n, ast.expr))
