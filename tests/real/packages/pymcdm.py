import numpy as np
from pymcdm import methods, normalizations, weights

CALLS: dict = {}
MATRIX = np.array([[4.0, 3.1, 7.2], [5.3, 2.2, 6.1], [6.4, 4.8, 5.5], [3.7, 3.9, 8.3]])
TYPES, EVEN = np.array([1, -1, 1]), np.array([0.3, 0.3, 0.4])
for _name in "TOPSIS VIKOR COPRAS MABAC EDAS ARAS WASPAS MOORA MARCOS CODAS WSM WPM COCOSO PROBID".split():
    CALLS[_name] = (lambda w, name=_name: getattr(methods, name)()(MATRIX, w / w.sum(), TYPES), EVEN)
for _name in "entropy_weights standard_deviation_weights gini_weights critic_weights merec_weights cilos_weights idocriw_weights angle_weights".split():
    CALLS[_name] = (lambda m, name=_name: getattr(weights, name)(m, TYPES), MATRIX)
CALLS["vector_normalization"] = (lambda x: normalizations.vector_normalization(x, cost=True), MATRIX[:, 0])
