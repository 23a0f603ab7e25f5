import numpy as np
from skinematics import quat, rotmat, vector

CALLS: dict = {}
Q = np.array([0.1, 0.2, 0.3])
CALLS["q_mult"] = (lambda q: quat.q_mult(q, Q), np.array([0.3, 0.1, 0.2]))
CALLS["unit_q"] = (lambda q: quat.unit_q(q), Q)
CALLS["convert"] = (lambda q: quat.convert(quat.unit_q(q), to="rotmat"), Q)
CALLS["quat2seq"] = (lambda q: quat.quat2seq(quat.unit_q(q), seq="nautical"), Q)
CALLS["R"] = (lambda a: rotmat.R("x", a) @ rotmat.R("y", 2 * a), 20.0)
CALLS["sequence"] = (
    lambda a: rotmat.sequence(rotmat.R("z", a) @ rotmat.R("y", 20.0) @ rotmat.R("x", 10.0), to="Euler"),
    30.0,
)
CALLS["dh"] = (lambda t: rotmat.dh(t, 0.2, 0.3, 40.0), 30.0)
CALLS["angle"] = (lambda v: vector.angle(v, np.array([1.0, 0.2, 0.3])), np.array([0.3, 0.8, 0.1]))
CALLS["GramSchmidt"] = (
    lambda p: vector.GramSchmidt(p, np.array([1.0, 0.2, 0.3]), np.array([0.0, 2.0, 0.3])),
    np.array([0.3, 0.8, 0.1]),
)
CALLS["project"] = (lambda v: vector.project(v, np.array([1.0, 0.2, 0.3])), np.array([0.3, 0.8, 0.1]))
CALLS["rotate_vector"] = (lambda q: vector.rotate_vector(np.array([1.0, 0.2, 0.3]), q), Q)
CALLS["q_shortest_rotation"] = (
    lambda v: vector.q_shortest_rotation(v, np.array([1.0, 0.2, 0.3])),
    np.array([0.3, 0.8, 0.1]),
)
CALLS["calc_quat"] = (
    lambda w: quat.calc_quat(w, np.zeros(3), 10.0, "sf"),
    np.array([[0.1, 0.2, 0.3], [0.2, 0.1, 0.0], [0.3, 0.0, 0.1]]),
)
CALLS["calc_angvel"] = (
    lambda q: quat.calc_angvel(quat.unit_q(q), rate=1.0, winSize=5, order=2),
    np.outer(np.arange(7.0), Q) / 9,
)
CALLS["deg2quat"] = (lambda a: quat.deg2quat(a), np.array([10.0, 20.0, 5.0]))
