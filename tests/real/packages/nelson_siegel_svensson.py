import numpy as np
from nelson_siegel_svensson import NelsonSiegelCurve, NelsonSiegelSvenssonCurve
from nelson_siegel_svensson.calibrate import betas_ns_ols, betas_nss_ols

t = np.array([0.5, 1.0, 2.0, 5.0, 10.0, 20.0])
y = np.array([0.01, 0.011, 0.013, 0.019, 0.022, 0.024])

CALLS = {
    "NelsonSiegelCurve": (lambda a, b, c, tau: NelsonSiegelCurve(a, b, c, tau)(t), 0.028, -0.03, -0.04, 1.1),
    "zero": (lambda tau: NelsonSiegelCurve(0.03, -0.03, -0.04, tau).zero(2.5), 1.1),
    "forward": (lambda T, tau: NelsonSiegelCurve(0.03, -0.03, -0.04, tau).forward(T), 2.5, 1.1),
    "NelsonSiegelSvenssonCurve": (
        lambda b, tau: NelsonSiegelSvenssonCurve(0.028, -0.03, b, -0.015, 1.1, tau)(t),
        -0.04,
        4.0,
    ),
    "betas_ns_ols": (lambda tau, y: betas_ns_ols(tau, t, y)[0](3.0), 2.0, y),
    "betas_nss_ols": (lambda tau, y: betas_nss_ols((2.0, tau), t, y)[0](3.0), 5.0, y),
}
