import numpy as np
from dust_extinction.parameter_averages import CCM89, F99

CALLS: dict = {}
x = np.array([1.5, 2.0, 3.0])
CALLS["CCM89"] = (lambda rv: CCM89(Rv=rv)(x), 3.1)
CALLS["F99 extinguish"] = (lambda e: F99(Rv=3.1).extinguish(x, Ebv=e), 0.4)
