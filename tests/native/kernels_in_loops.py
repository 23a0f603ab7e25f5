"""Small compiled functions that plain programs call in loops: for tests, and for `benchmarks/native_calls.py`."""

import numpy as np
from numba import njit


@njit
def step(x, k):
    return x + 0.1 * k * (x - x**3)


@njit
def rhs(y, p):
    out = np.empty(3)
    out[0] = p * (y[1] - y[0])
    out[1] = y[0] * (1.0 - y[2]) - y[1]
    out[2] = y[0] * y[1] - 0.5 * y[2]
    return out
