"""Programs with small arrays: vectors and matrices of known lengths, which generated code has as numbers."""

import numpy as np
from native_helpers import A, Programs
from numba import njit

PROGRAMS = Programs()

POINTS = A((0.3, -0.8, 1.2), (0.5, 0.1, -0.4), (0.9, 0.7, 0.2), (-0.6, 1.1, 0.4))


@njit
def predator_prey(y, p):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], -p[2] * y[1] + p[3] * y[0] * y[1]])


@PROGRAMS(A(1.0, 0.5), A(0.7, 0.3, 0.4, 0.2))
@njit
def runge_kutta(y, p):
    h = 0.05
    for _ in range(7):
        k1 = predator_prey(y, p)
        k2 = predator_prey(y + h / 2 * k1, p)
        k3 = predator_prey(y + h * k2, p)
        y = y + h / 6 * (k1 + 4 * k2 + k3)
    return y[0] * y[1] + y.sum()


@PROGRAMS(A(0.3, 0.7, 0.9, 0.2))
@njit
def chosen_by_branches(x):
    v, w = np.array([x[0], x[1], x[2]]), np.zeros(3)
    for i in range(len(x)):
        if x[i] > 0.5:
            w = w + v * x[i]
            v = np.array([v[1], v[2], v[0]])
        else:
            w = w * 2.0
    return np.sum(w * v)


@PROGRAMS(0.7)
@njit
def one_array_under_two_names(x):
    """What is written into `a` after the loop is seen through `y` if the loop did not run."""
    total = 0.0
    for trips in range(3):
        a = np.array([x, x * x])
        y = a
        for _ in range(trips):
            y = y + a
        a[0] = 5.0
        total += y[0] * y[1]
    return total


@PROGRAMS(A(0.3, 0.7, 0.9))
@njit
def exchanged(x):
    a, b = np.array([x[0], x[1]]), np.array([x[1], x[2]])
    for _ in range(3):
        a, b = b, a * b
    k = 0
    while a[0] < 2.0:
        a = np.array([a[0] * 1.5 + 0.1, a[1] * b[0]])
        k += 1
        if k > 9:
            break
    return np.sum(a) * b[0]


@PROGRAMS(A(0.3, -0.7, 0.9))
@njit
def filled_element_by_element(x):
    m = np.zeros((2, 2))
    m[0, 0], m[0, 1], m[1, -1] = x[0], 2, x[2]
    for i in range(2):
        for j in range(2):
            m[i, j] += x[i] * x[j]
    u = np.ones(3)
    u[2] -= x[1]
    return np.sum(m**2) + np.sum(u * np.array([1, 2, 3]))


@PROGRAMS(POINTS, A(0.4, 0.2, -0.3))
@njit
def rows_and_products(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        d = x[i] - y
        s += d @ d + np.cross(d, y)[1] * np.dot(d, y)
    return s


@PROGRAMS(A((0.9, -0.2), (0.4, 1.1)), A((0.3, 0.6), (-0.5, 0.8)), A(0.3, 0.6))
@njit
def small_matrices(a, b, x):
    for _ in range(3):
        a = a @ b * 0.5
        x = np.sin(a @ x) / np.sqrt(x @ x)
    return np.sum(a) + (a @ b)[0, 1] + (x @ a)[1]


@PROGRAMS(A(1.5), A(0.7, 0.3), native=True)
@njit
def lengths_that_broadcast(one, two):
    for _ in range(2):
        two = two * one + np.array([0.1, 0.2])
    return np.sum(two * one)
