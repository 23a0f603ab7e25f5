import numpy as np
import pyloudnorm as pyln

CALLS: dict = {}
X = 0.2 * np.sin(np.arange(8000.0) * 0.35) * (1.0 + 0.3 * np.sin(np.arange(8000.0) * 0.003))
CALLS["loudness"] = (lambda g: pyln.Meter(8000).integrated_loudness(g * X), 0.7)
CALLS["normalize loudness"] = (lambda v: pyln.normalize.loudness(X[:100], -20.0, v), -18.0)
CALLS["normalize peak"] = (lambda x: pyln.normalize.peak(x, -6.0), X[:60])
CALLS["filter"] = (
    lambda g, q: pyln.IIRfilter(g, q, 1500.0, 8000, "high_shelf").apply_filter(X[:80]),
    4.0,
    0.7,
)
