import pymap3d as pm
import pymap3d.haversine
import pymap3d.lox
import pymap3d.vincenty

CALLS = {
    "geodetic2ecef": (lambda a, b, h: pm.geodetic2ecef(a, b, h), 42.0, -82.0, 200.0),
    "ecef2geodetic": (lambda x, y, z: pm.ecef2geodetic(x, y, z), 660930.0, -4701424.0, 4246579.0),
    "geodetic2enu": (lambda a, b, h: pm.geodetic2enu(a, b, h, 42.0, -82.0, 200.0), 42.1, -82.1, 1000.0),
    "geodetic2aer": (lambda a, b, h: pm.geodetic2aer(a, b, h, 42.0, -82.0, 200.0), 42.1, -82.1, 1000.0),
    "aer2ecef": (lambda a, e, r: pm.aer2ecef(a, e, r, 42.0, -82.0, 200.0), 33.0, 70.0, 1000.0),
    "enu2geodetic": (lambda e, n, u: pm.enu2geodetic(e, n, u, 42.0, -82.0, 200.0), 186.0, 286.0, 939.0),
    "haversine": (lambda a, b: pm.haversine.anglesep(a, b, 20.0, 30.0), 35.0, 23.0),
    "vdist": (lambda a, b: pm.vincenty.vdist(a, b, 11.0, 21.0)[0], 10.0, 20.0),
    "vreckon": (lambda r, a: pm.vincenty.vreckon(10.0, 20.0, r, a)[0], 3000.0, 38.0),
    "geodetic2isometric": (lambda a: pm.latitude.geodetic2isometric(a), 42.0),
    "meridian": (lambda a: pm.rcurve.meridian(a), 42.0),
    "rhumb": (lambda a, b: pm.lox.loxodrome_inverse(a, b, 50.0, 60.0)[0], 40.0, 65.0),
}
