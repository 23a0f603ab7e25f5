"""Callbacks of solvers, which keep a history or print: called once the solver is done, with what it would have given.

A solver is called plainly, and nobody would know what a callback stores meanwhile. So it runs afterwards, as code of
the program. What it gets are iterates. They depend on the data in a way that no rule knows: a derivative that needs
one of them raises, or is NaN in forward mode.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules import rrule
from ...tangents import NotImplementedDerivative, NotImplementedTangent
from ..forward import forward
from .solutions import with_values

Calls = list[tuple[tuple[Any, ...], dict[str, Any]]]


def found_by(config: Any, solver: Callable[..., Any], *args: Any, **named: Any) -> tuple[Any, Calls]:
    """What a solver finds, called plainly, and with what it would have called the one that is named ``callback``."""
    if named.get("callback") is None:
        return config.plainly(solver, *args, **named), []
    return config.plainly(noted_calls, solver, args, named)


def noted_calls(solver: Callable[..., Any], args: Any, named: dict[str, Any]) -> tuple[Any, Calls]:
    calls: Calls = []

    def note(*given: Any, **given_by_name: Any) -> None:
        calls.append(copy.deepcopy((given, given_by_name)))

    note.__wrapped__ = named["callback"]  # type: ignore[attr-defined]  # SciPy asks for the names of its parameters
    return solver(*args, **{**named, "callback": note}), calls


def tell(callback: Any, calls: Calls, solution: Any) -> None:
    """Call ``callback`` as a solver did; ``solution`` is what the iterates lead to, with its derivatives.

    Raises:
        NotImplementedDerivative: it wants to end the iterations.
    """
    for args, named in calls:
        try:
            stop = callback(
                *[of_iteration(x, solution) for x in args], **{k: of_iteration(x, solution) for k, x in named.items()}
            )
        except StopIteration:
            stop = True
        if stop is True:
            raise NotImplementedDerivative(
                "the callback stopped the iterations, so there is no solution to differentiate"
            )


def of_iteration(given: Any, solution: Any) -> Any:
    if isinstance(given, dict):  # an `OptimizeResult`
        return with_values(given, **{name: iterate(given[name], solution) for name in ("x", "fun") if name in given})
    return iterate(given, solution) if isinstance(given, np.ndarray | float) else given


def iterate(x: Any, solution: Any) -> Any:
    """``x``, of which nobody knows how it depends on what the solution depends on."""
    return x * 1.0


@rrule(iterate)
def iterate_rule(x: Any, solution: Any) -> Any:
    def iterate_pullback(x_bar: Any) -> Any:
        if not np.any(x_bar):
            return None, np.zeros(np.shape(solution))
        return None, NotImplementedTangent("an iterate that a solver gave to its callback has no derivative")

    return iterate(x, solution), iterate_pullback


@forward(iterate, 1)
def iterate_forward(y: Any, dots: Any, x: Any, solution: Any) -> Any:
    """Not a number, as are the derivatives of this tangent: whether it matters will be seen."""
    return np.sum(dots[0]) * (np.full(np.shape(x), np.nan) if np.ndim(x) else np.nan)
