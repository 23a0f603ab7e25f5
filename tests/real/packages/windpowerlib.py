import numpy as np
from windpowerlib import density, power_output, temperature, tools, wind_speed

speed = np.array([4.3, 7.7, 10.2])

CALLS = {
    "logarithmic_profile": (
        lambda v, z0: wind_speed.logarithmic_profile(v, 10.0, 100.0, z0),
        speed,
        np.array([0.1, 0.2, 0.15]),
    ),
    "hellman": (lambda v, a: wind_speed.hellman(v, 10.0, 100.0, hellman_exponent=a), speed, 0.2),
    "linear_gradient": (lambda t: temperature.linear_gradient(t, 2.0, 100.0), np.array([280.0, 285.0])),
    "barometric": (
        lambda p: density.barometric(p, 0.0, 100.0, np.array([280.0, 285.0])),
        np.array([101330.0, 101000.0]),
    ),
    "ideal_gas": (lambda T: density.ideal_gas(101330.0, 0.0, 100.0, T), np.array([280.0, 285.0])),
    "power_coefficient_curve": (
        lambda v: power_output.power_coefficient_curve(
            v, np.array([4.0, 6.0, 8.0, 12.0]), np.array([0.3, 0.4, 0.45, 0.4]), 80.0, np.array([1.2, 1.22, 1.21])
        ),
        speed,
    ),
    "power_curve": (
        lambda v, p: power_output.power_curve(v, np.array([3.0, 5.0, 8.0, 12.0]), p),
        speed,
        np.array([100.0, 300.0, 900.0, 1500.0]),
    ),
    "gauss_distribution": (lambda m, s: tools.gauss_distribution(np.array([0.5, 1.0]), s, m), 0.3, 0.8),
}
