"""Comprehensions and generator expressions: functions of their own, called at once."""

import ast
from typing import Any

from morula.transform import names
from morula.transform.build import CTX, assign, constant, ctx_call, load, pair, tuple_of
from morula.transform.call_expressions import CallExpressions
from morula.transform.expressions import Operand, Refused
from morula.transform.names import Scope
from morula.transform.syntax import walk


class Comprehensions(CallExpressions):
    """Emits comprehensions; `Statements` builds on it."""

    first_parameter: str | None = None  # of the function, for super()

    def assign(self, target: ast.expr, operand: Operand) -> None:
        raise NotImplementedError  # `Statements` knows how

    def comprehension(self, node: Any, target: str | None) -> Operand:
        """A function of its own, called at once: its variables are its own, as in Python."""
        if any(g.is_async for g in node.generators):
            raise Refused("an asynchronous comprehension", node)
        first = self.expr(node.generators[0].iter)
        kind = type(node).__name__.lower()
        name, source = self.lasting(kind), self.lasting("source")
        local = names.bound_names([g.target for g in node.generators])
        heads: list[Any] = [
            *(n for g in node.generators for n in g.ifs),
            *(g.iter for g in node.generators[1:]),
        ]
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        captured = names.names_in_functions([*heads, *elements])
        around = self.scope if self.class_shadows is None else self.scope.parent  # a class body is no scope for it
        scope = Scope(local | {source}, parent=around, captured=captured & local)
        inner = type(self)(scope, self.global_names, self.suffix, self.taken)
        inner.here, inner.kept, inner.first_parameter = node, self.kept, self.first_parameter
        inner.pair_cells([*heads, *elements])
        rebound = {
            n.target.id
            for part in [*heads, *elements]
            for n in walk(part)
            if isinstance(n, ast.NamedExpr) and isinstance(n.target, ast.Name)
        }
        shared = [n for n in sorted(rebound) if self.scope.is_variable(n)]
        if shared:
            siblings = [self.d(n) for n in shared if not self.scope.is_inactive(n)]
            inner.out.insert(0, ast.Nonlocal([*shared, *siblings]))
        collected, shadows = inner.lasting("items"), None
        if not isinstance(node, ast.GeneratorExp):
            shadows = inner.d(collected)
            empty: list[ast.expr] = [
                ast.Dict([], []) if isinstance(node, ast.DictComp) else ast.List([], ast.Load()) for _ in range(2)
            ]
            if isinstance(node, ast.SetComp):
                empty[0] = ast.Set([ast.Starred(tuple_of([]), ast.Load())])
            inner.emit(assign(pair(collected, shadows), tuple_of(empty)))
        inner.loops(node, 0, Operand(load(source), load(inner.d(source))), collected)
        if not isinstance(node, ast.GeneratorExp):
            finish = {"listcomp": "listed", "setcomp": "setted", "dictcomp": "dicted"}[kind]
            inner.emit(ast.Return(ctx_call(finish, load(collected), load(inner.d(collected)))))
        self.kept = inner.kept
        arguments = ast.arguments([], [ast.arg(CTX), ast.arg(source), ast.arg(self.d(source))], None, [], [], None, [])
        made = ast.FunctionDef(name, arguments, inner.out, [])
        made.type_params = []  # type: ignore[attr-defined]
        self.emit(made, node)
        call: ast.expr = ast.Call(load(name), [load(CTX), first.value, first.d], [])
        if isinstance(node, ast.GeneratorExp):
            return self.value_into(ctx_call("generator", call, constant("<genexpr>")))
        return self.into(call, target)

    def loops(self, node: Any, depth: int, iterable: Operand, collected: str) -> None:
        """The nested loops of a comprehension from `depth` on."""
        generator = node.generators[depth]
        item = self.lasting("v")

        def body() -> None:
            self.assign(generator.target, Operand(load(item), load(self.d(item))))
            self._conditions(node, depth, list(generator.ifs), collected)

        inside, _ = self.block(body)
        pairs = ctx_call("iter", iterable.value, iterable.d)
        self.emit(ast.For(pair(item, self.d(item)), pairs, inside, []))

    def _conditions(self, node: Any, depth: int, tests: list[ast.expr], collected: str) -> None:
        if tests:
            self.count = 0
            test = self.expr(tests[0])
            body, _ = self.block(lambda: self._conditions(node, depth, tests[1:], collected))
            self.emit(ast.If(test.value, body, []))
        elif depth + 1 < len(node.generators):
            self.count = 0
            self.loops(node, depth + 1, self.expr(node.generators[depth + 1].iter), collected)
        else:
            self.count = 0
            self._collect(node, collected)

    def _collect(self, node: Any, collected: str) -> None:
        if isinstance(node, ast.DictComp):
            key, item = (self.copied(o) for o in self.exprs([node.key, node.value]))
            if key.shadow is not None:
                self.emit(ast.Expr(ctx_call("note_key", load(collected), key.value, key.d)))
            for name, value in ((collected, item.value), (self.d(collected), item.d)):
                self.emit(assign(ast.Subscript(load(name), key.value, ast.Store()), value))
            return
        item = self.expr(node.elt)
        if isinstance(node, ast.GeneratorExp):
            self.emit(ast.Expr(ast.Yield(tuple_of([item.value, item.d]))))
            return
        parts = [(collected, "append", item.value), (self.d(collected), "append", item.d)]
        if isinstance(node, ast.SetComp):
            item = self.copied(item)
            parts = [
                (collected, "add", item.value),
                (self.d(collected), "append", tuple_of([item.value, item.d])),
            ]
        for name, method, value in parts:
            self.emit(ast.Expr(ast.Call(ast.Attribute(load(name), method, ast.Load()), [value], [])))

    def pair_cells(self, body: list[Any]) -> None:
        """Tell the context which shadow belongs to which variable that function objects made here capture."""
        mentioned = names.names_in_functions(body)
        live = sorted(n for n in mentioned & self.scope.local if n not in self.scope.inactive)
        if live:
            nothing = ast.arguments([], [], None, [], [], None, [])
            values = ast.Lambda(nothing, tuple_of([load(n) for n in live]))
            shadows = ast.Lambda(nothing, tuple_of([load(self.d(n)) for n in live]))
            self.emit(ast.Expr(ctx_call("pair_cells", values, shadows, constant(self.suffix))))
