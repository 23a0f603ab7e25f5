"""Neighbours on a ring: the remainder of an index that is one off its range is a choice, which takes no division.

for i in range(n):                    for i in range(n):
    up = (i + 1) % n                      up = i + 1 - n if i + 1 >= n else i + 1
    down = (i - 1) % n                    down = i - 1 + n if i - 1 < 0 else i - 1
"""

from typing import Any

from morula.static.front.operands import type_of
from morula.static.ir import Const, Function, Loop, Op, Value, walk
from morula.static.passes.bounds import Bounds, offset
from morula.static.passes.builder import INT

WRAPPED = {1: "wrap_up", -1: "wrap_down"}


def wrap(f: Function) -> None:
    """Write remainders of indices that are one off their range as choices."""
    bounds = Bounds()
    for s in walk(f.body):
        if isinstance(s, Op) and s.attr == "%" and all(type_of(x) == INT for x in (*s.args, s.out)):
            index, distance = offset(s.args[0])
            if distance in WRAPPED and _is_below(index, s.args[1], bounds):
                s.attr = WRAPPED[distance]


def _is_below(index: Any, n: Any, bounds: Bounds) -> bool:
    """Whether `index` counts numbers of `range(n)`."""
    loop = index.definition if isinstance(index, Value) else None
    if not isinstance(loop, Loop) or index is not loop.index or not bounds.is_natural(index):
        return False
    if not (isinstance(loop.step, Const) and loop.step.value > 0):
        return False
    if isinstance(n, Const) and isinstance(loop.stop, Const):
        return bool(loop.stop.value <= n.value)
    base, less = offset(loop.stop)
    return base is n and less <= 0
