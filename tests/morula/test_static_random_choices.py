"""Static adjoints of programs that draw items and orders: batches, resampling, tables of states and actions."""

import random
from collections import defaultdict

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

from morula import NotDifferentiable

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

A = np.array([0.7, 0.3, -0.4, 1.1])
X = np.arange(24.0).reshape(12, 2) * 0.1


def batches(a):
    rng, w = np.random.default_rng(0), a[:2]
    for _ in range(3):
        order = rng.permutation(len(X))
        for i in range(0, 12, 4):
            b = X[order[i : i + 4]]
            w = w - 0.01 * b.T @ (b @ w - 1.0) / 4
    return np.sum(w**2)


def shuffled_batches(a):
    rng, w, order = np.random.RandomState(0), a[:2], np.arange(12)
    for _ in range(3):
        rng.shuffle(order)
        for i in range(0, 12, 4):
            b = X[order[i : i + 4]]
            w = w - 0.01 * b.T @ (b @ w - 1.0) / 4
    return np.sum(w**2)


def one_by_one(a):
    rng, w = np.random.RandomState(0), a[:2]
    for _ in range(15):
        i = rng.choice(12)
        w = w - 0.01 * (X[i] @ w - 1.0) * X[i]
    batch = rng.choice(len(X), size=4, replace=False)
    return np.sum(w**2) + np.sum(X[batch] @ w) + rng.random() * a[0]


def resampled(a):
    rng = np.random.default_rng(0)
    means = [np.mean(rng.choice(a, size=len(a), replace=True)) for _ in range(8)]
    return np.std(means) + rng.random() * a[1]


def of_arrays(a):
    rng, k, m = np.random.default_rng(3), np.arange(4), np.outer(a, a)
    p = rng.permutation(k)
    total = a[p[0]] * 2 + a[rng.choice(k)] + np.sum(a[rng.choice(p, (2, 3))]) + np.sum(rng.permutation(a) * p)
    return total + np.sum(rng.permutation(m)[0] * rng.choice(m)) + np.sum(rng.choice(m, 2)[0]) + rng.random() * a[0]


def of_numbers(a):
    rng = np.random.default_rng(0)
    total = np.sum(rng.choice([-1.0, 1.0], size=4) * a) + rng.choice([0.5, 1.5]) * a[0]
    return total + rng.choice((1, 2, 3)) * a[1] + a[rng.choice(4, p=[0.1, 0.2, 0.3, 0.4])]


def by_odds(a):
    rng, Q, total = np.random.default_rng(0), np.zeros((5, 2)), 0.0
    s = 0
    for _ in range(12):
        e = np.exp(a[0] * Q[s])
        p = e / e.sum()
        u = rng.choice(2, p=p)
        t = min(max(s + (1 if u == 1 else -1), 0), 4)
        Q[s, u] += 0.5 * (a[1] * (t + 1) + 0.9 * Q[t].max() - Q[s, u])
        total += np.log(p[u])
        s = t
    return Q.sum() + total


def steps(a):
    rnd, x, y = random.Random(1), 0.0, 0.0
    for _ in range(20):
        way = rnd.choice(["left", "right", "up"])
        if way == "left":
            x -= a[0]
        elif way == "right":
            x += a[1] * rnd.choice([-1, 1, 2])
        else:
            y += a[2] * x + rnd.choice((a[3], 0.5))
    return x * y + rnd.random() * a[0]


def of_a_list_that_grows(a):
    rnd, xs, s = random.Random(1), [v * v for v in a], 0.0
    for _ in range(12):
        s = s * 0.5 + rnd.choice(xs)
        xs.append(s)
    return s


def states_and_actions(a):
    rnd, s = random.Random(0), 0
    Q = {(s, u): 0.0 for s in range(4) for u in (0, 1)}
    for _ in range(20):
        u = rnd.choice([0, 1])
        t = min(max(s + (1 if u else -1), 0), 3)
        r = 1.0 if t == 3 else -0.1
        Q[(s, u)] += a[0] * (r + a[1] * max(Q[(t, 0)], Q[(t, 1)]) - Q[(s, u)])
        s = t
    return sum(Q.values())


def with_defaults(a):
    rnd, Q, s = random.Random(1), defaultdict(float), 0
    for _ in range(20):
        u = rnd.choice(["left", "right"])
        t = max(0, s - 1) if u == "left" else min(3, s + 1)
        r = a[0] if t == 3 else a[1]
        Q[s, u] += 0.5 * (r + 0.9 * max(Q[t, v] for v in ["left", "right"]) - Q[s, u])
        s = t
    return sum(Q.values())


def shuffled_under_two_names(a):
    rng, x = np.random.default_rng(0), a * 2.0
    y = x
    rng.shuffle(x)
    return np.sum(x * np.arange(4.0)) + y[0] + rng.random()


def shuffled_under_a_view(a):
    rng, x = np.random.default_rng(0), a * 2.0
    z = x[1:]
    rng.shuffle(x)
    return np.sum(x * np.arange(4.0)) + np.sum(z * a[1:]) + rng.random()


def shuffled_rows(a):
    rng, m = np.random.default_rng(0), np.outer(a, a)
    rng.shuffle(m)
    return np.sum(m[0] * a) + rng.random() * a[0]


def left_early(a):
    rng, s = np.random.default_rng(0), 0.0
    for _ in range(20):
        x = rng.choice(a)
        if x < -0.3:
            break
        s += x * rng.choice([1.0, 2.0])
    return s


PROGRAMS = [batches, shuffled_batches, one_by_one, resampled, of_arrays, of_numbers, by_odds, steps,
            of_a_list_that_grows, states_and_actions, with_defaults, shuffled_rows,
            left_early]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_random_items(f):
    check_static(f, (A,))
    check_static(f, (A[::-1] * 0.7,))


def test_generators_that_others_draw_from():
    def f(a):
        order = np.random.permutation(4)
        s = random.choice([a[0], a[1]]) * a[order][0] + a[np.random.choice(4, 2)].sum()
        x = a * 1.0
        np.random.shuffle(x)
        return s + x[0] * np.random.rand() * random.random()

    found = []
    for tier in ("eager", "static", "static"):
        random.seed(3)
        np.random.seed(4)
        found.append((found_by(tier, f, (A,)), random.getstate(), np.random.get_state()[1].tolist()))
    for other in found[1:]:
        assert other[0].value == found[0][0].value and alike(other[0].gradient, found[0][0].gradient)
        assert other[1:] == found[0][1:]


def test_other_numbers_of_items():
    n, items = 4, [1.0, 2.0]

    def f(a):
        rng, rnd = np.random.default_rng(1), random.Random(2)
        s = 0.0
        for _ in range(5):
            s += a[rng.choice(n)] * rng.permutation(n)[0] + rnd.choice(items) * a[0]
        return s

    check_static(f, (A,))
    n = 3
    check_static(f, (A,))
    items.append(3.0)
    assert found_by("static", f, (A,)).value == f(A)
    items.clear()
    for tier in ("eager", "static", "static"):
        assert found_by(tier, f, (A,)) is IndexError
    items += [1.0, 2.0]
    n = 5  # an index that is too large
    assert found_by("static", f, (A,)) == found_by("eager", f, (A,))


def of_two_types(a):
    rng = np.random.default_rng(0)
    return rng.choice([1, 2.5]) * a[0]


def of_active_numbers(a):
    rng = np.random.default_rng(0)
    return rng.choice([a[0], a[1]]) * a[0] + rng.choice(a)


def too_many(a):
    return a[np.random.default_rng(0).choice(4, size=5, replace=False)].sum()


def odds_that_are_none(a):
    return a[np.random.default_rng(0).choice(4, p=[0.5, 0.6, 0.0, 0.0])]


def rows_of_a_matrix(a):
    return np.random.RandomState(0).choice(np.outer(a, a))[0]


def rows_that_python_shuffles(a):
    m = np.outer(a, a)
    random.Random(2).shuffle(m)  # which has one row twice
    return np.sum(m * np.arange(4.0)[:, None])


def items_that_python_shuffles(a):
    x = a * 2.0
    random.Random(2).shuffle(x)
    return x @ np.arange(4.0)


OTHERS = [of_two_types, of_active_numbers, too_many, odds_that_are_none, shuffled_under_two_names,
          shuffled_under_a_view, rows_of_a_matrix, rows_that_python_shuffles, items_that_python_shuffles]  # fmt: skip


def test_gradients_of_floats_beside_integers_of_numpy():
    def f(x, y):
        rng = np.random.default_rng(3)
        return x * rng.integers(1, 5) * rng.choice([1, 2, 3]) + y

    check_static(f, (0.3, 0.5))
    assert [type(g) for g in found_by("static", f, (0.3, 0.5)).gradient] == [float, float]


@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
def test_as_the_eager_tier(f):
    for _ in range(2):
        eager, static = found_by("eager", f, (A,)), found_by("static", f, (A,))
        if isinstance(eager, type):
            assert static is eager
        else:
            assert repr(static.value) == repr(eager.value) and alike(static.gradient, eager.gradient)


def test_an_integer_that_is_differentiated_by():
    def f(x, n):
        return x * np.random.default_rng(0).choice(n) + x * np.random.default_rng(0).permutation(n)[0]

    for _ in range(2):
        eager, static = found_by("eager", f, (0.5, 4)), found_by("static", f, (0.5, 4))
        assert repr(static) == repr(eager)


@pytest.mark.parametrize("made", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("items", ["differentiated", "constant", "several"])
def test_odds_with_a_derivative_draw_places_alone(made, items):
    def f(a):
        p, rng = np.exp(a) / np.exp(a).sum(), made(3)
        if items == "several":
            return rng.choice(a, size=2, p=p).sum()
        return rng.choice(a if items == "differentiated" else np.ones(4), p=p) * a[0]

    a = np.array([0.3, 0.2, 0.5, 0.1])
    assert found_by("eager", f, [a]) is found_by("static", f, [a]) is NotDifferentiable
