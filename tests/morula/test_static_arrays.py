"""Static adjoints of programs that call NumPy on arrays: as the eager tier, to the bit in the value."""

import linecache
import math
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from morula_helpers import keys_that_change

import chainrules
import morula
from morula.static.python.pairs import INTERNAL, new_pair, record_of

sys.path.insert(0, str(Path(__file__).parents[2]))
from static_checks import check_programs
from tests.fuzz import plain_arrays, plain_writes

# Where a warning would be an error the eager tier does what NumPy does.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

RNG = np.random.default_rng(3)
X, W, LABELS = RNG.normal(size=(30, 4)), RNG.normal(size=4), (RNG.random(30) > 0.5).astype(float)
SQUARE = RNG.normal(size=(4, 4))


def logistic(w, x, y):
    p = 1.0 / (1.0 + np.exp(-(x @ w)))
    return -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


def descent(w, x, y, rate):
    for _ in range(5):
        w = w - rate * x.T @ (1 / (1 + np.exp(-(x @ w))) - y) / len(y)
    return np.sum(w**2)


def layer(w, b, x):
    return np.tanh(w @ x + b)


def network(w1, b1, w2, x):
    total = 0.0
    for row in x:
        hidden = layer(w1, b1, row)
        out, norm = w2 @ hidden, np.linalg.norm(hidden)
        total = total + np.sum((out - row) ** 2) / norm
    return total / x.shape[0]


def kalman(q, r, zs):
    f, h = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    x, p, found = np.zeros(2), np.eye(2), 0.0
    for z in zs:
        x, p = f @ x, f @ p @ f.T + q * np.eye(2)
        s = h @ p @ h.T + r
        gain = p @ h.T @ np.linalg.inv(s)
        e = z - (h @ x)[0]
        x, p = x + gain @ np.array([e]), (np.eye(2) - gain @ h) @ p
        found += np.log(s[0, 0]) + e * e / s[0, 0]
    return found


def mixture(mu, logs, alphas, x):
    weights = alphas - np.max(alphas) - np.log(np.sum(np.exp(alphas - np.max(alphas))))
    scaled = (x[:, None, :] - mu[None, :, :]) / np.exp(logs)[None, :, :]
    q = weights - 0.5 * np.sum(scaled**2, axis=2) - np.sum(logs, axis=1)
    top = np.max(q, axis=1, keepdims=True)
    return np.sum(top[:, 0] + np.log(np.sum(np.exp(q - top), axis=1)))


def heat(u, k):
    for _ in range(5):
        u = np.concatenate((u[:1], u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2]), u[-1:]))
    return (u * u).sum()


def choices(x, s):
    y = np.where(x > 0.1, x * s, np.sin(x))
    m = (np.maximum(y, 0.2) + np.minimum(x, y) + np.abs(x)).reshape(2, -1).T
    v = m[1] * s + m[:, 0].sum() - m.mean(axis=0).max()
    a, b = v
    return float(v.sum() + (m @ m.T).trace() + a * b + np.clip(v, -1.0, 1.0).std() - np.dot(v, [a, b][0] * v))


def both_forms(x, w):
    total = 0.0
    for row in x:
        total += np.tanh(row @ w)
        for v in row:
            total += v * w[0]
    for i in range(len(x)):
        total -= x[i, 0] * x[i][1]
    return total * np.sum(x[2:5, ::2])


def rebound(x):
    for row in x:
        x = np.cos(x) * row
        y = x
        x = x + y[0]
    return x.mean()


def recursive(x, n):
    return np.sum(SQUARE @ SQUARE) * x if n == 0 else recursive(x * 0.5, n - 1) + x


def sized(x, n):
    grid = np.linspace(0.0, 1.0, n) + np.arange(n) * x
    return np.sum(grid**2) + np.full((n, 2), x).sum() + np.stack([grid, np.ones(n)], axis=1).max()


def many(x):
    rows = np.array([[x, 1.0, 2 * x], [x * x, 0.5, 1.0]])
    return np.sum(rows.std(axis=0)) + np.array([rows[0], rows[1]])[1, 0]


def angles(x, n):
    return sum(np.sin(x * k) for k in range(n)) + sum([np.cos(x), np.tanh(x)], 0.5)


def weighed(x, y):
    squares = [v * v for v in x if v > 0]
    return sum(v * w for v, w in zip(x, y)) + sum(squares) * squares[0] / len(x)  # noqa: B905


def small(s):
    u = np.array([s * k for k in range(3)])
    return u[1] * u[2] + sum(np.sin(k * s) ** k for k in range(4) for _ in range(2) if k != 1)


def spread(x, y):
    rows = x[:, None, :] * y
    top = np.max(rows, axis=1)
    low = rows.min(axis=-1, keepdims=True)
    return np.sum((rows - low) ** 2 / np.min(y)) + np.sum(top[:, :2] * x.max()) + np.min(x[0]) * y.max(axis=0).sum()


CASES = [
    (spread, (RNG.normal(size=(4, 3)), RNG.normal(size=(4, 5, 3)))),
    (angles, (0.3, 4)), (weighed, (np.array([0.3, -1.0, 2.0]), np.array([0.1, 0.2, 0.3]))), (small, (0.7,)),
    (logistic, (W, X, LABELS)), (descent, (W, X, LABELS, 0.3)), (both_forms, (X, W)), (rebound, (X[:4].copy(),)),
    (network, (RNG.normal(size=(5, 4)), RNG.normal(size=5), RNG.normal(size=(4, 5)), X)),
    (kalman, (0.1, 0.5, RNG.normal(size=9))), (heat, (RNG.normal(size=20), 0.1)), (choices, (RNG.normal(size=6), 0.7)),
    (mixture, (RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3)), RNG.normal(size=5), RNG.normal(size=(20, 3)))),
    (recursive, (0.5, 3)), (sized, (0.3, 4)), (many, (0.7,)),
]  # fmt: skip


def differences(f, args, i, h=1e-6):
    """The derivative along a random direction by central differences."""
    step = RNG.normal(size=np.shape(args[i]))
    moved = [f(*args[:i], args[i] + s * h * step, *args[i + 1 :]) for s in (1.0, -1.0)]
    return (moved[0] - moved[1]) / (2 * h), step


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_programs_of_arrays(f, args):
    pair = new_pair(f, args, tuple(range(len(args))))
    value, bars = pair.run(f, *args)
    plainly = f(*args)
    assert value == plainly
    assert type(value) is type(plainly)
    with morula.tier("eager"):
        expected = morula.gradient(f, *args)
    for i, (bar, other) in enumerate(zip(bars, expected, strict=True)):
        assert type(bar) is type(other)
        if bar is None:
            continue
        np.testing.assert_allclose(bar, other, rtol=1e-10, atol=1e-12)
        if type(args[i]) is not int and f is not sized:
            slope, step = differences(f, args, i)
            np.testing.assert_allclose(np.sum(bar * step), slope, rtol=1e-4, atol=1e-5)
        for x in args:
            assert not np.shares_memory(bar, x)
        for again in bars[:i]:
            assert not np.shares_memory(bar, again)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_of_equals_the_first_is_the_largest(axis):
    def f(x):
        return np.sum(np.sin(np.max(x, axis=axis, keepdims=True) - x) * x.min(axis=axis, keepdims=True))

    x, v = RNG.integers(0, 3, size=(3, 4, 2)).astype(float), RNG.normal(size=(3, 4, 2))
    found = []
    for tier in ("eager", "static"):
        with morula.tier(tier):
            for _ in range(3):
                row = morula.gradient(f, x), morula.jvp(f, (x,), (v,))[1], morula.hvp(f, x, v)
            found.append(row)
    assert record_of(f).why is None
    assert "max_reduce" in morula.code_adjoint(f, x)
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_what_is_not_as_it_was_is_left_to_the_eager_tier():
    pair = new_pair(logistic, (W, X, LABELS), (0, 1, 2))
    repeated = np.lib.stride_tricks.as_strided(RNG.normal(size=40), X.shape, (8, 8))
    others = [
        (W.astype(np.float32), X, LABELS), (W, X[:20], LABELS[:20]), (W, repeated, LABELS),
        (np.broadcast_to(0.3, 4), X, LABELS), (W.view(np.recarray), X, LABELS), (X[0], X, LABELS), (W, X, LABELS > 0.5),
        (list(W), X, LABELS), (W * 1j, X, LABELS),
    ]  # fmt: skip
    for args in others:
        with pytest.raises(Exception, match=r"^$") as caught:
            pair.run(logistic, *args)
        assert type(caught.value).__name__ == "Other"
    for args in ((W, X, LABELS), *others[:2]):
        with morula.tier("static"):
            found = morula.gradient(logistic, *args)
        with morula.tier("eager"):
            expected = morula.gradient(logistic, *args)
        for bar, other in zip(found, expected, strict=True):
            assert bar.dtype == other.dtype
            np.testing.assert_allclose(bar, other, rtol=1e-5)


def test_strides_are_no_reason_to_leave():
    pair = new_pair(logistic, (W, X, LABELS), (0, 1, 2))
    wide = RNG.normal(size=(30, 8))
    _, found = pair.run(logistic, W, wide[:, ::2], LABELS)
    with morula.tier("eager"):
        expected = morula.gradient(logistic, W, wide[:, ::2], LABELS)
    for bar, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-12)


def test_a_global_array_that_is_an_argument_too():
    def f(x):
        return np.sum(x * SQUARE) * x[0, 0]

    with morula.tier("eager"):
        (expected,) = morula.gradient(f, SQUARE)
    with morula.tier("static"):
        morula.gradient(f, SQUARE * 2.0)
        (found,) = morula.gradient(f, SQUARE)
    np.testing.assert_allclose(found, expected)


def test_warnings_and_zeros_are_those_of_the_eager_tier():
    def f(x):
        return np.sum(np.where(x > 0, np.log(x), 0.0)) + np.sqrt(x * x).sum()

    x = np.array([0.5, 0.0, -1.0, 2.0])
    for given, warned in ((np.abs(x) + 1.0, False), (x, True)):
        with morula.tier("eager"), warnings.catch_warnings(record=True) as eager:
            warnings.simplefilter("always")
            expected = morula.withgradient(f, given)
        with morula.tier("static"), warnings.catch_warnings(record=True) as static:
            warnings.simplefilter("always")
            found = morula.withgradient(f, given)
        assert [str(w.message) for w in static] == [str(w.message) for w in eager]
        assert bool(static) == warned
        assert found.value == expected.value
        np.testing.assert_array_equal(found.gradient[0], expected.gradient[0])


def test_shapes_that_depend_on_numbers_are_not_taken_for_granted():
    def f(x):
        places = np.flatnonzero(x > 0.0)
        return np.sum(x * np.sum(places)) if len(places) == 2 else np.sum(x)

    for x in (np.array([1.0, -1.0, 2.0]), np.array([1.0, -1.0, -2.0]), np.array([1.0, 3.0, 2.0])):
        with morula.tier("static"):
            (found,) = morula.gradient(f, x)
        with morula.tier("eager"):
            (expected,) = morula.gradient(f, x)
        np.testing.assert_array_equal(found, expected)


def test_changes_in_place_of_what_others_have_too():
    def of_rows(x):
        total = 0.0
        for row in SQUARE:
            row *= x
            total += row.sum()
        return total

    def of_names(x):
        y = x
        y += x
        return np.sum(x * y)

    before = SQUARE.copy()
    for f in (of_rows, of_names):
        found = []
        for tier in ("eager", "static"):
            SQUARE[...] = before
            with morula.tier(tier):
                found.append((*morula.gradient(f, X[0].copy()), SQUARE.copy()))
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
    SQUARE[...] = before


def test_a_rule_that_is_declared_later_holds():
    def f(x):
        return np.sum(np.sinc(x) * x)

    x = np.array([0.3, 0.4, 0.5])
    with morula.tier("static"):
        (before,) = morula.gradient(f, x)
        assert record_of(f).all_pairs
        old = chainrules.scalar_rule_for(np.sinc)
        try:
            chainrules.scalar_rule(np.sinc, lambda y, x: 0.0 * x)
            (after,) = morula.gradient(f, x)
        finally:
            chainrules.scalar_rule(np.sinc, *old.partials)
    np.testing.assert_allclose(after, np.sinc(x))
    assert np.abs(before - after).max() > 0.1


def test_random_programs_of_arrays():
    check_programs(plain_arrays.ArrayWriter, range(25), 7)


# -- arrays and lists that are written into -----------------------------------------------------------------------

U = np.linspace(0.1, 1.2, 12)


def pendulum(length):
    angle, speed = np.full(51, 0.5), 0.0
    for i in range(50):
        speed -= 0.04 * 9.81 / length * np.sin(angle[i])
        angle[i + 1] = angle[i] + 0.04 * speed
    return angle[-1]


def trajectory(y0, k):
    states = np.zeros((11, 2))
    states[0] = y0
    for i in range(10):
        y = states[i]
        d = np.zeros(2)
        d[0], d[1] = -k * y[0], y[0] * k - y[1]
        states[i + 1] = y + 0.1 * d
    return np.mean((states[::5, 1] - 0.5) ** 2) + states[-1, 0]


def heat(u0, c):
    u = u0.copy()
    for _ in range(4):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + c * (u[i + 1] - 2 * u[i] + u[i - 1])
        u = new
    return np.sum(u * u)


def heat_by_slices(u0, c):
    u = u0.copy()
    for _ in range(4):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = 0.5 * u[1]
    return np.sum(u**2)


def heat_of_two_buffers(u0, c):
    u, new = u0.copy(), np.zeros_like(u0)
    for _ in range(4):
        new[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, new = new, u
    return np.sum(u**2) + new[3]


def lists(x):
    found, total = [x], 0.0
    same = found
    for _ in range(5):
        x = x * 0.9 + math.sin(x)
        same.append(x)
    found[2] *= x
    for v in same:
        total += v * v
    return total * len(found) + found[-1]


def in_its_argument(u, c):
    for i in range(1, len(u)):
        u[i] += c * u[i - 1]
    return u[-1] * u[2]


WRITING = [
    (pendulum, (1.0,)), (trajectory, (np.array([1.0, 0.5]), 0.7)), (heat, (U, 0.1)), (heat_by_slices, (U, 0.1)),
    (heat_of_two_buffers, (U, 0.1)), (lists, (0.3,)), (in_its_argument, (U, 0.3)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), WRITING)
def test_programs_that_write(f, args):
    given = [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]
    with morula.tier("eager"):
        expected = morula.withgradient(f, *given)
    with morula.tier("static"):
        found = morula.withgradient(f, *given)
    assert record_of(f).all_pairs, record_of(f).why
    assert found.value == expected.value and type(found.value) is type(expected.value)
    for g, h, x, old in zip(found.gradient, expected.gradient, given, args, strict=True):
        assert type(g) is type(h)
        np.testing.assert_allclose(g, h, rtol=1e-12)
        np.testing.assert_array_equal(x, old)


@pytest.mark.parametrize("n", [6, 5000])
def test_reading_ends_where_an_array_is_made_of_what_it_was(n):
    """The new array depends on the old one of the same name: a circle for whoever asks where its numbers come from."""
    x, found = np.linspace(0.1, 1.03, n), {}
    for tier in ("eager", "static"):
        with morula.tier(tier):
            found[tier] = morula.gradient(keys_that_change, x, 2.0)
    np.testing.assert_allclose(found["static"][0], found["eager"][0], rtol=1e-12)
    assert found["static"][1] == pytest.approx(found["eager"][1], rel=1e-12)


ALIASES = """
y = x; y[0] = c
y = x; y += c
y = kept(x); y[1:3] = c
y = x[1:]; y *= 2.0
y = x.copy(); z = y; y[1:-1] = c; x = z
y = x.copy(); z = y[1:]; y[2] = c; x = z
y = x * 1.0; z = x * c; y, z = z, y; w = z; y, z = z, y; y += 1.0; x = y * w
y = x * 1.0; z = (y, c); y -= 3.0; x = z[0]
y = x.copy(); z = y.reshape(2, -1); y[0] = c; x = z
y = x * 1.0; y = written(y, c); x = y
y = np.zeros((3, 2)); z = y[1]; y[1] = c, x[0]; z[0] *= 2.0; x = y[1]
y = np.zeros(len(x)); y[-1] = c; y[len(x)] = c
y = np.zeros(len(x), dtype=int); y[0] = 3.5; x = x * y
y = np.zeros(4); y[True] = c; x = y
y = x.copy(); y[1] = c; z = y[:]; z[::2] *= 0.5; x = y
y = x.copy(); y[1] = c; z = x * c; z[1:3] = 0.5; z = y[:]; z += 1.0; x = y
y = z = x * 1.0; y[0] = c; x = z
y = z = np.zeros(len(x)); y[1:3] = c; x = z
t = (x * 1.0, c); y = t[0]; z = t[0]; y[0] = c; x = z
t = (x * 1.0, c); y, z = t[0], t[0]; y += c; x = z
y = [c]; y.append(y[-1]); x = x * y[0] * y[1]
y = [c]; z = y; z.append(x[0]); x = y[-1] * x
y = [c]; y.append(y); x = x * len(y)
"""


def grown(x, c):
    y = x * 1.0
    for v in y:
        y += v * c
    return np.sum(y * y)


def test_arrays_that_change_while_a_loop_reads_them():
    for x in (np.array([0.5, 1.0, -2.0]), U):
        eager, static = [], []
        for name, found in (("eager", eager), ("static", static)):
            with morula.tier(name):
                found += morula.gradient(grown, x, 0.3)
        np.testing.assert_allclose(eager[0], static[0], rtol=1e-12)
        assert eager[1] == pytest.approx(static[1], rel=1e-12)


@pytest.mark.parametrize("body", ALIASES.strip().split("\n"))
@pytest.mark.parametrize("n", [4, 12])
def test_names_of_one_array(body, n):
    helpers = "def kept(a):\n    return a\ndef written(a, k):\n    a[0] = k\n    a += k\n    return a\n"
    space = {"np": np}
    source = f"{helpers}def f(x, c):\n    {body}\n    return np.sum(x * x) * c\n"
    linecache.cache[body] = (len(source), None, source.splitlines(True), body)
    exec(compile(source, body, "exec"), space)
    x, told = np.linspace(0.1, 1.2, n), []
    for name in ("eager", "static", "static"):
        with morula.tier(name):
            try:
                y, (x_bar, c_bar) = morula.withgradient(space["f"], x, 0.3)
                told.append([y, -1.0 if c_bar is None else c_bar, *(np.zeros(0) if x_bar is None else x_bar)])
            except Exception as error:
                told.append(type(error))
        np.testing.assert_array_equal(x, np.linspace(0.1, 1.2, n))
    assert told[1] == told[2]
    assert told[0] == (pytest.approx(told[1], rel=1e-10) if isinstance(told[1], list) else told[1])


def test_what_a_hot_callee_writes_is_seen():
    def changed(x, a):
        a[0] = 2.0
        a[1:] += 1.0
        return x * a[0]

    def f(x):
        a = np.ones(3)
        return {0: changed(x, a)}[0] * a[0] * a[2]

    with morula.tier("static"):
        assert morula.gradient(f, 3.0) == (8.0,)


def test_arguments_that_nobody_may_write_into():
    x = np.linspace(0.1, 1.2, 12)
    x.flags.writeable = False
    with morula.tier("static"):
        for f in (in_its_argument, lambda u, c: heat_by_slices(u, c) + in_its_argument(u, c)):
            with pytest.raises(ValueError, match="read-only"):
                morula.gradient(f, x, 0.3)


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.partition(2), lambda x: x.sort(), lambda x: np.add(x, 1.0, x), lambda x: np.clip(x, 0.5, 1.0, x),
        lambda x: np.nan_to_num(1 / x, copy=False), lambda x: x.fill(2.0),
        lambda x: np.put(x, [0], 5.0), lambda x: np.cumsum(x, 0, None, x), lambda x: np.add.at(x, [0, 0], 1.0),
    ],
)  # fmt: skip
def test_reading_a_program_runs_nothing_that_writes(write):
    def f(x):
        write(x)
        return x @ np.arange(4.0)

    x = np.array([1.7, 0.4, 2.3, 0.8])
    with morula.tier("eager"):
        want = morula.gradient(f, x.copy())
    with morula.tier("static"):
        for _ in range(2):
            np.testing.assert_array_equal(morula.gradient(f, x), want)
            assert x.tolist() == [1.7, 0.4, 2.3, 0.8]


SHARED = np.linspace(-0.5, 0.9, 12)


def test_a_parameter_that_stands_for_another_array_later():
    def f(x, y):
        y = SHARED
        y *= 0.5
        return np.sum(x)

    def g(x, y):
        y = x
        y -= 0.25
        return np.sum(x * y)

    x, before = np.linspace(0.1, 1.2, 12), SHARED.copy()
    for h, changed in ((f, SHARED), (g, x)):
        found = []
        for tier in ("eager", "static"):
            start = changed.copy()
            with morula.tier(tier):
                found.append((morula.gradient(h, x, np.ones(12))[0].tolist(), changed.tolist()))
            changed[...] = start
        assert found[0] == found[1]
    assert SHARED.tolist() == before.tolist()


def test_random_programs_that_write():
    check_programs(plain_writes.WritingWriter, range(25), 5)


def test_shapes_by_the_length_of_a_list():
    """The shape of an array that depends on the length of a list is not known beforehand, and that is said."""

    def solved(values):
        n = len(values)
        a, x = np.outer(values, values) + np.eye(5), np.zeros(n)
        for i in range(n - 1, -1, -1):
            x[i] = (values[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
        return (x**2).sum()

    values = [0.7, 1.3, -0.4, 2.1, 0.9]
    with morula.tier("eager"):
        want = morula.gradient(solved, values)
    with morula.tier("static"):
        np.testing.assert_allclose(morula.gradient(solved, values), want, rtol=1e-12)
    assert not (record_of(solved).why or "").startswith(INTERNAL), record_of(solved).why


def test_a_changed_array_of_other_strides_has_the_value_of_the_program():
    def f(x):
        x -= np.arange(4.0) / 3
        return np.dot(x, x)

    def in_columns(x):
        x[:] = x - np.arange(4.0) / 3
        return np.sum(x @ x)

    for g, x in ((f, RNG.normal(size=(40, 8))[:, ::2]), (in_columns, [np.asfortranarray(RNG.normal(size=(4, 4)))])):
        for row in x:
            with morula.tier("static"):
                assert morula.withgradient(g, row).value == g(row.copy("A") if row.ndim > 1 else np.repeat(row, 2)[::2])


def test_copies_have_the_order_of_the_program():
    """How numbers stand in memory decides in which order NumPy adds them."""
    programs = [
        lambda x: x.copy().mean() * 3.0, lambda x: np.array(x).mean() * 3.0, lambda x: np.copy(x).mean() * 3.0,
        lambda x: (x.copy() - 0.1).sum(), lambda x: np.asarray(x).copy().sum() * x[0, 0],
        lambda x: (x * 1.0).copy().sum(),
    ]  # fmt: skip
    whole = RNG.normal(size=(60, 70)) / 3
    for f in programs:
        for x in (whole, whole.T, np.asfortranarray(whole), whole[::2, ::3]):
            with morula.tier("static"):
                assert morula.withgradient(f, x).value == f(x)


def test_an_argument_with_gaps_that_is_written_into():
    """What BLAS adds depends on the gaps, so that a copy without them is not the same."""

    def f(x):
        x = x
        x += 0.1
        return x @ x * (x - 0.25).mean()

    rng = np.random.default_rng(7)
    for _ in range(30):
        whole = rng.normal(size=18)
        for x in (whole[::2], whole[:9]):
            with morula.tier("static"):
                found = morula.withgradient(f, x)
            assert found.value == f(np.repeat(x, 2)[::2] if x.strides[0] > 8 else x.copy())
    assert record_of(f).all_pairs
