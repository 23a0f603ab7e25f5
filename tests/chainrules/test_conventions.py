"""The table of conventions, row by row: kinks, ties, limits, the complex plane."""

import builtins
import inspect
import math
import operator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import chainrules
from chainrules import as_positional, covered, is_non_differentiable, rules_for, scalar_rule_for, strong_mul
from chainrules.testing import call_frule, call_rule

inf, nan = math.inf, math.nan
V = np.array


@pytest.fixture(autouse=True)
def _as_in_a_backward_pass():
    with np.errstate(all="ignore"):
        yield


def bars(f, *args, seed=None, **kwargs):
    y, back = call_rule(f, *args, **kwargs)
    seed = (np.ones_like(y) if isinstance(y, np.ndarray) else 1.0) if seed is None else seed
    found = back(seed)
    return [b.tolist() if isinstance(b, np.ndarray) else b for b in found]


@pytest.mark.parametrize(
    ("f", "args", "wanted"),
    [
        (abs, (0.0,), [0.0]),
        (operator.abs, (0.0,), [0.0]),
        (np.abs, (V([0.0, -0.0]),), [[0.0, 0.0]]),
        (np.abs, (0.0,), [0.0]),
        (abs, (0j,), [0j]),
        (np.abs, (V([0j]),), [[0j]]),
        (math.fabs, (0.0,), [0.0]),
        (np.hypot, (0.0, 0.0), [0.0, 0.0]),
        (np.hypot, (V([0.0]), V([0.0])), [[0.0], [0.0]]),
        (math.hypot, (0.0, 0.0), [0.0, 0.0]),
        (math.dist, ([1.0, 2.0], [1.0, 2.0]), [[0.0, 0.0], [0.0, 0.0]]),
        (np.linalg.norm, (V([0.0, 0.0]),), [[0.0, 0.0]]),
        (np.linalg.norm, (V([0.0, 0.0]), 2), [[0.0, 0.0], None]),
        (np.linalg.norm, (V([0.0, 0.0]), 1), [[0.0, 0.0], None]),
        (np.linalg.norm, (V([0.0, 0.0]), 3), [[0.0, 0.0], None]),
        (np.linalg.norm, (np.zeros((2, 2)), "nuc"), [[[0.0, 0.0], [0.0, 0.0]], None]),
        (math.atan2, (0.0, 0.0), [0.0, 0.0]),
        (np.arctan2, (0.0, 0.0), [0.0, 0.0]),
    ],
)
def test_no_direction_at_zero(f, args, wanted):
    assert bars(f, *args) == wanted


def test_sqrt_at_zero_is_infinite_and_a_zero_partial_kills_it():
    assert bars(np.sqrt, 0.0) == [inf] and bars(math.sqrt, 0.0) == [inf]
    assert bars(np.sqrt, V([0.0, 4.0])) == [[inf, 0.25]]
    assert bars(np.square, V([0.0]), seed=V([inf])) == [[0.0]]
    assert bars(operator.pow, 0.0, 2, seed=inf)[0] == 0.0
    assert bars(np.multiply, V([0.0]), V([2.0]), seed=V([nan]))[1] == [0.0]
    assert bars(operator.mul, 0.0, 2.0, seed=inf) == [inf, 0.0]


@pytest.mark.parametrize(
    ("f", "at", "wanted"),
    [
        (math.log, 0.0, None),
        (math.asin, 1.0, inf),
        (math.acos, 1.0, -inf),
        (math.acosh, 1.0, inf),
        (math.cbrt, 0.0, inf),
        (np.arcsin, 1.0, inf),
        (np.cbrt, 0.0, inf),
        (np.log, 0.0, inf),
        (np.reciprocal, np.float64(0.0), -inf),
    ],
)
def test_poles_are_infinities_not_exceptions(f, at, wanted):
    if wanted is None:
        with pytest.raises(ValueError):
            bars(f, at)
    else:
        assert bars(f, at) == [wanted]


def test_where_is_a_hard_zero():
    mask = V([True, False])
    assert bars(np.where, mask, V([1.0, 2.0]), V([3.0, 4.0]), seed=V([nan, inf])) == [
        None,
        pytest.approx([nan, 0.0], nan_ok=True),
        [0.0, inf],
    ]


@pytest.mark.parametrize("x", [1.0, 0.0, -2.5])
def test_max_of_equals_goes_to_the_second_min_to_the_first(x):
    assert bars(max, x, x) == [None, 1.0] and bars(min, x, x) == [1.0, None]
    assert bars(np.maximum, x, x) == [0.0, 1.0] and bars(np.minimum, x, x) == [1.0, 0.0]
    assert bars(np.maximum, V([x]), V([x])) == [[0.0], [1.0]]
    assert bars(np.minimum, V([x]), V([x])) == [[1.0], [0.0]]
    assert bars(np.fmax, V([x]), V([x])) == [[0.0], [1.0]]
    assert bars(np.fmin, V([x]), V([x])) == [[1.0], [0.0]]


def test_fmax_and_fmin_pass_over_nan():
    assert bars(np.fmax, V([nan, 1.0]), V([2.0, nan])) == [[0.0, 1.0], [1.0, 0.0]]
    assert bars(np.fmin, V([nan, 1.0]), V([2.0, nan])) == [[1.0 * 0, 1.0], [1.0, 0.0]]


def test_reductions_and_sorts_give_all_to_the_first_index():
    x = V([2.0, 5.0, 5.0, 2.0])
    assert bars(np.max, x) == [[0.0, 1.0, 0.0, 0.0]]
    assert bars(np.min, x) == [[1.0, 0.0, 0.0, 0.0]]
    assert bars(np.ndarray.max, np.tile(x, (2, 1)), axis=1) == [[[0.0, 1.0, 0.0, 0.0]] * 2]
    assert bars(np.max, np.tile(x, (2, 1)), axis=(0, 1)) == [[[0.0, 1.0, 0.0, 0.0], [0.0] * 4]]
    assert bars(np.sort, x, seed=V([1.0, 2.0, 3.0, 4.0])) == [[1.0, 3.0, 4.0, 2.0]]
    assert bars(np.ptp, x) == [[-1.0, 1.0, 0.0, 0.0]]
    assert bars(np.linalg.norm, x, np.inf)[0] == [0.0, 1.0, 0.0, 0.0]
    assert bars(builtins.max, 1.0, 3.0, 3.0) == [None, 1.0, None]
    assert sum(bars(np.median, V([1.0, 1.0, 1.0]))[0]) == 1.0


def test_clip_on_a_bound_stays_with_x():
    x, low, high = V([-1.0, 0.0, 0.5, 1.0, 2.0]), V(0.0), V(1.0)
    assert bars(np.clip, x, low, high) == [[0.0, 1.0, 1.0, 1.0, 0.0], 1.0, 1.0]


def test_products_with_zeros_are_exact():
    assert bars(np.prod, V([2.0, 0.0, 3.0])) == [[0.0, 6.0, 0.0]]
    assert bars(np.prod, V([0.0, 0.0, 3.0])) == [[0.0, 0.0, 0.0]]
    assert bars(math.prod, [2.0, 0.0, 3.0]) == [[0.0, 6.0, 0.0]]
    assert bars(np.cumprod, V([2.0, 0.0, 3.0])) == [[1.0, 8.0, 0.0]]
    assert bars(np.prod, V([1e-200, 1e-200, 3.0])) == [[3e-200, 3e-200, 0.0]]


@pytest.mark.parametrize("f", [np.floor, np.ceil, np.trunc, np.rint, np.sign, math.floor, round, np.round])
def test_steps_have_a_numeric_zero(f):
    assert bars(f, 1.3) == [0.0]


def test_floor_division_and_remainder():
    assert bars(operator.floordiv, 7.0, 2.0) == [0.0, 0.0]
    assert bars(operator.mod, 7.0, 2.0) == [1.0, -3.0] and bars(operator.mod, -7.0, 2.0) == [1.0, 4.0]
    assert bars(np.remainder, V([7.0]), V([2.0])) == [[1.0], [-3.0]]
    assert bars(divmod, 7.0, 2.0, seed=(1.0, 1.0)) == [1.0, -3.0]


POWERS = [operator.pow, pow, math.pow, np.power, np.float_power]


@pytest.mark.parametrize("f", POWERS)
@pytest.mark.parametrize(
    ("x", "p", "dx", "dp"),
    [
        (0.0, 2.0, 0.0, 0.0),
        (0.0, 1.0, 1.0, 0.0),
        (0.0, 0.5, inf, 0.0),
        (0.0, 0.0, 0.0, -inf),
        (3.0, 0.0, 0.0, math.log(3.0)),
        (-3.0, 2.0, -6.0, 9 * math.log(3.0)),
        (-3.0, 3.0, 27.0, -27 * math.log(3.0)),
        (2.0, -1.0, -0.25, 0.5 * math.log(2.0)),
    ],
)
@pytest.mark.parametrize("wrap", [float, np.float64, lambda v: V([v])])
def test_power(f, x, p, dx, dp, wrap):
    if wrap not in (float, np.float64) and f is math.pow:
        pytest.skip("math.pow takes no arrays")
    got = [b[0] if isinstance(b, list) else b for b in bars(f, wrap(x), wrap(p))]
    assert got == pytest.approx([dx, dp])


def test_power_of_a_negative_number_is_nan_where_numpy_says_so():
    assert math.isnan(bars(np.power, -2.0, 0.5)[0])
    assert bars(operator.pow, V([0.0, 2.0]), 2)[0] == [0.0, 4.0]
    assert bars(operator.pow, V([0.0, 2.0]), 0)[0] == [0.0, 0.0]
    assert bars(operator.pow, V([0.0, 2.0]), 1)[0] == [1.0, 1.0]
    assert bars(operator.pow, 2, 3) == [12.0, pytest.approx(8 * math.log(2))]


def test_ties_of_elements_that_are_chosen_go_to_the_first():
    x = V([2.0, 5.0, 5.0, 2.0])
    assert bars(np.unique, x, seed=V([1.0, 2.0])) == [[1.0, 2.0, 0.0, 0.0]]
    assert bars(np.unique_values, x)[0] == [1.0, 1.0, 0.0, 0.0]
    assert bars(np.unique_all, x, seed=(V([1.0, 2.0]), None, None, None)) == [[1.0, 2.0, 0.0, 0.0]]
    rows = V([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0]])
    assert bars(np.unique, rows, axis=0, seed=V([[1.0, 2.0], [3.0, 4.0]])) == [[[3.0, 4.0], [1.0, 2.0], [0.0, 0.0]]]
    assert bars(np.union1d, x, V([5.0, 7.0]), seed=V([1.0, 2.0, 3.0])) == [[1.0, 2.0, 0.0, 0.0], [0.0, 3.0]]
    assert bars(np.intersect1d, x, V([7.0, 5.0]), seed=V([2.0])) == [[0.0, 2.0, 0.0, 0.0], [0.0, 0.0]]
    assert bars(np.intersect1d, x, V([7.0, 5.0]), False, True, seed=(V([2.0]), None, None))[:2] == [
        [0.0, 2.0, 0.0, 0.0],
        [0.0, 0.0],
    ]
    assert bars(np.setdiff1d, x, V([5.0]), seed=V([3.0])) == [[3.0, 0.0, 0.0, 0.0], [0.0]]
    assert bars(np.setxor1d, x, V([5.0, 7.0]), seed=V([1.0, 2.0])) == [[1.0, 0.0, 0.0, 0.0], [0.0, 2.0]]
    assert bars(np.partition, x, 1, seed=V([1.0, 2.0, 3.0, 4.0])) == [[1.0, 3.0, 4.0, 2.0], None]
    assert bars(np.sort_complex, x, seed=V([1.0, 2.0, 3.0, 4.0])) == [[1.0, 3.0, 4.0, 2.0]]
    assert bars(np.nanmax, V([nan, 5.0, 5.0])) == [[0.0, 1.0, 0.0]] and bars(np.nanmin, V([nan, 5.0, 5.0])) == [
        [0.0, 1.0, 0.0]
    ]
    assert bars(np.median, x) == [[0.0, 0.5, 0.0, 0.5]] and bars(np.nanmedian, V([3.0, nan, 3.0, 3.0])) == [
        [0.0, 0.0, 1.0, 0.0]
    ]
    assert bars(np.quantile, x, 0.0) == [[1.0, 0.0, 0.0, 0.0], 0.0]


@pytest.mark.parametrize("f", [np.maximum, np.fmax])
def test_methods_of_extrema_give_all_to_the_first(f):
    x = V([2.0, 5.0, 5.0, 2.0])
    low = np.minimum if f is np.maximum else np.fmin
    assert bars(f.reduce, x) == [[0.0, 1.0, 0.0, 0.0]] and bars(low.reduce, x) == [[1.0, 0.0, 0.0, 0.0]]
    assert bars(f.accumulate, x) == [[1.0, 3.0, 0.0, 0.0]] and bars(low.accumulate, x) == [[4.0, 0.0, 0.0, 0.0]]
    assert bars(f.reduceat, x, [0, 2]) == [[0.0, 1.0, 1.0, 0.0], None]
    assert bars(f.reduce, x, initial=9.0) == [[0.0, 0.0, 0.0, 0.0]]


def test_nan_behind_a_choice_does_not_leak():
    bad, mask = V([nan, inf, 2.0]), V([False, False, True])
    seed = V([1.0, 1.0, 1.0])
    assert bars(np.select, [mask], [bad], 0.0, seed=seed)[1] == [pytest.approx(V([0.0, 0.0, 1.0]))]
    assert bars(np.choose, mask.astype(int), [V([1.0, 2.0, 3.0]), bad])[1][1].tolist() == [0.0, 0.0, 1.0]
    assert bars(np.compress, mask, bad) == [None, [0.0, 0.0, 1.0]] and bars(np.extract, mask, bad) == [
        None,
        [0.0, 0.0, 1.0],
    ]
    for f, wanted in ((np.sum, 1.0), (np.prod, 1.0), (np.mean, 1.0), (np.var, 0.0), (np.std, 0.0), (np.max, 1.0)):
        more = {"initial": 0.0} if f is np.max else {}
        assert bars(f, bad, where=mask, **more) == [[0.0, 0.0, wanted]]
    for f in (np.nansum, np.nanprod, np.nanmean, np.nancumsum, np.nancumprod, np.nanmax, np.nanmedian):
        assert bars(f, V([nan, 2.0])) == [[0.0, 1.0]]
    assert bars(np.nan_to_num, bad) == [[0.0, 0.0, 1.0]]
    assert bars(np.clip, V([-inf, inf, 0.5]), 0.0, 1.0) == [[0.0, 0.0, 1.0], 1.0, 1.0]


def test_repeated_and_negative_indices_add_up():
    x = V([1.0, 2.0, 3.0])
    assert bars(np.take, x, [-1, 2, 0, -1]) == [[1.0, 0.0, 3.0], None]
    assert bars(np.take_along_axis, x, V([-1, 2, 0, -1]), 0)[0] == [1.0, 0.0, 3.0]
    assert bars(np.take, x, [5, -5], mode="clip")[0] == [1.0, 0.0, 1.0] and bars(np.take, x, [4], mode="wrap")[0] == [
        0.0,
        1.0,
        0.0,
    ]
    assert bars(np.ndarray.take, x, V([[0], [0]]))[0] == [2.0, 0.0, 0.0]


def test_integers_get_float_cotangents():
    n = V([3, 1, 2])
    for f in (
        np.sum, np.prod, np.mean, np.var, np.std, np.max, np.min, np.ptp, np.cumsum, np.cumprod, np.median, np.sort,
        np.nansum, np.nanmax, np.nanmedian, np.nancumprod, np.diff, np.gradient, np.sqrt, np.square, np.unique,
        np.logaddexp.reduce, np.add.accumulate, np.multiply.reduce, np.divide.accumulate, np.trapezoid,
    ):  # fmt: skip
        y, back = call_rule(f, n)
        (bar,) = back(np.ones(np.shape(y)) if np.ndim(y) else 1.0)
        assert bar.dtype == np.float64 and bar.shape == n.shape and np.isfinite(bar).all(), f


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_reductions_of_nothing():
    nothing = np.zeros((0, 2))
    for f in (np.mean, np.var, np.std, np.nanmean, np.nanvar, np.nanstd, np.median, np.nanmedian):
        for axis in (None, 0, (0, 1)):
            y, back = call_rule(f, nothing, axis=axis)
            (bar,) = back(np.ones_like(y) if np.ndim(y) else 1.0)
            assert bar.shape == (0, 2), f
    (bar,) = call_rule(np.mean, V([1.0, 2.0]), where=False)[1](1.0)
    assert bar.tolist() == [0.0, 0.0]


def test_what_stays_in_range_has_finite_partials():
    big, small = 1e200, 1e-200
    assert bars(np.arctan2, big, big) == pytest.approx([0.5 / big, -0.5 / big], rel=1e-14, abs=0)
    assert bars(np.arctan2, small, small) == pytest.approx([0.5 / small, -0.5 / small])
    assert np.isnan(bars(np.arctan2, np.nan, 0.0)).all()  # of Python's floats, too, which raise where they divide by 0
    assert np.isnan(bars(np.hypot, np.nan, 0.0)).all()
    assert bars(np.hypot, big, big) == pytest.approx([0.5**0.5, 0.5**0.5])
    assert bars(np.arcsinh, big) == pytest.approx([1 / big], rel=1e-14, abs=0)
    assert bars(np.expm1, -50.0) == pytest.approx([math.exp(-50.0)], rel=1e-14, abs=0)
    assert bars(np.fmod, 1.0, 0.1) == [1.0, -9.0]
    assert bars(np.logaddexp, 1e4, -1e4) == [1.0, 0.0] and bars(np.logaddexp, -inf, -inf) == [0.5, 0.5]


def test_deviation_of_a_constant_sample_is_zero():
    assert bars(np.std, V([2.0, 2.0, 2.0])) == [[0.0, 0.0, 0.0]]
    assert bars(np.var, V([2.0, 2.0])) == [[0.0, 0.0]]
    assert bars(np.std, V([[2.0, 2.0], [1.0, 3.0]]), axis=1) == [[[0.0, 0.0], [-0.5, 0.5]]]
    tenths = np.full(6, 0.8132702392002724)  # whose mean is off by rounding, and whose deviation so is not quite 0
    for f, options in ((np.std, {}), (np.nanstd, {}), (np.std, {"where": np.arange(6) < 6})):
        assert 0.0 < f(tenths, **options) < 1e-15 and np.all(np.abs(bars(f, tenths, **options)[0]) < 1e-9)
        assert abs(call_frule(f, (tenths,), (np.ones(6),), **options)[1]) < 1e-9


def test_cholesky_lives_in_the_triangle_that_is_read():
    a = V([[4.0, 1.0], [1.0, 3.0]])
    (lower,) = bars(np.linalg.cholesky, a)
    (upper,) = bars(np.linalg.cholesky, a, upper=True)
    assert lower[0][1] == 0.0 and upper[1][0] == 0.0


def test_repeated_eigenvalues():
    a = np.eye(3)
    _, back = call_rule(np.linalg.eigh, a)
    assert np.isfinite(back((np.ones(3), None))[0]).all()
    # f(A) = V f(w) V^T is free of the choice of vectors, but its derivative f'(w) between equal values is in no seed:
    # two losses with the same seeds have other gradients (test_linalg), so that there is no number to give.
    g, (w, v) = np.arange(9.0).reshape(3, 3), np.linalg.eigh(a)
    w_bar = np.einsum("ij,ik,kj->j", v, g, v)
    assert np.isnan(back((w_bar, (g + g.T) @ v * w))[0]).any() and np.isnan(back((None, g))[0]).any()
    assert np.isfinite(bars(np.linalg.svdvals, a)[0]).all() and np.isfinite(bars(np.linalg.eigvalsh, a)[0]).all()


def test_complex_gradient_is_d_re_plus_i_d_im():
    z = 3 + 4j
    assert bars(np.square, z) == [np.conj(2 * z)] and bars(abs, z) == [0.6 + 0.8j]
    assert bars(np.real, z) == [1 + 0j] and bars(np.imag, z) == [1j] and bars(np.conj, z, seed=1j) == [-1j]
    assert bars(operator.mul, 2.0, z) == [3.0, 2.0]
    assert bars(operator.mul, 2.0, z, seed=1j)[0] == 4.0
    assert bars(np.multiply, V([2.0]), V([z]))[0] == [3.0]


@pytest.mark.parametrize("f", [np.linalg.eigh, np.linalg.svd])
def test_complex_vectors_through_what_does_not_depend_on_their_phase(f):
    rng = np.random.default_rng(3)
    a = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    a = a + a.conj().T if f is np.linalg.eigh else a
    g = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    t = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    t = t + t.conj().T if f is np.linalg.eigh else t

    def value(m):
        if f is np.linalg.eigh:
            w, v = f(m)
            return np.real(np.sum(np.conj(g) * ((v * np.exp(w)) @ v.conj().T)))
        u, s, vh = f(m)
        return np.real(np.sum(np.conj(g) * ((u * np.exp(s)) @ vh)))

    y, back = call_rule(f, a)
    if f is np.linalg.eigh:
        w, v = y
        w_bar = np.real(np.einsum("ji,jk,ki->i", v.conj(), g, v)) * np.exp(w)
        seed = (w_bar, (g + g.conj().T) @ v * np.exp(w))
    else:
        u, s, vh = y
        s_bar = np.real(np.einsum("ji,jk,ik->i", u.conj(), g, vh.conj())) * np.exp(s)
        seed = ((g @ vh.conj().T) * np.exp(s), s_bar, np.exp(s)[:, None] * (u.conj().T @ g))
    (a_bar,) = back(seed)
    h = 1e-5
    wanted = (value(a + h * t) - value(a - h * t)) / (2 * h)
    assert np.real(np.sum(np.conj(a_bar) * t)) == pytest.approx(wanted, rel=1e-6)


def test_real_arguments_get_real_cotangents_of_their_own_type():
    (bar,) = call_rule(np.sin, np.ones(2, np.float32))[1](np.ones(2))
    assert bar.dtype == np.float32
    assert [type(b) for b in call_rule(operator.mul, 2, 3.0)[1](1.0)] == [float, float]
    (bar, _) = call_rule(np.multiply, np.ones(2), 1j)[1](np.ones(2) * 1j)
    assert bar.dtype == np.float64


@pytest.mark.parametrize(
    ("f", "args", "kwargs"),
    [
        (np.add, (V([1.0]), V([2.0])), {"out": np.empty(1)}),
        (np.add, (np.ones(3), np.ones(3)), {"out": np.empty(3)}),
        (np.modf, (np.ones(3),), {"out": (None, np.empty(3))}),
        (np.convolve, (np.ones(3), np.ones(2), 1), {}),
        (np.correlate, (np.ones(3), np.ones(2), 1), {}),
        (np.add, (V([1.0]), V([2.0])), {"where": V([True])}),
        (np.sum, (V([1.0]),), {"out": V(0.0)}),
        (np.max, (V([1.0]),), {"out": V(0.0)}),
        (np.sum, (V([1.5]),), {"dtype": int}),
        (np.add, (V([1.5]), V([0.5])), {"casting": "unsafe", "dtype": int}),
        (np.mean, (V([1j]),), {"dtype": float}),
        (np.cumprod, (V([1.5]),), {"dtype": np.int32}),
        (np.logaddexp.reduce, (V([1.5]),), {"out": np.empty(())}),
        (np.maximum.reduce, (V([1.5]),), {"dtype": float}),
        (np.median, (V([1.0, 2.0]),), {"overwrite_input": True}),
        (np.nan_to_num, (V([1.0, 2.0]),), {"copy": False}),
        (np.pad, (V([1.0, 2.0]), 1, lambda *border: None), {}),
        (np.cov, (V([[1j, 2.0, 4.0]]),), {"dtype": float}),
        (np.corrcoef, (V([[1.0, 2.0, 4.0], [1.5, 1.0, 1j]]),), {"dtype": float}),
        (np.linalg.trace, (V([[1.5]]),), {"dtype": int}),
        (np.einsum, ("i,i", V([1j]), V([1j])), {"dtype": float, "casting": "unsafe"}),
    ],
)
def test_what_is_not_honoured_is_refused_by_name(f, args, kwargs):
    with pytest.raises(NotImplementedError, match="|".join([*kwargs, "mode"])):
        call_rule(f, *args, **kwargs)


@pytest.mark.parametrize(
    ("f", "args", "outputs"),
    [
        (np.sin, (np.ones(3),), 1),
        (np.add, (np.ones(3), 2.0), 1),
        (np.absolute, (np.ones(3),), 1),
        (np.sign, (np.ones(3),), 1),
        (np.conjugate, (np.ones(3),), 1),
        (np.ndarray.conj, (np.ones(3),), 1),
        (np.ndarray.conjugate, (np.ones(3) * 1j,), 1),
        (np.matmul, (np.eye(3), np.ones(3)), 1),
        (np.vecdot, (np.ones(3), np.ones(3)), 1),
        (np.divmod, (np.ones(3), 2.0), 2),
        (np.modf, (np.ones(3),), 2),
        (np.frexp, (np.ones(3),), 2),
        (np.dot, (np.eye(3), np.ones(3)), 1),
        (np.ndarray.dot, (np.eye(3), np.ones(3)), 1),
        (np.ndarray.round, (np.ones(3), 1), 1),
        (np.sum, (np.ones(3), 0, None), 1),
        (np.ndarray.clip, (np.ones(3), 0.0, 1.0), 1),
    ],
)
def test_positional_outputs_are_refused_by_name(f, args, outputs):
    out = tuple(np.array(0.5) if f is np.sum else np.full(3, 0.5) for _ in range(outputs))
    with pytest.raises(NotImplementedError, match="'out'"):
        call_rule(f, *args, *out)
    assert all((v == 0.5).all() for v in out)
    y, back = call_rule(f, *args, *[None] * outputs)
    assert len(back(np.ones_like(y) if isinstance(y, np.ndarray) else y)) == len(args) + outputs


def test_a_rule_takes_as_many_arguments_as_its_function():
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

    def positions(g):
        kinds = [p.kind for p in inspect.signature(g).parameters.values()]
        return 99 if inspect.Parameter.VAR_POSITIONAL in kinds else sum(k in by_position for k in kinds)

    home = str(Path(chainrules.__file__).parent)
    for f, rules in covered().items():
        try:
            wanted = 0 if isinstance(f, np.ufunc) else positions(f)
        except (TypeError, ValueError):  # it says nothing about its arguments
            continue
        ours = [r for r in rules if r.file.startswith(home) and not r.instances]
        assert all(positions(r.function) >= wanted for r in ours), f


def test_too_many_arguments_for_a_number_function_are_its_own_error():
    for f, args in ((math.sin, (1.0, 2.0)), (math.pow, (1.0, 2.0, 3.0)), (np.sin, (1.0, None, None))):
        with pytest.raises(TypeError):
            call_rule(f, *args)


def test_arange_is_start_plus_multiples_of_the_step():
    assert bars(np.arange, 0.5, 3.0, 0.4, seed=np.arange(7.0)) == [21.0, 0.0, 91.0]
    assert bars(np.arange, 2.5) == [0.0]
    assert bars(np.arange, 0.5, 4.0, 1.0, int) == [None, None, None, None]
    for options in ({"stop": 2.5}, {"stop": 2.5, "step": 0.5}, {"start": 0.5, "stop": 2.5}):
        if "start" in options and "start" not in inspect.signature(np.arange).parameters:
            continue
        (rule,) = rules_for(np.arange)
        args, rest = as_positional(rule, (), options, ["stop"])
        y, pullback = rule.function(*args, **rest)
        assert y.tolist() == np.arange(**options).tolist() and pullback(np.ones(len(y)))[1] == 0.0


def test_what_only_moves_data_is_not_declared_constant():
    moving = [np.histogram_bin_edges, np.ix_, np.frombuffer, np.fromstring, np.arange]
    for owner in (np.random, np.random.Generator, np.random.RandomState):
        for name in ("permutation", "permuted", "choice", "shuffle"):
            moving += [getattr(owner, name)] if hasattr(owner, name) else []
        assert is_non_differentiable(owner.poisson) and not is_non_differentiable(owner.normal)
    assert not any(map(is_non_differentiable, moving))


def test_iterators_are_declined():
    for f in (np.sum, np.nansum, np.nanprod, np.nanmean, np.nanvar):
        with pytest.raises(AssertionError, match="no rule"):
            call_rule(f, (v for v in [1.0, 2.0]))


def test_strong_zero():
    assert strong_mul(0.0, inf) == 0.0 and strong_mul(nan, 0.0) == 0.0 and math.isnan(strong_mul(nan, 1.0))
    assert strong_mul(V([0.0, 2.0, 1.0]), V([[inf], [nan]])).tolist()[0] == [0.0, inf, inf]
    assert strong_mul(V([0.0, 0.0]), nan).tolist() == [0.0, 0.0]
    assert strong_mul(0j, complex(inf, 0)) == 0


def test_scalar_rules_say_what_they_read():
    assert scalar_rule_for(math.exp).needs == (frozenset({0}),)
    assert scalar_rule_for(operator.mul).needs == (frozenset({2}), frozenset({1}))
    assert scalar_rule_for(operator.add).needs == (frozenset(), frozenset())
    assert scalar_rule_for(np.power).needs == (frozenset({0, 1, 2}), frozenset({0, 1, 2}))


@pytest.mark.filterwarnings("ignore:All-NaN")
def test_an_initial_value_beats_nothing_but_nans():
    assert bars(np.nanmax, V([nan, nan]), initial=0.2) == [[0.0, 0.0]]
    assert bars(np.nanmin, V([nan, 0.5]), initial=0.2) == [[0.0, 0.0]]
    assert bars(np.nanmin, V([nan, 0.1]), initial=0.2) == [[0.0, 1.0]]


def test_a_deviation_of_nothing_is_a_hard_zero_for_what_was_not_chosen():
    mask = V([[False, True], [False, True]])
    for f in (np.var, np.std):
        with pytest.warns(RuntimeWarning):
            (bar,) = bars(f, V([[1.0, 2.0], [5.0, 4.0]]), axis=0, where=mask)
        assert [row[0] for row in bar] == [0.0, 0.0] and bar[0][1] != 0.0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
def test_reductions_and_choices_of_every_precision(dtype):
    x = V([[0.5, -1.25, 2.0], [3.5, 0.75, -0.25]])
    q = {np.quantile: (0.25,), np.percentile: (25.0,), np.take: ([1, 1],), np.partition: (1,), np.clip: (-0.3, 1.5)}
    for f in (
        np.sum, np.prod, np.mean, np.var, np.std, np.max, np.min, np.ptp, np.cumsum, np.cumprod, np.median, np.sort,
        np.unique, np.nanmax, np.nanmedian, np.diff, np.trapezoid, np.logaddexp.reduce, np.add.reduceat, *q,
    ):  # fmt: skip
        more = ([0, 1],) if f == np.add.reduceat else q.get(f, ())
        wanted = bars(f, x, *more)[0]
        y, back = call_rule(f, x.astype(dtype), *more)
        bar = back(np.ones_like(y) if np.ndim(y) else y.dtype.type(1))[0]
        assert bar.dtype == dtype, f
        np.testing.assert_allclose(bar.astype(float), wanted, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize(
    ("f", "a", "options", "wanted"),
    [
        (np.max, [[1.0, 2.0], [3.0, 4.0]], {"axis": 1, "where": [[False] * 2, [True] * 2]}, [[0.0, 0.0], [0.0, 1.0]]),
        (np.max, [-np.inf, -np.inf], {"where": [False, True]}, [0.0, 1.0]),
        (np.max, [5.0, 2.0], {"where": [False, False]}, [0.0, 0.0]),
        (np.min, [5.0, 2.0], {"where": [False, False]}, [0.0, 0.0]),
        (np.maximum.reduce, [5.0, 2.0], {"where": [False, False]}, [0.0, 0.0]),
        (np.nanmax, [5.0, 2.0], {"where": [False, False]}, [0.0, 0.0]),
        (np.nanmax, [np.nan, -np.inf, -np.inf], None, [0.0, 1.0, 0.0]),
        (np.nanmin, [[np.nan, np.inf], [2.0, 1.0]], None, [[0.0, 0.0], [0.0, 1.0]]),
        (np.nanmin, [np.nan, np.inf], None, [0.0, 1.0]),
    ],
)
def test_what_takes_no_part_in_an_extremum_gets_nothing(f, a, options, wanted):
    options = dict(options or {})
    if "where" in options:
        options |= {"where": np.array(options["where"]), "initial": np.inf if f is np.min else -np.inf}
    y, back = call_rule(f, np.array(a), **options)
    assert back(np.ones(np.shape(y))[()])[0].tolist() == wanted
    if f != np.maximum.reduce:
        x_dot = np.arange(np.size(a)).reshape(np.shape(a)) + 1.0
        y_dot = call_frule(f, (np.array(a),), (x_dot,), **options)[1]
        assert np.sum(y_dot) == np.sum(wanted * x_dot)


@pytest.mark.parametrize("f", [np.max, np.min, np.nanmax, np.nanmin, np.ptp])
def test_an_extremum_over_no_axis_is_each_element(f):
    _, back = call_rule(f, np.array([1.0, 3.0, 2.0]), axis=())
    assert back(np.array([1.0, 2.0, 4.0]))[0].tolist() == ([0.0] * 3 if f is np.ptp else [1.0, 2.0, 4.0])


@pytest.mark.parametrize("size", [1e-170, 1.0, 1e170])
def test_an_angle_has_its_derivative_at_every_size(size):
    (bar,) = call_rule(np.angle, size * (1 + 1j))[1](1.0)
    assert bar == pytest.approx((-0.5 + 0.5j) / size, rel=1e-14, abs=0)


@pytest.mark.parametrize(("dtype", "rel"), [(np.float16, 5e-3), (np.float32, 1e-6), (np.float64, 1e-14)])
@pytest.mark.parametrize("x", [0.002, 0.02, 0.3, 0.49, 0.51, 1.3])
def test_the_slope_of_sinc_keeps_its_digits(x, dtype, rel):
    at = float(dtype(x))
    t, total = np.pi * at, 0.0
    for k in range(20, 0, -1):
        total += (-1) ** k * 2 * k * t ** (2 * k - 1) / math.factorial(2 * k + 1) * np.pi
    assert float(call_rule(np.sinc, dtype(x))[1](dtype(1))[0]) == pytest.approx(total, rel=rel)


def test_the_smaller_of_two_logarithms_that_are_added_has_its_share():
    assert bars(np.logaddexp, -50.0, 0.0) == pytest.approx([math.exp(-50.0), 1.0], rel=1e-14, abs=0)
    assert bars(np.logaddexp2, 0.0, -90.0) == pytest.approx([1.0, 2.0**-90], rel=1e-14, abs=0)


@pytest.mark.parametrize("f", [np.nanquantile, np.nanpercentile])
def test_levels_of_several_axes_over_no_axis_are_refused(f):
    with pytest.raises(NotImplementedError, match="axis"):
        call_rule(f, np.array([[1.0, 3.0, 2.0]]), [[0.1, 0.2], [0.3, 0.4]], axis=())


@pytest.mark.parametrize(
    ("f", "args", "kwargs"),
    [
        (np.sum, (V([1.5]), None, int), {}),
        (np.mean, (V([1.5]),), {"dtype": int}),
        (np.cumsum, (V([1.5]), 0, int), {}),
        (np.linalg.trace, (V([[1.5]]),), {"dtype": int}),
        (np.matmul, (V([1.5]), V([2.5])), {"dtype": int, "casting": "unsafe"}),
        (np.einsum, ("i,i", V([1.5]), V([2.5])), {"dtype": int, "casting": "unsafe"}),
    ],
)
def test_forward_rules_refuse_what_rounds(f, args, kwargs):
    tangents = tuple([x * 0.5 if isinstance(x, np.ndarray) else None for x in args])
    with pytest.raises(NotImplementedError, match=r"dtype|casting"):
        call_frule(f, args, tangents, **kwargs)


@pytest.mark.parametrize("b", [(0,), (0, 2), (3, 0, 2)])
def test_products_of_stacks_over_nothing(b):
    y, back = call_rule(np.matmul, np.ones((2, 3, 4, 0))[:, : 3 if len(b) == 3 else 2], np.ones(b))
    assert [x.shape for x in back(np.ones(y.shape))] == [(2, 3 if len(b) == 3 else 2, 4, 0), b]


@pytest.mark.parametrize("number", [Fraction(1, 2), Decimal("0.5")])
def test_fractions_that_were_broadcast_get_a_sum(number):
    x = V([type(number)(1), type(number)(2)], object)
    for bar in (call_rule(np.multiply, number, x)[1](V([1, 1], object))[0], chainrules.project_to(number)(x)):
        assert np.shape(bar) == () and bar == 3
