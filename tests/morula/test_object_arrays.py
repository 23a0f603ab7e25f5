"""Arrays of objects: what is put into one stays what it is, and what is active in one is followed or refused."""

import warnings

import numpy as np
import pytest
from test_enumeration import CALLABLES, X, central, inner, parts, seed_of

import morula

NUMPY = [(name, f) for name, f in CALLABLES if name.startswith(("numpy.", "ndarray."))]


def stays(put):
    """The program that puts a list into an array, changes the list, and reads it from the array."""

    def f(x):
        n = np.empty(2, object)
        items = [1.0, 2.0]
        put(n, items)
        items[0] = 5.0
        found = n[0]
        return (found[0] if isinstance(found, list) else found) * x

    return f


def item(n, v):
    n[0] = v


def negative(n, v):
    n[-2] = v


def row(n, v):
    n[:] = v


def rows(n, v):
    n[:1] = [v] if len(n) > 5 else v[:1]


def nested(n, v):
    n[...] = [v, 3.0]


def masked(n, v):
    n[np.array([True, False])] = [3.0]


def fill(n, v):
    n.fill(v)


def flat(n, v):
    n.flat[0] = v


def flat_all(n, v):
    n.flat[...] = v


def flat_attribute(n, v):
    n.flat = v


def put(n, v):
    np.put(n, [0], [v])


def put_method(n, v):
    n.put([0, 1], v)


def copyto(n, v):
    np.copyto(n, v)


def set_item(n, v):
    n.__setitem__(0, v)


def place(n, v):
    np.place(n, [True, True], v)


def through_view(n, v):
    n[::-1][1] = v


def many(n, v):
    for i in range(2):
        n[i] = v


PUTTERS = [item, negative, row, rows, masked, fill, flat, flat_all, flat_attribute, put, put_method, copyto, set_item,
           place, through_view, many]  # fmt: skip


@pytest.mark.parametrize("putter", PUTTERS, ids=lambda f: f.__name__)
def test_what_is_put_stays_what_it_is(putter):
    f = stays(putter)
    value, (x_bar,) = morula.withgradient(f, 0.7)
    assert value == f(0.7)
    assert x_bar == pytest.approx(central(f, 0.7, 1e-6), rel=1e-6)


VALUES = [[1.0], (1.0, 2.0), {"a": 1.0}, {1.0}, None, np.zeros(2), np.array([None, 1]), "a", object()]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_the_same_object_comes_back(value):
    def f(x):
        n = np.empty(3, object)
        n[1] = value
        m = n.reshape(1, 3)
        return x * (2.0 if n[1] is value and m[0, 1] is value and n.item(1) is value and list(n)[1] is value else 0.0)

    assert morula.withgradient(f, 0.5) == (1.0, (2.0,))


def appended(x):
    n = np.empty(2, object)
    n[0] = []
    n[0].append(x * 2)
    return n[0][0] * x


def numbers(x):
    n = np.empty(3, object)
    n[0], n[1], n[2] = x, x * x, 2.0
    n[1] = n[0] * n[1]
    return n[1] + n[2] * n[0]


def slices(x):
    n = np.empty(4, object)
    n[:] = [x, 2.0, x * x, 3.0]
    n[1:3] = n[2:0:-1]
    m = n[::2]
    m[0] = x * 5
    return n[0] * n[1] + n[2]


def whole_arrays(x):
    n = np.empty((2, 2), object)
    n[...] = np.array([[x, 1.0], [2.0, x * x]])
    return n[0, 0] * n[1, 1] + n.T[0, 1] * x


def broadcast(x):
    n = np.empty((2, 3), object)
    n[...] = [x, 1.0, x * x]
    n[1] *= x
    return n.sum() + (n * 2.0)[1, 2] + (-n)[0, 0]


def tuples(x):
    n = np.empty(2, object)
    n[0] = (x, 2.0)
    n[1] = (n[0], x * x)
    return n[1][0][0] * n[1][1]


def made(x):
    n = np.array([[x, 2.0], [x * x, 3.0]], dtype=object)
    k = np.array([x, x * 3, 1.0], object)
    return (n @ np.ones(2)).sum() if x > 100 else n.prod() + k.sum() + n.astype(float)[1, 0]


def fancy(x):
    n = np.array([x, 2.0, x * x], dtype=object)
    m = n[[2, 0, 0]]
    n[[0, 1]] = [x * 7, x]
    return m[0] + m[1] * m[2] + n[0] * n[1]


def overwritten(x):
    n = np.array([x, x], dtype=object)
    n[0] = 2.0
    n.fill(n[1] * 2)
    return n[0] * n[1]


def objects(x):
    class Point:
        def __init__(self, q):
            self.q = q

        def __add__(self, other):
            return Point(self.q + other.q)

        def __mul__(self, k):
            return Point(self.q * k)

    n = np.empty(2, object)
    n[0], n[1] = Point(x), Point(x * x)
    m = (n * 3.0) + n
    return m[0].q * m[1].q + n.sum().q


def copied(x):
    n = np.array([x, 2.0], dtype=object)
    m = n.copy()
    n[0] = 0.0
    return m[0] * m.tolist()[0] + np.concatenate([m, n])[0] + sum(m) + m.ravel()[0]


def of_arrays(x):
    n = np.empty(2, object)
    n[0] = np.array([x, 2.0])
    n[1] = np.zeros(3)
    n[1][0] = x * x
    m = n * 2.0
    return m[0][0] * n[1][0] + n[0].sum()


def iterated(x):
    n = np.array([x, 2.0, x * x], dtype=object)
    total = 0.0
    for i, v in enumerate(n):
        total += i * v
    return total + max(n) + sorted(n)[0]


def cells_of_active_arrays(x):
    n = np.empty(3, object)
    n[:] = np.array([x, x * 2, 1.0])
    n[0] = np.float64(x)
    n[1] = np.array(x * 3)
    return n[0] * n[1] * n[2]


def of_everything(x):
    n = np.empty(4, object)
    items = [x, 0.5]
    n[:] = [x, items, (x, 2.0), np.array([x, 3.0])]
    items[1] = x * x
    return n[0] * n[1][1] + n[2][0] + n[3].sum() + (5.0 if n[1] is items else 0.0)


def parts_of_numbers(x):
    n = np.empty(4, object)
    n[:] = [x, (x, 2.0), np.array([x * x]), 3.0]
    m = n.real
    n[0] = 0.5 if m.base is None else n[0]  # what `m` holds is its own where it is no view
    return m[0] * m[1][0] + m[2][0] * m.T[3] + n.imag[0] * x


def parts_of_complex_numbers(x):
    n = np.empty(2, object)
    n[0] = x * (2.0 + 3.0j)
    n[1] = x
    return np.real(n.real[0]) * x + n.imag[0] + n.imag[1]


def parts_of_objects(x):
    class Signal:
        def __init__(self, level):
            self.level = level

        @property
        def real(self):
            return self.level * 2.0

    n = np.empty(1, object)
    n[0] = Signal(x)
    found = n.real[0]
    return x * (found.real if isinstance(found, Signal) else found)


PROGRAMS = [parts_of_numbers, parts_of_complex_numbers, parts_of_objects, appended, numbers, slices, whole_arrays,
            broadcast, tuples, made, fancy, overwritten, objects, copied,
            of_arrays, iterated, cells_of_active_arrays, of_everything]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_active_values(f):
    want = central(f, 0.7, 1e-6)
    value, (x_bar,) = morula.withgradient(f, 0.7)
    assert value == f(0.7)
    assert x_bar == pytest.approx(want, rel=1e-6)
    assert morula.jvp(f, (0.7,), (1.0,))[1] == pytest.approx(want, rel=1e-6)
    _, back = morula.pullback(f, 0.7)
    assert back(1.0) == (x_bar,)
    assert back(2.0)[0] == pytest.approx(2 * x_bar)


def floats(y):
    if isinstance(y, tuple | list):
        return type(y)([floats(v) for v in y]) if type(y) in (tuple, list) else y
    return y.astype(float) if isinstance(y, np.ndarray) and y.dtype == object else y


OBJECTS = [
    lambda f, x: f(np.array([x[0], 2.0, x[1] * x[2]], dtype=object)),
    lambda f, x: f(np.array([[x[0], 2.0], [x[1], x[2]]], dtype=object)),
    lambda f, x: f(np.array([0.5, 2.0], dtype=object), x[:2]),
    lambda f, x: f(x[:2], np.array([x[2], 2.0], dtype=object)),
    lambda f, x: f(np.array([x[0], x[1]], dtype=object), 2),
    lambda f, x: f(np.array([x[0], x[1]], dtype=object), x[2]),
    lambda f, x: f(np.array([x[0], x[1]], dtype=object), [1, 0]),
    lambda f, x: f(np.array([0.5, 0.7], dtype=object), [0], [x[1]]),
    lambda f, x: f([np.array([x[0], x[1]], dtype=object), np.array([x[3], 2.0], dtype=object)]),
    lambda f, x: f(np.array([x[0], None, "a"], dtype=object)[:1]),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "f"), NUMPY, ids=[name for name, _ in NUMPY])
def test_right_or_refused(name, f):
    for n, pattern in enumerate(OBJECTS):

        def g(x, pattern=pattern):
            y = pattern(f, x)
            return floats(y if not hasattr(y, "__next__") else list(y))

        try:
            y = g(X.copy())
            found = list(parts(y))
            if not found or not all(np.all(np.isfinite(v)) for v in found):
                continue
            seed = seed_of(y, np.random.default_rng(0))
            coarse, fine = (central(lambda v, g=g, s=seed: inner(g(v), s), X, h) for h in (1e-5, 3e-6))
        except Exception:
            continue
        if not np.allclose(coarse, fine, rtol=1e-4, atol=1e-5):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _, back = morula.pullback(g, X.copy())
                (got,) = back(seed)
        except (morula.MorulaError, NotImplementedError):
            continue
        got = np.zeros(4) if got is None else got
        np.testing.assert_allclose(got, fine, rtol=1e-3, atol=1e-4, err_msg=f"{name}, pattern {n}")


class Looks:
    """Like a sequence to NumPy, whose numbers make an array of it before they ask it."""

    def __init__(self, t):
        self.t = t

    def __len__(self):
        return 2

    def __getitem__(self, k):
        return [1.0, 2.0][k]

    def __rmul__(self, other):
        return Looks(self.t * other)


def test_a_numpy_number_times_what_looks_like_a_sequence():
    with pytest.raises(AttributeError):
        (np.float64(2.0) * Looks(3.0)).t  # noqa: B018
    with pytest.raises(morula.NotDifferentiable, match="array of objects"):
        morula.gradient(lambda x: (x[0] * Looks(3.0)).t, np.ones(2))
