import numpy as np
import utm

CALLS = {
    "from_latlon": (lambda a, b: utm.from_latlon(a, b)[:2], 51.2, 7.5),
    "to_latlon": (lambda e, n: utm.to_latlon(e, n, 32, "U"), 340000.0, 5710000.0),
    "from_latlon of arrays": (
        lambda a: utm.from_latlon(a, np.array([7.5, 8.1]), 32, "U")[:2],
        np.array([51.2, 50.1]),
    ),
    "to_latlon of arrays": (
        lambda e: utm.to_latlon(e, np.array([5710000.0, 5610000.0]), 32, "U"),
        np.array([340000.0, 341000.0]),
    ),
}
