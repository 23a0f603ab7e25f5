"""Where cotangents that are not finite are born, and where they become zero."""

from typing import Any

import numpy as np

from morula.diagnostics.cotangents import largest
from morula.diagnostics.places import Line
from morula.diagnostics.values import operand_texts, shown
from morula.errors import describe

__all__ = ["Birth", "Lost", "note_birth", "note_lost"]

ndarray = np.ndarray


class Birth:
    """Where the first cotangent that is not finite was born.

    Attributes:
        line: of the program.
        text: of the operation in its source.
        operation: its name, where the engine knows one.
        operands: values, as texts by name.
        partials: as texts.
        came, went: the cotangents of the result and of an operand.
        is_nan: what went is NaN; else it is infinite.
        entry: the number of the tape entry.
        met: what lay at the operand already, where only the sum of two is NaN.
    """

    def __init__(self, line: Line, text: str, operation: str, came: str, is_nan: bool, entry: int):
        self.line = line
        self.text = text
        self.operation = operation
        self.operands: dict[str, str] = {}
        self.partials: list[str] = []
        self.came = came
        self.went = "nan" if is_nan else "inf"
        self.is_nan = is_nan
        self.entry = entry
        self.met: str | None = None


class Lost:
    """An operation that made cotangents other than zero zero."""

    __slots__ = ("last", "line", "shadows", "text", "times")

    def __init__(self, line: Line, text: str):
        self.line = line
        self.text = text
        self.shadows: list[Any] = []
        self.times = 0
        self.last: int | None = None  # the entry that was noted last


def note_lost(watch: Any, i: int, gone: list[Any]) -> None:
    """Remember an operation that gave zeros to the operands with these shadows."""
    place, lost = watch.places[i], watch.lost
    key = place if isinstance(place, Line) else (id(place[0]), place[1])
    found = lost.get(key)
    if found is None:
        found = lost[key] = Lost(watch.line_of(i), watch.segment_of(i))
    if found.last != i:
        found.times += 1
        found.last = i
    if found.times <= 64:
        found.shadows += gone


def note_birth(watch: Any, i: int, entry: Any, bar: Any, x_bar: Any, was: Any, now: Any) -> None:
    """Remember where the first infinite cotangent, and where the first NaN, was born."""
    size = largest(now)
    is_nan = size != size
    if size - size == 0:
        return  # only the sum of squares overflows
    if any(b.is_nan or not is_nan for b in watch.births):
        return  # it was so before
    came_size = largest(bar)
    if not is_nan and came_size - came_size != 0 and watch.births:
        return
    birth = Birth(watch.line_of(i), watch.segment_of(i), operation_of(entry), shown(bar), is_nan, i)
    birth.operands, birth.partials = operands_of(watch, i, entry)
    birth.went = shown(now)
    was_size = 0.0 if was is None else largest(was)
    own_size = largest(x_bar) if type(entry) is list else 0.0
    if is_nan and was_size - was_size != 0 and own_size == own_size:
        birth.met = shown(was)
    watch.births.append(birth)


def operation_of(entry: Any) -> str:
    """The name of the operation, where the entry knows it."""
    f = getattr(entry, "f", None)
    if f is not None:
        return describe(f)
    if type(entry) in (list, tuple):
        return ""
    return type(entry).__name__.lower()


def operands_of(watch: Any, i: int, entry: Any) -> tuple[dict[str, str], list[str]]:
    """Operands by name, and partial derivatives, as texts."""
    if type(entry) is list:
        return {n: shown(v) for n, v in watch.singular.get(i, {}).items()}, [shown(p) for p in entry[2::2]]
    if type(entry) is tuple:
        n = (len(entry) - 2) // 3
        args = entry[n + 1 : 2 * n + 2]
        names = ["result", *(operand_texts(watch.segment_of(i)) or "xz")]
        operands = {name: shown(v) for name, v in zip(names, args, strict=False) if v is not None}
        ps = [p(*args) if callable(p) else p for p in entry[1 : n + 1] if p is not None]
        return operands, [shown(p) if isinstance(p, ndarray) else repr(p) for p in ps]
    if hasattr(entry, "args") and hasattr(entry, "y"):
        operands = {"result": shown(entry.y)} if entry.y is not None else {}
        operands |= {
            n: shown(v)
            for n, v in zip(operand_texts(watch.segment_of(i)) or "xzw", entry.args, strict=False)
            if v is not None
        }
        ps = [p(entry.y, *entry.args) if callable(p) else p for p, *_ in entry.targets]
        return operands, [shown(p) if isinstance(p, ndarray | float) else repr(p) for p in ps]
    return captured(getattr(entry, "pullback", None)), []


def captured(pullback: Any) -> dict[str, str]:
    """What a pullback has kept: the operands of its call."""
    names = getattr(getattr(pullback, "__code__", None), "co_freevars", ())
    found = {}
    for name, cell in zip(names, getattr(pullback, "__closure__", None) or (), strict=False):
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        if isinstance(value, ndarray | float | complex | np.number):
            found[name] = shown(value)
    return found
