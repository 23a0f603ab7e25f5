"""Keyword arguments that stand for positional ones."""

import functools
import inspect
import itertools
from typing import Any

import numpy as np

from chainrules import Rule
from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.registry import is_library_rule
from morula.eager.context.signatures import signature_of
from morula.errors import NotDifferentiable, describe

OPERANDS = frozenset([np.ndarray, list, float])  # what rules give a cotangent to, by position


def leading_keywords(f: Any, n: int, kw: dict) -> tuple[list, dict]:
    """The keywords that might as well be positional arguments after `n` others, and the rest."""
    return split(positional_names(f), n, kw) if kw else ([], kw)


def positional_names(f: Any) -> tuple[str | None, ...]:
    """The names of the parameters of a function, in order; None for one that has to be given by position or keyword."""
    try:
        parameters = signature_of(f).parameters.values()
    except (ValueError, TypeError):
        return ()
    return tuple([p.name if p.kind is p.POSITIONAL_OR_KEYWORD else None for p in parameters])


names_of_library = functools.lru_cache(maxsize=1000)(positional_names)
signature_of_library = functools.lru_cache(maxsize=1000)(signature_of)


def split(names: tuple[str | None, ...], n: int, kw: dict) -> tuple[list, dict]:
    """The keywords that continue `n` arguments of a function with these parameters, and the rest."""
    more = list(itertools.takewhile(kw.__contains__, [name for name in names[n:] if name is not None]))
    return [kw[name] for name in more], {name: v for name, v in kw.items() if name not in more}


def operands_by_position(f: Any, rule: Rule, args: tuple, ds: tuple, kw: dict) -> tuple[tuple, tuple, dict]:
    """Arguments and shadows with the constant operands that were given by keyword, as rules take them."""
    if rule.instances or not any(type(v) in OPERANDS for v in kw.values()) or not is_library_rule(rule.function):
        return args, ds, kw
    more, left = split(names_of_library(f), len(args), kw)
    return (*args, *more), (*ds, *[None] * len(more)), left


def positional(
    f: Any, active: list[str], args: tuple, ds: tuple, kw: dict, kw_d: dict
) -> tuple[tuple, tuple, dict, dict]:  # fmt: skip
    """Active keyword arguments made positional, so that a rule gives them a cotangent."""
    try:
        rules = meaning_of(f).rules
        of_library = bool(rules) and is_library_rule(rules[0].function)
        known = signature_of_library if of_library else signature_of
        told = rules[0].signature(*args) if rules and rules[0].signature else known(f)
        parameters = list(told.parameters.values())
        if rules and rules[0].instances and not rules[0].signature:  # the instance comes first in `args`
            parameters.insert(0, inspect.Parameter("instance", inspect.Parameter.POSITIONAL_ONLY))
    except (ValueError, TypeError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    last = max((names.index(k) for k in active if k in names), default=-1)
    if any(k not in names for k in active):
        k = next(k for k in active if k not in names)
        raise NotDifferentiable(
            f"{describe(f)} was given an active value as the keyword argument {k!r}, "
            "which its rule cannot differentiate; pass it by position if it is a positional argument"
        )
    values, shadows, rest = list(args), list(ds), dict(kw)
    for name in names[len(args) : last + 1]:
        parameter = next(p for p in parameters if p.name == name)
        if name in rest:
            values.append(rest.pop(name))
            shadows.append(kw_d.get(name))
        elif parameter.default is parameter.empty:
            f(*args, **kw)  # raises
            raise NotDifferentiable(f"{describe(f)} was called without its argument {name!r}")
        else:
            values.append(parameter.default)
            shadows.append(None)
    return tuple(values), tuple(shadows), rest, {}
