"""Parts of arrays at places that are computed, in the static tier: windows, masks, indices from data, rows."""

import math

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

DATA = np.random.default_rng(3).normal(size=24)
ORDER = np.argsort(-DATA)
EVENTS = DATA > 0.1
SEEN = np.random.default_rng(4).random((6, 5)) > 0.4
GRID = np.linspace(0.0, 1.0, 11)
STEPS = [(0.3, 0.0), (0, 0.4), (0, 0.3)]


def windows(a, b):
    x, k = DATA * a, np.array([0.2, b, 0.3])
    total = 0.0
    for i in range(1, 20):
        total += np.dot(x[i - 1 : i + 2], k) ** 2 + x[i : i + 4].max()
    return total


def windows_of_a_padded_array(a, b):
    x, n = np.pad(DATA * a, 2), 5
    return np.sum(np.array([x[i : i + n] @ x[i : i + n] * b for i in range(len(DATA))]))


def written_windows(a, b):
    x = np.zeros(12)
    for i in range(9):
        x[i : i + 3] += a * DATA[i : i + 3] + b
    return (x * x).sum()


def indices_of_data(a, b):
    eta = DATA * a + b
    risk = np.log(np.cumsum(np.exp(eta[ORDER])))
    return -np.sum((eta[ORDER] - risk)[EVENTS[ORDER]]) + eta[EVENTS].mean()


def mask_of_values(a, b):
    x = DATA * a
    x[x < 0.0] *= b
    return x.sum() + (x * x)[EVENTS].sum()


def rows_of_few(U, V):
    loss = 0.0
    for i in range(6):
        for j in range(5):
            if SEEN[i, j]:
                loss += (DATA[i + j] - U[i] @ V[j]) ** 2
    return loss


def rows_written(a, b):
    out, x = np.zeros((7, 9)), np.ones(9)
    for i in range(7):
        x = np.tanh(x * a + b * DATA[:9])
        out[i] = x
    return (out**2).mean() + out[3, 4]


def integers_among_floats(a, b):
    t = np.eye(3)
    for c, d in STEPS:
        t = t @ np.array([[np.cos(a), -np.sin(a), c], [math.sin(a), np.cos(a), d * b], [0, 0, 1]])
    return t[0, 2] * t[1, 2] + t[0, 0]


def integers_of_numpy(a, b):
    total = 0.0
    for x in (0.13, 0.42, 1.05 * b):
        i = np.searchsorted(GRID, x) - 1
        w = (x - GRID[i]) / (GRID[i + 1] - GRID[i])
        total += (1 - w) * DATA[i] * a + w * DATA[(i + 1) % 11]
    x = np.sort(DATA * a)
    n = len(x)
    return total + (2 * np.arange(1, n + 1) - n - 1) @ x / n


def largest_of_a_generator(a, b):
    score = np.zeros(3)
    for t in range(6):
        new = np.empty(3)
        for j in range(3):
            new[j] = max(score[i] + DATA[i + j] * a for i in range(3)) + DATA[t] * b
        score = new
    return score.max() - min(v * a for v in score)


PROGRAMS = [
    windows, windows_of_a_padded_array, written_windows, indices_of_data, mask_of_values, rows_written,
    integers_among_floats, integers_of_numpy, largest_of_a_generator,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_of_two_numbers(f):
    check_static(f, (0.8, 0.6))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_their_tangents_and_second_derivatives(f):
    def of(tier):
        with morula.tier(tier):
            moved = morula.jvp(f, (0.8, 0.6), (0.3, -0.7))[1]
            return moved, morula.hvp(lambda x: f(x[0], x[1]), [0.8, 0.6], [0.3, -0.7])

    (eager, second), (static, other) = of("eager"), of("static")
    assert static == pytest.approx(eager, rel=1e-9)
    assert other == pytest.approx(second, rel=1e-8, abs=1e-9)


def test_products_of_rows_of_few_numbers():
    rng = np.random.default_rng(5)
    check_static(rows_of_few, (rng.normal(size=(6, 2)), rng.normal(size=(5, 2))))


def both(f, *args):
    static, eager = found_by("static", f, args), found_by("eager", f, args)
    if isinstance(eager, type):
        assert static is eager
        return
    assert repr(static.value) == repr(eager.value)
    assert alike(static.gradient, eager.gradient)


def test_a_window_that_leaves_the_array_is_shorter():
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += (x[i : i + 3] ** 2).sum() * (i + 1)
        return total

    for n in (4, 8, 4):
        both(f, DATA[:8] * 1.0, n)


def test_masks_that_let_through_more_or_fewer():
    mask = np.array([True, False, True, True])

    def f(x):
        return (x[mask] ** 2).sum()

    x = np.array([1.0, 2.0, 3.0, 4.0])
    both(f, x)
    for changed in ([True, True, True, True], [False] * 4, [True, False, True, True]):
        mask[:] = changed
        both(f, x)
    assert record_of(f).all_pairs


def test_an_array_of_integers_stays_one():
    """Whether an array is one of integers can depend on the numbers in it."""

    def f(x, n):
        return np.array([n, 1, 2]) // 2 @ np.array([x, x * x, 1.0])

    both(f, 0.5, 3)
    both(f, 0.5, 3.0)
    both(f, 0.5, 4)


def test_integers_of_numpy_that_overflow():
    big = np.array([2**62, 3])

    def f(x):
        i = big[0]
        for _ in range(3):
            i = i + i
        return x * float(i)

    both(f, 0.5)
