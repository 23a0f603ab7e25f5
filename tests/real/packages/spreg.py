import libpysal
import numpy as np
import spreg

CALLS: dict = {}
R = np.random.default_rng(3)
X = R.normal(size=(16, 2))
Y = (X @ [1.0, -0.5] + R.normal(size=16) * 0.3)[:, None]
W = libpysal.weights.lat2W(4, 4)
W.transform = "r"
Q = R.normal(size=(16, 1))

CALLS["OLS"] = (lambda y: spreg.OLS(y, X).betas, Y)
CALLS["OLS of x"] = (lambda x: spreg.OLS(Y, x).betas, X)
CALLS["OLS fit"] = (lambda y: (spreg.OLS(y, X).r2, spreg.OLS(y, X).std_err), Y)
CALLS["TSLS"] = (lambda y: spreg.TSLS(y, X[:, :1], X[:, 1:], q=Q).betas, Y)
CALLS["GM_Lag"] = (lambda y: spreg.GM_Lag(y, X, w=W).betas, Y)
CALLS["GM_Error"] = (lambda y: spreg.GM_Error(y, X, w=W).betas, Y)
CALLS["ML_Lag"] = (lambda y: spreg.ML_Lag(y, X, w=W).betas, Y)
CALLS["ML_Error"] = (lambda y: spreg.ML_Error(y, X, w=W).betas, Y)
CALLS["Probit"] = (lambda x: spreg.Probit((Y > 0).astype(float), x, w=W).betas, X)
CALLS["white"] = (lambda x: spreg.white(spreg.OLS(Y, x))["wh"], X)
CALLS["jarque_bera"] = (lambda y: spreg.jarque_bera(spreg.OLS(y, X))["jb"], Y)
CALLS["breusch_pagan"] = (lambda y: spreg.breusch_pagan(spreg.OLS(y, X))["bp"], Y)
CALLS["Moran"] = (lambda y: spreg.MoranRes(spreg.OLS(y, X), W).I, Y)
