"""Products of arrays. Every cotangent that costs more than its size is a `Thunk`: only an active operand
pays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...derived import by_operand, operands, thunks
from ...projection import unbroadcast
from ...rules import rrule
from ...tangents import Thunk, unthunk
from .shared import as_array, conj, first_joined, leading, ndarray, refuse

_matmul = np.matmul


def _h(x: Any) -> Any:
    """The conjugate transpose of a matrix, or of a stack of them."""
    return conj(x.T) if x.ndim == 2 else conj(x.swapaxes(-1, -2))


def _products(a: Any, b: Any, *rest: Any) -> Any:
    """The product of two arrays, and what gives the cotangent of each."""
    if rest or type(a) is not ndarray or type(b) is not ndarray:
        return None
    return _matmul(a, b), (a, b), _matmul_bars(a, b)


@rrule(np.matmul)
@rrule(np.linalg.matmul)
@operands(np.matmul, 2)
@by_operand(_products)
def matmul_rule(a: Any, b: Any, **kwargs: Any) -> Any:
    """``g b^H`` and ``a^H g``; of vectors the outer product and one matrix-vector product."""
    if type(a) is not ndarray:
        a = as_array(a)
    if type(b) is not ndarray:
        b = as_array(b)
    y = _matmul(a, b, **kwargs)
    if kwargs:
        axes, kept, _ = core_axes(_matmul, kwargs)
        if axes is not None:
            return y, lambda y_bar: moved_bars(_matmul_thunks, a, b, axes, kept, y_bar)
    bars = _matmul_bars(a, b)
    return y, lambda y_bar: thunks(bars, (a, b), y_bar)


def _matmul_bars(a: Any, b: Any) -> tuple[Any, Any]:
    """What gives the cotangent of each factor."""
    m, n = a.ndim, b.ndim
    return _MATMUL[m if m < 3 else 3, n if n < 3 else 3]


def _matmul_thunks(a: Any, b: Any, g: Any) -> Any:
    return thunks(_matmul_bars(a, b), (a, b), g)


def core_axes(f: Any, kwargs: dict[str, Any]) -> tuple[Any, int | None, dict[str, Any]]:
    """Where a generalised ufunc of two operands has its core dimensions, from its keywords.

    Returns:
        A tuple of axes for each operand and the result (``None``: they are the last ones), where the summed
        axis is kept with length one (``None``: it is not), and the keywords without these.
    """
    rest = dict(kwargs)
    kept = -1 if rest.pop("keepdims", False) else None
    axes, axis = rest.pop("axes", None), rest.pop("axis", None)
    if axis is not None:
        axes = [axis, axis, axis if kept else ()]
    if axes is not None:
        axes = [tuple(k) if isinstance(k, (tuple, list)) else (k,) for k in axes]
        axes = axes if len(axes) == 3 else [*axes, ()]
        if kept:
            kept, axes[2] = (axes[2] or axes[0])[0], ()
    return axes, kept, rest


def moved_bars(bars: Any, a: Any, b: Any, axes: Any, kept: int | None, y_bar: Any) -> Any:
    """The cotangents of a product whose core dimensions are not the last ones.

    Args:
        bars: gives them where they are: called with the operands and the seed.
        a: the first operand.
        b: the second.
        axes: as `core_axes` gives them.
        kept: as `core_axes` gives it.
        y_bar: the seed.
    """
    in_a, in_b, in_y = axes if axes is not None else ((-1,), (-1,), ())
    g = as_array(y_bar)
    if kept is not None:
        g = np.squeeze(g, kept)
    last = [tuple(range(-len(k), 0)) for k in (in_a, in_b, in_y)]
    x, z = np.moveaxis(a, in_a, last[0]), np.moveaxis(b, in_b, last[1])
    x_bar, z_bar = (unthunk(bar) for bar in bars(x, z, np.moveaxis(g, in_y, last[2])))
    x_bar, z_bar = unbroadcast(x_bar, x.shape), unbroadcast(z_bar, z.shape)
    return np.moveaxis(x_bar, last[0], in_a), np.moveaxis(z_bar, last[1], in_b)


def _in_columns(a: Any, b: Any, g: Any) -> Any:
    return conj(first_joined(a, a.ndim - 1).T) @ g.reshape(-1)


def _in_rows(a: Any, b: Any, g: Any) -> Any:
    rows = a.ndim - 1
    return conj(first_joined(a, rows).T) @ first_joined(g, rows)


# By the numbers of axes, 3 for more: what gives the cotangent of each factor. All of it is memory of its own.
_SCALED = (lambda a, b, g: conj(b) * g, lambda a, b, g: conj(a) * g)
_MATMUL: dict[tuple[int, int], tuple[Any, Any]] = {
    (1, 1): _SCALED,
    (2, 1): (lambda a, b, g: g[:, None] * conj(b), lambda a, b, g: np.dot(conj(a.T), g)),
    (1, 2): (lambda a, b, g: np.dot(conj(b), g), lambda a, b, g: conj(a)[:, None] * g),
    (2, 2): (lambda a, b, g: np.dot(g, conj(b.T)), lambda a, b, g: np.dot(conj(a.T), g)),
    (3, 1): (lambda a, b, g: g[..., None] * conj(b), _in_columns),
    (1, 3): (
        lambda a, b, g: _matmul(conj(b), g[..., None])[..., 0],
        lambda a, b, g: conj(a)[:, None] * g[..., None, :],
    ),
    (3, 2): (lambda a, b, g: _matmul(g, conj(b.T)), _in_rows),
    (2, 3): (lambda a, b, g: _matmul(g, _h(b)), lambda a, b, g: _matmul(_h(a), g)),
    (3, 3): (lambda a, b, g: _matmul(g, _h(b)), lambda a, b, g: _matmul(_h(a), g)),
}


def _dot_bars(a: Any, b: Any) -> tuple[Any, Any] | None:
    """What gives the cotangent of each factor of `numpy.dot`; None where more than one axis stays in both."""
    m, n = a.ndim, b.ndim
    if m == 0 or n == 0:
        return _SCALED
    if (m <= 2 and n <= 2) or n == 1:
        return _MATMUL[m if m < 3 else 3, n]
    return None


def _dots(a: Any, b: Any, *rest: Any) -> Any:
    """`numpy.dot` of two arrays, and what gives the cotangent of each."""
    if rest or type(a) is not ndarray or type(b) is not ndarray or (bars := _dot_bars(a, b)) is None:
        return None
    return np.dot(a, b), (a, b), bars


@by_operand(_dots)
def dot_rule(a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
    """As `numpy.matmul` up to matrices; beyond, the contraction of the last axis with the last but one."""
    if args or kwargs:
        refuse("numpy.dot", out=kwargs.get("out", args[0] if args else None))
    if type(a) is not ndarray:
        a = as_array(a)
    if type(b) is not ndarray:
        b = as_array(b)
    y = np.dot(a, b)
    bars = _dot_bars(a, b)
    if bars is None:
        return y, lambda y_bar: _contracted(a, b, y_bar, [a.ndim - 1], [b.ndim - 2])
    if args:
        return y, lambda y_bar: (*thunks(bars, (a, b), y_bar), None)
    return y, lambda y_bar: thunks(bars, (a, b), y_bar)


rrule(np.dot)(dot_rule)
rrule(np.ndarray.dot)(dot_rule)


def _contracted(a: Any, b: Any, g: Any, a_axes: list[int], b_axes: list[int]) -> Any:
    """The cotangents of a contraction of ``a_axes`` with ``b_axes``, the other axes in order."""
    a_free = [i for i in range(a.ndim) if i not in a_axes]
    b_free = [i for i in range(b.ndim) if i not in b_axes]

    def a_bar() -> Any:
        t = np.tensordot(g, conj(b), (list(range(len(a_free), g.ndim)), b_free))
        # The contracted axes come out in the order they have in b.
        return _sorted_axes(t, a_free + [a_axes[b_axes.index(k)] for k in sorted(b_axes)])

    def b_bar() -> Any:
        t = np.tensordot(conj(a), g, (a_free, list(range(len(a_free)))))
        return _sorted_axes(t, [b_axes[a_axes.index(k)] for k in sorted(a_axes)] + b_free)

    return Thunk(a_bar), Thunk(b_bar)


def _sorted_axes(t: Any, order: list[int]) -> Any:
    """The axes of `t`, which are those of something else in this order, in the order that they have there."""
    return t if order == sorted(order) else np.transpose(t, np.argsort(order))


def tensordot_rule(a: Any, b: Any, axes: Any = 2) -> Any:
    """The other operand contracted with the seed."""
    y = np.tensordot(a, b, axes)
    a, b = as_array(a), as_array(b)
    if isinstance(axes, (int, np.integer)):
        a_axes, b_axes = list(range(a.ndim - int(axes), a.ndim)), list(range(int(axes)))
    else:
        a_axes, b_axes = ([int(k) for k in np.atleast_1d(s)] for s in axes)
        a_axes, b_axes = [k % a.ndim for k in a_axes], [k % b.ndim for k in b_axes]
    return y, lambda y_bar: _contracted(a, b, as_array(y_bar), a_axes, b_axes)


rrule(np.tensordot)(leading(tensordot_rule, active=2))
rrule(np.linalg.tensordot)(leading(lambda a, b, /, *, axes=2: tensordot_rule(a, b, axes), active=2))


@rrule(np.inner)
def inner_rule(a: Any, b: Any, /) -> Any:
    """The contraction of the last axes."""
    y = np.inner(a, b)
    a, b = as_array(a), as_array(b)
    if a.ndim == 0 or b.ndim == 0 or (a.ndim == 1 and b.ndim == 1):
        return y, lambda y_bar: thunks(_SCALED, (a, b), y_bar)
    return y, lambda y_bar: _contracted(a, b, y_bar, [a.ndim - 1], [b.ndim - 1])


@rrule(np.vdot)
def vdot_rule(a: Any, b: Any, /) -> Any:
    """``sum(conj(a) b)``: antilinear in ``a``, so its cotangent is ``conj(g) b``."""
    y = np.vdot(a, b)
    a, b = as_array(a), as_array(b)
    return y, lambda y_bar: (np.conj(y_bar) * b.reshape(a.shape), y_bar * a.reshape(b.shape))


def outer_rule(a: Any, b: Any, out: Any = None) -> Any:
    """The seed times the other vector."""
    refuse("numpy.outer", out=out)
    y = np.outer(a, b)
    a, b = as_array(a), as_array(b)

    def outer_pullback(y_bar: Any) -> Any:
        return (
            Thunk(lambda: (y_bar @ conj(b).ravel()).reshape(a.shape)),
            Thunk(lambda: (conj(a).ravel() @ y_bar).reshape(b.shape)),
        )

    return y, outer_pullback


rrule(np.outer)(leading(outer_rule, active=2))
rrule(np.linalg.outer)(outer_rule)


@rrule(np.kron)
def kron_rule(a: Any, b: Any) -> Any:
    """The outer product of the two, its axes interleaved."""
    y = np.kron(a, b)
    a, b = as_array(a), as_array(b)
    n = max(a.ndim, b.ndim)
    a_shape, b_shape = (1,) * (n - a.ndim) + a.shape, (1,) * (n - b.ndim) + b.shape

    def blocks(y_bar: Any) -> Any:
        return np.reshape(y_bar, [k for pair in zip(a_shape, b_shape, strict=True) for k in pair])

    def kron_pullback(y_bar: Any) -> Any:
        even, odd = list(range(0, 2 * n, 2)), list(range(1, 2 * n, 2))
        return (
            Thunk(
                lambda: np.tensordot(blocks(y_bar), conj(b).reshape(b_shape), (odd, list(range(n)))).reshape(a.shape)
            ),
            Thunk(
                lambda: np.tensordot(conj(a).reshape(a_shape), blocks(y_bar), (list(range(n)), even)).reshape(b.shape)
            ),
        )

    return y, kron_pullback
