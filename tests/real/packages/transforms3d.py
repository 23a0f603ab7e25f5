import numpy as np
from transforms3d import affines, axangles, euler, quaternions, zooms

q = np.array([0.9, 0.1, 0.3, 0.2])

CALLS = {
    "euler2mat": (lambda a, b, c: euler.euler2mat(a, b, c), 0.1, 0.2, 0.3),
    "mat2euler": (lambda a: euler.mat2euler(euler.euler2mat(a, 0.2, 0.3, "sxyz")), 0.1),
    "euler2quat": (lambda a, b, c: euler.euler2quat(a, b, c, "szyx"), 0.1, 0.2, 0.3),
    "quat2mat": (quaternions.quat2mat, q),
    "qmult": (lambda q: quaternions.qmult(q, [0.5, 0.5, 0.5, 0.5]), q),
    "rotate_vector": (lambda q: quaternions.rotate_vector([1.0, 2.0, 3.0], q), q),
    "quat2axangle": (quaternions.quat2axangle, q),
    "axangle2mat": (lambda v, t: axangles.axangle2mat(v, t), np.array([1.0, 0.2, 0.3]), 0.4),
    "compose": (lambda T, Z: affines.compose(T, np.eye(3), Z), np.array([1.0, 2.0, 3.0]), np.array([1.1, 1.2, 1.3])),
    "decompose": (lambda a: affines.decompose44(np.diag([a, 2.0, 3.0, 1.0]))[2], 1.5),
    "zdir2aff": (lambda f: zooms.zfdir2aff(f, [1.0, 0.0, 0.0]), 1.5),
}
