"""FITPACK's splines through data: `splrep`, `splprep`, `splev` and kin, `UnivariateSpline` and its classes.

With ``s = 0`` they interpolate, and with given knots they are least-squares splines: then the solution is that of a
linear system (`fits`); see `smoothing` for the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate as si  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..objects import adopt
from .fits import fitted, interpolated
from .smoothing import knots_among, smoothed
from .splines import derivative_of, integral


def through(config: Any, c: Any, x: Any, y: Any, w: Any, t: Any, k: int, given: Any, ends: Any, s: Any) -> Any:
    """Knots and coefficients that FITPACK has found, with their derivatives.

    Args:
        config: of the program.
        c: the coefficients that were found, for data in rows as `y`.
        x: places.
        y: data.
        w: weights, or None.
        t: the knots that were found.
        k: the degree.
        given: the knots that the caller gave, without the ends; None where FITPACK chose.
        ends: first and last knot.
        s: how far the spline may keep away from the data; None where it goes through them.
    """
    ends = [np.stack([np.asarray(e, float)] * (k + 1)) for e in ends]
    n = len(t) - k - 1
    w = np.ones(len(x)) if w is None else w
    if given is not None:
        t = np.concatenate([ends[0], np.asarray(given, float), ends[1]])
        return t, fitted(config, c[:n], x, y, t, k, w)
    middle = x[(k + 1) // 2 : -((k + 1) // 2)] if k % 2 else ((x[1:] + x[:-1]) / 2)[k // 2 : -(k // 2)]
    if s is not None:
        chosen = knots_among(config, x, t, k, ends, middle)
        return chosen, smoothed(config, c[:n], x, y, chosen, k, w, s)
    chosen = np.concatenate([ends[0], middle, ends[1]])
    if n != len(x) or not config.plainly(np.allclose, chosen, t, 1e-12, 0.0):
        raise NotImplementedDerivative("FITPACK chose knots whose dependence on the places is not known")
    return chosen, interpolated(config, c[:n], x, y, chosen, k)


@program(si.splrep)
def splrep_program(
    config: Any, x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: Any = 3, task: Any = 0,
    s: Any = None, t: Any = None, full_output: Any = 0, per: Any = 0, quiet: Any = 1,
) -> Any:  # fmt: skip
    found = config.plainly(si.splrep, x, y, w, xb, xe, k, task, s, t, full_output, per, quiet)
    if per or task == 1:
        raise NotImplementedDerivative("splrep is not implemented for per=True or task=1; use make_interp_spline")
    knots, c, _ = found[0] if full_output else found
    x, y = np.asarray(x, float), np.asarray(y, float)
    w = None if w is None else np.asarray(w, float)
    ends = x[0] if xb is None else xb, x[-1] if xe is None else xe
    given = t if task == -1 or t is not None else None
    knots, inner = through(config, c, x, y, w, knots, k, given, ends, smoothing(config, s, w, len(x)))
    c = padded(inner, knots)
    return ((knots, c, k), *found[1:]) if full_output else (knots, c, k)


def padded(c: Any, t: Any) -> Any:
    """Coefficients as FITPACK keeps them: as many as there are knots."""
    return np.concatenate([c, np.zeros(len(t) - len(c))])


def smoothing(config: Any, s: Any, w: Any, m: int) -> Any:
    """How far the spline may keep away from the data; None where it interpolates."""
    if s is None and w is not None:
        return m - (2 * m) ** 0.5
    return None if s is None or config.plainly(float, s) == 0 else s


@program(si.splprep)
def splprep_program(
    config: Any, x: Any, w: Any = None, u: Any = None, ub: Any = None, ue: Any = None, k: Any = 3, task: Any = 0,
    s: Any = None, t: Any = None, full_output: Any = 0, nest: Any = None, per: Any = 0, quiet: Any = 1,
) -> Any:  # fmt: skip
    found = config.plainly(si.splprep, x, w, u, ub, ue, k, task, s, t, full_output, nest, per, quiet)
    if per or task == 1:
        raise NotImplementedDerivative("splprep is not implemented for per=True or task=1")
    (knots, c, _), _ = found[0] if full_output else found
    points = np.stack([np.asarray(row, float) for row in x], axis=1)
    if u is None:
        lengths = np.sqrt(np.sum(np.diff(points, axis=0) ** 2, axis=1))
        u = np.concatenate([np.zeros(1), np.cumsum(lengths)])
        u = u / u[-1]
    u = np.asarray(u, float)
    w = None if w is None else np.asarray(w, float)
    ends = u[0] if ub is None else ub, u[-1] if ue is None else ue
    s = smoothing(config, s, 1.0, len(u))
    given = None if task != -1 else t[k + 1 : -k - 1]
    knots, inner = through(config, np.stack(c, axis=1), u, points, w, knots, k, given, ends, s)
    made = (knots, [inner[:, i] for i in range(len(c))], k), u
    return (made, *found[1:]) if full_output else made


def evaluated(config: Any, x: Any, t: Any, c: Any, k: Any, der: Any, ext: Any) -> Any:
    """What `splev` does with one row of coefficients; ``ext`` says what holds outside, in its words.

    With ``ext=3``, FITPACK keeps the values at the ends, but extrapolates derivatives.
    """
    x = np.asarray(x, float)
    start, end = t[k], t[len(t) - k - 1]
    if ext == 3 and der == 0:
        x = np.clip(x, start, end)
    y = derivative_of(t, np.asarray(c, float), x, k, der)
    return np.where((x < start) | (x > end), 0.0, y) if ext == 1 else y


@program(si.splev)
def splev_program(config: Any, x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    config.plainly(si.splev, x, tck, der, ext)  # it raises what is to be raised
    if isinstance(tck, si.BSpline):
        return tck(x, der, extrapolate=True)
    t, c, k = tck
    if is_parametric(c):
        return [evaluated(config, x, t, row, k, der, ext) for row in c]
    return evaluated(config, x, t, c, k, der, ext)


def is_parametric(c: Any) -> bool:
    return np.ndim(c[0]) > 0


@program(si.splint)
def splint_program(config: Any, a: Any, b: Any, tck: Any, full_output: Any = 0) -> Any:
    if isinstance(tck, si.BSpline):
        return tck.integrate(a, b, extrapolate=False)
    if full_output:
        raise NotImplementedDerivative("full_output=1 is not implemented")
    t, c, k = tck
    if is_parametric(c):
        return [integral(config, t, np.asarray(row), k, a, b, False) for row in c]
    return integral(config, t, np.asarray(c), k, a, b, False)


@program(si.spalde)
def spalde_program(config: Any, x: Any, tck: Any) -> Any:
    config.plainly(si.spalde, x, tck)
    t, c, k = tck
    if is_parametric(c):
        return [all_derivatives(x, t, np.asarray(row), k) for row in c]
    return all_derivatives(x, t, np.asarray(c), k)


def all_derivatives(x: Any, t: Any, c: Any, k: int) -> Any:
    x = np.asarray(x, float)
    if x.size == 1:
        x = np.reshape(x, ())
        return np.stack([derivative_of(t, c, x, k, nu) for nu in range(k + 1)])
    found = np.stack([derivative_of(t, c, x, k, nu) for nu in range(k + 1)], axis=1)
    return [found[i] for i in range(len(found))]


@program(si.sproot)
def sproot_program(config: Any, tck: Any, mest: Any = 10) -> Any:
    t, c, k = tck.tck if isinstance(tck, si.BSpline) else tck
    if is_parametric(c):
        return [sproot_program(config, (t, row, k), mest) for row in c]
    found = config.plainly(si.sproot, (t, c, k), mest)
    return roots(config, found, t, np.asarray(c), k)


def roots(config: Any, found: Any, t: Any, c: Any, k: int) -> Any:
    slope = config.plainly(derivative_of, t, c, found, k, 1)
    if config.plainly(np.any, np.abs(slope) <= 1e-12 * np.max(np.abs(c))):
        raise NotImplementedDerivative("the slope is 0 at a root, which has no derivative there")
    x, r = found, config.plainly(derivative_of, t, c, found, k, 0)
    for _ in range(config.orders()):
        x = x - (derivative_of(t, c, x, k, 0) - r) / slope
    return x


def set_spline(
    config: Any, self: Any, made: Any, x: Any, y: Any, w: Any, bbox: Any, given: Any = None, s: Any = None
) -> None:
    """The attributes of a `UnivariateSpline`, from those of the one that SciPy makes."""
    if type(self) is not type(made) and type(self).__module__.startswith("scipy."):
        self.__class__ = type(made)  # an interpolating one, say
    t, c, k = made._eval_args
    x, y = np.asarray(x, float), np.asarray(y, float)
    w = None if w is None else np.asarray(w, float)
    ends = x[0] if bbox[0] is None else bbox[0], x[-1] if bbox[1] is None else bbox[1]
    if isinstance(made, si.InterpolatedUnivariateSpline):
        s = None
    elif s is None:
        s = len(x)
    t, inner = through(config, c, x, y, w, t, k, given, ends, s)
    c = padded(inner, t)
    misfit = (y - derivative_of(t, c, x, k, 0)) * (1.0 if w is None else w)
    data = list(made._data)
    if given is None and s is None:
        misfit = config.plainly(np.asarray, misfit)  # rounding errors
    self._eval_args = (t, c, k)
    self._data = (x, y, *data[2:7], len(t), t, c, np.sum(misfit**2), *data[11:])


@program(si.UnivariateSpline.__init__)
def univariate_init(
    config: Any, self: Any, x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, s: Any = None,
    ext: Any = 0, check_finite: Any = False,
) -> None:  # fmt: skip
    made = adopt(config, self, si.UnivariateSpline, x, y, w, bbox, k, s, ext, check_finite)
    set_spline(config, self, made, x, y, w, bbox, None, s)


@program(si.InterpolatedUnivariateSpline.__init__)
def interpolated_init(
    config: Any, self: Any, x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, ext: Any = 0,
    check_finite: Any = False,
) -> None:  # fmt: skip
    made = adopt(config, self, si.InterpolatedUnivariateSpline, x, y, w, bbox, k, ext, check_finite)
    set_spline(config, self, made, x, y, w, bbox)


@program(si.LSQUnivariateSpline.__init__)
def lsq_init(
    config: Any, self: Any, x: Any, y: Any, t: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, ext: Any = 0,
    check_finite: Any = False,
) -> None:  # fmt: skip
    made = adopt(config, self, si.LSQUnivariateSpline, x, y, t, w, bbox, k, ext, check_finite)
    set_spline(config, self, made, x, y, w, bbox, t)


MODES = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}


@program(si.UnivariateSpline.__call__)
def univariate_call(config: Any, self: Any, x: Any, nu: Any = 0, ext: Any = None) -> Any:
    config.plainly(self, x, nu, ext)  # it raises what is to be raised
    ext = self.ext if ext is None else ext
    t, c, k = self._eval_args
    return evaluated(config, x, t, c, k, nu, MODES.get(ext, ext))


@program(si.UnivariateSpline.integral)
def univariate_integral(config: Any, self: Any, a: Any, b: Any) -> Any:
    t, c, k = self._eval_args
    return integral(config, t, c, k, a, b, False)


@program(si.UnivariateSpline.derivatives)
def univariate_derivatives(config: Any, self: Any, x: Any) -> Any:
    t, c, k = self._eval_args
    return all_derivatives(x, t, c, k)


@program(si.UnivariateSpline.roots)
def univariate_roots(config: Any, self: Any) -> Any:
    t, c, k = self._eval_args
    return roots(config, config.plainly(self.roots), t, c, k)
