"""`logsumexp`, `softmax`, `log_softmax`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk, unthunk
from ...numpy.shared import as_array, conj, kept_shape, leading, normal_axes


@rrule(sp.logsumexp)
@partial(leading, active=5)
def logsumexp_rule(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:  # fmt: skip
    """``b exp(a - y)`` over the sign of the sum: 0 where nothing is added, also where a is infinite.

    By the weights ``exp(a - y)``. The sign is constant for real numbers; for complex ones it turns by the imaginary
    part of what the logarithm would do.
    """
    y = sp.logsumexp(a, axis=axis, b=b, keepdims=keepdims, return_sign=return_sign)
    a = as_array(a)
    weights = None if b is None else as_array(b)
    shape = a.shape if weights is None else np.broadcast_shapes(a.shape, weights.shape)
    kept = kept_shape(shape, normal_axes(axis, len(shape)))

    def logsumexp_pullback(y_bar: Any) -> Any:
        log, sign, g = y, np.ones(()), y_bar
        if return_sign:
            log, sign = y
            log_bar, sign_bar = (unthunk(bar) for bar in y_bar)
            g = np.zeros(np.shape(log)) if log_bar is None else log_bar
            if np.iscomplexobj(sign):
                turn = 0.0 if sign_bar is None else np.imag(np.conj(sign) * sign_bar)
                g = np.real(g) + 1j * turn
            sign = np.reshape(sign, kept)
        log, g = np.reshape(log, kept), np.reshape(g, kept)
        # Equal infinities leave nothing to tell apart: of one infinite term all of the sum is that term.
        same = np.equal(a, log) & ~np.isfinite(log)
        part = np.exp(np.where(same, 0.0, a) - np.where(same, 0.0, log))
        part = part / np.where(np.equal(sign, 0), 1.0, sign) if return_sign else part
        none = np.isneginf(np.real(log)) & same
        shares = np.where(none, 0.0, part)

        def a_bar() -> Any:
            return conj(shares if weights is None else shares * weights) * g

        return Thunk(a_bar), None, None if b is None else Thunk(lambda: conj(shares) * g), None, None

    return y, logsumexp_pullback


@rrule(sp.softmax)
@leading
def softmax_rule(x: Any, axis: Any = None) -> Any:
    """``y (g - sum(y g))``."""
    y = sp.softmax(x, axis=axis)

    def x_bar(y_bar: Any) -> Any:
        g = conj(y) * y_bar
        return g - conj(y) * np.sum(g, axis=axis, keepdims=True)

    return y, lambda y_bar: Thunk(x_bar, y_bar)


@rrule(sp.log_softmax)
@leading
def log_softmax_rule(x: Any, axis: Any = None) -> Any:
    """``g - exp(y) sum(g)``."""
    y = sp.log_softmax(x, axis=axis)
    return y, lambda y_bar: Thunk(lambda: y_bar - conj(np.exp(y)) * np.sum(y_bar, axis=axis, keepdims=True))


if hasattr(sp, "softplus"):

    @rrule(sp.softplus)
    def softplus_rule(x: Any, **kwargs: Any) -> Any:
        """The logistic function."""
        if kwargs:
            return NotImplemented  # SciPy's own code is followed
        y = sp.softplus(x)
        return y, lambda y_bar: Thunk(lambda: sp.expit(x) * y_bar)
