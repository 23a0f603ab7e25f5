import mpmath
from mpmath import fp

CALLS = {
    "fp.gamma": (fp.gamma, 2.5),
    "fp.zeta": (fp.zeta, 2.5),
    "fp.quad": (lambda a: fp.quad(lambda x: fp.exp(-a * x * x), [0, 1]), 0.7),
    "fp.diff": (lambda a: fp.polyval([1.0, a, 2.0], a), 0.7),
    "fp.erf": (fp.erf, 0.4),
    "fp.digamma": (fp.digamma, 2.5),
    "fp.fsum": (lambda a: fp.fsum([a**k for k in range(5)]), 0.4),
    "fp.lambertw": (lambda a: fp.lambertw(a).real, 0.4),
    "fp.ei": (fp.ei, 1.2),
    "mp.exp": (lambda a: float(mpmath.exp(a)), 0.4),
}
