from pymeeus.Angle import Angle
from pymeeus.Coordinates import angular_separation, ecliptical2equatorial, equatorial2horizontal
from pymeeus.Epoch import Epoch
from pymeeus.Interpolation import Interpolation
from pymeeus.Sun import Sun

CALLS: dict = {}
CALLS["ecliptical2equatorial"] = (
    lambda lon, lat: [float(a) for a in ecliptical2equatorial(Angle(lon), Angle(lat), Angle(23.44))],
    113.2,
    6.7,
)
CALLS["angular_separation"] = (
    lambda a, d: float(angular_separation(Angle(a), Angle(d), Angle(201.3), Angle(-11.2))),
    213.9,
    19.2,
)
CALLS["equatorial2horizontal"] = (
    lambda h, d: [float(a) for a in equatorial2horizontal(Angle(h), Angle(d), Angle(38.9))],
    64.35,
    -6.7,
)
CALLS["Interpolation"] = (lambda y: Interpolation([0.0, 1.0, 2.0], [1.0, y, 5.0])(1.3), 2.7)
CALLS["Epoch"] = (lambda d: Epoch(1987, 6, d).jde(), 19.5)
CALLS["Sun"] = (lambda d: float(Sun.apparent_longitude_coarse(Epoch(1992, 10, d))[0]), 13.4)
