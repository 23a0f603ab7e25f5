"""What programs ask of flags and numbers: ``x is True``, ``np.ndim(x) == 0``, ``x.item()``, ``pow(x, y)``."""

import numpy as np
import pytest
from static_checks import check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def squared(x, is_on=False):
    if is_on is True:
        return x * x
    return x if is_on is not False else -x


def flags(x, y):
    return squared(x, True) + squared(y) * 2.0 + squared(x, is_on=False)


def total(x):
    if np.ndim(x) == 0:
        return x * x
    return np.sum(x**2)


def axes(x, y):
    return total(x) + total(np.array([x, y])) + total(np.linspace(0, 1, 10) * y) + total(np.ones((3, 4)) * x)


def items(x, y):
    a, v, t = np.array([x, y, x * y]), np.sin(np.linspace(0, 1, 12) * x), 0.0
    for i in range(3):
        t += a[i].item() ** 2
    return t + np.dot(v, v).item() * a.sum().item()


def powers(x, y):
    return pow(x, 2) + pow(y, 1.5) + pow(2.0, x) + pow(np.linspace(0, 1, 9) * x, 2).sum()


@pytest.mark.parametrize("f", [flags, axes, items, powers])
def test_flags_and_numbers(f):
    check_static(f, (0.83, 0.46))


def item_of_a_float(x, y):
    return (x * y).item() * 2


def item_perhaps_of_a_float(x, y):
    z = np.array([x, y])[0] if x > 0.5 else 2.0
    return z.item() * y


def truth_of_numpy(x, y):
    t = x
    for k in np.arange(4):
        c = k > 1
        if c is True:
            t = t * y
    return t


@pytest.mark.parametrize("f", [item_of_a_float, item_perhaps_of_a_float, truth_of_numpy])
def test_python_s_numbers_and_numpy_s_are_not_the_same(f):
    for args in [(0.83, 0.46), (0.31, 0.72)]:
        eager, static = found_by("eager", f, args), found_by("static", f, args)
        assert static == eager or static.gradient == pytest.approx(eager.gradient)
        assert isinstance(eager, type) or repr(static.value) == repr(eager.value)
