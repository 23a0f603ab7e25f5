"""What the two halves of a split rule promise: arrays and hashable data between them, and the same as the whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..split import SplitRule, split_rules_for
from .calling import Call, find_call, where_from
from .layouts import frozen
from .leaves import copied, settled

__all__ = ["check_split", "split_of"]


def split_of(call: Call) -> SplitRule | None:
    """The split rule that the rule of a call was made of."""
    for split in split_rules_for(call.f):
        if split.types == call.rule.types and (split.file, split.line) == (call.rule.file, call.rule.line):
            return split
    return None


def check_split(call: Call, y_bar: Any) -> None:
    """Check the halves of the rule of a call, where it has halves.

    Raises:
        AssertionError: names the residual that is no array, or what else is wrong.
    """
    split = split_of(call)
    if split is None:
        return
    wanted = find_call(call.f, copied(call.args), call.kwargs, call.config).back(copied(y_bar))
    y, residuals, static = split.forward(*copied(call.args), **call.kwargs)
    if not isinstance(residuals, tuple):
        raise AssertionError(f"the residuals have to be a tuple, not {type(residuals).__name__}")
    for k, r in enumerate(residuals):
        if (
            not isinstance(r, (np.ndarray, np.generic, int, float, complex))
            or getattr(r, "dtype", np.dtype(float)).kind == "O"
        ):
            raise AssertionError(f"residual {k} has to be an array or a number, not {type(r).__name__}: {r!r:.80}")
    try:
        hash(static)
    except TypeError as error:
        raise AssertionError(f"the static data have to be hashable: {error}") from error
    if frozen(settled(y)) != frozen(call.y):
        raise AssertionError("the forward half gives another value than the whole rule")
    # Through a process boundary nothing survives but numbers: copies have to do.
    bars = split.pullback(tuple(copied(r) for r in residuals), static, copied(y_bar))
    bars = bars if isinstance(bars, tuple) else (bars,)
    if frozen(call.brought(bars)) != frozen(wanted):
        raise AssertionError(f"the two halves give other cotangents than the whole rule ({where_from(call.rule)})")
    _check_static(call, split, static)


def _check_static(call: Call, split: SplitRule, static: Any) -> None:
    """Static data do not depend on the numbers in the arguments."""
    from .contracts import nudged

    try:
        _, _, other = split.forward(*nudged(copied(call.args)), **call.kwargs)
    except (ValueError, ArithmeticError):
        return
    if other != static:
        raise AssertionError(f"the static data depend on the values of the arguments: {static!r}, then {other!r}")
