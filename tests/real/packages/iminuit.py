import numpy as np
from iminuit import cost
from scipy.stats import norm

CALLS: dict = {}
rng = np.random.default_rng(0)
x = np.linspace(0, 1, 6)
y = 2 * x + 0.1 * rng.normal(size=6)
ls = cost.LeastSquares(x, y, 0.1, lambda x, a, b: a + b * x)
CALLS["LeastSquares"] = (lambda a, b: ls(a, b), 0.1, 1.9)
un = cost.UnbinnedNLL(rng.normal(size=20), lambda x, m, s: np.exp(-0.5 * ((x - m) / s) ** 2) / s / np.sqrt(2 * np.pi))
CALLS["UnbinnedNLL"] = (lambda m, s: un(m, s), 0.1, 1.2)
w, e = np.histogram(rng.normal(size=200), bins=6, range=(-2, 2))
bn = cost.BinnedNLL(w, e, lambda x, m, s: norm.cdf(x, m, s))
CALLS["BinnedNLL"] = (lambda m, s: bn(m, s), 0.1, 1.2)
eb = cost.ExtendedBinnedNLL(w, e, lambda x, N, m, s: N * norm.cdf(x, m, s))
CALLS["ExtendedBinnedNLL"] = (lambda N, m, s: eb(N, m, s), 190.0, 0.1, 1.2)
CALLS["NormalConstraint"] = (
    lambda a, b: cost.NormalConstraint(("a", "b"), [0.0, 1.0], [[1.0, 0.3], [0.3, 2.0]])(a, b),
    0.5,
    0.2,
)
