"""`morula.autograd`, against autograd's own derivatives of the same mathematics."""

from typing import Any

import numpy as np
import pytest

import chainrules
import morula

autograd = pytest.importorskip("autograd")

import autograd.numpy as anp  # noqa: E402
from autograd.test_util import check_grads  # noqa: E402
from interop_models import doctored, model, scalar_of, written_in  # noqa: E402

from morula.autograd import to_autograd  # noqa: E402

ours, native = to_autograd(model), written_in(anp)
sc, rc = scalar_of(ours, anp), scalar_of(native, anp)
P, X = {"w": 2.0, "b": 0.5}, np.array([0.1, 0.2, 0.3])

WAYS = {
    "grad by a dict": lambda f, s: autograd.grad(s, 0)(P, X),
    "grad": lambda f, s: autograd.grad(s, 1)(P, X),
    "keyword": lambda f, s: autograd.grad(lambda x: f(P, x=x, n=3)["e"])(X),
    "hessian": lambda f, s: autograd.hessian(s, 1)(P, X),
    "third": lambda f, s: autograd.jacobian(autograd.hessian(s, 1), 1)(P, X),
    "jacobian": lambda f, s: autograd.jacobian(lambda x: f(P, x)["y"])(X),
    "jvp": lambda f, s: autograd.make_jvp(lambda x: s(P, x))(X)(np.ones(3)),
    "hvp": lambda f, s: autograd.make_hvp(lambda x: s(P, x))(X)[0](np.ones(3)),
    "forward over reverse": lambda f, s: autograd.make_jvp(autograd.grad(lambda x: s(P, x)))(X)(np.ones(3)),
    "value": lambda f, s: f(P, X),
}


def leaves(t: Any) -> list:
    if isinstance(t, dict):
        return [v for k in sorted(t) for v in leaves(t[k])]
    return [v for p in t for v in leaves(p)] if isinstance(t, tuple | list) else [np.asarray(t)]


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_autograd(way: str) -> None:
    for a, b in zip(leaves(WAYS[way](ours, sc)), leaves(WAYS[way](native, rc)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)


def test_check_grads() -> None:
    check_grads(lambda x: ours(P, x)["y"], modes=["fwd", "rev"], order=2)(X)


def test_complex_numbers() -> None:
    f = to_autograd(lambda z: np.abs(z * z + z.conj() * 2) ** 2)
    z = np.array([1 + 2j, 0.5 - 1j])
    found = autograd.grad(lambda z: anp.sum(f(z)))(z)
    np.testing.assert_allclose(found, autograd.grad(lambda z: anp.sum(anp.abs(z * z + anp.conj(z) * 2) ** 2))(z))


def test_integers_and_unused_arguments() -> None:
    f = to_autograd(lambda x, i, unused: ((x[i] ** 2).sum(), np.argmax(x)))
    assert autograd.grad(lambda x: f(x, np.array([1, 1]), 2.0)[0])(X).tolist() == [0.0, 0.8, 0.0]
    assert autograd.grad(lambda u: f(X, np.array([1, 1]), u)[0] + u)(2.0) == 1.0


def test_rules_hold() -> None:
    @chainrules.rrule(doctored)
    def _(x: Any) -> Any:
        return doctored(x), lambda y_bar: 2000.0 * x * y_bar

    np.testing.assert_allclose(autograd.grad(to_autograd(doctored))(X), 2000.0 * X)
    np.testing.assert_allclose(autograd.hessian(to_autograd(doctored))(X), 2000.0 * np.eye(3))


def test_boxes_that_are_no_arguments_are_refused() -> None:
    def loss(w: Any) -> Any:
        return to_autograd(lambda x: (x * w).sum())(np.ones(2))

    with pytest.raises(morula.NotDifferentiable, match=r"to_autograd.*reaches.*'w'.*as an argument"):
        autograd.grad(loss)(2.0)


def test_exceptions_are_the_users_own() -> None:
    def f(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        autograd.grad(to_autograd(f))(X)
