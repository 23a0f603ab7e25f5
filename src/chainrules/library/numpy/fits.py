"""Fits of polynomials by linear least squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .linear import _h
from .pseudo import pinv_bar
from .shared import as_array


def weighted(v: Any, n: int, w: Any, rcond: Any) -> tuple[Any, Any]:
    """The weights, and the matrix with them.

    Raises:
        NotImplementedError: where its rank is not full.
    """
    weights = np.ones(n) if w is None else as_array(w)
    a = weights[:, None] * v
    sizes = np.sqrt(np.sum(np.abs(a) ** 2, axis=0))
    cut = n * np.finfo(sizes.dtype).eps if rcond is None else rcond
    s = np.linalg.svdvals(a / np.where(sizes == 0, 1.0, sizes))
    if a.shape[0] < a.shape[1] or not np.all(s > cut * s[0]):
        raise NotImplementedError("the rule for fits is for points that determine all coefficients")
    return weights, a


def fit_bars(
    v: Any, slopes: Any, y: Any, w: Any, seed: Any, full: bool, rcond: Any, chosen: Callable[[Any], Any]
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The cotangents of points, values and weights from that of the coefficients ``pinv(W V) W y``.

    Args:
        v: the basis at the points, shape ``(points, coefficients)``.
        slopes: its derivatives there.
        y: the values, one column for each fit, or a single one without axis.
        w: the weights, or ``None``.
        seed: the cotangent of what the fit returned.
        full: whether that is more than the coefficients.
        rcond: as the fit got it.
        chosen: the rows of the coefficients that were fitted.

    Raises:
        NotImplementedError: where the rank is not full, or something other than the coefficients was used.
    """
    c_bar = seed
    if full:
        c_bar, *rest = seed
        if any(np.any(g) for g in _flat(rest)):
            raise NotImplementedError("the rule for fits has no derivative for what full=True adds")
    values = as_array(y)
    weights, a = weighted(v, len(values), w, rcond)
    columns = values[:, None] if values.ndim == 1 else values
    b = weights[:, None] * columns
    g = np.zeros(v.shape[1:]) if c_bar is None else chosen(as_array(c_bar))
    g = g[:, None] if g.ndim == 1 else g
    inverse = np.linalg.pinv(a, 0.0)
    a_bar, b_bar = pinv_bar(a, inverse, g, b), _h(inverse) @ g
    x_bar = np.sum(np.conj(weights[:, None] * slopes) * a_bar, axis=1)
    w_bar = np.sum(a_bar * np.conj(v), axis=1) + np.sum(b_bar * np.conj(columns), axis=1)
    return x_bar, (np.conj(weights[:, None]) * b_bar).reshape(values.shape), w_bar


def _flat(seed: Any) -> Any:
    for part in seed:
        if isinstance(part, (list, tuple)):
            yield from _flat(part)
        elif part is not None:
            yield part
