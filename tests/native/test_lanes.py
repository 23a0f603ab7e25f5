"""Tangents along several directions at once: in the lanes of vectors, of numbers of every kind."""

import cmath
import math

import numpy as np
import pytest
from native_helpers import A, Programs, check_lanes, check_products, copied, point
from numba import njit, prange

import morula

PROGRAMS = Programs()
x4 = A(0.3, -0.7, 1.1, 0.4)
z4 = x4 + 1j * A(1.2, 0.5, -0.3, 0.8)
M = np.cos(np.arange(12.0)).reshape(3, 4)


@PROGRAMS(x4, 0.7)
@njit
def complex_numbers_between_real_ones(x, a):
    z = complex(a, 1.0)
    s = 0.0
    for i in range(len(x)):
        z = z * z * 0.3 + x[i] - (a - z)
        w = cmath.exp(z) / (z + 3.0)
        s += abs(w) + w.imag * z.conjugate().real - (-w).real
        if z.real > 0.2:
            z = complex(x[i], z.imag)
    return s + cmath.phase(z)


@PROGRAMS(z4, x4, 0.5 - 0.2j)
@njit
def complex_arguments(z, x, c):
    u = np.zeros(4, np.complex128)
    for i in range(4):
        u[i] = z[i] * x[i] + c
        u[i] += x[3 - i]
        u[i - 1] -= np.conj(z[i])
    u.real[1:] = x[1:]
    w = np.where(x > 0.35, x, u)
    return u, w * x.real, (u[::2].imag.sum(), z.reshape(2, 2).T[1, 0])


@PROGRAMS(z4, M + 0.5j * M)
@njit
def products_of_complex_arrays(z, m):
    return np.dot(m, z), np.vdot(z, z), (m * z).sum()


@PROGRAMS(x4, M)
@njit
def products_of_arrays(x, m):
    u = m @ (m.T @ (m * x[0])) @ np.sin(x)
    for i in range(2):
        if x[i] > 0.0:
            u = 0.5 * u
        v = u
        u = np.cos(v)
    return u @ v, v


@PROGRAMS(x4.astype(np.float32), np.float32(0.7), x4)
@njit
def single_precision(x, a, y):
    u = np.zeros(4, np.float32)
    for i in range(4):
        u[i] = np.float32(math.sin(x[i] * a)) + np.float32(y[i])
    return u, np.dot(u, x), u.sum() * y[0]


@PROGRAMS(x4, M)
@njit(parallel=True)
def parallel_loops(x, m):
    u = np.empty(4)
    s = 0.0
    for i in prange(4):
        u[i] = math.sin(x[i]) * x[i - 1]
        s += u[i] * m[1, i]
    return u * s


@PROGRAMS(x4, 0.4)
@njit
def larger_and_smaller_ones(x, a):
    u = np.maximum(x, a) * np.fmin(x[::-1], 2.0 * a) + np.clip(x, -a, a * a)
    s = 0.0
    for i in range(4):
        s = max(s, x[i] * u[i]) - min(u[i], a, s) + max(math.sin(s), 0.0) * a
    return s


@PROGRAMS(x4, 0.4)
@njit
def tapes_of_complex_numbers(x, a):
    z = complex(a, a * 0.5)
    n = 0
    while abs(z) < 3.0 and n < 40:
        z = z * z + x[n % 4] * 1j + 0.3
        n += 1
    return abs(z) * a


@pytest.mark.parametrize(("f", "args", "options"), PROGRAMS)
@pytest.mark.parametrize("width", [8, 16])
def test_directions_at_once(f, args, options, width):
    if width == 16 and f.__name__ in ("parallel_loops", "products_of_complex_arrays"):
        pytest.skip("says no more than eight lanes do")
    check_lanes(point(f, copied(args)), f"lanes{width}")


@pytest.mark.parametrize("f", [complex_numbers_between_real_ones, tapes_of_complex_numbers, larger_and_smaller_ones])
def test_products_with_a_hessian(f):
    check_products(point(f, (x4, 0.4)))


def test_jacobian_through_complex_numbers():
    """The verb itself takes this way."""

    @njit
    def spectrum(x):
        y = np.empty(3)
        for k in range(3):
            z = 0j
            for i in range(len(x)):
                z += x[i] * cmath.exp(-2j * math.pi * k * i / len(x))
            y[k] = abs(z) ** 2
        return y

    x = np.linspace(0.2, 1.4, 12)
    found = morula.jacobian(spectrum, x)
    with morula.tier("eager"):
        want = morula.jacobian(spectrum.py_func, x)
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-12)


def test_complex_values_and_arguments_are_left_to_one_direction_at_a_time():
    """Their lanes have another memory than those that Jacobians are made from."""

    @njit
    def rotated(x):
        return x * (0.3 + 0.4j) * x[::-1]

    @njit
    def energy(z):
        return (z * np.conj(z) * z[::-1].real).real.sum()

    x = np.linspace(0.2, 1.4, 12)
    found = morula.jacobian(rotated, x)
    with morula.tier("eager"):
        np.testing.assert_allclose(found, morula.jacobian(rotated.py_func, x), rtol=1e-12, atol=1e-12)
        z, v = x + 1j, x - 0.5j
        want = morula.hvp(energy.py_func, z, v)
    for _ in range(80):
        got = morula.hvp(energy, z, v)
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_what_is_not_chosen_has_no_gradient_whatever_the_seed():
    """A choice is no product with zero: infinities do not leak through it."""

    @njit
    def relu(x):
        return np.maximum(x, 0.0).sum() + max(x[0], 1.0)

    x = A(-1.0, 0.0, 2.0)
    _, back = morula.pullback(relu, x)
    np.testing.assert_array_equal(back(math.inf)[0], [0.0, 0.0, math.inf])
