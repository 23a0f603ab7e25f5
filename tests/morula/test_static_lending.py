"""Functions that write into arrays of objects that they are given, wherever they are called."""

import numpy as np
import pytest
from static_checks import check_programs, check_static, found_by
from tests.fuzz.plain_slots import SlotsWriter

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

N = 9


def ghosts(u):
    u[:1] = u[1:2]
    u[-1:] = 0.3


def corners(u):
    u[0] = 2 * u[1]
    u[-1] = u[-2]


def scale(u, h):
    u *= h


def both(u):
    ghosts(u)
    scale(u, 0.9)


def relax(u, f):
    old = u.copy()
    u[1:-1] = 0.5 * (u[:-2] + u[2:]) + f[1:-1]
    return np.abs(u - old).max()


def shifted(u, v):
    u[1:] = v[:-1] * 0.7
    return (v * v).sum()


class Grid:
    def __init__(self, x, y):
        self.u = np.linspace(0, 1, N) * x
        self.v = np.ones(N) * y
        self.w = np.zeros(N)

    def fill(self, u):
        u[1:4] = self.u[0:3]
        return self.u[2]

    def cut(self, u):
        u[1:4] = 0.5
        self.u[5:] = 0.1
        return u[6] + self.u[2]

    def advance(self, h):
        ghosts(self.u)
        self.fill(self.v)
        self.u[1:-1] += h * (self.u[2:] - self.v[:-2])
        corners(self.u)
        return self.u[0]

    def total(self):
        return float((self.u**2).sum() + self.v[2] * self.v.sum() + self.w.sum())


def by_name(x, y):
    g = Grid(x, y)
    ghosts(g.u)
    corners(g.v)
    shifted(v=g.u, u=g.w)
    return g.total()


def by_way_of_others(x, y):
    g = Grid(x, y)
    both(g.u)
    t = g.fill(g.u)
    return g.total() + t


def in_turns(x, y):
    g, t = Grid(x, y), 0.0
    for _ in range(3):
        t += g.advance(0.1)
        g.u, g.v = g.v, g.u
        relax(g.u, g.v)
    return g.total() + t


def seen_by_the_object_meanwhile(x, y):
    g = Grid(x, y)

    def shift(u):
        u[1:3] = g.u[3:5]
        g.w = g.u * 2.0
        u[:1] = 0.4
        return g.u[1] + g.u[0]

    return shift(g.u) + g.total()


def in_expressions(x, y):
    g = Grid(x, y)
    t = g.u.sum() + relax(g.u, g.v) * g.u[3] - max(0.1, relax(g.v, g.w))
    t += 0.5 * relax(g.w, g.u)
    return t + g.total() + abs(relax(g.u, g.v) - t)


def in_conditions(x, y):
    g, n = Grid(x, y), 0
    while relax(g.u, g.v) > 0.05 and n < 5:
        n += 1
        if n == 2:
            continue
        if relax(g.w, g.u) > 0.01 * n:
            scale(g.v, 0.5)
        elif relax(g.v, g.w) > 1.0:
            break
    while (r := relax(g.u, g.v)) > 0.2:
        scale(g.v, 0.5)
    return g.total() + n + r


def of_variables(x, y):
    u, v, t = np.linspace(0, 1, N) * x, np.ones(N) * y, [0.0, 0.0]
    t[0] = relax(u, v) + u[2]
    u += relax(v, u)
    return (t[0], relax(u, v), u[1])[1] + t[0] * u.sum() + relax(u, v) * v[0]


@pytest.mark.parametrize(
    "f",
    [by_name, by_way_of_others, in_turns, seen_by_the_object_meanwhile, in_expressions, in_conditions, of_variables],
)
def test_functions_write_into_arrays_of_objects(f):
    check_static(f, (0.83, 0.46))


def two_names(x, y):
    g = Grid(x, y)
    z = g.u
    ghosts(g.u)
    return g.total() + z.sum()


def a_view(x, y):
    g = Grid(x, y)
    z = g.u[1:]
    return g.total() + (z * relax(g.u, g.v)).sum()


def two_parameters(x, y):
    g = Grid(x, y)
    return shifted(g.u, g.u) + shifted(g.v, g.v[::-1]) + g.total()


def two_objects(x, y):
    g, h = Grid(x, y), Grid(y, x)
    h.u = g.u
    ghosts(g.u)
    return g.total() + h.total()


def written_by_two_ways(x, y):
    g = Grid(x, y)
    return g.cut(g.u) + g.total()


def replaced_meanwhile(x, y):
    g = Grid(x, y)

    def halve(u):
        for _ in range(2):
            u[1:3] = 0.2
            g.u = u * 0.5
        return u.sum()

    return halve(g.u) + g.total()


def kept_meanwhile(x, y):
    g = Grid(x, y)

    def keep(u):
        g.w = u
        u[1:3] = 0.4

    keep(g.u)
    return g.total()


def held_by_the_expression(x, y):
    g = Grid(x, y)
    t = g.u[1:] * relax(g.u, g.v) + g.v[:-1] * g.advance(0.2)
    return g.total() + t.sum()


def held_by_the_place(x, y):
    g = Grid(x, y)
    g.u[int(relax(g.u, g.v) * 0) + 1] = 3.0 * x
    g.v[1:3] += relax(g.v, g.u)
    return g.total()


def changed_by_the_call(x, y):
    g, r = Grid(x, y), 0.5

    def count(u):
        nonlocal r
        r = r + 1.0
        u[1:3] = r
        return r

    t = r + count(g.u) * r
    return g.total() + t * r


@pytest.mark.parametrize(
    "f",
    [two_names, a_view, two_parameters, two_objects, written_by_two_ways, replaced_meanwhile, kept_meanwhile,
     held_by_the_expression, held_by_the_place, changed_by_the_call],
)  # fmt: skip
def test_other_names_of_such_arrays(f):
    for args in [(0.83, 0.46), (-0.31, 0.72)]:
        eager, static = found_by("eager", f, args), found_by("static", f, args)
        assert repr(static.value) == repr(eager.value) == repr(f(*args))
        assert static.gradient == pytest.approx(eager.gradient, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("seed", [0])
def test_random_programs(seed):
    check_programs(SlotsWriter, range(40 * seed, 40 * seed + 40), 20)
