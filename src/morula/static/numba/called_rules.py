"""Functions with a rule of the user that compiled code calls: the rule in the form that generated code has for rules.

The adjoint that is made here is a text around the two halves of the rule (or its partials)::

    def root_adjoint(y, y_bar, a, a_bar):
        bars = backward((y,), y_bar)
        return (bars[0],)
"""

from __future__ import annotations

import inspect
import os.path
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher

import chainrules
from morula.eager.calls.registry import ADJOINTS, CONFIG
from morula.static.front.source import canonical_name
from morula.static.naming import Names
from morula.static.numba.array_rules.registry import ArrayRule
from morula.static.numba.frozen import Frozen
from morula.static.numba.generated import defined
from morula.static.numba.rule_helpers import strong_mul
from morula.static.numba.user_partials import result_type
from morula.static.numba.user_rules import Halves, Partials, halves_of, partials_of, rule_of
from morula.static.unsupported import Unsupported

__all__ = ["CalledRule", "call_ruled", "called_rule", "has_rule"]

_LIBRARY = os.path.dirname(chainrules.__file__)


@dataclass(frozen=True)
class CalledRule(ArrayRule):
    """A rule of the user in the form of those for whole-array functions.

    Attributes:
        frozen: what the compiled rule takes for constant; ``None`` where it takes nothing.
        tangent: that of `ArrayRule`; ``None`` for other rules than scalar ones.
        may_explode: a partial may be infinite where the value is finite; nothing is known of the rule.
    """

    frozen: Frozen | None = None
    may_explode: bool = True


@dataclass(frozen=True)
class _Named:
    """Stands for the function in texts."""

    __name__: str


def has_rule(f: Any) -> bool:
    """Whether the user has declared a rule for a function, whatever its types: its body is no longer what counts.

    >>> import chainrules, math, numba
    >>> @numba.njit
    ... def f(x): return x * x
    >>> before = has_rule(f)
    >>> chainrules.scalar_rule(f, lambda y, x: 2 * x)
    >>> before, has_rule(f), has_rule(math.sin)
    (False, True, False)
    """
    if not callable(f) or not isinstance(f, Hashable):
        return False
    return any(key in ADJOINTS or any(True for _ in _rules(key)) for key in _keys(f))


def call_ruled(lowering: Any, f: Any, args: list[Any], keywords: dict[str, Any], base: str, t: Any) -> Any:
    """A call of a function with a rule, as one operation of the intermediate representation."""
    from morula.static.front.operands import type_of

    form = lowering.form
    name = next((n for n, held in form.namespace.items() if held is f), None) or canonical_name(f) or "a function"
    if keywords or t is None or isinstance(t, types.NoneType) or any(hasattr(x, "items") for x in args):
        raise Unsupported(f"a call to {name}, which has a rule, with keywords or tuples, or for its effect")
    given = tuple(map(type_of, args))
    rule = form.ruled.get((f, given))
    if rule is None:
        rule = form.ruled[f, given] = called_rule(f, name, given, t, form.namespace)
    if rule is None:
        raise Unsupported(f"a call to {name}, whose rules are for other types")
    if isinstance(t, types.BaseTuple):
        return lowering.several(rule, args, base, t)
    return lowering.emit("array", args, base, t, attr=rule)


def called_rule(f: Any, name: str, argument_types: tuple[Any, ...], value_type: Any, namespace: dict[str, Any]) -> Any:
    """The rule for a call of ``f`` in compiled code.

    Args:
        f: a function for which `has_rule` holds.
        name: under which the program's namespace has it.
        argument_types: the Numba types of all arguments.
        value_type: the Numba type of the value.
        namespace: the program's; gets what the generated code calls.

    Returns:
        `CalledRule`; ``None`` where no rule answers for these types, and the body counts.

    Raises:
        Unsupported: a rule answers, and Numba does not compile it.
    """
    rule = rule_of(f, argument_types)
    if rule is None:
        return None
    parameters = _parameters(f, len(argument_types))
    partials = partials_of(f, argument_types, value_type)
    if partials is not None:
        return _of_partials(f, name, parameters, argument_types, value_type, partials)
    halves = halves_of(f, argument_types)
    if halves is None or halves.value != value_type:
        raise Unsupported(f"a call to {name}, whose rule Numba does not compile as it is written")
    _refuse_writes(name, halves, argument_types)
    own = Names(namespace)(f"{name}_value")
    namespace[own] = _value(own, halves, parameters)
    return _of_halves(own, name, parameters, argument_types, halves)


def _refuse_writes(name: str, halves: Halves, argument_types: tuple[Any, ...]) -> None:
    """Raise where a rule writes into its arguments: Numba refuses that for arrays that are only read."""
    if not any(isinstance(t, types.Array) for t in argument_types):
        return
    only_read = tuple(t.copy(readonly=True) if isinstance(t, types.Array) else t for t in argument_types)
    try:
        pair = result_type(halves.forward, only_read)
        is_refused = pair is None or result_type(halves.backward, (pair[1], halves.value)) is None
    except (AssertionError, AttributeError):  # Numba trips over in-place operators on such arrays
        is_refused = True
    if is_refused:
        raise Unsupported(f"a call to {name}, whose rule writes into its arguments")


def _of_halves(own: str, name: str, parameters: tuple[str, ...], given: tuple[Any, ...], halves: Halves) -> CalledRule:
    active = [i for i, t in enumerate(halves.cotangents) if t != types.none and _is_active(given[i])]
    first: list[str] = []
    if halves.at_hand is None:
        first, kept = [f"_, kept = forward({', '.join(parameters)})"], "kept"
    else:
        items = ["y" if p == "y" else parameters[int(p)] for p in halves.at_hand]
        kept = f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    lines = [*first, f"bars = backward({kept}, y_bar)"]
    for i in active:
        if isinstance(given[i], types.Array):
            bar = f"{parameters[i]}_bar"
            lines += [
                f"if {bar} is not None:",
                f"    if bars[{i}].shape != {bar}.shape:",
                f'        raise ValueError("the rule for {name} gave a cotangent of another shape than its argument")',
                f"    {bar} += bars[{i}]",
            ]
    numbers = [i for i in active if not isinstance(given[i], types.Array)]
    if numbers:
        lines.append(f"return ({', '.join(f'bars[{i}]' for i in numbers)},)")
    space = {"forward": halves.forward, "backward": halves.backward}
    reads = frozenset(parameters) if halves.at_hand is None else frozenset(items)
    return _made(own, parameters, active, numbers, lines, space, reads, halves.frozen, None)


def _of_partials(
    f: Any, name: str, parameters: tuple[str, ...], given: tuple[Any, ...], value: Any, partials: Partials
) -> CalledRule:
    arrays = [i for i, t in enumerate(given) if isinstance(t, types.Array)]
    complexes = {isinstance(t.dtype if isinstance(t, types.Array) else t, types.Complex) for t in (*given, value)}
    if (arrays and len(given) > 1) or len(complexes) > 1:
        raise Unsupported(f"a call to {name}, whose scalar rule meets these types in one call")
    active = [i for i, t in enumerate(given) if _is_active(t) and partials.functions[i] != 0]
    called = f"(y, {', '.join(parameters)})"
    space: dict[str, Any] = {"strong_mul": strong_mul, "conj": conj}
    lines: list[str] = []
    reads: set[str] = set()
    returned: list[str] = []
    for i in active:
        partial, bar = partials.functions[i], f"{parameters[i]}_bar"
        if isinstance(partial, Dispatcher):
            space[f"partial_{i}"] = partial
            text = f"partial_{i}{called}"
            text = f"strong_mul({f'conj({text})' if complexes == {True} else text}, y_bar)"
            reads |= {"y" if k == 0 else parameters[k - 1] for k in partials.needs[i] if k <= len(parameters)}
        else:
            text = "y_bar" if partial == 1 else f"{partial!r} * y_bar"
        if arrays:
            lines += [f"if {bar} is not None:", f"    {bar} += {text}"]
        else:
            returned.append(text)
    numbers = [] if arrays else active
    if numbers:
        lines.append(f"return ({', '.join(returned)},)")
    own = frozenset(reads)
    tangent = _tangent(name, parameters, active, value, partials) if _is_forward_too(f, given) else None
    return _made(name, parameters, active, numbers, lines or ["pass"], space, own, partials.frozen, tangent)


def _tangent(name: str, parameters: tuple[str, ...], active: list[int], value: Any, partials: Partials) -> Any:
    """The sum of the partials times the tangents of the arguments."""
    zero = "0j" if isinstance(value, types.Complex) else "np.zeros_like(y)" if isinstance(value, types.Array) else "0.0"
    lines, space = [f"y_dot = {zero}"], {"strong_mul": strong_mul, "np": np}
    for i in active:
        partial, dot = partials.functions[i], f"{parameters[i]}_dot"
        text = f"{partial!r} * {dot}"
        if isinstance(partial, Dispatcher):
            space[f"partial_{i}"] = partial
            text = f"strong_mul(partial_{i}(y, {', '.join(parameters)}), {dot})"
        lines += [f"if {dot} is not None:", f"    y_dot = y_dot + {text}"]
    dots = [f"{parameters[i]}_dot" for i in active]
    body = "\n    ".join([*lines, "return y_dot"])
    text = f"def tangent({', '.join(['y', *parameters, *dots])}):\n    {body}\n"
    return defined(text, "tangent", f"<tangent of {name}>", space)


def _is_forward_too(f: Any, given: tuple[Any, ...]) -> bool:
    """Whether the scalar rule also says the tangents: no other forward rule was declared."""
    scalar = rule_of(f, given)
    rules = [rule for key in _keys(f) for rule in chainrules.frules_for(key)]
    return bool(rules) and all((r.file, r.line) == (scalar.file, scalar.line) for r in rules)


def _made(
    name: str, parameters: tuple[str, ...], active: list[int], numbers: list[int], lines: list[str],
    space: dict[str, Any], reads: frozenset[str], frozen: Frozen, tangent: Any,
) -> CalledRule:  # fmt: skip
    bars = [f"{parameters[i]}_bar" for i in active]
    text = "\n    ".join([f"def adjoint({', '.join(['y', 'y_bar', *parameters, *bars])}):", *lines]) + "\n"
    adjoint = defined(text, "adjoint", f"<adjoint of {name}>", space)
    named: Any = _Named(name)
    return CalledRule(
        named, parameters, {}, adjoint, tangent, reads, tuple(parameters[i] for i in active),
        tuple(parameters[i] for i in numbers), frozen=frozen if frozen.names else None,
    )  # fmt: skip


def _value(own: str, halves: Halves, parameters: tuple[str, ...]) -> Dispatcher:
    """The value as the rule gives it; an array in memory of its own, for the rule may hand on an argument."""
    copied = ".copy()" if isinstance(halves.value, types.Array) else ""
    args = ", ".join(parameters)
    text = f"def {own}({args}):\n    return forward({args})[0]{copied}\n"
    return numba.njit(defined(text, own, f"<value of {own}>", {"forward": halves.forward}))


def _parameters(f: Any, n: int) -> tuple[str, ...]:
    """Names for the arguments that clash with none that the adjoint uses."""
    python = getattr(f, "py_func", f)
    try:
        names = list(inspect.signature(python).parameters)[:n]
    except (TypeError, ValueError):
        names = []
    used = {"y", "y_bar", "bars", "kept", "forward", "backward", "conj", "strong_mul", "_"}
    if len(names) != n or used & {form for name in names for form in (name, f"{name}_bar")}:
        names = [f"x{i}" for i in range(n)]
    return tuple(names)


def _keys(f: Any) -> tuple[Any, ...]:
    return (f, f.py_func) if isinstance(f, Dispatcher) else (f,)


def _rules(f: Any) -> Iterator[chainrules.Rule]:
    for rule in chainrules.rules_for(f, CONFIG[0] if CONFIG else None):
        if not (rule.instances or rule.file.startswith(_LIBRARY) or any(map(_is_subclass_of_arrays, rule.types))):
            yield rule


def _is_subclass_of_arrays(t: Any) -> bool:
    """Whether only subclasses of arrays are meant, which compiled code does not have."""
    classes = t if isinstance(t, tuple) else (t,)
    return all(isinstance(c, type) and issubclass(c, np.ndarray) and c is not np.ndarray for c in classes)


def _is_active(t: Any) -> bool:
    return isinstance(t.dtype if isinstance(t, types.Array) else t, types.Float | types.Complex)


def _conj(z: Any) -> Any:
    return z.conjugate()


conj: Any = numba.njit(_conj)
