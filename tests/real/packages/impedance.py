import numpy as np
from impedance.models.circuits import CustomCircuit, Randles
from impedance.models.circuits import elements as e
from impedance.models.circuits.fitting import rmse

f = np.array([0.1, 1.0, 10.0, 100.0])
guess = np.array([0.02, 0.015, 1.0, 0.05, 100.0])

CALLS = {
    "CustomCircuit.predict": (
        lambda g: CustomCircuit("R0-p(R1,C1)-W1", initial_guess=list(g[:4])).predict(f, use_initial=True),
        guess,
    ),
    "Randles.predict": (lambda g: Randles(initial_guess=list(g)).predict(f, use_initial=True), guess),
    "R": (lambda r: e.R([r], f), 2.0),
    "CPE": (lambda q, a: e.CPE([q, a], f), 0.3, 0.8),
    "Wo": (lambda z, t: e.Wo([z, t], f), 0.3, 5.0),
    "Ws": (lambda z, t: e.Ws([z, t], f), 0.3, 5.0),
    "Gs": (lambda r, t, p: e.Gs([r, t, p], f), 0.3, 5.0, 0.7),
    "K": (lambda r, t: e.K([r, t], f), 0.3, 5.0),
    "parallel": (lambda r: e.p([e.R([r], f), e.C([0.3], f)]), 2.0),
    "rmse": (lambda a: rmse(a * np.array([1 + 1j, 2.0 - 1j]), np.array([1.0, 2.0j])), 1.2),
}
