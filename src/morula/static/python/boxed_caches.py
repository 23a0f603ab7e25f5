"""Functions inside functions under `functools.cache` or `functools.lru_cache`: what they found is in a dict."""

from __future__ import annotations

import ast
import copy
import functools
from types import CodeType
from typing import Any

from morula.static.python.boxed_arrays import BoxedArrays
from morula.static.python.ir import Branch, Fail, Set, Unsupported
from morula.static.python.parameters import parameters
from morula.static.python.scopes import Box, Static
from morula.transform.deep import copied
from morula.transform.syntax import walk

__all__ = ["BoxedCaches"]

FULL = 128  # entries of `lru_cache` where nothing else is said


class Found(ast.expr):
    """The dict of what a function has found so far."""

    def __init__(self, code: CodeType):
        super().__init__()
        self.code = code


class Noted(ast.expr):
    """What a function returns, which is noted for the arguments that a variable has."""

    def __init__(self, code: CodeType, key: str, of: ast.expr):
        super().__init__()
        self.code, self.key, self.of = code, key, of


class BoxedCaches(BoxedArrays):
    """The part of a `boxed.Boxer` that reads such functions.

    Attributes:
        caches: the variables that have these dicts, by the code of the function, with how many entries are kept.
        with_caches: the functions whose text asks the dict first.
    """

    caches: dict[CodeType, tuple[Box, int | None]]
    with_caches: set[CodeType]

    def _FunctionDef(self, s: ast.FunctionDef) -> str:
        found = self._size_of_cache(s.decorator_list[0]) if len(s.decorator_list) == 1 else False
        if found is False:
            return super()._FunctionDef(s)
        made = self.closure(s, s.name)
        code = made.value.__code__
        self._ask_first(code, self.definition(made.value))
        box = self.new_box(dict, (code, "cache"))
        self.contents(box).is_cache = True
        variable = self.fresh("cache")
        self.emit(Set(variable, box.atom))
        self.caches[code] = Box(variable, box.place), found
        self.assign(ast.copy_location(ast.Name(s.name, ast.Store()), s), made)
        return "falls"

    def _size_of_cache(self, node: ast.expr) -> Any:
        """How many entries a decorator keeps, None for all; False where it is another one."""
        call = node if isinstance(node, ast.Call) else None
        if not isinstance(call.func if call else node, ast.Name | ast.Attribute):
            return False
        found = self.value(call.func if call else node)
        f = found.value if isinstance(found, Static) else None
        if call is None:
            return None if f is functools.cache else FULL if f is functools.lru_cache else False
        given = [*call.args, *[k.value for k in call.keywords]]
        if f is not functools.lru_cache or len(given) > 1 or any(k.arg != "maxsize" for k in call.keywords):
            return False
        size = given[0].value if given and isinstance(given[0], ast.Constant) else FULL if not given else False
        return size if size is None or type(size) is int else False

    def _ask_first(self, code: CodeType, node: Any) -> None:
        if code in self.with_caches:
            return
        self.with_caches.add(code)
        names = parameters(node)
        if node.args.vararg or node.args.kwarg or node.args.kwonlyargs or not names:
            raise Unsupported("a cached function with such parameters", self.line)
        taken = {*code.co_varnames, *code.co_cellvars, *code.co_freevars, *code.co_names}
        key = next(name for i in range(len(taken) + 1) if (name := f"arguments_{i}") not in taken)
        node = copied(node)
        returned = [n.value for n in walk(node) if isinstance(n, ast.Return)]
        body = [_Noting(code, key).visit(statement) for statement in node.body]
        asked = ast.Compare(ast.Name(key, ast.Load()), [ast.In()], [Found(code)])
        known = ast.Return(ast.Subscript(Found(code), ast.Name(key, ast.Load()), ast.Load()))
        known.value.of = returned[0] if returned else None  # type: ignore[union-attr]  # which is put together alike
        arguments = ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())
        first: list[ast.stmt] = [ast.Assign([ast.Name(key, ast.Store())], arguments), ast.If(asked, [known], [])]
        for statement in first:
            ast.copy_location(statement, node.body[0])
            for n in walk(statement):
                ast.copy_location(n, node.body[0])
        node.body = [*first, *body]
        self.definitions[code] = node
        self.renamed[code] = self.renamed.get(code, set()) | {key}

    def _value_Found(self, node: Found) -> Box:
        return self.caches[node.code][0]

    def _value_Noted(self, node: Noted) -> Any:
        box, most = self.caches[node.code]
        value = self.held(self.value(node.of))
        if most is not None:  # the oldest entry would be dropped, and be found anew
            self.emit(Branch(self.compute(">=", self.size_of(box), str(most)), [Fail()]))
        self.put_item(box, self.held(self.value(ast.Name(node.key, ast.Load()))), value)
        return value

    def may_be_box(self, node: ast.expr) -> bool:
        return isinstance(node, Found) or super().may_be_box(node)


class _Noting(ast.NodeTransformer):
    """The statements of a function that notes what it returns."""

    def __init__(self, code: CodeType, key: str):
        self.code, self.key = code, key

    def visit_Return(self, node: ast.Return) -> ast.Return:
        if node.value is None:
            raise Unsupported("a cached function that returns nothing")
        noted = ast.copy_location(Noted(self.code, self.key, node.value), node.value)
        return ast.copy_location(ast.Return(noted), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return copy.copy(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node
