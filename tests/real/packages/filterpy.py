import numpy as np
from filterpy.common import Q_discrete_white_noise
from filterpy.gh import GHFilter
from filterpy.kalman import (
    ExtendedKalmanFilter,
    KalmanFilter,
    MerweScaledSigmaPoints,
    UnscentedKalmanFilter,
    predict,
    update,
)
from filterpy.stats import gaussian, mahalanobis, multivariate_gaussian

zs = [1.0, 1.9, 3.2]


def kalman(r, q, z=zs):
    f = KalmanFilter(dim_x=2, dim_z=1)
    f.x = np.array([0.0, 1.0])
    f.F = np.array([[1.0, 1.0], [0.0, 1.0]])
    f.H = np.array([[1.0, 0.0]])
    f.P = f.P * 10.0
    f.R = f.R * r
    f.Q = Q_discrete_white_noise(dim=2, dt=1.0, var=q)
    for k in range(3):
        f.predict()
        f.update(z[k])
    return f


def unscented(r):
    points = MerweScaledSigmaPoints(2, alpha=0.5, beta=2.0, kappa=1.0)
    f = UnscentedKalmanFilter(
        2, 1, 1.0, hx=lambda x: x[:1], fx=lambda x, dt: np.array([x[0] + x[1] * dt, x[1]]), points=points
    )
    f.R *= r
    f.Q = Q_discrete_white_noise(dim=2, dt=1.0, var=0.1)
    for z in zs:
        f.predict()
        f.update(np.array([z]))
    return f.x


def extended(r):
    f = ExtendedKalmanFilter(dim_x=2, dim_z=1)
    f.x = np.array([1.0, 0.5])
    f.R *= r
    f.F = np.array([[1.0, 1.0], [0.0, 1.0]])
    for z in zs:
        f.update(np.array([z]), lambda x: np.array([[2.0 * x[0], 0.0]]), lambda x: np.array([x[0] ** 2]))
        f.predict()
    return f.x


def g_h(g, h):
    f = GHFilter(x=0.0, dx=0.0, dt=1.0, g=g, h=h)
    return [f.update(z)[0] for z in zs]


CALLS = {
    "KalmanFilter.x": (lambda r, q: kalman(r, q).x, 0.5, 0.1),
    "KalmanFilter.P": (lambda r, q: kalman(r, q).P, 0.5, 0.1),
    "KalmanFilter.log_likelihood": (lambda r, q: kalman(r, q).log_likelihood, 0.5, 0.1),
    "measurements": (lambda z: kalman(0.5, 0.1, z).x, np.array(zs)),
    "UnscentedKalmanFilter": (unscented, 0.5),
    "ExtendedKalmanFilter": (extended, 0.5),
    "GHFilter": (g_h, 0.8, 0.2),
    "gaussian": (gaussian, 8.0, 7.0, 3.0),
    "multivariate_gaussian": (lambda x: multivariate_gaussian(x, np.zeros(2), np.eye(2)), np.array([0.1, 0.2])),
    "mahalanobis": (lambda x: mahalanobis(x, np.zeros(2), np.diag([1.0, 2.0])), np.array([0.1, 0.2])),
    "predict and update": (
        lambda P, R: update(
            *predict(np.array([1.0]), np.array([[P]]), F=np.eye(1), Q=np.eye(1)),
            np.array([2.0]),
            np.array([[R]]),
            np.eye(1),
        )[0],
        2.0,
        0.3,
    ),
}
