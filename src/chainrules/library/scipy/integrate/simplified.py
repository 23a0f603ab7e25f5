"""Collocation equations by simplified Newton iterations, with one Jacobian for many steps, in both directions.

The matrix A of Radau IIA has a real eigenvalue and a complex pair, ``A = T D T^-1`` with real T and

        (gamma            )
    D = (      alpha -beta)    so that    1 - h A x J = (T x 1) (1 - h D x J) (T^-1 x 1)
        (      beta  alpha)

is solved with one real and one complex matrix of the size of J. See Hairer and Wanner, Solving Ordinary Differential
Equations II, section IV.8. Where the iterations do not converge, the caller takes the Jacobians at all nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs, zgetrf, zgetrs  # type: ignore[import-untyped]

from .steps import NEAR, NODES, RADAU, residual

FEW = 10  # states, up to which Jacobians at all nodes cost no more than iterations
MOST = 20  # iterations
ENOUGH = 5  # iterations of a step whose Jacobian is near
NEARER = 0.5  # what an iteration leaves of the error, at the most
NEAR_BACK = 1e-13  # of the largest component


def _real_form() -> tuple[float, complex, Any]:
    """``gamma``, ``alpha + i beta``, and T."""
    values, vectors = np.linalg.eig(RADAU)
    real, one = int(np.argmin(np.abs(values.imag))), int(np.argmin(values.imag))
    t = np.stack([vectors[:, real].real, vectors[:, one].real, vectors[:, one].imag], axis=1)
    return float(values[real].real), complex(values[one].conjugate()), t


GAMMA, PAIR, T = _real_form()
T_INVERSE = np.linalg.inv(T)


class Factors:
    """``1 - h A x J`` for one matrix J, factorized.

    >>> from scipy.linalg import solve
    >>> jacobian, r = np.array([[-2.0, 1.0], [0.5, -3.0]]), np.arange(6.0).reshape(3, 2)
    >>> system = np.eye(6) - 0.1 * np.kron(RADAU, jacobian)
    >>> factors = Factors(jacobian, 0.1)
    >>> bool(np.allclose(factors.solved(r).ravel(), solve(system, r.ravel())))
    True
    >>> bool(np.allclose(factors.solved(r, True).ravel(), solve(system.T, r.ravel())))
    True
    """

    def __init__(self, jacobian: Any, h: float):
        one = np.eye(len(jacobian))
        *self.real, _ = dgetrf(one - (h * GAMMA) * jacobian)
        *self.pair, _ = zgetrf(one - (h * PAIR) * jacobian)

    def solved(self, r: Any, transposed: bool = False) -> Any:
        """What solves the system, or the `transposed` one, for `r`; both have one row for each node."""
        into, back = (T.T, T_INVERSE.T) if transposed else (T_INVERSE, T)
        rows = into @ r
        rows[0], _ = dgetrs(*self.real, rows[0], trans=transposed)
        # Of two rows u and v, D multiplies u + i v by alpha + i beta, and its transpose u - i v.
        pair = rows[1] - 1j * rows[2] if transposed else rows[1] + 1j * rows[2]
        pair, _ = zgetrs(*self.pair, pair, trans=transposed)
        rows[1], rows[2] = pair.real, -pair.imag if transposed else pair.imag
        return back @ rows


def nodes_of(factors: Factors, fun: Callable, t: float, y: Any, h: float, guess: Any) -> tuple[Any, int] | None:
    """The states at the nodes of a step, and after how many iterations; None where they do not converge."""
    z, size = guess, np.inf
    for count in range(1, MOST + 1):
        try:
            change = factors.solved(residual(fun, t, y, h, z))
        except (ArithmeticError, ValueError):  # states for which there is no slope
            return None
        z = z - change
        before, size = size, np.max(np.abs(change)) / (1e-6 + np.max(np.abs(z)))
        if not size < NEARER * before:
            return None
        if size <= NEAR:
            return z, count
    return None


def adjoint_of(factors: Factors, through: Callable[[Any], Any], bars: Any) -> Any:
    """``l - J^T h A^T l = bars`` with the Jacobians at the nodes; None where the iterations do not converge.

    Args:
        factors: of a system with a Jacobian close by.
        through: gives ``J^T h A^T l``.
        bars: one row for each node.
    """
    found, size = factors.solved(bars, True), np.inf
    for _ in range(MOST):
        change = factors.solved(bars - found + through(found), True)
        found = found + change
        before, size = size, np.max(np.abs(change)) / np.max(np.abs(found))
        if not size < NEARER * before:
            return None
        if size <= NEAR_BACK:
            return found
    return None


class Jacobian:
    """The Jacobian of a slope for a stretch of steps.

    Attributes:
        place: time and state where it was made; None: there is none now.
    """

    def __init__(self, jacobian: Callable[[float, Any], Any]):
        self._jacobian = jacobian
        self.place: tuple[float, Any] | None = None
        self._matrix: Any = None
        self._factors: tuple[float, Factors] | None = None

    def make(self, t: float, y: Any) -> None:
        """Make it at a place, unless it is from there."""
        if self.place is None or self.place[0] != t or self.place[1] is not y:
            self._matrix, self.place, self._factors = self._jacobian(t, y), (t, y), None

    def factors(self, h: float) -> Factors:
        """The factors for a step size."""
        if self._factors is None or self._factors[0] != h:
            self._factors = h, Factors(self._matrix, h)
        return self._factors[1]

    def step(self, fun: Callable, t: float, y: Any, h: float, guess: Any) -> Any:
        """The states at the nodes of a step; None where they do not converge, even with a Jacobian of its own."""
        is_new = self.place is None
        if is_new:
            self.make(t + NODES[1] * h, guess[1])
        found = nodes_of(self.factors(h), fun, t, y, h, guess)
        if found is None and not is_new:
            self.make(t + NODES[1] * h, guess[1])
            found = nodes_of(self.factors(h), fun, t, y, h, guess)
        return found

    def leave(self, count: int, n: int) -> None:
        """After a step of so many iterations: let it go where another one costs less than it saves in the next step.

        It takes as many calls as there are states, and an iteration takes three.
        """
        if 3 * (count - ENOUGH) > n:
            self.place = None
