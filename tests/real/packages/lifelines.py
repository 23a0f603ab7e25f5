import numpy as np
from lifelines import ExponentialFitter, LogNormalFitter, WeibullFitter

T = np.array([1.0, 2.5, 3.0, 4.2, 6.0])
E = np.array([1, 1, 0, 1, 0])


def likelihood(fitter, p):
    return (
        fitter._negative_log_likelihood_right_censoring((T, None), E, np.zeros(5), np.ones(5), p)
        if False
        else -sum(
            e * np.log(fitter._hazard(p, np.array([t])))[0] - fitter._cumulative_hazard(p, np.array([t]))[0]
            for t, e in zip(T, E)
        )
    )


CALLS = {
    "Weibull cumulative hazard": (lambda p: WeibullFitter()._cumulative_hazard(p, T), np.array([3.0, 1.2])),
    "Weibull log hazard": (lambda p: WeibullFitter()._log_hazard(p, T), np.array([3.0, 1.2])),
    "Exponential": (lambda p: ExponentialFitter()._cumulative_hazard(p, T), np.array([3.0])),
    "LogNormal": (lambda p: LogNormalFitter()._log_hazard(p, T), np.array([1.0, 0.8])),
    "LogNormal survival": (lambda p: LogNormalFitter()._log_1m_sf(p, T), np.array([1.0, 0.8])),
}
