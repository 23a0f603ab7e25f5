"""Values number by number: copies, the seed of `explain`, which is 1 for each, and questions about cotangents."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["apart", "is_any", "ones_like"]


def apart(y: Any) -> Any:
    """A value with copies of its arrays."""
    if isinstance(y, np.ndarray):
        return y.copy()
    if isinstance(y, tuple) and not hasattr(y, "_fields"):
        return tuple(map(apart, y))
    if type(y) is list:
        return list(map(apart, y))
    if type(y) is dict:
        return {k: apart(v) for k, v in y.items()}
    return y


def ones_like(y: Any) -> Any:
    """Ones in the structure of `y`; None for what is no number.

    >>> ones_like((2.0, np.zeros(2), "text"))
    (1.0, array([1., 1.]), None)
    """
    if isinstance(y, np.ndarray):
        return np.ones(y.shape, y.dtype if y.dtype.kind in "fc" else float) if y.dtype.kind in "fciu" else None
    if isinstance(y, float | int | complex | np.number):
        return 1.0
    if isinstance(y, tuple) and not hasattr(y, "_fields"):
        return tuple(map(ones_like, y))
    if type(y) is list:
        return list(map(ones_like, y))
    if type(y) is dict:
        return {k: ones_like(v) for k, v in y.items()}
    return None


def is_any(question: Callable[[Any], Any], bar: Any) -> bool:
    """Whether the answer is yes for any number of a cotangent, of any structure.

    >>> is_any(np.isnan, (1.0, {"a": np.array([0.0, np.nan])})), is_any(np.isinf, [None, 1.0])
    (True, False)
    """
    if isinstance(bar, np.ndarray):
        return bar.dtype.kind in "fc" and bool(question(bar).any())
    if isinstance(bar, float | complex | np.inexact):
        return bool(question(bar))
    if isinstance(bar, dict):
        return any(is_any(question, b) for b in bar.values())
    if isinstance(bar, tuple | list):
        return any(is_any(question, b) for b in bar)
    fields = getattr(bar, "fields", None)
    return callable(fields) and is_any(question, dict(fields()))
