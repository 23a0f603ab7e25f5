"""A hot function that an eager run calls, as one entry of its tape: the static adjoint gives its partial derivatives.

The partials are computed going forward, so that whatever has no static adjoint, or no derivative that is finite and not
zero, is called as ever. Functions of numbers and of arrays of floats come here, which return one number. What such a
function captures itself may be active as well; while anything else that it reads from outside may be, it is called as
ever, too.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from types import CellType, FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.twins import CALLEES
from morula.eager.context.number_entries import Weighted, WeightedArrays
from morula.eager.context.protocol import Context
from morula.eager.context.reverse import Reverse
from morula.eager.memory.array_shadows import ARRAY_SHADOWS
from morula.static.python.pairs import answered, current_tier, is_due, made, record_of

Pair = tuple[Any, Any]
ndarray = np.ndarray
__all__ = ["handler_of"]

SAMPLED = 8  # calls, of which one is timed where they are short
CHANGING = frozenset(["cells", "attributes", "writes"])  # what a run may have made active; what it is to see
WITH_ARRAYS = CHANGING | {"arrays"}
SHORT = 1e-4  # seconds
BRIEF = 8e-6  # seconds in the eager tier that are not worth an entry of this kind
JUDGED = 1000  # calls, after which that is decided
LARGEST = 2000  # elements of an array, whose partial derivatives the tape keeps
NUMBERS = frozenset([float, int, bool, np.float64])
FLOAT = np.dtype(float)


def handler_of(ctx: Context, f: FunctionType, twin: Callable, n: int) -> Callable:
    """What to run for calls of `f` with `n` arguments; `twin` is what ran until now."""
    tier = current_tier()
    if tier == "eager" or n == 0 or type(ctx) is not Reverse or not ctx.taped or ctx.around:
        return twin
    record = record_of(f)
    if record.why is not None or record.unfit:
        return twin
    left = step = 1  # calls until one is timed; how many it stands for
    cells = list(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))

    def handler(ctx: Context, *given: Any) -> Pair:
        nonlocal left, step
        if record.why is not None or record.unfit or type(ctx) is not Reverse or ctx.levels or ctx.state:
            return twin(ctx, *given)
        args, ds = given[:n], given[n:]
        wanted = tuple([i for i, d in enumerate(ds) if d is not None])
        for x, d in zip(args, ds, strict=True):
            if type(x) not in NUMBERS and not _is_fit(ctx, x, d):
                record.unfit = True
                return twin(ctx, *given)
        captured = _active(ctx, cells) if cells else []
        if captured is None or not (wanted or captured):
            return twin(ctx, *given)
        names = tuple([name for name, _ in captured])
        key: tuple[int | str, ...] = (*wanted, *names)
        pairs = record.pairs.get(key, ())
        if not pairs and tier == "static" and made(record, f, args, wanted, captured=names):
            pairs = record.pairs.get(key, ())
        if pairs:
            reached = WITH_ARRAYS if ctx.buffers.table else CHANGING
            found = answered(record, key, [p for p in pairs if not p.outside & reached], f, args)
            if found is not None:
                shadows = [*[ds[i] for i in wanted], *[d for _, d in captured]]
                return entered(ctx, found[0], list(zip(shadows, found[1], strict=True)))
        left -= 1
        if left:
            return twin(ctx, *given)
        start = perf_counter()
        result = twin(ctx, *given)
        seconds = perf_counter() - start
        record.seconds += step * seconds
        record.timed += step
        left = step = SAMPLED if seconds < SHORT else 1
        is_brief = record.seconds < BRIEF * record.timed
        if is_brief and record.timed > JUDGED:
            record.unfit = tier != "static"
        elif is_due(record) and not is_brief:
            made(record, f, args, wanted, captured=names)
        return result

    return handler


def _is_fit(ctx: Context, x: Any, d: Any) -> bool:
    """Whether a value that is no number is an array that a text may be given."""
    if type(x) is not ndarray:
        return False
    if d is None:
        return ctx.buffers.find(x) is None
    return type(d) in ARRAY_SHADOWS and x.dtype == FLOAT and x.size <= LARGEST and d.dtype == FLOAT


def _active(ctx: Context, cells: list[tuple[str, CellType]]) -> list[tuple[str, Any]] | None:
    """The variables that a function captures which are active, with their shadows; None where that is not known."""
    found = []
    for name, cell in cells:
        if id(cell) in ctx.twins.lifted:
            return None
        known = ctx.twins.cells.get(id(cell))
        try:
            x, d = cell.cell_contents, known[1].cell_contents if known is not None else None
        except ValueError:  # it is not bound
            return None
        if d is None:
            if type(x) is ndarray and ctx.buffers.find(x) is not None:
                return None
            continue
        if not (type(d) is list if type(x) in NUMBERS else _is_fit(ctx, x, d)):
            return None
        found.append((name, d))
    return found


def entered(ctx: Context, y: Any, found: list[tuple[Any, Any]]) -> Pair:
    """The value and its shadow, which is on the tape with the partials."""
    found = [(d, bar if type(bar) is ndarray else float(bar)) for d, bar in found if bar is not None]
    if not found:
        return y, None
    y_d: list = [0]
    if not all(type(d) is list for d, _ in found):
        ctx.append(WeightedArrays(y_d, found))
    elif len(found) > 2:
        ctx.append(Weighted(y_d, found))
    else:
        for pair in found:
            y_d += pair
        ctx.append(y_d)
    return y, y_d


CALLEES.append(handler_of)
