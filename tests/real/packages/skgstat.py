import numpy as np
from skgstat import estimators, models

CALLS: dict = {}
h = np.array([0.2, 0.9, 1.7])
for k in ("spherical", "exponential", "gaussian", "cubic"):
    CALLS[k] = (lambda r, c, k=k: getattr(models, k)(h, r, c, 0.1), 2.0, 1.3)
CALLS["matheron"] = (lambda x: estimators.matheron(x), np.array([0.3, 0.7, 0.2]))
CALLS["cressie"] = (lambda x: estimators.cressie(x), np.array([0.3, 0.7, 0.2]))
