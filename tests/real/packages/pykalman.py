import numpy as np
from pykalman import KalmanFilter
from pykalman.standard import _filter_predict

zs = np.array([1.0, 1.9, 3.2])


def kf(q, r):
    return KalmanFilter(
        transition_matrices=np.array([[1.0, 1.0], [0.0, 1.0]]), observation_matrices=np.array([[1.0, 0.0]]),
        transition_covariance=q * np.eye(2), observation_covariance=np.array([[r]]),
        initial_state_mean=np.zeros(2), initial_state_covariance=np.eye(2),
    )  # fmt: skip


CALLS = {
    "filter": (lambda q, r: kf(q, r).filter(zs)[0], 0.1, 0.5),
    "smooth": (lambda q, r: kf(q, r).smooth(zs)[0], 0.1, 0.5),
    "filter of data": (lambda z: kf(0.1, 0.5).filter(z)[0], zs),
    "loglikelihood": (lambda q, r: kf(q, r).loglikelihood(zs), 0.1, 0.5),
    "_filter_predict": (lambda c: _filter_predict(np.eye(2), np.eye(2), np.zeros(2), np.ones(2), c)[1], np.eye(2)),
    "filter_update": (lambda q, r: kf(q, r).filter_update(np.zeros(2), np.eye(2), np.array([1.0]))[0], 0.1, 0.5),
}
