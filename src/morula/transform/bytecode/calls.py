"""Calls, and the making of functions."""

import ast
from typing import Any

from morula.transform.bytecode.operations import Operations
from morula.transform.bytecode.values import (
    AssertionName,
    BuildClass,
    Class,
    Code,
    Function,
    Iter,
    Null,
    Unreadable,
    is_lambda,
    literal,
)


class Calls(Operations):
    """Adds calls to `Operations`."""

    def CALL(self, val: tuple[int, tuple]) -> None:
        n, names = val
        given = self.raws(n)
        first, second = self.raws(2)
        if isinstance(second, Null):
            called = first
        elif isinstance(first, Null):
            called = second
        else:  # a decorator, a comprehension, or an assertion's message
            called, given = first, [second, *given]
        if isinstance(called, Function) and not is_lambda(called):
            if len(given) != 1 or not isinstance(given[0], Iter):
                raise Unreadable("a function that is called where it is made")
            self.push(self.functions.comprehension_of(called, given[0].value, self))
        elif isinstance(called, BuildClass):
            self._class(given, names)
        elif len(given) == 1 and isinstance(given[0], Function | Class) and not is_lambda(given[0]):
            given[0].decorators.insert(0, self.tree(called))
            self.push(given[0])
        else:
            trees = [self.tree(g) for g in given]
            split = len(trees) - len(names)
            keywords = [self.placed(ast.keyword(k, v)) for k, v in zip(names, trees[split:], strict=True)]
            made = self.placed(ast.Call(self.tree(called), trees[:split], keywords))
            made.asserts = isinstance(called, AssertionName)
            self.push(made)

    def _class(self, given: list[Any], names: tuple) -> None:
        body, name, *rest = given
        if not isinstance(body, Function):
            raise Unreadable("a class")
        trees = [self.tree(g) for g in rest]
        split = len(trees) - len(names)
        keywords = [self.placed(ast.keyword(k, v)) for k, v in zip(names, trees[split:], strict=True)]
        self.push(Class(body.code, literal(name), trees[:split], keywords))

    def LOAD_BUILD_CLASS(self, val: Any) -> None:
        self.push(BuildClass())

    def CALL_KW(self, val: int) -> None:
        self.CALL((val, literal(self.pop())))

    def CALL_FUNCTION_EX(self, val: int) -> None:
        keywords = self._spread_keywords(self.pop()) if val & 1 else []
        spread = self.pop()
        first, second = self.raws(2)
        called = first if isinstance(second, Null) else second
        arguments: list[ast.expr]
        if isinstance(spread, ast.Tuple):
            arguments = spread.elts
        elif isinstance(spread, ast.Constant):
            arguments = [self.placed(ast.Constant(v)) for v in literal(spread)]
        else:
            arguments = [self.placed(ast.Starred(spread, ast.Load()))]
        self.push(self.placed(ast.Call(self.tree(called), arguments, keywords)))

    def _spread_keywords(self, given: ast.expr) -> list[ast.keyword]:
        if not isinstance(given, ast.Dict):
            return [self.placed(ast.keyword(None, given))]
        return [
            self.placed(ast.keyword(None if k is None else k.value, v))  # type: ignore[attr-defined]
            for k, v in zip(given.keys, given.values, strict=True)
        ]

    def MAKE_FUNCTION(self, val: int | None) -> None:
        code = self.raw()
        if not isinstance(code, Code):
            raise Unreadable("a function without code")
        made = Function(code.code, line=self.line)
        for flag in (8, 4, 2, 1):
            if (val or 0) & flag:
                self._set(made, flag, self.raw())
        self.push(made)

    def SET_FUNCTION_ATTRIBUTE(self, val: int) -> None:
        made, value = self.raw(), self.raw()
        self._set(made, val, value)
        self.push(made)

    def _set(self, made: Function, flag: int, value: Any) -> None:
        if flag == 16:
            raise Unreadable("a function's annotations")  # which are code of their own since 3.14
        if flag != 8:
            setattr(made, {1: "defaults", 2: "kwdefaults", 4: "annotations"}[flag], self.tree(value))
