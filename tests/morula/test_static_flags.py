"""Truth values that variables hold whatever is computed decide branches; nothing else is believed of them."""

import math

import numpy as np
import pytest
from static_checks import check_static

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def angle(x, full=False):
    if isinstance(x, float):
        is_float = True
    else:
        is_float = False
    x = np.asarray(x).flatten()
    found = x % (2 * np.pi) if full else (x + np.pi) % (2 * np.pi) - np.pi
    if is_float:
        return found.item()
    return found


def of_one_or_many(x):
    is_one = False
    if isinstance(x, float):
        is_one = True
        x = np.array([x])
    y = np.cos(x)
    return y[0] if is_one else y


def numbers_and_arrays(a):
    return angle(a[0] * 3.0) + angle(a * 7.0, True)[2] + of_one_or_many(a[0]) + of_one_or_many(a).sum()


def first_turn(a):
    first = True
    for k in range(10):
        if first:
            p = a[0]
            first = False
        else:
            p = p * a[k % 4]
    return p


def tried(a):
    ok = False
    try:
        ok = True
        y = math.sqrt(a[2])
        ok = False
    except ValueError:
        y = a[0] * (3.0 if ok else 5.0)
    return y * (2.0 if ok else 7.0)


def changed_by_a_closure(a):
    flag = True

    def off():
        nonlocal flag
        flag = False

    y = a[0] if flag else a[1]
    off()
    return y * (a[0] if flag else a[1])


def while_not_done(a):
    done = False
    x = a[0]
    n = 0
    while not done:
        x = x * 0.5 + a[1]
        n += 1
        if n > 5:
            done = True
    return x if done else a[3]


def by_branches(a):
    up = a[0] > 0
    if up:
        big = True
    else:
        big = False
    if a[1] > 0.2:
        big = False
    return a[0] * (2.0 if big else 3.0) + (a[2] if not big else a[3])


def left_early(a):
    conv = False
    x = a[0]
    for _ in range(50):
        xn = math.cos(x)
        if abs(xn - x) < 1e-3:
            conv = True
            break
        x = xn
    if not conv:
        return a[1]
    return x * a[2]


def turned_round(a):
    flag = True
    t = 0.0
    for k in range(4):
        if flag:
            t = t + a[k]
        else:
            t = t - a[k]
        flag = not flag
    return t * a[0]


def read_later(a):
    seen = False

    def visit(x):
        if seen:
            return x * 2.0
        return x * 3.0

    y = visit(a[0])
    seen = True
    return y * visit(a[1])


def in_a_with_block(a):
    flag = False
    with np.errstate(all="ignore"):
        flag = True
        y = a[0] * 2.0
    return y + (a[1] if flag else a[2])


def of_a_lambda(a):
    flag = True
    fs = lambda x: x * (2.0 if flag else 3.0)
    r = fs(a[0])
    flag = False
    return r + fs(a[1])


def continued(a):
    flag = True
    n = 0
    while True:
        if not flag:
            break
        n += 1
        if n == 3:
            flag = False
            continue
        a = a * 0.9
    return a.sum() * n


def else_of_a_loop(a):
    sign = +1
    t = 0.0
    for x in a:
        t = t + sign * x
        sign = -sign
    flag = True
    for x in a:
        if x < 0:
            flag = False
        if flag:
            t = t * 1.5
    else:
        flag = True
    return t if flag else 0.0


def found_in_inner_loop(a):
    for k in range(3):
        found = False
        for j in range(4):
            if a[j] * (k + 1) > 1.0:
                found = True
        if found:
            break
    return a[k] * (1.0 if found else 2.0)


PROGRAMS = [
    numbers_and_arrays,
    first_turn,
    tried,
    changed_by_a_closure,
    while_not_done,
    by_branches,
    left_early,
    turned_round,
    read_later,
    in_a_with_block,
    of_a_lambda,
    continued,
    else_of_a_loop,
    found_in_inner_loop,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("a", [[0.7, 0.3, -0.4, 1.1], [-0.6, 0.2, 0.53, 0.4]], ids=["one", "other"])
def test_known_truth_values(f, a):
    check_static(f, [np.array(a)])
