import metpy.calc as mpcalc
import numpy as np
from metpy.units import units

CALLS = {
    "potential_temperature": (
        lambda p, T: mpcalc.potential_temperature(p * units.hPa, T * units.kelvin).m,
        800.0,
        290.0,
    ),
    "dewpoint": (lambda e: mpcalc.dewpoint(e * units.hPa).m, 12.0),
    "saturation_vapor_pressure": (lambda T: mpcalc.saturation_vapor_pressure(T * units.kelvin).m, 290.0),
    "mixing_ratio": (lambda e, p: mpcalc.mixing_ratio(e * units.hPa, p * units.hPa).m, 12.0, 950.0),
    "wind_speed": (
        lambda u, v: mpcalc.wind_speed(u * units("m/s"), v * units("m/s")).m,
        np.array([3.0, 4.0]),
        np.array([1.0, 2.0]),
    ),
    "wind_direction": (lambda u, v: mpcalc.wind_direction(u * units("m/s"), v * units("m/s")).m, 3.0, 4.0),
    "virtual_temperature": (
        lambda T, w: mpcalc.virtual_temperature(T * units.kelvin, w * units("kg/kg")).m,
        290.0,
        0.01,
    ),
    "density": (lambda p, T: mpcalc.density(p * units.hPa, T * units.kelvin, 0.01 * units("")).m, 950.0, 290.0),
    "coriolis_parameter": (lambda a: mpcalc.coriolis_parameter(a * units.degrees).m, 40.0),
    "heat_index": (lambda T: mpcalc.heat_index(T * units.degF, 0.6 * units("")).m, 90.0),
    "height_to_pressure_std": (lambda h: mpcalc.height_to_pressure_std(h * units.m).m, 1000.0),
}
