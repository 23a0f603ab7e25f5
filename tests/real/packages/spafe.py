import numpy as np
from spafe.features.lpc import lpc
from spafe.utils.converters import hz2bark, hz2mel, mel2hz
from spafe.utils.preprocessing import pre_emphasis

CALLS: dict = {}
X = np.sin(np.arange(256) * 0.37) + 0.3 * np.cos(np.arange(256) * 1.3)
CALLS["hz2mel"] = (hz2mel, 440.0)
CALLS["mel2hz"] = (mel2hz, 440.0)
CALLS["hz2bark"] = (hz2bark, 440.0)
CALLS["pre_emphasis"] = (lambda x: pre_emphasis(x, 0.97), X[:32])
CALLS["lpc"] = (lambda x: lpc(np.tile(x, 4), fs=4000, order=3)[0], X[:64])
