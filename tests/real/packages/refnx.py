import numpy as np
from refnx.analysis import Parameter
from refnx.reflect import SLD, ReflectModel
from refnx.reflect._reflect import abeles

CALLS: dict = {}
Q = np.linspace(0.01, 0.3, 12)
LAYERS = np.array([[0.0, 2.07, 0.0, 0.0], [100.0, 3.5, 0.0, 3.0], [0.0, 6.36, 0.0, 4.0]])
CALLS["abeles"] = (lambda w: abeles(Q, w) * 1e3, LAYERS)


def thickness(d, rough):
    film = SLD(3.47, "film")(d, rough)
    structure = SLD(0.0) | film | SLD(2.07)(0.0, 3.0)
    return ReflectModel(structure, bkg=3e-6, dq=0).model(Q)


CALLS["Parameter"] = (lambda v: (Parameter(v, "a") * 2.0 + Parameter(1.0, "b") ** 2).value, 1.3)
CALLS["SLD profile"] = (
    lambda d, r: (SLD(0.0) | SLD(3.47)(d, r) | SLD(2.07)(0.0, 3.0)).sld_profile(np.linspace(-5.0, 60.0, 20))[1],
    40.0,
    4.0,
)
