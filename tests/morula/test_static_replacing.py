"""``dataclasses.replace``, and powers of arrays by numbers of NumPy's, in hot functions."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

C = np.array([0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 7.7, 0.123456789])


@dataclass
class Rates:
    k: float = 2.0
    c: float = 0.1
    name: str = "x"


@dataclass(frozen=True)
class Positive:
    k: float
    n: int = 3

    def __post_init__(self):
        if self.k < 0:
            raise ValueError("negative")


@dataclass
class WithItsOwn:
    k: float
    z: float = field(init=False, default=1.0)


GIVEN = Rates(3.0)


def scenarios(k, c):
    base = Rates()
    total = 0.0
    for m in (0.5, 1.0, 2.0):
        p = replace(base, k=k * m, c=c * m)
        q = replace(p, name="y")
        q.k = q.k * 2
        total += math.sqrt(p.k) * math.exp(-p.c) + q.k + base.k + len(q.name)
    return total


def frozen(k, c):
    q = Positive(k)
    for _ in range(3):
        q = replace(q, k=q.k * c)
    return q.k * q.n


def from_outside(k, c):
    g = replace(GIVEN, c=c)
    return g.k * g.c * k


def fields_of_its_own(k, c):
    r = WithItsOwn(k)
    r.z = c
    return replace(r, k=c).k * r.k + replace(r).z


def hill(a, b):
    emax, ec50, n = np.array([a, b, 2.0])
    return np.sum(emax * C**n / (ec50**n + C**n))


def powers(a, b):
    p = np.array([a, b, 2.0, 0.5])
    return np.sum((C * a) ** p[2]) + np.sum((C * b) ** p[3]) + np.sum(np.power(C, p[0]))


@pytest.mark.parametrize("f", [scenarios, frozen, from_outside, hill, powers], ids=lambda f: f.__name__)
def test_is_static(f):
    check_static(f, (0.7, 1.3))


def negative(k, c):
    return replace(Positive(k), k=-k).k * c


def misspelt(k, c):
    return replace(Rates(k), kk=c).k


@pytest.mark.parametrize("f", [fields_of_its_own, negative, misspelt], ids=lambda f: f.__name__)
def test_is_what_the_eager_tier_finds(f):
    eager, static = found_by("eager", f, (0.7, 1.3)), found_by("static", f, (0.7, 1.3))
    if isinstance(eager, type):
        assert static is eager
    else:
        assert repr(static.value) == repr(eager.value) and alike(static.gradient, eager.gradient)
