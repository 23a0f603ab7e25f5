"""Code that may be passed over, and gives an object an array of its own: behind it, others may have the array still."""

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


class Held:
    def __init__(self, u):
        self.u = u

    def renew(self, w):
        self.u = w * 2.0
        return 0.0

    def lend(self, w):
        self.u = w
        return 1.0

    def returning(self, w, a):
        if a > 0:
            return 1.0
        self.u = w * 2.0
        return 0.0

    def leaving(self, w, a):
        for _ in (1, 2, 3):
            if a > 0:
                break
            self.u = w * 2.0

    def leaving_all(self, w, a):
        for _ in range(3):
            if a > 0:
                return
            self.u = w * 2.0
        self.u = w * 3.0

    def asserting(self, w, a):
        assert a > 0 or self.renew(w)

    def chained(self, w, a):
        return a < 0 < self.renew(w)

    def chosen(self, w, a):
        return 1.0 if a > 0 else self.renew(w)

    def either(self, w, a):
        return (a < 0 and self.renew(w)) or 1.0

    def caught(self, w, a):
        try:
            if a > 0:
                raise ValueError
            self.u = w * 2.0
        except ValueError:
            pass


def returning(a):
    w = a * np.arange(1.0, 11.0)
    h = Held(w)
    h.returning(w, a)
    h.u += 1.0
    return np.sum(w * w) + np.sum(h.u)


def leaving(a):
    w = a * np.arange(1.0, 11.0)
    h = Held(w)
    h.leaving(w, a)
    h.u += 1.0
    return np.sum(w * w) + np.sum(h.u)


def leaving_all(a):
    w = a * np.arange(1.0, 11.0)
    h = Held(w)
    h.leaving_all(w, a)
    h.u += 1.0
    return np.sum(w * w) + np.sum(h.u)


def asserting(a):
    w = a * np.arange(1.0, 11.0)
    h = Held(w)
    h.asserting(w, a)
    h.u += 1.0
    return np.sum(w * w) + np.sum(h.u)


def chained(a):
    w = a * np.arange(1.0, 11.0)
    h = Held(w)
    h.chained(w, a)
    h.u += 1.0
    return np.sum(w * w) + np.sum(h.u)


def chosen(a):
    w = a * np.arange(1.0, 11.0)
    h = Held(w)
    h.chosen(w, a)
    h.u += 1.0
    return np.sum(w * w) + np.sum(h.u)


def either(a):
    w = a * np.arange(1.0, 11.0)
    h = Held(w)
    h.either(w, a)
    h.u += 1.0
    return np.sum(w * w) + np.sum(h.u)


def caught(a):
    w = a * np.arange(1.0, 11.0)
    h = Held(w)
    h.caught(w, a)
    h.u += 1.0
    return np.sum(w * w) + np.sum(h.u)


def lent_or_renewed(a):
    w = a * np.arange(1.0, 11.0)
    h = Held(np.arange(10.0))
    z = h.lend(w) if a > 0 else h.renew(w)
    h.u += 1.0
    return np.sum(w * w) + np.sum(h.u) + z


PASSING = [returning, leaving, leaving_all, asserting, chained, chosen, either, caught, lent_or_renewed]


@pytest.mark.parametrize("f", PASSING)
@pytest.mark.parametrize("a", [0.5, -0.5])
def test_an_array_that_may_be_lent_still_is_not_written_into_unseen(f, a):
    eager, static = found_by("eager", f, (a,)), found_by("static", f, (a,))
    if isinstance(eager, type):
        assert static is eager
        return
    assert repr(static.value) == repr(eager.value)
    assert alike(static.gradient, eager.gradient)


def kept(a):
    h = Held(a * np.arange(1.0, 11.0))
    for i in range(5):
        if a > i:
            h.u = h.u * 2.0
        else:
            h.u = h.u + 1.0
        h.u += 1.0
    return np.sum(h.u**2)


def test_an_array_that_is_new_on_both_sides_is_alone():
    check_static(kept, (0.5,))
