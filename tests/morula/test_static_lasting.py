"""Variables that hold arrays of several shapes in the turns of a loop, and are read after it, in the static tier."""

import sys

import numpy as np
import pytest
from static_checks import check_programs, check_static, found_by
from tests.fuzz.plain_layers import LayersWriter

X, Y = np.array([0.7, 0.3, -0.4, 1.1]), np.ones((2, 4))
LAYERS = [np.eye(4) * 0.7, np.ones((4, 3)) * 0.3]


def through(x):
    w, layers = x.copy(), [np.eye(4) * x[0], np.ones((4, 3)) * x[1]]
    for _ in range(3):
        h = Y
        for m in layers:
            h = np.tanh(h @ m)
        w = w - 0.1 * h.sum()
        for m in layers:
            m -= 0.01 * h.sum()
    return h.sum() + w.sum()


def none_at_first(x):
    h = None
    for _ in range(30):
        h = Y * x
        for m in LAYERS:
            h = np.tanh(h @ m)
    return h.sum()


def written_into_later(x):
    kept = []
    for k in range(3):
        h = Y * x * k
        for m in LAYERS:
            h = np.tanh(h @ m)
        kept.append(h)
    h[0] = 5.0 * x[1]
    w = h
    w[1] *= 2
    return h.sum() + kept[-1].sum() * 3 + kept[0].sum()


def in_loops(x):
    total = 0.0
    for e in range(2):
        for _ in range(3):
            h = Y * x * (e + 1)
            for m in LAYERS:
                h = np.tanh(h @ m)
        total += h.sum()
        h = h * 2
    for _ in range(2):
        h = np.hstack((h, h[:, :1]))
    return total + h.sum()


def another_before(x):
    h = x[0]
    for k in range(3):
        h = Y * x * k
        for m in LAYERS:
            h = np.tanh(h @ m)
    for _ in range(2):
        h = np.outer(h, x)
    return h.sum()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", [through, none_at_first, written_into_later, in_loops, another_before])
def test_what_a_loop_leaves_is_read(f):
    check_static(f, (X,))


def branched(x):
    for _ in range(3):
        h = Y * x
        for m in LAYERS:
            h = np.tanh(h @ m)
    if x[0] > 0.5:
        h = h[0] * 2
    return h.sum()


def left_early(x):
    for _ in range(3):
        h = Y * x
        for m in LAYERS:
            h = np.tanh(h @ m)
        if h[0, 0] > 0.1:
            break
    return h.sum()


def of_that_name(x):
    h__last = 2.0
    for _ in range(3):
        h = Y * x
        for m in LAYERS:
            h = np.tanh(h @ m)
    return h.sum() * h__last


def perhaps(x, n):
    for _ in range(n):
        h = Y * x
        for m in LAYERS:
            h = np.tanh(h @ m)
    return h.sum()


def perhaps_another(x, n):
    h = x
    for _ in range(n):
        h = Y * x
        for m in LAYERS:
            h = np.tanh(h @ m)
    return h.sum()


@pytest.mark.parametrize("f", [branched, left_early, of_that_name])
def test_what_may_be_something_else_is_right_too(f):
    eager, static = found_by("eager", f, (X,)), found_by("static", f, (X,))
    assert repr(static) == repr(eager)


@pytest.mark.parametrize("f", [perhaps, perhaps_another])
def test_loops_without_turns_leave_what_was_there(f):
    def found(tier, n):
        try:
            return repr(found_by(tier, f, (X, n)))
        except UnboundLocalError as error:
            return str(error)

    for n in (3, 0, 2, 3, -1, 5):
        assert found("static", n) == found("eager", n)


def test_random_programs_with_layers():
    most_add_up_numbers_of_numpy = sys.version_info >= (3, 12)  # more exactly than the text would
    check_programs(LayersWriter, range(100, 124), None if most_add_up_numbers_of_numpy else 5)
