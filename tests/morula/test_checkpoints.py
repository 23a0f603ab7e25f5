"""`checkpoint`: nested and recursive, and what it reads being as it was at the first run."""

import array
import contextlib
import math
import tracemalloc

import numpy as np
import pytest
from morula_helpers import Programs, assert_same, verify

import chainrules
import morula
from morula import NotDifferentiable, StaleMemoryError, checkpoint, gradient, hook, pullback

LOG = array.array("q")  # what `checkpoint` does not take for state of the program


@pytest.fixture(autouse=True)
def _empty_log():
    del LOG[:]


V = np.array([0.3, -0.7, 1.1])
W = np.array([[0.2, -0.5, 0.1], [0.7, 0.3, -0.4], [0.6, 0.1, 0.9]])


# -- nested -------------------------------------------------------------------------------------------------------

nested = Programs()


@nested(0.7)
def three_deep(x):
    return checkpoint(lambda a: checkpoint(lambda b: checkpoint(math.sin, b) * b, a) * a, x)


@nested(V, W)
def layers_of_layers(x, w):
    def layer(h):
        return np.tanh(w @ h) + h

    def block(h):
        return checkpoint(layer, checkpoint(layer, h)) * 0.5

    return checkpoint(block, checkpoint(block, x)).sum()


@nested(V, W)
def captured_two_functions_down(x, w):
    def inner(h):
        return w @ h

    def middle(h):
        return inner(h) * h[0]

    def outer(h):
        return np.sin(middle(h))

    return checkpoint(outer, x).sum()


@nested(V, 1.5)
def one_array_captured_by_two_functions(x, c):
    def scaled(v, by):
        return lambda h: v * h * by

    first, second = scaled(x, c), scaled(x, 2.0)
    return checkpoint(lambda h: first(h) + second(h) ** 2, x * 1.0).sum()


@nested(V, 1.5)
def an_array_and_a_view_of_it(x, c):
    part, last = x[:2], x[2:]

    def f(h):
        return part * h * x[1] * c * last[0]

    return checkpoint(lambda h: f(h) + part[::-1], c).sum() + checkpoint(lambda a: (a * x[1:]).sum(), part)


@nested(V, 1.5)
def an_argument_that_is_captured_too(x, c):
    return checkpoint(lambda a: (a * x[::-1]).sum() * c, x)


@nested(V, 1.5)
def a_function_as_argument(x, c):
    return checkpoint(lambda f, a: f(a) * a, lambda t: c * t.sum(), x).sum()


@nested(0.4, 1.2)
def a_sum_by_halves(x, c):
    def total(a, n):
        if n == 1:
            return math.sin(a * c)
        half = n // 2
        return checkpoint(total, a, half) + checkpoint(total, a * 1.1, n - half)

    return total(x, 9)


@nested(0.5)
def deep_recursion(x):
    def down(a, n):
        return a if n == 0 else math.sin(checkpoint(down, a * 1.01, n - 1))

    return down(x, 40)


@nested(V)
def with_writes_inside(x):
    def f(a):
        def g(b):
            c = b.copy()
            c[1:] *= c[:-1]
            return c

        d = checkpoint(g, a) * 2.0
        d[0] = checkpoint(lambda b: b[1] * b[2], d)
        return d

    y = checkpoint(f, x)
    y[1] += 3.0 * y[0]
    return (y**2).sum()


@nested(V)
def results_of_every_kind(x):
    def f(a):
        inner = checkpoint(lambda b: {"s": b.sum(), "parts": [b * 2.0, (b[0], 3)]}, a)
        return inner["s"], inner["parts"][0] * inner["parts"][1][0]

    s, p = checkpoint(f, x)
    return s * p.sum()


@pytest.mark.parametrize(("f", "args"), nested)
def test_checkpoints_nest(f, args):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(f.__globals__, "checkpoint", lambda g, *a: g(*a))
        want = gradient(f, *args)
    assert_same(verify(f, *args), want, rtol=1e-13)


def level(x, depth):
    LOG.append(depth)
    return math.sin(x) if depth == 0 else x * checkpoint(level, x * 0.9, depth - 1)


def test_what_is_d_levels_deep_runs_d_plus_1_times():
    gradient(lambda x: checkpoint(level, x, 6), 0.4)
    # `level(x, 6)` is one level deep, `level(x, 0)` seven
    assert [LOG.count(depth) for depth in range(7)] == [8 - depth for depth in range(7)]


def test_each_call_of_back_runs_them_again():
    _, back = pullback(lambda x: checkpoint(level, x, 2), 0.4)
    assert len(LOG) == 3
    first = back(1.0)
    once = len(LOG) - 3
    assert back(1.0) == first
    assert len(LOG) - 3 == 2 * once


def peak_of(f, *args):
    f(*args)  # what is made once and kept is no part of it
    tracemalloc.start()
    f(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_nesting_takes_the_square_root_and_the_cube_root_of_the_memory():
    x = np.linspace(0.1, 0.9, 20_000)

    def some(a, n):
        for _ in range(n):
            a = np.sin(a)
        return a

    def flat(a):
        return some(a, 64).sum()

    def once(a):
        for _ in range(8):
            a = checkpoint(some, a, 8)
        return a.sum()

    def four(a):
        for _ in range(4):
            a = checkpoint(some, a, 4)
        return a

    def twice(a):
        for _ in range(4):
            a = checkpoint(four, a)
        return a.sum()

    kept = [peak_of(gradient, f, x) / x.nbytes for f in (flat, once, twice)]
    assert kept[0] >= 64
    assert 16 <= kept[1] <= 24
    assert 12 <= kept[2] <= 19
    assert_same(gradient(twice, x), gradient(flat, x))


# -- as it was at the first run -----------------------------------------------------------------------------------


class Box:
    def __init__(self, x):
        self.x = x


rebound = Programs()


@rebound(2.0, 2.0)
def an_attribute(x, z):
    box = Box(x)
    y = checkpoint(lambda b: b.x * 3.0, box)
    box.x = z
    return y


@rebound(2.0, 2.0)
def an_attribute_of_a_captured_object(x, z):
    box = Box(x)
    y = checkpoint(lambda: box.x * 3.0)
    box.x = z
    return y


@rebound(0.0, 1.0)
def a_variable_of_a_function_called(x, z):
    c = 3.0

    def times(v):
        return c * v

    y = checkpoint(lambda v: times(v), x)
    c = 4.0
    return y + 0.0 * c * z


@rebound(0.0, 1.0)
def an_item_of_a_dict(x, z):
    known = {"c": 3.0, "more": [1.0]}
    y = checkpoint(lambda v: v * known["c"] * known["more"][0], x)
    known["c"] = 4.0
    known["more"].append(2.0)
    known["more"][0] = 7.0
    return y + 0.0 * z


@rebound(0.0, 1.0)
def an_item_of_a_list_that_is_an_argument(x, z):
    given = [3.0, 4.0]
    y = checkpoint(lambda v, c: v * c[0], x, given)
    given[0] = z
    return y


SCALE = 3.0


@rebound(0.0, 1.0)
def a_global_variable(x, z):
    global SCALE
    SCALE = 3.0
    y = checkpoint(lambda v: v * SCALE, x)
    SCALE = 4.0
    return y + 0.0 * z


@pytest.mark.parametrize(("f", "args"), rebound)
def test_what_is_read_is_as_it_was(f, args):
    """The value is the same with what it reads now, and its derivative another."""
    (x_bar, z_bar) = gradient(f, *args)
    assert x_bar == 3.0
    assert not z_bar
    _, back = pullback(f, *args)
    assert back(1.0)[0] == back(1.0)[0] == 3.0


def test_afterwards_all_is_as_it_is_now():
    box, known = Box(2.0), {"c": 3.0}

    def f(x):
        y = checkpoint(lambda v: v * box.x * known["c"], x)
        box.x = 5.0
        known["c"] = known["d"] = 6.0
        return y

    _, back = pullback(f, 1.0)
    assert back(1.0) == (6.0,)
    assert box.x == 5.0
    assert known == {"c": 6.0, "d": 6.0}
    known["c"] = 8.0
    box.also = 1.0
    assert back(1.0) == (6.0,)
    assert known == {"c": 8.0, "d": 6.0}
    assert vars(box) == {"x": 5.0, "also": 1.0}


def test_draws_are_those_of_the_first_run():
    rng = np.random.default_rng(1)

    def noise():
        return rng.normal()

    def f(x):
        return checkpoint(lambda v: checkpoint(lambda u: u * noise() * np.random.rand(), v) * noise(), x)

    np.random.seed(2)
    y, back = pullback(f, 2.0)
    expected = rng.normal(), np.random.rand()
    rng.bit_generator.state = np.random.default_rng(1).bit_generator.state
    np.random.seed(2)
    y, back = pullback(f, 2.0)
    assert back(1.0) == pytest.approx((y / 2.0,))
    assert back(1.0) == pytest.approx((y / 2.0,))
    assert (rng.normal(), np.random.rand()) == expected


def test_another_value_is_an_error():
    values = iter([1.0, 2.0, 3.0])
    with pytest.raises(NotDifferentiable, match="a different value"):
        gradient(lambda x: checkpoint(lambda v: v * next(values), x), 1.0)


def test_an_array_that_was_changed_since_is_an_error():
    w = np.ones(3)
    _, back = pullback(lambda x: checkpoint(lambda v: (v * w).sum(), x), np.zeros(3))
    w[0] = 2.0
    with pytest.raises(StaleMemoryError):
        back(1.0)
    w[0] = 1.0
    assert_same(back(1.0), (np.ones(3),))


# -- errors -------------------------------------------------------------------------------------------------------


def writes_and_raises(v, items):
    items.append(v)
    raise ValueError(items)


def test_writes_before_an_exception_are_found():
    def f(x):
        items = [x]
        with contextlib.suppress(ValueError):
            checkpoint(writes_and_raises, x, items)
        return items[0] * items[-1]

    with pytest.raises(NotDifferentiable, match="stores numbers in a list"):
        gradient(f, 2.0)


CALLS = {"n": 0}


def test_counts_and_logs_of_a_checkpointed_function():
    """What the function does besides happens twice; numbers that it stores would have no derivative."""
    log = []

    class Block:
        def __init__(self):
            self.n = 0

        def __call__(self, x):
            nonlocal runs
            runs += 1
            self.n += 1
            CALLS["n"] += 1
            log.append("run")
            return np.sin(x) * x

    block, runs, x = Block(), 0, np.array([1.0, 2.0])
    CALLS["n"] = 0
    np.testing.assert_allclose(gradient(lambda x: checkpoint(block, x).sum(), x)[0], np.cos(x) * x + np.sin(x))
    assert (runs, block.n, CALLS["n"], log) == (2, 2, 2, ["run", "run"])


@pytest.mark.parametrize(
    "store",
    [
        lambda items, x: items.append(x.sum()),
        lambda items, x: items.append(float(x[0])),
        lambda items, x: items.insert(0, "first"),
        lambda items, x: items.reverse(),
    ],
)
def test_numbers_that_a_checkpointed_function_stores(store):
    def f(x):
        def block(x):
            store(items, x)
            return x * x

        items = [x[0], x[1]]
        return checkpoint(block, x).sum() * items[0]

    with pytest.raises(NotDifferentiable, match=r"block under checkpoint stores numbers in a list.* return them"):
        gradient(f, np.array([1.0, 2.0]))


def test_the_functions_own_exception_is_passed_on():
    def f(x):
        try:
            return checkpoint(lambda v: v * {}[1], x)
        except KeyError:
            return x * 3.0

    assert gradient(f, 2.0) == (3.0,)


@pytest.mark.parametrize("program", [
    lambda x: checkpoint(lambda v, c=x: v * c, 2.0),
    lambda x: (lambda fs: checkpoint(lambda v: fs[0](v), 2.0))([lambda v: v * x]),
    lambda x: checkpoint(lambda p: p[0] * p[1](), [x, lambda: x]),
    lambda x: checkpoint(Box(x).__getattribute__, "x"),
])  # fmt: skip
def test_active_values_that_cannot_be_followed_are_refused(program):
    with pytest.raises(NotDifferentiable):
        gradient(program, 1.5)


def test_a_nan_runs_a_users_hook_once():
    seen = []
    chainrules.non_differentiable(seen.append)

    def watch(bar):
        LOG.append(1)
        return bar

    def f(x):
        y = checkpoint(lambda v: hook(watch, v) * 2.0, x)
        return morula.stop_gradient(y) * 0.0 + np.sqrt(y * 0.0) * 0.0 + y

    with np.errstate(all="ignore"):
        assert gradient(f, 1.0) == (2.0,)
    assert len(LOG) == 1
