import warnings

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import seawater as sw

s, t, p = np.array([35.0, 34.5]), np.array([10.0, 4.0]), np.array([300.0, 1000.0])

CALLS = {
    "dens": (sw.dens, s, t, p),
    "dens of numbers": (sw.dens, 35.0, 10.0, 1000.0),
    "alpha": (sw.alpha, s, t, p),
    "beta": (sw.beta, s, t, p),
    "svel": (sw.svel, s, t, p),
    "ptmp": (sw.ptmp, s, t, p),
    "cp": (sw.cp, s, t, p),
    "fp": (sw.fp, s, p),
    "salt": (sw.salt, np.array([0.9, 1.1]), t, p),
    "cndr": (sw.cndr, s, t, p),
    "gpan": (sw.gpan, np.array([35.0, 34.5]), np.array([10.0, 4.0]), np.array([0.0, 1000.0])),
    "depth": (sw.dpth, 1000.0, 45.0),
    "g": (sw.g, 45.0),
    "dist": (lambda a: sw.dist(a, np.array([10.0, 11.5]))[0], np.array([30.0, 31.0])),
    "satO2": (sw.satO2, 35.0, 10.0),
}
