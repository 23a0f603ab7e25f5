"""The ordinary reverse rules that follow from partial derivatives, for numbers and arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from numbers import Number
from types import FunctionType
from typing import Any

import numpy as np

from .products import strong_mul
from .tangents import NoTangent, NotImplementedDerivative, NotImplementedTangent, Thunk, ZeroTangent, unthunk

Partial = Callable[..., Any] | int | float | tuple[float, ...]
"""A derivative with respect to an argument: callable over ``(y, *args)``, or constant; a tuple for several outputs."""

ZEROS = (NoTangent, ZeroTangent, type(None))
_ndarray = np.ndarray
_ordinary = frozenset((float, np.ndarray, np.float64, int, complex))


def chain(p: Any, g: Any) -> Any:
    """``conj(p) * g`` with strong zeros: the contribution of a partial to a cotangent.

    Args:
        p: the partial derivative, number or array.
        g: the cotangent of the result.

    >>> chain(1 + 1j, 2.0)
    (2-2j)
    """
    t = type(p)
    if t is _ndarray:
        if p.dtype.kind == "c":
            p = p.conj()
    elif t is not float and (t is complex or isinstance(p, np.complexfloating)):
        p = p.conjugate()
    return strong_mul(p, g)


def constant_chain(p: Any, g: Any) -> Any:
    """The contribution of a constant partial; a zero is a numeric zero in the shape of ``g``."""
    if p == 1:
        return g
    if p == 0:
        if type(g) is _ndarray:
            return np.zeros_like(g)
        kind: Any = type(g)
        return kind(0) if kind not in _ordinary and isinstance(g, Number) else 0.0
    return p * g if not isinstance(p, complex) else p.conjugate() * g


def check_ufunc_keywords(f: Any, kwargs: dict[str, Any]) -> None:
    """Refuse the keywords of a ufunc that change what is differentiated.

    Raises:
        NotImplementedError: names the function and the keyword.
    """
    for name, default in (("out", None), ("where", True)):
        value = kwargs.get(name, default)
        if value is not default and not (name == "out" and _is_no_output(value)):
            raise NotImplementedError(
                f"the rule for {getattr(f, '__name__', f)} has no derivative for the keyword {name!r}; "
                "write the result with an assignment, or choose with np.where"
            )
    if kwargs.get("casting") == "unsafe" and kwargs.keys() & {"dtype", "signature", "sig"}:
        raise NotImplementedError(
            f"the rule for {getattr(f, '__name__', f)} has no derivative for casting='unsafe', which rounds numbers or "
            "drops their imaginary parts; convert the arguments first"
        )


def _is_no_output(value: Any) -> bool:
    return isinstance(value, tuple) and all(v is None for v in value)


def by_operand(forward: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator for rules whose pullback takes its operands one by one, each in a way of its own.

    An engine that asks for `forward` needs neither a closure nor a `Thunk` for each call.

    Args:
        forward: called with the positional arguments; gives ``(y, kept, bars)``. ``bars`` has for each argument a
            function of ``(*kept, y_bar)``, which gives its cotangent in memory of its own, or None where it has none.
            That of a list is a list, whose parts may be views of ``y_bar``. ``y`` is new memory or a number.
            None: the rule is to answer.

    Returns:
        The decorator, which leaves the rule as it is.

    >>> def product_rule(a, b):
    ...     y, kept, bars = product(a, b)
    ...     return y, lambda y_bar: thunks(bars, kept, y_bar)
    >>> def product(a, b):
    ...     return a * b, (a, b), (lambda a, b, y_bar: b * y_bar, lambda a, b, y_bar: a * y_bar)
    >>> y, pullback = by_operand(product)(product_rule)(2.0, 3.0)
    >>> [unthunk(bar) for bar in pullback(1.0)]
    [3.0, 2.0]
    """

    def decorate(rule: Any) -> Callable[..., Any]:
        rule.by_operand = forward
        return rule

    return decorate


def thunks(bars: tuple[Any, ...], kept: tuple[Any, ...], y_bar: Any) -> tuple[Any, ...]:
    """The cotangents of all operands, as a pullback returns them, from a function for each.

    Args:
        bars: as for `by_operand`.
        kept: what they read.
        y_bar: the cotangent of the result.

    >>> a_bar, b_bar = thunks((lambda k, y_bar: k * y_bar, None), (2.0,), 3.0)
    >>> a_bar(), b_bar
    (6.0, None)
    """
    return tuple([None if bar is None else Thunk(bar, *kept, y_bar) for bar in bars])


def operands(f: Any, n: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator for rules that know the ``n`` operands of ``f`` only: what follows is refused by name.

    Args:
        f: what the rule is for; the operands of a ufunc are followed by its outputs.
        n: how many operands there are.

    Returns:
        The decorator. A ``None`` in the place of an output passes, as it does for the ufunc.
    """

    def decorate(impl: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(impl)
        def rule(*args: Any, **kwargs: Any) -> Any:
            if kwargs:
                check_ufunc_keywords(f, kwargs)
            elif len(args) == 2 <= n:
                return impl(args[0], args[1])
            return impl(*args, **kwargs) if len(args) <= n else _padded(impl, f, n, args, kwargs)

        return rule

    return decorate


def _padded(rule: Any, f: Any, n: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with more positional arguments than ``n`` operands, none of which may be given."""
    for i, value in enumerate(args[n:], n):
        name = _parameter(f, i, args)
        if value is not None or name != "out":
            raise NotImplementedError(
                f"the rule for {getattr(f, '__name__', f)} has no derivative for the positional argument "
                f"{name!r}; write the result with an assignment, or write a rule"
            )
    answer = rule(*args[:n], **kwargs)
    if answer is NotImplemented:
        return answer
    y, pullback = answer
    rest = (None,) * (len(args) - n)

    def padded_pullback(y_bar: Any) -> Any:
        bars = pullback(y_bar)
        return (*bars, *rest) if isinstance(bars, tuple) else (bars, *rest)

    return y, padded_pullback


def _parameter(f: Any, i: int, args: tuple[Any, ...]) -> str:
    """The name of the positional argument ``i`` of ``f``.

    Raises:
        TypeError: ``f`` does not take so many.
    """
    if isinstance(f, np.ufunc):
        names = ["out"] * f.nargs
    else:
        try:
            parameters = inspect.signature(f).parameters.values()
        except (TypeError, ValueError):
            return f"number {i + 1}"
        if any(p.kind is p.VAR_POSITIONAL for p in parameters):
            return f"number {i + 1}"
        names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(args) > len(names):
        raise TypeError(f"{getattr(f, '__name__', f)}() takes {len(names)} positional arguments, not {len(args)}")
    return names[i]


def operand(x: Any) -> Any:
    """`x` as NumPy takes it: a sequence becomes an array."""
    return np.asarray(x) if isinstance(x, (list, tuple)) else x


def is_complex(x: Any) -> bool:
    """Whether `x` is a complex number or array."""
    t = type(x)
    if t is float:
        return False
    if t is _ndarray:
        return bool(x.dtype.kind == "c")
    return isinstance(x, (complex, np.complexfloating))


def in_position(f: Any, n: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The first ``n`` arguments of a call of a Python function, of which some may be given by name, or left out.

    Of other keywords the partials know nothing: they are refused.
    """
    names, defaults = f.__code__.co_varnames[: f.__code__.co_argcount], f.__defaults__ or ()
    first = len(names) - len(defaults)
    whole, left = list(args), dict(kwargs)
    for i in range(len(args), min(n, len(names))):
        if names[i] not in left and i < first:
            raise TypeError(f"{f.__name__}() is missing the argument {names[i]!r}")
        whole.append(left.pop(names[i]) if names[i] in left else defaults[i - first])
    if left:
        raise NotImplementedError(
            f"the rule for {f.__name__} has no derivative for the keyword {next(iter(left))!r}; write an rrule"
        )
    return tuple(whole)


def by_name(f: Any, n: int, rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of a Python function, whose arguments are found `in_position`.

    The pullback answers for what was given by position.
    """
    if not isinstance(f, FunctionType):
        return rule

    @wraps(f)
    def named_rule(*args: Any, **kwargs: Any) -> Any:
        have = len(args)
        if have >= n and not kwargs:
            return rule(*args)
        answer = rule(*in_position(f, n, args, kwargs))
        if answer is NotImplemented:
            return answer
        y, pullback = answer

        def named_pullback(y_bar: Any) -> Any:
            bars = pullback(y_bar)
            return bars[:have] if isinstance(bars, tuple) else (bars,)[:have]

        return y, named_pullback

    return named_rule


def tangent_by_name(f: Any, n: int, tangent: Callable[..., Any]) -> Callable[..., Any]:
    """The same of `chainrules.Rule.tangent`; what was not given by position does not move."""
    if not isinstance(f, FunctionType):
        return tangent

    def named_tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
        if len(tangents) == n and not kwargs:
            return tangent(y, primals, tangents, kwargs)
        whole = in_position(f, n, primals, kwargs)
        return tangent(y, whole, (*tangents, *[None] * (len(whole) - len(tangents))), {})

    return named_tangent


def operands_of(
    f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], n: int, real: bool
) -> tuple[Any, ...] | None:  # fmt: skip
    """The ``n`` operands of a call as partials take them; ``None`` for a call that the partials do not hold for."""
    if kwargs:
        check_ufunc_keywords(f, kwargs)
    args = tuple(map(operand, args))
    return None if len(args) != n or (real and any(map(is_complex, args))) else args


def derive_unary(f: Any, partials: tuple[Partial, ...], real: bool) -> Callable[..., Any]:
    """The reverse rule of an elementwise function of one operand, from its partial."""
    (p,) = partials

    def rule(x: Any, *out: Any, **kwargs: Any) -> Any:
        if out:
            return _padded(rule, f, 1, (x, *out), kwargs)
        if kwargs:
            check_ufunc_keywords(f, kwargs)
        if type(x) not in _ordinary:
            x = operand(x)
        if real and is_complex(x):
            return NotImplemented
        y = f(x, **kwargs)
        if callable(p):
            return y, lambda y_bar: chain(p(y, x), y_bar)
        return y, lambda y_bar: constant_chain(p, y_bar)

    return rule


def derive_binary(f: Any, partials: tuple[Partial, ...], real: bool) -> Callable[..., Any]:
    """The reverse rule of an elementwise function of two operands, from its partials."""
    p1, p2 = partials

    def rule(a: Any, b: Any, *out: Any, **kwargs: Any) -> Any:
        if out:
            return _padded(rule, f, 2, (a, b, *out), kwargs)
        if kwargs:
            check_ufunc_keywords(f, kwargs)
        if type(a) not in _ordinary:
            a = operand(a)
        if type(b) not in _ordinary:
            b = operand(b)
        if real and (is_complex(a) or is_complex(b)):
            return NotImplemented
        y = f(a, b, **kwargs)

        def pullback(y_bar: Any) -> Any:
            # Each operand pays for itself: the cotangent of an inactive one is never worked out.
            return (
                Thunk(_contribution, p1, y_bar, y, a, b) if callable(p1) else constant_chain(p1, y_bar),
                Thunk(_contribution, p2, y_bar, y, a, b) if callable(p2) else constant_chain(p2, y_bar),
            )

        return y, pullback

    return rule


def _contribution(p: Callable[..., Any], y_bar: Any, *values: Any) -> Any:
    try:
        return chain(p(*values), y_bar)
    except NotImplementedDerivative as missing:  # there is none, or none for these values
        return NotImplementedTangent(str(missing))


def derive_any(f: Any, partials: tuple[Partial, ...], real: bool) -> Callable[..., Any]:
    """The reverse rule of an elementwise function of any number of operands, from their partials."""

    def rule(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(partials):
            return _padded(rule, f, len(partials), args, kwargs)
        taken = operands_of(f, args, kwargs, len(partials), real)
        if taken is None:
            return NotImplemented
        args, y = taken, f(*taken, **kwargs)

        def pullback(y_bar: Any) -> Any:
            # As of two operands; a partial may be an integral, or missing.
            return tuple([
                Thunk(_contribution, p, y_bar, y, *args) if callable(p) else constant_chain(p, y_bar)
                for p in partials
            ])  # fmt: skip

        return y, pullback

    return rule


def derive_outputs(f: Any, partials: tuple[Any, ...], real: bool, outputs: int) -> Callable[..., Any]:
    """The reverse rule of a function that returns a tuple of values."""

    def rule(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(partials):
            return _padded(rule, f, len(partials), args, kwargs)
        taken = operands_of(f, args, kwargs, len(partials), real)
        if taken is None:
            return NotImplemented
        args, y = taken, f(*taken, **kwargs)

        def contribution(p: Any, y_bar: Any) -> Any:
            total = None
            for dy, g in zip(p(y, *args) if callable(p) else p, y_bar, strict=True):
                g = unthunk(g)
                if type(g) not in ZEROS:
                    term = chain(dy, g) if callable(p) else constant_chain(dy, g)
                    total = term if total is None else total + term
            return total

        def pullback(y_bar: Any) -> Any:
            y_bar = unthunk(y_bar)
            if type(y_bar) in ZEROS:
                y_bar = (None,) * outputs
            bars = [Thunk(contribution, p, y_bar) for p in partials]
            return tuple(bars) if len(bars) > 1 else bars[0]

        return y, pullback

    return rule
