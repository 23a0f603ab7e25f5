"""Pullbacks made outside of a differentiated function, and called inside it with seeds that vary."""

import numpy as np
import pytest

import morula
from morula import gradient, pullback

X = np.array([0.4, -1.2, 0.9])
W = np.array([[1.0, 0.3, -0.5], [0.2, -0.7, 1.1]])
J = W * np.cos(X)  # of sin, then W


def test_an_array() -> None:
    y, back = pullback(lambda x: W @ np.sin(x), X)
    s = np.array([0.7, -0.2])
    (s_bar,) = gradient(lambda s: (back(s)[0] ** 2).sum(), s)
    np.testing.assert_allclose(s_bar, 2 * J @ (J.T @ s))
    np.testing.assert_allclose(morula.hessian(lambda s: (back(s)[0] ** 2).sum(), s), 2 * J @ J.T)
    np.testing.assert_allclose(morula.jvp(lambda s: back(s)[0], (s,), (y,))[1], J.T @ y)
    np.testing.assert_allclose(morula.jacobian(lambda s: back(s * s)[0], s)[0], J.T * 2 * s)


def test_products_of_gauss_and_newton() -> None:
    """As of users of autograd: J^T H J v, by a pullback of a pullback."""

    def product(v):
        y, back = pullback(lambda x: W @ np.sin(x), X)
        _, forth = pullback(lambda s: back(s)[0], np.zeros(2))
        return back(morula.hessian(lambda y: (y**4).sum(), y) @ forth(v)[0])[0]

    v = np.array([1.0, 2.0, -1.0])
    y = W @ np.sin(X)
    np.testing.assert_allclose(product(v), J.T @ (12 * y**2 * (J @ v)))


def test_flattened_arguments() -> None:
    """The idiom of autograd's ``flatten``, whose ``unflatten`` is a pullback."""
    value = {"w": W, "b": [X, 2.0]}
    flat, unflatten = pullback(lambda v: np.concatenate([v["w"].ravel(), v["b"][0], [v["b"][1]]]), value)

    def loss(flat):
        (v,) = unflatten(flat)
        return (v["w"] @ v["b"][0]).sum() * v["b"][1] ** 2

    (flat_bar,) = gradient(loss, flat)
    h = 1e-6 * np.eye(flat.size)
    np.testing.assert_allclose(flat_bar, [(loss(flat + e) - loss(flat - e)) / 2e-6 for e in h], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("seed", [(0.7, 0.3), (np.array([0.1, 0.2]), 0.5)])
def test_structures_and_numbers(seed) -> None:
    as_array = isinstance(seed[0], np.ndarray)
    _, back = pullback(lambda x, k: ((x[:2] * k if as_array else x[0] * k), {"p": x[1] * k * k}["p"]), X, 3.0)

    def loss(a, b):
        x_bar, k_bar = back((a, b))
        return (x_bar**2).sum() * k_bar

    a_bar, b_bar = gradient(loss, *seed)
    if not as_array:
        assert a_bar == pytest.approx((loss(0.7 + 1e-6, 0.3) - loss(0.7 - 1e-6, 0.3)) / 2e-6)
    assert b_bar == pytest.approx((loss(seed[0], seed[1] + 1e-6) - loss(seed[0], seed[1] - 1e-6)) / 2e-6)


def test_complex_seeds() -> None:
    z = np.array([0.3 + 0.4j, -0.2 + 1.0j])
    _, back = pullback(lambda z: z * z * np.array([1.0, 2j]), z)
    s = np.array([0.5 - 0.3j, 0.1 + 0.2j])
    loss = lambda s: (np.abs(back(s)[0]) ** 2).sum() + back(s)[0][0].real
    (s_bar,) = gradient(loss, s)
    for k in range(2):
        for unit in (1.0, 1j):
            e = 1e-6 * unit * np.eye(2)[k]
            slope = (loss(s + e) - loss(s - e)) / 2e-6
            assert (s_bar[k].real if unit == 1.0 else s_bar[k].imag) == pytest.approx(slope, rel=1e-6)


def test_what_cannot_be_transposed() -> None:
    class Point:
        def __init__(self, x):
            self.x = x

    _, back = pullback(lambda p: p.x**2, Point(2.0))
    with pytest.raises(morula.NotDifferentiable, match=r"a Tangent, and has an active seed; make it inside"):
        gradient(lambda s: back(s)[0].x, 1.0)
    _, back = pullback(np.sin, 0.3, with_self=True)
    with pytest.raises(morula.NotDifferentiable, match=r"with_self.*make it inside"):
        gradient(lambda s: back.with_self(s)[1], 1.0)
