import numpy as np
import similaritymeasures as sm

CALLS: dict = {}
rng = np.random.default_rng(0)
P = rng.random((6, 2))
Q = rng.random((6, 2)) + 0.2
for k in ("pcm", "area_between_two_curves", "frechet_dist", "curve_length_measure", "mae", "mse"):
    CALLS[k] = (lambda x, k=k: getattr(sm, k)(x, Q), np.cumsum(P, 0))
CALLS["dtw"] = (lambda x: sm.dtw(x, Q)[0], P)
