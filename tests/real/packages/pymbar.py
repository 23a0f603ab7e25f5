import numpy as np
from pymbar import other_estimators, timeseries, utils

CALLS: dict = {}
T = np.arange(40.0)
W = np.sin(0.7 * T) + 0.3 * np.cos(1.9 * T + 0.4) + 0.4
CALLS["exp"] = (lambda w: other_estimators.exp(w)["Delta_f"], W)
CALLS["exp_gauss"] = (lambda w: other_estimators.exp_gauss(w)["Delta_f"], W)
CALLS["bar"] = (
    lambda w: other_estimators.bar(w, 0.3 - w[::-1], relative_tolerance=1e-13, compute_uncertainty=False)["Delta_f"],
    W,
)
CALLS["bar_zero"] = (lambda w, d: other_estimators.bar_zero(w, 0.3 - w, d), W, 0.2)
CALLS["statistical_inefficiency"] = (lambda w: timeseries.statistical_inefficiency(w), W)
CALLS["logsumexp"] = (lambda w: utils.logsumexp(w), W)
