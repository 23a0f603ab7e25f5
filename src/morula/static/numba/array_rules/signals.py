"""Differences, quadrature and convolution of samples; unwrapping, and replacing what is not finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from morula.static.numba.array_rules.picking import add_cells, size_of
from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import dot_of, like


def diff_tangent(y: Any, a: Any, n: Any, a_dot: Any) -> Any:
    """The differences of the tangents."""
    return np.diff(np.ascontiguousarray(a_dot), n)


@array_rule(np.diff, tangent=diff_tangent, linear=True, n=1)
def diff_adjoint(y: Any, y_bar: Any, a: Any, n: Any, a_bar: Any) -> None:
    """Minus the difference of the seed padded with zeros, ``n`` times, along the last axis."""
    for row in np.ndindex(y_bar.shape[:-1]):
        m = y_bar.shape[-1]
        if m:
            g = np.zeros(a.shape[-1], y_bar.dtype)
            g[:m] = y_bar[row]
            for k in range(n):
                for i in range(m + k, 0, -1):
                    g[i] = g[i - 1] - g[i]
                g[0] = -g[0]
            a_bar[row][:] += g


@array_rule(np.ediff1d, linear=True, numbers="to_end to_begin", to_end=None, to_begin=None)
def ediff1d_adjoint(
    y: Any, y_bar: Any, ary: Any, to_end: Any, to_begin: Any, ary_bar: Any, to_end_bar: Any, to_begin_bar: Any
) -> Any:
    """As `numpy.diff` on the flat array; the ends go through."""
    first, last = ends_size(to_begin), ends_size(to_end)
    if ary_bar is not None:
        for i in range(len(y_bar) - first - last):
            ary_bar.flat[i + 1] += y_bar[first + i]
            ary_bar.flat[i] -= y_bar[first + i]
    seeds = np.ascontiguousarray(y_bar)
    return add_cells(to_end_bar, to_end, seeds[len(y_bar) - last :]), add_cells(to_begin_bar, to_begin, seeds[:first])


def ends_size(x: Any) -> int:
    """How many there are; none of ``None``."""
    return 0 if x is None else np.size(x)


@overload(ends_size, strict=False)
def _ends_size(x: Any) -> Any:
    if isinstance(x, types.NoneType):
        return lambda x: 0
    return lambda x: size_of(x)


def width(x: Any, dx: Any, i: Any) -> Any:
    """The width of an interval."""
    return dx if x is None else x[i + 1] - x[i]


@overload(width, strict=False)
def _width(x: Any, dx: Any, i: Any) -> Any:
    if isinstance(x, types.NoneType):
        return lambda x, dx, i: dx
    return lambda x, dx, i: x[i + 1] - x[i]


def trapezoid_tangent(y: Any, y_: Any, x: Any, dx: Any, y__dot: Any, x_dot: Any, dx_dot: Any) -> Any:
    """The rule for the samples' tangents, and that of the widths' tangents, along the last axis."""
    y_dot = np.zeros(y_.shape[:-1], np.asarray(y).dtype)
    for row in np.ndindex(y_.shape[:-1]):
        for i in range(y_.shape[-1] - 1):
            if y__dot is not None:
                y_dot[row] += 0.5 * width(x, dx, i) * (y__dot[row][i] + y__dot[row][i + 1])
            pair = 0.5 * (y_[row][i] + y_[row][i + 1])
            if x_dot is not None:
                y_dot[row] += (x_dot[i + 1] - x_dot[i]) * pair
            if dx_dot is not None:
                if x is None:
                    y_dot[row] += dx_dot * pair
    return in_space_of(y_dot, y)


@array_rule(np.trapezoid, tangent=trapezoid_tangent, reads="y_ x dx", numbers="dx", x=None, dx=1.0)
def trapezoid_adjoint(y: Any, y_bar: Any, y_: Any, x: Any, dx: Any, y__bar: Any, x_bar: Any, dx_bar: Any) -> Any:
    """Half the neighbouring widths to each sample; half the neighbouring sums to each point of a vector ``x``."""
    spacing = np.zeros(1, y_.dtype)
    for row in np.ndindex(y_.shape[:-1]):
        seed = np.asarray(y_bar)[row]
        for i in range(y_.shape[-1] - 1):
            if y__bar is not None:
                half = like(y_, 0.5 * np.conj(width(x, dx, i)) * seed)
                y__bar[row][i] += half
                y__bar[row][i + 1] += half
            pair = np.conj(0.5 * (y_[row][i] + y_[row][i + 1])) * seed
            if x_bar is not None:
                x_bar[i + 1] += like(x, pair)
                x_bar[i] -= like(x, pair)
            if x is None:
                spacing[0] += pair
    return (add_cells(dx_bar, dx, spacing),)


def in_space_of(x: Any, y: Any) -> Any:
    """An array, or its only element where ``y`` is a number."""
    return x if isinstance(y, np.ndarray) else x[()]


@overload(in_space_of, strict=False)
def _in_space_of(x: Any, y: Any) -> Any:
    if isinstance(y, types.Array):
        return lambda x, y: x
    return lambda x, y: x[()]


@register_jitable
def start_of(n: int, m: int, size: int, middle: int) -> int:
    """Where the result begins in the full one, which its length tells: full, as long as the longer, or valid."""
    if size == n + m - 1:
        return 0
    if size == max(n, m):
        return middle
    return min(n, m) - 1


def convolve_tangent(y: Any, a: Any, v: Any, mode: Any, a_dot: Any, v_dot: Any) -> Any:
    """The sum of the two with one operand replaced."""
    n, m = len(a), len(v)
    first = start_of(n, m, len(y), (min(n, m) - 1) // 2)
    y_dot = np.zeros(y.shape, y.dtype)
    for k in range(len(y)):
        for i in range(max(0, first + k - m + 1), min(n, first + k + 1)):
            if a_dot is not None:
                y_dot[k] += a_dot[i] * v[first + k - i]
            if v_dot is not None:
                y_dot[k] += a[i] * v_dot[first + k - i]
    return y_dot


@array_rule(np.convolve, tangent=convolve_tangent, reads="a v", mode="full")
def convolve_adjoint(y: Any, y_bar: Any, a: Any, v: Any, mode: Any, a_bar: Any, v_bar: Any) -> None:
    """Each product's seed to both of its factors."""
    n, m = len(a), len(v)
    first = start_of(n, m, len(y_bar), (min(n, m) - 1) // 2)
    for k in range(len(y_bar)):
        for i in range(max(0, first + k - m + 1), min(n, first + k + 1)):
            if a_bar is not None:
                a_bar[i] += like(a, y_bar[k] * np.conj(v[first + k - i]))
            if v_bar is not None:
                v_bar[first + k - i] += like(v, y_bar[k] * np.conj(a[i]))


def correlate_tangent(y: Any, a: Any, v: Any, mode: Any, a_dot: Any, v_dot: Any) -> Any:
    """The sum of the two with one operand replaced."""
    n, m = len(a), len(v)
    first = start_of(n, m, len(y), n // 2 if m > n else (m - 1) // 2)
    y_dot = np.zeros(y.shape, y.dtype)
    for k in range(len(y)):
        for i in range(max(0, first + k - m + 1), min(n, first + k + 1)):
            if a_dot is not None:
                y_dot[k] += a_dot[i] * np.conj(v[m - 1 - first - k + i])
            if v_dot is not None:
                y_dot[k] += a[i] * np.conj(v_dot[m - 1 - first - k + i])
    return y_dot


@array_rule(np.correlate, tangent=correlate_tangent, reads="a v", mode="valid")
def correlate_adjoint(y: Any, y_bar: Any, a: Any, v: Any, mode: Any, a_bar: Any, v_bar: Any) -> None:
    """As `numpy.convolve`, with the second one conjugate and turned round."""
    n, m = len(a), len(v)
    first = start_of(n, m, len(y_bar), n // 2 if m > n else (m - 1) // 2)
    for k in range(len(y_bar)):
        for i in range(max(0, first + k - m + 1), min(n, first + k + 1)):
            j = m - 1 - first - k + i
            if a_bar is not None:
                a_bar[i] += like(a, y_bar[k] * v[j])
            if v_bar is not None:
                v_bar[j] += like(v, np.conj(y_bar[k]) * a[i])


def unwrap_tangent(y: Any, p: Any, discont: Any, axis: Any, period: Any, p_dot: Any) -> Any:
    """The tangent: what is added is a multiple of the period."""
    return p_dot.copy()


@array_rule(np.unwrap, tangent=unwrap_tangent, discont=None, axis=-1, period=2 * np.pi)
def unwrap_adjoint(y: Any, y_bar: Any, p: Any, discont: Any, axis: Any, period: Any, p_bar: Any) -> None:
    """The seed."""
    p_bar += y_bar


@register_jitable
def kind_of(v: float) -> int:
    """0 for a finite number, 1 for a NaN, 2 and 3 for the infinities."""
    return 1 if v != v else 2 if v == np.inf else 3 if v == -np.inf else 0


def join_parts(x: Any, re: Any, im: Any) -> Any:
    """A number of the type of the elements of ``x``, from its parts."""
    return complex(re, im) if np.iscomplexobj(x) else re


@overload(join_parts, strict=False)
def _join_parts(x: Any, re: Any, im: Any) -> Any:
    if isinstance(x.dtype, types.Complex):
        return lambda x, re, im: complex(re, im)
    return lambda x, re, im: re


@register_jitable
def replaced(v: float, own: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    """Which of four tangents a part takes."""
    k = kind_of(v)
    return own if k == 0 else nan if k == 1 else posinf if k == 2 else neginf


def nan_to_num_tangent(
    y: Any, x: Any, copy: Any, nan: Any, posinf: Any, neginf: Any,
    x_dot: Any, nan_dot: Any, posinf_dot: Any, neginf_dot: Any,
) -> Any:  # fmt: skip
    """That of ``x`` where it is finite, else of what took its place; part by part for complex numbers."""
    dots, y_dot = dot_of(x, x_dot), np.zeros(y.shape, y.dtype)
    n, p, m = dot_of(nan, nan_dot), dot_of(0.0, posinf_dot), dot_of(0.0, neginf_dot)
    for at in np.ndindex(x.shape):
        re = replaced(x[at].real, dots[at].real, n, p, m)
        im = replaced(x[at].imag, dots[at].imag, n, p, m)
        y_dot[at] = join_parts(x, re, im)
    return y_dot


@array_rule(
    np.nan_to_num, tangent=nan_to_num_tangent, reads="x", numbers="nan posinf neginf",
    copy=True, nan=0.0, posinf=None, neginf=None,
)  # fmt: skip
def nan_to_num_adjoint(
    y: Any, y_bar: Any, x: Any, copy: Any, nan: Any, posinf: Any, neginf: Any,
    x_bar: Any, nan_bar: Any, posinf_bar: Any, neginf_bar: Any,
) -> Any:  # fmt: skip
    """The seed where ``x`` is finite, else to what took its place; part by part for complex numbers."""
    instead = np.zeros(4)
    for at in np.ndindex(x.shape):
        re, im = kind_of(x[at].real), kind_of(x[at].imag)
        instead[re] += y_bar[at].real
        instead[im] += y_bar[at].imag
        if x_bar is not None:
            own_re, own_im = y_bar[at].real if re == 0 else 0.0, y_bar[at].imag if im == 0 else 0.0
            x_bar[at] += join_parts(x, own_re, own_im)
    return instead[1], instead[2], instead[3]
