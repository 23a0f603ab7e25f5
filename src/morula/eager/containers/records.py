"""Shadows of what containers and objects hold: found by identity, kept while the run lives.

A `Record` stands beside one list, dict or object. Inputs are *lifted*: their numbers and arrays are leaves, made
when they are first read, and the gradient is rebuilt from them in the input's own structure.
"""

import dataclasses
import weakref
from enum import Enum
from types import MappingProxyType
from typing import Any

import numpy as np

from chainrules import AbstractTangent, Tangent, accumulate, project, tangent_of_fields, varying_fields
from morula.eager.calls.observers import keeps_values, refuse_unseen
from morula.eager.containers.container_types import CONTAINERS, RECORDED, container_of, recorded_as
from morula.eager.containers.parts import DEPTH, MISSING, holds_number, is_like_an_array, same_items, slot_of
from morula.eager.containers.seen import Seen
from morula.eager.context.kinds import ATOMS, c_method, fields_of, is_exact_number, is_plain_object
from morula.eager.context.seeds import of_a_tangent
from morula.eager.context.tape import has_nan, holds_nan, take
from morula.eager.memory.arguments import is_dense
from morula.eager.memory.array_shadows import finished_array
from morula.eager.memory.buffers import Buffers
from morula.eager.memory.layout import may_overlap, owner_of
from morula.errors import AliasedArgumentsError, NotDifferentiable, StaleMemoryError

ndarray = np.ndarray


class Record(Seen):
    """Shadows of the parts of one container.

    Attributes:
        obj: the container, kept alive so that its identity stays its own.
        slots: part -> shadow: by attribute name, or as `Container.slots` says.
        lifted: whether a part without a shadow of its own is a leaf (inputs, and what rules made).
        leaves: part -> (value, leaf) as first met, for the gradient.
        whole: cotangents of the whole object, as rules with object cotangents return them.
        records: of an object that a rule made, where the records of its parts are; weak, since they hold this one.
        originals: of an input object, attribute -> value before the run first wrote it (or MISSING).
        seen, all_seen: what transformed code has left in attributes (see `Seen`).
    """

    __slots__ = ("leaves", "lifted", "originals", "records", "slots", "whole")

    def __init__(self, obj: Any, slots: Any, lifted: bool):
        self.obj = obj
        self.slots = slots
        self.lifted = lifted
        self.leaves: dict[Any, tuple[Any, Any]] | None = {} if lifted else None
        self.whole: Any = None
        self.originals: dict[str, Any] = {}
        self.records: weakref.ref[Records] | None = None
        self.seen = {}
        self.all_seen = False

    def is_active(self) -> bool:
        """Whether a part has a shadow, or would be a leaf."""
        slots = self.slots.values() if isinstance(self.slots, dict) else self.slots
        return self.lifted or any(s is not None for s in slots)

    def about_to_write(self, name: str) -> None:
        """Remember an attribute of an input, which `gradient` leaves as it was."""
        if self.lifted and name not in self.originals:
            if slot_of(type(self.obj), name) is not None:
                self.originals[name] = getattr(self.obj, name, MISSING)
            else:
                self.originals[name] = fields_of(self.obj).get(name, MISSING)

    def restore(self) -> None:
        """The container as it was before the run."""
        obj, leaves = self.obj, self.leaves
        if leaves is None:
            return
        container = recorded_as(obj)
        if container is not None:
            before = container.collected({place: v for place, (v, _) in leaves.items()})
            if container.fill is not None and not same_items(before, obj):
                container.fill(obj, before)
        else:
            fields = fields_of(obj)
            for name, value in self.originals.items():
                slot = slot_of(type(obj), name)
                if slot is not None:
                    slot.__delete__(obj) if value is MISSING else slot.__set__(obj, value)
                elif value is MISSING:
                    fields.pop(name, None)
                else:
                    fields[name] = value

    def deliver(self, bar: Any) -> None:
        """Add a cotangent of the whole object."""
        if bar is None or (isinstance(bar, AbstractTangent) and not isinstance(bar, Tangent)):
            return
        if isinstance(bar, ndarray | np.number | float | int | complex | list | tuple) and not hasattr(bar, "_fields"):
            raise ValueError(f"{type(bar).__qualname__} is not a cotangent of a {type(self.obj).__qualname__}")
        if self.lifted:
            if not isinstance(bar, Tangent) and (names := varying_fields(type(self.obj))) is not None:
                bar = Tangent(type(self.obj), **{n: getattr(bar, n) for n in names})
            if isinstance(self.obj, Tangent):
                bar = of_a_tangent(self.obj, bar)
            self.whole = bar if self.whole is None else accumulate(self.whole, bar)
            return
        from morula.eager.context.entries import deliver

        for name, shadow in list(self.slots.items()):
            if shadow is not None:
                part = bar.get(name) if isinstance(bar, dict) else getattr(bar, name, None)
                deliver(getattr(self.obj, name), shadow, part)

    def holds_nan(self) -> bool:
        return has_nan(self.whole) or any(holds_nan(leaf) for _, leaf in (self.leaves or {}).values())

    def take(self) -> Any:
        """The cotangent collected so far, for the rule that made the object."""
        records = self.records() if self.records is not None else None
        assert records is not None
        found = gradient_of_record(self, set(), records)
        self.whole = None
        return found


class Records:
    """Every record of one run."""

    def __init__(self, buffers: Buffers, shared: bool = False):
        """Begin; where memory may be `shared`, all views of an owner that are leaves have parts of one cotangent."""
        self.shared = shared
        self.table: dict[int, Record] = {}
        self.buffers = buffers
        self.kept: list[Any] = []  # arrays that are leaves stay alive as long as the run
        self.alive: list[Any] = []  # what has a record that does not refer to it
        self.aliased: set[int] = set()
        self.inputs: list[Record] = []
        self.watched: set[tuple[type, str]] = set()  # observers
        self.refusal: BaseException | None = None  # of one of them
        self.keys: dict[int, tuple[Any, dict[int, tuple[dict, Any]]]] = {}  # of dicts, see `DictKeys`
        self.held: dict[int, tuple[Any, Any]] = {}  # lists and dicts in objects that rules got, and copies of them

    def of(self, obj: Any) -> Record | None:
        return self.table.get(id(obj))

    def attributes_of(self, obj: Any) -> Record | None:
        """The record of the attributes of an object; that of a container is apart from the record of its items."""
        return self.table.get(~id(obj) if isinstance(obj, RECORDED) else id(obj))

    def make_attributes(self, obj: Any) -> Record:
        if not isinstance(obj, RECORDED):
            return self.make(obj)
        record = self.table.get(~id(obj))
        if record is None:
            record = self.table[~id(obj)] = Record(obj, {}, False)
        return record

    def list_of(self, xs: Any) -> Record | None:
        """The record of a list or a deque, checked against its length."""
        record = self.table.get(id(xs))
        if record is not None and len(record.slots) != len(xs):
            n = c_method(type(xs), "__len__")(xs)  # `len` may be the user's
            if len(record.slots) != n:
                raise StaleMemoryError(
                    f"code that is not transformed changed a {type(xs).__qualname__} that holds active values (it "
                    f"has {n} items now and had {len(record.slots)})"
                )
        return record

    def slots_of(self, xs: Any) -> Any:
        """The shadows of a list or a deque, in one of its kind."""
        record = self.list_of(xs)
        return CONTAINERS[container_of(type(xs))].slots(xs, {}) if record is None else record.slots

    def made_by_rule(self, obj: Any) -> Record:
        """The record of an object that a rule returned: its parts are leaves, collected for the rule's pullback."""
        if id(obj) in self.table:  # what was read of it before could not be told from what is read of the result
            raise NotDifferentiable(
                f"a rule returned a {type(obj).__qualname__} that was already active; return a new one"
            )
        record = self.table[id(obj)] = Record(obj, {}, True)
        record.records = weakref.ref(self)
        return record

    def make(self, obj: Any) -> Record:
        """The record of a container, made if there is none."""
        record = self.table.get(id(obj))
        if record is None:
            if type(obj) is list:
                record = self.table[id(obj)] = Record(obj, [None] * len(obj), False)
                return record
            refuse_unseen(obj, self)
            container = recorded_as(obj)
            slots = {} if container is None else container.slots(obj, {})
            record = self.table[id(obj)] = Record(obj, slots, False)
            if type(obj) not in (list, dict) and keeps_values(type(obj)) and is_plain_object(obj):
                record.see_all()
        return record

    # -- leaves -------------------------------------------------------------------------------------------

    def leaf(self, value: Any) -> Any:
        """The shadow of an input value."""
        kind = type(value)
        if kind is ndarray:
            return self.array_leaf(value)
        if kind is float or kind is int or kind is complex:
            return [0]
        if kind in ATOMS:
            return [0] if isinstance(value, np.number) else None
        if isinstance(value, ndarray):
            return self.array_leaf(value)
        if isinstance(value, tuple):
            shadows = tuple(self.leaf(v) for v in value)
            return None if all(s is None for s in shadows) else shadows
        if is_exact_number(kind) or isinstance(value, float | complex):
            return [0]
        if isinstance(value, RECORDED) or is_plain_object(value):
            if isinstance(value, Enum | MappingProxyType):
                return None
            if is_like_an_array(value) and not holds_number(value, DEPTH):
                return None  # a table of another library's: data, whose methods run as they are
            if isinstance(value, RECORDED) and id(value) in self.table:
                raise AliasedArgumentsError(
                    f"the same {kind.__qualname__} is reached twice from the arguments: "
                    "pass a copy in one of the places"
                )
            self.lift(value)
            return None
        return None

    def array_leaf(self, x: ndarray) -> Any:
        if x.dtype.kind not in "fciu":
            if x.dtype.kind == "O" or x.dtype.names is not None:
                return Unsupported(x)
            return None
        if isinstance(x, np.ma.MaskedArray):
            return Unsupported(x)
        if self.shared and (found := self._part_of_owner(x)) is not None:
            return found
        buffers = self.buffers
        if id(x) in buffers.given and id(x) not in buffers.table and x.dtype.kind in "fc" and is_dense(x):
            self.kept.append(x)
            return buffers.of_owner(x)
        if buffers.find(x) is not None or buffers.is_original(x):
            raise AliasedArgumentsError(
                "the same array (or a view of it) is reached twice from the arguments, and its gradient would count "
                "both: pass a copy in one of the places"
            )
        self.kept.append(x)
        if x.base is not None and may_overlap(x.shape, x.strides, x.itemsize):
            return Unsupported(x)
        return buffers.new(x)

    def _part_of_owner(self, x: ndarray) -> Any:
        """The shadow of a leaf as a view of its owner's; None where it cannot be."""
        owner = owner_of(x)
        if owner.dtype != x.dtype or x.dtype.kind not in "fc" or may_overlap(x.shape, x.strides, x.itemsize):
            return None
        found = self.buffers.find(x)
        if found is None and (owner is not x or x.base is None):
            self.kept.append(owner)
            self.buffers.new(owner)
            found = self.buffers.find(x)
        return found

    def lift(self, obj: Any) -> Record:
        """Make the parts of an input container leaves."""
        record = self.table.get(id(obj))
        if record is not None:
            return record
        record = self.table[id(obj)] = Record(obj, {}, True)
        container = recorded_as(obj)
        if container is None:
            record.see_all()
        else:
            record.leaves = {place: (v, self.leaf(v)) for place, v in container.places(obj)}
            record.slots = container.slots(obj, {place: leaf for place, (_, leaf) in record.leaves.items()})
            if container.is_met_again and not record.slots:
                del self.table[id(obj)]  # perhaps to be lifted again later, when it has changed
        self.inputs.append(record)
        return record

    def part(self, record: Record, key: Any, value: Any) -> Any:
        """The shadow of one attribute of an object with a record."""
        found = record.slots.get(key, MISSING)
        if record.seen and record.seen.get(key, MISSING) is not value:
            record.check(key, value, None if found is MISSING else found)
        if found is not MISSING:
            return found
        if not record.lifted:
            return None
        names = varying_fields(type(record.obj))
        if names is not None and key not in names:  # structure, which is put back as an argument's memory is
            shadow = None
            self.kept += [v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, ndarray)]
        else:
            shadow = self.leaf(value)
        record.slots[key] = shadow
        assert record.leaves is not None
        record.leaves[key] = (value, shadow)
        return shadow


class Unsupported:
    """The shadow of an input whose kind of memory has no gradient; using it says so."""

    __slots__ = ("x",)
    overlaps = False

    def take(self) -> None:
        """Nothing comes here."""

    def holds_nan(self) -> bool:
        return False

    def __init__(self, x: ndarray):
        self.x = x

    def __getattr__(self, name: str) -> Any:
        if isinstance(self.x, np.ma.MaskedArray):
            what = "a masked array"
        elif self.x.dtype.kind in "fciu":
            what = "an array whose elements share memory (np.broadcast_to, as_strided)"
        else:
            what = f"an array of dtype {self.x.dtype}"
        raise NotDifferentiable(f"{what} has no gradient of its own; pass its numbers as a plain array (a copy)")


# -- from leaves back to a gradient ---------------------------------------------------------------------------


def gradient_of(value: Any, leaf: Any, records: Records, seen: set[int]) -> Any:
    """The gradient collected at `leaf`, in the structure of `value`; None where nothing came."""
    if leaf is None and isinstance(value, tuple):  # lists, dicts and objects in it have no leaf of their own
        leaf = (None,) * len(value)
    if leaf is None:
        record = records.of(value) if isinstance(value, RECORDED) or is_plain_object(value) else None
        if record is None or not record.lifted:
            return None
        return gradient_of_record(record, seen, records)
    if type(leaf) is tuple:
        if not isinstance(value, tuple):
            return None
        parts = [gradient_of(v, s, records, seen) for v, s in zip(value, leaf, strict=True)]
        if all(p is None for p in parts):
            return None
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if type(leaf) is list:
        bar = take(leaf)
        if type(bar) is float and type(value) is float:
            return bar
        return None if bar is None else project(bar, value)
    if isinstance(leaf, Unsupported):
        return None
    return finished_array(leaf)


def gradient_of_record(record: Record, seen: set[int], records: Records) -> Any:
    """The gradient of a lifted container."""
    if id(record) in seen or record.leaves is None:
        return None
    seen.add(id(record))
    obj, leaves = record.obj, record.leaves
    parts = {k: gradient_of(v, s, records, seen) for k, (v, s) in leaves.items()}
    whole, record.whole = record.whole, None
    if all(p is None for p in parts.values()):
        return tangent_of_fields(obj, whole.fields()) if isinstance(whole, Tangent) else whole
    container = recorded_as(obj)
    if container is not None:
        found: Any = container.collected(parts)
    else:
        names = [n for n in field_names(obj) if record.originals.get(n) is not MISSING]  # not what the run added
        found = Tangent(type(obj), **{n: parts.get(n) for n in [*names, *(p for p in parts if p not in names)]})
        if whole is not None and not isinstance(whole, Tangent):
            whole = Tangent(type(obj), **{n: getattr(whole, n, None) for n in found.fields()})
        found = found if whole is None else accumulate(found, whole)
        return tangent_of_fields(obj, found.fields())
    return found if whole is None else accumulate(found, whole)


def field_names(obj: Any) -> list[str]:
    """The fields of a record of `obj`: of a dataclass its fields, otherwise the attributes it has."""
    if dataclasses.is_dataclass(obj):
        return [f.name for f in dataclasses.fields(obj)]
    return [n for n in fields_of(obj) if not n.startswith("__")]
