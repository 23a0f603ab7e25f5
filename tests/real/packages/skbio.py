import numpy as np
from skbio.stats.composition import alr, closure, clr, clr_inv, ilr, ilr_inv, inner, perturb, power

c = np.array([0.2, 0.3, 0.1, 0.4])

CALLS = {
    "clr": (clr, c),
    "closure": (closure, c),
    "ilr": (ilr, c),
    "alr": (alr, c),
    "clr_inv": (clr_inv, c),
    "ilr_inv": (ilr_inv, c[:3]),
    "perturb": (lambda x: perturb(x, [0.1, 0.2, 0.3, 0.4]), c),
    "power": (lambda x: power(x, 0.5), c),
    "inner": (lambda x: inner(x, np.array([0.1, 0.2, 0.3, 0.4])), c),
}
