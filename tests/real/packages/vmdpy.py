import numpy as np
from vmdpy import VMD

CALLS: dict = {}
T = np.arange(32) / 32
F = np.cos(2 * np.pi * 2 * T) + 0.4 * np.cos(2 * np.pi * 9 * T + 0.3)
CALLS["modes"] = (lambda f: VMD(f, 200.0, 0.0, 2, 0, 1, 1e-9)[0], F)
CALLS["frequencies"] = (lambda f: VMD(f, 200.0, 0.0, 2, 0, 1, 1e-9)[2][-1], F)
CALLS["bandwidth"] = (lambda a: VMD(F, a, 0.0, 2, 0, 1, 1e-9)[0], 200.0)
