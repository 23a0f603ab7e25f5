"""Bodies that attract each other, with loops over all pairs; steps of the semi-implicit Euler method."""

import math

import numpy as np
from numba import njit

from native_problems.problem import Problem

BODIES, STEPS = 32, 20
DT, SOFTENING = 0.01, 0.05


@njit
def nbody(start, start_speed, masses, steps):
    q = start.copy()
    v = start_speed.copy()
    n = q.shape[0]
    a = np.zeros((n, 3))
    for _ in range(steps):
        for i in range(n):
            ax = 0.0
            ay = 0.0
            az = 0.0
            for j in range(n):
                if i != j:
                    dx = q[j, 0] - q[i, 0]
                    dy = q[j, 1] - q[i, 1]
                    dz = q[j, 2] - q[i, 2]
                    r2 = dx * dx + dy * dy + dz * dz + SOFTENING
                    pull = masses[j] / (r2 * math.sqrt(r2))
                    ax += dx * pull
                    ay += dy * pull
                    az += dz * pull
            a[i, 0] = ax
            a[i, 1] = ay
            a[i, 2] = az
        for i in range(n):
            for k in range(3):
                v[i, k] += DT * a[i, k]
                q[i, k] += DT * v[i, k]
    total = 0.0
    for i in range(n):
        for k in range(3):
            total += q[i, k] * q[i, k] + masses[i] * v[i, k] * v[i, k]
    return total


@njit
def nbody_by_hand(start, start_speed, masses, steps):
    """Keeps the positions of every step."""
    n = start.shape[0]
    q = start.copy()
    v = start_speed.copy()
    a = np.zeros((n, 3))
    tape = np.empty((steps, n, 3))
    for s in range(steps):
        tape[s] = q
        for i in range(n):
            ax = 0.0
            ay = 0.0
            az = 0.0
            for j in range(n):
                if i != j:
                    dx = q[j, 0] - q[i, 0]
                    dy = q[j, 1] - q[i, 1]
                    dz = q[j, 2] - q[i, 2]
                    r2 = dx * dx + dy * dy + dz * dz + SOFTENING
                    pull = masses[j] / (r2 * math.sqrt(r2))
                    ax += dx * pull
                    ay += dy * pull
                    az += dz * pull
            a[i, 0] = ax
            a[i, 1] = ay
            a[i, 2] = az
        for i in range(n):
            for k in range(3):
                v[i, k] += DT * a[i, k]
                q[i, k] += DT * v[i, k]
    q_bar = 2 * q
    v_bar = np.empty((n, 3))
    for i in range(n):
        for k in range(3):
            v_bar[i, k] = 2 * masses[i] * v[i, k]
    a_bar = a
    for s in range(steps - 1, -1, -1):
        q = tape[s]
        for i in range(n):
            for k in range(3):
                v_bar[i, k] += DT * q_bar[i, k]
                a_bar[i, k] = DT * v_bar[i, k]
        for i in range(n):
            ax_bar = a_bar[i, 0]
            ay_bar = a_bar[i, 1]
            az_bar = a_bar[i, 2]
            x_bar = 0.0
            y_bar = 0.0
            z_bar = 0.0
            for j in range(n):
                if i != j:
                    dx = q[j, 0] - q[i, 0]
                    dy = q[j, 1] - q[i, 1]
                    dz = q[j, 2] - q[i, 2]
                    r2 = dx * dx + dy * dy + dz * dz + SOFTENING
                    pull = masses[j] / (r2 * math.sqrt(r2))
                    pull_bar = dx * ax_bar + dy * ay_bar + dz * az_bar
                    twice_r2_bar = -3.0 * pull / r2 * pull_bar
                    dx_bar = ax_bar * pull + twice_r2_bar * dx
                    dy_bar = ay_bar * pull + twice_r2_bar * dy
                    dz_bar = az_bar * pull + twice_r2_bar * dz
                    q_bar[j, 0] += dx_bar
                    q_bar[j, 1] += dy_bar
                    q_bar[j, 2] += dz_bar
                    x_bar += dx_bar
                    y_bar += dy_bar
                    z_bar += dz_bar
            q_bar[i, 0] -= x_bar
            q_bar[i, 1] -= y_bar
            q_bar[i, 2] -= z_bar
    return q_bar, v_bar


def step_of(xp):
    def step(q, v, masses):
        d = q[None, :, :] - q[:, None, :]  # a body's distance to itself is 0, and so is its pull on itself
        r2 = xp.sum(d * d, axis=2) + SOFTENING
        v = v + DT * xp.sum(d * (masses / (r2 * xp.sqrt(r2)))[:, :, None], axis=1)
        return q + DT * v, v

    return step


def nbody_of(xp):
    step = step_of(xp)

    def run(q, v, masses, steps):
        for _ in range(steps):
            q, v = step(q, v, masses)
        return xp.sum(q * q) + xp.sum(masses[:, None] * v * v)

    return run


def nbody_with_jax(xp):
    from jax import lax

    step = step_of(xp)

    def run(q, v, masses, steps):
        q, v = lax.fori_loop(0, steps, lambda _, state: step(*state, masses), (q, v))
        return xp.sum(q * q) + xp.sum(masses[:, None] * v * v)

    return run


def data(steps: int) -> tuple:
    rng = np.random.default_rng(0)
    return rng.normal(size=(BODIES, 3)), 0.1 * rng.normal(size=(BODIES, 3)), rng.uniform(0.5, 1.5, BODIES), steps


PROBLEMS = (
    Problem(
        name="nbody",
        title=f"N-body, {BODIES} bodies, {STEPS} steps",
        primal=nbody,
        by_hand=nbody_by_hand,
        wrt=(0, 1),
        arguments=data,
        size=STEPS,
        sizes=(100, 1000, 10_000, 30_000),
        goal=1.3,
        peers={"JAX": nbody_with_jax, "PyTorch": nbody_of, "HIPS autograd": nbody_of},
    ),
)
