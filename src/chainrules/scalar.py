"""Scalar rules: a function with one partial derivative per argument, from which everything else is derived.

``scalar_rule(np.sin, lambda y, x: np.cos(x))`` holds for numbers and, element by element, for arrays. For
complex arguments it says that the function is holomorphic; ``real=True`` says that the partials hold for
real arguments only.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .checks import TypeSpec, check_arity
from .derived import Partial, by_name, derive_any, derive_binary, derive_outputs, derive_unary, tangent_by_name
from .derived_forward import derive_forward, derive_tangent
from .registry import SCALAR_RULES, changed, declaring, up_to_date
from .rules import Rule, add_rule
from .tangents import NotImplementedDerivative

__all__ = ["ScalarRule", "missing_partial", "scalar_rule", "scalar_rule_for"]

LIBRARY_RULES: dict[Any, ScalarRule] = {}
_needs: dict[Any, frozenset[int]] = {}


@dataclass(frozen=True, slots=True)
class ScalarRule:
    """The partial derivatives of a function, one per argument.

    Attributes:
        f: the function.
        partials: callables over ``(y, *args)``, or constants.
        real: valid for real arguments only.
        outputs: how many values ``f`` returns, as a tuple; the partials then give a tuple of so many.
        lacks: empty where no partial is missing, otherwise for each why it is, or ``None``.
        file: where the rule was written.
        line: the line there.
        types: as for `chainrules.rrule`.

    A partial takes numbers and arrays; lists have to be made arrays first, as the derived rule does.

    >>> import math
    >>> rule = scalar_rule_for(math.sin)
    >>> rule.partials[0](math.sin(0.0), 0.0), rule.outputs
    (1.0, 1)
    """

    f: Callable[..., Any]
    partials: tuple[Partial, ...]
    real: bool
    file: str
    line: int
    types: tuple[TypeSpec, ...] = ()
    outputs: int = 1
    lacks: tuple[str | None, ...] = ()

    @property
    def needs(self) -> tuple[frozenset[int], ...]:
        """For each partial the positions of what it reads: 0 is ``y``, 1 the first argument, and so on.

        >>> import numpy as np
        >>> scalar_rule_for(np.sin).needs, scalar_rule_for(np.exp).needs
        ((frozenset({1}),), (frozenset({0}),))
        """
        return tuple(map(_read_positions, self.partials))


def scalar_rule(
    f: Any, *partials: Partial, real: bool = False, types: tuple[TypeSpec, ...] = (),
    outputs: int = 1,
) -> None:  # fmt: skip
    """Declare the partial derivatives of ``f``, and so the reverse and forward rules that follow from them.

    Args:
        f: a function of numbers, or a ufunc.
        partials: one for each argument: a callable over ``(y, *args)``, or a constant. They must not raise
            at singular points, but give the infinity that is the limit.
        real: the partials hold for real arguments only; the derived rule declines complex ones, and a rule
            declared with `chainrules.rrule` for more specific types may take over.
        types: as for `chainrules.rrule`.
        outputs: with more than one, ``f`` returns a tuple of so many values, and each partial gives a tuple:
            the derivatives of all of them by its argument.

    Raises:
        TypeError: where no partial is given, or it can be seen that their number, or what they take, is wrong.

    >>> import numpy as np
    >>> def double_sin(x): return 2 * np.sin(x)
    >>> scalar_rule(double_sin, lambda y, x: 2 * np.cos(x))
    >>> from chainrules import rules_for, unthunk
    >>> y, back = rules_for(double_sin)[0].function(0.0)
    >>> float(back(1.0))
    2.0
    >>> def polar(x, y): return np.hypot(x, y), np.arctan2(y, x)
    >>> scalar_rule(
    ...     polar, lambda y, a, b: (a / y[0], -b / y[0] ** 2), lambda y, a, b: (b / y[0], a / y[0] ** 2), outputs=2
    ... )
    >>> [float(unthunk(bar)) for bar in rules_for(polar)[0].function(3.0, 4.0)[1]((1.0, 0.0))]
    [0.6, 0.8]
    """
    if not partials:
        raise TypeError("scalar_rule needs one partial for each argument")
    for p in partials:
        numbers = p if isinstance(p, tuple) else (p,)
        if not callable(p) and (len(numbers) != outputs or any(map(callable, numbers))):
            raise TypeError(
                f"with outputs={outputs}, a constant partial must be a tuple of {outputs} numbers, not {p!r:.60}"
            )
    codes = [p.__code__ for p in partials if hasattr(p, "__code__")]
    check_arity(f, partials)
    caller = sys._getframe(1)
    file = codes[0].co_filename if codes else caller.f_code.co_filename
    line = codes[0].co_firstlineno if codes else caller.f_lineno
    derive: Any = {1: derive_unary, 2: derive_binary}.get(len(partials), derive_any)
    if outputs > 1:
        derive = partial(derive_outputs, outputs=outputs)
    add_rule(f, Rule(by_name(f, len(partials), derive(f, partials, real)), types, file, line))
    tangent = tangent_by_name(f, len(partials), derive_tangent(f, partials, real, outputs))
    add_rule(f, Rule(derive_forward(f, partials, real, tangent), types, file, line, tangent=tangent), forward=True)
    with declaring:
        lacks = tuple([getattr(p, "reason", None) for p in partials])
        rule = ScalarRule(f, partials, real, file, line, types, outputs, lacks if any(lacks) else ())
        SCALAR_RULES[f] = rule
        if caller.f_globals.get("__name__", "").startswith("chainrules.library."):
            LIBRARY_RULES[f] = rule
        changed()


def missing_partial(reason: str) -> Callable[..., Any]:
    """Return a placeholder for a partial that is not implemented; it raises if it is needed.

    Args:
        reason: the whole message.

    Returns:
        A partial that raises `NotImplementedDerivative`. The derived reverse rule gives a `NotImplementedTangent` in
        its place.

    >>> def bessel(order, x): return x**order
    >>> missing = missing_partial("bessel has no derivative with respect to its order")
    >>> scalar_rule(bessel, missing, lambda y, v, x: v * y / x)
    >>> from chainrules import rules_for, unthunk
    >>> v_bar, x_bar = rules_for(bessel)[0].function(2, 3.0)[1](1.0)
    >>> unthunk(x_bar)
    6.0
    >>> unthunk(v_bar)
    Traceback (most recent call last):
    chainrules.tangents.NotImplementedDerivative: bessel has no derivative with respect to its order (...)
    """

    def missing(*_: Any) -> Any:
        raise NotImplementedDerivative(reason)

    missing.reason = reason  # type: ignore[attr-defined]
    return missing


def scalar_rule_for(f: Any, of_library: bool = False) -> ScalarRule | None:
    """Return the scalar rule declared for ``f``, or ``None``.

    Args:
        f: a function.
        of_library: the one of the rule library, also where another was declared since.

    >>> import numpy as np
    >>> scalar_rule_for(np.add).partials
    (1, 1)
    """
    up_to_date()
    try:
        return (LIBRARY_RULES if of_library else SCALAR_RULES).get(f)
    except TypeError:
        return None


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
