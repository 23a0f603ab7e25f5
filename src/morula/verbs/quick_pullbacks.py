"""Pullbacks of functions that a solver calls many times, by static adjoints.

See `chainrules.RuleConfig.quick_pullback`.
"""

from types import CellType, FunctionType
from typing import Any

import numpy as np

import morula.verbs.gradients as gradients
from chainrules import constant_instances
from morula.eager.calls.held import apart
from morula.eager.context.kinds import is_empty
from morula.eager.replay.imprint import changed, imprint
from morula.errors import NotDifferentiable, describe
from morula.static.python.called import static_pullback


def pullback_by_numbers(f: FunctionType, args: tuple, captured: tuple[str, ...]) -> "ByNumbers | None":
    """The pullback of ``f(*args)`` with respect to its arguments, and the variables that `f` has `captured`.

    Args:
        f: a function that returns a vector of the length of the array that moves.
        args: a number and an array in any order, which are others in each call, and of which the number is a constant;
            then what stays the same.
        captured: names of variables.

    Returns:
        None where `f` has no static adjoint.
    """
    cells, defaults = f.__closure__ or (), f.__defaults__ or ()
    left_out = f.__code__.co_argcount - len(args)
    if any(map(is_empty, cells)) or f.__kwdefaults__ or not 0 <= left_out <= len(defaults):
        return None
    given = [apart(a) for a in args[2:]]
    rest = (*given, *defaults[len(defaults) - left_out :])
    own = [
        CellType(apart(cell.cell_contents) if name in captured else cell.cell_contents)
        for name, cell in zip(f.__code__.co_freevars, cells, strict=True)
    ]
    kept = FunctionType(f.__code__, f.__globals__, f.__name__, None, tuple(own))
    first = tuple([np.array(x) if isinstance(x, np.ndarray) else float(x) for x in args[:2]])
    size = max([len(x) for x in first if isinstance(x, np.ndarray)], default=1)
    wanted = tuple([i for i in range(len(args)) if i >= 2 or isinstance(args[i], np.ndarray)])
    weighted = static_pullback(kept, (*first, *rest), np.ones(size), wanted, captured)
    return None if weighted is None else ByNumbers(kept, weighted, wanted, rest, captured)


class ByNumbers:
    """The pullback of a function of numbers, as the function was: with its own cells, and copies of arguments."""

    def __init__(
        self, f: FunctionType, weighted: Any, wanted: tuple[int, ...], rest: tuple, captured: tuple[str, ...]
    ):  # fmt: skip
        self.f, self.weighted, self.wanted, self.rest, self.captured = f, weighted, wanted, rest, captured
        self.before = imprint(f)

    def __call__(self) -> Any:
        """The pullback, for one use.

        Raises:
            NotDifferentiable: the function would compute something else by now.
        """
        if changed(self.before, imprint(self.f)):
            raise NotDifferentiable(
                f"something that {describe(self.f)} captures or reads has changed since a solver called it; pass it as "
                "an argument of the function"
            )
        return self.pullback

    def pullback(self, *given: Any) -> Any:
        """The cotangents of the arguments that have one, then of captured variables."""
        *first, y_bar = given
        found = self.weighted(*first, *self.rest, y_bar)
        return self.followed(first, y_bar) if found is None else numbers(found[1])

    def followed(self, first: list, y_bar: Any) -> Any:
        """The same by following the function."""
        y, back = gradients.pullback(self.f, *first, *self.rest, with_self=True)
        seed = y_bar if isinstance(y, np.ndarray) else type(y)(y_bar.tolist() if np.ndim(y) else y_bar[0])
        own, *bars = back.with_self(seed)
        return numbers((*[bars[i] for i in self.wanted], *[getattr(own, name, None) for name in self.captured]))


def numbers(bars: Any) -> Any:
    """Cotangents with zeros where there is none."""
    return tuple([0.0 if bar is None else bar for bar in bars])


constant_instances(ByNumbers)
