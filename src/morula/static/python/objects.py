"""Attributes, methods and classes of the user's: see `things` for what an object is here."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from types import FunctionType, MemberDescriptorType
from typing import Any

import chainrules
from morula.static.python.calls import layout_of
from morula.static.python.classes import HEAP_TYPE, METACLASSES, is_frozen, is_simple, is_spelled
from morula.static.python.copies import Copies, slot_of
from morula.static.python.ir import Again, Set, Unsupported, is_flag, is_integer, is_name
from morula.static.python.late import Late, sort_of
from morula.static.python.optionals import is_none
from morula.static.python.scopes import Array, Coded, Display, ListOf, Maybe, Names, Small, Static
from morula.static.python.sharing import slot_name
from morula.static.python.texts import is_text
from morula.static.python.things import ABSENT, Bound, Rigid, Thing, has_arrays, has_lists, is_number_like

__all__ = ["Objects"]


class Objects(Late, Copies):
    """The part of a `front.Builder` that knows what things hold."""

    copy: Callable[[str], str]
    lines_of: Callable[[Any, Any], Any]
    likewise: Callable[..., Any]
    lists_are_things: bool
    list_of_rows: Callable[..., ListOf]
    listed_slots: set[Any]  # attributes and items that hold lists of the text
    unsettled: set[Any]  # attributes that hold several integers, by the class and the name
    slots_set: list[Names]
    trying: int  # how many `try` statements are around it
    raised: Callable[[type[Exception]], str]
    check_place: Callable[[Thing, Any], None]
    is_there: Callable[[Thing, Any, Any], bool]
    noted: Callable[[Any, Thing, Any], Any]

    # -- attributes -----------------------------------------------------------------------------------------

    def attribute_of(self, thing: Thing, name: str) -> Any:
        self._check_name(name)
        if thing.kind in (dict, list):
            raise Unsupported(f"the attribute {name!r} of a {thing.kind.__name__}", self.line)
        raw, read = self.find(thing.kind, name)
        if type(raw) is property and read:
            return self.property_of(thing, name, raw, read)
        if type(raw) is cached_property and read:
            return self._cached(thing, name, raw, read)
        if type(raw) is MemberDescriptorType:
            self._check_member(raw, read)
        elif hasattr(type(raw), "__set__") or hasattr(type(raw), "__delete__"):
            raise Unsupported(f"the attribute {name!r}, which is a descriptor", self.line)
        if type(raw) is MemberDescriptorType or self.has(thing, name):
            if read and type(raw) is not MemberDescriptorType:
                if type(raw).__flags__ & HEAP_TYPE:
                    raise Unsupported(f"the attribute {name!r}, which the class has, too", self.line)
                self.guard(f"type({read}) is {self.given(self.program.space, type(raw))}")
            return self.slot(thing, name)
        if name == "__class__" and not read:
            return self.its_class(thing)
        if type(raw) is classmethod:
            if thing.home is None:
                self.guard(f"{thing.where}.{name}.__func__ is {read}.__func__")
            return self.method_of_class(self.its_class(thing), name, raw, read)
        if raw is ABSENT or not read:
            raise Unsupported(f"the attribute {name!r}, which a {thing.kind.__qualname__} lacks", self.line)
        if type(raw) is FunctionType:
            found = self.of_outside(read, raw, name)
            if thing.home is None:
                bound = f"{thing.where}.{name}"
                self.guard(f"{bound}.__self__ is {thing.where} and {bound}.__func__ is {found.where}")
            return Bound(found, thing)
        if type(raw) is staticmethod:
            if thing.home is None:
                self.guard(f"{thing.where}.{name} is {read}.__func__")
            return self.of_outside(f"{read}.__func__", raw.__func__, name)
        if not is_simple(raw):
            raise Unsupported(f"the attribute {name!r}, which is a descriptor", self.line)
        if thing.home is None:
            self.guard(f"{thing.where}.{name} is {read}")
        return self.of_outside(read, raw, name)

    def _cached(self, thing: Thing, name: str, raw: Any, read: str) -> Any:
        """What a `functools.cached_property` gives: the object holds it once it was asked for."""
        self.guard(f"type({read}) is {self.given(self.program.space, cached_property)} and {read}.attrname == {name!r}")
        if thing.home is None:  # which may hold it, or not
            raise Unsupported(f"the attribute {name!r} of an object from outside, which is kept there", self.line)
        if not self.has(thing, name):
            self.set_slot(thing, name, self.call(self.of_outside(f"{read}.func", raw.func, name), [thing], {}))
        return self.slot(thing, name)

    def _check_member(self, raw: Any, read: str) -> None:
        self.guard(f"type({read}) is {self.given(self.program.space, MemberDescriptorType)}"
                   f" and {read}.__name__ == {raw.__name__!r}")  # fmt: skip

    def has(self, thing: Thing, key: Any) -> bool:
        """Whether a thing has an attribute or an item of its own."""
        if key in thing.slots:
            return True
        if thing.home is not None:
            return False
        if thing.kind in (dict, list):
            return key in self.keys(thing)
        return key in getattr(thing.value, "__dict__", ()) or (
            type(self.find(thing.kind, key)[0]) is MemberDescriptorType and hasattr(thing.value, key)
        )

    def slot(self, thing: Thing, key: Any) -> Any:
        """What a thing holds now."""
        if thing.sub is not self.sub and thing.sub is not None:
            raise Unsupported("an object of another call of a recursive function", self.line)
        if self.trying and thing.kind is dict and thing.home is not None and key not in thing.slots:
            return self.raised(KeyError)
        if key not in thing.slots:
            self._read_slot(thing, key)
        value = thing.slots[key]
        if isinstance(value, Thing) and value is thing.holders.get(key):
            return self.copy_of(value)
        if isinstance(value, Maybe):
            return self.read_late(thing, self.now(value)) if self.is_late(thing, key) else self.now(value)
        if isinstance(value, Coded):
            return self.read_coded(value)
        name = slot_name(thing, key)
        if isinstance(value, Array | Small):
            self.slots_held.append(name)
        if isinstance(value, Array) and value.atom[0] == "o":
            return self.noted(replace(value, atom=self.copy(value.atom)), thing, key)
        if type(value) is tuple and has_arrays(value):
            return self.in_tuple(value)
        if not is_number_like(value) or has_arrays(value):
            return value
        return self.noted(self.taken(value, name), thing, key)

    def taken(self, value: Any, names: Names) -> Any:
        """A value with temporaries in the place of variables; arrays in it have such names."""
        if isinstance(value, tuple):
            return self.likewise(value, [self.taken(v, names) for v in value])
        if isinstance(value, Small):
            return Small(tuple([self.taken(v, names) for v in value.parts]), names)
        return self.compute("copy", value) if is_name(value) else value

    def _read_slot(self, thing: Thing, key: Any) -> None:
        if thing.home is not None:
            raise Unsupported(f"{key!r}, which an object or a dict lacks", self.line)
        if thing.kind is dict and key not in thing.value:
            raise Unsupported(f"the key {key!r}, which a dict lacks", self.line)
        is_item = thing.kind in (dict, list)
        value = thing.value[key] if is_item else getattr(thing.value, key)
        spelled = repr(key) if is_spelled(key) else self.given(self.program.space, key)
        read = f"{thing.where}[{spelled}]" if is_item else f"{thing.where}.{key}"
        outer, self.in_argument = self.in_argument, thing.is_argument
        found = self.of_outside(read, value, str(key))
        self.in_argument = outer
        if isinstance(found, str) and is_name(found):
            var = f"o{thing.number}_{len(thing.slots)}"
            self.prologue[var] = found
            self.leaves[var] = self.program.inputs[-1]
            found = var
        thing.slots[key] = found

    # -- writing --------------------------------------------------------------------------------------------

    def set_attribute(self, thing: Any, name: str, value: Any) -> None:
        if not isinstance(thing, Thing) or thing.kind in (dict, list):
            raise Unsupported(f"an assignment to the attribute {name!r}", self.line)
        self._check_name(name)
        raw, read = self.find(thing.kind, name)
        if is_frozen(thing.kind):
            raise Unsupported("an assignment to an attribute of a frozen object", self.line)
        if type(raw) is property and raw.fset is not None and read:
            self.guard(f"type({read}) is property")
            self.call(self.of_outside(f"{read}.fset", raw.fset, name), [thing, value], {})
            return
        self.check_own(thing, name, raw, read)
        self.set_slot(thing, name, value)

    def check_own(self, thing: Thing, name: str, raw: Any, read: str) -> None:
        """Whether what is assigned to the attribute is the object's own."""
        if type(raw) is MemberDescriptorType:
            self._check_member(raw, read)
        elif hasattr(type(raw), "__set__") or hasattr(type(raw), "__delete__") or not thing.kind.__dictoffset__:
            raise Unsupported(f"an assignment to the attribute {name!r}, which is a descriptor", self.line)

    def set_slot(self, thing: Thing, key: Any, value: Any) -> None:
        if self.is_there(thing, key, value):
            return
        if thing.sub is not self.sub:
            raise Unsupported("an assignment to what a recursive function is given", self.line)
        if thing.copied_as is not None:
            self.copy_not(thing.copied_as)
        if thing.is_shared:
            raise Unsupported("writing into a list of several names in an object, a list or a dict", self.line)
        self.check_place(thing, key)
        thing.is_stored = True
        self.slots_set.append(slot_name(thing, key))
        if thing.home is None:
            if not self.has(thing, key):
                raise Unsupported(f"the new attribute or item {key!r} of what the program is given", self.line)
            if not is_spelled(key):
                raise Unsupported("writing by such a key into what the program is given", self.line)
            self.slot(thing, key)
            self.program.stored.setdefault(thing.where, {})
        if thing.kind is not list and self.set_late(thing, key, value):
            return
        old = thing.slots.get(key, ABSENT)
        if thing.home is not None and thing.kind not in (dict, list) and self._set_perhaps(thing, key, old, value):
            return
        value = self.lines_of((thing.kind, key), self.present(value))
        if thing.home is not None and self.set_coded_slot(thing, key, old, value):
            return
        value = self._without_names(thing, key, value)
        self._note_alone(thing, key, value)
        if thing.home is not None and (isinstance(value, Array) or (isinstance(old, Array) and self.is_array(value))):
            self._set_array(thing, key, old, self.as_array(value))
            return
        if not is_number_like(value) or has_arrays(value):
            value = self.held(value)
            if old is value or (isinstance(old, Static) and isinstance(value, Static) and old.value is value.value):
                return
            if not self.kept_in_slot(thing, key, value):
                own = slot_of(thing, key) if isinstance(value, Thing) and isinstance(old, Thing) else None
                self._check_home(thing, key, own)
                thing.slots[key] = value
            return
        value = self.held(replace(value, origins=frozenset()) if isinstance(value, Small) else value)
        if self._set_constant(thing, key, old, value):
            return
        if old is ABSENT or not is_number_like(old) or layout_of(old) != layout_of(value):
            self._check_home(thing, key)
            old = thing.slots[key] = self.variables(value, f"o{thing.number}_{len(thing.slots)}")
        if thing.home is None:
            self.program.stored[thing.where][key] = old
        self.assign_parts(old, value)

    def _set_constant(self, thing: Thing, key: Any, old: Any, value: Any) -> bool:
        """Give an attribute or an item an integer or a truth value that it keeps; whether it does."""
        own = sort_of(thing), None if thing.kind in (dict, list) else key
        if thing.home is None or thing.factory is not None or own in self.unsettled:
            return False
        if old is ABSENT and (is_integer(value) or is_flag(value)) and thing.home is self.out:
            thing.slots[key] = value
            return True
        if isinstance(old, str) and not is_name(old):
            self.unsettled.add(own)
            raise Again
        return False

    def _set_perhaps(self, thing: Thing, key: Any, old: Any, value: Any) -> bool:
        """Assign to a slot that may hold None as well as numbers; whether it is one."""
        own = (thing.kind, key)
        if thing.home is not self.out and is_none(value) != is_none(old):
            self.expect_none(own, old if is_none(value) else value)
        if not self.is_optional(own, value):
            return False
        self.set_optional((thing.number, key), own, value)
        thing.slots[key] = self.maybe_at((thing.number, key), own)
        return True

    def _set_array(self, thing: Thing, key: Any, old: Any, value: Array) -> None:
        """Assign an array to a slot: the same variable, wherever it is one of the same shape."""
        name = slot_name(thing, key)
        if value.of:
            self.share(value.origins | name)
        elif value.origins:
            self.share_with_slot(value.origins, name)
            value = replace(value, origins=frozenset())
        value = self.held(value)
        if not isinstance(old, Array) or (old.shape, old.dtype) != (value.shape, value.dtype) or old.atom[0] != "o":
            self._check_home(thing, key)
            var = self.fresh(f"o{thing.number}_{len(thing.slots)}_")
            self.program.shapes[var] = value.shape
            old = thing.slots[key] = Array(var, value.shape, value.dtype, name)
        self.emit(Set(old.atom, value.atom))

    def alone_in_slot(self, thing: Thing, key: Any, old: Any) -> None:
        """See to it that nothing else has an array of a slot: it may become another one then."""
        name = slot_name(thing, key)
        is_held = self.is_held(name)
        if not is_held and old.origins == name and (thing.number, key, *name) in self.alone:
            return
        write = self.write_to_slot(name)
        is_seen = is_held or (name & self.shared and not self.is_write_unseen(write))
        if thing.home is None or old.origins != name or is_seen:
            self.not_late(thing, key)
            self.stand_instead(name | old.origins)
            raise Unsupported("writing into an array that something else may have, too", self.line)
        self.writes.append(write)

    def _note_alone(self, thing: Thing, key: Any, value: Any) -> None:
        """Take note whether nothing else has the array that a slot gets."""
        (name,) = slot_name(thing, key)
        is_new = isinstance(value, Array | Small) and not value.origins and not getattr(value, "of", "")
        self.alone = self.alone - {(thing.number, key, name)} | ({(thing.number, key, name)} if is_new else set())

    def _without_names(self, thing: Thing, slot: Any, value: Any) -> Any:
        """What a slot can hold: lists in it are things, unless they grow and shrink."""
        name = slot_name(thing, slot)
        if isinstance(value, Display | Small) and value.origins:
            self.share_with_slot(value.origins, name)
            if value.origins & self.by_reference or (thing.kind, slot) in self.listed_slots:
                raise Unsupported("a list or an array of several names in an object, a list or a dict", self.line)
        if type(value) is tuple and has_lists(value):
            raise Unsupported("a tuple of lists in an object, a list or a dict", self.line)
        if not isinstance(value, Display):
            return value
        if (thing.kind, slot) in self.listed_slots:
            return self.list_in_slot((thing.kind, slot), value)
        made = self.new_thing(list, dict(enumerate(value)))
        made.slot, made.is_shared = (thing.kind, slot), bool(value.origins)
        return made

    def list_in_slot(self, key: Any, value: Display) -> ListOf:
        """A list of an attribute that grows and shrinks: one of the text."""
        if key not in self.of_rows and value and not all(isinstance(v, str) for v in value):
            raise Unsupported("a list of something other than numbers", self.line)
        return self.list_of_rows(key, tuple(value)) if key in self.of_rows else self.listed(value)

    def _check_home(self, thing: Thing, key: Any, name: Any = None) -> None:
        if thing.home is not self.out:
            if thing.slot is not None and thing.slot not in self.listed_slots and not self.lists_are_things:
                self.listed_slots.add(thing.slot)
                raise Again
            reason = Rigid(f"{key!r}, which is something else on another path", self.line)
            reason.name = name
            raise reason

    def variables(self, value: Any, stem: str) -> Any:
        if isinstance(value, str):
            return self.fresh(f"{stem}_")
        parts = tuple([self.variables(v, stem) for v in (value.parts if isinstance(value, Small) else value)])
        return Small(parts) if isinstance(value, Small) else parts

    def assign_parts(self, variables: Any, value: Any) -> None:
        """Assign numbers to variables that are put together alike."""
        if isinstance(variables, str):
            self.emit(Set(variables, value))
            return
        ours, theirs = (x.parts if isinstance(x, Small) else x for x in (variables, value))
        for var, v in zip(ours, theirs, strict=True):
            self.assign_parts(var, v)

    # -- calls ----------------------------------------------------------------------------------------------

    def construct(self, callee: Static, args: list, named: dict[str, Any]) -> Thing:
        """An object of a class of the user's."""
        kind: Any = callee.value
        if type(kind) not in METACLASSES or not kind.__flags__ & HEAP_TYPE or inspect.isabstract(kind):
            raise Unsupported(f"a call to {kind.__qualname__}", self.line)
        self.class_of(kind, callee.where)
        if self.find(kind, "__new__")[1]:
            raise Unsupported(f"a call to {kind.__qualname__}, which has __new__", self.line)
        if chainrules.is_constant(object.__new__(kind)):
            raise Unsupported(f"an object of type {kind.__qualname__}", self.line)
        thing = self.new_object(kind)
        init, read = self.find(kind, "__init__")
        if read and type(init) is FunctionType:
            found = self.call(self.of_outside(read, init, "__init__"), [thing, *args], named)
            if not isinstance(found, Static) or found.value is not None:
                raise Unsupported(f"a call to {kind.__qualname__} that gives something else", self.line)
        elif read or args or named:
            raise Unsupported(f"a call to {kind.__qualname__} that does not fit", self.line)
        thing.is_stored = False
        return thing

    def new_object(self, kind: type) -> Thing:
        """An object of a class, before its attributes are assigned to."""
        self.count += 1
        thing = self.objects_made[self.count] = Thing(kind, self.count, self.out, self.sub, around=self.around)
        self.begin_late(thing)
        return thing

    def object_as_dict(self, thing: Thing) -> Thing:
        """``dataclasses.asdict(thing)`` of numbers and texts, which are not copied."""
        fields, read = self.find(thing.kind, "__dataclass_fields__")
        if not read or not all(field._field_type is dataclasses._FIELD for field in fields.values()):  # type: ignore[attr-defined]
            raise Unsupported(f"a call to asdict with a {thing.kind.__qualname__}", self.line)
        self.guard(f"tuple({read}) == {tuple(fields)!r}")
        values = {k: self.held(self.attribute_of(thing, k)) for k in fields}
        if not all(isinstance(v, str) or is_text(v) for v in values.values()):
            raise Unsupported("a call to asdict with something other than numbers and texts", self.line)
        return self.new_thing(dict, values)

    def object_replaced(self, thing: Thing, named: dict[str, Any]) -> Thing:
        """``dataclasses.replace(thing, **named)``."""
        kind: Any = thing.kind
        fields, read = self.find(kind, "__dataclass_fields__")
        if not read or not all(field._field_type is dataclasses._FIELD and field.init for field in fields.values()):  # type: ignore[attr-defined]
            raise Unsupported(f"a call to replace with a {kind.__qualname__}", self.line)
        self.guard(f"tuple({read}) == {tuple(fields)!r}")
        values = {k: named[k] if k in named else self.held(self.attribute_of(thing, k)) for k in fields}
        if not named.keys() <= values.keys():
            raise Unsupported("a call to replace that does not fit", self.line)
        return self.construct(Static(kind, self._weak(kind)), [], values)
