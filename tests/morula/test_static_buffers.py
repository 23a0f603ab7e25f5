"""Buffers in attributes that change places, parts of complex arrays that are written, and loops over places."""

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.linspace(0.1, 1, 24)


class Wave:
    def __init__(self, u, c):
        self.prev = u.copy()
        self.cur = u.copy()
        self.next = np.zeros_like(u)
        self.c = c

    def step(self):
        self.next[1:-1] = (
            2 * self.cur[1:-1] - self.prev[1:-1] + self.c * (self.cur[2:] - 2 * self.cur[1:-1] + self.cur[:-2])
        )
        self.prev, self.cur, self.next = self.cur, self.next, self.prev


def wave(u, c):
    w = Wave(u, c)
    for _ in range(50):
        w.step()
    return np.sum(w.cur**2) + np.sum(w.prev)


class Bad(Wave):
    def __init__(self, u, c):
        self.cur = u.copy()
        self.next = self.cur
        self.c = c

    def step(self):
        self.next[1:-1] = self.cur[1:-1] + self.c * (self.cur[2:] - 2 * self.cur[1:-1] + self.cur[:-2])
        self.cur, self.next = self.next, self.cur


def bad(u, c):
    w = Bad(u, c)
    for _ in range(50):
        w.step()
    return np.sum(w.cur**2) + np.sum(w.next)


class Keep(Bad):
    def __init__(self, u, c):
        self.cur = u.copy()
        self.next = np.zeros_like(u)
        self.c = c

    def run(self):
        s = 0.0
        for _i in range(20):
            old = self.cur
            self.step()
            self.step()
            s = s + np.sum(old * self.cur)
        return s


def keep(u, c):
    return Keep(u, c).run()


def keep2(u, c):
    k = Keep(u, c)
    old = k.cur
    k.step()
    k.step()
    return np.sum(old * k.cur)


def keep3(u, c):
    k = Keep(u, c)
    t = k.cur
    k.cur, k.next = k.next, k.cur
    k.cur = t
    k.cur[3:6] = 1.0 * c
    return np.sum(k.next * k.cur)


def keep4(u, c):
    k = Keep(u, c)
    h = []
    for _i in range(10):
        k.step()
        h.append(k.cur)
    return np.sum(h[3] * k.cur)


def keep5(u, c):
    k, other = Keep(u, c), Keep(u * 2, c)
    for _i in range(10):
        k.step()
        other.step()
        k.cur, other.cur = other.cur, k.cur
    return np.sum(other.cur * k.cur)


def keep6(u, c):
    k = Keep(u, c)
    for i in range(10):
        k.step()
        k.cur[0] = c * i
        v = k.next
        v[2:5]
        k.step()
    return np.sum(k.cur * k.next)


def keep7(u, c):
    k = Keep(u, c)
    k.next = k.cur
    for _i in range(10):
        k.step()
    return np.sum(k.cur * k.next)


def keep8(u, c):
    k = Keep(u, c)
    other = Keep(u, c)
    for _i in range(10):
        k.step()
        other.step()
        other.next = k.cur
    return np.sum(k.cur * other.cur)


def parts(u, a):
    F = np.fft.rfft(u)
    for _i in range(10):
        F[1:4] *= 0.9
        F[5] = a
        F[6:8] = a * 2
        F[8:10] = u[:2]
        F[10] += a
        F[2:4] += F[4:6] * a
        F[[1, 3]] = F[[3, 2]]
        F[0] = 0.0
    u = np.fft.irfft(F, n=24)
    return np.sum(u**3) + np.sum(np.abs(F[3:9]) ** 2)


def alias(u, a):
    F = np.fft.rfft(u)
    G = F
    F[2:5] = 0
    H = F.copy()
    H[1] = 2.0 * a
    u = np.fft.irfft(G, n=24) * np.fft.irfft(H, n=24)
    return np.sum(u**3)


def mask(u, a):
    F = np.fft.fft(u)
    k = np.abs(np.fft.fftfreq(24))
    for _i in range(10):
        F[k > 0.3] = 0
        F[k > 0.2] *= a
        u = np.fft.ifft(F).real
        F = F + 0.1 * np.fft.fft(u**2)
    return np.sum(np.abs(F) ** 2)


def conjw(u, a):
    F = np.fft.fft(u)
    G = np.zeros(24, dtype=complex)
    G[0] = F[0]
    G[1:12] = 1j * a * F[1:12]
    G[13:] = -1j * F[13:]
    return np.sum(np.fft.ifft(G).real ** 2)


def lowpass(F, k):
    F[k:] = 0
    return F


def callee(u, a):
    F = np.fft.rfft(u)
    G = lowpass(F, 5)
    return np.sum(np.abs(F) ** 2) + a * np.sum(np.abs(G) ** 4)


def viewed(u, a):
    F = np.fft.rfft(u)
    r = F.real
    s = F[2:6]
    F[3:5] = a
    return np.sum(r**3) + np.sum(np.abs(s) ** 2)


def nd2(u):
    u = u.copy()
    n, m = u.shape
    for _t in range(3):
        for i, j in np.ndindex(n, m):
            if i == 2 and j > 3:
                continue
            u[i, j] = 0.9 * u[i, j] + 0.1 * u[i - 1, j - 1] ** 2
            if i == 4 and j == 4:
                break
    return u.sum() + i * j * u[i, j]


def outs(x, y):
    s = 0.0
    for _k in range(20):
        a = np.multiply.outer(x, y) * 0.1
        b = np.add.outer(y, x)
        s += np.sum(a**2 * b.T)
        x = x + 0.01 * a.sum(axis=1)
    return s


def idx(u):
    s = 0.0
    for p_ in np.ndindex(u.shape):
        s += u[p_] * (p_[0] + 1)
    for p_ in np.ndindex(*u.shape):
        s += u[p_] ** 2
    for (i,) in np.ndindex(5):
        s += u[i, 0]
    return s


def fft_filter(u, a):
    for _t in range(100):
        F = np.fft.rfft(u)
        F[8:] = 0
        F = F * np.exp(-a * np.arange(F.size) * 0.01)
        u = np.fft.irfft(F, n=u.size)
        u = u - 0.01 * u**3
    return np.sum(u**2)


edges = np.array([(i, (i * 7 + 3) % 20) for i in range(30)]) % 20


def spectral(u, nu):
    n = u.size
    k = np.fft.fftfreq(n, 1 / n) * 1j
    dealias = np.abs(np.fft.fftfreq(n, 1 / n)) < n / 3
    uh = np.fft.fft(u)
    for _ in range(60):
        uh[~dealias] = 0.0
        ux = np.fft.ifft(k * uh).real
        uu = np.fft.ifft(uh).real
        uh = uh + 0.001 * (-np.fft.fft(uu * ux) + nu * k**2 * uh)
    return np.sum(np.fft.ifft(uh).real ** 2)


def outer(x):
    v = np.zeros_like(x)
    for _ in range(100):
        d = np.subtract.outer(x, x)
        f = -np.sum(d / (d**2 + 0.1), axis=1)
        v = v + 0.01 * f
        x = x + 0.01 * v
    return np.sum(x**2)


def ndindex(u, k):
    s = 0.0
    for _t in range(4):
        for i, j in np.ndindex(u.shape):
            s += k * u[i, j] ** 2 * (i + j)
    return s


class Sim:
    def __init__(self, u, k):
        self.u = u
        self.k = k
        self.buf = np.zeros_like(u)

    def step(self):
        u = self.u
        self.buf[1:-1] = u[1:-1] + self.k * (u[2:] - 2 * u[1:-1] + u[:-2])
        self.u, self.buf = self.buf, self.u

    def energy(self):
        return np.sum(self.u**2)


def sim_class(u, k):
    s = Sim(u.copy(), k)
    for _ in range(100):
        s.step()
    return s.energy()


PROGRAMS = [
    (
        wave,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (
        parts,
        (
            X,
            0.7,
        ),
    ),
    (
        mask,
        (
            X,
            0.7,
        ),
    ),
    (nd2, (np.linspace(0.1, 1, 30).reshape(5, 6),)),
    (
        outs,
        (
            np.linspace(0.1, 1, 8),
            np.linspace(0.3, 1, 9),
        ),
    ),
    (idx, (np.linspace(0.1, 1, 30).reshape(5, 6),)),
    (
        fft_filter,
        (
            np.sin(3 * X),
            0.3,
        ),
    ),
    (
        spectral,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (outer, (np.linspace(0, 1, 12),)),
    (
        ndindex,
        (
            np.linspace(0, 1, 30).reshape(5, 6),
            0.1,
        ),
    ),
    (
        sim_class,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
]
SHARED = [
    (
        bad,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (
        keep,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (
        keep2,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (
        keep3,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (
        keep4,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (
        keep5,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (
        keep6,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (
        keep7,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (
        keep8,
        (
            np.sin(3 * X),
            0.1,
        ),
    ),
    (
        alias,
        (
            X,
            0.7,
        ),
    ),
    (
        conjw,
        (
            X,
            0.7,
        ),
    ),
    (
        callee,
        (
            X,
            0.7,
        ),
    ),
    (
        viewed,
        (
            X,
            0.7,
        ),
    ),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_static(f, args):
    check_static(f, args)


@pytest.mark.parametrize(("f", "args"), SHARED)
def test_arrays_that_something_else_has(f, args):
    eager, static = found_by("eager", f, args), found_by("static", f, args)
    assert repr(static.value) == repr(eager.value)
    assert alike(static.gradient, eager.gradient)
