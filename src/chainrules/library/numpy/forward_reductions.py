"""Forward rules for functions that sum, choose, order and summarise. A linear function is its own derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...declarations import non_differentiable
from ...products import strong_div, strong_mul
from ...rules import Rule, add_rule, where_written
from ...tangents import ZeroTangent, is_absent, unthunk
from ..forward import filled, unfollowed
from .extrema import _positions, sorting, winners
from .products import _rest_products
from .quantiles import _neighbours
from .shared import NO_VALUE, as_array, normal_axes, reduced_size, refuse
from .statistics import centred

_np: Any = np
Forward = Callable[..., Any]
_float64 = np.dtype(np.float64)
_arrays = (np.ndarray, np.generic)
CONDITIONAL = (np.compress, np.extract)  # the first argument is a truth, and may vary


def _float(x: Any) -> Any:
    x = as_array(x)
    return x.astype(np.float64) if x.dtype.kind in "iub" else x


def of_one(f: Any, at: int = 0) -> Callable[[Forward], Forward]:
    """Declare a forward rule from ``tangent(y, x_dot, *args, **kwargs)``, where one argument alone can move.

    Args:
        f: the function.
        at: the position of that argument.
    """
    name = getattr(f, "__name__", str(f))

    def declare(impl: Forward) -> Forward:
        def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
            x, x_dot = primals[at], tangents[at]
            lost = unfollowed(name, (None, *tangents[1:]) if f in CONDITIONAL else tangents, (at,))
            if lost is not None:
                return lost
            if isinstance(y, _arrays) and isinstance(x, np.ndarray) and isinstance(x_dot, np.ndarray):
                if y.dtype.kind in "fc" and x_dot.shape == x.shape:
                    y_dot = impl(y, x_dot, *primals, **kwargs) if kwargs else impl(y, x_dot, *primals)
                    return y_dot if isinstance(y, np.ndarray) or isinstance(y_dot, np.generic) else as_array(y_dot)[()]
            if x_dot is None or is_absent(x_dot):
                return ZeroTangent()
            x_dot = as_array(filled(x, x_dot))
            if getattr(y, "dtype", _float64).kind in "iub" and as_array(x).dtype.kind in "fc":
                refuse(name, dtype=y.dtype)  # it rounds
            if np.shape(x) and np.shape(x_dot) != np.shape(x):
                x_dot = np.broadcast_to(x_dot, np.shape(x))
            y_dot = impl(y, x_dot, *primals, **kwargs)
            return y_dot if isinstance(y, np.ndarray) else as_array(y_dot)[()]

        def rule(primals: tuple[Any, ...], tangents: tuple[Any, ...], **kwargs: Any) -> Any:
            if kwargs.get("out") is not None:
                refuse(name, out=kwargs["out"])
            if len(primals) > at and hasattr(primals[at], "__next__"):
                return NotImplemented
            y = f(*primals, **kwargs)
            return y, tangent(y, primals, tangents, kwargs)

        rule.__doc__, rule.__wrapped__ = impl.__doc__, impl  # type: ignore[attr-defined]
        add_rule(f, Rule(rule, (), *where_written(impl), tangent=tangent), forward=True)
        return impl

    return declare


def _linear(f: Any, at: int = 0) -> None:
    @of_one(f, at)
    def tangent(y: Any, x_dot: Any, *args: Any, **kwargs: Any) -> Any:
        """The function of the tangent."""
        if kwargs:
            return f(*args[:at], x_dot, *args[at + 1 :], **kwargs)
        return f(*args[:at], x_dot, *args[at + 1 :]) if len(args) > 1 else f(x_dot)


for plain in (np.mean, np.cumsum, np.trace, np.take, np.take_along_axis, np.real_if_close):
    _linear(plain)
for method in (np.ndarray.mean, np.ndarray.cumsum, np.ndarray.trace, np.ndarray.take):
    _linear(method)
_linear(np.compress, 1)
_linear(np.extract, 1)


def _summed(f: Any) -> None:
    @of_one(f)
    def tangent(
        y: Any, x_dot: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
        initial: Any = None, where: Any = True,
    ) -> Any:  # fmt: skip
        """The sum of the tangents; the initial value stays."""
        if f is np.nansum:
            where = ~np.isnan(as_array(a)) & (True if where is NO_VALUE else where)
        elif keepdims is False and where is True:
            return np.sum(x_dot, axis)
        keepdims = keepdims is not NO_VALUE and keepdims
        return np.sum(x_dot, axis, keepdims=keepdims, where=where)


for total in (np.sum, np.ndarray.sum, np.nansum):
    _summed(total)


def may_divide(x: Any, y: Any) -> bool:
    """Whether factors and their products are so far from 0 and infinity that quotients are as good as products."""
    tiny = 1e-100 if x.dtype.itemsize >= 8 * (1 + (x.dtype.kind == "c")) else 1e-10
    size, product = np.abs(x), np.abs(y)
    return bool(np.all((size > tiny) & (size < 1 / tiny)) and np.all((product > tiny) & (product < 1 / tiny)))


non_differentiable(may_divide)


def _multiplied(f: Any) -> None:
    @of_one(f)
    def tangent(
        y: Any, x_dot: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
        initial: Any = NO_VALUE, where: Any = True,
    ) -> Any:  # fmt: skip
        """Each tangent times the product of the other factors."""
        x = _float(a)
        x = x if where is True else np.where(where, x, np.ones((), x.dtype))
        if not x.size:
            return np.zeros_like(y)
        if where is True and initial is NO_VALUE and keepdims is False and may_divide(x, y):
            return y * np.sum(x_dot / x, axis)
        axes = normal_axes(axis, x.ndim)
        others = tuple(i for i in range(x.ndim) if i not in axes)
        moved = np.transpose(x, axes + others)
        rest = _rest_products(moved.reshape(-1, *moved.shape[len(axes) :])).reshape(moved.shape)
        rest = np.transpose(rest, np.argsort(axes + others))
        if initial is not NO_VALUE and initial is not None:
            rest = rest * initial
        return np.sum(strong_mul(rest, x_dot), axis, keepdims=keepdims, where=where)


for product in (np.prod, np.ndarray.prod):
    _multiplied(product)


def _of_root(y: Any, square_dot: Any) -> Any:
    """The tangent of a root from that of its square, 0 at 0."""
    return np.where(np.equal(y, 0), 0.0, strong_div(square_dot, 2 * np.where(np.equal(y, 0), 1, y)))


def _spread(f: Any, root: bool) -> None:
    @of_one(f)
    def tangent(
        y: Any, x_dot: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0,
        keepdims: Any = False, *, where: Any = True, mean: Any = NO_VALUE, correction: Any = NO_VALUE,
    ) -> Any:  # fmt: skip
        """``2 sum(Re(conj(x - mean) x_dot))/(n - ddof)`` for `numpy.var`; half of it over the root, 0 for a constant
        sample, for `numpy.std`.
        """
        x, where = _float(a), True if where is NO_VALUE else where
        axes = normal_axes(axis, x.ndim)
        if where is True and keepdims is False and mean is NO_VALUE and x.dtype.kind == "f":
            n = reduced_size(x.shape, axes) - (ddof if correction is NO_VALUE else correction)
            middle = np.mean(x, axis=axes, keepdims=True)
            off = centred(x - middle, y, middle, axes) if root else x - middle
            y_dot = np.sum(off * x_dot, axis=axes) * (2 / n if n > 0 else np.inf)
            return _of_root(y, y_dot) if root else y_dot
        middle = np.mean(x, axis=axes, keepdims=True, where=where) if mean is NO_VALUE else mean
        n = np.sum(np.broadcast_to(where, x.shape), axis=axes, keepdims=keepdims)
        off = x - middle
        if root and mean is NO_VALUE:
            off = centred(off, y, middle, axes, where=where)
        along = np.sum(np.real(np.conj(off) * x_dot), axis=axes, keepdims=keepdims, where=where)
        y_dot = 2 * along / np.maximum(n - (ddof if correction is NO_VALUE else correction), 0)
        return _of_root(y, y_dot) if root else y_dot


for variance in (np.var, np.ndarray.var):
    _spread(variance, False)
for deviation in (np.std, np.ndarray.std):
    _spread(deviation, True)


def _chosen(f: Any, arg: Any, worst: float, beaten: Any, skip: bool = False) -> None:
    @of_one(f)
    def tangent(
        y: Any, x_dot: Any, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False,
        initial: Any = NO_VALUE, where: Any = True,
    ) -> Any:  # fmt: skip
        """The tangent of the first element that has the extreme value."""
        x, where = as_array(a), True if where is NO_VALUE else where
        if not x.size:
            return np.zeros_like(y)
        at, there = winners(x, axis, arg, worst, where, skip)
        y_dot = x_dot.ravel()[at] if there is True else np.where(there, x_dot.ravel()[at], 0.0)
        if initial is not NO_VALUE and initial is not None:
            y_dot = np.where(beaten(x.ravel()[at], initial), 0.0, y_dot)
        return np.reshape(y_dot, np.shape(y))


for largest in {np.max, np.amax, np.ndarray.max}:
    _chosen(largest, np.argmax, -np.inf, np.less)
for smallest in {np.min, np.amin, np.ndarray.min}:
    _chosen(smallest, np.argmin, np.inf, np.greater)
_chosen(np.nanmax, np.argmax, -np.inf, lambda e, i: ~np.greater_equal(e, i), skip=True)
_chosen(np.nanmin, np.argmin, np.inf, lambda e, i: ~np.less_equal(e, i), skip=True)


@of_one(np.ptp)
def _(y: Any, x_dot: Any, a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """That of the first largest less that of the first smallest."""
    x = as_array(a)
    if not x.size:
        return np.zeros_like(y)
    flat = x_dot.ravel()
    return np.reshape(flat[_positions(x, axis, np.argmax)] - flat[_positions(x, axis, np.argmin)], np.shape(y))


@of_one(np.sort)
def _(y: Any, x_dot: Any, a: Any, axis: Any = -1, *_: Any, order: Any = None, descending: Any = None, **kw: Any) -> Any:
    """In the same order, equal ones in theirs."""
    if order is not None:
        refuse("numpy.sort", order=order)
    found = sorting(a, axis, descending)
    return x_dot.ravel()[found] if axis is None else np.take_along_axis(x_dot, found, axis=axis)


def _median(f: Any) -> None:
    @of_one(f)
    def tangent(y: Any, x_dot: Any, a: Any, axis: Any = None, *_: Any, **options: Any) -> Any:
        """Between those of the two middle elements."""
        x = as_array(a)
        if not x.size:
            return np.zeros_like(y)
        low, high, t, *_rest = _neighbours(f, x, (), axis)
        flat = x_dot.ravel()
        return np.reshape((1 - t) * flat[low] + t * flat[high], np.shape(y))


for middle in (np.median, np.nanmedian):
    _median(middle)


def where_tangent(y: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The tangent of what was chosen."""
    if len(primals) == 1:
        return ZeroTangent()
    lost = unfollowed("where", (None, *tangents[1:]), (1, 2))
    if lost is not None:
        return lost
    _, a_dot, b_dot = tangents
    if a_dot is None or is_absent(a_dot):
        if b_dot is None or is_absent(b_dot):
            return ZeroTangent()
        a_dot = 0.0
    elif b_dot is None or is_absent(b_dot):
        b_dot = 0.0
    y_dot = np.where(primals[0], unthunk(a_dot), unthunk(b_dot))
    return y_dot if y_dot.shape == y.shape else np.broadcast_to(y_dot, y.shape)


def where_forward(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    """The tangent of what was chosen."""
    y = np.where(*primals)
    return y, where_tangent(y, primals, tangents, {})


add_rule(np.where, Rule(where_forward, (), *where_written(where_forward), tangent=where_tangent), forward=True)
non_differentiable(winners, sorting, _positions)  # places
