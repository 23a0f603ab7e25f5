"""``autograd.extend``: rules of one's own, as autograd declares them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import chainrules
from chainrules import is_absent, unthunk
from morula.autograd_compat.operators import conjugated, filled

__all__ = ["defjvp", "defjvp_argnum", "defvjp", "defvjp_argnum", "defvjp_argnums", "notrace_primitive", "primitive"]

Function = Callable[..., Any]


def primitive(f: Function) -> Function:
    """A function that has a derivative of its own, once `defvjp` has said which; until then it is followed.

    >>> import numpy as np
    >>> import morula
    >>> @primitive
    ... def logsumexp(x):
    ...     return np.log(np.sum(np.exp(x)))
    >>> defvjp(logsumexp, lambda ans, x: lambda g: g * np.exp(x - ans))
    >>> morula.gradient(logsumexp, np.zeros(2))
    (array([0.5, 0.5]),)
    """
    return functools.wraps(f, updated=())(lambda *args, **kwargs: f(*args, **kwargs))


def notrace_primitive(f: Function) -> Function:
    """A function without derivatives."""
    wrapped = primitive(f)
    chainrules.non_differentiable(wrapped)
    return wrapped


def defvjp(f: Function, *vjpmakers: Any, argnums: Any = None) -> None:
    """Declare what takes the cotangent of a value to those of the arguments.

    Args:
        f: a `primitive`.
        vjpmakers: for each argument ``vjpmaker(ans, *args)``, which gives ``vjp(g)``; None for a cotangent of zero.
        argnums: the arguments that they are for; by default the first ones.
    """
    places = tuple(range(len(vjpmakers)) if argnums is None else argnums)
    makers = dict(zip(places, vjpmakers, strict=False))

    def bars(ans: Any, args: tuple, kwargs: dict, g: Any) -> list:
        return [
            0.0 * conjugated(x) if makers.get(i, bars) is None
            else makers[i](ans, *args, **kwargs)(g) if i in makers
            else chainrules.NotImplementedTangent(f"no vjp was declared for argument {i} of {f.__name__}")
            for i, x in enumerate(args)
        ]  # fmt: skip

    declare(f, bars)


def defvjp_argnums(f: Function, vjpmaker: Function) -> None:
    """Declare one ``vjpmaker(argnums, ans, args, kwargs)`` for all arguments; its vjp gives a tuple."""
    declare(f, lambda ans, args, kwargs, g: list(vjpmaker(tuple(range(len(args))), ans, args, kwargs)(g)))


def defvjp_argnum(f: Function, vjpmaker: Function) -> None:
    """Declare ``vjpmaker(argnum, ans, args, kwargs)``, which is asked for each argument."""
    declare(f, lambda ans, args, kwargs, g: [vjpmaker(i, ans, args, kwargs)(g) for i in range(len(args))])


def declare(f: Function, bars: Callable[[Any, tuple, dict, Any], list]) -> None:
    """The reverse rule of a primitive."""
    inner: Any = f.__wrapped__  # type: ignore[attr-defined]

    def rule(*args: Any, **kwargs: Any) -> Any:
        ans = inner(*args, **kwargs)
        return ans, lambda g: tuple(map(conjugated, bars(ans, args, kwargs, conjugated(unthunk(g)))))

    chainrules.rrule(f)(rule)


def defjvp(f: Function, *jvpmakers: Any, argnums: Any = None) -> None:
    """Declare what the tangent of each argument adds to that of the value.

    Args:
        f: a `primitive`.
        jvpmakers: for each argument ``jvp(g, ans, *args)``; ``"same"`` for a function linear in it, which is called
            with the tangent in its place; None for a tangent of zero.
        argnums: the arguments that they are for; by default the first ones.
    """
    places = tuple(range(len(jvpmakers)) if argnums is None else argnums)
    makers = dict(zip(places, jvpmakers, strict=False))

    def dot(i: int, g: Any, ans: Any, args: tuple, kwargs: dict) -> Any:
        if i not in makers:
            raise chainrules.NotImplementedDerivative(f"no jvp was declared for argument {i} of {f.__name__}")
        how = makers[i]
        if how is None:
            return 0.0 * ans
        return f(*args[:i], g, *args[i + 1 :], **kwargs) if how == "same" else how(g, ans, *args, **kwargs)

    of_tangents(f, dot)


def defjvp_argnum(f: Function, jvpmaker: Function) -> None:
    """Declare ``jvpmaker(argnum, g, ans, args, kwargs)``, which is asked for each argument."""
    of_tangents(f, jvpmaker)


def of_tangents(f: Function, dot: Function) -> None:
    """The forward rule of a primitive."""
    inner: Any = f.__wrapped__  # type: ignore[attr-defined]

    def rule(primals: tuple, tangents: tuple, **kwargs: Any) -> Any:
        ans = inner(*primals, **kwargs)
        total: Any = None
        for i, g in enumerate(tangents):
            if not is_absent(g):
                part = dot(i, unthunk(g), ans, primals, kwargs)
                total = part if total is None else total + part
        return ans, filled(total, ans)

    chainrules.frule(f)(rule)
