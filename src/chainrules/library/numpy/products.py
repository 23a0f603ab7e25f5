"""Products over axes and running: exact where factors are zero, and finite where running products leave the range.

The cotangent of a factor is a sum of products of the other ones, never a quotient. Such a product may be of ordinary
size although parts of it overflow or underflow: it is worked out as a mantissa and a power of two then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...products import strong_mul
from ...rules import rrule
from .reductions import _masked, _space, check_dtype, cumsum_rule
from .shared import NO_VALUE, as_array, conj, first_joined, given, leading, refuse, spread

Scaled = tuple[Any, Any]
_FEW, _SMALL, _LARGE = 16, 1e-18, 1e18  # so many factors between these stay in the range of floats


def scaled(x: Any) -> Scaled:
    """``(m, e)`` with ``x = m 2**e`` and ``abs(m)`` about 1/2; ``e`` is 0 for zeros, infinities and NaNs.

    >>> [float(part) for part in scaled(np.float64(12.0))]
    [0.75, 4.0]
    """
    size = np.maximum(np.abs(np.real(x)), np.abs(np.imag(x))) if np.iscomplexobj(x) else np.abs(x)
    e = np.where(np.isfinite(size), np.frexp(size)[1], 0)
    return _shifted(x, -e), e


def _shifted(x: Any, e: Any) -> Any:
    """``x 2**e`` without an overflow of the power alone."""
    one, half = np.ones((), np.real(x).dtype), e // 2
    return x * np.ldexp(one, half) * np.ldexp(one, e - half)


def _times(a: Scaled, b: Scaled) -> Scaled:
    m, e = scaled(strong_mul(a[0], b[0]))
    return m, np.where(np.equal(m, 0), 0, a[1] + b[1] + e)


def _plus(a: Scaled, b: Scaled) -> Scaled:
    top = np.where(np.equal(a[0], 0), b[1], np.where(np.equal(b[0], 0), a[1], np.maximum(a[1], b[1])))
    m, e = scaled(_shifted(a[0], a[1] - top) + _shifted(b[0], b[1] - top))
    return m, top + e


def _number(a: Scaled) -> Any:
    return _shifted(*a)


def _scaled_cumprod(x: Any) -> Scaled:
    """Running products along the first axis, each number with an exponent of its own (Hillis and Steele, 1986)."""
    m, e = scaled(x)
    step = 1
    while step < len(x):
        tail, more = _times((m[step:], e[step:]), (m[:-step], e[:-step]))
        m, e = np.concatenate((m[:step], tail)), np.concatenate((e[:step], more))
        step *= 2
    return m, e


def _stays_in_range(x: Any, g: Any = 1.0) -> bool:
    """Whether no product of some elements along the first axis, and of one of ``g``, can overflow or lose digits."""
    is_short = type(g) is float and type(x) is np.ndarray and x.ndim == 1 and len(x) <= _FEW
    if is_short and x.dtype == np.float64 and all(v == 0.0 or _SMALL < abs(v) < _LARGE for v in x.tolist()):
        return True
    with np.errstate(all="ignore"):
        size = np.abs(np.where(np.equal(x, 0), 1, x))
        steps = np.sum(np.abs(np.log2(size)), axis=0)
        seeds = np.abs(np.log2(np.abs(np.where(np.equal(g, 0), 1, g))))
    if not steps.size:
        return True
    limits = np.finfo(np.result_type(x, g, np.float16))
    return bool(
        np.max(steps) + np.max(seeds, initial=0.0) + np.log2(len(x) + 1) < min(limits.maxexp, -limits.minexp) - 1
    )


def _rest_products(x: Any) -> Any:
    """For each element along the first axis the product of all others: running products from both sides."""
    if not len(x):
        return x
    one = np.ones((1, *x.shape[1:]), x.dtype)
    left, right = np.concatenate((one, x[:-1])), np.concatenate((one, x[:0:-1]))
    if _stays_in_range(x):
        return left.cumprod(0) * right.cumprod(0)[::-1]
    m, e = _scaled_cumprod(right)
    return _number(_times(_scaled_cumprod(left), (m[::-1], e[::-1])))


def _floats(x: Any) -> Any:
    return x.astype(np.float64) if x.dtype.kind in "iub" else x


@rrule(np.prod)
@rrule(np.ndarray.prod)
@leading
def prod_rule(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
    initial: Any = NO_VALUE, where: Any = True,
) -> Any:  # fmt: skip
    """The product of the other factors, exact where some are zero."""
    refuse("numpy.prod", out=out)
    a = as_array(a)
    check_dtype("numpy.prod", dtype, a)
    y = np.prod(a, axis, dtype, keepdims=keepdims, where=where, **given(initial=initial))
    shape, space, axes = _space(a, axis)

    def prod_pullback(y_bar: Any) -> Any:
        x = _floats(a)
        if where is not True:
            x = np.where(where, x, np.ones((), x.dtype))
        if x.size == 0:
            return np.zeros(shape)
        if x.ndim == 1 and axes and (initial is NO_VALUE or initial is None):
            return _masked(strong_mul(conj(_rest_products(x)), spread(y_bar, shape, space)), where)
        others = tuple(i for i in range(x.ndim) if i not in axes)
        moved = np.transpose(x, axes + others)
        factors = first_joined(moved, len(axes))
        if initial is not NO_VALUE and initial is not None:
            first = np.full((1, *factors.shape[1:]), initial, np.result_type(factors, initial))
            factors = np.concatenate((first, factors))
            rest = _rest_products(factors)[1:].reshape(moved.shape)
        else:
            rest = _rest_products(factors).reshape(moved.shape)
        rest = np.transpose(rest, np.argsort(axes + others))
        return _masked(strong_mul(conj(rest), spread(y_bar, shape, space)), where)

    return y, prod_pullback


@rrule(np.cumprod)
@rrule(np.ndarray.cumprod)
@leading
def cumprod_rule(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``x_bar[k] = (x[0] ... x[k-1]) s[k]`` with ``s[k] = y_bar[k] + x[k+1] s[k+1]``: no division, so zeros
    are exact.
    """
    refuse("numpy.cumprod", out=out)
    check_dtype("numpy.cumprod", dtype, a)
    y = np.cumprod(a, axis, dtype)
    a = as_array(a)
    axis = axis if a.ndim else None

    def cumprod_pullback(y_bar: Any) -> Any:
        x = a.ravel() if axis is None else np.moveaxis(a, axis, 0)
        g = y_bar if axis is None else np.moveaxis(y_bar, axis, 0)
        if x.size == 0:
            return np.zeros(a.shape)
        x = conj(_floats(x))
        before = np.concatenate((np.ones_like(x[:1]), x[:-1]))
        if _stays_in_range(x, g):
            x_bar = np.cumprod(before, axis=0) * _sums_of_products(x, g)
        else:
            x_bar = _number(_times(_scaled_cumprod(before), _scaled_sums_of_products(x, g)))
        return x_bar.reshape(a.shape) if axis is None else np.moveaxis(x_bar, 0, axis)

    return y, cumprod_pullback


def _sums_of_products(x: Any, g: Any) -> Any:
    s = g[-1]
    sums = [s]
    for k in range(len(x) - 2, -1, -1):
        s = g[k] + x[k + 1] * s
        sums.append(s)
    return np.stack(sums[::-1])


def _scaled_sums_of_products(x: Any, g: Any) -> Scaled:
    (xm, xe), (gm, ge) = scaled(x), scaled(g)
    s = gm[-1], ge[-1]
    sums = [s]
    for k in range(len(x) - 2, -1, -1):
        s = _plus((gm[k], ge[k]), _times((xm[k + 1], xe[k + 1]), s))
        sums.append(s)
    return np.stack([m for m, _ in sums[::-1]]), np.stack([e for _, e in sums[::-1]])


def _running(f: Any, rule: Any) -> None:
    @rrule(f)
    def running_rule(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
    ) -> Any:
        """As the running sum or product; the initial element is a constant."""
        refuse(f"numpy.{f.__name__}", out=out)
        y = f(x, axis=axis, dtype=dtype, include_initial=include_initial)
        along = 0 if axis is None else axis
        _, pullback = rule(np.ravel(x) if axis is None else as_array(x), axis=along, dtype=dtype)
        shape = np.shape(x)

        def running_pullback(y_bar: Any) -> Any:
            g = np.delete(y_bar, 0, along) if include_initial else y_bar
            return pullback(g).reshape(shape)

        return y, running_pullback


if hasattr(np, "cumulative_sum"):
    _running(np.cumulative_sum, cumsum_rule)
    _running(np.cumulative_prod, cumprod_rule)
