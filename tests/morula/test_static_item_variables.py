"""Static adjoints of networks and other programs with lists of arrays: loops go through them, and write into them."""

import numpy as np
import pytest
from static_checks import alike, check_static, check_tiers, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

A = np.array([0.7, 0.3, -0.4, 1.1])
X = np.random.default_rng(0).standard_normal((5, 4))
Y = np.sin(X.sum(axis=1, keepdims=True))


def two(a):
    return [np.outer(a, a[:3]), np.outer(a[:3], a[:1])]


# -- taken -------------------------------------------------------------------------------------------------


def sizes_that_a_loop_hands_on(a):
    rng, W, last = np.random.default_rng(1), [], 4
    for n in (6, 3, 1):
        W.append(rng.normal(size=(last, n)))
        last = n
    h = X * a
    for i, w in enumerate(W):
        h = h @ w
        if i != len(W) - 1:
            h = np.maximum(0, h)
    return h.mean()


def sizes_that_a_function_gets(a):
    rng = np.random.RandomState(2)

    def layer(m, n):
        return rng.randn(m, n) * a[0], np.zeros(n)

    layers, last = [], 4
    for n in (5, 2):
        layers.append(layer(last, n))
        last = n
    h = X * a
    for w, b in layers:
        h = np.tanh(h @ w + b)
    return h.sum()


def trained(a):
    W, B, rng = [], [], np.random.RandomState(0)
    sizes = [4, 3, 1]
    for m, n in zip(sizes[:-1], sizes[1:], strict=True):  # noqa: RUF007
        W.append(rng.randn(m, n) * 0.5)
        B.append(np.zeros(n))
    for _ in range(8):
        acts = [X * a]
        for w, c in zip(W, B, strict=True):
            acts.append(np.tanh(acts[-1] @ w + c))
        d = (acts[-1] - Y) * (1 - acts[-1] ** 2)
        for i in reversed(range(len(W))):
            g, e = acts[i].T @ d, d.sum(axis=0)
            d = d @ W[i].T * (1 - acts[i] ** 2)
            W[i] -= 0.1 * a[0] * g
            B[i] -= 0.1 * e
    return np.sum(W[0]) + np.sum(B[1])


def momentum(a):
    W = two(a)
    V = [np.zeros_like(w) for w in W]
    for _ in range(6):
        G = [w**2 * a[1] for w in W]
        for w, v, g in zip(W, V, G, strict=True):
            v *= 0.9
            v -= 0.1 * g
            w += v
    return sum(np.sum(w) for w in W)


def parameters_by_name(a):
    P = {"w": np.outer(a, a[:3]), "v": np.outer(a[:3], a[:1])}
    G = {k: np.ones_like(p) * a[0] for k, p in P.items()}
    for k, p in P.items():
        p -= 0.1 * G[k]
    for p in P.values():
        p *= 1.5
    return np.sum(P["w"] ** 2) + np.sum(P["v"])


def slices(a):
    W = two(a)
    for w in W:
        w[0] = 1.0
        w[1:] *= a[0]
    return np.sum(W[0] ** 2) + np.sum(W[1])


def beside_the_list(a):
    W, s = two(a), 0.0
    for i, w in enumerate(W):
        W[i] *= 2.0
        s += np.sum(w**2)
        w += 1.0
        s += np.sum(W[i])
    return s


def replaced_meanwhile(a):
    W, s = two(a), 0.0
    for i, w in enumerate(W):
        W[i] = W[i] * 2.0
        s += np.sum(w**2)
    return s + np.sum(W[0]) + np.sum(W[1])


def replaced_by_a_function(a):
    W, s = two(a), 0.0

    def change(i):
        W[i] = W[i] * 3.0

    for i, w in enumerate(W):
        change(i)
        s += np.sum(w**2)
    return s + np.sum(W[0])


def assigned_in_the_turn(a):
    W = two(a)
    for w in W:
        w = w * 2
        w += 1
    return np.sum(W[0]) + np.sum(W[1])


def of_numbers(a):
    W, s = [a[0], a[1]], 0.0
    for w in W:
        w *= 2.0
        s += w
    return s + W[0] * W[1]


def left_early(a):
    W, s = [np.outer(a, a[:3]), np.outer(a[:3], a[:1]), np.outer(a, a)], 0.0
    for w in W:
        w *= 2.0
        if np.sum(w) > 0.5:
            break
        w += 1.0
    for w in W:
        s = s + np.sum(w**2)
    return s


def two_at_once(a):
    W, s = two(a), 0.0
    for w in W:
        for v in W:
            v += 0.1
            s += np.sum(w) * np.sum(v)
    return s


def of_a_variable_that_changes(a):
    W, g = [np.outer(a, a), np.outer(a, a[::-1])], np.outer(a, a)
    for w in W:
        w -= 0.1 * g
        g += w
    return np.sum(W[0] ** 2) + np.sum(W[1]) + np.sum(g)


def pairs_of_a_dict(a):
    D, s = {"u": np.outer(a, a[:3]), "v": np.outer(a[:3], a[:1])}, 0.0
    for pair in D.items():
        s += np.sum(pair[1] ** 2) * len(pair[0])
    for _, *rest in D.items():
        s += np.sum(rest[0] ** 2)
    for i, pair in enumerate(D.items()):
        s += np.sum(pair[1] ** 2) * i
    return s


def replaced_under_another_name(a):
    W, s = two(a), 0.0
    for i, w in enumerate(W):
        W[i], t = W[i] * 2.0, w
        s += np.sum(w) + np.sum(t)
    return s + np.sum(W[0])


def another_list(a):
    W, s = two(a), 0.0
    for w in W:
        W = [v * 2.0 for v in W]
        w += 1.0
        s += np.sum(w)
    return s + np.sum(W[0])


TAKEN = [sizes_that_a_loop_hands_on, sizes_that_a_function_gets, trained, momentum, parameters_by_name, slices,
         beside_the_list, replaced_meanwhile, replaced_by_a_function, assigned_in_the_turn, of_numbers, left_early,
         two_at_once, of_a_variable_that_changes, pairs_of_a_dict, replaced_under_another_name,
         another_list]  # fmt: skip


@pytest.mark.parametrize("f", TAKEN, ids=lambda f: f.__name__)
def test_lists_of_arrays(f):
    check_static(f, (A,))
    check_static(f, (A[::-1] * 0.7,))


# -- right, be it taken or not ------------------------------------------------------------------------------


def read_after_the_loop(a):
    W = two(a)
    for w in W:
        w += 1
    W[1] *= 3.0
    return np.sum(W[0]) + np.sum(w)


def kept_elsewhere(a):
    W, K = two(a), []
    for w in W:
        K.append(w)
        w *= 2.0
    return np.sum(K[0]) + np.sum(K[1] ** 2) + np.sum(W[1])


def twice_in_the_list(a):
    x = np.outer(a, a)
    W = [x, x]
    for w in W:
        w *= 2.0
    return np.sum(W[0] ** 2)


def views_kept(a):
    W, V = two(a), []
    for w in W:
        V.append(w.T)
    for w in W:
        w *= 2.0
    return np.sum(V[0] @ W[0])


def read_by_a_function(a):
    W, s = two(a), 0.0
    for w in W:
        f = lambda: np.sum(w)  # noqa: B023
        w *= 2.0
        s += f()
    return s


def read_by_a_generator(a):
    W, s = two(a), 0.0
    for w in W:
        g = (np.sum(w) * k for k in (1.0, 2.0))
        w *= 2.0
        s += sum(g)
    return s


def a_list_and_an_array(a):
    W, s = [a[0], np.outer(a, a)], 0.0
    for w in W:
        w *= 2.0
        s += np.sum(w)
    return s + W[0] + np.sum(W[1] ** 2)


def the_same_variable_inside(a):
    W, s = two(a), 0.0
    for w in W:
        for w in W:
            w += 0.1
        s += np.sum(w)
    return s


def change_places(a):
    W, s = [np.outer(a, a), np.outer(a, a[::-1])], 0.0
    for w in W:
        W[0], W[1] = W[1], W[0]
        w *= 1.5
        s += np.sum(w**2) + np.sum(W[0])
    return s


def under_another_name(a):
    W, s = [np.outer(a, a), np.outer(a, a[::-1])], 0.0
    b = W[0]
    for w in W:
        u = w
        w *= 1.5
        s += np.sum(u)
    return s + np.sum(b**2)


def perhaps_under_another_name(a):
    W = [np.outer(a, a), np.outer(a, a[::-1])]
    t = W[0].copy()
    for w in W:
        t = w if np.sum(w) > 0.2 else t
        w *= 1.5
    return np.sum(t**2)


def written_by_a_function(a):
    W, s = two(a), 0.0

    def scale(w, k):
        w *= k
        return np.sum(w)

    for w in W:
        s += scale(w, 2.0)
        s += np.sum(w**2)
    return s + np.sum(W[0])


def the_list_goes_by_that_name(a):
    w = two(a)
    for w in w:  # noqa: B020
        w *= 2.0
    return np.sum(w)


def handed_on(a):
    W, s = two(a), 0.0

    def each():
        for w in W:
            w *= 2.0
            yield w

    for w in each():
        s += np.sum(w)
        w += a[0]
    return s + np.sum(W[0])


class Own:
    def __init__(self, W):
        self.W = W

    def __getitem__(self, i):
        return self.W[i]

    def __setitem__(self, i, v):
        self.W[i] = v * 2.0

    @property
    def first(self):
        return self.W[0]

    @first.setter
    def first(self, v):
        self.W[0] = v * 3.0


def replaced_by_a_method(a):
    W, s = two(a), 0.0
    own = Own(W)
    for w in W:
        own[0] += 1.0
        own.first += 1.0
        s += np.sum(w)
    return s + np.sum(W[0])


def repeated(a):
    W = [np.outer(a, a)] * 2
    for w in W:
        w *= 2.0
    return np.sum(W[0] ** 2)


def taken_out(a):
    W, s = two(a), 0.0
    for w in W:
        W.pop(0)
        W.insert(0, w * 2.0)
        s += np.sum(w)
    return s + np.sum(W[0])


OTHERS = [read_after_the_loop, kept_elsewhere, twice_in_the_list, views_kept, read_by_a_function, read_by_a_generator,
          a_list_and_an_array, the_same_variable_inside, change_places, under_another_name, perhaps_under_another_name,
          written_by_a_function, the_list_goes_by_that_name, handed_on,
          replaced_by_a_method, repeated, taken_out]  # fmt: skip


@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("turns", [1, 15])
def test_others_that_have_the_array(f, turns):
    def g(a):
        s = 0.0
        for k in range(turns):
            s += f(a * (1.0 + 0.1 * k))
        return s

    expected = g(A)
    for _ in range(3):
        eager, static = found_by("eager", g, (A,)), found_by("static", g, (A,))
        assert static.value == eager.value == expected
        assert alike(static.gradient, eager.gradient)


def test_sizes_of_other_calls():
    sizes = [4, 3, 2]

    def f(a):
        W, last = [], sizes[0]
        for n in sizes[1:]:
            W.append(np.ones((last, n)) * a[0])
            last = n
        h = X * a
        for w in W:
            w -= 0.1
            h = np.tanh(h @ w)
        return h.sum()

    check_tiers(f, (A,))
    sizes[1:] = [5, 2, 1]
    check_tiers(f, (A * 0.5,))
    sizes[1:] = []
    for _ in range(2):
        assert found_by("static", f, (A,)).value == f(A)
