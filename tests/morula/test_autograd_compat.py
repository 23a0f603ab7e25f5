"""Programs written for HIPS autograd, on plain NumPy."""

import subprocess
import sys

import numpy as np
import pytest

import morula
import morula.autograd_compat as autograd
from morula.autograd_compat import grad, jacobian
from morula.autograd_compat.extend import defjvp, defvjp, primitive
from morula.autograd_compat.misc.flatten import flatten, flatten_func
from morula.autograd_compat.misc.optimizers import adam, rmsprop, sgd
from morula.autograd_compat.test_util import check_grads

anp = autograd.numpy
X = np.array([0.3, -0.7, 1.2])
A = np.arange(9.0).reshape(3, 3) / 7


def test_gradients_by_number_name_and_structure():
    f = lambda x, y, scale=1.0: anp.sum(anp.tanh(x) * y) * scale
    np.testing.assert_allclose(grad(f)(X, 2.0), 2 / np.cosh(X) ** 2)
    assert grad(f, 1)(X, 2.0) == pytest.approx(np.tanh(X).sum())
    both = grad(f, (0, 1))(X, 2.0, scale=3.0)
    np.testing.assert_allclose(both[0], 6 / np.cosh(X) ** 2)
    assert autograd.grad_named(f, "y")(X, 2.0) == both[1] / 3
    value, gradient = autograd.value_and_grad(f)(X, 2.0)
    assert value == f(X, 2.0) and gradient.shape == (3,)
    g = grad(lambda p: anp.sum(p["w"] * p["b"][0]))({"w": X, "b": [2.0, 5.0]})
    np.testing.assert_allclose(g["w"], [2.0] * 3)
    assert g["b"] == [X.sum(), 0.0]
    named = autograd.multigrad_dict(lambda x, y=3.0: anp.sum(x) * y)(X)
    assert named["y"] == X.sum() and named["x"].tolist() == [3.0] * 3
    gradient, aux = autograd.grad_and_aux(lambda x: (anp.sum(x**2), x + 1))(X)
    np.testing.assert_allclose(gradient, 2 * X)
    np.testing.assert_allclose(aux, X + 1)


def test_higher_orders_and_products():
    f = lambda x: anp.sum(anp.sin(x) * anp.dot(A, x))
    J = A + A.T
    wanted = np.cos(X)[:, None] * A + (np.cos(X)[:, None] * A).T - np.diag(np.sin(X) * (A @ X))
    np.testing.assert_allclose(autograd.hessian(f)(X), wanted)
    np.testing.assert_allclose(autograd.hessian_vector_product(f)(X, X), wanted @ X)
    np.testing.assert_allclose(autograd.make_hvp(f)(X)[0](X), wanted @ X)
    np.testing.assert_allclose(jacobian(lambda x: A @ x**2)(X), A * 2 * X)
    np.testing.assert_allclose(autograd.vector_jacobian_product(lambda x: J @ x)(X, X), X @ J)
    np.testing.assert_allclose(autograd.elementwise_grad(anp.tanh)(X), 1 / np.cosh(X) ** 2)
    np.testing.assert_allclose(autograd.make_jvp(anp.exp)(X)(X)[1], np.exp(X) * X)
    np.testing.assert_allclose(autograd.make_ggnvp(lambda x: A @ x)(X)(X), A.T @ A @ X)
    assert grad(grad(grad(anp.exp)))(0.5) == pytest.approx(np.exp(0.5))
    assert autograd.deriv(autograd.deriv(anp.sin))(0.5) == pytest.approx(-np.sin(0.5))
    assert grad(autograd.checkpoint(lambda x: anp.sin(x) ** 2))(0.5) == pytest.approx(np.sin(1.0))


def test_complex_cotangents_are_conjugated():
    z = 0.3 + 0.4j
    found = grad(lambda z: anp.real(z * anp.conj(z)) + anp.imag(z))(z)
    assert found == pytest.approx(2 * z.conjugate() - 1j)
    assert autograd.holomorphic_grad(lambda z: z**2 + 1j * z)(z) == pytest.approx(2 * z + 1j)


def test_rules_of_ones_own():
    @primitive
    def wrong_square(x, y):
        return x * x + y

    defvjp(wrong_square, lambda ans, x, y: lambda g: g * 1000.0 * x, None)
    defjvp(wrong_square, lambda g, ans, x, y: g * 1000.0 * x, "same")
    assert grad(wrong_square)(2.0, 1.0) == 2000.0
    assert grad(wrong_square, 1)(2.0, 1.0) == 0.0
    assert morula.jvp(lambda x: wrong_square(x, 1.0), (2.0,), (1.0,))[1] == 2000.0
    assert grad(grad(wrong_square))(2.0, 1.0) == 1000.0
    followed = primitive(lambda x: x**3)
    assert grad(followed)(2.0) == 12.0


def test_structures_as_vectors_and_optimisers():
    example = {"b": [X, 2.0], "a": (np.eye(2),)}
    vector, unflatten = flatten(example)
    assert vector.shape == (8,)
    np.testing.assert_allclose(unflatten(vector)["b"][0], X)
    np.testing.assert_allclose(grad(lambda v: anp.sum(unflatten(v)["b"][0] ** 2))(vector)[4:7], 2 * X)
    of_vectors, back, start = flatten_func(lambda p: {k: v * 2 for k, v in p.items()}, {"x": X})
    np.testing.assert_allclose(back(of_vectors(start))["x"], 2 * X)
    for optimizer, size in ((sgd, 0.1), (rmsprop, 0.05), (adam, 0.05)):
        found = optimizer(
            grad(lambda p, i: anp.sum((p["x"] - 1.0) ** 2)), {"x": X}, num_iters=120, step_size=2.5 * size
        )
        np.testing.assert_allclose(found["x"], 1.0, atol=0.05)
    check_grads(lambda x: anp.sum(anp.sin(x) * x))(X)
    with pytest.raises(TypeError, match="scalar-output"):
        grad(anp.sin)(X)


def test_packages_that_import_autograd():
    program = (
        "import morula.autograd_compat; morula.autograd_compat.install()\n"
        "import autograd.numpy as np, autograd.numpy.random as npr\n"
        "from autograd import grad, elementwise_grad as egrad\n"
        "from autograd.misc.flatten import flatten\n"
        "from autograd.extend import primitive, defvjp\n"
        "import sys, numpy; assert np is numpy and npr is numpy.random\n"
        "print(grad(lambda x: np.sum(np.sin(x)))(np.zeros(2)).tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[1.0, 1.0]\n"


def test_the_same_as_autograd():
    real = pytest.importorskip("autograd")
    z = np.array([0.3 + 0.4j, -1.0 + 0.2j])
    programs = [
        (lambda np: lambda x: np.sum(np.abs(x) ** 2 * np.real(x)), z),
        (lambda np: lambda x: np.linalg.det(np.outer(x, x) + np.eye(3)) + np.linalg.norm(x), X),
        (lambda np: lambda x: np.sum(np.where(x > 0, x, np.exp(x))) * np.logaddexp(x[0], x[1]), X),
    ]
    for program, x in programs:
        here, there = autograd.grad(program(np))(x), real.grad(program(real.numpy))(x)
        np.testing.assert_allclose(here, there, rtol=1e-12)
        if not np.iscomplexobj(x):
            np.testing.assert_allclose(
                autograd.hessian(program(np))(x), real.hessian(program(real.numpy))(x), rtol=1e-10, atol=1e-12
            )
