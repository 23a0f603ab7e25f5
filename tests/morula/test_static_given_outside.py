"""Functions given to SciPy that find objects, dicts and lists by themselves, into which the program has written."""

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

pytest.importorskip("scipy")
from scipy import integrate, optimize

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.7, 0.3])


class Model:
    def __init__(self, k):
        self.k, self.inner = k, None

    def of(self, t):
        return self.k * t


MODEL, NUMBERS = Model(0.11), {"k": 0.22}
MODEL.inner = Model(0.33)


def reset():
    MODEL.k, MODEL.inner.k, NUMBERS["k"] = 0.11, 0.33, 0.22


def outside(t):
    return t - NUMBERS["k"] * 2.0


def made():
    own = Model(0.4)
    return own, lambda t: t - own.k


OWN, OF_OWN = made()


def attribute(x):
    MODEL.k = 3.0 + x[1]
    return integrate.quad(lambda t: t * MODEL.k * x[0], 0.0, 1.0)[0]


def method(x):
    MODEL.k = 3.0 + x[1]
    return optimize.brentq(lambda t: t - MODEL.of(x[0]), -10.0, 10.0)


def below(x):
    MODEL.inner.k = 3.0 * x[1]
    return integrate.quad(lambda t: t * MODEL.inner.k * x[0], 0.0, 1.0)[0]


def item(x):
    NUMBERS["k"] = x[0] * x[1]
    return optimize.root(outside, np.array([1.0])).x[0]


def captured(x):
    OWN.k = x[0] * x[1]
    return optimize.brentq(OF_OWN, -10.0, 10.0)


def in_a_loop(x):
    s = 0.0
    for _ in range(3):
        s += integrate.quad(lambda t: t * MODEL.k * x[0], 0.0, 1.0)[0]
        MODEL.k = s + x[1]
    return s


@pytest.mark.parametrize("f", [attribute, method, below, item, captured, in_a_loop])
def test_what_was_written_is_seen(f):
    found = []
    for tier in ("eager", "static"):
        reset()
        OWN.k = 0.4
        found.append(found_by(tier, f, (X,)))
    eager, static = found
    reset()
    OWN.k = 0.4
    assert repr(static.value) == repr(eager.value) == repr(f(X.copy()))
    assert alike(static.gradient, eager.gradient)


def only_read(x):
    return integrate.quad(lambda t: t * MODEL.k * x[0] + NUMBERS["k"], 0.0, 1.0)[0] * x[1]


def test_static():
    reset()
    check_static(only_read, (X,))
