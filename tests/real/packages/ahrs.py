import ahrs
import numpy as np
from ahrs.common import orientation as o

q = np.array([0.9, 0.1, 0.3, 0.2])
a = np.array([0.1, 0.2, 9.7])

CALLS = {
    "q2R": (o.q2R, q),
    "q_prod": (lambda q: o.q_prod(q, np.array([0.5, 0.5, 0.5, 0.5])), q),
    "q2euler": (o.q2euler, q / np.linalg.norm(q)),
    "ecompass": (lambda a: o.ecompass(a, np.array([20.0, 3.0, -40.0])), a),
    "rotation": (lambda t: ahrs.common.dcm.rotation("x", t), 30.0),
    "chiaverini": (lambda t: o.chiaverini(ahrs.common.dcm.rotation("z", t)), 30.0),
    "acc2q": (o.acc2q, a),
    "Madgwick": (
        lambda g: ahrs.filters.Madgwick(gain=0.1).updateIMU(np.array([1.0, 0.0, 0.0, 0.0]), gyr=g, acc=a),
        np.array([0.01, 0.2, -0.1]),
    ),
    "wgs": (lambda lat: ahrs.utils.WGS().normal_gravity(lat, 0.0), 42.0),
    "slerp": (
        lambda q: ahrs.common.orientation.slerp(q, np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.3])),
        q / np.linalg.norm(q),
    ),
}
