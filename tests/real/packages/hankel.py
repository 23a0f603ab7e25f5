import numpy as np
from hankel import HankelTransform, SymmetricFourierTransform

CALLS: dict = {}
CALLS["transform"] = (
    lambda s: HankelTransform(nu=0, N=60, h=0.05).transform(
        lambda r: np.exp(-s * r**2), np.array([0.7, 1.3]), ret_err=False
    ),
    0.6,
)
CALLS["frequencies"] = (
    lambda k: HankelTransform(nu=1, N=60, h=0.05).transform(lambda r: r * np.exp(-(r**2)), k, ret_err=False),
    np.array([0.7, 1.3]),
)
CALLS["integrate"] = (
    lambda s: HankelTransform(nu=0, N=60, h=0.03).integrate(lambda r: r / (r**2 + s), ret_err=False),
    1.2,
)
CALLS["SymmetricFourierTransform"] = (
    lambda s: SymmetricFourierTransform(ndim=3, N=60, h=0.05).transform(
        lambda r: np.exp(-s * r**2), np.array([0.7]), ret_err=False
    ),
    0.6,
)
