"""autograd's differential operators: functions of a function, and of the number of an argument.

Cotangents of complex numbers are autograd's: the conjugates of Morula's.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import is_absent
from morula.verbs import checkpoints, directional, gradients, jacobians, tools

__all__ = [
    "checkpoint", "deriv", "elementwise_grad", "grad", "grad_and_aux", "grad_named", "hessian",
    "hessian_tensor_product", "hessian_vector_product", "holomorphic_grad", "jacobian", "make_ggnvp", "make_hvp",
    "make_jvp", "make_vjp", "multigrad_dict", "tensor_jacobian_product", "value_and_grad", "vector_jacobian_product",
]  # fmt: skip

Function = Callable[..., Any]


def _of_argument(operator: Callable[..., Any]) -> Callable[..., Function]:
    """An operator on functions of one argument as one on functions of several, of which `argnum` says which one."""

    @functools.wraps(operator)
    def of_function(fun: Function, argnum: Any = 0, *options: Any, **named: Any) -> Function:
        if not callable(fun):
            raise TypeError(f"{operator.__name__} takes a function, not {type(fun).__name__}")

        @functools.wraps(fun, updated=())
        def derived(*args: Any, **kwargs: Any) -> Any:
            if isinstance(argnum, int):
                x, places = args[argnum], (argnum % len(args),)
            else:
                x, places = tuple([args[i] for i in argnum]), tuple([i % len(args) for i in argnum])

            def of_one(x: Any) -> Any:
                given = list(args)
                for place, value in zip(places, (x,) if isinstance(argnum, int) else x, strict=True):
                    given[place] = value
                return fun(*given, **kwargs)

            return operator(of_one, x, *options, **named)

        return derived

    return of_function


def conjugated(x: Any) -> Any:
    """A structure with its complex numbers conjugated."""
    if isinstance(x, list | tuple):
        parts = [conjugated(v) for v in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, dict):
        return {k: conjugated(v) for k, v in x.items()}
    return np.conj(x) if np.iscomplexobj(x) else x


def filled(bar: Any, x: Any) -> Any:
    """A cotangent or tangent of `x` with zeros where there is none."""
    if is_absent(bar):
        bar = None
    if isinstance(x, list | tuple):
        given = [None] * len(x) if bar is None else list(bar)
        parts = [filled(b, v) for b, v in zip(given, x, strict=True)]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, dict):
        return {k: filled(None if bar is None else bar.get(k), v) for k, v in x.items()}
    if bar is None:
        return np.zeros_like(x) if isinstance(x, np.ndarray) else 0.0 * x
    return bar


def vjp_of(fun: Function, x: Any) -> tuple[Callable[[Any], Any], Any]:
    """The function that takes a cotangent of ``fun(x)`` to one of `x`, and the value."""
    y, back = gradients.pullback(fun, x)

    def vjp(g: Any) -> Any:
        return conjugated(filled(back(conjugated(g))[0], x))

    return vjp, y


def ones_of(y: Any, operator: str) -> Any:
    """The cotangent one of a value of one real number.

    Raises:
        TypeError: it is something else.
    """
    if np.size(y) != 1 or np.iscomplexobj(y) or isinstance(y, list | tuple | dict):
        raise TypeError(
            f"{operator} only applies to real scalar-output functions. Try jacobian, elementwise_grad or "
            "holomorphic_grad."
        )
    return np.ones_like(y, float)[()] if isinstance(y, np.ndarray) else 1.0


@_of_argument
def make_vjp(fun: Function, x: Any) -> Any:
    """``(vjp, value)``: the function from cotangents of the value to those of the argument."""
    return vjp_of(fun, x)


@_of_argument
def make_jvp(fun: Function, x: Any) -> Any:
    """The function from tangents of the argument to the value and its tangent."""

    def jvp(v: Any) -> tuple[Any, Any]:
        y, y_dot = directional.jvp(fun, (x,), (v,))
        return y, filled(y_dot, y)

    return jvp


@_of_argument
def grad(fun: Function, x: Any) -> Any:
    """The gradient of a function that returns one real number."""
    vjp, y = vjp_of(fun, x)
    return vjp(ones_of(y, "Grad"))


@_of_argument
def value_and_grad(fun: Function, x: Any) -> Any:
    """The value and the gradient."""
    vjp, y = vjp_of(fun, x)
    return y, vjp(ones_of(y, "value_and_grad"))


@_of_argument
def grad_and_aux(fun: Function, x: Any) -> Any:
    """The gradient of the first of two results, and the second as it is."""
    aux = None

    def first(x: Any) -> Any:
        nonlocal aux
        y, rest = fun(x)
        aux = tools.stop_gradient(rest)
        return y

    vjp, y = vjp_of(first, x)
    return vjp(ones_of(y, "grad_and_aux")), aux


@_of_argument
def elementwise_grad(fun: Function, x: Any) -> Any:
    """The sum of each column of the Jacobian: the derivatives, where the function works element by element."""
    vjp, y = vjp_of(fun, x)
    if np.iscomplexobj(y):
        raise TypeError("Elementwise_grad only applies to real-output functions.")
    return vjp(np.ones_like(y) if isinstance(y, np.ndarray) else 1.0)


@_of_argument
def deriv(fun: Function, x: Any) -> Any:
    """The derivative of a function of one number, in forward mode; of an array, along ones."""
    one = np.ones_like(x) if isinstance(x, np.ndarray) else 1.0
    y, y_dot = directional.jvp(fun, (x,), (one,))
    return filled(y_dot, y)


@_of_argument
def jacobian(fun: Function, x: Any) -> Any:
    """The Jacobian, of the shape of the value and that of the argument."""
    shape = np.shape(x)
    if np.iscomplexobj(x):
        vjp, y = vjp_of(fun, x)
        seeds = np.eye(np.size(y)).reshape(np.size(y), *np.shape(y))
        return np.stack([vjp(seed) for seed in seeds]).reshape(np.shape(y) + shape)
    (found,) = jacobians.jacobian(fun, x)
    return np.zeros(np.shape(fun(x)) + shape) if found is None else found


@_of_argument
def hessian(fun: Function, x: Any) -> Any:
    """The Hessian; of a function with an array for a value, one for each of its numbers."""
    return jacobian(jacobian(fun))(x)


@_of_argument
def holomorphic_grad(fun: Function, x: Any) -> Any:
    """The complex derivative of a holomorphic function."""
    if not np.iscomplexobj(x):
        warnings.warn("Input to holomorphic_grad is not complex", stacklevel=3)
    return grad(lambda x: np.real(fun(x)))(x)


def grad_named(fun: Function, argname: str) -> Function:
    """The gradient with respect to an argument by its name."""
    return grad(fun, list(inspect.signature(fun).parameters).index(argname))


@_of_argument
def make_hvp(fun: Function, x: Any) -> Any:
    """``(hvp, gradient)``: the function that multiplies vectors by the Hessian, for many of them."""
    return vjp_of(grad(fun), x)


def hessian_tensor_product(fun: Function, argnum: int = 0) -> Function:
    """The product of the Hessian with a tensor, which comes after the arguments."""
    gradient = grad(fun, argnum)

    def along(*args: Any, **kwargs: Any) -> Any:
        *args, tensor = args  # type: ignore[assignment]
        return np.tensordot(gradient(*args, **kwargs), tensor, np.ndim(tensor))

    return grad(along, argnum)


hessian_vector_product = hessian_tensor_product


def tensor_jacobian_product(fun: Function, argnum: int = 0) -> Function:
    """The product of a tensor, which comes after the arguments, with the Jacobian."""

    def along(*args: Any, **kwargs: Any) -> Any:
        *args, tensor = args  # type: ignore[assignment]
        return np.tensordot(tensor, fun(*args, **kwargs), axes=np.ndim(tensor))

    return jacobian(along, argnum)


vector_jacobian_product = tensor_jacobian_product


def half_of_squares(x: Any) -> Any:
    """``sum(x**2)/2`` along the last axis."""
    return 0.5 * np.sum(x**2, axis=-1)


def make_ggnvp(f: Function, g: Function = half_of_squares, f_argnum: int = 0) -> Function:
    """Products with the generalized Gauss-Newton matrix ``J^T H J``, with the Hessian of `g` at the value of `f`."""

    @_of_argument
    def at(f: Function, x: Any) -> Any:
        f_vjp, y = vjp_of(f, x)
        g_hvp, _ = vjp_of(grad(g), y)
        return lambda v: f_vjp(g_hvp(directional.jvp(f, (x,), (v,))[1]))

    return at(f, f_argnum)


def multigrad_dict(fun: Function) -> Function:
    """The gradients with respect to all arguments at once, by their names."""
    signature = inspect.signature(fun)

    def gradients(*args: Any, **kwargs: Any) -> dict[str, Any]:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()

        def of_all(values: dict[str, Any]) -> Any:
            again = inspect.BoundArguments(signature, values)
            return fun(*again.args, **again.kwargs)

        found: dict[str, Any] = grad(of_all)(dict(bound.arguments))
        return found

    return gradients


def checkpoint(fun: Function) -> Function:
    """The function without what it computes on the way, which is computed again when the gradient is."""
    return functools.wraps(fun)(lambda *args, **kwargs: checkpoints.checkpoint(fun, *args, **kwargs))
