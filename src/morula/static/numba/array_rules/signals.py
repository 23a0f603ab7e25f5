"""Differences, quadrature and convolution of samples; unwrapping, and replacing what is not finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from morula.static.numba.array_rules.picking import add_cells, size_of
from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import dot_of


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
