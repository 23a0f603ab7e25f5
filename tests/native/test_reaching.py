"""Which arguments reach the value: where the eager tier has a gradient with respect to them, none may be missed."""

from collections import namedtuple

import numba
import numpy as np
import pytest

import morula
from morula.static.numba.smooth_parameters import reaching_value

Setting = namedtuple("Setting", "steps size weights")


def loop(n, x):
    for _ in range(n):
        x = x * x
    return x


def factor(n, x):
    return x * n


def through_variables(n, x):
    k = n
    m = k + 1
    return x / m


def bound_and_factor(n, x):
    total = 0.0
    for _ in range(n):
        total += x
    return total / n


def index(n, x):
    return x if n > 3 else x * 2.0


def picks(n, x):
    table = np.ones(7) * x
    return table[n - 1] + table[: n + 1].sum()


def shape(n, x):
    return np.zeros(n).sum() + x + len(np.empty((n, n)))


def counts_up(n, x):
    k = 0
    while k < n:
        k += 1
    return x * 1.0


def counts_up_with_it(n, x):
    k = 0
    while k < 3:
        k += n
    return x * k


def stored(n, x):
    out = np.zeros(2)
    out[0] = n
    return out[0] * x


def in_a_call(n, x):
    return x + abs(n)


def loop_over(n, x):
    for k in np.arange(n):
        x = x + k
    return x


def branch(n, x):
    return x if n else x * 3.0


def chosen(n, x):
    return n if x < 0 else x * n


def named(p, x):
    for _ in range(p.steps):
        x = x * p.size
    return x + p.weights.sum()


def named_as_number(p, x):
    return x * p.steps


def unpacked(p, x):
    steps, size, _ = p
    return x * size + 0.0 * steps


def as_a_place(p, x):
    return x * p[1] + p[2][0]


def as_its_place(p, x):
    return x * p[0]


def number_of_them(n, x):
    return x * n.size + x / len(n) + x * n.shape[0]


def sum_of_them(n, x):
    return x * n.sum()


def their_places(n, x):
    table = np.ones(7) * x
    for k in n:
        table[k] += x
    return table[n[0]] + table[n].sum()


def rebound(p, x):
    steps = p.steps
    p = Setting(1, steps * 1.0, p.weights)
    return x * p.size


def beside_numbers(n, x):
    total, seen = 0.0, np.zeros(n.max() + 1)
    for k, v in zip(n, np.ones(3) * x, strict=True):
        total += v
        seen[k] += 1
    return total / seen[0] + sum([v for i, (k, v) in enumerate(zip(n, [x, x, x], strict=False)) if i > k])


def beside_itself(n, x):
    return sum([k * v for k, v in zip(n, np.ones(3) * x, strict=True)])


def their_number(n, x):
    return sum([i * x for i, _ in enumerate(n)])


def numbered(n, x):
    return sum([k * x for _, k in enumerate(n)])


def counted(n, x):
    return np.bincount(n, np.ones(3) * x).sum() + np.take(np.ones(3) * x, n).sum() + np.full(n[0] + 1, x).sum()


def spread(n, x):
    return (np.full(3, n[1]) * x).sum() + np.roll(n, 1)[2] * x


@numba.njit
def row_products(starts, places, numbers, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(y)):
        for k in range(starts[i], starts[i + 1]):
            y[i] += numbers[k] * x[places[k]]
    return y


@numba.njit
def writes_them(n, out):
    for i in range(len(n)):
        out[i] = n[i]


@numba.njit
def counts_down(n, x):
    return x if n == 0 else x * counts_down(n - 1, x)


@numba.njit
def weighs(n, x):
    return n * x


def places_in_a_call(n, x):
    return row_products(n, n, np.ones(2), np.ones(3) * x).sum()


def written_by_a_call(n, x):
    out = np.zeros(3)
    writes_them(n, out)
    return x * out.sum()


def weighed_in_a_call(n, x):
    return weighs(n, x) + weighs(2, x)


SETTING = Setting(2, 0.5, np.ones(2))
FUNCTIONS = [
    (loop, 3), (factor, 3), (through_variables, 3), (bound_and_factor, 3), (index, 3), (picks, 3), (shape, 3),
    (counts_up, 3), (counts_up_with_it, 3), (stored, 3), (in_a_call, 3), (loop_over, 3), (branch, 3), (chosen, 3),
    (named, SETTING), (named_as_number, SETTING), (unpacked, SETTING), (as_a_place, SETTING), (as_its_place, SETTING),
    (rebound, SETTING), (number_of_them, np.arange(3)), (sum_of_them, np.arange(3)), (their_places, np.arange(3)),
    (beside_numbers, np.arange(3)), (beside_itself, np.arange(3)), (their_number, np.arange(3)),
    (numbered, np.arange(3)), (counted, np.arange(3)), (spread, np.arange(3)),
    (places_in_a_call, np.arange(3)), (written_by_a_call, np.arange(3)), (weighed_in_a_call, 3),
]  # fmt: skip
COUNT = {
    factor, through_variables, bound_and_factor, counts_up_with_it, stored, in_a_call, loop_over, chosen,
    named_as_number, unpacked, as_its_place, rebound, sum_of_them, beside_itself, numbered, spread,
    written_by_a_call, weighed_in_a_call,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::morula.errors.NativeFallbackWarning")  # of integer arrays, in `written_by_a_call`
@pytest.mark.parametrize(("f", "n"), FUNCTIONS, ids=lambda p: getattr(p, "__name__", ""))
def test_what_counts(f, n):
    found = reaching_value(f, (n, 1.5))[0]
    g = morula.gradient(f, n, 1.5)[0]
    by_eager = g if not isinstance(g, tuple) else g[0]
    if by_eager is not None:
        assert found
    assert found == (f in COUNT)
    assert reaching_value(f, (n, 1.5))[1] == (morula.gradient(f, n, 1.5)[1] is not None)


def test_a_function_that_calls_itself():
    assert reaching_value(counts_down.py_func, (3, 2.0)) == [True, True]


def test_functions_of_one_name_with_numpys():
    def zeros(n):
        return 2.0 * n

    namespace = {"zeros": zeros, "np": np, "prange": numba.prange}

    def f(n, x):
        return zeros(n) * x

    def g(n, x):
        for _ in prange(n):  # noqa: F821
            x = x * x
        return x

    from types import FunctionType

    f, g = (FunctionType(h.__code__, namespace, h.__name__, None, h.__closure__) for h in (f, g))
    assert reaching_value(f, (3, 1.5)) == [True, True]
    assert reaching_value(g, (3, 1.5)) == [False, True]
    assert reaching_value(eval("lambda n, x: x"), (3, 1.5)) == [True, True]  # no source


def into(n, out):
    out[0] = n
    return 0.0


def through_a_helper(n, x):
    out = np.zeros(2)
    _ = into(n, out)
    return out[0] * x


def through_out(n, x):
    out = np.zeros(1)
    _ = np.add(n, x, out)
    return out[0]


def through_a_list(n, x):
    out = [x]
    out.append(n)
    return out[1] * x


def through_a_comprehension(n, x):
    return sum([k * x for k in (n, 2)])


def smallest(n, x):
    for _ in range(min(n, len(np.ones(4) * x))):
        x = x * x
    return x


@pytest.mark.parametrize(
    ("f", "reaches"),
    [(through_a_helper, True), (through_out, True), (through_a_list, True), (through_a_comprehension, True),
     (smallest, False)],
)  # fmt: skip
def test_what_flows_through_memory(f, reaches):
    assert reaching_value(f, (3, 1.5)) == [reaches, True]
    assert (morula.gradient(f, 3, 1.5)[0] is not None) == reaches


roll, zeros, taken = np.roll, np.zeros, (np.ones(2), 1)  # names that functions give to other things


def own_function(n, x):
    def zeros(a):
        return a * x

    return zeros(n)


def own_builtin(n, x):
    len = lambda a: a * x
    return len(n)


def own_name_of_a_module(n, x):
    numba = [x]
    numba.append(n * x)
    return numba[1]


def own_name_of_a_tuple(n, x):
    def taken(a):
        return a * 2.0

    return taken(x) * n


def with_captured():
    @numba.njit
    def roll(a, b):
        return a * b

    def captured(n, x):
        return roll(x, n)

    return captured


@pytest.mark.parametrize(
    "f",
    [own_function, own_builtin, own_name_of_a_module, own_name_of_a_tuple, with_captured()],
    ids=lambda f: f.__name__,
)
def test_names_of_the_functions_own_are_not_the_modules(f):
    assert reaching_value(f, (3, 1.5)) == [True, True]
    for args in ((3, 1.5), (0.5, 1.5)):
        expected = morula.gradient(f, *args)
        assert None not in expected and morula.gradient(numba.njit(f), *args) == pytest.approx(expected)
