"""Short programs, in which a call's own cost shows: a mean square, a sum of three elements, a chain of sines."""

import math

import numpy as np
from numba import njit

from native_problems.problem import Problem

# -- the mean squared error, as a loop --------------------------------------------------------------------------------


@njit
def mse(y, t):
    total = 0.0
    for i in range(len(y)):
        total += (y[i] - t[i]) ** 2
    return total / len(y)


@njit
def mse_by_hand(y, t):
    y_bar = np.empty_like(y)
    for i in range(len(y)):
        y_bar[i] = 2.0 * (y[i] - t[i]) / len(y)
    return (y_bar,)


def mse_vectorised(np):
    return lambda y, t: np.mean((y - t) ** 2)


def mse_loop(np):
    return mse.py_func


def two_vectors(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=n), rng.normal(size=n)


# -- three elements of a vector ---------------------------------------------------------------------------------------


@njit
def sum3(a):
    return a[0] + a[1] + a[2]


@njit
def sum3_by_hand(a):
    a_bar = np.zeros_like(a)
    a_bar[0] = a_bar[1] = a_bar[2] = 1.0
    return (a_bar,)


def sum3_of(np):
    return sum3.py_func


# -- a chain of sines -------------------------------------------------------------------------------------------------


@njit
def sine_chain(x, n):
    for _ in range(n):
        x = math.sin(x) * 1.01 + 0.1
    return x


@njit
def sine_chain_by_hand(x, n):
    tape = np.empty(n)
    for i in range(n):
        tape[i] = x
        x = math.sin(x) * 1.01 + 0.1
    x_bar = 1.0
    for i in range(n - 1, -1, -1):
        x_bar *= 1.01 * math.cos(tape[i])
    return (x_bar,)


def sine_chain_with_jax(np):
    from jax import lax

    return lambda x, n: lax.fori_loop(0, n, lambda _, x: np.sin(x) * 1.01 + 0.1, x)


def sine_chain_of(np):
    def chain(x, n):
        for _ in range(n):
            x = np.sin(x) * 1.01 + 0.1
        return x

    return chain


PROBLEMS = (
    Problem(
        name="mse",
        title="mse as a loop, 30 elements",
        primal=mse,
        by_hand=mse_by_hand,
        wrt=(0,),
        arguments=two_vectors,
        size=30,
        sizes=(10_000, 100_000, 1_000_000, 10_000_000),
        goal=1.3,
        call=0.5e-6,
        peers={"JAX": mse_vectorised, "PyTorch": mse_vectorised, "HIPS autograd": mse_loop},
    ),
    Problem(
        name="sum3",
        title="sum3, 30 elements",
        primal=sum3,
        by_hand=sum3_by_hand,
        wrt=(0,),
        arguments=lambda n: two_vectors(n)[:1],
        size=30,
        sizes=(10_000, 100_000, 1_000_000, 10_000_000),
        goal=1.3,
        call=0.5e-6,
        peers=dict.fromkeys(("JAX", "PyTorch", "HIPS autograd"), sum3_of),
    ),
    Problem(
        name="sines",
        title="x = sin(x) * 1.01 + 0.1, 1000 times",
        primal=sine_chain,
        by_hand=sine_chain_by_hand,
        wrt=(0,),
        arguments=lambda n: (0.5, n),
        size=1000,
        sizes=(1000, 10_000, 100_000, 1_000_000),
        goal=1.3,
        peers={"JAX": sine_chain_with_jax, "PyTorch": sine_chain_of, "HIPS autograd": sine_chain_of},
    ),
)
