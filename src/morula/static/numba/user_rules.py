"""Rules of the user inside generated code: scalar rules as compiled partials, other rules cut in two halves.

A rule that Numba cannot compile as it is written answers nevertheless: the call is then left to the eager tier.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numba
from numba.core import types
from numba.core.dispatcher import Dispatcher

import chainrules
from morula.static.numba.frozen import Frozen, read_names
from morula.static.numba.generated import defined
from morula.static.numba.plain_callees import compiled, namespace_of
from morula.static.numba.split_source import split_source
from morula.static.numba.user_partials import Partials, partials_of, result_type, rule_of

__all__ = ["Halves", "Partials", "halves_of", "partials_of", "rule_of"]

_OPTIONS: dict[str, Any] = {"error_model": "python"}  # a rule raises what it would raise plainly


@dataclass(frozen=True)
class Halves:
    """A reverse rule as two compiled functions.

    Attributes:
        forward: ``forward(*args) -> (y, kept)``. Arrays in ``kept`` may be the arguments, or views of them: whoever
            writes into those before the way back has to keep copies.
        backward: ``backward(kept, y_bar) -> cotangents``: a tuple with a number for a number, an array of as many
            dimensions for an array, ``None`` where there is no cotangent. They are natural: of the dtype and the shape
            that the rule gives them.
        value: the Numba type of ``y``.
        kept: the Numba type of ``kept``, a tuple.
        cotangents: the Numba types of the cotangents; `numba.types.none` for none.
        frozen: what the compiled code takes for constant.
        source: the text of both.
        at_hand: for each of ``kept`` where else it is: ``"y"``, or the position of an argument; ``None`` where only
            ``forward`` has them.
    """

    forward: Dispatcher
    backward: Dispatcher
    value: Any
    kept: Any
    cotangents: tuple[Any, ...]
    frozen: Frozen
    source: str
    at_hand: tuple[str | int, ...] | None = None


def halves_of(f: Any, argument_types: tuple[Any, ...]) -> Halves | None:
    """The rule that answers for a call of ``f``, as two compiled functions.

    Args:
        f: a function or a Numba dispatcher; a rule for the Python function of the dispatcher counts too.
        argument_types: the Numba types of all arguments.

    Returns:
        ``None`` where no rule, or a scalar rule, answers for these types, and where the rule cannot be compiled: see
        `morula.static.numba.split_source` for what it may look like. `rule_of` tells the two apart.

    >>> import chainrules, numba
    >>> @numba.njit
    ... def root(a):
    ...     x = a
    ...     for _ in range(60):
    ...         x = (x + a / x) / 2
    ...     return x
    >>> @chainrules.rrule(root)
    ... def root_rule(a):
    ...     x = root(a)
    ...     return x, lambda x_bar: x_bar / (2 * x)
    >>> halves = halves_of(root, (numba.float64,))
    >>> y, kept = halves.forward(4.0)
    >>> y, halves.backward(kept, 1.0)
    (2.0, (0.25,))
    """
    rule = rule_of(f, argument_types)
    frozen = Frozen()
    if isinstance(rule, chainrules.SplitRule):
        made = _from_split_rule(rule, len(argument_types), frozen)
    elif isinstance(rule, chainrules.Rule):
        made = None if rule.needs else _from_source(rule.function, len(argument_types), frozen)
    else:
        made = None if isinstance(rule, chainrules.ScalarRule) else _from_source(rule, len(argument_types), frozen)
    if made is None:
        return None
    forward, backward, source, at_hand = made
    pair = result_type(forward, argument_types)
    if not isinstance(pair, types.BaseTuple) or len(pair) != 2 or not isinstance(pair[1], types.BaseTuple):
        return None
    value, kept = pair
    cotangents = result_type(backward, (kept, value))
    if not isinstance(cotangents, types.BaseTuple) or len(cotangents) != len(argument_types):
        return None
    if not all(map(_fits, cotangents, argument_types)):
        return None
    return Halves(forward, backward, value, kept, tuple(cotangents), frozen, source, at_hand)


_Made = tuple[Dispatcher, Dispatcher, str, tuple[str | int, ...] | None]


def _from_source(rule: Any, arguments: int, frozen: Frozen) -> _Made | None:
    if not isinstance(rule, FunctionType):
        return None
    halves = split_source(rule)
    if halves is None or len(halves.parameters) != arguments:
        return None
    code = compile(halves.text, f"<rule {rule.__qualname__}, line {rule.__code__.co_firstlineno}>", "exec")
    names = {halves.forward, halves.backward}
    space = namespace_of(rule, set(read_names(code)) - names, frozen, **_OPTIONS)
    if space is None:
        return None
    return *_defined(halves.text, code.co_filename, space, halves.forward, halves.backward), halves.at_hand


_SPLIT = """\
def rule_forward({args}):
    y, residuals, static = forward({args})
    return y, (residuals, static)

def rule_backward(kept, y_bar):
    return {value}
"""


def _from_split_rule(rule: chainrules.SplitRule, arguments: int, frozen: Frozen) -> _Made | None:
    forward, pullback = compiled(rule.forward, frozen, **_OPTIONS), compiled(rule.pullback, frozen, **_OPTIONS)
    if forward is None or pullback is None:
        return None
    # A pullback of one argument may give its cotangent bare; one that gives a tuple is then no match for the types.
    value = "(pullback(*kept, y_bar),)" if arguments == 1 else "pullback(*kept, y_bar)"
    text = _SPLIT.format(args=", ".join(f"x{i}" for i in range(arguments)), value=value)
    space = {"forward": forward, "pullback": pullback}
    return *_defined(text, f"<split rule, line {rule.line}>", space, "rule_forward", "rule_backward"), None


def _defined(
    text: str, filename: str, space: dict[str, Any], forward: str, backward: str
) -> tuple[Dispatcher, Dispatcher, str]:
    compile_it = numba.njit(**_OPTIONS)
    return compile_it(defined(text, forward, filename, space)), compile_it(space[backward]), text


def _fits(cotangent: Any, argument: Any) -> bool:
    """Whether a cotangent can be added to that of the argument as it is."""
    if cotangent == types.none:
        return True
    if isinstance(argument, types.Array):
        same = isinstance(cotangent, types.Array) and cotangent.ndim == argument.ndim
        return same and _is_complex(cotangent.dtype) <= _is_complex(argument.dtype)
    is_number = isinstance(argument, types.Number) and isinstance(cotangent, types.Number)
    return is_number and _is_complex(cotangent) <= _is_complex(argument)


def _is_complex(t: Any) -> bool:
    return isinstance(t, types.Complex)
