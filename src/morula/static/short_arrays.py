"""Short arrays among the arguments of compiled functions: code for vectors of 3 alone needs no loops and no memory.

A function has such code where it makes fewer arrays in its loops that way, and for a few combinations of lengths.
"""

from morula.static.ir import Block, Branch, Function, Loop, Op

MOST_VARIANTS = 2  # for short arguments; of one function, types of arguments, and active arguments


def arrays_in_loops(f: Function) -> int:
    """How many arrays a function makes in its loops, as the text says."""
    return _made_in(f.body, is_loop=False)


def _made_in(block: Block, is_loop: bool) -> int:
    count = 0
    for s in block.statements:
        if isinstance(s, Loop):
            count += _made_in(s.body, True)
        elif isinstance(s, Branch):
            count += _made_in(s.then, is_loop) + _made_in(s.orelse, is_loop)
        elif is_loop and isinstance(s, Op) and s.kind in ("new", "fit"):
            count += 1
    return count
