import numpy as np
import pyfeng as pf

CALLS: dict = {}
K = np.linspace(80.0, 120.0, 5)
CALLS["Bsm.price"] = (lambda s, v: pf.Bsm(v, intr=0.02, divr=0.01).price(K, s, 1.2), 100.0, 0.2)
CALLS["Bsm.delta"] = (lambda s, v: pf.Bsm(v).delta(K, s, 1.2), 100.0, 0.2)
CALLS["Bsm.vega"] = (lambda s, v: pf.Bsm(v).vega(K, s, 1.2), 100.0, 0.2)
CALLS["Norm.price"] = (lambda s, v: pf.Norm(v).price(K, s, 1.2), 100.0, 20.0)
CALLS["Cev.price"] = (lambda s, v: pf.Cev(v, beta=0.5).price(K, s, 1.2), 100.0, 2.0)
CALLS["SabrHagan2002.vol"] = (
    lambda s, v, r: pf.SabrHagan2002(s, vov=v, rho=r, beta=0.7).vol_for_price(K, 100.0, 1.2),
    0.8,
    0.4,
    -0.3,
)
CALLS["SabrHagan2002.price"] = (lambda s: pf.SabrHagan2002(s, vov=0.4, rho=-0.3, beta=0.7).price(K, 100.0, 1.2), 0.8)
CALLS["Nsvh1.price"] = (lambda s: pf.Nsvh1(s, vov=0.4, rho=-0.3).price(K, 100.0, 1.2), 20.0)
CALLS["HestonFft"] = (lambda v: pf.HestonFft(v, vov=0.4, rho=-0.3, mr=1.0, theta=0.05).price(K, 100.0, 1.2), 0.04)
