"""Functions of NumPy's that write into what they are given or call back, and arrays of integers that change."""

import numpy as np
import pytest
from static_checks import check_static, found_by
from tests.fuzz import plain
from tests.fuzz.plain_idioms import IdiomsWriter

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

B = np.arange(12.0) * 0.1
M = np.arange(12.0).reshape(3, 4) * 0.3


def outputs(x, y):
    u, t = np.empty(12), np.zeros(12)
    for i in range(5):
        np.multiply(B, x, out=u)
        np.add(u, y * i, out=u)
        np.sin(u, u)
        t += u
        np.cumsum(t, out=t)
        t *= 0.1
        np.add(u[1:], x, out=u[:-1])
        t += np.exp(u, out=u)
    return t.sum() + u[0]


def products(x, y):
    u, o, p = x * M, np.zeros((3, 3)), np.zeros(4)
    np.dot(u, u.T, out=o)
    np.maximum(u[0], y, out=p)
    return np.linalg.det(o + np.eye(3)) + p.sum()


def copied(x, y):
    u, v = x * B, np.zeros(12)
    np.copyto(v, u)
    v *= y
    np.copyto(v[2:5], x)
    return (v**2).sum() + u.sum()


def selected(x, y):
    u = B * x
    one = np.select([B < 0.35, B < 0.75], [x * u**2, np.sin(y * u)], default=x)
    other = np.select([B < 0.35, B < 0.75], [0.0, y * u])
    matrix = np.select([M > 1.6, M > 0.7], [M.T.T * x, M * y])
    return (one * other).sum() + matrix.sum() + (matrix[1] ** 2).sum()


def from_items(x, y):
    w = np.fromiter((x * i * i for i in range(5)), dtype=float)
    v = np.fromiter((t * y for t in w), float)
    return (w * v).sum()


def enumerated(x, y):
    a, s = x * M, 0.0
    for (i, j), v in np.ndenumerate(a):
        if i == j:
            continue
        s += v**2 * (i + 1) + y * j
        if s > 9.0:
            break
    for k, v in np.ndenumerate(a[0]):
        s += v * k[0]
    c = np.zeros((3, 4))
    for place, v in np.ndenumerate(a):
        c[place] = v * y
    return s + c.sum()


def along_axes(x, y):
    k, a = np.array([0.25, 0.5, 0.25]) * y, x * M + 0.1
    rows = np.apply_along_axis(lambda m: np.convolve(m, k, mode="valid"), 1, a)
    columns = np.apply_along_axis(np.cumsum, 0, a)
    norms = np.apply_along_axis(np.linalg.norm, 1, a)
    powers = np.apply_along_axis(lambda v, p: (v**p).sum(), 0, a, 3)
    return (rows**2).sum() + (columns[1] * columns[2]).sum() + norms.sum() + powers.sum()


def repeated(x, y):
    s = np.array([np.eye(2) * x] * 3)
    s[1] += y
    mu, z = np.array([[x, y]] * 2), np.array([x] * 4) * y
    return np.linalg.det(s[1]) + s[0, 0, 0] + mu.sum() + z.sum()


def counted(x, y):
    n, u, at = np.zeros(4, int), x * B, np.empty(5, dtype=int)
    for i in range(12):
        n[i % 3] += 1
    for i in range(5):
        at[i] = (i * 3) % 7
    return (u[at] * y).sum() + u[n].sum() + u[n[1]] * n[0]


def best_path(x, y):
    steps, d = 6, x * np.arange(3.0) - y
    back, a = np.zeros((steps, 3), dtype=int), np.cos(np.arange(9.0).reshape(3, 3)) * y
    for t in range(1, steps):
        s = d[:, None] + a
        back[t] = np.argmax(s, axis=0)
        d = s.max(axis=0) + x * np.sin(np.arange(3) * t)
    path = np.zeros(steps, dtype=int)
    path[-1] = d.argmax()
    for t in range(steps - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    for t in range(1, steps):
        s = s + a[path[t - 1], path[t]]
    return d.max() + s.sum()


def labelled(x, y):
    label, u, c = np.full(12, -1, dtype=int), np.sin(x * B * 9), np.zeros(2)
    for i in range(12):
        label[i] = 0 if u[i] < 0.2 else 1
    for i in range(12):
        c[label[i]] += u[i] * y
    return (c**2).sum()


def integers_of_turns(x, y):
    s, n = 0.0, np.arange(4)
    for i in range(1, 6):
        s += np.sin(x * (n * i)).sum() + (y ** (n + i)).sum() + np.cos((n - i) / i * x).sum()
        s += (x * B)[i + n].sum()
    return s


TAKEN = [outputs, products, copied, selected, from_items, enumerated, along_axes, repeated, counted, best_path,
         labelled, integers_of_turns]  # fmt: skip


@pytest.mark.parametrize("f", TAKEN)
def test_idioms(f):
    check_static(f, (0.8, 1.5))


def output_of_two_names(x, y):
    u = x * B
    v = u
    np.multiply(v, y, out=v)
    return (u**2).sum()


def output_of_integers(x, y):
    u = np.zeros(3)
    np.add(np.arange(3), 1, out=u)
    return (u * x).sum() * y


def output_of_another_shape(x, y):
    u = np.zeros(3)
    np.multiply(B[None, :3] * x, y, out=u)
    return u.sum()


def integers_of_two_names(x, y):
    n = np.zeros(3, int)
    m = n
    m[1:] = 2
    return x * n.sum() + y * n[2]


def rounded(x, y):
    n = np.zeros(3, int)
    n[0], n[1] = x * 5.3, 2.7
    return n[0] * x + n[1] * y


def integers_that_change(x, y):
    n, flags, u, s = np.zeros(3, int), np.zeros(12, bool), x * B, 0.0
    for i in range(4):
        s += u[n].sum() * y + u[n[1]] + u[flags].sum()
        for g in np.unique(n):
            s += u[g] * i
        n[i % 3] += i
        flags[i] = True
    return s


def first_output_decides(x, y):
    return np.apply_along_axis(lambda v: 0 if v[0] < 0.5 else v.sum() * x, 1, M).sum() * y


SEEN = [output_of_two_names, output_of_integers, output_of_another_shape, integers_of_two_names, rounded,
        integers_that_change, first_output_decides]  # fmt: skip


@pytest.mark.parametrize("f", SEEN)
def test_what_the_eager_tier_finds(f):
    """Whichever tier runs them, values and gradients are those of the program."""
    eager, static = found_by("eager", f, (0.83, 1.57)), found_by("static", f, (0.83, 1.57))
    if isinstance(eager, type):
        assert static is eager
        return
    assert repr(static.value) == repr(eager.value) == repr(f(0.83, 1.57))
    for i, g in enumerate(static.gradient):
        h = np.eye(2)[i] * 1e-6
        slope = (f(0.83 + h[0], 1.57 + h[1]) - f(0.83 - h[0], 1.57 - h[1])) / 2e-6
        assert (g or 0.0) == pytest.approx(slope, rel=1e-5, abs=1e-7)


def grids(x, y):
    i, j = np.indices((4, 5))
    u, v = np.mgrid[0:1:4j, 0:5]
    p, q = np.ogrid[0:4, 1:6]
    return float(((i * x + j * y) ** 2 * u + np.sin(v * x) * p * q * y).sum())


def folds(x, y):
    data, total = np.sin(np.arange(12.0) * y), 0.0
    parts = np.array_split(np.arange(12), 4)
    for i, test in enumerate(parts):
        train = np.concatenate([part for j, part in enumerate(parts) if j != i])
        total += np.mean((data[test] - x * data[train].mean()) ** 2)
    return total


def spaced(x, y):
    u = np.logspace(-1, 1, 6) * x + np.geomspace(1.0, 32.0, 6) * y
    return float(u @ np.logspace(0, 0.5, 6, base=2.0))


@pytest.mark.parametrize("f", [grids, folds, spaced], ids=lambda f: f.__name__)
def test_arrays_that_depend_on_nothing(f):
    check_static(f, (0.83, 1.57))


def test_nothing_is_left_of_what_is_written_over():
    """The gradient by what a whole array held before is zero or absent, as it is in the eager tier."""

    def by_output(x, y):
        u = B * x
        np.multiply(B, y, out=u)
        return u.sum()

    def by_copy(x, y):
        u = B * x
        np.copyto(u, y)
        return u.sum()

    def by_dots(x, y):
        u = B * x
        u[...] = B * y
        return u.sum()

    for f in (by_output, by_copy, by_dots):
        static, eager = found_by("static", f, (0.8, 1.5)), found_by("eager", f, (0.8, 1.5))
        assert repr(static) == repr(eager)
        assert not static.gradient[0] and static.gradient[1] == pytest.approx(f(0.8, 2.5) - f(0.8, 1.5))


@pytest.mark.parametrize("seed", [*range(50, 60), 5005, 5071])
def test_random_programs(seed):
    _, verdict = plain.check(seed, IdiomsWriter)
    assert verdict.kind != "wrong", verdict
