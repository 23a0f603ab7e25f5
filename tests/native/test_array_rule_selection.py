"""The rules for functions that pick, order, choose and interpolate, and for differences and convolution."""

import numpy as np
import pytest

pytest.importorskip("numba")

from array_rule_checks import check, check_compiled, name_of_case, often

rng = np.random.default_rng(10)
TYPES = [float, np.float32, complex]


def array(shape, dtype=float):
    x = rng.standard_normal(shape)
    return np.asarray(x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x, dtype)


PICKED = [
    (np.take, (array((2, 3)), np.array([[0, 5], [1, -1]]))),
    (np.take, (array(4), 2)),
    (np.take, (array((2, 3, 2)), np.array([1, 1, 0]), 1)),
    (np.take, (array((2, 3)), -1, 1)),
    (np.take_along_axis, (array((2, 3)), np.array([[0, 0, 2, 1]] * 2), 1)),
    (np.repeat, (array((2, 3)), 2)),
    (np.repeat, (array(3), np.array([2, 0, 3]))),
    (np.repeat, (array(3), 0)),
    (np.roll, (array((2, 3)), 2)),
    (np.roll, (array(4), -5)),
    (np.resize, (array(3), (2, 4))),
    (np.resize, (array((2, 3)), 4)),
    (np.delete, (array(5), np.array([1, -1]))),
    (np.delete, (array((2, 3)), 2)),
    (np.extract, (np.array([True, False, True]), array(3))),
    (np.trim_zeros, (np.array([0.0, 0.0, 1.0, 0.0, 2.0, 0.0]),)),
    (np.trim_zeros, (np.array([0.0, 0.0, 1.0, 0.0, 2.0, 0.0]), "b")),
    (np.append, (array(3), array((2, 2)))),
    (np.append, (array(3), 2.0)),
    (np.append, (array((2, 3)), array((1, 3), complex), 0)),
    (np.insert, (array(4), 2, 3.5)),
    (np.insert, (array(4), 1, array(2))),
    (np.insert, (array(4), np.array([0, 3, 0]), array(3))),
    (np.insert, (array(4), np.array([0, 3]), 1.5)),
]


@pytest.mark.parametrize("case", PICKED, ids=lambda case: case[0].__name__)
def test_picked(case):
    f, args = case
    check(f, *args, smooth=f is not np.trim_zeros)


SORTED = [array(6), array((2, 5)), array((3, 4, 2)).T, np.array([2.0, 1.0, 2.0, 1.0]), np.zeros(0)]


@pytest.mark.parametrize("x", SORTED, ids=lambda x: str(x.shape))
def test_sorted(x):
    distinct = len(set(x.ravel())) == x.size
    check(np.sort, x, smooth=distinct)
    check(np.unique, x, smooth=distinct and x.ndim == 1)  # others have neighbours that differences exchange
    check(np.sort, x.astype(np.float32), smooth=False)
    check(np.sort, x + 1j, smooth=False)
    if x.size:
        check(np.partition, x, 1, smooth=distinct)


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_medians_and_quantiles(n):
    x = rng.permutation(n) + 0.01 * array(n)  # apart, for the differences
    check(np.median, x)
    check(np.median, np.stack((x, rng.permutation(n) + 0.4)))
    with_nans = np.concatenate((x, [np.nan, np.nan]))
    check(np.nanmedian, with_nans)
    for q in (0.0, 0.3, 1.0, np.array([0.1, 0.77])):
        inner = np.all((np.asarray(q) > 0) & (np.asarray(q) < 1))
        check(np.quantile, x, q, smooth=bool(inner))
        check(np.percentile, x, 100 * q, smooth=bool(inner))
        check(np.nanquantile, with_nans, q, smooth=bool(inner))
        check(np.nanpercentile, with_nans, 100 * q, smooth=bool(inner))


def test_quantiles_at_an_element_and_of_ties():
    check(np.quantile, np.array([1.0, 4.0, 2.0]), 0.5, smooth=False)
    check(np.quantile, np.array([2.0, 2.0, 2.0, 1.0]), 0.4, smooth=False)
    check(np.median, np.array([2.0, 2.0, 2.0, 1.0]), smooth=False)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("x", [0.4, np.array([-1.0, 0.3, 1.7, 9.0]), np.zeros((0, 2))], ids=str)
def test_interp(x, dtype):
    check(np.interp, x, np.array([0.0, 1.0, 2.5]), array(3, dtype))
    check(np.interp, x, np.array([0.5]), array(1, dtype), library=np.size(x) > 0)


def test_interp_on_points():
    check(np.interp, np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0]), array(3), smooth=False)
    check(np.interp, np.array([0.5, 1.0, 1.5]), np.array([0.0, 1.0, 1.0, 2.0]), array(4), smooth=False)


def test_ediff1d():
    check(np.ediff1d, array((2, 3)))
    check(np.ediff1d, array(4), 2.0, array(2))
    check(np.ediff1d, array(1), array(2))


def test_bincount():
    check(np.bincount, np.array([0, 2, 2, 1]), array(4))
    check(np.bincount, np.array([0, 2]), array(2), 6)


def test_unwrap():
    check(np.unwrap, np.array([0.0, 3.0, -3.0, 1.0]))


def test_nan_to_num():
    x = np.array([1.0, np.nan, np.inf, -np.inf])
    check(np.nan_to_num, x, smooth=False)
    check(np.nan_to_num, x, True, 1.0, 2.0, 3.0, smooth=False)
    check(np.nan_to_num, np.array([1 + np.inf * 1j, np.nan, 2j]), True, 1.0, 2.0, smooth=False)
    check(np.nan_to_num, array((2, 3), np.float32))


COMPILED = [
    (np.take, (array((2, 3)), np.array([0, 5]))),
    (np.append, (array(3), 2.0)),
    (np.take, (array(4), 2)),
    (np.take, (array((2, 3)), np.array([1, 1, 0]), 1)),
    (np.repeat, (array(3), 2)),
    (np.roll, (array(4), -5)),
    (np.resize, (array(3), (2, 4))),
    (np.delete, (array(5), 1)),
    (np.extract, (np.array([True, False, True]), array(3))),
    (np.bincount, (np.array([0, 2, 2, 1]), array(4))),
    (np.append, (array(3), array(2))),
    (np.insert, (array(4), 2, 3.5)),
    (np.sort, (array((2, 3)),)),
    (np.unique, (array((2, 3)),)),
    (np.partition, (array(4), 1)),
    (np.median, (array(4),)),
    (np.quantile, (array(4), 0.3)),
    (np.interp, (array(3), np.array([0.0, 1.0, 2.5]), array(3))),
    (np.interp, (0.4, np.array([0.0, 1.0, 2.5]), array(3, complex))),
    (np.ediff1d, (array(4), 2.0)),
    (np.unwrap, (array(4),)),
    (np.nan_to_num, (np.array([1.0, np.nan]),)),
]


@pytest.mark.parametrize("case", often(COMPILED, 4), ids=name_of_case)
def test_compiled(case):
    f, args = case
    check_compiled(f, *args)
