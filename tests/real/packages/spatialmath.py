import numpy as np
from spatialmath import SE2, SE3, SO3, UnitQuaternion
from spatialmath.base import rotx, rpy2r, skew, trexp

CALLS = {
    "rotx": (rotx, 0.3),
    "rpy2r": (lambda a, b, c: rpy2r(a, b, c), 0.1, 0.2, 0.3),
    "skew": (skew, np.array([1.0, 2.0, 3.0])),
    "trexp": (trexp, np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])),
    "SE3": (lambda a: (SE3.Rx(a) * SE3(1.0, 2.0, 3.0)).A, 0.3),
    "SE3 point": (lambda a: SE3.Rx(a) * np.array([1.0, 2.0, 3.0]), 0.3),
    "SO3.rpy": (lambda a: SO3.Rz(a).rpy(), 0.3),
    "UnitQuaternion": (lambda a: (UnitQuaternion.Rx(a) * UnitQuaternion.Ry(0.2)).vec, 0.3),
    "SE2": (lambda x, t: SE2(x, 1.0, t).A, 0.3, 0.2),
    "SE3.inv": (lambda x: SE3(x, 1.0, 2.0).inv().A, 0.3),
}
