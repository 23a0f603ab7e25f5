"""What runs leave behind, and what they hold while they go on."""

import gc
import math
import tracemalloc
import weakref
from contextlib import suppress

import numpy as np
import pytest

import morula
from morula.eager.memory import assignments, writes
from morula.static.python import assemble, front, helpers  # noqa: F401 (imported when a function is hot)

LARGE = 100_000  # numbers
ARRAY = 8 * LARGE  # bytes


def raises(x):
    _y = np.sin(x) * x
    raise ValueError("no")


def raises_from(x):
    _y = np.sin(x) * x
    try:
        raise ValueError("no")
    except ValueError as e:
        raise KeyError("k") from e


def raises_a_class(x):
    _y = np.sin(x) * x
    raise ValueError


def raises_in_numpy(x):
    y = np.sin(x) * x
    return y[10 * LARGE]


def asserts(x):
    y = np.sin(x) * x
    assert y.sum() < 0, "no"


def fails(y):
    _z = y * y
    raise ValueError("no")


def catches(x):
    y = np.sin(x) * x
    for _ in range(2):
        try:
            fails(y)
        except ValueError as e:
            y = y * len(str(e))
    return y.sum()


def raises_again(x):
    y = np.sin(x) * x
    try:
        try:
            fails(y)
        except ValueError as e:
            raise KeyError("k") from e
    except KeyError:
        y = y * 2
    return y.sum()


VERBS = {
    "gradient": morula.gradient,
    "pullback": lambda f, x: morula.pullback(f, x)[1](1.0),
    "jvp": lambda f, x: morula.jvp(f, (x,), (x,)),
    "hvp": lambda f, x: morula.hvp(f, x, x),
}


@pytest.mark.parametrize("tier", ["eager", "static"])
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "f",
    [raises, raises_from, raises_a_class, raises_in_numpy, asserts, catches, raises_again],
    ids=lambda f: f.__name__,
)
def test_errors_do_not_keep_a_run_alive(f, verb, tier):
    x = np.full(LARGE, 0.5)

    def once():
        with suppress(ValueError, KeyError, IndexError, AssertionError), morula.tier(tier):
            VERBS[verb](f, x)

    for _ in range(3):  # what is made once, and loaded
        once()
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(3):
            once()
        assert tracemalloc.get_traced_memory()[0] - before < ARRAY / 2
    finally:
        tracemalloc.stop()
        gc.enable()


def numbered(text):
    """A function of its own for every text: `text` defines ``f``."""
    space = {"np": np}
    exec(text, space)
    return space["f"]


@pytest.mark.parametrize(
    "text",
    [
        "f = lambda x: x * x + {}.0",
        "def f(x):\n    def g(y):\n        return y * {}.5\n    return g(x) + sum(g(v) for v in [x, x])",
        "class A:\n    def __init__(self, q):\n        self.q = q * {}.5\ndef f(x):\n    return A(x).q",
    ],
    ids=["lambda", "nested", "class"],
)
def test_templates_go_with_their_functions(text):
    def run(i):
        f = numbered(text.format(i))
        assert morula.gradient(f, 0.5) != (None,)
        return weakref.ref(f.__code__)

    codes = [run(i) for i in range(10)]
    gc.collect()
    assert [code() for code in codes] == [None] * 10


def test_a_changed_global_class_is_found_although_templates_hold_it_weakly():
    space = {}
    exec("class A:\n    def of(self, x):\n        return 2 * x\ndef f(x):\n    return A().of(x)", space)
    assert morula.gradient(space["f"], 1.0) == (2.0,)
    del space["A"]
    gc.collect()
    exec("class A:\n    def of(self, x):\n        return 3 * x", space)
    assert morula.gradient(space["f"], 1.0) == (3.0,)


STEPS = 5_000


@pytest.mark.parametrize(
    "step",
    [
        lambda y, x: y * x,
        lambda y, x: x - y,
        lambda y, x: y / x,
        lambda y, x: y**0.5,
        lambda y, x: math.sin(y),
        lambda y, x: np.sin(y),
        lambda y, x: np.maximum(y, 0.1),
    ],
    ids=["mul", "sub", "div", "pow", "math", "numpy", "maximum"],
)
def test_a_scalar_operation_takes_at_most_200_bytes(step):
    def f(x):
        y = x
        for _ in range(STEPS):
            y = step(y, x)
        return y

    with morula.tier("eager"):
        morula.pullback(f, 0.5)  # a first call also makes the twins
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        kept = morula.pullback(f, 0.5)
    try:
        assert (tracemalloc.get_traced_memory()[0] - before) / STEPS < 200
        del kept
    finally:
        tracemalloc.stop()


# -- in place -------------------------------------------------------------------------------------------------


def scaled(y, x):
    y *= 0.99
    y += x


def stepped(y, x):
    y[1:-1] += 0.1 * (y[2:] - 2 * y[1:-1] + y[:-2])


def cubed(y, x):
    y -= 0.1 * y**3


def powers(y, x):
    y **= 2


def assigned(y, x):
    y[:] = np.sin(y)


def out(y, x):
    np.exp(y, out=y)
    np.log(y, out=y)


def logistic(y, x):
    y += 0.01 * y * (1 - y)


@pytest.mark.parametrize(
    ("step", "arrays"),
    [(scaled, 0), (stepped, 0), (cubed, 1), (powers, 1), (assigned, 1), (out, 2), (logistic, 2)],
    ids=lambda p: getattr(p, "__name__", None),
)
def test_a_step_in_place_keeps_what_partials_read_and_nothing_else(step, arrays):
    steps = 20

    def f(x):
        y = x.copy()
        for _ in range(steps):
            step(y, x)
        return y.sum()

    x = np.full(LARGE, 0.9)
    morula.gradient(f, x[:9].copy())
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        morula.gradient(f, x)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert peak < (1.3 * steps * arrays + 10) * ARRAY


def read_between(x, c):
    y = x * 1.0
    y *= 2.0
    s = (y * y).sum()
    y *= 3.0
    return s + (y * c).sum()


def read_after_a_part(x, c):
    y = x * 1.0
    y *= 2.0
    y[2:5] *= c[2:5]
    s = (y[::2] * x[::2]).sum()
    y += 1.0
    return s + (y**2).sum()


def result_read(x, c):
    y = x * 1.0
    y /= 2.0 + c * x  # the partial reads the result
    y -= 0.3 * x
    return (y * c).sum()


def operand_in_the_same_memory(x, c):
    y = x * 1.0
    y[3:] *= 2.0
    y[3:] *= y[:-3]
    y[3:] += c[3:]
    y[:-3] += 1.0
    return (y * c).sum()


def argument_written(x, c):
    x *= 0.5
    x += c
    x *= x
    x += 1.0
    return (x * c).sum()


def through_a_mask(x, c):
    y = x * 1.0
    y *= c
    y[y > 0] *= 2.0
    y += 1.0
    y[:] = c
    y[:] = x * y
    return (y * y).sum()


@pytest.mark.parametrize(
    "f",
    [read_between, read_after_a_part, result_read, operand_in_the_same_memory, argument_written, through_a_mask],
    ids=lambda f: f.__name__,
)
def test_contents_that_nothing_reads_are_not_needed(f, monkeypatch):
    """As large arrays are treated, small ones, which differences can check."""
    monkeypatch.setattr(writes, "LARGE", 0)
    monkeypatch.setattr(assignments, "LARGE", 0)
    rng = np.random.default_rng(0)
    x, c, h = rng.normal(size=8), rng.normal(size=8), 1e-6
    kept = x.copy()
    (g,) = morula.gradient(lambda x: f(x, c), x)
    assert np.array_equal(x, kept)
    by_differences = [(f(x + h * e, c) - f(x - h * e, c)) / (2 * h) for e in np.eye(8)]
    np.testing.assert_allclose(g, by_differences, rtol=1e-6, atol=1e-8)
    _, back = morula.pullback(lambda x: f(x, c), x.copy())
    assert np.array_equal(back(1.0)[0], g)
    assert np.array_equal(back(1.0)[0], g)


class Kept:
    pass


DEAD = weakref.proxy(Kept())  # its class cannot be asked for any more


class Asking:
    @property
    def __class__(self):
        raise RuntimeError("nobody is to ask")


def test_weak_references_among_what_cannot_be_asked():
    """The walk that finds out whether an object is alive asks no object for anything."""
    asking = Asking()

    def f(x):
        node = Kept()
        node.v = x * 2
        seen = weakref.ref(node)
        unseen = [DEAD, asking]
        return seen().v * len(unseen)

    assert morula.gradient(f, 0.5) == (4.0,)
