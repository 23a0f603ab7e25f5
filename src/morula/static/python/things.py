"""Objects, dicts and lists of a program whose layout is known: numbers are variables, all else is known beforehand.

A thing has no place in the text: its numbers are variables of the text, so that an assignment to an attribute is one to
a variable. What is no number (other things, texts, functions) may change only where that cannot depend on the path that
the program takes: in the very block in which the thing was made.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from types import FunctionType, MemberDescriptorType
from typing import Any

import numpy as np

import chainrules
from morula.eager.calls.meanings import meaning_of
from morula.eager.context.kinds import is_plain_object
from morula.static.python.ir import Block, Unsupported
from morula.static.python.plain_classes import dataclass
from morula.static.python.scopes import Array, Box, Display, ListOf, Named, Single, Small, Sort, Static

__all__ = [
    "ABSENT",
    "HOOKS",
    "Bound",
    "Class",
    "Cursor",
    "Frozen",
    "Generated",
    "OfFew",
    "Partial",
    "Rigid",
    "Thing",
    "Turns",
    "every_one",
    "fields_of",
    "has_arrays",
    "has_lists",
    "holds",
    "is_dict",
    "is_known_list",
    "is_member",
    "is_named_tuple",
    "is_number_like",
    "is_of_class",
    "is_record",
    "kind_of",
    "merged",
    "same",
]  # fmt: skip

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "absent"})()
HOOKS = ("__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__del__", "__get__", "__set__")
MADE_BY_PYTHON = 1 << 9  # of `type.__flags__`


class Rigid(Unsupported):
    """What might have its layout once a loop is written out, or where a variable holds copies.

    Attributes:
        name: the variable, with the code that has it.
        late: the attribute that an object gets there (see `late`), and how its value is put together.
    """

    name: Any = None
    late: Any = None


class OfFew(Unsupported):
    """What arrays of few numbers cannot do where they are numbers."""


@dataclass(eq=False)
class Thing:
    """One object, dict, list or tuple of the program.

    Attributes:
        kind: its class.
        number: its own.
        ordinal: which of the objects of its class it is that the program makes.
        home: the block where it was made; None where it comes from outside.
        sub: the function of the text that it was made in.
        slots: by attribute, key or index; a number is the variable that has it.
        where: the text that stands for it, if it comes from outside.
        value: what it is now, then.
        is_argument: whether it is an argument, or a part of one.
        is_stored: whether something was written into it since it was made.
        copied_as: the variable or the attribute that holds copies of it, so that nothing may be.
        holders: by attribute, key or index, the things whose numbers are those of the copies that it holds.
        around: the loops around the place where it was made.
        is_fixed: whether it must have just the keys that it has now.
        factory: of a dict, what makes the items that it lacks.
        is_shared: whether it stands for a list that goes by other names, too, so that nothing may be written into it.
        line: of a dict or list, where it was made, as text.
        made_at: of a dict with defaults, the place in the source.
        is_open: whether such a dict may lack some of its keys yet, which must not show.
        slot: of a list, the class and the attribute that it was first assigned to.
    """

    kind: type
    number: int
    home: Block | None
    sub: Any = None
    slots: dict[Any, Any] = field(default_factory=dict)
    where: str = ""
    value: Any = None
    is_argument: bool = False
    is_stored: bool = False
    copied_as: Any = None
    holders: dict[Any, Any] = field(default_factory=dict)
    around: Any = ()
    is_fixed: bool = False
    slot: Any = None
    factory: Any = None
    is_shared: bool = False
    line: str = ""
    made_at: Any = None
    is_open: bool = False
    ordinal: int = 0

    def __repr__(self) -> str:
        return f"{self.kind.__qualname__}{self.slots}"


class Bound:
    """A method of an object."""

    def __init__(self, function: Static, owner: Any):
        self.function = function
        self.owner = owner


class Partial:
    """What ``functools.partial(function, *args, **named)`` gives; `last` are arguments behind those of the call."""

    def __init__(self, function: Static | Bound, args: list, named: dict[str, Any], last: Sequence[Any] = ()):
        self.function, self.args, self.named, self.last = function, args, named, last


class Generated:
    """A generator that was called and is gone through later: the function, the arguments, and the loops around it."""

    def __init__(self, callee: Static | Bound, args: list, named: dict[str, Any], around: Any):
        self.callee, self.args, self.named, self.around = callee, args, named, around
        self.is_spent = False


class Frozen:
    """A distribution of SciPy's with parameters, such as ``norm(mu, sigma)``."""

    def __init__(self, dist: Any, args: list, named: dict[str, Any]):
        self.dist, self.args, self.named = dist, args, named


class Class:
    """What is relied on of a class: that its names stand for what they stand for now."""

    def __init__(self, cls: type):
        self.cls = cls
        self.mro = cls.__mro__
        others = [base for base in self.mro if base is not object]
        if not others or not all(base.__flags__ & MADE_BY_PYTHON for base in others) or self.mro[-1] is not object:
            raise Unsupported(f"an object of type {cls.__qualname__}")
        if issubclass(cls, type | BaseException) or cls.__module__ in ("enum", "pathlib"):
            raise Unsupported(f"an object of type {cls.__qualname__}")
        meaning = meaning_of(cls)
        is_said = meaning.rules or meaning.substitute or meaning.handler or meaning.adjoint
        is_constant = chainrules.is_non_differentiable(cls)
        if (
            is_said
            or is_constant
            or chainrules.varying_fields(cls) is not None
            or chainrules.program_of(cls) is not None
        ):
            raise Unsupported(f"an object of type {cls.__qualname__}, for which something is declared")


class Turns:
    """What a loop goes through: each value is read when its turn comes. It is gone through once, and at once.

    Attributes:
        things: the lists and dicts that it reads, whose lengths must not change meanwhile; `lengths`, what they were.
        again: of a view of a dict, which may be gone through many times, what gives its turns as they are then.
    """

    def __init__(self, values: list[Callable[[], Any]], things: tuple[Thing, ...] = (), lengths: Any = None):
        self.values = values
        self.things = things
        self.lengths = self._lengths() if lengths is None else lengths
        self.again: Callable[[], Turns] | None = None

    def _lengths(self) -> list[int]:
        return [len(thing.slots) for thing in self.things if thing.home is not None]

    def check(self) -> None:
        """See to it that what it reads has the lengths that it had."""
        if self.lengths != self._lengths():
            raise Unsupported("a loop over what changes its length")

    def each(self, held: Callable[[Any], Any]) -> Iterator[Any]:
        """The values, one by one."""
        self.lengths = self._lengths()
        for value in self.values:
            yield held(value())
            self.check()


def same(value: Any) -> Any:
    return value


def every_one(values: Sequence[Callable[[], Any]]) -> tuple:
    return tuple([value() for value in values])


class Cursor:
    """What ``iter(items)`` gives.

    Attributes:
        turns: what is left of them; the cursor may move on only in the block in which it was made, its `home`.
        place: of a list of the text, the variable that has the index of the next item; the list is `items` then.
        key: where it was made, if it goes through numbers.
    """

    def __init__(self, turns: Turns | None, home: Block, place: str = "", items: Any = None, key: Any = None):
        self.turns, self.home, self.place, self.items, self.key = turns, home, place, items, key


def is_number_like(value: Any) -> bool:
    """Whether a value is made of numbers alone."""
    if isinstance(value, tuple):
        return isinstance(value, Display) or all(map(is_number_like, value))
    return isinstance(value, str | Small | Array | Box | Single)


def has_arrays(value: Any) -> bool:
    """Whether an array as NumPy has it, or one without axes, is in a value."""
    return isinstance(value, Array | Single) or (isinstance(value, tuple) and any(map(has_arrays, value)))


def has_lists(value: Any) -> bool:
    """Whether a list is in a value."""
    return isinstance(value, Display) or (isinstance(value, tuple) and any(map(has_lists, value)))


def merged(one: dict[str, Any], other: dict[str, Any], poison: Any, maybe: Any) -> dict[str, Any]:
    """What is known of variables where two paths meet: that they hold several things, be one of these None."""
    found: dict[str, Any] = {}
    for name in {**one, **other}:
        a, b = one.get(name, ""), other.get(name, "")
        both_static = isinstance(a, Static) and isinstance(b, Static) and (a.value, a.where) == (b.value, b.where)
        if a is b or both_static or (isinstance(a, str) and isinstance(b, str) and a == b):
            found[name] = a
        elif not (isinstance(a, str) and isinstance(b, str)):
            is_none = any(v is maybe or (isinstance(v, Static) and v.value is None) for v in (a, b))
            found[name] = maybe if is_none else poison
    return found


def fields_of(x: Any) -> dict[str, Any]:
    """The attributes of an object of a class written in Python."""
    if not is_plain_object(x):
        return {}
    found = dict(getattr(x, "__dict__", None) or {})
    for base in type(x).__mro__:
        for name, member in vars(base).items():
            if type(member) is MemberDescriptorType and hasattr(x, name):
                found[name] = getattr(x, name)
    return found


def holds(x: Any, wanted: set[int], above: tuple[int, ...] = ()) -> bool:
    """Whether one of the objects of these identities is in another one, at any depth."""
    kind = type(x)
    if kind is float or kind is int or kind is str or id(x) in above:
        return False
    if id(x) in wanted:
        return True
    if kind is dict:
        parts = x.values()
    elif kind is list or kind is tuple:
        parts = x
    else:
        parts = fields_of(x).values()
    above = (*above, id(x))
    return any(holds(part, wanted, above) for part in parts if type(part) is not float)


def is_named_tuple(kind: Any) -> bool:
    """Whether a class is one that `collections.namedtuple` or `typing.NamedTuple` made, or one derived from it."""
    if not isinstance(kind, type) or type(kind) is not type or not issubclass(kind, tuple):
        return False
    made = kind.__new__
    return hasattr(kind, "_fields") and type(made) is FunctionType and made.__code__.co_filename.startswith("<string")


def is_member(value: Any) -> bool:
    """Whether a value is a member of an enumeration that is compared by what it is."""
    kind = type(value)
    return (
        type(kind) is enum.EnumMeta
        and not isinstance(value, int | float | str | tuple)
        and kind.__eq__ is object.__eq__
        and kind.__hash__ is enum.Enum.__hash__
    )


def kind_of(value: Any) -> Any:
    """Which class an object is of that is none of the user's; a number is just that; None where it is open."""
    if isinstance(value, str):
        return float
    if isinstance(value, Thing):
        return value.kind if value.kind in (list, dict) else object
    if isinstance(value, Array | Small | Single) or (isinstance(value, ListOf) and value.kind is np.ndarray):
        return np.ndarray
    if isinstance(value, Static):
        return type(value.value)
    return list if isinstance(value, Display) else tuple if type(value) is tuple else None


def is_known_list(value: Any) -> bool:
    """Whether a value is a list of the program's whose items are known one by one."""
    return isinstance(value, Thing) and value.kind is list


def is_dict(value: Any) -> bool:
    """Whether a value is a dict of the program's whose keys are known."""
    return isinstance(value, Thing) and value.kind is dict


def is_of_class(value: Any) -> bool:
    """Whether something is an object or a named tuple of a class of the user's."""
    if isinstance(value, Thing):
        return value.kind not in (list, dict)
    return isinstance(value, Named) or is_record(value)


def is_record(value: Any) -> bool:
    """Whether something is an object that the text has (see `boxed_records`)."""
    return isinstance(value, Box) and isinstance(value.place, Sort)
