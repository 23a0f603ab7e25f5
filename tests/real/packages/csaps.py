import numpy as np
from csaps import CubicSmoothingSpline, csaps

CALLS: dict = {}
X = np.linspace(-5.0, 5.0, 12)
Y = np.exp(-((X / 2.5) ** 2)) + 0.1 * np.cos(5 * X)
AT = np.linspace(-4.7, 4.7, 9)
CALLS["csaps"] = (lambda y: csaps(X, y, AT, smooth=0.85), Y)
CALLS["points"] = (lambda x: csaps(x, Y, AT, smooth=0.85), X)
CALLS["at"] = (lambda at: csaps(X, Y, smooth=0.85)(at), AT)
CALLS["smooth"] = (lambda p: csaps(X, Y, AT, smooth=p), 0.6)
CALLS["derivative"] = (lambda y: csaps(X, y, smooth=0.85)(AT, nu=1), Y)
CALLS["weights"] = (lambda w: csaps(X, Y, AT, weights=w, smooth=0.85), np.linspace(0.5, 1.5, 12))
CALLS["automatic smoothing"] = (lambda y: csaps(X, y, AT).values, Y)
CALLS["multivariate"] = (lambda y: CubicSmoothingSpline(X, y, smooth=0.7)(AT), np.stack([Y, Y**2]))
