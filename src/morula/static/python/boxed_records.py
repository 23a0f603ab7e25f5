"""Objects of the user's classes that the text has: those in containers, trees and lists linked by hand.

The text has an object of a plain class of its own for each of the program's, with the same attributes. A number with a
derivative is written down in a list of the text, and the object has its index, as a container has (see `boxes`). So an
assignment to an attribute needs nothing on the way back, and an object that is known by several names is one object in
the text, too. What it is asked for is found by its class; where objects of several classes stand, by a branch.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import FunctionType, MemberDescriptorType
from typing import Any

import chainrules
from morula.static.python.boxed_comparing import comparing_methods
from morula.static.python.boxed_nones import BoxedNones
from morula.static.python.boxed_values import BOOLEAN, Unread
from morula.static.python.classes import HEAP_TYPE, METACLASSES, is_frozen, is_simple
from morula.static.python.ir import Again, Branch, Fail, Unsupported
from morula.static.python.optionals import is_none
from morula.static.python.scopes import Array, Box, Display, ListOf, Maybe, Named, Small, Sort, Static
from morula.static.python.things import Bound, Thing, is_record

__all__ = ["BoxedRecords", "Methods"]

COMPARING = ("__eq__", "__ne__", "__hash__", "__bool__", "__len__")
Way = Callable[[Box], Any]


class Methods:
    """What is called of objects of several classes, by the class."""

    def __init__(self, owner: Box, name: str, ways: list[tuple[tuple[type, ...], Way]]):
        self.owner, self.name, self.ways = owner, name, ways


def refused(*_: Any) -> Any:
    """Stands for a method by which the program compares objects."""
    raise NotImplementedError


class BoxedRecords(BoxedNones):
    """The part of a `boxed.Boxer` that has such objects.

    Attributes:
        all_objects: whether all that are made are such; otherwise those of the classes `recorded`.
        stand_ins: the classes of the text, by those of the program.
        named_parts: attributes that hold something other than numbers and arrays.
        are_compared: whether objects have what those of the program have, beside what the text reads.
    """

    all_objects: bool
    recorded: set[type]
    stand_ins: dict[type, type]
    named_parts: set[str]
    are_compared: bool

    # -- which are such ---------------------------------------------------------------------------------------

    def record_instead(self, thing: Thing) -> None:
        """Build the program anew, with such objects in the place of those of a class."""
        if thing.kind not in (dict, list) and thing.home is not None and thing.kind not in self.recorded:
            self.recorded.add(thing.kind)
            raise Again

    def may_be_box(self, node: Any) -> bool:
        return getattr(node, "attr", None) in self.named_parts or super().may_be_box(node)

    def classes_of(self, record: Box) -> tuple[type, ...]:
        """The classes that an object may have, as far as the program has been read."""
        return record.only or tuple(self.contents(record).classes)

    def find(self, kind: type, name: str) -> tuple[Any, str]:
        if kind not in self.classes:  # it is made further down
            self.class_of(kind, self._weak(kind))
        return super().find(kind, name)

    def stand_in(self, kind: type) -> str:
        """The class of the text."""
        if kind not in self.stand_ins:
            own = [name for name in COMPARING if getattr(kind, name, None) is not getattr(object, name, None)]
            space: dict[str, Any] = dict.fromkeys(own, refused)
            if self.are_compared:
                space |= comparing_methods(kind, partial(self.find, kind))
            self.stand_ins[kind] = type(kind.__name__, (), space)
        return self.given(self.program.space, self.stand_ins[kind])

    def compare(self, record: Box) -> None:
        """Take note that objects are compared with each other inside containers, by what their classes say."""
        for kind in () if self.are_compared else self.classes_of(record):
            if comparing_methods(kind, partial(self.find, kind)):
                self.are_compared = True
                self.stand_ins.clear()
                raise Again

    def is_of(self, record: Box, kinds: tuple[type, ...]) -> str:
        """Whether an object is of one of some classes; None is of no class."""
        names = [self.stand_in(kind) for kind in kinds]
        test = f"is {names[0]}" if len(names) == 1 else f"in ({', '.join(names)})"
        return self.box_step(f"{{a0}}.__class__ {test}", record.atom, types=BOOLEAN, in_place=False)

    def by_class(self, record: Box, ways: list[tuple[tuple[type, ...], Way]]) -> Any:
        """What is found by one of several ways, by the class of an object."""
        (kinds, way), *others = ways
        if not others:
            if not record.only or not set(record.only) <= set(kinds):
                self.emit(Branch(self.is_of(record, kinds), [], [Fail()]))
            return self.held(way(Box(record.atom, record.place, kinds)))
        branch, out = Branch(self.is_of(record, kinds)), self.out
        self.emit(branch)
        self.out = branch.body
        with self.perhaps():
            one = self.held(way(Box(record.atom, record.place, kinds)))
        self.out = branch.orelse
        with self.perhaps():
            other = self.by_class(record, others)
        self.out = out
        if is_none(one) and is_none(other):
            return one
        return self.one_of([one, other], (branch.body, branch.orelse))

    # -- made -------------------------------------------------------------------------------------------------

    def construct(self, callee: Static, args: list, named: dict[str, Any]) -> Any:
        kind: Any = callee.value
        if kind not in self.recorded and not self.all_objects:
            return super().construct(callee, args, named)
        if type(kind) not in METACLASSES or not kind.__flags__ & HEAP_TYPE or inspect.isabstract(kind):
            raise Unsupported(f"a call to {kind.__qualname__}", self.line)
        self.class_of(kind, callee.where)
        if self.find(kind, "__new__")[1] or chainrules.is_constant(object.__new__(kind)):
            raise Unsupported(f"a call to {kind.__qualname__}, which has __new__", self.line)
        made = self.new_box(object, Sort(kind), f"{self.stand_in(kind)}()")
        contents = self.contents(made)
        if kind not in contents.classes:
            contents.classes[kind] = None
            raise Again
        record = Box(made.atom, made.place, (kind,))
        for part in list(contents.layouts):
            raw, read = self.find(kind, part[1:])
            if read and is_simple(raw):
                self.put_part(record, part[1:], self.of_outside(read, raw, part[1:]))
        init, read = self.find(kind, "__init__")
        if read and type(init) is FunctionType:
            found = self.call(self.of_outside(read, init, "__init__"), [record, *args], named)
            if not is_none(found):
                raise Unsupported(f"a call to {kind.__qualname__} that gives something else", self.line)
        elif read or args or named:
            raise Unsupported(f"a call to {kind.__qualname__} that does not fit", self.line)
        return record

    # -- attributes -------------------------------------------------------------------------------------------

    def attribute_from(self, owner: Any, name: str) -> Any:
        if isinstance(owner, Unread):
            return owner
        if not is_record(owner):
            return super().attribute_from(owner, name)
        self._check_name(name)
        ways = self._ways_to(owner, name)
        if len(ways) == 1:
            ((kinds, (what, _), found),) = ways
            if what != "own" and not owner.only:  # which None lacks, and an object of no such class
                self.emit(Branch(self.is_of(owner, kinds), [], [Fail()]))
            return self._by_way(owner, name, what, found)
        found_by: list[tuple[tuple[type, ...], Way]] = [
            (kinds, partial(self._by_way, name=name, what=what, found=found)) for kinds, (what, _), found in ways
        ]
        if any(what in ("method", "static") for _, (what, _), _ in ways):
            return Methods(owner, name, found_by)
        return self.by_class(owner, found_by)

    def _ways_to(self, record: Box, name: str) -> list[tuple[tuple[type, ...], tuple[str, int], Any]]:
        """What an attribute is of objects of each class, for those of which it is the same."""
        is_part = f".{name}" in self.contents(record).layouts
        found: dict[Any, tuple[list[type], Any]] = {}
        lacking: list[type] = []
        if not (kinds := self.classes_of(record)):
            raise Unsupported(f"the attribute {name!r} of an object whose class is not known yet", self.line)
        for kind in kinds:
            raw, read = self.find(kind, name)
            if not read or type(raw) is MemberDescriptorType or (is_part and is_simple(raw)):
                lacking.append(kind)
                continue
            what = {property: "property", FunctionType: "method", staticmethod: "static"}.get(type(raw), "class")
            if what == "class" and not is_simple(raw):
                raise Unsupported(f"the attribute {name!r}, which is a descriptor", self.line)
            if what == "property":
                self.guard(f"type({read}) is property")
                raw, read = raw.fget, f"{read}.fget"
            elif what == "static":
                raw, read = raw.__func__, f"{read}.__func__"
            found.setdefault((what, id(raw)), ([], self.of_outside(read, raw, name)))[0].append(kind)
        ways = [(tuple(kinds), way, value) for way, (kinds, value) in found.items()]
        if lacking and (is_part or not ways):
            ways.append((tuple(lacking), ("own", 0), None))
        return ways

    def _by_way(self, record: Box, name: str, what: str, found: Any) -> Any:
        if what == "own":
            return self.taken_item(record, f"{{a0}}.{self._own_attribute(name)}", record.atom, part=f".{name}")
        if what == "property":
            return self.call(found, [record], {})
        return Bound(found, record) if what == "method" else found

    def called_methods(self, methods: Methods, args: list, named: dict[str, Any]) -> Any:
        """A call of a method of objects of several classes."""
        args, named = [self.held(v) for v in args], {k: self.held(v) for k, v in named.items()}

        def called(way: Way) -> Way:
            return lambda owner: self._called(way(owner), args, named)

        return self.by_class(methods.owner, [(kinds, called(way)) for kinds, way in methods.ways])

    def _called(self, found: Any, args: list, named: dict[str, Any]) -> Any:
        if isinstance(found, Bound):
            return self.call(found.function, [found.owner, *args], named)
        if isinstance(found, Static) and type(found.value) is FunctionType:
            return self.call(found, args, named)
        raise Unsupported("a call of an attribute of objects of several classes", self.line)

    def set_attribute(self, thing: Any, name: str, value: Any) -> None:
        if not is_record(thing):
            super().set_attribute(thing, name, value)
            return
        self._check_name(name)
        found = [(kind, *self.find(kind, name)) for kind in self.classes_of(thing)]
        if any(type(raw) is property for _, raw, _ in found):
            value = self.held(value)

            def given(raw: Any, read: str, record: Box) -> Static:
                self._set_by_property(record, name, value, raw, read)
                return Static(None)

            ways: dict[int, Any] = {}
            for kind, raw, read in found:
                ways.setdefault(id(raw), ([], partial(given, raw, read)))[0].append(kind)
            self.by_class(thing, [(tuple(kinds), way) for kinds, way in ways.values()])
            return
        if any(is_frozen(kind) for kind, _, _ in found):
            raise Unsupported("an assignment to an attribute of a frozen object", self.line)
        self.put_part(thing, name, value)

    def _set_by_property(self, record: Box, name: str, value: Any, raw: Any, read: str) -> None:
        if type(raw) is not property:
            self.put_part(record, name, value)
        elif raw.fset is None:
            self.emit(Fail())
        else:
            self.guard(f"type({read}) is property")
            self.call(self.of_outside(f"{read}.fset", raw.fset, name), [record, value], {})

    def put_part(self, record: Box, name: str, value: Any) -> None:
        """Give an object an attribute of its own."""
        contents, part = self.contents(record), f".{name}"
        for kind in self.classes_of(record):
            raw, read = self.find(kind, name)
            if type(raw) is MemberDescriptorType:
                self._check_member(raw, read)
            elif (read and not is_simple(raw)) or not kind.__dictoffset__:  # such as a method, which is found first
                raise Unsupported(f"an assignment to the attribute {name!r}, which is a descriptor", self.line)
        value = self._as_part(name, self.held(value))
        is_new = part not in contents.layouts
        atom = self.item_atom(record, value, part)
        if is_new and any(self.find(kind, name)[1] for kind in contents.classes):
            raise Again  # what was read before was the class's
        if not isinstance(value, str | Array) and name not in self.named_parts:
            self.named_parts.add(name)  # what it is compared with is read in another way
            raise Again
        self.box_step(f"{{a0}}.{self._own_attribute(name)} = {{a1}}", record.atom, atom)
        if self.are_compared:
            self.box_step(f"{{a0}}.{name} = {{a1}}", record.atom, self._as_it_is(value))

    def _own_attribute(self, name: str) -> str:
        """The attribute that has what the text reads: beside what the program has, where that is asked for."""
        return f"of_the_text_{name}" if self.are_compared else name

    def _as_it_is(self, value: Any) -> str:
        """The atom of what an object of the program has."""
        if type(value) is tuple:
            atoms = [self._as_it_is(v) for v in value]
            return self.box_step(f"({''.join([f'{{a{i}}}, ' for i in range(len(atoms))])})", *atoms, in_place=False)
        if isinstance(value, Maybe | ListOf | Small | Array | Display | Thing | Named):
            raise Unsupported("an object that is compared, with an array, a list, or a number that may be None")
        return self._atom(value)

    def _as_part(self, name: str, value: Any) -> Any:
        """What an object can have: lists and dicts in it are containers of the text."""
        if isinstance(value, ListOf) and value.kind is not list:
            return value
        if isinstance(value, Display) and not value.origins:
            return self.box_of_display(value, f".{name}")
        if isinstance(value, Display):
            self._box_instead(value.origins)
        if isinstance(value, ListOf):
            self.box_where_made(value)
        if isinstance(value, ListOf | Display) or (isinstance(value, Thing) and value.kind in (list, dict)):
            self._box_instead(frozenset([f".{name}"]))
            raise Unsupported("a list or a dict of several names in an object", self.line)
        return value

    def bound_arguments(self, callee: Static, node: Any, args: list, named: dict[str, Any]) -> dict[str, Any]:
        given = super().bound_arguments(callee, node, args, named)
        for name, value in given.items():
            key = (callee.value.__code__, name)
            if key in self.boxed and isinstance(value, Display) and not value.origins:
                given[name] = self.box_of_display(value, key)
        return given

    def box_of_display(self, value: Display, place: Any) -> Box:
        """A container with the items of a list that nobody else has."""
        box = self.new_box(list, place)
        for v in value:
            nested = self.box_of_display(v, (box.place, "inner")) if isinstance(v, Display) and not v.origins else v
            self.add(box, nested)
        return box
