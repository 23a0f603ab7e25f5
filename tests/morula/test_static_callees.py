"""Hot functions that return arrays or several numbers, as entries of the tape of an eager run."""

import math

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.interpolate import CubicSpline
from scipy.sparse import linalg
from static_checks import alike, found_by, slope

import morula
from morula.static.python import callee_pulls
from morula.static.python.pairs import record_of

# Where a warning would be an error the eager tier does what NumPy's numbers do.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
RATE = 0.3


class Car:
    def __init__(self):
        self.mass, self.drag, self.log = 1.2, np.array([0.3, 0.4, 0.1]), []

    def rates(self, x, v):
        a = -self.drag[0] * v - self.drag[1] * math.sin(x) / self.mass
        return v * 1.0, a + self.drag[2]


def step(x, u):
    turn = np.array([[1.0, 0.1 * math.cos(x[2])], [0.0, 1.0]])
    return np.array([x[0] + u * 0.1, x[1] * 0.5, x[2] + u]), turn @ x[:2]


def pair(x, y):
    return x * y, math.sin(x) + RATE


def listed(x, y):
    return [x * y, y / x]


def nested(x, y):
    return (x * y, np.array([x, y * x])), [math.exp(-x), y]


def same(x):
    return x


def tail(x):
    return x[1:]


def branched(x, y):
    if x > 0.2:
        return 3.0 * x, 2.0
    return x * y, y


def root(x, y):
    return math.sqrt(x), x * y


def scaled(values, x):
    return x * values[0], x * x * values[1]


def of_arrays(x):
    a, b = step(x, 0.3)
    c, d = step(a, b[0])
    a[1] = b[1] * 2.0  # what it returned is the program's own
    return a @ c + np.sum(d * d) + b[0]


def of_numbers(x, y):
    for _ in range(4):
        x, y = pair(x, y)
    return x * y


def of_lists(x, y):
    a = listed(x, y)
    a.append(a[0] * 2.0)
    a[1] = a[1] * x
    b = listed(a[0], a[1])
    return sum(a) + b[0] * b[1]


def of_nested(x, y):
    (a, b), (c, d) = nested(x, y)
    b[0] += c
    (e, f), g = nested(a, b[0])
    return a * b[1] + c * d + e * f[0] + g[0]


def of_aliases(x):
    y = same(x * 2.0)
    z = same(y)
    z[0] = 5.0 * z[1]
    w = tail(z)
    w[0] *= 3.0
    return y[0] * y[1] + np.sum(w * z[1:])


def limited(u, v):
    if u[0] > 100.0:
        u = u * 0.5
    return u


def halved(u, v):
    while u[0] > 100.0:
        u = u * 0.5
    return u


def the_other(u, v):
    v = u
    return v


def chosen(u, v):
    v = u if v[0] < 100.0 else v
    return v[1:], v[0]


def kept_or_new(u, v):
    w = u * 1.0
    if u[0] < 100.0:
        w = u
    return w


def before(u, v):
    w = u
    u = u * 2.0
    return w


def turned(u, v):
    for _ in range(3):
        u, v = v, u
    return v


def replaced(u, v):
    u = u * 2.0
    return u


def of_own_arguments(x):
    """What a function returns may be what it was given, whatever it did with its variables in between."""
    u, v = x * 2.0, x * x
    total = 0.0
    for f in (limited, halved, the_other, chosen, kept_or_new, before, turned):
        found = f(u, v)
        w = found[0] if isinstance(found, tuple) else found
        w *= x[0]
        u[1] += 0.5
        total = total + np.sum(w * w) + u[0] * v[1]
    return total


def of_replaced_arguments(x):
    u, v = x * 2.0, x * x
    w = replaced(u, v)
    w *= x[0]
    return np.sum(w * u)


def of_changed_arguments(x):
    y = x * 2.0
    a, b = step(y, 0.3)
    y[:] = 7.0
    c, _ = step(y * x, 0.3)
    return a @ c + b[0]


def of_changed_lists(x):
    values = [2.0, 3.0]
    a, b = scaled(values, x)
    values[0], values[1] = 50.0, 70.0
    c, d = scaled(values, a)
    return a + b + c * d


def of_objects(x, v):
    car = Car()
    for k in range(3):
        dx, dv = car.rates(x, v)
        x, v = x + 0.1 * dx, v + 0.1 * dv
        car.mass = 1.0 + k
        car.drag[0] *= 1.1
        car.log.append(k)
    return x * v


def of_active_objects(x, v):
    car = Car()
    dx, dv = car.rates(x, v)
    car.mass = x * 2.0
    car.drag[1] = v
    ex, ev = car.rates(dx, dv)
    return dx * ex + dv * ev


def of_a_global(x, y):
    global RATE
    before = RATE
    a, b = pair(x, y)
    RATE = 0.9
    c, d = pair(a, b)
    RATE = before
    return a * c + b * d


def of_closures(a, y):
    b = a * 0.5

    def rhs(t, y):
        return np.array([y[1] * b, -a * math.sin(y[0]) + t])

    y = y + 0.1 * rhs(0.1, y)
    b = b * 2.0
    y = y + 0.1 * rhs(0.2, y)
    a = a * y[0]
    y = y + 0.1 * rhs(0.3, y)
    return y[0] * y[1]


def of_branches(x, y):
    a, b = branched(x, y)
    return a * b


def stepped(x, y):
    return max(y, 1e-3) - 2.0, math.copysign(x, y - 0.5), x * 0.0


def of_first(x, y):
    return stepped(x, y)[0]


def of_second(x, y):
    return stepped(x, y)[1]


def of_third(x, y):
    return stepped(x, y)[2]


def swapped(x):
    u = np.full(3, 0.5)
    u[1:] = u[1:] * x[1:]
    u, x = x, u
    u[0] *= u[1]
    return np.sum(x * x)


def swapped_twice(x):
    u, v = np.full(3, 0.5), x * 2.0
    u[1:] = u[1:] * v[1:]
    u, x = x, u
    u, v = v, u
    v[0] = v[2] * 3.0
    return x * u, v[1]


def of_swaps(x):
    y = x * 2.0
    a = swapped(y)
    (b, c), d = swapped_twice(y), y * 1.0
    return a + np.sum(b) * c + y[0] * d[0]


def reversed_and_rest(x):
    y = x * 2.0
    return y[::-1], y[1:], y[0]


def of_slices(x):
    a, b, c = reversed_and_rest(x)
    a[0] = c * 3.0
    d, *_ = reversed_and_rest(a)
    return np.sum(a * d) * c + np.sum(b * b)


def of_parts(x, y):
    a, _ = pair(x, y)
    _, b = pair(y, x)
    return a * b


def of_inner_tuples(x, y):
    """What a captured function captures is no variable of the function that calls it."""
    pair = (x * x, 2.0)

    def inner(u):
        return u * pair[0] + pair[1]

    def outer(u):
        return inner(u) * 2.0 + inner(u * u)

    total = 0.0
    for k in range(6):
        total += outer(y * k)
    return total


def of_inner_defaults(x, y):
    def inner(u, rate=x, *, more=(y, 2.0)):
        return u * rate + more[0]

    def scaled(u, factor=y):
        return u * factor

    def outer(u):
        return inner(u, more=(1.0, 2.0)) * scaled(u) + scaled(u, 2.0)

    total = 0.0
    for k in range(6):
        total += outer(y * k) + inner(total)
    return total


def of_matrices(x):
    a, c = sparse.csr_array(np.outer(x, x)), sparse.csr_array(np.eye(3))

    def product(v):
        return a @ v * 0.5 + c @ v

    v = x * 1.0
    for _ in range(6):
        v = product(v) + 1.0
    return v.sum()


def of_solvers(x):
    a = sparse.csr_array(np.outer(x, x) + np.eye(3))
    return linalg.gmres(a, x, rtol=1e-13)[0].sum() + linalg.cg(a, x, rtol=1e-13)[0] @ x


def of_splines(x):
    spline, fixed = CubicSpline(np.arange(3.0), x), CubicSpline(np.arange(3.0), VECTOR)

    def both(t):
        return float(spline(t)) * float(fixed(t))

    return sum([both(x[0] * k) for k in range(6)])


def of_distributions(x):
    prior, fixed = stats.norm(x[0], x[1]), stats.norm(0.1, 2.0)

    def density(t):
        return prior.logpdf(t) * 2.0 + fixed.logpdf(t)

    return sum([density(x[2] * k) for k in range(6)])


KEPT = sparse.csr_array(np.eye(3))


def kept(v):
    return KEPT @ v * 0.5


def of_a_global_matrix(x):
    global KEPT
    before, v = KEPT, kept(x)
    KEPT = sparse.csr_array(np.outer(x, x))
    for _ in range(4):
        v = kept(v) + 1.0
    KEPT = before
    return kept(v).sum()


VECTOR = np.array([0.4, 0.7, 0.2])
PROGRAMS = [  # with the least number of entries
    (of_arrays, (VECTOR,), 2), (of_numbers, (0.4, 0.7), 4), (of_lists, (0.4, 0.7), 2), (of_nested, (0.4, 0.7), 2),
    (of_changed_arguments, (VECTOR,), 2), (of_changed_lists, (0.4,), 2), (of_objects, (0.4, 0.7), 3),
    (of_closures, (0.8, np.array([0.2, 0.1])), 3), (of_branches, (0.1, 0.7), 1), (of_parts, (0.4, 0.7), 2),
    (of_a_global, (0.4, 0.7), 2), (of_aliases, (VECTOR,), 0), (of_swaps, (VECTOR,), 0), (of_slices, (VECTOR,), 0),
    (of_own_arguments, (VECTOR,), 0), (of_replaced_arguments, (VECTOR,), 1),
    (of_active_objects, (0.4, 0.7), 0), (of_inner_tuples, (0.4, 0.7), 0), (of_inner_defaults, (0.4, 0.7), 0),
    (of_matrices, (VECTOR,), 0),
    (of_solvers, (VECTOR,), 0), (of_splines, (VECTOR,), 0), (of_distributions, (VECTOR,), 0),
    (of_a_global_matrix, (VECTOR,), 0),
]  # fmt: skip


def in_eager_runs(f):
    """See to it that the eager tier runs a function, whatever it calls."""
    for verb in ("gradient", "pullback"):
        record = record_of(f, verb)
        record.why, record.attempts = "for the sake of the test", 99
    return f


@pytest.fixture
def entries(monkeypatch):
    """The functions whose calls are entries that pull back."""
    found = []

    def entered(ctx, callee, y, *rest):
        found.append(callee.f.__name__)
        return of_callee(ctx, callee, y, *rest)

    of_callee = callee_pulls.entered
    monkeypatch.setattr(callee_pulls, "entered", entered)
    return found


@pytest.mark.parametrize(("f", "args", "least"), PROGRAMS)
def test_callees_pull_back(f, args, least, entries):
    eager = found_by("eager", f, args)
    for _ in range(3):
        del entries[:]
        static = found_by("static", in_eager_runs(f), args)
        assert repr(static.value) == repr(eager.value)
        assert alike(static.gradient, eager.gradient)
    along = sum(float(np.sum(g)) for g in static.gradient)
    assert along == pytest.approx(slope(f, args), rel=1e-6, abs=1e-8)
    assert len(entries) >= least


def test_constant_matrices_leave_entries_as_they_are(entries):
    """A captured matrix is a constant as long as nothing active lies in it."""
    a = sparse.csr_array(np.outer(VECTOR, VECTOR))

    def product(v):
        return a @ v * 0.5

    def f(x):
        for _ in range(3):
            x = product(x) + 1.0
        return x.sum()

    assert alike(found_by("static", in_eager_runs(f), (VECTOR,)).gradient, found_by("eager", f, (VECTOR,)).gradient)
    assert entries == ["product"] * 3


def test_pullbacks_of_runs_with_callees():
    args = (0.4, 0.7)
    in_eager_runs(of_nested)
    with morula.tier("eager"):
        expected = morula.gradient(of_nested, *args)
        second = morula.hessian(lambda x: of_nested(*x), np.array(args))
    with morula.tier("static"):
        y, back = morula.pullback(of_nested, *args)
        assert y == of_nested(*args)
        for seed in (1.0, -2.0, 0.0, 1.0):
            assert alike(back(seed), tuple([seed * g for g in expected]))
        assert np.allclose(morula.hessian(lambda x: of_nested(*x), np.array(args)), second, rtol=1e-10)


def test_pullbacks_leave_arguments_as_the_program_does():
    left = []
    for tier in ("eager", "static"):
        for f in (swapped, swapped_twice):
            x = VECTOR.copy()
            with morula.tier(tier):
                morula.pullback(f, VECTOR.copy())
                morula.pullback(f, x)
            left.append(x.tolist())
    assert left[:2] == left[2:]
    assert left[0][0] == VECTOR[0] * VECTOR[1]


def test_absent_gradients_are_absent():
    """A branch that does not use an argument gives None for it, be its seed what it may."""
    for f in (of_branches, of_first, of_second, of_third):
        for args in ((0.5, 0.7), (0.1, 0.7), (0.1, -0.7)):
            eager, static = found_by("eager", f, args), found_by("static", in_eager_runs(f), args)
            assert static.gradient == eager.gradient
    assert found_by("static", of_branches, (0.5, 0.7)).gradient[1] is None


def test_infinite_slopes_with_zero_weight():
    def f(x, y):
        a, b = root(x, y)
        return 0.0 * a + b

    eager, static = found_by("eager", in_eager_runs(f), (0.0, 2.0)), found_by("static", f, (0.0, 2.0))
    assert static == eager
    assert static.gradient == (2.0, 0.0)


def parts_and_empty_lists(x, y):
    return [], x * y, (x, ())


def test_empty_lists_that_a_hot_callee_returns():
    """They may be filled with what is active."""

    def f(x, y):
        total = 0.0
        for i in range(3):
            seen, p, (q, none) = parts_and_empty_lists(x, y * i)
            seen.append(p * x)
            total = total + sum(seen) * q + len(none) + eval("p")
        return total

    with morula.tier("eager"):
        expected = morula.withgradient(f, 0.5, 1.3)
    with morula.tier("static"):
        for _ in range(2):
            found = morula.withgradient(f, 0.5, 1.3)
            assert found.value == expected.value
            np.testing.assert_allclose(found.gradient, expected.gradient, rtol=1e-12)


def one_written(c, x):
    u = np.zeros(3)
    u[0] += c
    v = u
    v[1] = x
    return u, v


def one_small(c, x):
    u = np.array([c, x])
    v = u
    return u, v


def one_list(c, x):
    u = [c, x, 2.0]
    v = u
    u[0] = x * c
    return u, v


def one_appended(c, x):
    u = [c, x]
    v = [c, c]
    if x > 0.0:
        v = u
    v.append(2.0)
    return u, v


def one_in_a_dict(c, x):
    u = [c, x]
    u.append(c)
    held = {"u": u}
    return u, held["u"]


def changing_places(c, x):
    u, v = np.zeros(3), np.ones(3)
    for k in range(3):
        u[k] += x * c
        u, v = v, u
    return u, v


def a_view(c, x):
    u = np.arange(4.0) * c
    u[0] = x
    return u, u[:2]


def a_row_and_a_column(c, x):
    u = np.zeros((3, 4))
    u[0, 1] = x
    u[1] = c
    return u[0], u[:, 1]


def transposed(c, x):
    u = np.arange(4.0) * c
    u[0] = x
    return u.T, u


def large(c, x):
    u = np.arange(40.0) * c + x
    return u, u.T


@pytest.mark.parametrize(
    "made",
    [
        one_written,
        one_small,
        one_list,
        one_appended,
        one_in_a_dict,
        changing_places,
        a_view,
        a_row_and_a_column,
        transposed,
        large,
    ],
    ids=lambda f: f.__name__,
)
def test_one_array_under_two_names_stays_one(made):
    def f(c, x):
        u, v = made(c, x)
        v[0] = 3.0 * x
        u[1] = c * c
        return float(u[0] * u[1] + v[1] * v[0] + u[1])

    record_of(f).why = "it is to call a function"
    eager = found_by("eager", f, (0.3, 0.4))
    static = found_by("static", f, (0.3, 0.4))
    assert repr(static.value) == repr(eager.value)
    assert alike(static.gradient, eager.gradient)


def test_what_a_hot_function_returns_without_anything_active_in_it_is_a_constant():
    """A number with a zero for its derivative may not be read from a text, nor an integer be made of it."""

    def parts(x, u, given):
        u[0] = 2.0
        return np.array([x, given[1]]), np.array([1.0, 2.0]), given[2]

    def f(x):
        u = np.zeros(3)
        total = 0.0
        for _ in range(3):
            a, b, n = parts(x, u, [x, 0.5, 3.0])
            total += a[0] * int(b[1]) * int(u[0]) + float(f"{b[0]:.1f}") * x + int(n) * a[1] * x
        return total

    record_of(f).why, record_of(f).attempts = "the functions that it calls are tested", 99
    for x in (0.3, 0.7):
        eager = found_by("eager", f, (x,))
        for _ in range(2):
            assert alike(found_by("static", f, (x,)).gradient, eager.gradient)
    assert any(pair.calls for pair in record_of(parts, "callee").all_pairs)
