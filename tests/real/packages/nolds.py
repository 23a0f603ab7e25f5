import nolds
import numpy as np

x = np.array([1.0, 2.0, 1.5, 0.3, 0.8, 1.9, 2.7, 1.1, 0.6, 1.4])

CALLS = {
    "logistic_map": (lambda r: list(nolds.datasets.logistic_map(0.4, 5, r=r)), 3.5),
    "henon": (lambda a: np.array(list(nolds.datasets.tent_map(0.3, 4, mu=a))), 1.8),
    "binary_n": (lambda x: nolds.rowwise_euclidean(x.reshape(5, 2), np.ones(2)), x),
    "chebyshev": (lambda x: nolds.rowwise_chebyshev(x.reshape(5, 2), np.ones(2) * 1.05), x),
    "hurst_rs": (lambda x: nolds.hurst_rs(x, nvals=[3, 5], fit="poly", corrected=False), x),
}
