"""Derivatives inside differentiated programs, as scientists write them, compared with differences."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from morula import (
    AliasedArgumentsError,
    NotDifferentiable,
    checkpoint_loop,
    grad,
    gradient,
    hessian,
    hvp,
    jacobian,
    jvp,
    pullback,
    taylor,
    value_and_grad,
)


def slope(f, x, v, h=1e-4):
    """The derivative of ``f(x + t v)`` at 0 by central differences of the sixth order."""
    y = {i: np.asarray(f(x + i * h * v)) for i in (-3, -2, -1, 1, 2, 3)}
    return (45 * (y[1] - y[-1]) - 9 * (y[2] - y[-2]) + (y[3] - y[-3])) / (60 * h)


def assert_derivatives(f, x, orders=2, rtol=1e-5):
    """The first derivatives of a function of a vector, and the second in all nestings, against differences."""
    x = np.asarray(x, float)
    v = np.random.default_rng(0).standard_normal(x.shape)
    want = slope(f, x, v)
    close = {"rtol": rtol, "atol": rtol}
    np.testing.assert_allclose((gradient(f, x)[0] * v).sum(), want, **close)
    np.testing.assert_allclose(jvp(f, (x,), (v,))[1], want, **close)
    if orders == 1:
        return
    want = slope(grad(f), x, v)
    close = {"rtol": rtol, "atol": rtol * np.abs(want).max()}
    np.testing.assert_allclose(grad(lambda x: (grad(f)(x) * v).sum())(x), want, **close)
    np.testing.assert_allclose(jvp(grad(f), (x,), (v,))[1], want, **close)
    np.testing.assert_allclose(grad(lambda x: jvp(f, (x,), (v,))[1])(x), want, **close)
    np.testing.assert_allclose(jvp(lambda x: jvp(f, (x,), (v,))[1], (x,), (v,))[1], (want * v).sum(), **close)


@pytest.mark.parametrize(
    "pack",
    [lambda a: {"a": a}, lambda a: [a], lambda a: (a,), lambda a: ({"a": a},), lambda a: {"a": ([a], 1.0)}],
    ids=["dict", "list", "tuple", "dict in a tuple", "tuple in a dict"],
)
def test_two_inner_steps_on_parameters_in_containers(pack):
    def first(p):
        while not isinstance(p, np.ndarray):
            p = p["a"] if isinstance(p, dict) else p[0]
        return p

    def energy(p):
        return (first(p) ** 3).sum()

    def f(x):
        a = x.copy()
        p = pack(a)
        for _ in range(2):
            a -= 0.3 * first(gradient(energy, p)[0])
        return a[0] * a[1]

    assert_derivatives(f, [0.3, 0.7])


def test_second_derivatives_of_a_network_in_a_loss():
    def residual(t):
        w, b, v = t[:4], t[4:8], t[8:12]

        def u(x):
            return (np.tanh(w * x + b) * v).sum()

        u_x = grad(u)
        u_xx = grad(u_x)
        return sum((u_xx(x) + u(x) * u_x(x) - np.sin(x)) ** 2 for x in (0.0, 0.4, 1.0)) + (u(0.0) - 1) ** 2

    assert_derivatives(residual, np.linspace(-0.9, 1.1, 12))


def test_gradients_of_gradients_of_partials_methods_and_auxiliaries():
    class Field:
        def __init__(self, k):
            self.k = k

        def value(self, c, x, y, power=1):
            return self.k[0] * c * x**3 * y**power + np.sin(self.k[1] * x * y)

    def f(k):
        u = partial(Field(k).value, k[1], power=2)
        u_x = grad(u)
        u_xy = grad(u_x, 1)
        both = value_and_grad(lambda x, y: (u_x(x, y), "aux"), (0, -1), has_aux=True)
        (slope_x, _), (u_xx, u_yx) = both(0.5, k[0])
        return u_xy(0.3, k[1]) * u_xx + u_yx * slope_x

    assert_derivatives(f, [0.7, 0.4])


class Cubic:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return self.k * x**3


@pytest.mark.parametrize(
    "make",
    [Cubic, lambda k: Cubic(k).__call__, lambda k: partial(Cubic.__call__, Cubic(k)), lambda k: partial(pow_of, k=k)],
    ids=["object", "method", "partial", "partial with keywords"],
)
@pytest.mark.parametrize(
    "second",
    [lambda u: grad(grad(u)), lambda u: grad(grad(lambda x: u(x))), lambda u: grad(slope_of(grad(u)))],
    ids=["itself", "captured", "gradient captured"],
)
def test_inner_derivatives_of_callables_that_hold_parameters(make, second):
    assert_derivatives(lambda x: second(make(x[0]))(x[1]) * x[2], [0.7, 0.4, 1.3])  # 6 x0 x1 x2


def pow_of(x, k):
    return k * x**3


def slope_of(u_x):
    return lambda x: u_x(x)


def test_an_inner_function_captures_views_of_one_vector():
    class Model:
        def __init__(self, t):
            self.w, self.all = t[:4].reshape(2, 2), t

    def f(t):
        model, w_t, parts = Model(t), t[:4].reshape(2, 2).T, [t[2:5], {"b": t[4:]}]

        def loss(x):
            b, c = parts[0][:2], parts[1]["b"]
            return np.tanh(model.w @ x + b) @ (w_t @ x * c) + (model.all**2).sum() * x[0] ** 2 * t[5]

        return hvp(loss, np.array([0.3, 0.4]), np.array([1.0, 2.0]))[1]

    assert_derivatives(f, np.linspace(-0.5, 0.9, 6))


def test_views_are_written_between_inner_gradients():
    def f(t):
        q = t.copy()
        a, b = q[:4], q[2:6]
        energy = grad(lambda x, i: ((a * x) ** 2).sum() * b[0] * q[i])
        total = 0.0
        for i in range(3):
            g = energy(np.arange(1.0, 5.0), i)
            b -= 0.1 * g
            total += g[0]
        return total + q.sum()

    assert_derivatives(f, np.linspace(-0.5, 0.9, 6))


def test_a_symplectic_integrator_with_forces_by_gradient():
    def f(z):
        q, p, k = z[:2].copy(), z[2:4].copy(), z[4]

        def energy(q, p):
            return 0.5 * p @ p + k * (q**2).sum() / 2 + q[0] ** 2 * q[1] - q[1] ** 3 / 3

        for _ in range(4):
            p -= 0.05 * gradient(energy, q, p)[0]
            q += 0.1 * gradient(energy, q, p)[1]
            p -= 0.05 * gradient(energy, q, p)[0]
        return q[0] * p[1] + energy(q, p)

    assert_derivatives(f, [1.0, 0.3, 0.2, 0.8, 1.1])


def test_an_object_keeps_a_method_of_its_own():
    class Layer:
        def __init__(self, k):
            self.k, self.activation = k, self.cube

        def cube(self, x):
            return self.k * x**3

        def loss(self, x):
            return self.activation(x) ** 2

    def f(z):
        layer = Layer(z[0])
        return grad(layer.loss)(z[1]) + grad(lambda x: layer.loss(x))(z[0])

    assert_derivatives(f, [0.4, 0.7])


def test_functions_with_parameters_inside_of_what_an_inner_function_is_given_are_refused():
    class Layer:
        def __init__(self, activation):
            self.activation = activation

        def loss(self, x):
            return self.activation(x) ** 2

    def by_object(z):
        return grad(Layer(lambda x: z[0] * x**2).loss)(z[1])

    def by_method_of_another(z):
        return grad(Layer(Layer(lambda x: z[0] * x**2).loss).loss)(z[1])

    def by_argument(z):
        return grad(lambda f, x: f(x), 1)(lambda x: z[0] * x**2, z[1])

    for f in (by_object, by_method_of_another, by_argument):
        with pytest.raises(NotDifferentiable, match="holds active values"):
            gradient(f, np.array([0.4, 0.7]))


def quartic_with(z):
    return lambda x: (x**4).sum() * z[0]


@pytest.mark.parametrize("part", [slice(None), slice(0, 2), slice(1, None)])
def test_an_inner_function_made_outside_captures_the_memory_of_the_argument(part):
    z = np.array([0.7, 0.3, 0.2])
    f = quartic_with(z)
    try:
        found = gradient(lambda x: gradient(f, x)[0].sum(), z[part])[0]
    except AliasedArgumentsError as error:
        assert "Pass a copy" in str(error)
    else:  # what is captured is a constant
        np.testing.assert_allclose(found, 12 * z[part] ** 2 * z[0])
    np.testing.assert_allclose(gradient(lambda x: gradient(f, x)[0].sum(), z[part].copy())[0], 12 * z[part] ** 2 * z[0])


def test_a_loop_variable_that_an_inner_function_captures():
    def f(t):
        total = 0.0
        for i in range(3):
            u = grad(lambda x: t[i] ** 2 * x**3)  # noqa: B023
            total += u(t[0] + total) * grad(u)(t[1])
        return total

    assert_derivatives(f, [0.7, 0.4, 0.3])


def test_active_defaults_of_inner_functions():
    def f(z):
        def u(x, k=z[0], *, m=z[2]):
            return k * x**3 * m

        squares = [grad(lambda x, c=c: c**2 * x**3) for c in z]
        return grad(u)(z[1]) * grad(u)(z[1], z[2]) * grad(u)(z[1], m=z[0]) + squares[0](z[1]) * grad(squares[2])(z[0])

    assert_derivatives(f, [0.4, 0.7, 1.3])


# -- programs -------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(1)
X = RNG.standard_normal((6, 2))
Y = np.sin(X[:, 0]) + 0.3 * X[:, 1]
START = 0.3 * RNG.standard_normal(12)


def unpacked(t):
    return {"w": t[:6].reshape(2, 3).copy(), "b": t[6:9].copy(), "v": t[9:12].copy()}


def network_error(p, x, y):
    return np.mean((np.tanh(x @ p["w"] + p["b"]) @ p["v"] - y) ** 2)


class Momentum:
    def __init__(self, rate, decay):
        self.rate, self.decay, self.velocities = rate, decay, {}

    def step(self, p, g):
        for name in p:
            v = self.velocities.setdefault(name, np.zeros_like(p[name]))
            v *= self.decay
            v += g[name]
            p[name] -= self.rate * v


class Adam:
    def __init__(self, rate, decay):
        self.rate, self.decay, self.n, self.m, self.v = rate, decay, 0, {}, {}

    def step(self, p, g):
        self.n += 1
        for name in p:
            if name not in self.m:
                self.m[name], self.v[name] = np.zeros_like(p[name]), np.zeros_like(p[name])
            self.m[name] = self.decay * self.m[name] + (1 - self.decay) * g[name]
            self.v[name] = 0.9 * self.v[name] + 0.1 * g[name] ** 2
            m, v = self.m[name] / (1 - self.decay**self.n), self.v[name] / (1 - 0.9**self.n)
            p[name][...] -= self.rate * m / (np.sqrt(v) + 0.1)


@pytest.mark.parametrize("optimiser", [Momentum, Adam])
def test_meta_learning(optimiser):
    def f(t):
        p, method = unpacked(t), optimiser(t[12], t[13])
        for _ in range(3):
            _, g = value_and_grad(network_error)(p, X[:3], Y[:3])
            method.step(p, g)
        return network_error(p, X[3:], Y[3:])

    assert_derivatives(f, [*START, 0.1, 0.7])


def test_a_penalty_on_the_gradient_of_nested_lists_of_layers():
    def critic(layers, x):
        for w, b in layers[:-1]:
            x = np.maximum(0, w @ x + b) + 0.1 * np.sin(w @ x)
        w, b = layers[-1]
        return (w @ x + b)[0]

    def f(t):
        layers = [[t[:6].reshape(3, 2), t[6:9]], [t[9:12].reshape(1, 3), t[12:13]]]
        total = 0.0
        for x in X[:3]:
            (g,) = gradient(lambda x: critic(layers, x), x)
            total += (np.sqrt((g**2).sum()) - 1) ** 2 - critic(layers, x)
        return total

    assert_derivatives(f, [*(3 * START), 0.2])


def test_laplace_approximation():
    def f(h):
        scale, y = np.exp(h), (Y > 0).astype(float)

        def negative_log_posterior(w):
            eta = X @ w
            return np.sum(np.log1p(np.exp(eta)) - y * eta) + 0.5 * (w**2 / scale + np.log(scale)).sum()

        w = np.zeros(2)
        for _ in range(3):
            w = w - np.linalg.solve(hessian(negative_log_posterior, w), gradient(negative_log_posterior, w)[0])
        return negative_log_posterior(w) + 0.5 * np.linalg.slogdet(hessian(negative_log_posterior, w))[1]

    assert_derivatives(f, [0.3, -0.2], orders=1)


def test_levenberg_marquardt_steps():
    t = np.linspace(0, 1, 6)

    def f(z):
        p, damping = z[:2], z[2]

        def residual(p):
            return p[0] * np.exp(-p[1] * t) - 2 * np.exp(-1.5 * t)

        for _ in range(2):
            J = jacobian(residual, p)[0]
            p = p - np.linalg.solve(J.T @ J + damping * np.eye(2), J.T @ residual(p))
        return (residual(p) ** 2).sum() + p[0]

    assert_derivatives(f, [1.2, 0.7, 0.1])


def test_sensitivities_of_an_integrator_that_writes():
    def f(t):
        def right(y, p):
            out = np.empty(2)
            out[0] = y[1]
            out[1] = -p[0] * y[0] - p[1] * y[1] ** 3
            return out

        def solve(p):
            ys = np.zeros((4, 2))
            ys[0] = 1.0, p[2]
            for i in range(3):
                k = right(ys[i], p)
                ys[i + 1] = ys[i] + 0.1 * right(ys[i] + 0.05 * k, p)
            return ys

        s = jacobian(solve, t)[0]
        return (s[-1] ** 2).sum() + s[2, 0] @ t

    assert_derivatives(f, [0.5, 1.2, 0.3])


def test_score_matching():
    def f(t):
        w, b, v = t[:6].reshape(3, 2), t[6:9], t[9:12]

        def log_density(x):
            return v @ np.tanh(w @ x + b) - 0.5 * t[0] * x @ x

        total = 0.0
        for x in X[:2]:
            score = grad(log_density)(x)
            total += 0.5 * score @ score + sum(hvp(log_density, x, e) @ e for e in np.eye(2))
        return total

    assert_derivatives(f, 2 * START)


def test_an_adjoint_sweep_by_pullbacks():
    def f(t):
        def right(y, p):
            return np.array([y[1], -p[0] * y[0] - p[1] * y[1] ** 3])

        y = t[2:].copy()
        ys = [y.copy()]
        for _ in range(4):
            y = y + 0.1 * right(y, t[:2])
            ys.append(y)
        adjoint, slopes = 2 * ys[-1], np.zeros(2)
        for y in reversed(ys[:-1]):
            _, back = pullback(right, y, t[:2])
            y_bar, p_bar = back(adjoint)
            adjoint = adjoint + 0.1 * y_bar
            slopes += 0.1 * p_bar
        return slopes @ t[:2] + adjoint @ adjoint

    assert_derivatives(f, [0.7, 0.3, 0.2, 0.4])


def test_a_checkpointed_loop_of_steps_along_a_gradient():
    def f(z):
        def step(state, k):
            q, p = state
            p = p - 0.1 * grad(lambda q: k * q**2 + q**4)(q)
            return q + 0.1 * p, p

        return checkpoint_loop(step, (z[0], 0.3), 6, z[1], snapshots=2)[0]

    assert_derivatives(f, [0.7, 0.3])


@dataclass
class Parameters:
    w: np.ndarray
    b: float
    more: dict


def test_a_dataclass_is_fitted_in_place():
    def f(t):
        p = Parameters(t[:2].copy(), t[2], {"s": t[3]})

        def loss(p):
            return np.mean((np.tanh(X @ p.w * p.more["s"] + p.b) - Y) ** 2)

        for _ in range(3):
            g = gradient(loss, p)[0]
            p.w -= 0.1 * g.w
            p.b -= 0.1 * g.b
            p.more["s"] -= 0.1 * g.more["s"]
        return loss(p)

    assert_derivatives(f, [0.3, -0.4, 0.5, 0.8])


@pytest.mark.parametrize(
    ("f", "fourth"),
    [
        (lambda x: np.exp(2 * x), lambda x: 16 * np.exp(2 * x)),
        (lambda x: x**-2, lambda x: 120 * x**-6),
        (lambda x: 1 / (1 + x), lambda x: 24 / (1 + x) ** 5),
        (lambda x: x**2.5, lambda x: -0.9375 * x**-1.5),
        (np.log, lambda x: -6 / x**4),
    ],
)
def test_fourth_derivatives(f, fourth):
    np.testing.assert_allclose(grad(grad(grad(grad(lambda x: f(x)))))(0.7), fourth(0.7))
    np.testing.assert_allclose(taylor(f, 0.7, 1.0, 4)[4], fourth(0.7))
