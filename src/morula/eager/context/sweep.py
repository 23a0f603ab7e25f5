"""The way back over the tape.

A partial or a seed that is exactly 0 kills an infinity or a NaN on the other side. Checking that at every
product would cost more than the product, so the first sweep multiplies carelessly; a NaN spreads to whatever
it touches, and if one shows at the end the sweep is repeated with strict products.

A tape that is needed no more is freed as it is walked, from the first large array on. What is freed cannot be
swept again, so products are strict from there (beside large arrays the check costs little).
"""

from collections.abc import Iterator
from operator import length_hint
from sys import getrefcount
from typing import Any

import numpy as np

from chainrules import has_nan_quickly, strong_mul, unbroadcast
from morula.eager.context.kinds import PYTHON
from morula.eager.context.tape import LARGE
from morula.eager.memory.array_shadows import Buffer
from morula.eager.memory.layout import overwrite

ndarray = np.ndarray
float64 = np.float64
add = np.add
_sum = add.reduce


def sweep_carelessly(tape: list[Any], once: bool) -> int:
    """Walk the tape backwards with plain products.

    Returns:
        The number of entries left: 0, or, where the tape is walked only `once`, those up to the first
        large array, from which on entries are to be freed.
    """
    entries = reversed(tape)
    for entry in entries:
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
            if len(entry) == 6:
                if once and entry[0].size > LARGE:
                    return length_hint(entries) + 1
                undo_element(entry)
                continue
            y_d = entry[0]
            bar = y_d.bar
            if bar is None:
                continue
            large = bar.size > LARGE
            if large and once:
                return length_hint(entries) + 1
            y_d.bar = None
            y_d.owned = False
            if len(entry) == 5:
                _, p, y, x, x_d = entry
                if type(p) in PYTHON:
                    send(x_d, bar if p == 1 else -bar if p == -1 else p * bar, p != 1)
                else:
                    send(x_d, written_over(p(y, x), bar) if large else p(y, x) * bar, True)
                continue
            _, p, q, y, x, z, x_d, z_d = entry
            if p is not None:
                if type(p) in PYTHON:
                    send(x_d, bar if p == 1 else -bar if p == -1 else p * bar, p != 1)
                else:
                    send(x_d, written_over(p(y, x, z), bar) if large else p(y, x, z) * bar, True)
            if q is not None:
                if type(q) in PYTHON:
                    send(z_d, bar if q == 1 else -bar if q == -1 else q * bar, q != 1)
                else:
                    send(z_d, written_over(q(y, x, z), bar) if large else q(y, x, z) * bar, True)
        elif once and entry.is_large():
            return length_hint(entries) + 1
        else:
            entry.pull(False)
    return 0


def sweep_strictly(tape: list[Any], once: bool) -> None:
    """Walk the tape backwards with strict products; `once`: and free it on the way."""
    for entry in popped(tape) if once else reversed(tape):
        kind = type(entry)
        if kind is list:
            bar = entry[0]
            if type(bar) is int:
                continue
            entry[0] = 0
            if len(entry) == 4:
                entry[1].add_at(entry[2], bar)
                continue
            for i in range(1, len(entry), 2):
                x_bar = entry[i + 1] * bar
                entry[i][0] += x_bar if x_bar == x_bar else strong_mul(entry[i + 1], bar)
        elif kind is tuple:
            if len(entry) == 6:
                undo_element(entry)
                continue
            bar = entry[0].take()
            if bar is not None:
                _pull_strictly(entry, bar)
        else:
            entry.pull(True)


def undo_element(entry: tuple) -> None:
    """Back over ``x[key] = v``."""
    x, x_d, key, old, v_d, _ = entry
    try:
        x[key] = old
    except ValueError:  # read-only by now
        overwrite(x, key, old)
    if x_d is None or x_d.bar is None:
        return
    bar = x_d.bar if x_d.owned else x_d.view()
    if v_d is not None:
        v_d[0] += bar.item(key)
    bar[key] = 0.0


def popped(tape: list[Any]) -> Iterator[Any]:
    while tape:
        yield tape.pop()


def _pull_strictly(entry: tuple, bar: ndarray) -> None:
    """An elementwise operation on real arrays."""
    n = (len(entry) - 2) // 3
    args = entry[n + 1 : 2 * n + 2]  # y, and what it was computed of
    for p, x_d in zip(entry[1 : n + 1], entry[2 * n + 2 :], strict=True):
        if p is None:
            continue
        if callable(p):
            x_bar = written_over(p(*args), bar)
            if has_nan_quickly(x_bar):
                x_bar = strong_mul(p(*args), bar)
            send(x_d, x_bar, True)
        elif p == 1:
            send(x_d, bar, False)
        else:
            send(x_d, strong_mul(float(p), bar), True)


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


def send(x_d: Any, x_bar: Any, fresh: bool) -> None:
    """Add the real cotangent of an elementwise operation to one operand, summed where that was broadcast.

    `fresh`: nobody else holds it.
    """
    if type(x_d) is Buffer:  # what its method `add` does, a frame less: 4 % of such an operation
        if x_bar.shape == x_d.shape:
            mine = x_d.bar
            if mine is None:
                x_d.bar = x_bar if type(x_bar) is ndarray else np.asarray(x_bar)
                x_d.owned = fresh
            elif x_d.owned:
                add(mine, x_bar, mine)
            else:
                x_d.bar = np.asarray(mine + x_bar)
                x_d.owned = True
        else:
            x_d.add(unbroadcast(x_bar, x_d.shape))
    elif type(x_d) is list:
        total = _sum(x_bar, None)
        x_d[0] += float(total) if type(total) is float64 else total.item()
    elif x_bar.shape != x_d.shape:
        x_d.add(unbroadcast(x_bar, x_d.shape))
    else:
        x_d.add(x_bar, fresh)
