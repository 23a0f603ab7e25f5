"""Boundary value problems: `scipy.integrate.solve_bvp`.

The solution on the mesh solves the collocation equations of order four, so the implicit function theorem gives its
derivatives and those of the unknown parameters. With J the Jacobians of the right-hand side at both ends and in the
middle of an interval of width h, the derivative of an equation with respect to the states at its ends is

    -1 - h/6 (J0 + 2 Jm) - h^2/12 Jm J0,   1 - h/6 (J1 + 2 Jm) + h^2/12 Jm J1.

See Kierzenka and Shampine, ACM Trans. Math. Softw. 27 (2001).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]
from scipy.interpolate import CubicHermiteSpline  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..solutions import converged, with_values
from .complex_states import parts, whole
from .switches import refuse_moving, switches

TWO_SIDES = "write both sides of that place as one problem on 0 .. 1, joined by boundary conditions"


@program(integrate.solve_bvp)
def solve_bvp_program(
    config: Any, fun: Any, bc: Any, x: Any, y: Any, p: Any = None, S: Any = None, *options: Any, **named: Any
) -> Any:
    found = config.plainly(integrate.solve_bvp, fun, bc, x, y, p, S, *options, **named)
    if S is not None:
        raise NotImplementedDerivative("the singular term S is not implemented")
    converged(found.success, found.message)
    is_complex = found.y.dtype.kind == "c"
    if is_complex:
        given, given_ends = fun, bc
        fun = lambda x, y, *p: parts(np.asarray(given(x, whole(y), *map(whole, p))))
        bc = lambda a, b, *p: parts(np.asarray(given_ends(whole(a), whole(b), *map(whole, p))))
        found = config.plainly(in_parts, found)
    n, m = found.y.shape
    size = n * m
    x = np.asarray(x, float)
    share = (found.x - found.x[0]) / (found.x[-1] - found.x[0])  # of the mesh, which ends where it is told
    x = x[0] + (x[-1] - x[0]) * share
    h = np.diff(x)
    slopes = lambda x, y, p: np.asarray(fun(x, y) if found.p is None else fun(x, y, p))
    ends = lambda a, b, p: np.asarray(bc(a, b) if found.p is None else bc(a, b, p))

    def middle(y: Any, p: Any) -> Any:
        f = slopes(x, y, p)
        between = 0.5 * (y[:, 1:] + y[:, :-1]) - 0.125 * h * (f[:, 1:] - f[:, :-1])
        return f, slopes(x[:-1] + 0.5 * h, between, p), between

    def residual(z: Any) -> Any:
        y, p = np.reshape(z[:size], (n, m)), z[size:]
        f, f_middle, _ = middle(y, p)
        collocation = y[:, 1:] - y[:, :-1] - h / 6.0 * (f[:, 1:] + f[:, :-1] + 4.0 * f_middle)
        return np.concatenate([np.ravel(collocation), ends(y[:, 0], y[:, -1], p)])

    def jacobian(y: Any, p: Any) -> Any:
        """Of the residual: of all points at once, as the right-hand side takes them."""
        _, _, between = middle(y, p)
        by_y, q = jacobians(config, slopes, x, y, p)
        y_middle, q_middle = jacobians(config, slopes, x[:-1] + 0.5 * h, between, p)
        eye, w = np.eye(n)[:, :, None], h[None, None, :]
        product = lambda a, b: np.einsum("ijk,jlk->ilk", a, b)
        before = -eye - w / 6 * (by_y[..., :-1] + 2 * y_middle) - w**2 / 12 * product(y_middle, by_y[..., :-1])
        after = eye - w / 6 * (by_y[..., 1:] + 2 * y_middle) + w**2 / 12 * product(y_middle, by_y[..., 1:])
        by_p = q_middle - 0.125 * w * product(y_middle, q[..., 1:] - q[..., :-1])
        by_p = -w / 6 * (q[..., 1:] + q[..., :-1] + 4 * by_p)
        k = np.arange(m - 1)
        a = np.zeros((size + len(p), size + len(p)))
        for i in range(n):
            for j in range(n):
                a[i * (m - 1) + k, j * m + k] = before[i, j]
                a[i * (m - 1) + k, j * m + k + 1] = after[i, j]
            a[i * (m - 1) + k[:, None], size + np.arange(len(p))] = by_p[i].T
        parts = config.jacobian(ends, y[:, 0], y[:, -1], p)
        last = slice(n * (m - 1), None)
        places = np.arange(n) * m, np.arange(n) * m + m - 1, size + np.arange(len(p))
        for columns, part in zip(places, parts, strict=True):
            if part is not None and len(columns):
                a[last, columns] = part
        return a

    p0 = np.zeros(0) if found.p is None else found.p
    slope = lambda t, y: slopes(np.array([t]), y[:, None], p0)[:, 0]
    path, rough = config.plainly(switches, slope, found.x, found.y.T, config.orders())
    if rough:
        config.plainly(refuse_moving, path, rough, config.nearby(slope), TWO_SIDES)
    a = config.plainly(jacobian, found.y, p0)
    z = config.plainly(np.concatenate, [np.ravel(found.y), p0])
    r = config.plainly(residual, z)
    for _ in range(config.orders()):  # of Newton, with the constant Jacobian: each makes one more order right
        z = z - np.linalg.solve(a, residual(z) - r)
    y, p = np.reshape(z[:size], (n, m)), z[size:]
    yp = slopes(x, y, p)
    if is_complex:
        y, yp, p = whole(y), whole(yp), whole(p)
    named = {"x": x, "y": y, "yp": yp, "sol": CubicHermiteSpline(x, y, yp, axis=1)}
    return with_values(found, **named) if found.p is None else with_values(found, p=p, **named)


def in_parts(found: Any) -> Any:
    """A result with complex states and unknown parameters, in real and imaginary parts. Called plainly."""
    return with_values(found, y=parts(found.y), p=None if found.p is None else parts(found.p))


def jacobians(config: Any, slopes: Any, x: Any, y: Any, p: Any) -> Any:
    """The derivatives of the right-hand side with respect to states and parameters, at each point by itself."""
    n, m = y.shape
    unit = lambda i: np.eye(n)[:, i][:, None] + np.zeros((n, m))
    none = np.zeros((n, m))
    part = lambda pair: none if pair[1] is None else pair[1]
    of_y = [part(config.jvp(lambda y: slopes(x, y, p), (y,), (unit(i),))) for i in range(n)]
    of_p = [part(config.jvp(lambda p: slopes(x, y, p), (p,), (e,))) for e in np.eye(len(p))]
    return np.stack(of_y, axis=1), np.stack(of_p, axis=1) if of_p else np.zeros((n, 0, m))
