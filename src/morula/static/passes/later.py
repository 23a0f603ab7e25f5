"""Whether what a load found is overwritten in later iterations: of recurrences and tables it is not.

for i in range(1, n):                for i in range(1, n):
    y[i] = a * y[i - 1]                  for j in range(1, m): t[i, j] = t[i - 1, j] + t[i, j - 1]

A store of a later iteration finds the place of the load where each of its indices is the place's own. The iterations in
which it would do so are then before the one of the load, so what was loaded is still there at the end.
"""

from typing import Any

from morula.static.ir import Const, Loop, Op, Value
from morula.static.passes.bounds import Bounds, offset

BELOW, EQUAL, ABOVE = -1, 0, 1


def is_overwritten_later(load: Op, store: Op, loops: list[Loop], is_after: bool) -> bool:
    """Whether a store may overwrite what a load found, by their indices.

    Args:
        load, store: of the same array.
        loops: around both of them, outermost first.
        is_after: whether the store follows the load within one iteration of all these loops.
    """
    bounds = Bounds()
    places, targets = load.args[1:], store.args[2:]
    if len(places) != len(targets) or not all(map(bounds.is_natural, (*places, *targets))):
        return True  # (an index below zero counts from the end)
    for loop in loops:
        axis = next((k for k, x in enumerate(targets) if loop.index is not None and offset(x)[0] is loop.index), None)
        if axis is None or not isinstance(loop.step, Const) or not loop.step.value:
            return True
        sides = _sides(places[axis], targets[axis])
        later = ABOVE if loop.step.value > 0 else BELOW
        if later in sides:
            return True
        if EQUAL not in sides:
            return False
    return is_after


def _sides(x: Any, y: Any) -> set[int]:
    """On which sides of the integer `y` the integer `x` may lie."""
    (base, more), (other, most) = offset(x), offset(y)
    if base is other:
        return {(more > most) - (more < most)}
    d = base.definition if isinstance(base, Value) else None
    if isinstance(d, Loop) and base is d.index and isinstance(d.step, Const) and d.step.value:
        up = d.step.value > 0
        top, above = offset(d.stop if up else d.start)
        low, below = offset(d.start if up else d.stop)
        highest, lowest = above + more - up, below + more + (not up)
        if top is other and highest <= most:
            return {BELOW, EQUAL} if highest == most else {BELOW}
        if low is other and lowest >= most:
            return {ABOVE, EQUAL} if lowest == most else {ABOVE}
    return {BELOW, EQUAL, ABOVE}
