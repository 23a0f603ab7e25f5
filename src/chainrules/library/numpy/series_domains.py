"""`numpy.polynomial`: domains."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...programs import followed, program
from ...rules import rrule
from ..forward import array_dot, forward
from .series import NUMBERS, _modules, series
from .shared import as_array, conj


def _mapping_bars(old: Any, new: Any, off: Any, scl: Any, off_bar: Any, scl_bar: Any) -> Any:
    """``off = (o1 n0 - o0 n1)/(o1 - o0)`` and ``scl = (n1 - n0)/(o1 - o0)``."""
    (o0, o1), (n0, n1) = old, new
    width = o1 - o0
    a, b = off_bar / conj(width), scl_bar / conj(width)
    back = a * conj(off) + b * conj(scl)
    old_bar = [back - a * conj(n1), a * conj(n0) - back]
    return np.stack(old_bar), np.stack([a * conj(o1) - b, b - a * conj(o0)])


@rrule(_modules.polyutils.mapparms)
def mapparms_rule(old: Any, new: Any) -> Any:
    """By the quotient rule."""
    y = _modules.polyutils.mapparms(old, new)

    def mapparms_pullback(y_bar: Any) -> Any:
        off_bar, scl_bar = (0.0 if g is None else g for g in y_bar)
        return _mapping_bars(old, new, y[0], y[1], off_bar, scl_bar)

    return y, mapparms_pullback


@rrule(_modules.polyutils.mapdomain)
def mapdomain_rule(x: Any, old: Any, new: Any) -> Any:
    """``off + scl x``, and through both to the domains."""
    if not isinstance(x, NUMBERS):
        return NotImplemented
    y = _modules.polyutils.mapdomain(x, old, new)
    off, scl = _modules.polyutils.mapparms(old, new)

    def mapdomain_pullback(y_bar: Any) -> Any:
        old_bar, new_bar = _mapping_bars(old, new, off, scl, np.sum(y_bar), np.sum(conj(as_array(x)) * y_bar))
        return conj(scl) * y_bar, old_bar, new_bar

    return y, mapdomain_pullback


@program(_modules.polyutils.mapdomain)
def mapdomain_program(config: Any, x: Any, old: Any, new: Any) -> Any:
    """Of a series, which the operators map: NumPy has them called through an array that holds the series."""
    off, scl = _modules.polyutils.mapparms(old, new)
    return off + scl * x


@rrule(_modules.polyutils.getdomain)
def getdomain_rule(x: Any) -> Any:
    """The seed to the first smallest and to the first largest; of complex numbers in each part."""
    y = _modules.polyutils.getdomain(x)
    a = series(x)

    def ends(part: Any, g: Any) -> Any:
        k = np.arange(len(a))
        return np.where(k == np.argmin(part), g[0], 0.0) + np.where(k == np.argmax(part), g[1], 0.0)

    def getdomain_pullback(y_bar: Any) -> Any:
        if not np.iscomplexobj(a):
            return ends(a, np.real(y_bar))
        return ends(a.real, np.real(y_bar)) + 1j * ends(a.imag, np.imag(y_bar))

    return y, getdomain_pullback


followed(_modules.chebyshev.chebinterpolate)


def _mapping_dots(old: Any, new: Any, off: Any, scl: Any, dots: Any) -> Any:
    """By the quotient rule, from the formulas above."""
    (o0, o1), (n0, n1) = old, new
    (a0, a1), (b0, b1) = array_dot(old, dots[0]), array_dot(new, dots[1])
    width, change = o1 - o0, a1 - a0
    return (a1 * n0 + o1 * b0 - a0 * n1 - o0 * b1 - off * change) / width, (b1 - b0 - scl * change) / width


@forward(_modules.polyutils.mapparms, 0, 1)
def mapparms_forward(y: Any, dots: Any, old: Any, new: Any) -> Any:
    """By the quotient rule."""
    return _mapping_dots(old, new, y[0], y[1], dots)


@forward(_modules.polyutils.mapdomain, 0, 1, 2)
def mapdomain_forward(y: Any, dots: Any, x: Any, old: Any, new: Any) -> Any:
    """``off_dot + scl_dot x + scl x_dot``."""
    if not isinstance(x, NUMBERS):
        return NotImplemented
    off, scl = _modules.polyutils.mapparms(old, new)
    off_dot, scl_dot = _mapping_dots(old, new, off, scl, dots[1:])
    return off_dot + scl_dot * as_array(x) + scl * array_dot(x, dots[0])


@forward(_modules.polyutils.getdomain)
def getdomain_forward(y: Any, dots: Any, x: Any) -> Any:
    """Those of the first smallest and of the first largest; of complex numbers in each part."""
    a, a_dot = series(x), np.atleast_1d(array_dot(x, dots[0]))
    if not np.iscomplexobj(a):
        return np.stack([a_dot[np.argmin(a)], a_dot[np.argmax(a)]])

    def ends(part: Any, part_dot: Any) -> Any:
        return np.stack([part_dot[np.argmin(part)], part_dot[np.argmax(part)]])

    return ends(a.real, np.real(a_dot)) + 1j * ends(a.imag, np.imag(a_dot))
