"""Finding out that memory was changed behind the engine's back.

What the backward pass reads must be what the forward run had computed with. Writes of transformed code are
logged and undone. For all others there are fingerprints: of what the tape keeps when `pullback` returns, for the
user's writes before ``back``; and of memory that threads, C code or callbacks can reach while the run goes on.
"""

from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from chainrules import is_constant
from morula.eager.containers.container_types import container_of
from morula.eager.containers.parts import parts_of, parts_of_code
from morula.eager.containers.records import Record
from morula.eager.context.kinds import dict_of, is_library_code
from morula.eager.context.tape import LARGE, Entry
from morula.eager.memory.array_shadows import ARRAY_SHADOWS
from morula.eager.memory.fingerprints import changed_behind, fingerprint
from morula.errors import StaleMemoryError, describe
from morula.frames import is_engine_frame
from morula.static.tiers.dispatch import is_compiled_class

ndarray = np.ndarray


class Kept:
    """What the tape has kept of a forward run, and how it looked at its end.

    Attributes:
        arrays: each array once, with what kept it and its fingerprint.
    """

    __slots__ = ("arrays",)

    def __init__(self, tape: list[Any]):
        found: dict[int, tuple[ndarray, Any]] = {}
        for x, user in kept_arrays(tape):
            found.setdefault(id(x), (x, user))
        self.arrays = [(x, user, fingerprint(x)) for x, user in found.values()]

    def check(self) -> None:
        """Raise StaleMemoryError where something has changed since."""
        for x, user, before in self.arrays:
            if fingerprint(x) != before:
                raise StaleMemoryError(
                    f"an array of shape {x.shape} and dtype {x.dtype} was changed after pullback had returned, and "
                    f"the derivative of {user_name(user)} needs its old contents; change a copy, or call back first"
                )


def user_name(user: Any) -> str:
    if hasattr(user, "f"):  # a rule's, or a compiled function's
        return describe(user.f)
    return "an elementwise operation" if type(user) is tuple else "an operation"


def kept_arrays(tape: list[Any], first_only: bool = False) -> Iterator[tuple[ndarray, Any]]:
    """Every array that an entry of the tape may read on the way back, beside that entry.

    `first_only`: what lies in an object is found with the first entry that reads the object, not with each.
    """
    seen: set[int] = set()
    for entry in tape:
        kind = type(entry)
        if kind is list:
            if len(entry) == 4 and type(entry[2]) is not int:
                for x in arrays_in(entry[2], seen if first_only else set()):
                    yield x, entry
        elif kind is tuple:
            for part in entry if len(entry) != 6 else ():
                if type(part) is ndarray:
                    yield part, entry
        else:
            if not first_only:
                seen = set()
            for name in kind.__slots__ if entry.reads is None else entry.reads:
                for x in arrays_in(getattr(entry, name), seen):
                    yield x, entry


NOT_READ = (*ARRAY_SHADOWS, Record, type, ModuleType, str, bytes, int, float, complex)


def arrays_in(value: Any, seen: set[int], through_globals: bool = False) -> Iterator[ndarray]:
    """The arrays that a value holds, at any depth: in containers, in what functions capture, in objects.

    `through_globals`: also in the global variables that functions of the user name, and in methods of objects.
    """
    if is_constant(value):
        return
    if isinstance(value, ndarray):
        yield value
        return
    if value is None or isinstance(value, NOT_READ) or id(value) in seen:
        return
    seen.add(id(value))
    parts = parts_of_code(value)
    if is_compiled_class(type(value)):
        return  # arrays that it captures are constants in it
    if parts is not None:
        if through_globals and is_user_function(value):
            parts += [value.__globals__.get(name) for name in value.__code__.co_names]
    elif container_of(type(value)) is not None:
        parts = parts_of(value)
    elif (fields := dict_of(value)) is not None:
        parts = list(fields.values())
        if through_globals:
            parts += [f for cls in type(value).__mro__ for f in list(vars(cls).values()) if is_user_function(f)]
    for part in parts or ():
        yield from arrays_in(part, seen, through_globals)


def is_user_function(f: Any) -> bool:
    """Whether a function is the user's: libraries, and the engine with its caches, are not looked into.

    Modules of SciPy hold tables and functions, but nothing that they were given; what a function of SciPy captures (one
    of the user's, if it wraps that) is not a variable of its module.
    """
    if type(f) is not FunctionType or is_library_code(f) or is_engine_frame(f.__globals__):
        return False
    return not str(f.__globals__.get("__name__")).startswith("scipy.")


class Guard(Entry):
    """From here on code that is not transformed could reach the memory of `x`; it may not have changed it since.

    By the time a sweep comes here, the writes that were logged since are undone.
    """

    __slots__ = ("before", "how", "x", "y_d")
    reads = ()

    def __init__(self, x: ndarray, how: str):
        self.y_d = None
        self.x = x
        self.how = how
        self.before = fingerprint(x)

    def is_large(self) -> bool:
        return self.x.size > LARGE

    def pull(self, strict: bool) -> None:
        if fingerprint(self.x) != self.before:
            raise changed_behind(self.x, self.how)
