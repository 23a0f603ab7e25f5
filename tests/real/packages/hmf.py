import numpy as np
from hmf import MassFunction

CALLS: dict = {}
GIVEN = {"Mmin": 12, "Mmax": 14, "dlog10m": 0.5, "transfer_model": "EH", "lnk_min": -8, "lnk_max": 3, "dlnk": 0.2}
CALLS["sigma_8"] = (lambda s: np.log(MassFunction(sigma_8=s, **GIVEN).dndm), 0.8)
CALLS["n"] = (lambda n: np.log(MassFunction(n=n, **GIVEN).power), 0.96)
CALLS["z"] = (lambda z: np.log(MassFunction(z=z, **GIVEN).dndm), 0.7)
