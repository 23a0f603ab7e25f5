"""Morula and MyGrad: plain Python functions inside MyGrad's programs, to the first order, which is MyGrad's limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.extras import needs
from morula.interop.border import refuse_hidden
from morula.interop.calling import constants_of, host_of
from morula.interop.hosts import Aval, Host
from morula.interop.layers import Layer
from morula.interop.trees import built

with needs("mygrad", "mygrad"):
    import mygrad
    from mygrad.operation_base import Operation

__all__ = ["to_mygrad"]


def to_mygrad(f: Callable) -> Callable:
    """A plain Python function as a function of MyGrad's tensors.

    Args:
        f: any function that Morula differentiates. It is given read-only arrays, and numbers for tensors without
            dimensions, at any depth of tuples, lists and dicts; all other arguments are handed on as they are.

    Raises:
        NotDifferentiable: `f` holds a tensor otherwise than as an argument (captured, a global variable, an attribute
            of an object): no derivative with respect to it could come back.
        As `morula.gradient`, and what `f` raises.

    >>> import mygrad
    >>> from morula.mygrad import to_mygrad
    >>> def norm(x):
    ...     total = 0.0
    ...     for v in x:
    ...         total += v**2
    ...     return total**0.5
    >>> x = mygrad.tensor([3.0, 4.0])
    >>> to_mygrad(norm)(x).backward()
    >>> x.grad
    array([0.6, 0.8])
    """

    def of_tensors(*args: Any, **kwargs: Any) -> Any:
        host, xs = host_of(f, args, kwargs, is_tensor, aval_of)
        refuse_hidden(f, constants_of(host.active, host.passive), is_tensor, "morula.mygrad.to_mygrad")
        if not xs:
            return f(*args, **kwargs)
        ys = host.run([readable(x) for x in xs])
        results = [
            mygrad.execute_op(Result, *xs, op_kwargs={"host": host, "ys": ys, "k": k}) if inexact else mygrad.tensor(y)
            for k, (y, inexact) in enumerate(zip(ys, host.outs_inexact, strict=True))
        ]
        assert host.outs is not None
        return built(host.outs, results)

    return Layer(of_tensors, to_mygrad, f)


def is_tensor(x: Any) -> bool:
    """Whether a value is a tensor."""
    return isinstance(x, mygrad.Tensor)


def aval_of(x: Any) -> Aval:
    """Shape and dtype of a tensor."""
    return x.data.shape, x.data.dtype


def readable(x: Any) -> np.ndarray:
    """The numbers of a tensor, read only."""
    array = x.data.view()
    array.flags.writeable = False
    return array


class Result(Operation):
    """One of the results of a host."""

    def __call__(self, *xs: Any, host: Host, ys: list[np.ndarray], k: int) -> np.ndarray:
        """The value, which is there already."""
        self.variables, self.host, self.ys, self.k = xs, host, ys, k
        self.pulled: tuple[Any, Any] = (None, None)
        return np.array(ys[k])

    def backward_var(self, grad: Any, index: int, **kwargs: Any) -> Any:
        """The cotangent of an argument; those of all come from one run."""
        if self.pulled[0] is not grad:
            seeds = [np.zeros_like(y) for y in self.ys]
            seeds[self.k] = np.asarray(grad, self.ys[self.k].dtype)
            chosen = [s for s, inexact in zip(seeds, self.host.outs_inexact, strict=True) if inexact]
            found = iter(self.host.vjp.run([*map(readable, self.variables), *chosen]))
            bars = [next(found) if inexact else None for inexact in self.host.inexact]
            self.pulled = grad, bars
        bar = self.pulled[1][index]
        return np.zeros_like(self.variables[index].data) if bar is None else np.array(bar)
