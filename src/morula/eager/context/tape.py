"""The tape: what ran and was active, in order.

A scalar is the most frequent thing on a tape, so its entry is the smallest thing Python has, a list, and the
entry is at the same time the scalar's shadow:

    ``[x_bar]``                      a leaf, or the scalar result of a `Pull` entry
    ``[y_bar, x, p]``                y = f(x):    x_bar += p * y_bar
    ``[y_bar, x, p, z, q]``          y = f(x, z): likewise for both
    ``[y_bar, buffer, key, None]``   y = a[key]:  a_bar[key] += y_bar

The cotangent of a scalar that nothing has reached is the *integer* 0 (`UNTOUCHED`); every cotangent that was
ever added is a float, a complex or a NumPy scalar. So "no gradient" and "a gradient of zero" stay apart.

Elementwise operations on real arrays are tuples, with the partials of a scalar rule (`Elementwise` in
`number_entries` is the general form, for complex numbers):

    ``(y_d, p, y, x, x_d)``                  y = f(x)
    ``(y_d, p, q, y, x, z, x_d, z_d)``       y = f(x, z), p or q is None where that argument is inactive

The write of a number into an array that owns its memory, ``x[key] = v``, is a tuple too; x_d and v_d may be None:

    ``(x, x_d, key, old, v_d, None)``        x[key] = old; v_bar += x_bar[key]; x_bar[key] = 0

Everything else is an object with ``pull(strict)``.
"""

from typing import Any

import numpy as np

from chainrules import has_nan_quickly

UNTOUCHED = 0
LARGE = 2048  # elements, from which on the memory of an array matters more than the time of an operation
Node = list  # the shadow of a scalar


class Entry:
    """Base of the entries that are neither scalar operations nor elementwise ones on real arrays.

    Attributes:
        y_d: the shadow of the result.
        reads: the slots that may hold memory which the way back reads; None: all of them.
        arrays: the slots that may be arrays.
        undoes: whether memory was written, which `pull` undoes: there are `x`, `x_d`, `key` and `old` (see `Write`).
    """

    __slots__ = ()

    y_d: Any
    reads: tuple[str, ...] | None = None
    arrays: tuple[str, ...] = ()
    undoes = False

    def pull(self, strict: bool) -> None:
        """Move the cotangent of the result on to the arguments."""
        raise NotImplementedError

    def reads_memory(self, owner: np.ndarray) -> bool:
        """Whether `pull` may read the memory of an owner, as it was when the entry was made or as it is just after."""
        return True

    def is_large(self) -> bool:
        """Whether what would be freed with this entry is worth freeing at once."""
        y_d = self.y_d
        bar = None if type(y_d) is list else getattr(y_d, "bar", None)
        return bar is not None and bar.size > LARGE


class NaNMet(Exception):
    """A NaN reached code that must not be run twice; sweep again with strict products."""


def take(shadow: Any) -> Any:
    """The cotangent collected at `shadow`, which is emptied; None where nothing came."""
    if type(shadow) is list:
        bar = shadow[0]
        shadow[0] = UNTOUCHED
        return None if type(bar) is int else bar
    if shadow is None:
        return None
    if type(shadow) is tuple:
        parts = tuple(take(s) for s in shadow)
        return None if all(p is None for p in parts) else parts
    return shadow.take()


def empty(shadow: Any) -> None:
    """Forget the cotangent collected at `shadow`."""
    if type(shadow) is list:
        shadow[0] = UNTOUCHED
    elif type(shadow) is tuple:
        for s in shadow:
            empty(s)
    elif shadow is not None:
        root_of(shadow).take()


def root_of(shadow: Any) -> Any:
    """Where the cotangent of a view is kept; of anything else the shadow itself."""
    buffer = shadow.buffer if hasattr(type(shadow), "buffer") else None
    return shadow if buffer is None else buffer


def holds_nan(shadow: Any) -> bool:
    """Whether the cotangent collected so far at `shadow` has a NaN."""
    if type(shadow) is list:
        return bool(shadow[0] != shadow[0])
    if type(shadow) is tuple:
        return any(holds_nan(s) for s in shadow)
    if shadow is None:
        return False
    root = root_of(shadow)
    return has_nan(root.bar) if hasattr(root, "bar") else root.holds_nan()


def has_nan(bar: Any) -> bool:
    """Whether a cotangent, of any structure, holds a NaN."""
    if bar is None:
        return False
    if isinstance(bar, np.ndarray):
        kind = bar.dtype.kind
        return has_nan_quickly(bar) if kind == "f" else kind == "c" and bool(np.isnan(bar).any())
    if isinstance(bar, float | complex | np.inexact):
        return bool(bar != bar)
    if isinstance(bar, tuple | list):
        return any(has_nan(b) for b in bar)
    if isinstance(bar, dict):
        return any(has_nan(b) for b in bar.values())
    fields = getattr(bar, "fields", None)
    return callable(fields) and has_nan(dict(fields()))


def to_number(x_bar: Any, kind: type) -> Any:
    """A cotangent of a number: summed over what it was broadcast to, real where the number is."""
    if type(x_bar) is np.ndarray:
        x_bar = x_bar.sum()
    if not issubclass(kind, complex | np.complexfloating) and isinstance(x_bar, complex | np.complexfloating):
        x_bar = x_bar.real
    if isinstance(x_bar, np.longdouble) and not issubclass(kind, np.longdouble):
        return float(x_bar)
    if isinstance(x_bar, np.inexact) and not issubclass(kind, np.generic):
        return x_bar.item()
    return float(x_bar) if type(x_bar) is int else x_bar


def to_dtype(x_bar: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A cotangent array in the number space of its primal; integers have float cotangents."""
    if dtype.kind not in "fc":
        dtype = np.dtype(float)
    if x_bar.dtype.kind == "c" and dtype.kind == "f":
        x_bar = x_bar.real
    return x_bar if x_bar.dtype == dtype else x_bar.astype(dtype)
