import numpy as np
from pykrige import variogram_models as vm
from pykrige.ok import OrdinaryKriging

CALLS: dict = {}
x = np.array([0.0, 1.0, 2.0, 0.5])
y = np.array([0.0, 0.5, 1.5, 1.2])
z = np.array([1.0, 2.0, 1.5, 0.7])
CALLS["ok"] = (
    lambda z: (
        OrdinaryKriging(x, y, z, variogram_model="linear", variogram_parameters=[1.0, 0.1])
        .execute("points", np.array([0.7, 1.1]), np.array([0.4, 0.9]))[0]
        .data
    ),
    z,
)
CALLS["variance"] = (
    lambda s: (
        OrdinaryKriging(x, y, z, variogram_model="linear", variogram_parameters=[s, 0.1])
        .execute("points", np.array([0.7]), np.array([0.4]))[1]
        .data
    ),
    1.2,
)
for k in ("gaussian", "spherical", "exponential", "hole_effect"):
    CALLS[k] = (
        lambda m, k=k: getattr(vm, k + "_variogram_model")(m, np.array([0.2, 0.9, 1.7])),
        np.array([1.3, 1.5, 0.1]),
    )
