import numpy as np
import pytransform3d.rotations as pr
import pytransform3d.trajectories as ptr
import pytransform3d.transformations as pt

a = np.array([0.3, -0.5, 0.8])
q = np.array([0.7, 0.1, -0.3, 0.6])
axis_angle = np.array([0.6, 0.0, 0.8, 0.7])

CALLS = {
    "matrix_from_euler": (lambda e: pr.matrix_from_euler(e, 0, 1, 2, True), a),
    "matrix_from_quaternion": (pr.matrix_from_quaternion, q),
    "matrix_from_axis_angle": (pr.matrix_from_axis_angle, axis_angle),
    "matrix_from_compact_axis_angle": (pr.matrix_from_compact_axis_angle, a),
    "quaternion_from_matrix": (lambda a: pr.quaternion_from_matrix(pr.matrix_from_compact_axis_angle(a)), a),
    "quaternion_slerp": (lambda q, t: pr.quaternion_slerp(pr.check_quaternion(q), np.array([1.0, 0, 0, 0]), t), q, 0.3),
    "concatenate_quaternions": (pr.concatenate_quaternions, q, q[::-1].copy()),
    "q_prod_vector": (pr.q_prod_vector, q, a),
    "euler_from_matrix": (lambda e: pr.euler_from_matrix(pr.matrix_from_euler(e, 2, 1, 0, False), 2, 1, 2, False), a),
    "axis_angle_from_matrix": (lambda a: pr.axis_angle_from_matrix(pr.matrix_from_compact_axis_angle(a)), a),
    "left_jacobian_SO3": (pr.left_jacobian_SO3, a),
    "transform_from_exponential_coordinates": (
        pt.transform_from_exponential_coordinates,
        np.array([0.1, 0.2, 0.3, 0.5, -0.2, 0.1]),
    ),
    "exponential_coordinates_from_transform": (
        lambda p: pt.exponential_coordinates_from_transform(pt.transform_from_pq(p)),
        np.array([0.4, 0.1, -0.3, 0.7, 0.1, -0.3, 0.6]),
    ),
    "adjoint_from_transform": (
        lambda p: pt.adjoint_from_transform(pt.transform_from_pq(p)),
        np.array([0.4, 0.1, -0.3, 0.7, 0.1, -0.3, 0.6]),
    ),
    "dual_quaternion_from_pq": (pt.dual_quaternion_from_pq, np.array([0.4, 0.1, -0.3, 0.7, 0.1, -0.3, 0.6])),
    "matrices_from_pos_quat": (
        ptr.matrices_from_pos_quat if hasattr(ptr, "matrices_from_pos_quat") else ptr.transforms_from_pqs,
        np.array([[0.4, 0.1, -0.3, 0.7, 0.1, -0.3, 0.6]]),
    ),
}
