import modern_robotics as mr
import numpy as np

CALLS: dict = {}
M = np.array([[-1.0, 0, 0, 0], [0, 1, 0, 6], [0, 0, -1, 2], [0, 0, 0, 1]])
S = np.array([[0, 0, 1, 4, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, -1, -6, 0, -0.1]]).T
CALLS["FKinSpace"] = (lambda t: mr.FKinSpace(M, S, t), np.array([0.7, 3.0, 2.0]))
CALLS["FKinBody"] = (lambda t: mr.FKinBody(M, S, t), np.array([0.7, 3.0, 2.0]))
CALLS["JacobianSpace"] = (lambda t: mr.JacobianSpace(S, t), np.array([0.7, 3.0, 2.0]))
CALLS["MatrixExp3"] = (lambda w: mr.MatrixExp3(mr.VecToso3(w)), np.array([0.3, 0.2, 0.5]))
CALLS["MatrixLog3"] = (lambda w: mr.MatrixLog3(mr.MatrixExp3(mr.VecToso3(w))), np.array([0.3, 0.2, 0.5]))
CALLS["Adjoint"] = (lambda p: mr.Adjoint(mr.RpToTrans(np.eye(3), p)), np.array([0.3, 0.2, 0.5]))
M01 = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.089159], [0, 0, 0, 1]]
M12 = [[0, 0, 1, 0.28], [0, 1, 0, 0.13585], [-1, 0, 0, 0], [0, 0, 0, 1]]
M23 = [[1, 0, 0, 0], [0, 1, 0, -0.1197], [0, 0, 1, 0.395], [0, 0, 0, 1]]
M34 = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.14225], [0, 0, 0, 1]]
G = [
    np.diag([0.010267, 0.010267, 0.00666, 3.7, 3.7, 3.7]),
    np.diag([0.22689, 0.22689, 0.0151074, 8.393, 8.393, 8.393]),
    np.diag([0.0494433, 0.0494433, 0.004095, 2.275, 2.275, 2.275]),
]
Sl = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]]).T
CALLS["InverseDynamics"] = (
    lambda t, d: mr.InverseDynamics(
        t,
        d,
        np.array([2.0, 1.5, 1.0]),
        np.array([0, 0, -9.8]),
        np.ones(6),
        [np.array(m) for m in (M01, M12, M23, M34)],
        np.array(G),
        Sl,
    ),
    np.array([0.1, 0.2, 0.3]),
    np.array([0.1, 0.2, 0.3]),
)
CALLS["ForwardDynamics"] = (
    lambda t: mr.ForwardDynamics(
        t,
        np.array([0.1, 0.2, 0.3]),
        np.array([0.5, 0.6, 0.7]),
        np.array([0, 0, -9.8]),
        np.ones(6),
        [np.array(m) for m in (M01, M12, M23, M34)],
        np.array(G),
        Sl,
    ),
    np.array([0.1, 0.2, 0.3]),
)
CALLS["IKin"] = (
    lambda y: mr.IKinSpace(
        S,
        M,
        np.array([[0, 1, 0, -5.0], [1, 0, 0, y], [0, 0, -1, 1.6858], [0, 0, 0, 1]]),
        np.array([1.5, 2.5, 3.0]),
        1e-10,
        1e-10,
    )[0],
    4.0,
)
CALLS["QuinticTimeScaling"] = (lambda t: mr.QuinticTimeScaling(2.0, t), 0.6)
