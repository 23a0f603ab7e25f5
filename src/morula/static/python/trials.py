"""Static adjoints that the eager tier may beat: both answer a few calls, and the slower one answers no more."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter
from types import CodeType
from typing import Any

from morula.static.python.choice import PURSE, chosen
from morula.static.python.runs import NotNow
from morula.transform.template import parts_below

__all__ = ["SLOWER", "are_idle", "on_trial"]

SLOWER = "a static adjoint that takes longer than the eager tier"
TRIED = 3  # calls of each, of which the fastest counts
LASTING = 0.02  # seconds, from which on that is not tried


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


def are_idle(code: CodeType, records_of: Callable[[CodeType], list[Any]]) -> bool:
    """Whether no part of a function has a static adjoint, nor gets one before attempts can be paid for again."""

    def is_idle(part: CodeType) -> bool:
        records = records_of(part)
        if any(r.pairs for r in records):
            return False
        return PURSE.is_empty or any(r.unfit for r in records) or (bool(records) and all(r.is_final for r in records))

    parts = list(parts_below(code))
    return bool(parts) and chosen() != "static" and all(map(is_idle, parts))
