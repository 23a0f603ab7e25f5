import numpy as np
import properscoring as ps

CALLS: dict = {}
CALLS["crps_gaussian"] = (lambda m, s: ps.crps_gaussian(0.3, mu=m, sig=s), 0.1, 1.2)
CALLS["crps_ensemble"] = (lambda f: ps.crps_ensemble(0.4, f), np.array([0.1, 0.6, 0.3]))
CALLS["brier"] = (lambda f: ps.brier_score(np.array([1, 0]), f), np.array([0.7, 0.2]))
CALLS["threshold"] = (lambda f: ps.threshold_brier_score(0.4, f, threshold=0.5), np.array([0.1, 0.6, 0.3]))
