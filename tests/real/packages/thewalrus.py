import numpy as np
from thewalrus import hafnian, perm

CALLS: dict = {}
A = np.array([[0.2, 0.5, 0.3, 0.1], [0.5, 0.4, 0.2, 0.6], [0.3, 0.2, 0.1, 0.7], [0.1, 0.6, 0.7, 0.3]])
CALLS["hafnian"] = (lambda a: hafnian(a + a.T), A)
CALLS["loop hafnian"] = (lambda a: hafnian(a + a.T, loop=True), A)
CALLS["perm"] = (lambda a: perm(a, method="ryser"), A)
CALLS["perm bbfg"] = (lambda a: perm(a, method="bbfg"), A)
