"""Derivatives that are zero: whether they are zero, or absent, since nothing was sent to a variable at all.

The eager tier knows that, and a text does not, in which cotangents begin with zero. Where a derivative comes out as
zero another text of the same program is asked, in which they begin with `NOTHING`: its products are nothing, too, and
it is gone once something is added. That is for programs of numbers and lists: an array is sent to as a whole.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from morula.static.python.ir import Compute, Input, Program, Structure, Unsupported

__all__ = ["EXACT", "check_exact", "exact_gradient"]


class Nothing:
    """A cotangent that nothing was added to."""

    def _itself(self, *_: Any) -> Nothing:
        return self

    __mul__ = __rmul__ = __truediv__ = __neg__ = __pos__ = _itself

    def __add__(self, other: Any) -> Any:
        return other if other is self else other + 0.0  # no negative zero

    def __radd__(self, other: Any) -> Any:
        return self if type(other) is int else other  # the 0 that `sum` begins with

    def __sub__(self, other: Any) -> Any:
        return other if other is self else 0.0 - other

    def __rsub__(self, other: Any) -> Any:
        return other


NOTHING = Nothing()


def settled(bars: list[Any], wrap: Any = None) -> list[Any] | None:
    """The gradient with respect to a list of numbers, None for those that nothing was sent to."""
    numbers = [bar for bar in bars if bar is not NOTHING]
    if not sum(map(abs, numbers)) < math.inf:
        raise ValueError
    return [None if b is NOTHING else wrap(b) if wrap else b for b in bars] if numbers else None


def plus_each(bars: list[Any], sent: Any) -> None:
    """Add the same to all numbers of a cotangent."""
    for i in range(len(bars)):
        bars[i] += sent


def array_of(bars: list[Any]) -> np.ndarray | None:
    """The gradient with respect to an array: what nothing was sent to is zero, unless nothing was sent to any of it."""
    found = [v for bar in bars for v in (bar if type(bar) is list else (bar,))]
    if not sum([abs(v) for v in found if v is not NOTHING]) < math.inf:
        raise ValueError
    if all(v is NOTHING for v in found):
        return None
    numbers = [0.0 if v is NOTHING else v for v in found]
    return np.array(numbers).reshape((len(bars), -1) if type(bars[0]) is list else -1)


def number(bar: Any) -> Any:
    """The gradient with respect to a number."""
    if bar is NOTHING:
        return None
    if not abs(bar) < math.inf:
        raise ValueError
    return bar + 0.0


def wrapped(bar: Any) -> Any:
    return None if bar is NOTHING else np.float64(number(bar))


def any_of(kind: type, parts: Any) -> Any:
    """The gradient with respect to a list, a tuple or a dict: None where it is that by all parts."""
    found = parts.values() if kind is dict else parts
    return None if all(part is None for part in found) else parts


EXACT: dict[str, Any] = {
    "NOTHING": NOTHING, "settled": settled, "plus_each": plus_each, "array_of": array_of, "number_of": number,
    "wrapped": wrapped, "any_of": any_of,
}  # fmt: skip


def check_exact(program: Program, zeroed: set[str], is_written: Any) -> None:
    """Refuse programs of which such a text might not know what the eager tier does."""
    made = program.is_vague or any(isinstance(s, Compute) and _is_vague(s) for s in program.statements())
    parts = [part for given in program.structures.values() if given is not None for part in _all_of(given)]
    sources = list(program.sources())
    if program.shapes or program.groups or made or program.captured or any(part.kind == "object" for part in parts):
        raise Unsupported("a derivative that may be absent, of arrays or objects")
    if any(i.name in zeroed for i in sources) or any(i.is_array and is_written(i.name) for i in program.inputs):
        raise Unsupported("a derivative that is zero everywhere on some path")


def _is_vague(s: Compute) -> bool:
    """Whether a statement sends to an array as a whole, or may send nothing where it seems to send zero."""
    return s.f is np.ndarray or s.op == "element" or (s.op == "numpy" and s.f.may_be_absent)


def _all_of(given: Structure) -> list[Structure]:
    return [given, *[x for part in given.parts.values() if isinstance(part, Structure) for x in _all_of(part)]]


def exact_gradient(given: Input | Structure | None, active: set[str], rows: set[str]) -> str:
    """The text of the gradient with respect to what the program is given."""
    if isinstance(given, Structure):
        parts = {k: exact_gradient(part, active, rows) for k, part in given.parts.items()}
        every = ", ".join(parts.values())
        if given.kind in ("list", "tuple"):
            return f"any_of({given.kind}, {f'[{every}]' if given.kind == 'list' else f'({every},)'})"
        items = ", ".join(f"{k!r}: {part}" for k, part in parts.items())
        return f"any_of(dict, {{**dict.fromkeys({given.where}), {items}}})"
    if given is None or given.name not in active:
        return "None"
    name = f"d_{given.name}"
    if given.is_array:
        return f"array_of({name})"
    if not given.is_list:
        return f"{'wrapped' if given.kind is np.float64 else 'number_of'}({name})"
    wrap = ", float64" * ("np.float64" in given.types)
    if given.name in rows:
        kind = "tuple" if given.dtype is tuple else "list"
        listed = f"[r and {kind}(r) for r in [settled(row{wrap}) for row in {name}]]"
        listed = f"any_of(list, {listed})"
    else:
        listed = f"settled({name}{wrap})"
    return f"((lambda r: r and tuple(r))({listed}))" if given.kind is tuple else listed
