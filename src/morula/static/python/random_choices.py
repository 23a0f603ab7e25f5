"""Draws of items and orders: ``rng.permutation(n)``, ``rng.choice(x, size=3)``, ``random.choice(items)``, ``shuffle``.

Which items are drawn depends on how many there are, and on nothing else about them. So the text draws indices, with the
very call of the program, and takes the items at these places.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.codes import is_constant_of_table
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Unsupported
from morula.static.python.random_distributions import RandomDistributions
from morula.static.python.random_numbers import Drawer
from morula.static.python.scopes import Array, Coded, Display, ListOf, Small, Static
from morula.transform.syntax import walk

__all__ = ["RandomChoices"]

OF_ITEMS = ("choice", "permutation")


class RandomChoices(RandomDistributions):
    """The part of a `front.Builder` that draws items."""

    held: Callable[[Any], Any]
    as_array: Callable[[Any], Array]
    _placed: Callable[[list[Any], ast.AST], list[Any]]
    is_wanted: Callable[[Any], bool]
    is_settled: Callable[[str], bool]
    code_of: Callable[[Any], str]
    length: Callable[[Any], str]
    known_length: Callable[[ListOf], int | None]
    _choose: Callable[[str | None, list[Any]], str]
    _items: Callable[[Any], list[Any] | None]

    def drawn(self, drawer: Drawer, name: str, node: ast.Call) -> Any:
        """What a method of a generator of random numbers gives."""
        if name == "shuffle":
            return self._shuffled(drawer, node)
        if name not in OF_ITEMS:
            return self.drawn_by_parameters(drawer, name, node)
        is_python = drawer.made_by is random.Random
        names = ("size", "replace", "p") if name == "choice" and not is_python else ()
        options = dict(zip(names, node.args[1:], strict=False)) | {str(k.arg): k.value for k in node.keywords}
        is_fit = 0 < len(node.args) == 1 + len(options) - len(node.keywords) and options.keys() <= set(names)
        is_fit &= not any(isinstance(a, ast.Starred) for a in node.args) and (name == "choice" or not is_python)
        if not is_fit or self.sub is not None or self.defining:
            raise Unsupported(f"a call to {name!r} of a generator of random numbers that does not fit", self.line)
        items = self.value(node.args[0])
        items = self.held(items) if "p" in options else items  # which are worked out before anything is drawn
        odds = [self._as_odds(self.held(self.value(options["p"])))] if "p" in options else []
        if not isinstance(items, str) and not all(self.is_settled(p.atom) for p in odds):
            raise Unsupported("random items by odds that may have a derivative", self.line)
        if is_python:
            return self._drawn_item(drawer, items)
        numbers = [self.number_of(v) for v in items] if type(items) in (tuple, Display) and items else []
        if numbers and name == "choice" and len({type(v) for v in numbers} & {int, float}) == 1 and None not in numbers:
            return self._drawn(drawer, name, repr(numbers), np.array(numbers), options, odds)
        n = self.number_of(items) if isinstance(items, str) else self._length_of_array(items)
        if isinstance(items, str) and self.is_wanted(items):
            raise Unsupported("random items below an integer that is differentiated by", self.line)
        if name == "choice" and drawer.made_by is np.random.RandomState and len(getattr(items, "shape", ())) > 1:
            raise Unsupported("random items of something other than a vector", self.line)
        if type(n) is not int or n <= 0:
            raise Unsupported("random items of something other than an array, or of an unknown number", self.line)
        places = self._drawn(drawer, name, str(n), n, options, odds)
        if isinstance(items, str):
            return places
        return self.value(ast.copy_location(ast.Subscript(Given(items), Given(places), ast.Load()), node))

    def _drawn(
        self, drawer: Drawer, name: str, spelled: str, items: Any, options: dict[str, ast.expr], odds: list[Array]
    ) -> Any:
        """Numbers below one that is known, or numbers out of some."""
        said = {key: self._option(value) for key, value in options.items() if key != "p"}
        given = [spelled, *[f"{key}={value!r}" for key, value in said.items()], *["p={a0}" for _ in odds]]
        text, size = f"{drawer.atom}.{name}({', '.join(given)})", said.get("size")
        is_whole = isinstance(items, int) or items.dtype.kind == "i"
        if name == "choice" and size is None:
            kind = _kind_of_place(drawer.made_by) if isinstance(items, int) else "np.int64" if is_whole else "float"
            text = text if is_whole else f"float({text})"
            return self.drawn_number(text, kind, *[p.atom for p in odds])
        shape: Any = items if name == "permutation" else size
        like = np.zeros(shape, np.int64 if is_whole else np.float64)
        return self.made(lambda *_: like, text, odds, lambda _: (None,) * len(odds), is_drawn=True)

    def _as_odds(self, value: Any) -> Array:
        return self.as_array(self.new_array(value) if isinstance(value, Display) else value)

    def _shuffled(self, drawer: Drawer, node: ast.Call) -> Static:
        """``shuffle(items)``: the items are assigned anew, in an order that is drawn."""
        place: Any = node.args[0] if len(node.args) == 1 and not node.keywords else None
        is_place = isinstance(place, ast.Name | ast.Attribute | ast.Subscript)
        if not is_place or any(isinstance(n, ast.Call) for n in walk(place)) or self.sub is not None or self.defining:
            raise Unsupported("a call to shuffle with these arguments", self.line)
        items = self.value(place)
        is_list = isinstance(items, ListOf) and items.kind is list
        n = None if is_list else self._length_of_array(items)
        if drawer.made_by is random.Random and len(getattr(items, "shape", ())) > 1:
            raise Unsupported("rows that Python's shuffle exchanges, which are views", self.line)
        if type(n) is not int:
            raise Unsupported("an order of items that are no array of a known length", self.line)
        f = self.given(self.program.space, shuffled)
        text = f"{f}({drawer.atom}.shuffle, {n})"
        order = self.made(lambda: np.zeros(n, int), text, [], lambda _: (), is_drawn=True)
        all_of_it = ast.Subscript(place, ast.Slice(), ast.Store())
        found = ast.Subscript(Given(items), Given(order), ast.Load())
        line, s = self.line, ast.Assign([all_of_it], found)
        self.block(self._placed([s], node))
        self.line = line
        return Static(None)

    def _option(self, node: ast.expr) -> Any:
        """A size or a truth value that is written out, or known."""
        if isinstance(node, ast.Constant) and (node.value is None or type(node.value) is bool):
            return node.value
        found = self._written_out(node)
        if not all(type(k) is int and k > 0 for k in (found if isinstance(found, tuple) else (found,))) or found == ():
            raise Unsupported("random items of which it is not known how many there are", self.line)
        return found

    def _length_of_array(self, items: Any) -> int | None:
        if isinstance(items, Small):
            return len(items.parts)
        if isinstance(items, ListOf) and items.kind is np.ndarray:
            return self.known_length(items)
        return items.shape[0] if isinstance(items, Array) else None

    def _drawn_item(self, drawer: Drawer, items: Any) -> Any:
        """``random.choice(items)``: of numbers, or of texts and other constants."""
        options = self._items(items)
        if options is None and not isinstance(items, ListOf):
            raise Unsupported("a random item of something other than a list or a tuple", self.line)
        n = self.length(items) if options is None else str(len(options))
        text = f"{drawer.atom}.choice(range({{a0}}))"
        place = self.drawn_number(text, "int", n)
        if options is None:
            return self.value(ast.Subscript(Given(items), Given(place), ast.Load()))
        if all(map(is_constant_of_table, options)):
            return Coded(self._choose(place, list(map(self.code_of, options))))
        if not all(isinstance(v, str) for v in options):
            raise Unsupported("a random item of something other than numbers or constants", self.line)
        return self._choose(place, options)


def shuffled(shuffle: Callable[[Any], None], n: int) -> np.ndarray:
    """The order into which a generator would bring so many items.

    >>> items = np.array([0.5, 1.5, 2.5, 3.5])
    >>> order = shuffled(np.random.default_rng(0).shuffle, 4)
    >>> np.random.default_rng(0).shuffle(items)
    >>> bool([0.5, 1.5, 2.5, 3.5][order[0]] == items[0])
    True
    """
    order = np.arange(n)
    shuffle(order)
    return order


def _kind_of_place(made_by: Any) -> str:
    """The type of the numbers below one that a generator gives one by one."""
    return "int" if type(made_by(0).choice(2)) is int else "np.int64"
