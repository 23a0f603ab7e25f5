import numpy as np
from fastdtw import dtw, fastdtw
from scipy.spatial.distance import euclidean

CALLS: dict = {}
X = np.array([0.1, 1.2, 2.3, 3.1, 4.4, 3.2])
Y = np.array([0.4, 2.1, 3.3, 4.2, 2.9])
CALLS["fastdtw"] = (lambda x: fastdtw(x, Y)[0], X)
CALLS["dtw"] = (lambda x, y: dtw(x, y)[0], X, Y)
CALLS["of vectors"] = (lambda x: fastdtw(x, np.stack([Y, Y**2], 1), dist=euclidean)[0], np.stack([X, np.sin(X)], 1))
