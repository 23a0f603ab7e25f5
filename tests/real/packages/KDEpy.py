import numpy as np
from KDEpy import FFTKDE, NaiveKDE

CALLS: dict = {}
DATA = np.array([0.3, 1.1, 1.4, 2.9, 4.0])
GRID = np.linspace(-4.0, 8.0, 16)
CALLS["NaiveKDE data"] = (lambda x: NaiveKDE(kernel="gaussian", bw=0.8).fit(x).evaluate(GRID), DATA)
CALLS["NaiveKDE bandwidth"] = (lambda h: NaiveKDE(kernel="gaussian", bw=h).fit(DATA).evaluate(GRID), 0.8)
CALLS["weights"] = (
    lambda w: NaiveKDE(kernel="epa", bw=1.1).fit(DATA, weights=w).evaluate(GRID),
    np.array([1.0, 2.0, 1.5, 1.2, 0.7]),
)
CALLS["FFTKDE"] = (lambda h: FFTKDE(kernel="gaussian", bw=h).fit(DATA).evaluate(GRID), 0.8)
CALLS["silverman"] = (lambda x: NaiveKDE(kernel="gaussian", bw="silverman").fit(x).evaluate(GRID), DATA)
