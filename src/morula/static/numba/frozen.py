"""What compiled code has taken for constant: names and what they stood for then."""

import dis
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CellType, CodeType, ModuleType
from typing import Any

import numpy as np

from morula.eager.memory.fingerprints import fingerprint

MISSING = object()
FIXED = {"math", "cmath", "operator", "numpy", "numba", "scipy"}  # modules whose attributes nobody rebinds
LARGEST = 10**6  # bytes: Numba leaves larger arrays where they are, and reads them there


@dataclass
class Frozen:
    """What compiled code has taken for constant: names and what they stood for then.

    Attributes:
        names: namespace, name, and the value at compilation. A namespace is a function's globals, a module's, or a
            cell, whose name is then ``None``.
        contents: arrays, and the fingerprints of what they held.
        takes: bytes of arrays that plain functions may read by name: whoever compiles them looks at the contents.
    """

    names: list[tuple[Any, str | None, Any]] = field(default_factory=list)
    contents: list[tuple[np.ndarray, int]] = field(default_factory=list)
    takes: int = -1

    def add(self, space: Any, name: str | None, value: Any) -> None:
        self.names.append((space, name, value))

    def note(self, space: Any, name: str | None, value: Any) -> None:
        """As `add`, once for each name, and with the contents of arrays that Numba copies."""
        if any(s is space and n == name for s, n, _ in self.names):
            return
        self.add(space, name, value)
        self.contents += [(x, fingerprint(x)) for x in copied_arrays(value)]

    def takes_array(self, x: np.ndarray) -> bool:
        """Take note of what an array holds that is read by name, if that is wanted."""
        if x.nbytes > self.takes or type(x) is not np.ndarray or not is_copied(x):
            return False
        self.contents.append((x, fingerprint(x)))
        return True

    def is_current(self) -> bool:
        """Whether every name still stands for the same object."""
        for space, name, value in self.names:
            if name is None:
                try:
                    if space.cell_contents is not value:
                        return False
                except ValueError:
                    return False
            elif space.get(name, MISSING) is not value:
                return False
        return True

    def is_unchanged(self) -> bool:
        """The same, looking into arrays too."""
        return self.is_current() and all(fingerprint(x) == before for x, before in self.contents)


def is_fixed(value: Any) -> bool:
    """Whether a value is a module whose attributes nobody rebinds."""
    return isinstance(value, ModuleType) and value.__name__.split(".")[0] in FIXED


def is_copied(x: np.ndarray) -> bool:
    """Whether Numba compiles the elements of a global array in, and does not read them where they are."""
    return bool(x.flags.forc) and x.nbytes <= LARGEST


def copied_arrays(value: Any) -> list[np.ndarray]:
    """The arrays in a constant that Numba copies."""
    if isinstance(value, np.ndarray):
        return [value] if is_copied(value) else []
    return [x for v in value for x in copied_arrays(v)] if isinstance(value, tuple) else []


def snapshot(value: Any) -> Any:
    """A constant as Numba takes it: with copies of the arrays that it copies."""
    if isinstance(value, tuple):
        parts = [snapshot(v) for v in value]
        if all(p is v for p, v in zip(parts, value, strict=True)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, np.ndarray) and is_copied(value):
        copy = value.copy(order="K")
        copy.flags.writeable = False
        return copy
    return value


def content_of(cell: CellType) -> Any:
    """What a cell holds; `MISSING` if it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def frozen_names(code: CodeType) -> Iterator[str]:
    """The names that a code object, or one inside it, may read from its globals, or as attributes of what is there."""
    yield from code.co_names
    yield from code.co_freevars
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from frozen_names(inner)


def read_names(code: CodeType) -> Iterator[str]:
    """The names that a code object, or one inside it, reads from its globals or captures."""
    yield from (i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    yield from code.co_freevars
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from read_names(inner)


__all__ = [
    "Frozen",
    "content_of",
    "copied_arrays",
    "frozen_names",
    "is_copied",
    "is_fixed",
    "read_names",
    "snapshot",
]
