"""Static adjoints of programs that take the first item of an iterator, and go through the rest later."""

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

A = np.array([0.7, 0.3, -0.4, 1.1])


def largest(a):
    it = iter(a)
    best = next(it)
    for x in it:
        if x > best:
            best = x
    return best * 2.0


def differences(a):
    it = iter(a * a)
    last, s = next(it), 0.0
    for x in it:
        s += (x - last) ** 2
        last = x
    return s


def items_written_meanwhile(a):
    b = a * a
    it = iter(b)
    s = next(it)
    b[1] = 5.0 * a[0]
    b[0] = 7.0
    for x in it:
        s += x**2
        b[3] = s
    return s + b[0]


def changed_in_place(a):
    """The iterator sees it: value and gradient were those of the old numbers."""
    b = a * a
    it = iter(b)
    s = next(it)
    b *= 3.0
    for x in it:
        s += x**2
    return s


def changed_under_another_name(a):
    b = a * a
    it = iter(b)
    s = next(it)
    c = b
    c *= 2.0
    for x in it:
        s += x**2
    return s


def another_array(a):
    b = a * a
    it = iter(b)
    s = next(it)
    b = b * 2.0
    for x in it:
        s += x**2
    return s + b[1]


def of_a_row(a):
    rows = [a * a, a[::-1] * 2.0]
    it = iter(rows[0])
    s = next(it)
    rows[0] *= 3.0
    for x in it:
        s += x**2
    return s


def changed_by_a_function(a):
    xs = [a[0], a[1], a[2]]

    def change():
        xs[2] = 4.0 * a[3]

    it = iter(xs)
    s = next(it)
    change()
    for x in it:
        s += x**2
    return s


def at_the_end(a):
    it = iter(a[:1])
    next(it)
    return next(it, 2.0) * a[0]


TAKEN = [largest, differences, items_written_meanwhile, changed_in_place, changed_under_another_name, another_array,
         of_a_row, changed_by_a_function, at_the_end]  # fmt: skip


@pytest.mark.parametrize("f", TAKEN, ids=lambda f: f.__name__)
def test_iterators_of_arrays(f):
    check_static(f, (A,))
    check_static(f, (A[::-1] * 0.7,))


class Holder:
    def __init__(self, b):
        self.b = b

    def change(self):
        self.b *= 3.0


def changed_by_a_method(a):
    own = Holder(a * a)
    it = iter(own.b)
    s = next(it)
    own.change()
    for x in it:
        s += x**2
    return s


def slices_written(a):
    b = a * a
    it = iter(b)
    s = next(it)
    b[1:] = 5.0 * a[0]
    for x in it:
        s += x**2
    return s


def outputs(a):
    b = a * a
    it = iter(b)
    s = next(it)
    np.multiply(b, 3.0, out=b)
    for x in it:
        s += x**2
    return s


def shared(a):
    it = iter(a)
    return sum(x * y for x, y in zip(it, it, strict=False))


def gone_through_twice(a):
    it = iter(a)
    s = next(it)
    for x in it:
        s += x
    for _ in it:
        s += 100.0
    return s


def left(a):
    it = iter(a)
    s = next(it)
    for x in it:
        if x < 0:
            break
        s += x
    for x in it:
        s += 10 * x
    return s


def past_the_end(a):
    it = iter(a[:1])
    next(it)
    return next(it) * a[0]


OTHERS = [changed_by_a_method, slices_written, outputs, shared, gone_through_twice, left, past_the_end]


@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
def test_as_the_eager_tier(f):
    for _ in range(2):
        eager, static = found_by("eager", f, (A,)), found_by("static", f, (A,))
        if isinstance(eager, type):
            assert static is eager
        else:
            assert repr(static.value) == repr(eager.value) and alike(static.gradient, eager.gradient)
