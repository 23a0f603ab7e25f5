import nitime.algorithms as tsa
import numpy as np
from nitime import utils

CALLS: dict = {}
RNG = np.random.default_rng(3)
X = RNG.standard_normal(48).cumsum() * 0.3
TWO = RNG.standard_normal((2, 64))
CALLS["multi_taper_psd"] = (lambda x: tsa.multi_taper_psd(x, adaptive=False, jackknife=False)[1], X)
CALLS["adaptive"] = (lambda x: tsa.multi_taper_psd(x, adaptive=True, jackknife=False)[1], X)
CALLS["periodogram"] = (lambda x: tsa.periodogram(x)[1], X)
CALLS["AR_est_YW"] = (lambda x: np.hstack(tsa.AR_est_YW(x, 3)), X)
CALLS["AR_est_LD"] = (lambda x: np.hstack(tsa.AR_est_LD(x, 3)), X)
CALLS["AR_psd"] = (lambda c: tsa.AR_psd(c, 1.2, n_freqs=16)[1], np.array([0.5, -0.2]))
CALLS["autocov"] = (lambda x: utils.autocov(x), X)
CALLS["coherence"] = (lambda x: tsa.coherence(x, {"this_method": "welch", "NFFT": 16, "Fs": 1.0})[1], TWO)
CALLS["get_spectra"] = (lambda x: tsa.get_spectra(x, {"this_method": "welch", "NFFT": 16})[1], TWO)
CALLS["boxcar_filter"] = (lambda x: tsa.boxcar_filter(x, lb=0.05, ub=0.3), X)
CALLS["MAR_est_LWR"] = (lambda x: tsa.MAR_est_LWR(x, 2)[0], TWO)
CALLS["wmorlet"] = (lambda s: tsa.wmorlet(0.2, s, 1.0)[:9], 3.0)
CALLS["percent_change"] = (lambda x: utils.percent_change(x), X + 9.0)
CALLS["seed_corrcoef"] = (lambda x: tsa.seed_corrcoef(x, TWO[:, :48]), X)
