import numpy as np
from visual_kinematics.Frame import Frame
from visual_kinematics.RobotSerial import RobotSerial

CALLS: dict = {}
DH = np.array([[0.163, 0.0, 0.0, 0.5 * np.pi], [0.0, 0.632, np.pi, 0.0], [0.0, 0.6005, np.pi, 0.0]])
CALLS["forward"] = (lambda q: RobotSerial(DH).forward(q).t_4_4, np.array([0.3, -0.5, 0.7]))
CALLS["Frame.from_euler_3"] = (
    lambda e: Frame.from_euler_3(e, np.array([[0.1], [0.2], [0.3]])).inv.t_4_4,
    np.array([0.3, -0.5, 0.7]),
)
CALLS["Frame.from_dh"] = (lambda d: Frame.from_dh(d).q_4, np.array([0.1, 0.5, 0.7, 0.3]))
