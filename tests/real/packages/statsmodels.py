import numpy as np
import statsmodels.api as sm
from statsmodels.regression.linear_model import OLS, WLS
from statsmodels.robust.scale import mad
from statsmodels.stats import stattools
from statsmodels.stats.moment_helpers import cov2corr
from statsmodels.stats.weightstats import DescrStatsW
from statsmodels.tsa import stattools as tsa
from statsmodels.tsa.filters.hp_filter import hpfilter

X = sm.add_constant(np.array([0.0, 1.0, 2.0, 3.0, 4.5]))
y = np.array([1.0, 2.1, 2.9, 4.2, 5.0])
counts = np.array([1.0, 2.0, 3.0, 5.0, 9.0])

CALLS = {
    "OLS.params": (lambda y: OLS(y, X).fit().params, y),
    "OLS.rsquared": (lambda y: OLS(y, X).fit().rsquared, y),
    "OLS.bse": (lambda y: OLS(y, X).fit().bse, y),
    "WLS.params": (lambda w: WLS(y, X, weights=w).fit().params, np.array([1.0, 2.0, 1.0, 0.5, 1.0])),
    "OLS.loglike": (lambda b: OLS(y, X).loglike(b), np.array([1.0, 0.9])),
    "Logit.loglike": (lambda b: sm.Logit(np.array([0, 0, 1, 0, 1]), X).loglike(b), np.array([-1.0, 0.5])),
    "Poisson.loglike": (lambda b: sm.Poisson(counts, X).loglike(b), np.array([0.1, 0.5])),
    "Probit.loglike": (lambda b: sm.Probit(np.array([0, 0, 1, 0, 1]), X).loglike(b), np.array([-1.0, 0.5])),
    "GLM.loglike": (
        lambda b: sm.GLM(counts, X, family=sm.families.Gamma(sm.families.links.Log())).loglike(b),
        np.array([0.1, 0.5]),
    ),
    "acf": (lambda y: tsa.acf(y, nlags=2, fft=False), y),
    "durbin_watson": (stattools.durbin_watson, y),
    "hpfilter": (lambda y: hpfilter(y, 10.0)[1], y),
    "mad": (lambda y: mad(y), y),
    "DescrStatsW": (lambda y: DescrStatsW(y, weights=np.arange(1.0, 6.0)).std, y),
    "cov2corr": (lambda c: cov2corr(c)[0, 1], np.array([[2.0, 0.5], [0.5, 1.0]])),
    "pacf_yw": (lambda y: tsa.pacf_yw(y, nlags=2), y),
    "jarque_bera": (lambda y: stattools.jarque_bera(y)[0], y),
    "links": (lambda p: sm.families.links.Logit()(p), 0.3),
}
