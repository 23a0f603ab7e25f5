"""Distances that go by a rule; the others are programs, and tested as such."""

import numpy as np
from scipy.spatial import distance

from .points import M, T, case

W = M[:2] * 0.7 + 0.1

CASES = [
    *(case(distance.cdist, M, W, metric) for metric in ("euclidean", "sqeuclidean", "cityblock")),
    case(distance.cdist, M, W),
    case(distance.cdist, T[0], T[0, :1] + 0.3),
    *(case(distance.pdist, M, metric) for metric in ("euclidean", "sqeuclidean")),
    case(distance.pdist, M),
    case(distance.squareform, np.arange(1.0, 7.0)),
]
