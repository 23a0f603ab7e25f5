"""How keys and items are put into containers that the text has as the program does, and how they are read again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from morula.static.python.boxed_values import BOOLEAN, WHOLE, BoxedValues, Unread
from morula.static.python.boxes import (
    CODE,
    NOTHING,
    NUMBER,
    TEXT,
    Contents,
    Inner,
    Leaf,
    OfArray,
    OfNamed,
    Perhaps,
    Tie,
)
from morula.static.python.codes import is_function
from morula.static.python.ir import Again, Append, Branch, Compute, Fail, Set, Unsupported
from morula.static.python.optionals import is_none
from morula.static.python.scopes import Array, Box, Coded, Display, ListOf, Maybe, Named, Small, Static, Text
from morula.static.python.things import is_record
from morula.static.python.types import INT

__all__ = ["BoxedItems"]

MOST_TYPES = 4  # steps back to what a number is computed from


class BoxedItems(BoxedValues):
    """The part of a `boxed.Boxer` that does so.

    Attributes:
        loose: places, and parts there, that have tuples of several lengths, which are containers then.
    """

    loose: set[Any]
    compare: Callable[[Box], None]

    # -- there ----------------------------------------------------------------------------------------------

    def key_atom(self, box: Box, value: Any) -> str:
        """The atom of a key, or of a member of a set."""
        value = self.keyed(value)
        self.expect(box, "key", value)
        if isinstance(self.contents(box).layouts["key"], Perhaps):
            raise Unsupported("a key that is None at times", self.line)
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
        if isinstance(value, Coded) or is_function(value):
            return self.code_of(value)
        if isinstance(value, Static):
            return self.given(self.program.space, value.value)
        return value if isinstance(value, str) else value.atom

    def item_atom(self, box: Box, value: Any, part: str = "item") -> str:
        """The atom of an item, or of another part, as the container has it."""
        if isinstance(value, Display):
            raise Unsupported("a container of lists", self.line)
        value = self.with_arrays(value)
        value = self._loosened(box, value, part)
        if isinstance(value, Unread):  # behind a failure: whoever reads it is to be read again once more is known
            self.is_read(box, part)
            return self.box_step("None", in_place=False)
        self.expect(box, part, value)
        if is_none(value) or self.is_vague(value):
            return self.box_step("None", in_place=False)
        if isinstance(value, Maybe):
            return self._perhaps_atom(box, value, part)
        contents = self.contents(box)
        atoms: list[str] = []
        found: list[str] = []
        writes: list[tuple[int, Leaf, bool]] = []
        active: list[tuple[Leaf, str]] = []

        def put(v: Any, path: tuple) -> None:
            if isinstance(v, Named) and contents.is_ordered:
                raise Unsupported("named tuples that are compared", self.line)
            if isinstance(v, tuple):
                for i, x in enumerate(v):
                    put(x, (*path, i))
                return
            if contents.is_ordered and (isinstance(v, Array) or (isinstance(v, Box) and not is_record(v))):
                raise Unsupported("containers or arrays that are compared", self.line)
            if contents.is_ordered and is_record(v):
                self.compare(v)
            if is_none(v):
                atoms.append(self.box_step("None", in_place=False))
                found.append(f"{{a{len(atoms) - 1}}}")
                return
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

        put(value, (part,))
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

    def sought_atom(self, box: Box, value: Any) -> str:
        """The atom of what may be equal to an item of a list; what numbers are noted down does not tell items apart."""
        value = self.keyed(value)
        if not self.is_read(box, "item"):
            self.emit(Fail())
            return self.box_step("None", in_place=False)
        contents = self.contents(box)
        layout = contents.layouts["item"]
        if not _is_comparable(layout) or self._layout(value) != layout:
            raise Unsupported("a search in a list of this kind", self.line)
        has_notes = any(contents.is_noted(path, inner) for path, inner in contents.paths("item"))
        if has_notes:
            self.order(box)
        atoms: list[str] = []

        def put(v: Any) -> None:
            if type(v) is tuple:
                for x in v:
                    put(x)
                return
            if isinstance(v, str) and not self.types_now(v, MOST_TYPES) <= WHOLE:
                self.fail_if_nan(v)
            atoms.append(self._atom(v))

        put(value)
        found = [f"{{a{i}}}" for i in range(len(atoms))]
        if has_notes:
            found.append(f"{self.given(self.program.space, Tie)}()")
        if len(found) == 1:
            return self.box_step(found[0], *atoms, in_place=False)
        return self.box_step(f"({', '.join(found)})", *atoms, in_place=False)

    def _loosened(self, box: Box, value: Any, part: str) -> Any:
        """A tuple as a container of the text, where there are some of several lengths."""
        if type(value) is not tuple:
            return value
        place = self.place_of(box.place), part
        known = self.contents(box).layouts.get(part, ())
        if place not in self.loose and (not value or (type(known) is tuple and known and len(known) != len(value))):
            self.loose.add(place)
            self.contents(box).layouts.pop(part, None)
            raise Again
        if place not in self.loose:
            return value
        made = self.new_box(tuple, (*place, "parts"), "()")
        atoms = [self.item_atom(made, v) for v in value]
        return Box(self.box_step(f"({''.join([f'{{a{i}}}, ' for i in range(len(atoms))])})", *atoms), made.place)

    def _perhaps_atom(self, box: Box, value: Maybe, part: str) -> str:
        """The atom of an item that is None at times."""
        branch, var, out = Branch(self.compute("unset", value.atoms[0])), self.fresh("b"), self.out
        self.emit(branch)
        self.out = branch.body
        self.emit(Set(var, self.box_step("None", in_place=False)))
        self.out = branch.orelse
        self.emit(Set(var, self.item_atom(box, value.value, part)))
        self.out = out
        return self.compute("copy", var)

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
        if contents.kind is set and any(isinstance(layout, Inner) for _, layout in contents.paths("key")):
            raise Unsupported("the order of objects in a set", self.line)
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
        if layout == NOTHING:
            return Static(None)
        return Text(atom) if layout == TEXT else Box(atom, layout.place)

    def taken_item(self, box: Box, text: str, *atoms: str, part: str = "item") -> Any:
        """An item, or another part, that an expression gives."""
        if not self.is_read(box, part):
            self.emit(Fail())
            return Unread("0.0")
        contents = self.contents(box)
        layout = contents.layouts[part]
        if layout == NOTHING:
            self.box_step(text, *atoms)
            return Static(None)
        if isinstance(layout, Perhaps):
            found = self.box_step(text, *atoms)
            branch, out = Branch(self.box_step("{a0} is None", found, types=BOOLEAN, in_place=False)), self.out
            self.emit(branch)
            self.out = branch.orelse
            item = self._taken_part(contents, layout.of, part, "{a0}", (found,))
            self.out = out
            return self.one_of([Static(None), item], (branch.body, branch.orelse))
        return self._taken_part(contents, layout, part, text, atoms)

    def _taken_part(self, contents: Contents, layout: Any, part: str, text: str, atoms: tuple[str, ...]) -> Any:
        parts = contents.paths(part)
        active = {path for path, layout in parts if contents.is_noted(path, layout)}
        direct = [path for path, _ in parts if contents.is_ordered or path not in active]
        n = len(direct) + bool(active)
        only = contents.leaf(direct[0]) if n == 1 and direct and dict(parts)[direct[0]] == NUMBER else None
        atom = self.box_step(text, *atoms, types=only.types if only else INT if n == 1 and active else frozenset(),
                             reads=only)  # fmt: skip
        at = ""
        if active:
            at = atom if n == 1 else self.box_step(f"{{a0}}[{n - 1}]", atom, types=INT, in_place=False)
        return self._item_in(contents, layout, (part,), atom, at, direct if n > 1 else None)

    def _item_in(self, contents: Contents, layout: Any, path: tuple, atom: str, at: str, direct: Any) -> Any:
        if isinstance(layout, tuple):
            parts = [self._item_in(contents, x, (*path, i), atom, at, direct) for i, x in enumerate(layout)]
            return Named(parts, layout.kind, self._weak(layout.kind)) if isinstance(layout, OfNamed) else tuple(parts)
        if layout == NOTHING:
            return Static(None)
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
        if layout == CODE:
            return Coded(self.box_step("{a0}", found, types=INT, in_place=False))
        return found if layout == NUMBER else Text(found) if layout == TEXT else Box(found, layout.place)


def _is_comparable(layout: Any) -> bool:
    """Whether what a layout describes is made of numbers and texts."""
    return all(map(_is_comparable, layout)) if isinstance(layout, tuple) else layout in (NUMBER, TEXT)
