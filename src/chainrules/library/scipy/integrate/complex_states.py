"""Differential equations with complex states, as equations of their real and imaginary parts.

With real parts first: ``z = [re y, im y]``. A solver's steps have real weights, so that those of the parts are
the parts of those of the whole; and a right-hand side need not be holomorphic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["event_of_parts", "parts", "slope_of_parts", "whole"]


def parts(y: Any, axis: int = 0) -> Any:
    return np.concatenate([np.real(y), np.imag(y)], axis=axis)


def whole(z: Any) -> Any:
    """The complex states of parts that lie along the first axis."""
    n = len(z) // 2
    return z[:n] + 1j * z[n:]


def slope_of_parts(fun: Any) -> Any:
    return lambda t, z, *args: parts(np.asarray(fun(t, whole(z), *args)))


def event_of_parts(event: Any) -> Any:
    return lambda t, z, *args: event(t, whole(z), *args)
