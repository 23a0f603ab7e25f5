"""Diagonals, pairs of index arrays, groups of labels, empty parts and named tuples from outside, in the static tier."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest
from static_checks import alike, check_programs, check_static, found_by
from tests.fuzz.plain_places import PlacesWriter

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

LABELS = np.array([0, 2, 2, 1, 0, 2, 1, 1, 1, 0])
X = np.linspace(-0.7, 1.3, 10)


class Seen(NamedTuple):
    t: float
    y: float
    n: int = 2


SEEN = [Seen(0.1 * i, 0.3 * i * i) for i in range(5)]
Pair = namedtuple("Pair", "u v")
FIXED = Pair(0.3, (1.5, "k"))


def diagonals(a, b):
    t = np.full((4, 4), a / 3)
    np.fill_diagonal(t, 1.0 - a)
    k = np.exp(-(((X[:4, None] - X[:4]) / b) ** 2))
    k[np.diag_indices_from(k)] += a * a
    np.fill_diagonal(k, k.diagonal() + b)
    return np.trace(t @ t) + np.linalg.slogdet(k)[1]


def bands(a, b):
    m = np.diag(np.array([a, b, a * b, 1.5]))
    i = np.arange(3)
    m[i, i + 1] = -0.1 * a
    m[i + 1, i] = np.array([a, 0.2, b])
    m[np.array([0, 3]), np.array([3, 0])] = b
    u = m[np.triu_indices_from(m)]
    c = np.cumsum(m[0])
    c[1] = a
    return np.sum(m**2) + u.sum() + c @ c


def substituted(a, b):
    m = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.3, 0.1, 1.8]]) * a
    y = np.array([1.0, b, 0.5])
    n = len(y)
    for k in range(n - 1):
        for i in range(k + 1, n):
            f = m[i, k] / m[k, k]
            m[i, k:] -= f * m[k, k:]
            y[i] -= f * y[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - m[i, i + 1 :] @ x[i + 1 :]) / m[i, i]
    return x @ x


def grouped(a, b):
    r, found = X * a - b, 0.0
    for g in np.unique(LABELS):
        e = r[g == LABELS]
        found += np.sum((e - e.mean()) ** 2) * (g + 1)
    groups, counts = np.unique(LABELS, return_counts=True)
    for g, n in zip(groups, counts, strict=True):
        found += r[g == LABELS].sum() ** 2 * n / len(groups)
    return found


def observed(a, b):
    total = sum((o.y - a * o.t) ** 2 / o.n for o in SEEN)
    return total + FIXED.u * b + FIXED.v[0] * FIXED._replace(u=a).u


@pytest.mark.parametrize("f", [diagonals, bands, substituted, grouped, observed], ids=lambda f: f.__name__)
def test_programs(f):
    for args in ((0.4, 0.7), (0.6, 1.2)):
        check_static(f, args)


def same(f, args):
    eager, static = found_by("eager", f, args), found_by("static", f, args)
    assert repr(static.value) == repr(eager.value) == repr(f(*args))
    assert alike(static.gradient, eager.gradient)


def selected(a, b):
    r = X * a - b
    near = np.abs(r) < 0.5
    loss = np.empty_like(r)
    loss[near] = 0.5 * r[near] ** 2
    loss[~near] = np.abs(r[~near]) * a
    above = r[r > 0.1 * b]
    rows = np.outer(r, X)[near]
    rows[:1, 1] = a
    return loss.sum() + above @ above + rows.sum() * b


def test_selections():
    check_static(selected, (0.6, 0.3))
    for args in ((0.61, 0.3), (0.9, 0.1), (0.2, 0.3), (3.0, 0.3), (0.6, -9.0), (0.6, 0.3), (1.5, 0.4)):
        same(selected, args)
        same(selected, args)


def spread(a, b):
    r = X * a
    r[r > 1.0 * b] = np.array([a]) * 2.0
    return r @ r


def test_one_number_for_a_mask():
    for args in ((1.0, 1.2), (1.0, 0.2), (1.0, 1.2), (0.9, 1.05)):
        for _ in range(3):
            same(spread, args)


PLACES = np.array([0, 1, 2])


def at_places(a, b):
    m = np.zeros((3, 3))
    m[PLACES, PLACES] = np.array([a, b, a * b])
    m[PLACES, PLACES[::-1]] += b
    return np.sum(m**2 * np.arange(9.0).reshape(3, 3))


def test_places_that_come_twice_then():
    check_static(at_places, (0.4, 0.7))
    old = PLACES.copy()
    try:
        for new in ([0, 0, 1], [0, -1, 2], [2, 1, 0]):
            PLACES[:] = new
            same(at_places, (0.4, 0.7))
    finally:
        PLACES[:] = old


def test_labels_that_change():
    check_static(grouped, (0.4, 0.7))
    old = LABELS.copy()
    try:
        for new in (LABELS[::-1].copy(), LABELS % 2, LABELS + 5, LABELS * 0):
            LABELS[:] = new
            same(grouped, (0.4, 0.7))
    finally:
        LABELS[:] = old


def test_named_tuples_that_change(monkeypatch):
    check_static(observed, (0.4, 0.7))
    SEEN[1] = Seen(0.5, 0.2, 7)
    same(observed, (0.4, 0.7))
    monkeypatch.setitem(globals(), "FIXED", Pair(0.9, (2.5, "k")))
    same(observed, (0.4, 0.7))
    monkeypatch.setitem(globals(), "FIXED", namedtuple("Pair", "v u")((2.5, "k"), 0.9))
    same(observed, (0.4, 0.7))


@pytest.mark.parametrize("start", range(0, 24, 12))
def test_random_programs(start):
    check_programs(PlacesWriter, range(start, start + 12), 2)
