"""Calls and writes that take a short way in the eager tier, against central differences and the general way."""

import numpy as np
import pytest

import chainrules
import morula
from morula.eager.calls.registry import ADJOINTS

X = np.array([0.4, -1.3, 0.7, 2.1])
C = np.array([0.3, 0.9, -0.2, 1.1])


def joined(x):
    return (np.concatenate([x[1:], C, x * x]) * np.arange(11.0)).sum()


def joined_unlike(x):
    y = np.concatenate([x.astype(np.float32), x])
    return (y * y * np.arange(8.0)).sum()


def joined_with_itself(x):
    y = np.concatenate([x, x])
    y[2] = y[5] * x[0]
    return (y**2 * np.arange(8.0)).sum()


def stacked(x):
    return (np.stack([x, x * x, C]) ** 2 * np.arange(12.0).reshape(3, 4)).sum()


def columns(x):
    return (np.column_stack([x, x[::-1]]) ** 2 * np.arange(8.0).reshape(4, 2)).sum()


def of_numbers(x):
    y = np.array([x[0] * x[1], 2, x[3], np.float64(0.5), x[0]])
    return (y * y * np.arange(5.0)).sum()


def of_rows(x):
    return (np.array([[x[0], 1.0], [x[1], x[2] * x[3]]]) ** 3).sum()


def of_turned_rows(x):
    rows = [[np.cos(x[0]), -np.sin(x[0])], [np.sin(x[0]), np.cos(x[0])]]
    y = np.asarray(rows).T @ x[1:3]
    rows[0][1] = x[3]
    return (y * y).sum() * x[1] + np.array([[1, 2], [3, 4]]) @ x[:2] @ np.array(rows) @ C[:2]


def of_pair(x):
    both = [x, x * x]
    y = np.array(both)
    both[0] = C
    return (np.array([x, x * x]) ** 2).sum() + (y * np.array((x, C))).sum() + np.array([x[:2], x[2:]])[1, 0]


def of_pair_of_matrices(x):
    return (np.array([np.outer(x, x), np.eye(4)]) ** 3).sum() + np.asarray([x[:0], x[:0]]).sum() * x[0]


def of_tuples(x):
    y = np.array((x[0], 2, x[1]))
    z = np.array(((x[0], 1.0), (x[2], x[3])), dtype=float) + np.array([(x[0], 1), [x[1], 2.0]])
    return (y * y).sum() + (z * z).sum() + np.asarray((x[0], x[3]), dtype=np.float64) @ z @ y[1:]


def of_doubles(x):
    y = np.array([x[0], 1, x[1]], dtype=float)
    z = np.array([x, x[::-1]], dtype=float) * np.array([1, 2], dtype=float)[:, None]
    return (y * y).sum() + (z * z * z).sum() + np.array([x[0], x[1]], dtype=np.float32).sum()


def of_complex_numbers(x):
    y = np.array([x[0] + 1j * x[1], 2.0, x[2] * 1j])
    return (y * y.conj()).real.sum() + (y * y).imag.sum()


def numbers_and_arrays(x):
    total = np.hstack([x[0], x[1:3], 2.0])
    return (total * total * np.arange(4.0)).sum()


def where(x):
    y = np.where(x > 0.0, x * x, C * x)
    return (np.where(C > 0.5, y, 2.0) * C).sum() + np.where(True, x[0], x[1])


def where_broadcast(x):
    return (np.where(C[:, None] > 0.5, x, x[:, None] * 2.0) ** 2 * np.arange(16.0).reshape(4, 4)).sum()


def clipped(x):
    return (np.clip(x, -1.0, 1.0) ** 2 * C).sum()


def three(x):
    def inner(a, b, c):
        return a * b + c * x[3]

    return inner(x[0], x[1], x[2]) * inner(x[2], 2.0, x[0])


def largest_of_three(x):
    return max(x[0], x[1], 0.1) * min(x[2], x[3], 9.0)


def reductions(x):
    return x.max() * np.min(x * C) + x.mean() * np.linalg.norm(x) + np.dot(x, C) * (x @ x)


def reductions_of_matrices(x):
    y = np.outer(x, x) + C
    return y.max() * y.min() + y.mean() * np.linalg.norm(y) + (y @ x).sum() * (x @ y @ C)


def parts(x):
    y = x * 2.0
    y[1:3] = x[:2] * y[1:3]
    y[:2] = x[3]
    y[3:] = 0.5
    y[0] = y[1] * y[3]
    return (y * C).sum() * y[2]


def parts_of_rows(x):
    y = np.zeros((3, 4))
    y[0] = x
    y[1, 1:] = x[1:] * C[1:]
    y[2, ::2] = y[0, :2]
    y[:, 3] = x[0]
    y[1:, 0] = x[1:2]  # broadcast
    return (y**2 * np.arange(12.0).reshape(3, 4)).sum()


def views_of_views(x):
    y = x * x
    z = y[1:]
    z[1:] += x[:2]
    z[:1] *= y[:1]
    w = z[::-1][:2]
    return (w * y[:2]).sum() + y[3] * z[0]


def in_place(x):
    y = x * 3.0
    z = x * x
    y += z
    y -= x
    z *= y
    z /= 2.0 + y * y
    y -= y
    y += z * x
    z += z
    return (y * z * C).sum()


def in_place_by_itself(x):
    y = x * 1.0
    y += y[::-1].copy()
    y -= y
    y += x
    y *= y
    return (y * C).sum()


def quotients(x):
    return (x / (2.0 + x * x) + 1.0 / (3.0 + x) + x / 2).sum() * (C / (4.0 + x[:, None])).sum()


def given_another_shape(x):
    y = np.concatenate([x, C])
    z = y[2:6]
    y.shape = (2, 4)
    y[1] = z * 2.0
    return (y * y * np.arange(8.0).reshape(2, 4)).sum() + (z * C).sum()


def without_dimensions(x):
    y = np.array(x[0])
    y += x[1]
    y *= y
    z = np.concatenate([[y], x[1:]])
    return (z * C).sum() / (2.0 + y)


PROGRAMS = [v for v in list(globals().values()) if type(v) is type(joined) and v.__module__ == __name__]


def differences(f, x, h=1e-6):
    found = np.empty(len(x))
    for i in range(len(x)):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        found[i] = (f(up) - f(down)) / (2 * h)
    return found


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # of NumPy 2.5
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_against_differences(f):
    rough = f in (joined_unlike, of_doubles)
    with morula.tier("eager"):
        (found,) = morula.gradient(f, X.copy())
        np.testing.assert_allclose(found, differences(f, X, 1e-3 if rough else 1e-6), rtol=1e-2 if rough else 1e-5)
        y, back = morula.pullback(f, X.copy())
        assert y == f(X)
        for _ in range(2):
            np.testing.assert_array_equal(back(1.0)[0], found)
        if f is given_another_shape:  # which is refused where tangents follow
            return
        tangent = morula.jvp(f, (X.copy(),), (C,))[1]
        np.testing.assert_allclose(tangent, found @ C, rtol=1e-5 if rough else 1e-11)


SECOND = [f for f in PROGRAMS if f not in (joined_unlike, of_doubles, given_another_shape)]


@pytest.mark.parametrize("f", SECOND, ids=lambda f: f.__name__)
def test_second_order(f):
    with morula.tier("eager"):
        found = morula.hessian(f, X.copy())
        for i in range(len(X)):
            rows = differences(lambda x, i=i: morula.gradient(f, x)[0][i], X)
            np.testing.assert_allclose(found[i], rows, rtol=1e-4, atol=1e-6)


def test_zeros_are_strong():
    def f(x):
        y = np.where(x > 0.0, np.sqrt(np.abs(x)), x)
        z = np.concatenate([y, np.log(x * x)])
        z[4:] = 0.0
        return (z * z).sum() + np.where(x > 5.0, 1.0 / (x * 0.0), x).sum()

    with morula.tier("eager"), np.errstate(all="ignore"):
        np.testing.assert_allclose(morula.gradient(f, X.copy())[0], np.where(X > 0.0, 1.0, 2 * X) + 1.0)


def test_what_the_user_declares_goes_first():
    def f(x):
        return np.concatenate([x, x]).sum() + np.array([x[0], 1.0]).sum()

    def doubled(arrays, *rest):
        return np.concatenate(arrays, *rest), lambda y_bar: ([2.0 * y_bar[:4], 2.0 * y_bar[4:]],)

    with morula.tier("eager"):
        plain = morula.gradient(f, X)[0]
        morula.adjoint(np.concatenate)(doubled)
        try:
            np.testing.assert_array_equal(morula.gradient(f, X)[0] - plain, 2.0)
        finally:
            ADJOINTS.pop(np.concatenate)
            chainrules.registry.changed()
        np.testing.assert_array_equal(morula.gradient(f, X)[0], plain)


def test_lists_of_what_is_no_array():
    class Twice:
        def __init__(self, x):
            self.x = x

        def __array__(self, dtype=None, copy=None):
            return np.array(self.x * 2.0)

    def f(x):
        return (np.concatenate([Twice(x), x]) ** 2).sum() + np.sum(np.array([x[0], "1.0"], object)[:1])

    with morula.tier("eager"):
        np.testing.assert_allclose(morula.gradient(f, X)[0], 10.0 * X + np.eye(4)[0])


def test_rules_are_those_of_chainrules():
    """A join has no second statement of its derivative: the short way asks the rule."""
    for f in (np.concatenate, np.stack, np.where, np.matmul, np.sum, np.mean, np.max, np.linalg.norm):
        rule = next(r for r in chainrules.rules_for(f) if hasattr(r.function, "by_operand"))
        args = {np.where: (X > 0, X, C), np.matmul: (X, C), np.concatenate: ([X, C],), np.stack: ([X, C],)}.get(f, (X,))
        y, kept, bars = rule.function.by_operand(*args)
        plain, pullback = rule.function(*args)
        np.testing.assert_array_equal(y, plain)
        found = pullback(np.ones_like(y) if np.ndim(y) else 1.0)
        found = found if isinstance(found, tuple) else (found,)
        for bar, other in zip(bars, found, strict=True):
            if bar is None:
                assert other is None
            else:
                expected = chainrules.unthunk(other)
                np.testing.assert_array_equal(bar(*kept, np.ones_like(y) if np.ndim(y) else 1.0), expected)
