"""Hot functions with a line that has no static adjoint run in parts: what is around the line is static, or as ever."""

import functools
import heapq
import inspect
import json
import math
import traceback
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import morula
from morula.static.python.choice import LOOKED_AT
from morula.static.python.pairs import LATE, note, record_of, records_of
from morula.transform.parts import NAME, cut_at, cuts_of
from morula.transform.template import template_of

CONFIG = '{"steps": 12, "rate": 0.25}'
W = 0.5


def apart(f, *texts):
    """Cut a function where its lines contain these texts."""
    lines, first = inspect.getsourcelines(f)
    for text in texts:
        (k,) = [k for k, line in enumerate(lines) if text in line]
        assert cut_at(f.__code__, first + k), text
    return f


def parts_of(f):
    with morula.tier("auto"):
        return template_of(f).parts


def outcome(f, *args):
    try:
        return morula.withgradient(f, *args)
    except Exception as error:
        shown = [(s.lineno, s.name) for s in traceback.extract_tb(error.__traceback__) if s.filename == __file__]
        return type(error), str(error), shown[1:]


def in_both(f, *args):
    """What the eager tier gives, which must be what it gives in parts, whether these are static or not."""
    with morula.tier("eager"):
        assert not template_of(f).parts
        eager = outcome(f, *args)
    record = record_of(f)
    for tier in ("auto", "static"):
        record.why = "it is to run in parts"
        with morula.tier(tier):
            found = outcome(f, *args)
        if isinstance(eager, tuple) and isinstance(eager[0], type):
            assert found == eager
        else:
            assert repr(found.value) == repr(eager.value)
            for g, h in zip(found.gradient, eager.gradient, strict=True):
                assert (g is None) == (h is None)
                if g is not None and not isinstance(g, dict):
                    np.testing.assert_allclose(g, h, rtol=1e-12)
    return eager


def calls_of_parts(f):
    """How often the parts of a function were static."""
    records = [record for code in parts_of(f).values() for record in records_of(code)]
    return sum(pair.calls for record in records for pair in record.all_pairs)


def configured(a, b, text):
    settings = json.JSONDecoder().decode(text)
    n, rate = settings["steps"], settings["rate"]
    x, out = a, []
    for k in range(n):
        x = x + rate * math.sin(b * x + k)
        out.append(x * x)
    heap = [x, b, out[-1] + out[0]]
    heapq.heapify(heap)
    least = heapq.heappop(heap)
    for _ in range(n):
        least = least * 0.9 + 0.1 * math.cos(least * b)
    return least + sum(heap)


def test_what_is_around_a_line_is_static():
    f = apart(configured, "json.JSONDecoder", "heapq.heapify", "heapq.heappop")
    eager, _ = in_both(f, 0.3, 0.5, CONFIG), in_both(f, 0.3, 0.5, CONFIG)
    assert len(parts_of(f)) == 2
    assert calls_of_parts(f) >= 2
    h = 1e-6
    difference = (configured(0.3 + h, 0.5, CONFIG) - configured(0.3 - h, 0.5, CONFIG)) / (2 * h)
    assert eager.gradient[0] == pytest.approx(difference, rel=1e-6)


def test_hot_functions_are_cut_where_they_have_no_static_adjoint():
    def f(a, text):
        n = json.JSONDecoder().decode(text)["steps"]
        x = a
        for _ in range(n):
            x = math.sin(x) + 0.1
        return x

    with morula.tier("static"):
        first, second = (morula.gradient(f, 0.3, CONFIG) for _ in range(2))
    assert first == second
    assert len(parts_of(f)) == 1
    assert calls_of_parts(f) == 2
    line = f.__code__.co_firstlineno + 1
    assert f"in parts: 1 around line {line}, of which 1 static" in str(morula.explain(f))


def test_calls_around_a_line_are_parts():
    class Model:
        def __init__(self, rate):
            self.rate = rate

        def run(self, x, n):
            for _ in range(n):
                x = x + self.rate * math.sin(x)
            return x

    def f(a, b):
        model = Model(a * 0.5)
        x = model.run(b, 30)
        shown = repr(x)
        return Model(x).run(a, 20) + len(shown)

    with morula.tier("static"):
        found = [morula.gradient(f, 0.3, 0.7) for _ in range(3)]
    with morula.tier("eager"):
        eager = morula.gradient(f, 0.3, 0.7)
    for each in found:
        np.testing.assert_allclose(each, eager, rtol=1e-12)
    assert len(parts_of(f)) == 2
    assert calls_of_parts(f) >= 4


def test_parts_of_parts():
    def f(a, b, text):
        n = json.JSONDecoder().decode(text)["steps"]
        x = a
        for k in range(n):
            x = math.sin(x) + k * 0.1
        y = float(repr(b)) * b
        for _ in range(n):
            x = math.cos(x) * y
        return x

    with morula.tier("static"):
        found = [morula.gradient(f, 0.3, 0.7, CONFIG) for _ in range(4)]
    with morula.tier("eager"):
        eager = morula.gradient(f, 0.3, 0.7, CONFIG)
    for each in found:
        np.testing.assert_allclose(each[:2], eager[:2], rtol=1e-12)


# -- what keeps its meaning ------------------------------------------------------------------------------------------


def branches(x, n):
    for k in range(n):
        if k == 2:
            y = x * k
    z = repr(n)
    for _ in range(n):
        x = x + 0.1
    return x * y + len(z)


def unbound_loop(x, n):
    total = x
    for k in range(n):
        total = total * x + 0.0 * k
    z = repr(n)
    for _ in range(3):
        total = total + k * x
    return total * len(z)


def unbound_elsewhere(x, n):
    if n > 99:
        x = x * late  # noqa: F823
    z = repr(n)
    for late in range(n):
        x = x * 1.5 + late
    return x * len(z) + late


late = 5.0


def left_early(x, n):
    for k in range(n):
        if k == 3:
            return x * k
        x = x * 1.1
    z = repr(n)
    for k in range(n):
        if k == 1:
            return x + k + len(z)
        x = x * 0.9
    return x


def without_value(x, n):
    z = repr(n)
    for _ in range(n):
        x = x * len(z)


def jumps(x, n):
    total = 0.0
    for k in range(n):
        if k % 3 == 1:
            continue
        z = repr(k)
        for _ in range(2):
            total += x * len(z)
            if total > 40.0:
                break
        if total > 30.0:
            break
    else:
        total = total + 1.0
    return total


def loops_inside(x, n):
    total, last = 0.0, x
    for k in range(n):
        for j in range(3):
            last = last + 0.1 * j * x
        z = repr(k)
        for j in range(3):
            total = total + last * len(z) * j
        last = last * 0.5
    return total + last


def inner_function(x, n):
    def scaled(v):
        return v * c

    c = x * 2.0
    z = repr(n)
    for _ in range(n):
        x = scaled(x) + len(z)
    c = 3.0
    for _ in range(n):
        x = scaled(x) * 0.1
    return x


def later_functions(x, n):
    made = []
    for k in range(n):
        made.append(lambda v, k=k: v * k * x)
    z = repr(n)
    x = x * 2.0
    for g in made:
        x = x + g(0.5)
    return x * len(z)


def lazy(x, n):
    values = (x * k for k in range(n))
    z = repr(n)
    x = x * 3.0
    total = 0.0
    for v in values:
        total += v
    return total * len(z)


def rebound(x, n):
    count = 0

    def tick():
        nonlocal count
        count += 1
        return count

    for _ in range(n):
        x = x * tick()
    z = repr(n)
    for _ in range(n):
        x = x + count
    return x * len(z)


def of_module(x, n):
    global W
    W = 0.5
    for _ in range(n):
        x = x * W
    z = repr(n)
    for _ in range(n):
        W = W + 0.5
        x = x + W
    return x * len(z)


def deleted(x, n):
    y = x
    for _ in range(n):
        y = y * 1.1
    z = repr(n)
    del x
    for _ in range(n):
        y = y + 1.0
    return y * len(z)


def walrus(x, n):
    total = 0.0
    for k in range(n):
        if (y := x * k) > 0.5:
            total += y
    z = repr(n)
    for _ in range(2):
        total += y
    return total * len(z)


def errors_inside(x, n):
    total = 0.0
    for k in range(n):
        total += x / (k - 3.0)
    z = repr(n)
    for k in range(n):
        total += math.log(x + 2.0 - k)
    return total * len(z)


def caught(x, n):
    total = 0.0
    for k in range(n):
        try:
            total += x / (k - 2.0)
        except ZeroDivisionError as error:
            total += len(str(error)) * x
    z = repr(n)
    try:
        for k in range(n):
            y = x * k
            total += math.sqrt(2.0 - k)
    except ValueError:
        total += y
    return total * len(z)


def written(x, n):
    u, notes = np.zeros(n), {}
    for k in range(n):
        u[k] = x * k
    z = repr(n)
    for k in range(n):
        u[k] += x * len(z)
        notes[k] = u[k]
    w = repr(n)
    for k in range(1, n):
        u[k] = u[k] * u[k - 1] + notes[k] * len(w)
    return u.sum()


def two_names(x, n):
    u = [x * k for k in range(n)]
    v = u
    z = repr(n)
    for k in range(n):
        v[k] = v[k] * 2.0
    return sum(u) * len(z)


def appended_later(x, n):
    out = []
    for k in range(n):
        out.append(x * k)
    z = repr(n)
    out.append(x)
    for v in out:
        x = x + v * v
    return x * len(z)


def shadowed(x, n):
    total = sum([x * x for x in (0.5, x)])
    z = repr(n)
    for n in range(3):
        total += x * n
    return total * len(z)


def weakly(x, n):
    class Node:
        def __init__(self, v):
            self.v = v

    node = Node(x)
    for _ in range(n):
        node = Node(node.v * 1.1)
    z = repr(n)
    seen = weakref.ref(node)
    total = node.v
    node = None
    for _ in range(n):
        total = total * 0.9
    return total * len(z) + (seen() is None)


def passed_over(x, n):
    w, v, total = x, x, 0.0
    for k in range(n):
        z = repr(k)
        for j in range(3):
            w = w * 0.9 + 0.1 * len(z)
            v = v * 0.8 + j
        if k % 2:
            continue
        w = x + k
        if k > 3:
            break
        v = w * x
        total += w + v
    return total + w * v


MEANT = [
    branches, unbound_loop, unbound_elsewhere, left_early, without_value, jumps, loops_inside, inner_function,
    later_functions, lazy, rebound, of_module, deleted, walrus, errors_inside, caught, written, two_names,
    appended_later, shadowed, weakly, passed_over,
]  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("f", MEANT, ids=lambda f: f.__name__)
def test_functions_in_parts_mean_the_same(f, n):
    lines, first = inspect.getsourcelines(f)
    for k, line in enumerate(lines):
        if "repr(" in line:
            cut_at(f.__code__, first + k)
    in_both(f, 0.7, n)


@pytest.mark.parametrize("f", [rebound, of_module, deleted, weakly], ids=lambda f: f.__name__)
def test_some_functions_have_no_parts(f):
    lines, first = inspect.getsourcelines(f)
    cut_at(f.__code__, first + next(k for k, line in enumerate(lines) if "repr(" in line))
    assert not parts_of(f)


@pytest.mark.parametrize(
    "f", [left_early, loops_inside, written, appended_later, errors_inside, passed_over], ids=lambda f: f.__name__
)
def test_others_have_some(f):
    lines, first = inspect.getsourcelines(f)
    for k, line in enumerate(lines):
        if "repr(" in line:
            cut_at(f.__code__, first + k)
    assert parts_of(f)
    assert all(NAME.fullmatch(name) for name in parts_of(f))


def test_what_a_function_captures_is_what_it_is_when_a_part_runs():
    def make(c, data):
        def g(a):
            total = 0.0
            for k in range(4):
                total += a * c / (k + 0.5) + data[k]
            w = repr(data)
            for k in range(4):
                total += len(w) * math.log(a + k * c)
            return total

        return g

    def f(c, a):
        return make(c, np.arange(5.0) * c)(a) + make(a, np.arange(5.0) * c)(c)

    g = make(1.0, [])
    cut_at(g.__code__, inspect.getsourcelines(g)[1] + 4)
    in_both(f, 1.5, 0.7)
    assert parts_of(g)


def test_methods_and_decorated_functions_run_in_parts():
    class Model:
        __scale = 2.0

        def __init__(self, rate):
            self.rate = rate

        def run(self, x, n):
            for _ in range(n):
                x = x + self.rate * math.sin(x) * self.__scale
            z = repr(n)
            for _ in range(n):
                x = x * self.rate + len(z)
            return x

    def twice(g):
        @functools.wraps(g)
        def inner(*args):
            return g(*args) + g(*args)

        return inner

    apart(Model.run, "repr(")

    def f(a, b):
        return twice(Model(a).run)(b, 4)

    in_both(f, 0.3, 0.8)
    assert parts_of(Model.run)


def test_lists_that_a_function_returns_may_change_before_the_way_back():
    def made(a, n):
        values = []
        for k in range(n):
            values.append(a * k)
        return values, n

    def f(a, n):
        values, m = made(a, n)
        values.append(a)
        values[0] = 2.0
        del values[1]
        return sum(v * v for v in values) * m

    record_of(f).why = "it is to call a function"
    with morula.tier("static"):
        found = morula.withgradient(f, 0.7, 4)
    with morula.tier("eager"):
        eager = morula.withgradient(f, 0.7, 4)
    assert found.value == eager.value
    assert found.gradient[0] == pytest.approx(eager.gradient[0], rel=1e-12)


def test_whole_numbers_come_back_beside_others():
    def counted(x, n):
        k = 0
        while x > 0.1 and k < n:
            x = x * 0.7
            k = k + 1
        return x, k, k == n

    def f(x, n):
        y, k, is_all = counted(x, n)
        return y * k + (3.0 if is_all else x)

    record_of(f).why = "it is to call a function"
    for n in (2, 50):
        with morula.tier("static"):
            found = morula.withgradient(f, 0.7, n)
        with morula.tier("eager"):
            eager = morula.withgradient(f, 0.7, n)
        assert found.value == eager.value
        assert found.gradient[0] == pytest.approx(eager.gradient[0], rel=1e-12)
    assert sum(pair.calls for pair in record_of(counted, "callee").all_pairs) > 0


def test_whole_numbers_that_are_differentiated_by_keep_their_derivatives():
    def both(x, n):
        m = n * 2
        for _ in range(3):
            x = x * 1.5
        return x, m

    def f(x, n):
        y, m = both(x, n)
        return y * m

    record_of(f).why = "it is to call a function"
    with morula.tier("static"):
        assert morula.gradient(f, 0.7, 4) == pytest.approx((27.0, 4.725))
    assert "no real number" in str(record_of(both, "callee").why)


def test_a_function_runs_whole_again_while_its_parts_are_idle():
    def f(x):
        xs = [x * k for k in range(1, 4)]
        xs.reverse()
        return sum([v * v for v in xs])

    with morula.tier("eager"):
        expected = morula.gradient(f, 0.7)
    record = record_of(f)
    record.why = "it is to run in parts"
    line = f.__code__.co_firstlineno + 2
    assert cut_at(f.__code__, line)
    assert morula.gradient(f, 0.7) == expected
    parts = list(parts_of(f).values())
    assert parts and cuts_of(f.__code__) == {line}
    for part in parts:
        for part_record in records_of(part):
            part_record.unfit = True
    for _ in range(LOOKED_AT):
        assert morula.gradient(f, 0.7) == expected
    assert record.is_whole and not cuts_of(f.__code__)
    assert cut_at(f.__code__, line + 1)
    record.is_whole = False  # as an attempt leaves it that finds another line
    assert cuts_of(f.__code__) == {line, line + 1}
    assert morula.gradient(f, 0.7) == expected


def test_a_function_runs_in_parts_only_while_that_is_faster():
    def f(x):
        xs = [x * k for k in range(1, 4)]
        xs.reverse()
        return sum([v * v for v in xs])

    record = record_of(f)
    record.why, record.attempts = "it is to run in parts", LATE
    assert cut_at(f.__code__, f.__code__.co_firstlineno + 2)
    expected = morula.gradient(f, 0.7)
    part = record_of(SimpleNamespace(__code__=next(iter(parts_of(f).values()))))
    part.pairs[0,] = ()  # it is said to have a static adjoint
    for in_parts, whole in ((2e-3, 1e-3), (1e-3, 2e-3)):
        record.runs, record.look_at, record.is_whole, ways = 0, LOOKED_AT, False, []
        for _ in range(8 * LOOKED_AT):
            note(f, (0.7,), whole if record.is_whole else in_parts)
            ways.append(record.is_whole)
        assert {True, False} == set(ways)
        assert set(ways[4 * LOOKED_AT :]) == {whole < in_parts}
        assert bool(cuts_of(f.__code__)) is (in_parts < whole)
        assert morula.gradient(f, 0.7) == expected
