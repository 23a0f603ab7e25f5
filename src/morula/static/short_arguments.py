"""What code may take for granted of the lengths of arguments: what is asked before Numba is loaded."""

from collections.abc import Iterator
from typing import Any

import numpy as np

LONGEST = 64

Path = tuple[int, ...]
Same = tuple[Path, int]  # as long as this axis of that argument
Lengths = tuple[tuple[Path, tuple[int | Same | None, ...]], ...]  # of an array by its place: None for any


def short_lengths(args: tuple) -> Lengths:
    """The lengths of short vectors, square matrices, and short rows among arguments.

    >>> short_lengths((np.zeros(3), 1.0, (np.zeros((100, 2)), np.zeros(500))))
    (((0,), (3,)), ((2, 0), (None, 2)))
    """
    found: list[tuple[Path, tuple[int | Same | None, ...]]] = []
    arrays = list(_real_arrays(args))
    vectors = {x.shape[0] for _, x in arrays if x.ndim == 1}
    for path, x in arrays:
        axes = [n if 0 < n <= LONGEST else None for n in x.shape]
        if x.ndim > 1 and len(set(x.shape)) > 1 and x.shape[0] not in vectors:
            axes[0] = None  # it counts rows
        if any(axes):
            found.append((path, tuple(axes)))
    return tuple(found)


def equal_lengths(args: tuple) -> Lengths:
    """Which axes of arguments are of one length, which is not 1: what is computed of them needs no broadcasting.

    >>> equal_lengths((np.zeros(20), np.zeros((20, 20)), np.zeros((20, 7))))
    (((1,), (((0,), 0), ((0,), 0))), ((2,), (((0,), 0), None)))
    """
    first: dict[int, Same] = {}
    found: list[tuple[Path, tuple[int | Same | None, ...]]] = []
    for path, x in _real_arrays(args):
        axes: list[Same | None] = []
        for axis, n in enumerate(x.shape):
            leader = first.setdefault(n, (path, axis)) if n > 1 else (path, axis)
            axes.append(None if leader == (path, axis) else leader)
        if any(axes):
            found.append((path, tuple(axes)))
    return tuple(found)


def both(short: Lengths, equal: Lengths) -> Lengths:
    """Two such statements of the same arguments in one."""
    by_path = dict(short)
    found: dict[Path, tuple[int | Same | None, ...]] = {}
    for path, axes in equal:
        own = by_path.get(path, (None,) * len(axes))
        found[path] = tuple([same if n is None else n for n, same in zip(own, axes, strict=True)])
        found[path] = tuple([
            (by_path[n[0]][n[1]] or n) if isinstance(n, tuple) and n[0] in by_path else n for n in found[path]
        ])  # fmt: skip
    return tuple({**by_path, **found}.items())


def _real_arrays(args: tuple) -> Iterator[tuple[Path, np.ndarray]]:
    """The arrays of floats and complex numbers among arguments, by their places."""

    def visit(x: Any, path: Path) -> Iterator[tuple[Path, np.ndarray]]:
        if isinstance(x, tuple):
            for k, part in enumerate(x):
                yield from visit(part, (*path, k))
        elif isinstance(x, np.ndarray) and x.dtype.kind in "fc":
            yield path, x

    return visit(args, ())


def fits(args: tuple, lengths: Lengths) -> bool:
    """Whether arguments have these lengths."""
    for path, wanted in lengths:
        for n, m in zip(wanted, at(args, path).shape, strict=True):
            if n is not None and m != (at(args, n[0]).shape[n[1]] if isinstance(n, tuple) else n):
                return False
    return True


def at(args: tuple, path: Path) -> Any:
    """What stands at a place of arguments."""
    x: Any = args
    for k in path:
        x = x[k]
    return x
