import numpy as np
from discretize import TensorMesh

CALLS: dict = {}
H = [np.array([1.0, 2.0, 1.5]), np.array([0.5, 1.0])]
M = np.array([0.3, 1.2, -0.4, 0.9, 0.1, 0.7])
CALLS["face_divergence"] = (lambda f: TensorMesh(H).face_divergence @ f**2, np.linspace(0.1, 1.2, 17))
CALLS["get_face_inner_product"] = (lambda m: TensorMesh(H).get_face_inner_product(m) @ np.ones(17), M + 1.0)
CALLS["cell_volumes"] = (lambda h: TensorMesh([h, H[1]]).cell_volumes, H[0])
CALLS["interpolation"] = (
    lambda m: TensorMesh(H).get_interpolation_matrix(np.array([[1.3, 0.7], [2.1, 0.9]]), "CC") @ m,
    M,
)
CALLS["average"] = (lambda m: TensorMesh(H).average_cell_to_face @ m**2, M)
