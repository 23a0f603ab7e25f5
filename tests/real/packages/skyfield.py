import numpy as np
from skyfield.api import Angle, Distance, wgs84
from skyfield.earthlib import earth_rotation_angle, refraction
from skyfield.functions import angle_between, length_of, rot_x, to_spherical
from skyfield.nutationlib import fundamental_arguments, mean_obliquity
from skyfield.units import Velocity

CALLS = {
    "length_of": (length_of, np.array([1.0, 2.0, 3.0])),
    "angle_between": (lambda u: angle_between(u, np.array([0.0, 1.0, 1.0])), np.array([1.0, 2.0, 3.0])),
    "to_spherical": (to_spherical, np.array([1.0, 2.0, 3.0])),
    "rot_x": (rot_x, 0.3),
    "earth_rotation_angle": (lambda d: earth_rotation_angle(2451545.0 + d), 0.3),
    "refraction": (lambda a: refraction(a, 10.0, 1010.0), 12.0),
    "mean_obliquity": (mean_obliquity, 2451545.3e0 + 1e5),
    "Distance": (lambda x: Distance(au=x).km, 1.2),
    "Angle": (lambda x: Angle(degrees=x).radians, 12.0),
    "Velocity": (lambda x: Velocity(au_per_d=x).km_per_s, 1.2),
    "wgs84": (lambda a, b: wgs84.latlon(a, b).itrs_xyz.km, 42.0, -87.0),
    "fundamental_arguments": (fundamental_arguments, 0.2),
}
