import numpy as np
from hurst import compute_Hc

CALLS: dict = {}
STEPS = np.random.default_rng(1).standard_normal(120)
CALLS["change"] = (lambda x: compute_Hc(x, kind="change", simplified=True)[0], STEPS)
CALLS["random_walk"] = (lambda x: compute_Hc(x, kind="random_walk", simplified=False)[0], STEPS.cumsum())
CALLS["price"] = (lambda x: compute_Hc(x, kind="price", simplified=True)[1], np.exp(0.02 * STEPS.cumsum()))
