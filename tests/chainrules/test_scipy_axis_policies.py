"""Statistics that SciPy wraps for `axis`, `nan_policy` and `keepdims`: values of SciPy's, gradients of differences."""

import warnings

import numpy as np
import pytest

import morula

stats = pytest.importorskip("scipy.stats")

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=20) + 5, RNG.normal(size=20) + 4
TABLE = RNG.normal(size=(4, 6)) + 5
HOLED = np.where(np.arange(20) == 3, np.nan, X)

CASES = {
    "skew": lambda x: stats.skew(x),
    "kurtosis": lambda x: stats.kurtosis(x, fisher=False, bias=False),
    "axis by name": lambda x: stats.skew(x, axis=-1),
    "in a row": lambda x: stats.kurtosis(x, axis=None),
    "kept axes": lambda x: stats.skew(x, keepdims=True)[0],
    "sem": lambda x: stats.sem(x, ddof=0),
    "gmean": lambda x: stats.gmean(x),
    "gmean, weights": lambda x: stats.gmean(x, weights=x),
    "pmean": lambda x: stats.pmean(x, 3),
    "variation": lambda x: stats.variation(x, ddof=1),
    "iqr": lambda x: stats.iqr(x, rng=(20, 70)),
    "trim_mean": lambda x: stats.trim_mean(x, 0.1),
    "tvar": lambda x: stats.tvar(x, (3.5, 6.5)),
    "linregress": lambda x: stats.linregress(x, Y).slope + stats.linregress(Y, x).intercept,
    "ttest_ind": lambda x: stats.ttest_ind(x, Y, equal_var=False).statistic,
    "ttest_ind, p": lambda x: stats.ttest_ind(x, Y)[1],
    "ttest_1samp": lambda x: stats.ttest_1samp(x, 4.9).pvalue + stats.ttest_1samp(x, x[0]).statistic,
    "ttest_rel": lambda x: stats.ttest_rel(x, Y).statistic,
    "f_oneway": lambda x: stats.f_oneway(x, Y, X[:7]).statistic,
    "levene": lambda x: stats.levene(x, Y, center="mean").statistic,
    "bartlett": lambda x: stats.bartlett(x, Y).pvalue,
    "jarque_bera": lambda x: stats.jarque_bera(x).statistic,
    "normaltest": lambda x: stats.normaltest(x).pvalue,
    "entropy": lambda x: stats.entropy(x, np.linspace(1, 2, 20)),
    "kstat": lambda x: stats.kstat(x, 3) + stats.kstatvar(x, 2),
    "circmean": lambda x: stats.circmean(x) + stats.circvar(x, high=7),
    "differential_entropy": lambda x: stats.differential_entropy(x),
    "omitted": lambda x: stats.skew(np.where(np.arange(20) == 3, np.nan, x), nan_policy="omit"),
    "matched": lambda x: stats.chisquare(x, Y * (x.sum() / Y.sum())).statistic,
}
TABLES = {
    "first axis": lambda x: stats.skew(x),
    "last axis": lambda x: stats.kurtosis(x, axis=1),
    "all": lambda x: stats.gmean(x, axis=None),
    "kept": lambda x: stats.hmean(x, axis=1, keepdims=True),
    "several axes": lambda x: stats.skew(x, axis=(0, 1)),
    "two tables": lambda x: stats.ttest_ind(x, x[::-1] ** 2, axis=1).statistic,
    "of another shape": lambda x: stats.ttest_ind(x, x[:, :3] * 2, axis=1).statistic,
    "row by row": lambda x: stats.linregress(x, x**2, axis=1).slope if "axis" in str(stats.linregress.__doc__) else x,
    "weights": lambda x: stats.pmean(x, 2, weights=np.arange(1.0, 25).reshape(4, 6), axis=0),
    "semicircle": lambda x: stats.circstd(x, axis=0),
}


def differences(f, x):
    found = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        d = np.zeros(x.shape)
        d[k] = 1e-6
        found[k] = (f(x + d) - f(x - d)) / 2e-6
    return found


@pytest.mark.parametrize("name", [*CASES, *TABLES])
def test_statistics(name):
    x = X if name in CASES else TABLE
    f = CASES[name] if name in CASES else lambda x: np.sum(TABLES[name](x) ** 2)
    value, (gradient,) = morula.withgradient(f, x)
    assert repr(value) == repr(f(x))
    expected = differences(f, x)
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-6 * (1 + abs(expected).max()))


def test_second_order():
    f = lambda x: stats.skew(x) * stats.gmean(x)
    v = RNG.normal(size=20)
    slope = lambda h: morula.gradient(f, X + h * v)[0]
    np.testing.assert_allclose(morula.hvp(f, X, v), (slope(1e-5) - slope(-1e-5)) / 2e-5, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: stats.skew(x, 0, True, "propagate", axis=1),
        lambda x: stats.skew(x, nonsense=1),
        lambda x: stats.ttest_ind(x),
        lambda x: stats.skew(x, nan_policy="wrong"),
        lambda x: stats.ttest_rel(x, x[:5]).statistic,
        lambda x: stats.skew(x, axis=3),
    ],
)
def test_wrong_calls_raise_as_they_do(call):
    with pytest.raises(Exception) as plain:
        call(X)
    with pytest.raises(plain.type):
        morula.gradient(call, X)


def test_missing_values_and_few_values():
    """A NaN, or too few numbers, make a statistic NaN; SciPy warns of the latter, and so does the gradient's call."""
    for x in (HOLED, np.ones(1)):
        with warnings.catch_warnings(record=True) as plain:
            warnings.simplefilter("always")
            y = stats.ttest_ind(x, Y).statistic
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            value = morula.withgradient(lambda x: stats.ttest_ind(x, Y).statistic, x).value
        assert repr(value) == repr(y)
        assert {w.category for w in plain} <= {w.category for w in told}
