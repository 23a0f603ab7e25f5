"""The way back, watched: products are strict, and of each entry it is known what comes and what goes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from chainrules import strong_mul
from morula.diagnostics.places import Line
from morula.diagnostics.values import operand_texts, shown
from morula.eager.context.entries import Elementwise
from morula.eager.context.protocol import Context
from morula.eager.context.sweep import _pull_strictly, undo_element
from morula.eager.context.tape import root_of
from morula.eager.memory.array_shadows import ARRAY_SHADOWS, Buffer
from morula.eager.memory.writes import Rewind
from morula.errors import describe

__all__ = ["Birth", "Lost", "backward", "sources"]

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

    __slots__ = ("line", "shadows", "text", "times")

    def __init__(self, line: Line, text: str):
        self.line = line
        self.text = text
        self.shadows: list[Any] = []
        self.times = 0


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
    births, lost = watch.births, watch.lost
    current: Line | None = None
    for i in range(len(tape) - 1, -1, -1):
        entry = tape[i]
        kind = type(entry)
        if kind is list:
            bar = entry[0]
            if type(bar) is int:
                continue
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
        if kind is tuple and len(entry) == 6:
            undo_element(entry)
            continue
        line = watch.line_of(i)
        if line is not current or kind is not tuple:
            ledger.turn_to(line)
            current = line
        if kind is tuple:
            bar = entry[0].take()
        else:
            bar = peek(getattr(entry, "y_d", None))
        came = 0.0 if bar is None else square(bar)
        if not came <= line.largest * line.largest:
            size = largest(bar)
            if not size <= line.largest:
                line.largest = size
        if kind is tuple:
            if bar is None:
                continue
            from_entry = sources(entry)
            before = [held(d) for d in from_entry] if births else None
            _pull_strictly(entry, bar)
        else:
            from_entry = sources(entry)
            before = [held(d) for d in from_entry] if births else None
            entry.pull(True)
            ledger.turn_to(line)
            if bar is None:
                continue
        gone = None
        for k, d in enumerate(from_entry):
            now = held_now(d)
            if now is None:
                if came:
                    gone = [d] if gone is None else [*gone, d]
                continue
            went = square(now)
            if went == 0.0:
                if came and not np.any(now):
                    gone = [d] if gone is None else [*gone, d]
            elif went - went != 0 and len(births) < 2:
                note_birth(watch, i, entry, bar, now, 0.0 if before is None else before[k], now)
        if gone is not None:
            note_lost(lost, watch, i, gone)


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
        note_lost(watch.lost, watch, i, gone)


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
        elif name == "terms":
            found += [x_d for x_d, _ in value]
        elif name == "shadows":
            for shadow in value:
                found += flat(shadow[1] if type(shadow) is tuple and shadow and type(shadow[0]) is int else shadow)
        else:
            found += flat(value)
    return found


SHADOWS = ("x_d", "v_d", "z_d", "other_d", "targets", "shadows", "terms")  # of operands, in slots of entries
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
    """The sum of squares: not finite where something is not (or where it overflows), 0 where all are zero or tiny."""
    if type(bar) is not ndarray:
        return abs(bar) ** 2 if bar else 0.0
    if bar.dtype.kind == "f":
        return bar.dot(bar) if bar.ndim == 1 else np.vdot(bar, bar)  # type: ignore[return-value]
    size = largest(bar)
    return size * size


def note_lost(lost: dict[Any, Lost], watch: Any, i: int, gone: list[Any]) -> None:
    """Remember an operation that gave zeros to the operands with these shadows."""
    place = watch.places[i]
    key = place if isinstance(place, Line) else (id(place[0]), place[1])
    found = lost.get(key)
    if found is None:
        found = lost[key] = Lost(watch.line_of(i), watch.segment_of(i))
    found.times += 1
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
