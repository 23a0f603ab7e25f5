"""Calls of SciPy and of larger functions of NumPy in random programs of arrays, for `plain_arrays`."""

from __future__ import annotations

from typing import Any

HEAD = "from scipy import fft, integrate, linalg, ndimage, optimize, signal, special, stats\n"
HEAD += "from scipy.spatial import distance\n"
HEAD += "WAITING = stats.gamma(2.0, scale=1.5)\n"


def number(w: Any, depth: int) -> str:
    """A number that a call of a library gives; `w` is the `plain_arrays.ArrayWriter`."""
    a, b = w.number(depth - 1), w.number(0)
    vector = w.array((w.n,), depth - 1)
    return w.pick(
        f"stats.norm.logpdf({a}, {b}, 1.0 + {b} ** 2)", f"stats.norm.logpdf({vector}, scale=1.0 + {a} ** 2).sum()",
        f"stats.norm({a}, 0.5).cdf({b})", f"WAITING.logpdf(0.1 + ({a}) ** 2)", f"stats.t.logcdf({a}, 4.0, loc={b})",
        f"special.erf({a})", f"special.gammaln(2.0 + ({a}) ** 2)", f"special.jv(1.5, 1.0 + ({a}) ** 2)",
        f"special.logsumexp({vector})", f"linalg.det({well(w, depth)})", f"np.linalg.slogdet({well(w, depth)})[1]",
        f"np.median({vector})", f"linalg.norm({vector})", f"stats.poisson.logpmf(3, 0.1 + ({a}) ** 2)",
        f"integrate.quad(lambda t: ({a}) * t + math.sin({b} * t), 0.0, 1.0)[0]",
        f"integrate.quad(lambda t, c={b}: ({a}) * t * c, {b}, 1.5)[0]",
        f"optimize.brentq(lambda z, c=0.5: z ** 3 + c * z - math.sin({a}) + {b}, -90.0, 90.0)",
        f"optimize.newton(lambda z: z + 0.1 * np.sin(z) - math.sin({a}), 0.5)",
        f"stats.expon.sf(np.abs({vector}), 0.0, 1.5).mean()", f"special.xlogy({b}, 1.0 + ({a}) ** 2)",
    )  # fmt: skip


def elementwise(w: Any, part: str, other: str) -> str:
    """An array of the shape of `part`, with which `other` can be broadcast."""
    return w.pick(
        f"special.expit({part})", f"special.log_ndtr({part})", f"stats.norm.logpdf({part}, {other}, 1.5)",
        f"stats.logistic.cdf({part}, loc={other})", f"special.softmax({part})", f"special.xlogy({part}, 1.5)",
    )  # fmt: skip


def vector(w: Any, depth: int) -> str:
    """A vector of as many numbers as ``x`` has."""
    given = w.array((w.n,), depth - 1)
    spd = f"(lambda u: u @ u.T)({well(w, depth)})"
    symmetric = f"({well(w, depth)} + {well(w, depth)}.T)"
    return w.pick(
        f"linalg.solve({well(w, depth)}, {given})", f"linalg.lu_solve(linalg.lu_factor({well(w, depth)}), {given})",
        f"linalg.cho_solve(linalg.cho_factor({spd}), {given})", f"linalg.eigvalsh({symmetric})",
        f"np.linalg.eigh({symmetric})[0]", f"linalg.lstsq({well(w, depth)}, {given})[0]",
        f"fft.dct({given})", f"signal.lfilter([1.0, 0.3], [1.0, 0.1], {given})", f"np.sort({given})",
        f"ndimage.gaussian_filter1d({given}, 1.0)", f"np.interp({given}, np.arange(3.0), G[0, :2].repeat(2)[:3])",
    )  # fmt: skip


def square(w: Any, depth: int) -> str:
    """A square matrix."""
    return w.pick(
        f"linalg.expm(0.1 * {w.array((w.n, w.n), depth - 1)})", f"linalg.qr({well(w, depth)})[1]",
        f"np.linalg.qr({well(w, depth)})[0]", f"linalg.inv({well(w, depth)})",
        f"linalg.toeplitz({w.array((w.n,), depth - 1)})",
        f"distance.cdist({w.array((w.n, w.n), depth - 1)}, G[:1].repeat({w.n}, axis=0) * 0.5)",
    )  # fmt: skip


def well(w: Any, depth: int) -> str:
    """A matrix that can be inverted, as long as what it is made of is small."""
    return f"({w.array((w.n, w.n), max(depth - 1, 0))} * 0.1 + 3.0 * np.eye({w.n}))"
