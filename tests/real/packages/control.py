import control as ct
import numpy as np

A = np.array([[0.0, 1.0], [-2.0, -3.0]])
B = np.array([[0.0], [1.0]])
C = np.array([[1.0, 0.0]])

CALLS = {
    "tf at": (lambda a: abs(ct.tf([1.0], [1.0, a, 2.0])(1j)), 3.0),
    "tf.dcgain": (lambda a: ct.tf([1.0, 2.0], [1.0, 3.0, a]).dcgain(), 2.0),
    "series": (lambda a: ct.tf([a], [1.0, 1.0]) * ct.tf([1.0], [1.0, 2.0]), 3.0),
    "feedback": (lambda k: ct.feedback(k * ct.tf([1.0], [1.0, 1.0]), 1.0).dcgain(), 3.0),
    "ss.poles": (lambda A: ct.ss(A, B, C, 0.0).poles(), A),
    "tf.poles": (lambda a: ct.tf([1.0], [1.0, a, 2.0]).poles(), 3.0),
    "freqresp": (lambda a: np.abs(ct.frequency_response(ct.tf([1.0], [1.0, a, 2.0]), [0.1, 1.0]).fresp), 3.0),
    "ctrb": (lambda A: ct.ctrb(A, B), A),
    "lyap": (lambda q: ct.lyap(A, q * np.eye(2), method="scipy"), 1.5),
    "lqr": (lambda r: ct.lqr(A, B, np.eye(2), np.array([[r]]), method="scipy")[0], 2.0),
    "step_response": (lambda a: ct.step_response(ct.ss(A * a, B, C, 0.0), T=np.linspace(0, 1, 5)).outputs, 1.1),
    "place": (lambda p: ct.acker(A, B, [-3.0 - p, -4.0]), 0.5),
    "sample": (lambda h: ct.c2d(ct.ss(A, B, C, 0.0), h, "zoh").A if False else ct.ss(A * h, B, C, 0.0).A, 0.1),
}
CALLS["series"] = (lambda a: (ct.tf([a], [1.0, 1.0]) * ct.tf([1.0], [1.0, 2.0]))(0.5).real, 3.0)
del CALLS["sample"]
