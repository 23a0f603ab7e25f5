import emd
import numpy as np

CALLS: dict = {}
T = np.linspace(0, 1, 48)
X = np.sin(2 * np.pi * 5 * T) + 0.5 * np.sin(2 * np.pi * 2 * T) + 0.2 * T
CALLS["get_next_imf"] = (lambda x: emd.sift.get_next_imf(x[:, None])[0], X)
CALLS["sift"] = (lambda x: emd.sift.sift(x, max_imfs=2), X)
CALLS["amplitude"] = (lambda x: emd.spectra.frequency_transform(x[:, None], 48, "hilbert")[2], X)
CALLS["frequency"] = (lambda x: emd.spectra.frequency_transform(x[:, None], 48, "hilbert")[1], X)
