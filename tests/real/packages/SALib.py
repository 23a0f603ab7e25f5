import numpy as np
from SALib.analyze import sobol
from SALib.test_functions import Ishigami, Sobol_G

CALLS: dict = {}
rng = np.random.default_rng(0)
CALLS["Ishigami"] = (lambda x: Ishigami.evaluate(x), rng.random((3, 3)))
CALLS["Sobol_G"] = (lambda x: Sobol_G.evaluate(x), rng.random((2, 8)) * 0.8 + 0.1)
p = {"num_vars": 2, "names": ["a", "b"], "bounds": [[0, 1]] * 2}
CALLS["sobol"] = (
    lambda y: sobol.analyze(p, y, calc_second_order=False, num_resamples=2, seed=1)["S1"],
    rng.normal(size=32),
)
