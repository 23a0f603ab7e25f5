"""Scalar rules: a function with one partial derivative per argument, from which everything else is derived.

``scalar_rule(np.sin, lambda y, x: np.cos(x))`` holds for numbers and, element by element, for arrays. For
complex arguments it says that the function is holomorphic; ``real=True`` says that the partials hold for
real arguments only.
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np

from . import rules as _registry
from .products import strong_mul
from .rules import Rule, TypeSpec, _changed, _declaring, _load_pending, _scalar_rules, add_rule
from .tangents import Thunk

__all__ = ["ScalarRule", "scalar_rule", "scalar_rule_for"]

Partial = Callable[..., Any] | int | float
_ndarray = np.ndarray
_ordinary = frozenset((float, np.ndarray, np.float64, int, complex))
_needs: dict[Any, frozenset[int]] = {}


@dataclass(frozen=True, slots=True)
class ScalarRule:
    """The partial derivatives of a function, one per argument.

    Attributes:
        f: the function.
        partials: callables over ``(y, *args)``, or constants.
        real: valid for real arguments only.
        file: where the rule was written.
        line: the line there.
        types: as for `chainrules.rrule`.

    A partial takes numbers and arrays; lists have to be made arrays first, as the derived rule does.
    """

    f: Callable[..., Any]
    partials: tuple[Partial, ...]
    real: bool
    file: str
    line: int
    types: tuple[TypeSpec, ...] = ()

    @property
    def needs(self) -> tuple[frozenset[int], ...]:
        """For each partial the positions of what it reads: 0 is ``y``, 1 the first argument, and so on.

        >>> scalar_rule_for(np.sin).needs, scalar_rule_for(np.exp).needs
        ((frozenset({1}),), (frozenset({0}),))
        """
        return tuple(map(_read_positions, self.partials))


def scalar_rule(f: Any, *partials: Partial, real: bool = False, types: tuple[TypeSpec, ...] = ()) -> None:
    """Declare the partial derivatives of ``f``, and the ordinary rule that follows from them.

    Args:
        f: a function of numbers, or a ufunc.
        partials: one for each argument: a callable over ``(y, *args)``, or a constant. They must not raise
            at singular points, but give the infinity that is the limit.
        real: the partials hold for real arguments only; the derived rule declines complex ones, and a rule
            declared with `chainrules.rrule` for more specific types may take over.
        types: as for `chainrules.rrule`.

    Raises:
        TypeError: where no partial is given.

    >>> def double_sin(x): return 2 * np.sin(x)
    >>> scalar_rule(double_sin, lambda y, x: 2 * np.cos(x))
    >>> from chainrules import rules_for
    >>> y, back = rules_for(double_sin)[0].function(0.0)
    >>> float(back(1.0))
    2.0
    """
    if not partials:
        raise TypeError("scalar_rule needs one partial for each argument")
    codes = [p.__code__ for p in partials if hasattr(p, "__code__")]
    caller = sys._getframe(1)
    file = codes[0].co_filename if codes else caller.f_code.co_filename
    line = codes[0].co_firstlineno if codes else caller.f_lineno
    derive = {1: _derive_unary, 2: _derive_binary}.get(len(partials), _derive)
    add_rule(f, Rule(derive(f, partials, real), types, file, line))
    with _declaring:
        _scalar_rules[f] = ScalarRule(f, partials, real, file, line, types)
        _changed()


def scalar_rule_for(f: Any) -> ScalarRule | None:
    """The scalar rule declared for ``f``, or ``None``.

    >>> scalar_rule_for(np.add).partials
    (1, 1)
    """
    if _registry._pending:
        _load_pending()
    try:
        return _scalar_rules.get(f)
    except TypeError:
        return None


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
        return np.zeros_like(g) if type(g) is _ndarray else 0.0
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


def _is_no_output(value: Any) -> bool:
    return isinstance(value, tuple) and all(v is None for v in value)


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


def _operand(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, (list, tuple)) else x


def _is_complex(x: Any) -> bool:
    t = type(x)
    if t is float:
        return False
    if t is _ndarray:
        return bool(x.dtype.kind == "c")
    return isinstance(x, (complex, np.complexfloating))


def _derive_unary(f: Any, partials: tuple[Partial, ...], real: bool) -> Callable[..., Any]:
    (p,) = partials

    def rule(x: Any, *out: Any, **kwargs: Any) -> Any:
        if out:
            return _padded(rule, f, 1, (x, *out), kwargs)
        if kwargs:
            check_ufunc_keywords(f, kwargs)
        if type(x) not in _ordinary:
            x = _operand(x)
        if real and _is_complex(x):
            return NotImplemented
        y = f(x, **kwargs)
        if callable(p):
            return y, lambda y_bar: chain(p(y, x), y_bar)
        return y, lambda y_bar: constant_chain(p, y_bar)

    return rule


def _derive_binary(f: Any, partials: tuple[Partial, ...], real: bool) -> Callable[..., Any]:
    p1, p2 = partials

    def rule(a: Any, b: Any, *out: Any, **kwargs: Any) -> Any:
        if out:
            return _padded(rule, f, 2, (a, b, *out), kwargs)
        if kwargs:
            check_ufunc_keywords(f, kwargs)
        if type(a) not in _ordinary:
            a = _operand(a)
        if type(b) not in _ordinary:
            b = _operand(b)
        if real and (_is_complex(a) or _is_complex(b)):
            return NotImplemented
        y = f(a, b, **kwargs)

        def pullback(y_bar: Any) -> Any:
            # Each operand pays for itself: the cotangent of an inactive one is never worked out.
            return (
                Thunk(_contribution, p1, y, a, b, y_bar) if callable(p1) else constant_chain(p1, y_bar),
                Thunk(_contribution, p2, y, a, b, y_bar) if callable(p2) else constant_chain(p2, y_bar),
            )

        return y, pullback

    return rule


def _contribution(p: Callable[..., Any], y: Any, a: Any, b: Any, y_bar: Any) -> Any:
    return chain(p(y, a, b), y_bar)


def _derive(f: Any, partials: tuple[Partial, ...], real: bool) -> Callable[..., Any]:
    def rule(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(partials):
            return _padded(rule, f, len(partials), args, kwargs)
        if kwargs:
            check_ufunc_keywords(f, kwargs)
        args = tuple(map(_operand, args))
        if len(args) != len(partials) or (real and any(map(_is_complex, args))):
            return NotImplemented
        y = f(*args, **kwargs)

        def pullback(y_bar: Any) -> Any:
            return tuple(chain(p(y, *args), y_bar) if callable(p) else constant_chain(p, y_bar) for p in partials)

        return y, pullback

    return rule


def _read_positions(p: Partial) -> frozenset[int]:
    """The parameters a partial reads, from its bytecode; all of them where there is none to read."""
    if not callable(p):
        return frozenset()
    found = _needs.get(p)
    if found is None:
        code = getattr(p, "__code__", None)
        if code is None:
            found = frozenset(range(16))
        else:
            names = code.co_varnames[: code.co_argcount]
            read: set[Any] = set(code.co_cellvars)
            for step in dis.get_instructions(code):
                if step.opname.startswith("LOAD_"):
                    read.update(step.argval if isinstance(step.argval, tuple) else (step.argval,))
            found = frozenset(i for i, name in enumerate(names) if name in read)
            if code.co_flags & 0x04:
                found |= frozenset(range(len(names), 16))
        _needs[p] = found
    return found
