"""What an engine can do, and how a rule over functions asks for it.

A rule for ``map`` or for a solver has to differentiate a function it is given. It cannot know how: that is
the engine's matter. So it says what it needs (``rrule(map, needs=("reverse",))``), is handed the engine's
`RuleConfig`, and asks `rrule_via` for value and pullback of the function.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

from .declarations import is_non_differentiable
from .lookup import candidates, frules_for, rules_for
from .projection import project
from .rules import Rule
from .tangents import AbstractTangent, NoTangent, NotImplementedTangent, Thunk, ZeroTangent, unthunk

__all__ = ["RuleConfig", "frule_via", "rrule_via"]


class RuleConfig:
    """What an engine can do. An engine derives a class and hands an instance to the rules that need it.

    Attributes:
        traits: names of what the engine can do. ``"reverse"``: `rrule_via` works for any function;
            ``"forward"``: `frule_via` does; ``"programs"``: `chainrules.program` is followed, in which the methods
            `plainly`, `take_state`, `orders`, `gradient`, `jvp`, `jacobian`, `hessian_products`, `quick_pullback`,
            `at_once`, `as_it_is` and `nearby` are called. An engine may have traits of its own.

    >>> class Tracer(RuleConfig):
    ...     traits = frozenset({"reverse"})
    ...     def rrule_via(self, f, args, kwargs):
    ...         return f(*args, **kwargs), lambda y_bar: (None, *(y_bar for _ in args))
    >>> def keep(x): return x
    >>> rrule_via(Tracer(), keep, 2.0)[1](3.0)
    (None, 3.0)
    """

    traits: frozenset[str] = frozenset()

    def rrule_via(self, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Value and pullback of a call for which there is no rule.

        Returns:
            ``(y, pullback)``; the pullback gives the cotangent of ``f`` itself (of what it has captured; absent
            for a plain function) and then one for each positional argument.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot differentiate in reverse mode")

    def frule_via(
        self, f: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Value and tangent of a call for which there is no forward rule.

        Args:
            f: the function.
            primals: its positional arguments.
            tangents: first that of ``f`` itself, then one for each argument.
            kwargs: its keyword arguments.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot differentiate in forward mode")

    def wanted(self, x: Any) -> bool:
        """Whether a derivative with respect to an argument of the rule's call, or by something in it, may be asked for.

        A rule that pays for each cotangent looks here first: it may give None for what is not wanted. An engine that
        does not know says True.

        >>> RuleConfig().wanted(1.0)
        True
        """
        return True

    def plainly(self, f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """``f(*args, **kwargs)`` as a constant, whatever it was computed from."""
        raise NotImplementedError(f"{type(self).__name__} does not support programs")

    def take_state(self, obj: Any, state: dict[str, Any]) -> None:
        """Give ``obj`` attributes, which are constants."""
        raise NotImplementedError(f"{type(self).__name__} does not support programs")

    def orders(self) -> int:
        """How many derivations go on: the order up to which derivatives are needed."""
        raise NotImplementedError(f"{type(self).__name__} does not support programs")

    def gradient(self, f: Callable[..., Any], *args: Any) -> Any:
        """The gradients of the number ``f(*args)``, one for each argument, None where there is none; differentiable."""
        raise NotImplementedError(f"{type(self).__name__} does not support programs")

    def jvp(self, f: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        """Value and tangent of ``f(*primals)``; differentiable. A tangent of None stands for a constant."""
        raise NotImplementedError(f"{type(self).__name__} does not support programs")

    def jacobian(self, f: Callable[..., Any], *args: Any) -> Any:
        """The Jacobians of an array by each argument, None where there is none."""
        raise NotImplementedError(f"{type(self).__name__} does not support programs")

    def quick_pullback(self, f: Callable[..., Any], args: tuple[Any, ...], constants: tuple[Any, ...]) -> Any:
        """A pullback of ``f(*args)``, a vector, for many calls with other values of the first two arguments.

        Args:
            f: the function.
            args: a number and an array in any order, which move, and what stays the same.
            constants: what must not be active.

        Returns:
            ``(start, captured)``: the latter are the active variables that ``f`` captures; the former, to be called
            before each use, gives ``pullback(*first, y_bar)``. It returns the cotangents of the arguments, without that
            of the number, then those of ``captured``. None where there is no quick one, the first derivative in reverse
            is not what is wanted, or the number or one of the constants is active.
        """
        return None

    def at_once(
        self, solve: Callable[..., Any], f: Callable[..., Any], x: Any, args: tuple[Any, ...], others: tuple[Any, ...],
        *constants: Any,
    ) -> Any:  # fmt: skip
        """What a solver finds, with its first derivatives; None where they cannot be had in one step.

        Args:
            solve: called plainly as ``solve(config, f, ways, args, others, *constants)``. ``ways.pullback(x, y_bar)``
                gives the cotangents of ``f(x, *args)``: of `x`, of each of `args`, and of the active variables that `f`
                captures; ``ways.curvature(x, x_dot)`` these for a number, and how they change along `x_dot`;
                ``ways.slopes(xs)`` the values, and the former cotangents stacked, of ``f(x, *args)``, a number, for a
                list of floats. ``ways.reach(order)``, or ``ways.reach(1, many=True)`` of these, tells beforehand
                whether there are derivatives of that order; ``ways.beside(z)`` are those with another second argument,
                and ``ways.others`` those of the functions among `others`; ``ways.of_many(n)`` are those of a function
                that returns `n` numbers, and ``ways.curvature(x, x_dot, weights)`` then that of their sum with weights.
                It returns ``((y, rest), jacobians)``: a number or an array, what else is to be returned, and the
                Jacobians of the former by each of `args`, of `others` (in the place of a function by the active
                variables that it captures), and by the captured variables, or None in place of these where the
                derivatives are to be had in another way; or None.
            f: the function that the solver calls.
            x: what its first argument is like; a tuple: its first arguments.
            args: its other arguments.
            others: what else the solution depends on: numbers, arrays, and functions of one number.
            constants: what its derivatives do not depend on.

        Returns:
            ``(y, rest)``.
        """
        return None

    def as_it_is(self, f: Callable[..., Any]) -> Callable[..., Any] | None:
        """`f` with what it captures now, for a rule that calls it when a cotangent comes.

        None where more than that will be wanted, or where it reads what may be another thing by then.
        """
        return None

    def nearby(self, f: Callable[..., Any]) -> Callable[..., Any] | None:
        """A function as `f` is when the active values that it captures are a little other, by about 0.001 of each.

        For calls by `plainly`. None where they are not known.
        """
        return None

    def hessian_products(self, f: Callable[..., Any], x: Any) -> Callable[[Any], Any]:
        """The Hessian of the number ``f(x)`` at a vector, as the function that multiplies it with a vector.

        For calls by `plainly`, in which nothing that ``f`` reads is written.
        """
        raise NotImplementedError(f"{type(self).__name__} does not support programs")


def rrule_via(config: RuleConfig, f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return value and pullback of ``f(*args, **kwargs)``, from a rule if there is one, otherwise from the engine.

    Args:
        config: what the rule was handed.
        f: any callable.
        args: its positional arguments.
        kwargs: its keyword arguments.

    Returns:
        ``(y, pullback)``; ``pullback(y_bar)`` gives the cotangent of ``f`` itself, `NoTangent` where it has no
        state, and then one for each positional argument, each in the space of its argument.

    Raises:
        TypeError: where the rule returns no pair, or its pullback another number of cotangents than it must;
            names the rule's file and line.

    >>> import numpy as np
    >>> y, pullback = rrule_via(RuleConfig(), np.multiply, 3.0, 4.0)
    >>> y, [unthunk(bar) for bar in pullback(1.0)]
    (np.float64(12.0), [NoTangent(), 4.0, 3.0])
    """
    if isinstance(f, MethodType) and not (is_non_differentiable(f) or rules_for(f, config)):
        y, pullback = rrule_via(config, f.__func__, f.__self__, *args, **kwargs)
        return y, lambda y_bar: pullback(y_bar)[1:]  # the object is what a bound method is made of
    for rule in candidates(f, args, config):
        whole = (f, *args) if rule.instances else args
        answer = rule.function(config, *whole, **kwargs) if rule.needs else rule.function(*whole, **kwargs)
        if answer is not NotImplemented:
            y, pullback = _pair(answer, f, rule, "pullback")
            return y, _in_space(pullback, args, rule.instances, f, rule)
    if is_non_differentiable(f):
        return f(*args, **kwargs), lambda y_bar: (NoTangent(),) * (len(args) + 1)
    y, pullback = config.rrule_via(f, args, kwargs)
    return y, _in_space(pullback, args, True, f)


def frule_via(
    config: RuleConfig, f: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], **kwargs: Any
) -> Any:
    """Return value and tangent of ``f(*primals, **kwargs)``, from a forward rule if there is one, else from the engine.

    Args:
        config: what the rule was handed.
        f: any callable.
        primals: its positional arguments.
        tangents: first that of ``f`` itself, absent where it has no state, then one for each argument.
        kwargs: its keyword arguments.

    Raises:
        TypeError: where there is not one tangent more than arguments, or the rule returns no pair.

    >>> import math
    >>> frule_via(RuleConfig(), math.sin, (0.0,), (None, 2.0))
    (0.0, 2.0)
    """
    if len(tangents) != len(primals) + 1:
        raise TypeError(f"{len(tangents)} tangents for {len(primals)} arguments: the first is that of the function")
    if isinstance(f, MethodType) and not (is_non_differentiable(f) or frules_for(f, config)):
        return frule_via(config, f.__func__, (f.__self__, *primals), (None, *tangents), **kwargs)
    for rule in candidates(f, primals, config, forward=True):
        arguments = ((f, *primals), tangents) if rule.instances else (primals, tangents[1:])
        answer = rule.function(config, *arguments, **kwargs) if rule.needs else rule.function(*arguments, **kwargs)
        if answer is not NotImplemented:
            return _pair(answer, f, rule, "tangent")
    if is_non_differentiable(f):
        return f(*primals, **kwargs), ZeroTangent()
    return config.frule_via(f, primals, tangents, kwargs)


def _pair(answer: Any, f: Any, rule: Rule, second: str) -> Any:
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise TypeError(f"{_named(f, rule)} must return a value and a {second}, not {answer!r:.60}")
    return answer


def _named(f: Any, rule: Rule | None) -> str:
    name = getattr(f, "__name__", None) or f"{f!r:.60}"
    return f"the derivative of {name}" if rule is None else f"the rule for {name} ({rule.file}:{rule.line})"


def _in_space(
    pullback: Callable[[Any], Any], args: tuple[Any, ...], with_self: bool, f: Any, rule: Rule | None = None
) -> Callable[[Any], Any]:
    """A pullback that gives the cotangent of the function first and the others in the space of the arguments."""

    def via_pullback(y_bar: Any) -> Any:
        bars = pullback(y_bar)
        if not isinstance(bars, tuple):
            bars = (bars,)
        if len(bars) != len(args) + with_self:
            raise TypeError(
                f"{_named(f, rule)} gives {len(bars)} cotangents for {len(args)} arguments"
                f"{' and the function itself' if with_self else ''}: a tuple has one for each, and the cotangent "
                "of a tuple stands in a tuple of its own"
            )
        own, *rest = bars if with_self else (NoTangent(), *bars)
        return (own, *[_later(bar, x) for bar, x in zip(rest, args, strict=True)])

    return via_pullback


def _later(bar: Any, x: Any) -> Any:
    if isinstance(bar, Thunk):
        return Thunk(lambda: project(unthunk(bar), x))
    if isinstance(bar, (AbstractTangent, NotImplementedTangent)) or bar is None:
        return bar
    return project(bar, x)
