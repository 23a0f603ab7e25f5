import numpy as np
from ikpy.chain import Chain
from ikpy.link import OriginLink, URDFLink
from ikpy.utils import geometry


def arm(length=1.0):
    return Chain(
        name="arm",
        links=[
            OriginLink(),
            URDFLink(
                name="shoulder", origin_translation=[0, 0, 0.1], origin_orientation=[0, 0.3, 0], rotation=[0, 1, 0]
            ),
            URDFLink(name="elbow", origin_translation=[length, 0, 0], origin_orientation=[0, 0, 0], rotation=[0, 1, 0]),
            URDFLink(name="wrist", origin_translation=[0.2, 0, 0.4], origin_orientation=[0, 0, 0], rotation=[0, 0, 1]),
        ],
        active_links_mask=[False, True, True, True],
    )


chain = arm()
CALLS = {
    "forward_kinematics": (lambda j: chain.forward_kinematics([0, *j]), np.array([0.3, -0.4, 0.6])),
    "full kinematics": (
        lambda j: np.array(chain.forward_kinematics([0, *j], full_kinematics=True)),
        np.array([0.3, -0.4, 0.6]),
    ),
    "length of a link": (lambda x: arm(x).forward_kinematics([0, 0.2, 0.1, 0.3]), 1.1),
    "rpy_matrix": (geometry.rpy_matrix, 0.1, 0.2, 0.3),
    "axis_rotation_matrix": (lambda a, t: geometry.axis_rotation_matrix(a, t), np.array([0.6, 0.0, 0.8]), 0.4),
}
