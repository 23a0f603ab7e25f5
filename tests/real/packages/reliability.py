import numpy as np
from reliability.Distributions import (
    Beta_Distribution,
    Exponential_Distribution,
    Gamma_Distribution,
    Gumbel_Distribution,
    Loglogistic_Distribution,
    Lognormal_Distribution,
    Normal_Distribution,
    Weibull_Distribution,
)

CALLS: dict = {}
X = np.array([1.2, 3.4, 5.1])
functions = lambda d, x: (d.SF(x, show_plot=False), d.HF(x, show_plot=False), d.PDF(x, show_plot=False), d.mean)
CALLS["Weibull"] = (lambda a, b: functions(Weibull_Distribution(alpha=a, beta=b), X), 4.0, 2.3)
CALLS["Normal"] = (lambda m, s: functions(Normal_Distribution(mu=m, sigma=s), X), 3.0, 1.4)
CALLS["Lognormal"] = (lambda m, s: functions(Lognormal_Distribution(mu=m, sigma=s), X), 1.1, 0.6)
CALLS["Exponential"] = (lambda r: functions(Exponential_Distribution(Lambda=r), X), 0.4)
CALLS["Gamma"] = (lambda a, b: functions(Gamma_Distribution(alpha=a, beta=b), X), 1.3, 2.3)
CALLS["Loglogistic"] = (lambda a, b: functions(Loglogistic_Distribution(alpha=a, beta=b), X), 4.0, 2.3)
CALLS["Gumbel"] = (lambda m, s: functions(Gumbel_Distribution(mu=m, sigma=s), X), 3.0, 1.4)
CALLS["quantile"] = (lambda a, b: Weibull_Distribution(alpha=a, beta=b).quantile(0.3), 4.0, 2.3)
CALLS["Beta"] = (lambda a, b: Beta_Distribution(alpha=a, beta=b).CDF(np.array([0.2, 0.6]), show_plot=False), 4.0, 2.3)
