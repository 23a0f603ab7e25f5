"""What stands outside a function: NumPy's numbers, enumerations, tuples of arrays, limits of types; inner functions."""

import math
from collections import namedtuple
from enum import Enum, IntEnum

import numpy as np
from native_helpers import A, Programs
from numba import njit

PROGRAMS = Programs()
x4, y4 = A(0.3, -0.7, 1.1, 0.4), A(1.2, 0.5, -0.3, 0.8)
Grid = namedtuple("Grid", "widths scale")

STEP = np.float64(0.3)
COUNT = np.int64(3)
HALF = np.float32(0.5)
SMALL = np.int16(2)
PHASE = np.complex128(0.6 + 0.8j)
IS_DAMPED = np.bool_(True)
GRID = Grid(np.array([0.5, 1.5, 2.0, 0.25]), np.float64(1.25))
TABLES = (np.array([0.5, -1.5, 0.8, 0.25]), np.array([[1.0, 2.0], [3.0, -4.0]]))
SETTINGS = ((np.float64(0.5), 2), (np.int64(3), 0.25))


class Kind(IntEnum):
    NEAR = 0
    FAR = 1


class Loss(Enum):
    SQUARE = 1
    ABSOLUTE = 2


@PROGRAMS(x4, 0.7)
@njit
def numbers_of_numpy(x, a):
    total = STEP * a + SETTINGS[1][0] * a ** SETTINGS[0][0]
    for i in range(COUNT):
        total += x[i] * a**SMALL * HALF
    if IS_DAMPED:
        total *= 0.5
    return total + (PHASE * a).real


@PROGRAMS(0.7, rtol=1e-6)  # Python's numbers take NumPy's precision, and compiled ones that of both
@njit
def float32_outside(a):
    half = HALF
    for _ in range(COUNT):
        half = half * HALF
    return a * half + HALF / a


@PROGRAMS(x4, 0.7)
@njit
def limits_of_types(x, a):
    largest = -np.finfo(np.float64).max
    for i in range(len(x)):
        largest = max(largest, x[i] * a)
    return largest / (x[0] + np.finfo(np.float32).eps) + a * np.iinfo(np.int8).max


@PROGRAMS(x4, 0.7)
@njit
def tuples_of_arrays(x, a):
    total = (x * TABLES[0]).sum()
    for i in range(len(x)):
        total += x[i] ** 2 * GRID.widths[i]
    return total * GRID.scale * a + TABLES[1][1, 0] * x[2]


@PROGRAMS(x4, np.array([0, 1, 2, 1]))
@njit
def whole_members(x, kinds):
    total = 0.0
    for i in range(len(x)):
        if kinds[i] == Kind.NEAR:
            total += x[i] * x[i]
        elif kinds[i] == Kind.FAR:
            total += math.sin(x[i])
    return total * x[Kind.FAR]


@njit
def penalty(r, loss, weight=STEP):
    if loss == Loss.SQUARE:
        return weight * r * r
    return abs(r) * loss.value


@PROGRAMS(x4, 0.7)
@njit
def members(x, a):
    total = penalty(a, Loss.ABSOLUTE)
    for i in range(len(x)):
        loss = Loss.SQUARE if i % 2 else Loss.ABSOLUTE
        total += penalty(x[i] * a, loss) + penalty(x[i], Loss.SQUARE, 0.25)
    return total


@PROGRAMS(x4, 0.7, 1.3)
@njit
def functions_inside(x, a, b):
    width = a
    if b > 1.0:
        width = width * b

    def bent(r, power=2, scale=STEP):
        return math.sin(r * width) ** power * scale

    lifted = lambda r: bent(r) + width
    total = 0.0
    for i in range(len(x)):
        total += lifted(x[i]) * bent(b, 3, 0.5)
    return total


@njit
def early(p, q):
    if p > q:
        return p * q
    m = p * p
    if m < 0.5:
        m = m * q
    return m + q


@PROGRAMS(3, 0.7, 1.3)
@PROGRAMS(0, 0.7, 1.3)
@njit
def literal_in_a_test(n, a, b):
    level = 0
    c = b
    for _ in range(n):
        c += level * 0.1 * a
        if level < 3:
            return early(a, 1.5) + c
        c *= 2.0
    return c * a


@PROGRAMS(3, 0.7, 1.3)
@njit
def literals_in_two_loops(n, a, b):
    level = 1
    for _ in range(n):
        for i in range(n):
            if level < 1:
                w = a * b
                return w * a
            if i > 1:
                break
        a = a * b
        if level > 1:
            return a
    return a * b
