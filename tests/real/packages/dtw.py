import numpy as np
from dtw import dtw

x = np.array([1.0, 2.0, 1.5, 0.3])

CALLS = {"distance": (lambda x: dtw(x, np.array([1.1, 1.9, 0.2])).distance, x)}
