import numpy as np
import simdkalman

CALLS: dict = {}
rng = np.random.default_rng(0)
d = rng.normal(size=(2, 6))


def kf(q, r):
    return simdkalman.KalmanFilter(
        state_transition=[[1.0, 1.0], [0, 1.0]],
        process_noise=np.diag([0.1, 0.01]) * q,
        observation_model=np.array([[1.0, 0]]),
        observation_noise=r,
    )


CALLS["smooth"] = (lambda q, r: kf(q, r).smooth(d).observations.mean, 1.0, 0.5)
CALLS["loglik"] = (
    lambda r: kf(1.0, r).compute(d, 0, log_likelihood=True, smoothed=False, filtered=True).log_likelihood,
    0.5,
)
CALLS["predict"] = (lambda x: kf(1.0, 0.5).predict(x, 3).observations.mean, d)
