"""Static adjoints of functions that solvers call, made at once: the derivatives of a solution will be wanted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cached_property
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.registry import WAYS
from morula.static.python.pairs import MAKING, record_of
from morula.static.python.runs import USUAL, generated, is_ordinary
from morula.transform.deep import deeply

__all__ = ["Ways", "static_curvature", "static_pullback", "static_slopes"]

MOST = 32  # texts of one function
FLOAT = np.dtype(float)
VARIADIC = CO_VARARGS | CO_VARKEYWORDS


class Unknown(Exception):
    """A static adjoint cannot tell."""


class Ways:
    """What a solver's function is differentiated by, as often as one likes, where static adjoints can tell.

    Cotangents are those of all arguments, 0.0 of constants, then of the active variables that the function captures.

    Args:
        f: the function.
        args: what its arguments are like.
        captured: those variables, by name.

    Attributes:
        others: the same of the functions among what else a solution depends on.
        count: how many numbers the function returns, where these are not as many as the first argument has.
    """

    others: tuple[Ways, ...] = ()
    count: int | None = None

    @classmethod
    def of(cls, f: FunctionType, x: Any, args: tuple, captured: dict[str, Any]) -> Ways | None:
        """Those of `RuleConfig.at_once`; None of a function that does not take its arguments by position, and no more.

        Args:
            x: what the first argument is like; a tuple: the first arguments.
            args: the others.
        """
        given = (*(x if type(x) is tuple else (x,)), *args)
        code = f.__code__
        fits = not f.__kwdefaults__ and code.co_argcount == len(given) and not code.co_flags & VARIADIC
        return cls(f, given, captured) if fits else None

    @classmethod
    def beside_others(
        cls, f: FunctionType, x: Any, args: tuple, captured: dict[str, Any], others: list[tuple[FunctionType, dict]]
    ) -> Ways | None:
        """Those of `f` with those of other functions, of one number, each with what it has captured; None as there."""
        found = cls.of(f, x, args, captured)
        of_others = [cls.of(g, 0.5, (), of_g) for g, of_g in others]
        if found is None or None in of_others:
            return None
        found.others = tuple([ways for ways in of_others if ways is not None])
        return found

    def __init__(self, f: FunctionType, args: tuple, captured: dict[str, Any]):
        self.f, self.args, self.names = f, args, tuple(captured)
        self.wanted = tuple([i for i, a in enumerate(args) if np.asarray(a).dtype == FLOAT])
        self.constants = [i for i in range(len(args)) if i not in self.wanted]
        moving = [*[args[i] for i in self.wanted[1:]], *captured.values()]
        self.still = [np.zeros(x.shape) if type(x) is np.ndarray else 0.0 for x in moving]

    @cached_property
    def _pullback(self) -> Callable[..., Any]:
        n = np.size(self.args[0]) if self.count is None else self.count
        return _known(static_pullback(self.f, self.args, np.ones(n), self.wanted, self.names))

    @cached_property
    def _slopes(self) -> Callable[..., Any]:
        return _known(static_slopes(self.f, self.args, self.wanted, self.names))

    @cached_property
    def _curvature(self) -> Callable[..., Any]:
        weights = None if self.count is None else np.ones(self.count)
        return _known(static_curvature(self.f, self.args, self.wanted, self.names, weights))

    def reach(self, order: int, many: bool = False) -> bool:
        """Whether there is a way to derivatives of this order; `many` asks for the `slopes`."""
        try:
            if many:
                return self._slopes is not None
            return self._pullback is not None if order == 1 else self._curvature is not None
        except Unknown:
            return False

    def beside(self, x: Any) -> Ways:
        """The same with another second argument, which is like it."""
        found = copy.copy(self)
        found.args = (self.args[0], x, *self.args[2:])
        return found

    def of_many(self, n: int) -> Ways:
        """Those of a function that returns `n` numbers."""
        found = type(self)(self.f, self.args, dict.fromkeys(self.names))
        found.still, found.count = self.still, n
        return found

    def pullback(self, x: Any, y_bar: np.ndarray) -> list:
        """The cotangents of a call with `x` as the first argument."""
        return self._completed(_known(self._pullback(x, *self.args[1:], y_bar))[1])

    def slopes(self, xs: list) -> tuple[np.ndarray, list]:
        """The numbers that calls give, with each of `xs` as the first argument; their derivatives, stacked."""
        found = _known(self._slopes(xs, *self.args[1:], np.ones(1)))
        if None in found:
            raise Unknown
        ys, bars = zip(*found, strict=True)
        return np.array(ys), self._completed(map(_stacked, zip(*bars, strict=True)), np.zeros(len(xs)))

    def curvature(self, x: Any, x_dot: Any, weights: np.ndarray | None = None) -> tuple[list, list]:
        """The gradient of a call that gives a number, and the change of that along a tangent of `x`.

        Of one that gives `count` numbers, these of their sum with weights.
        """
        given = self.args[1:] if weights is None else (*self.args[1:], weights)
        with np.errstate(**USUAL):  # in which it runs, also where a text around it has errors raised
            _, bars, changes = _known(self._curvature(x, *given, x_dot, *self.still))
        return self._completed(bars), self._completed(changes)

    def _completed(self, bars: Any, absent: Any = 0.0) -> list:
        found = [0.0 if bar is None else bar for bar in bars]
        for i in self.constants:
            found.insert(i, absent)
        return found


WAYS.append(Ways)


def _stacked(bars: tuple) -> np.ndarray:
    """Cotangents of many calls, along a new first axis."""
    found = [bar for bar in bars if bar is not None]
    if len(found) == len(bars):
        return np.array(bars)
    absent = 0.0 * found[0] if found else 0.0
    return np.array([absent if bar is None else bar for bar in bars])


def _known(found: Any) -> Any:
    if found is None:
        raise Unknown
    return found


def static_pullback(
    f: FunctionType, args: tuple, weights: np.ndarray, wanted: tuple[int, ...], captured: tuple[str, ...] = ()
) -> Callable[..., Any] | None:  # fmt: skip
    """What gives the sum of the numbers that `f` returns with weights, and its gradient; None where there is none.

    It is called with the arguments and the weights, and returns None where it cannot tell. The gradient is by the
    arguments at the positions `wanted` and then by the variables of these names that `f` has `captured`.
    """
    key = (wanted, captured, len(weights), *map(_kind, args))
    return _kept_run(f, key, lambda: generated(f, args, wanted, weights, captured))


def static_slopes(
    f: FunctionType, args: tuple, wanted: tuple[int, ...], captured: tuple[str, ...] = ()
) -> Callable[..., Any] | None:  # fmt: skip
    """What gives the number that `f` returns, and its gradient, for each of many first arguments; None if nothing does.

    It is called with a list of floats, the other arguments, and an array of 1.0.
    """
    key = (wanted, captured, "slopes", *map(_kind, args))
    return _kept_run(f, key, lambda: generated(f, args, wanted, np.ones(1), captured, is_repeated=True))


def static_curvature(
    f: FunctionType, args: tuple, wanted: tuple[int, ...], captured: tuple[str, ...] = (),
    weights: np.ndarray | None = None,
) -> Callable[..., Any] | None:  # fmt: skip
    """What gives the number that `f` returns, its gradient, and the change of that; None where there is none.

    With `weights`, of several numbers the sum with weights.

    It is called with the arguments, the weights if there are any, and then the tangents of those at the positions
    `wanted`, which are numbers and arrays, and of the variables of these names that `f` has `captured`. It returns None
    where it cannot tell.
    """
    key = (wanted, captured, "product", None if weights is None else len(weights), *map(_kind, args))
    return _kept_run(f, key, lambda: generated(f, args, wanted, weights, captured, "product"))


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
