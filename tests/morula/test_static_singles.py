"""Arrays without axes: made of numbers, left over by reductions, and views of one element."""

import numpy as np
import pytest
from static_checks import check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

M = np.arange(1.0, 7.0).reshape(2, 3)


def of_numbers(x, y):
    u, v = np.array(x), np.asarray(y)
    return float(u) * v + u**2 + np.array(1.5) * u.item()


def log_sum_exp(a, axis=None):
    m = np.max(a, axis=axis, keepdims=True)
    return np.squeeze(m + np.log(np.sum(np.exp(a - m), axis=axis, keepdims=True)), axis=axis)


def chain(x, y):
    alpha = x * M[0]
    for row in M:
        alpha = log_sum_exp(alpha[:, None] + y * np.outer(row, row), axis=0)
    return log_sum_exp(alpha) - alpha[1]


def by_methods(x, y):
    r = np.array([[x * y]])
    q, t, u = r.squeeze(), r.reshape(()), r[0, ...][..., 0]
    assert q.shape == () and q.ndim == 0 and isinstance(q, np.ndarray)
    return q.item() + t * u + q.sum() + q[()] + q.copy() * q.max()


def in_containers(x, y):
    m = np.squeeze(np.array([x, y])[:1] * 2)
    d, pair = {"m": m}, [m, y]
    return np.array([m, m + 1]).sum() + d["m"] * pair[0] + (m, x)[0]


def in_turns(x, y):
    t, best = np.array(0.0), -1.0
    for i in range(4):
        v = np.asarray(np.sin(x * i) * y)
        best = float(v) if v > best else best
        t = t + v
    return t * best


def given_to_functions(x, y):
    def squared(p):
        return np.asarray(p, dtype=float) ** 2

    def first(p):
        return np.squeeze(p[:1])

    return squared(x) * squared(y) + squared([x, y]).sum() + first(squared([x, y])) * 2


def chosen(x, y):
    one, other = np.where(x > y, x, y), np.where(x < y, x * 2, y * 3)
    return np.maximum(one, other) * one


def products(x, y):
    d = np.array([[x], [y]])
    return ((d.T @ d) * y).squeeze() + np.squeeze(d.T @ np.array([[y], [1.0]]))


def as_value(x, y):
    return np.squeeze(np.array([x, y])[None] @ np.array([[x], [2.0]]))


@pytest.mark.parametrize(
    "f", [of_numbers, chain, by_methods, in_containers, in_turns, given_to_functions, chosen, products, as_value]
)
def test_arrays_without_axes(f):
    check_static(f, (0.8, 1.5))


def written_below(x, y):
    r = (x * M) @ np.ones((3, 1))
    q = r[:1].squeeze()
    r[0, 0] = y
    return q * 2 + r.sum()


def written_in_place(x, y):
    t = np.array(x)
    u = t
    t += y
    return u * 2 + t


def of_an_argument(x, y):
    x = x * np.ones(3)
    q = x[:1].squeeze()
    x[0] *= y
    return q * y + x.sum()


def of_rows(x, y):
    rows = [x * np.ones(1), y * np.ones(1)]
    q = rows[0].squeeze()
    rows[0][0] = y
    return q * 3 + rows[0][0]


@pytest.mark.parametrize("f", [written_below, written_in_place, of_an_argument, of_rows])
def test_views_follow_what_is_written(f):
    """An array without axes sees what is written into the array of which it is a view, in either tier."""
    h = 1e-6
    slopes = [(f(0.8 + h, 1.5) - f(0.8 - h, 1.5)) / 2 / h, (f(0.8, 1.5 + h) - f(0.8, 1.5 - h)) / 2 / h]
    for tier in ("eager", "static", "static"):
        found = found_by(tier, f, (0.8, 1.5))
        assert repr(found.value) == repr(f(0.8, 1.5))
        assert [0.0 if g is None else g for g in found.gradient] == pytest.approx(slopes, rel=1e-6)
