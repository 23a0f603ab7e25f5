import numpy as np
import ot

CALLS: dict = {}
rng = np.random.default_rng(0)
A = rng.random((4, 3))
B = rng.random((5, 3))
p = np.array([0.1, 0.2, 0.3, 0.4])
q = np.ones(5) / 5
M = ot.dist(A, B)
CALLS["dist"] = (lambda x: ot.dist(x, B), A)
CALLS["sinkhorn2"] = (lambda M: ot.sinkhorn2(p, q, M, 0.5, numItermax=50), M)
CALLS["sinkhorn"] = (lambda x: ot.sinkhorn(p, q, ot.dist(x, B), 1.0, numItermax=30), A)
CALLS["emd2"] = (lambda M: ot.emd2(p, q, M), M)
CALLS["emd2_1d"] = (lambda x: ot.emd2_1d(x, np.array([0.3, 0.1, 0.9])), np.array([0.2, 0.5, 0.7]))
CALLS["wasserstein_1d"] = (lambda x: ot.wasserstein_1d(x, np.array([0.3, 0.1, 0.9]), p=2), np.array([0.2, 0.5, 0.7]))
CALLS["sliced"] = (lambda x: ot.sliced_wasserstein_distance(x, B, n_projections=10, seed=0), A)
CALLS["bures"] = (
    lambda x: ot.gaussian.bures_wasserstein_distance(np.zeros(2), np.ones(2), x @ x.T + np.eye(2), np.eye(2)),
    rng.random((2, 2)),
)
