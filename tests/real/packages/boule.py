import boule
import numpy as np

CALLS: dict = {}
LAT, HEIGHT = np.array([-40.0, 10.0, 63.0]), np.array([100.0, 2000.0, 50.0])
CALLS["normal_gravity"] = (lambda lat, h: boule.WGS84.normal_gravity((None, lat, h)), LAT, HEIGHT)
CALLS["geodetic_to_spherical"] = (
    lambda lat, h: boule.WGS84.geodetic_to_spherical((np.zeros(3), lat, h))[1:],
    LAT,
    HEIGHT,
)
CALLS["Ellipsoid"] = (
    lambda a, f: boule.Ellipsoid("E", a, f, 3.986e14, 7.29e-5).gravity_equator,
    6378137.0,
    1 / 298.0,
)
CALLS["Sphere"] = (lambda r: boule.Sphere("M", r, 4.9e12, 2.7e-6).normal_gravity((None, LAT, HEIGHT + 2e6)), 1737151.0)
CALLS["geocentric_radius"] = (lambda lat: boule.WGS84.geocentric_radius(lat), LAT)
CALLS["TriaxialEllipsoid"] = (lambda a: boule.TriaxialEllipsoid("V", a, 280e3, 226e3, 17e9, 3e-4).volume * 1e-9, 286e3)
