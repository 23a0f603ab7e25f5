import allantools as at
import numpy as np

CALLS: dict = {}
rng = np.random.default_rng(0)
d = rng.normal(size=60)
for k in ("adev", "oadev", "mdev", "hdev", "ohdev", "tdev", "totdev"):
    CALLS[k] = (lambda x, k=k: getattr(at, k)(x, rate=1.0, data_type="phase", taus=[2.0, 4.0])[1], d)
