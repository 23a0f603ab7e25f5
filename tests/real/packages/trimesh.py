import numpy as np
import trimesh
from trimesh import transformations as tf
from trimesh import triangles, util

T = np.array([[[0.0, 0.0, 0.1], [1.0, 0.1, 0.0], [0.2, 1.0, 0.3]], [[1.0, 0.1, 0.0], [0.2, 1.0, 0.3], [1.0, 1.0, 1.0]]])

CALLS = {
    "area": (triangles.area, T),
    "normals": (lambda t: triangles.normals(t)[0], T),
    "angles": (triangles.angles, T),
    "cross": (triangles.cross, T),
    "rotation_matrix": (lambda a: tf.rotation_matrix(a, [1.0, 0.0, 0.0]), 0.3),
    "quaternion_matrix": (tf.quaternion_matrix, np.array([0.9, 0.1, 0.3, 0.2])),
    "euler_matrix": (tf.euler_matrix, 0.1, 0.2, 0.3),
    "barycentric": (lambda p: triangles.points_to_barycentric(T[:1], p), np.array([[0.4, 0.3, 0.2]])),
    "unitize": (util.unitize, np.array([1.0, 2.0, 3.0])),
    "closest_point": (lambda p: triangles.closest_point(T[:1], p), np.array([[0.4, 0.3, 0.8]])),
    "Trimesh.area": (lambda v: trimesh.Trimesh(vertices=v, faces=[[0, 1, 2]], process=False).area, T[0]),
    "mass_properties": (lambda t: triangles.mass_properties(t)["volume"], T),
}
