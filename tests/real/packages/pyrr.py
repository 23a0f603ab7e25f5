import numpy as np
from pyrr import Matrix44, Vector3, matrix44, quaternion, vector

CALLS: dict = {}
CALLS["perspective"] = (lambda f: matrix44.create_perspective_projection(f, 1.3, 0.1, 10.0), 60.0)
CALLS["look_at"] = (
    lambda e: matrix44.create_look_at(e, np.zeros(3), np.array([0.0, 1.0, 0.0])),
    np.array([1.0, 2.0, 3.0]),
)
CALLS["from_eulers"] = (lambda e: matrix44.create_from_eulers(e), np.array([0.1, 0.2, 0.3]))
CALLS["quaternion.apply"] = (
    lambda v: quaternion.apply_to_vector(quaternion.create_from_axis_rotation(np.array([0.0, 0.0, 1.0]), 0.4), v),
    np.array([1.0, 2.0, 3.0]),
)
CALLS["Vector3"] = (lambda v: Vector3(v) | Vector3([1.0, 2.0, 3.0]), np.array([0.3, 0.2, 0.1]))
CALLS["normalize"] = (lambda v: vector.normalize(v), np.array([0.3, 0.2, 0.1]))
CALLS["Matrix44"] = (lambda a: np.asarray(Matrix44.from_x_rotation(a) * Vector3([1.0, 2.0, 3.0])), 0.4)
