import numpy as np
import quaternionic

CALLS: dict = {}
CALLS["product"] = (
    lambda q: (quaternionic.array(q) * quaternionic.array([0.1, 0.2, 0.3, 0.4])).ndarray,
    np.array([1.0, 0.2, 0.3, 0.4]),
)
CALLS["rotate"] = (
    lambda q: quaternionic.array(q).normalized.rotate(np.array([1.0, 2.0, 3.0])),
    np.array([1.0, 0.2, 0.3, 0.4]),
)
