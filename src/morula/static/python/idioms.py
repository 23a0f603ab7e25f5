"""Calls of the standard library that stand for a few lines of a program."""

from __future__ import annotations

import ast
import functools
import heapq
import itertools
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from morula.static.python.comprehensions import Chosen, Given
from morula.static.python.draws import shared_generator
from morula.static.python.ir import Block, Program, Unsupported
from morula.static.python.numpy_idioms import NumpyIdioms
from morula.static.python.ordering import Ordering
from morula.static.python.parameters import called
from morula.static.python.random_choices import RandomChoices
from morula.static.python.random_numbers import SEEDED
from morula.static.python.scopes import ListOf, Static, is_vector_array
from morula.static.python.slopes import has_own_rule
from morula.static.python.texts import is_text
from morula.static.python.things import ABSENT, Bound, Partial, Thing, Turns, is_dict, is_known_list
from morula.transform.syntax import walk

__all__ = ["Idioms"]

OF_TWO: dict[Any, type[ast.operator]] = {
    operator.add: ast.Add, operator.mul: ast.Mult, operator.sub: ast.Sub, operator.truediv: ast.Div,
}  # fmt: skip
COMBINED: tuple[Any, ...] = (itertools.product, itertools.combinations, itertools.permutations)
MOST_COMBINED = 64
FOREMOST = (heapq.nsmallest, heapq.nlargest)


class Idioms(Ordering, RandomChoices, NumpyIdioms):
    """The part of a `front.Builder` that reads such calls."""

    program: Program
    out: Block
    integer: Callable[[ast.expr], int | None]
    arguments: Callable[..., tuple[list, dict[str, Any]]]
    sequence: Callable[[Any], tuple | None]
    turns_of: Callable[[Any], Turns | None]
    listed: Callable[[Any], ListOf]
    list_of: Callable[[tuple], Any]
    lists_are_things: bool
    has_lists: bool
    foremost: Callable[..., Any]
    first_of: Callable[..., Any]
    keys_of: Callable[..., list[Any]]
    spread_out: Callable[[Any], tuple]
    number_of: Callable[[str], Any]
    share: Callable[..., None]
    extreme_of: Callable[[Any, ListOf], str]
    folded_by: Callable[[ast.Call], Any]
    extreme_of_known: Callable[[Any, Any], str]

    def idiom(self, f: Any, node: ast.Call) -> Any:
        """What a call comes to; `ABSENT` for any other."""
        if (found := self.numpy_idiom(f, node)) is not ABSENT:
            return found
        if f in (np.finfo, np.iinfo) and len(node.args) == 1 and not node.keywords and not has_own_rule(f):
            if not isinstance(of := self.value(node.args[0]), Static):
                raise Unsupported(f"a call to {called(f)} of what is not known", self.line)
            return Static(f(of.value))
        if f in SEEDED:
            return self.seeded(f, node)
        if (shared := shared_generator(f)) is not None:
            return self.of_shared(f, shared, node)
        if f is functools.partial and node.args:
            given, named = self.arguments(node)
            function, *args = map(self.held, given)
            if not isinstance(function, Static | Bound):
                raise Unsupported("functools.partial of something other than a function", self.line)
            return Partial(function, args, {k: self.held(v) for k, v in named.items()})
        is_fold = f is functools.reduce and len(node.args) == 3 and not node.keywords
        if is_fold and isinstance(node.args[2], ast.Constant | ast.Name):  # which is read first here
            return self._reduced(node)
        if f is functools.reduce and len(node.args) == 2 and not node.keywords:
            return self.folded_by(node)
        is_by_key = [k.arg for k in node.keywords] == ["key"] and len(node.args) == 1
        if f in (max, min) and is_by_key and not has_own_rule(f):
            return self._first_by_key(f, node)
        if f in (max, min) and len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.GeneratorExp):
            self.has_lists = True
            if self.lists_are_things:
                return self.extreme_of_known(f, self.sequence(self.value(node.args[0])) or ())
            items = self.listed_items(node.args[0])
            is_list = isinstance(items, ListOf) and items.is_vector
            return self.extreme_of(f, items) if is_list else self.extreme_of_known(f, items)
        is_first = f is next and len(node.args) in (1, 2) and isinstance(node.args[0], ast.GeneratorExp)
        if is_first and not node.keywords:
            return self.first_of(node.args[0], node.args[1:])
        if f is sorted and len(node.args) == 1:
            return self.in_order(node)
        if f in FOREMOST and len(node.args) == 2 and not has_own_rule(f):
            return self._foremost_few(f, node)
        if f in OF_TWO and len(node.args) == 2 and not node.keywords and not has_own_rule(f):
            return self.value(ast.copy_location(ast.BinOp(node.args[0], OF_TWO[f](), node.args[1]), node))
        if f in COMBINED:
            return self._combined(f, node)
        return self._chained(node) if f is itertools.chain and not node.keywords else ABSENT

    def _foremost_few(self, f: Any, node: ast.Call) -> Any:
        """``heapq.nsmallest(n, items, key=f)``, which is ``sorted(items, key=f)[:n]``."""
        n = self.integer(node.args[0])
        if n is None or n < 0 or any(k.arg != "key" for k in node.keywords):
            raise Unsupported(f"a call to {called(f)} with these arguments", self.line)
        backwards = [ast.keyword("reverse", ast.Constant(True))] if f is heapq.nlargest else []
        items = ast.Call(Given(Static(sorted)), node.args[1:], [*node.keywords, *backwards])
        part = ast.Subscript(items, ast.Slice(None, ast.Constant(n)), ast.Load())
        for found in walk(part):
            if isinstance(found, ast.expr) and not hasattr(found, "lineno"):
                ast.copy_location(found, node)
        return self.value(part)

    def called_partial(self, callee: Partial, node: ast.Call) -> Any:
        """A call of what `functools.partial` has given."""
        args, named = self.arguments(node)
        function = ast.copy_location(Given(callee.function), node)
        given: list[ast.expr] = [ast.copy_location(Given(v), node) for v in (*callee.args, *args, *callee.last)]
        keywords = [ast.keyword(k, ast.copy_location(Given(v), node)) for k, v in (callee.named | named).items()]
        return self.value(ast.copy_location(ast.Call(function, given, keywords), node))

    def _reduced(self, node: ast.Call) -> Any:
        """``functools.reduce(f, items, start)``."""
        f, each, name = ast.copy_location(Given(self.value(node.args[0])), node), *map(self._named, ("item", "found"))
        again = ast.Call(f, [ast.Name(name, ast.Load()), ast.Name(each, ast.Load())], [])
        step = ast.Assign([ast.Name(name, ast.Store())], ast.copy_location(again, node))
        loop = ast.comprehension(ast.Name(each, ast.Store()), node.args[1], [], 0)
        self._run(name, node.args[2], step, [loop])
        return self.value(ast.Name(name, ast.Load()))

    def _first_by_key(self, f: Any, node: ast.Call) -> Any:
        """``max(items, key=f)``: the first of those for which it is largest."""
        key = ast.copy_location(Given(self.value(node.keywords[0].value)), node)
        if isinstance(node.args[0], ast.Name | ast.Attribute) and is_known_list(value := self.value(node.args[0])):
            items = self.sequence(value) or ()
            if items and (all(map(is_dict, items)) or all(map(_has_text, items))):
                return self.foremost(items, self.keys_of(items, key, node), f is max)
        each, now, best, found = map(self._named, ("item", "key", "best", "found"))

        def read(name: str) -> ast.Name:
            return ast.Name(name, ast.Load())

        def assign(name: str, value: ast.expr) -> ast.Assign:
            return ast.Assign([ast.Name(name, ast.Store())], value)

        order = ast.Gt() if f is max else ast.Lt()
        better: list[ast.stmt] = [assign(best, read(now)), assign(found, Chosen(each, found))]
        others = ast.If(ast.Compare(read(now), [order], [read(best)]), better, [assign(found, Chosen(found, each))])
        first: list[ast.stmt] = [assign(best, read(now)), assign(found, read(each))]
        is_first = ast.Compare(read(best), [ast.Is()], [ast.Constant(None)])
        steps: list[ast.stmt] = [
            assign(now, ast.Call(key, [read(each)], [])), ast.If(is_first, first, [others]),
        ]  # fmt: skip
        start = [assign(name, ast.Constant(None)) for name in (best, found)]
        loop = ast.For(ast.Name(each, ast.Store()), node.args[0], steps, [])
        for s in (*start, loop):
            for n in walk(s):
                if isinstance(n, ast.stmt | ast.expr) and not hasattr(n, "lineno"):
                    ast.copy_location(n, node)
        line = self.line
        self.block([*start, loop])
        self.line = line
        return self.value(read(found))

    def _named(self, stem: str) -> str:
        name = self._unused(stem)
        self.scopes[-1].own.add(name)
        return name

    def _chained(self, node: ast.Call) -> Turns:
        """``itertools.chain(*sequences)``: each item is read when its turn comes."""
        values = self.arguments(node)[0]
        for v in values:
            self.share(getattr(v, "origins", frozenset()))
        turns = [self.turns_of(v) for v in values]
        if not turns or any(t is None for t in turns):
            raise Unsupported("a chain of what is not known", self.line)
        return Turns([v for t in turns if t for v in t.values], tuple([x for t in turns if t for x in t.things]))

    def _combined(self, f: Any, node: ast.Call) -> Turns:
        """What a function of `itertools` gives for sequences that are known, which it reads at once."""
        values, named = self.arguments(node)
        given: list[Any] = []
        for v in [self.spread_out(v) if is_vector_array(v) else v for v in values]:
            n = self.integer_of(v) if isinstance(v, str) else None
            given.append(self.sequence(v) if n is None else n)
        options = {k: self.integer_of(v) for k, v in named.items()}
        if not given or None in given or None in options.values():
            raise Unsupported(f"a call to {called(f)} with something that is not known", self.line)
        found = list(itertools.islice(f(*given, **options), MOST_COMBINED + 1))
        if len(found) > MOST_COMBINED:
            raise Unsupported(f"a call to {called(f)} that gives many", self.line)
        return Turns([partial(_same, v) for v in found])

    def integer_of(self, value: Any) -> int | None:
        text = value.strip("()") if isinstance(value, str) else ""
        return int(text) if text.isdigit() else None


def _same(value: Any) -> Any:
    return value


def _has_text(value: Any) -> bool:
    """Whether a value is an object with a text, of which there is no one variable for several objects."""
    return isinstance(value, Thing) and any(map(is_text, value.slots.values()))
