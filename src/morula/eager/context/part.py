"""What the parts of a context share.

A context is assembled from parts (`Arithmetic`, `Access`, `Calls` ...), one concept each. They are one object at
run time; here stands what every part may rely on.
"""

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from morula.eager.calls.functions import Twins
from morula.eager.containers.records import Records
from morula.eager.memory.buffers import Buffers


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
        refusal: the first error that is not the program's (see `Refusals`), once there was one.
        handed_out: owners of memory that code which is not transformed can reach, by identity, and through what.
        pointed: those of `handed_out` of which code that is not transformed knows the address.
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
    refusal: BaseException | None
    handed_out: dict[int, tuple[Any, str]]
    pointed: dict[int, tuple[Any, str]]
    memo: dict[Any, dict[Any, tuple]]

    if TYPE_CHECKING:  # a method of another part

        def __getattr__(self, name: str) -> Any: ...
