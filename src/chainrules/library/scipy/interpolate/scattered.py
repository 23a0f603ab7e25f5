"""Interpolation between scattered points: simplices, nearest points, radial functions."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from scipy import interpolate as si  # type: ignore[import-untyped]
from scipy.spatial.distance import cdist  # type: ignore[import-untyped]

from ....declarations import unsupported
from ....programs import program
from ....tangents import NotImplementedDerivative
from ..objects import adopt
from ..solutions import moved_as
from .grids import coordinates

Linear, Nearest, Clough = si.LinearNDInterpolator, si.NearestNDInterpolator, si.CloughTocher2DInterpolator
Base = Linear.__mro__[1]


def set_data(config: Any, self: Any, made: Any, points: Any, values: Any) -> None:
    """Points and values of an interpolator; scale and offset of the points change no result."""
    points = points.points if hasattr(points, "simplices") else coordinates(config, points)
    if made.scale is not None:
        points = (points - made.offset) / made.scale
    values = np.asarray(values)
    self.points, self.values = points, values if values.dtype.kind == "c" else np.asarray(values, float)


@program(Linear.__init__)
def linear_init(
    config: Any, self: Any, points: Any, values: Any, fill_value: Any = np.nan, rescale: Any = False
) -> None:
    made = adopt(config, self, Linear, points, values, fill_value, rescale)
    set_data(config, self, made, points, values)
    self.values = np.reshape(self.values, (len(self.values), -1))
    self.fill_value = fill_value


@program(Base.__call__)
def linear_call(config: Any, self: Any, *args: Any, simplex_tolerance: Any = 1.0) -> Any:
    """Barycentric coordinates in the simplex of each point: ``sum w_j (p_j - p_d) = x - p_d``."""
    if not isinstance(self, Linear):
        raise NotImplementedDerivative("its gradients are found in steps that have no derivative; use method='linear'")
    d = self.points.shape[1]
    x = coordinates(config, args, d)
    shape = (*x.shape[:-1], *self.values_shape)
    x = np.reshape(x, (-1, d))
    x = (x - self.offset) / self.scale if self.scale is not None else x
    i = config.plainly(found_in, self.tri, x, 100 * np.finfo(float).eps * simplex_tolerance)
    corners = self.tri.simplices[np.maximum(i, 0)]
    p = self.points[corners]
    edges = np.swapaxes(p[:, :-1] - p[:, -1:], 1, 2)
    w = np.linalg.solve(edges, (x - p[:, -1])[:, :, None])
    w = np.concatenate([w, 1.0 - np.sum(w, axis=1)[:, None]], axis=1)
    y = np.sum(w * self.values[corners], axis=1)
    return np.reshape(np.where((i >= 0)[:, None], y, self.fill_value), shape)


def found_in(triangulation: Any, x: Any, tolerance: float) -> Any:
    """The simplex of each point; of a triangulation whose points vary, by the constant one."""
    return copy(getattr(triangulation, "_made", triangulation)).find_simplex(x, tol=tolerance)


@program(Nearest.__init__)
def nearest_init(config: Any, self: Any, x: Any, y: Any, rescale: Any = False, tree_options: Any = None) -> None:
    made = adopt(config, self, Nearest, x, y, rescale, tree_options)
    set_data(config, self, made, x, y)


@program(Nearest.__call__)
def nearest_call(config: Any, self: Any, *args: Any, **named: Any) -> Any:
    d = self.points.shape[1]
    x = coordinates(config, args, d)
    x = config.plainly(np.asarray, (x - self.offset) / self.scale if self.scale is not None else x)
    distance, i = config.plainly(self.tree.query, x, **named)
    there = config.plainly(np.isfinite, distance)
    y = self.values[np.where(there, i, 0)]
    return np.where(np.reshape(there, (*there.shape, *(1,) * (self.values.ndim - 1))), y, np.nan)


unsupported(
    "finds gradients in steps that have no derivative; use LinearNDInterpolator or RBFInterpolator", Clough.__init__
)

# Radial functions of the square of the distance, or of the distance where that is the smoother way.
OF_SQUARES: dict[str, Any] = {
    "multiquadric": lambda s: -np.sqrt(s + 1.0),
    "inverse_multiquadric": lambda s: 1.0 / np.sqrt(s + 1.0),
    "inverse_quadratic": lambda s: 1.0 / (s + 1.0),
    "gaussian": lambda s: np.exp(-s),
    "thin_plate_spline": lambda s: np.where(s > 0, 0.5 * s * np.log(np.where(s > 0, s, 1.0)), 0.0),
}
OF_DISTANCES: dict[str, Any] = {"linear": lambda r: -r, "cubic": lambda r: r * r * r, "quintic": lambda r: -(r**5)}


def radial(kernel: str, x: Any, y: Any, epsilon: Any) -> Any:
    if kernel in OF_SQUARES:
        return OF_SQUARES[kernel](cdist(x, y, "sqeuclidean") * epsilon**2)
    return OF_DISTANCES[kernel](cdist(x, y) * epsilon)


def monomials(x: Any, powers: Any, shift: Any, scale: Any) -> Any:
    return np.prod(((x - shift) / scale)[:, None, :] ** powers, axis=2)


def coefficients(config: Any, rbf: Any, y: Any, d: Any, smoothing: Any, found: Any, shift: Any, scale: Any) -> Any:
    """The solution ``found`` of the system of the interpolant, with its derivatives: those of a linear system."""
    n, m = len(y), len(rbf.powers)

    def residual(c: Any) -> Any:
        p = monomials(y, rbf.powers, shift, scale)
        weights, rest = c[:n], c[n:]
        first = radial(rbf.kernel, y, y, rbf.epsilon) @ weights + smoothing[:, None] * weights + p @ rest - d
        return np.concatenate([first, p.T @ weights])

    a = config.plainly(system, rbf.kernel, y, rbf.epsilon, smoothing, rbf.powers, shift, scale)
    c, r = found, config.plainly(residual, found)
    for _ in range(config.orders()):
        c = c - np.linalg.solve(a, residual(c) - r)
    return np.reshape(c, (n + m, -1))


def system(kernel: str, y: Any, epsilon: Any, smoothing: Any, powers: Any, shift: Any, scale: Any) -> Any:
    p = monomials(y, powers, shift, scale)
    none = np.zeros((len(powers), len(powers)))
    return np.block([[radial(kernel, y, y, epsilon) + np.diag(smoothing), p], [p.T, none]])


RBF = si.RBFInterpolator


@program(RBF.__init__)
def rbf_init(
    config: Any, self: Any, y: Any, d: Any, neighbors: Any = None, smoothing: Any = 0.0,
    kernel: Any = "thin_plate_spline", epsilon: Any = None, degree: Any = None,
) -> None:  # fmt: skip
    made = adopt(config, self, RBF, y, d, neighbors, smoothing, kernel, epsilon, degree)
    d = np.asarray(d)
    if d.dtype.kind == "c":
        raise NotImplementedDerivative(
            "complex data are not implemented: interpolate the real and the imaginary part separately"
        )
    self.y = np.asarray(y, float)
    self.d = np.reshape(np.asarray(d, float), (len(self.y), -1))
    self.smoothing = np.asarray(smoothing, float) + np.zeros(len(self.y))
    self.epsilon = made.epsilon if epsilon is None else epsilon
    if neighbors is None:
        self._coeffs = coefficients(
            config, self, self.y, self.d, self.smoothing, made._coeffs, made._shift, made._scale
        )


@program(RBF.__call__)
def rbf_call(config: Any, self: Any, x: Any) -> Any:
    x = np.asarray(x, float)
    if self.neighbors is not None:
        return by_neighbours(config, self, x)
    found = config.plainly(self, x)
    y = values(self, x, self.y, self._coeffs, self._shift, self._scale)
    return moved_as(config, found, np.reshape(y, (len(x), *self.d_shape)))


def values(self: Any, x: Any, y: Any, c: Any, shift: Any, scale: Any) -> Any:
    n = len(y)
    return radial(self.kernel, x, y, self.epsilon) @ c[:n] + monomials(x, self.powers, shift, scale) @ c[n:]


def by_neighbours(config: Any, self: Any, x: Any) -> Any:
    """For each set of nearest points an interpolant of its own."""
    near = config.plainly(self._tree.query, x, self.neighbors)[1]
    near = np.sort(np.reshape(near, (len(x), -1)), axis=1)
    groups, group = np.unique(near, axis=0, return_inverse=True)
    group = np.ravel(group)
    rows, order = [], []
    for g, i in enumerate(groups):
        here = np.flatnonzero(group == g)
        y, d, smoothing = self.y[i], self.d[i], self.smoothing[i]
        found, shift, scale = config.plainly(solved, self.kernel, y, d, self.epsilon, smoothing, self.powers)
        c = coefficients(config, self, y, d, smoothing, found, shift, scale)
        rows.append(values(self, x[here], y, c, shift, scale))
        order.append(here)
    back = np.argsort(np.concatenate(order))
    return np.reshape(np.concatenate(rows)[back], (len(x), *self.d_shape))


def solved(kernel: str, y: Any, d: Any, epsilon: Any, smoothing: Any, powers: Any) -> Any:
    low, high = np.min(y, axis=0), np.max(y, axis=0)
    shift, scale = 0.5 * (high + low), np.where(high > low, 0.5 * (high - low), 1.0)
    right = np.concatenate([d, np.zeros((len(powers), d.shape[1]))])
    return np.linalg.solve(system(kernel, y, epsilon, smoothing, powers, shift, scale), right), shift, scale
