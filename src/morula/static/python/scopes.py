"""What the names of a function stand for while it is written into a program."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import field
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from morula.static.python.plain_classes import dataclass

__all__ = [
    "MOST", "READ_ONLY", "Array", "Box", "Closure", "Coded", "Display", "Lines", "ListOf", "Maybe", "Named", "Names",
    "Range", "Scope", "Single", "Small", "Sort", "Span", "Static", "Text", "given_names",
    "is_vector_array", "key_of",
]  # fmt: skip

MOST = 7  # numbers of a small array

Names = frozenset[tuple[Any, str]]  # variables, by the code that has them
READ_ONLY: Names = frozenset([(None, "NumPy")])  # who else has arrays that NumPy lets nobody write into


@dataclass(frozen=True)
class ListOf:
    """An array that is a list in the text, or a list of lists, or a list of the program's: by the variable that has it.

    Attributes:
        shape: that it has now, where that is known.
        fixed: whether it always has that shape.
        kind: `numpy.ndarray` or `list`.
        is_float: whether the array is known to be one of floats.
        measured: a text with the length that `shape` has now, where it is not fixed: of an array from outside.
        index: where it stands in that array, if it is a row.
        rows: what the program has for each of the lists in it; `tuple` also of such a list itself.
        width: how long these seem to be.
        is_queue: whether it is a `collections.deque`, of which the text has a list, too.
        longest: how long that may become; None: as long as one likes.
    """

    var: str
    shape: tuple[int | None, ...]
    fixed: bool = False
    kind: type = np.ndarray
    is_float: bool = True
    measured: str = ""
    index: tuple[str, ...] = ()
    rows: type | None = None
    width: int | None = None
    is_queue: bool = False
    longest: int | None = None

    @property
    def origins(self) -> Names:
        """What stands for the variable outside that may hold this very array, with None for its code."""
        return frozenset([(None, self.measured.partition("[")[0])] if self.measured else [])

    @property
    def is_vector(self) -> bool:
        return len(self.shape) == 1

    @property
    def is_short(self) -> bool:
        """Whether it is a vector of few numbers."""
        n = self.shape[0]
        return self.is_vector and n is not None and 0 < n <= MOST


@dataclass(frozen=True)
class Small:
    """An array of few numbers, by the atoms that have them, as long as nothing is written into it.

    Attributes:
        origins: the variables that may hold this very array; none where it is a new one.
    """

    parts: tuple[str, ...]
    origins: Names = field(default=frozenset(), compare=False)


@dataclass(frozen=True)
class Box:
    """A set, dict, list or queue that the text has as the program does, by the atom that holds it (see `boxes`).

    Attributes:
        place: the variable or the place that it was made for, which says what is in it; a `Sort` of an object.
        only: of an object, the classes that it may have where it stands; all of the sort, if there are none.
    """

    atom: str
    place: Any
    only: tuple[type, ...] = field(default=(), compare=False)

    @property
    def kind(self) -> type:
        """The class of an object, where it can be only one."""
        return self.only[0] if self.only else object


@dataclass(frozen=True)
class Sort:
    """The objects of a class, and of others, where these stand at the same places (see `boxed_records`)."""

    kind: type


class Display(tuple):
    """A list of the program's, by its values, as long as nothing is written into it; `origins` as of a `Small`."""

    origins: Names = frozenset()


@dataclass(frozen=True)
class Single:
    """An array without axes, by its number: what ``np.asarray(x)`` gives of one. Nothing is written into it.

    Attributes:
        origins: the variables of arrays of which it may be a view.
        of: as of an `Array`.
    """

    atom: str
    origins: Names = field(default=frozenset(), compare=False)
    of: str = field(default="", compare=False)


OF_SINGLE: dict[str, Any] = {"shape": (), "ndim": "0", "size": "1"}  # attributes of arrays without axes


@dataclass(frozen=True)
class Span:
    """A slice, by the atoms of its ends; None where it has none."""

    start: str | None
    stop: str | None
    step: str | None


@dataclass(frozen=True)
class Maybe:
    """A number, an array or a tuple of such, or None: then its `atoms` hold nothing; `names` as of arrays in it."""

    value: Any
    atoms: tuple[str, ...]
    names: Names = field(default=frozenset(), compare=False)


@dataclass(frozen=True)
class Text:
    """A text that is not the same each time, by the atom that holds it."""

    atom: str


@dataclass(frozen=True)
class Lines:
    """A list of texts, by the atom that holds it."""

    atom: str


@dataclass(frozen=True)
class Coded:
    """One of several constants, by the atom that has its number (see `codes`)."""

    atom: str


class Named(tuple):
    """A named tuple, by its values.

    Attributes:
        kind: its class.
        where: the text that stands for that.
    """

    kind: Any
    where: str

    def __new__(cls, parts: Iterable[Any], kind: Any, where: str) -> Named:
        made = super().__new__(cls, parts)
        made.kind, made.where = kind, where
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.kind is other.kind and tuple(self) == tuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))


class Range(tuple):
    """A range, by its numbers: what is asked of a tuple of these may have another answer."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and tuple(self) == tuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))


@dataclass(frozen=True)
class Array:
    """An array as NumPy has it, by the atom that holds it. It is never written into, but views of it may be about.

    Attributes:
        origins: as of a `Small`.
        of: the list that the program has in its place, of which this is a copy; empty where there is none.
    """

    atom: str
    shape: tuple[int, ...]
    dtype: Any
    origins: Names = field(default=frozenset(), compare=False)
    of: str = field(default="", compare=False)


class Static:
    """A module, a callable, a text or None, and the text that stands for it; empty where nothing is read from it.

    Attributes:
        is_lasting: whether it is one thing only; not a function that each turn of a loop makes anew.
    """

    is_lasting = True

    def __init__(self, value: Any, where: str = ""):
        self.value = value
        self.where = where


@dataclass()
class Closure:
    """A function that was made inside another one: its scope, and the values of its defaults."""

    scope: Scope
    defaults: dict[str, Any]


class Scope:
    """One function, as it is written into the program.

    Attributes:
        where: the text that stands for the function; empty for the one that is differentiated.
        names: what its variables are called in the program.
        bound: names that stand for an atom, an array, a tuple, a module or a callable once and for all.
        loops: the flags of the loops around the statement that is built: to skip the rest of the turn, and to leave.
        returned: the flag that says that it has returned.
        result: the variables of its value; a tuple of them where it is one.
        tuples: the variables that hold tuples, arrays or lists.
        numbers: those that hold numbers.
        things: what variables hold that is known without running: things, texts, functions; and integers.
        replaced: by variable, what it may hold once the loop around has assigned a thing to it.
        extra: variables of comprehensions.
        holders: by variable, the thing whose numbers are those of what it holds, where it holds copies.
        sure: for each block around, the variables that it has assigned so far: no reading of these can fail.
    """

    def __init__(self, function: FunctionType, number: int, where: str = ""):
        self.function = function
        self.where = where
        self.number = number
        self.names: dict[str, str] = {}
        self.bound: dict[str, Any] = {}
        self.loops: list[tuple[str, str]] = []
        self.returned = f"returned{number}"
        self.result: Any = None
        self.sure: list[set[str]] = [set()]
        self.tuples: set[str] = set()
        self.numbers: set[str] = set()
        self.things: dict[str, Any] = {}
        self.replaced: dict[str, Any] = {}
        self.extra: set[str] = set()
        self.holders: dict[str, Any] = {}
        self.around: Any = ()  # the loops around the call
        self.current: Any = None  # the statement that is read
        self.calling: Any = None  # the call that is made, its arguments having been read
        self.caller: Scope | None = None  # which has arrays in variables that it was given
        self.lent: dict[str, str] = {}  # the variables of the caller, by its own ones that got their arrays
        self.written: set[str] = set()  # variables whose arrays have been written into
        self.held_before = 0  # arrays of slots that expressions of its callers hold
        self.unbound: set[str] = set()  # variables that hold UNBOUND at first
        self.own: set[str] = set()  # variables of comprehensions
        self.left_by_loops: set[str] = set()  # variables that loops have assigned, which are over
        self.outer: Scope | None = None  # that it captures variables of
        self.closures: dict[Any, Static] = {}  # the functions that were made in it, by their codes
        self.nonlocals: set[str] = set()  # variables of the outer one that it assigns

    def variable(self, name: str) -> str:
        return self.names.setdefault(name, f"v{self.number}_{name}")


def is_vector_array(value: Any) -> bool:
    """Whether a value is an array of floats with one axis."""
    if isinstance(value, Array):
        return len(value.shape) == 1 and value.dtype == np.float64
    return isinstance(value, ListOf) and value.kind is np.ndarray and value.is_vector and value.is_float


def key_of(scope: Scope, name: str) -> Names:
    return frozenset([(scope.function.__code__, name)])


def given_names(code: CodeType) -> tuple[str, ...]:
    """The parameters of a function, also ``*args`` and ``**kwargs``."""
    extra = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + extra]
