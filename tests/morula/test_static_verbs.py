"""The verbs other than `gradient` by static adjoints: what the eager tier finds, and what central differences say."""

import math

import numpy as np
import pytest

import morula
from morula.static.python.pairs import known_record

# Where a warning would be an error the eager tier does what NumPy's numbers do.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X, V = np.array([0.3, -0.7, 1.1, 0.4]), np.array([1.0, 0.5, -0.25, 2.0])
A = np.array([[4.0, 1.0, 0.5, -1.0], [0.0, 3.0, 1.0, 0.2], [1.0, -0.4, 5.0, 0.3], [0.1, 0.7, -0.2, 2.0]])


def loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        if x[i] > 0.0:
            total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 / (1.0 + abs(x[i]))
        else:
            total += math.exp(x[i]) * max(x[i], 0.1 * x[0]) if i else math.hypot(x[0], x[1])
    return total


def newton(x):
    y = x[0]
    for _ in range(20):
        step = (y - x[1] * math.sin(y) - 0.5) / (1.0 - x[1] * math.cos(y))
        y -= step
        if abs(step) < 1e-13:
            break
    return y * x[2] ** x[3]


def halves(x, depth):
    return x if depth == 0 else halves(x * x + 0.1, depth - 1) + math.tanh(halves(0.5 * x, depth - 1))


def recursion(x):
    return halves(x[0], 3) * x[1]


def trajectory(x):
    states = np.zeros((6, 2))
    states[0] = x[0], x[1]
    for i in range(5):
        states[i + 1] = states[i] + 0.1 * np.array([states[i, 1], -x[2] * np.sin(states[i, 0])])
    seen = []
    for row in states:
        seen.append(row[0] ** 2)
    return sum(seen) + states[-1, 1] * x[3]


def algebra(x):
    y = np.linalg.solve(A + np.outer(x, x), x**2)
    return np.sum(np.linalg.inv(A * x[0] + np.diag(x)) @ y) + np.max(np.exp(y)) + np.where(x > 0, x**3, 1.0).sum()


def shapes(x):
    u = x.reshape(2, 2).copy()
    u[:, 0] += u[:, 1] ** 2
    w = np.concatenate([u.ravel(), np.sqrt(x * x + 1.0)])
    return np.mean((w[1:] - w[:-1]) ** 2) + np.log(np.exp(u - u.max()).sum(axis=1)) @ x[:2]


class Spring:
    def __init__(self, k, at):
        self.k, self.at, self.v = k, at, 0.0

    def step(self, h):
        self.v -= h * self.k * self.at
        self.at += h * self.v


def objects(x):
    springs = [Spring(x[0], x[1]), Spring(x[2], 1.0)]
    for _ in range(5):
        for s in springs:
            s.step(0.1)
    return springs[0].at * springs[1].at + x[3] ** 2


def joined(x):
    seen = []
    for v in x:
        seen.append(float(v) * float(v))
    more = seen + [2.0, 0.5]  # noqa: RUF005
    more[0] = 7.0 * seen[0]
    seen.append(3.0 * seen[1])
    seen.append(seen[0] * seen[2])
    front = [3.0] + seen  # noqa: RUF005
    return sum(more) * sum(seen) + front[0] * front[1] * front[-1]


PROGRAMS = [loop, newton, recursion, trajectory, algebra, shapes, objects, joined]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_tangents_and_products(f):
    h = 1e-5
    found = {}
    for tier in ("eager", "static", "static"):  # rules may be loaded meanwhile, which has all texts made anew
        with morula.tier(tier):
            found[tier] = (*morula.jvp(f, (X,), (V,)), morula.hvp(f, X, V), morula.hessian(f, X), morula.gradient(f, X))
    for verb in ("tangent", "product"):
        assert known_record(f, verb).all_pairs[0].calls, (verb, known_record(f, verb).why)
    y, y_dot, product, matrix, _ = found["static"]
    y_eager, y_dot_eager, product_eager, matrix_eager, gradient = found["eager"]
    assert y == y_eager and type(y) is type(y_eager)
    assert y_dot == pytest.approx(y_dot_eager, rel=1e-12)
    np.testing.assert_allclose(product, product_eager, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(matrix, matrix_eager, rtol=1e-10, atol=1e-10)
    assert y_dot == pytest.approx((f(X + h * V) - f(X - h * V)) / (2 * h), rel=1e-6)
    with morula.tier("eager"):
        there, back = (morula.gradient(f, X + s * h * V)[0] for s in (1.0, -1.0))
    np.testing.assert_allclose(product, (there - back) / (2 * h), rtol=1e-5, atol=1e-6)
    assert gradient[0] @ V == pytest.approx(y_dot, rel=1e-12)


def several(p, t):
    out = np.zeros(len(t))
    for i in range(len(t)):
        out[i] = p[0] * math.exp(-p[1] * t[i])
    return out, [p[0] * p[1], 1.0], np.array([p[1], 2.0 * p[0]])


def matrices(w, x):
    h = np.tanh(x @ w)
    return h.T @ h, h.sum()


@pytest.mark.parametrize(
    "f, args, seed",
    [
        (
            several,
            (np.array([1.0, 2.0]), np.linspace(0.0, 1.0, 5)),
            (np.arange(5.0), [1.0, 0.0], np.array([0.5, -1.0])),
        ),
        (matrices, (A[:2, :3].T.copy(), A[:, :3].copy()), (np.array([[1.0, 2.0], [0.0, -1.0]]), 0.5)),
        (lambda x, y: x * y if x > 1.0 else x, (0.5, 2.0), 3.0),
        (lambda x: [x * i for i in range(3)], (0.5,), [1.0, 2.0, 3.0]),
    ],
    ids=["loop", "matrices", "absent", "list"],
)
def test_pullbacks_and_jacobians(f, args, seed):
    found = {}
    for tier in ("eager", "static"):
        with morula.tier(tier):
            y, back = morula.pullback(f, *args)
            tangents = tuple([np.cos(a) if isinstance(a, np.ndarray) else 0.5 for a in args])
            found[tier] = [y, back(seed), back(seed), morula.jvp(f, args, tangents)]
            found[tier] += [morula.jacobian(f, *args, mode=mode) for mode in ("forward", "reverse")]
    assert repr(found["static"][0]) == repr(found["eager"][0])
    for one, other in zip(leaves(found["static"]), leaves(found["eager"]), strict=True):
        assert type(one) is type(other)
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    for verb in ("tangent", "pullback"):
        assert known_record(f, verb).all_pairs[0].calls, (verb, known_record(f, verb).why)


def leaves(x):
    return [leaf for v in x for leaf in leaves(v)] if isinstance(x, tuple | list) else [x]


@pytest.mark.parametrize("f", [np.sum, np.mean], ids=["sum", "mean"])
@pytest.mark.parametrize("axis", [0, 1, -1, None, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_sums_of_square_arrays(f, axis, keepdims):
    weights = np.array([1.0, 2.0])

    def total(x):
        return np.sum(f(x.reshape(2, 2) ** 2, axis=axis, keepdims=keepdims) * weights)

    found = []
    for tier in ("eager", "static"):
        with morula.tier(tier):
            found.append((morula.gradient(total, X)[0], morula.hvp(total, X, V)))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-13)


def test_a_pullback_keeps_what_it_was_made_of():
    x = X.copy()
    with morula.tier("static"):
        y, back = morula.pullback(lambda x: np.exp(x) * x, x)
        want = back(V)[0].copy()
        x[:], y[:] = 0.0, 7.0
        np.testing.assert_array_equal(back(V)[0], want)


def test_an_operator_tells_of_what_was_written():
    scale = np.array([2.0])
    with morula.tier("static"):
        H = morula.hvp(lambda x: scale[0] * (x**3).sum(), X)
        np.testing.assert_allclose(H(V), 12.0 * X * V)
        scale[0] = 3.0
        with pytest.raises(morula.StaleMemoryError):
            H(V)


def test_points_of_any_structure():
    def f(p):
        return p["a"] ** 2 * p["b"][0] + p["b"][1] ** 3

    point, v = {"a": 1.5, "b": (0.5, 2.0), "unread": X}, {"a": 1.0, "b": (0.0, -1.0), "unread": V}
    products = []
    for tier in ("eager", "static"):
        with morula.tier(tier):
            products.append(morula.hvp(f, point, v))
    assert repr(products[0]) == repr(products[1])
    assert known_record(f, "product").all_pairs[0].calls
    with morula.tier("static"), pytest.raises(morula.SeedError):
        morula.hvp(f, point, {"a": 1.0, "b": (0.0,), "unread": V})


def test_what_is_hot_is_taken():
    x = np.linspace(-1.0, 1.0, 40)

    def f(x):
        total = 0.0
        for i in range(len(x) - 1):
            total += (x[i + 1] - x[i] ** 2) ** 2
        return total

    for _ in range(200):
        morula.hvp(f, x, np.ones(40))
        if (record := known_record(f, "product")).all_pairs:
            break
    assert record.all_pairs
    np.testing.assert_allclose(morula.hvp(f, x, np.ones(40)), morula.hessian(f, x) @ np.ones(40), atol=1e-12)


def test_structures_in_scipys_problems():
    problem = morula.for_scipy(lambda p: p["a"] ** 2 + (p["b"] ** 2).sum(), {"a": 1.0, "b": np.ones(2)})
    with morula.tier("static"):
        assert problem.jac(problem.x0).tolist() == [2.0, 2.0, 2.0]
        assert problem.hess(problem.x0).tolist() == [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]


@pytest.mark.parametrize("x", [np.array([1.0, np.nan]), np.array([-2.0, 1.0]), np.zeros(2)])
def test_tangents_of_absolute_values(x):
    def f(x):
        return abs(np.max(x)) * 2.0

    found = []
    for tier in ("eager", "static"):
        with morula.tier(tier):
            found.append(morula.jvp(f, (x,), (np.array([1.0, 3.0]),))[1])
    assert np.array_equal(*found, equal_nan=True)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (x * 2.0)[::-1],
        lambda x: (x * 2.0)[1:],
        lambda x: ((x * x)[:2], np.array([x[0], x[1] * 2.0, x[2]])[1:]),
    ],
)
def test_parts_of_small_arrays_are_arrays(f):
    x = np.array([0.3, 0.7, -0.4])
    found = []
    for tier in ("eager", "static"):
        with morula.tier(tier):
            y, back = morula.pullback(f, x)
            found.append((y, morula.jvp(f, (x,), (x,))[1], back(y)))
    assert repr(found[0]) == repr(found[1])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.linalg.eigvals(np.outer(x, x) + A).real.max() * x[0],
        lambda x: (x.real * x).real @ X,
        lambda x: np.outer(x, x).T.real.T[0] @ x,
        lambda x: (np.fft.fft(x).real * np.fft.ifft(x).imag).sum() + x.size * x[0],
        lambda x: np.sum(x * x, initial=2.0),
        lambda x: np.sum(x, initial=x[0]) * x[1],
        lambda x: (x * x).sum(initial=x[1]) * x[0],
        lambda x: np.sum(x, None, None, None, False, 3.0) ** 2,
        lambda x: np.add.reduce(x, initial=3.0) * x[2],
        lambda x: np.prod(x, initial=x[0]) + np.max(x, initial=2.0 * x[2]),
    ],
)
def test_tangents_of_parts_and_of_sums_that_begin_with_something(f):
    h, found = 1e-5, []
    for tier in ("eager", "static"):
        with morula.tier(tier):
            found.append((morula.jvp(f, (X,), (V,))[1], morula.hvp(f, X, V), morula.jacobian(f, X)[0]))
    assert found[0][0] == pytest.approx((f(X + h * V) - f(X - h * V)) / (2 * h), rel=1e-6)
    for eager, static in zip(*found, strict=True):
        np.testing.assert_allclose(static, eager, rtol=1e-10, atol=1e-12)


def test_transposed_values_have_the_order_of_the_program():
    def f(x):
        return np.sin(np.outer(x, x)[:, :2]).T

    with morula.tier("static"):
        y = morula.pullback(f, np.array([0.3, 0.7, -0.4]))[0]
    assert y.flags.f_contiguous
    assert not y.flags.c_contiguous
