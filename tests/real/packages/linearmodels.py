import numpy as np
from linearmodels.iv import IV2SLS

CALLS: dict = {}
rng = np.random.default_rng(0)
z = rng.normal(size=(30, 1))
x = z + 0.3 * rng.normal(size=(30, 1))
y = x[:, 0] * 2 + rng.normal(size=30)
CALLS["IV2SLS"] = (lambda y: IV2SLS(y, np.ones((30, 1)), x, z).fit().params.to_numpy(), y)
