import numpy as np
from pyswarms.utils.functions import single_obj as so

CALLS: dict = {}
rng = np.random.default_rng(0)
for k in ("rosenbrock", "ackley", "rastrigin", "sphere", "booth", "himmelblau", "levi"):
    CALLS[k] = (lambda x, k=k: getattr(so, k)(x), rng.random((3, 2)) + 0.3)
