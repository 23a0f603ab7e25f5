"""What libraries of small models are written with, in the static tier: ``np.shape``, ``super(C, self)``, ``std``."""

import numpy as np
import pytest
from static_checks import check_static

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.7, 0.3, -0.4, 1.1])
A = np.random.default_rng(0).normal(size=(12, 4))


class Momentum:
    def __init__(self, rate, momentum):
        self.rate, self.momentum, self.moved = rate, momentum, None

    def update(self, w, w_bar):
        if self.moved is None:
            self.moved = np.zeros(np.shape(w))
        self.moved = self.momentum * self.moved + (1 - self.momentum) * w_bar
        return w - self.rate * self.moved


def momentum(x):
    optimizer, w = Momentum(0.05, 0.5), x.copy()
    for _ in range(10):
        w = optimizer.update(w, A.T @ (A @ w - A[:, 0]) / np.shape(A)[0])
    return np.sum(w**2)


def shapes(x):
    n, m = np.shape(A * x)
    total = 0.0
    for i in range(n):
        total += x[i % m] * i
    return total + np.size(x) * x[0] + np.ndim(A) * x[1] + np.size(x[2]) * np.ndim(x[3])


def standardized(x):
    z = A * x
    mean, std, norms = z.mean(axis=0), z.std(axis=0), np.linalg.norm(z, 2, -1)
    for c in range(np.shape(z)[1]):
        if std[c]:
            z[:, c] = (z[:, c] - mean[c]) / std[c]
    return np.sum(z * np.arange(48.0).reshape(12, 4)) + np.sum(std * x) + np.sum(norms)


def read_later(x):
    z = A * x
    parts = [
        z.var(axis=0),
        np.linalg.norm(z, axis=0),
        np.median(z, axis=0),
        z.cumsum(axis=0)[3],
        np.percentile(z, 30, axis=0),
    ]
    z[:, 1] = z[:, 2] * 2
    return np.sum(z * z) + sum(np.sum(p * x) for p in parts)


class Base(object):  # noqa: UP004
    def __init__(self, n, rate):
        self.n, self.rate = n, rate

    def go(self, x):
        return np.sum(x) * self.n * self.rate

    @property
    def twice(self):
        return 2 * self.rate


class Middle(Base):
    def go(self, x):
        return super(Middle, self).go(x) + super(Middle, self).twice  # noqa: UP008


class Derived(Middle):
    def __init__(self, x, n=3):
        self.x = x
        super(Derived, self).__init__(n=n, rate=x[0])  # noqa: UP008

    def go(self, x):
        return super(Derived, self).go(x) * self.x[1] + super(Middle, self).go(x)  # noqa: UP008


def named_supers(x):
    return Derived(x, 2).go(x) * Middle(2, x[3]).go(x)


class Penalized:
    def __init__(self, penalty="l2"):
        assert penalty in ["l1", "l2"], "not {}".format(penalty)  # noqa: UP032
        self.penalty = penalty

    def loss(self, x):
        return np.sum(x**2) if self.penalty in {"l2", "ridge", "none"} else np.sum(np.abs(x))


def memberships(x):
    total = Penalized().loss(x) * Penalized("l1").loss(x)
    for i in range(6):
        if i in [1, 3, 5]:
            total += x[0] * i
        elif i not in {2}:
            total -= x[1]
        if x[1] in [0.5, 2.0] or i in {True}:
            total += x[2]
    for k, mode in enumerate(["up", "down", "same"]):
        total += x[k] ** 2 if mode in ["up", "same"] else -x[k] if mode in {"down"} else 1.0
    return total


@pytest.mark.parametrize("f", [memberships, momentum, shapes, standardized, read_later, named_supers])
def test_idioms(f):
    check_static(f, (X,))
