"""Programs as scientists write them in plain Python and NumPy; `plain.py` differentiates them."""

import math

import numpy as np

BOYS = 763
IN_BED = np.array([3.0, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4])
STEPS_PER_DAY = 10
DAYS = 14


def square(x):
    return x * x


def rates(state, beta, gamma):
    susceptible, infective, _ = state
    infections = beta * susceptible * infective / BOYS
    recoveries = gamma * infective
    return np.array([-infections, infections - recoveries, recoveries])


def epidemic(beta, gamma, first):
    steps = (DAYS - 1) * STEPS_PER_DAY
    states = np.zeros((steps + 1, 3))
    states[0] = BOYS - first, first, 0.0
    h = 1 / STEPS_PER_DAY
    for i in range(steps):
        x = states[i]
        k1 = rates(x, beta, gamma)
        k2 = rates(x + h / 2 * k1, beta, gamma)
        k3 = rates(x + h / 2 * k2, beta, gamma)
        k4 = rates(x + h * k3, beta, gamma)
        states[i + 1] = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return states


def sir(theta):
    beta, gamma, first = math.exp(theta[0]), math.exp(theta[1]), math.exp(theta[2])
    if first >= BOYS:
        return math.inf
    in_bed = epidemic(beta, gamma, first)[::STEPS_PER_DAY, 1]
    return DAYS / 2 * math.log(np.mean((in_bed - IN_BED) ** 2))


def flow(s, i, beta, gamma):
    infections = beta * s * i / BOYS
    recoveries = gamma * i
    return -infections, infections - recoveries


def sir_floats(beta, gamma, first):
    s = BOYS - first
    i = first
    h = 1 / STEPS_PER_DAY
    total = (i - IN_BED[0]) ** 2
    for day in range(1, DAYS):
        for _ in range(STEPS_PER_DAY):
            s1, i1 = flow(s, i, beta, gamma)
            s2, i2 = flow(s + h / 2 * s1, i + h / 2 * i1, beta, gamma)
            s3, i3 = flow(s + h / 2 * s2, i + h / 2 * i2, beta, gamma)
            s4, i4 = flow(s + h * s3, i + h * i3, beta, gamma)
            s = s + h / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
            i = i + h / 6 * (i1 + 2 * i2 + 2 * i3 + i4)
        total += (i - IN_BED[day]) ** 2
    return DAYS / 2 * math.log(total / DAYS)


def lv_rhs(y, p):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]])


def lotka_volterra(p):
    y = np.array([10.0, 5.0])
    h = 0.05
    total = 0.0
    for i in range(200):
        k1 = lv_rhs(y, p)
        k2 = lv_rhs(y + h / 2 * k1, p)
        k3 = lv_rhs(y + h / 2 * k2, p)
        k4 = lv_rhs(y + h * k3, p)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if i % 10 == 0:
            total = total + np.sum((y - 7.0) ** 2)
    return total


def anomaly(m, e):
    x = m
    for _ in range(50):
        step = (x - e * math.sin(x) - m) / (1.0 - e * math.cos(x))
        x = x - step
        if abs(step) < 1e-12:
            break
    return x


def kepler(a, e, m0):
    total = 0.0
    for k in range(100):
        m = m0 + 0.06 * k
        x = anomaly(m, e)
        px = a * (math.cos(x) - e)
        py = a * math.sqrt(1.0 - e * e) * math.sin(x)
        total += (px - math.cos(m)) ** 2 + (py - math.sin(m)) ** 2
    return total


def diffusion(u0, d, r):
    u = u0.copy()
    for _ in range(50):
        u[1:-1] += d * (u[2:] - 2 * u[1:-1] + u[:-2]) + r * u[1:-1] * (1 - u[1:-1])
    return np.sum(u**2)


def logistic(w, X, y):
    p = 1 / (1 + np.exp(-X @ w))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def mixture(mu, logs, alphas, X):
    weights = alphas - np.log(np.sum(np.exp(alphas - np.max(alphas)))) - np.max(alphas)
    scaled = (X[:, None, :] - mu[None, :, :]) / np.exp(logs)[None, :, :]
    q = weights - 0.5 * np.sum(scaled**2, axis=2) - np.sum(logs, axis=1)
    top = np.max(q, axis=1, keepdims=True)
    return np.sum(top[:, 0] + np.log(np.sum(np.exp(q - top), axis=1)))


def network(W1, b1, W2, b2, X, T):
    total = 0.0
    for i in range(len(X)):
        x, t = X[i], T[i]
        h = np.tanh(W1 @ x + b1)
        total = total + np.sum((W2 @ h + b2 - t) ** 2)
    return total / len(X)


def kalman(q, r, zs):
    F = np.array([[1.0, 0.1], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    x, P, total = np.zeros(2), np.eye(2), 0.0
    for z in zs:
        x = F @ x
        P = F @ P @ F.T + q * np.eye(2)
        S = H @ P @ H.T + r
        K = P @ H.T @ np.linalg.inv(S)
        e = z - (H @ x)[0]
        x = x + K @ np.array([e])
        P = (np.eye(2) - K @ H) @ P
        total += np.log(S[0, 0]) + e * e / S[0, 0]
    return total


class Body:
    def __init__(self, x, v, mass):
        self.x = x
        self.v = v
        self.mass = mass
        self.force = 0.0

    def step(self, dt):
        self.v += dt * self.force / self.mass
        self.x += dt * self.v


class Spring:
    def __init__(self, a, b, k, rest):
        self.a, self.b, self.k, self.rest = a, b, k, rest

    def pull(self):
        f = self.k * (self.b.x - self.a.x - self.rest)
        self.a.force += f
        self.b.force -= f


def springs(k, damping, mass):
    bodies = [Body(1.1 * i, 0.0, mass) for i in range(5)]
    links = [Spring(bodies[i], bodies[i + 1], k, 1.0) for i in range(4)]
    bodies[0].v = 0.5
    for _ in range(100):
        for b in bodies:
            b.force = -damping * b.v
        for s in links:
            s.pull()
        for b in bodies:
            b.step(0.05)
    return sum([(b.x - i) ** 2 for i, b in enumerate(bodies)])


def integrand(x, a, w):
    return math.exp(-a * x) * math.sin(w * x) / (1.0 + x * x)


def simpson(lo, flo, hi, fhi, mid, fmid, whole, a, w, eps, depth):
    lm = 0.5 * (lo + mid)
    rm = 0.5 * (mid + hi)
    flm = integrand(lm, a, w)
    frm = integrand(rm, a, w)
    left = (mid - lo) / 6.0 * (flo + 4.0 * flm + fmid)
    right = (hi - mid) / 6.0 * (fmid + 4.0 * frm + fhi)
    if depth <= 0 or abs(left + right - whole) <= 15.0 * eps:
        return left + right + (left + right - whole) / 15.0
    return simpson(lo, flo, mid, fmid, lm, flm, left, a, w, eps / 2.0, depth - 1) + simpson(
        mid, fmid, hi, fhi, rm, frm, right, a, w, eps / 2.0, depth - 1
    )


def quadrature(a, w):
    flo = integrand(0.0, a, w)
    fmid = integrand(2.5, a, w)
    fhi = integrand(5.0, a, w)
    whole = 5.0 / 6.0 * (flo + 4.0 * fmid + fhi)
    return simpson(0.0, flo, 5.0, fhi, 2.5, fmid, whole, a, w, 1e-9, 30)


REACTIONS = [
    (("A", "B"), ("C",), "k1"),
    (("C",), ("A", "B"), "k2"),
    (("C",), ("D", "B"), "k3"),
    (("D",), ("E",), "k4"),
    (("D", "E"), ("F",), "k5"),
]


def chemistry(k):
    c = {"A": 1.0, "B": 0.5, "C": 0.0, "D": 0.0, "E": 0.0, "F": 0.0}
    dt = 0.01
    for _ in range(200):
        change = dict.fromkeys(c, 0.0)
        for inputs, outputs, name in REACTIONS:
            rate = k[name]
            for s in inputs:
                rate = rate * c[s]
            for s in inputs:
                change[s] -= rate
            for s in outputs:
                change[s] += rate
        for s in c:
            c[s] += dt * change[s]
    return (c["E"] - 0.1) ** 2 + (c["F"] - 0.05) ** 2


def chain(x):
    for _ in range(1000):
        x = math.sin(x) * 1.01 + 0.1
    return x


def mse(y, t):
    total = 0.0
    for i in range(len(y)):
        total = total + (y[i] - t[i]) ** 2
    return total / len(y)


def oscillators(k, w1, w2):
    a = 0.1
    b = 1.3
    for step in range(300):
        if step % 3 == 0:
            f = k * math.sin(b - a)
        else:
            f = 0.5 * k * math.tanh(b - a)
        a = a + 0.01 * (w1 + f)
        b = b + 0.01 * (w2 - f)
        if a > 6.28:
            a -= 6.28
    return math.cos(a - b)
