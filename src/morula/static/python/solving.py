"""Calls of solvers that give their function's derivatives in one step, without an eager run; see `RuleConfig.at_once`.

The program of such a solver is run plainly. What the solution depends on is told by identity: the numbers and arrays
that the text hands on are objects that nothing else holds, and what a program works out of them is none of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from chainrules import RuleConfig, ZeroTangent
from morula.eager.calls.registry import WAYS

__all__ = ["solved_at_once"]

FLOAT = np.dtype(float)
ATOMS = (bool, int, float, str, type(None), np.bool_, np.integer, np.floating, ModuleType)


class Elsewhere(Exception):
    """The derivatives are to be had in another way."""


def solved_at_once(
    expression: Callable[[Callable], FunctionType], program: Callable, xs: tuple, active: tuple[int, ...]
) -> tuple[Any, Callable] | None:  # fmt: skip
    """The value of an expression around the call of a solver, and its pullback; None where it is to be followed.

    Args:
        expression: gives the function of the operands in which something else is called in the solver's place.
        program: the solver's.
        xs: the operands.
        active: which of these have derivatives: numbers and arrays.
    """
    if len(set(map(id, xs))) < len(xs):
        xs = tuple([x * 1.0 if isinstance(x, float) else x for x in xs])  # each number a new object
    active = tuple([i for i in active if type(xs[i]) is not int])
    moving = {id(xs[i]): i for i in active}
    if len(moving) < len(active) or any(not _has_derivative(xs[i]) for i in active):
        return None
    config = AtOnce(moving)
    try:
        y = expression(config.running(program))(*xs)
        place = config.place_in(y)
    except Exception:  # the other way comes to it, too, or to something better
        return None
    jacobians: Any = config.jacobians

    def pullback(y_bar: Any) -> tuple:
        bar = y_bar if place is None else y_bar[place]
        bars: list[Any] = [ZeroTangent()] * len(xs)
        if bar is not None:
            for i, jacobian in jacobians:
                found = np.tensordot(bar, jacobian, np.ndim(bar)) if np.ndim(bar) else bar * jacobian
                bars[i] = found if type(bars[i]) is ZeroTangent else bars[i] + found
        return (None, *bars)

    return y, pullback


def _has_derivative(x: Any) -> bool:
    return x.dtype == FLOAT if type(x) is np.ndarray else type(x) in (float, np.float64)


class AtOnce(RuleConfig):
    """What the program of a solver is given: nothing is active but what is `moving`, by identity.

    Attributes:
        y, constant: the solution, and the identities of what else the solver has found.
        jacobians: of the solution, with the operand that each is by.
    """

    traits = frozenset({"programs"})

    def __init__(self, moving: dict[int, int]):
        self.moving = moving
        self.given: dict[int, Any] = {}
        self.y: Any = None
        self.constant: dict[int, Any] = {}
        self.jacobians: list[tuple[int, Any]] | None = None

    def running(self, program: Callable) -> Callable:
        """What is called in the place of the solver."""

        def solver(*args: Any, **named: Any) -> Any:
            self.given = {id(x): x for x in _parts((*args, *named.values()))}
            return program(self, *args, **named)

        return solver

    def plainly(self, f: Callable, *args: Any, **named: Any) -> Any:
        return f(*args, **named)

    def as_it_is(self, f: Callable) -> Callable:
        return f

    def at_once(self, solve: Callable, f: Any, x: Any, args: tuple, others: tuple, *constants: Any) -> Any:
        if self.jacobians is not None or type(f) is not FunctionType or id(f) not in self.given:
            raise Elsewhere
        if any(id(value) not in self.given for value in (*args, *others)):
            raise Elsewhere  # what the program has worked out may depend on what is active
        captured = dict(self._captured(f))
        of_others = [(g, dict(self._captured(g))) for g in others if type(g) is FunctionType]
        ways = WAYS[0].beside_others(f, x, args, captured, of_others)
        found = None if ways is None else solve(self, f, ways, args, others, *constants)
        if found is None or found[1] is None:
            raise Elsewhere
        (y, rest), jacobians = found
        self.y = y * 1.0 if isinstance(y, float) else y  # an object of its own: SciPy's zeros may be one
        self.constant = {id(part): part for part in _parts(rest)}
        of_functions = iter(of_others)
        values = [*args]
        for value in others:
            values += next(of_functions)[1].values() if type(value) is FunctionType else (value,)
        of = [self.moving.get(id(value)) for value in (*values, *captured.values())]
        terms = [(i, jacobian) for i, jacobian in zip(of, jacobians, strict=True) if i is not None]
        if not all(np.isfinite(jacobian).all() for _, jacobian in terms):
            raise Elsewhere
        self.jacobians = terms
        return self.y, rest

    def _captured(self, f: FunctionType) -> Iterator[tuple[str, Any]]:
        """The active variables that a function captures."""
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            value = cell.cell_contents
            if id(value) in self.moving:
                yield name, value
            elif type(value) is FunctionType:
                if value.__closure__ or value.__defaults__ or value.__kwdefaults__:
                    raise Elsewhere  # which may capture something active
            elif not isinstance(value, ATOMS) and type(value) is not np.ndarray:
                raise Elsewhere

    def place_in(self, y: Any) -> int | None:
        """Where the solution is in the value of an expression; None if it is that itself."""
        if self.jacobians is None:
            raise Elsewhere
        if y is self.y:
            return None
        places = [i for i, part in enumerate(y) if part is self.y] if isinstance(y, tuple) else []
        others = [part for part in y if part is not self.y] if places else []
        if len(places) != 1 or not all(id(part) in self.constant or type(part) in (bool, int, str) for part in others):
            raise Elsewhere
        return places[0]


def _parts(x: Any) -> Iterator[Any]:
    """An object and, if it is a list or a tuple, all that it holds."""
    yield x
    if isinstance(x, list | tuple):
        for part in x:
            yield from _parts(part)
