import astropy.units as u
import numpy as np
from einsteinpy.coordinates import Spherical
from einsteinpy.metric import Schwarzschild
from einsteinpy.utils import DualNumber

CALLS: dict = {}
CALLS["DualNumber"] = (lambda x: (DualNumber(x, 1.0) * DualNumber(x, 1.0)).deriv + DualNumber(x, 1.0).sin().deriv, 0.7)
CALLS["Schwarzschild"] = (
    lambda r: Schwarzschild(
        coords=Spherical(0 * u.s, 4e3 * u.m, np.pi / 3 * u.rad, 0 * u.rad), M=1e24 * u.kg
    ).metric_covariant(np.array([0.0, r, 1.0, 0.0])),
    3.0,
)
