import numpy as np
import uncertainties
from uncertainties import ufloat, umath, unumpy

CALLS = {
    "nominal": (lambda x, s: (ufloat(x, s) ** 2 / ufloat(3.0, 0.1)).n, 2.0, 0.1),
    "std_dev": (lambda x, s: (ufloat(x, s) * ufloat(3.0, 0.1)).s, 2.0, 0.1),
    "umath.sin": (lambda x, s: umath.sin(ufloat(x, s)).std_dev, 0.5, 0.1),
    "correlated": (lambda x, s: (lambda u: (u * u - u).s)(ufloat(x, s)), 2.0, 0.1),
    "covariance_matrix": (
        lambda x, s: uncertainties.covariance_matrix([ufloat(x, s), 2 * ufloat(x, s)])[1][1],
        2.0,
        0.1,
    ),
    "wrap": (lambda x, s: uncertainties.wrap(lambda a: a**3)(ufloat(x, s)).n, 2.0, 0.1),
    "unumpy": (lambda x: unumpy.nominal_values(unumpy.uarray(x, [0.1, 0.2]) ** 2), np.array([1.0, 2.0])),
    "std_devs": (lambda s: unumpy.std_devs(unumpy.uarray(np.array([1.0, 2.0]), s) * 2.0), np.array([0.1, 0.2])),
    "sum": (lambda x, s: sum([ufloat(x, s), ufloat(1.0, 0.2)]).s, 2.0, 0.1),
}
