"""`numpy.polynomial`: values, bases at points, derivatives, integrals and fits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declarations import non_differentiable, unsupported
from ...patterns import mark_leaves, pattern
from ...projection import project, unbroadcast
from ...rules import rrule
from ...scalar import scalar_rule
from ...tangents import Thunk
from .fits import fit_bars
from .patterns import joined
from .products import _rest_products
from .series import BASES, NUMBERS, Base, _modules, resized, series, slopes_at, values_at
from .shared import as_array, conj, leading


def _flat_sum(v: Any, g: Any, ndim: int) -> Any:
    """``sum_x conj(v[x, k]) g[b, x]`` for all further axes ``k`` and ``b``; ``x`` are ``ndim`` axes."""
    first, last = list(range(ndim)), list(range(np.ndim(g) - ndim, np.ndim(g)))
    return np.tensordot(conj(v), g, (first, last))


def _value(base: Base) -> None:
    val = base["val"]

    def val_rule(x: Any, c: Any, tensor: bool = True) -> Any:
        """The polynomials at ``x`` to the coefficients; the derivative to ``x``."""
        if not isinstance(x, NUMBERS):
            return NotImplemented
        y = val(x, c, tensor)
        points, a = as_array(x), series(c)
        n = len(a)

        def x_bar(y_bar: Any) -> Any:
            return conj(val(points if isinstance(x, (list, tuple)) else x, base["der"](a), tensor)) * y_bar

        def c_bar(y_bar: Any) -> Any:
            v = values_at(base, points, n)
            if tensor or not isinstance(x, (list, tuple, np.ndarray)):
                return _flat_sum(v, y_bar, points.ndim)
            ndim = np.ndim(y_bar)
            v = np.moveaxis(v, -1, 0).reshape((n, *(1,) * (ndim - points.ndim), *points.shape))
            return unbroadcast(conj(v) * y_bar, (n, *(1,) * (ndim - a.ndim + 1), *a.shape[1:])).reshape(a.shape)

        return y, lambda y_bar: (Thunk(x_bar, y_bar), Thunk(c_bar, y_bar))

    rrule(val)(leading(val_rule, active=2))

    @pattern(val)
    def of_points(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """The point, of one constant series."""
        if mark_leaves(marks[1:]) or np.ndim(args[1]) != 1:
            return NotImplemented
        return joined("smooth")(joining, y, args[:1], marks[:1], kwargs)


def _points_and_coefficients(f: Any, args: tuple[Any, ...]) -> tuple[list[Any], Any]:
    *points, c = args
    if np.ndim(c) < len(points):
        raise NotImplementedError(f"the rule for {f.__name__} is for coefficients with an axis for each variable")
    return [as_array(x) for x in points], as_array(c)


def _values_of_many(base: Base, name: str) -> None:
    rrule(base[name])(_many_rule(base, base[name]))


def _values_of_tuples(base: Base, f: Any) -> None:
    """The same with the points in a tuple, or along the first axis of an array."""

    def spread(*args: Any) -> Any:
        return f(args[:-1], args[-1])

    spread.__name__ = f.__name__
    many = _many_rule(base, spread)

    def valnd_rule(pts: Any, c: Any) -> Any:
        y, pullback = many(*pts, c)

        def valnd_pullback(y_bar: Any) -> Any:
            *points_bar, c_bar = pullback(y_bar)
            if isinstance(pts, np.ndarray):
                return Thunk(_stacked, points_bar, pts), c_bar
            return points_bar, c_bar

        return y, valnd_pullback

    rrule(f)(valnd_rule)


def _stacked(bars: Any, points: Any) -> Any:
    return np.stack([project(bar, x) for bar, x in zip(bars, points, strict=True)])


def _many_rule(base: Base, f: Any) -> Any:
    def rule(*args: Any) -> Any:
        """The products of the polynomials at each point; the derivative along each axis of the coefficients."""
        y = f(*args)
        points, c = _points_and_coefficients(f, args)
        k = len(points)

        def x_bar(i: int, y_bar: Any) -> Any:
            return conj(f(*points, base["der"](c, axis=i))) * y_bar

        def c_bar(y_bar: Any) -> Any:
            v = np.ones(())
            for i, x in enumerate(points):
                one = values_at(base, x, c.shape[i])
                v = v[..., None] * one.reshape((*x.shape, *(1,) * i, c.shape[i]))
            return _flat_sum(v, y_bar, points[0].ndim)

        return y, lambda y_bar: (*[Thunk(x_bar, i, y_bar) for i in range(k)], Thunk(c_bar, y_bar))

    return rule


def _values_on_grids(base: Base, name: str) -> None:
    f = base[name]

    def rule(*args: Any) -> Any:
        """As at points, summed over the other axes of the grid."""
        y = f(*args)
        points, c = _points_and_coefficients(f, args)
        ndims = [x.ndim for x in points]

        def x_bar(i: int, y_bar: Any) -> Any:
            t = conj(f(*points, base["der"](c, axis=i))) * y_bar
            end = t.ndim - sum(ndims[i + 1 :])
            mine = range(end - ndims[i], end)
            return np.sum(t, axis=tuple(a for a in range(t.ndim) if a not in mine))

        def c_bar(y_bar: Any) -> Any:
            t = as_array(y_bar)
            for i in reversed(range(len(points))):  # the last variable's axes are the last ones
                t = _flat_sum(values_at(base, points[i], c.shape[i]), t, ndims[i])
            return t

        return y, lambda y_bar: (*[Thunk(x_bar, i, y_bar) for i in range(len(points))], Thunk(c_bar, y_bar))

    rrule(f)(rule)


def _vander(base: Base) -> None:
    vander = base["vander"]

    def vander_rule(x: Any, deg: Any) -> Any:
        """The derivatives of the polynomials."""
        y = vander(x, deg)

        def x_bar(y_bar: Any) -> Any:
            return np.sum(conj(slopes_at(base, x, y.shape[-1])) * y_bar, axis=-1)

        return y, lambda y_bar: Thunk(x_bar, y_bar)

    rrule(vander)(leading(vander_rule))
    for name in ("vander2d", "vander3d"):
        _vander_of_many(base, base[name])


def _vander_of_many(base: Base, f: Any) -> None:
    def rule(*args: Any) -> Any:
        """The derivative of one factor, times the others."""
        y = f(*args)
        *points, deg = args
        sizes = [int(d) + 1 for d in deg]

        def x_bar(i: int, y_bar: Any) -> Any:
            t = np.reshape(y_bar, (*y_bar.shape[:-1], *sizes))
            for j in reversed(range(len(points))):
                at = slopes_at if i == j else values_at
                v = at(base, points[j], sizes[j])
                v = v.reshape((*np.shape(points[j]), *(1,) * j, sizes[j]))
                t = np.sum(t * conj(v), axis=-1)
            return t

        return y, lambda y_bar: (*[Thunk(x_bar, i, y_bar) for i in range(len(points))], None)

    rrule(f)(rule)


def _calculus(base: Base) -> None:
    der, integral = base["der"], base["int"]

    def transposed(matrix: Any, y_bar: Any, axis: int) -> Any:
        t = np.tensordot(conj(matrix), y_bar, ([0], [axis]))
        return np.moveaxis(t, 0, axis)

    @leading
    def der_rule(c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
        """The transposed map."""
        y = der(c, m, scl, axis)
        a = series(c)
        n = a.shape[axis]
        if m >= n:  # nothing is left; NumPy's Hermite series come with moved axes then
            return y, lambda y_bar: np.zeros(a.shape)
        return y, lambda y_bar: transposed(der(_eye(n, scl), m, scl), y_bar, axis)

    def int_rule(c: Any, m: int = 1, k: Any = (), lbnd: Any = 0, scl: Any = 1, axis: int = 0) -> Any:
        """The transposed maps of the coefficients and of the constants ``k``."""
        y = integral(c, m, k, lbnd, scl, axis)
        a = series(c)

        def c_bar(y_bar: Any) -> Any:
            # A single coefficient of zero stays single.
            return transposed(
                integral(_eye(a.shape[axis], lbnd, scl), m, [], lbnd, scl)[: y_bar.shape[axis]], y_bar, axis
            )

        def k_bar(y_bar: Any) -> Any:
            totals = np.sum(np.moveaxis(y_bar, axis, 0).reshape(y_bar.shape[axis], -1), axis=-1)
            count = np.size(k)
            units = [
                resized(integral(_eye(2, lbnd, scl)[0] * 0, m, list(row), lbnd, scl), len(totals))
                for row in np.eye(count)
            ]
            bars = conj(np.stack(units)) @ totals if count else np.zeros(0)
            return bars.reshape(np.shape(k))

        return y, lambda y_bar: (Thunk(c_bar, y_bar), None, Thunk(k_bar, y_bar))

    rrule(der)(der_rule)
    rrule(integral)(leading(int_rule, active=3))


def _eye(n: int, *others: Any) -> Any:
    """The unit matrix, complex where a spacing or a bound is."""
    return np.eye(n, dtype=np.result_type(np.float64, *map(np.asarray, others)))


def _fits(base: Base) -> None:
    fit = base["fit"]

    def fit_rule(x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None) -> Any:
        """Linear least squares, through all that is in the matrix."""
        c = fit(x, y, deg, rcond, full, w)
        degrees = np.arange(int(deg) + 1) if np.ndim(deg) == 0 else np.sort(np.asarray(deg))
        n = int(degrees[-1]) + 1

        def fit_pullback(y_bar: Any) -> Any:
            def bars() -> Any:
                v, slopes = values_at(base, x, n)[:, degrees], slopes_at(base, x, n)[:, degrees]
                return fit_bars(v, slopes, y, w, y_bar, full, rcond, lambda g: g[degrees])

            x_bar, values_bar, w_bar = (Thunk(lambda i=i: bars()[i]) for i in range(3))
            return x_bar, values_bar, None, None, None, w_bar

        return c, fit_pullback

    rrule(fit)(leading(fit_rule, active=6))


for base in BASES:
    for declare in (_value, _vander, _calculus, _fits):
        declare(base)
    for name in ("val2d", "val3d"):
        _values_of_many(base, name)
    for name in ("grid2d", "grid3d"):
        _values_on_grids(base, name)
    if hasattr(base.module, f"{base.prefix}valnd"):  # since NumPy 2.5
        _values_of_tuples(base, base["valnd"])

scalar_rule(_modules.chebyshev.chebweight, lambda y, x: y * x / (1.0 - x * x))
scalar_rule(_modules.legendre.legweight, 0.0)
scalar_rule(_modules.hermite.hermweight, lambda y, x: -2.0 * x * y)
scalar_rule(_modules.hermite_e.hermeweight, lambda y, x: -x * y)
scalar_rule(_modules.laguerre.lagweight, lambda y, x: -y)
non_differentiable(_modules.polyutils.format_float, _modules.set_default_printstyle)
unsupported(
    "keeps its coefficients in an object of its own; work with arrays of coefficients and the functions of its module, "
    "polyval, polymul, polyder ..., which have rules",
    _modules.Polynomial, _modules.Chebyshev, _modules.Legendre, _modules.Hermite, _modules.HermiteE, _modules.Laguerre,
)  # fmt: skip


def polyvalfromroots_rule(x: Any, r: Any, tensor: bool = True) -> Any:
    """The product of the other factors."""
    y = _modules.polynomial.polyvalfromroots(x, r, tensor)
    points, a = as_array(x), series(r)
    spread = points.ndim if tensor and isinstance(x, (list, tuple, np.ndarray)) else 0
    a_shape = a.shape + (1,) * spread

    def each(y_bar: Any) -> Any:
        factors = points - a.reshape(a_shape)
        return conj(_rest_products(factors)) * y_bar

    def r_bar(y_bar: Any) -> Any:
        t = each(y_bar)
        shape = (len(a), *(1,) * (t.ndim - len(a_shape)), *a_shape[1:])
        return -unbroadcast(t, shape).reshape(a.shape)

    def x_bar(y_bar: Any) -> Any:
        return np.sum(each(y_bar), axis=0)

    return y, lambda y_bar: (Thunk(x_bar, y_bar), Thunk(r_bar, y_bar))


rrule(_modules.polynomial.polyvalfromroots)(leading(polyvalfromroots_rule, active=2))
