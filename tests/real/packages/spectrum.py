import numpy as np
import spectrum

CALLS: dict = {}
X = np.sin(np.arange(24) * 0.7) + 0.3 * np.cos(np.arange(24) * 2.3)
CALLS["LEVINSON"] = (lambda r: spectrum.LEVINSON(r)[0], np.array([3.0, 1.2, -0.4, 0.2]))
CALLS["arburg"] = (lambda x: spectrum.arburg(x, 3)[0].real, X)
CALLS["arcovar"] = (lambda x: spectrum.arcovar(x, 3)[0].real, X)
CALLS["aryule"] = (lambda x: spectrum.aryule(x, 3)[0].real, X)
CALLS["CORRELATION"] = (lambda x: spectrum.CORRELATION(x, maxlags=5), X)
CALLS["xcorr"] = (lambda x: spectrum.xcorr(x, maxlags=5)[0], X)
CALLS["arma2psd"] = (lambda a: spectrum.arma2psd(a, NFFT=16), np.array([0.4, -0.2]))
CALLS["ac2poly"] = (lambda r: spectrum.ac2poly(r), np.array([3.0, 1.2, -0.4, 0.2]))
CALLS["poly2rc"] = (lambda a: spectrum.poly2rc(np.concatenate([[1.0], a]), 0.7), np.array([0.4, -0.2, 0.1]))
CALLS["periodogram"] = (lambda x: spectrum.speriodogram(x, NFFT=24), X)
CALLS["modified covariance"] = (lambda x: spectrum.modcovar(x, 3)[0].real, X)
CALLS["Window"] = (lambda b: spectrum.window_kaiser(16, b), 5.0)
