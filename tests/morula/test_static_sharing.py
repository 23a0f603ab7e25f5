"""Arrays that share memory for a while: views and second names that nobody reads after a write, and swaps."""

import numpy as np
import pytest
from static_checks import alike, check_static, found_by
from tests.fuzz import plain
from tests.fuzz.plain_sharing import SharingWriter

import morula

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

B = np.arange(12.0) * 0.1


def views_of_turns(x, y):
    u = x * B
    for k in range(3):
        v = u[k:]
        s = v.sum()
        u[k:] -= 0.1 * s * y
    return (u**2).sum()


def old_values(x, y):
    u = x * B
    v = u
    for _ in range(3):
        u = u.copy()
        u[1:-1] = v[1:-1] + 0.1 * y * (v[2:] - v[:-2])
        v = u
    return (v**2).sum()


def change_of_a_step(x, y):
    u = x * B
    old = u
    u = u * 1.0
    u[1:-1] += y * (old[2:] - old[:-2])
    return np.abs(u - old).max() * u.sum()


def given_to_functions(x, y):
    def slope(z):
        g = np.zeros_like(z)
        g[1:] = z[1:] - z[:-1]
        return g

    def tail(z):
        return z[1:]

    u = x * B
    for _ in range(3):
        g = slope(u)
        u[:-1] += y * g[1:]
        s = tail(u).sum()
        u[0] = s * 0.1
    return (u**2).sum()


def householder(x, y):
    r = np.outer(B[:4], B[:4] + 1) * x + np.eye(4)
    q = np.eye(4)
    for k in range(3):
        v = r[k:, k]
        e = np.zeros_like(v)
        e[0] = np.copysign(np.linalg.norm(v), -v[0])
        w = v - y * e
        w = w / np.linalg.norm(w)
        r[k:, k:] -= 2 * np.outer(w, w @ r[k:, k:])
        q[:, k:] -= 2 * np.outer(q[:, k:] @ w, w)
    return (r**2).sum() + q[0, 1]


def of_one_value(x, y):
    u = v = np.zeros(12)
    u = u + x * B
    v = v + 1
    u[2:] += y * v[2:]
    v[:2] = u[2:4]
    return u @ v


def exchanged(x, y):
    u, v = x * B, np.zeros(12)
    for _ in range(5):
        v[1:-1] = u[1:-1] + y * 0.1 * (u[2:] - u[:-2])
        t = u
        u = v
        v = t
    return (u**2).sum()


def in_a_ring(x, y):
    u, v, w = x * B, np.zeros(12), np.ones(12)
    for _ in range(5):
        w[1:-1] = u[1:-1] - v[1:-1] + y * 0.1 * (u[2:] - u[:-2])
        t = v
        v = u
        u = w
        w = t
    return (u**2).sum()


def exchanged_numbers(x, y):
    u, v = x, y
    for k in range(5):
        t = u
        u = v * k + 0.1
        v = t
        t = u
        u = v
        v = t
    return u * v


TAKEN = [views_of_turns, old_values, change_of_a_step, given_to_functions, householder, of_one_value, exchanged,
         in_a_ring, exchanged_numbers]  # fmt: skip


@pytest.mark.parametrize("f", TAKEN)
def test_what_nobody_reads_again(f):
    check_static(f, (0.8, 1.5))


def view_read_later(x, y):
    u = x * B
    v = u[3:]
    u[2:5] = y
    return u.sum() + v.sum()


def read_in_the_next_turn(x, y):
    u, s, v = x * B, 0.0, B
    for k in range(4):
        if k > 1:
            s = s + v.sum()
        v = u[2:]
        u[1:6] *= y
    return s + u.sum()


def result_of_a_function(x, y):
    def tail(z):
        return z[1:]

    u = x * B
    for _ in range(3):
        t = tail(u)
        u[:-1] += y * t
        u[-1] = 1.0
    return (u**2).sum() + t.sum()


def kept_in_a_list(x, y):
    u, parts = x * B, []
    for k in range(3):
        v = u[:3]
        parts.append(v)
        u[k:] *= y
    return sum(p.sum() for p in parts) + u.sum()


def read_by_a_closure(x, y):
    u = x * B
    total = lambda: v.sum()
    v = u[2:]
    u[3:] *= y
    return total() + u.sum()


def read_by_a_generator(x, y):
    u = x * B
    v = u[2:]
    total = (e * 2 for e in v)
    u[3:] *= y
    return sum(total) + u.sum()


def read_by_a_handler(x, y):
    u, s = x * B, 0.0
    try:
        v = u[2:]
        u[3:] *= y
        if y > 1:
            raise ValueError
    except ValueError:
        s = v.sum()
    return s + u.sum()


def view_of_a_view(x, y):
    u = x * B
    v = u[2:]
    w = v[1:]
    s = v.sum()
    u[4:] *= y
    return s + w.sum() + u.sum()


def spare_name_read(x, y):
    u, v = x * B, np.zeros(12)
    for _ in range(5):
        v[1:-1] = u[1:-1] + y * 0.1 * (u[2:] - u[:-2])
        t = u
        u = v
        v = t
    return (u**2).sum() + t.sum()


def view_across_an_exchange(x, y):
    u, v = x * B, np.zeros(12)
    w = u[3:]
    for k in range(3):
        t = u
        u = v
        v = t
        v[2:] = y * k
        u[1] = x
    return (u**2).sum() + v.sum() + w.sum()


def in_one_statement(x, y):
    u = x * B
    v = u[:]
    u[1], w = y, v[1]
    u[v > 0.6], u[3] = x, v[-1] * y
    return u.sum() + w


SEEN = [view_read_later, read_in_the_next_turn, result_of_a_function, kept_in_a_list, read_by_a_closure,
        read_by_a_generator, read_by_a_handler, view_of_a_view, spare_name_read, view_across_an_exchange,
        in_one_statement]  # fmt: skip


@pytest.mark.parametrize("f", SEEN)
def test_what_is_read_later_sees_the_write(f):
    """Whichever tier runs them, their gradients are those of central differences."""
    h = 1e-6
    slopes = [(f(0.8 + h, 1.5) - f(0.8 - h, 1.5)) / 2 / h, (f(0.8, 1.5 + h) - f(0.8, 1.5 - h)) / 2 / h]
    for tier in ("eager", "static", "static"):
        found = found_by(tier, f, (0.8, 1.5))
        assert repr(found.value) == repr(f(0.8, 1.5))
        assert [0.0 if g is None else g for g in found.gradient] == pytest.approx(slopes, rel=1e-6, abs=1e-7)


def written(u, k):
    u[0] = k
    u[-1] += u[1] * k


def made_by_a_loop(x, c):
    for k in range(2):
        u = (c + k) * x
    written(u, c)
    return u[0] * u[-1]


def made_by_a_loop_without_end(x, c):
    while True:
        u = c * x
        break
    written(u, c)
    return u[0] * u[-1] + u.sum()


def made_by_a_branch(x, c):
    if c > 0.0:
        u = c * x
    written(u, u[1])
    return u[0] * u[-1]


def made_where_something_may_fail(x, c):
    try:
        u = c * x
    finally:
        c = c * 2.0
    written(u, c)
    return u[0] * u[-1]


@pytest.mark.parametrize(
    "f", [made_by_a_loop, made_by_a_loop_without_end, made_by_a_branch, made_where_something_may_fail]
)
def test_a_function_writes_into_what_perhaps_has_no_value(f):
    check_static(f, (np.array([0.3, -0.7, 1.1, 0.4]), 0.6))


def perhaps_written(u, c):
    v = u
    if c > 9.0:
        w = np.einsum("i->i", v)
        w[1] += c
    return v


def perhaps_longer(u, c):
    v = u
    if c > 9.0:
        v.append(c)
    return v


def twice(u, c):
    v = u * 1.0
    w = v
    v[0] = c
    return v, w


@pytest.mark.parametrize("g", [perhaps_written, perhaps_longer, twice])
@pytest.mark.parametrize("tier", ["static", "eager"])
def test_what_a_callee_hands_on_is_what_it_was_given(g, tier):
    def f(x, c):
        u = x * 1.0
        found = g(u, c)
        v, w = found if g is twice else (found, u)
        v[1] = 7.0 * c
        return float(v @ w) + float(u.sum())

    x = np.array([0.2, 0.3, 0.5])
    with morula.tier(tier):
        for _ in range(2):
            found = morula.withgradient(f, x.copy(), 0.4)
            assert repr(found.value) == repr(f(x.copy(), 0.4))
    assert found.gradient[1] == pytest.approx((f(x.copy(), 0.4 + 1e-6) - f(x.copy(), 0.4 - 1e-6)) / 2e-6, rel=1e-7)


def test_an_argument_that_is_written_into_by_another_name():
    """The caller sees what is written, whatever the tier."""

    def f(u, y):
        v = u
        v[2:4] = y
        return (v**2).sum()

    left = []
    for tier in ("eager", "static", "static"):
        u = B.copy()
        found_by(tier, lambda u=u: f(u, 1.5), ())
        u = B.copy()
        found = found_by(tier, lambda y, u=u: f(u, y), (1.5,))
        left.append((u, found.gradient))
    assert all(np.array_equal(u, left[0][0]) and alike(g, left[0][1]) for u, g in left)
    assert left[0][0][2] == 1.5


@pytest.mark.parametrize("seed", range(40, 52))
def test_random_programs(seed):
    _, verdict = plain.check(seed, SharingWriter)
    assert verdict.kind != "wrong", verdict


class Cell:
    def __init__(self, w, z):
        self.w = w
        self.z = z

    def grow(self, h):
        self.w *= h
        return self.w[1]

    def renewed(self):
        self.w *= 2.0
        return self.w * 1.0

    def seen(self, v, h):
        self.w[0] = h
        return v[0] * v[2]

    def own(self):
        return self.w


def cell(x, y):
    return Cell(np.array([x, 0.2, x * y]), np.array([y, 0.3, x]))


def grown(m, v):
    m.w *= 2.0
    return v[0] * v[1]


def first_set(u, v):
    u[0] = 3.0 * u[1]
    return v[2] * v[0]


def given_beside_its_object(x, y):
    m = cell(x, y)
    return grown(m, m.w) + m.w[0]


def given_in_reverse(x, y):
    m = cell(x, y)
    return grown(m, m.w[::-1]) + m.seen(m.w, y)


def given_with_a_view_of_it(x, y):
    u = np.array([x, 0.2, x * y])
    return first_set(u, u[::-1]) + u[0] * y


def given_rows_and_columns(x, y):
    u = np.array([[x, 0.2, y], [x * y, 1.0, y], [0.3, y, x]])
    return first_set(u[0], u.T[0]) + u[0, 1] * u[1, 0]


def given_to_an_inner_function(x, y):
    m = cell(x, y)

    def inner(v):
        m.w *= y
        return v[0] * v[1]

    return inner(m.w) + inner(m.z) * m.w[0]


def held_by_a_sum(x, y):
    m = cell(x, y)
    return (m.w + m.renewed()).sum() + np.dot(m.own(), m.renewed())


def held_by_a_product(x, y):
    d = {"w": np.array([x, 0.2, x * y])}

    def grow():
        d["w"] *= 2.0
        return d["w"][1]

    return (d["w"] * grow()).sum()


def held_by_a_call(x, y):
    m = cell(x, y)

    def pick(v, h, k):
        return v[0] * h + k

    return pick(m.w, m.grow(y), 2.0) + pick(h=m.grow(x), v=m.w, k=y)


def held_by_what_is_added_to(x, y):
    m = cell(x, y)
    m.w[1] += m.grow(y)
    m.w += m.renewed()
    return m.w.sum()


def in_two_objects(x, y):
    u = np.array([x, 0.2, x * y])
    m, n = Cell(u, u * 2.0), Cell(u, u * 3.0)
    m.w += y
    n.w *= x
    return m.w @ n.w + u[0]


ONE_ARRAY = [given_beside_its_object, given_in_reverse, given_with_a_view_of_it, given_rows_and_columns,
             given_to_an_inner_function, held_by_a_sum, held_by_a_product, held_by_a_call, held_by_what_is_added_to,
             in_two_objects]  # fmt: skip


@pytest.mark.parametrize("f", ONE_ARRAY, ids=lambda f: f.__name__)
def test_parameters_and_operands_are_names_of_arrays_too(f):
    test_what_is_read_later_sees_the_write(f)


class Renewed(Cell):
    def renew(self, h):
        self.w = self.w * h
        return self.w

    def renew_all(self, h):
        self.renew(h)
        self.z = self.w * 1.0
        self.z[0] = h
        self.z[1] += h
        return h

    def old(self, h):
        old = self.w
        self.renew(h)
        return old


def renewed_cell(x, y):
    return Renewed(np.array([x, 0.2, x * y]), np.array([y, x, 0.5]))


def item_of_the_one_before(x, y):
    m = renewed_cell(x, y)
    m.w[1] += np.sum(m.renew(y))
    return m.w.sum()


def slice_of_the_one_before(x, y):
    m = renewed_cell(x, y)
    m.w[1:] *= m.old(y)[1:]
    return m.w @ m.z


def item_of_the_one_before_by_way_of_writes(x, y):
    m = renewed_cell(x, y)
    m.w[1] += m.renew_all(y)
    return m.w @ m.z


def item_at_a_place_that_renews(x, y):
    m = renewed_cell(x, y)
    m.w[int(np.sum(m.renew(y)) > 0)] = x
    m.w[int(np.sum(m.renew(y)) > 0)] -= y
    return m.w.sum()


def item_in_a_loop(x, y):
    m = renewed_cell(x, y)
    for k in range(14):
        m.w[k % 3] += 0.1 * float(np.sum(m.renew(0.9)))
    return m.w @ m.z


def item_in_a_dict(x, y):
    d = {"u": np.array([x, y, 1.0])}

    def renew(h):
        d["u"] = d["u"] * h
        return h

    d["u"][1] += renew(y)
    d["u"][1:] *= renew(x)
    return d["u"].sum()


def item_in_a_list(x, y):
    d = [np.array([x, y, 1.0]), np.array([y, y, x])]

    def renew(h):
        d[0] = d[1] * h
        return h

    d[0][1] += renew(y)
    d[0][1:] *= renew(x)
    return d[0].sum()


REPLACED = [item_of_the_one_before, slice_of_the_one_before, item_of_the_one_before_by_way_of_writes,
            item_at_a_place_that_renews, item_in_a_loop, item_in_a_dict, item_in_a_list]  # fmt: skip


@pytest.mark.parametrize("f", REPLACED, ids=lambda f: f.__name__)
def test_items_of_arrays_in_whose_place_others_are_put(f):
    """The array that is written into is the one that was there when the statement began."""
    test_what_is_read_later_sees_the_write(f)


class Body:
    def __init__(self, at, v, mass):
        self.at, self.v = at, v
        self.force = np.zeros(3)
        self.mass = mass


def orbits(x, y):
    bodies = [Body(np.array([k, 0.1 * x, 0.0]), np.array([0.0, y, 0.1 * k]), 1.0 + k) for k in range(3)]
    for _ in range(4):
        for b in bodies:
            b.force[:] = -b.mass * b.at
        for b in bodies:
            b.v += 0.1 * b.force / b.mass
            b.at += 0.1 * b.v
    energy = 0.0
    for b in bodies:
        energy += b.mass * np.dot(b.v, b.v)
    return energy


def of_variables(x, y):
    at = np.array([x, 0.3, 0.0])
    v = np.array([0.0, y, x * y])
    b = Body(at, v, 2.0)
    for _ in range(3):
        b.force -= b.at
        b.v += 0.1 * b.force
        b.at += 0.1 * b.v
    return b.at @ b.v


class Copied:
    def __init__(self, w):
        self.w = w
        self.z = 2.0 * w


def read_between(x, y):
    m, total = Copied(np.array([x, 0.2, x * y])), 0.0

    def read(u, k):
        return u[0] * u[k]

    for k in range(3):
        total += read(m.w, k)
        m.w *= 0.5 + k
        m.z[k] += total * y
        total += read(m.z, k)
    return total


def of_one_another(x, y):
    m, n = Copied(np.array([x, 0.2, y])), Copied(np.array([y, 0.4, x]))

    def add(one, other):
        one.w += other.w
        return one.w[0] * other.z[1]

    return add(m, n) + add(n, m) * add(m, m)


@pytest.mark.parametrize("f", [orbits, of_variables, read_between, of_one_another], ids=lambda f: f.__name__)
def test_objects_write_into_arrays_that_they_were_made_with(f):
    check_static(f, (0.8, 0.6))
