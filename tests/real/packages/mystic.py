import numpy as np
from mystic.math.distance import chebyshev, euclidean, manhattan
from mystic.math.measures import impose_mean, impose_variance, kurtosis, mean, moment, skewness, variance
from mystic.models import ackley, branins, fosc3d, griewangk, rosen, schwefel

CALLS: dict = {}
P = np.array([1.3, 0.7, 2.1])
for f in (ackley, griewangk, rosen, schwefel):
    CALLS[f"{f.__name__}"] = (lambda x, f=f: f(list(x)), P)
CALLS["branins"] = (lambda x: branins(list(x)), P[:2])
CALLS["fosc3d"] = (lambda x: fosc3d(list(x)), P[:2])
W = [0.2, 0.3, 0.5]
for f in (mean, variance, skewness, kurtosis):
    CALLS[f"{f.__name__}"] = (lambda x, f=f: f(list(x), W), P)
CALLS["moment"] = (lambda x: moment(list(x), W, order=3), P)
CALLS["impose_mean"] = (lambda m, x: impose_mean(m, list(x), W), 0.5, P)
CALLS["impose_variance"] = (lambda v, x: impose_variance(v, list(x), W), 0.5, P)
CALLS["euclidean"] = (lambda x: euclidean(x.reshape(1, 3), np.array([[0.1, 0.2, 0.3]])), P)
CALLS["chebyshev"] = (lambda x: chebyshev(x.reshape(1, 3), np.array([[0.1, 0.2, 0.3]])), P)
CALLS["manhattan"] = (lambda x: manhattan(x.reshape(1, 3), np.array([[0.1, 0.2, 0.3]])), P)
