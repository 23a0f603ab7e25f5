"""`linearize`, `taylor`, `as_linear_operator`."""

import math

import numpy as np
import pytest
import scipy.sparse.linalg as sla
from scipy.optimize import newton_krylov

import morula
from morula import as_linear_operator, jacobian, linearize, taylor

A = np.array([[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]])
X = np.array([0.4, -0.8, 1.3])


def waves(x):
    return np.sin(A @ x) * x[0]


def in_place(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] *= y[i - 1]
    return y


# -- linearize ---------------------------------------------------------------------------------------------------


def test_the_map_is_the_jacobian() -> None:
    y, push = linearize(waves, X)
    (matrix,) = jacobian(waves, X, mode="reverse")
    np.testing.assert_allclose(y, waves(X))
    for v in (np.eye(3)[0], X, np.zeros(3)):
        np.testing.assert_allclose(push(v), matrix @ v, atol=1e-15)


def test_the_map_is_that_of_the_point_even_if_it_changes() -> None:
    x, p = X.copy(), {"k": np.array([2.0])}
    _, push = linearize(lambda x, p: waves(x) * p["k"], x, p)
    before = push(X, None)
    x[:] = 0.0
    p["k"][0] = 100.0
    np.testing.assert_allclose(push(X, None), before)
    np.testing.assert_allclose(before, 2 * jacobian(waves, X)[0] @ X)


def test_linearize_structures_and_constants() -> None:
    y, push = linearize(lambda p, k: {"y": p["a"] * k, "s": "text"}, {"a": X, "n": "name"}, 2.0)
    np.testing.assert_allclose(y["y"], 2 * X)
    found = push({"a": np.ones(3), "n": None}, None)
    np.testing.assert_allclose(found["y"], [2.0, 2.0, 2.0])
    assert found["s"] is None
    np.testing.assert_allclose(push(None, 1.0)["y"], X)
    np.testing.assert_allclose(push(None, None)["y"], np.zeros(3))
    with pytest.raises(morula.SeedError, match="takes 2 tangents"):
        push(X)
    with pytest.raises(morula.SeedError, match=r"needs an array of shape \(3,\)"):
        push({"a": np.ones(2)}, None)


def test_linearize_leaves_arguments_alone() -> None:
    def f(x):
        x *= x
        return x

    x = X.copy()
    y, push = linearize(f, x)
    np.testing.assert_allclose(y, X**2)
    np.testing.assert_allclose(push(np.ones(3)), 2 * X)
    np.testing.assert_allclose(push(np.ones(3)), 2 * X)
    assert (x == X).all()


# -- taylor ------------------------------------------------------------------------------------------------------


def test_taylor_of_known_functions() -> None:
    assert taylor(lambda x: x**3, 2.0, 1.0, 4) == [8.0, 12.0, 12.0, 6.0, 0.0]
    np.testing.assert_allclose(taylor(np.exp, 0.3, 2.0, 5), [math.exp(0.3) * 2**k for k in range(6)])
    np.testing.assert_allclose(
        taylor(np.sin, 0.3, 1.0, 4),
        [math.sin(0.3), math.cos(0.3), -math.sin(0.3), -math.cos(0.3), math.sin(0.3)],
    )
    assert taylor(lambda x: x**2, 3.0, 1.0, 0) == [9.0]
    assert taylor(lambda x: 5.0, 3.0, 1.0, 2) == [5.0, 0.0, 0.0]


def test_taylor_against_the_polynomial_that_it_is_of() -> None:
    """A polynomial of degree 4 in t is what its derivatives say."""
    v = np.array([1.0, 0.5, -2.0])

    def f(x):
        y = in_place(x)
        return y[2] * x[0] + y

    found = taylor(f, X, v, 4)
    for t in (0.5, -1.0):
        series = sum(found[k] * t**k / math.factorial(k) for k in range(5))
        np.testing.assert_allclose(series, f(X + t * v), rtol=1e-12)


def test_taylor_of_structures() -> None:
    value, first, second = taylor(lambda p: {"y": p[0] * p[1]}, [X, 2.0], [np.ones(3), 0.5], 2)
    np.testing.assert_allclose(value["y"], 2 * X)
    np.testing.assert_allclose(first["y"], 2.0 + 0.5 * X)
    np.testing.assert_allclose(second["y"], [1.0, 1.0, 1.0])


def test_taylor_refusals() -> None:
    with pytest.raises(morula.MorulaError, match="order=-1"):
        taylor(np.sin, 1.0, 1.0, -1)
    with pytest.raises(morula.SeedError):
        taylor(np.sin, X, np.ones(2), 1)


# -- operators ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [waves, in_place, lambda x: np.outer(x, x), lambda x: (x**2).sum()])
def test_operators_are_the_jacobian(f) -> None:
    operator = as_linear_operator(f, X)
    matrix = jacobian(f, X, mode="reverse")[0].reshape(-1, 3)
    assert operator.shape == matrix.shape and operator.dtype == float
    np.testing.assert_allclose(operator @ np.eye(3), matrix)
    np.testing.assert_allclose(operator.T @ np.eye(len(matrix)), matrix.T)
    np.testing.assert_allclose(operator.H @ np.eye(len(matrix)), matrix.T)
    v = X + 1j
    np.testing.assert_allclose(operator @ v, matrix @ v)
    w = np.arange(len(matrix)) * (1 + 2j)
    np.testing.assert_allclose(operator.H @ w, matrix.T @ w)


def test_operators_of_structures() -> None:
    p = {"w": np.arange(6.0).reshape(2, 3), "b": 2.0, "name": "p"}

    def f(p):
        return [p["w"] @ X * p["b"], p["b"] ** 2]

    operator = as_linear_operator(f, p)
    vector, unravel = morula.ravel(p)
    matrix = np.concatenate([np.reshape(part, (-1, 7)) for part in jacobian(lambda v: f(unravel(v)), vector)[0]])
    assert operator.shape == (3, 7)
    np.testing.assert_allclose(operator @ np.eye(7), matrix)
    np.testing.assert_allclose(operator.T @ np.eye(3), matrix.T)


def test_complex_operators() -> None:
    z = np.array([0.3 + 0.4j, -1.1 + 0.2j])

    def f(z):
        return np.array([z[0] ** 2 * z[1], np.exp(z[1]), z[0]])

    operator, (matrix,) = as_linear_operator(f, z), jacobian(f, z, holomorphic=True)
    assert operator.dtype == complex
    np.testing.assert_allclose(operator @ np.eye(2), matrix)
    np.testing.assert_allclose(operator @ (1j * z), matrix @ (1j * z))
    np.testing.assert_allclose(operator.H @ np.eye(3), matrix.conj().T)
    np.testing.assert_allclose(operator.H @ np.array([1.0, 2j, 1 - 1j]), matrix.conj().T @ np.array([1.0, 2j, 1 - 1j]))

    def wave(x):
        return np.exp(1j * A @ x)

    operator, (matrix,) = as_linear_operator(wave, X), jacobian(wave, X)
    np.testing.assert_allclose(operator @ (X + 2j), matrix @ (X + 2j))
    np.testing.assert_allclose(operator.H @ np.eye(2), matrix.conj().T)
    np.testing.assert_allclose(operator.H @ np.array([1j, 2 - 1j]), matrix.conj().T @ np.array([1j, 2 - 1j]))
    with pytest.raises(morula.ResultError, match="not holomorphic"):
        as_linear_operator(np.conj, z)
    with pytest.raises(morula.ResultError, match="between complex and real numbers"):
        as_linear_operator(abs, z)


def test_float32_operators() -> None:
    operator = as_linear_operator(lambda x: x * x, X.astype(np.float32))
    assert operator.dtype == np.float32 and (operator @ np.ones(3, np.float32)).dtype == np.float32


def test_krylov_methods_apply() -> None:
    """Gauss-Newton steps by LSQR, with nothing but products, against a dense solution."""
    rng = np.random.default_rng(1)
    t, truth = np.linspace(0, 2, 40), np.array([2.0, 1.3, 0.5])
    data = truth[0] * np.exp(-truth[1] * t) + truth[2] + 1e-3 * rng.normal(size=40)

    def residual(p):
        return p[0] * np.exp(-p[1] * t) + p[2] - data

    p = np.ones(3)
    for _ in range(8):
        p = p - sla.lsqr(as_linear_operator(residual, p), residual(p), atol=1e-12, btol=1e-12)[0]
    np.testing.assert_allclose(p, truth, atol=5e-3)
    np.testing.assert_allclose(jacobian(residual, p)[0].T @ residual(p), 0.0, atol=1e-9)


def test_a_boundary_value_problem_by_gmres() -> None:
    """u'' = exp(u), u(0) = u(1) = 0: Newton's steps by GMRES, against SciPy's newton_krylov."""
    n = 30
    h = 1 / (n + 1)

    def residual(u):
        padded = np.concatenate([[0.0], u, [0.0]])
        return (padded[2:] - 2 * u + padded[:-2]) / h**2 - np.exp(u)

    u = np.zeros(n)
    for _ in range(5):
        step, info = sla.gmres(as_linear_operator(residual, u), residual(u), rtol=1e-12, restart=n)
        assert info == 0
        u = u - step
    np.testing.assert_allclose(u, newton_krylov(residual, np.zeros(n), f_tol=1e-9), atol=1e-8)
