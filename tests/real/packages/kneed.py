import numpy as np
from kneed import KneeLocator

CALLS: dict = {}
X = np.linspace(0.0, 1.0, 12)
CALLS["Ds_y"] = (lambda y: KneeLocator(X, y, curve="concave", direction="increasing").y_difference, 1 - np.exp(-4 * X))
CALLS["knee_y"] = (lambda y: KneeLocator(X, y, curve="concave", direction="increasing").knee_y, 1 - np.exp(-4 * X))
