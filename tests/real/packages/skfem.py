import numpy as np
import skfem as fem
from skfem.helpers import dot, grad

CALLS: dict = {}
rng = np.random.default_rng(0)
mesh = fem.MeshTri().refined(2)
basis = fem.Basis(mesh, fem.ElementTriP1())


@fem.BilinearForm
def lap(u, v, w):
    return w["k"] * dot(grad(u), grad(v))


@fem.LinearForm
def load(v, w):
    return v


def solve(k):
    K = lap.assemble(basis, k=k)
    b = load.assemble(basis)
    return fem.solve(*fem.condense(K, b, D=basis.get_dofs()))


CALLS["assemble"] = (lambda k: lap.assemble(basis, k=k).toarray(), 1.3)
CALLS["solve"] = (lambda k: solve(k), 1.3)


@fem.Functional
def energy(w):
    return w["u"] ** 2


u0 = rng.random(basis.N)
CALLS["functional"] = (lambda u: energy.assemble(basis, u=u), u0)
CALLS["interpolate"] = (lambda u: energy.assemble(basis, u=basis.interpolate(u)), u0)
