"""Functions that take complex numbers apart, and rounding that looks at a number only.

A real loss has the gradient ``dL/dRe + i dL/dIm``; a function that is not holomorphic needs a pullback of
its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...derived import operands
from ...products import strong_mul
from ...rules import rrule
from ...scalar import scalar_rule
from ..partials import phase
from .shared import leading, refuse

# The partials for real numbers; the rules below take their place for whole calls, and know complex ones too.
scalar_rule(np.absolute, lambda y, x: np.sign(x), real=True)
scalar_rule(np.sign, 0, real=True)


@rrule(np.absolute)
@operands(np.absolute, 1)
def absolute_rule(x: Any, **kwargs: Any) -> Any:
    """``y_bar sign(x)``, for complex ``x`` ``y_bar x/|x|``; 0 at 0."""
    x = np.asarray(x) if isinstance(x, (list, tuple)) else x
    y = np.absolute(x, **kwargs)
    if np.iscomplexobj(x):
        return y, lambda y_bar: phase(y, x) * y_bar
    return y, lambda y_bar: strong_mul(np.sign(x), y_bar)


@rrule(np.sign)
@operands(np.sign, 1)
def sign_rule(x: Any, **kwargs: Any) -> Any:
    """Numeric zero; for complex ``x`` the direction ``x/|x|`` turns with the part of ``x_dot`` across it."""
    x = np.asarray(x) if isinstance(x, (list, tuple)) else x
    y = np.sign(x, **kwargs)
    if not np.iscomplexobj(x):
        return y, lambda y_bar: np.zeros_like(y_bar)

    def sign_pullback(y_bar: Any) -> Any:
        r = np.abs(x)
        across = y_bar - y * np.real(np.conj(y) * y_bar)
        return np.where(r == 0, 0, across / np.where(r == 0, 1, r))

    return y, sign_pullback


def _conjugate(f: Any) -> None:
    # The methods return a real array itself, the function a copy of it.
    @rrule(f)
    @operands(np.conjugate, 1)
    def conjugate_rule(x: Any, **kwargs: Any) -> Any:
        """The conjugate of the seed."""
        return f(x, **kwargs), lambda y_bar: np.conj(y_bar)


for conjugate in (np.conjugate, np.ndarray.conj, np.ndarray.conjugate):
    _conjugate(conjugate)


@rrule(np.real)
@rrule(np.ndarray.real)
def real_rule(val: Any) -> Any:
    """The seed, as the real part."""
    return np.real(val), lambda y_bar: np.real(y_bar)


@rrule(np.imag)
@rrule(np.ndarray.imag)
def imag_rule(val: Any) -> Any:
    """``i`` times the seed."""
    y = np.imag(val)
    if not np.iscomplexobj(val):
        return y, lambda y_bar: np.zeros_like(y_bar)
    return y, lambda y_bar: 1j * np.real(y_bar)


@rrule(np.real_if_close)
@leading
def real_if_close_rule(a: Any, tol: float = 100) -> Any:
    """The seed."""
    return np.real_if_close(a, tol), lambda y_bar: y_bar


@rrule(np.angle)
@leading
def angle_rule(z: Any, deg: bool = False) -> Any:
    """``i z / |z|**2 y_bar``, 0 at 0."""

    def angle_pullback(y_bar: Any) -> Any:
        w = np.asarray(z)
        r = np.abs(w)
        safe = np.where(r == 0, 1, r)
        # Divided twice: the square may leave the range.
        turned = 1j * (np.where(r == 0, 0, w) / safe / safe)
        return strong_mul(turned, np.real(y_bar) * (180 / np.pi if deg else 1.0))

    return np.angle(z, deg), angle_pullback


def round_rule(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """A numeric zero."""
    refuse("numpy.round", out=out)
    y = np.round(a, decimals)
    return y, lambda y_bar: np.zeros_like(y_bar)


for f in (np.round, np.around, np.ndarray.round):
    rrule(f)(leading(round_rule))


def nan_to_num_rule(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """The seed where ``x`` is finite, else to what took its place; part by part for complex numbers."""
    if not copy:
        refuse("numpy.nan_to_num", copy=copy)
    y = np.nan_to_num(x, copy=True, nan=nan, posinf=posinf, neginf=neginf)

    def nan_to_num_pullback(y_bar: Any) -> Any:
        parts = [(np.real(x), np.real(y_bar))]
        if np.iscomplexobj(x):
            parts.append((np.imag(x), np.imag(y_bar)))
        kept = [np.where(np.isfinite(p), g, 0.0) for p, g in parts]

        def instead(test: Any) -> Any:
            found = [np.where(test(p), g, 0.0) for p, g in parts]
            return found[0] if len(found) == 1 else found[0] + found[1]

        return (
            kept[0] if len(kept) == 1 else kept[0] + 1j * kept[1],
            None,
            instead(np.isnan),
            None if posinf is None else instead(np.isposinf),
            None if neginf is None else instead(np.isneginf),
        )

    return y, nan_to_num_pullback


rrule(np.nan_to_num)(leading(nan_to_num_rule, active=5))


@rrule(np.modf)
@operands(np.modf, 1)
def modf_rule(x: Any, **kwargs: Any) -> Any:
    """The fractional part moves with ``x``."""
    return np.modf(x, **kwargs), lambda y_bar: y_bar[0]


@rrule(np.divmod)
@operands(np.divmod, 2)
def divmod_rule(a: Any, b: Any, **kwargs: Any) -> Any:
    """Quotient: numeric zero. Remainder: ``(1, -floor(a / b))``."""
    y = np.divmod(a, b, **kwargs)

    def divmod_pullback(y_bar: Any) -> Any:
        r_bar = y_bar[1]
        return (None, None) if r_bar is None else (r_bar, strong_mul(-y[0], r_bar))

    return y, divmod_pullback


@rrule(np.frexp)
@operands(np.frexp, 1)
def frexp_rule(x: Any, **kwargs: Any) -> Any:
    """``x = m 2**e`` with ``e`` locally constant."""
    m, e = np.frexp(x, **kwargs)
    return (m, e), lambda y_bar: None if y_bar[0] is None else np.ldexp(1.0, -e) * y_bar[0]
