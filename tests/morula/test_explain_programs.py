"""Programs as users write them: `morula.explain` names the line that ends in ``# <-``."""

import inspect
import math
import warnings

import numpy as np
import pytest

import morula


class Logit:
    def __init__(self, X, y):
        self.X, self.y = X, y

    def p(self, w):
        return 1.0 / (1.0 + np.exp(-self.X @ w))

    def nll(self, w):
        p = self.p(w)
        return -np.mean(self.y * np.log(p) + (1 - self.y) * np.log(1 - p))  # <-


def potential(pos):
    r = np.sqrt(((pos[:, None, :] - pos[None, :, :]) ** 2).sum(-1))  # <-
    return (r * np.cos(r)).sum()


def mixture(theta):
    x = np.array([0.0, 100.0])
    mu, ls = theta[:2], theta[2:]
    density = np.exp(-0.5 * ((x[:, None] - mu) / np.exp(ls)) ** 2) / np.exp(ls)
    return -np.log(density.sum(1)).sum()  # <-


def power_law(a, x0):
    d = np.linspace(0, 1, 4) - x0
    return (d**a).sum()  # <-


def sinc(x):
    t = np.pi * x
    s = np.sin(t) / t  # <-
    return np.where(x == 0, 1.0, s).sum() + (s * 0.0).sum()


def z_score(x):
    z = (x - x.mean()) / x.std()  # <-
    return (z**2).sum()


def logistic_map(r):
    x = 0.5
    for _ in range(200):
        x = r * x * (1 - x)  # <-
    return x


def log_pole(k):
    from scipy.special import gammaln

    lam = k * 1.0
    return gammaln(lam - 2.0) * 0.5 + lam**2  # <-


def outside_support(theta):
    from scipy import stats

    lp = stats.beta.logpdf(np.array([0.5, 2.0]), theta[0], theta[1])  # <-
    return lp.sum()


def compiled_root(v):
    kernel = kernels()
    u = v - v[0]
    return kernel(u) + u.sum()  # <-


def kernels():
    numba = pytest.importorskip("numba")

    def roots(v):
        s = 0.0
        for i in range(v.size):
            s += math.sqrt(v[i])
        return s

    return numba.njit(roots)


def pricer(strike):
    steps = {"n": 10}

    def price(vol, spot):
        n = int(spot)  # <-
        total = 0.0
        for k in range(steps["n"]):
            total += vol * math.exp(-k * 0.1) * max(n - strike, 0)
        return total

    return price


def policy(q):
    table = np.arange(5.0)
    a = np.argmax(q)  # <-
    return table[a] * 2.0


class Dense:
    def __init__(self, W, b):
        self.W, self.b = W, b

    def __call__(self, h):
        return np.maximum(self.W @ h + self.b, 0.0)


def dead_network(x):
    h = x
    for layer in [Dense(np.eye(2), np.full(2, -5.0)), Dense(np.ones((1, 2)), np.zeros(1))]:
        h = layer(h)
    return h[0]


def whole_numbers(x):
    out = np.zeros(3, int)
    out[1] = x * 3.7  # <-
    return out.sum() * 1.0


def off_the_table(q):
    grid = np.linspace(0, 1, 11)
    return np.interp(q, grid, grid**2).sum()  # <-


def overwritten(rate, decay):
    rate = 0.01  # <-
    return (1.0 - rate) ** 3 * decay


def accuracy(w):
    predicted = (np.array([[1.0, 2.0], [3.0, -1.0]]) @ w > 0).astype(float)  # <-
    return np.mean((predicted - 1.0) ** 2)


PROGRAMS = [
    (Logit(np.array([[50.0, 1.0], [-1.0, 2.0]]), np.array([1.0, 0.0])).nll, np.ones(2)),
    (potential, np.eye(3)), (mixture, np.array([0.0, 1.0, 0.0, 0.0])), (power_law, 0.5, 0.5),
    (sinc, np.array([0.0, 0.5])), (z_score, np.ones(3)), (logistic_map, 4.5), (log_pole, 2.0),
    (outside_support, np.array([2.0, 3.0])), (compiled_root, np.array([1.0, 2.0, 0.5])),
    (pricer(90.0), 0.2, 100.5), (policy, np.array([1.0, 3.0, 2.0, 0.0, 1.0])), (dead_network, np.ones(2)),
    (whole_numbers, 2.0), (off_the_table, np.array([1.5, 2.0])), (overwritten, 0.1, 2.0), (accuracy, np.ones(2)),
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_explain_names_the_line(program):
    f, *args = program
    lines, first = inspect.getsourcelines(Dense.__call__ if f is dead_network else f)
    (guilty,) = [i for i, line in enumerate(lines, first) if line.rstrip().endswith("# <-") or "np.maximum" in line]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        report = morula.explain(f, *args)
    strange = [s.line.number for s in report.strange]
    born = [b.line.number for b in report.births]
    noted = [line.number for reason in report.reasons for line, _ in reason.notes if line is not None]
    assert guilty in (strange[:1] + born if strange or born else noted[:1])
