"""Colourings of sparse matrices: which columns or rows of a Jacobian or Hessian one product finds together.

A. H. Gebremedhin, F. Manne, A. Pothen, What color is your Jacobian? Graph coloring for computing derivatives, SIAM
Review 47 (2005): partial distance-2 colourings of columns or rows, and star colourings of symmetric matrices. All are
greedy: vertices are taken in some order, and get the first colour that is free.
"""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from morula.errors import MorulaError

ndarray = np.ndarray
ORDERS = ("natural", "largest first", "smallest last")


def listed(matrix: Any) -> list[list[int]]:
    """The column indices of each row of a matrix in CSR format; of each column the rows, in CSC."""
    indices, ends = matrix.indices.tolist(), matrix.indptr.tolist()
    return [indices[start:end] for start, end in itertools.pairwise(ends)]


def column_colours(pattern: Any, order: str | None = None) -> ndarray:
    """A colour for each column, such that no row has entries in two columns of one colour.

    Args:
        pattern: a matrix of SciPy.
        order: one of `ORDERS`; None for the best of them.
    """
    by_rows, by_columns = pattern.tocsr(), pattern.tocsc()
    least = int(np.diff(by_rows.indptr).max(initial=0))
    columns_of, rows_of = listed(by_rows), listed(by_columns)
    return best(order, least, lambda name: _distance_two(rows_of, columns_of, name))


def row_colours(pattern: Any, order: str | None = None) -> ndarray:
    """A colour for each row, such that no column has entries in two rows of one colour."""
    return column_colours(pattern.T, order)


def best(order: str | None, least: int, coloured: Callable[[str], ndarray]) -> ndarray:
    """The colouring in an order, or the one with the fewest colours; there cannot be fewer than `least`."""
    if order is not None and order not in ORDERS:
        raise MorulaError(
            f"the order of a colouring must be one of {', '.join(map(repr, ORDERS))}, or None, not {order!r}"
        )
    found = coloured(order or ORDERS[0])
    for name in () if order else ORDERS[1:]:
        if count(found) > least:
            found = min(found, coloured(name), key=count)
    return found


def count(colours: ndarray) -> int:
    """How many colours there are; -1 is none."""
    return int(colours.max(initial=-1)) + 1


def _distance_two(rows_of: list[list[int]], columns_of: list[list[int]], order: str) -> ndarray:
    """A colouring of columns by the rows that they share. Columns without entries get no colour.

    A row keeps the colours of its columns as the bits of a number, so that a dense row costs no more than others.
    """
    n = len(rows_of)
    taken = [0] * len(columns_of)
    colours = np.full(n, -1)
    for j in ordered(n, order, rows_of, columns_of):
        if not rows_of[j]:
            continue
        used = 0
        for i in rows_of[j]:
            used |= taken[i]
        bit = ~used & (used + 1)
        for i in rows_of[j]:
            taken[i] |= bit
        colours[j] = bit.bit_length() - 1
    return colours


def ordered(n: int, order: str, rows_of: list[list[int]], columns_of: list[list[int]]) -> Iterable[int]:
    """Columns in an order; degrees are bounds: a neighbour counts once for each row that it shares."""
    if order == "natural":
        return range(n)
    sizes = [len(c) - 1 for c in columns_of]
    degrees = [sum([sizes[i] for i in rows]) for rows in rows_of]
    if order == "largest first":
        return sorted(range(n), key=lambda j: -degrees[j])
    return smallest_last(degrees, rows_of, columns_of)


def smallest_last(degrees: list[int], rows_of: list[list[int]], columns_of: list[list[int]]) -> list[int]:
    """Columns such that each has the smallest degree among itself and those before it."""
    n = len(degrees)
    buckets: dict[int, list[int]] = {}
    degrees = list(degrees)
    for j in range(n - 1, -1, -1):
        buckets.setdefault(degrees[j], []).append(j)
    left = [len(c) for c in columns_of]
    work = 50 * sum(left) + 10_000  # dense rows have quadratically many neighbours, whose order is of no use
    done = [False] * n
    found: list[int] = []
    least = 0
    while len(found) < n:
        while not buckets.get(least):
            least += 1
        j = buckets[least].pop()
        if done[j] or degrees[j] != least:
            continue
        done[j] = True
        found.append(j)
        for i in rows_of[j]:
            left[i] -= 1
            work -= len(columns_of[i])
            if work < 0:
                continue
            for k in columns_of[i]:
                if not done[k]:
                    degrees[k] -= 1
                    buckets.setdefault(degrees[k], []).append(k)
                    least = min(least, degrees[k])
    found.reverse()
    return found


def two_sided(pattern: Any, order: str | None = None) -> tuple[ndarray, ndarray]:
    """Colours of rows and of columns, -1 for those that are in no product.

    Dense rows are found by products from the left, all others by products from the right; which are dense is tried.
    Entries are read directly, so this is a bicolouring in the sense of Coleman and Verma (1998).

    Returns:
        ``(rows, columns)``: an entry of a row with a colour is read from its product, others from that of the column.
    """
    matrix = pattern.tocsr()
    sizes = np.diff(matrix.indptr)
    levels = np.unique(sizes)[::-1]
    chosen = levels[np.unique(np.linspace(0, len(levels) - 1, min(len(levels), 8)).astype(int))] if len(levels) else []
    name = order or "largest first"
    found = None
    for least in (np.inf, *chosen):
        from_left = sizes >= least
        rows = np.full(matrix.shape[0], -1)
        if from_left.any():
            rows[from_left] = row_colours(matrix[from_left], name)
        columns = column_colours(matrix[~from_left], name)
        if found is None or count(rows) + count(columns) < count(found[0]) + count(found[1]):
            found = rows, columns
    assert found is not None
    return found


def star_colours(pattern: Any, order: str | None = None) -> ndarray:
    """Colours of a symmetric pattern, by which every entry stands alone in some product (star colouring).

    Neighbours have different colours, and every path over four vertices has three.

    Args:
        pattern: a symmetric matrix of SciPy; the diagonal does not matter.
        order: as for `column_colours`.
    """
    adjacent = [[k for k in row if k != j] for j, row in enumerate(listed(pattern.tocsr()))]
    least = 1 + any(adjacent) + (max(map(len, adjacent), default=0) > 1 and sum(map(len, adjacent)) > 2 * len(adjacent))
    return best(order, least, lambda name: _star(adjacent, name))


def _star(adjacent: list[list[int]], order: str) -> ndarray:
    """The greedy star colouring. Sets of colours are the bits of numbers.

    A colour d for `v` would make a path of two colours over four vertices in two ways: ``v - w - x - y`` with `x` of
    colour d and `y` of w's colour (`tails`), and ``u - v - w - x`` with `u` of w's colour and `x` of colour d.
    """
    n = len(adjacent)
    colours = [-1] * n
    around = [0] * n  # the colours of the neighbours
    repeated = [0] * n  # those that several neighbours have
    tails = [0] * n  # of w: the colours of neighbours x that have w's colour more than once around them
    for v in _star_order(adjacent, order):
        used = around[v]
        for w in adjacent[v]:
            if colours[w] >= 0:
                used |= tails[w]
                if repeated[v] >> colours[w] & 1:
                    used |= around[w]
        bit = ~used & (used + 1)
        colours[v] = colour = bit.bit_length() - 1
        for x in adjacent[v]:
            if colours[x] >= 0 and repeated[v] >> colours[x] & 1:
                tails[x] |= bit
            of_x = 1 << colours[x] if colours[x] >= 0 else 0
            if repeated[x] & bit:
                tails[v] |= of_x
            elif around[x] & bit:
                repeated[x] |= bit
                for w in adjacent[x]:
                    if colours[w] == colour:
                        tails[w] |= of_x
            around[x] |= bit
    return np.array(colours, int)


def _star_order(adjacent: list[list[int]], order: str) -> Iterable[int]:
    if order == "natural":
        return range(len(adjacent))
    degrees = [len(a) for a in adjacent]
    if order == "largest first":
        return sorted(range(len(adjacent)), key=lambda v: -degrees[v])
    buckets: dict[int, list[int]] = {}
    for v in range(len(adjacent) - 1, -1, -1):
        buckets.setdefault(degrees[v], []).append(v)
    done = [False] * len(adjacent)
    found: list[int] = []
    least = 0
    while len(found) < len(adjacent):
        while not buckets.get(least):
            least += 1
        v = buckets[least].pop()
        if done[v] or degrees[v] != least:
            continue
        done[v] = True
        found.append(v)
        for w in adjacent[v]:
            if not done[w]:
                degrees[w] -= 1
                buckets.setdefault(degrees[w], []).append(w)
                least = min(least, degrees[w])
    found.reverse()
    return found
