"""The older functions for polynomials, highest power first: `numpy.polymul`, `numpy.roots` and their kin.

Coefficients are arrays here; of `numpy.poly1d` see at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declarations import unsupported
from ...products import strong_div
from ...rules import rrule
from ...tangents import Thunk
from .fits import fit_bars
from .linear import _h
from .shared import as_array, conj, leading, refuse

_np: Any = np


def _is_plain(*ps: Any) -> bool:
    return not any(isinstance(p, np.poly1d) for p in ps)


def _at_end(g: Any, n: int) -> Any:
    """The last ``n`` entries, after zeros where there are fewer: the lower powers."""
    g = as_array(g)
    return g[len(g) - n :] if len(g) >= n else np.concatenate((np.zeros((n - len(g), *g.shape[1:])), g))


def _powers(x: Any, n: int) -> Any:
    """``x**(n-1) ... 1`` along a new first axis."""
    powers = [np.ones(np.shape(x))]
    for _ in range(n - 1):
        powers.append(powers[-1] * x)
    return np.stack(powers[::-1]) if n else np.zeros((0, *np.shape(x)))


def _sum_rule(f: Any, sign: float) -> None:
    def rule(a1: Any, a2: Any) -> Any:
        """The seed to both, as long as each is."""
        if not _is_plain(a1, a2):
            return NotImplemented
        n1, n2 = len(np.atleast_1d(a1)), len(np.atleast_1d(a2))
        return f(a1, a2), lambda y_bar: (_at_end(y_bar, n1), sign * _at_end(y_bar, n2))

    rrule(f)(rule)


_sum_rule(np.polyadd, 1.0)
_sum_rule(np.polysub, -1.0)


def _correlated(g: Any, d: Any, n: int) -> Any:
    """The adjoint of the product with ``d``, for ``n`` coefficients."""
    d = conj(np.atleast_1d(d))
    m = len(d)
    if not n or not m:  # no coefficients: NumPy takes them for a zero
        return np.zeros(n)
    return np.convolve(_at_end(g, n + m - 1), d[::-1])[m - 1 : m - 1 + n]


@rrule(np.polymul)
def polymul_rule(a1: Any, a2: Any) -> Any:
    """The seed correlated with the other."""
    if not _is_plain(a1, a2):
        return NotImplemented
    y = np.polymul(a1, a2)
    a, b = np.atleast_1d(as_array(a1)), np.atleast_1d(as_array(a2))
    return y, lambda y_bar: (Thunk(_correlated, y_bar, b, len(a)), Thunk(_correlated, y_bar, a, len(b)))


@rrule(np.polydiv)
def polydiv_rule(u: Any, v: Any) -> Any:
    """``u = v q + r`` with ``r`` shorter than ``v``: a linear system for changes of ``q`` and ``r``."""
    if not _is_plain(u, v):
        return NotImplemented
    y = np.polydiv(u, v)
    a, d = np.atleast_1d(as_array(u)), np.atleast_1d(as_array(v))
    n, m = len(a), len(d)

    def polydiv_pullback(y_bar: Any) -> Any:
        q_bar = np.zeros(max(n - m + 1, 1)) if y_bar[0] is None else y_bar[0]
        r_bar = np.zeros(1) if y_bar[1] is None else y_bar[1]
        if n < m:
            u_bar = _at_end(r_bar, n)
        else:
            k = n - m + 1
            shifted = [np.concatenate((np.zeros(i), d, np.zeros(k - 1 - i))) for i in range(k)]
            rest = [np.eye(n)[k + i] for i in range(m - 1)]
            system = np.stack(shifted + rest, axis=1)
            u_bar = np.linalg.solve(conj(system.T), np.concatenate((q_bar, _at_end(r_bar, m - 1))))
        return u_bar, -_correlated(u_bar, y[0], m) if n >= m else np.zeros(m)

    return y, polydiv_pullback


@rrule(np.polyder)
@leading
def polyder_rule(p: Any, m: int = 1) -> Any:
    """The factors of the powers."""
    if not _is_plain(p):
        return NotImplemented
    y = np.polyder(p, m)
    n = len(p)

    def polyder_pullback(y_bar: Any) -> Any:
        factors = np.polyder(np.ones(n), m) if n else np.zeros(0)
        return np.concatenate((factors * y_bar, np.zeros(n - len(y))))

    return y, polyder_pullback


def polyint_rule(p: Any, m: int = 1, k: Any = None) -> Any:
    """The factors of the powers; the constants are divided by the factors of their own."""
    if not _is_plain(p):
        return NotImplemented
    y = np.polyint(p, m, k)
    n = np.size(p)

    def polyint_pullback(y_bar: Any) -> Any:
        p_bar = np.polyint(np.ones(n), m)[:n] * y_bar[:n] if int(m) else y_bar
        if k is None or not np.size(k):
            return p_bar, None, None
        count = np.size(k)
        rows = np.ones((1, m)) if count == 1 and m > 1 else np.eye(count)
        units = [np.polyint(np.zeros(n), m, row) for row in rows] if int(m) else [np.zeros(n)] * count
        k_bar = np.stack([np.sum(unit * y_bar) for unit in units])
        return p_bar, None, k_bar.reshape(np.shape(k))

    return y, polyint_pullback


rrule(np.polyint)(leading(polyint_rule, active=3))


@rrule(np.polyval)
def polyval_rule(p: Any, x: Any) -> Any:
    """``x**k`` to the coefficients; the derivative polynomial to ``x``. A matrix of coefficients is one polynomial
    for each column, as it broadcasts with ``x``.
    """
    if not _is_plain(p, x):
        return NotImplemented
    y = np.polyval(p, x)
    p, x = as_array(p), as_array(x)
    n = len(p)

    def p_bar(y_bar: Any) -> Any:
        if not p.size:
            return np.zeros(p.shape)
        g = conj(_powers(np.broadcast_to(x, np.shape(y_bar)), n)) * y_bar
        extra = g.ndim - p.ndim
        g = np.sum(g, axis=tuple(range(1, 1 + extra)))
        stretched = tuple(i for i in range(1, p.ndim) if p.shape[i] == 1 and g.shape[i] != 1)
        return np.sum(g, axis=stretched, keepdims=True) if stretched else g

    def x_bar(y_bar: Any) -> Any:
        factors = np.arange(n - 1, 0, -1).reshape(-1, *(1,) * (p.ndim - 1))
        return conj(np.polyval(p[:-1] * factors, x) if n > 1 else np.zeros(x.shape)) * y_bar

    return y, lambda y_bar: (Thunk(p_bar, y_bar), Thunk(x_bar, y_bar))


@rrule(np.roots)
def roots_rule(p: Any) -> Any:
    """``-r**k / p'(r)``, from ``p(r) = 0``."""
    y = np.roots(p)
    a = np.atleast_1d(as_array(p))
    n = len(a)

    def p_bar(y_bar: Any) -> Any:
        if not len(y):
            return np.zeros(n)
        slope = np.polyval(a[:-1] * np.arange(n - 1, 0, -1), y)
        with np.errstate(all="ignore"):
            return -(conj(_powers(y, n)) @ strong_div(y_bar, conj(slope)))

    return y, lambda y_bar: Thunk(p_bar, y_bar)


@rrule(np.poly)
def poly_rule(seq_of_zeros: Any) -> Any:
    """Minus the product of the other factors. Of a matrix the characteristic polynomial, whose coefficient ``c_k``
    changes by ``-tr(B_(k-1) dA)``, ``B_k = A B_(k-1) + c_k I``: Faddeev and Leverrier.
    """
    y = np.poly(seq_of_zeros)
    a = np.atleast_1d(as_array(seq_of_zeros))
    n = len(a)

    def of_roots(y_bar: Any) -> Any:
        others = [np.concatenate((np.zeros(1), np.atleast_1d(np.poly(np.delete(a, i))))) for i in range(n)]
        return -(conj(np.stack(others)) @ y_bar) if n else np.zeros(0)

    def of_matrix(y_bar: Any) -> Any:
        b = np.eye(n)
        total: Any = 0.0
        for k in range(1, n + 1):
            total = total - y_bar[k] * _h(b)
            b = a @ b + y[k] * np.eye(n)
        return total

    return y, lambda y_bar: Thunk(of_roots if a.ndim == 1 else of_matrix, y_bar)


def polyfit_rule(
    x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:  # fmt: skip
    """Linear least squares, through all that is in the matrix."""
    if cov:
        refuse("numpy.polyfit", cov=cov)
    c = _np.polyfit(x, y, deg, rcond, full, w)
    points, n = as_array(x), int(deg) + 1

    def polyfit_pullback(y_bar: Any) -> Any:
        def bars() -> Any:
            v = _powers(points + 0.0, n).T
            slopes = np.concatenate((v[:, 1:] * np.arange(n - 1, 0, -1), np.zeros((len(v), 1))), axis=1)
            seed = (y_bar[0], *y_bar[1:]) if full else y_bar
            return fit_bars(v, slopes, y, w, seed, full, rcond, lambda g: g)

        x_bar, values_bar, w_bar = (Thunk(lambda i=i: bars()[i]) for i in range(3))
        return x_bar, values_bar, None, None, None, w_bar, None

    return c, polyfit_pullback


rrule(np.polyfit)(leading(polyfit_rule, active=7))

unsupported(
    "makes an object of its own with its coefficients in it; work with the array of coefficients and np.polyval, "
    "np.polymul ..., or with numpy.polynomial",
    np.poly1d,
)
