"""The module `statistics`; loaded when the program has imported it.

Sums there are exact, and so are the derivatives of fractions: the partials are written in the numbers of the data.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

from ...declarations import unsupported
from ...products import strong_mul
from ...rules import rrule
from ...tangents import NotImplementedTangent
from ..forward import by_gradient
from ..partials import quotient
from .items import bars_of, over_items, parts

unsupported(
    "makes a function, or an object, written in Python: an engine follows its methods, which compute with `math`",
    *[getattr(statistics, name) for name in ("NormalDist", "kde", "kde_random") if hasattr(statistics, name)],
)


# -- means ------------------------------------------------------------------------------------------------


@over_items(statistics.mean)
def mean_rule(data: Any) -> Any:
    """The same share for each."""
    n = len(data)
    return statistics.mean(data), lambda y_bar: ([y_bar / n] * n,)


@over_items(statistics.fmean, 0, 1)
def fmean_rule(data: Any, weights: Any = None) -> Any:
    """``y = sum(w x) / W``: ``w / W`` for ``x`` and ``(x - y) / W`` for ``w``."""
    if weights is None:
        n = len(data)
        return statistics.fmean(data), lambda y_bar: ([y_bar / n] * n, None)
    y = statistics.fmean(data, weights)

    def fmean_pullback(y_bar: Any) -> Any:
        total = math.fsum(weights)
        return [strong_mul(w / total, y_bar) for w in weights], [strong_mul((x - y) / total, y_bar) for x in data]

    return y, fmean_pullback


@over_items(statistics.geometric_mean)
def geometric_mean_rule(data: Any) -> Any:
    """``y / (n x)``; at a single 0 among others the limit is an infinity, at several it is 0."""
    y = statistics.geometric_mean(data)
    n = len(data)

    def geometric_mean_pullback(y_bar: Any) -> Any:
        alone = sum(1 for x in data if x == 0) == 1
        at_zero = (math.inf if n > 1 else 1.0) if alone else 0.0
        return ([strong_mul(y / (n * x) if x != 0 else at_zero, y_bar) for x in data],)

    return y, geometric_mean_pullback


@over_items(statistics.harmonic_mean, 0, 1)
def harmonic_mean_rule(data: Any, weights: Any = None) -> Any:
    """``y = W / sum(w / x)``: ``w (y / x)**2 / W`` for ``x`` and ``y (1 - y / x) / W`` for ``w``.

    Near a single 0 with weight ``w`` the mean is ``x W / w``; with several it stays 0.
    """
    y = statistics.harmonic_mean(data, weights)

    def harmonic_mean_pullback(y_bar: Any) -> Any:
        ws = [1] * len(data) if weights is None else weights
        total = sum(ws)
        alone = sum(1 for x, w in zip(data, ws, strict=True) if x == 0 and w != 0) == 1

        def ratio(x: Any, w: Any) -> Any:
            """The ratio ``y / x``."""
            if x != 0:
                return y / x
            return total / w if alone and w != 0 else 0

        ratios = [ratio(x, w) for x, w in zip(data, ws, strict=True)]
        x_bar = [strong_mul(w * r * r / total, y_bar) for w, r in zip(ws, ratios, strict=True)]
        if weights is None:
            return x_bar, None
        return x_bar, [
            strong_mul(y * (1 - (r if x != 0 else quotient(y, x))) / total if y != 0 else 0.0, y_bar)
            for x, r in zip(data, ratios, strict=True)
        ]

    return y, harmonic_mean_pullback


# -- what lies in the middle ------------------------------------------------------------------------------


def order_of(data: Any) -> list[int]:
    """The places of the items in order; equal ones in the order of the data.

    >>> order_of([3.0, 1.0, 3.0])
    [1, 0, 2]
    """
    return sorted(range(len(data)), key=data.__getitem__)


@over_items(statistics.median)
def median_rule(data: Any) -> Any:
    """The item in the middle, or half for each of the two."""
    y = statistics.median(data)
    n, order = len(data), order_of(data)

    def median_pullback(y_bar: Any) -> Any:
        if n % 2:
            return (bars_of(n, [(order[n // 2], y_bar)]),)
        return (bars_of(n, [(order[n // 2 - 1], y_bar / 2), (order[n // 2], y_bar / 2)]),)

    return y, median_pullback


def _one_of(f: Any, place: Callable[[int], int]) -> None:
    @over_items(f)
    def rule(data: Any) -> Any:
        """All to the item that is the result."""
        n, order = len(data), order_of(data)
        return f(data), lambda y_bar: (bars_of(n, [(order[place(n)], y_bar)]),)


_one_of(statistics.median_low, lambda n: (n - 1) // 2)
_one_of(statistics.median_high, lambda n: n // 2)


@over_items(statistics.median_grouped)
def median_grouped_rule(data: Any, interval: Any = 1.0) -> Any:
    """``x - interval / 2 + interval (n / 2 - before) / count`` for the middle ``x``; numbers of items are constant."""
    y = statistics.median_grouped(data, interval)
    n, order = len(data), order_of(data)

    def median_grouped_pullback(y_bar: Any) -> Any:
        x = data[order[n // 2]]
        equal = [i for i in order if data[i] == x]
        share = (n / 2 - order.index(equal[0])) / len(equal) - 0.5 if n > 1 else 0.0
        return bars_of(n, [(equal[0], y_bar)]), share * y_bar

    return y, median_grouped_pullback


@over_items(statistics.quantiles)
def quantiles_rule(data: Any, *, n: Any = 4, method: Any = "exclusive") -> Any:
    """Each quantile lies between two neighbours in order; Hyndman & Fan 1996, types 6 and 7."""
    y = statistics.quantiles(data, n=n, method=method)
    size, order = len(data), order_of(data)

    def neighbours(i: int) -> tuple[int, int]:
        """The lower one, and how many ``n``-ths of the way the quantile is from it to the next."""
        if size == 1:
            return 0, 0
        if method == "inclusive":
            return divmod(i * (size - 1), n)
        j = min(max(i * (size + 1) // n, 1), size - 1)
        return j - 1, i * (size + 1) - j * n

    def quantiles_pullback(y_bar: Any) -> Any:
        pairs = []
        for i, bar in enumerate(parts(y_bar, n - 1), 1):
            if bar is not None:
                j, ahead = neighbours(i)
                pairs.append((order[j], bar * (n - ahead) / n))
                if ahead:
                    pairs.append((order[j + 1], bar * ahead / n))
        return (bars_of(size, pairs),)

    return y, quantiles_pullback


def _first(data: Any, value: Any) -> int | None:
    return next((i for i, x in enumerate(data) if x is value or x == value), None)


@over_items(statistics.mode)
def mode_rule(data: Any) -> Any:
    """All to the first of the items that are equal to the result."""
    y = statistics.mode(data)

    def mode_pullback(y_bar: Any) -> Any:
        place = _first(data, y)
        if place is None:
            return (NotImplementedTangent("the mode is a NaN, which is equal to none of the items"),)
        return (bars_of(len(data), [(place, y_bar)]),)

    return y, mode_pullback


@over_items(statistics.multimode)
def multimode_rule(data: Any) -> Any:
    """As `mode`, for each of the results."""
    y = statistics.multimode(data)

    def multimode_pullback(y_bar: Any) -> Any:
        found = [(_first(data, v), bar) for v, bar in zip(y, parts(y_bar, len(y)), strict=True) if bar is not None]
        places = [(i, bar) for i, bar in found if i is not None]
        if len(places) < len(found):
            return (NotImplementedTangent("a mode is a NaN, which is equal to none of the items"),)
        return (bars_of(len(data), places),)

    return y, multimode_pullback


# -- spread -----------------------------------------------------------------------------------------------


def spread_rule(f: Any, data: Any, center: Any, less: int, root: bool) -> Any:
    """``2 (x - c) / (n - less)``; of the root ``(x - c) / (y (n - less))``, and 0 for a constant sample.

    A centre that is given moves the other way; the mean need not be followed, for the differences from it add up to 0.
    """
    y = f(data, center)

    def spread_pullback(y_bar: Any) -> Any:
        c = statistics.mean(data) if center is None else center
        if root and y == 0:
            x_bar = [0 * y_bar for _ in data]
        else:
            scale = (len(data) - less) * (y if root else 1)
            x_bar = [strong_mul((1 if root else 2) * (x - c) / scale, y_bar) for x in data]
        return x_bar, None if center is None else -sum(x_bar)

    return y, spread_pullback


def _of_sample(f: Any, root: bool) -> None:
    @over_items(f)
    def of_sample_rule(data: Any, xbar: Any = None) -> Any:
        return spread_rule(f, data, xbar, 1, root)


def _of_population(f: Any, root: bool) -> None:
    @over_items(f)
    def of_population_rule(data: Any, mu: Any = None) -> Any:
        return spread_rule(f, data, mu, 0, root)


_of_sample(statistics.variance, False)
_of_sample(statistics.stdev, True)
_of_population(statistics.pvariance, False)
_of_population(statistics.pstdev, True)


# -- two samples ------------------------------------------------------------------------------------------


def _centred(x: Any) -> list[Any]:
    middle = math.fsum(x) / len(x)
    return [v - middle for v in x]


@over_items(statistics.covariance, 0, 1)
def covariance_rule(x: Any, y: Any) -> Any:
    """The other's distance from its mean, over ``n - 1``."""

    def covariance_pullback(c_bar: Any) -> Any:
        share = c_bar / (len(x) - 1)
        return [strong_mul(v, share) for v in _centred(y)], [strong_mul(u, share) for u in _centred(x)]

    return statistics.covariance(x, y), covariance_pullback


@over_items(statistics.correlation, 0, 1)
def correlation_rule(x: Any, y: Any, **options: Any) -> Any:
    """``r = u.v`` of the centred samples, normalised: ``(v - r u) / |x|``; ranks are constant."""
    r = statistics.correlation(x, y, **options)

    def correlation_pullback(r_bar: Any) -> Any:
        if options.get("method") == "ranked":
            return [0.0] * len(x), [0.0] * len(y)
        u, v = _centred(x), _centred(y)
        a, b = math.hypot(*u), math.hypot(*v)
        u, v = [t / a for t in u], [t / b for t in v]
        return (
            [strong_mul((q - r * p) / a, r_bar) for p, q in zip(u, v, strict=True)],
            [strong_mul((p - r * q) / b, r_bar) for p, q in zip(u, v, strict=True)],
        )

    return r, correlation_pullback


@over_items(statistics.linear_regression, 0, 1)
def linear_regression_rule(x: Any, y: Any, *, proportional: Any = False) -> Any:
    """``slope = u.v / u.u``: ``(v - 2 slope u) / u.u`` for ``x`` and ``u / u.u`` for ``y``, where ``u`` and ``v`` are
    centred unless the line goes through the origin; ``intercept = mean(y) - slope mean(x)``.
    """
    if any(isinstance(v, complex) for v in (*x, *y)):
        return NotImplemented
    line = statistics.linear_regression(x, y, proportional=proportional)

    def linear_regression_pullback(y_bar: Any) -> Any:
        slope_bar, intercept_bar = parts(y_bar, 2)
        slope_bar = 0.0 if slope_bar is None else slope_bar
        n = len(x)
        if proportional:
            u, v, share = list(x), list(y), 0.0
        else:
            intercept_bar = 0.0 if intercept_bar is None else intercept_bar
            u, v, share = _centred(x), _centred(y), intercept_bar / n
            slope_bar = slope_bar - intercept_bar * (math.fsum(x) / n)
        square = math.fsum([t * t for t in u])
        return (
            [
                strong_mul((q - 2 * line.slope * p) / square, slope_bar) - line.slope * share
                for p, q in zip(u, v, strict=True)
            ],
            [strong_mul(p / square, slope_bar) + share for p in u],
        )

    return line, linear_regression_pullback


@rrule(statistics._normal_dist_inv_cdf)  # type: ignore[attr-defined]
def normal_dist_inv_cdf_rule(p: Any, mu: Any, sigma: Any) -> Any:
    """``y = mu + sigma z``; the derivative of ``z`` is one over the density of the standard normal distribution."""
    y = statistics._normal_dist_inv_cdf(p, mu, sigma)  # type: ignore[attr-defined]

    def inv_cdf_pullback(y_bar: Any) -> Any:
        z = (y - mu) / sigma
        return strong_mul(sigma * math.sqrt(2 * math.pi) * math.exp(z * z / 2), y_bar), y_bar, strong_mul(z, y_bar)

    return y, inv_cdf_pullback


# Each returns one number, or a few.
for f in (
    statistics.mean, statistics.fmean, statistics.geometric_mean, statistics.harmonic_mean, statistics.median,
    statistics.median_low, statistics.median_high, statistics.median_grouped, statistics.quantiles, statistics.mode,
    statistics.multimode, statistics.variance, statistics.stdev, statistics.pvariance, statistics.pstdev,
    statistics.covariance, statistics.correlation, statistics.linear_regression,
    statistics._normal_dist_inv_cdf,  # type: ignore[attr-defined]
):  # fmt: skip
    by_gradient(f)
