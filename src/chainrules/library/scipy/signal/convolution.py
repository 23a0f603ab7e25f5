"""Convolutions and correlations: bilinear, and their adjoints are convolutions again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import signal as sp  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk
from ...forward import forward
from ...numpy.shared import as_array, conj, leading
from ..boundaries import extended, folded, unless_empty

BOUNDARIES = {
    "fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap", "symm": "reflect",
    "symmetric": "reflect",
}  # fmt: skip


def turned(x: Any, axes: tuple[int, ...]) -> Any:
    """The conjugate of an array, backwards along the axes."""
    return conj(np.flip(x, axes))


def in_full(g: Any, mode: Any, a: Any, b: Any, axes: tuple[int, ...], late: int = 0) -> Any:
    """The seed of a convolution of ``a`` and ``b`` as that of the full one, of which ``mode`` keeps a part.

    Args:
        g: the seed.
        mode: ``"full"``, ``"valid"`` or ``"same"``.
        a: the first operand.
        b: the second.
        axes: along which they are convolved; along others they are broadcast.
        late: by how much ``"same"`` begins later than half of ``b.shape - 1``, rounded down, where that is odd.
    """
    if mode == "full":
        return g
    widths = []
    for k, (n, m) in enumerate(zip(a.shape, b.shape, strict=True)):
        full = n + m - 1 if k in axes else max(n, m)
        if mode == "valid":
            start = min(n, m) - 1 if k in axes else 0
        else:
            start = (full - g.shape[k] + late) // 2
        widths.append((start, full - start - g.shape[k]))
    return np.pad(g, widths)


def declare(f: Any, plan: Callable[..., Any], correlates: bool) -> None:
    """Declare the rules of ``f(in1, in2, mode, ...)``.

    Args:
        f: a convolution, or a correlation.
        plan: called with the operands as arrays and what follows ``mode``; returns the axes of the convolution, and
            what convolves along them where the operands overlap as a whole.
        correlates: whether the second operand goes in turned.
    """

    def rule(in1: Any, in2: Any, mode: Any = "full", *rest: Any, **named: Any) -> Any:
        """The seed convolved with the other operand, turned."""
        y = f(in1, in2, mode, *rest, **named)
        a, b = as_array(in1), as_array(in2)
        if not a.ndim:
            return y, lambda y_bar: (b * y_bar, a * conj(y_bar)) if correlates else (conj(b) * y_bar, conj(a) * y_bar)
        axes, valid = plan(a, b, *rest, **named)

        def a_bar(y_bar: Any) -> Any:
            return valid(in_full(as_array(y_bar), mode, a, b, axes), b if correlates else turned(b, axes))

        def b_bar(y_bar: Any) -> Any:
            bar = valid(in_full(as_array(y_bar), mode, a, b, axes), turned(a, axes))
            return turned(bar, axes) if correlates else bar

        return y, lambda y_bar: (Thunk(a_bar, y_bar), Thunk(b_bar, y_bar))

    rrule(f)(leading(unless_empty(rule, 2), active=2))
    _bilinear(f)


def _bilinear(f: Any) -> None:
    @forward(f, 0, 1)
    def bilinear_forward(y: Any, dots: Any, in1: Any, in2: Any, *rest: Any, **named: Any) -> Any:
        """The sum of the values with one operand replaced."""
        first = None if dots[0] is None else f(as_array(dots[0]), in2, *rest, **named)
        if dots[1] is None:
            return first
        second = f(in1, as_array(dots[1]), *rest, **named)
        return second if first is None else first + second


def _all_axes(a: Any, b: Any, method: str = "auto") -> Any:
    return tuple(range(a.ndim)), lambda g, h: sp.convolve(g, h, "valid", method)


def _some_axes(a: Any, b: Any, axes: Any = None) -> Any:
    along = range(a.ndim) if axes is None else [k % a.ndim for k in (axes if np.ndim(axes) else (axes,))]
    return tuple(along), lambda g, h: sp.fftconvolve(g, h, "valid", axes=axes)


declare(sp.convolve, _all_axes, False)
declare(sp.correlate, _all_axes, True)
declare(sp.fftconvolve, _some_axes, False)
declare(sp.oaconvolve, _some_axes, False)


def _in_the_plane(f: Any, correlates: bool) -> None:
    def rule(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
        """As of `scipy.signal.convolve`, of the image continued beyond its boundary."""
        y = f(in1, in2, mode, boundary, fillvalue)
        a, b = as_array(in1), as_array(in2)
        # what is valid reads nothing beyond, also where the second operand is the larger one
        kind, value = ("constant", 0) if mode == "valid" else (BOUNDARIES[boundary], fillvalue)
        exchanged = correlates and mode == "valid" and any(n < m for n, m in zip(a.shape, b.shape, strict=True))
        p, q = b.shape[0] - 1, b.shape[1] - 1

        def seed(y_bar: Any) -> Any:
            # SciPy gives the conjugate where it exchanges the operands
            return in_full(conj(y_bar) if exchanged else y_bar, mode, a, b, (0, 1), int(correlates))

        def a_bar(y_bar: Any) -> Any:
            bar = sp.convolve2d(seed(y_bar), b if correlates else turned(b, (0, 1)))
            return folded(folded(bar, 0, p, p, kind), 1, q, q, kind)

        def b_bar(y_bar: Any) -> Any:
            whole = extended(extended(a, 0, p, p, kind, value), 1, q, q, kind, value)
            bar = sp.convolve2d(whole, turned(seed(y_bar), (0, 1)), "valid")
            return bar if correlates else turned(bar, (0, 1))

        return y, lambda y_bar: (Thunk(a_bar, y_bar), Thunk(b_bar, y_bar))

    rrule(f)(leading(unless_empty(rule, 2), active=2))

    @forward(f, 0, 1)
    def plane_forward(
        y: Any, dots: Any, in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
    ) -> Any:
        """The sum of the values with one operand replaced; what fills up does not vary with the first one."""
        first = None if dots[0] is None else f(dots[0], in2, mode, boundary)
        if dots[1] is None:
            return first
        second = f(in1, dots[1], mode, boundary, fillvalue)
        return second if first is None else first + second


_in_the_plane(sp.convolve2d, False)
_in_the_plane(sp.correlate2d, True)
