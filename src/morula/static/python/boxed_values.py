"""Keys and items of containers that the text has as the program does: how they are put in, and read again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from morula.static.python.boxes import (
    CODE,
    NOTHING,
    NUMBER,
    TEXT,
    BoxForm,
    Contents,
    Inner,
    Leaf,
    OfArray,
    OfNamed,
    Perhaps,
    like,
)  # fmt: skip
from morula.static.python.codes import is_function
from morula.static.python.flow import used
from morula.static.python.front import Builder
from morula.static.python.ir import Again, Append, Compute, Invoke, Program, Set, Store, Unsupported
from morula.static.python.memory import Memory
from morula.static.python.optionals import is_none
from morula.static.python.scopes import (
    Array,
    Box,
    Coded,
    Maybe,
    Named,
    Scope,
    Sort,
    Text,
)
from morula.static.python.texts import is_text
from morula.static.python.things import Thing
from morula.static.python.types import Types

__all__ = ["BOOLEAN", "PLAIN", "BoxedValues", "Unread", "depending"]

BOOLEAN = frozenset(["bool"])
WHOLE = frozenset(["int", "bool", "np.int64", "np.bool"])
NEW = {set: "set()", dict: "{{}}", list: "[]"}
PLAIN = frozenset([None, OrderedDict])  # what dicts without defaults are made by
WITH_BOXES = ("gradient", "pullback")  # other verbs only read those from outside


class Unread(str):
    """Stands for what nobody has put in so far, where the text gives way."""

    __slots__ = ()


class BoxedValues(Builder):
    """The part of a `boxed.Boxer` that knows what is in containers.

    Attributes:
        kept: by the place, what is in the containers that are made there.
        same_places: places of which the containers may be the same ones.
        arenas: the leaves that have a list in the text this time.
        unread: keys and items of containers that were asked for before anything was put in.
    """

    kept: dict[Any, Contents]
    same_places: dict[Any, Any]
    arenas: list[Leaf]
    unread: set[tuple[int, str]]
    with_arrays: Callable[[Any], Any]
    shared_array: Callable[[str, OfArray], Array]
    record_instead: Callable[[Thing], None]
    vague_atoms: set[str]

    # -- places ---------------------------------------------------------------------------------------------

    def place_of(self, place: Any) -> Any:
        while place in self.same_places:
            place = self.same_places[place]
        return place

    def contents(self, box: Box) -> Contents:
        return self.kept[self.place_of(box.place)]

    def new_box(self, kind: Any, place: Any, text: str = "", *atoms: str, factory: Any = None) -> Box:
        """A new container."""
        if self.program.verb not in WITH_BOXES:
            raise Unsupported("a container of this kind, in such a text", self.line)
        place = self.place_of(place)
        found = self.kept.setdefault(place, Contents(kind))
        if found.kind is not kind or (found.factory is not None and not _is_same(found.factory, factory)):
            if found.kind is not kind or not {found.factory, factory} <= PLAIN:
                raise Unsupported("containers of several kinds", self.line)
            factory = None
        found.factory = factory
        text = text or NEW.get(kind) or f"{self.given(self.program.space, kind)}()"
        return Box(self.box_step(text, *atoms), place)

    def join(self, one: Any, other: Any) -> None:
        """Take note that the containers of two places may be the same ones."""
        one, other = self.place_of(one), self.place_of(other)
        if one == other:
            return
        if isinstance(other, Sort):
            one, other = other, one
        mine, theirs = self.kept.get(one), self.kept.get(other)
        self.same_places[other] = one
        if theirs is not None:
            if mine is None:
                self.kept[one] = theirs
            elif mine.kind is not theirs.kind or not (
                _is_same(mine.factory, theirs.factory) or {mine.factory, theirs.factory} <= PLAIN
            ):
                raise Unsupported("containers of several kinds", self.line)
            else:
                mine.factory = mine.factory if _is_same(mine.factory, theirs.factory) else None
                mine.is_ordered |= theirs.is_ordered
                mine.classes.update(theirs.classes)
                mine.may_be_none |= theirs.may_be_none
                for path, leaf in theirs.leaves.items():
                    ours = mine.leaf(path)
                    ours.types, ours.is_active = ours.types | leaf.types, ours.is_active | leaf.is_active
                for part, layout in theirs.layouts.items():
                    mine.layouts[part] = self._united(mine.layouts.get(part, layout), layout)
        raise Again

    def order(self, box: Box) -> None:
        """Take note that the items of a list are compared with each other."""
        found = self.contents(box)
        if found.kind is not list:
            raise Unsupported("an order of something other than a list", self.line)
        if not found.is_ordered:
            found.is_ordered = True
            raise Again

    def names_it(self, scope: Scope, name: str, found: Box | Text, atom: str) -> None:
        """Let a variable be what holds a container, or one text or another."""
        scope.bound[name] = found
        scope.things.pop(name, None)
        scope.tuples.add(name)
        scope.sure[-1].add(name)
        self.emit(Set(found.atom, atom))

    # -- layouts --------------------------------------------------------------------------------------------

    def _layout(self, value: Any) -> Any:
        if is_none(value) or self.is_vague(value):
            return NOTHING
        if isinstance(value, str):
            return NUMBER
        if isinstance(value, Maybe):
            return Perhaps(self._layout(value.value))
        if isinstance(value, Thing):
            self.record_instead(value)
        if is_text(value) or isinstance(value, Text):
            return TEXT
        if isinstance(value, Coded) or is_function(value):
            return CODE
        if isinstance(value, Box):
            return Inner(self.place_of(value.place))
        if isinstance(value, Array):
            return OfArray(value.shape, value.dtype)
        if isinstance(value, Named):
            return self._without_perhaps(OfNamed(map(self._layout, value), value.kind))
        if type(value) is tuple and value:
            return self._without_perhaps(tuple(map(self._layout, value)))
        raise Unsupported("a container of something other than numbers, texts, arrays and tuples of them", self.line)

    def is_vague(self, value: Any) -> bool:
        """Whether a value comes from a variable to which nothing but None has been assigned so far."""
        return isinstance(value, Maybe) and not self.vague_atoms.isdisjoint(value.atoms)

    def expect_nothing(self, place: Any) -> None:
        """Take note that None stands where containers or objects of a place do."""
        found = self.kept.get(self.place_of(place))
        if found is not None and not found.may_be_none:
            found.may_be_none = True
            raise Again

    def _without_perhaps(self, parts: tuple) -> tuple:
        if any(isinstance(part, Perhaps) for part in parts):
            raise Unsupported("a tuple in a container of which a part is None at times", self.line)
        return parts

    def _united(self, one: Any, other: Any) -> Any:
        """The layout of what has one layout at times, and another one at other times."""
        if one == other:
            return one
        if isinstance(one, Inner) and isinstance(other, Inner):
            if self.place_of(one.place) != self.place_of(other.place):
                self.join(one.place, other.place)
            return one
        if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other) and like(one, other) == other:
            return self._without_perhaps(like(one, [self._united(a, b) for a, b in zip(one, other, strict=True)]))
        if NOTHING in (one, other):
            some = other if one == NOTHING else one
            if isinstance(some, Inner):
                self.expect_nothing(some.place)
            return some if isinstance(some, Inner | Perhaps) else Perhaps(some)
        if isinstance(one, Perhaps) or isinstance(other, Perhaps):
            a, b = (v.of if isinstance(v, Perhaps) else v for v in (one, other))
            return Perhaps(self._united(a, b))
        raise Unsupported("a container of things of several kinds", self.line)

    def expect(self, box: Box, part: str, value: Any) -> None:
        """Take note of what a key or an item of a container is."""
        found, layout = self.contents(box), self._layout(value)
        if (id(found), part) in self.unread:
            found.layouts[part] = layout
            raise Again
        known = found.layouts.setdefault(part, layout)
        found.layouts[part] = self._united(known, layout)
        if found.layouts[part] != known:  # what was read before is another thing now
            raise Again

    def expect_keys(self, box: Box, other: Box) -> None:
        """Let a set have the keys of a dict, as far as they are known."""
        mine, theirs = self.contents(box), self.contents(other)
        mine.layouts["key"] = theirs.layouts["key"]
        for path, leaf in list(theirs.leaves.items()):
            if path[0] == "key" and mine.leaf(path) is not leaf:
                mine.leaves[path] = leaf
                raise Again

    def is_read(self, box: Box, part: str) -> bool:
        """Whether it is known what a key or an item is; nothing has been put in so far where it is not."""
        found = self.contents(box)
        if part not in found.layouts:
            self.unread.add((id(found), part))
        return part in found.layouts

    def box_step(
        self, text: str, *atoms: str, types: frozenset[str] = frozenset(), writes: Any = (), reads: Leaf | None = None,
        in_place: bool = True,
    ) -> str:  # fmt: skip
        """What is done with a container, in which ``{a0}``, ``{a1}`` ... stand for the atoms."""
        form = BoxForm(
            text, types, (None,) * len(atoms), is_drawn=in_place, is_constant=True, raises_alike=True, writes=writes,
            reads=reads,
        )  # fmt: skip
        return self.compute("numpy", *atoms, f=form)

    # -- what is relied on ----------------------------------------------------------------------------------

    def check_views(self) -> None:
        super().check_views()
        self._check_leaves()

    def _check_leaves(self) -> None:
        """See to it that no number with a derivative is in a container itself, and that all are of the types known."""
        memory = Memory(self.program)
        types = Types(self.program, memory)
        steps = [s for s in self.program.statements() if isinstance(s, Compute) and isinstance(s.f, BoxForm)]
        if not steps:
            return
        has_changed = False
        active = depending(self.program, memory)
        if self.program.verb not in WITH_BOXES and any(not active.isdisjoint(s.args) for s in steps):
            raise Unsupported("a container that is asked for what has a derivative, in such a text")
        for s in steps:
            for i, leaf, is_noted in s.f.writes:
                known = types[s.args[i]]
                if not known <= leaf.types:
                    leaf.types |= known
                    has_changed = True
                if s.args[i] in active and not is_noted and not leaf.is_active:
                    leaf.is_active = has_changed = True
            if s.f.reads is not None and s.f.types != s.f.reads.types:
                has_changed = True  # it was read before something of another type was put in
        keys = {id(leaf) for found in self.kept.values() for path, leaf in found.leaves.items() if path[0] == "key"}
        if has_changed:
            raise Again
        for found in self.kept.values():
            if found.is_cache and any(leaf.is_active and id(leaf) in keys for leaf in found.leaves.values()):
                raise Unsupported("a cached function of numbers with a derivative")
        for s in steps:
            if s.f.reads is not None and s.f.reads.is_active and id(s.f.reads) in keys:
                raise Unsupported("a key with a derivative that is read again")


def _is_same(one: Any, other: Any) -> bool:
    """Whether two functions that make items are one, which stand-ins are in several attempts."""
    return one is other or (hasattr(one, "__code__") and one.__code__ is getattr(other, "__code__", None))


def depending(program: Program, memory: Memory) -> set[str]:
    """The atoms that depend on what is differentiated by, also through numbers in containers as they are."""
    found = {name for given in program.sources() for name in (given.name, given.array) if name}
    leaves: set[int] = set()
    statements = list(program.statements())
    while True:
        before = len(found), len(leaves)
        for s in statements:
            if isinstance(s, Set) and s.value in found:
                found.add(s.var)
            elif isinstance(s, Compute) and isinstance(s.f, BoxForm):
                leaves.update(id(leaf) for i, leaf, is_noted in s.f.writes if s.args[i] in found and not is_noted)
                if s.f.reads is not None and id(s.f.reads) in leaves:
                    found.add(s.target)
            elif isinstance(s, Compute):
                if not found.isdisjoint(used(s)):
                    found.add(s.target)
            elif isinstance(s, Invoke):
                found.update(name for name, given in s.passed() if given in found)
            elif isinstance(s, Store | Append) and s.value in found:
                found.add(s.array)
        found |= memory.all_like(found)
        if before == (len(found), len(leaves)):
            return found
