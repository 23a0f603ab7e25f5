"""The lengths of short arrays among arguments: what is asked before Numba is loaded."""

from typing import Any

import numpy as np

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
