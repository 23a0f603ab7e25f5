import numpy as np
from pyfinance import ols, options

CALLS: dict = {}
X = np.random.default_rng(1).standard_normal((20, 2))
Y = X @ [0.5, -1.0] + 0.1 * np.sin(np.arange(20.0))
CALLS["BSM.value"] = (lambda s, v: options.BSM(S0=s, K=100.0, T=1.0, r=0.04, sigma=v).value(), 105.0, 0.2)
CALLS["BSM greeks"] = (
    lambda s: [
        f()
        for b in [options.BSM(S0=s, K=100.0, T=1.0, r=0.04, sigma=0.2)]
        for f in (b.delta, b.gamma, b.vega, b.theta, b.rho)
    ],
    105.0,
)
CALLS["BSM.implied_vol"] = (lambda v: options.BSM(S0=100.0, K=100.0, T=1.0, r=0.04, sigma=0.2).implied_vol(v), 10.0)
CALLS["Call payoff"] = (lambda s: options.Call(K=100.0, St=s, price=3.0).profit(), 105.0)
CALLS["OLS"] = (lambda y: np.append(ols.OLS(y=y, x=X).beta, ols.OLS(y=y, x=X).rsq), Y)
CALLS["RollingOLS"] = (lambda y: ols.RollingOLS(y=y, x=X, window=6).beta, Y)
CALLS["OLS statistics"] = (lambda y: np.hstack([ols.OLS(y=y, x=X).se_beta, ols.OLS(y=y, x=X).durbin_watson]), Y)
