"""`morula.mygrad`, against MyGrad's own derivatives of the same mathematics."""

from typing import Any

import numpy as np
import pytest

import chainrules
import morula

mygrad = pytest.importorskip("mygrad")

from interop_models import doctored, model, scalar_of, written_in  # noqa: E402

from morula.mygrad import to_mygrad  # noqa: E402

ours, native = to_mygrad(model), written_in(mygrad)


def backward(f: Any, dtype: Any) -> list:
    p = {"w": mygrad.tensor(2.0, dtype=dtype), "b": mygrad.tensor(0.5, dtype=dtype)}
    x = mygrad.tensor([0.1, 0.2, 0.3], dtype=dtype)
    scalar_of(f, mygrad)(p, x).backward()
    return [p["w"].grad, p["b"].grad, x.grad]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients(dtype: Any) -> None:
    for a, b in zip(backward(ours, dtype), backward(native, dtype), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-11 if dtype == np.float64 else 1e-5)


def test_in_the_middle_of_a_program() -> None:
    def both(f: Any) -> Any:
        x = mygrad.tensor([0.1, 0.2, 0.3])
        y = mygrad.exp(f(mygrad.sin(x)))
        (y * x).sum().backward()
        return x.grad

    np.testing.assert_allclose(both(to_mygrad(lambda x: np.cumsum(x**2))), both(lambda x: mygrad.cumsum(x**2)))


def test_integers_and_unused_arguments() -> None:
    x, i, unused = mygrad.tensor([1.0, 2.0, 3.0]), mygrad.tensor([1, 1]), mygrad.tensor(2.0)
    y, n = to_mygrad(lambda x, i, unused: ((x[i] ** 2).sum(), np.argmax(x)))(x, i, unused)
    y.backward()
    assert x.grad.tolist() == [0.0, 8.0, 0.0]
    assert float(unused.grad) == 0.0
    assert int(n) == 2


def test_rules_hold() -> None:
    @chainrules.rrule(doctored)
    def _(x: Any) -> Any:
        return doctored(x), lambda y_bar: 2000.0 * x * y_bar

    x = mygrad.tensor([1.0, 2.0])
    to_mygrad(doctored)(x).backward()
    assert x.grad.tolist() == [2000.0, 4000.0]


def test_tensors_that_are_no_arguments_are_refused() -> None:
    w = mygrad.tensor(2.0)
    with pytest.raises(morula.NotDifferentiable, match=r"to_mygrad.*reaches.*'w'.*as an argument"):
        to_mygrad(lambda x: (x * w).sum())(mygrad.tensor([1.0]))


def test_tensors_inside_plain_programs_are_refused_by_the_adapters_name():
    t = mygrad.tensor([1.0, 2.0])
    for program in (lambda x: (t * x).sum(), lambda x: (x @ t).sum(), lambda x: mygrad.sin(x).sum(), mygrad.sum):
        with pytest.raises(morula.NotDifferentiable, match=r"morula\.mygrad\.to_mygrad"):
            morula.gradient(program, np.ones(2))
