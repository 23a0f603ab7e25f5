"""Sorting: of numbers, of tuples and of records, in the order that the text finds.

A tuple or a record is sorted column by column: of each of its numbers there is a list, and what stands at a place is
read from these. Of objects and dicts those are copies, so that nothing may be written into them any more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

from morula.static.python.comprehensions import Given
from morula.static.python.ir import Unsupported
from morula.static.python.scopes import Coded, Display, ListOf, Named, Static, is_vector_array
from morula.static.python.texts import is_text
from morula.static.python.things import Thing

__all__ = ["Ordering", "is_row"]

MOST_SORTED = 64  # tuples or records


class Ordering:
    """The part of a `front.Builder` that sorts."""

    line: int
    scopes: list[Any]
    sub: Any
    around: Any
    count: int
    never_copied: set[Any]
    compute: Callable[..., str]
    value: Callable[[ast.expr], Any]
    held: Callable[[Any], Any]
    keys: Callable[[Thing], list[Any]]
    slot: Callable[[Thing, Any], Any]
    set_slot: Callable[[Thing, Any, Any], None]
    sequence: Callable[[Any], tuple | None]
    listed: Callable[[Any], ListOf]
    items_of_array: Callable[..., Any]
    listed_items: Callable[[Any], Any]
    list_of: Callable[[tuple], Any]
    likewise: Callable[[Any, list], Any]
    number_of: Callable[[str], Any]
    code_of: Callable[[Any], str]

    def in_order(self, node: ast.Call) -> Any:
        """``sorted(items, key=f, reverse=True)``: the items one by one, in the order that the text finds."""
        options = {k.arg: k.value for k in node.keywords}
        backwards = options.pop("reverse", ast.Constant(False))
        if not isinstance(backwards, ast.Constant) or type(backwards.value) is not bool or options.keys() - {"key"}:
            raise Unsupported("a call to sorted with these arguments", self.line)
        (given,) = node.args
        if isinstance(given, ast.GeneratorExp):
            given = ast.copy_location(ast.ListComp(given.elt, given.generators), given)
        value = self.value(given)
        if is_vector_array(value):
            value = self.items_of_array(list, value, node)
        key = options.get("key")
        key = None if isinstance(key, ast.Constant) and key.value is None else key
        f = None if key is None else ast.copy_location(Given(self.value(key)), node)
        parts = self.sequence(value) or ()
        found = parts if f is None else self.keys_of(parts, f, node)
        if (known := self._known_order(parts, found, backwards.value)) is not None:
            return known
        if parts and not (all(isinstance(v, str) for v in parts) and isinstance(found[0], str)):
            return self._rows_in_order(parts, found, str(backwards.value))
        items = keys = self._as_list(value)
        if f is not None and parts:  # they were called for above
            keys = self._as_list(tuple(found))
        elif f is not None:
            keys = self._as_list(
                self.listed_items(self._each_of(items, _called(f, ast.Name("item", ast.Load())), node))
            )
        order = self.compute("order", keys.var, str(backwards.value), f=list)
        read = ast.Subscript(ast.copy_location(Given(items), node), ast.Name("item", ast.Load()), ast.Load())
        return self.listed_items(self._each_of(ListOf(order, (None,), True, list, False), read, node))

    def _known_order(self, items: Sequence[Any], keys: Sequence[Any], is_backwards: bool) -> Any:
        """The items in the order of their keys, where these are known; None where they are computed."""
        known: list[Any] = [v.value if is_text(v) else self.number_of(v) if isinstance(v, str) else None for v in keys]
        if {type(k) for k in known} not in ({str}, {int}, {float}, {int, float}):
            return None
        order = sorted(range(len(items)), key=known.__getitem__, reverse=is_backwards)
        return self.list_of(self.held(tuple([items[i] for i in order])))

    def _as_list(self, value: Any) -> ListOf:
        if isinstance(value, tuple) and value and all(isinstance(v, str) for v in value):
            value = self.listed(Display(value))
        if not isinstance(value, ListOf) or value.kind is not list or not value.is_vector:
            raise Unsupported("sorting of something other than a list of numbers", self.line)
        return value

    def _each_of(self, items: ListOf, each: ast.expr, node: ast.expr) -> ast.ListComp:
        turn = ast.comprehension(ast.Name("item", ast.Store()), ast.copy_location(Given(items), node), [], 0)
        found = ast.copy_location(ast.ListComp(each, [turn]), node)
        return ast.fix_missing_locations(found)

    def sorted_in_place(self, thing: Thing, node: ast.Call) -> Static:
        """``things.sort(key=f, reverse=True)`` of a list that the program made."""
        if thing.home is None or thing.is_shared:
            raise Unsupported("sorting of a list that others may have", self.line)
        call = ast.Call(node.func, [ast.copy_location(Given(thing), node)], node.keywords)
        found = self.sequence(self.in_order(ast.copy_location(call, node))) or ()
        for i, value in enumerate(found):
            self.set_slot(thing, i, value)
        return Static(None)

    def foremost(self, rows: tuple, keys: Sequence[Any], is_largest: bool) -> Any:
        """The one of several tuples or dicts whose key is the largest or the smallest, the first of equal ones."""
        keys = [k if isinstance(k, tuple) else (k, k) for k in keys]  # of tuples none may have NaN
        return (self.sequence(self._rows_in_order(rows, keys, str(is_largest))) or ())[0]

    def keys_of(self, items: Sequence[Any], f: ast.expr, node: ast.expr) -> list[Any]:
        """What a function gives of each of several items."""
        return [self.value(_called(f, ast.copy_location(Given(v), node))) for v in items]

    # -- rows -------------------------------------------------------------------------------------------------

    def _rows_in_order(self, rows: Sequence[Any], keys: Sequence[Any], backwards: str) -> Any:
        """Tuples, objects or dicts in the order of their keys, which are numbers, texts, or tuples of these."""
        if len(rows) > MOST_SORTED:
            raise Unsupported("sorting of many tuples or records", self.line)
        first = keys[0]
        if isinstance(first, tuple):
            is_fit = is_row(first) and len({len(k) if isinstance(k, tuple) else -1 for k in keys}) == 1
            columns = list(zip(*keys, strict=True)) if is_fit else []
        else:
            columns = [tuple(keys)]
        lists = [self._ranked(column) for column in columns]
        if not lists:
            raise Unsupported("sorting by something other than numbers", self.line)
        read = self._column(rows)
        order = self.compute("order", lists[0].var, backwards, *[more.var for more in lists[1:]], f=list)
        places = [self.compute("index", order, str(i)) for i in range(len(rows))]
        return self.list_of(self.held(tuple([read(place) for place in places])))

    def _ranked(self, column: tuple) -> ListOf:
        """Keys as numbers: texts, which are known, by the place that they have among one another."""
        if all(map(is_text, column)):
            texts = sorted({v.value for v in column})
            column = tuple([str(texts.index(v.value)) for v in column])
        return self._as_list(column)

    def _column(self, values: Sequence[Any]) -> Callable[[str], Any]:
        """What gives the one of several values that stands at a place."""
        first = values[0]
        if all(isinstance(v, str) for v in values):
            if all(v == first and not v.isidentifier() for v in values):
                return lambda place: first
            numbers = self._as_list(tuple(values)).var
            return lambda place: self.compute("index", numbers, place)
        if all(isinstance(v, Static) and v.value is first.value for v in values):
            return lambda place: first
        if all(map(is_text, values)):
            codes = self._as_list(tuple(map(self.code_of, values))).var
            return lambda place: Coded(self.compute("index", codes, place))
        if all(type(v) is type(first) for v in values):
            if type(first) is tuple and all(len(v) == len(first) for v in values):
                return self._of_parts(first, values)
            if isinstance(first, Named) and all(v.kind is first.kind for v in values):
                return self._of_parts(first, values)
            if isinstance(first, Thing):
                return self._of_things(first, values)
        raise Unsupported("sorting of something other than numbers, tuples and records", self.line)

    def _of_parts(self, first: Any, values: Sequence[Any]) -> Callable[[str], Any]:
        parts = [self._column(column) for column in zip(*values, strict=True)]
        return lambda place: self.likewise(first, [part(place) for part in parts])

    def _of_things(self, first: Thing, values: Sequence[Thing]) -> Callable[[str], Any]:
        """Copies of objects or of dicts."""
        own: tuple[CodeType, str, int] = (self.scopes[-1].function.__code__, "sorted", self.line)
        names = list(self._fields(first))
        for v in values:
            is_written = v.is_stored and (v.home is None or v.around != self.around)
            is_same = v.kind is first.kind and list(self._fields(v)) == names and v.kind is not list
            if own in self.never_copied or is_written or v.is_open or v.factory is not None or not is_same:
                raise Unsupported("sorting of objects that are written into, or unlike one another", self.line)
            v.copied_as = own
        parts = {k: self._column([self.held(self.slot(v, k)) for v in values]) for k in names}

        def read(place: str) -> Thing:
            self.count += 1
            found = Thing(first.kind, self.count, [], self.sub, copied_as=own, around=self.around)
            found.slots |= {k: part(place) for k, part in parts.items()}
            return found

        return read

    def _fields(self, thing: Thing) -> list[Any]:
        if thing.home is None and thing.kind is not dict:
            raise Unsupported("sorting of objects from outside", self.line)
        return self.keys(thing) if thing.kind is dict else list(thing.slots)


def is_row(value: Any) -> bool:
    """Whether a value is a tuple."""
    return isinstance(value, tuple) and not isinstance(value, Display)


def _called(f: ast.expr, x: ast.expr) -> ast.Call:
    return ast.fix_missing_locations(ast.copy_location(ast.Call(f, [x], []), f))
