"""Whole algorithms: solvers, factorisations, optimisers, data structures."""

import functools
import math
import operator

import numpy as np

from corpus import MATRIX, SQUARE, TABLE, VECTOR, Programs, X, Y

program = Programs()


@program(VECTOR)
def heat_equation(a):
    u = a.copy()
    for _n in range(50):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[-1]
        u[-1] *= 0.99
    return (u * u).sum()


@program(VECTOR)
def runge_kutta(a):
    def f(t, y):
        return np.array([y[1], -y[0] * a[0], y[3] * a[1], -y[2]])

    ys = np.empty((6, 4))
    ys[0] = a
    for n in range(5):
        y = ys[n]
        h = 0.1
        k1 = f(0, y)
        k2 = f(0, y + h / 2 * k1)
        k3 = f(0, y + h / 2 * k2)
        k4 = f(0, y + h * k3)
        ys[n + 1] = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return (ys[-1] ** 2).sum() + ys[2, 1]


@program(SQUARE)
def lu_factorisation(s):
    A = s + 3 * np.eye(3)
    n = 3
    for k in range(n):
        p = k + int(np.argmax(abs(A[k:, k])))
        A[[k, p]] = A[[p, k]]
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
    return np.log(np.abs(np.diag(A))).sum() + A[2, 0]


@program(SQUARE)
def cholesky_factorisation(s):
    A = s @ s.T + np.eye(3)
    L = np.zeros_like(A)
    for i in range(3):
        for j in range(i + 1):
            t = A[i, j] - L[i, :j] @ L[j, :j]
            L[i, j] = math.sqrt(t) if i == j else t / L[j, j]
    return L.sum() * L[2, 1]


@program(MATRIX)
def gram_schmidt(m):
    Q = []
    for v in m:
        w = v.copy()
        for q in Q:
            w -= w @ q * q
        Q.append(w / np.linalg.norm(w))
    return np.array(Q)[2, 1] * Q[1][0]


@program(VECTOR)
def adam(a):
    x = a.copy()
    m = np.zeros_like(x)
    v = np.zeros_like(x)
    for t in range(1, 5):
        g = 2 * x * a
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g**2
        x -= 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 0.001)
    return (x * x).sum()


@program(VECTOR)
def dynamic_programming(a):
    n = 4
    D = np.full((n + 1, n + 1), np.inf)
    D[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            D[i, j] = abs(a[i - 1] - 2 * a[n - j] * a[0]) + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, n]


@program(SQUARE)
def viterbi(s):
    v = np.log(s[0])
    for _t in range(3):
        v = np.array([max(v[j] + np.log(s[j, k]) for j in range(3)) for k in range(3)])
    return np.logaddexp.reduce(v) if False else np.log(np.sum(np.exp(v)))


@program(X, Y)
def newton(x, y):
    z = 1.0
    for _ in range(20):
        z2 = z - (z**3 - x * y) / (3 * z * z)
        if abs(z2 - z) < 1e-14:
            break
        z = z2
    return z


@program(X)
def bisect(x):
    lo, hi = (0.0, 2.0)
    w = x
    for _ in range(5):
        mid = (lo + hi) / 2
        if mid * mid > x:
            hi = mid
        else:
            lo = mid
        w = w * mid
    return w


@program(X)
def binary_tree(x):
    class N:
        __slots__ = ("k", "l", "r", "v")

        def __init__(s, k, v):
            s.k = k
            s.v = v
            s.l = s.r = None

    root = None

    def ins(n, k, v):
        if n is None:
            return N(k, v)
        if k < n.k:
            n.l = ins(n.l, k, v)
        elif k > n.k:
            n.r = ins(n.r, k, v)
        else:
            n.v = n.v + v
        return n

    for k, v in [(5, x), (2, x * x), (8, 2.0), (2, x), (9, x**3)]:
        root = ins(root, k, v)

    def walk(n):
        return () if n is None else (*walk(n.l), n.v, *walk(n.r))

    return sum((i * v for i, v in enumerate(walk(root))))


@program(TABLE)
def page_rank(d):
    g = {"p": ["q"], "q": ["p", "r"], "r": []}
    val = dict(d, r=d["p"] * d["q"])
    rank = {k: 1.0 for k in g}  # noqa: C420
    for _ in range(3):
        new = {k: 0.1 * val[k] for k in g}
        for k, out in g.items():
            for o in out:
                new[o] += 0.8 * rank[k] / len(out)
        rank = new
    return sum(rank[k] * val[k] for k in rank)


@program(X)
def stack_machine(x):
    st = []
    prog = [("push", x), ("push", 2.0), ("mul",), ("dup",), ("push", x), ("add",), ("mul",), ("swap", 2)]
    ops = {
        "mul": lambda: st.append(st.pop() * st.pop()),
        "add": lambda: st.append(st.pop() + st.pop()),
        "dup": lambda: st.append(st[-1]),
    }
    for op, *arg in prog:
        match op:
            case "push":
                st.extend(arg)
            case "swap":
                st.insert(0, arg[0])
            case _:
                ops[op]()
    return st[-1] * st[0]


@program(VECTOR)
def neural_network(a):
    class Lin:
        def __init__(s, w, b):
            s.w, s.b = (w, b)

        def __call__(s, v):
            return s.w @ v + s.b

        def params(s):
            yield s.w
            yield s.b

    class Seq:
        def __init__(s, *xs):
            s.l = xs

        def __call__(s, v):
            for f in s.l:
                v = f(v)
            return v

        def params(s):
            for f in s.l:
                if hasattr(f, "params"):
                    yield from f.params()

    net = Seq(
        Lin(np.outer(a, a)[:3], a[:3]),
        np.tanh,
        Lin(a.reshape(2, 2) @ np.ones((2, 3)), a[2:]),
        lambda v: np.maximum(v, 0.1 * v),
    )
    return (net(a) ** 2).sum() + 0.1 * sum((p**2).sum() for p in net.params())


@program(X)
def dual_numbers(x):
    class D:
        def __init__(s, v, d=0.0):
            s.v, s.d = (v, d)

        def __add__(s, o):
            o = o if isinstance(o, D) else D(o)
            return D(s.v + o.v, s.d + o.d)

        __radd__ = __add__

        def __mul__(s, o):
            o = o if isinstance(o, D) else D(o)
            return D(s.v * o.v, s.v * o.d + s.d * o.v)

        __rmul__ = __mul__

        def __pow__(s, n):
            return functools.reduce(operator.mul, [s] * n)

        def sin(s):
            return D(math.sin(s.v), math.cos(s.v) * s.d)

    q = 3 * D(x, 1.0) ** 3 + D.sin(D(x, 1.0) * 2) + 1
    return q.d * q.v
