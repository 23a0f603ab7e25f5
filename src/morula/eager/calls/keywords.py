"""Keyword arguments that stand for positional ones."""

import functools
import inspect
import itertools
from typing import Any

import numpy as np

from chainrules import Rule
from morula.eager.calls.registry import is_library_rule

OPERANDS = frozenset([np.ndarray, list, float])  # what rules give a cotangent to, by position


def leading_keywords(f: Any, n: int, kw: dict) -> tuple[list, dict]:
    """The keywords that might as well be positional arguments after `n` others, and the rest."""
    return split(positional_names(f), n, kw) if kw else ([], kw)


def positional_names(f: Any) -> tuple[str | None, ...]:
    """The names of the parameters of a function, in order; None for one that has to be given by position or keyword."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (ValueError, TypeError):
        return ()
    return tuple([p.name if p.kind is p.POSITIONAL_OR_KEYWORD else None for p in parameters])


names_of_library = functools.lru_cache(maxsize=1000)(positional_names)


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
