import numpy as np
from pyquaternion import Quaternion

CALLS = {
    "rotate": (lambda a: Quaternion(axis=[1.0, 0.0, 0.0], angle=a).rotate(np.array([0.0, 1.0, 2.0])), 0.4),
    "mul": (lambda a: (Quaternion(1.0, a, 0.0, 0.5) * Quaternion(0.3, 0.1, a, 0.2)).elements, 0.4),
    "inverse": (lambda a: Quaternion(1.0, a, 0.0, 0.5).inverse.elements, 0.4),
    "matrix": (lambda a: Quaternion(1.0, a, 0.0, 0.5).normalised.rotation_matrix, 0.4),
    "slerp": (
        lambda a: (
            Quaternion.slerp(Quaternion(axis=[1, 0, 0], angle=0.1), Quaternion(axis=[0, 1, 0], angle=1.0), a).elements
        ),
        0.4,
    ),
    "exp": (lambda a: Quaternion.exp(Quaternion(0.1, a, 0.2, 0.5)).elements, 0.4),
    "yaw_pitch_roll": (lambda a: Quaternion(1.0, a, 0.2, 0.5).yaw_pitch_roll, 0.4),
    "from matrix": (
        lambda a: (
            Quaternion(
                matrix=np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])
            ).elements
        ),
        0.4,
    ),
    "log": (lambda a: Quaternion.log(Quaternion(0.1, a, 0.2, 0.5)).elements, 0.4),
    "distance": (lambda a: Quaternion.distance(Quaternion(0.1, a, 0.2, 0.5), Quaternion(1, 0, 0, 0)), 0.4),
}
