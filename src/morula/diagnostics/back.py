"""The way back, watched: products are strict, and of each entry it is known what comes and what goes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import strong_mul
from morula.diagnostics.births import note_birth, note_lost
from morula.diagnostics.cotangents import held, held_now, largest, peek, sources, square
from morula.diagnostics.places import Line
from morula.eager.context.protocol import Context
from morula.eager.context.sweep import send, undo_element, written_over
from morula.eager.memory.writes import Rewind

__all__ = ["backward"]

ndarray = np.ndarray


def backward(watch: Any, ctx: Context, y: Any, y_d: Any, bar: Any, collect: Callable[[], Any]) -> Any:
    """One sweep; memory is left as it is."""
    ledger = watch.ledger
    rewind = Rewind(ctx.writes)
    before, was_back = ledger.current, ledger.back
    ledger.turn_to(ledger.nowhere)
    ledger.back = True
    done = False
    with np.errstate(all="ignore"):
        try:
            ctx.seed(y, y_d, bar)
            sweep(watch, ctx.tape)
            found = collect()
            done = True
        finally:
            ledger.turn_to(before)
            ledger.back = was_back
            if not done:
                ctx.clear()
            rewind.forget()
            rewind.redo()
    watch.bars = found[1:]
    return found


def sweep(watch: Any, tape: list[Any]) -> None:
    """Walk back and note what happens."""
    ledger = watch.ledger
    births, places = watch.births, watch.places
    current: Line | None = None
    for i, entry in zip(range(len(tape) - 1, -1, -1), reversed(tape), strict=True):
        kind = type(entry)
        if kind is list:
            bar = entry[0]
            if type(bar) is int:
                continue
            line = places[i]
            if line.__class__ is not Line:
                line = watch.line_of(i)
            if line is not current:
                ledger.turn_to(line)
                current = line
            entry[0] = 0
            size = abs(bar)
            if not size <= line.largest:
                line.largest = size
            n = len(entry)
            if n == 3:
                _, x, p = entry
                x_bar = p * bar
                if p and x_bar - x_bar == 0:
                    x[0] += x_bar
                    continue
            elif n == 5:
                _, x, p, z, q = entry
                x_bar, z_bar = p * bar, q * bar
                if p and q and x_bar - x_bar == z_bar - z_bar == 0:
                    x[0] += x_bar
                    z[0] += z_bar
                    continue
            elif n == 4:
                entry[1].add_at(entry[2], bar)
                continue
            number_back(watch, i, entry, bar)
            continue
        if kind is tuple:
            if len(entry) == 6:
                undo_element(entry)
                continue
            bar = entry[0].take()
            if bar is None:
                continue
        else:
            bar = peek(getattr(entry, "y_d", None))
        line = watch.line_of(i)
        if line is not current or kind is not tuple:
            ledger.turn_to(line)
            current = line
        came = 0.0 if bar is None else square(bar)
        if not came <= line.largest * line.largest:
            size = largest(bar)
            if not size <= line.largest:
                line.largest = size
        if kind is tuple:
            array_back(watch, i, entry, bar, came)
            continue
        from_entry = sources(entry)
        before = [held(d) for d in from_entry] if births else None
        entry.pull(True)
        ledger.turn_to(line)
        if bar is not None:
            for k, d in enumerate(from_entry):
                judge(watch, i, bar, came, d, 0.0 if before is None else before[k])


def array_back(watch: Any, i: int, entry: tuple, bar: ndarray, came: Any) -> None:
    """The cotangent of an elementwise operation on real arrays goes on."""
    n = (len(entry) - 2) // 3
    args = entry[n + 1 : 2 * n + 2]  # y, and what it was computed of
    for p, x_d in zip(entry[1 : n + 1], entry[2 * n + 2 :], strict=True):
        if p is None:
            continue
        before = held(x_d) if watch.births else 0.0
        if callable(p):
            x_bar = written_over(p(*args), bar)
            went = square(x_bar)
            if went != went:
                x_bar = strong_mul(p(*args), bar)
            send(x_d, x_bar, True)
        elif p == 1:
            went = came
            send(x_d, bar, False)
        else:
            x_bar = -bar if p == -1 else strong_mul(float(p), bar)
            went = square(x_bar)
            send(x_d, x_bar, True)
        if went == 0.0 or went - went != 0 or type(x_d) is list:
            judge(watch, i, bar, came, x_d, before)


def judge(watch: Any, i: int, bar: Any, came: Any, x_d: Any, before: Any) -> None:
    """Note what entry `i` made of a cotangent for the operand with this shadow, if it is zero or not finite now."""
    now = held_now(x_d)
    if now is None:
        if came:
            note_lost(watch, i, [x_d])
        return
    went = square(now)
    if went == 0.0:
        if came and not np.any(now):
            note_lost(watch, i, [x_d])
    elif went - went != 0 and len(watch.births) < 2:
        note_birth(watch, i, watch.ctx.tape[i], bar, now, before, now)


def number_back(watch: Any, i: int, entry: list, bar: Any) -> None:
    """The cotangent of a number goes on, where there is more to it."""
    gone = []
    for k in range(1, len(entry), 2):
        p, x = entry[k + 1], entry[k]
        x_bar = p * bar
        if x_bar != x_bar:
            x_bar = strong_mul(p, bar)
        was = x[0]
        now = x[0] = was + x_bar
        if not x_bar and bar:
            gone.append(x)
        elif now - now != 0 and len(watch.births) < 2:
            note_birth(watch, i, entry, bar, x_bar, was, now)
    if gone:
        note_lost(watch, i, gone)
