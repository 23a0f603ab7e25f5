"""Static adjoints of functions that solvers call, made at once: the derivatives of a solution will be wanted."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from morula.static.python.pairs import MAKING, record_of
from morula.static.python.runs import generated, is_ordinary
from morula.transform.deep import deeply

__all__ = ["static_curvature", "static_pullback"]

MOST = 32  # texts of one function


def static_pullback(
    f: FunctionType, args: tuple, weights: np.ndarray, wanted: tuple[int, ...], captured: tuple[str, ...] = ()
) -> Callable[..., Any] | None:  # fmt: skip
    """What gives the sum of the numbers that `f` returns with weights, and its gradient; None where there is none.

    It is called with the arguments and the weights, and returns None where it cannot tell. The gradient is by the
    arguments at the positions `wanted` and then by the variables of these names that `f` has `captured`.
    """
    key = (wanted, captured, len(weights), *map(_kind, args))
    return _kept_run(f, key, lambda: generated(f, args, wanted, weights, captured))


def static_curvature(
    f: FunctionType, args: tuple, wanted: tuple[int, ...], captured: tuple[str, ...] = ()
) -> Callable[..., Any] | None:  # fmt: skip
    """What gives the number that `f` returns, its gradient, and the change of that; None where there is none.

    It is called with the arguments, and then the tangents of those at the positions `wanted`, which are numbers and
    arrays, and of the variables of these names that `f` has `captured`. It returns None where it cannot tell.
    """
    key = (wanted, captured, "product", *map(_kind, args))
    return _kept_run(f, key, lambda: generated(f, args, wanted, None, captured, "product"))


def _kind(x: Any) -> Any:
    return type(x), x.shape if isinstance(x, np.ndarray) else None


def _kept_run(f: FunctionType, key: Any, make: Callable[[], tuple]) -> Callable[..., Any] | None:
    """What was made for `f` and this key, with the function in front; None for what goes wrong, and if it cannot be."""
    made = record_of(f).weighted
    if key not in made:
        if len(made) >= MOST:
            made.clear()
        made[key] = None
        if is_ordinary(f):
            try:
                with MAKING:
                    made[key] = deeply(make)[0]
            except Exception:  # as in `new_pair`
                made[key] = None
    run = made[key]
    if run is None:
        return None

    def called(*given: Any) -> Any:
        try:
            return run(f, *given)
        except Exception:
            return None

    return called
