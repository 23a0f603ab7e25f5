import numpy as np
from dynesty import utils

CALLS: dict = {}
LOGL = np.sort(np.random.default_rng(3).standard_normal(20))
LOGV = -np.arange(1.0, 21.0) / 10
CALLS["mean_and_cov"] = (lambda w: utils.mean_and_cov(np.outer(LOGL, [1.0, 2.0]) ** 2, w)[0], np.exp(LOGV))
CALLS["logvol_prefactor"] = (lambda p: utils.quantile(LOGL * p, [0.2, 0.7]), 1.2)
CALLS["compute_integrals"] = (lambda l: utils.compute_integrals(logl=l, logvol=LOGV)[1], LOGL)
CALLS["apply_reflect"] = (lambda u: utils.apply_reflect(u), np.array([0.3, 1.2, -0.4]))
