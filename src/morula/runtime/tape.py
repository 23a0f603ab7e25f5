"""The tape: what ran and was active, in order; and the sweep back over it.

A scalar is the most frequent thing on a tape, so its entry is the smallest thing Python has, a list, and the
entry is at the same time the scalar's shadow:

    ``[x_bar]``                      a leaf, or the scalar result of a `Pull` entry
    ``[y_bar, x, p]``                y = f(x):    x_bar += p * y_bar
    ``[y_bar, x, p, z, q]``          y = f(x, z): likewise for both
    ``[y_bar, buffer, key, None]``   y = a[key]:  a_bar[key] += y_bar

The cotangent of a scalar that nothing has reached is the *integer* 0 (`UNTOUCHED`); every cotangent that was
ever added is a float, a complex or a NumPy scalar. So "no gradient" and "a gradient of zero" stay apart.

Everything else is an object with ``pull(strict)``.

A partial or a seed that is exactly 0 kills an infinity or a NaN on the other side. Checking that at every
product would cost more than the product, so the first sweep multiplies carelessly; a NaN spreads to whatever
it touches, and if one shows at the end the sweep is repeated with `strict` products.
"""

from typing import Any, Protocol

import numpy as np

from chainrules import strong_mul

UNTOUCHED = 0
Node = list  # the shadow of a scalar


class Entry(Protocol):
    """A tape entry that is not a bare scalar operation."""

    def pull(self, strict: bool) -> None:
        """Move the cotangent of the result on to the arguments."""

    def undo(self) -> None:
        """Memory as it was before (only writes have something to do)."""


class NaNMet(Exception):
    """A NaN reached code that must not be run twice; sweep again with strict products."""


def sweep(tape: list[Any], strict: bool) -> None:
    """Walk the tape backwards once."""
    if strict:
        _sweep_strictly(tape)
        return
    for entry in reversed(tape):
        if type(entry) is list:
            bar = entry[0]
            if type(bar) is int:
                continue
            n = len(entry)
            if n == 3:
                entry[0] = 0
                entry[1][0] += entry[2] * bar
            elif n == 5:
                entry[0] = 0
                _, x, p, z, q = entry
                x[0] += p * bar
                z[0] += q * bar
            else:
                entry[0] = 0
                entry[1].add_at(entry[2], bar)
        else:
            entry.pull(False)


def _sweep_strictly(tape: list[Any]) -> None:
    for entry in reversed(tape):
        if type(entry) is list:
            bar = entry[0]
            if type(bar) is int:
                continue
            entry[0] = 0
            if len(entry) == 4:
                entry[1].add_at(entry[2], bar)
            else:
                for i in range(1, len(entry), 2):
                    entry[i][0] += strong_mul(entry[i + 1], bar)
        else:
            entry.pull(True)


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


def has_nan(bar: Any) -> bool:
    """Whether a cotangent, of any structure, holds a NaN."""
    if bar is None:
        return False
    if isinstance(bar, np.ndarray):
        return bar.dtype.kind in "fc" and bool(np.isnan(bar).any())
    if isinstance(bar, float | complex | np.inexact):
        return bool(bar != bar)
    if isinstance(bar, tuple | list):
        return any(has_nan(b) for b in bar)
    if isinstance(bar, dict):
        return any(has_nan(b) for b in bar.values())
    fields = getattr(bar, "fields", None)
    return callable(fields) and has_nan(dict(fields()))
