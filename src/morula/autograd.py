"""Morula and HIPS autograd: plain Python functions inside autograd's programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.extras import needs
from morula.interop.border import refuse_hidden
from morula.interop.calling import constants_of, host_of
from morula.interop.hosts import Aval, Host, inexact_of
from morula.interop.layers import Layer
from morula.interop.trees import built

with needs("autograd", "autograd"):
    import autograd.builtins as builtins
    import autograd.extend as extend
    import autograd.numpy as anp

__all__ = ["to_autograd"]


def to_autograd(f: Callable) -> Callable:
    """A plain Python function as a function that autograd differentiates, at any order and in both modes.

    Args:
        f: any function that Morula differentiates. It is given arrays and numbers in the place of autograd's boxes, at
            any depth of tuples, lists and dicts; all other arguments are handed on as they are.

    Raises:
        NotDifferentiable: `f` holds a box otherwise than as an argument (captured, a global variable, an attribute of
            an object): no derivative with respect to it could come back.
        As `morula.gradient`, and what `f` raises.

    >>> import autograd, numpy as np
    >>> from morula.autograd import to_autograd
    >>> def norm(x):
    ...     total = 0.0
    ...     for v in x:
    ...         total += v**2
    ...     return total**0.5
    >>> autograd.grad(to_autograd(norm))(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    def of_boxes(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = opened((args, kwargs))
        host, leaves = host_of(f, args, kwargs, is_leaf, aval_of, conjugates=True)
        refuse_hidden(f, constants_of(host.active, host.passive), is_box, "morula.autograd.to_autograd")
        if not any(map(is_box, leaves)):
            return f(*args, **kwargs)
        ys = call(host, *leaves)
        assert host.outs is not None
        plain = value_of(ys)
        return built(host.outs, [ys[i] if inexact else plain[i] for i, inexact in enumerate(host.outs_inexact)])

    return Layer(of_boxes, to_autograd, f)


def is_box(x: Any) -> bool:
    """Whether autograd follows a value."""
    return isinstance(x, extend.Box)


def value_of(x: Any) -> Any:
    """What lies in a box, however many are around it."""
    while isinstance(x, extend.Box):
        x = x._value
    return x


def opened(x: Any) -> Any:
    """Boxed containers as containers of boxes."""
    value = value_of(x)
    if isinstance(value, dict):
        return {k: opened(x[k]) for k in value}
    if isinstance(value, list | tuple):
        parts = [opened(x[i]) for i in range(len(value))]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return x


def is_leaf(x: Any) -> bool:
    """Whether an argument is a number or an array to autograd."""
    return isinstance(value_of(x), float | complex | np.ndarray | np.generic)


def aval_of(x: Any) -> Aval:
    """Shape and dtype of a number or array, boxed or not."""
    value = np.asarray(value_of(x))
    return value.shape, value.dtype


@extend.primitive
def call(host: Host, *xs: Any) -> tuple:
    """A host as a primitive of autograd."""
    ys = host.run([np.asarray(x) for x in xs])
    return tuple([np.array(y)[()] if y.dtype.kind in "fc" else np.array(y) for y in ys])


def call_vjp(argnums: Sequence[int], ans: Any, args: tuple, kwargs: dict) -> Callable[[Any], tuple]:
    host, *xs = args

    def vjp(bars: Any) -> tuple:
        seeds = inexact_of(host.outs_inexact, [bars[i] for i in range(len(host.outs_inexact))])
        found = call(host.vjp, *xs, *seeds)
        places = iter(range(len(xs)))
        bar_of = {i: found[next(places)] for i, inexact in enumerate(host.inexact) if inexact}
        return tuple([bar_of[i - 1] if i - 1 in bar_of else anp.zeros(np.shape(value_of(xs[i - 1]))) for i in argnums])

    return vjp


def call_jvp(argnums: Sequence[int], dots: Sequence[Any], ans: Any, args: tuple, kwargs: dict) -> Any:
    host, *xs = args
    given = [np.zeros(*aval_of(x)) for x in xs]
    for i, dot in zip(argnums, dots, strict=True):
        given[i - 1] = dot
    found = call(host.jvp, *xs, *inexact_of(host.inexact, given))
    places = iter(range(len(xs) + len(host.outs_inexact)))
    return builtins.tuple([
        found[next(places)] if inexact else np.zeros(shape)
        for inexact, (shape, _) in zip(host.outs_inexact, host.like(), strict=True)
    ])  # fmt: skip


extend.defvjp_argnums(call, call_vjp)
extend.defjvp_argnums(call, call_jvp)
