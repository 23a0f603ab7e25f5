"""Single steps of solvers of ordinary differential equations, as differentiable code.

Those of Runge-Kutta methods are SciPy's own, operation by operation. Implicit methods choose orders and step sizes by
their history; on their steps the collocation method Radau IIA of order 5 is used. See Hairer and Wanner, Solving
Ordinary Differential Equations II, section IV.8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import DOP853  # type: ignore[import-untyped]

from ....rules import frule, rrule
from ....tangents import is_absent, unthunk

Function = Callable[[Any, Any], Any]


def combination(y: Any, h: Any, a: Any, *ks: Any) -> Any:
    """``y + h * sum(a_i k_i)``; the weights `a` are constants."""
    return y + np.dot(np.array(ks).T, a) * h


@rrule(combination)
def combination_rule(y: Any, h: Any, a: Any, *ks: Any) -> Any:
    def combination_pullback(y_bar: Any) -> Any:
        slope = np.dot(np.stack(ks).T, a)
        return (y_bar, np.sum(y_bar * slope), None, *[y_bar * (h * w) for w in a])

    return combination(y, h, a, *ks), combination_pullback


@frule(combination)
def combination_forward(primals: Any, tangents: Any) -> Any:
    y, h, a, *ks = primals
    y_dot, h_dot, _, *k_dots = tangents
    found = np.zeros(np.shape(y)) if is_absent(y_dot) else unthunk(y_dot) * 1.0
    if not is_absent(h_dot):
        found = found + np.dot(np.stack(ks).T, a) * unthunk(h_dot)
    for w, k_dot in zip(a, k_dots, strict=True):
        if not is_absent(k_dot):
            found = found + unthunk(k_dot) * (h * w)
    return combination(y, h, a, *ks), found


def explicit_step(fun: Function, method: Any, t: Any, y: Any, f: Any, h: Any) -> Any:
    """A step of a Runge-Kutta method: the new state, its slope, and the slopes of all stages."""
    ks = [f]
    for a, c in zip(method.A[1:], method.C[1:], strict=True):
        ks.append(fun(t + c * h, combination(y, h, a[: len(ks)], *ks)))
    y_new = combination(y, h, method.B, *ks)
    f_new = fun(t + h, y_new)
    return y_new, f_new, [*ks, f_new]


def explicit_interpolant(fun: Function, method: Any, t: Any, y: Any, h: Any, y_new: Any, f_new: Any, ks: Any) -> Any:
    """The function of time that the method's dense output is on a step: SciPy's, for numbers."""
    if issubclass(method, DOP853):
        ks = list(ks)
        for a, c in zip(method.A_EXTRA, method.C_EXTRA, strict=True):
            ks.append(fun(t + c * h, combination(y, h, a[: len(ks)], *ks)))
        delta = y_new - y
        terms = [delta, h * ks[0] - delta, 2 * delta - h * (f_new + ks[0])]
        terms = terms + [h * np.dot(d, np.stack(ks)) for d in method.D]

        def of_eighth_order(s: Any) -> Any:
            x = (s - t) / h
            found = np.zeros(np.shape(y))
            for i, term in enumerate(reversed(terms)):
                found = (found + term) * (x if i % 2 == 0 else 1 - x)
            return found + y

        return of_eighth_order
    q = np.stack(ks).T.dot(method.P)
    powers = np.arange(1, q.shape[1] + 1)
    return lambda s: h * np.dot(q, ((s - t) / h) ** powers) + y


ROOT6 = 6**0.5
NODES = np.array([(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1.0])
RADAU = np.array([
    [(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225],
    [(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225],
    [(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1 / 9],
])  # fmt: skip
NEAR = 1e-12  # of the states
THROUGH = np.linalg.inv(np.vander(np.concatenate([[0.0], NODES]), 4, increasing=True))


def implicit_step(config: Any, fun: Function, t: Any, y: Any, h: Any, guess: Any) -> Any:
    """A step of the collocation method: the states at its nodes, one in each row; the last is the new state."""
    z, inverse = config.plainly(collocated, jacobian_of(config, fun), fun, t, y, h, guess)
    r = config.plainly(residual, fun, t, y, h, z)
    for _ in range(config.orders()):
        z = z - np.reshape(np.dot(inverse, np.ravel(residual(fun, t, y, h, z) - r)), np.shape(z))
    return z


def residual(fun: Function, t: Any, y: Any, h: Any, z: Any) -> Any:
    """Of the collocation equations."""
    slopes = np.stack([fun(t + c * h, row) for c, row in zip(NODES, z, strict=True)])
    return z - y - h * np.dot(RADAU, slopes)


def collocated(jacobian: Function, fun: Function, t: Any, y: Any, h: Any, guess: Any, inverted: bool = True) -> Any:
    """The states at the nodes by Newton's method, and the inverse of the system's Jacobian there. Called plainly.

    A Jacobian in the middle of the step serves the first iterations, as long as these come nearer. Unless it is to be
    `inverted`, that is all where it suffices.
    """

    def moved(z: Any, inverse: Any) -> tuple[Any, float]:
        step = np.dot(inverse, residual(fun, t, y, h, z).ravel()).reshape(z.shape)
        return z - step, np.max(np.abs(step)) / (1e-6 + np.max(np.abs(z - step)))

    z, size = guess, np.inf
    inverse = np.linalg.inv(system_of([jacobian(t + NODES[1] * h, guess[1])] * 3, h))
    for _ in range(20):
        nearer, change = moved(z, inverse)
        if not change < 0.5 * size:
            break
        z, size = nearer, change
        if size <= NEAR:
            break
    for _ in range(20):
        if size <= NEAR and not inverted:
            break
        inverse = np.linalg.inv(system_of([jacobian(t + c * h, row) for c, row in zip(NODES, z, strict=True)], h))
        z, size = moved(z, inverse)
        if size <= NEAR:
            break
    return z, inverse


def system_of(blocks: Any, h: Any) -> Any:
    """The Jacobian of the collocation equations, from those of the slopes at the nodes."""
    n = len(blocks[0])
    system = np.eye(3 * n)
    for j, block in enumerate(blocks):
        for i in range(3):
            system[i * n : (i + 1) * n, j * n : (j + 1) * n] -= h * RADAU[i, j] * block
    return system


def jacobian_of(config: Any, fun: Function) -> Function:
    """The Jacobian of the slope by the state."""

    def jacobian(t: Any, y: Any) -> Any:
        found = config.jacobian(lambda v: fun(t, v), y)[0]
        return np.zeros((len(y), len(y))) if found is None else found

    return jacobian


def implicit_interpolant(t: Any, y: Any, h: Any, z: Any) -> Any:
    """The collocation polynomial of a step."""
    coefficients = np.dot(THROUGH, np.concatenate([y[None], z]))
    return lambda s: np.dot(((s - t) / h) ** np.arange(4), coefficients)
