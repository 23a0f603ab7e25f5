"""Exceptions that are raised or caught, and assertions that hold."""

import math

import numpy as np
from native_helpers import A, Programs
from numba import njit

PROGRAMS = Programs()
RAISING = Programs()
x4 = A(0.3, -0.7, 1.1, 0.4)


@PROGRAMS(x4, 0.5)
@njit
def what_is_checked_holds(x, a):
    if len(x) != 4:
        raise ValueError("four")
    assert a > 0.0, "positive"
    s = 0.0
    for v in x:
        if v > 5.0:
            raise ArithmeticError
        s += v * v * a
    return s


@RAISING(x4, -1.0, error=ValueError)
@njit
def raises_before_anything(x, a):
    if a < 0.0:
        raise ValueError("a negative number")
    return x.sum() * math.sqrt(a)


@RAISING(x4, 0.9, error=ValueError)
@njit
def raises_half_way_through_its_writes(x, limit):
    s = 0.0
    for i in range(len(x)):
        x[i] = x[i] * 2.0
        s += x[i]
        if x[i] > limit:
            raise ValueError("too large")
    return s


@RAISING(x4, 0.0, error=ZeroDivisionError)
@njit
def divides_by_zero(x, a):
    x[0] = 3.0
    return x.sum() * (1.0 / a)


@RAISING(x4, 0.3, error=AssertionError)
@njit
def an_assertion_fails(x, a):
    s = 0.0
    for v in x:
        s += v
        assert s > a, "small"
    return s


@njit
def careful(a):
    if a < -0.5:
        raise ValueError("a callee minds")
    return a * a


@RAISING(x4, 1.0, error=ValueError)
@njit
def a_callee_raises(x, a):
    s = 0.0
    for i in range(len(x)):
        x[i] *= a + 1.0
        s += careful(x[i])
    return s


@RAISING(np.zeros((3, 3)), x4[:3], error=np.linalg.LinAlgError)
@njit
def a_singular_matrix(m, b):
    return np.linalg.solve(m, b).sum()


@PROGRAMS(x4, 0.4, native=False)
@njit
def caught(x, a):
    s = a
    try:
        for i in range(len(x)):
            s += x[i] * x[i]
            if s > 1.0:
                raise ValueError("enough")
            s *= 1.5
    except Exception:
        s = s * 3.0
    return s
