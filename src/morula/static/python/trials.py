"""Static adjoints that the eager tier may beat, and runs in parts that whole ones may: the faster way is kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter
from types import CodeType
from typing import Any

from morula.static.python.choice import LOOKED_AT, PURSE, chosen
from morula.static.python.runs import NotNow
from morula.transform.template import parts_below

__all__ = ["SLOWER", "look_at_parts", "on_trial"]

SLOWER = "a static adjoint that takes longer than the eager tier"
TRIED = 3  # calls of each, of which the fastest counts
LASTING = 0.02  # seconds, from which on that is not tried
RARELY = 4  # times as many runs as there have been, until they are compared again


def on_trial(record: Any, key: tuple[int | str, ...], pair: Any) -> Callable:
    """What runs the static adjoint of a `pairs.Pair`, which is dropped if the eager tier is faster.

    A call that the eager tier follows costs more in a text than among others of an eager run.
    """
    run: Callable = pair.run
    seconds: list[float] = []
    left = TRIED

    def timed(*given: Any) -> Any:
        nonlocal left
        if len(seconds) < TRIED:
            start = perf_counter()
            found = run(*given)
            seconds.append(perf_counter() - start)
            return found
        if left == TRIED:
            record.fastest = math.inf
        left -= 1
        if left >= 0 and min(seconds) < LASTING:
            raise NotNow
        pair.run = run
        if record.fastest > min(seconds):
            return run(*given)
        record.pairs[key] = tuple([p for p in record.pairs.get(key, ()) if p is not pair])
        record.why = SLOWER
        PURSE.lose(record, pair.seconds)
        raise NotNow

    return timed


def look_at_parts(record: Any, code: CodeType, records_of: Callable[[CodeType], list[Any]]) -> None:
    """Decide whether a function runs whole or in parts from now on, and when to look again.

    It runs whole while its parts are idle. Where some have static adjoints, runs in parts are followed by as many whole
    ones, and the way on which the fastest one was is kept until there have been some times as many.

    Attributes of the record:
        look_at: the number of runs at which that is asked again; `lately`: the seconds of the fastest run since it was.
        in_parts: the seconds of the fastest one in parts, with which whole ones are being compared.
    """
    fastest, record.lately = record.lately, math.inf
    record.look_at = record.runs + LOOKED_AT
    parts = [records_of(part) for part in parts_below(code)]
    are_some = any(r.pairs for records in parts for r in records)
    if chosen() == "static" or not are_some:
        record.in_parts = None
        record.is_whole = chosen() != "static" and bool(parts) and all(map(_is_idle, parts))
    elif record.in_parts is None:
        record.is_whole, record.in_parts = False, math.inf
    elif not record.is_whole:
        record.is_whole, record.in_parts = True, fastest
    else:
        record.is_whole, record.in_parts = fastest <= record.in_parts, None
        record.look_at = RARELY * record.runs


def _is_idle(records: list[Any]) -> bool:
    """Whether a part gets no static adjoint before attempts can be paid for again."""
    return PURSE.is_empty or any(r.unfit for r in records) or (bool(records) and all(r.is_final for r in records))
