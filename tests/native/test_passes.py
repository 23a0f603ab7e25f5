"""Each pass by itself: what a small function is before it, and after."""

import math

import numpy as np
import programs_loops
import pytest

numba = pytest.importorskip("numba")

import morula
from morula.static import ir
from morula.static.front.lower import lower
from morula.static.front.normal_form import normal_form
from morula.static.front.types import line_types
from morula.static.listing import listing
from morula.static.naming import Names, named, rename
from morula.static.numba.emit.joint import requested
from morula.static.passes.activity import Activity
from morula.static.passes.bounds import Bounds
from morula.static.passes.counted import count_while_loops
from morula.static.passes.dims import Dims
from morula.static.passes.elementwise import scalarized
from morula.static.passes.explosive import explosive
from morula.static.passes.fission import fission
from morula.static.passes.forward_bursts import forward_bursts
from morula.static.passes.fuse import fusion, is_sum
from morula.static.passes.hoist import hoist
from morula.static.passes.loop_outs import name_loop_outs
from morula.static.passes.memory import Memory
from morula.static.passes.order import is_free_order
from morula.static.passes.parallel import shares
from morula.static.passes.protect import protect
from morula.static.passes.record import Record, closed_form
from morula.static.passes.share import share
from morula.static.passes.simplify import simplify
from morula.static.passes.wrapped import wrap
from morula.static.pipeline import simplified

X, M = np.ones(3), np.ones((3, 3))


def lowered(f, *args, passes=(simplify,)):
    form, types = normal_form(f), tuple(map(numba.typeof, args))
    made = lower(form, types, line_types(form, types), True)
    for p in passes:
        p(made)
    rename(made)
    return made


def lines(f):
    return [line.strip().partition("  # ")[0] for line in listing(f).splitlines()[1:]]


def loops(f):
    return loops_in(f.body)


def recorded(f, *args, may_undo=True):
    made = lowered(f, *args, passes=(simplified,))
    memory = Memory(made)
    activity = Activity(made, memory, requested(made, (True,) * len(args)))
    return made, Record(made, memory, activity, set(), may_undo)


# -- passes that change the function ----------


def test_simplify_drops_what_nobody_reads():
    def f(x, y):
        unused = x * y
        z = y
        for _ in range(3):
            z = z + 0.0
            unused = unused * x
        return x + y

    assert "unused = x * y" in lines(lowered(f, 1.0, 2.0, passes=()))
    assert lines(lowered(f, 1.0, 2.0)) == ["result = x + y", "return result"]


def test_share_computes_equal_expressions_once():
    def f(x, i):
        x[i] = x[i] * x[i]
        return x[i] + (x[0] * 2.0) * (x[0] * 2.0)

    before, after = lines(lowered(f, X, 1)), lines(lowered(f, X, 1, passes=(simplify, share)))
    assert before[:2] == ["t1 = x[i]", "t2 = x[i]"] and before[4] == "t4 = x[i]"
    assert after == [
        "t1 = x[i]", "t3 = t1 * t1", "x[i] = t3", "t5 = x[0]", "t6 = t5 * 2.0", "t9 = t6 * t6", "result = t3 + t9",
        "return result",
    ]  # fmt: skip


def test_share_knows_the_lengths_of_variables():
    def f(x, n):
        y = x
        for _ in range(n):
            z = np.empty(y.size)
            for i in range(y.size):
                z[i] = 2.0 * y[i] + y[0]
            y = y + z
        return y.sum()

    made = lowered(f, X, 3, passes=(simplified,))
    _, *others = loops(made)
    assert {loop.stop for loop in others} == {made.body.statements[0].out}  # the length of the argument
    assert sum(line.startswith("n_y = ") for line in lines(made)) == 1


def test_share_knows_the_lengths_of_parts_of_variables():
    def f(x, n):
        y, z = x.copy(), x.copy()
        for _ in range(n):
            z[1:-1] = y[2:] - y[:-2]
            y, z = z, y
        return y.sum()

    made = lowered(f, X, 3, passes=(simplified,))
    outer = next(s for s in made.body.statements if isinstance(s, ir.Loop) and s.stop is made.parameters[1])
    inner = loops_in(outer.body)
    assert inner and all(ir.is_within(loop.stop.block, made.body) for loop in inner)
    assert not any(ir.is_within(loop.stop.block, outer.body) for loop in inner)
    n = {Dims().key(loop.stop) for loop in inner}
    assert n == {("cut", ("shape", made.parameters[0], 0), 2)}
    for size in (0, 1, 2, 3, 7):
        x, g = np.linspace(0.3, 1.1, size) ** 2, numba.njit(f)
        a = morula.gradient(g, x, 3)[0]
        steps = [(g(x + h, 3) - g(x - h, 3)) / 2e-4 for h in 1e-4 * np.eye(size)]
        np.testing.assert_allclose(a if a is not None else [], steps, rtol=1e-8, atol=1e-12)


def loops_in(block):
    return [s for s in ir.walk(block) if isinstance(s, ir.Loop)]


def test_share_loads_again_what_another_store_may_have_changed():
    def f(x, i, j):
        a = x[i]
        x[j] = 2.0
        return a * x[i]

    assert sum("x[i]" in line for line in lines(lowered(f, X, 0, 1, passes=(simplify, share)))) == 2


def test_share_knows_elements_at_numbers_until_they_may_be_written():
    def f(x, y, j):
        x[0] = y[0] * 2.0
        x[1] = y[1] * 3.0
        y[0] = x[0] + x[1]
        x[-1] = 1.0
        y[1] = x[0] + x[1]
        x[2] += 1.0
        y[2] = x[0] * x[1]
        x[j] = 5.0
        return x[0] + x[1]

    found = lines(lowered(f, X, X, 1, passes=(simplify, share)))
    assert [sum(line.endswith(f"= x[{i}]") for line in found) for i in (0, 1)] == [2, 2]


def test_hoist_moves_invariants_before_the_loop():
    def f(x, a, n):
        s = 0.0
        for _ in range(n):
            s += a * a * x[0]
        return s

    before, after = lines(lowered(f, X, 1.0, 3)), lines(lowered(f, X, 1.0, 3, passes=(simplify, hoist)))
    assert before[0].startswith("for") and before[2:5] == ["t1 = a * a", "t2 = x[0]", "t3 = t1 * t2"]
    assert after[:3] == ["t1 = a * a", "t2 = x[0] if 0 < x.shape[0] else 0.0", "t3 = t1 * t2"]


def test_hoist_leaves_loads_of_what_the_loop_writes():
    def f(x, n):
        for i in range(n):
            x[i] += x[0]

    assert not lines(lowered(f, X, 3, passes=(simplify, hoist)))[0].startswith("t")


def test_protect_copies_what_a_later_write_would_spoil():
    def f(x, y):
        s = np.dot(x, y)
        x[0] = 3.0
        return s

    before, after = lines(lowered(f, X, X)), lines(lowered(f, X, X, passes=(simplify, protect)))
    assert before[0] == "s = np.dot(x, y)"
    assert after[:2] == ["x_copy = copy(x)", "s = np.dot(x_copy, y)"]


def test_array_expressions_become_one_loop():
    def f(x, y):
        return (x * y + 1.0).sum()

    before, after = lines(lowered(f, X, X)), lines(lowered(f, X, X, passes=(simplify, scalarized)))
    assert before == ["t1 = map(x, y)", "t2 = map(t1, 1.0)", "result = sum(t2)", "return result"]
    assert sum(line.startswith("for ") for line in after) == 1 and "t2_k = t1_k + 1.0" in after
    assert not any("empty" in line for line in after)


def test_a_write_that_reads_what_it_wrote_gets_a_copy():
    def f(x):
        x[1:] = x[:-1]

    def apart(x, y):
        x[1:] = y[:-1]

    assert any("empty" in line for line in lines(lowered(f, X, passes=(simplify, scalarized))))
    assert not any("empty" in line for line in lines(lowered(apart, X, X, passes=(simplify, scalarized))))


def test_a_write_shares_the_loop_of_what_changes_places_with_it():
    def apart(x, n):
        u, v = x.copy(), x * 2.0
        for _ in range(n):
            v[1:] = np.sin(u[:-1]) * 2.0
            u, v = v, u
        return u

    def same(x, n):
        u = x.copy()
        v = u
        for _ in range(n):
            v[1:] = np.sin(u[:-1]) * 2.0
            u, v = v, u
        return u

    def named(x, n):
        u, v = x.copy(), x * 2.0
        w = u
        for _ in range(n):
            v[1:] = np.sin(w[:-1]) * 2.0
            u, v = v, u
        return u

    def inside(f):
        (outer,) = [
            s for s in lowered(f, X, 3, passes=(simplify, scalarized)).body.statements if isinstance(s, ir.Loop)
        ][-1:]
        return len(loops_in(outer.body))

    assert inside(apart) == 1 and inside(same) == inside(named) == 2


def filtered(x, n):
    P, F = np.eye(4), x * np.identity(4)
    for _ in range(n):
        P = F @ P @ np.linalg.inv(P + F)
    return P.sum()


def test_products_of_larger_matrices_stay_loops():
    """The lengths of unit matrices and inverses are known, so no product calls BLAS; none is written out in part."""
    made = lowered(filtered, 0.5, 3, passes=(simplified,))
    (loop,) = [s for s in made.body.statements if isinstance(s, ir.Loop) and s.stop is made.parameters[1]]
    kinds = [s.attr.primal for s in ir.walk(loop.body) if isinstance(s, ir.Op) and s.kind == "array"]
    assert kinds == [np.linalg.inv]
    innermost = [s for s in ir.walk(loop.body) if isinstance(s, ir.Loop) and len(s.body.loops()) == 4]
    assert len(innermost) == 2 and all(len(s.body.statements) == 3 for s in innermost)


def test_what_a_loop_leaves_has_a_value_of_its_own():
    def f(x, n):
        for _ in range(n):
            x = x * 0.5
        return x

    before, after = lowered(f, 1.0, 3), lowered(f, 1.0, 3, passes=(simplify, name_loop_outs))
    assert before.result is loops(before)[0].carries[0].phi
    carry = loops(after)[0].carries[0]
    assert after.result is carry.out is not carry.phi


def test_neighbours_on_a_ring_are_chosen():
    def f(x):
        s = 0.0
        n = len(x)
        for i in range(1, n):
            s += x[(i + 1) % n] * x[(i - 1) % n]
        for i in range(n + 1):
            s += x[(i + 1) % n]
        for i in range(-1, n):
            s += x[(i + 1) % n]
        for i in range(n):
            s += x[(i + 2) % n]
        return s

    made = lowered(f, X, passes=(simplify, share, wrap))
    found = [s.attr for s in ir.walk(made.body) if isinstance(s, ir.Op) and s.attr in ("%", "wrap_up", "wrap_down")]
    assert found == ["wrap_up", "wrap_down", "%", "%", "%"]


# -- what is found out about a function ----------


def test_activity_follows_what_is_asked_for():
    def f(x, y):
        u = y * 2.0
        v = x * y
        w = x * x
        return v + w.real * 0.0 + float(int(x)), u

    made = lowered(f, 1.0, 2.0)
    by_x = Activity(made, Memory(made), requested(made, (True, False)))
    active = {v.name for s in ir.walk(made.body) for v in ir.values_of(s) if by_x.is_active(v)}
    assert "v" in active and "u" not in active


def test_memory_knows_views_and_exchanged_variables():
    def f(x, n):
        u = x * 2.0
        v = x * 3.0
        w = u[1:]
        for _ in range(n):
            u, v = v, u
        return w[0] + u[0] + v[0]

    made = lowered(f, X, 3, passes=(simplify, scalarized))
    memory = Memory(made)
    by_name = {v.name: v for s in ir.walk(made.body) for v in ir.values_of(s) if ir.is_array(v)}
    assert memory.of(by_name["w"]) is memory.of(by_name["u"]) is memory.of(by_name["v"])
    assert memory.are_apart(by_name["u"], made.parameters[0])


def test_values_are_recomputed_where_that_is_cheap():
    def f(x, n):
        for _ in range(n):
            t = 1.0 - x
            x = t * x
        return x

    made, record = recorded(f, 1.0, 3)
    (loop,) = loops(made)
    (t,) = loop.body.statements[0].outs
    assert record.plan[loop.carries[0].phi] == "keep" and record.plan[t] == "recompute"


def test_elements_that_later_iterations_leave_alone_are_not_kept():
    def recurrence(x):
        y = np.zeros(len(x))
        for i in range(1, len(x)):
            y[i] = np.sin(y[i - 1]) * x[i]
        return y[-1]

    def table(x):
        t = np.ones((len(x), len(x)))
        for i in range(1, len(x)):
            for j in range(i):
                t[i, j] = t[i - 1, j] * x[j]
        return t[-1, 0]

    def upwards(x):
        y = x * x
        for i in range(len(x) - 2, -1, -1):
            y[i] = y[i + 1] * x[i]
        return y[0]

    def wrapped(x):
        y = x * x
        for i in range(len(x)):
            y[i] = y[i - 1] * x[i]
        return y[0]

    def again(x):
        y = x * x
        for _ in range(2):
            for i in range(1, len(x)):
                y[i] = y[i - 1] * x[i]
        return y[0]

    def ahead(x):
        y = x * x
        for i in range(len(x) - 1):
            y[i] = y[i + 1] * x[i]
        return y[0]

    def keeps(f):
        made, record = recorded(f, X, may_undo=False)
        found = [
            s
            for s in ir.walk(made.body)
            if isinstance(s, ir.Op) and s.kind == "load" and made.parameters[0] not in s.args
        ]
        return any(record.plan.get(load.out) == "keep" for load in found)

    assert not any(map(keeps, (recurrence, table, upwards)))
    assert all(map(keeps, (wrapped, again, ahead)))


def test_eliminations_keep_nothing():
    def cholesky(x):
        m = x.copy()
        n = len(m)
        for j in range(n):
            m[j, j] = math.sqrt(m[j, j])
            for i in range(j + 1, n):
                m[i, j] = m[i, j] / m[j, j]
            for k in range(j + 1, n):
                for i in range(k, n):
                    m[i, k] -= m[i, j] * m[k, j]
        return m[n - 1, n - 1]

    def from_column(first):
        def overlapping(x):
            m = x.copy()
            n = len(m)
            for j in range(n):
                for k in range(j + first, n):
                    for i in range(k, n):
                        m[i, k] -= m[i, j] * m[k, j]
            return m[n - 1, n - 1]

        return overlapping

    def back(x):
        y = x[0].copy()
        for i in range(len(y) - 1, -1, -1):
            for j in range(i + 1, len(y)):
                y[i] -= x[i, j] * y[j]
        return y[0]

    def forth(x):
        y = x[0].copy()
        for i in range(len(y) - 1, -1, -1):
            for j in range(i, len(y)):
                y[i] -= x[i, j] * y[j]
        return y[0]

    def keeps(f):
        record = recorded(f, M, may_undo=False)[1]
        return any(how == "keep" for how in record.plan.values())

    assert not any(map(keeps, (cholesky, back)))
    assert not keeps(from_column(1))
    assert all(map(keeps, (from_column(0), forth)))


def test_while_loops_that_count_run_over_ranges():
    def up(x):
        s, i = 0.0, 1
        while i <= len(x) - 1:
            s += x[i]
            i += 2
        return s * i

    def down(x):
        s, i = 0.0, len(x) - 1
        while i >= 0:
            s += x[i]
            i -= 1
        return s

    def moving(x, n):
        s, i = 0.0, 0
        while i < n:
            s += x[i]
            i += 1
            n -= 1
        return s

    def away(x, n):
        i = 0
        while i < n:
            x[i] = 0.0
            i -= 1
        return x[0]

    def irregular(x, n):
        i = 0
        while i < n:
            i += 2 if x[i] > 0.0 else 1
        return x[i]

    assert "range(1, stop, 2)" in listing(lowered(up, X, passes=(simplify, count_while_loops, simplify)))
    assert "range(t2, -1, -1)" in listing(lowered(down, X, passes=(simplify, count_while_loops, simplify)))
    for f in (moving, away, irregular):
        assert "while True" in listing(lowered(f, X, 2, passes=(simplify, count_while_loops)))


def test_what_a_while_loop_counts_and_finds_is_not_kept():
    def runs(x):
        s, i = 0.0, 0
        while i < len(x) and x[i] > 0.3:
            s = math.sin(s) * x[i]
            i += 1
        return s

    made, record = recorded(runs, X)
    kept = [v for v, how in record.plan.items() if how == "keep"]
    assert kept and not any(ir.is_discrete_type(v.type) for v in kept)
    counter = next(c for c in loops(made)[0].carries if c.phi.base == "i")
    operator, step = closed_form(loops(made)[0], counter)
    assert (operator, step.value) == ("+", 1)


def test_values_are_loaded_from_where_they_were_stored():
    def row(x):
        t = np.ones((len(x), len(x)))
        for i in range(1, len(x)):
            for j in range(len(x)):
                t[i, j] = np.exp(t[i - 1, j] * x[j])
            for j in range(len(x)):
                t[i, j] = t[i, j] / x[i]
        return t[-1, 0]

    def again(x):
        y = x * x
        for _ in range(2):
            for i in range(len(x)):
                y[i] = np.exp(y[i] * x[i])
        return y[0]

    def ahead(x):
        y = x * x
        for i in range(len(x) - 1):
            y[i] = np.exp(y[i] * x[i])
            y[i + 1] = x[i]
        return y[0]

    def behind(x):
        y = x * x
        for i in range(1, len(x)):
            y[i] = np.exp(y[i - 1] * x[i])
            y[i - 1] = x[i]
        return y[0]

    def in_turn(x):
        y = x * x
        for i in range(len(x)):
            y[i % 2] = np.exp(y[i % 2] * x[i])
        return y[0]

    def counted(x):
        y = np.ones(len(x) + 1)
        k = 0
        for i in range(len(x)):
            v = np.exp(y[k] * x[i])
            while k < i:
                k += 1
            y[k] = v
        return y[0]

    def found_again(f):
        _, record = recorded(f, X, may_undo=False)
        return sum(how == "recompute" for v, how in record.plan.items() if v in record.found_again)

    assert found_again(row) == 1  # the quotient; the exponential is overwritten
    assert found_again(behind) == found_again(again) == found_again(in_turn) == found_again(counted) == 0
    assert found_again(ahead) == 1


def test_writes_into_local_memory_are_undone():
    def f(x, n):
        u = x.copy()
        for _ in range(n):
            for i in range(1, len(u)):
                u[i] = u[i] * u[i - 1]
        return u.sum()

    def g(x, n):
        for _ in range(n):
            for i in range(1, len(x)):
                x[i] = x[i] * x[i - 1]

    stores = [s for s in ir.walk(recorded(f, X, 3)[0].body) if isinstance(s, ir.Op) and s.kind == "store"]
    assert stores
    assert recorded(f, X, 3)[1].undone and not recorded(f, X, 3, may_undo=False)[1].undone
    assert not recorded(g, X, 3)[1].undone  # it is the caller's


def test_nothing_is_undone_where_as_much_is_kept_beside():
    def f(x, n):
        u = x.copy()
        for _ in range(n):
            left = u[0]
            for i in range(1, len(u) - 1):
                here = u[i]
                u[i] = here * (left + u[i + 1])
                left = here
        return u.sum()

    assert not recorded(f, X, 3)[1].undone


def test_sums_fuse_and_recurrences_do_not():
    def total(x):
        s = 0.0
        for v in x:
            s += math.sin(v) * v
        return s * 2.0

    def recurrence(x):
        s = 0.0
        for v in x:
            s = math.sin(s) * v
        return s

    for f, is_fused in ((total, True), (recurrence, False)):
        made, record = recorded(f, X)
        carry = loops(made)[0].carries[0]
        assert bool(fusion(made, record.memory, record.activity).loops) == is_fused
        assert is_sum(carry.phi, loops(made)[0].body, carry.next) == is_fused


def split(f, *args):
    """The loops of a function after those with recurrences have been split, and their lines."""
    made = lowered(f, *args, passes=(simplified,))
    memory = Memory(made)
    activity = Activity(made, memory, requested(made, (True,) * len(args)))
    fission(made, memory, activity, Names([v.name for v in named(made)]), lambda s: True)
    return made, [" ".join(lines(made)[k:]) for k, line in enumerate(lines(made)) if line.startswith("for ")]


def test_what_a_recurrence_does_not_wait_for_has_a_loop_of_its_own():
    def f(a, x):
        v, total = 0.5, 0.0
        for t in range(x.size):
            v = a * v + x[t]
            total += math.log(2.0 + v * v)
        return total

    _, (first, second) = split(f, 0.5, X)
    before, _, after = first.partition(second)
    assert "v_1_row[t2] = v_1" in before and "math.log" not in before and "math.log" in second and not after

    def stored(a, x, h):
        total = 0.0
        for t in range(1, x.size):
            h[t] = a * h[t - 1] + x[t]
            total += math.log(2.0 + h[t] * h[t])
        return total

    _, (_, second) = split(stored, 0.5, X, X.copy())
    assert "_row" not in second and "= h[" in second  # it stands in the program's own array


def slow(a, x):
    v, total = 0.5, 0.0
    for t in range(x.size):
        v = 1.0 / (a / v + x[t] / (1.0 + v))  # takes longer than a logarithm
        total += math.log(v)
    return total


def fed_back(a, x):
    v, total = 0.5, 0.0
    for _ in range(x.size):
        v = a * v + math.log(2.0 + v * v)
        total += v
    return total


def used_later(a, x):
    v, total = 0.5, 0.0
    for _ in range(x.size):
        v = a * v + 0.1 * total
        total += math.log(2.0 + v * v)
    return total


def seen_after_an_error(a, x):
    v = 0.5
    for t in range(x.size):
        v = a * v + x[t]
        if v > 3.0:
            raise ValueError
        x[t] = math.exp(v)
    return v


def free(a, x):
    total = 0.0
    for t in range(x.size):
        total += math.log(2.0 + a * x[t])
    return total


def left_early(a, x):
    v, total = 0.5, 0.0
    for t in range(x.size):
        v = a * v + x[t]
        if v > 3.0:
            break
        total += math.log(2.0 + v * v)
    return total


@pytest.mark.parametrize("f", [slow, fed_back, used_later, seen_after_an_error, free, left_early])
def test_loops_that_stay_whole(f):
    assert len(loops(split(f, 0.5, X)[0])) == 1


def test_order_is_free_where_iterations_only_add():
    def adds(x, u):
        for i in range(1, len(u)):
            u[i] = x[i] * x[i - 1]

    def scans(x, u):
        for i in range(1, len(u)):
            u[i] = u[i - 1] * x[i]

    for f, is_free in ((adds, True), (scans, False)):
        made, record = recorded(f, X, X)
        assert is_free_order(loops(made)[0], record) == is_free


def test_parallel_loops_share_what_has_no_index_of_its_own():
    def f(x, w, a):
        u = np.zeros(len(x))
        for i in numba.prange(len(x)):
            u[i] = x[i, 0] * w[i % 2] * a
        return u

    def stores_anywhere(x, w, a):
        u = np.zeros(len(x))
        for i in numba.prange(len(x) - 1):
            u[i + 1] = x[i, 0] * w[0] * a
        return u

    made, record = recorded(f, M, X, 1.0)
    plan = shares(loops(made)[0], record)
    assert {v.name: axis for v, axis in plan.own.items()} == {"x": 0, "u": 0} and [v.name for v in plan.shared] == ["w"]
    made, record = recorded(stores_anywhere, M, X, 1.0)
    assert shares(loops(made)[0], record) is None


def test_infinite_cotangents_and_tangents_are_foreseen():
    def f(x):
        return math.sqrt(x * x) + math.sin(x)

    def tame(x):
        return math.exp(x) * x

    for g, may_burst in ((f, True), (tame, False)):
        made, record = recorded(g, 1.0)
        assert bool(explosive(made, record.activity)) == bool(forward_bursts(made, record.activity)) == may_burst


def test_bounds_of_indices():
    def f(x, n):
        s = 0.0
        for i in range(1, len(x)):
            for j in range(n, 0, -1):
                s += x[i - 1] * x[i - 2] * x[j]
        return s

    made = lowered(f, X, 3)
    i, j = (loop.index for loop in loops(made))
    at = {str(s.args[1]): s.args[1] for s in ir.walk(made.body) if isinstance(s, ir.Op) and s.kind == "load"}
    known = Bounds()
    assert known.lower(i) == 1 and known.is_natural(j)
    assert sorted((known.lower(x) for x in at.values()), key=str) == [-1, 0, 1]


def test_lengths_that_are_known_to_be_equal():
    def f(x, y):
        u = x.copy()
        v = np.zeros(len(x))
        return u, v, y

    made = lowered(f, X, X)
    dims = Dims()
    by_name = {v.name: v for s in ir.walk(made.body) for v in ir.values_of(s) if ir.is_array(v)}
    x, y = made.parameters
    assert dims.of(by_name["u"]) == dims.of(by_name["v"]) == dims.of(x) != dims.of(y)


# -- Numba's compiler, quickly ----------


def test_the_types_are_those_of_numbas_own_passes(monkeypatch):
    """Of programs with joins of every kind: assigned twice, in branches, in loops that end early, not at all."""
    for f, given in {p.values[0]: p.values[1] for p in programs_loops.PROGRAMS}.items():
        form, types = normal_form(f.py_func), tuple(map(numba.typeof, given))
        quickly = line_types(form, types)
        with monkeypatch.context() as patched:
            patched.setattr("morula.static.front.types.quick", lambda passes, state: passes)
            slowly = line_types(form, types)
        assert quickly.assigned == slowly.assigned and quickly.result == slowly.result, f.__name__
        assert quickly.lines == slowly.lines
