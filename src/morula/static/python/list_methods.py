"""Methods that change lists: they append, insert, take out and sort."""

from __future__ import annotations

import ast
from typing import Any

from morula.static.python.comprehensions import Given, Pushed
from morula.static.python.ir import Branch, Drop, Fail, Loop, Store, Unsupported
from morula.static.python.scopes import ListOf, Static, key_of
from morula.static.python.things import Thing
from morula.static.python.writes import Writes
from morula.transform.syntax import walk

__all__ = ["ListMethods"]

# Methods of lists, with how many arguments.
METHODS = {"append": (1,), "extend": (1,), "insert": (2,), "pop": (0, 1), "copy": (0,), "sort": (0,)}
OF_QUEUES = {"append": (1,), "appendleft": (1,), "extend": (1,), "pop": (0,), "popleft": (0,), "copy": (0,),
             "rotate": (0, 1)}  # fmt: skip


class ListMethods(Writes):
    """The part of a `front.Builder` that calls them."""

    def changing_method(self, owner: Any, node: ast.Call) -> Any:
        """A method of a list."""
        assert isinstance(node.func, ast.Attribute)
        method, name, n = node.func.attr, node.func.value, len(node.args)
        methods = OF_QUEUES if isinstance(owner, ListOf) and owner.is_queue else METHODS
        if (node.keywords and method != "sort") or n not in methods.get(method, ()):
            raise Unsupported(f"the method {method!r} of a list", self.line)
        if isinstance(owner, ListOf) and owner.is_vector and owner.rows is tuple:
            raise Unsupported(f"the method {method!r} of a tuple", self.line)
        if method == "rotate":
            self._rotate(name, node.args[0] if n else ast.Constant(1))
            return Static(None)
        if method == "copy":
            return self.copied(owner) if isinstance(owner, ListOf) else owner
        array = self._changed(owner)
        key = self._key_of_list(name)
        if method in ("pop", "popleft"):
            at = "0" if method == "popleft" else "(-1)"
            return self._popped(array, self.number(node.args[0]) if n else at)
        if method == "sort":
            self._sort(array, node)
            return Static(None)
        if method == "extend":
            self._extend(name, node.args[0], array)
            return Static(None)
        if method == "insert" and self.key(node.args[0]) != 0:
            raise Unsupported("insert at another place than the start of a list", self.line)
        self.push(array, self.held(self.value(node.args[-1])), key, method in ("insert", "appendleft"))
        return Static(None)

    def _sort(self, array: ListOf, node: ast.Call) -> None:
        """``array.sort(key=f, reverse=True)`` of a list of numbers."""
        found = self.in_order(ast.copy_location(ast.Call(node.func, [Given(array)], node.keywords), node))
        if not isinstance(found, ListOf) or not array.is_vector:
            raise Unsupported("sorting of something other than a list of numbers", self.line)
        loop = Loop(self.fresh("i"), (self.length(array),))
        self.emit(loop)
        out, self.out = self.out, loop.body
        self.emit(Store(array.var, (str(loop.var),), self.compute("index", found.var, str(loop.var))))
        self.out = out

    def _key_of_list(self, node: ast.expr) -> Any:
        """What says which list a variable or an attribute holds; None where it is something else."""
        if isinstance(node, ast.Name):
            scope = self.scopes[-1]
            while scope.outer is not None and node.id in scope.function.__code__.co_freevars:
                scope = scope.outer
            return key_of(scope, node.id)
        if not isinstance(node, ast.Attribute | ast.Subscript):
            return None
        if any(isinstance(n, ast.Call | ast.NamedExpr) for n in walk(node)):  # it has run, and must not do so again
            return None
        owner = self.value(node.value)
        key = node.attr if isinstance(node, ast.Attribute) else self.key(node.slice)
        return (owner.kind, key) if isinstance(owner, Thing) else None

    def _rotate(self, name: ast.expr, n: ast.expr) -> None:
        """``name.rotate(n)``: so many items go from the end to the start, one by one."""
        if not isinstance(name, ast.Name):
            raise Unsupported("rotating something other than a variable", self.line)
        length = ast.Call(Given(Static(len)), [name], [])
        turns = ast.Call(Given(Static(range)), [ast.BinOp(n, ast.Mod(), length)], [])
        last = ast.Call(ast.Attribute(name, "pop", ast.Load()), [], [])
        step = ast.Expr(ast.Call(ast.Attribute(name, "appendleft", ast.Load()), [last], []))
        each = self._unused("turn")
        self.scopes[-1].own.add(each)
        loop = ast.For(ast.Name(each, ast.Store()), turns, [step], [])
        found = ast.If(length, [loop], [])
        for node in walk(found):
            if isinstance(node, ast.stmt | ast.expr) and not hasattr(node, "lineno"):
                node.lineno = node.end_lineno = self.line
                node.col_offset = node.end_col_offset = 0
        line = self.line
        self.block([found])
        self.line = line

    def _extend(self, name: ast.expr, items: ast.expr, array: ListOf) -> None:
        """``name.extend(items)`` for the list `array`, one by one."""
        if not isinstance(name, ast.Name):
            raise Unsupported("extend of something other than a variable", self.line)
        each = self._unused("item")
        self.scopes[-1].own.add(each)
        append = Pushed(Given(array), ast.Name(each, ast.Load()), key_of(self.scopes[-1], name.id))
        loop = ast.For(ast.Name(each, ast.Store()), items, [ast.Expr(append)], [])
        for n in walk(loop):
            n.lineno = self.line
        line = self.line
        self.block([loop])
        self.line = line

    def _popped(self, array: ListOf, at: str) -> Any:
        """``array.pop(at)``."""
        if at != "(-1)" and (not at.isdigit()):
            at = self.held(at)
            self.emit(Branch(self.compute("<", at, "0"), [Fail()]))
        found = self.part(array, at)
        if array.var in self.made_lists:
            self.made_lists[array.var].is_shrunk = True
        self.emit(Drop(array.var, at))
        return found
