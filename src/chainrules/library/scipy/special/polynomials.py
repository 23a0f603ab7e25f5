"""Orthogonal polynomials with parameters: in the parameters they are finite sums of those of lower degrees.

Source: J. Froehlich, Parameter derivatives of the Jacobi polynomials and the Gaussian hypergeometric function, Integral
Transforms and Special Functions 2 (1994), 253-266.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from ....tangents import NotImplementedDerivative
from .hypergeometric import below, has_slope
from .shared import missing


def summed(name: str, term: Callable[..., Any]) -> Any:
    """The partial that is the sum of ``term(k, y, n, ...)`` over the degrees k below n."""

    def partial(y: Any, n: Any, *rest: Any) -> Any:
        if np.any(np.floor(n) != n):
            raise NotImplementedDerivative(
                f"the derivative of scipy.special.{name} with respect to its parameters is implemented for degrees "
                "that are integers"
            )
        total: Any = 0.0 * y
        for k in range(int(np.max(n, initial=0))):
            degree = np.maximum(n, k + 1)
            total = total + np.where(np.greater(n, k), term(k, y, degree, *rest), 0.0)
        return total[()] if isinstance(total, np.ndarray) else total

    return partial


def laguerre_term(k: int, y: Any, n: Any, a: Any, x: Any) -> Any:
    return sp.eval_genlaguerre(k, a, x) / np.subtract(n, k)


def gegenbauer_term(k: int, y: Any, n: Any, a: Any, x: Any) -> Any:
    apart, both = np.subtract(n, k), n + k + 2.0 * a
    lower = 2.0 * (1.0 + sign(apart)) * (k + a) / (both * apart)
    own = 2.0 * (k + 1.0) / ((k + 2.0 * a) * (2.0 * k + 2.0 * a + 1.0)) + 2.0 / both
    return lower * sp.eval_gegenbauer(k, a, x) + own * y


def jacobi_term(of_first: bool) -> Any:
    def term(k: int, y: Any, n: Any, a: Any, b: Any, x: Any) -> Any:
        apart, c = np.subtract(n, k), a + b + 1.0
        other = b if of_first else a
        ratio = sp.poch(other + k + 1.0, apart) / sp.poch(c + k, apart)
        turn = 1.0 if of_first else sign(apart)
        return (y + turn * (2.0 * k + c) / apart * ratio * sp.eval_jacobi(k, a, b, x)) / (n + k + c)

    return term


def sign(k: Any) -> Any:
    """``(-1)**k``."""
    return 1.0 - 2.0 * np.mod(k, 2)


def degree(f: Any) -> Any:
    return missing(f.__name__, "its degree")


scalar_rule(
    sp.eval_genlaguerre,
    degree(sp.eval_genlaguerre),
    summed("eval_genlaguerre", laguerre_term),
    lambda y, n, a, x: -has_slope(n) * sp.eval_genlaguerre(below(n), a + 1.0, x),
)
scalar_rule(
    sp.eval_gegenbauer,
    degree(sp.eval_gegenbauer),
    summed("eval_gegenbauer", gegenbauer_term),
    lambda y, n, a, x: has_slope(n) * 2.0 * a * sp.eval_gegenbauer(below(n), a + 1.0, x),
)
scalar_rule(
    sp.eval_jacobi,
    degree(sp.eval_jacobi),
    summed("eval_jacobi", jacobi_term(True)),
    summed("eval_jacobi", jacobi_term(False)),
    lambda y, n, a, b, x: has_slope(n) * (n + a + b + 1.0) * 0.5 * sp.eval_jacobi(below(n), a + 1.0, b + 1.0, x),
)
scalar_rule(
    sp.eval_sh_jacobi,
    *(missing("eval_sh_jacobi", "its degree and parameters; use eval_jacobi"),) * 3,
    lambda y, n, p, q, x: n * sp.eval_sh_jacobi(below(n), p + 2.0, q + 1.0, x),
)
