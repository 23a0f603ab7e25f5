"""Ten ufuncs, one after another, on a large array."""

import math

import numpy as np
from numba import njit

from native_problems.problem import Problem

try:
    from morula.static.numba import vector_math
except ImportError:
    vector_math = None

NUMBERS = 1_000_000


@njit
def ufunc_chain(x):
    a = np.sin(x)
    b = np.exp(a)
    c = b * x
    d = np.tanh(c)
    e = d + b
    f = np.log(e)
    g = np.sqrt(e)
    h = np.cos(f)
    k = h / g
    return np.sum(k - x)


def by_hand_with(functions, **options):
    """One loop, which keeps nothing; `functions` is a module of elementary functions for compiled code."""
    sin, cos, exp, log, tanh = (getattr(functions, name) for name in ("sin", "cos", "exp", "log", "tanh"))

    @njit(error_model="numpy", **options)
    def ufunc_chain_by_hand(x):
        x_bar = np.empty_like(x)
        for i in range(x.size):
            b = exp(sin(x[i]))
            d = tanh(b * x[i])
            e = d + b
            f = log(e)
            g = math.sqrt(e)
            k_over_g = cos(f) / e  # k / g
            e_bar = -sin(f) / (e * g) - 0.5 * k_over_g / g
            c_bar = e_bar * (1 - d * d)
            b_bar = e_bar + c_bar * x[i]
            x_bar[i] = b_bar * b * cos(x[i]) + c_bar * b - 1.0
        return (x_bar,)

    return ufunc_chain_by_hand


def ufunc_chain_of(np):
    def run(x):
        a = np.sin(x)
        b = np.exp(a)
        c = b * x
        d = np.tanh(c)
        e = d + b
        f = np.log(e)
        g = np.sqrt(e)
        h = np.cos(f)
        k = h / g
        return np.sum(k - x)

    return run


def data(n: int) -> tuple[np.ndarray]:
    return (np.random.default_rng(0).uniform(0.1, 1.0, n),)


scalar_by_hand = by_hand_with(math)
PROBLEMS = (
    Problem(
        name="ufuncs",
        title=f"ten ufuncs on {NUMBERS:,} numbers",
        primal=ufunc_chain,
        by_hand=by_hand_with(vector_math) if vector_math is not None else scalar_by_hand,
        wrt=(0,),
        arguments=data,
        size=NUMBERS,
        sizes=(1_000_000, 2_000_000, 4_000_000, 8_000_000),
        goal=1.5,
        peers=dict.fromkeys(("JAX", "PyTorch", "HIPS autograd"), ufunc_chain_of),
        primals={"NumPy": ufunc_chain.py_func},
        adjoints={"by hand, scalar math": scalar_by_hand} if vector_math is not None else {},
    ),
)
