import numpy as np
from arch.univariate import GARCH, Normal, StudentsT

y = np.array([0.5, -1.0, 0.3, 2.0, -0.7, 0.1, 0.9, -0.4])

CALLS = {
    "Normal.loglikelihood": (lambda s: Normal().loglikelihood([], y, s), np.full(8, 1.2)),
    "StudentsT.loglikelihood": (lambda nu: StudentsT().loglikelihood(np.array([nu]), y, np.full(8, 1.2)), 6.0),
    "Normal.ppf": (lambda p: Normal().ppf(p), 0.3),
    "GARCH.compute_variance": (
        lambda p: GARCH(1, 0, 1).compute_variance(p, y, np.empty(8), 1.0, np.tile([0.0, 10.0], (8, 1))),
        np.array([0.1, 0.1, 0.8]),
    ),
    "StudentsT.moment": (lambda nu: StudentsT().moment(2, np.array([nu])), 6.0),
}
