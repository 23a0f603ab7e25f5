"""What the parts of a context share.

A context is assembled from parts (`Arithmetic`, `Access`, `Calls` ...), one concept each. They are one object at
run time; here stands what every part may rely on.
"""

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from morula.runtime.functions import Twins
from morula.runtime.memory import Buffers
from morula.runtime.records import Records


class Part:
    """Base of the parts of a context.

    Attributes:
        tape: what ran and was active; `append` is its method.
        writes: the entries of the tape that write into memory.
        buffers: shadows of arrays, by owner.
        records: shadows of what containers hold, by container.
        state: of these, those of modules (by their dictionaries) and classes.
        twins: transformed functions, and the shadows of captured variables.
        generators: ``id(plain generator) -> (plain generator, generator of pairs)``.
        attribute_kinds: how attributes are found, by class and name.
        plain_twins: twins that a call with so many arguments needs no other decision for.
        elsewhere: what was handed to other threads.
        handed_out: owners of memory that code which is not transformed can reach, by identity, and through what.
        memo: results of functions under `functools.lru_cache`, by function and arguments, with their shadows.
    """

    __slots__ = ()

    tape: list[Any]
    append: Callable[[Any], None]
    writes: list[Any]
    buffers: Buffers
    records: Records
    state: dict[int, Any]
    twins: Twins
    generators: dict[int, tuple]
    attribute_kinds: dict[tuple[type, str], Any]
    plain_twins: dict[FunctionType, tuple[Callable, int]]
    elsewhere: list[Any]
    handed_out: dict[int, tuple[Any, str]]
    memo: dict[Any, dict[Any, tuple]]

    if TYPE_CHECKING:  # a method of another part

        def __getattr__(self, name: str) -> Any: ...
