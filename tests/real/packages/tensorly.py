import numpy as np
import tensorly as tl
from tensorly.tenalg import inner, khatri_rao, kronecker, mode_dot

T = np.arange(12.0).reshape(2, 3, 2) / 7 + 0.1

CALLS = {
    "unfold": (lambda T: tl.unfold(T, 1) @ np.ones(4), T),
    "mode_dot": (lambda T: mode_dot(T, np.array([[1.0, 2.0]]), 0), T),
    "khatri_rao": (lambda A: khatri_rao([A, np.ones((3, 2))]), np.array([[1.0, 2.0], [3.0, 4.0]])),
    "kronecker": (lambda A: kronecker([A, np.eye(2)]), np.array([[1.0, 2.0], [3.0, 4.0]])),
    "inner": (lambda T: inner(T, T), T),
    "norm": (lambda T: tl.norm(T, 2), T),
    "cp_to_tensor": (
        lambda A: tl.cp_to_tensor((np.ones(2), [A, A + 1.0, A * 2.0])),
        np.array([[1.0, 2.0], [3.0, 4.0]]),
    ),
    "tucker_to_tensor": (lambda G: tl.tucker_to_tensor((G, [np.eye(2), np.eye(3), np.ones((4, 2))])), T),
}
