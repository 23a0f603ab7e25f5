"""Short arrays among the arguments of compiled functions: code for vectors of 3 alone needs no loops and no memory.

A function has such code where it makes fewer arrays in its loops that way, and for a few combinations of lengths.
"""

from typing import Any

import numpy as np

from morula.static.ir import Block, Branch, Function, Loop, Op

MOST_VARIANTS = 4  # of one function, types of arguments, and active arguments
LONGEST, LONGEST_ROW = 8, 4

Path = tuple[int, ...]
Lengths = tuple[tuple[Path, tuple[int | None, ...]], ...]  # of an array by its place: of each axis, None for any


def short_lengths(args: tuple) -> Lengths:
    """The lengths of short vectors, and of short rows, among arguments.

    >>> short_lengths((np.zeros(3), 1.0, (np.zeros((100, 2)), np.zeros(50))))
    (((0,), (3,)), ((2, 0), (None, 2)))
    """
    found: list[tuple[Path, tuple[int | None, ...]]] = []

    def visit(x: Any, path: Path) -> None:
        if isinstance(x, tuple):
            for k, part in enumerate(x):
                visit(part, (*path, k))
        elif isinstance(x, np.ndarray) and x.dtype.kind in "fc":
            if x.ndim == 1 and 0 < x.shape[0] <= LONGEST:
                found.append((path, x.shape))
            elif x.ndim > 1 and 0 < x.shape[-1] <= LONGEST_ROW:
                is_square = x.ndim == 2 and x.shape[0] == x.shape[1]
                found.append((path, x.shape if is_square else (*[None] * (x.ndim - 1), x.shape[-1])))

    visit(args, ())
    return tuple(found)


def fits(args: tuple, lengths: Lengths) -> bool:
    """Whether arguments have these lengths."""
    for path, wanted in lengths:
        x: Any = args
        for k in path:
            x = x[k]
        if any(n is not None and n != m for n, m in zip(wanted, x.shape, strict=True)):
            return False
    return True


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
