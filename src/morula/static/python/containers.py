"""Lists and dicts of a known layout, their comprehensions, loops over them, and calls of builtins of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from morula.static.python.comprehensions import Renamed
from morula.static.python.ir import Unsupported
from morula.static.python.mappings import BY_KEY, Mappings
from morula.static.python.overloading import Overloading
from morula.static.python.rearranged import LONGEST, Rearranged
from morula.static.python.scopes import Array, Coded, Display, ListOf, Range, Small, Static, is_vector_array
from morula.static.python.standing import Standing
from morula.static.python.things import (
    ABSENT,
    Cursor,
    Rigid,
    Thing,
    Turns,
    every_one,
    is_dict,
    is_known_list,
    is_number_like,
    is_of_class,
    same,
)
from morula.static.python.type_tests import TypeTests
from morula.transform.deep import copied

__all__ = ["Containers"]

METHODS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.FloorDiv: "floordiv", ast.Mod: "mod",
}  # fmt: skip


class Containers(Mappings, TypeTests, Rearranged, Overloading, Standing):
    """The part of a `front.Builder` that knows lists and dicts."""

    range_now: Callable[[Any], tuple[str, ...] | None]
    note_looking: Callable[..., None]
    number: Callable[[ast.expr], str]
    assign: Callable[[ast.expr, Any], None]
    lists_are_things: bool
    listed_items: Callable[[Any], Any]
    by_length: bool
    read: Callable[..., Any]
    known_array: Callable[..., Any]
    gone_through: set[int]
    has_lists: bool
    rest_of: Callable[[Cursor], Turns]
    turns_of_array: Callable[..., Turns]
    all_of: Callable[[ast.expr], Any]
    items_as_turns: Callable[..., Turns | None]

    def new_thing(self, kind: type, slots: dict[Any, Any]) -> Thing:
        self.count += 1
        where = f" of {self.scopes[-1].function.__qualname__}, {self.line}" if self.scopes else ""
        self.has_lists = True
        thing = Thing(kind, self.count, self.out, self.sub, around=self.around, line=where)
        if kind is dict:
            self.begin_late(thing)
        for key, value in slots.items():
            self.set_slot(thing, key, value)
        thing.is_stored = False
        return thing

    def _value_Dict(self, node: ast.Dict) -> Thing:
        slots: dict[Any, Any] = {}
        for k, v in zip(node.keys, node.values, strict=True):
            if k is None:
                slots |= self.slots_of(self.value(v))
                continue
            key = self.key(k, of_dict=True)
            if key is ABSENT:
                raise Rigid("a key that is no constant", self.line)
            slots[key] = self.held(self.value(v))
        return self.new_thing(dict, slots)

    def slots_of(self, value: Any) -> dict[Any, Any]:
        """The items of a dict."""
        if not isinstance(value, Thing) or value.kind is not dict:
            raise Unsupported("something other than a dict of known keys", self.line)
        return {key: self.slot(value, key) for key in self.keys(value)}

    def list_of(self, values: tuple) -> Any:
        """A new list, which is a thing unless it is one of numbers and arrays alone."""
        self.has_lists = True
        if self.lists_are_things or not all(is_number_like(v) or isinstance(v, ListOf) for v in values):
            return self.new_thing(list, dict(enumerate(values)))
        return Display(values)

    def _value_Tuple(self, node: ast.Tuple) -> Any:
        found: list[Any] = []
        for v in node.elts:
            if not isinstance(v, ast.Starred):
                found.append(self.held(self.value(v)))
                continue
            found += map(self.held, self.spread(self.all_of(v.value)))
        return tuple(found)

    def spread(self, value: Any) -> tuple:
        """The items that stand in a display for ``*value``."""
        if isinstance(value, Array):
            return tuple([self.read(value, [str(i)], False) for i in range(value.shape[0])])
        n = self.known_length(value) if isinstance(value, ListOf) else None
        parts = self.sequence(value) if n is None else self.items(value, n)
        if parts is None and not (isinstance(value, ListOf) and value.is_vector and value.kind is list):
            raise Unsupported("a display of items whose number is not known", self.line)
        return self.spread_out(value) if parts is None else parts

    def _value_List(self, node: ast.List) -> Any:
        return self.list_of(self._value_Tuple(ast.Tuple(node.elts)))

    def _value_ListComp(self, node: ast.ListComp) -> Any:
        self.has_lists = True
        if not self.lists_are_things:
            return self.listed_items(node)
        return self.list_of(self._elements(node))

    def _value_GeneratorExp(self, node: ast.GeneratorExp) -> Turns:
        return Turns([partial(same, v) for v in self._elements(node)])

    def _elements(self, node: ast.ListComp | ast.GeneratorExp) -> tuple:
        found: list[Any] = []
        self._comprehended(node, lambda inner: found.append(self.held(self.value(inner.elt))))
        return tuple(found)

    def _value_DictComp(self, node: ast.DictComp) -> Thing:
        slots: dict[Any, Any] = {}

        def add(inner: Any) -> None:
            key = self.key(inner.key, of_dict=True)
            if key is ABSENT:
                raise Rigid("a key that is no constant", self.line)
            slots[key] = self.held(self.value(inner.value))

        self._comprehended(node, add)
        return self.new_thing(dict, slots)

    def _comprehended(self, node: Any, add: Callable[[Any], None]) -> None:
        scope = self.scopes[-1]
        names = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        self.count += 1
        own = {name: f"{name}_{self.count}_" for name in names}
        first = node.generators[0].iter  # which is none of its own names
        node = Renamed(own).visit(copied(node))
        node.generators[0].iter = first
        scope.extra |= set(own.values())
        if not isinstance(node, ast.GeneratorExp) or getattr(node, "is_taken_at_once", False):
            made = [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.comprehension)]
            self.note_looking(made, node.generators, set(own.values()))
        hold = self.glanced if self.looking.issuperset(own.values()) else self.held

        def turn(depth: int) -> None:
            if depth == len(node.generators):
                add(node)
                return
            generator = node.generators[depth]
            if generator.is_async:
                raise Unsupported("an asynchronous comprehension", self.line)
            value = self.value(generator.iter)
            turns = self.turns_of(value)
            if turns is None and isinstance(value, ListOf | Array):
                turns = self.turns_of(self.spread(value))
            if turns is None:
                raise Unsupported("a comprehension over something that is not known in advance", self.line)
            for value in turns.each(hold):
                self.assign(generator.target, self.settled(value))
                tests = [self.truth(test) for test in generator.ifs]
                if any(test not in ("True", "False") for test in tests):
                    raise Unsupported("a comprehension with a condition", self.line)
                if "False" not in tests:
                    turn(depth + 1)

        turn(0)
        for name in own.values():
            scope.things.pop(name, None)

    def glanced(self, value: Any) -> Any:
        """What is `held`, of a comprehension that writes into nothing."""
        if type(value) is tuple:
            return tuple(map(self.glanced, value))
        return self.each(self.held, value) if isinstance(value, Array) else self.held(value)

    # -- what loops go through -------------------------------------------------------------------------------

    def turns_of(self, value: Any) -> Turns | None:
        """What a loop over a value goes through, if the number of turns is known."""
        if isinstance(value, Turns | Cursor):
            return self.rest_of(value) if isinstance(value, Cursor) else value.again() if value.again else value
        if isinstance(value, Static):
            return self.members(value) if isinstance(value.value, type) else self.letters(value)
        if is_known_list(value):
            return Turns([partial(self.slot, value, i) for i in range(self.length_of(value))], (value,))
        if isinstance(value, Thing) and value.kind is dict:
            return Turns([partial(self._of_key, key) for key in self.keys(value)], (value,))
        if isinstance(value, Thing):
            return self.turns_by_class(value)
        parts = value.parts if isinstance(value, Small) else value
        if isinstance(value, Array) and len(value.shape) == 1 and id(self.known_array(value.atom)) in self.gone_through:
            return Turns([partial(self.read, value, [str(i)], False) for i in range(value.shape[0])])
        if not isinstance(parts, tuple):
            return None
        return Turns([partial(same, v) for v in self.held(tuple(parts))])

    def sequence(self, value: Any) -> tuple | None:
        """The values that a loop over a value goes through, if their number is known."""
        turns = self.turns_of(value)
        return None if turns is None else tuple([turn() for turn in turns.values])

    def known_range(self, args: list[ast.expr]) -> tuple[str, ...] | None:
        """The numbers of a range with known ends."""
        ends = [self.integer(a) for a in args]
        if not ends or len(ends) > 3 or None in ends or ends[2:] == [0]:
            return None
        found = range(*ends)  # type: ignore[arg-type]
        return tuple([self.literal(i) for i in found]) if len(found) <= LONGEST else None

    # -- items ------------------------------------------------------------------------------------------------

    def item_of(self, thing: Thing, node: ast.expr) -> Any:
        if thing.kind not in (list, dict):
            return self.dunder(thing, "__getitem__", [self.value(node)])
        if isinstance(node, ast.Slice) and thing.kind is list:
            given = range(self.length_of(thing))[self.known_slice(node)]
            return self.list_of(tuple([self.held(self.slot(thing, i)) for i in given]))
        if thing.kind is dict and isinstance(coded := self.code_at(node := self.read_once(node)), Coded):
            return self.item_by_code(thing, coded)
        key = self.key_in(thing, node)
        if thing.factory is not None and key not in thing.slots:
            return self._made_item(thing, key)
        return self.slot(thing, key)

    def known_slice(self, node: ast.Slice) -> slice:
        """A slice with the same ends whatever is computed."""
        ends = [None if e is None else self.integer(e) for e in (node.lower, node.upper, node.step)]
        if any(e is not None and end is None for e, end in zip((node.lower, node.upper, node.step), ends, strict=True)):
            raise Rigid("a slice of a list that is not the same each time", self.line)
        if ends[2] == 0:
            raise Unsupported("a slice in steps of 0", self.line)
        return slice(*ends)

    def set_item(self, thing: Thing, node: ast.expr, value: Any) -> None:
        if thing.kind not in (list, dict):
            self.dunder(thing, "__setitem__", [self.value(node), value])
            return
        if thing.kind is dict and isinstance(coded := self.code_at(node := self.read_once(node)), Coded):
            self.set_item_by_code(thing, coded, self.present(value))
            return
        self.set_slot(thing, self.key_in(thing, node), value)

    def key_in(self, thing: Thing, node: ast.expr) -> Any:
        key = self.key(node, of_dict=thing.kind is dict)
        if key is ABSENT:
            raise Rigid("an item that is not the same each time", self.line)
        if thing.kind is dict:
            return key
        n = self.length_of(thing)
        if type(key) is not int or not -n <= key < n:
            raise Rigid("an item that a list lacks", self.line)
        return key % n

    # -- calls ------------------------------------------------------------------------------------------------

    def thing_operator(self, op: ast.operator, left: Any, right: Any, augmented: bool = False) -> Any:
        """An operator with an object on one side."""
        stem = METHODS.get(type(op))
        if isinstance(op, ast.BitOr) and is_dict(left) and is_dict(right):
            return self.union(left, right, augmented)
        is_list = lambda x: isinstance(x, Display) or is_known_list(x)
        lists = [self.sequence(x) if is_list(x) else None for x in (left, right)]
        if stem == "add" and None not in lists and not augmented:
            return self.list_of(self.held((*lists[0], *lists[1])))  # type: ignore[misc]
        if stem == "mul" and not augmented and (lists[0] is None) != (lists[1] is None):
            n = self._key_of(right if lists[1] is None else left)
            if type(n) is int and n <= LONGEST:
                return self.list_of(self.held((lists[0] or lists[1] or ()) * n))
        if stem is None or any(isinstance(x, Thing) and x.kind in (list, dict) for x in (left, right)):
            raise Unsupported("an operator of something other than numbers", self.line)
        if augmented and isinstance(left, Thing) and self.find(left.kind, f"__i{stem}__")[1]:
            return self.dunder(left, f"__i{stem}__", [right])
        return self.overloaded(stem, left, right)

    def _item(self, thing: Thing, key: Any) -> tuple:
        return self._of_key(key), self.slot(thing, key)

    def _turns_of_view(self, thing: Thing, name: str) -> Turns:
        """What ``thing.keys()`` and its kin go through now."""
        read: Any = {"keys": self._of_key, "values": partial(self.slot, thing), "items": partial(self._item, thing)}
        return Turns([partial(read[name], key) for key in self.keys(thing)], (thing,))

    def called_method(self, thing: Thing, name: str, args: list) -> Any:
        """A method of a list or a dict."""
        if thing.kind is list:
            if (found := self._changed_list(thing, name, args)) is not ABSENT:
                return found
        elif name in ("keys", "values", "items") and not args:
            view = self._turns_of_view(thing, name)
            view.again = partial(self._turns_of_view, thing, name)
            return view
        elif name == "copy" and not args and thing.factory is None:
            return self.new_thing(dict, self.slots_of(thing))
        elif name in BY_KEY and len(args) in BY_KEY[name]:
            return self._by_known_key(thing, name, args)
        elif name == "update" and thing.factory is None:
            for given in args:
                self.updated(thing, given)
            return Static(None)
        raise Unsupported(f"the method {name!r} of a {thing.kind.__name__}", self.line)

    def _changed_list(self, thing: Thing, name: str, args: list) -> Any:
        """A method that changes the length of a list that the program made; `ABSENT` where it is something else."""
        n = len(thing.slots)
        if thing.home is None or thing.is_shared:
            return ABSENT
        if name == "append" and len(args) == 1:
            self.set_slot(thing, n, args[0])
            return Static(None)
        if name == "extend" and len(args) == 1 and (more := self.sequence(args[0])) is not None:
            for i, value in enumerate(more):
                self.set_slot(thing, n + i, value)
            return Static(None)
        key = self._key_of(args[0]) if args else n - 1
        if name == "pop" and len(args) <= 1 and type(key) is int and -n <= key < n:
            values = [self.held(self.slot(thing, i)) for i in range(n)]
            found = values.pop(key)
            self._check_home(thing, key)
            thing.is_stored = True
            for i, value in enumerate(values[key:] if key != n - 1 else [], key % n):
                self.set_slot(thing, i, value)
            self.check_place(thing, n - 1)
            del thing.slots[n - 1]
            return found
        return ABSENT

    def known_call(self, f: Any, args: list, named: dict[str, Any], node: ast.Call) -> Any:
        """A call of a builtin whose outcome is known, or made of known things; `ABSENT` where it is not."""
        n = len(args)
        if f is range and not named:
            found = self.known_range(node.args)
            if found is None and all(isinstance(a, str) for a in args):
                found = self.range_now(args)
            if found is None:
                raise Unsupported("a range that is not a loop's", self.line)
            return Range(found)
        if not named and (turned := self.rearranged(f, args)) is not None:
            return turned
        is_zip = f is zip and named in ({}, {"strict": "False"}, {"strict": "True"})
        if f in (enumerate, zip, reversed, list, tuple, sum) and (not named or is_zip) and n:
            if f is reversed and is_vector_array(args[0]):
                return Turns(self.turns_of_array(args[0]).values[::-1])
            if f is enumerate and is_vector_array(args[0]):
                args = [self.turns_of_array(args[0]), *args[1:]]
            elif f is enumerate and self.lists_are_things and isinstance(args[0], ListOf) and args[0].is_vector:
                args = [self.spread(args[0]), *args[1:]]
            turns = [self.turns_of(a) for a in args[: n if f is zip else 1]]
            if f is zip and (lengths := [len(t.values) for t in turns if t is not None]):
                turns = [self.items_as_turns(a, min(lengths), named.get("strict") == "True") if t is None else t
                         for a, t in zip(args, turns, strict=True)]  # fmt: skip
            sequences = [t for t in turns if t is not None]
            if named.get("strict") == "True" and len({len(t.values) for t in sequences}) > 1:
                raise Unsupported("zip of lists whose lengths must be the same", self.line)
            return self._of_turns(f, sequences, args) if len(sequences) == len(turns) else ABSENT
        if f is dict and n == 1 and isinstance(args[0], Turns):
            pairs = [each() for each in args[0].values]
            if all(type(p) is tuple and len(p) == 2 and self._key_of(p[0], True) is not ABSENT for p in pairs):
                return self.new_thing(dict, {self._key_of(k, True): self.held(v) for k, v in pairs} | named)
        if f is dict and (n == 0 or (n == 1 and isinstance(args[0], Thing))):
            return self.new_thing(dict, (self.slots_of(args[0]) if n else {}) | named)
        if f is len and n == 1 and isinstance(args[0], Thing):
            if args[0].kind not in (list, dict):
                return self.converted(len, args[0])
            return str(len(self.keys(args[0])) if args[0].kind is dict else self.length_of(args[0]))
        if not named and (known_type := self.type_test(f, args)) is not ABSENT:
            return known_type
        return ABSENT if named else self.of_object(f, args)

    def _of_turns(self, f: Any, turns: list[Turns], args: list) -> Any:
        things = tuple([thing for t in turns for thing in t.things])
        first = turns[0].values
        if f is zip:
            return Turns([partial(every_one, each) for each in zip(*[t.values for t in turns], strict=False)], things)
        if f is enumerate and len(args) == 1:
            return Turns([partial(every_one, (partial(same, str(i)), v)) for i, v in enumerate(first)], things)
        if f is reversed and not isinstance(args[0], Turns):
            return Turns(first[::-1], things)
        values = tuple([value() for value in first])
        if f is sum and len(args) <= 2 and any(map(is_of_class, values)):
            return self.sum_by_class(values, *args[1:])
        if f is sum and len(args) <= 2 and all(isinstance(v, str) for v in (*values, *args[1:])):
            start = (args[1:] or ["0"])[0]
            return self.compute("sum", start, *values) if values else start
        if f in (list, tuple) and len(args) == 1:
            return self.list_of(self.held(values)) if f is list else self.held(values)
        return ABSENT
