import numpy as np
from tslearn import metrics as m

CALLS: dict = {}
rng = np.random.default_rng(0)
y = rng.random((5, 1))
CALLS["dtw"] = (lambda x: m.dtw(x, y), rng.random((6, 1)))
CALLS["soft_dtw"] = (lambda x: m.soft_dtw(x, y, gamma=0.5), rng.random((6, 1)))
CALLS["gak"] = (lambda x: m.gak(x, y, sigma=1.0), rng.random((6, 1)))
CALLS["lb_keogh"] = (lambda x: m.lb_keogh(x, y[:5], radius=1), rng.random((5, 1)))
