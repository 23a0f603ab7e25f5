import numpy as np
from clifford import g3, g3c

CALLS: dict = {}
V = np.array([0.3, 1.2, -0.5])
vector = lambda v: v[0] * g3.e1 + v[1] * g3.e2 + v[2] * g3.e3
CALLS["geometric product"] = (lambda v: (vector(v) * (g3.e1 + 2.0 * g3.e23)).value, V)
CALLS["outer product"] = (lambda v: (vector(v) ^ (g3.e1 + 0.5 * g3.e2)).value, V)
CALLS["inner product"] = (lambda v: (vector(v) | (g3.e1 + 0.5 * g3.e2)).value, V)
CALLS["reversal"] = (lambda v: ((vector(v) * g3.e12) * ~(vector(v) * g3.e12)).value, V)
CALLS["rotor"] = (lambda t: (np.e ** (t / 2 * g3.e12) * g3.e1 * np.e ** (-t / 2 * g3.e12)).value, 0.7)
CALLS["inverse"] = (lambda v: vector(v).inv().value, V)
CALLS["abs"] = (lambda v: abs(vector(v)), V)
CALLS["conformal"] = (lambda v: g3c.up(v[0] * g3c.e1 + v[1] * g3c.e2 + v[2] * g3c.e3).value, V)
