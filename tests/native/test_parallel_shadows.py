"""Shadows that several threads may write to, each at its own index."""

import itertools

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

pytest.importorskip("numba")

from morula.static.numba.parallel_shadows import add_parts, are_apart, extent, part_of, parts_for, parts_like


def covered(x: np.ndarray, index: int, axis: int) -> set[int]:
    """The bytes of all elements with one index along an axis, by arithmetic."""
    others = [range(n) if k != axis else (index,) for k, n in enumerate(x.shape)]
    at = (sum(i * s for i, s in zip(place, x.strides, strict=True)) for place in itertools.product(*others))
    return {x.ctypes.data + offset + byte for offset in at for byte in range(x.itemsize)}


def meet(arrays: list[np.ndarray], axes: list[int]) -> bool:
    """Whether two different indices cover one byte."""
    by_index: dict[int, set[int]] = {}
    for x, axis in zip(arrays, axes, strict=True):
        for i in range(x.shape[axis]):
            by_index.setdefault(i, set()).update(covered(x, i, axis))
    seen = [byte for found in by_index.values() for byte in found]
    return len(seen) != len(set(seen))


def lie_apart(arrays: list[np.ndarray], axes: list[int]) -> bool:
    return are_apart(tuple(extent(x, axis) for x, axis in zip(arrays, axes, strict=True)))


def of_one_memory() -> list[np.ndarray]:
    a = np.zeros((4, 5, 6))
    v, z = np.zeros(24), np.zeros(12, complex)
    return [
        a, a.T, a[::2, :, ::-1], a[:, 1], a[..., None], a.transpose(1, 0, 2)[::-1], a[1:1], a[0, 0, :1], a[:, :, 1:],
        np.broadcast_to(v, (3, 24)), np.broadcast_to(v[:1], (24,)), np.broadcast_to(v[:1], (1, 1)), v, v[::-1], v[1:],
        sliding_window_view(v, 3), sliding_window_view(v, 3)[::3], as_strided(v, (3, 2), (8, 16)), v[:12], v[12:],
        as_strided(v, (3, 4), (8, 16)), as_strided(v, (2, 2), (4, 16)), as_strided(v, (3, 4), (32, 8)),
        v.reshape(4, 6)[:, :3], v.reshape(4, 6)[:, 3:], z, z.real, z.imag, z[::-1].real,
    ]  # fmt: skip


def test_overlaps_are_never_missed() -> None:
    arrays = [(x, axis) for x in of_one_memory() for axis in range(x.ndim)]
    sure = 0
    for one, two in itertools.combinations_with_replacement(arrays, 2):
        found, axes = [one[0], two[0]], [one[1], two[1]]
        apart = lie_apart(found, axes)
        assert not (apart and meet(found, axes)), (found, axes)
        sure += apart
    assert sure > 2 * len(arrays)  # it is no test that always says no


def test_ordinary_arrays_are_apart() -> None:
    a = np.zeros((4, 5, 6))
    for x in (a, a.T, a[::2, :, ::-1], a[:, 1], a[..., 3], a.transpose(1, 0, 2)[::-1]):
        for axis in range(x.ndim):
            assert lie_apart([x], [axis]) and lie_apart([x, np.zeros(3)], [axis, 0])
    assert lie_apart([a, a], [0, 0]) and lie_apart([a[:, 0], a[:, 1:]], [0, 0])
    assert not lie_apart([a[0], a[0]], [0, 1])


@pytest.mark.parametrize(("start", "stop"), [(0, 10), (3, 10), (0, 0), (5, 2), (1, 3)])
@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_parts_are_the_whole_range(start: int, stop: int, parts: int) -> None:
    bounds = [part_of(start, stop, k, parts) for k in range(parts)]
    assert [i for low, high in bounds for i in range(low, high)] == list(range(start, stop))


def test_number_of_parts() -> None:
    assert parts_for(100, 4, 1, 0) == 4 and parts_for(2, 4, 1, 0) == 2 and parts_for(0, 4, 1, 0) == 1
    assert parts_for(100, 4, 1, 1000) == 1 and parts_for(100, 4, 1000, 1000) == 4  # where the shadows cost more


def test_partial_shadows() -> None:
    x_bar = np.arange(6.0).reshape(2, 3)[:, ::-1]
    parts = parts_like(x_bar, 2)
    parts[0] += 1.0
    parts[1, 0, 0] += 2.0
    want = np.array([[3.0, 1.0, 1.0], [1.0, 1.0, 1.0]]) + x_bar
    add_parts(x_bar, parts)
    assert parts.shape == (2, 2, 3)
    np.testing.assert_array_equal(x_bar, want)
