"""What this engine offers to rules over functions: value and pullback of any function, see `chainrules.RuleConfig`."""

from collections.abc import Callable
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy as np

from chainrules import RuleConfig, is_absent
from morula.eager.calls.captured import captured_by, names_of
from morula.eager.calls.registry import CONFIG
from morula.eager.context.kinds import is_empty
from morula.eager.context.protocol import Context
from morula.eager.context.run import Run
from morula.eager.replay.imprint import changed, imprint
from morula.errors import NotDifferentiable, describe


class ReverseMode(RuleConfig):
    """The engine as rules over functions see it.

    Of what a function has captured, integers (sizes, axes) count as constants, unless they are known to be active.
    A rule declared with ``needs=("reverse",)`` gets an instance; so does `chainrules.testing.test_rrule` to
    differentiate the code of a rule a second time.

    >>> from chainrules import rrule_via
    >>> def square(x):
    ...     return x * x
    >>> y, pullback = rrule_via(ReverseMode(), square, 3.0)
    >>> y, pullback(1.0)
    (9.0, (None, 6.0))
    """

    traits = frozenset({"forward", "reverse"})

    def __init__(self, ctx: Context | None = None, args: tuple = (), shadows: tuple = ()):
        """`ctx` is the context in which a rule was called, which knows what captured variables are active.

        `args` and `shadows` are those of the call, where lists, tuples and dicts are copies.
        """
        self._ctx = ctx
        self._args, self._shadows = args, shadows
        self._known: dict[int, bool] | None = None

    def rrule_via(self, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """As `chainrules.RuleConfig.rrule_via` says.

        Raises:
            NotDifferentiable: where `f` writes into its arguments or into what it has captured: a rule over
                functions does not know of it.
        """
        with_self: bool | frozenset[str] | dict[str, Any] = True
        if isinstance(f, FunctionType):
            if self._ctx is not None:
                with_self = names_of(captured_by(self._ctx, f, "rrule_via"))
            else:  # integers that a function has captured are sizes and axes
                names = zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
                with_self = frozenset(n for n, cell in names if not (is_empty(cell) or is_size(cell.cell_contents)))
        is_static = type(f) is FunctionType and not kwargs and not with_self
        if is_static and (static := STATIC[0](f, args)) is not None:
            return static.y, static.gradients
        before = imprint(f, args, kwargs)
        start = perf_counter()
        noting = call_plainly if self._ctx is None else self._ctx.noting
        run = noting(Run, f, args, kwargs, with_self)
        seconds = perf_counter() - start
        run.watch()
        if changed(before, imprint(f, args, kwargs)):
            raise NotDifferentiable(
                f"{describe(f)}, called by a rule, writes into its arguments, its captured variables, or other "
                "reachable state"
            )
        if is_static:
            STATIC[1]("pullback", f, args, seconds, tuple(range(len(args))))
        return run.y, lambda bar: noting(run.gradients, bar)

    def frule_via(self, f: Callable[..., Any], primals: tuple, tangents: tuple, kwargs: dict[str, Any]) -> Any:
        """As `chainrules.RuleConfig.frule_via` says.

        Raises:
            NotDifferentiable: where `f` itself has a tangent.

        >>> from chainrules import frule_via
        >>> frule_via(ReverseMode(), lambda x: x * x, (3.0,), (None, 1.0))
        (9.0, 6.0)
        """
        own, *given = tangents
        if not is_absent(own):
            raise NotDifferentiable(
                f"{describe(f)}, called by a rule, has a tangent; pass the values it holds as arguments"
            )
        return JVP[0](f, primals, tuple([None if is_absent(t) else t for t in given]), **kwargs)

    def wanted(self, x: Any) -> bool:
        """As `chainrules.RuleConfig.wanted` says; of a number that lies in none of the arguments, always True."""
        if self._ctx is None:
            return True
        if self._known is None:
            self._known = {}
            note_active(self._args, self._shadows, self._known)
        is_active = self._known.get(id(x))
        if is_active is None:
            return isinstance(x, float | complex | np.number) or bool(self._ctx.reaches_active(x, set()))
        return is_active

    def __reduce__(self) -> tuple:
        return type(self), ()  # on another machine: what is active here is not known there


def note_active(x: Any, shadow: Any, activity: dict[int, bool]) -> None:
    """Note of each part of an argument, by identity, whether it has a shadow."""
    if type(shadow) is tuple and isinstance(x, tuple | list | dict):
        items, shadows = (x.values(), shadow[1]) if isinstance(x, dict) else (x, shadow)
        for v, s in zip(items, shadows, strict=True):
            note_active(v, s, activity)
    elif shadow is None and isinstance(x, tuple | list | dict):
        for v in x.values() if isinstance(x, dict) else x:
            note_active(v, None, activity)
    activity[id(x)] = activity.get(id(x), False) or shadow is not None


JVP: list[Callable[..., Any]] = []  # the verb, once it is there
STATIC: list[Callable[..., Any]] = []  # a run by a static adjoint, and what notes how long one without took


def call_plainly(f: Callable, *args: Any) -> Any:
    return f(*args)


def is_size(x: Any) -> bool:
    """Whether a value that a function has captured is an integer, or a structure without any other numbers."""
    if isinstance(x, list | tuple):
        return all(map(is_size, x))
    if isinstance(x, dict):
        return all(map(is_size, x.values()))
    return isinstance(x, int | str | None)


CONFIG.append(ReverseMode)
