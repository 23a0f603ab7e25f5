"""Natural programs that go on in time: a wave in slices, steps that choose their length, complex iterations."""

import math

import numpy as np
from numba import njit

from native_problems.natural import rates, slope, slope_bar
from native_problems.problem import Problem

# -- a wave on a grid: slices, and arrays that change places ----------


@njit
def wave(u, speed, steps):
    before, u, after = u.copy(), u.copy(), u.copy()
    for _ in range(steps):
        after[1:-1, 1:-1] = (
            2.0 * u[1:-1, 1:-1]
            - before[1:-1, 1:-1]
            + speed[1:-1, 1:-1] * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
        )
        before, u, after = u, after, before
    return np.sum(u * u)


@njit
def wave_by_hand(u, speed, steps):
    n, m = u.shape
    us = np.empty((steps + 1, n, m))
    us[0] = u
    before = u
    for t in range(steps):
        u, after = us[t], us[t + 1]
        after[0], after[-1], after[:, 0], after[:, -1] = u[0], u[-1], u[:, 0], u[:, -1]  # the edge never changes
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                around = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]
                after[i, j] = 2.0 * u[i, j] - before[i, j] + speed[i, j] * around
        before = u
    speed_bar = np.zeros((n, m))
    after_bar, u_bar, weighted = 2.0 * us[steps], np.zeros((n, m)), np.zeros((n, m))
    edge_bar = np.zeros((n, m))
    for t in range(steps - 1, -1, -1):
        u = us[t]
        for i in range(n):
            for j in range(m):
                if 0 < i < n - 1 and 0 < j < m - 1:
                    around = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]
                    speed_bar[i, j] += after_bar[i, j] * around
                    weighted[i, j] = after_bar[i, j] * speed[i, j]
                else:
                    edge_bar[i, j] += after_bar[i, j]
                    after_bar[i, j] = 0.0
        before_bar = after_bar
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                w = weighted[i, j]
                u_bar[i, j] += 2.0 * after_bar[i, j] - 4.0 * w
                u_bar[i + 1, j] += w
                u_bar[i - 1, j] += w
                u_bar[i, j + 1] += w
                u_bar[i, j - 1] += w
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                before_bar[i, j] = -before_bar[i, j]
        after_bar, u_bar = u_bar, before_bar
    return after_bar + u_bar + edge_bar, speed_bar


def wave_of(np):
    from jax import lax

    def f(u, speed, steps):
        inner = slice(1, -1), slice(1, -1)

        def step(_, state):
            before, u = state
            around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[inner]
            return u, u.at[inner].set(2.0 * u[inner] - before[inner] + speed[inner] * around)

        return np.sum(lax.fori_loop(0, steps, step, (u, u))[1] ** 2)

    return f


def membrane(steps: int) -> tuple:
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 40)), rng.uniform(0.1, 0.2, (40, 40)), steps


# -- Heun's method whose steps choose their length, and are rejected ----------


@njit
def adaptive(y, p, end):
    t, h = 0.0, 0.1
    while t < end:
        h = min(h, end - t)
        k1 = rates(y, p)
        k2 = rates(y + h * k1, p)
        error = np.sqrt(np.sum((0.5 * h * (k2 - k1)) ** 2)) / 1e-6
        if error <= 1.0:
            t += h
            y = y + 0.5 * h * (k1 + k2)
        h = 0.9 * h * min(2.0, max(0.3, error**-0.5))
    return y[0] * y[1]


@njit
def adaptive_by_hand(y, p, end):
    """Keeps state, time and length of every step; the lengths have derivatives, too."""
    room, count = 1024, 0
    kept = np.empty((room, 4))
    u, v, t, h = y[0], y[1], 0.0, 0.1
    while t < end:
        if count == room:
            longer = np.empty((2 * room, 4))
            longer[:room] = kept
            kept, room = longer, 2 * room
        kept[count, 0], kept[count, 1], kept[count, 2], kept[count, 3] = u, v, t, h
        count += 1
        h = min(h, end - t)
        a1, b1 = slope(u, v, p)
        a2, b2 = slope(u + h * a1, v + h * b1, p)
        a, b = 0.5 * h * (a2 - a1), 0.5 * h * (b2 - b1)
        error = math.sqrt(a * a + b * b) / 1e-6
        if error <= 1.0:
            t += h
            u, v = u + 0.5 * h * (a1 + a2), v + 0.5 * h * (b1 + b2)
        h = 0.9 * h * min(2.0, max(0.3, error**-0.5))
    u_bar, v_bar, t_bar, h_bar = v, u, 0.0, 0.0
    p_bar = np.zeros(4)
    for k in range(count - 1, -1, -1):
        u, v, t, wanted = kept[k, 0], kept[k, 1], kept[k, 2], kept[k, 3]
        h = min(wanted, end - t)
        a1, b1 = slope(u, v, p)
        u2, v2 = u + h * a1, v + h * b1
        a2, b2 = slope(u2, v2, p)
        a, b = 0.5 * h * (a2 - a1), 0.5 * h * (b2 - b1)
        length = math.sqrt(a * a + b * b)
        error = length / 1e-6
        power = error**-0.5
        own = 0.9 * h_bar * min(2.0, max(0.3, power))
        a1_bar = b1_bar = a2_bar = b2_bar = 0.0
        if 0.3 < power < 2.0:
            error_bar = 0.9 * h * h_bar * -0.5 * power / error
            a_bar, b_bar = error_bar / 1e-6 * a / length, error_bar / 1e-6 * b / length
            own += 0.5 * (a_bar * (a2 - a1) + b_bar * (b2 - b1))
            a2_bar, b2_bar = 0.5 * h * a_bar, 0.5 * h * b_bar
            a1_bar, b1_bar = -a2_bar, -b2_bar
        if error <= 1.0:
            own += t_bar + 0.5 * (u_bar * (a1 + a2) + v_bar * (b1 + b2))
            a1_bar += 0.5 * h * u_bar
            a2_bar += 0.5 * h * u_bar
            b1_bar += 0.5 * h * v_bar
            b2_bar += 0.5 * h * v_bar
        f, g = slope_bar(u2, v2, p, a2_bar, b2_bar, p_bar)
        own += f * a1 + g * b1
        u_bar, v_bar = u_bar + f, v_bar + g
        f, g = slope_bar(u, v, p, a1_bar + h * f, b1_bar + h * g, p_bar)
        u_bar, v_bar = u_bar + f, v_bar + g
        if wanted < end - t:
            h_bar = own
        else:
            h_bar, t_bar = 0.0, t_bar - own
    return np.array([u_bar, v_bar]), p_bar


def span(end: int) -> tuple:
    return np.array([1.0, 0.5]), np.array([0.7, 0.3, 0.4, 0.2]), float(end)


# -- Mandelbrot's iteration in complex numbers ----------


@njit
def escape(x, y, width, n):
    total = 0.0
    for i in range(n):
        for j in range(n):
            c = complex(x + width * i / n, y + width * j / n)
            z = 0j
            for _ in range(20):
                z = z * z + c
                if abs(z) > 2.0:
                    break
            total += math.log(1.0 + abs(z))
    return total


@njit
def escape_by_hand(x, y, width, n):
    x_bar = y_bar = width_bar = 0.0
    kept = np.empty(20, np.complex128)
    for i in range(n):
        for j in range(n):
            c = complex(x + width * i / n, y + width * j / n)
            z, count = 0j, 0
            for _ in range(20):
                kept[count] = z
                count += 1
                z = z * z + c
                if abs(z) > 2.0:
                    break
            z_bar, c_bar = z / (abs(z) * (1.0 + abs(z))), 0j
            for k in range(count - 1, -1, -1):
                c_bar += z_bar
                z_bar = 2.0 * z_bar * kept[k].conjugate()
            x_bar += c_bar.real
            y_bar += c_bar.imag
            width_bar += (c_bar.real * i + c_bar.imag * j) / n
    return x_bar, y_bar, width_bar


def escape_of(np):
    from jax import lax

    def f(x, y, width, n):
        along = np.arange(n) / n
        c = lax.complex(*np.broadcast_arrays((x + width * along)[:, None], y + width * along))

        def step(_, state):
            z, is_inside = state
            z = np.where(is_inside, z * z + c, z)
            return z, is_inside & (abs(z) <= 2.0)

        z, _ = lax.fori_loop(0, 20, step, (0 * c, c == c))
        return np.sum(np.log(1.0 + abs(z)))

    return f


PROBLEMS = (
    Problem(
        name="wave",
        title="2-D wave, slices that change places",
        primal=wave,
        by_hand=wave_by_hand,
        wrt=(0, 1),
        arguments=membrane,
        size=100,
        sizes=(10, 100, 1000, 5000),
        goal=1.1,
        call=1e-5,
        peers={"JAX": wave_of},
    ),
    Problem(
        name="adaptive",
        title="adaptive Runge-Kutta with rejection",
        primal=adaptive,
        by_hand=adaptive_by_hand,
        wrt=(0, 1),
        arguments=span,
        size=2,
        sizes=(1, 10, 100, 1000),
        goal=1.1,
        call=1e-5,
    ),
    Problem(
        name="mandelbrot",
        title="Mandelbrot, complex numbers",
        primal=escape,
        by_hand=escape_by_hand,
        wrt=(0, 1, 2),
        arguments=lambda n: (-1.9, -1.1, 2.1, n),
        size=50,
        sizes=(10, 30, 100, 300),
        goal=1.1,
        call=1e-5,
        peers={"JAX": escape_of},
    ),
)
