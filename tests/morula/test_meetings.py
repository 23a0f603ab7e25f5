"""Arrays that meet objects which NumPy reads in its own way, and code that writes where nobody looks."""

import collections
import functools

import numpy as np
import pytest
from morula_helpers import Programs, verify

import morula
from morula import checkpoint, gradient, hook, pullback

X = np.array([1.5, 0.7])
program = Programs()


@pytest.mark.parametrize(("f", "args"), program)
def test_program(f, args):
    verify(f, *args)


class Doubled:
    def __init__(self, a):
        self.a = a

    def __array__(self, dtype=None, copy=None):
        return self.a * 2.0


class Table:
    def __init__(self, rows):
        self.rows = rows

    def __array__(self, dtype=None, copy=None):
        return np.array(self.rows)


class Number:
    def __init__(self, f):
        self.f = f

    def __float__(self):
        return float(self.f())


class Items(list):
    pass


TWO = (3.0, 4.0)
Pair = collections.namedtuple("Pair", "a b")


@program(X)
def operators_with_what_becomes_an_array(x):
    a = np.ones(2)
    s = (a * Doubled(x)).sum() + (a @ Doubled(x)) * x[0] + Doubled(x) * a @ a
    a += Doubled(x)
    return s + a.sum()


@program(X)
def operators_with_sequences(x):
    a = np.array([2.0, 3.0])
    s = (a + collections.deque(x)).sum() + (a * Items(x)).sum() + (Pair(x[0], x[1]) * a).sum()
    return s + ([1.0, 2.0] * x).sum() + (TWO + x).sum() + (x * collections.deque(x)).sum()


@program(X)
def writes_of_what_becomes_an_array(x):
    a = np.zeros(2)
    a[:] = Table(list(x))
    b = np.zeros(2)
    b[:] = collections.deque(x)
    b += Items(x)
    c = np.zeros(2)
    c[0] = Number(lambda: x[0])
    return (a * b).sum() + c[0] * x[1]


@program(X)
def sequences_changed_in_place_by_arrays(x):
    xs = [1.0, x[0]]
    xs += np.array([1.0, 2.0])
    ys = collections.deque([x[0]])
    ys += x
    zs = [x[0]]
    try:
        zs -= 3
    except TypeError as error:
        zs.append(len(str(error)) * x[1])
    return xs.sum() + (ys * ys).sum() + sum(zs)


class Float(float):
    pass


@program(X)
def patterns_of_builtin_subclasses(x):
    match Float(2.0):
        case Float(v):
            return x[0] * v + x[1].item().conjugate()


@program(X)
def a_write_that_raises_when_it_has_written(x):
    c = np.zeros(3, np.float32)
    try:
        with np.errstate(all="raise"):
            c[:] = np.array([5.0, 1e300, 2.0])
    except FloatingPointError:
        pass
    s = (c * 2)[0] * x[0]
    c[0] = 1.0
    return s


@program(X)
def a_nested_verb_that_writes(x):
    def inner(z):
        z *= 2.0
        c[0] = 3.0
        return (z**2).sum()

    c, z = np.ones(2), np.ones(2)
    s = (x * z * c).sum()
    pullback(inner, z)
    gradient(inner, np.ones(2))
    return s


@program(X)
def a_memo_table_whose_function_writes(x):
    c = np.ones(2)
    fill = functools.lru_cache(lambda i: c.fill(i))
    s = (x * c).sum()
    fill(5.0)
    return s


@program(X)
def a_memoryview_of_bytes(x):
    return x[0] * memoryview(b"abc")[0]


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_writes_through_a_subclass_of_arrays():
    def f(x):
        c = np.ones(2)
        s = (x * c).sum()
        m = np.asmatrix(c)
        m[0, 0] = 6.0
        m.flat[1] = 4.0
        return s + c[1] * x[0]

    verify(f, X)


MEMORY = np.ones(2)


def writes_a_global(v):
    MEMORY[0] = 5.0
    return v * 2.0


def under_checkpoint(x):
    MEMORY[:] = 1.0
    s = (x * MEMORY).sum()
    return s + checkpoint(writes_a_global, x).sum()


def by_exec(x):
    c = np.ones(2)
    s = (x * c).sum()
    exec("c[0] = 99.0")
    return s


def by_ctypes(x):
    c = np.ones(2)
    s = (x * c).sum()
    np.ctypeslib.as_ctypes(c)[0] = 9.0
    return s


def by_a_sequence_of_its_own(x):
    class Lazy:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            return x[i] * 2.0

    a = np.zeros(2)
    a[:] = Lazy()
    return a.sum()


def through_a_hook_of_a_hook(x):
    y = x * 2.0
    h = hook(lambda g: g, hook(lambda g: g, y))
    y[0] = x[1]
    return (h**2).sum()


def in_place_by_an_object(x):
    class Vector:
        __array_priority__ = 100.0

        def __rmul__(self, other):
            return Vector()

    a = x * 1.0
    a *= Vector()
    return a.sum()


@pytest.mark.parametrize(
    "f",
    [
        under_checkpoint,
        by_exec,
        by_ctypes,
        by_a_sequence_of_its_own,
        through_a_hook_of_a_hook,
        in_place_by_an_object,
    ],
)
def test_is_refused(f):
    with pytest.raises(morula.MorulaError):
        gradient(f, X.copy())


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
        gradient(lambda x: (x[0] * Looks(3.0)).t, np.ones(2))
