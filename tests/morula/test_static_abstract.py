"""Questions after abstract classes, in the static tier."""

import collections.abc
import numbers
from abc import ABC, abstractmethod

import numpy as np
import pytest
from static_checks import check_static, found_by

X = np.array([0.7, 0.3, -0.4, 1.1])


class Kernel(ABC):
    @abstractmethod
    def of(self, x): ...

    def __call__(self, x):
        return self.of(x)


class Radial(Kernel):
    def __init__(self, scale):
        self.scale = scale

    def of(self, x):
        return np.exp(-(x**2) / self.scale)


def made_of(given):
    if isinstance(given, Kernel):
        return given
    if isinstance(given, str):
        return Radial(2.0)
    if isinstance(given, dict):
        return Radial(given["scale"])
    raise TypeError(given)


def kernels(x):
    return made_of("radial")(x).sum() + made_of(Radial(1.0))(x).sum() + made_of({"scale": x[0]})(x).sum()


def kinds(x):
    total = x.sum() * (2 if isinstance(x, collections.abc.Sequence) else 3)
    total += x[0] * (5 if isinstance([1.0], collections.abc.Sequence) else 7)
    return total + (x[1] if isinstance(x, (numbers.Number, collections.abc.Iterable)) else x[2])


def handled(v):
    if isinstance(v, int | float):
        return v * 2.0
    if isinstance(v, list | tuple | np.ndarray):
        return sum(handled(float(e)) for e in v)
    return 5.0 if isinstance(v, str | None) else made_of(v)(1.0)


def unions(x):
    scalar = float | complex
    parts = handled(2) + handled([1.0, 2.0]) * x[0] + handled(None) * x[1] + handled(Radial(x[2] ** 2)) + handled(x[:2])
    return parts * (3.0 if isinstance(x[0], scalar) else 4.0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", [kernels, kinds, unions])
def test_abstract_classes_know_what_is_theirs(f):
    check_static(f, (X,))


class Hooked(Kernel):
    wanted = list

    @classmethod
    def __subclasshook__(cls, kind):
        return kind is cls.wanted


def hooked(x):
    return x[0] * (2 if isinstance([1.0], Hooked) else 3)


def test_what_a_class_decides_itself_is_asked_each_time():
    for wanted in (list, tuple, list):
        Hooked.wanted = wanted
        Hooked.register(int)  # which empties the cache of its answers
        eager, static = found_by("eager", hooked, (X,)), found_by("static", hooked, (X,))
        assert repr(static) == repr(eager)
        assert static.value == hooked(X)
