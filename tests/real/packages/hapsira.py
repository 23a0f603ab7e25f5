import numpy as np
from hapsira.core import angles, elements, propagation

CALLS: dict = {}
MU = 398600.4418
CALLS["nu_to_E"] = (lambda e: angles.nu_to_E(1.2, e), 0.3)
CALLS["M_to_E"] = (lambda m: angles.M_to_E(m, 0.3), 1.2)
CALLS["coe2rv"] = (lambda e: np.hstack(elements.coe2rv(MU, 9000.0, e, 0.4, 0.5, 0.6, 0.7)), 0.2)
CALLS["rv2coe"] = (
    lambda r: np.hstack(elements.rv2coe(MU, r, np.array([-2.0, 6.0, 2.0]))),
    np.array([7000.0, 1000.0, 500.0]),
)
CALLS["farnocchia"] = (
    lambda r: np.hstack(propagation.farnocchia(MU, r, np.array([-1.0, 7.0, 1.0]), 600.0)),
    np.array([7000.0, 1000.0, 500.0]),
)
CALLS["vallado"] = (
    lambda t: np.hstack(propagation.vallado(MU, np.array([7000.0, 1000.0, 500.0]), np.array([-1.0, 7.0, 1.0]), t, 50)),
    600.0,
)
