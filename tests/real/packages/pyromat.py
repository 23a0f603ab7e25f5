import numpy as np
import pyromat

CALLS: dict = {}
N2, AIR, WATER = pyromat.get("ig.N2"), pyromat.get("ig.air"), pyromat.get("mp.H2O")
CALLS["h"] = (lambda t: N2.h(T=t), 400.0)
CALLS["cp"] = (lambda t: AIR.cp(T=t), 600.0)
CALLS["s"] = (lambda t, p: AIR.s(T=t, p=p), 600.0, 3.0)
CALLS["T_s"] = (lambda s: AIR.T_s(s=s, p=2.0), 7.0)
CALLS["T_h"] = (lambda h: N2.T_h(h=h), 120.0)
CALLS["d"] = (lambda t: WATER.d(T=t, p=10.0), 500.0)
CALLS["steam h"] = (lambda t: WATER.h(T=t, p=np.array([5.0, 10.0])), 500.0)
CALLS["ps"] = (lambda t: WATER.ps(T=t), 400.0)
CALLS["hs"] = (lambda t: np.hstack(WATER.hs(T=t)), 400.0)
CALLS["gam"] = (lambda t: N2.gam(T=t), 400.0)
