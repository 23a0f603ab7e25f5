import eqsig
import numpy as np

CALLS: dict = {}
T = np.arange(60) * 0.02
A = np.sin(9 * T) * np.exp(-((T - 0.6) ** 2) * 4)
CALLS["velocity"] = (lambda a: eqsig.AccSignal(a, 0.02).velocity[-1], A)
CALLS["displacement"] = (lambda a: eqsig.AccSignal(a, 0.02).displacement, A)
CALLS["arias"] = (lambda a: eqsig.im.calc_arias_intensity(eqsig.AccSignal(a, 0.02))[-1], A)
CALLS["cav"] = (lambda a: eqsig.im.calc_cav(eqsig.AccSignal(a, 0.02))[-1], A)
CALLS["fourier"] = (lambda a: np.abs(eqsig.AccSignal(a, 0.02).fa_spectrum[1:6]), A)
CALLS["response"] = (lambda a: eqsig.sdof.response_series(a, 0.02, np.array([0.3, 0.7]), 0.05)[0][:, -1], A)
CALLS["pseudo"] = (lambda a: eqsig.sdof.pseudo_response_spectra(a, 0.02, np.array([0.3, 0.7]), 0.05)[2], A)
