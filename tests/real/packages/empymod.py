import empymod
import numpy as np

CALLS: dict = {}
SRC, REC = [0, 0, 250], [[900.0, 1500.0], [0.0, 0.0], 300]


def dipole(res, **how):
    return empymod.dipole(SRC, REC, [0, 300, 1000], res, 1.0, verb=0, **how) * 1e12


RES = np.array([2e3, 0.3, 1.0, 5.0])
CALLS["dipole"] = (lambda r: dipole(r), RES)
CALLS["depth"] = (lambda z: empymod.dipole(SRC, REC, [0, 300, z], RES, 1.0, verb=0) * 1e12, 1000.0)
CALLS["analytical"] = (lambda r: empymod.analytical(SRC, REC, r, 1.0, verb=0) * 1e12, 1.3)
CALLS["bipole"] = (
    lambda r: (
        empymod.bipole([-50, 50, 0, 0, 250, 250], [1000, 1200, 0, 0, 300, 300], [0, 300, 1000], r, 1.0, verb=0) * 1e12
    ),
    RES,
)
