import numpy as np
from resample import empirical, jackknife

CALLS: dict = {}
X = np.array([0.3, 1.2, -0.4, 0.8, 2.1, 0.5])
CALLS["jackknife"] = (lambda x: jackknife.jackknife(np.mean, x), X)
CALLS["bias"] = (lambda x: jackknife.bias(np.var, x), X)
CALLS["variance"] = (lambda x: jackknife.variance(np.mean, x), X)
CALLS["influence"] = (lambda x: empirical.influence(np.mean, x), X)
