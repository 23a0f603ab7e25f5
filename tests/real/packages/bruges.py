import numpy as np
from bruges import filters, reflection, rockphysics, transform

CALLS: dict = {}
CALLS["akirichards"] = (
    lambda vp: reflection.akirichards(vp, 1200.0, 2300.0, 2800.0, 1500.0, 2400.0, np.arange(0.0, 30.0, 10.0)),
    2500.0,
)
CALLS["zoeppritz_rpp"] = (
    lambda vs: reflection.zoeppritz_rpp(2500.0, vs, 2300.0, 2800.0, 1500.0, 2400.0, np.array([5.0, 15.0])),
    1200.0,
)
CALLS["zoeppritz"] = (
    lambda vp: reflection.zoeppritz(vp, 1200.0, 2300.0, 2800.0, 1500.0, 2400.0, np.array([5.0, 15.0])),
    2500.0,
)
CALLS["shuey"] = (lambda rho: reflection.shuey(2500.0, 1200.0, rho, 2800.0, 1500.0, 2400.0, 20.0), 2300.0)
CALLS["bortfeld"] = (lambda vp: reflection.bortfeld(vp, 1200.0, 2300.0, 2800.0, 1500.0, 2400.0, 20.0), 2500.0)
CALLS["fatti"] = (lambda vp: reflection.fatti(vp, 1200.0, 2300.0, 2800.0, 1500.0, 2400.0, 20.0), 2500.0)
CALLS["reflectivity"] = (
    lambda v: reflection.reflectivity(v, v / 2, 0.3 * v + 1500, theta=10.0),
    np.array([2500.0, 2800.0, 2600.0, 3000.0]),
)
CALLS["ricker"] = (lambda f: filters.ricker(0.064, 0.004, f, return_t=False, sym=True), 25.0)
CALLS["ormsby"] = (lambda f: filters.ormsby(0.064, 0.004, [f, 10.0, 40.0, 60.0], return_t=False, sym=True), 5.0)
CALLS["gabor"] = (lambda f: filters.gabor(0.064, 0.004, f, return_t=False, sym=True), 25.0)
CALLS["rotate_phase"] = (
    lambda p: filters.rotate_phase(filters.ricker(0.064, 0.004, 25.0, return_t=False, sym=True), p, degrees=True),
    30.0,
)
CALLS["avseth_fluidsub"] = (
    lambda k: rockphysics.avseth_fluidsub(2500.0, 1200.0, 2300.0, 0.25, 2600.0, 900.0, 37e9, k, 1.2e9),
    2.2e9,
)
CALLS["backus"] = (
    lambda v: rockphysics.backus(v, v / 2, 0.3 * v + 1500, 20.0, dz=5.0),
    np.linspace(2500.0, 3100.0, 12),
)
CALLS["hertz_mindlin"] = (lambda p: rockphysics.hertz_mindlin(37e9, 44e9, 0.4, p), 20e6)
CALLS["v_rms"] = (lambda v: transform.v_rms(v, np.array([0.1, 0.2, 0.3])), np.array([2500.0, 2800.0, 2600.0]))
CALLS["time_to_depth"] = (
    lambda v: transform.time_to_depth(v, np.linspace(2000.0, 3000.0, 20), 0.004, 2.0),
    np.sin(np.arange(20.0)),
)
CALLS["v_water"] = (lambda t: rockphysics.v_water(t, 20.0), 60.0)
CALLS["rho_brine"] = (lambda t: rockphysics.rho_brine(t, 20.0, 0.05), 60.0)
