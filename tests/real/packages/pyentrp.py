import numpy as np
from pyentrp import entropy

CALLS: dict = {}
X = np.sin(np.arange(30.0) * 1.7) + 0.1 * np.cos(np.arange(30.0) * 3.1)
CALLS["util_granulate"] = (lambda x: entropy.util_granulate_time_series(x, 3), X)
CALLS["util_pattern_space"] = (lambda x: entropy.util_pattern_space(x, 1, 3), X)
CALLS["weighted_permutation_entropy"] = (lambda x: entropy.weighted_permutation_entropy(x, 3, 1), X)
