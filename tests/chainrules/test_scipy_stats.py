# ruff: noqa: E501
"""`scipy.stats`: calls as users write them, second order, edges of the support, and invalid parameters."""

import cases.scipy_stats as known
import numpy as np
import pytest
import scipy.stats as st

import morula
from chainrules import is_constant, rules_for
from chainrules.library.scipy.special import noncentral
from chainrules.library.scipy.stats import kernels, values

X = np.array([0.4, 1.7])


def slope(f, x, step=1e-4):
    """A central difference of fourth order."""
    return (8 * (f(x + step) - f(x - step)) - (f(x + 2 * step) - f(x - 2 * step))) / (12 * step)


def gradient(f, *args):
    with np.errstate(all="ignore"):
        return [None if g is None else np.asarray(g).tolist() for g in morula.gradient(f, *args)]


@pytest.mark.parametrize(
    "f",
    [
        lambda c, s: np.sum(st.weibull_min.logsf(X, c, 0.0, s)),
        lambda c, s: np.sum(st.weibull_min.logsf(X, scale=s, c=c)),
        lambda c, s: np.sum(st.weibull_min.logsf(x=X, c=c, scale=s)),
        lambda c, s: np.sum(st.weibull_min(c, scale=s).logsf(X)),
        lambda c, s: np.sum(st.weibull_min(scale=s, c=c).logsf(X)),
        lambda c, s: np.sum(st.weibull_min(c, 0.0, s).logsf(list(X))),
    ],
)
def test_parameters_by_position_by_name_and_frozen(f):
    c, s = 1.4, 0.8
    wanted = [np.sum(-((X / s) ** c) * np.log(X / s)), np.sum((X / s) ** c) * c / s]
    assert gradient(f, c, s) == pytest.approx(wanted, rel=1e-12)
    assert morula.jvp(f, (c, s), (1.0, 2.0))[1] == pytest.approx(wanted[0] + 2 * wanted[1], rel=1e-12)


def test_a_keyword_that_the_distribution_does_not_have_is_an_error():
    with pytest.raises(morula.NotDifferentiable, match="'sigma'"):
        morula.gradient(lambda s: st.norm.logpdf(0.3, sigma=s), 1.2)
    with pytest.raises(TypeError, match="df"):
        morula.gradient(lambda s: st.t.logpdf(0.3, scale=s), 1.2)


def test_keywords_of_distributions_without_a_rule_are_followed():
    f = lambda c: st.genpareto.logpdf(0.4, c=c)
    assert gradient(f, 0.3) == pytest.approx([slope(f, 0.3)], rel=1e-8)


# The density and the tails determine the rest: quantile functions are differentiated by the tests of the rules.
@pytest.mark.parametrize("name", [name for name in known.SHAPES if not name.startswith("nc")])
def test_hessians_of_continuous_distributions(name):
    dist, shapes = getattr(st, name), known.SHAPES[name]
    v = np.array([float(dist.ppf(0.42, *shapes, 0.3, 1.3)), *shapes, 0.3, 1.3])

    def f(v):
        p = [v[i] for i in range(len(v))]
        return dist.logpdf(*p) + dist.logsf(*p)

    wanted = [slope(lambda t, d=d: morula.gradient(f, v + t * d)[0], 0.0) for d in np.eye(len(v))]
    assert np.allclose(morula.hessian(f, v), wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["gamma", "genextreme", "beta"])
def test_hessians_of_quantiles(name):
    dist, shapes = getattr(st, name), known.SHAPES[name]
    v = np.array([0.42, *shapes, 1.3])
    f = lambda v: dist.ppf(*[v[i] for i in range(len(v) - 1)], scale=v[-1])
    wanted = [slope(lambda t, d=d: morula.gradient(f, v + t * d)[0], 0.0) for d in np.eye(len(v))]
    assert np.allclose(morula.hessian(f, v), wanted, rtol=1e-6, atol=1e-8)


def test_hessians_of_discrete_distributions():
    for f, x in [
        (lambda p: st.nbinom.logpmf(3, p[0], p[1]) + st.nbinom.cdf(3, p[0], p[1]), np.array([3.4, 0.3])),
        (lambda p: st.binom.logpmf(2, 5, p[0]) + st.binom.logsf(2, 5, p[0]), np.array([0.3])),
        (lambda p: st.poisson.pmf(2, p[0]) + st.poisson.logcdf(2, p[0]), np.array([2.3])),
    ]:
        wanted = [slope(lambda t, d=d, f=f, x=x: morula.gradient(f, x + t * d)[0], 0.0) for d in np.eye(len(x))]
        assert np.allclose(morula.hessian(f, x), wanted, rtol=1e-7, atol=1e-9)


EDGES = [
    ("gamma", (1.0,), [-1.0, 0.0]), ("gamma", (2.0,), [-1.0, 0.0]), ("beta", (1.0, 1.0), [-0.1, 0.0, 1.0, 1.1]),
    ("beta", (2.0, 2.0), [-0.1, 0.0, 1.0, 1.1]), ("uniform", (), [-0.1, 0.0, 1.0, 1.1]), ("expon", (), [-1.0, 0.0, np.inf]),
    ("weibull_min", (1.0,), [-1.0, 0.0]), ("weibull_min", (0.7,), [-1.0, 0.0]), ("weibull_max", (1.4,), [0.0, 1.0]),
    ("pareto", (1.4,), [0.5, 1.0]), ("genextreme", (0.3,), [10 / 3, 5.0]), ("genextreme", (-0.3,), [-10 / 3, -5.0]),
    ("triang", (0.3,), [-0.1, 0.0, 0.3, 1.0, 1.1]), ("truncnorm", (-1.0, 2.0), [-3.0, -1.0, 2.0, 3.0]),
    ("lognorm", (0.7,), [-1.0, 0.0]), ("invgauss", (0.7,), [-1.0, 0.0]), ("invgamma", (0.7,), [-1.0, 0.0]),
    ("f", (2.0, 3.0), [-1.0, 0.0]), ("chi2", (2.0,), [-1.0, 0.0]), ("halfnorm", (), [-1.0, 0.0]), ("rayleigh", (), [-1.0, 0.0]),
    ("t", (2.0,), [-np.inf, np.inf]), ("t", (np.inf,), [0.0, 1.0]), ("norm", (), [-np.inf, np.inf, -60.0]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shapes", "points"), EDGES)
def test_no_nan_at_the_edges(name, shapes, points):
    dist = getattr(st, name)
    for method in known.CONTINUOUS:
        for x in (0.0, 1.0) if method in ("ppf", "isf") else points:
            bars = gradient(getattr(dist, method), x, *shapes, 0.0, 1.0)
            assert not np.isnan(bars).any(), (method, x, bars)


def test_outside_the_support_nothing_matters():
    for method in ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf"):
        f = lambda x, a, s, method=method: np.sum(getattr(st.gamma, method)(x, a, 0.0, s))
        assert gradient(f, np.array([-1.0, -0.2]), 2.3, 1.3) == [[0.0, 0.0], 0.0, 0.0]
    mixed = gradient(lambda a: np.sum(st.gamma.cdf(np.array([-1.0, 0.7]), a)), 2.3)
    assert mixed == pytest.approx(gradient(lambda a: st.gamma.cdf(0.7, a), 2.3), rel=1e-14)
    assert gradient(lambda mu: np.sum(st.poisson.pmf([-1, 2.5], mu)), 2.3) == [0.0]


def test_invalid_parameters_are_nan():
    assert np.isnan(gradient(st.norm.logpdf, 0.3, 0.0, -1.0)).all()
    assert np.isnan(gradient(lambda x, a: st.gamma.cdf(x, a), 0.3, -1.0)).all()
    assert np.isnan(gradient(lambda q: st.expon.ppf(q), 1.3)).all()
    assert np.isnan(gradient(lambda mu: st.poisson.logpmf(2, mu), -1.0)).all()


def test_tails_keep_their_digits():
    # the hazard of the normal distribution: 30 + 1/30 - 2/30**3 + 10/30**5 - 74/30**7 ...
    hazard = 30.0 + 1 / 30 - 2 / 30**3 + 10 / 30**5 - 74 / 30**7
    assert gradient(st.norm.logcdf, -30.0, 0.0, 1.0)[0] == pytest.approx(hazard, rel=1e-11)
    assert gradient(st.norm.logsf, 30.0, 0.0, 1.0)[0] == pytest.approx(-hazard, rel=1e-11)
    c, s, x = 1.7, 0.4, 60.0  # exp(-5000) is not a number
    assert gradient(lambda c: st.weibull_min.logsf(x, c, 0.0, s), c) == pytest.approx(
        [-((x / s) ** c) * np.log(x / s)], rel=1e-12
    )


def test_shapes_that_are_limits():
    f = lambda c: st.genextreme.logpdf(0.7, c)
    assert gradient(f, 0.0) == pytest.approx([slope(f, 1e-3, 1e-4)], rel=5e-3)
    assert gradient(f, 1e-9) == pytest.approx(gradient(f, 0.0), rel=1e-8)


def test_points_and_counts_of_discrete_distributions_have_no_derivative():
    assert gradient(lambda k, mu: st.poisson.logpmf(k, mu), 2.0, 2.3) == [None, pytest.approx(2.0 / 2.3 - 1.0)]
    assert gradient(lambda mu: st.poisson.ppf(0.4, mu), 2.3) == [0.0]


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda a: st.gamma.entropy(a, scale=a), 1.3), (lambda a: st.beta.var(a, 2.0), 1.3),
        (lambda a: st.weibull_min(a, scale=a).std(), 1.3), (lambda a: st.lognorm.mean(a), 0.7),
        (lambda a: st.norm(a, a).entropy(), 0.7), (lambda a: st.gamma.median(a), 1.3),
        (lambda a: st.multivariate_normal.logpdf([0.1, 0.2], [a, a], np.array([[a, 0.1], [0.1, 1.0]])), 1.3),
        (lambda a: st.dirichlet.logpdf([0.3, 0.7], np.array([a, 2 * a])), 1.3),
        (lambda a: st.rice.entropy(a), 1.3), (lambda a: st.rice(a, scale=a).entropy(), 0.7),
        (lambda a: st.multinomial.logpmf([3, 4], 7, np.array([a, 1 - a])), 0.3),
    ],
)  # fmt: skip
def test_what_has_no_rule_is_followed(f, x):
    assert gradient(f, x) == pytest.approx([slope(f, x)], rel=1e-7)


def test_distributions_are_constants_which_are_not_searched():
    assert rules_for(type(st.norm).logpdf) and is_constant(st.norm)

    class Twice(st.rv_continuous):
        def _pdf(self, x, a):
            return a * x ** (a - 1.0)

    twice = Twice(a=0.0, b=1.0, name="twice")
    assert not is_constant(twice)
    assert gradient(lambda a: twice.logpdf(0.4, a), 1.3) == pytest.approx([1 / 1.3 + np.log(0.4)], rel=1e-12)


def test_a_mask_that_is_false_selects_nothing_of_a_number():
    def f(x):
        y = np.sum(x * x)
        return y + np.sum(y[y < 0.0])

    assert gradient(f, X) == [(2 * X).tolist()]


def test_values_are_those_of_scipy():
    x = np.linspace(0.1, 3.0, 7)
    for method in known.CONTINUOUS[:6]:
        f = getattr(st.gamma, method)
        assert (
            morula.jvp(lambda a, f=f: f(x, a, scale=1.7), (2.3,), (1.0,))[0].tolist() == f(x, 2.3, scale=1.7).tolist()
        )


R = np.random.default_rng(0)
SAMPLE, OTHER, POINTS = R.normal(size=7), R.normal(size=9), R.normal(size=3)
PLANE = R.normal(size=(2, 7))
WEIGHTS = R.uniform(0.5, 1.0, 7)
FOLLOWED_AND_KERNELS = {
    "kde": lambda x, q: st.gaussian_kde(x)(q),
    "kde, logarithm and weights": lambda x, q: st.gaussian_kde(x, weights=WEIGHTS / WEIGHTS.sum()).logpdf(q),
    "kde, plane": lambda x, q: st.gaussian_kde(PLANE * x, "silverman").pdf(PLANE[:, :3] + q),
    "kde, one point": lambda x, q: st.gaussian_kde(PLANE * x, 0.4).pdf(q[:2]),
    "ttest_ind": lambda x, q: np.array(st.ttest_ind(x, q, equal_var=False)),
    "ttest_1samp": lambda x, q: st.ttest_1samp(x, q[0]).pvalue,
    "linregress": lambda x, q: np.array(st.linregress(np.arange(7.0), x)) * q[0],
    "linregress, beside the fields": lambda x, q: st.linregress(x, OTHER[:7]).intercept_stderr * q[0],
    "f_oneway": lambda x, q: st.f_oneway(x, q, OTHER).pvalue,
    "invwishart": lambda x, q: st.invwishart.logpdf(PLANE @ PLANE.T, 4.0 + q[0] ** 2, np.diag(x[:2] ** 2)),
    "wishart": lambda x, q: st.wishart.logpdf(PLANE @ PLANE.T, 4.0 + q[0] ** 2, np.diag(x[:2] ** 2)),
    "hypergeom": lambda x, q: st.hypergeom.logpmf(2, 20, 7, 12) * x[0] * q[0],
    "nbinom moments": lambda x, q: np.stack(st.nbinom(x[0] ** 2 + 1, 0.1 + 0.1 * q[0] ** 2).stats("mvsk")),
    "nct moments": lambda x, q: np.stack(st.nct(x[0] ** 2 + 6, q[0]).stats("mvsk")),
    "ncf moments": lambda x, q: np.stack(st.ncf(x[0] ** 2 + 3, 11 + q[0] ** 2, x[1] ** 2).stats("mvsk")),
    "ncf without moments": lambda x, q: np.isnan(st.ncf(x[0] ** 2 + 3, 3.0, x[1] ** 2).var()) * x[0],
    "betaprime": lambda x, q: st.betaprime(x[0] ** 2 + 1, q[0] ** 2 + 1).ppf([0.2, 0.7]),
    "cosine": lambda x, q: np.stack([st.cosine.cdf(x[0] / 9, q[0] / 9), st.cosine(x[0], q[0] ** 2 + 1).ppf(0.3)]),
    "dpareto_lognorm": lambda x, q: st.dpareto_lognorm.logpdf(2.0, x[0], q[0] ** 2 + 1, 1.5, 2.0),
    "bernoulli moments": lambda x, q: np.stack(st.bernoulli(0.1 + 0.1 * q[0] ** 2).stats("mvsk")) * x[0],
    "geninvgauss": lambda x, q: np.concatenate(
        [f([1.3, -1.0], x[0], q[0] ** 2 + 1) for f in (st.geninvgauss.logsf, st.geninvgauss.pdf)]
    ),
    "genhyperbolic": lambda x, q: np.concatenate(
        [f([-1.3, 0.4], x[0], q[0] ** 2 + 1.5, x[1] / 9) for f in (st.genhyperbolic.cdf, st.genhyperbolic.logpdf)]
    ),
    "genhyperbolic, the tail": lambda x, q: st.genhyperbolic.sf([1.3, 9.0], x[0], q[0] ** 2 + 1.5, x[1] / 9),
    "genpareto": lambda x, q: st.genpareto.logcdf([0.5, 2.0], 0.3 + x[0] ** 2, 0.0, 1.0 + q[0] ** 2),
    "expect": lambda x, q: st.norm(x[0], q[0] ** 2 + 0.5).expect(lambda z: z**2),
}


@pytest.mark.parametrize("name", FOLLOWED_AND_KERNELS)
def test_kernels_and_what_is_followed(name):
    f = FOLLOWED_AND_KERNELS[name]
    loss = lambda z: np.sum(np.cos(np.arange(np.size(f(z[:7], z[7:])))) * f(z[:7], z[7:]))
    z = np.concatenate([SAMPLE, POINTS])
    v = R.normal(size=10)
    slope = lambda h: (loss(z + h * v) - loss(z - h * v)) / (2 * h)
    want = (4 * slope(5e-4) - slope(1e-3)) / 3
    bar = morula.gradient(loss, z)[0]
    assert bar @ v == pytest.approx(want, rel=1e-6, abs=1e-8)
    assert morula.jvp(loss, (z,), (v,))[1] == pytest.approx(want, rel=1e-6, abs=1e-8)
    turned = morula.gradient(loss, z + 1e-5 * v)[0] - morula.gradient(loss, z - 1e-5 * v)[0]
    np.testing.assert_allclose(morula.hvp(loss, z, v), turned / 2e-5, rtol=1e-5, atol=1e-6)


def test_differences_of_poisson_variables():
    """By sums over pairs of counts."""
    k, n = np.array([-2, 0, 3]), np.arange(60)
    a, b = 1.3, 0.8
    pmf = lambda n, p: st.poisson.pmf(n, p)
    both = lambda p: np.sum(np.log([pmf(n + i, p[0]) @ pmf(n, p[1]) for i in k]))
    want = [(both([a + 1e-5, b]) - both([a - 1e-5, b])) / 2e-5, (both([a, b + 1e-5]) - both([a, b - 1e-5])) / 2e-5]
    loss = lambda a, b: np.sum(st.skellam.logpmf(k, a, b))
    np.testing.assert_allclose(morula.gradient(loss, a, b), want, rtol=1e-7)
    assert morula.jvp(loss, (a, b), (1.0, 2.0))[1] == pytest.approx(want[0] + 2.0 * want[1], rel=1e-7)

    both = lambda p: sum(pmf(n + i, p[0]) @ pmf(n, p[1]) for i in range(-60, 1))
    want = [(both([a + 1e-5, b]) - both([a - 1e-5, b])) / 2e-5, (both([a, b + 1e-5]) - both([a, b - 1e-5])) / 2e-5]
    np.testing.assert_allclose(morula.gradient(lambda a, b: st.skellam.cdf(0, a, b), a, b), want, rtol=1e-7)


def nested(b, m, s):
    """The probability below bounds in three dimensions, by a quadrature over those in two, which are exact."""
    root, c = np.sqrt(s[0, 0]), s[1:, 0] / s[0, 0]
    below = lambda t: st.multivariate_normal.cdf(b[1:], m[1:] + c * root * t, s[1:, 1:] - np.outer(c, s[0, 1:]))
    edge = (b[0] - m[0]) / root
    t, w = np.polynomial.legendre.leggauss(40)
    t = edge - 5.0 * (t + 1.0)
    return sum(5.0 * w * st.norm.pdf(t) * [below(v) for v in t])


@pytest.mark.skipif(not hasattr(st, "_qmvnt"), reason="SciPy computes it in Fortran")
def test_normal_probabilities_in_three_dimensions():
    b, m = np.array([0.3, 0.7, -0.2]), np.array([0.1, 0.0, 0.2])
    root = np.random.default_rng(0).normal(size=(3, 3))
    cov = lambda r: r @ r.T + np.eye(3)
    f = lambda b, m, r: st.multivariate_normal.cdf(b, m, cov(r), rng=0)
    exact = lambda b, m, r: nested(b, m, cov(r))
    v = (np.array([0.3, -0.4, 0.8]), np.array([0.1, 0.9, -0.5]), root[::-1])
    at = lambda h: exact(*[a + h * d for a, d in zip((b, m, root), v, strict=True)])
    slope = sum(np.sum(bar * d) for bar, d in zip(morula.gradient(f, b, m, root), v, strict=True))
    assert slope == pytest.approx((at(1e-4) - at(-1e-4)) / 2e-4, rel=1e-5)
    assert morula.jvp(f, (b, m, root), v)[1] == pytest.approx(slope, rel=1e-12)
    of_bounds = lambda h: exact(b + h * v[0], m, root)
    turned = morula.hvp(lambda b: f(b, m, root), b, v[0]) @ v[0]
    assert turned == pytest.approx((of_bounds(1e-3) - 2 * of_bounds(0.0) + of_bounds(-1e-3)) / 1e-6, rel=1e-4)
    with pytest.raises(morula.NotDifferentiable, match=r"multivariate_t\.cdf"):
        morula.gradient(lambda b: st.multivariate_t.cdf(b, m, np.eye(3), 4, random_state=0), b)


DRAWN = np.random.default_rng(0).normal(size=30)


@pytest.mark.parametrize(
    "f",
    [
        lambda v: st.kstest(DRAWN, st.norm.cdf, args=(v[0], v[1])).statistic,
        lambda v: st.kstest(v[0] + v[1] * DRAWN, "norm").pvalue,
        lambda v: st.ks_1samp(DRAWN, st.norm(v[0], v[1]).cdf, method="asymp")[1],
        lambda v: st.ks_1samp(DRAWN, st.norm.cdf, args=(v[0], v[1]), alternative="less").pvalue,
        lambda v: np.log(st.kstwo.sf(0.2 + 0.1 * v[0], 25)) + st.kstwo.ppf(v, 12)[0],
        lambda v: st.cramervonmises(DRAWN, "norm", args=(v[0], v[1])).statistic,
    ],
)
def test_tests_of_a_distribution(f):
    v = np.array([0.1, 1.2])
    h = 1e-6 * np.eye(2)
    with np.errstate(all="ignore"):
        want = [(f(v + d) - f(v - d)) / 2e-6 for d in h]
        np.testing.assert_allclose(morula.gradient(f, v)[0], want, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("method", known.CONTINUOUS)
def test_values_are_those_of_the_public_method(method):
    rng = np.random.default_rng(1)
    value, q = values.VALUES[method], rng.uniform(0.02, 0.98, (3, 4))
    for name, shapes in known.SHAPES.items():
        dist, public = getattr(st, name), getattr(getattr(st, name), method)
        for loc, scale in ((0.3, 1.3), (rng.normal(size=4), 2), (-1, rng.uniform(0.5, 2.0, (3, 1)))):
            x, edges = q, (0.0, 1.0)
            if method not in ("ppf", "isf"):
                x, edges = dist.ppf(q, *shapes, loc, scale), dist.support(*shapes, loc, scale)
            for at in (
                x,
                x[1:, ::2] if np.ndim(loc) == 0 == np.ndim(scale) else x,
                float(x[0, 0]),
                x + 9.0,
                np.nan,
                *edges,
            ):
                with np.errstate(all="ignore"):
                    wanted, found = public(at, *shapes, loc, scale), value(dist, at, *shapes, scale=scale, loc=loc)
                assert type(wanted) is type(found) and np.array_equal(wanted, found, equal_nan=True), (name, at)
    assert sum(values._proven.values()) >= len(known.SHAPES)  # the short way was taken


# By quadrature with 25 digits (mpmath): the scores in z, df and nc, and the derivative of the cdf by df.
NONCENTRAL_T = [
    (-3.0, 2.0, 1.0, [0.886312937672, -0.400433900005, -2.12416347159, -0.00644909421846]),
    (12.0, 5.0, 8.0, [-0.297087579709, -0.00978222647833, 0.320185186997, 0.0334114459701]),
    (40.0, 3.0, -2.0, [-0.0999231136994, -2.940059676, 3.17834173447, 3.84409257461e-07]),
    (1000.0, 3.0, 2.0, [-0.00399996958147, -5.14332279998, 1.06976967646, 1.06000751327e-07]),
]


@pytest.mark.parametrize(("z", "df", "nc", "wanted"), NONCENTRAL_T)
def test_noncentral_t_far_out(z, df, nc, wanted):
    slopes = gradient(lambda z, df, nc: st.nct.logpdf(z, df, nc), z, df, nc)
    assert [*slopes, float(noncentral.nct_flow(z, df, nc))] == pytest.approx(wanted, rel=1e-8)


def test_noncentral_distributions_without_noncentrality_are_central():
    x = np.array([0.01, 0.3, 1.0, 4.0])
    for name, plain, shapes in (("ncx2", "chi2", (2.7,)), ("ncf", "f", (2.7, 4.1)), ("nct", "t", (2.7,))):
        for method in ("logpdf", "cdf"):
            f = lambda x, *p, method=method, name=name: np.sum(getattr(getattr(st, name), method)(x, *p, 0.0))
            g = lambda x, *p, method=method, plain=plain: np.sum(getattr(getattr(st, plain), method)(x, *p))
            for found, wanted in zip(gradient(f, x, *shapes), gradient(g, x, *shapes), strict=True):
                assert np.allclose(found, wanted, rtol=1e-11, atol=1e-12)
    with pytest.raises(morula.NotDifferentiable, match="second derivative of a noncentral"):
        morula.hessian(lambda v: st.ncx2.logpdf(1.3, v[0], v[1]), np.array([2.7, 0.4]))


BOUND, MEAN, COVARIANCE = np.array([0.3, 0.7]), np.array([0.1, 0.2]), np.array([[1.0, 0.3], [0.3, 2.0]])


@pytest.mark.skipif(kernels.upper_tail is None, reason="SciPy computes it in Fortran")
@pytest.mark.parametrize(
    "f",
    [
        lambda v: st.multivariate_normal.cdf(v, MEAN, COVARIANCE), lambda v: st.multivariate_normal.logcdf(v, v * v, COVARIANCE),
        lambda v: st.multivariate_normal(v, COVARIANCE).cdf(BOUND) * v[0],
        lambda v: st.multivariate_normal.cdf(BOUND, MEAN, np.array([[1.0, v[0]], [v[0], 1.0 + v[1]]])),
        lambda v: st.multivariate_normal.cdf(BOUND, v, COVARIANCE, lower_limit=np.array([-1.0, -np.inf])),
        lambda v: np.sum(st.multivariate_normal.cdf(np.stack([v, 2.0 * v]), MEAN, COVARIANCE)),
    ],
)  # fmt: skip
def test_normal_probabilities_of_two_variables(f):
    wanted = [slope(lambda t, d=d: f(BOUND + t * d), 0.0) for d in np.eye(2)]
    assert np.allclose(morula.gradient(f, BOUND)[0], wanted, rtol=1e-9, atol=1e-11)
    wanted = [slope(lambda t, d=d: morula.gradient(f, BOUND + t * d)[0], 0.0) for d in np.eye(2)]
    assert np.allclose(morula.hessian(f, BOUND), wanted, rtol=1e-7, atol=1e-9)


def test_the_landau_distribution_has_first_derivatives():
    f = lambda x: st.landau.cdf(x, 0.3, 2.0) + st.landau.sf(x**2) + st.landau(x).ppf(0.3) + st.landau.isf(x / 9)
    assert morula.gradient(f, 1.3)[0] == pytest.approx(slope(f, 1.3), rel=1e-8)
    with pytest.raises(morula.NotDifferentiable, match="the density of"):
        morula.gradient(st.landau.pdf, 1.3)
