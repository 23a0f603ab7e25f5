"""Keys and items of containers that the text has as the program does: how they are put in, and read again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from morula.static.python.boxes import NUMBER, TEXT, BoxForm, Contents, Inner, Leaf, OfArray, Tie
from morula.static.python.flow import used
from morula.static.python.front import Builder
from morula.static.python.ir import Again, Append, Branch, Compute, Fail, Invoke, Program, Set, Store, Unsupported
from morula.static.python.memory import Memory
from morula.static.python.scopes import Array, Box, Coded, Display, ListOf, Named, Scope, Small, Static, Text
from morula.static.python.texts import is_text
from morula.static.python.types import INT, Types

__all__ = ["BOOLEAN", "BoxedValues", "Unread"]

BOOLEAN = frozenset(["bool"])
WHOLE = frozenset(["int", "bool", "np.int64", "np.bool"])
NEW = {set: "set()", dict: "{{}}", list: "[]"}
WITH_BOXES = ("gradient", "pullback")  # other verbs only read those from outside
MOST_TYPES = 4  # steps back to what a number is computed from


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
            raise Unsupported("containers of several kinds", self.line)
        found.factory = factory
        text = text or NEW.get(kind) or f"{self.given(self.program.space, kind)}()"
        return Box(self.box_step(text, *atoms), place)

    def join(self, one: Any, other: Any) -> None:
        """Take note that the containers of two places may be the same ones."""
        one, other = self.place_of(one), self.place_of(other)
        if one == other:
            return
        mine, theirs = self.kept.get(one), self.kept.get(other)
        self.same_places[other] = one
        if theirs is not None:
            if mine is None:
                self.kept[one] = theirs
            elif mine.kind is not theirs.kind or not _is_same(mine.factory, theirs.factory):
                raise Unsupported("containers of several kinds", self.line)
            else:
                mine.is_ordered |= theirs.is_ordered
                for path, leaf in theirs.leaves.items():
                    ours = mine.leaf(path)
                    ours.types, ours.is_active = ours.types | leaf.types, ours.is_active | leaf.is_active
                for part, layout in theirs.layouts.items():
                    mine.layouts.setdefault(part, layout)
                    self._unite(mine.layouts[part], layout)
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
        if isinstance(value, str):
            return NUMBER
        if is_text(value) or isinstance(value, Text):
            return TEXT
        if isinstance(value, Box):
            return Inner(self.place_of(value.place))
        if isinstance(value, Array):
            return OfArray(value.shape, value.dtype)
        if type(value) is tuple and value:
            return tuple(map(self._layout, value))
        raise Unsupported("a container of something other than numbers, texts, arrays and tuples of them", self.line)

    def _unite(self, one: Any, other: Any) -> None:
        if isinstance(one, Inner) and isinstance(other, Inner):
            self.join(one.place, other.place)
        elif isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
            for a, b in zip(one, other, strict=True):
                self._unite(a, b)
        elif one != other:
            raise Unsupported("a container of things of several kinds", self.line)

    def expect(self, box: Box, part: str, value: Any) -> None:
        """Take note of what a key or an item of a container is."""
        found, layout = self.contents(box), self._layout(value)
        if (id(found), part) in self.unread:
            found.layouts[part] = layout
            raise Again
        self._unite(found.layouts.setdefault(part, layout), layout)

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

    # -- there ----------------------------------------------------------------------------------------------

    def box_step(
        self, text: str, *atoms: str, types: frozenset[str] = frozenset(), writes: Any = (), reads: Leaf | None = None,
        in_place: bool = True,
    ) -> str:  # fmt: skip
        """What is done with a container, in which ``{a0}``, ``{a1}`` ... stand for the atoms."""
        if self.trying:
            raise Unsupported("a container of this kind, in such a text", self.line)
        form = BoxForm(
            text, types, (None,) * len(atoms), is_drawn=in_place, is_constant=True, writes=writes, reads=reads
        )  # fmt: skip
        return self.compute("numpy", *atoms, f=form)

    def key_atom(self, box: Box, value: Any) -> str:
        """The atom of a key, or of a member of a set."""
        value = self.keyed(value)
        self.expect(box, "key", value)
        atoms: list[str] = []
        writes: list[tuple[int, Leaf, bool]] = []
        contents = self.contents(box)

        def spelled(v: Any, path: tuple) -> str:
            if type(v) is tuple:
                return f"({', '.join([spelled(x, (*path, i)) for i, x in enumerate(v)])},)"
            if isinstance(v, str):
                leaf = contents.leaf(path)
                self._learn_types(leaf, v)
                if not leaf.types <= WHOLE:
                    self.fail_if_nan(v)
                writes.append((len(atoms), leaf, False))
            atoms.append(self._atom(v))
            return f"{{a{len(atoms) - 1}}}"

        text = spelled(value, ("key",))
        return self.box_step(text, *atoms, writes=tuple(writes), in_place=False)

    def keyed(self, value: Any) -> Any:
        """A key without named tuples, which are the same keys as others."""
        if isinstance(value, Named):
            raise Unsupported("a named tuple for a key", self.line)
        if isinstance(value, Coded):
            raise Unsupported("a key that is one of several constants", self.line)
        if isinstance(value, Array | Small | ListOf):
            raise Unsupported("a key that is an array", self.line)
        return value

    def fail_if_nan(self, atom: str) -> None:
        """Give way where a number is none: it is equal to the very same object."""
        self.emit(Branch(self.compute("!=", atom, atom), [Fail()]))

    def _learn_types(self, leaf: Leaf, atom: str) -> None:
        leaf.types |= self.types_now(atom, MOST_TYPES)

    def _atom(self, value: Any) -> str:
        if isinstance(value, Static):
            return self.given(self.program.space, value.value)
        return value if isinstance(value, str) else value.atom

    def item_atom(self, box: Box, value: Any) -> str:
        """The atom of an item, as the container has it."""
        if isinstance(value, Display | Named):
            raise Unsupported("a container of lists or named tuples", self.line)
        value = self.with_arrays(value)
        self.expect(box, "item", value)
        contents = self.contents(box)
        atoms: list[str] = []
        found: list[str] = []
        writes: list[tuple[int, Leaf, bool]] = []
        active: list[tuple[Leaf, str]] = []

        def put(v: Any, path: tuple) -> None:
            if type(v) is tuple:
                for i, x in enumerate(v):
                    put(x, (*path, i))
                return
            if contents.is_ordered and isinstance(v, Box | Array):
                raise Unsupported("containers or arrays that are compared", self.line)
            leaf = contents.leaf(path)
            if isinstance(v, Array) and v.dtype.kind == "f":
                active.append((leaf, v.atom))
                return
            if isinstance(v, str) and leaf.is_active:
                active.append((leaf, v))
                if not contents.is_ordered:
                    return
            if isinstance(v, str):
                self._learn_types(leaf, v)
                writes.append((len(atoms), leaf, leaf.is_active))
            atoms.append(self._atom(v))
            found.append(f"{{a{len(atoms) - 1}}}")

        put(value, ("item",))
        if active:
            at = self.compute("length", self.arena(active[0][0]))
            for leaf, v in active:
                self.emit(Append(self.arena(leaf), v))
            atoms.append(at)
            tie = self.given(self.program.space, Tie)
            found.append(f"{tie}({{a{len(atoms) - 1}}})" if contents.is_ordered else f"{{a{len(atoms) - 1}}}")
        if len(found) == 1:
            return self.box_step(found[0], *atoms, writes=tuple(writes), in_place=False)
        return self.box_step(f"({', '.join(found)})", *atoms, writes=tuple(writes), in_place=False)

    def arena(self, leaf: Leaf) -> str:
        """The list of the text that has a number or an array of each item ever put in."""
        if leaf not in self.arenas:
            self.arenas.append(leaf)
            made, leaf.arena = self.fresh("t"), self.fresh("arena")
            self.computed[made] = first = Compute(made, "display", (), list)
            self.program.body[:0] = [first, Set(leaf.arena, made)]
        return leaf.arena

    # -- and back -------------------------------------------------------------------------------------------

    def taken_key(self, box: Box, text: str, *atoms: str) -> Any:
        """A key that an expression gives."""
        if not self.is_read(box, "key"):
            self.emit(Fail())
            return Unread("0.0")
        contents = self.contents(box)
        return self._key_in(contents, contents.layouts["key"], ("key",), text, atoms, True)

    def _key_in(
        self, contents: Contents, layout: Any, path: tuple, text: str, atoms: tuple[str, ...], in_place: bool
    ) -> Any:  # fmt: skip
        if layout == NUMBER:
            leaf = contents.leaf(path)
            return self.box_step(text, *atoms, types=leaf.types, reads=leaf, in_place=in_place)
        atom = self.box_step(text, *atoms, in_place=in_place)
        if isinstance(layout, tuple):
            return tuple([
                self._key_in(contents, x, (*path, i), f"{{a0}}[{i}]", (atom,), False) for i, x in enumerate(layout)
            ])  # fmt: skip
        return Text(atom) if layout == TEXT else Box(atom, layout.place)

    def taken_item(self, box: Box, text: str, *atoms: str) -> Any:
        """An item that an expression gives."""
        if not self.is_read(box, "item"):
            self.emit(Fail())
            return Unread("0.0")
        contents = self.contents(box)
        parts = contents.paths("item")
        active = {path for path, layout in parts if contents.is_noted(path, layout)}
        direct = [path for path, _ in parts if contents.is_ordered or path not in active]
        n = len(direct) + bool(active)
        only = contents.leaf(direct[0]) if n == 1 and direct and dict(parts)[direct[0]] == NUMBER else None
        atom = self.box_step(text, *atoms, types=only.types if only else INT if n == 1 and active else frozenset(),
                             reads=only)  # fmt: skip
        at = ""
        if active:
            at = atom if n == 1 else self.box_step(f"{{a0}}[{n - 1}]", atom, types=INT, in_place=False)
        return self._item_in(contents, contents.layouts["item"], ("item",), atom, at, direct if n > 1 else None)

    def _item_in(self, contents: Contents, layout: Any, path: tuple, atom: str, at: str, direct: Any) -> Any:
        if isinstance(layout, tuple):
            return tuple([
                self._item_in(contents, x, (*path, i), atom, at, direct) for i, x in enumerate(layout)
            ])  # fmt: skip
        leaf = contents.leaf(path)
        if contents.is_noted(path, layout):
            found = self.compute("index", self.arena(leaf), at)
        elif direct is None:
            found = atom
        else:
            is_number = layout == NUMBER
            found = self.box_step(
                f"{{a0}}[{direct.index(path)}]", atom, types=leaf.types if is_number else frozenset(),
                reads=leaf if is_number else None, in_place=False,
            )  # fmt: skip
        if isinstance(layout, OfArray):
            return self.shared_array(found, layout)
        return found if layout == NUMBER else Text(found) if layout == TEXT else Box(found, layout.place)

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
        active = _depending(self.program, memory)
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


def _depending(program: Program, memory: Memory) -> set[str]:
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
