import numpy as np
from minisom import MiniSom

CALLS: dict = {}
rng = np.random.default_rng(0)
A = rng.random((4, 3))
som = MiniSom(3, 3, 3, random_seed=1)
CALLS["quantization_error"] = (lambda x: som.quantization_error(x), A)
CALLS["activate"] = (lambda x: som.activate(x), A[0])
