"""What lies at the shadows of operands and results: cotangents, and how large they are."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from morula.eager.context.number_entries import Elementwise
from morula.eager.context.tape import root_of
from morula.eager.memory.array_shadows import ARRAY_SHADOWS, Buffer

__all__ = ["flat", "held", "held_now", "largest", "peek", "sources", "square"]

ndarray = np.ndarray


def sources(entry: Any) -> list[Any]:
    """The shadows of the operands of an entry."""
    kind = type(entry)
    if kind is list:
        return [entry[1]] if len(entry) == 4 else entry[1::2]
    if kind is tuple:
        if len(entry) == 6:
            return [] if entry[4] is None else [entry[4]]
        n = (len(entry) - 2) // 3
        return [d for d in entry[2 * n + 2 :] if d is not None]
    found: list[Any] = []
    slots = _slots.get(kind)
    if slots is None:
        slots = _slots[kind] = tuple([n for n in SHADOWS if hasattr(entry, n)])
    for name in slots:
        value = getattr(entry, name)
        if name == "targets":
            for target in value:
                found += flat(target[1] if kind is Elementwise else target[2])
        elif name in ("arrays_d", "numbers_d"):
            for _, shadow in value:
                found += flat(shadow)
        elif name == "terms":
            found += [x_d for x_d, _ in value]
        elif name == "shadows":
            for shadow in value:
                found += flat(shadow[1] if type(shadow) is tuple and shadow and type(shadow[0]) is int else shadow)
        else:
            found += flat(value)
    return found


SHADOWS = (  # of operands, in slots of entries
    "x_d", "v_d", "z_d", "other_d", "start_d", "targets", "shadows", "terms", "arrays_d", "numbers_d",
)  # fmt: skip
_slots: dict[type, tuple[str, ...]] = {}


def flat(shadow: Any) -> Iterator[Any]:
    """The shadows of numbers and arrays in a structure of them."""
    if type(shadow) is tuple:
        for part in shadow:
            yield from flat(part)
    elif type(shadow) is list or type(shadow) in ARRAY_SHADOWS:
        yield shadow


def held_now(shadow: Any) -> Any:
    """The cotangent that lies at a shadow so far, None where nothing came."""
    if type(shadow) is list:
        return None if not shadow or type(shadow[0]) is int else shadow[0]
    root = shadow if type(shadow) is Buffer else root_of(shadow)
    return getattr(root, "bar", None)


def held(shadow: Any) -> Any:
    """The same, to be kept."""
    bar = held_now(shadow)
    if type(bar) is ndarray and bar.size <= SMALL:
        return bar.copy()  # it may be written into
    return bar


SMALL = 4096
THREADED = 8192  # from about here on BLAS divides a product among threads


def peek(shadow: Any) -> Any:
    """The cotangent at the shadow of a result, of any structure."""
    if type(shadow) is Buffer:
        return shadow.bar
    found = [b for b in map(held_now, flat(shadow)) if b is not None]
    return found[0] if len(found) == 1 else max(found, key=largest) if found else None


def largest(bar: Any) -> float:
    """The largest magnitude; NaN where there is one, infinity likewise."""
    if type(bar) is not ndarray:
        return abs(bar)
    if bar.size == 0 or bar.dtype.kind not in "fc":
        return 0.0
    if bar.dtype.kind == "c":
        return float(np.abs(bar).max())
    return float(max(bar.max(), -bar.min()))


def square(bar: Any) -> float:
    """The sum of squares: not finite where something is not (or where it overflows), 0 where all are zero or tiny.

    Of large arrays the largest square, for which no library starts threads.
    """
    if type(bar) is not ndarray:
        return abs(bar) ** 2 if bar else 0.0
    if bar.size <= THREADED and bar.dtype.kind == "f":
        return bar.dot(bar) if bar.ndim == 1 else np.vdot(bar, bar)  # type: ignore[return-value]
    size = largest(bar)
    return size * size
