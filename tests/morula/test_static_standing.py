"""Static adjoints of programs in which arrays that are written into have further names: see `standing`, `vacating`."""

import numpy as np
import pytest
from morula_helpers import module_of
from static_checks import alike, check_programs, check_static, check_tiers, found_by
from tests.fuzz.plain_standing import StandingWriter

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

A = np.array([0.7, 0.3, -0.4, 1.1])


class Grid:
    def __init__(self, x):
        self.u = np.repeat(x, 2)
        self.v = np.repeat(x, 2) * 0.5
        self.w = np.zeros(8)

    def diffused(self, h):
        u = self.u
        u[1:-1] += h * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0], u[-1] = u[1], u[-2]

    def leapt(self):
        u, old, new = self.u, self.v, self.w
        new[1:-1] = 2 * u[1:-1] - old[1:-1] + 0.1 * (u[2:] - u[:-2])
        self.v, self.u, self.w = u, new, old

    def relaxed(self):
        self.u = relax(self.u)
        return self

    def peeked(self, u):
        u[0] = 2 * self.u[1]
        self.u[1] = 3 * u[0]
        return u

    def renewed(self, u):
        u[0] = 2 * u[1]
        self.u = u * 1.0
        u[1] = 7 * u[2]
        return u

    def renew(self):
        self.u = self.u * 0.5
        return self.u[0]

    def total(self):
        return np.sum(self.u**2 * self.v) + self.w[2]


def relax(v):
    v[1:-1] = 0.5 * (v[2:] + v[:-2])
    return v


# -- taken -------------------------------------------------------------------------------------------------


def names_in_methods(x):
    g = Grid(x)
    for _ in range(4):
        g.diffused(0.1)
        g.leapt()
        g.relaxed()
    return g.total()


def changed_as_a_whole(x):
    g = Grid(x)
    pos, vel = g.u, g.v
    for _ in range(3):
        vel -= 0.1 * pos
        pos += 0.1 * vel
        g.u *= 1.1
    np.multiply(vel, pos, out=vel)
    return g.total() + np.sum(pos * vel)


def items_of_lists(x):
    levels = [np.repeat(x, n) for n in (4, 2, 3)]
    for i in range(len(levels)):
        u = levels[i]
        u[1:-1] = 0.5 * (u[2:] + u[:-2])
    return sum(float(np.sum(u**2)) for u in levels)


def items_of_dicts(x):
    state = {"u": np.repeat(x, 3), "v": np.zeros(12)}
    for _ in range(3):
        u, v = state["u"], state["v"]
        v[1:-1] += 0.1 * (u[2:] - u[:-2])
        u += v
        cell = state["u"]
        cell[0] = u[1] * 0.5
    return np.sum(state["u"] * state["v"])


def few_numbers(x):
    g = Grid(x)
    g.u = np.array([x[0], x[1], 0.5])
    u = g.u
    u += 1.0
    u *= g.u
    g.u = u * 2
    u -= 0.1
    return np.sum(g.u * u)


def outliving_the_place(x):
    g = Grid(x)
    u = g.u
    u[0] = 3 * u[1]
    g.u = u * 2
    u[1:] += g.u[:-1]
    g.u[2] = u[0]
    return np.sum(u * g.u)


def outliving_it_in_each_turn(x):
    g = Grid(x)
    for _ in range(4):
        u = g.u
        u[1:-1] *= 0.9
        g.u = u * 1.1
        u[0] = 5.0 * u[1]
        g.v[1:] += u[:-1]
    return g.total()


def outlived_by_two(x):
    g = Grid(x)
    u = g.u
    v = u
    u[0] = 3 * v[1]
    g.u = v * 2
    return np.sum(u * v) + np.sum(g.u)


def exchanged(x):
    g, t = Grid(x), 0.0
    for _ in range(3):
        u, v = g.u, g.v
        v[1:-1] = 0.5 * (u[2:] + u[:-2])
        g.u, g.v = v, u
        u[0] += 0.1
        t += np.sum(u * g.v) + v[1]
    return g.total() + t


def one_after_the_other(x):
    grids, t = [Grid(x), Grid(2 * x)], 0.0
    for i in range(4):
        u = grids[i % 2].u
        u[0] = 0.3 * u[1] + 0.1 * t
        t += u[0]
    return t + np.sum(grids[0].u * grids[1].u)


def taken_out(x):
    rows = [np.repeat(x, 2), np.repeat(x, 2) * 3]
    u, v = rows[1], rows[0]
    u[0], v[1] = 2 * u[1], u[2]
    rows.pop()
    rows.append(u * 2)
    u[1] = 5 * u[0]
    return np.sum(rows[0]) + np.sum(rows[1] ** 2) * u.sum() + v[1]


def returned(x):
    g = Grid(x)
    a = g.peeked(g.u)
    a[2] = 3 * a[0]
    t = a[1]
    b = g.renewed(g.u)
    b[2] = 3 * b[0] + t
    return np.sum(g.u * b)


def given_twice(x):
    g = Grid(x)

    def f(a, b):
        a[0] = 2 * b[1]
        b[1] = 3 * a[0]
        return a

    r = f(g.u, g.u)
    return np.sum(g.u * r) + np.sum(f(g.u, g.v))


def captured(x):
    u, n = np.repeat(x, 3), np.zeros(12)

    def ends():
        u[0] = 0.0
        u[-1] = u[-2]

    def smooth(f):
        n[1:-1] = f * (u[2:] + u[:-2])
        u[:] = n

    for _ in range(3):
        u[1:-1] += 0.1 * (u[2:] - u[:-2])
        smooth(0.5)
        ends()
    return np.sum(u**2)


def captured_from_an_object(x):
    g = Grid(x)
    u = g.u

    def f():
        u[1:] *= g.u[0]
        return np.sum(u)

    t = f()
    g.u = u * 2
    u[1] = 3.0
    return t + f() + g.total()


def captured_and_replaced(x):
    u = np.repeat(x, 2)

    def double():
        u[1:] *= 2

    v = u
    double()
    u = u * 1.5
    double()
    v[0] = 3.0
    return np.sum(u * v)


def made_in_a_factory(x):
    def buffers():
        b = np.zeros(8)

        def put(i, v):
            b[i] = v
            b[1:3] += v

        def get():
            return b

        return put, get

    (put, get), (put_other, other) = buffers(), buffers()
    for i in range(3):
        put(i, x[i])
        put_other(i + 1, x[i] ** 2)
    b = get()
    put(5, 2 * b[1])
    b[6] = 2.0
    return np.sum(get() * other() * b)


def added_up_outside(x):
    total = np.zeros(4)

    def add(v):
        nonlocal total
        total += v

    for i in range(5):
        add(x * i)
    return np.sum(total**2)


def parameters_called_as_variables_outside(x):
    t = np.outer(x, np.arange(1.0, 6.0))

    def sweep(t, k):
        t[1:-1, 1:-1] = k * (t[2:, 1:-1] + t[:-2, 1:-1] + t[1:-1, 2:] + t[1:-1, :-2])

    for _ in range(3):
        sweep(t, 0.25)
    return np.sum(t**2)


def no_further_names(x):
    g = Grid(x)
    a, b, c, d = np.asarray(g.u), np.array(g.u), +g.u, g.u.copy()
    a[1], b[1], c[2], d[3] = 4 * a[0], 1.0, 2.0, 4.0
    return np.sum(g.u**2 * b * c * d)


TAKEN = [
    names_in_methods, changed_as_a_whole, items_of_lists, items_of_dicts, few_numbers, outliving_the_place,
    outliving_it_in_each_turn, outlived_by_two, exchanged, one_after_the_other, taken_out, returned, given_twice,
    captured, captured_from_an_object, captured_and_replaced, made_in_a_factory, added_up_outside,
    parameters_called_as_variables_outside, no_further_names,
]  # fmt: skip


@pytest.mark.parametrize("f", TAKEN)
def test_taken(f):
    check_static(f, (A,))
    check_static(f, (A[::-1] * 0.9 + 0.05,))


# -- right, or left to the eager tier -----------------------------------------------------------------------


def standing_before_a_loop(x):
    g, t = Grid(x), 0.0
    u = g.u
    for _ in range(3):
        t += np.sum(u**2)
        u[0] = 2 * t
        g.u = u * 0.5
    return t + np.sum(u) + g.total()


def another_place_on_one_path(x):
    g = Grid(x)
    u = g.u if x[0] > 0.5 else g.v
    u[1:] *= 2.0
    if x[1] > 0.2:
        u = g.v
    u[0] = u[1]
    return g.total()


def another_one_in_the_place_on_one_path(x):
    g = Grid(x)
    u = g.u
    if x[0] > 0.5:
        g.u = g.u * 3.0
    u[1:] *= 2.0
    return g.total() + np.sum(u)


def another_place_in_later_turns(x):
    g = Grid(x)
    u = g.u
    for i in range(4):
        if i == 2:
            u = g.v
        u[1:-1] = 0.5 * (u[2:] + u[:-2])
    return g.total()


def in_two_objects(x):
    g, h = Grid(x), Grid(x)
    h.u = g.u
    u = g.u
    u[1:] *= 2.0
    return np.sum(h.u**2) + g.total()


def in_two_objects_by_name(x):
    g, h = Grid(x), Grid(x)
    u = g.u
    h.u = u
    u[1:] *= 2.0
    return np.sum(h.u**2) + g.total()


def names_exchanged_in_turns(x):
    g = Grid(x)
    u, v = g.u, g.v
    for _ in range(3):
        v[1:-1] = 0.5 * (u[2:] + u[:-2])
        u, v = v, u
    return g.total() + np.sum(u**2) + v[0]


def held_by_an_expression(x):
    g = Grid(x)
    w = np.repeat(x, 2)

    def change():
        g.u[:] = g.u * 2
        w[1:] *= 2
        return 1.0

    u = g.u
    return np.sum(u + change()) + np.sum(w * change()) + np.sum(w * 1.0 + change() * w)


def captured_by_other_names(x):
    u = np.repeat(x, 2)
    g, rows = Grid(x), [u, u * 2]
    g.u = u

    def change(v):
        u[1:] *= 2
        return v.sum()

    return change(u) + change(u[::-1]) + change(u * 1.0) + g.total() + np.sum(rows[0] * rows[1])


def views_of_it(x):
    g = Grid(x)
    u = g.u
    row, turned, whole = u[1:3], u[::-1], g.u[:]
    u[1] = 4 * u[0]
    whole[2] = u[1]
    return np.sum(row * turned[:2]) + g.total()


def renewed_in_the_middle(x):
    g = Grid(x)
    u = g.u
    t = np.sum(u) * g.renew() + np.sum(u)
    u[0] = 3.0
    if g.renew() > 0.1:
        u[1:] *= 2
    return t + g.total() + u[1]


def raised_half_way(x):
    g = Grid(x)
    u = g.u
    try:
        u[0] = 2 * u[1]
        if x[0] > 0.5:
            raise ValueError
        g.u = u * 3
    except ValueError:
        u[3] = 5 * u[0]
    u[1] = 2.0
    return g.total() + u[3]


def left_half_way(x):
    g = Grid(x)
    for i in range(4):
        u = g.u
        if u[0] > 1.0:
            g.u = u * 0.5
            u[0] = 3.0
            continue
        u[0] += 0.7
        if i == 3:
            break
    return g.total() + np.sum(u**2)


def in_a_generator(x):
    g = Grid(x)

    def parts(u):
        for i in range(3):
            yield u[i]
            u[i + 1] = 2 * u[i]

    t = 0.0
    for p in parts(g.u):
        t += p
        g.u = g.u * 0.5
    return t + g.total()


HOSTILE = [
    standing_before_a_loop, another_place_on_one_path, another_one_in_the_place_on_one_path,
    another_place_in_later_turns, in_two_objects, in_two_objects_by_name, names_exchanged_in_turns,
    held_by_an_expression, captured_by_other_names, views_of_it, renewed_in_the_middle, raised_half_way, left_half_way,
    in_a_generator,
]  # fmt: skip


@pytest.mark.parametrize("f", HOSTILE)
def test_other_names(f):
    for x in (A, A[::-1] * 0.9, A * 0.4):
        eager, static = found_by("eager", f, (x,)), found_by("static", f, (x,))
        assert repr(static.value) == repr(eager.value) == repr(f(x))
        assert alike(static.gradient, eager.gradient)


@pytest.mark.parametrize("f", [names_in_methods, exchanged, captured, returned])
def test_other_verbs(f):
    v = np.array([0.3, -0.2, 0.5, 0.1])
    for verb in (lambda: morula.jvp(f, (A,), (v,)), lambda: morula.hvp(f, A, v), lambda: morula.hessian(f, A)):
        with morula.tier("eager"):
            eager = verb()
        with morula.tier("static"):
            static = verb()
        for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (eager, static)), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_objects_that_are_given_have_other_arrays_at_the_next_call():
    def f(x, g):
        h = Grid(x)
        h.u, h.v = g[0] * x[0], g[1] * x[1]
        u = h.u
        u[1:] += h.v[:-1]
        return h.total()

    one, other = np.arange(8.0), np.ones(8)
    for g in ([one, other], [one, one], [other[::-1], one[1:].repeat(2)[:8]]):
        eager, static = found_by("eager", f, (A, g)), found_by("static", f, (A, g))
        assert repr(static.value) == repr(eager.value)
        assert alike(static.gradient[0], eager.gradient[0])
    assert any(pair.calls for pair in record_of(f).all_pairs)


@pytest.mark.parametrize("seed", [0])
def test_random_programs(seed):
    check_programs(StandingWriter, range(40 * seed, 40 * seed + 40), 14)


class Bodies:
    def __init__(self, x):
        self.x, self.v = np.outer(x, [1.0, 0.3]), np.outer([0.1, -0.1], x[:2]).repeat(2, axis=0)
        self.f = np.tile(x[:2], (4, 1))
        self.pull()

    def pull(self):
        f = self.f
        f[:] = 0.0
        for i in range(4):
            for j in range(i + 1, 4):
                d = self.x[i] - self.x[j]
                g = d / (1.0 + d @ d)
                f[i] -= g
                f[j] += g

    def step(self):
        v = self.v
        v += 0.05 * self.f
        self.x += 0.1 * v
        self.pull()
        v += 0.05 * self.f


def bodies(x):
    system = Bodies(x)
    for _ in range(3):
        system.step()
    return np.sum(system.v**2) + np.sum(system.x * system.f)


MADE = (
    "np.outer(x, [0.1, -0.1])", "np.cross(x[:3], [1.0, 2.0, 3.0])", "np.tile(x, 1)", "np.inner(np.outer(x, x), x)",
    "np.tensordot(np.outer(x, x), x, 1)", "np.gradient(x)", "np.tril(np.outer(x, x), 5)", "np.take(x, [0, 1])",
    "np.take_along_axis(x, np.array([0, 1]), 0)", "np.pad(x, 0)", "np.average(np.outer(x, x), axis=0)", "np.ediff1d(x)",
    "np.vander(x, 1)", "np.unwrap(x)", "np.round(x * 1e3)", "np.partition(x, 2)", "np.polyval([1.0, x[0]], x)",
)  # fmt: skip


class Held:
    def __init__(self, v):
        self.v = v
        self.f = np.ones(v.shape)

    def step(self):
        self.v += 0.5 * self.f
        self.v *= 1.1


@pytest.mark.parametrize("made", MADE)
def test_new_arrays_are_written_into(made):
    source = f"""
import numpy as np

def f(x):
    c, held = x, Held({made})
    held.step()
    held.step()
    return np.sum(held.v * held.v) + c @ x + 3 * np.sum(x)
"""
    check_tiers(module_of(source, f"held {made}", Held=Held).f, (A,))


def test_bodies_that_pull_at_each_other():
    check_static(bodies, (A,))
