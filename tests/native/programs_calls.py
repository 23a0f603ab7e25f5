"""Calls: other compiled functions, recursion, closures over constants; `math`, ufuncs, reductions, algebra."""

import cmath
import math

import numpy as np
from native_helpers import A, Programs
from numba import njit

PROGRAMS = Programs()
x4, y4 = A(0.3, -0.7, 1.1, 0.4), A(1.2, 0.5, -0.3, 0.8)
M34 = np.sin(np.arange(12.0) * 1.7 + 0.3).reshape(3, 4)
S33 = M34[:, :3] @ M34[:, :3].T + 2.0 * np.eye(3)
SCALE = 0.7
TABLE = np.array([0.5, -1.5, 2.5, 0.25])
PLACES = (2, 0, 1)


@njit
def square(a):
    return a * a


@njit
def bent(a, b):
    if a > b:
        return a * b
    c = square(a) + b
    return c * square(c)


@njit
def add_into(u, a):
    for i in range(len(u)):
        u[i] += a * (i + 1)


@njit
def fill_row(u, v, k):
    u[k] = v * v[k]
    return u[k].sum()


@njit
def both(a, b):
    return a * b, a + b


@njit
def scaled(u, a):
    return u * a


@njit
def search(u, limit):
    for i in range(len(u)):
        if u[i] > limit:
            return u[i] * limit
    return limit


@njit
def apply(g, a):
    return g(a) * 2.0


@PROGRAMS(x4, 0.45)
@njit
def calls(x, a):
    s = square(a) + bent(a, x[0]) + bent(x[2], a)
    for i in range(len(x)):
        s += math.sin(bent(x[i], 5.0 + s) * 0.1)
    p, q = both(a, s)
    t = both(p, q)
    return s * p + t[0] + search(x, 0.2) + search(x, 9.0)


@PROGRAMS(x4, 0.3)
@njit
def calls_that_write(x, a):
    u = x * 1.0
    add_into(u, a)
    add_into(u[1:3], u[0])
    m = np.zeros((4, 4))
    s = 0.0
    for k in range(4):
        s += fill_row(m, u, k)
        add_into(m[:, k], s)
    return s * a + m[1, 2] * m[3, 0] + u[1]


@PROGRAMS(x4.copy(), 0.3)
@njit
def a_callee_writes_into_the_argument(x, a):
    add_into(x[::2], a)
    add_into(x, x[1])
    return x[0] * x[3]


@PROGRAMS(x4, 0.3)
@njit
def calls_that_return_arrays(x, a):
    u = scaled(x, a)
    v = scaled(u, 2.0)
    u[0] = 3.0
    w = scaled(v, u[1])
    return (u * v * w).sum() + scaled(x[1:], w[0])[1]


@njit
def power(a, n):
    if n == 0:
        return 1.0
    return a * power(a, n - 1)


@njit
def fibonacci(n, a):
    if n < 2:
        return a * (n + 1)
    return fibonacci(n - 1, a) + a * fibonacci(n - 2, a)


@njit
def halves(u, lo, hi):
    if hi - lo <= 1:
        return u[lo] * u[lo]
    mid = (lo + hi) // 2
    left = halves(u, lo, mid)
    u[lo] = u[lo] * 0.9
    return left + math.sin(halves(u, mid, hi))


@PROGRAMS(0.9, 3)
@njit
def recursion(a, n):
    return power(a, n) + fibonacci(5, a)


@PROGRAMS(x4.copy())
@njit
def recursion_on_an_array(x):
    return halves(x, 0, len(x)) + x[0]


@njit
def is_even(n, a):
    return a if n == 0 else is_odd(n - 1, a * 1.1)


@njit
def is_odd(n, a):
    return -a if n == 0 else is_even(n - 1, a * a)


@PROGRAMS(0.9)
@njit
def calls_each_other(a):
    return fibonacci(5, a) + is_even(3, a)


def with_constants(k, offset, table):
    @njit
    def inner(x):
        return (x * k + offset).sum() * table[1]

    return inner


INNER = with_constants(3, 0.5, (1.0, 2.0))


@PROGRAMS(x4, 0.3)
@njit
def constants(x, a):
    s = 0.0
    for i in range(len(x)):
        s += TABLE[i] * x[i] * SCALE
    for k in PLACES:
        s *= x[k] + 2.0
    return s + INNER(x) + (TABLE * x).sum() * a


@PROGRAMS(x4, 0.3)
@njit
def functions_inside(x, a):
    def shifted(t):
        return t * t + 0.5

    s = shifted(a)
    for v in x:
        s += shifted(v) * a
    return s + (lambda t: t * 3.0)(s)


@PROGRAMS(0.3)
@njit
def functions_as_arguments(a):
    return apply(square, a) + apply(math_of, a)


@njit
def math_of(a):
    return math.sin(a) * math.exp(a)


@njit
def with_defaults(a, b=2.0, n=3):
    s = a
    for _ in range(n):
        s = s * b + a
    return s


@PROGRAMS(0.3, 0.4)
@njit
def defaults_and_keywords(a, b):
    return with_defaults(a) + with_defaults(a, b) + with_defaults(a, n=1) + with_defaults(b=a, a=b, n=2)


@PROGRAMS(0.3, 0.7)
@njit
def functions_of_math(a, b):
    s = math.sin(a) + math.cos(b) * math.tan(a) + math.asin(a) + math.acos(b) + math.atan(a) + math.atan2(a, b)
    s += math.sinh(a) * math.cosh(b) + math.tanh(a) + math.asinh(a) + math.acosh(1.0 + b) + math.atanh(a)
    s += math.exp(a) * math.log(b) + math.log1p(a) + math.expm1(b) + math.sqrt(a) + math.pow(a, b)
    s += math.log10(a) + math.log2(b) + math.hypot(a, b) + math.fabs(a - b) + math.erf(a) * math.erfc(b)
    s += math.gamma(1.0 + a) + math.lgamma(1.0 + b) + math.copysign(a, -b) + math.degrees(a) * math.radians(b)
    return s + math.ldexp(a, 2) + b % a + abs(a - b) + a**b + pow(b, a) + math.pi * a


@PROGRAMS(x4, A(0.2, 0.5, 0.3, 0.8))
@njit
def ufuncs(x, p):
    s = np.sin(x) + np.cos(x) * np.tan(x) + np.arcsin(p) + np.arccos(p) + np.arctan(x) + np.arctan2(x, p)
    s += np.sinh(x) * np.cosh(x) + np.tanh(x) + np.arcsinh(x) + np.arccosh(1.0 + p) + np.arctanh(p)
    s += np.exp(x) * np.log(p) + np.log1p(p) + np.expm1(x) + np.sqrt(p) + p**x + np.power(p, 2.5)
    s += np.log10(p) + np.log2(p) + np.hypot(x, p) + np.abs(x) + np.square(x) + np.reciprocal(p) + np.exp2(x)
    s += np.maximum(x, p) * np.minimum(x, 0.5) + np.true_divide(x, p) + np.negative(x) + np.sign(x) * p
    s += np.logaddexp(x, p) + np.where(x > 0.0, x * x, p) + np.cbrt(p) + np.floor(x) * p + np.clip(x, -0.5, 0.9)
    return s * np.deg2rad(x) + np.copysign(p, x)


@PROGRAMS(0.4, 0.7)
@njit
def ufuncs_of_numbers(a, b):
    s = np.sin(a) * np.exp(b) + np.maximum(a, b) + np.sqrt(b) * np.log1p(a) + np.abs(a - b)
    return s + np.minimum(a, b) * np.arctan2(a, b) + np.where(a > b, a * a, b * a) + np.logaddexp(a, b)


@PROGRAMS(M34, x4, 0.3)
@njit
def array_expressions(m, x, a):
    u = m * x + a
    v = u / (1.0 + m * m) - x * a
    w = m[:, 1:2] * v + x[np.newaxis, :]
    r = np.exp(-w * w) * np.sin(u + v * 2.0) ** 2
    u += r
    u *= m[0]
    u -= 1.0
    u /= 2.0 + x * x
    return (u * r).sum() + (-v).sum() + ((u > 0.0) * w).sum()


@PROGRAMS(M34, x4)
@njit
def reductions(m, x):
    s = m.sum() * x.mean() + np.sum(m * m) + np.mean(m) + m[1].max() * x.min() + np.max(x) * np.min(m)
    t = m.sum(axis=0) * x
    r = np.sum(m, axis=1)
    s += (t * t).sum() + (r * r).sum() + np.prod(x) + x.prod() * x.std() + np.var(m) + x.var()
    c = np.cumsum(x) + x.cumsum()
    s += (c * x).sum() + np.cumprod(x)[2] + np.trace(m[:, :3]) + np.ptp(x)
    return s + np.argmax(x) * x[np.argmin(x)] + np.median(x) + (x * np.diff(np.append(x, 0.5))).sum()


@PROGRAMS(M34, x4, y4)
@njit
def products(m, x, y):
    u = m @ x
    v = np.dot(m, y)
    g = m @ m.T
    s = x @ y + np.dot(u, v) + (g * g).sum() + np.vdot(x, y)
    o = np.outer(x, y)
    w = g @ np.ascontiguousarray(m)
    return s + (o * o).sum() * 0.1 + w[1, 2] + (u @ m).sum() + (m.T @ v)[1] + np.kron(x[:2], y[:2])[1]


@PROGRAMS(S33, x4[:3])
@njit
def linear_algebra(a, b):
    z = np.linalg.solve(a, b)
    i = np.linalg.inv(a)
    d = np.linalg.det(a)
    sign, logdet = np.linalg.slogdet(a)
    s = (z * b).sum() + (i * a.T).sum() + 0.1 * d + sign * logdet
    return s + np.linalg.norm(b) * np.linalg.norm(a)


@PROGRAMS(S33, x4[:3])
@njit
def cholesky(a, b):
    c = np.linalg.cholesky(a + a.T)
    y = np.linalg.solve(c, b)
    return (y * y).sum() + np.log(np.diag(c)).sum() + np.linalg.eigvalsh(a + a.T)[1]


@PROGRAMS(M34, x4)
@njit
def rearranged(m, x):
    u = np.concatenate((x, m[0], x[1:2]))
    v = np.stack((x, m[1]))
    w = np.hstack((x, x * x))
    f = np.flip(x) * np.roll(x, 1) if len(x) > 9 else x[::-1] * x
    t = np.transpose(m) * x[:, np.newaxis]
    r = np.repeat(x, 2)
    s = (u * u).sum() + (v[0] * v[1]).sum() + w[5] * w[0] + (f * x).sum() + (t * t).sum() + r[3] * r[4]
    return s + np.vstack((x, x))[1, 2] * x[0] + np.sort(x)[1] * x[0] + (np.roll(x, 1) * x).sum()


@PROGRAMS(A(0.4 + 0.7j, -0.2 + 0.5j), 0.3)
@njit
def complex_functions(z, a):
    w = np.exp(z) * np.sin(z * a) + np.sqrt(z) + np.conj(z) / z
    c = cmath.sqrt(z[0]) * cmath.log(z[1]) + cmath.cos(a * z[0])
    return np.abs(w).sum() + (w.real * np.angle(z)).sum() + c.real * c.imag + complex(a, a * a).imag + np.real(c)


# -- functions as values ----------


@njit
def runge_kutta(f, y, t, h):
    k1 = f(y, t)
    k2 = f(y + 0.5 * h * k1, t + 0.5 * h)
    k3 = f(y + 0.5 * h * k2, t + 0.5 * h)
    k4 = f(y + h * k3, t + h)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


@njit
def pendulum(y, t):
    made = np.empty(2)
    made[0] = y[1]
    made[1] = -math.sin(y[0]) - 0.1 * y[1] * math.cos(t)
    return made


@njit
def integrated(f, y, n, h):
    for k in range(n):
        y = runge_kutta(f, y, k * h, h)
    return y


@PROGRAMS(A(0.9, -0.2), 0.1)
@njit
def an_integrator_given_its_equation(y, h):
    return (integrated(pendulum, y, 4, h) ** 2).sum()


@PROGRAMS(x4, 0.3)
@njit
def functions_that_capture(x, a):
    scale = a * 2.0
    wave = np.sin

    def energy(u, p):
        def bent(v):
            return wave(v * scale) + p

        s = 0.0
        for v in u:
            s += bent(v) ** 2
        return s

    half = lambda v: 0.5 * v * a
    return energy(x, a) + half(energy(2.0 * x, half(a))) + twice(math_of, a)


@njit
def twice(f, p):
    return f(f(p)) + 0.1 * f(p)


@PROGRAMS(A(0.4, 0.9), A(1.0, -0.5))
@njit
def joined(x, y):
    m = np.column_stack((x, y, x * y))
    s = np.append(x, y)[1:3].sum() + (np.vstack((m, m)) ** 2).sum()
    return s + (np.concatenate((m, m * 2.0), axis=1)[0] * np.hstack((x, y, x))).sum()


@njit
def decay(t, a, b, c):
    return a * np.exp(-b * t) + c


@njit
def sum_of_products(x, *others):
    s = x
    for v in others:
        s += v * x
    return s


@PROGRAMS((1.0, 2.0, 0.3), (A(0.0, 0.4, 1.0), A(0.9, -0.2, 0.7)))
@njit
def star_calls(p, args):
    """Tuples whose lengths their types say: `curve_fit`'s way to write a model, and functions of many arguments."""
    t, y = args
    r = decay(t, *p) - y
    pair = (p[0] * p[1], p[2])
    return np.sum(r * r) + sum_of_products(*pair) * sum_of_products(p[1], *pair, 0.5)
