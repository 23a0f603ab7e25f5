import numpy as np
from pymanopt.manifolds import (
    Grassmann,
    Oblique,
    PoincareBall,
    SpecialOrthogonalGroup,
    Sphere,
    Stiefel,
    SymmetricPositiveDefinite,
)

x = np.array([0.6, 0.0, 0.8])
v = np.array([0.1, 0.5, -0.3])
a = np.array([[2.0, 0.3], [0.3, 1.5]])
b = np.array([[1.0, -0.2], [-0.2, 0.7]])
q = np.linalg.qr(np.array([[1.0, 0.2], [0.3, -1.0], [0.5, 0.4]]))[0]

CALLS = {
    "Sphere.exp": (lambda v: Sphere(3).exp(x, Sphere(3).projection(x, v)), v),
    "Sphere.log": (lambda y: Sphere(3).log(x, y / np.linalg.norm(y)), v),
    "Sphere.dist": (lambda y: Sphere(3).dist(x, y / np.linalg.norm(y)), v),
    "Sphere.transport": (lambda y: Sphere(3).transport(x, y / np.linalg.norm(y), v), v + 0.1),
    "Stiefel.retraction": (lambda v: Stiefel(3, 2).retraction(q, Stiefel(3, 2).projection(q, v)), 0.3 * q[::-1].copy()),
    "Grassmann.dist": (lambda v: Grassmann(3, 2).dist(q, np.linalg.qr(q + v)[0]), 0.3 * q[::-1].copy()),
    "SymmetricPositiveDefinite.dist": (lambda x: SymmetricPositiveDefinite(2).dist(a, x @ x.T), b + 1.0),
    "SymmetricPositiveDefinite.exp": (lambda v: SymmetricPositiveDefinite(2).exp(a, v + v.T), b),
    "SymmetricPositiveDefinite.inner_product": (lambda v: SymmetricPositiveDefinite(2).inner_product(a, v, v), b),
    "SpecialOrthogonalGroup.exp": (lambda v: SpecialOrthogonalGroup(2).exp(np.eye(2), v - v.T), b + np.triu(a)),
    "PoincareBall.dist": (lambda y: PoincareBall(3).dist(0.3 * x, y), v),
    "Oblique.projection": (lambda v: Oblique(3, 2).projection(q, v), q[::-1].copy()),
}
