import numpy as np
import pandas as pd
import pastas as ps

CALLS: dict = {}
for name, p in {
    "Gamma": [200.0, 1.2, 30.0],
    "Exponential": [200.0, 30.0],
    "DoubleExponential": [200.0, 0.4, 10.0, 60.0],
    "Polder": [200.0, 0.5, 30.0],
    "FourParam": [1.0, 1.2, 10.0, 10.0],
    "Kraijenhoff": [1.0, 20.0, 0.2],
}.items():
    response = getattr(ps, name)(cutoff=0.99)
    response.update_rfunc_settings(up=True)
    CALLS[f"{name} block"] = (lambda p, r=response: r.block(p, dt=1.0, maxtmax=60), np.array(p))
CALLS["Hantush block"] = (
    lambda p: ps.Hantush(use_numba=False, quad=False).block(p, dt=1.0, maxtmax=60),
    np.array([200.0, 30.0, 1.0]),
)
days = pd.date_range("2000-01-01", periods=60)
RAIN = np.abs(np.sin(np.arange(60.0) * 0.7)) * 0.01
EVAP = 0.003 + 0.002 * np.cos(np.arange(60.0) * 0.1)
CALLS["FlexModel"] = (
    lambda p: ps.rch.FlexModel().simulate(RAIN, EVAP, None, p, return_full=False),
    np.array([0.25, 0.2, 1.0, 1.5, 1.0, 1.0, 0.5])[:6],
)
CALLS["Linear recharge"] = (lambda p: ps.rch.Linear().simulate(RAIN, EVAP, p), np.array([-0.9]))
CALLS["nse"] = (
    lambda x: ps.stats.nse(obs=pd.Series(np.sin(np.arange(60.0)), days), sim=pd.Series(x, days)),
    np.sin(np.arange(60.0)) + 0.1,
)
CALLS["kge"] = (
    lambda x: ps.stats.kge(obs=pd.Series(np.sin(np.arange(60.0)), days), sim=pd.Series(x, days)),
    np.sin(np.arange(60.0)) + 0.1 * np.cos(np.arange(60.0)),
)
