import neurokit2 as nk
import numpy as np

CALLS: dict = {}
rng = np.random.default_rng(0)
s = np.cumsum(rng.normal(size=60))
CALLS["signal_detrend"] = (lambda x: nk.signal_detrend(x, order=1), s)
CALLS["standardize"] = (lambda x: nk.standardize(x), s)
CALLS["rescale"] = (lambda x: nk.rescale(x, to=[0, 1]), s)
CALLS["signal_filter"] = (lambda x: nk.signal_filter(x, sampling_rate=100, lowcut=1.0, highcut=20.0), s)
CALLS["hjorth"] = (lambda x: nk.complexity_hjorth(x)[0], s)
CALLS["smooth"] = (lambda x: nk.signal_smooth(x, kernel="boxcar", size=5), s)
CALLS["fractal_higuchi"] = (lambda x: nk.fractal_higuchi(x, k_max=5)[0], s)
CALLS["mad"] = (lambda x: nk.mad(x), s)
