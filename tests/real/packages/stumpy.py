import numpy as np
import stumpy
from stumpy import core

CALLS: dict = {}
T = np.sin(np.arange(24.0) * 0.7) + 0.3 * np.cos(np.arange(24.0) ** 1.3)
Q = T[3:9] + 0.1 * np.arange(6.0)
CALLS["z_norm"] = (core.z_norm, Q)
CALLS["mass"] = (lambda q, t: stumpy.mass(q, t), Q, T)
CALLS["mass_absolute"] = (lambda q, t: core.mass_absolute(q, t), Q, T)
CALLS["sliding_dot_product"] = (core.sliding_dot_product, Q, T)
CALLS["compute_mean_std"] = (lambda t: core.compute_mean_std(t, 6), T)
CALLS["rolling_nanstd"] = (lambda t: core.rolling_nanstd(t, 5), T)
CALLS["rolling_nanmin"] = (lambda t: core.rolling_nanmin(t, 5), T)
CALLS["mueen"] = (core.mueen_calculate_distance_profile, Q, T)
