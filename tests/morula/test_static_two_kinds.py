"""Values that are Python's numbers or NumPy's, another one on each path: the program itself says which one."""

import numpy as np
import pytest
from static_checks import check_programs, check_tiers, found_by
from tests.fuzz.plain_arrays import ArrayWriter

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
X = np.array([0.83, 0.47, 0.61])


def grid(x):
    n = 5
    cells = [[x[(i + j) % 3] * (i - j) if i != j else 0.0 for j in range(n)] for i in range(n)]
    for _ in range(3):
        new = [[0.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                s = 0.0
                for k in (-1, 1):
                    s += cells[(i + k) % n][j] + cells[i][(j + k) % n]
                new[i][j] = cells[i][j] * 0.9 + 0.05 * s if s > 0.1 else cells[i][j] * 0.5
        cells = new
    return cells[1][1] + cells[2][3] * cells[0][4]


def subsets(x):
    numbers, total = [x[0], x[1], x[2], 0.4], 0.0

    def walk(i, chosen):
        nonlocal total
        if i == len(numbers):
            if len(chosen) > 1:
                total += chosen[0] * chosen[-1]
            return
        walk(i + 1, chosen)
        chosen.append(numbers[i])
        walk(i + 1, chosen)
        chosen.pop()

    walk(0, [])
    return total


def running_maximum(x):
    total, peak, worst = 0.0, x[0], 0.0
    for i in range(9):
        total += x[i % 3] * (1 if i < 5 else -1)
        peak = max(peak, total)
        worst = max(worst, peak - total)
    return worst


def one_of_each(x):
    table = [0.0] * 4
    for i in range(3):
        table[i] = x[i] * 2.0
    return table[int(x[0] * 4)] * 1.5 + (table[0] if x[1] > 0.5 else 0.25) * table[int(x[2] * 4) % 4]


@pytest.mark.parametrize("f", [grid, subsets, running_maximum, one_of_each], ids=lambda f: f.__name__)
def test_the_value_has_the_type_of_the_programs(f):
    for x in (X, X * np.array([1.1, -0.9, 1.0]), X[::-1].copy()):
        gradient = check_tiers(f, (x,))[0]
        h = 1e-6
        slopes = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(3)]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-7)


def test_its_argument_is_as_it_was():
    def f(x):
        for i in range(3):
            x[i] = x[i] * 2.0
        y = x
        y += 1.0
        return one_of_each(x * 0.2)

    x = X.copy()
    found = found_by("static", f, (x,))
    assert repr(found) == repr(found_by("eager", f, (X,))) and record_of(f).why is None
    np.testing.assert_array_equal(x, X)


NOTED = np.zeros(3)
PAST: list[float] = []
WEIGHTS = {"k": 0.5}


class Counter:
    calls = 0


COUNTER = Counter()


def writing_an_array(x):
    NOTED[0] += 1.0
    return one_of_each(x)


def writing_a_slice(x):
    NOTED[:] = NOTED + 1.0
    return one_of_each(x)


def writing_an_attribute(x):
    COUNTER.calls += 1
    return one_of_each(x)


def writing_an_item(x):
    WEIGHTS["k"] += 1.0
    return one_of_each(x)


def appending(x, past=PAST):
    past.append(1.0)
    return one_of_each(x)


def printing(x):
    print("once")
    return one_of_each(x)


def drawing(x):
    return one_of_each(x) * np.random.rand()


@pytest.mark.parametrize(
    "f", [writing_an_array, writing_a_slice, writing_an_attribute, writing_an_item, appending, printing, drawing],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_has_effects_is_not_run_twice(f, capsys):
    """Of these no program is run behind a text that has done the same."""
    found = {}
    for tier in ("eager", "static"):
        NOTED[:], COUNTER.calls, WEIGHTS["k"] = 0.0, 0, 0.5
        PAST.clear()
        np.random.seed(3)
        with morula.tier(tier):
            answers = [repr(morula.withgradient(f, X)) for _ in range(4)]
        state = NOTED.tolist(), COUNTER.calls, WEIGHTS["k"], len(PAST), np.random.rand()
        found[tier] = answers, state, capsys.readouterr().out
    assert found["static"] == found["eager"]


def test_lists_are_the_callers():
    def f(p, c):
        p.append(c)
        return p[0] if p[0] > 0 else sum(p) * c

    for tier in ("eager", "static"):
        p = [-1.0, 2.0, 3.0]
        with morula.tier(tier):
            for _ in range(3):
                morula.gradient(f, p, np.float64(0.3))
        assert p == [-1.0, 2.0, 3.0]


@pytest.mark.parametrize("start", range(0, 20, 10))
def test_random_programs(start):
    check_programs(ArrayWriter, range(start, start + 10))
