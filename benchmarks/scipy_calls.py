"""What the gradient of a SciPy call costs beside the call itself.

    OPENBLAS_NUM_THREADS=1 python benchmarks/scipy_calls.py [--repeat 7] [--size 1000] [TEXT ...]

Each row times one call with arrays of 1,000 elements, plainly and under `gradient` of the sum of its result,
interleaved; and where the function takes numbers, its gradient at a number (aim: at most 40 us). ``ratio`` is gradient
by call (aim: at most 3), ``rule`` the same without the fixed cost of a gradient, that of the sum of such an array.
Gradients are called for a tenth of a second before they are timed, so that a static adjoint is there where one can be
made. Sorted by ratio. Further figures follow: solvers of a few unknowns, a fit of 10 parameters through `solve_ivp`
(aim: at most 3 times the solve), and the gradient of a minimum of 1,000 variables (aim: at most 0.2 times the
minimisation on top of it). Texts choose the rows that hold one of them.
"""

import argparse
import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import fft, integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats
from scipy.sparse import linalg as sparse_linalg
from scipy.spatial import distance
from timing import interleaved, keep

import morula

HOT = 0.1  # seconds

# calls of `x`, an array or a number between 0.1 and 0.9
SPECIAL = """
    gamma(x) gammaln(x) digamma(x) polygamma(1,x) beta(x,1.5) betaln(x,1.5) betainc(1.2,2.3,x) betaincinv(1.2,2.3,x)
    gammainc(1.3,x) gammaincc(1.3,x) gammaincinv(1.3,x) erf(x) erfc(x) erfcx(x) erfinv(x) dawsn(x) expit(x) logit(x)
    log_expit(x) xlogy(x,1.5) xlog1py(x,1.5) entr(x) rel_entr(x,0.4) kl_div(x,0.4) huber(1.0,x) pseudo_huber(1.0,x)
    boxcox(x,0.3) exprel(x) cosm1(x) j0(x) j1(x) jv(1.5,x) yv(1.5,x) iv(1.5,x) kv(1.5,x) ive(1.5,x) i0(x) k0(x)
    ellipk(x) ellipe(x) ellipkinc(0.4,x) hyp1f1(0.5,1.5,x) hyp2f1(0.5,1.0,1.5,x) ndtr(x) log_ndtr(x) ndtri(x)
    stdtr(3.0,x) chdtr(3.0,x) lambertw(x).real expn(2,x) exp1(x) expi(x) spence(x) loggamma(x) log1p(x) expm1(x)
    softplus(x)
"""
DISTRIBUTIONS = {
    "norm": "", "t": "4.0,", "gamma": "2.0,", "beta": "2.0,3.0,", "expon": "", "lognorm": "0.8,", "weibull_min": "1.5,",
    "laplace": "", "cauchy": "", "logistic": "", "gumbel_r": "", "chi2": "3.0,", "pareto": "2.0,", "uniform": "",
}  # fmt: skip
ARRAYS = {
    "special.softmax": "special.softmax(x)", "special.log_softmax": "special.log_softmax(x)",
    "special.logsumexp": "special.logsumexp(x)", "stats.zscore": "stats.zscore(x)",
    "linalg.solve": "linalg.solve(A, x2)", "linalg.inv": "linalg.inv(x2)", "linalg.det": "linalg.det(x2)",
    "linalg.cholesky": "linalg.cholesky(x2 @ x2.T + A)", "linalg.cho_solve": "linalg.cho_solve(factor, x2)",
    "linalg.solve_triangular": "linalg.solve_triangular(A, x2)", "linalg.lstsq": "linalg.lstsq(A, x2)[0]",
    "linalg.expm": "linalg.expm(x2)", "linalg.svdvals": "linalg.svdvals(x2)", "linalg.eigvalsh": "linalg.eigvalsh(x2)",
    "linalg.qr": "linalg.qr(x2)[1]", "linalg.lu_factor": "linalg.lu_factor(x2)[0]", "linalg.norm": "linalg.norm(x2)",
    "linalg.solve_banded": "linalg.solve_banded((1, 1), bands, x)", "linalg.toeplitz": "linalg.toeplitz(x[:32])",
    "fft.fft": "fft.fft(x).real", "fft.ifft": "fft.ifft(x).real", "fft.rfft": "fft.rfft(x).real",
    "fft.irfft": "fft.irfft(x)", "fft.fft2": "fft.fft2(x2).real", "fft.dct": "fft.dct(x)", "fft.idct": "fft.idct(x)",
    "fft.dst": "fft.dst(x)", "fft.dctn": "fft.dctn(x2)",
    "signal.convolve": "signal.convolve(x, taps)", "signal.fftconvolve": "signal.fftconvolve(x, taps)",
    "signal.correlate": "signal.correlate(x, taps)", "signal.lfilter": "signal.lfilter(b, a, x)",
    "signal.sosfilt": "signal.sosfilt(sos, x)", "signal.filtfilt": "signal.filtfilt(b, a, x)",
    "signal.hilbert": "signal.hilbert(x).imag", "signal.detrend": "signal.detrend(x)",
    "signal.resample": "signal.resample(x, 500)", "signal.savgol_filter": "signal.savgol_filter(x, 11, 3)",
    "ndimage.convolve": "ndimage.convolve(x2, small)", "ndimage.correlate1d": "ndimage.correlate1d(x, taps)",
    "ndimage.gaussian_filter": "ndimage.gaussian_filter(x2, 2.0)",
    "ndimage.uniform_filter": "ndimage.uniform_filter(x2, 3)", "ndimage.sobel": "ndimage.sobel(x2)",
    "ndimage.laplace": "ndimage.laplace(x2)", "ndimage.shift": "ndimage.shift(x2, 0.5, order=1)",
    "ndimage.zoom": "ndimage.zoom(x2, 1.5, order=1)", "ndimage.rotate": "ndimage.rotate(x2, 20.0, order=1)",
    "ndimage.map_coordinates": "ndimage.map_coordinates(x2, places, order=1)",
    "sparse A @ x": "S @ x", "sparse A.T @ x": "S.T @ x",
    "sparse from data": "sparse.csr_array((x, (row, col))) @ ones",
    "sparse.linalg.spsolve": "sparse_linalg.spsolve(T, x)", "sparse.linalg.cg": "sparse_linalg.cg(T, x)[0]",
    "interpolate.interp1d": "interpolate.interp1d(t, x)(at)",
    "interpolate.CubicSpline": "interpolate.CubicSpline(t, x)(at)",
    "CubicSpline, evaluated": "spline(x)", "interpolate.Pchip": "interpolate.PchipInterpolator(t, x)(at)",
    "interpolate.Akima1D": "interpolate.Akima1DInterpolator(t, x)(at)",
    "interpolate.make_interp_spline": "interpolate.make_interp_spline(t, x)(at)",
    "interpolate.RegularGrid": "interpolate.RegularGridInterpolator((g, g), x2)(grid)",
    "distance.cdist": "distance.cdist(x3, points)", "distance.pdist": "distance.pdist(x3)",
    "cdist, cityblock": "distance.cdist(x3[:50], points, 'cityblock')",
    "distance.squareform": "distance.squareform(x[:990])",
    "Rotation.apply": "spatial.transform.Rotation.from_rotvec([0.1, 0.2, 0.3]).apply(x3)",
    "integrate.trapezoid": "integrate.trapezoid(x, t)", "integrate.simpson": "integrate.simpson(x, x=t)",
    "integrate.cumulative_trapezoid": "integrate.cumulative_trapezoid(x, t)",
}  # fmt: skip


def space_of(n: int) -> dict[str, Any]:
    """What the calls name, but for ``x``."""
    rng = np.random.default_rng(0)
    side = 32
    matrix = rng.normal(size=(side, side)) / side + 2 * np.eye(side)
    t = np.linspace(0.0, 1.0, n)
    at = np.sort(rng.random(n))
    g = np.arange(float(side))
    b, a = signal.butter(3, 0.2)
    tridiagonal = sparse.diags_array([-np.ones(n - 1), 3.0 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return {
        "np": np, "fft": fft, "integrate": integrate, "interpolate": interpolate, "linalg": linalg, "ndimage": ndimage,
        "signal": signal, "sparse": sparse, "spatial": spatial, "special": special, "stats": stats,
        "sparse_linalg": sparse_linalg, "distance": distance,
        "A": matrix @ matrix.T, "factor": linalg.cho_factor(matrix @ matrix.T),
        "bands": 0.1 + np.array([[0.0], [2], [0]]) * np.ones(n),
        "taps": rng.normal(size=21), "a": a, "b": b, "sos": signal.butter(4, 0.2, output="sos"),
        "small": rng.normal(size=(3, 3)), "places": rng.random((2, n)) * (side - 1),
        "S": sparse.random_array((n, n), density=5 / n, rng=0, format="csr"), "T": tridiagonal.tocsc(),
        "row": np.arange(n), "col": rng.permutation(n), "ones": np.ones(n), "t": t, "at": at, "g": g,
        "grid": rng.random((n, 2)) * (side - 1),
        "spline": interpolate.CubicSpline(t, np.sin(9 * t)), "points": rng.normal(size=(100, 3)),
    }  # fmt: skip


def calls() -> dict[str, tuple[str, bool]]:
    """The rows: an expression, and whether it takes numbers."""
    found = {}
    for text in SPECIAL.split():
        if hasattr(special, text.split("(")[0]):
            found[f"special.{text}"] = (f"special.{text}", True)
    for name, shapes in DISTRIBUTIONS.items():
        for method in ("logpdf", "cdf"):
            found[f"stats.{name}.{method}"] = (f"stats.{name}.{method}(x, {shapes} 0.0, 1.1)", True)
    return found | {name: (text, False) for name, text in ARRAYS.items()}


SHAPES = {"x2": "x[:1024].reshape(32, 32)", "x3": "x[:300].reshape(100, 3)"}


def summed(text: str, space: dict[str, Any]) -> tuple[Callable, Callable]:
    """The call, and the function that is differentiated: the sum of what it gives."""
    for name, form in SHAPES.items():
        text = text.replace(name, form) if f"{name[0]}[" not in text else text
    call = eval(f"lambda x: {text}", space)
    return call, eval("lambda x: np.sum(call(x))", {**space, "call": call})


def arguments(text: str, n: int) -> np.ndarray:
    x = np.random.default_rng(1).uniform(0.1, 0.9, max(n, 1024) if "x2" in text else n)
    return x[:1024] if "x2" in text else x


def outbreak(t, y, p):
    s, e, i, r = y
    n = s + e + i + r
    new = p[0] * s * i / n * (1 + p[1] * np.cos(p[2] * t))
    return [
        p[3] * n - new - p[4] * s + p[5] * r, new - (p[6] + p[4]) * e, p[6] * e - (p[7] + p[4] + p[8]) * i,
        p[7] * i - (p[4] + p[5]) * r + p[9] * s,
    ]  # fmt: skip


def fit(p):
    """The sum of squares of a simulated outbreak."""
    start, at = [0.99, 0.01, 0.0, 0.0], np.linspace(0.0, 60.0, 31)
    y = integrate.solve_ivp(outbreak, (0.0, 60.0), start, t_eval=at, args=(p,), rtol=1e-6, atol=1e-9).y
    return ((y[2] - 0.1) ** 2).sum()


def rosenbrock(x, a):
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (a[:-1] - x[:-1]) ** 2).sum()


def slope(x, a):
    d = x[1:] - x[:-1] ** 2
    found = np.zeros_like(x)
    found[1:] = 200.0 * d
    found[:-1] -= 400.0 * x[:-1] * d + 2.0 * (a[:-1] - x[:-1])
    return found


def least(a, start=0.0):
    """The size of the minimum of a valley of 1,000 variables."""
    options = {"maxiter": 20000, "maxfun": 10**6, "gtol": 1e-7, "ftol": 1e-14}
    found = optimize.minimize(rosenbrock, np.full(1000, start), (a,), "L-BFGS-B", slope, options=options)
    return (found.x**2).sum()


def decay(x, a, b, c):
    return a * np.exp(-b * x) + c


AT = np.linspace(0.0, 4.0, 50)
DATA = 2.5 * np.exp(-1.3 * AT) + 0.5 + 0.05 * np.sin(9.0 * AT)
SOLVERS = {  # each of one number or a few, and what it is called with
    "quad": (lambda p: integrate.quad(lambda x: math.exp(-p * x * x), 0.0, 1.0)[0], 0.7),
    "brentq": (lambda p: optimize.brentq(lambda x: x * x - p, 0.0, 3.0), 0.7),
    "root": (lambda p: optimize.root(lambda x: x * x - p, 1.0).x[0], 0.7),
    "minimize": (
        lambda w: optimize.minimize(lambda z: np.sum((z - w) ** 2) + np.sum(z**4), np.zeros(3)).x[1],
        np.array([1.0, 2.0, 3.0]),
    ),
    "minimize_scalar": (lambda w: optimize.minimize_scalar(lambda z: (z - w) ** 2 + z**4).x, 1.3),
    "curve_fit": (lambda y: optimize.curve_fit(decay, AT, y, [2.0, 1.0, 0.3])[0][1], DATA),
}


def small_solvers(repeat: int) -> None:
    """Solvers of one unknown or a few, whose derivatives are the implicit function theorem's."""
    for name, (f, x) in SOLVERS.items():
        columns = {"call": lambda f=f, x=x: f(x), "gradient": lambda f=f, x=x: morula.gradient(f, x)}
        for column in columns.values():
            warmed(column)
        t = interleaved(repeat, time.process_time, **columns)
        print(f"{name}: {t['gradient'] * 1e6:.0f} us, {t['gradient'] / t['call']:.1f} times the call")


def warmed(run: Callable) -> None:
    """Call what is timed until it is hot: a static adjoint is made by then."""
    until = time.perf_counter() + HOT
    while time.perf_counter() < until:
        run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--json", metavar="PATH", help="keep the figures for the site")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    space = space_of(options.size)
    rows = []
    plain_sum = eval("lambda x: np.sum(x)", space)
    for name, (text, takes_numbers) in calls().items():
        if options.texts and not any(t in name for t in options.texts):
            continue
        x = arguments(text, options.size)
        call, f = summed(text, space)
        columns = {
            "call": lambda call=call, x=x: call(x),
            "gradient": lambda f=f, x=x: morula.gradient(f, x),
            "fixed": lambda x=x: morula.gradient(plain_sum, x),
        }
        if takes_numbers:
            columns["number"] = lambda call=call: morula.gradient(call, 0.4)
        try:
            for column in columns.values():
                warmed(column)
            times = interleaved(options.repeat, time.process_time, **columns)
        except Exception as error:
            print(f"{name:<32} {type(error).__name__}: {str(error)[:80]}")
            continue
        rows.append((times["gradient"] / times["call"], name, times))
    within = sum(ratio <= 3.0 for ratio, _, _ in rows)
    quick = [t["number"] for _, _, t in rows if "number" in t]
    print(f"{within} of {len(rows)} within 3 times; {sum(t <= 40e-6 for t in quick)} of {len(quick)} within 40 us")
    print(f"{'call':<32}{'call us':>9}{'gradient':>10}{'ratio':>7}{'rule':>7}{'number us':>11}")
    for ratio, name, t in sorted(rows, reverse=True):
        rule = (t["gradient"] - t["fixed"]) / t["call"]
        number = f"{t['number'] * 1e6:11.1f}" if "number" in t else ""
        print(f"{name:<32}{t['call'] * 1e6:9.1f}{t['gradient'] * 1e6:10.1f}{ratio:7.1f}{rule:7.1f}{number}")
    by_ratio = {name: {"call": t["call"], "gradient": t["gradient"]} for _, name, t in sorted(rows, reverse=True)}
    keep(options.json, "Calls of SciPy on 1,000 numbers", "call", by_ratio, limit=3.0)
    if not options.texts or "solvers" in options.texts:
        small_solvers(options.repeat)
        p = np.array([1.5, 0.1, 0.3, 0.01, 0.01, 0.02, 0.3, 0.2, 0.005, 0.001])
        columns = {"call": lambda: fit(p), "gradient": lambda: morula.gradient(fit, p)}
        t = interleaved(options.repeat, time.process_time, **columns)
        print(f"solve_ivp of 10 parameters: {t['gradient'] / t['call']:.1f} times the solve ({t['call'] * 1e3:.1f} ms)")
        a = 1.0 + 0.01 * np.random.default_rng(2).normal(size=1000)
        for start in (0.0, 0.9):  # the latter in the valley, some 30 steps from the minimum
            columns = {
                "call": lambda start=start: least(a, start),
                "gradient": lambda start=start: morula.gradient(least, a, start)[0],
            }
            t = interleaved(options.repeat, time.process_time, **columns)
            more = (t["gradient"] - t["call"]) * 1e3
            print(
                f"minimize of 1000 variables from {start}: {more:.1f} ms on top of {t['call'] * 1e3:.0f} ms "
                f"({t['gradient'] / t['call'] - 1.0:.2f})"
            )


if __name__ == "__main__":
    main()
