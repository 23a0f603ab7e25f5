"""Views that an expression has, and reads when a call in it has returned that has written into their array."""

import numpy as np
import pytest
from static_checks import alike, check_programs, check_static, found_by
from tests.fuzz.plain_writes import WritingWriter

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

ARGS = [np.array([0.7, 0.3, -0.4]), np.linspace(0.1, 1.2, 12)]


def bumped(x):
    x[2] = x[2] * 2.0
    return x[0]


def doubled(x):
    x *= 2.0
    return x[0]


def place(x):
    x[2] *= 2.0
    return 1


def as_an_operand(a):
    x = a.copy()
    return (x[1:] * bumped(x)).sum()


def turned(a):
    x = a.copy()
    return (x[::-1] + bumped(x)).sum() + (x.T * bumped(x)).sum()


def changed_as_a_whole(a):
    x = a.copy()
    return (x[1:] * doubled(x)).sum()


def as_an_argument(a):
    x = a.copy()
    return np.dot(x[1:], np.array([bumped(x)] * (len(x) - 1)))


def of_a_function(a):
    x = a.copy()
    return (lambda p, q: (p * q).sum())(x[1:], bumped(x)) + (lambda p, k: (p * k).sum())(x[1:], k=bumped(x))


def with_an_index(a):
    x = a.copy()
    return x[1:][place(x)] * 2.0 + x[place(x)]


def compared(a):
    x = a.copy()
    return (x[1:] < bumped(x)).sum() * x[0]


def of_a_method(a):
    x = a.copy()
    return x[1:].dot(np.full(len(x) - 1, bumped(x)))


def returned_by_another(a):
    x = a.copy()

    def tail(x):
        return x[1:]

    return (tail(x) * bumped(x)).sum() + (x.reshape(-1) * bumped(x)).sum()


def by_a_closure(a):
    m = np.outer(a, a)

    def change():
        m[1, 2] = m[1, 2] * 2.0
        return 1.5

    return (m[1] * change()).sum() + (m.T[2] * change()).sum() + (m[:, 2] * change()).sum()


@pytest.mark.parametrize(
    "f",
    [as_an_operand, turned, changed_as_a_whole, as_an_argument, of_a_function, with_an_index, compared, of_a_method,
     returned_by_another, by_a_closure],
)  # fmt: skip
def test_what_was_written_meanwhile_is_read(f):
    for x in ARGS:
        eager, static = found_by("eager", f, (x,)), found_by("static", f, (x,))
        assert repr(static.value) == repr(eager.value) == repr(f(x.copy()))
        assert alike(static.gradient, eager.gradient)


def itself(a):
    x = a.copy()
    return (x * bumped(x)).sum() + (x * doubled(x)).sum() + x.sum() * bumped(x)


def smoothed(u):
    v = np.zeros(len(u))
    v[1:-1] = u[2:] - u[:-2]
    v *= 0.5
    return v[1:-1]


def of_another_array(a):
    x = a * 1.0
    for _ in range(3):
        x[1:-1] = x[2:] * 0.5 + smoothed(x) * x[0]
    return (x * x).sum()


@pytest.mark.parametrize("f", [itself, of_another_array])
def test_static(f):
    for x in ARGS:
        check_static(f, (x,))


def test_random_programs():
    check_programs(WritingWriter, range(500, 545), 10)
