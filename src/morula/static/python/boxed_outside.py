"""Dicts, lists and sets from outside that are read at computed places: a global graph, a table of parameters.

What the program is not differentiated by stands in the text as it is. At each call its contents are to be put together
as they were when the text was made: of the same types at every depth, in dicts and lists of any length. Which numbers
and texts these are is read as the program reads them. What it is differentiated by is a container of the text, which
gets the numbers when the program begins. Nothing may be written into either.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from morula.static.python.boxed_letters import BoxedLetters
from morula.static.python.boxed_making import Step
from morula.static.python.boxed_shapes import KINDS, NUMBERS, Shape, are_apart, containers_in, doubled, fits, shape_of
from morula.static.python.boxes import NUMBER, TEXT, Contents, Inner, View
from morula.static.python.codes import is_constant_of_table
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again, Set, Unsupported
from morula.static.python.scopes import Box, Coded, Static
from morula.static.python.things import ABSENT, Thing, fields_of

__all__ = ["BoxedOutside"]

SIMPLE = (float, int, bool, str, np.float64, np.ndarray)  # arguments in which no container is
CHANGING = frozenset([
    "append", "appendleft", "add", "clear", "discard", "extend", "extendleft", "insert", "pop", "popitem", "popleft",
    "remove", "reverse", "rotate", "setdefault", "sort", "update",
])  # fmt: skip


class BoxedOutside(BoxedLetters):
    """The part of a `boxed.Boxer` that reads them.

    Attributes:
        boxed_outside: the identities of such containers.
        in_wanted: those that are made anew, since the program is differentiated by what is in them.
        boxes_outside: what stands for them this time, with the text that reads them.
        heading: how many statements come first, which make them.
        is_filling: whether one is made.
        alive: the containers themselves, so that identities tell.
    """

    alive: list[Any]
    _here: Callable[[ast.AST], Any]

    boxed_outside: set[int]
    in_wanted: set[int]
    boxes_outside: dict[int, tuple[Box, str]]
    heading: int
    is_filling: bool

    def _begin(self, *args: Any) -> None:
        super()._begin(*args)
        self.boxes_outside, self.heading, self.is_filling = {}, 0, False

    def _build(self, function: Any, args: Any, weights: Any) -> None:
        self.in_wanted |= {found for i in self.program.wanted for found in containers_in(args[i])}
        super()._build(function, args, weights)
        self._check_apart()

    def _check_apart(self) -> None:
        """See to it that nothing in these containers is another thing for the program, which may write into it."""
        program = self.program
        given = [i.name for i in program.inputs[: program.n_args] if i.kind not in SIMPLE]
        others = [t for t in program.stored if t not in program.objects]
        if not (given or others):
            return
        program.space["are_apart"] = are_apart
        texts = [f"({''.join([f'{t}, ' for t in each])})" for each in (given, others)]
        for i, (_, where) in self.boxes_outside.items():
            if i not in self.in_wanted:
                self.guard(f"are_apart({where}, {', '.join(texts)})")

    # -- which they are -------------------------------------------------------------------------------------

    def of_outside(self, read: str, value: Any, name: str) -> Any:
        if id(value) not in self.boxed_outside:
            return super().of_outside(read, value, name)
        if id(value) in self.in_wanted:
            return self._thing(read, value)
        where = self._called_here(read)
        if id(value) in self.boxes_outside:
            found, other = self.boxes_outside[id(value)]
            self.guard(f"{where} is {other}")
            return found
        return self._box_outside(where, value)

    def _box_instead_of(self, value: Any) -> None:
        """Build the program anew, with such a container in the place of something from outside."""
        if type(value) in KINDS and id(value) not in self.boxed_outside:
            if id(value) not in self.in_wanted:
                shape_of([value])
            self.alive.append(value)
            self.boxed_outside |= {*containers_in(value)}
            raise Again

    def key_in(self, thing: Thing, node: ast.expr) -> Any:
        if thing.home is None and self.key(node, of_dict=thing.kind is dict) is ABSENT:
            self._box_instead_of(thing.value)
        return super().key_in(thing, node)

    def item_of(self, thing: Thing, node: ast.expr) -> Any:
        if thing.kind is list and thing.home is None and isinstance(node, ast.Slice):
            ends = [e for e in (node.lower, node.upper, node.step) if e is not None]
            if any(self.integer(e) is None for e in ends):
                self._box_instead_of(thing.value)
        return super().item_of(thing, node)

    def item_by_code(self, thing: Thing, coded: Coded) -> Any:
        values = [self.slot(thing, key) for key in self.keys(thing)]
        is_simple = all(isinstance(v, str) for v in values) or all(map(is_constant_of_table, values))
        if thing.home is None and not is_simple:
            self._box_instead_of(thing.value)
        return super().item_by_code(thing, coded)

    def value(self, node: ast.expr) -> Any:
        found = super().value(node)
        is_given = isinstance(found, Thing) and found.home is None and id(found.value) in self.boxed_outside
        return self._box_given(found) if is_given else found

    def may_be_box(self, node: ast.expr) -> bool:
        if super().may_be_box(node):
            return True
        if not self.boxed_outside or not isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            return False
        found = self._glanced(node)
        return isinstance(found, Box) or id(found.value if isinstance(found, Thing) else found) in self.boxed_outside

    def _glanced(self, node: ast.expr) -> Any:
        """What an expression comes to, or the value from outside that it reads; None where that cannot be seen."""
        if isinstance(node, ast.Name):
            found = self._at_hand(node)
            if found is None and self.is_outside(node.id):
                found = _outside(self.scopes[-1].function, node.id)
            return found
        if not isinstance(node, ast.Attribute | ast.Subscript):
            return None
        owner = self._glanced(node.value)
        value = owner.value if isinstance(owner, Thing | Static) else owner
        if isinstance(node, ast.Attribute):
            key: Any = node.attr
            parts: dict[Any, Any] = vars(value) if type(value) is ModuleType else fields_of(value)
        elif isinstance(node.slice, ast.Constant) and type(value) in (dict, list):
            key = node.slice.value
            parts = value if type(value) is dict else dict(enumerate(value))
        else:
            return None
        if isinstance(owner, Thing) and key in owner.slots:
            return owner.slots[key]
        return parts.get(key) if isinstance(key, str | int) else None

    # -- as they are, and made anew ---------------------------------------------------------------------------

    def _box_outside(self, where: str, value: Any) -> Box:
        """A container that nothing is differentiated by."""
        program = self.program
        if (shape := shape_of([value])) is None or type(shape.kind) is int:
            raise Unsupported("a tuple that is read at places that are computed", self.line)
        self.guard(f"{self.given(program.space, fits(shape))}({where}) and is_still({where})")
        program.fixed.add(where)
        text = where
        if program.verb == "pullback":  # which may run again when somebody has changed it
            program.space["doubled"] = doubled
            text = self._called_here(f"doubled({where})")
        place = ("outside", id(value))
        self._describe(place, shape)
        with self._at_first():
            var = self.fresh("outside")
            self.emit(Set(var, self.box_step(text)))
        self.boxes_outside[id(value)] = Box(var, place), where
        return Box(var, place)

    def _box_given(self, thing: Thing) -> Box:
        """A container with numbers that the program is differentiated by."""
        found = self.boxes_outside.get(id(thing.value))
        if found is not None:
            return found[0]
        with self._at_first():
            var = self.fresh("given")
            box = self.new_box(thing.kind, ("given", id(thing.value)))
            self.contents(box).is_read_only = True
            self.emit(Set(var, box.atom))
            for key in self.keys(thing) if thing.kind is dict else range(self.length_of(thing)):
                item = self._item_given(self.slot(thing, key))
                if thing.kind is dict:
                    self.put_item(box, self.constant_of(key), item)
                else:
                    self.add(box, item)
        self.boxes_outside[id(thing.value)] = Box(var, box.place), thing.where
        return Box(var, box.place)

    def _item_given(self, value: Any) -> Any:
        if type(value) is tuple:
            return tuple(map(self._item_given, value))
        return self._box_given(value) if isinstance(value, Thing) and value.kind in (dict, list) else value

    @contextmanager
    def _at_first(self) -> Iterator[None]:
        """What is built here is done when the program begins."""
        before = self.out, self.trying, self.sub, self.is_filling
        self.out, self.trying, self.sub, self.is_filling = [], 0, None, True
        yield
        at = 2 * len(self.arenas) + self.heading
        self.program.body[at:at] = self.out
        self.heading += len(self.out)
        self.out, self.trying, self.sub, self.is_filling = before

    def _describe(self, place: Any, shape: Shape) -> None:
        """Take note of what is in a container that is as the program has it."""
        found = self.kept.setdefault(place, Contents(KINDS[shape.kind]))
        found.is_read_only = found.is_whole = True
        parts = ("key", "item") if shape.kind is dict else ("key",) if found.kind is set else ("item",)
        for part, inner in zip(parts, shape.parts, strict=True):
            if inner is not None:
                found.layouts[part] = self._layout_in(place, inner, (part,), found)

    def _layout_in(self, place: Any, shape: Shape, path: tuple, contents: Contents) -> Any:
        if shape.kind is NUMBER:
            contents.leaf(path).types |= {NUMBERS[t] for t in shape.types}
            return NUMBER
        if shape.kind is TEXT:
            return TEXT
        if type(shape.kind) is int:
            parts = [(i, part) for i, part in enumerate(shape.parts) if part is not None]
            return tuple([self._layout_in(place, part, (*path, i), contents) for i, part in parts])
        self._describe((*place, *path), shape)
        return Inner((*place, *path))

    # -- what is done with them -------------------------------------------------------------------------------

    def taken_item(self, box: Box, text: str, *atoms: str, part: str = "item") -> Any:
        contents = self.contents(box)
        if not contents.is_whole or not self.is_read(box, part):
            return super().taken_item(box, text, *atoms, part=part)
        return self._key_in(contents, contents.layouts["item"], ("item",), text, atoms, True)

    def join(self, one: Any, other: Any) -> None:
        places = self.place_of(one), self.place_of(other)
        found = [self.kept[p] for p in places if p in self.kept]
        for place in places if places[0] != places[1] else ():
            if place in self.kept and self.kept[place].is_whole:
                self._make_anew(place[1])
        if any(contents.is_read_only for contents in found):
            for contents in found:
                contents.is_read_only = True
        super().join(one, other)

    def _make_anew(self, number: int) -> None:
        """Build the program anew, with a container of its own in the place of one from outside."""
        value = next(v for v in self.alive if id(v) == number)
        if type(value) not in (dict, list):
            raise Unsupported("a set, a tuple or a queue from outside among other containers", self.line)
        self.in_wanted |= {*containers_in(value)}
        raise Again

    def check_writable(self, box: Box) -> None:
        """See to it that a container may be written into."""
        if self.contents(box).is_read_only and not self.is_filling:
            raise Unsupported("writing into a container from outside that is read at computed places", self.line)

    def put_item(self, box: Box, key: Any, value: Any) -> None:
        self.check_writable(box)
        super().put_item(box, key, value)

    def add(self, box: Box, value: Any) -> None:
        self.check_writable(box)
        super().add(box, value)

    def sort(self, box: Box, options: dict[str | None, ast.expr]) -> None:
        self.check_writable(box)
        super().sort(box, options)

    def of_heap(self, f: Any, box: Box, args: Any) -> Any:
        self.check_writable(box)
        return super().of_heap(f, box, args)

    def method_of_box(self, box: Box, name: str, node: ast.Call) -> Any:
        if name in CHANGING:
            self.check_writable(box)
        if name == "copy" and self.contents(box).is_read_only and not node.args and not node.keywords:
            return self._copy_of(box, self._here(node))
        return super().method_of_box(box, name, node)

    def update(self, box: Box, other: Any) -> None:
        self.check_writable(box)
        if isinstance(other, Box) and self.contents(other).is_read_only and self.contents(box).kind is dict:
            self._put_all(box, other)
        else:
            super().update(box, other)

    def _list_extend(self, box: Box, items: ast.expr) -> Static:
        self.check_writable(box)
        value, items = self.peeked(items)
        if isinstance(value, Box) and self.contents(value).is_read_only:
            self.fill_box(box, items)
            return Static(None)
        return super()._list_extend(box, items)

    def _copied_into(self, f: Any, other: Box, place: Any) -> Box:
        if not self.contents(other).is_read_only:
            return super()._copied_into(f, other, place)
        return self._copy_of(other, place)

    def list_of_box(self, given: Box | View, node: ast.Call) -> Box:
        if isinstance(given, Box) and self.contents(given).is_read_only and self.contents(given).kind is list:
            return self._copy_of(given, self._here(node))
        return super().list_of_box(given, node)

    def _copy_of(self, box: Box, place: Any) -> Box:
        """A container of the text that has what another one has."""
        kind = self.contents(box).kind
        if kind is set:
            raise Unsupported("a copy of a set from outside", self.line)
        found = self.new_box(kind, place)
        self._put_all(found, box)
        return found

    def _put_all(self, box: Box, other: Box) -> None:
        if self.contents(box).kind is not self.contents(other).kind:
            raise Unsupported("a container made of another kind of container", self.line)
        if self.contents(box).kind is not dict:
            self.fill_box(box, Given(other))
            return
        each = ast.Name(self.own_name("item"), ast.Load())
        parts: list[ast.expr] = [ast.Subscript(each, ast.Constant(i), ast.Load()) for i in range(2)]
        self.loop_of(each.id, Given(View(other, "items")), ast.Expr(Step(box, "put", parts)))

    # -- their items ------------------------------------------------------------------------------------------

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Tuple | ast.List) and isinstance(value, Box):
            value = tuple(map(self.held, self.parts_of_box(value, target.elts)))
            targets = [t.value if isinstance(t, ast.Starred) else t for t in target.elts]
            target = ast.copy_location(ast.Tuple(targets, ast.Store()), target)
        super().assign(target, value)


def _outside(function: Any, name: str) -> Any:
    """What a name stands for that is none of a function's own; None where it is not bound."""
    code = function.__code__
    if name not in code.co_freevars:
        return function.__globals__.get(name)
    try:
        return (function.__closure__ or ())[code.co_freevars.index(name)].cell_contents
    except (ValueError, IndexError):
        return None
