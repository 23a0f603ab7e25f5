"""Ways to lay out the numbers of an array in memory, and what can be known about a value bit by bit."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ..tangents import AbstractTangent
from .leaves import leaves

__all__ = ["LAYOUTS", "arrays_in", "backwards", "bits", "changed", "frozen", "in_fortran_order", "read_only", "strided"]


def strided(a: np.ndarray) -> np.ndarray:
    """The same numbers in every other cell of a larger array."""
    if not a.ndim:
        return a
    wide = np.empty((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
    wide[..., ::2] = a
    return wide[..., ::2]


def backwards(a: np.ndarray) -> np.ndarray:
    """The same numbers in an array of negative strides."""
    everywhere = (slice(None, None, -1),) * a.ndim
    return a[everywhere].copy()[everywhere] if a.ndim else a


def in_fortran_order(a: np.ndarray) -> np.ndarray:
    """A copy in Fortran's order."""
    return a.copy("F")


def read_only(a: np.ndarray) -> np.ndarray:
    """A copy that cannot be written."""
    a = a.copy("K")
    a.flags.writeable = False
    return a


def repeated(a: np.ndarray) -> np.ndarray:
    """Ones that are all the same memory."""
    return np.broadcast_to(np.ones((), a.dtype), a.shape)


LAYOUTS = (strided, backwards, in_fortran_order)


def changed(x: Any, how: Callable[[np.ndarray], np.ndarray]) -> Any:
    """``x`` with ``how`` applied to every array in it.

    >>> changed([np.ones(2), 3.0], read_only)[0].flags.writeable
    False
    """
    if isinstance(x, (list, tuple)):
        values = [changed(v, how) for v in x]
        return x._make(values) if hasattr(x, "_make") else type(x)(values)
    if isinstance(x, dict):
        return {k: changed(v, how) for k, v in x.items()}
    return how(x) if isinstance(x, np.ndarray) else x


def bits(x: Any) -> Any:
    """The bits of a number or array; anything else itself."""
    if isinstance(x, (np.ndarray, np.generic)):
        if x.dtype.char in "gG":  # between the numbers of extended precision there are bytes that mean nothing
            double: Any = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
            return double.tobytes() + (x - double).astype(double.dtype).tobytes()
        return x.tobytes()
    if isinstance(x, complex):
        return struct.pack("dd", x.real, x.imag)
    return struct.pack("d", x) if isinstance(x, float) else x


def frozen(x: Any) -> list[tuple[Any, Any]]:
    """All that can be known about a value: the bits of its leaves; of a tangent without numbers its kind.

    >>> frozen([0.0]) == frozen([-0.0]), frozen(np.ones(2)) == frozen(np.ones(2))
    (False, True)
    """
    found = leaves(x, fields=True)
    return [(path, type(leaf) if isinstance(leaf, AbstractTangent) else bits(leaf)) for path, leaf in found]


def arrays_in(x: Any) -> list[np.ndarray]:
    """The arrays in nested containers and objects."""
    return [leaf for _, leaf in leaves(x, fields=True) if isinstance(leaf, np.ndarray)]
