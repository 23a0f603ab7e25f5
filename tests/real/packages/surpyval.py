import numpy as np
import surpyval as surv

CALLS: dict = {}
X = np.array([1.0, 2.5, 4.0])
CALLS["Weibull.sf"] = (lambda a, b: surv.Weibull.sf(X, a, b), 3.0, 1.7)
CALLS["Weibull.hf"] = (lambda a, b: surv.Weibull.hf(X, a, b), 3.0, 1.7)
CALLS["Weibull.qf"] = (lambda a: surv.Weibull.qf(np.array([0.2, 0.7]), a, 1.7), 3.0)
CALLS["LogNormal.ff"] = (lambda m, s: surv.LogNormal.ff(X, m, s), 0.4, 0.8)
CALLS["Gamma.df"] = (lambda a: surv.Gamma.df(X, a, 0.8), 1.4)
CALLS["Gumbel.Hf"] = (lambda m: surv.Gumbel.Hf(X, m, 1.8), 1.4)
CALLS["LogLogistic.mean"] = (lambda a: surv.LogLogistic.mean(a, 3.1), 1.4)
CALLS["Exponential.moment"] = (lambda a: surv.Exponential.moment(2, a), 1.4)
CALLS["neg_ll"] = (lambda b: -surv.Normal.log_df(X, 2.0, b), 0.7)
CALLS["ExpoWeibull.cs"] = (lambda a: surv.ExpoWeibull.cs(X, 1.0, a, 1.2, 1.5), 3.0)
