import miepython
import numpy as np

CALLS = {
    "efficiencies": (lambda x: miepython.efficiencies_mx(1.5 - 0.1j, x)[0], 2.0),
    "index": (lambda n: miepython.efficiencies_mx(n - 0.1j, 2.0)[1], 1.4),
    "i_unpolarized": (lambda x: miepython.i_unpolarized(1.5 - 0.1j, x, np.array([0.3, 0.5, -0.2])), 2.0),
    "S1_S2": (lambda x: miepython.S1_S2(1.5 - 0.1j, x, np.array([0.3, 0.5]))[0], 1.1),
    "small_sphere": (lambda x: list(miepython.small_sphere(1.5 - 0.1j, x))[:3], 0.05),
}
