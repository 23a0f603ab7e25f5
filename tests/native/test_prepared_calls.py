"""Compiled functions that a plain program calls again and again: the ways that are prepared for their calls."""

import math

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from kernels_in_loops import rhs, step
from morula_helpers import assert_differences, assert_same
from native_helpers import A, copied, twin_of
from numba import njit

import chainrules
import morula
from morula.errors import AliasedArgumentsError, NotDifferentiable, StaleMemoryError
from morula.static.numba import prepared

Y = A(0.5, -1.2, 0.8)


@njit
def three(x, k, n, s):
    return x * k + n * s * math.sin(x)


@njit
def energy(y):
    return y[0] ** 2 + y[1] * y[2]


@njit
def weighted(y, z, p):
    return p * (y * z).sum() + y[0]


@njit
def squares(y):
    return y * y


@njit
def itself(y, p):
    return y if p > 0.0 else 2.0 * y


@njit
def tail(y):
    return y[1:]


@njit
def rotated(a, b, t):
    return a * math.cos(t) - b * math.sin(t), a * math.sin(t) + b * math.cos(t)


@njit
def fill(out, y, p):
    for i in range(out.size):
        out[i] = p * y[i] + out[i] * 0.5


@njit
def normalize(y):
    n = math.sqrt((y * y).sum())
    for i in range(y.size):
        y[i] /= n
    return n


@njit
def root(x):
    return math.sqrt(x)


@njit
def checked(x, y):
    if x > 2.0:
        raise ValueError("too large", x)
    return x * y


@njit
def halfway(out, x):
    out[0] = x * x
    if x > 1.0:
        raise ValueError("too large")
    out[1] = x * 3.0


@njit
def place(grid, x):
    i = 0
    while i < grid.size - 1 and grid[i] < x:
        i += 1
    return i


@njit
def counts(seen, x):
    seen[0] += 1.0
    return int(seen[0])


@njit
def reversed_rows(y):
    return y[::-1]


@njit
def moments(z, p):
    total = 0.0
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            total += (p + i - 2.0 * j) * z[i, j] ** 2
    return total


@njit
def slopes(z, p):
    found = np.empty(z.shape)
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            found[i, j] = math.sin(z[i, j]) * (p + i - 2.0 * j)
    return found


@njit
def bends(z, p):
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            z[i, j] = math.sin(z[i, j]) * (p + i - 2.0 * j)


PROGRAMS = []


def program(*args, calls=1):
    def declare(f):
        PROGRAMS.append(pytest.param(f, args, calls, id=f.__name__))
        return f

    return declare


@program(0.3, 0.7, calls=9)
def of_numbers(x, k):
    for _ in range(10):
        x = step(x, k)
    return x


@program(0.3, 0.7)
def of_constants_and_numbers(x, k):
    total = 0.0
    for i in range(5):
        total += step(x, 0.5) * step(2.0, k) + step(0.1 * i, 0.3) + step(x, x)
    return total


@program(0.3, 0.7, 1.1)
def of_more_numbers(x, k, s):
    total = 0.0
    for i in range(5):
        total = three(x, k, i, s) + three(total, 0.5, 2, x)
    return total


@program(Y, 0.7)
def of_elements(y, k):
    for i in range(4):
        y[i % 3] = step(y[i % 3], k)  # NumPy's numbers
    return y.sum()


@program(Y, 0.5)
def of_arrays(y, p):
    total = 0.0
    for _ in range(4):
        total += p * energy(y) + weighted(y, y, p) + weighted(y, np.ones(3), total) + weighted(np.ones(3), y, 2.0)
    return total


@program(A(0.5, -1.2, 0.8, 0.4, 0.9, -0.3, 0.2), 0.5)
def of_views(x, p):
    total = 0.0
    for i in range(4):
        total += energy(x[i : i + 3]) + weighted(x[::2], x[::-2], p) + weighted(x[:3], x[1:4], p)
        total += weighted(np.broadcast_to(x[:1], 3), x[2:5], p) + weighted(x.reshape(7, 1)[2:5, 0], x[:3], p)
    return total


@program(0.3, 0.7)
def of_arrays_made_anew(a, b):
    total = 0.0
    for i in range(5):
        y = np.array([a, b, a * b])
        total += energy(y) + weighted(y, squares(y), b) + i * y[0]
    return total


@program(Y, 0.5)
def of_lengths(y, p):
    total = 0.0
    for n in (3, 2, 3, 300, 3, 2, 300):
        z = np.ones(n) * p
        z[:2] *= y[:2]
        total += weighted(z, z, p)
    return total


@program(Y, 0.5, calls=6)
def integrates(y, p):
    for _ in range(5):
        y = y + 0.1 * rhs(y, p)
    return (y * rhs(y, p)).sum()


@program(Y, 0.5)
def changes_what_it_gave_and_was_given(y, p):
    z = y * 1.0
    total = 0.0
    for i in range(4):
        d = rhs(z, p)
        e = squares(z)
        z[i % 3] *= 0.9
        d[1] *= d[0]
        e += d
        total += d.sum() + weighted(e, z, p)
        z[2] = total
    return total + z.sum()


@program(Y, 0.5)
def gets_back_what_it_gives(y, p):
    z = y * 1.0
    for i in range(4):
        w = itself(z, p)
        w[0] *= 1.5
        v = tail(z)
        v[0] += w[2]
        z = z + squares(w)
        w = itself(z, -p)
        z[i % 3] = w[1]
    return z.sum() + v[1] * w[0]


@program(1.0, 0.5, 0.3, calls=4)
def of_tuples(a, b, t):
    for _ in range(5):
        a, b = rotated(a, b, t)
    c, _ = rotated(a, 2.0, 0.4)
    return a * b + c


@program(Y, 0.5, calls=4)
def of_writes(y, p):
    out = np.zeros(3)
    total = 0.0
    for i in range(5):
        fill(out, y, p)
        total += out[i % 3] * p
    return total + out.sum()


@program(Y, 0.5)
def of_writes_into_arguments(y, p):
    total = 0.0
    for i in range(5):
        y[i % 3] += p
        total += normalize(y) * y[0]
    z = np.ones((2, 3))
    for i in range(4):
        fill(z[i % 2], y, p)
        fill(z[1], z[0], p)
    return total + z.sum() * y[2]


@program(Y, 0.5, calls=9)
def of_layouts(y, p):
    total = 0.0
    for i in range(3):
        z = np.outer(y, y[:2]) * p
        for x in (z, z.T, z.copy().T, z[::-1], z[::2], np.asfortranarray(z), z[:1], np.broadcast_to(y, (2, 3))):
            total += moments(x, p) * slopes(x, total)[0, 1] * p
        for x in (z, z.T, z[::-1], z[1:]):
            bends(x, p)
            total += z[i, 1]
    return total


@program(0.5, 1.5)
def catches(x, y):
    total = 0.0
    out = np.zeros(2)
    for i in range(4):
        try:
            total += checked(x + i, y)
        except ValueError:
            total += y * x
        total += checked(x, total)
        out[0] = total
    return total + out[0]


GRID = np.linspace(0.0, 1.0, 11) ** 2
SEEN = np.zeros(2)


@program(0.35, 0.7, calls=9)
def of_constants(x, k):
    total = 0.0
    table = np.arange(3.0)
    seen = np.zeros(2)
    for i in range(5):
        total += GRID[place(GRID, x + 0.1 * i)] * x + place(GRID, 0.5) * k
        total += energy(table) * k + reversed_rows(table)[0] * x + counts(seen, 2.0) * k * seen[0]
        counts(table, x)
        reversed_rows(table)[0] = i
        seen[1] = total
    return total + counts(seen, x) * table[0] * k


@pytest.fixture
def taken(monkeypatch):
    """How many calls took a prepared way."""
    counted = []
    call = prepared.Ways.call

    def counting(self, *args):
        found = call(self, *args)
        if found is not None:
            counted.append(self)
        return found

    monkeypatch.setattr(prepared.Ways, "call", counting)
    return counted


@pytest.mark.parametrize(("f", "args", "calls"), PROGRAMS)
def test_gradients_are_those_of_the_python_functions(f, args, calls, taken):
    plain = getattr(twin_of(__file__), f.__name__)
    want = morula.gradient(plain, *copied(args))
    value = plain(*copied(args))
    given = copied(args)
    with morula.native_mode("require"):
        for _ in range(3):
            y, g = morula.withgradient(f, *given)
            np.testing.assert_allclose(y, value, rtol=1e-13)
            assert_same(g, want, rtol=1e-11)
            assert_same(given, args)
    assert len(taken) >= 2 * calls
    assert_differences(lambda *a: f(*copied(a)), copied(args), g)


def of_arrays_that_get_other_shapes(y, p):
    total = 0.0
    for i in range(4):
        z = np.outer(y, y[:2])
        total += moments(z, p)
        bends(z, p)
        w = slopes(z, p)
        z.shape = (2, 3)
        w.shape = (1, 6)
        bends(z, p)
        total += moments(z, p) * w[0, i] + slopes(w, p)[0, 1]
        z.shape = (6, 1)
        total += z[i, 0]
    return total


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_arrays_get_other_shapes_after_calls():  # then the cotangents are laid out otherwise than the arrays were
    want = morula.gradient(twin_of(__file__).of_arrays_that_get_other_shapes, Y, 0.5)
    with morula.native_mode("require"):
        for _ in range(3):
            assert_same(morula.gradient(of_arrays_that_get_other_shapes, Y, 0.5), want, rtol=1e-11)
        assert_differences(of_arrays_that_get_other_shapes, (Y, 0.5), want)
        _, back = morula.pullback(of_arrays_that_get_other_shapes, Y, 0.5)
        for seed in (1.0, -2.0):
            assert_same(back(seed), tuple(seed * g for g in want), rtol=1e-11)


@pytest.mark.parametrize(("f", "args", "calls"), PROGRAMS)
def test_pullbacks_and_tangents(f, args, calls):
    plain = getattr(twin_of(__file__), f.__name__)
    want = morula.gradient(plain, *copied(args))
    morula.gradient(f, *copied(args))
    _, back = morula.pullback(f, *copied(args))
    for seed in (1.0, -2.0):
        assert_same(back(seed), tuple(None if g is None else seed * g for g in want), rtol=1e-11)
    ones = tuple(np.ones_like(a) if isinstance(a, np.ndarray) else 1.0 for a in args)
    _, y_dot = morula.jvp(f, copied(args), ones)
    np.testing.assert_allclose(y_dot, sum(np.sum(g) for g in want if g is not None), rtol=1e-10)


def test_second_derivatives():
    args = (A(0.3, 0.7),)
    plain = twin_of(__file__).of_numbers
    want = morula.hessian(lambda v: plain(v[0], v[1]), *args)
    morula.gradient(of_numbers, 0.3, 0.7)
    assert_same(morula.hessian(lambda v: of_numbers(v[0], v[1]), *args), want, rtol=1e-10)


def test_strong_zeros():
    def f(x, y):
        total = 0.0
        for _ in range(3):
            total += root(x) * 0.0 + root(y)
        return total

    for _ in range(2):
        g = morula.gradient(f, 0.0, 4.0)
        assert g == (0.0, 0.75)
    assert morula.gradient(lambda x: root(x) + root(4.0 * x), 0.0) == (math.inf,)


def test_what_it_raises():
    def f(x, y):
        return checked(x, y) + checked(x + 2.0, y)

    for _ in range(2):
        with pytest.raises(ValueError, match="too large"):
            morula.gradient(f, 0.5, 1.0)

    def g(x):
        out = np.zeros(2)
        for i in range(3):
            halfway(out, x + 0.4 * i)
        return out.sum()

    for _ in range(2):
        with pytest.raises(ValueError, match="too large"):
            morula.gradient(g, 0.5)
    np.testing.assert_allclose(morula.gradient(lambda x: g(0.2 * x), 0.5)[0], 0.2 * (2 * (0.1 + 0.8) + 3.0))


def test_numbers_of_an_exception_have_no_derivative():
    def f(x):
        for i in range(3):
            try:
                checked(x + i, 1.0)
            except ValueError as error:
                return error.args[1] * x
        return x

    with pytest.raises(NotDifferentiable, match="raised inside"):
        morula.gradient(f, 0.5)


def test_a_rule_that_is_declared_later_counts():
    @njit
    def g(x):
        return x * x

    def f(x):
        return g(x) + g(x + 1.0)

    assert morula.gradient(f, 2.0) == (10.0,)
    assert morula.gradient(f, 2.0) == (10.0,)
    chainrules.scalar_rule(g, lambda y, x: 100.0)
    assert morula.gradient(f, 2.0) == (200.0,)


def test_what_is_captured_and_active_is_followed():
    def f(k, x):
        @njit
        def g(x):
            return k * x

        return g(x) + g(x * x)

    with pytest.warns(morula.NativeFallbackWarning):
        assert morula.gradient(f, 2.0, 3.0) == (12.0, 14.0)

    k = 3.0

    @njit
    def of_constants(x):
        return k * x

    assert morula.gradient(lambda x: of_constants(x) + of_constants(x * x), 2.0) == (15.0,)


def test_mode_never(taken):
    assert morula.gradient(of_numbers, 0.3, 0.7)
    taken.clear()
    with morula.native_mode("never"):
        morula.gradient(of_numbers, 0.3, 0.7)
    assert not taken


def test_memory_that_is_changed_before_the_way_back():
    def f(y, p):
        return squares(y) * p + rhs(y, p)

    y = Y.copy()
    morula.gradient(lambda y, p: f(y, p).sum(), y, 0.5)
    _, back = morula.pullback(f, y, 0.5)
    y[0] = 3.0
    with pytest.raises(StaleMemoryError):
        back(np.ones(3))


GIVEN = A(0.4, 1.5, 2.0)


@njit
def fill_first(pair, p):
    pair[0][:] = p


WAYS_TO_WRITE = [
    lambda p: fill(GIVEN, Y, p),  # all the way
    lambda p: fill(GIVEN[1:], Y, p),
    lambda p: fill_first((GIVEN, 1.0), p),
    lambda p: fill(GIVEN, Y, 0.5),  # nothing active
]


@pytest.mark.parametrize("write", WAYS_TO_WRITE)
def test_memory_of_an_argument_is_written_by_another_route(write):  # as in Python, where two gradients have no meaning
    def f(y, p):
        for _ in range(3):
            write(p)
        return (y * y).sum() * p

    def apart(y, p):  # after which there are prepared ways
        return f(Y, p) + y.sum()

    before = GIVEN.copy()
    morula.gradient(apart, Y + 1.0, 0.3)
    GIVEN[:] = before
    for _ in range(2):
        with pytest.raises(AliasedArgumentsError):
            morula.gradient(f, GIVEN, 0.3)
        assert_same(GIVEN, before)
        with pytest.raises(AliasedArgumentsError):
            morula.jvp(f, (GIVEN, 0.3), (np.ones(3), 1.0))
        GIVEN[:] = before


def test_functions_made_anew_are_not_mistaken_for_one_another():
    def f(x):
        total = 0.0
        for i in range(4):
            namespace = {}
            g = njit(twin_maker(i))
            total += g(x) + g(x)
            del g, namespace
        return total

    assert morula.gradient(f, 2.0) == (2 * (1.0 + 2.0 * 2 + 3.0 * 4 + 4.0 * 8),)


def twin_maker(i):
    def power0(x):
        return x

    def power1(x):
        return x * x

    def power2(x):
        return x * x * x

    def power3(x):
        return x * x * x * x

    return (power0, power1, power2, power3)[i]


def test_the_text_of_a_way_is_kept_by_types():
    def f(x, n):
        return three(x, x, n, 1.0) + three(x, x, n, 2.0)

    want = {n: morula.gradient(lambda x, n=n: twin_of(__file__).three(x, x, n, 1.0) * 1.0, 0.5) for n in (2, 2.0, True)}
    for n in (2, 2.0, True, 2, 2.0):
        got = morula.gradient(lambda x, n=n: three(x, x, n, 1.0), 0.5)
        assert_same(got, want[n], rtol=1e-13)
        assert morula.grad(f, 0)(0.5, n) is not None
