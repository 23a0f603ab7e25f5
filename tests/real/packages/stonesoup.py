import datetime

import numpy as np
from stonesoup.functions import cart2sphere, sphere2cart
from stonesoup.models.measurement.nonlinear import CartesianToBearingRange
from stonesoup.models.transition.linear import (
    CombinedLinearGaussianTransitionModel,
    ConstantVelocity,
    OrnsteinUhlenbeck,
)
from stonesoup.predictor.kalman import KalmanPredictor
from stonesoup.types.detection import Detection
from stonesoup.types.hypothesis import SingleHypothesis
from stonesoup.types.state import GaussianState
from stonesoup.updater.kalman import ExtendedKalmanUpdater, UnscentedKalmanUpdater

CALLS: dict = {}
START = datetime.datetime(2020, 1, 1)
LATER = START + datetime.timedelta(seconds=2)


def prior(v):
    return GaussianState([[1.0], [v], [3.0], [0.2]], np.diag([1.0, 0.5, 1.0, 0.5]), timestamp=START)


def predicted(q, v):
    model = CombinedLinearGaussianTransitionModel([ConstantVelocity(q), ConstantVelocity(q)])
    return KalmanPredictor(model).predict(prior(v), timestamp=LATER)


def updated(updater, r, v):
    sensor = CartesianToBearingRange(ndim_state=4, mapping=(0, 2), noise_covar=np.diag([r, 1.0]))
    found = updater(sensor).update(
        SingleHypothesis(
            predicted(0.1, v), Detection(np.array([[0.8], [4.0]]), timestamp=LATER, measurement_model=sensor)
        )
    )
    return np.asarray(found.mean).sum() + np.asarray(found.covar)[0, 0]


CALLS["predict covariance"] = (lambda q, v: np.asarray(predicted(q, v).covar), 0.1, 0.3)
CALLS["predict mean"] = (lambda v: np.asarray(predicted(0.1, v).mean), 0.3)
CALLS["ExtendedKalmanUpdater"] = (lambda r, v: updated(ExtendedKalmanUpdater, r, v), 0.05, 0.3)
CALLS["UnscentedKalmanUpdater"] = (lambda r, v: updated(UnscentedKalmanUpdater, r, v), 0.05, 0.3)
CALLS["OrnsteinUhlenbeck"] = (
    lambda q, d: np.asarray(OrnsteinUhlenbeck(q, d).covar(time_interval=datetime.timedelta(seconds=2))),
    0.1,
    0.4,
)
CALLS["cart2sphere"] = (lambda x: cart2sphere(x, 2.0, 3.0), 1.0)
CALLS["sphere2cart"] = (lambda t: sphere2cart(3.0, t, 0.2), 1.0)
