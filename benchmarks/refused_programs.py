"""Natural programs that have no static adjoint today, as scientists write them."""

# ruff: noqa: B905

import datetime
import itertools
import math

import numpy as np


def stencil(u, steps=60):
    """Heat flow in a view of the inner cells, which is written into."""
    u = u.copy()
    inner, left, right = u[1:-1], u[:-2], u[2:]
    for _ in range(steps):
        inner += 0.1 * (left - 2 * inner + right)
    return float((u**2).sum())


FLOWS = [(datetime.date(2020, 1, 1) + datetime.timedelta(days=91 * k), 25.0 + k % 3) for k in range(80)]


def present_value(rate, spread):
    """Payments on dates, discounted by the fraction of a year."""
    start = datetime.date(2020, 1, 1)
    value = 0.0
    for when, amount in FLOWS:
        years = (when - start).days / 365.25
        value += amount * math.exp(-(rate + spread) * years)
    return value


def average():
    """A running mean that is sent its samples."""
    total, n, mean = 0.0, 0, 0.0
    while True:
        x = yield mean
        total, n = total + x, n + 1
        mean = total / n


def smoothed(a, b, n=150):
    running = average()
    next(running)
    loss = 0.0
    for i in range(n):
        x = a * math.sin(0.1 * i) + b
        loss += (x - running.send(x)) ** 2
    return loss


def tokens(expression):
    return iter(expression.replace("(", "( ").replace(")", " )").split())


def parsed(stream, x):
    """A prefix expression, whose parts are taken from one shared iterator."""
    token = next(stream)
    if token == "(":
        op = next(stream)
        left, right = parsed(stream, x), parsed(stream, x)
        next(stream)
        return left + right if op == "+" else left * right
    return x if token == "x" else float(token)


def interpreted(x):
    total = 0.0
    for _ in range(40):
        total += parsed(tokens("(+ (* x (+ x 2.0)) (* 0.5 (+ x (* x x))))"), x)
    return total


class Matrix:
    """Lists of lists, with the operators of matrices."""

    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(row, column)) for column in columns] for row in self.rows])

    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(r, s)] for r, s in zip(self.rows, other.rows)])

    def scaled(self, c):
        return Matrix([[c * a for a in row] for row in self.rows])

    @property
    def trace(self):
        return sum(self.rows[i][i] for i in range(len(self.rows)))


def exponential(a, b, n=12):
    """The trace of a matrix exponential by its series."""
    generator = Matrix([[0.0, a, 0.1], [-a, 0.0, b], [0.1, -b, 0.2]])
    term = total = Matrix([[1.0 * (i == j) for j in range(3)] for i in range(3)])
    for k in range(1, n):
        term = (term @ generator).scaled(1.0 / k)
        total = total + term
    return total.trace


def traced(k, n=60):
    """Steps of a simulation that are profiled by name with locals()."""
    x = v = 0.5
    seen = {}
    for i in range(n):
        v -= k * x * 0.05
        x += v * 0.05
        if i % 20 == 0:
            seen[i] = dict(locals())
    return x * x + sum(s["v"] ** 2 for s in seen.values())


def ordered_events(rate, n=80):
    """A queue of events, of which new ones are put in by what happens; ordered by time."""
    import heapq

    queue = [(0.0, 0, "arrive")]
    counter = itertools.count(1)
    busy, waited = 0.0, 0.0
    for _ in range(n):
        t, _i, kind = heapq.heappop(queue)
        if kind == "arrive":
            start = max(t, busy)
            waited += start - t
            busy = start + rate * 0.8
            heapq.heappush(queue, (busy, next(counter), "leave"))
            heapq.heappush(queue, (t + rate, next(counter), "arrive"))
    return waited + busy


def rotated(theta, n=40):
    """Points in a structured array."""
    points = np.zeros(n, dtype=[("x", float), ("y", float)])
    points["x"] = np.cos(theta * np.arange(n))
    points["y"] = np.sin(theta * np.arange(n)) * theta
    for _ in range(20):
        x, y = points["x"].copy(), points["y"].copy()
        points["x"] = x * 0.99 - y * 0.1
        points["y"] = y * 0.99 + x * 0.1
    return float((points["x"] ** 2 + points["y"]).sum())


def polynomial(c):
    p = np.polynomial.Polynomial(c)
    q = p.deriv() * p + 1.0
    total = 0.0
    for t in np.linspace(-1.0, 1.0, 30):
        total += q(t) ** 2
    return float(total)


def masked(x):
    m = np.ma.masked_where(np.arange(len(x)) % 7 == 0, x)
    total = 0.0
    for k in range(20):
        total = total + (np.sin(m * (1 + 0.1 * k))).mean()
    return float(total)


def dispatch(x):
    table = {name: getattr(math, name) for name in ("sin", "cos", "exp")}
    y = x
    for i in range(60):
        name = ("sin", "cos", "exp")[i * i % 3]
        y = eval(f"{name}(y) * 0.3 + 0.1", table, {"y": y})
    return y


def windows(x, k=5):
    w = np.lib.stride_tricks.sliding_window_view(x, k)
    y = x.copy()
    v = y[::2]
    for _ in range(30):
        v *= 0.98
        v += 0.01 * np.sin(y[: len(v)])
    return float((w.mean(axis=1) ** 2).sum() + y.sum())


def gauss(A, b):
    """Elimination with rows that are views, and exchanged."""
    M = np.hstack([A, b[:, None]])
    n = len(b)
    for i in range(n):
        p = i + int(np.argmax(np.abs(M[i:, i])))
        M[[i, p]] = M[[p, i]]
        pivot = M[i]
        pivot /= pivot[i]
        for j in range(n):
            if j != i:
                row = M[j]
                row -= row[i] * pivot
    return float((M[:, -1] ** 2).sum())


def sgd(w, X, y):
    """Minibatches of a shuffled order; parameters updated by a view of one flat vector."""
    flat = w.copy()
    a, c = flat[:-1], flat[-1:]
    order = np.random.default_rng(0).permutation(len(y))
    for i in range(0, len(y), 10):
        k = order[i : i + 10]
        r = X[k] @ a + c - y[k]
        a -= 0.05 * X[k].T @ r / 10
        c -= 0.05 * r.mean()
    return float(((X @ a + c - y) ** 2).mean())


RNG = np.random.default_rng(1)
CASES = {
    f.__name__: (f, args)
    for f, *args in (
        (stencil, np.sin(np.arange(50.0))),
        (present_value, 0.03, 0.01),
        (smoothed, 1.2, 0.3),
        (interpreted, 0.7),
        (exponential, 0.4, 0.3),
        (traced, 0.8),
        (ordered_events, 0.9),
        (rotated, 0.3),
        (polynomial, np.array([0.3, -0.2, 0.5, 0.1])),
        (masked, np.linspace(0.0, 1.0, 60)),
        (dispatch, 0.4),
        (windows, np.linspace(0.0, 1.0, 60)),
        (gauss, RNG.normal(size=(6, 6)) + 4 * np.eye(6), np.arange(6.0) + 1),
        (sgd, np.zeros(6) + 0.1, RNG.normal(size=(200, 5)), RNG.normal(size=200)),
    )
}
