"""Scalar rules as compiled functions: the partial derivatives of a function whose rule is one line.

A partial of `chainrules.scalar_rule` is an ordinary Python function of ``(y, *args)``. Generated code calls it
compiled, where Numba can compile it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numba.np.numpy_support import as_dtype

import chainrules
from morula.eager.calls.registry import ADJOINTS, CONFIG
from morula.static.numba.faithful_vectors import faithful_vectors
from morula.static.numba.frozen import Frozen
from morula.static.numba.plain_callees import compiled

__all__ = ["Partials", "example_of", "partials_of", "result_type", "rule_of"]


@dataclass(frozen=True)
class Partials:
    """The partial derivatives of a function, ready to be called from compiled code.

    Attributes:
        functions: one per argument: a dispatcher of ``(y, *args)`` compiled for the types, or a constant.
        needs: for each the positions it reads: 0 is ``y``, 1 the first argument, and so on.
        results: the Numba type of each; ``None`` for a constant.
        frozen: what the compiled code takes for constant.
        real: whether they hold for real arguments only; otherwise for complex ones too, where the function is
            holomorphic.
    """

    functions: tuple[Dispatcher | int | float, ...]
    needs: tuple[frozenset[int], ...]
    results: tuple[Any, ...]
    frozen: Frozen
    real: bool


def partials_of(f: Any, argument_types: tuple[Any, ...], value_type: Any) -> Partials | None:
    """The partials of the scalar rule that answers for a call of ``f``, compiled.

    Args:
        f: a function or a Numba dispatcher; a rule for the Python function of the dispatcher counts too.
        argument_types: the Numba types of all arguments, numbers or arrays.
        value_type: the Numba type of the value.

    Returns:
        ``None`` where another rule, or none, answers for these types, where Numba cannot compile a partial (then
        `rule_of` is a rule nevertheless), or where a partial gives something other than a number for numbers, an array
        of as many dimensions for arrays.

    >>> import chainrules, numba
    >>> @numba.njit
    ... def square(x): return x * x
    >>> chainrules.scalar_rule(square, lambda y, x: 2 * x)
    >>> partials = partials_of(square, (numba.float64,), numba.float64)
    >>> partials.functions[0](9.0, 3.0), partials.needs
    (6.0, (frozenset({1}),))
    """
    rule = rule_of(f, argument_types)
    if not isinstance(rule, chainrules.ScalarRule) or rule.outputs != 1 or len(rule.partials) != len(argument_types):
        return None
    if rule.real and any(isinstance(_element(t), types.Complex) for t in argument_types):
        return None
    frozen = Frozen()
    functions: list[Any] = []
    results: list[Any] = []
    for partial in rule.partials:
        if not callable(partial):
            if isinstance(partial, tuple):
                return None
            functions.append(partial)
            results.append(None)
            continue
        function = compiled(partial, frozen, error_model="numpy")
        result = None if function is None else result_type(function, (value_type, *argument_types))
        if result is None or not _is_like(result, value_type):
            return None
        functions.append(function)
        results.append(result)
    return Partials(tuple(functions), rule.needs, tuple(results), frozen, rule.real)


def rule_of(f: Any, argument_types: tuple[Any, ...]) -> Any:
    """What was declared for calls of ``f`` with arguments of these types and wins over everything else.

    Returns:
        A `chainrules.ScalarRule`, `chainrules.SplitRule` or `chainrules.Rule`; for a rule of `morula.adjoint` the
        function itself; ``None`` where nothing was declared.

    >>> import math, numba
    >>> rule_of(math.sin, (numba.float64,)).f is math.sin
    True
    """
    keys = (f, f.py_func) if isinstance(f, Dispatcher) else (f,)
    for key in keys:
        if key in ADJOINTS:
            return ADJOINTS[key]
    arguments = tuple(map(example_of, argument_types))
    for key in keys:
        for rule in chainrules.candidates(key, arguments, CONFIG[0] if CONFIG else None):
            if not rule.instances:
                return _declared(key, rule)
    return None


def result_type(f: Dispatcher, argument_types: tuple[Any, ...]) -> Any:
    """What ``f`` compiled for these types returns; ``None`` where Numba refuses it."""
    try:
        with faithful_vectors():
            f.compile(argument_types)
    except NumbaError:
        return None
    return f.overloads[argument_types].signature.return_type


def example_of(t: Any) -> Any:
    """A value of a Numba type, of the class that rules name in their ``types``: they choose by classes.

    >>> import numba
    >>> example_of(numba.float64), example_of(numba.float32), example_of(numba.float64[:, :])
    (0.0, np.float32(0.0), array([], shape=(0, 0), dtype=float64))
    """
    if isinstance(t, types.Array):
        return np.empty((0,) * t.ndim, as_dtype(t.dtype))
    if isinstance(t, types.Boolean):
        return False
    if isinstance(t, types.Integer):
        return 0
    if isinstance(t, types.Number):
        return 0.0 if t == types.float64 else 0j if t == types.complex128 else as_dtype(t).type()
    if isinstance(t, types.BaseNamedTuple):
        return t.instance_class(*map(example_of, t))
    if isinstance(t, types.BaseTuple):
        return tuple(map(example_of, t))
    return None


def _declared(f: Any, rule: chainrules.Rule) -> Any:
    """The declaration that an ordinary rule was derived from, or the rule itself."""
    scalar = chainrules.scalar_rule_for(f)
    if scalar is not None and (scalar.types, scalar.file, scalar.line) == (rule.types, rule.file, rule.line):
        return scalar
    for split in chainrules.split_rules_for(f):
        if (split.types, split.file, split.line) == (rule.types, rule.file, rule.line):
            return split
    return rule


def _element(t: Any) -> Any:
    return t.dtype if isinstance(t, types.Array) else t


def _is_like(result: Any, value: Any) -> bool:
    if isinstance(value, types.Array):
        return isinstance(result, types.Number) or (isinstance(result, types.Array) and result.ndim == value.ndim)
    return isinstance(result, types.Number)
