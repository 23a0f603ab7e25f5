"""Programs for SciPy's compiled functions on matrices kept as lists of rows, `scipy.sparse.lil_array`."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from scipy.sparse import _csparsetools as kernels  # type: ignore[import-untyped]

from ....declarations import non_differentiable
from ....programs import program


def found(row: list[int], j: int) -> int:
    """Where a column stands in a row, -1 where it does not."""
    at = bisect_left(row, j)
    return at if at < len(row) and row[at] == j else -1


def inside(m: int, n: int, i: int, j: int) -> tuple[int, int]:
    if not (-m <= i < m and -n <= j < n):
        raise IndexError(f"the index ({i}, {j}) is out of bounds of the shape ({m}, {n})")
    return int(i) % m, int(j) % n


non_differentiable(found, inside, bisect_left)


def lil_get1(config: Any, m: int, n: int, rows: Any, data: Any, i: int, j: int) -> Any:
    i, j = inside(m, n, i, j)
    at = found(rows[i], j)
    return data[i][at] if at >= 0 else 0.0


def lil_insert(config: Any, m: int, n: int, rows: Any, data: Any, i: int, j: int, x: Any) -> None:
    """An entry that is 0 now is one: it varies with what it was computed of."""
    i, j = inside(m, n, i, j)
    at = found(rows[i], j)
    if at >= 0:
        data[i][at] = x
    else:
        at = bisect_left(rows[i], j)
        rows[i].insert(at, j)
        data[i].insert(at, x)


def lil_flatten_to_array(config: Any, rows: Any, out: Any) -> None:
    k = 0
    for row in rows:
        for x in row:
            out[k] = x
            k += 1


def lil_get_row_ranges(
    config: Any, m: int, n: int, rows: Any, data: Any, new_rows: Any, new_data: Any, numbers: Any, start: int,
    stop: int, step: int, width: int,
) -> None:  # fmt: skip
    columns = range(start, stop, step)
    for k, i in enumerate(numbers):
        chosen = [(columns.index(j), at) for at, j in enumerate(rows[i]) if j in columns]
        chosen.sort()
        new_rows[k] = [j for j, _ in chosen]
        new_data[k] = [data[i][at] for _, at in chosen]


def lil_fancy_get(
    config: Any, m: int, n: int, rows: Any, data: Any, new_rows: Any, new_data: Any, i: Any, j: Any
) -> None:  # fmt: skip
    for a in range(i.shape[0]):
        columns, values = [], []
        for b in range(i.shape[1]):
            p, q = inside(m, n, i[a, b], j[a, b])
            at = found(rows[p], q)
            if at >= 0:
                columns.append(b)
                values.append(data[p][at])
        new_rows[a] = columns
        new_data[a] = values


def lil_fancy_set(config: Any, m: int, n: int, rows: Any, data: Any, i: Any, j: Any, values: Any) -> None:
    for a in range(i.shape[0]):
        for b in range(i.shape[1]):
            lil_insert(config, m, n, rows, data, i[a, b], j[a, b], values[a, b])


for _program in (lil_get1, lil_insert, lil_flatten_to_array, lil_get_row_ranges, lil_fancy_get, lil_fancy_set):
    program(getattr(kernels, _program.__name__))(_program)
