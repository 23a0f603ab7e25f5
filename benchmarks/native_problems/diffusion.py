"""The Fisher-KPP equation ``u_t = D u_xx + R u (1 - u)``, explicit steps in time: with loops, and with slices."""

import numpy as np
from numba import njit

from native_problems.problem import Problem

CELLS, STEPS = 1000, 1000
D, R = 0.2, 0.01


@njit
def fisher_kpp(start, steps):
    u = start.copy()
    new = np.empty_like(u)
    n = len(u)
    new[0] = u[0]
    new[n - 1] = u[n - 1]
    for _ in range(steps):
        for i in range(1, n - 1):
            new[i] = u[i] + D * (u[i + 1] - 2 * u[i] + u[i - 1]) + R * u[i] * (1 - u[i])
        u, new = new, u
    total = 0.0
    for i in range(n):
        total += u[i] * u[i]
    return total


@njit
def fisher_kpp_in_place(start, steps):
    """Without a second array: what was in the cell on the left is kept in a variable."""
    u = start.copy()
    n = len(u)
    for _ in range(steps):
        left = u[0]
        for i in range(1, n - 1):
            here = u[i]
            u[i] = here + D * (u[i + 1] - 2 * here + left) + R * here * (1 - here)
            left = here
    total = 0.0
    for i in range(n):
        total += u[i] * u[i]
    return total


@njit
def fisher_kpp_slices(start, steps):
    u = start.copy()
    for _ in range(steps):
        u[1:-1] += D * (u[2:] - 2 * u[1:-1] + u[:-2]) + R * u[1:-1] * (1 - u[1:-1])
    return np.sum(u * u)


@njit
def fisher_kpp_by_hand(start, steps):
    """Each cotangent is gathered from the three cells that its cell was read for."""
    n = len(start)
    u = start.copy()
    new = np.empty(n)
    new[0] = u[0]
    new[n - 1] = u[n - 1]
    tape = np.empty((steps, n))
    for t in range(steps):
        row = np.uintp(t)  # loops in which an index might be negative are not vectorised
        for i in range(n):
            tape[row, i] = u[i]
        for i in range(1, n - 1):
            new[i] = u[i] + D * (u[i + 1] - 2 * u[i] + u[i - 1]) + R * u[i] * (1 - u[i])
        u, new = new, u
    bar = np.empty(n)
    for i in range(n):
        bar[i] = 2 * u[i]
    earlier = np.empty(n)
    for t in range(steps - 1, -1, -1):
        row = np.uintp(t)
        for i in range(2, n - 2):
            own = 1 - 2 * D + R * (1 - 2 * tape[row, i])
            earlier[i] = bar[i] * own + D * (bar[i - 1] + bar[i + 1])
        second = 1 - 2 * D + R * (1 - 2 * tape[row, 1])
        last_but_one = 1 - 2 * D + R * (1 - 2 * tape[row, n - 2])
        earlier[0] = bar[0] + D * bar[1]
        earlier[1] = bar[1] * second + D * bar[2]
        earlier[n - 2] = bar[n - 2] * last_but_one + D * bar[n - 3]
        earlier[n - 1] = bar[n - 1] + D * bar[n - 2]
        bar, earlier = earlier, bar
    return (bar,)


def step_of(xp):
    def step(u):
        inner = u[1:-1]
        inner = inner + D * (u[2:] - 2 * inner + u[:-2]) + R * inner * (1 - inner)
        return xp.concatenate([u[:1], inner, u[-1:]])

    return step


def fisher_kpp_of(xp):
    step = step_of(xp)

    def run(start, steps):
        u = start
        for _ in range(steps):
            u = step(u)
        return xp.sum(u * u)

    return run


def fisher_kpp_with_jax(xp):
    from jax import lax

    step = step_of(xp)

    def run(start, steps):
        u = lax.fori_loop(0, steps, lambda _, u: step(u), start)
        return xp.sum(u * u)

    return run


def data(steps: int) -> tuple:
    return np.exp(-(((np.arange(CELLS) - 300) / 40.0) ** 2)), steps


def problem(name: str, words: str, primal, goal: float, peers: dict) -> Problem:
    return Problem(
        name=name,
        title=f"Fisher-KPP, {STEPS} steps, {words}",
        primal=primal,
        by_hand=fisher_kpp_by_hand,
        wrt=(0,),
        arguments=data,
        size=STEPS,
        sizes=(1000, 2000, 4000, 8000),
        goal=goal,
        peers=peers,
    )


PEERS = {"JAX": fisher_kpp_with_jax, "PyTorch": fisher_kpp_of, "HIPS autograd": fisher_kpp_of}
PROBLEMS = (
    problem("kpp", "loops", fisher_kpp, 1.5, PEERS),
    problem("kpp_in_place", "loops in one array", fisher_kpp_in_place, 1.5, {}),
    problem("kpp_slices", "slices", fisher_kpp_slices, 4.5, {}),  # three times what the loops may take
)
