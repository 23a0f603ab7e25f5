"""Distances between the rows of matrices: `cdist`, `pdist`, `squareform`.

Where two points coincide, the derivative of their distance is 0, as that of the norm at 0.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.spatial import distance as sd  # type: ignore[import-untyped]

from ....products import strong_div
from ....programs import program
from ....rules import rrule
from ....tangents import NotImplementedDerivative, Thunk
from ...numpy.shared import leading
from ..solutions import moved_as


def quadratic(a: Any, b: Any, m: Any, squared: bool) -> Any:
    """The root of ``d M d`` for all differences ``d = a[i] - b[j]``, or its square.

    Args:
        a: points, in rows.
        b: points, in rows.
        m: the matrix M, or its diagonal; None for the identity.
        squared: whether no root is taken, of a form without a matrix.
    """
    if np.ndim(m) == 2:
        return sd.cdist(a, b, "mahalanobis", VI=m)
    named = {} if m is None else {"w": m}
    return sd.cdist(a, b, "sqeuclidean" if squared else "euclidean", **named)


@rrule(quadratic)
def quadratic_rule(a: Any, b: Any, m: Any, squared: bool) -> Any:
    """All sums over pairs as products of matrices, of points around their middle."""
    if np.ndim(m) == 2 and len(m) != np.shape(m)[1]:
        return NotImplemented
    y = quadratic(a, b, m, squared)

    middle = np.mean(a, axis=0) if len(a) else 0.0

    weights = partial(slopes, y, squared)

    def of_a(g: Any) -> Any:
        """The sum of ``g d`` over the pairs of each point."""
        return np.sum(g, axis=1)[:, None] * (a - middle) - g @ (b - middle)

    def of_b(g: Any) -> Any:
        return np.sum(g, axis=0)[:, None] * (b - middle) - g.T @ (a - middle)

    def through(d: Any) -> Any:
        if m is None:
            return d
        return d * m if np.ndim(m) == 1 else d @ (0.5 * (m + m.T))

    def m_bar(g: Any) -> Any:
        if np.ndim(m) == 1:
            return 0.5 * (np.sum((a - middle) * of_a(g), axis=0) + np.sum((b - middle) * of_b(g), axis=0))
        return 0.5 * ((a - middle).T @ of_a(g) + (b - middle).T @ of_b(g))

    return y, lambda y_bar: (
        Thunk(lambda: through(of_a(weights(y_bar)))),
        Thunk(lambda: through(of_b(weights(y_bar)))),
        None if m is None else Thunk(lambda: m_bar(weights(y_bar))),
        None,
    )


def slopes(y: Any, squared: bool, y_bar: Any) -> Any:
    """The seed times what the derivatives of the distances ``y`` have beside the differences."""
    if squared:
        return 2.0 * y_bar
    apart = y > 0
    return y_bar / y if apart.all() else np.where(apart, y_bar / np.where(apart, y, 1.0), 0.0)


def are_points(*given: Any) -> bool:
    return all(type(x) is np.ndarray and x.dtype == float and x.ndim == 2 and x.size for x in given)


QUADRATIC = {"euclidean": False, "sqeuclidean": True}  # the metrics that most calls name, which need no preparation


def cdist_rule(XA: Any, XB: Any, metric: Any = "euclidean", **named: Any) -> Any:
    """As `quadratic`; for everything else there is the program."""
    if named or type(metric) is not str or not are_points(XA, XB):
        return NotImplemented
    if metric == "cityblock" and XA.shape[1] == XB.shape[1]:
        y, pullback = minkowski_rule(XA, XB, None, np.ones(XA.shape[1]))
        return y, lambda y_bar: pullback(y_bar)[:2]
    if metric not in QUADRATIC:
        return NotImplemented
    y, pullback = quadratic_rule(XA, XB, None, QUADRATIC[metric])
    return y, lambda y_bar: pullback(y_bar)[:2]


def pdist_rule(X: Any, metric: Any = "euclidean", **named: Any) -> Any:
    """The same, where each distance stands twice in the matrix."""
    if named or type(metric) is not str or metric not in QUADRATIC or not are_points(X) or len(X) < 2:
        return NotImplemented
    y = sd.pdist(X, metric)

    def pdist_pullback(y_bar: Any) -> Any:
        g = sd.squareform(slopes(y, QUADRATIC[metric], y_bar), "tomatrix", False)
        x = X - np.mean(X, axis=0)
        return np.sum(g, axis=1)[:, None] * x - g @ x

    return y, pdist_pullback


rrule(sd.cdist)(leading(cdist_rule, 2))
rrule(sd.pdist)(leading(pdist_rule))


def minkowski(a: Any, b: Any, p: Any, w: Any) -> Any:
    """``(sum_k w[k] |a[i, k] - b[j, k]|^p)^(1/p)`` for all i and j; ``p`` is None for the constant 1."""
    if p is None:
        return sd.cdist(a, b, "cityblock", w=w)
    return sd.cdist(a, b, "minkowski", p=p, w=w)


@rrule(minkowski)
def minkowski_rule(a: Any, b: Any, p: Any, w: Any) -> Any:
    """``dy/dd = w r^(p-1) sign(d)``, ``dy/dw = y r^p / p``, ``dy/dp = y sum(w r^p log r) / p`` with ``r = |d| / y``."""
    y = minkowski(a, b, p, w)

    def ratios() -> Any:
        d = a[:, None, :] - b[None, :, :]
        whole = y[:, :, None]
        r = np.where(whole > 0, np.abs(d) / np.where(whole > 0, whole, 1.0), 0.0)
        return d, r, np.where(r > 0, r, 1.0)

    def each(y_bar: Any) -> Any:
        d, r, safe = ratios()
        return np.where(r > 0, safe ** (p - 1.0) * np.sign(d), 0.0) * w * y_bar[:, :, None]

    def side(y_bar: Any, axis: int) -> Any:
        if p is not None:
            return np.sum(each(y_bar), axis=axis)
        found = np.empty((y_bar.shape[1 - axis], a.shape[1]))
        for k in range(a.shape[1]):
            found[:, k] = np.sum(np.sign(a[:, k, None] - b[:, k]) * y_bar, axis=axis)
        return found * w

    def w_bar(y_bar: Any) -> Any:
        if p is None:
            return np.sum(np.abs(a[:, None, :] - b[None, :, :]) * y_bar[:, :, None], axis=(0, 1))
        _, r, safe = ratios()
        return np.sum(np.where(r > 0, safe**p, 0.0) * (y * y_bar / p)[:, :, None], axis=(0, 1))

    def p_bar(y_bar: Any) -> Any:
        _, r, safe = ratios()
        return np.sum(np.where(r > 0, safe**p * np.log(safe), 0.0) * w * (y * y_bar / p)[:, :, None])

    return y, lambda y_bar: (
        Thunk(side, y_bar, 1),
        Thunk(lambda: -side(y_bar, 0)),
        None if p is None else Thunk(p_bar, y_bar),
        Thunk(w_bar, y_bar),
    )


def largest(config: Any, a: Any, b: Any, w: Any) -> Any:
    """The distance of Chebyshev: the first coordinate with the largest difference."""
    k = config.plainly(first_largest, a, b, w)
    i, j = np.arange(len(a))[:, None], np.arange(len(b))
    return np.abs(a[i, k] - b[j, k])


def first_largest(a: Any, b: Any, w: Any) -> Any:
    d = np.abs(a[:, None, :] - b[None, :, :])
    return np.argmax(d if w is None else d * (np.asarray(w) > 0), axis=2)


def cosine(a: Any, b: Any, w: Any) -> Any:
    weigh = a if w is None else a * w
    squares = lambda x: np.sum(x * x if w is None else x * x * w, axis=1)
    return 1.0 - (weigh @ b.T) / np.sqrt(squares(a)[:, None] * squares(b))


def correlation(a: Any, b: Any, w: Any) -> Any:
    if w is None:
        return cosine(a - np.mean(a, axis=1)[:, None], b - np.mean(b, axis=1)[:, None], None)
    w = w / np.sum(w)
    return cosine(a - (a @ w)[:, None], b - (b @ w)[:, None], w)


def braycurtis(a: Any, b: Any, w: Any) -> Any:
    below, above = np.abs(a[:, None, :] + b), np.abs(a[:, None, :] - b)
    if w is not None:
        below, above = below * w, above * w
    return strong_div(np.sum(above, axis=2), np.sum(below, axis=2))


def canberra(a: Any, b: Any, w: Any) -> Any:
    below = np.abs(a)[:, None, :] + np.abs(b)
    share = np.where(below > 0, np.abs(a[:, None, :] - b) / np.where(below > 0, below, 1.0), 0.0)
    return np.sum(share if w is None else share * w, axis=2)


def divergence(p: Any, q: Any, axis: int, keepdims: bool = False) -> Any:
    """Twice the square of the distance of Jensen and Shannon."""
    p, q = p / np.sum(p, axis=axis, keepdims=True), q / np.sum(q, axis=axis, keepdims=True)
    m = 0.5 * (p + q)
    return np.sum(entropy(p, m) + entropy(q, m), axis=axis, keepdims=keepdims)


def root_of_half(s: Any) -> Any:
    """``sqrt(s / 2)``; 0 with the derivative 0 where two distributions are the same, but for rounding."""
    apart = s > 1e-16
    return np.where(apart, np.sqrt(np.where(apart, s, 1.0) / 2.0), 0.0)


def entropy(p: Any, m: Any) -> Any:
    there = (p > 0) & (m > 0)
    return np.where(there, p * np.log(np.where(there, p, 1.0) / np.where(there, m, 1.0)), 0.0)


BY_FORMULA = {"cosine": cosine, "correlation": correlation, "braycurtis": braycurtis, "canberra": canberra}
# By all the names that SciPy knows.
NAMES = {name.lower(): info.canonical_name for info in getattr(sd, "_METRIC_INFOS", ()) for name in info.aka}


def called(metric: Any) -> str:
    name = metric.lower() if isinstance(metric, str) else metric.__name__
    return str(NAMES.get(name.removeprefix("test_"), name))


def check_smooth(name: str) -> None:
    if name in BY_FORMULA or name in SMOOTH:
        return
    raise NotImplementedDerivative(
        f"the metric {name!r} compares truth values or counts where elements differ: it has no derivative to follow"
    )


SMOOTH = {
    "euclidean", "sqeuclidean", "seuclidean", "mahalanobis", "minkowski", "cityblock", "chebyshev", "jensenshannon",
}  # fmt: skip


@program(sd.cdist)
def cdist_program(config: Any, XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, **named_: Any) -> Any:
    if out is not None:
        raise NotImplementedDerivative("out= is not implemented; use the result")
    a, b = np.asarray(XA, float), np.asarray(XB, float)
    if callable(metric) and getattr(sd, metric.__name__, None) is not metric:
        config.plainly(sd.cdist, a[:0], b[:0], metric, **named_)  # it raises what is to be raised
        rows = [[metric(x, y, **named_) for y in b] for x in a]
        return np.reshape(np.array(rows, float), (len(a), len(b)))
    name = called(metric)
    config.plainly(sd.cdist, a[:1], b[:1], name, **check(name, named_, a))  # it raises what is to be raised
    return between(config, a, b, name, np.concatenate, named_)


def check(name: str, given: Any, a: Any) -> Any:
    """The options for one pair of points, which has no variance."""
    if name == "seuclidean" and given.get("V") is None:
        return {**given, "V": np.ones(a.shape[1])}
    return {**given, "VI": np.eye(a.shape[1])} if name == "mahalanobis" and given.get("VI") is None else given


def between(config: Any, a: Any, b: Any, name: str, together: Any, given: Any) -> Any:
    """The distances by a metric; ``together((a, b))`` are the points of which variances are taken."""
    check_smooth(name)
    w = given.get("w")
    w = None if w is None else np.asarray(w, float)
    if name in BY_FORMULA:
        return BY_FORMULA[name](a, b, w)
    if name == "jensenshannon":
        return root_of_half(divergence(a[:, None, :], b[None, :, :], 2))
    if name == "chebyshev":
        return largest(config, a, b, w)
    if name in ("euclidean", "sqeuclidean"):
        return quadratic(a, b, w, name == "sqeuclidean")
    if name == "seuclidean":
        v = given.get("V")
        return quadratic(a, b, 1.0 / (np.var(together((a, b)), axis=0, ddof=1) if v is None else np.asarray(v)), False)
    if name == "mahalanobis":
        m = given.get("VI")
        m = np.linalg.inv(np.cov(together((a, b)).T)).T if m is None else np.asarray(m)
        return quadratic(a, b, np.reshape(m, (a.shape[1], a.shape[1])), False)
    p = None if name == "cityblock" else given.get("p", 2.0)
    if p is not None and np.isinf(p):
        return largest(config, a, b, w)
    return minkowski(a, b, p, np.ones(a.shape[1]) if w is None else w)


@program(sd.pdist)
def pdist_program(config: Any, X: Any, metric: Any = "euclidean", *, out: Any = None, **named_: Any) -> Any:
    if out is not None:
        raise NotImplementedDerivative("out= is not implemented; use the result")
    x = np.asarray(X, float)
    i, j = np.triu_indices(len(x), 1)
    if callable(metric) and getattr(sd, metric.__name__, None) is not metric:
        return np.array([metric(x[k], x[n], **named_) for k, n in zip(i, j, strict=True)], float)
    name = called(metric)
    found = config.plainly(sd.pdist, x, name, **named_)
    return moved_as(config, found, between(config, x, x, name, lambda both: both[0], named_)[i, j])


def squareform_rule(X: Any, force: Any = "no", checks: Any = True) -> Any:
    """From a vector each number goes to two places; from a matrix the upper triangle is read."""
    if type(X) is not np.ndarray or X.dtype != float or not X.size or (force, checks) != ("no", True):
        return NotImplemented
    y = sd.squareform(X)

    def squareform_pullback(y_bar: Any) -> Any:
        if y_bar.ndim == 2:
            return sd.squareform(y_bar + y_bar.T, "tovector", False)
        return np.triu(sd.squareform(y_bar, "tomatrix", False))

    return y, squareform_pullback


rrule(sd.squareform)(leading(squareform_rule))


@program(sd.squareform)
def squareform_program(config: Any, X: Any, force: Any = "no", checks: Any = True) -> Any:
    x = np.asarray(X)
    y = config.plainly(sd.squareform, x, force, checks)
    if y.ndim == 1:
        return x[np.triu_indices(len(x), 1)]
    n = len(y)
    places = np.zeros((n, n), int)
    i, j = np.triu_indices(n, 1)
    places[i, j] = places[j, i] = np.arange(1, len(i) + 1)
    return np.concatenate([np.zeros(1, x.dtype), x])[places]


@program(sd.jensenshannon)
def jensenshannon_program(
    config: Any, p: Any, q: Any, base: Any = None, *, axis: Any = 0, keepdims: Any = False
) -> Any:
    found = config.plainly(sd.jensenshannon, p, q, base, axis=axis, keepdims=keepdims)
    s = divergence(np.asarray(p, float), np.asarray(q, float), axis, keepdims)
    return moved_as(config, found, root_of_half(s if base is None else s / np.log(base))[()])


@program(sd.mahalanobis)
def mahalanobis_program(config: Any, u: Any, v: Any, VI: Any) -> Any:
    found = config.plainly(sd.mahalanobis, u, v, VI)
    u, v = np.atleast_2d(np.asarray(u, float)), np.atleast_2d(np.asarray(v, float))
    return moved_as(config, found, quadratic(u, v, np.atleast_2d(VI), False)[0, 0])
