"""A hot function that an eager run calls, as one entry of its tape, by its static adjoint.

Of a function that returns one number the partial derivatives are computed going forward, so that whatever has no static
adjoint, or no derivative that is finite and not zero, is called as ever; of one that returns arrays or several numbers,
or writes into what it is given, the entry pulls back (`callee_pulls`). Functions of numbers, of arrays of floats, of
tuples of these, and of objects, dicts and lists come here. What a function captures itself may be active as well; while
anything else that it reads from outside may be, it is called as ever, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import inf
from time import thread_time
from types import CellType, FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.twins import CALLEES
from morula.eager.context.kinds import ATOMS, has_method, is_plain_object
from morula.eager.context.number_entries import Weighted, WeightedArrays, leaves
from morula.eager.context.protocol import Context
from morula.eager.context.reverse import Reverse
from morula.eager.memory.array_shadows import ARRAY_SHADOWS
from morula.static.python.choice import PURSE
from morula.static.python.pairs import MOST, answered, current_tier, is_due, known_record, made, record_of
from morula.static.python.still import called_in
from morula.static.python.unsupported import NO_NUMBER
from morula.transform.parts import apart_from

Pair = tuple[Any, Any]
ndarray = np.ndarray
__all__ = ["handler_of"]

SAMPLED = 8  # calls, of which one is timed where they are short
CHANGING = frozenset(["cells", "attributes", "writes", "shares"])  # what a run may have made active, or is to see
WITH_ARRAYS = CHANGING | {"arrays"}
TEXTS, PRINTS = frozenset(["texts"]), frozenset(["prints"])
UNCHANGED = frozenset(["asked", "members", "texts", "prints"])
SHORT = 3e-4  # seconds
BRIEF = {"gradient": 8e-6, "callee": 5e-5}  # seconds in the eager tier that are not worth such an entry
JUDGED = 1000  # calls, after which that is decided
LARGEST = {"gradient": 2000, "callee": 20_000}  # elements of an array, of which the tape keeps a copy or the slope
NUMBERS = frozenset([float, int, bool, np.float64])
FLOAT = np.dtype(float)


def handler_of(ctx: Context, f: FunctionType, twin: Callable, n: int) -> Callable:
    """What to run for calls of `f` with `n` arguments; `twin` is what ran until now."""
    tier = current_tier()
    if tier == "eager" or n == 0 or type(ctx) is not Reverse or not ctx.taped or ctx.around:
        return twin
    if (f.__module__ or "").startswith("morula."):  # what stands for `heapq`, say: its calls are brief
        return twin
    record, verb = record_of(f), "gradient"
    if record.why == NO_NUMBER:
        record, verb = record_of(f, "callee"), "callee"
    if record.is_final or record.unfit:
        return twin
    known = known_record(f, "callee")
    has_pairs = bool(record.pairs) or (known is not None and bool(known.pairs))
    if not has_pairs and tier != "static" and PURSE.is_empty:  # nothing can be made for now
        return twin
    left = step = 1  # calls until one is timed; how many it stands for
    is_looked_at = has_pairs or tier == "static"  # what it is called with
    # Whether it is time to make a static adjoint, as far as that is known without the arguments; parts are called once.
    is_ripe = BRIEF[verb] <= record.least < inf and is_due(record, is_inside=True)
    cells = list(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))

    def make(args: tuple, wanted: tuple[int, ...], names: tuple[str, ...], seconds: float) -> bool:
        """Make a static adjoint of what takes so long in the eager tier; of what returns no number, one that pulls."""
        nonlocal record, verb
        record.unfit = seconds < BRIEF[verb] and tier != "static"
        if record.unfit:
            return False
        if made(record, f, args, wanted, verb, names, is_inside=True):
            if verb != "gradient" or "writes" not in record.pairs[(*wanted, *names)][-1].outside:
                return True
            record.why = NO_NUMBER  # by itself
        if record.why != NO_NUMBER or verb != "gradient":
            return False
        record, verb = record_of(f, "callee"), "callee"
        return make(args, wanted, names, seconds)

    def deep_in(ctx: Context, args: tuple, ds: tuple) -> list[int]:
        known = known_record(f, "callee") if verb == "gradient" else None
        if known is not None and (known.unfit or known.is_final):
            return []  # which no text is for
        return [i for i, (x, d) in enumerate(zip(args, ds, strict=True)) if d is None and _is_deep(ctx, x)]

    def are_fit(ctx: Context, args: tuple, ds: tuple, deep: list[int]) -> bool:
        for i, (x, d) in enumerate(zip(args, ds, strict=True)):
            if type(x) not in NUMBERS and i not in deep and not _is_fit(ctx, x, d, verb):
                apart_from(f.__code__, f.__code__.co_varnames[i])
                return False
        return True

    def answer(ctx: Context, key: tuple[int | str, ...], args: tuple) -> Any:
        pairs = record.pairs.get(key, ())
        if not pairs:
            return None
        reached = WITH_ARRAYS if ctx.buffers.table else CHANGING
        if ctx.told:  # a number in a text may be an active one
            reached |= TEXTS
        if verb == "callee" or hasattr(sys.stdout, "getvalue"):  # it may run again; the program may read what it prints
            reached |= PRINTS
        apt = [p for p in pairs if _is_apt(p.outside, reached)]
        if not any("asked" in p.outside for p in apt):
            return answered(record, key, apt, f, args)
        with called_in(ctx):
            return answered(record, key, apt, f, args)

    def timed(ctx: Context, given: tuple) -> Pair:
        """One call, and whether an attempt is due after it."""
        nonlocal left, step, is_ripe
        inside, start = PURSE.inside, thread_time()
        result = twin(ctx, *given)
        seconds = thread_time() - start - max(PURSE.inside - inside, 0.0)
        record.seconds += step * seconds
        record.timed += step
        is_first, record.least = record.least == inf, min(record.least, seconds)
        left = step = SAMPLED if seconds < SHORT else 1
        is_brief = record.least < BRIEF[verb]
        if is_brief and record.timed > JUDGED:
            record.unfit = tier != "static"
        is_ripe = is_due(record, is_inside=True) and not (is_brief or is_first)
        return result

    def handler(ctx: Context, *given: Any) -> Pair:
        nonlocal left, record, verb, is_ripe
        if record.is_final or record.unfit or type(ctx) is not Reverse or ctx.levels or ctx.state:
            return twin(ctx, *given)
        if not (is_ripe or is_looked_at or record.pairs):
            left -= 1
            return twin(ctx, *given) if left > 0 else timed(ctx, given)
        is_due_now, is_ripe = is_ripe, False
        args, ds = given[:n], given[n:]
        if ctx.buffers.table:  # an array may have become active where it has no shadow by its name
            ds = tuple([ctx.buffers.find(x) if d is None and type(x) is ndarray else d
                        for x, d in zip(args, ds, strict=True)])  # fmt: skip
        deep = deep_in(ctx, args, ds)
        wanted = tuple([i for i, d in enumerate(ds) if d is not None or i in deep])
        captured = _active(ctx, cells) if cells else []
        if captured is None or not (wanted or captured) or (deep and ctx.records.keys):  # numbers as keys, too
            return twin(ctx, *given)
        if deep and verb == "gradient":
            before, record, verb = record, record_of(f, "callee"), "callee"
            record.seconds, record.least = max(record.seconds, before.seconds), min(record.least, before.least)
            if record.least < BRIEF[verb] and tier != "static":  # objects are walked through at each call
                record.unfit = True
                return twin(ctx, *given)
        if not are_fit(ctx, args, ds, deep):
            record.unfit = True
            return twin(ctx, *given)
        if is_due_now:
            start = thread_time()
            are_fit(ctx, args, ds, deep_in(ctx, args, ds))
            if thread_time() - start > record.least / 4:  # of large objects
                record.unfit = True
                return twin(ctx, *given)
        names = tuple([name for name, _ in captured])
        key: tuple[int | str, ...] = (*wanted, *names)
        found = answer(ctx, key, args)
        pairs = record.pairs.get(key, ())
        makes = tier == "static" and len(pairs) < MOST and not any(pair.failures for pair in pairs)
        if found is None and (makes or is_due_now) and make(args, wanted, names, record.least):
            found = answer(ctx, key, args)
        if found is not None:
            shadows = [d for _, d in captured]
            if verb == "callee":
                from morula.static.python import callee_pulls, places  # most functions return a number

                shadows = [*[places.shadow_at(ctx, args, ds, path) for path in found[-1].sources], *shadows]
                if not all(d is None or type(d) is list or type(d) in ARRAY_SHADOWS for d in shadows):
                    return twin(ctx, *given)
                callee = callee_pulls.Callee(f, args, wanted, names, found)
                return callee_pulls.entered(ctx, callee, found[0][0], shadows, args, ds)
            shadows = [*[ds[i] for i in wanted], *shadows]
            return entered(ctx, found[0], list(zip(shadows, found[1], strict=True)))
        left -= 1
        return twin(ctx, *given) if left > 0 else timed(ctx, given)

    return handler


def _is_apt(outside: frozenset[str], reached: frozenset[str]) -> bool:
    """Whether a pair is one for a run in which that may be active which is `reached`.

    Where it may have to be asked for again what is absent, it must depend on its arguments alone.
    """
    return not outside & reached and not ("doubts" in outside and len(outside - UNCHANGED) > 1)


def _is_deep(ctx: Context, x: Any) -> bool:
    """Whether a value is a list, a dict or an object in which something active lies."""
    kind = type(x)
    if kind in NUMBERS or kind is ndarray or kind is tuple or kind in ATOMS:
        return False
    if kind is not list and kind is not dict and (has_method(kind, "__getattribute__") or not is_plain_object(x)):
        return False  # also of a class of which reading attributes may be seen
    return ctx.reaches_active(x, set())


def _is_fit(ctx: Context, x: Any, d: Any, verb: str) -> bool:
    """Whether a value that is no number is one that a text may be given."""
    if type(x) is tuple:
        parts = zip(x, d or (None,) * len(x), strict=True)
        return all(type(v) in NUMBERS or _is_fit(ctx, v, v_d, verb) for v, v_d in parts)
    if type(x) is not ndarray:
        return d is None and (type(x) in ATOMS or not ctx.reaches_active(x, set()))
    if d is None:
        return ctx.buffers.find(x) is None and (x.size <= LARGEST[verb] or verb == "gradient")
    return type(d) in ARRAY_SHADOWS and x.dtype == FLOAT and x.size <= LARGEST[verb] and d.dtype == FLOAT


def _active(ctx: Context, cells: list[tuple[str, CellType]]) -> list[tuple[str, Any]] | None:
    """The variables that a function captures which are active, with their shadows; None where that is not known."""
    found = []
    for name, cell in cells:
        if id(cell) in ctx.twins.lifted:
            return None
        noted = ctx.twins.cells.get(id(cell))
        try:
            x, d = cell.cell_contents, noted[1].cell_contents if noted is not None else None
        except ValueError:  # it is not bound
            return None
        if d is None:
            if type(x) is ndarray and ctx.buffers.find(x) is not None:
                return None
            continue
        if not (type(d) is list if type(x) in NUMBERS else _is_fit(ctx, x, d, "gradient")):
            return None
        found.append((name, d))
    return found


def entered(ctx: Context, y: Any, found: list[tuple[Any, Any]]) -> Pair:
    """The value and its shadow, which is on the tape with the partials."""
    found = [(d, bar if type(bar) is ndarray else float(bar)) for d, bar in leaves(found)]
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
