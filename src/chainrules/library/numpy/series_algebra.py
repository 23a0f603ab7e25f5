"""`numpy.polynomial`: sums, products, quotients, roots, changes of base.

A product is linear in each factor. For orthogonal polynomials of norms ``h`` the integral of three of them is
symmetric, so the adjoint of ``c -> c d`` is ``g -> h (g/h) d``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declarations import non_differentiable
from ...products import strong_div
from ...rules import rrule
from ...tangents import Thunk
from .series import BASES, POWERS, Base, _modules, resized, series, trimmed, unit, values_at
from .shared import as_array, conj, leading


def product_adjoint(base: Base, g: Any, d: Any, n: int) -> Any:
    """The cotangent of ``n`` coefficients from that of their product with ``d``."""
    d = conj(d)
    if base.norms is None:
        m = len(d)
        return np.convolve(resized(g, n + m - 1), d[::-1])[m - 1 : m - 1 + n]
    norms = base.norms(max(n, len(g)))
    return resized(base["mul"](g / norms[: len(g)], d), n) * norms[:n]


def _sums(base: Base) -> None:
    add, sub = base["add"], base["sub"]

    def add_rule(c1: Any, c2: Any) -> Any:
        """The seed to both, as long as each is."""
        y, n1, n2 = add(c1, c2), len(series(c1)), len(series(c2))
        return y, lambda y_bar: (resized(y_bar, n1), resized(y_bar, n2))

    def sub_rule(c1: Any, c2: Any) -> Any:
        """The seed, and minus the seed."""
        y, n1, n2 = sub(c1, c2), len(series(c1)), len(series(c2))
        return y, lambda y_bar: (resized(y_bar, n1), -resized(y_bar, n2))

    rrule(add)(add_rule)
    rrule(sub)(sub_rule)


def _products(base: Base) -> None:
    mul, mulx, power = base["mul"], base["mulx"], base["pow"]

    def mul_rule(c1: Any, c2: Any) -> Any:
        """The adjoint of the product with the other."""
        y = mul(c1, c2)
        a, b = series(c1), series(c2)
        return y, lambda y_bar: (
            Thunk(product_adjoint, base, y_bar, b, len(a)),
            Thunk(product_adjoint, base, y_bar, a, len(b)),
        )

    def mulx_rule(c: Any) -> Any:
        """The product with ``x``."""
        x = base["line"](0, 1)
        return mulx(c), lambda y_bar: product_adjoint(base, y_bar, x, len(series(c)))

    @leading
    def pow_rule(c: Any, pow: Any, *maxpower: Any, **options: Any) -> Any:
        """``n c^(n-1)`` times a change."""
        y = power(c, pow, *maxpower, **options)
        a, n = series(c), int(pow)

        def pow_pullback(y_bar: Any) -> Any:
            if n == 0:
                return np.zeros(len(a))
            return n * product_adjoint(base, y_bar, power(a, n - 1, maxpower=None), len(a))

        return y, pow_pullback

    rrule(mul)(mul_rule)
    rrule(mulx)(mulx_rule)
    rrule(power)(pow_rule)


def _quotients(base: Base) -> None:
    div, mul = base["div"], base["mul"]

    def div_rule(c1: Any, c2: Any) -> Any:
        """``c1 = c2 q + r`` with ``r`` shorter than ``c2``: a linear system for changes of ``q`` and ``r``."""
        y = div(c1, c2)
        whole1, whole2 = series(c1), series(c2)
        d = trimmed(whole2)
        n, m = len(trimmed(whole1)), len(d)

        def div_pullback(y_bar: Any) -> Any:
            q_bar = np.zeros(1) if y_bar[0] is None else y_bar[0]
            r_bar = np.zeros(1) if y_bar[1] is None else y_bar[1]
            if n < m:
                c1_bar = r_bar
            else:
                columns = [resized(mul(unit(k), d), n) for k in range(n - m + 1)]
                system = np.stack(columns + [resized(unit(k), n) for k in range(m - 1)], axis=1)
                seed = np.concatenate((resized(q_bar, n - m + 1), resized(r_bar, m - 1)))
                c1_bar = np.linalg.solve(conj(system.T), seed)
            c2_bar = -product_adjoint(base, c1_bar, y[0], m)
            return resized(c1_bar, len(whole1)), resized(c2_bar, len(whole2))

        return y, div_pullback

    rrule(div)(div_rule)


def _roots(base: Base) -> None:
    roots, fromroots, companion, line = base["roots"], base["fromroots"], base["companion"], base["line"]

    def roots_rule(c: Any) -> Any:
        """``-P_k(r) / p'(r)``, from ``p(r) = 0``."""
        y = roots(c)
        c = series(c)

        def roots_pullback(y_bar: Any) -> Any:
            if not len(y):
                return np.zeros(len(c))
            slope = base["val"](y, base["der"](c))
            with np.errstate(all="ignore"):
                return -(strong_div(y_bar, conj(slope)) @ conj(values_at(base, y, len(c))))

        return y, roots_pullback

    def fromroots_rule(roots: Any) -> Any:
        """Minus the product of the other factors."""
        y = fromroots(roots)
        r = as_array(roots)

        def r_bar(y_bar: Any) -> Any:
            n = len(r)
            others = [resized(fromroots(np.delete(r, i)), len(y_bar)) for i in range(n)]
            return -(conj(np.stack(others)) @ y_bar) if n else np.zeros(0)

        return y, lambda y_bar: Thunk(r_bar, y_bar)

    def companion_rule(c: Any) -> Any:
        """Constants but for the last column, which is linear in ``c[:-1] / c[-1]``."""
        y = companion(c)
        whole = series(c)
        c = trimmed(whole)
        n = len(c)

        def companion_pullback(y_bar: Any) -> Any:
            weight = companion(np.ones(n))[:, -1] - companion(unit(n - 1))[:, -1]
            u_bar = weight * y_bar[:, -1] / conj(c[-1])
            last = -np.sum(u_bar * conj(c[:-1] / c[-1]))
            return resized(np.concatenate((u_bar, np.reshape(last, 1))), len(whole))

        return y, companion_pullback

    def line_rule(off: Any, scl: Any) -> Any:
        """Linear in both."""

        def line_pullback(y_bar: Any) -> Any:
            n = len(y_bar)
            return np.sum(resized(line(1, 0), n) * y_bar), np.sum(resized(line(0, 1), n) * y_bar)

        return line(off, scl), line_pullback

    rrule(roots)(roots_rule)
    rrule(fromroots)(fromroots_rule)
    rrule(companion)(companion_rule)
    rrule(line)(leading(line_rule, active=2))


def _linear_map(f: Any) -> None:
    def rule(c: Any) -> Any:
        """The transposed map."""
        y = f(c)
        n = len(series(c))

        def c_bar(y_bar: Any) -> Any:
            columns = [resized(f(unit(k)), max(len(y_bar), n)) for k in range(n)]
            return np.stack(columns) @ resized(y_bar, max(len(y_bar), n))

        return y, lambda y_bar: Thunk(c_bar, y_bar)

    rrule(f)(rule)


def _changes(base: Base) -> None:
    if base is not POWERS:
        _linear_map(base.__getitem__("2poly"))
        _linear_map(getattr(base.module, "poly2" + base.prefix))


for base in BASES:
    for declare in (_sums, _products, _quotients, _roots, _changes):
        declare(base)
    for name in ("gauss", "pts1", "pts2"):
        if hasattr(base.module, base.prefix + name):
            non_differentiable(base[name])


@rrule(_modules.polyutils.trimcoef)
@leading
def trimcoef_rule(c: Any, tol: float = 0) -> Any:
    """The seed, and zeros for what was cut off."""
    n = len(series(c))
    return _modules.polyutils.trimcoef(c, tol), lambda y_bar: resized(y_bar, n)


@rrule(_modules.polyutils.trimseq)
def trimseq_rule(seq: Any) -> Any:
    """As `trimcoef_rule`."""
    return _modules.polyutils.trimseq(seq), lambda y_bar: resized(y_bar, len(seq))


@rrule(_modules.polyutils.as_series)
@leading
def as_series_rule(alist: Any, trim: bool = True) -> Any:
    """As `trimcoef_rule`, for each."""
    sizes = [np.size(c) for c in alist]
    return _modules.polyutils.as_series(alist, trim), lambda y_bar: [
        None if g is None else resized(g, n) for g, n in zip(y_bar, sizes, strict=True)
    ]
