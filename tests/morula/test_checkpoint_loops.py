"""`checkpoint_loop`: the gradient of the plain loop, in the memory and with the steps that theory promises."""

import array
import functools
import itertools
import math
import tracemalloc
from collections import namedtuple
from fractions import Fraction

import numpy as np
import pytest
from morula_helpers import Programs, assert_identical, assert_same, verify

import chainrules
import morula
from morula import NotDifferentiable, StaleMemoryError, checkpoint, checkpoint_loop, gradient, isderiving, pullback
from morula.verbs.checkpoint_loops import beta, stride

LOG = array.array("q")  # what `checkpoint_loop` does not take for state of the program


@pytest.fixture(autouse=True)
def _empty_log():
    del LOG[:]
    np.random.seed(3)


def loop(step, state, n, *args, snapshots, with_index=False):
    """What `checkpoint_loop` means."""
    for i in range(n):
        state = step(i, state, *args) if with_index else step(state, *args)
    return state


SIZES = [(0, 1), (1, 1), (1, 4), (2, 1), (2, 2), (7, 1), (7, 2), (7, 3), (7, 7), (7, 8), (7, 100), (30, 3)]


# -- the schedule -------------------------------------------------------------------------------------------------


@functools.cache
def fewest(length, k):
    """Plain steps that walking back over a chain needs, by trying every place for the next snapshot."""
    if length <= 1:
        return 0
    if k == 1:
        return length * (length - 1) // 2
    return min(m + fewest(length - m, k - 1) + fewest(m, k) for m in range(1, length))


def promised(length, k):
    """The formula of Griewank and Walther: r t - beta(k + 1, r - 1)."""
    r = next(r for r in itertools.count() if beta(k, r) >= length)
    return r * length - math.comb(k + r, k + 1)


def test_the_formula_is_the_optimum():
    for length in range(1, 61):
        for k in range(1, 12):
            assert promised(length, k) == fewest(length, k)


def test_the_known_chains():
    assert [beta(3, r) for r in range(5)] == [1, 4, 10, 20, 35]
    assert beta(10, 4) == 1001
    assert promised(1001, 10) == 4 * 1001 - math.comb(14, 11)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 9])
def test_every_stride_is_within_the_optimal_bounds(k):
    for length in range(2, 300):
        m = stride(length, k)
        r = next(r for r in itertools.count() if beta(k, r) >= length)
        assert 1 <= m < length
        assert (beta(k, r - 2) if r > 1 else 0) <= m <= beta(k, r - 1)
        assert beta(k - 1, r - 1) <= length - m <= beta(k - 1, r)


def noted(x):
    LOG.append(isderiving())
    return math.sin(1.1 * x)


def taken():
    """How many steps ran plainly, and how many with a tape, since it was last asked."""
    found = LOG.count(0), LOG.count(1)
    del LOG[:]
    return found


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7, 50])
def test_the_number_of_steps_is_the_optimum(k):
    for n in [*range(26), 34, 35, 70]:

        def f(x, n=n):
            return checkpoint_loop(noted, x, n, snapshots=k)

        gradient(f, 0.3)
        assert taken() == (fewest(n + 1, k), n)
        _, back = pullback(f, 0.3)
        assert taken() == (n, 0)
        back(1.0)
        assert taken() == (fewest(n + 1, k) - n, n)
        for _ in range(2):  # from the first state alone
            back(1.0)
            assert taken() == (fewest(n, k), n)


def test_ten_snapshots_do_for_a_thousand_steps():
    g = gradient(lambda x: checkpoint_loop(noted, x, 1000, snapshots=10), 0.3)
    assert taken() == (promised(1001, 10), 1000) == (3640, 1000)
    assert g == gradient(lambda x: loop(noted, x, 1000, snapshots=10), 0.3)


def test_the_schedules_of_a_library_take_as_many():
    schedules = pytest.importorskip("checkpoint_schedules")
    from checkpoint_schedules.multistage import optimal_steps_binomial

    for n, k in [(2, 1), (10, 3), (50, 4), (100, 5)]:
        assert optimal_steps_binomial(n, k) - n == promised(n, k)
        plain = taped = 0
        for action in schedules.MultistageCheckpointSchedule(n, k, 0):
            if isinstance(action, schedules.Forward):
                steps = action.n1 - action.n0
                plain, taped = (plain, taped + steps) if action.write_adj_deps else (plain + steps, taped)
            if isinstance(action, schedules.EndReverse):
                break
        assert (plain, taped) == (promised(n, k), n)


# -- memory -------------------------------------------------------------------------------------------------------

CELLS = 12_345  # a size that nothing else has


def living():
    """How many arrays of that size were made and are there."""
    only = tracemalloc.DomainFilter(True, np.lib.tracemalloc_domain)
    return sum(trace.size == CELLS * 8 for trace in tracemalloc.take_snapshot().filter_traces([only]).traces)


chainrules.non_differentiable(living)


def counted(u):
    LOG.append(living())
    return u * 1.01


@pytest.mark.parametrize("k", [1, 2, 5])
def test_no_more_states_live_than_were_allowed(k):
    """Beside the snapshots: the argument's, the working state; and at the end of it the new one."""
    u = np.ones(CELLS)
    tracemalloc.start()
    try:
        _, back = pullback(lambda x: checkpoint_loop(counted, x, 20, snapshots=k), u)
        assert max(LOG) == k + 1
        del LOG[:]
        back(u)
        assert max(LOG) <= k + 3  # the copy that a tape is made for, and the cotangent
        assert living() == 2  # the value, which nobody has, is gone: the first state, and what `back` holds
    finally:
        tracemalloc.stop()


def sines(u):
    return np.sin(u)


def peak_of(f, *args):
    f(*args)
    tracemalloc.start()
    f(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.slow
def test_the_peak_grows_with_the_snapshots_and_not_with_the_steps():
    u = np.linspace(0.1, 0.9, 30_000)

    def peak(n, k):
        return peak_of(gradient, lambda x: checkpoint_loop(sines, x, n, snapshots=k).sum(), u) / u.nbytes

    base = peak(10, 1)
    assert base <= 9
    assert peak(80, 1) == pytest.approx(base, abs=0.1)
    for k in (2, 4, 8, 16):
        assert peak(80, k) == pytest.approx(base + k - 1, abs=0.3)
    assert peak_of(gradient, lambda x: loop(sines, x, 80, snapshots=1).sum(), u) / u.nbytes >= 80


# -- gradients ----------------------------------------------------------------------------------------------------

programs = Programs()
X = np.array([0.3, -0.7, 1.1, 0.4])
W = np.array([[0.2, -0.5, 0.1, 0.3], [0.7, 0.3, -0.4, 0.1], [0.6, 0.1, 0.9, -0.2], [0.1, -0.3, 0.2, 0.5]])
State = namedtuple("State", "u rate")


@programs(0.3, 3.1)
def numbers(x, r, run, n, k):
    return run(lambda s, r: r * s * (1 - s), x, n, r, snapshots=k)


@programs(X, W)
def captured(x, w, run, n, k):
    return run(lambda s: np.tanh(w @ s), x, n, snapshots=k).sum()


@programs(X, W)
def captured_and_given(x, w, run, n, k):
    return run(lambda s, v: np.tanh(w @ s) + 0.1 * v[0], x, n, w, snapshots=k).sum()


@programs(X, 0.7)
def captured_by_what_the_step_calls(x, c, run, n, k):
    def force(u):
        return -c * u

    def step(s, rhs):
        return s + 0.1 * force(s) + 0.1 * rhs(s)

    return (run(step, x, n, lambda u: c * c * np.sin(u), snapshots=k) ** 2).sum()


@programs(X, 0.1)
def a_dict_written_in_place(x, dt, run, n, k):
    def step(s):
        u, v = s["u"], s["v"]
        v[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
        u += dt * v
        s["steps"] += 1
        return s

    s = run(step, {"u": x * 1.0, "v": x * 0.5, "steps": 0, "name": "wave"}, n, snapshots=k)
    return (s["u"] ** 2).sum() + s["v"][1] * (1 + 0 * s["steps"])


@programs(X, 1.1)
def an_array_written_in_place(x, c, run, n, k):
    def step(u):
        u[1:] *= c
        u[0] += u[1] * u[2]
        return u

    return (run(step, x * 1.0, n, snapshots=k) ** 2).sum()


@programs([0.4, 0.8], (X, 0.9))
def nested_containers(a, b, run, n, k):
    def step(s):
        (p, q), parts = s
        return (q, p * parts[0][1]), [[parts[1] + p, parts[0][0]], parts[0][1] * 0.9]

    (p, q), parts = run(step, ((a[0], a[1]), [[a[0], b[1]], 0.5]), n, snapshots=k)
    return p + q * parts[1] + parts[0][0] + b[0].sum()


@programs(X, 0.5)
def a_named_tuple(x, r, run, n, k):
    def step(s):
        return State(np.cos(s.u) * s.rate, s.rate * 0.9)

    s = run(step, State(x, r), n, snapshots=k)
    return s.u.sum() * s.rate


@programs(X)
def with_the_index(x, run, n, k):
    def step(i, s, y):
        return s * y[i % len(y)] + 0.1 * i

    return run(step, 1.5, n, x, snapshots=k, with_index=True) * x[0]


@programs(X)
def with_a_counter(x, run, n, k):
    def step(s):
        t, i = s
        return t * x[i % len(x)], i + 1

    return run(step, (1.0, 0), n, snapshots=k)[0] * x[1]


@programs(0.9)
def a_growing_list(x, run, n, k):
    return sum(run(lambda s: [*s, s[-1] * x], [1.0], n, snapshots=k)) * x


@programs(X)
def views(x, run, n, k):
    def step(s):
        return np.sin(s[::2].repeat(2)[:, None] * s[None, :])[:, ::-1].T[1]

    return run(step, x * 1.0, n, snapshots=k).sum() + x[0]


@programs(X)
def columns(x, run, n, k):
    def step(s):
        return np.sin(s * s.T + 0.4).T[:, ::2].repeat(2, axis=1) * 0.9

    return run(step, np.outer(x, x), n, snapshots=k).sum()


@programs(X, 2.0)
def more_before_and_after(x, c, run, n, k):
    y = np.sin(x)
    y[0] *= c
    z = run(lambda s: s * y, y * 1.0, n, snapshots=k)
    y[1] = 0.5
    z[0] += y[1]
    again = run(lambda s: s + y[0] * s, z, n, snapshots=k)
    return (z * again).sum() + y.sum()


@programs(X)
def complex_numbers(x, run, n, k):
    return abs(run(lambda s: s * np.exp(1j * x[0]) + x[1], x[2] + 1j * x[3], n, snapshots=k)) ** 2 + x.sum()


@programs(0.4)
def branches(x, run, n, k):
    def step(s):
        if s > 0.5:
            return s * x
        for _ in range(3):
            s = s + 0.3 * x
        return s

    return run(step, x, n, snapshots=k)


@programs(X, 0.3)
def loops_in_loops(x, c, run, n, k):
    def inner(s, i):
        return s + 0.1 * c * np.sin(i * s)

    def step(i, s):
        return run(inner, s, 3, 1.0 + i, snapshots=2) * x[0]

    return run(step, x, n, snapshots=k, with_index=True).sum()


@programs(X, 0.3)
def in_a_checkpoint(x, c, run, n, k):
    def step(s):
        return checkpoint(lambda u: np.sin(c * u), s) + 0.1

    return checkpoint(lambda y: run(step, y, n, snapshots=k) * c, x * 2.0).sum()


@pytest.mark.parametrize(("n", "k"), SIZES)
@pytest.mark.parametrize(("f", "args"), programs)
def test_the_gradient_is_that_of_the_plain_loop(f, args, n, k):
    def through(run):
        return lambda *xs: f(*xs, run, n, k)

    want = gradient(through(loop), *args)
    got = gradient(through(checkpoint_loop), *args)
    assert_same(got, want, rtol=1e-12, atol=1e-13)
    assert_identical(f(*args, checkpoint_loop, n, k), f(*args, loop, n, k))


@pytest.mark.parametrize(("f", "args"), programs)
def test_against_differences(f, args):
    verify(lambda *xs: f(*xs, checkpoint_loop, 7, 2), *args)


def test_scalar_loops_are_equal_bit_for_bit():
    with morula.tier("eager"):
        for k in (1, 3, 9):
            assert_identical(
                gradient(lambda x, r, k=k: numbers(x, r, checkpoint_loop, 40, k), 0.3, 3.7),
                gradient(lambda x, r, k=k: numbers(x, r, loop, 40, k), 0.3, 3.7),
            )


def test_structures_of_the_gradient():
    def f(s, r):
        s = checkpoint_loop(lambda s, r: {"a": s["a"] * r["k"], "b": s["b"]}, s, 3, r, snapshots=2)
        return s["a"].sum()

    a = np.array([1.0, 2.0])
    got = gradient(f, {"a": a, "b": ["name", 3.0]}, {"k": 2.0, "unused": 1.0})
    assert_same(got, ({"a": np.full(2, 8.0), "b": None}, {"k": 36.0, "unused": None}))


def test_float32_stays():
    (g,) = gradient(lambda x: checkpoint_loop(np.sin, x, 4, snapshots=2).sum(), np.ones(2, np.float32))
    assert g.dtype == np.float32


def test_exact_numbers():
    assert gradient(lambda x: checkpoint_loop(lambda s: s * s, x, 2, snapshots=1), Fraction(1, 2)) == (Fraction(1, 2),)


def test_no_gradient_is_none():
    assert gradient(lambda x, y: x * checkpoint_loop(lambda s: s * 2.0, 1.0, 3, snapshots=1), 2.0, 1.0) == (8.0, None)
    f = lambda x, y: checkpoint_loop(lambda s: y, x, 3, snapshots=1)
    assert gradient(f, 2.0, 1.0) == (None, 1.0)


def test_infinities_that_do_not_count():
    def f(x):
        s = checkpoint_loop(lambda s: (s[0] * 1.0, np.sqrt(s[0] * 0.0)), (x, x), 3, snapshots=1)
        return s[0] + 0.0 * s[1]

    with np.errstate(all="ignore"):
        assert gradient(f, 1.0) == (1.0,)


def test_pullback_of_structures_again_and_again():
    def f(x, run):
        return run(lambda s: [s[0] * s[1], s[1] + s[0]], [x, x * 2.0], 5, snapshots=2)

    (y, back), (want, plain) = pullback(f, 0.6, run=checkpoint_loop), pullback(f, 0.6, run=loop)
    assert_same(y, want)
    for seed in ([1.0, None], [None, 2.0], [0.5, -1.0], [1.0, None], [None, None]):
        assert_same(back(seed), plain(seed))


# -- what a step may do -------------------------------------------------------------------------------------------


def test_the_state_that_was_given_stays():
    u = np.ones(3)

    def double(s):
        s *= 2.0
        return s

    assert checkpoint_loop(double, u, 3, snapshots=1).tolist() == [8.0] * 3
    assert u.tolist() == [1.0] * 3
    assert checkpoint_loop(double, u, 0, snapshots=1) is not u

    def f(x):
        y = checkpoint_loop(double, x, 3, snapshots=1)
        y[0] = 0.0
        return (x * y).sum()

    verify(f, np.array([1.0, 2.0, 3.0]))


def test_arrays_of_a_state_are_apart():
    def step(s):
        s[0][0] *= 2.0
        return s[0], s[0]

    def f(x, run=checkpoint_loop):
        a, b = run(step, (x * 1.0, x * 1.0), 3, snapshots=1)
        return (a * b).sum()

    a, b = checkpoint_loop(step, (X, X), 1, snapshots=1)
    assert not np.shares_memory(a, b)
    verify(f, X)
    verify(f, X * 0.0)


def test_a_captured_array_may_be_returned():
    def f(x, w):
        a, b = checkpoint_loop(lambda s: (w, s[0] * 2.0), (x, x), 3, snapshots=2)
        return (a * b).sum()

    verify(f, X, X * 2.0)


def test_a_constant_array_may_be_returned():
    def f(x, run):
        w, v = np.ones(4), np.full(5, 2.0)
        y, a, b = run(lambda s, c: (s[0] * c * v[0], c, v[1:]), (x, w, w), 3, w, snapshots=1)
        before = (w * x).sum()
        a[0] = x[1]
        return (y * a * b).sum() * before

    assert_same(gradient(f, X, run=checkpoint_loop), gradient(f, X, run=loop))


def test_random_steps_are_replayed():
    rng = np.random.default_rng(1)

    def noise():
        return rng.normal()

    factors = []

    def step(s):
        return s * (1.0 + 0.1 * noise()) * np.random.uniform(0.5, 1.5)

    y, back = pullback(lambda x: checkpoint_loop(step, x, 20, snapshots=3) * noise(), 2.0)
    state = rng.bit_generator.state, np.random.get_state()[1:3]
    for _ in range(3):
        assert back(1.0) == pytest.approx((y / 2.0,), rel=1e-13)
    assert rng.bit_generator.state == state[0]
    assert np.array_equal(np.random.get_state()[1], state[1][0])
    assert np.random.get_state()[2] == state[1][1]
    assert not factors


def test_later_changes_are_not_seen():
    known = {"c": 3.0}

    def f(x):
        c = 3.0
        y = checkpoint_loop(lambda s: s * c * known["c"], x, 2, snapshots=1)
        c = 5.0
        known["c"] = c
        return y

    assert gradient(f, 0.0) == (81.0,)
    assert known == {"c": 5.0}


# -- refused ------------------------------------------------------------------------------------------------------


class Model:
    def __init__(self, w):
        self.w = w

    def step(self, s):
        return s * self.w


def writes_into_what_it_captures(x):
    kept = []

    def step(s):
        kept.append(s)
        return s * x

    return checkpoint_loop(step, x, 3, snapshots=1)


def writes_into_an_argument(x):
    def step(s, w):
        w[0] = s
        return s * w[1]

    return checkpoint_loop(step, x, 3, np.ones(2), snapshots=1)


def writes_into_a_captured_array_it_returned(x):
    w = np.ones(3) * x

    def step(s):
        s[1][0] += 1.0
        return s[0] * x, w

    return checkpoint_loop(step, (x, np.ones(3)), 3, snapshots=1)[0]


def rebinds(x):
    c = 0.0

    def step(s):
        nonlocal c
        c = s
        return s * x

    return checkpoint_loop(step, x, 3, snapshots=1) + c


def active_object_as_step(x):
    return checkpoint_loop(Model(x).step, x, 3, snapshots=1)


def active_partial(x):
    return checkpoint_loop(functools.partial(lambda w, s: w * s, x), x, 3, snapshots=1)


def active_default(x):
    return checkpoint_loop(lambda s, w=x: w * s, x, 3, snapshots=1)


def an_object_as_state(x):
    return checkpoint_loop(lambda s: s, Model(x), 3, snapshots=1).w


def an_array_of_objects_as_state(x):
    return checkpoint_loop(lambda s: s, np.array([x, None]), 3, snapshots=1)[0]


def a_function_as_state(x):
    return checkpoint_loop(lambda s: (s[0], lambda: x), (x, None), 3, snapshots=1)[0]


@pytest.mark.parametrize("f", [
    writes_into_what_it_captures, writes_into_an_argument, writes_into_a_captured_array_it_returned, rebinds,
    active_object_as_step, active_partial, active_default, an_object_as_state, an_array_of_objects_as_state,
    a_function_as_state,
])  # fmt: skip
def test_refused(f):
    with pytest.raises(NotDifferentiable, match="checkpoint_loop"):
        gradient(f, 1.5)


def test_states_are_refused_plainly_too():
    with pytest.raises(NotDifferentiable, match="a Model"):
        checkpoint_loop(lambda s: s, Model(1.0), 1, snapshots=1)


@pytest.mark.parametrize("k", [0, -1])
def test_no_snapshots_at_all(k):
    with pytest.raises(ValueError, match="at least 1 snapshot"):
        checkpoint_loop(np.sin, 1.0, 3, snapshots=k)
    with pytest.raises(ValueError, match="at least 1 snapshot"):
        gradient(lambda x: checkpoint_loop(np.sin, x, 3, snapshots=k), 1.0)


def test_wrong_calls():
    with pytest.raises(TypeError, match=r"checkpoint_loop\(\) missing 1 required keyword-only argument: 'snapshots'"):
        gradient(lambda x: checkpoint_loop(np.sin, x, 3), 1.0)
    with pytest.raises(TypeError):
        gradient(lambda x: checkpoint_loop(np.sin, x, 1.5, snapshots=2), 1.0)


def test_by_keyword():
    assert gradient(lambda x: checkpoint_loop(step=np.square, state=x, n=2, snapshots=1), 2.0) == (32.0,)


def test_a_step_that_gives_another_value_is_an_error():
    numbers = itertools.count()
    with pytest.raises(NotDifferentiable, match="a different value"):
        gradient(lambda x: checkpoint_loop(lambda s: s * next(numbers), x, 4, snapshots=2), 1.0)


def test_an_array_that_was_changed_since_is_an_error():
    w = np.ones(3)
    _, back = pullback(lambda x: checkpoint_loop(lambda s: s * w, x, 3, snapshots=2).sum(), np.zeros(3))
    w[0] = 2.0
    with pytest.raises(StaleMemoryError):
        back(1.0)


def test_the_number_of_steps_is_a_constant():
    assert gradient(lambda x, n: checkpoint_loop(lambda s: s * x, 1.0, n, snapshots=2), 2.0, 3) == (12.0, None)


# -- exceptions ---------------------------------------------------------------------------------------------------


def fails_at(i, s, x, bad):
    if i == bad:
        raise ZeroDivisionError(i)
    return s * x


def test_an_exception_on_the_way():
    def f(x):
        u = np.ones(2) * x
        try:
            u = checkpoint_loop(fails_at, u, 9, x, 5, snapshots=2, with_index=True)
        except ZeroDivisionError:
            u = checkpoint_loop(fails_at, u, 4, x, 5, snapshots=2, with_index=True)
        return u.sum()

    verify(f, 1.2)
    with pytest.raises(ZeroDivisionError):
        gradient(lambda x: checkpoint_loop(fails_at, x, 9, x, 5, snapshots=2, with_index=True), 2.0)


FAIL = array.array("b", [0])


def fails_on_the_way_back(i, s, x):
    if FAIL[0] and i == 3 and isderiving():
        raise ZeroDivisionError
    return s * x + np.random.rand()


def test_an_exception_on_the_way_back():
    FAIL[0] = 0
    w = np.ones(2)

    def f(x):
        y = checkpoint_loop(fails_on_the_way_back, w * x, 9, x, snapshots=2, with_index=True)
        w[0] = 3.0
        return y.sum()

    _, back = pullback(f, 1.2)
    before = np.random.get_state()[2]
    want = back(1.0)
    for _ in range(2):
        FAIL[0] = 1
        with pytest.raises(ZeroDivisionError):
            back(1.0)
        FAIL[0] = 0
        assert back(1.0) == want
    assert w.tolist() == [3.0, 1.0]
    assert np.random.get_state()[2] == before


# -- with derivations around --------------------------------------------------------------------------------------


def waves(x, run):
    w = x * 2.0

    def step(i, s, c):
        u, v = s["u"], s["v"]
        v += 0.1 * np.sin(u * w) * c
        u[1:] *= u[:-1] + 0.1 * i
        return {"u": u + v, "v": v}

    s = run(step, {"u": x * 1.0, "v": x * 0.5}, 5, x[0], snapshots=2, with_index=True)
    return (s["u"] ** 2).sum() + s["v"][0]


def numbers_alone(x, run):
    return run(lambda s, r: r * s * (1 - s), x[0], 6, x[1] + 2.0, snapshots=2)


def descent(x, run):
    return run(lambda s: s - 0.1 * morula.grad(lambda p: (p**4).sum() * x[0])(s), x, 4, snapshots=2).sum()


def test_an_inner_gradient_in_the_step():
    got, want = (gradient(lambda y, run=run: descent(y, run), X[:3]) for run in (checkpoint_loop, loop))
    assert_same(got, want, rtol=1e-11)


@pytest.mark.parametrize("f", [waves, numbers_alone])
@pytest.mark.parametrize("derived", [
    lambda f, x: morula.jvp(f, (x,), (x[::-1].copy(),)),
    lambda f, x: morula.hessian(f, x),
    lambda f, x: morula.jacobian(morula.grad(f), x),
    lambda f, x: morula.hvp(f, x, x[::-1].copy()),
    lambda f, x: gradient(lambda y: (morula.grad(f)(y) ** 2).sum(), x),
    lambda f, x: gradient(lambda y: checkpoint(lambda z: morula.grad(f)(z).sum(), y), x),
], ids=["jvp", "hessian", "jacobian of grad", "hvp", "grad of grad", "checkpoint of grad"])  # fmt: skip
def test_other_derivations_are_those_of_the_plain_loop(f, derived):
    got, want = (derived(lambda y, run=run: f(y, run), X[:3]) for run in (checkpoint_loop, loop))
    assert_same(got, want, rtol=1e-11)


def test_tangents_of_a_state_that_shares_memory_are_refused():
    def f(x):
        def step(s):
            s[0][0] *= 2.0
            return [s[0], s[0]]

        return checkpoint_loop(step, [x, x * 1.0], 2, snapshots=1)[1].sum()

    with pytest.raises(NotDifferentiable, match="share memory"):
        morula.jvp(f, (X,), (X,))


# -- elsewhere ----------------------------------------------------------------------------------------------------


def test_a_rule_for_the_step_is_used():
    def step(s):
        return s * 2.0

    chainrules.rrule(step)(lambda s: (s * 2.0, lambda s_bar: s_bar * 10.0))
    assert gradient(lambda x: checkpoint_loop(step, x, 3, snapshots=1), 1.0) == (1000.0,)


def test_an_adjoint_of_what_the_step_captures_is_used():
    k = 2.0

    def times(s):
        return s * k

    morula.adjoint(times)(lambda s: (s * 2.0, lambda s_bar: s_bar * 10.0))
    assert gradient(lambda x: checkpoint_loop(lambda s: times(s), x, 3, snapshots=1), 1.0) == (1000.0,)


def test_inside_another_gradient_that_is_constant():
    inner = gradient(lambda y: checkpoint_loop(np.sin, y, 3, snapshots=1), 0.5)[0]
    assert gradient(lambda x: x * gradient(lambda y: checkpoint_loop(np.sin, y, 3, snapshots=1), 0.5)[0], 1.0) == (
        inner,
    )
