"""Products of stacks of vectors, and chains of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...derived import operands
from ...projection import unbroadcast
from ...rules import rrule
from ...tangents import Thunk, unthunk
from .linear import _h, _matmul, core_axes, dot_rule, moved_bars
from .shared import as_array, conj, leading, refuse

_np: Any = np


def cross_rule(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """``b x g`` and ``g x a``; a vector of two components has a third that is 0."""
    if axis is not None:
        axisa = axisb = axisc = axis
    y = np.cross(a, b, axisa, axisb, axisc)
    a, b = as_array(a), as_array(b)
    x, z = np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1)
    flat = x.shape[-1] == z.shape[-1] == 2

    def cross_pullback(y_bar: Any) -> Any:
        g = _in_space(as_array(y_bar)[..., None], before=2) if flat else np.moveaxis(y_bar, axisc, -1)
        # Leading axes broadcast, so the axis of the components goes back only where the shapes agree.
        a_bar, b_bar = np.cross(conj(_in_space(z)), g), np.cross(g, conj(_in_space(x)))
        return _back(a_bar, x.shape, axisa), _back(b_bar, z.shape, axisb)

    return y, cross_pullback


def _in_space(x: Any, before: int = 0) -> Any:
    """Vectors of three components, filled up with zeros."""
    after = 3 - before - x.shape[-1]
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(before, after)]) if before or after else x


def _back(x_bar: Any, shape: tuple[int, ...], axis: int) -> Any:
    return np.moveaxis(unbroadcast(x_bar[..., : shape[-1]], shape), -1, axis)


rrule(np.cross)(leading(cross_rule, active=2))
rrule(np.linalg.cross)(leading(lambda x1, x2, /, *, axis=-1: cross_rule(x1, x2, axis=axis), active=2))


def _vector_product(f: Any, build: Any) -> None:
    @operands(f, 2)
    def rule(a: Any, b: Any, **kwargs: Any) -> Any:
        """The seed times the other operand, and summed over what the product summed."""
        axes, kept, rest = core_axes(f, kwargs)
        a, b = as_array(a), as_array(b)
        if axes is None and kept is None:
            return f(a, b, **rest), lambda y_bar: build(a, b, as_array(y_bar))
        return f(a, b, **kwargs), lambda y_bar: moved_bars(build, a, b, axes, kept, y_bar)

    rrule(f)(rule)


if hasattr(np, "vecdot"):
    # vecdot conjugates its first operand.
    def _vecdot_bars(a: Any, b: Any, g: Any) -> Any:
        return np.conj(g)[..., None] * b, g[..., None] * a

    _vector_product(np.vecdot, _vecdot_bars)

    def vecdot_rule(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
        """As `numpy.vecdot`."""
        y = _np.linalg.vecdot(x1, x2, axis=axis)
        a, b = as_array(x1), as_array(x2)
        return y, lambda y_bar: moved_bars(_vecdot_bars, a, b, [(axis,), (axis,), ()], None, y_bar)

    rrule(np.linalg.vecdot)(leading(vecdot_rule, active=2))
if hasattr(np, "matvec"):
    _vector_product(
        np.matvec,
        lambda a, b, g: (
            Thunk(lambda: g[..., :, None] * conj(b)[..., None, :]),
            Thunk(lambda: _matmul(_h(a), g[..., None])[..., 0]),
        ),
    )
    # vecmat conjugates the vector.
    _vector_product(
        np.vecmat,
        lambda a, b, g: (
            Thunk(lambda: _matmul(b, np.conj(g)[..., None])[..., 0]),
            Thunk(lambda: a[..., :, None] * g[..., None, :]),
        ),
    )


@rrule(np.linalg.multi_dot)
@leading
def multi_dot_rule(arrays: Any, *, out: Any = None) -> Any:
    """What stands to the left and to the right of each factor, around the seed."""
    refuse("numpy.linalg.multi_dot", out=out)
    y = np.linalg.multi_dot(arrays)
    parts = [as_array(a) for a in arrays]
    if len(parts) == 2:  # of any shape
        pullback = dot_rule(*parts)[1]
        return y, lambda y_bar: [unthunk(bar) for bar in pullback(y_bar)]

    def multi_dot_pullback(y_bar: Any) -> Any:
        mats = list(parts)
        mats[0] = np.atleast_2d(mats[0])
        mats[-1] = mats[-1][:, None] if mats[-1].ndim == 1 else mats[-1]
        g = np.reshape(y_bar, (mats[0].shape[0], mats[-1].shape[1]))
        bars, right = [], [mats[-1]]
        for m in mats[-2:0:-1]:
            right.append(m @ right[-1])
        left = g
        for i, m in enumerate(mats):
            bars.append(left @ _h(right[len(mats) - 2 - i]) if i < len(mats) - 1 else left)
            left = _h(m) @ left
        return [x.reshape(p.shape) for x, p in zip(bars, parts, strict=True)]

    return y, multi_dot_pullback
