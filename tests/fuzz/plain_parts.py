"""Programs that run in parts: as if a line of theirs had no static adjoint, what is around it becomes functions."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import FunctionType

from morula.static.python.pairs import record_of
from morula.transform.parts import cut_at

WHY = "it is to run in parts"


def in_parts(f: FunctionType, rng: random.Random, compare: Callable[[], bool]) -> None:
    """Compare the tiers where the eager one runs `f` in parts, which are static where they can be."""
    lines = sorted({line for _, _, line in f.__code__.co_lines() if line})
    for _ in range(rng.choice([1, 1, 2])):
        cut_at(f.__code__, rng.choice(lines[1:] or lines))
    record = record_of(f)
    before = record.why
    record.why = WHY
    pairs, record.pairs = record.pairs, {}
    try:
        compare()
    finally:
        record.why, record.pairs = before, pairs
