import numpy as np
from lifetimes import BetaGeoFitter, GammaGammaFitter, ParetoNBDFitter

CALLS: dict = {}
F, R, T = np.array([2.0, 1.0, 0.0, 7.0]), np.array([30.4, 1.7, 0.0, 29.4]), np.array([38.9, 38.9, 38.9, 38.9])
CALLS["BG/NBD likelihood"] = (
    lambda p: BetaGeoFitter._negative_log_likelihood(p, F, R, T, np.ones(4), 0.01),
    np.array([-1.4, 1.5, -0.2, 0.9]),
)
CALLS["Pareto/NBD likelihood"] = (
    lambda p: ParetoNBDFitter()._negative_log_likelihood(p, F, R, T, np.ones(4), 0.01),
    np.array([0.6, 10.5, 0.7, 12.0]),
)
CALLS["Gamma-Gamma likelihood"] = (
    lambda p: GammaGammaFitter._negative_log_likelihood(p, F + 1.0, R + 5.0, np.ones(4), 0.01),
    np.array([1.8, 1.3, 2.7]),
)
