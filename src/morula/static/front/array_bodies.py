"""The plain bodies of functions of arrays, and which one a call takes.

    np.trapezoid(y, x)      (0.5 * (x[1:] - x[:-1]) * (y[1:] + y[:-1])).sum()

They are in the subset that is differentiated, name nothing but `numpy`, and compute what Numba's own functions do, with
their errors. A function that chooses is given the lowering and the operands of the call; it answers with the body and
its operands, or with `None` where the call is left to a rule.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from morula.static import ir
from morula.static.ir import Const

Choice = tuple[Callable[..., Any], tuple] | None
BODIES: dict[Any, Callable[..., Choice]] = {}
NONE, ONE, UNIT, FULL, VALID = Const(None), Const(1), Const(1.0), Const("full"), Const("valid")


def chooses(f: Any) -> Callable[[Callable[..., Choice]], Callable[..., Choice]]:
    """Declare what chooses the body of a call to a function; a decorator."""

    def declare(choose: Callable[..., Choice]) -> Callable[..., Choice]:
        BODIES[f] = choose
        return choose

    return declare


def of_elements(f: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the body of a call with one array, of any shape; a decorator."""

    def declare(body: Callable[..., Any]) -> Callable[..., Any]:
        def choose(lowering: Any, a: Any, *rest: Any, **keywords: Any) -> Choice:
            return None if rest or keywords or not ir.is_array(a) else (body, (a,))

        BODIES[f] = choose
        return body

    return declare


# -- running sums, differences, quadrature ----------------------------------------------------------------------------


def cumsum(a: Any) -> Any:
    """Running sums of a vector."""
    y = np.empty_like(a)
    if len(a):
        total = a[0]
        y[0] = total
        for k in range(1, len(a)):
            total = total + a[k]
            y[k] = total
    return y


@chooses(np.cumsum)
def choose_cumsum(lowering: Any, a: Any, axis: Any = NONE, **options: Any) -> Choice:
    """Of all elements; along an axis of several it has a rule."""
    is_flat = a.type.ndim == 1 or (isinstance(axis, Const) and axis.value is None)
    return (cumsum, (lowering.flattened(a),)) if is_flat and not options else None


def diff(a: Any) -> Any:
    """Differences along the last axis."""
    return a[..., 1:] - a[..., :-1]


def copied(a: Any) -> Any:
    """Differences of order 0."""
    return a.copy()


@chooses(np.diff)
def choose_diff(lowering: Any, a: Any, n: Any = ONE) -> Choice:
    """Differences of differences are taken one after the other; how many has to be a literal."""
    if not isinstance(n, Const) or n.value < 0:
        return None
    if n.value == 0:
        return copied, (a,)
    for _ in range(n.value - 1):
        a = lowering.in_place_of_call(diff, (a,), "difference", a.type)
    return diff, (a,)


def trapezoid(y: Any, dx: Any) -> Any:
    """Evenly spaced samples."""
    return (0.5 * dx * (y[1:] + y[:-1])).sum()


def trapezoid_at(y: Any, x: Any) -> Any:
    """Samples at points."""
    return (0.5 * (x[1:] - x[:-1]) * (y[1:] + y[:-1])).sum()


def trapezoid_of_rows(y: Any, dx: Any) -> Any:
    """Evenly spaced samples along the last axis."""
    return np.sum(0.5 * dx * (y[..., 1:] + y[..., :-1]), -1)


def trapezoid_of_rows_at(y: Any, x: Any) -> Any:
    """Samples along the last axis, at points."""
    return np.sum(0.5 * (x[1:] - x[:-1]) * (y[..., 1:] + y[..., :-1]), -1)


@chooses(np.trapezoid)
def choose_trapezoid(lowering: Any, y: Any, x: Any = NONE, dx: Any = UNIT) -> Choice:
    """By where the samples lie."""
    if ir.is_array(x):
        return (trapezoid_at if y.type.ndim == 1 else trapezoid_of_rows_at), (y, x)
    return (trapezoid if y.type.ndim == 1 else trapezoid_of_rows), (y, dx)


# -- the unit matrix -------------------------------------------------------------------------------------------------


def unit_matrix(n: Any) -> Any:
    """Zeros, and ones on the diagonal."""
    y = np.zeros((n, n))
    for i in range(n):
        y[i, i] = 1.0
    return y


@chooses(np.identity)
@chooses(np.eye)
def choose_unit_matrix(lowering: Any, n: Any, *rest: Any, **options: Any) -> Choice:
    """A square one of floats: what stands around it then knows its lengths."""
    return None if rest or options else (unit_matrix, (n,))


# -- convolutions -----------------------------------------------------------------------------------------------------


@numba.njit
def whole_convolution(a: Any, v: Any) -> Any:
    """The sum of ``a[i] v[j]`` for each ``i + j``."""
    if len(a) == 0:
        raise ValueError("'a' cannot be empty")
    if len(v) == 0:
        raise ValueError("'v' cannot be empty")
    y = np.zeros(len(a) + len(v) - 1, a.dtype)
    for j in range(len(v)):
        for i in range(len(a)):
            y[i + j] += a[i] * v[j]
    return y


def convolve_full(a: Any, v: Any) -> Any:
    """All of it."""
    return whole_convolution(a, v)


def convolve_same(a: Any, v: Any) -> Any:
    """The middle, as long as the longer operand."""
    first = (min(len(a), len(v)) - 1) // 2
    return whole_convolution(a, v)[first : first + max(len(a), len(v))].copy()


def convolve_valid(a: Any, v: Any) -> Any:
    """Where the two overlap completely."""
    n, m = min(len(a), len(v)), max(len(a), len(v))
    return whole_convolution(a, v)[n - 1 : m].copy()


def correlate_full(a: Any, v: Any) -> Any:
    """All of it."""
    return whole_convolution(a, np.conj(v[::-1]))


def correlate_same(a: Any, v: Any) -> Any:
    """The middle, as long as the longer operand."""
    first = len(a) // 2 if len(v) > len(a) else (len(v) - 1) // 2
    return whole_convolution(a, np.conj(v[::-1]))[first : first + max(len(a), len(v))].copy()


def correlate_valid(a: Any, v: Any) -> Any:
    """Where the two overlap completely."""
    n, m = min(len(a), len(v)), max(len(a), len(v))
    return whole_convolution(a, np.conj(v[::-1]))[n - 1 : m].copy()


CONVOLVED = {"full": convolve_full, "same": convolve_same, "valid": convolve_valid}
CORRELATED = {"full": correlate_full, "same": correlate_same, "valid": correlate_valid}


def _convolved(lowering: Any, a: Any, v: Any, body: Callable[..., Any] | None) -> Choice:
    if body is None or not (ir.is_array(a) and ir.is_array(v)):
        return None
    dtype = numba.from_dtype(np.result_type(str(a.type.dtype), str(v.type.dtype)))
    return body, (lowering.of_dtype(a, dtype, "a"), lowering.of_dtype(v, dtype, "v"))


@chooses(np.convolve)
def choose_convolve(lowering: Any, a: Any, v: Any, mode: Any = FULL) -> Choice:
    """By the mode, which has to be a literal."""
    return _convolved(lowering, a, v, CONVOLVED.get(mode.value) if isinstance(mode, Const) else None)


@chooses(np.correlate)
def choose_correlate(lowering: Any, a: Any, v: Any, mode: Any = VALID) -> Choice:
    """By the mode, which has to be a literal."""
    return _convolved(lowering, a, v, CORRELATED.get(mode.value) if isinstance(mode, Const) else None)


# -- bounds and means -------------------------------------------------------------------------------------------------


def clip(a: Any, low: Any, high: Any) -> Any:
    """Between two bounds: a function of numbers."""
    return np.clip(a, low, high)


def clip_below(a: Any, low: Any) -> Any:
    """On the bound the cotangent stays with the value; a NaN has none."""
    return np.where(a < low, low, np.where(a >= low, a, np.nan))


def clip_above(a: Any, high: Any) -> Any:
    """As `clip_below`."""
    return np.where(a > high, high, np.where(a <= high, a, np.nan))


@chooses(np.clip)
def choose_clip(lowering: Any, a: Any, low: Any = NONE, high: Any = NONE, out: Any = NONE, **names: Any) -> Choice:
    """By the bounds that there are."""
    low, high = names.pop("a_min", low), names.pop("a_max", high)
    has_low, has_high = (not (isinstance(x, Const) and x.value is None) for x in (low, high))
    if names or out is not NONE or not ir.is_array(a) or not (has_low or has_high):
        return None
    if has_low and has_high:
        return clip, (a, low, high)
    return (clip_below, (a, low)) if has_low else (clip_above, (a, high))


@of_elements(np.mean)
def mean(a: Any) -> Any:
    """The mean of all elements, which is a reduction of its own."""
    return np.mean(a)


def average(a: Any, weights: Any) -> Any:
    """The mean with weights."""
    total = np.sum(weights)
    if total == 0.0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized.")
    return np.sum(a * weights) / total


@chooses(np.average)
def choose_average(lowering: Any, a: Any, axis: Any = NONE, weights: Any = NONE) -> Choice:
    """By whether there are weights; Numba has no average along an axis."""
    if not ir.is_array(a) or not isinstance(axis, Const) or axis.value is not None:
        return None
    return (average, (a, weights)) if ir.is_array(weights) else (mean, (a,))


# -- past NaNs --------------------------------------------------------------------------------------------------------


@of_elements(np.nansum)
def nansum(a: Any) -> Any:
    """NaNs count as nothing."""
    return np.sum(np.where(a == a, a, 0.0))


@of_elements(np.nanprod)
def nanprod(a: Any) -> Any:
    """NaNs count as nothing."""
    return np.prod(np.where(a == a, a, 1.0))


@of_elements(np.nancumsum)
def nancumsum(a: Any) -> Any:
    """NaNs count as nothing."""
    return np.cumsum(np.where(a == a, a, 0.0))


@of_elements(np.nancumprod)
def nancumprod(a: Any) -> Any:
    """NaNs count as nothing."""
    return np.cumprod(np.where(a == a, a, 1.0))


@of_elements(np.nanmean)
def nanmean(a: Any) -> Any:
    """Of those that are there; a NaN where none is."""
    return np.divide(np.sum(np.where(a == a, a, 0.0)), np.sum(np.where(a == a, 1.0, 0.0)))
