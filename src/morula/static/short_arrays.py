"""Short arrays among the arguments of compiled functions: code for vectors of 3 alone needs no loops and no memory.

A function has such code where it makes fewer arrays that way, or has fewer loops inside loops, and for a few
combinations of lengths.
"""

from morula.static.ir import Block, Const, Function, Loop, Op

MOST_VARIANTS = 2  # for short arguments; of one function, types of arguments, and active arguments
MOST_OFFERED = 6  # combinations of lengths that are looked at
FEW = 4  # turns of a loop that compilers write out
WORK = {"new": 1, "fit": 1, "array": 4}  # a product that becomes loops is no array function


def work_of(f: Function) -> tuple[int, int]:
    """What short arrays may save: arrays and loops inside loops, and arrays elsewhere, as the text says."""
    return _work_in(f.body, is_loop=False)


def _work_in(block: Block, is_loop: bool) -> tuple[int, int]:
    inside = outside = 0
    for s in block.statements:
        if isinstance(s, Op):
            work = WORK.get(s.kind, 0)
            inside, outside = inside + is_loop * work, outside + (not is_loop) * work
            continue
        parts = [s.body] if isinstance(s, Loop) else [s.then, s.orelse]
        if is_loop and isinstance(s, Loop) and not _is_short(s):
            inside += 1
        for part in parts:
            a, b = _work_in(part, is_loop or isinstance(s, Loop))
            inside, outside = inside + a, outside + b
    return inside, outside


def _is_short(loop: Loop) -> bool:
    bounds = [x.value for x in (loop.start, loop.stop, loop.step) if isinstance(x, Const)]
    return loop.exit is None and len(bounds) == 3 and len(range(*bounds)) <= FEW
