"""Forward rules for `numpy.polynomial`, base by base: most of its functions are linear in the coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...products import strong_div
from ...tangents import is_absent
from ..forward import array_dot, filled, forward
from . import series_algebra, series_values  # noqa: F401  (the reverse rules)
from .forward_polynomials import fit_forward
from .products import _rest_products
from .series import BASES, POWERS, Base, _modules, resized, series, slopes_at, trimmed, unit, values_at
from .shared import as_array

_utils = _modules.polyutils


def _row(c: Any, c_dot: Any) -> Any:
    return np.atleast_1d(array_dot(c, c_dot))


def _sums(base: Base) -> None:
    for name in ("add", "sub"):

        @forward(base[name], 0, 1)
        def sum_forward(y: Any, dots: Any, c1: Any, c2: Any, f: Any = base[name]) -> Any:
            """The sum, or the difference, of the tangents."""
            return resized(f(_row(c1, dots[0]), _row(c2, dots[1])), len(y))


def _products(base: Base) -> None:
    mul, mulx, power, div = base["mul"], base["mulx"], base["pow"], base["div"]

    @forward(mul, 0, 1)
    def mul_forward(y: Any, dots: Any, c1: Any, c2: Any) -> Any:
        """One factor after the other."""
        first, second = mul(_row(c1, dots[0]), c2), mul(c1, _row(c2, dots[1]))
        return resized(first, len(y)) + resized(second, len(y))

    @forward(mulx)
    def mulx_forward(y: Any, dots: Any, c: Any) -> Any:
        """The product with ``x``."""
        return resized(mulx(_row(c, dots[0])), len(y))

    @forward(power)
    def pow_forward(y: Any, dots: Any, c: Any, pow: Any, *maxpower: Any, **options: Any) -> Any:
        """``n c^(n-1) c_dot``."""
        n = int(pow)
        if n == 0:
            return np.zeros(len(y))
        return resized(n * mul(power(series(c), n - 1, maxpower=None), _row(c, dots[0])), len(y))

    @forward(div, 0, 1)
    def div_forward(y: Any, dots: Any, c1: Any, c2: Any) -> Any:
        """``c1_dot - q c2_dot`` divided by ``c2``."""
        q, r = y
        n, d = len(trimmed(series(c1))), trimmed(series(c2))
        moved = resized(_row(c2, dots[1]), len(d))
        q_dot, r_dot = div(resized(_row(c1, dots[0]), n) - resized(mul(q, moved), n), d)
        return resized(q_dot, len(q)), resized(r_dot, len(r))


def _roots(base: Base) -> None:
    fromroots, companion, line = base["fromroots"], base["companion"], base["line"]

    @forward(base["roots"])
    def roots_forward(y: Any, dots: Any, c: Any) -> Any:
        """``-c_dot(r)/p'(r)``."""
        if not len(y):
            return np.zeros(0)
        with np.errstate(all="ignore"):
            return -strong_div(base["val"](y, _row(c, dots[0])), base["val"](y, base["der"](series(c))))

    @forward(fromroots)
    def fromroots_forward(y: Any, dots: Any, roots: Any) -> Any:
        """Minus the products of the other factors."""
        r = as_array(roots)
        others = [resized(fromroots(np.delete(r, i)), len(y)) for i in range(len(r))]
        return -(array_dot(r, dots[0]) @ np.stack(others)) if others else np.zeros(len(y))

    @forward(companion)
    def companion_forward(y: Any, dots: Any, c: Any) -> Any:
        """The last column is linear in ``c[:-1]/c[-1]``."""
        c, c_dot = trimmed(series(c)), _row(c, dots[0])
        n = len(c)
        weight = companion(np.ones(n))[:, -1] - companion(unit(n - 1))[:, -1]
        u_dot = (c_dot[: n - 1] - c[:-1] / c[-1] * c_dot[n - 1]) / c[-1]
        return np.concatenate((np.zeros((n - 1, n - 2)), (weight * u_dot)[:, None]), axis=1)

    @forward(line, 0, 1)
    def line_forward(y: Any, dots: Any, off: Any, scl: Any) -> Any:
        """Linear in both."""
        off_dot, scl_dot = [0.0 if t is None else t for t in dots]
        return resized(line(1, 0), len(y)) * off_dot + resized(line(0, 1), len(y)) * scl_dot


def _linear_map(f: Any) -> None:
    @forward(f)
    def linear_forward(y: Any, dots: Any, c: Any, *args: Any, **options: Any) -> Any:
        """The map of the tangent."""
        return resized(f(_row(c, dots[0])), len(y))


def _values(base: Base) -> None:
    val, der = base["val"], base["der"]

    @forward(val, 0, 1)
    def val_forward(y: Any, dots: Any, x: Any, c: Any, tensor: bool = True) -> Any:
        """The value of the tangent, and the slope times that of the point."""
        x_dot, c_dot = dots
        x = as_array(x) if isinstance(x, (list, tuple)) else x
        change = val(x, _row(c, c_dot), tensor)
        return change if x_dot is None else change + val(x, der(series(c)), tensor) * array_dot(x, x_dot)

    for name in ("val2d", "val3d", "grid2d", "grid3d"):
        _values_of_many(base, base[name], name.startswith("grid"))
    if hasattr(base.module, f"{base.prefix}valnd"):  # since NumPy 2.5
        _values_of_tuples(base, base["valnd"])

    @forward(base["vander"])
    def vander_forward(y: Any, dots: Any, x: Any, deg: Any) -> Any:
        """The slopes times the tangent."""
        x_dot = array_dot(np.ravel(x) if np.ndim(x) == 0 else x, dots[0])
        return np.reshape(slopes_at(base, x, y.shape[-1]), y.shape) * x_dot[..., None]

    for name in ("vander2d", "vander3d"):
        _vander_of_many(base, base[name], int(name[-2]))


def _values_of_many(base: Base, f: Any, grid: bool) -> None:
    k = 2 if "2d" in f.__name__ else 3

    @forward(f, *range(k + 1))
    def many_forward(y: Any, dots: Any, *args: Any) -> Any:
        """The value of the tangent, and along each axis the slope times that of the point."""
        return _many_dot(base, f, [as_array(v) for v in args], dots, grid)


def _values_of_tuples(base: Base, f: Any) -> None:
    @forward(f, 0, 1)
    def tuple_forward(y: Any, dots: Any, pts: Any, c: Any) -> Any:
        """The same with the points in a tuple, or along the first axis of an array."""
        pts_dot, c_dot = dots
        moves = [None] * len(pts) if pts_dot is None else [None if is_absent(t) else t for t in pts_dot]
        args = [as_array(v) for v in (*pts, c)]
        return _many_dot(base, lambda *given: f(given[:-1], given[-1]), args, (*moves, c_dot), False)


def _many_dot(base: Base, f: Any, args: list[Any], dots: Any, grid: bool) -> Any:
    *points, c = args
    change = f(*points, array_dot(c, dots[-1]))
    for i, x in enumerate(points):
        if dots[i] is not None:
            behind = sum([p.ndim for p in points[i + 1 :]]) if grid else 0
            move = np.reshape(array_dot(x, dots[i]), x.shape + (1,) * behind)
            change = change + f(*points, base["der"](c, axis=i)) * move
    return change


def _vander_of_many(base: Base, f: Any, k: int) -> None:
    @forward(f, *range(k))
    def many_forward(y: Any, dots: Any, *args: Any) -> Any:
        """The slopes of one factor times the others."""
        *points, deg = args
        change: Any = 0.0
        for i, x_dot in enumerate(dots):
            if x_dot is None:
                continue
            v = array_dot(points[i], x_dot)
            for j, x in enumerate(points):
                n = int(deg[j]) + 1
                one = (slopes_at if i == j else values_at)(base, x, n)
                v = v[..., None] * one.reshape((*np.shape(x), *(1,) * j, n))
            change = change + v.reshape(y.shape)
        return change


def _calculus(base: Base) -> None:
    der, integral = base["der"], base["int"]

    @forward(der)
    def der_forward(y: Any, dots: Any, c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
        """The derivative of the tangent."""
        return resized(der(_row(c, dots[0]), m, scl, axis), y.shape[axis], axis)

    @forward(integral, 0, 2)
    def int_forward(
        y: Any, dots: Any, c: Any, m: int = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: int = 0
    ) -> Any:
        """The integral of the tangent, with the tangents of the constants."""
        constants = filled(k, dots[1]) if np.ndim(k) else array_dot(k, dots[1])[()]
        return resized(integral(_row(c, dots[0]), m, constants, lbnd, scl, axis), y.shape[axis], axis)


def _fits(base: Base) -> None:
    @forward(base["fit"], 0, 1, 5)
    def fit_of_base_forward(
        c: Any, dots: Any, x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None
    ) -> Any:  # fmt: skip
        """As `fit_forward`."""
        degrees = np.arange(int(deg) + 1) if np.ndim(deg) == 0 else np.sort(np.asarray(deg))
        n = int(degrees[-1]) + 1
        v, slopes = values_at(base, x, n)[:, degrees], slopes_at(base, x, n)[:, degrees]
        return fit_forward(c, v, slopes, (x, y, w), dots, full, rcond, lambda g: np.eye(n)[:, degrees] @ g)


for base in BASES:
    for declare in (_sums, _products, _roots, _values, _calculus, _fits):
        declare(base)
    if base is not POWERS:
        _linear_map(base.__getitem__("2poly"))
        _linear_map(getattr(base.module, "poly2" + base.prefix))
for f in (_utils.trimcoef, _utils.trimseq):

    @forward(f)
    def trimmed_forward(y: Any, dots: Any, c: Any, *args: Any, **options: Any) -> Any:
        """What was kept."""
        return resized(_row(c, dots[0]), len(y))


@forward(_utils.as_series)
def as_series_forward(y: Any, dots: Any, alist: Any, *args: Any, **options: Any) -> Any:
    """What was kept of each."""
    return [resized(_row(c, t).ravel(), len(v)) for v, c, t in zip(y, alist, dots[0], strict=True)]


@forward(_modules.polynomial.polyvalfromroots, 0, 1)
def polyvalfromroots_forward(y: Any, dots: Any, x: Any, r: Any, tensor: bool = True) -> Any:
    """The products of the other factors times ``x_dot - r_dot``."""
    points, a = as_array(x), series(r)
    spread = points.ndim if tensor and isinstance(x, (list, tuple, np.ndarray)) else 0
    shape = a.shape + (1,) * spread
    moves = array_dot(points, dots[0]) - _row(r, dots[1]).reshape(shape)
    return np.sum(_rest_products(points - a.reshape(shape)) * moves, axis=0)
