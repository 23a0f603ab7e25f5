"""`numpy.polynomial`: the six bases, and what they share.

Loaded when the program has imported `numpy.polynomial`; its functions are found by their names: `chebval` is the
``val`` of the base ``cheb``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import polynomial as _polynomial

from .shared import as_array

_modules: Any = _polynomial
NUMBERS = (int, float, complex, list, tuple, np.ndarray, np.generic)  # what rules take as points; not series


@dataclass(frozen=True, slots=True)
class Base:
    """A family of polynomials.

    Attributes:
        module: where its functions are.
        prefix: what their names begin with.
        norms: of the squares of the first ``n`` polynomials, up to a common factor, under the weight that
            they are orthogonal for; ``None`` for the powers, which are not.
    """

    module: Any
    prefix: str
    norms: Callable[[int], Any] | None

    def __getitem__(self, name: str) -> Any:
        return getattr(self.module, self.prefix + name)


def _factorials(n: int) -> Any:
    return np.cumprod(np.maximum(np.arange(float(n)), 1.0))


POWERS = Base(_modules.polynomial, "poly", None)
BASES = (
    POWERS,
    Base(_modules.chebyshev, "cheb", lambda n: np.where(np.arange(n) == 0, 2.0, 1.0)),
    Base(_modules.legendre, "leg", lambda n: 1.0 / (2.0 * np.arange(n) + 1.0)),
    Base(_modules.hermite, "herm", lambda n: 2.0 ** np.arange(n) * _factorials(n)),
    Base(_modules.hermite_e, "herme", _factorials),
    Base(_modules.laguerre, "lag", np.ones),
)


def resized(g: Any, n: int, axis: int = 0) -> Any:
    """``g`` cut or filled up with zeros to ``n`` entries: coefficients that were trimmed away were zeros."""
    g = as_array(g)
    have = g.shape[axis]
    if have == n:
        return g
    if have > n:
        return g[(slice(None),) * (axis % g.ndim) + (slice(0, n),)]
    return np.pad(g, [(0, n - have if i == axis % g.ndim else 0) for i in range(g.ndim)])


def series(c: Any) -> Any:
    """Coefficients as an array of one axis or more."""
    return np.atleast_1d(as_array(c))


def trimmed(c: Any) -> Any:
    """As the functions of NumPy see coefficients: without zeros at the end."""
    return c[: len(_modules.polyutils.trimseq(c))]


def unit(k: int) -> Any:
    """The coefficients of polynomial number ``k``."""
    return np.eye(k + 1)[k]


def values_at(base: Base, x: Any, n: int) -> Any:
    """The first ``n`` polynomials at ``x``, along a new last axis."""
    x = as_array(x)
    return base["vander"](x.reshape(-1), n - 1).reshape((*x.shape, n))


def slopes_at(base: Base, x: Any, n: int) -> Any:
    """Their derivatives."""
    return values_at(base, x, n)[..., : n - 1] @ base["der"](np.eye(n)) if n > 1 else np.zeros((*np.shape(x), 1))
