"""Memory that code which is not transformed can reach through C.

Others read it, so that no active number may be written there. And others release it, so that a sweep looks first
whether it is there still: it would read what belongs to somebody else by then.
"""

import gc
from enum import EnumMeta
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from morula.eager.context.kinds import is_cython_function, is_written_in_c, module_of
from morula.eager.context.part import Part
from morula.eager.memory.guards import Guard, kept_arrays
from morula.eager.memory.layout import caller_memory, owner_of
from morula.eager.memory.lent import lender_of
from morula.eager.memory.reach import arrays_of
from morula.errors import NotDifferentiable, StaleMemoryError

ndarray = np.ndarray
KNOWN = frozenset("builtins functools types collections itertools numpy datetime decimal fractions typing".split())
NUMBERS = (float, complex, np.inexact, bytes, bytearray)
KEEPING: set[type] = set()  # classes written in C whose objects keep arrays as they are, and compute nothing of them


def safe_owner(x: ndarray) -> ndarray:
    """As `owner_of`, of memory that may be gone."""
    try:
        return owner_of(x)
    except ValueError:
        return x


class ForeignMemory(Part):
    """Memory that others reach, in a reverse context."""

    __slots__ = ()

    def gone_owners(self) -> set[int]:
        """The owners whose memory was released since they were met, by identity."""
        lent = self.buffers.lent
        return {id(memory.owner()) for memory in lent.values() if memory.is_gone()} if lent else set()

    def check_lent(self) -> None:
        """Raise where memory that the sweep would read was released.

        Raises:
            StaleMemoryError: it was.
        """
        gone = self.gone_owners()
        if not gone:
            return
        guarded = (entry.x for entry in self.tape if type(entry) is Guard)
        for x in chain(arrays_of(self.tape), (x for x, _ in kept_arrays(self.tape)), guarded):
            owner = safe_owner(x)
            if id(owner) in gone:
                lender = type(caller_memory(owner).base).__qualname__
                raise StaleMemoryError(
                    f"the memory of an array of shape {x.shape} and dtype {x.dtype} was released (it belonged to a "
                    f"{lender}), and the backward pass needs it; compute with a copy of the array, or release the "
                    "memory after taking the derivative"
                )

    def cannot_release(self, error: BufferError) -> StaleMemoryError:
        return StaleMemoryError(
            f"memory cannot be released ({error}): the backward pass needs an array in it; compute with a copy of "
            "the array, or release the memory after taking the derivative"
        )

    def refuse_lent(self, owner: ndarray) -> None:
        """Active numbers must not go where others may read them through C.

        Raises:
            NotDifferentiable: others can read the memory of `owner`.
        """
        lender = lender_of(owner)
        if lender is not None:
            what = f"the memory of a {type(lender).__qualname__}"
        elif id(owner) in self.pointed:
            what = f"memory that can be reached through {self.pointed[id(owner)][1]}"
        else:
            return
        raise NotDifferentiable(
            f"active values are written into {what}, where code that is not transformed may read them; write them "
            "into an array of their own (numpy.zeros, a copy)"
        )

    def c_attribute(self, o: Any, o_d: Any, name: str, y: Any) -> tuple[Any, Any]:
        """`y`, which C code has made of an object as ``o.name``, maybe of memory with active values."""
        if name in (getattr(o, "__dict__", None) or ()):
            record = self.records.attributes_of(o)
            return y, None if record is None else self.records.part(record, name, y)
        if type(y) is ndarray:
            return y, self.buffers.find(y)
        if isinstance(o, tuple(KEEPING)):
            return y, None
        if holds_numbers(y, is_raw_memory(type(o))) and (o_d is not None or self.reaches_active(o, set())):
            raise NotDifferentiable(
                f"the attribute {name!r} of a {type(o).__qualname__} is read, and its active values cannot be "
                "followed there; read it from an array"
            )
        return y, None

    def reaches_through_c(self, x: Any) -> bool:
        """Whether an object of a class written in C leads to active values."""
        if is_cython_function(type(x)) and is_known(x):  # beside which lie the variables of its module
            return False
        return is_foreign_class(type(x)) and self.reaches_active(x, set())


def holds_numbers(x: Any, with_integers: bool) -> bool:
    """Whether a value consists of numbers, or of the bytes of some."""
    if isinstance(x, list | tuple):
        return any(holds_numbers(v, with_integers) for v in x)
    return isinstance(x, NUMBERS) or (with_integers and isinstance(x, int))


def is_raw_memory(cls: type) -> bool:
    """Whether objects of a class are memory of any meaning: integers read there may be the bits of another number."""
    return any(base.__module__ == "_ctypes" for base in cls.__mro__)


def is_foreign_class(cls: type) -> bool:
    """Whether a class or a base of it is written in C and none of Python's own, whose objects the engine knows."""
    return cls is memoryview or any(not is_known(base) and is_written_in_c(base) for base in cls.__mro__)


def is_known(x: Any) -> bool:
    """Whether a class or function is of a module whose classes written in C are known to the engine."""
    return module_of(x).partition(".")[0] in KNOWN


def held_in_c(x: Any) -> list[Any]:
    """What an object of a class written in C, or a subclass of one, refers to; nothing for any other object."""
    if isinstance(x, EnumMeta) or is_made_by_statements(type(x)):  # whose parts are known
        return []
    return [v for v in gc.get_referents(x) if not issubclass(type(v), type)]  # a weak proxy may be of what is gone


def is_made_by_statements(cls: type) -> bool:
    """Whether the objects of a class keep all that they hold in their dicts: no base of it is written in C."""
    found = _made_by_statements.get(cls)
    if found is None:
        found = all("__dict__" in base.__dict__ and not is_written_in_c(base) for base in cls.__mro__[:-1])
        _made_by_statements[cls] = found
    return found


_made_by_statements: WeakKeyDictionary[type, bool] = WeakKeyDictionary()
