import numpy as np
from haversine import Direction, Unit, haversine, haversine_vector, inverse_haversine

CALLS: dict = {}
CALLS["haversine"] = (lambda lat, lon: haversine((lat, lon), (48.8567, 2.3508)), 45.7597, 4.8422)
CALLS["miles"] = (lambda lat: haversine((lat, 4.8422), (48.8567, 2.3508), unit=Unit.MILES), 45.7597)
CALLS["haversine_vector"] = (
    lambda p: haversine_vector(p, np.array([[48.9, 2.4], [40.7, -74.2]]), Unit.KILOMETERS),
    np.array([[45.8, 4.8], [51.5, -0.1]]),
)
CALLS["comb"] = (lambda p: haversine_vector(p, p + 1.0, comb=True), np.array([[45.8, 4.8], [51.5, -0.1]]))
CALLS["inverse_haversine"] = (lambda d: inverse_haversine((45.7597, 4.8422), d, Direction.NORTHEAST), 32.0)
