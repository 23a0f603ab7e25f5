import datetime

import numpy as np
import solarpy

CALLS: dict = {}
WHEN = datetime.datetime(2019, 6, 3, 10, 30)
CALLS["beam_irradiance"] = (lambda h, lat: solarpy.beam_irradiance(h, WHEN, lat), 300.0, 40.0)
CALLS["irradiance_on_plane"] = (
    lambda n: solarpy.irradiance_on_plane(n / np.linalg.norm(n), 300.0, WHEN, 40.0),
    np.array([0.1, 0.2, -1.0]),
)
CALLS["solar_vector_ned"] = (lambda lat: solarpy.solar_vector_ned(WHEN, lat), 40.0)
CALLS["theta_z"] = (lambda lat: solarpy.theta_z(WHEN, lat), 40.0)
CALLS["lla2ecef"] = (lambda lat, lng: solarpy.lla2ecef(lat, lng, 300.0) * 1e-6, 40.0, 10.0)
CALLS["ned2ecef"] = (lambda v: solarpy.ned2ecef(v, 40.0, 10.0), np.array([0.1, 0.2, -1.0]))
CALLS["daylight_hours"] = (lambda lat: solarpy.daylight_hours(WHEN, lat), 40.0)
CALLS["pressure"] = (lambda h: solarpy.pressure(h), 300.0)
