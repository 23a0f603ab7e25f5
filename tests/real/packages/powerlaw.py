import numpy as np
import powerlaw

CALLS: dict = {}
CALLS["pdf"] = (lambda a: powerlaw.Power_Law(xmin=1.0, parameters=[a]).pdf(np.array([1.5, 2.0, 4.0])), 2.3)
CALLS["loglikelihood"] = (
    lambda a: powerlaw.Exponential(xmin=1.0, parameters=[a]).loglikelihoods(np.array([1.5, 2.0, 4.0])),
    0.8,
)
