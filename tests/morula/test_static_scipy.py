"""Calls of SciPy and of NumPy by their rules, in the static tier."""

import numpy as np
import pytest
from scipy import fft, integrate, interpolate, linalg, ndimage, signal, sparse, special, stats
from scipy.spatial import distance
from static_checks import check_static, found_by

import chainrules
import morula
from chainrules.rules import add_rule
from morula.static.python.pairs import INTERNAL, record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

RNG = np.random.default_rng(7)
DATA = RNG.normal(size=40)
POINTS = RNG.normal(size=(12, 2))
MATRIX = RNG.normal(size=(4, 4)) + 4 * np.eye(4)
FACTOR = linalg.cho_factor(MATRIX @ MATRIX.T)[0], False
WAITING = stats.gamma(2.0, scale=1.3)
BINS = np.array([0, 1, 1, 2, 0, 2])
STIFF = sparse.random_array((40, 40), density=0.1, rng=3, format="csr")
COLUMNS = sparse.csc_matrix(STIFF * 0.5)
KNOTS = np.linspace(0.0, 1.0, 9)
CURVE, SHAPE = interpolate.CubicSpline(KNOTS, np.sin(9 * KNOTS)), interpolate.PchipInterpolator(KNOTS, KNOTS**3)
SPLINE = interpolate.make_interp_spline(KNOTS, np.cos(5 * KNOTS))
SOS = signal.butter(4, 0.2, output="sos")


def likelihood(mu, s):
    return stats.norm.logpdf(DATA, mu, np.exp(s)).sum()


def by_keyword(mu, s):
    return stats.norm.logpdf(DATA, scale=np.exp(s), loc=mu).sum() + stats.t.logcdf(0.3, df=4.0, loc=mu)


def of_numbers(mu, s):
    total = 0.0
    for x in (0.1, 0.5, 0.9):
        total += stats.norm.logpdf(x, mu, 1.0 + s * s) + stats.poisson.logpmf(3, np.exp(s) + x)
    return total


def frozen(mu, s):
    d = stats.norm(mu, scale=np.exp(s))
    return d.logpdf(DATA).sum() + d.cdf(0.2) * WAITING.logpdf(np.exp(mu)) - WAITING.sf(1.0 + s)


def gaussian_process(length, noise):
    k = np.exp(-0.5 * distance.cdist(POINTS, POINTS, "sqeuclidean") / length**2) + noise * np.eye(12)
    factor = linalg.cho_factor(k, lower=True)
    y = POINTS[:, 0]
    return y @ linalg.cho_solve((factor[0], True), y) + 2.0 * np.log(np.diag(factor[0])).sum()


def factored(a, b):
    lu, pivots = linalg.lu_factor(MATRIX * a + b)
    return linalg.lu_solve((lu, pivots), DATA[:4]).sum() + linalg.cho_solve(FACTOR, DATA[:4] * a) @ DATA[4:8]


def taken_apart(a, b):
    q, r = linalg.qr(MATRIX + a)
    sign, logdet = np.linalg.slogdet(MATRIX * b + a)
    w, _ = np.linalg.eigh(MATRIX + MATRIX.T + a * np.eye(4))
    return np.abs(np.diag(r)).sum() * sign + logdet + w[0] * b + (q @ q.T).sum()


def named_values(a, b):
    found = np.linalg.eigh(MATRIX + MATRIX.T + a * b)
    return found.eigenvalues[-1] + np.linalg.slogdet(MATRIX + a).logabsdet


def least_squares(a, b):
    x, _, _, s = linalg.lstsq(np.outer(POINTS[:, 0], [1.0, 0.0]) * a + POINTS, POINTS[:, 1] * b)
    return x @ x + s[0]


def transformed(a, b):
    y = fft.dct(DATA * a + b, norm="ortho")
    z = fft.irfft(y, 32)
    return (y * y).sum() + z @ z


def filtered(a, b):
    y = signal.lfilter([a, 0.5], [1.0, -b], DATA) + signal.sosfilt(SOS, DATA * a)
    return (ndimage.gaussian_filter1d(y, 1.5) ** 2).sum() + signal.detrend(y * y).max()


def of_integers(a, b):
    return special.softmax(np.take(DATA, BINS) * a)[2] * b + np.bincount(BINS, DATA[:6] * a)[1] * b


def quadratures(a, b):
    t = np.linspace(0.0, 1.0, 21)
    y = np.exp(-a * t) * b
    return integrate.trapezoid(y, t) + integrate.trapezoid(y, dx=0.1 * a) + special.logsumexp(y, b=np.exp(-t))


def with_numbers(a, b):
    total = 0.0
    for i in range(1, 6):
        total += special.jv(1.5, a * i) + special.gammainc(b, 1.0 + a) * special.expn(2, b) + np.sum(special.erf(a))
    return total


def deblurred(a, b):
    y = DATA * a + b * b
    z = fft.fft(y) * np.conj(fft.fft(DATA)) / (abs(fft.fft(DATA * b)) ** 2 + 0.1)
    return (fft.ifft(z).real * DATA).sum() - (2.5 * z - a).imag[1:].sum() + abs(fft.ifft(-z)).sum()


def modulated(a, b):
    z = fft.rfft(DATA * a)
    for _ in range(3):
        z = z * fft.rfft(DATA + b) / 9.0 + z / b - fft.rfft(DATA)
    if a > 0.5:
        z = 3.0 * z
    envelope = np.abs(signal.hilbert(fft.irfft(z, 40)))
    return np.log(np.abs(z) ** 2).sum() + (envelope * DATA.real).sum() + np.imag(z) @ np.angle(z)


def by_products(a, b):
    return special.lambertw(np.exp(DATA * a) * b).real.sum() + np.linalg.norm(fft.fft2(MATRIX * a + b).imag)


def relaxed(a, b):
    r = a - STIFF @ (DATA * b)
    for _ in range(4):
        r = r - 0.1 * (STIFF.T @ r) + 0.05 * (r @ COLUMNS)
    return r @ COLUMNS.dot(r) + (STIFF @ r.reshape(40, 1)).sum()


def on_curves(a, b):
    x = np.abs(DATA) / 9.0
    return (CURVE(x * a) * SPLINE(x + b / 9.0)).sum() + CURVE(x * b, 1) @ SHAPE(x) - SHAPE(x * a, 0, False).sum()


PROGRAMS = [
    likelihood, by_keyword, of_numbers, frozen, gaussian_process, factored, taken_apart, named_values, least_squares,
    transformed, filtered, of_integers, quadratures, with_numbers, deblurred, modulated,
    by_products, relaxed, on_curves,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_with_calls_of_scipy_are_static(f):
    check_static(f, (0.8, 0.6))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_their_tangents_and_second_derivatives_are_those_of_the_eager_tier(f):
    def of(tier):
        with morula.tier(tier):
            moved = morula.jvp(f, (0.8, 0.6), (0.3, -0.7))[1]
            second = morula.hvp(lambda x: f(x[0], x[1]), [0.8, 0.6], [0.3, -0.7])
        return moved, second

    (eager, second), (static, other) = of("eager"), of("static")
    assert static == pytest.approx(eager, rel=1e-9)
    assert other == pytest.approx(second, rel=1e-8, abs=1e-9)


# -- what the static tier leaves to the eager one ----------------------------------------------------------


def why(f, *args):
    with morula.tier("static"):
        morula.gradient(f, *args)
    return record_of(f).why


def test_a_derivative_that_is_lacking_matters_only_where_it_is_needed():
    def of_argument(x):
        return special.struve(1.5, x) * x

    def of_order(v):
        return special.struve(v, 0.7) * v

    check_static(of_argument, (0.7,))
    for tier in ("eager", "static"):
        with morula.tier(tier), pytest.raises(morula.NotDifferentiable, match=r"struve.* with respect to its order"):
            morula.gradient(of_order, 1.5)


def test_arguments_that_may_be_overwritten_are_the_eager_tiers():
    def f(x):
        a = MATRIX * x
        y = linalg.inv(a, overwrite_a=True)
        return y.sum() + a[0, 0]

    assert "writes into what it is given" in why(f, 0.5)
    assert found_by("static", f, (0.5,)).gradient == found_by("eager", f, (0.5,)).gradient


def test_draws_are_the_eager_tiers():
    def f(x):
        return stats.norm.logpdf(x * stats.norm.rvs(size=3, random_state=1)).sum()

    assert why(f, 0.5)
    assert found_by("static", f, (0.5,)).gradient == found_by("eager", f, (0.5,)).gradient


def test_values_of_another_shape_are_found_by_the_eager_tier():
    def f(x):
        return (np.unique(np.round(x))[:1] * x[0]).sum() + np.trim_zeros(x).sum()

    for x in (np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0])):
        assert found_by("static", f, (x,)).gradient[0] == pytest.approx(found_by("eager", f, (x,)).gradient[0])


def test_a_method_that_an_object_has_itself_is_called():
    class Wider(type(stats.norm)):
        pass

    mine = Wider(name="mine")

    def f(x):
        return mine.logpdf(x, 0.0, 2.0)

    before = found_by("static", f, (0.5,)).gradient
    assert before == found_by("eager", f, (0.5,)).gradient == pytest.approx((-0.125,))
    mine.logpdf = lambda x, loc, scale: x * scale
    assert found_by("static", f, (0.5,)).gradient == (2.0,)


def test_parameters_of_a_frozen_distribution_are_read_anew():
    d = stats.norm(0.0, 1.0)

    def f(x):
        return d.logpdf(x)

    assert found_by("static", f, (0.5,)).gradient == (-0.5,)
    d.kwds = {"scale": 0.5}
    d.args = (0.0,)
    assert found_by("static", f, (0.5,)).gradient == (-2.0,)
    d.args, d.kwds = (0.0, 2.0), {}
    assert found_by("static", f, (0.5,)).gradient == (-0.125,)


def test_rules_that_are_declared_later_are_used():
    def f(x):
        return special.softmax(x)[0]

    x = np.array([0.1, 0.4])
    before = found_by("static", f, (x,)).gradient[0]
    known = chainrules.rules_for(special.softmax)[0]
    try:

        @chainrules.rrule(special.softmax)
        def _(x):
            return special.softmax(x), lambda y_bar: 7.0 * y_bar

        assert found_by("static", f, (x,)).gradient[0].tolist() == [7.0, 0.0]
    finally:
        add_rule(special.softmax, known)
    assert found_by("static", f, (x,)).gradient[0].tolist() == before.tolist()


def test_what_nothing_depends_on_is_not_needed():
    """Derivatives of vectors are infinite beside repeated values, unless nobody asks for them."""

    def f(x):
        w, _ = np.linalg.eigh(np.eye(3) * x)
        return w.sum()

    check_static(f, (2.0,))


def test_an_integer_that_is_differentiated_by():
    def f(n, x):
        return special.softmax(np.array([x, x * x, 1.0]) * n)[0]

    assert found_by("static", f, (2, 0.5)).gradient == pytest.approx(found_by("eager", f, (2, 0.5)).gradient)


def test_an_object_of_scipys_is_read_anew_each_time():
    matrix = sparse.csr_array(np.diag([1.0, 2.0]))

    def f(x):
        return (matrix @ x) @ x

    x = np.array([1.0, 3.0])
    assert found_by("static", f, (x,)).gradient[0].tolist() == [2.0, 12.0]
    matrix.data *= 2.0
    assert found_by("static", f, (x,)).gradient[0].tolist() == [4.0, 24.0]
    matrix.data = np.array([1.0, 1.0])
    assert found_by("static", f, (x,)).gradient[0].tolist() == [2.0, 6.0]


def test_an_object_that_holds_the_memory_of_an_argument_is_the_eager_tiers():
    matrix = sparse.csr_array(np.diag([1.0, 2.0]))

    def f(x):
        return (matrix @ x).sum()

    found = []
    for tier in ("eager", "static"):
        with morula.tier(tier):
            found.append(morula.gradient(f, np.ones(2))[0].tolist())
            found.append(morula.gradient(f, matrix.data)[0].tolist())
    assert found[:2] == found[2:]


BY_NAME = [
    lambda n: stats.norm.logpdf(0.25, loc=n), lambda n: stats.t.logcdf(DATA, 4.0, loc=n).sum(),
    lambda n: stats.norm(loc=n).logpdf(DATA).sum(), lambda n: np.sum(DATA, initial=n),
    lambda n: np.average(DATA[:4], weights=[1, 2, n, 1]), lambda n: np.sum(np.clip(DATA, a_min=-n, a_max=n)),
    lambda n: np.interp(5.0, [0.0, 1.0], [2.0, 3.0], right=n), lambda n: np.sum(np.pad(DATA, 2, constant_values=n)),
]  # fmt: skip


@pytest.mark.parametrize("f", BY_NAME)
def test_integers_by_name_have_derivatives(f):
    """An integer that is an argument is no constant, by whatever name it is given to a function."""
    eager, static = found_by("eager", f, (2,)), found_by("static", f, (2,))
    assert static == eager
    assert static.gradient[0] == pytest.approx((f(2 + 1e-6) - f(2 - 1e-6)) / 2e-6, rel=1e-6)


def test_truth_values_have_no_slope():
    def f(x, mask):
        return np.min(special.expit(mask)) * np.sum(x * mask) + np.sum(np.logaddexp(x, mask))

    args = (np.array([0.3, -0.7]), np.array([True, False]))
    eager, static = found_by("eager", f, args), found_by("static", f, args)
    assert static.value == eager.value
    assert static.gradient[0] == pytest.approx(eager.gradient[0])
    assert static.gradient[1] is eager.gradient[1] is None
    assert not (record_of(f).why or "").startswith(INTERNAL)
