import lmoments3 as lm
import numpy as np

CALLS: dict = {}
CALLS["lmom"] = (lambda x: lm.lmom_ratios(x, nmom=4), np.array([2.0, 3.0, 5.0, 1.0, 8.0, 4.0]))
