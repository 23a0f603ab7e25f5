"""Keyword arguments that stand for positional ones."""

import inspect
import itertools
from typing import Any

import numpy as np

from chainrules import Rule
from morula.eager.calls.registry import is_library_rule

OPERANDS = frozenset([np.ndarray, list, float])  # what rules give a cotangent to, by position


def leading_keywords(f: Any, n: int, kw: dict) -> tuple[list, dict]:
    """The keywords that might as well be positional arguments after `n` others, and the rest."""
    if not kw:
        return [], kw
    try:
        parameters = list(inspect.signature(f).parameters.values())[n:]
    except (ValueError, TypeError):
        return [], kw
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    more = list(itertools.takewhile(kw.__contains__, names))
    return [kw[name] for name in more], {name: v for name, v in kw.items() if name not in more}


def operands_by_position(f: Any, rule: Rule, args: tuple, ds: tuple, kw: dict) -> tuple[tuple, tuple, dict]:
    """Arguments and shadows with the constant operands that were given by keyword, as rules take them."""
    if rule.instances or not any(type(v) in OPERANDS for v in kw.values()) or not is_library_rule(rule.function):
        return args, ds, kw
    more, left = leading_keywords(f, len(args), kw)
    return (*args, *more), (*ds, *[None] * len(more)), left
