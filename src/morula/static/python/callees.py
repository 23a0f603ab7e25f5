"""A hot function that an eager run calls, as one entry of its tape: the static adjoint gives its partial derivatives.

The partials are computed going forward, so that whatever has no static adjoint, or no derivative that is finite and not
zero, is called as ever. Only functions of numbers come here, which depend on nothing else that can be active: while
something that they read from outside may be, they are called as ever, too.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.direct_calls import CALLEES
from morula.eager.context.number_entries import Weighted
from morula.eager.context.protocol import Context
from morula.eager.context.reverse import Reverse
from morula.static.python.pairs import answered, current_tier, is_due, made, record_of

Pair = tuple[Any, Any]
ndarray = np.ndarray
__all__ = ["handler_of"]

SAMPLED = 8  # calls, of which one is timed where they are short
CHANGING = frozenset(["cells", "attributes", "writes"])  # what a run may have made active; what it is to see
WITH_ARRAYS = CHANGING | {"arrays"}
SHORT = 1e-4  # seconds
BRIEF = 8e-6  # seconds in the eager tier that are not worth an entry of this kind
NUMBERS = frozenset([float, int, bool, np.float64])


def handler_of(ctx: Context, f: FunctionType, twin: Callable, n: int) -> Callable:
    """What to run for calls of `f` with `n` arguments; `twin` is what ran until now."""
    tier = current_tier()
    if tier == "eager" or n == 0 or f.__closure__ or type(ctx) is not Reverse or not ctx.taped or ctx.around:
        return twin
    if not (ctx.plain_twins or ctx.on1 or ctx.on2):  # the function that is differentiated, for which it was in vain
        return twin
    record = record_of(f)
    if record.why is not None or record.unfit:
        return twin
    left = step = 1  # calls until one is timed; how many it stands for
    timed = 0  # calls for which the time of the record stands

    def handler(ctx: Context, *given: Any) -> Pair:
        nonlocal left, step, timed
        if record.why is not None or record.unfit or type(ctx) is not Reverse or ctx.levels or ctx.state:
            return twin(ctx, *given)
        args, ds = given[:n], given[n:]
        wanted = tuple([i for i, d in enumerate(ds) if d is not None])
        if not wanted:
            return twin(ctx, *given)
        for x, d in zip(args, ds, strict=True):
            if type(x) not in NUMBERS and (d is not None or type(x) is not ndarray or ctx.buffers.find(x) is not None):
                record.unfit = True
                return twin(ctx, *given)
        pairs = record.pairs.get(wanted, ())
        if not pairs and tier == "static" and made(record, f, args, wanted):
            pairs = record.pairs.get(wanted, ())
        if pairs:
            reached = WITH_ARRAYS if ctx.buffers.table else CHANGING
            found = answered(record, wanted, [p for p in pairs if not p.outside & reached], f, args)
            if found is not None:
                return entered(ctx, found[0], [(ds[i], bar) for i, bar in zip(wanted, found[1], strict=True)])
        left -= 1
        if left:
            return twin(ctx, *given)
        start = perf_counter()
        result = twin(ctx, *given)
        seconds = perf_counter() - start
        record.seconds += step * seconds
        timed += step
        left = step = SAMPLED if seconds < SHORT else 1
        if is_due(record):
            if record.seconds < BRIEF * timed:
                record.unfit = tier != "static"
            else:
                made(record, f, args, wanted)
            timed = 0
        return result

    return handler


def entered(ctx: Context, y: Any, found: list[tuple[Any, Any]]) -> Pair:
    """The value and its shadow, which is on the tape with the partials."""
    found = [(d, float(bar)) for d, bar in found if bar is not None]
    if not found:
        return y, None
    if len(found) > 2:
        y_d: list = [0]
        ctx.append(Weighted(y_d, found))
        return y, y_d
    node: list = [0]
    for pair in found:
        node += pair
    ctx.append(node)
    return y, node


CALLEES.append(handler_of)
