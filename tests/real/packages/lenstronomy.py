import numpy as np
from lenstronomy.LensModel.lens_model import LensModel
from lenstronomy.LightModel.light_model import LightModel

CALLS: dict = {}
lm = LensModel(["SIE", "SHEAR"])
kw = lambda t: [
    {"theta_E": t, "e1": 0.1, "e2": -0.05, "center_x": 0.0, "center_y": 0.0},
    {"gamma1": 0.03, "gamma2": 0.01},
]
CALLS["ray_shooting"] = (lambda t: lm.ray_shooting(np.array([1.0, 0.3]), np.array([0.2, 1.1]), kw(t)), 1.2)
CALLS["potential"] = (lambda t: lm.potential(np.array([1.0, 0.3]), np.array([0.2, 1.1]), kw(t)), 1.2)
CALLS["magnification"] = (lambda t: lm.magnification(np.array([1.0, 0.3]), np.array([0.2, 1.5]), kw(t)), 1.2)
l2 = LensModel(["SIS"])
CALLS["kappa"] = (
    lambda t: l2.kappa(np.array([1.0, 0.3]), np.array([0.2, 1.1]), [{"theta_E": t, "center_x": 0.0, "center_y": 0.0}]),
    1.2,
)
CALLS["sersic"] = (
    lambda R: LightModel(["SERSIC"]).surface_brightness(
        np.array([1.0, 0.3]),
        np.array([0.2, 1.1]),
        [{"amp": 1.0, "R_sersic": R, "n_sersic": 2.0, "center_x": 0.0, "center_y": 0.0}],
    ),
    0.7,
)
