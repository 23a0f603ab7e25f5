"""Shadows that several threads may write to, each at its own index."""

import itertools

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from morula.native.parallel_shadows import are_apart, overlaps_itself


def places(x: np.ndarray) -> list[int]:
    """The address of every element, by arithmetic."""
    return [
        x.ctypes.data + sum(i * s for i, s in zip(index, x.strides, strict=True))
        for index in itertools.product(*map(range, x.shape))
    ]


def views() -> list[np.ndarray]:
    a = np.zeros((4, 5, 6))
    v = np.zeros(24)
    return [
        a, a.T, a[::2, :, ::-1], a[:, 1], a[..., None], a.transpose(1, 0, 2)[::-1], a[1:1], a[0, 0, :1],
        np.broadcast_to(v, (3, 24)), np.broadcast_to(v[:1], (24,)), np.broadcast_to(v[:1], (1, 1)),
        sliding_window_view(v, 3), sliding_window_view(v, 3)[::3], as_strided(v, (3, 2), (8, 16)),
        as_strided(v, (3, 4), (8, 16)), as_strided(v, (2, 2), (4, 16)), as_strided(v, (3, 4), (32, 8)),
        v.reshape(4, 6)[:, :3],
    ]  # fmt: skip


@pytest.mark.parametrize("x", views(), ids=lambda x: f"{x.shape}{x.strides}")
def test_overlap_with_itself_is_never_missed(x: np.ndarray) -> None:
    found = sorted(places(x))
    overlapping = any(b - a < x.itemsize for a, b in itertools.pairwise(found))
    if overlapping:
        assert overlaps_itself(x) and not are_apart([x])
    else:
        assert not overlaps_itself(x) or x.strides == (8, 16)  # rows between the columns: not sure


def test_strided_views_of_ordinary_arrays_are_apart() -> None:
    a = np.zeros((4, 5, 6))
    for x in (a, a.T, a[::2, :, ::-1], a[:, 1], a[..., 3], a.transpose(1, 0, 2)[::-1]):
        assert are_apart([x]) and are_apart([x, np.zeros(3)]) and are_apart([x, x])


def test_overlap_of_two() -> None:
    a = np.zeros(10)
    b = np.zeros((10, 10))
    assert are_apart([a[:5], a[5:]])
    assert not are_apart([a[:6], a[5:]])
    assert not are_apart([a[1:], np.zeros(3), a[:-1]])
    assert not are_apart([a, a[::-1]])
    assert not are_apart([b, b.T])
    assert not are_apart([a, a.view(np.complex128)])
    assert are_apart([a[:0], a]) and are_apart([])
