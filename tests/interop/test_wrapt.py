"""Functions decorated with wrapt: the decorator and what it wraps are followed, though the wrapper is written in C."""

import pytest

import morula

wrapt = pytest.importorskip("wrapt")


@wrapt.decorator
def doubled(wrapped, instance, args, kwargs):
    return 2.0 * wrapped(*args, **kwargs)


@wrapt.decorator(enabled=False)
def left_alone(wrapped, instance, args, kwargs):
    raise AssertionError


class Spring:
    def __init__(self, k):
        self.k = k

    @doubled
    def energy(self, x):
        return self.k * x**2 / 2

    @doubled
    @classmethod
    def cube(cls, x):
        return x**3

    @doubled
    @staticmethod
    def square(x, power=2):
        return x**power


@doubled
def scaled(x, by=3.0):
    return by * x


@left_alone
def plain(x):
    return x * x


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda x: scaled(x), 6.0),
        (lambda x: scaled(x, by=x), 8.0),
        (lambda x: Spring(x).energy(3.0), 9.0),
        (lambda x: Spring.energy(Spring(1.0), x), 4.0),
        (lambda x: Spring.cube(x) + Spring(1.0).cube(x), 48.0),
        (lambda x: Spring.square(x, power=3), 24.0),
        (lambda x: plain(x), 4.0),
    ],
)
def test_decorated(f, slope):
    found = morula.withgradient(f, 2.0)
    assert found.value == f(2.0)
    assert found.gradient[0] == pytest.approx(slope)
    assert morula.jvp(f, (2.0,), (1.0,))[1] == pytest.approx(slope)
