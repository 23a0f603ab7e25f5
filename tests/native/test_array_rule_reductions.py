"""The rules for reductions."""

import numpy as np
import pytest

pytest.importorskip("numba")

from array_rule_checks import check, check_compiled, name_of_case, often

from morula.static.numba.array_rules import RULES

rng = np.random.default_rng(4)
TYPES = [float, np.float32, complex]


def array(shape, dtype=float):
    x = rng.standard_normal(shape)
    return np.asarray(x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x, dtype)


def with_nans(shape, dtype=float):
    x = array(shape, dtype)
    x.flat[1::3] = np.nan
    return x


ARRAYS = [
    array(4),
    array((2, 3)),
    array((3, 2)).T,
    array((2, 3, 2))[:, ::2],
    array(3, np.float32),
    array((2, 3), complex),
]


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: f"{x.dtype}{x.shape}")
@pytest.mark.parametrize("f", [np.sum, np.prod, np.var, np.std, np.cumprod], ids=lambda f: f.__name__)
def test_of_all_elements(f, x):
    check(f, x)


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: f"{x.dtype}{x.shape}")
@pytest.mark.parametrize("f", [np.max, np.min, np.ptp], ids=lambda f: f.__name__)
def test_extrema(f, x):
    check(f, x, smooth=x.dtype.kind == "f")


@pytest.mark.parametrize("f", [np.sum, np.prod, np.cumprod], ids=lambda f: f.__name__)
def test_of_nothing(f):
    check(f, np.zeros(0))
    check(f, np.zeros((2, 0)))


@pytest.mark.filterwarnings("ignore")
def test_moments_of_nothing_add_nothing():
    for f in (np.var, np.std):
        nothing = np.zeros(0)
        assert RULES[f].adjoint(np.nan, 1.0, nothing, np.zeros(0)) is None


@pytest.mark.parametrize("axis", [0, 1, -1, 2, (0, 2), (0, 1, 2), (-2,)])
def test_sum_along_axes(axis):
    check(np.sum, array((2, 3, 4)), axis)
    check(np.sum, array((2, 3, 4), complex), axis)


def test_sum_with_a_type():
    check(np.sum, array((2, 3), np.float32), 0, np.float64, library=False)
    check(np.sum, array((2, 3)), None, np.complex128)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cumsum_along_an_axis(axis):
    check(np.cumsum, array((3, 4)), axis)
    check(np.cumsum, array((3, 2, 4))[::2], axis)
    check(np.cumsum, array((3, 0)), axis)


@pytest.mark.parametrize("values", [[0.0, 2.0, 3.0], [0.0, 2.0, 0.0], [0.0], [1e200, 1e200, 1e-200, 1e-190]], ids=str)
def test_products_with_zeros_and_out_of_range(values):
    check(np.prod, np.array(values), smooth=max(values) < 10)
    check(np.prod, np.array(values, complex) * (1 + 0.5j), smooth=max(values) < 10)
    check(np.cumprod, np.array(values), smooth=max(values) < 10, dual=max(values) < 10)
    check(np.cumprod, np.array(values, complex) * (1 + 0.5j), smooth=max(values) < 10, dual=max(values) < 10)


def test_products_of_many():
    check(np.prod, np.linspace(0.5, 1.6, 400), smooth=False)
    check(np.cumprod, np.linspace(0.5, 1.6, 400), smooth=False, tol=1e-6)


def test_moments_of_constants():
    for x in (np.full(3, 2.0), np.array([2.0]), np.full((2, 2), 1 + 1j)):
        check(np.std, x, smooth=False)
        check(np.var, x, smooth=False)


def test_ties_and_nans_go_to_the_first():
    for x in ([1.0, 3.0, 3.0, 1.0], [np.nan, 1.0, np.nan], [[2.0, 2.0], [2.0, 2.0]]):
        for f in (np.max, np.min):
            check(f, np.array(x), smooth=False)
    check(np.ptp, np.array([1.0, 3.0, 3.0, 1.0]), smooth=False)


NAN_FUNCTIONS = [np.nanvar, np.nanstd, np.nanmax, np.nanmin]


@pytest.mark.parametrize("f", NAN_FUNCTIONS, ids=lambda f: f.__name__)
def test_past_nans(f):
    check(f, with_nans(7))
    check(f, with_nans((3, 4)).T, smooth=False)
    check(f, array((2, 3)))
    if f not in (np.nanmax, np.nanmin):
        check(f, with_nans(5, complex))


@pytest.mark.filterwarnings("ignore")
def test_only_nans():
    for f in (np.nanmax, np.nanmin):
        check(f, np.full(3, np.nan), smooth=False)


def test_moments_past_nans_with_ddof():
    for f in (np.nanvar, np.nanstd):
        check(f, with_nans(6), None, None, None, 1)
        check(f, np.array([np.nan, 1.0, 1.0]), smooth=False)


@pytest.mark.parametrize("k", [0, 1, -1, 2, -3, 5])
def test_trace(k):
    check(np.trace, array((3, 4)), k)
    check(np.trace, array((4, 2), complex), k)


COMPILED = [
    (np.sum, (array((2, 3)), 1)),
    (np.cumsum, (array((2, 3)), -1)),
    (np.prod, (array((2, 3)),)),
    (np.max, (array((2, 3)),)),
    (np.sum, (array((2, 3)),)),
    (np.sum, (array((2, 3, 2), np.float32), -3)),
    (np.sum, (array((2, 3, 2)), (0, -1))),
    (np.cumprod, (array((2, 3), complex),)),
    (np.var, (array((2, 3), np.float32),)),
    (np.std, (array((2, 3), complex),)),
    (np.ptp, (array(3),)),
    (np.nanvar, (with_nans(4),)),
    (np.nanstd, (with_nans(4),)),
    (np.trace, (array((2, 3)), 1)),
]


@pytest.mark.parametrize("case", often(COMPILED, 4), ids=name_of_case)
def test_compiled(case):
    f, args = case
    check_compiled(f, *args)
