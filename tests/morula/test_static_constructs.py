"""What plain programs are made of beside loops and arithmetic: both tiers find the same."""

import math

import numpy as np
import pytest

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.3, -0.7, 1.1, 0.4])
TABLE, LEVELS, OBSERVED = [[0.1, 0.9], [0.4, 0.6]], [1.0, 2.0, 3.0], [0, 1, 1, 0, 1]
GROUPS, PLACES = np.array([0, 2, 2, 1]), np.array([[0, 1], [3, -1]])


def captured_then_changed(x):
    k = 2.0
    f = lambda v: v * k
    a = f(x)
    k = x * 3.0
    return a + f(x)


def late_and_early_binding(x):
    total = 0.0
    for i in range(4):
        g = lambda v, i=i: v * i
        h = lambda v: v * i + 1  # noqa: B023
        total += g(x) * h(x)
        i = 7
        total += h(x)
    return total


def made_twice(x, y):
    def make(k):
        m = k * k

        def rate(v):
            return m * v + k

        return rate

    f, g = make(x), make(y)
    return f(x) * g(y) + f(g(1.0))


def names_of_its_own(x):
    total = x

    def f(v):
        total = v * 2
        for i in range(3):
            total += i * v
        return total

    a = f(x)
    return a * total


def bound_later(x):
    def f(v):
        return v * late if v > 1.0 else v

    late = x * 2
    first = f(x)
    late = 5.0
    return first + f(x + 2)


def with_defaults(x):
    def f(v, k=x * 2, m=3):
        return v * k + m

    x = 10.0
    return f(1.0) + f(2.0, 1.0) + f(1.0, m=x)


def rebinding(x):
    best, calls = -1.0, 0

    def visit(v):
        nonlocal best, calls
        calls = calls + 1
        if v > best:
            best = v

    while calls < 4:
        visit(math.sin(x * calls))
    return best * x * calls


def captured_containers(x):
    state, seen = [x, 1.0], []

    def step():
        state[0] = state[0] * 0.9 + state[1]
        seen.append(state[0])

    for _ in range(4):
        step()
    return state[0] * seen[1]


def arrays_inside(w):
    a = np.array([[1.0, 2.0, 0.5, 1.0], [0.0, 1.0, 0.3, -1.0], [1.0, 0.5, 0.1, 0.0], [0.2, 0.4, 0.6, 0.8]])
    act = lambda z: np.tanh(a @ z)

    def layer(z):
        return act(z) * w

    z = w
    for _ in range(3):
        z = layer(z)
    return z.sum()


def chosen_on_some_path(x, n):
    if x[0] > 0:
        n = 2
    return np.sum(np.exp(x)[:n])


def computed_places(x):
    p, s = x, 0
    values = [x, x * x, 1.0]
    for k, o in enumerate(OBSERVED):
        p = p * TABLE[s][o] + values[(k * 2) % 3] * LEVELS[o - k % 2 - 1]
        s = o
    return p


def extremes(x, y):
    return max(x, y, x * y) + 2 * min([x, y, 0.3]) + 3 * max((x, x, y)) * min(y, y, x)


def slices_of_lists(x):
    pair = [x, x * 2, 3.0][:2]
    return LEVELS[1:][1] * x + LEVELS[::-1][0] * pair[1] + len(LEVELS[:2])


def state_in_a_list(x):
    def slope(y):
        return [y[1], -y[0] * x]

    y = [x, 1.0]
    for _ in range(5):
        y = [a + 0.1 * b for a, b in zip(y, slope(y))]  # noqa: B905
    return y[0]


def filled_rows(x):
    u = np.zeros((4, 9))
    u[1, :] = x
    u[2] = x * 2
    for i in range(1, 3):
        u[i, 4] = u[i - 1, 4] + u[i + 1, 4]
    return u.sum() * u[1, 4]


def numbers_of_steps(x):
    t = np.linspace(0, 2 * np.pi, 7)
    total = np.sum(np.sin(x * t)) * math.factorial(3)
    for k in range(5):
        total += x**k / math.factorial(k)
    return total


def gathered(x):
    order = np.argsort(x)
    y = x[order] * x[[0, 2, -1, 0]]
    return np.sum(x[GROUPS] ** 2 * y) + np.sum(np.exp(x)[PLACES] @ np.array([1.0, 2.0]))


def in_groups(x, groups):
    return np.sum(x[groups] ** 3)


STATIC = [
    (captured_then_changed, (1.5,)), (late_and_early_binding, (1.5,)), (made_twice, (1.5, 0.5)),
    (names_of_its_own, (1.5,)), (bound_later, (1.5,)), (with_defaults, (1.5,)), (rebinding, (1.5,)),
    (captured_containers, (1.5,)), (arrays_inside, (X,)),
    (computed_places, (1.5,)), (extremes, (0.5, 2.0)), (slices_of_lists, (1.5,)), (state_in_a_list, (1.5,)),
    (filled_rows, (1.5,)), (numbers_of_steps, (1.5,)), (gathered, (X,)), (in_groups, (X, GROUPS)),
]  # fmt: skip


def found_by(tier, f, args):
    with morula.tier(tier):
        try:
            return morula.withgradient(f, *args)
        except Exception as error:
            return type(error)


@pytest.mark.parametrize("f, args", STATIC, ids=lambda v: getattr(v, "__name__", ""))
def test_both_tiers_find_the_same(f, args):
    eager, static = found_by("eager", f, args), found_by("static", f, args)
    assert repr(static.value) == repr(eager.value)
    for one, other in zip(static.gradient, eager.gradient, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=1e-12)
    with morula.tier("static"):
        morula.gradient(f, *args)
    record = record_of(f)
    assert any(pair.calls for pair in record.all_pairs), record.why


def unbound_on_some_path(x):
    if x > 5:

        def f(v):
            return v

    return f(x)


def calling_itself(x):
    def power(n):
        return 1.0 if n == 0 else n * power(n - 1) * x

    return power(3)


def beyond_the_end(x, n):
    values = [x, x * 2]
    return values[n]


def another_kind_of_index(x):
    values = [x, x * 2]
    return values[x]


@pytest.mark.parametrize(
    "f, args",
    [
        (unbound_on_some_path, (1.5,)), (unbound_on_some_path, (7.0,)), (calling_itself, (1.5,)),
        (beyond_the_end, (1.5, 1)), (beyond_the_end, (1.5, -2)), (beyond_the_end, (1.5, 2)),
        (beyond_the_end, (1.5, True)), (another_kind_of_index, (1.5,)), (extremes, (1.0, 1.0)),
        (in_groups, (X, GROUPS + 2)), (chosen_on_some_path, (-X, 3)), (chosen_on_some_path, (X, 3)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)  # fmt: skip
def test_what_is_not_taken_is_the_eager_tiers(f, args):
    assert repr(found_by("static", f, args)) == repr(found_by("eager", f, args))
