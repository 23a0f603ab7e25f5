import numpy as np
from ambiance import Atmosphere

h = np.array([0.0, 5000.0, 10000.0]) + 100.0

CALLS = {
    "temperature": (lambda h: Atmosphere(h).temperature, h),
    "pressure": (lambda h: Atmosphere(h).pressure, h),
    "density": (lambda h: Atmosphere(h).density, h),
    "speed_of_sound": (lambda h: Atmosphere(h).speed_of_sound, h),
    "viscosity": (lambda h: Atmosphere(h).dynamic_viscosity, h),
    "grav_accel": (lambda h: Atmosphere(h).grav_accel, h),
    "scalar": (lambda h: Atmosphere(h).pressure[0], 3000.0),
}
