import numpy as np
from phasepy import component, mixture, preos, prsveos, rkseos

CALLS: dict = {}
WATER = component(
    name="water",
    Tc=647.13,
    Pc=220.55,
    Zc=0.229,
    Vc=55.948,
    w=0.344861,
    Ant=[11.64785144, 3797.41566067, -46.77830444],
    GC={"H2O": 1},
)
ETHANOL = component(
    name="ethanol",
    Tc=514.0,
    Pc=61.37,
    Zc=0.241,
    Vc=168.0,
    w=0.643558,
    Ant=[11.61809279, 3423.0259436, -56.48094263],
    GC={"CH3": 1, "CH2": 1, "OH(P)": 1},
)
CALLS["psat"] = (lambda t: WATER.psat(t), 350.0)
CALLS["density"] = (lambda t: preos(WATER).density(t, 1.0, "V") * 1e4, 400.0)
CALLS["logfug"] = (lambda p: rkseos(ETHANOL).logfug(350.0, p, "V")[0], 0.8)
CALLS["EntropyR"] = (lambda t: prsveos(ETHANOL).EntropyR(t, 1.0, "V"), 400.0)
CALLS["EnthalpyR"] = (lambda t: preos(ETHANOL).EnthalpyR(t, 1.0, "V"), 400.0)


def blend(k):
    made = mixture(WATER, ETHANOL)
    made.kij_cubic(np.array([[0.0, k], [k, 0.0]]))
    return preos(made, "qmr")


CALLS["mixture logfugef"] = (lambda k: blend(k).logfugef(np.array([0.3, 0.7]), 350.0, 1.0, "V")[0], 0.1)
CALLS["mixture fractions"] = (lambda x: blend(0.1).logfugef(x, 350.0, 1.0, "V")[0], np.array([0.3, 0.7]))
