"""What a callable means: decided once for each, as of the declarations that stand."""

import math
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

import chainrules
from chainrules import ScalarRule, scalar_rule_for
from morula.eager.calls.registry import (
    ADJOINTS,
    CONFIG,
    FORGET,
    STRUCTURAL,
    SUBSTITUTES,
    Handler,
    is_library_rule,
)
from morula.eager.context.kinds import (
    HASHABLE_CALLABLES,
    is_cython_function,
    is_generated_init,
    is_hashable,
    is_library_code,
)
from morula.static.tiers.dispatch import is_compiled_class, is_decorator


class Meaning:
    """What was declared of a callable, and what follows from it.

    Attributes:
        adjoint: a rule of this engine.
        handler: the engine's own meaning of it.
        constant: whether it was declared non-differentiable.
        rules: the rules that may answer for it, the most specific first; of those over functions only what the engine
            has no means of its own for.
        substitute, program: a Python function with the same meaning, of the engine or of the library of rules.
        scalar: the scalar rule that answers for numbers and arrays of all kinds.
        array_rule: of a function of arrays, the rule of the library that answers all calls, where nothing else decides.
        is_plain: it is a Python function of which nothing but its code says what it means.
        ways: what runs for calls with a new list, and with one to three plain arguments, or "general", once that is
            decided.
        steps: what a call is asked for, in order, once that is decided (`steps`).
    """

    __slots__ = (
        "adjoint", "array_rule", "code", "constant", "handler", "is_plain", "of", "program", "rules", "scalar",
        "steps", "substitute", "ways",
    )  # fmt: skip

    def __init__(self, f: Any):
        key = f if is_hashable(f) else None
        self.adjoint: Callable | None = ADJOINTS.get(key)
        self.handler: Handler | None = STRUCTURAL.get(key)
        self.substitute: FunctionType | None = SUBSTITUTES.get(key)  # type: ignore[assignment]
        self.constant = chainrules.is_non_differentiable(key)
        self.program = chainrules.program_of(key)
        self.rules = _rules_for(f, self.substitute is not None)
        self.scalar = self._scalar(f)
        self.array_rule = self._only_rule(f) if scalar_rule_for(key) is None else None
        self.code = f.__code__ if type(f) is FunctionType else None
        declared = self.adjoint or self.handler or self.constant or self.rules or self.substitute or self.program
        self.is_plain = (
            self.code is not None
            and not declared
            and not (is_library_code(f) or is_decorator(f) or is_generated_init(f))
        )
        self.ways: list[Any] = [None, None, None, None]
        self.steps: tuple[Callable[..., Any], ...] | None = None
        self.of: Callable[[], Any] = lambda: f

    def _scalar(self, f: Any) -> ScalarRule | None:
        if not self.rules or self.adjoint is not None or self.handler is not None:
            return None
        rule = scalar_rule_for(f)
        if rule is None or rule.types or rule.outputs > 1 or len(self.rules) > 2 or chainrules.is_opted_out(f, (0.0,)):
            return None
        return rule

    def _only_rule(self, f: Any) -> Callable | None:
        if len(self.rules) != 1 or self.adjoint is not None or self.handler is not None or self.constant:
            return None
        (rule,) = self.rules
        if rule.types or rule.instances or not is_library_rule(rule.function) or chainrules.has_opt_outs(f):
            return None
        return rule.function


# Functions that take other arguments too, so that their rules are not scalar ones: numbers have those of NumPy's.
AS_NUMPY: dict[Any, Any] = {math.log: np.log, math.hypot: np.hypot}


def number_rule(f: Any) -> ScalarRule | None:
    """The partial derivatives of a function of real numbers, if it has them."""
    rule = scalar_rule_for(f)
    return rule if rule is not None else scalar_rule_for(AS_NUMPY.get(f), of_library=True)


_known: tuple[tuple[int, int], dict[int, Meaning]] = ((-1, 0), {})  # by identity; replaced where declarations changed


def meaning_of(f: Any) -> Meaning:
    """What a callable means.

    A thread that decides by declarations which another one has replaced meanwhile puts its decision into a table that
    nobody looks at any more.
    """
    global _known
    version = (chainrules.registry_version(), len(CONFIG))
    if _known[0] != version:
        _known = (version, {})
    table, key = _known[1], id(f)
    found = table.get(key)
    if found is not None and found.of() is f and (found.code is None or found.code is f.__code__):
        return found
    found = Meaning(f)
    is_kept = stays(f) or (found.rules and not type(f).__weakrefoffset__)  # by its rules, as functions of `scipy.fft`
    is_declared = found.rules or found.handler or found.adjoint or found.substitute or found.program
    if is_kept or (type(f) is BuiltinFunctionType and not is_declared):  # a passing one until it is gone
        if type(f).__weakrefoffset__:
            found.of = weakref.ref(f, lambda _: table.pop(key, None))
        table[key] = found
    return found


def stays(f: Any) -> bool:
    """Whether a callable is no passing one, as methods bound to objects are, and ufuncs that a program makes."""
    if type(f) is np.ufunc:
        return any("O" not in types for types in f.types)
    if is_compiled_class(type(f)):
        return True
    if type(f) in HASHABLE_CALLABLES or is_cython_function(type(f)):
        return isinstance(getattr(f, "__self__", None), ModuleType | None)
    return chainrules.is_constant(f) and type(f).__weakrefoffset__ > 0


def _forget(f: Any) -> None:
    _known[1].clear()  # those of methods that are equal to it, too


FORGET.append(_forget)


def is_plain_function(f: FunctionType) -> bool:
    """Whether nothing but its code says what a Python function means: no rule, no handler, no library."""
    return meaning_of(f).is_plain


def rules_of(f: Any) -> tuple[chainrules.Rule, ...]:
    """The rules that may answer for ``f``."""
    return meaning_of(f).rules


def has_rule(f: Any) -> bool:
    """Whether a rule of this engine, or of any, may answer for a callable."""
    meaning = meaning_of(f)
    return meaning.adjoint is not None or bool(meaning.rules)


def _rules_for(f: Any, has_substitute: bool) -> tuple[chainrules.Rule, ...]:
    rules = chainrules.rules_for(f, CONFIG[0] if CONFIG else None)
    if has_substitute and any(rule.needs and is_library_rule(rule.function) for rule in rules):
        return tuple([r for r in rules if not (r.needs and is_library_rule(r.function))])
    return rules
