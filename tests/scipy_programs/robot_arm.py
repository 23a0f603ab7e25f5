"""Where an arm of several joints reaches, by rotations."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation, Slerp
from scipy.spatial.transform import Rotation as R

TARGET = np.array([1.2, 0.4, 0.8])


def forward_kinematics(q, lengths=(1.0, 0.8, 0.5)):
    axes = ["z", "y", "y"]
    position = np.zeros(3)
    orientation = R.identity()
    for angle, axis, length in zip(q, axes, lengths):
        orientation = orientation * R.from_euler(axis, angle)
        position += orientation.apply([length, 0, 0])
    return position, orientation


def reach(q):
    position, orientation = forward_kinematics(q)
    tilt = orientation.as_matrix()[2, 0]
    return np.sum((position - TARGET) ** 2) + 0.1 * tilt**2 + 0.01 * orientation.magnitude()


class Link(NamedTuple):
    offset: np.ndarray
    axis: np.ndarray


class Arm:
    def __init__(self, links):
        self.links = links

    def pose(self, q):
        T = np.eye(4)
        for link, angle in zip(self.links, q):
            step = np.eye(4)
            step[:3, :3] = Rotation.from_rotvec(angle * link.axis).as_matrix()
            step[:3, 3] = step[:3, :3] @ link.offset
            T = T @ step
        return T

    def error(self, q, wanted_position, wanted_orientation):
        T = self.pose(q)
        r = Rotation.from_matrix(T[:3, :3])
        twist = (wanted_orientation.inv() * r).as_rotvec()
        return np.concatenate([T[:3, 3] - wanted_position, 0.3 * twist])


ARM = Arm([
    Link(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0])),
    Link(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])),
    Link(np.array([0.7, 0.1, 0.0]), np.array([0.0, 0.6, 0.8])),
])  # fmt: skip


def pose_error(q):
    e = ARM.error(q, TARGET, Rotation.from_quat([0.1, 0.2, 0.3, 0.9]))
    return 0.5 * e.dot(e)


def reached_by(p):
    """An inverse problem inside: joints at a target that moves along an interpolated path."""
    keys = Rotation.from_euler("zyx", [[0, 0, 0], [60, 20, 10]], degrees=True)
    wanted = Slerp([0, 1], keys)(0.4)
    solution = least_squares(ARM.error, np.array([0.3, 0.2, 0.4]), args=(p, wanted), xtol=1e-14, gtol=1e-14, ftol=1e-14)
    return np.sum(solution.x**2) + solution.cost


PROGRAMS = [
    (reach, np.array([0.3, 0.5, -0.4])),
    (pose_error, np.array([0.4, -0.3, 0.9])),
    (reached_by, TARGET),
]
