import numpy as np
from bayes_opt import acquisition

CALLS: dict = {}
CALLS["ucb"] = (lambda m: acquisition.UpperConfidenceBound(kappa=2.0).base_acq(m, 0.3), 0.5)
CALLS["ei"] = (
    lambda m: (lambda a: (setattr(a, "y_max", 0.2), a.base_acq(m, np.array([0.3])))[1])(
        acquisition.ExpectedImprovement(xi=0.01)
    ),
    np.array([0.5]),
)
