"""Static adjoints of programs that copy, round, divide with a remainder, and take the middle of an array."""

import copy
import math
from typing import NamedTuple

import numpy as np
import pytest
from static_checks import check_static, check_tiers, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


class Cell:
    def __init__(self, u):
        self.u, self.items, self.me, self.name = u, [u, 1.0], None, "cell"

    def step(self):
        self.u *= 0.9
        self.items[0] += self.u
        return self


class Pair(NamedTuple):
    x: float
    items: list


class Own(Cell):
    def __copy__(self):
        return Own(self.u * 2)


def of_numbers(x, y):
    a = [x, y, x * y]
    b, c = copy.copy(a), copy.deepcopy(a)
    for k in range(14):
        a[k % 3] *= y
        b[0] += 1.0
    return sum(a) + b[0] * c[1]


def of_rows(x, y):
    a = [[x, 1.0], [2.0, y]]
    b, c = copy.copy(a), copy.deepcopy(a)
    a[0][0] *= 3
    b[1] = [0.0, 0.0]
    return a[0][0] + b[0][0] * 2 + c[0][0] * 3 + a[1][1]


def of_dicts(x, y):
    a = {"n": x, "list": [y], "array": np.array([x, y])}
    b, c = copy.copy(a), copy.deepcopy(a)
    a["n"] = 2.0
    a["list"].append(x)
    a["array"] = a["array"] * 2
    return b["n"] + sum(b["list"]) + sum(c["list"]) + float((b["array"] * c["array"]).sum())


def of_objects(x, y):
    a = Cell(x)
    b, c = copy.copy(a), copy.deepcopy(a)
    for _ in range(14):
        a.step()
    return a.u * b.u * y + sum(b.items) + sum(c.items) * 2


def of_what_is_met_twice(x, y):
    a = Cell(x)
    a.me = a
    b = copy.deepcopy([a, a])
    b[0].u = y
    return a.u + b[1].u * 2 + b[0].me.u * 3


def of_arrays(x, y):
    a = np.array([x, y, x * y])
    b, c = copy.copy(a), copy.deepcopy(a[::-1])
    a[0] = 5.0
    b[1] = x
    return float(a.sum() + (b * c).sum())


def of_tuples(x, y):
    a, b = (x, [y]), Pair(x, [y])
    c, d, e, f = copy.copy(a), copy.deepcopy(a), copy.copy(b), copy.deepcopy(b)
    a[1][0] *= 2
    b.items[0] = 7.0
    return c[1][0] + 3 * d[1][0] + a[0] + e.x * e.items[0] + f.items[0]


def kept_on_the_way(x, y):
    past, now = [], {"x": x, "v": y}
    for _ in range(20):
        now["x"] += 0.1 * now["v"]
        now["v"] -= 0.1 * now["x"]
        past.append(copy.copy(now))
    return sum(p["x"] * p["v"] for p in past)


def rounded(x, y):
    t = 0.0
    for k in range(1, 20):
        t += (
            round(x * 3.37) * y
            + round(y * k * 1.0371, 1) * x
            + round(k / 2)
            + round(12345, -2)
            + round(np.float64(x) * k * 1.0317, 2)
        )
    return t


def with_remainders(x, y):
    t = 0.0
    for k in range(1, 20):
        q, r = divmod(k, 3)
        d, e = divmod(y * k, 0.7312)
        t += q * x + r * y + d + e + math.sin(divmod(x * k, 1.3)[1])
    return t


def middle_of_an_array(x, y):
    first, *middle, last = np.array([x, y, x * y, 2.0])
    (p, q), r = (first, middle), last
    return p * q[0] + r * q[1] + sum(middle)


PROGRAMS = [of_numbers, of_rows, of_dicts, of_objects, of_what_is_met_twice, of_arrays, of_tuples, kept_on_the_way,
            rounded, with_remainders, middle_of_an_array]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_copies_and_remainders(f):
    check_static(f, (0.83, 0.57))
    check_static(f, (0.21, 1.34))


def test_a_copy_that_the_class_makes():
    def f(x):
        return copy.copy(Own(x)).u + copy.deepcopy(Own(x)).u

    assert found_by("static", f, (0.4,)) == found_by("eager", f, (0.4,)) == (pytest.approx(1.2), (3.0,))


def test_what_is_rounded_has_the_type_that_the_program_gives_it():
    def f(x, y):
        return (round(x), round(x, 1), round(np.float64(y)), round(np.float64(y), 1), 7, x * y)

    with_seed = lambda x, y: sum(map(float, f(x, y)))
    check_tiers(with_seed, (2.5, 3.65))
    assert found_by("static", with_seed, (float("nan"), 1.0)) is ValueError


class Twice:
    def __init__(self, w):
        self.w, self.v = w, w


def array_twice_in_a_list(x, y):
    u = np.array([x, y, x * y])
    copied = copy.deepcopy([u, u])
    copied[0][0] = 5.0
    return float(copied[1][0] * y + copied[0].sum())


def array_twice_in_an_object(x, y):
    copied = copy.deepcopy(Twice(np.array([x, y, x * y])))
    copied.w[0] = 5.0
    return float(copied.v[0] * y + copied.w.sum())


def array_twice_in_a_dict(x, y):
    u = np.array([x, y, x * y])
    copied = copy.deepcopy({"x": u, "y": u})
    copied["x"][1:] *= 2.0
    return float(copied["y"] @ u)


def list_twice_in_a_list(x, y):
    row = [x, y]
    copied = copy.deepcopy([row, row])
    copied[0][0] = 5.0
    return copied[1][0] * y * x


def list_twice_in_a_tuple(x, y):
    row = [x, y]
    copied = copy.deepcopy((row, row))
    copied[0].append(3.0)
    return copied[1][-1] * x + len(copied[1]) * y


TWICE = [array_twice_in_a_list, array_twice_in_an_object, array_twice_in_a_dict, list_twice_in_a_list,
         list_twice_in_a_tuple]  # fmt: skip


@pytest.mark.parametrize("f", TWICE, ids=lambda f: f.__name__)
def test_what_is_copied_once_however_often_it_is_met(f):
    from test_static_sharing import test_what_is_read_later_sees_the_write as check

    check(f)
