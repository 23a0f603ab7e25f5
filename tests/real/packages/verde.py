import numpy as np
import verde as vd

CALLS: dict = {}
E, N = np.array([0.0, 1.0, 2.0, 0.3, 1.4, 2.2]), np.array([0.1, 0.4, 0.2, 1.3, 1.1, 1.7])
D = np.sin(E) + N**2
AT = (np.array([0.5, 1.5]), np.array([0.6, 0.9]))
CALLS["Trend"] = (lambda d: vd.Trend(1).fit((E, N), d).predict(AT), D)
CALLS["Spline"] = (lambda d: vd.Spline(damping=1e-2).fit((E, N), d).predict(AT), D)
CALLS["predict at"] = (lambda e: vd.Spline(damping=1e-2).fit((E, N), D).predict((e, AT[1])), AT[0])
CALLS["KNeighbors"] = (lambda d: vd.KNeighbors(k=2).fit((E, N), d).predict(AT), D)
CALLS["Chain"] = (
    lambda d: vd.Chain([("t", vd.Trend(1)), ("s", vd.Spline(damping=1e-2))]).fit((E, N), d).predict(AT),
    D,
)
CALLS["Linear"] = (lambda d: vd.Linear().fit((E, N), d).predict((np.array([1.0]), np.array([0.8]))), D)
CALLS["BlockReduce"] = (lambda d: vd.BlockReduce(np.mean, spacing=1.0).filter((E, N), d)[1], D)
