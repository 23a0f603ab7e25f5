"""The implicit function theorem, as Newton steps that change nothing but the derivatives.

Let ``r(x, p) = c``, with c the residual at the x that was found, and A the constant Jacobian of r by x there. The step

    x <- x - A^-1 (r(x, p) - c)

leaves the value. A first one, from the constant x, gives it the derivative ``-A^-1 r_p``, that of the solution. The
error of a series in the change of p is multiplied by ``1 - A^-1 r_x``, which is of first order: so each step makes one
more order of derivatives right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...rules import frule, rrule
from ...tangents import NoTangent, NotImplementedDerivative, unthunk

DIRECTLY = 64  # unknowns, of which the Jacobian is computed as a whole
AT_MOST = 2000  # where GMRES fails
TRIED = 6  # steps of conjugate gradients in which a preconditioner has to show its worth


class Linear:
    """An invertible constant linear map of many unknowns, by its products; `solved` inverts it.

    What the products capture may vary, while the map does not: so they are not found in the object. One that is
    `convex`, symmetric without negative eigenvalues, is inverted by conjugate gradients, as long as these do.
    """

    def __init__(
        self, n: int, product: Callable[[Any], Any], transposed: Callable[[Any], Any], convex: bool = False
    ):  # fmt: skip
        self.n = n
        self.convex = convex
        self.near: Any = None  # the inverse of its band next to the diagonal; False where that is of no use
        PRODUCTS[self] = (product, transposed)

    def inverse(self, b: Any, transposed: bool) -> Any:
        from scipy.sparse.linalg import LinearOperator, cg, gmres  # type: ignore[import-untyped]

        b = np.asarray(b, float)
        product = PRODUCTS[self][transposed]
        size = np.linalg.norm(b)
        if size == 0.0 or not np.isfinite(size):
            return b * 1.0
        operator = LinearOperator((self.n, self.n), matvec=product, dtype=float)
        if self.convex:
            if self.near is None:
                self.near = inverse_of_band(product, self.n)
            for near, most in ((self.near, TRIED), (None, 2 * self.n)):
                if near is False:
                    continue
                x, failed = cg(operator, b / size, rtol=1e-11, atol=0.0, maxiter=most, M=near)
                if not failed and np.linalg.norm(product(x) - b / size) <= 1e-9:
                    return x * size
                self.near = False
        x, failed = gmres(operator, b / size, rtol=1e-11, atol=0.0, restart=min(self.n, 100), maxiter=50)
        if not failed:
            return x * size
        if self.n > AT_MOST:
            raise NotImplementedDerivative(
                f"GMRES did not solve the linear system for the derivative ({self.n} unknowns): the Jacobian at "
                "the solution is singular or badly scaled"
            )
        columns = [product(e) for e in np.eye(self.n)]
        return np.linalg.solve(invertible(np.stack(columns, axis=1)), b)


def inverse_of_band(product: Callable[[Any], Any], n: int) -> Any:
    """The inverse of a symmetric positive definite matrix by its products, as if it were tridiagonal; else False.

    Chains of unknowns have such Hessians: three products tell all of one, and conjugate gradients end at once.
    """
    from scipy import linalg  # type: ignore[import-untyped]
    from scipy.sparse.linalg import LinearOperator

    band = np.zeros((2, n))  # the diagonal above the main one, that one
    for first in range(3):
        column = np.ravel(product((np.arange(n) % 3 == first) * 1.0))
        band[1, first::3] = column[first::3]
        above = column[max(first - 1, 0) :: 3] if first else column[2::3]
        band[0, (first or 3) :: 3] = above[: len(band[0, (first or 3) :: 3])]
    try:
        factor = linalg.cholesky_banded(band)
    except (np.linalg.LinAlgError, ValueError):
        return False
    return LinearOperator((n, n), matvec=lambda r: linalg.cho_solve_banded((factor, False), np.ravel(r)), dtype=float)


PRODUCTS: WeakKeyDictionary[Linear, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = WeakKeyDictionary()


def solved(linear: Linear, b: Any, transposed: bool = False) -> Any:
    """The solution of a linear system."""
    return linear.inverse(b, transposed)


@rrule(solved)
def solved_rule(linear: Linear, b: Any, transposed: bool = False) -> Any:
    def solved_pullback(y_bar: Any) -> Any:
        return (NoTangent(), solved(linear, y_bar, not transposed), NoTangent())

    return solved(linear, b, transposed), lambda y_bar: solved_pullback(y_bar)[: 2 + (transposed is not False)]


@frule(solved)
def solved_forward(primals: Any, tangents: Any) -> Any:
    linear, b, *rest = primals
    return solved(linear, b, *rest), solved(linear, unthunk(tangents[1]), *rest)


def corrected(config: Any, x: Any, residual: Callable[[Any], Any], linear: Any) -> Any:
    """`x`, with the derivatives of the solution of ``residual(x) = c``; `linear`: the Jacobian there, or a `Linear`."""
    r = config.plainly(residual, x)
    for _ in range(config.orders()):
        step = residual(x) - r
        if isinstance(linear, Linear):
            x = x - solved(linear, step)
        elif np.ndim(step):
            x = x - np.linalg.solve(linear, step)
        else:
            x = as_found(x, x - step / linear)
    return x


def as_found(x: Any, y: Any) -> Any:
    """A new number of the class of the old one."""
    return float(y) if type(x) is float else y


def jacobian_of(config: Any, residual: Callable[[Any], Any], x: Any, symmetric: bool = False) -> Any:
    """The Jacobian of the residual at `x`, as `corrected` takes it. Called plainly.

    Raises:
        NotImplementedDerivative: it is singular.
    """
    n = np.size(x)
    if n > DIRECTLY:
        forward = lambda v: config.jvp(residual, (x,), (np.ravel(v),))[1]
        backward = lambda v: config.gradient(lambda z: np.dot(np.ravel(v), residual(z)), x)[0]
        return Linear(n, forward, forward if symmetric else backward)
    (a,) = config.jacobian(residual, x)
    return invertible(np.zeros(np.shape(x) * 2) if a is None else a)


def invertible(a: Any, what: str = "the Jacobian at the solution") -> Any:
    """A matrix or number, if it has an inverse."""
    if not np.all(np.isfinite(a)):
        raise NotImplementedDerivative(f"{what} is not finite: the derivative of the solution is not defined there")
    if np.ndim(a) == 0:
        singular = a == 0
    else:
        scale = np.max(np.abs(a), axis=1, initial=0.0)
        singular = a.size and (np.any(scale == 0) or np.linalg.cond(a / scale[:, None]) > 1e13)
    if singular:
        raise NotImplementedDerivative(f"{what} is singular: the derivative of the solution is not defined there")
    return a
