"""The ordinary forward rules that follow from partial derivatives, for numbers and arrays.

An engine runs the tangents' code as a program that it differentiates, once for every call: these take few steps.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from .derived import ZEROS, Partial, check_ufunc_keywords, constant_chain, in_position, is_complex, operand, operands_of
from .products import strong_mul
from .projection import unbroadcast
from .tangents import ZeroTangent, unthunk

__all__ = ["derive_forward", "derive_tangent"]

_ndarray = np.ndarray
_plain = (np.ndarray, float, np.number)


def derive_forward(
    f: Any, partials: tuple[Partial, ...], real: bool, tangent: Callable[..., Any]
) -> Callable[..., Any]:  # fmt: skip
    """The whole forward rule: the value, and what ``tangent`` says of it."""

    def rule(primals: tuple[Any, ...], tangents: tuple[Any, ...], **kwargs: Any) -> Any:
        if isinstance(f, FunctionType):
            given, kwargs = in_position(f, len(partials), primals, kwargs), {}
        else:
            given = primals
        args = operands_of(f, given, kwargs, len(partials), real)
        if args is None:
            return NotImplemented
        y = f(*args, **kwargs)
        with np.errstate(all="ignore"):  # an infinite partial is no news to whoever asked for the value
            return y, tangent(y, args, tangents, kwargs)

    return rule


def derive_tangent(f: Any, partials: tuple[Any, ...], real: bool, outputs: int) -> Callable[..., Any]:
    """The sum of the partials times the tangents, given the value: `chainrules.Rule.tangent`."""
    if outputs == 1 and len(partials) == 1:
        return _of_one(f, partials[0], real)
    if outputs == 1 and len(partials) == 2:
        return _of_two(f, *partials, real)
    return _of_many(f, partials, real, outputs)


def _of_one(f: Any, p: Any, real: bool) -> Callable[..., Any]:
    def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
        if len(primals) != 1:
            return NotImplemented
        x, x_dot = primals[0], tangents[0]
        if kwargs:
            check_ufunc_keywords(f, kwargs)
        if isinstance(x, (list, tuple)):
            x = np.asarray(x)
        if real and is_complex(x):
            return NotImplemented
        if not isinstance(x_dot, _plain):
            x_dot = operand(unthunk(x_dot))
            if isinstance(x_dot, ZEROS):
                return ZeroTangent()
        if callable(p):
            return strong_mul(p(y, x), x_dot)
        return constant_chain(p, x_dot)

    return tangent


def _of_two(f: Any, p: Any, q: Any, real: bool) -> Callable[..., Any]:
    def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
        if len(primals) != 2:
            return NotImplemented
        a, b = primals
        a_dot, b_dot = tangents
        if kwargs:
            check_ufunc_keywords(f, kwargs)
        if isinstance(a, (list, tuple)):
            a = np.asarray(a)
        if isinstance(b, (list, tuple)):
            b = np.asarray(b)
        if real and (is_complex(a) or is_complex(b)):
            return NotImplemented
        y_dot = None
        if a_dot is not None:
            y_dot = _term(p, y, a, b, a_dot)
        if b_dot is not None:
            more = _term(q, y, a, b, b_dot)
            if y_dot is None or more is None:
                y_dot = more if y_dot is None else y_dot
            else:
                return y_dot + more  # as wide as the value
        return _as_wide(y_dot, y)

    return tangent


def _term(p: Any, y: Any, a: Any, b: Any, x_dot: Any) -> Any:
    """A partial times a tangent; ``None`` where that is absent."""
    if not isinstance(x_dot, _plain):
        x_dot = operand(unthunk(x_dot))
        if isinstance(x_dot, ZEROS):
            return None
    if callable(p):
        return strong_mul(p(y, a, b), x_dot)
    return constant_chain(p, x_dot)


def _of_many(f: Any, partials: tuple[Any, ...], real: bool, outputs: int) -> Callable[..., Any]:
    def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
        args = operands_of(f, primals, kwargs, len(partials), real)
        if args is None:
            return NotImplemented
        dots: list[Any] = [None] * outputs
        for p, x_dot in zip(partials, tangents, strict=True):
            x_dot = unthunk(x_dot)
            if isinstance(x_dot, ZEROS):
                continue
            x_dot = operand(x_dot)
            found = p(y, *args) if callable(p) else p
            for k, dy in enumerate(found if outputs > 1 else (found,)):
                term = strong_mul(dy, x_dot) if callable(p) else constant_chain(dy, x_dot)
                dots[k] = term if dots[k] is None else dots[k] + term
        if outputs == 1:
            return _as_wide(dots[0], y)
        return tuple([_as_wide(y_dot, v) for y_dot, v in zip(dots, y, strict=True)])

    return tangent


def _as_wide(y_dot: Any, y: Any) -> Any:
    """A tangent in the shape of the value, where only a narrower argument had one."""
    if y_dot is None:
        return ZeroTangent()
    if isinstance(y, _ndarray) and np.shape(y_dot) != y.shape:
        return unbroadcast(y_dot, y.shape)
    return y_dot
