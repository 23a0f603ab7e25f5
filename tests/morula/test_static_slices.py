"""Slices that are kept in variables, tuples, lists, dicts and attributes, and indices that ``np.s_`` makes."""

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

import morula

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

INNER = slice(1, -1)
BOTH = (INNER, INNER)
ROWS = {"first": slice(0, 2), "rest": slice(2, None)}
BLOCKS = [slice(0, 2), slice(2, 4), slice(4, 6)]
X = np.arange(12.0) + 0.5


class Grid:
    def __init__(self, n):
        self.inner, self.left, self.right = slice(1, n - 1), slice(0, n - 2), slice(2, n)


def outside(x, y):
    u = x * np.arange(24.0).reshape(4, 6)
    u[INNER] *= y
    u[BOTH] += u[0, 0] * y + 1
    return (u[INNER, ::2] ** 2).sum() + u[BOTH][0, 1]


def in_attributes(x, y):
    g = Grid(12)
    u = x * np.sin(X)
    for _ in range(5):
        u[g.inner] = u[g.inner] + 0.1 * y * (u[g.left] - 2 * u[g.inner] + u[g.right])
    return (u**2).sum()


def of_turns(x, y):
    u, s = x * X, 0.0
    for i in range(1, 10):
        window = slice(i - 1, i + 2)
        s = s + (u[window] * y).sum() * u[i]
    return s


def in_containers(x, y):
    u, s = x * X, 0.0
    for i, window in enumerate([slice(0, 3), slice(3, 7), slice(7, 12)]):
        s += np.sin(u[window]).sum() * i
    return s + u[ROWS["first"]].sum() * y + u[ROWS["rest"]][0]


def of_blocks(x, y):
    v, a = x * np.arange(1.0, 7.0), y * np.eye(6)
    for i in BLOCKS:
        for j in BLOCKS:
            a[i, j] += np.outer(v[i], v[j])
    return np.linalg.slogdet(a)[1]


def of_lists(x, y, window=slice(2, 9)):
    u = x * X
    u[window] = y * np.ones(7)
    parts = [u[k] * 2 for k in range(12)]
    return u.sum() + sum(parts[window])


def along_an_axis(x, y):
    def difference(u, axis):
        low, high = [slice(None)] * u.ndim, [slice(None)] * u.ndim
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        return u[tuple(high)] - u[tuple(low)]

    u = x * X.reshape(3, 4) ** 2
    return (difference(u, 0) ** 2).sum() + y * difference(u, 1).sum()


def by_numpy(x, y):
    u = x * np.arange(60.0).reshape(3, 4, 5)
    part, last, first = np.s_[1:, :, ::2], np.index_exp[..., 0], np.s_[0]
    u[part] *= y
    u[last] = y
    return (u**2).sum() + u[part][0, 0, 0] + u[first].sum() + u[np.s_[1, 2:]].sum()


def stencil(x, y):
    c, low, high = slice(1, -1), slice(None, -2), slice(2, None)
    u = y * np.outer(np.sin(X), np.cos(X))
    for _ in range(4):
        u[c, c] += 0.1 * x * (u[low, c] + u[high, c] + u[c, low] + u[c, high] - 4 * u[c, c])
    return (u**2).sum()


def with_new_axes(x, y):
    u = x * np.arange(24.0).reshape(2, 3, 4)
    s = slice(1, -1)
    inner = (slice(None), s, s)
    v, w = u[inner] * y, u.copy()
    w[inner] += y
    w[..., 0] = x
    return (v**2).sum() + (w[:, None, s] * u[:, :, None][:, s]).sum()


def rows_of_many(x, y):
    n = 40
    u = np.zeros((3, n))
    u[0] = 1 + x * np.sin(np.arange(n))
    u[1] = 0.2
    u[2] = 1 / (y - 1)
    return (u**2).sum() + u[0] @ u[2]


@pytest.mark.parametrize(
    "f", [outside, in_attributes, of_turns, in_containers, of_blocks, of_lists, along_an_axis, by_numpy, stencil,
          with_new_axes, rows_of_many]
)  # fmt: skip
def test_kept_slices(f):
    check_static(f, (0.8, 1.5))


def test_another_slice_in_its_place(monkeypatch):
    """A slice from outside is looked at in each call."""
    check_static(outside, (0.8, 1.5))
    monkeypatch.setitem(globals(), "INNER", slice(0, 2))
    static, eager = [found_by(tier, outside, (0.8, 1.5)) for tier in ("static", "eager")]
    assert static.value == eager.value and alike(static.gradient, eager.gradient)
    check_static(outside, (0.8, 1.5))


def test_an_argument_that_is_a_slice():
    with morula.tier("static"):
        for window in (slice(2, 9), slice(2, 9), slice(2, 9, 2)):
            found = morula.gradient(lambda x, w: (np.sin(x * X)[w] ** 2).sum(), 0.7, window)
            expected = (2 * np.sin(0.7 * X) * np.cos(0.7 * X) * X)[window].sum()
            assert found == (pytest.approx(expected), None)


def test_a_slice_of_two_names():
    """What two variables have is written into through one of them: the static tier leaves it to the eager one."""

    def f(x):
        u = x * X
        v, s = u, slice(2, 5)
        v[s] *= x
        return (u * v).sum()

    for tier in ("eager", "static"):
        expected = (2 * 0.7 * X**2).sum() + ((4 * 0.7**3 - 2 * 0.7) * X**2)[2:5].sum()
        assert found_by(tier, f, (0.7,)).gradient[0] == pytest.approx(expected)
