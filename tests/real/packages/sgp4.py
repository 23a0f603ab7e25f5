import numpy as np
from sgp4.earth_gravity import wgs72
from sgp4.ext import jday, newtonnu, rv2coe
from sgp4.model import Satellite
from sgp4.propagation import gstime, sgp4, sgp4init

LINE1 = "1 25544U 98067A   19343.69339541  .00001764  00000-0  38792-4 0  9991"
LINE2 = "2 25544  51.6439 211.2001 0007417  17.6667  85.6398 15.50103472202482"


def propagated(t, incl=0.9, ecc=0.001):
    s = Satellite()
    s.whichconst = wgs72
    sgp4init(wgs72, "i", 5, 25545.69, 3.8792e-05, 0.0, 0.0, ecc, 0.3083, incl, 1.4947, 0.067636, 3.6862, s)
    return sgp4(s, t)[0]


CALLS = {
    "sgp4": (propagated, 30.0),
    "sgp4init": (lambda i, e: propagated(30.0, i, e), 0.9, 0.002),
    "gstime": (lambda d: gstime(2451723.0 + d), 0.28495062),
    "jday": (lambda h, m: jday(2018, 4, 22, h, m, 3.0), 12.0, 30.0),
    "newtonnu": (lambda e, nu: newtonnu(e, nu), 0.1, 0.7),
    "rv2coe": (
        lambda r, v: rv2coe(list(r), list(v), 398600.4418)[2:5],
        np.array([6524.834, 6862.875, 6448.296]),
        np.array([4.901327, 5.533756, -1.976341]),
    ),
}
