"""Fingerprints of memory: every change of one cell, every swap, and copies."""

import numpy as np
import pytest

from morula.eager.memory.fingerprints import LARGE, fingerprint

SIZES = [1, 7, LARGE // 8 - 1, LARGE // 8, LARGE // 8 + 1, LARGE, 70_001]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "c16", "i1", "?", "U3", "M8[s]"])
def test_a_change_anywhere_shows(dtype, n) -> None:
    rng = np.random.default_rng(0)
    x = (rng.random(n) * 100).astype("i8").astype(dtype)
    found = fingerprint(x)
    assert fingerprint(x.copy()) == found
    for k in {0, n // 2, n - 1, *rng.integers(0, n, 5)}:
        y = x.copy()
        y[k] = np.array(1 if y[k] != np.array(1).astype(dtype) else 0).astype(dtype)
        assert fingerprint(y) != found
        y = x.copy()
        y[[0, k]] = y[[k, 0]]
        assert (y == x).all() or fingerprint(y) != found
    for moved in (rng.permutation(x), x[::-1].copy(), np.roll(x, 1), np.roll(x, LARGE // 8)):
        assert (moved == x).all() or fingerprint(moved) != found


def test_any_layout() -> None:
    x = np.random.default_rng(1).random((300, 400))
    for y in (x, x.T, x[::2], x[:, ::3], x[::-1], x.reshape(30, 10, 400).transpose(2, 0, 1)):
        found = fingerprint(y)
        assert fingerprint(y) == found
        kept, y[3, 5] = y[3, 5].copy(), -1.0
        assert fingerprint(y) != found
        y[3, 5] = kept
        assert fingerprint(y) == found
    odd = np.frombuffer(b"a" + bytes(LARGE * 2), np.uint8)[1:].view(float)  # not aligned
    assert fingerprint(odd) == fingerprint(odd.copy())
