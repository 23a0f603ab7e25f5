import lamberthub
import numpy as np

CALLS: dict = {}
MU, R1, R2, TOF = 3.986004418e5, np.array([5000.0, 10000.0, 2100.0]), np.array([-14600.0, 2500.0, 7000.0]), 3600.0
for name in ("izzo2015", "gooding1990", "battin1984", "avanzini2008", "arora2013"):
    solver = getattr(lamberthub, name)
    CALLS[name] = (lambda r1, r2, t, solver=solver: solver(MU, r1, r2, t), R1, R2, TOF)
