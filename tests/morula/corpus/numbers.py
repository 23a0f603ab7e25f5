"""Numbers: special methods of floats, NumPy's scalars, complex numbers, integers and booleans among them."""

import math

import numpy as np

from corpus import THREE, VECTOR, Programs, X, Y

program = Programs()


@program(X)
def float_eq(x):
    return x * 2 if x.__eq__(x) else x


@program(X)
def float_lt(x):
    return x * 2 if x.__lt__(10.0) else x


@program(X)
def special_methods_of_a_float(x):
    return x.__add__(1) * x.__rsub__(3.0) * x.__pow__(2).__neg__().__abs__().__float__()


@program(np.float64(0.7))
def float64_argument(v):
    return v * v + v.item() * v.real + math.exp(v)


@program(VECTOR)
def scalar_index(a):
    s = a.sum()
    return s[()] * 2


@program(VECTOR)
def scalar_with_new_axis(a):
    s = a.sum()
    return (s[None] * np.array([1.0, 2.0])).sum()


@program(VECTOR)
def scalar_ellipsis(a):
    s = a.sum()
    return (s[...] * np.array([1.0, 2.0])).sum()


@program(VECTOR)
def methods_of_a_scalar(a):
    s = a.sum()
    return (
        s.clip(0, 10) * s.item()
        + s.astype(float)
        + s.mean()
        + s.reshape(1)[0]
        + s.max()
        + s.real
        + s.conj()
        + s.copy()
        + s.squeeze()
        + s.T
        + s.sum()
        + s.flatten()[0]
        + float(s)
        + s.tolist()
        + s.ravel()[0]
        + np.float64(s)
        + s.prod()
    )


@program(X, Y)
def quotients_and_remainders(x, y):
    q, r = divmod(y, x)
    return r + q * x + y % x + y // x * x + -y % x + math.fmod(y, x)


@program(X, Y)
def complex_arithmetic(x, y):
    z = complex(x, y)
    w = z * z.conjugate() + z**2 / (1 + z)
    w += 1j * x
    return abs(w) + w.real * z.imag + (z * 1j).real + abs(np.exp(z)) + np.angle(z) + (z / (2 + 1j)).imag


@program(X, Y)
def complex_recurrence(x, y):
    z = 0j
    for _k in range(3):
        z = z * z + complex(x, y) * 0.5
        z += x
        z *= 1j
    return abs(z) + z.real


@program(THREE)
def complex_build(x):
    z = x[0] + 1j * x[1]
    z *= z
    return z.real + abs(z) * z.imag + (z.conjugate() * z).real


@program(THREE)
def fractional_powers(x):
    return x[0] ** x[1] + 2.0 ** x[2] + math.pow(x[0], x[1]) + np.power(x, 2.5).sum() + x[2] ** -1 + (x ** x[0]).sum()


@program(THREE)
def int_float_mix(x):
    n = int(x[2] * 9)
    return x[0] * n + round(x[1], 1) * 0 + x[1] // 0.3 * 0 + divmod(x[2], 0.7)[1]


@program(THREE)
def integer_array(x):
    i = np.arange(3)
    y = i * x
    z = np.array([1, 2, 3])
    z = z * x[0]
    w = np.array([1, 2, 3])
    w[1] = x[1] * 3
    return y.sum() + z.sum() + w.sum() * x[0]


@program(THREE)
def inplace_int(x):
    n = np.zeros(3, int)
    n += np.array([1, 2, 3])
    return (n * x).sum()


@program(THREE)
def astype_round_trip(x):
    return (x.astype(np.float32).astype(float) * 2).sum() * 0 + (x.astype(int) * x).sum() + x.astype(complex).real.sum()


@program(VECTOR)
def booleans_times_numbers(a):
    return ((a > 0.8) * a + (a > 0.5)).sum() + True * a[0] + (a[1] > 0) * a[1]


@program(VECTOR)
def integer_arrays_beside(a):
    k = np.arange(4)
    j = k * 2
    j[1] = 7
    k += 1
    return (a**k).sum() + (a * j).sum() + (k / a).sum() + np.power(a, k).sum() + (2**a).sum()


@program(VECTOR)
def integer_array_changed_later(a):
    k = np.array([1, 2, 3, 4])
    k2 = k * a
    k[0] = 7
    i = np.zeros(4, int)
    i[:] = a * 10
    return (k2 * k).sum() + 0 * i.sum()
