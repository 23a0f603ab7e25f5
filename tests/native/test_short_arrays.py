"""Code for short arrays alone: used for these lengths, and for no others."""

import numpy as np
import pytest

pytest.importorskip("numba")

from numba import njit

import morula
from morula.static.numba.kernels import kernels_of
from morula.static.short_arguments import short_lengths
from morula.static.short_arrays import MOST_VARIANTS


@njit
def shrinking(x, n):
    y = x
    for _ in range(n):
        y = np.sin(y) * 0.5 + x
    return np.sum(y * y)


def test_other_lengths_have_code_of_their_own():
    assert kernels_of(shrinking, (np.ones(3), 2), (True, False)).lengths == (((0,), (3,)),)
    assert kernels_of(shrinking, (np.ones(30), 2), (True, False)).lengths == ()
    for n in (3, 2, 30, 1, 3, 4, 5, 6, 7, 0, 2):
        x = np.linspace(0.1, 0.9, n)
        got, want = (morula.gradient(lambda x, f=f: f(x, 2), x)[0] for f in (shrinking, shrinking.py_func))
        np.testing.assert_allclose(got, want, rtol=1e-12)
    variants = {id(kernels_of(shrinking, (np.ones(n), 2), (True, False))) for n in range(1, 9)}
    assert len(variants) <= MOST_VARIANTS + 1  # and one for all


def test_what_saves_no_arrays_has_one_code():
    @njit
    def total(x):
        s = 0.0
        for v in x:
            s += v * v
        return s

    assert kernels_of(total, (np.ones(3),), (True,)) is kernels_of(total, (np.ones(100),), (True,))


def test_short_lengths():
    args = np.zeros(65), np.zeros(0), np.zeros(2, int), np.zeros((2, 2)), np.zeros((2, 3)), np.zeros((2, 70))
    assert short_lengths(args) == (((3,), (2, 2)), ((4,), (None, 3)))
    assert short_lengths((np.zeros((9, 3)), np.zeros(9))) == (((0,), (9, 3)), ((1,), (9,)))


def test_lengths_that_do_not_fit_raise_as_plainly():
    @njit
    def mixed(x, y):
        for _ in range(2):
            x = x + y
        return x.sum()

    assert morula.gradient(mixed, np.ones(2), np.ones(2))[0].tolist() == [1.0, 1.0]
    with pytest.raises(ValueError):
        morula.gradient(mixed, np.ones(2), np.ones(3))
