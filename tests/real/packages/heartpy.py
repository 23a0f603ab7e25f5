import heartpy as hp
import numpy as np

CALLS: dict = {}
X = np.sin(np.arange(60) * 0.31) + 0.1 * np.cos(np.arange(60) * 1.3)
CALLS["scale_data"] = (lambda x: hp.scale_data(x), X[:20])
CALLS["filter_signal"] = (lambda x: hp.filter_signal(x, cutoff=5, sample_rate=100.0, order=3), X)
CALLS["remove_baseline_wander"] = (lambda x: hp.remove_baseline_wander(x, 100.0), X)
CALLS["enhance_peaks"] = (lambda x: hp.enhance_peaks(x, iterations=2), X[:20])
