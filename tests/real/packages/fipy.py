import fipy as fp
import numpy as np

CALLS: dict = {}
MESH = fp.Grid1D(nx=6, dx=0.5)
X = np.array([0.3, 0.8, 1.1, 0.4, 0.2, 0.9])


def diffused(x, d=1.0, steps=3):
    phi = fp.CellVariable(mesh=MESH, value=x)
    phi.constrain(0.0, MESH.facesLeft)
    eq = fp.TransientTerm() == fp.DiffusionTerm(coeff=d)
    for _ in range(steps):
        eq.solve(var=phi, dt=0.1)
    return phi.value


CALLS["CellVariable"] = (lambda x: (fp.CellVariable(mesh=MESH, value=x) ** 2).value, X)
CALLS["faceGrad"] = (lambda x: fp.CellVariable(mesh=MESH, value=x).faceGrad.value, X)
CALLS["arithmeticFaceValue"] = (lambda x: fp.CellVariable(mesh=MESH, value=x).arithmeticFaceValue.value, X)
CALLS["cellVolumeAverage"] = (lambda x: fp.CellVariable(mesh=MESH, value=x).cellVolumeAverage.value, X)
CALLS["exp of a variable"] = (lambda x: fp.numerix.exp(fp.CellVariable(mesh=MESH, value=x)).value, X)
CALLS["diffusion"] = (diffused, X)
CALLS["coefficient"] = (lambda d: diffused(X, d), 1.3)
CALLS["sweep"] = (lambda x: fp.DiffusionTerm(coeff=1.0).justResidualVector(var=fp.CellVariable(mesh=MESH, value=x)), X)
