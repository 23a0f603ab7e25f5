import datetime

from pyorbital import astronomy
from pyorbital.orbital import get_observer_look

CALLS: dict = {}
WHEN = datetime.datetime(2012, 6, 3, 10, 30)
CALLS["sun_zenith_angle"] = (lambda lon, lat: astronomy.sun_zenith_angle(WHEN, lon, lat), 16.0, 58.0)
CALLS["get_alt_az"] = (lambda lon, lat: astronomy.get_alt_az(WHEN, lon, lat), 16.0, 58.0)
CALLS["observer_position"] = (lambda lon, lat: astronomy.observer_position(WHEN, lon, lat, 0.3)[0], 16.0, 58.0)
CALLS["get_observer_look"] = (lambda lon: get_observer_look(lon, 57.0, 800.0, WHEN, 16.0, 58.0, 0.0), 12.0)
