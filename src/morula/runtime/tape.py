"""The tape: what ran and was active, in order; and the sweep back over it.

A scalar is the most frequent thing on a tape, so its entry is the smallest thing Python has, a list, and the
entry is at the same time the scalar's shadow:

    ``[x_bar]``                      a leaf, or the scalar result of a `Pull` entry
    ``[y_bar, x, p]``                y = f(x):    x_bar += p * y_bar
    ``[y_bar, x, p, z, q]``          y = f(x, z): likewise for both
    ``[y_bar, buffer, key, None]``   y = a[key]:  a_bar[key] += y_bar

The cotangent of a scalar that nothing has reached is the *integer* 0 (`UNTOUCHED`); every cotangent that was
ever added is a float, a complex or a NumPy scalar. So "no gradient" and "a gradient of zero" stay apart.

Elementwise operations on real arrays are tuples, with the partials of a scalar rule (`Elementwise` in
`entries` is the general form, for complex numbers):

    ``(y_d, p, y, x, x_d)``                  y = f(x)
    ``(y_d, p, q, y, x, z, x_d, z_d)``       y = f(x, z), p or q is None where that argument is inactive

Everything else is an object with ``pull(strict)``.

A partial or a seed that is exactly 0 kills an infinity or a NaN on the other side. Checking that at every
product would cost more than the product, so the first sweep multiplies carelessly; a NaN spreads to whatever
it touches, and if one shows at the end the sweep is repeated with `strict` products.
"""

from sys import getrefcount
from typing import Any, Protocol

import numpy as np

from chainrules import strong_mul, unbroadcast

ndarray = np.ndarray
LARGE = 2048  # elements, from which on a new array costs more than finding out that an old one may be written over
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
        kind = type(entry)
        if kind is list:
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
        elif kind is tuple:
            y_d = entry[0]
            bar = y_d.bar
            if bar is None:
                continue
            y_d.bar = None
            y_d.owned = False
            if len(entry) == 5:
                _, p, y, x, x_d = entry
                if type(p) is int or type(p) is float:
                    send(x_d, scaled(p, bar), p == 1)
                    continue
                x_d.add(written_over(p(y, x), bar) if bar.size > LARGE else p(y, x) * bar, True)
                continue
            _, p, q, y, x, z, x_d, z_d = entry
            if p is not None:
                if type(p) is int or type(p) is float:
                    send(x_d, scaled(p, bar), p == 1)
                else:
                    send(x_d, written_over(p(y, x, z), bar) if bar.size > LARGE else p(y, x, z) * bar, False)
            if q is not None:
                if type(q) is int or type(q) is float:
                    send(z_d, scaled(q, bar), q == 1)
                else:
                    send(z_d, written_over(q(y, x, z), bar) if bar.size > LARGE else q(y, x, z) * bar, False)
        else:
            entry.pull(False)


def _count(p: Any) -> int:
    return getrefcount(p)


FRESH = _count(object())  # what `getrefcount` says of an argument that nothing else refers to; Pythons differ


def written_over(p: Any, bar: Any) -> Any:
    """``p * bar``, written into `p` where that is memory of its own that nothing else refers to."""
    if (
        type(p) is ndarray
        and getrefcount(p) == FRESH
        and p.base is None
        and p.dtype is bar.dtype
        and p.shape == bar.shape
        and p.flags.writeable
    ):
        return np.multiply(p, bar, p)
    return p * bar


def scaled(p: float, bar: Any) -> Any:
    return bar if p == 1 else -bar if p == -1 else p * bar


def send(x_d: Any, x_bar: Any, shared: bool) -> None:
    """Add the real cotangent of an elementwise operation to one operand, summed where that was broadcast."""
    if type(x_d) is list:
        x_d[0] += x_bar.sum().item()
    elif x_bar.shape != x_d.shape:
        x_d.add(unbroadcast(x_bar, x_d.shape))
    else:
        x_d.add(x_bar, not shared)


def _sweep_strictly(tape: list[Any]) -> None:
    for entry in reversed(tape):
        kind = type(entry)
        if kind is list:
            bar = entry[0]
            if type(bar) is int:
                continue
            entry[0] = 0
            if len(entry) == 4:
                entry[1].add_at(entry[2], bar)
            else:
                for i in range(1, len(entry), 2):
                    entry[i][0] += strong_mul(entry[i + 1], bar)
        elif kind is tuple:
            bar = entry[0].take()
            if bar is None:
                continue
            n = (len(entry) - 2) // 3
            partials, y, args, shadows = (
                entry[1 : n + 1],
                entry[n + 1],
                entry[n + 2 : 2 * n + 2],
                entry[2 * n + 2 :],
            )
            for p, x_d in zip(partials, shadows, strict=True):
                if p is not None:
                    send(x_d, strong_mul(p(y, *args) if callable(p) else float(p), bar), True)
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
