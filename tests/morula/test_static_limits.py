"""What the numbers of a type are between, and the types of arrays, in the static tier."""

import sys

import numpy as np
import pytest
from static_checks import check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.7, 0.3, -0.4, 1.1])
OF_FLOATS, OF_INTEGERS = np.finfo(float), np.iinfo(np.int32)


class Model:
    def __init__(self):
        self.eps, self.most = np.finfo(float).eps, np.iinfo(np.int64).max

    def log(self, x):
        return np.log(x + self.eps) if x < self.most else x


def called(x):
    eps = np.finfo(np.float64).eps
    return np.log(np.sum(x**2) + eps) + np.clip(x, eps, 1 - eps).sum() + np.finfo(x.dtype).tiny + Model().log(x[0])


def global_ones(x):
    return (
        x[0] / (x[1] + OF_FLOATS.eps) + (x[2] if OF_INTEGERS.max > 5 else 0) + x[3] / max(x[1], sys.float_info.epsilon)
    )


def others(x):
    return np.sqrt(OF_FLOATS.eps) * x[0] + OF_FLOATS.eps**0.5 * x[1] + OF_FLOATS.bits * x[2] + np.finfo("d").resolution


def types_of_arrays(x):
    y, z = np.zeros(4, dtype=x.dtype), np.empty_like(x, dtype=x.dtype)
    y[0], z[:] = x[0], x**2
    return (y + z).sum() + np.asarray(x, dtype=x.dtype).sum() + np.array([x[0], 1.0], dtype=x.dtype).sum()


@pytest.mark.parametrize("f", [called, global_ones, others, types_of_arrays])
def test_limits_are_constants(f):
    check_static(f, (X,))


def limit_of_single(x):
    return np.finfo(np.float32).eps * x[0]


def number_alone(x):
    return x[0] * 0 + np.finfo(float).eps


def another(x):
    return x[0] * OF_FLOATS.eps


@pytest.mark.parametrize("f", [limit_of_single, number_alone, another])
def test_limits_keep_their_types(f):
    eager, static = found_by("eager", f, (X,)), found_by("static", f, (X,))
    assert repr(static) == repr(eager)
    assert type(static.value) is type(f(X))


def test_another_global_limit_is_seen(monkeypatch):
    found_by("static", another, (X,))
    monkeypatch.setitem(globals(), "OF_FLOATS", np.finfo(np.float16))
    eager, static = found_by("eager", another, (X,)), found_by("static", another, (X,))
    assert repr(static) == repr(eager)
    assert static.value == another(X)
