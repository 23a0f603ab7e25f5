"""Calls in other processes: each leaves its derivative there or brings it along, by two rules.

`begun` sends a call away and gives a ticket, `ended` waits for its value. The ticket is a number that nothing else is
computed from: that both are on the tape in this order makes the way back begin all calls, too, before it waits for one.
A call whose value is one number brings its gradient along; of any other the function runs again on the way back.
"""

from __future__ import annotations

import copy
import functools
import itertools
import weakref
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

import chainrules
from chainrules import NotImplementedDerivative, frule, is_absent, rrule, unthunk
from morula.eager.calls.registry import TANGENTS
from morula.eager.context.kinds import refuse_gaps
from morula.eager.context.protocol import Context
from morula.interop.functions import opened
from morula.interop.worker import bars_alone, directional, value_and_bars, with_names, with_names_given

__all__ = ["Call", "Calls", "Runner", "begun", "ended", "results", "taken_apart", "unwrapped", "values_in"]


Answer = Callable[..., Any]  # waits for a value, so many seconds at most


class Runner:
    """How a call is sent away: ``send(f, *args)`` returns at once with a function that waits for the value.

    That function takes the number of seconds to wait at most, or None.

    Args:
        send: as above.
        here: calls run in this process, so that a value may share memory with an argument: it is copied, as other
            processes do it.
    """

    def __init__(self, send: Callable[..., Answer], here: bool = False):
        self.plain_send, self.here = send, here

    def send(self, f: Callable, *args: Any) -> Answer:
        """Send a call away."""
        return self.own(self.plain_send(f, *args))

    def own(self, answer: Answer) -> Answer:
        """An answer that shares no memory with arguments."""
        return (lambda timeout=None: copy.deepcopy(answer(timeout))) if self.here else answer

    def visit(self, f: Callable, wanted: tuple[bool, ...], args: tuple) -> Visit:
        """Send a call away whose derivative is wanted, too."""
        return Visit(self, f, wanted, args)


class Visit:
    """A call whose derivative is wanted: a number brings its gradient along, and for any other value `f` runs again."""

    def __init__(self, runner: Runner, f: Callable, wanted: tuple[bool, ...], args: tuple):
        self.runner, self.f, self.wanted, self.args = runner, f, wanted, args
        self.answer = runner.send(value_and_bars, f, wanted, *args)

    def value(self, timeout: float | None = None) -> Any:
        """The value, when it is there."""
        return self.answer(timeout)[0]

    def back(self, y_bar: Any) -> Answer:
        """Ask for the cotangents of the arguments; returns what waits for them."""
        bars = self.answer(None)[1]
        if bars is not None:
            return lambda _: scaled(bars, y_bar)
        return self.runner.send(bars_alone, self.f, self.wanted, y_bar, *self.args)


def in_waves(run: Callable[[list], list], here: bool = False) -> Runner:
    """A runner for an engine that runs many calls at once: all that were sent before one is waited for are a wave.

    Args:
        run: gives the values of a list of pairs, a function and its arguments.
        here: see `Runner`.
    """
    waiting: list[Wave] = []

    def send(f: Callable, *args: Any) -> Callable[..., Any]:
        if not waiting:
            waiting.append(Wave())
        wave = waiting[0]
        wave.calls.append((f, args))
        return functools.partial(wait, wave, len(wave.calls) - 1)

    def wait(wave: Wave, i: int, timeout: float | None = None) -> Any:
        if wave.values is None:
            waiting[:] = [w for w in waiting if w is not wave]
            calls, wave.calls = wave.calls, []
            try:
                wave.values = run(calls)
            except Exception as reason:
                wave.failed = reason
                wave.values = []
        if wave.failed is not None:
            raise wave.failed
        return wave.values[i]

    return Runner(send, here)


class Wave:
    """Calls that run together.

    Attributes:
        calls: the functions and their arguments, before they run.
        values: afterwards.
        failed: what one of them has raised.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[Callable, tuple]] = []
        self.values: list | None = None
        self.failed: Exception | None = None


class Sent:
    """A call that is under way.

    Attributes:
        wait: for its value; with the gradient where that was asked for.
        back: waits for the cotangents, once they were asked for.
        inner: the call of its derivative, which lives as long.
    """

    wait: Callable[..., Any]
    back: Callable[..., Any] | None = None
    inner: Any = None


chainrules.opaque(Runner, Sent)
_sent: weakref.WeakValueDictionary[float, Sent] = weakref.WeakValueDictionary()
_tickets = itertools.count(1)


_unclaimed: dict[float, Sent] = {}


def enter(wait: Callable[..., Any]) -> float:
    sent, ticket = Sent(), float(next(_tickets))
    sent.wait = wait
    _sent[ticket] = _unclaimed[ticket] = sent
    return ticket


def claimed(ticket: float) -> Sent:
    """The call of a ticket, for whom it lives from now on."""
    return _unclaimed.pop(ticket)


def begun(runner: Runner, f: Callable, args: tuple) -> float:
    """A ticket for ``f(*args)``, which is under way."""
    return enter(runner.send(f, *args))


def ended(ticket: float, timeout: float | None) -> Any:
    """The value of a call."""
    return _sent[ticket].wait(timeout)


@rrule(begun, needs=("reverse",))
def begun_rule(config: Any, runner: Runner, f: Callable, args: tuple) -> Any:
    wanted = tuple([config.wanted(a) for a in args])
    visit = runner.visit(f, wanted, args)
    ticket = enter(visit.value)
    sent = _sent[ticket]

    def ask(y_bar: Any) -> None:
        sent.back = visit.back(y_bar)

    sent.ask = ask  # type: ignore[attr-defined]

    def begun_pullback(_: Any) -> tuple:
        return None, None, (None,) * len(args) if sent.back is None else sent.back(None)

    return ticket, begun_pullback


@rrule(ended)
def ended_rule(ticket: float, timeout: float | None) -> Any:
    sent = _sent[ticket]

    def ended_pullback(y_bar: Any) -> tuple:
        sent.ask(unthunk(y_bar))  # type: ignore[attr-defined]
        return 0.0, None

    return sent.wait(timeout), ended_pullback


@frule(begun, given_value=True)
def begun_frule(y: Any, primals: tuple, tangents: tuple) -> Any:
    runner, f, args = primals
    dots = tangents[2]
    moves = tuple([not (d is None or is_absent(d)) for d in dots])
    given = tuple([d for d, m in zip(dots, moves, strict=True) if m])
    ticket_dot = begun(runner, directional, (f, moves, *args, *given))
    keep_with(y, ticket_dot)
    return ticket_dot


def keep_with(ticket: float, inner: float) -> None:
    sent = _sent[ticket]
    sent.inner = (sent.inner, claimed(inner))


chainrules.non_differentiable(claimed, keep_with)


def tangent_of_ended(ctx: Context, args: tuple, shadows: tuple, dots: list, y: Any, pullback: Any) -> Any:
    """The value of the call of the derivative, of whatever structure."""
    return ctx.ops(ctx.depth).call(ended, *[(part, None) for part in dots[0]])


TANGENTS[ended] = tangent_of_ended


def scaled(bar: Any, by: Any) -> Any:
    """A cotangent of a structure times a number."""
    if bar is None:
        return None
    if isinstance(bar, list | tuple):
        parts = [scaled(b, by) for b in bar]
        return type(bar)(*parts) if hasattr(bar, "_fields") else type(bar)(parts)
    if isinstance(bar, dict):
        return {k: scaled(b, by) for k, b in bar.items()}
    return bar * by


def parted(f: Callable) -> tuple[Callable, tuple, dict]:
    """``(g, held, names)`` with ``g(*held, *args, **names)`` as ``f(*args)``, where `g` holds nothing active."""
    held: tuple = ()
    names: dict[str, Any] = {}
    while True:
        if isinstance(f, functools.partial):
            refuse_gaps(f)
            held, names, f = (*f.args, *held), {**f.keywords, **names}, f.func
        elif isinstance(f, MethodType):
            held, f = (f.__self__, *held), f.__func__
        else:
            f, inside = opened(f)
            held = (*inside, *held)
            if not inside or isinstance(f, functools.partial):
                return f, held, names


def taken_apart(f: Callable) -> tuple[Callable, tuple]:
    """``(g, held)`` with ``g(*held, *args)`` as ``f(*args)``, where `g` holds nothing active."""
    f, held, names = parted(f)
    return (f, held) if not names else (with_names_given, (f, tuple(names), tuple(names.values()), *held))


def unwrapped(f: Callable, args: tuple, kwargs: dict) -> tuple[Callable, tuple]:
    """A call without keywords, of a function that holds nothing active: what it holds is given."""
    f, held, names = parted(f)
    args, kwargs = (*held, *args), {**names, **kwargs}
    if not kwargs:
        return f, args
    order = names_after(f, len(args), len(kwargs))
    if set(order) == set(kwargs):
        return f, (*args, *[kwargs[name] for name in order])
    return with_names, (f, tuple(kwargs), *args, *kwargs.values())


def names_after(f: Callable, given: int, count: int) -> tuple[str, ...]:
    """The names of the positional parameters of a function that follow the first ones."""
    if type(f) is not FunctionType:
        return ()
    return f.__code__.co_varnames[: f.__code__.co_argcount][given : given + count]


chainrules.non_differentiable(names_after)


class Call:
    """What a differentiated program holds in the place of a future.

    >>> from morula.interop.remote import Call
    >>> Call.of_value(2.0).result()
    2.0
    """

    def __init__(self, ticket: Any, value: Any = None):
        self.ticket, self.value = ticket, value
        self.is_here = ticket is None
        self.sent = None if ticket is None else claimed(ticket)

    @classmethod
    def of_value(cls, value: Any) -> Call:
        """One that is over."""
        return cls(None, value)

    def result(self, timeout: float | None = None) -> Any:
        """The value, when it is there."""
        if not self.is_here:
            self.value = ended(self.ticket, timeout)
            self.is_here = True
        return self.value

    get = result  # as the pools of multiprocessing name it

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """What the call has raised."""
        try:
            self.result(timeout)
        except Exception as reason:
            return reason
        return None

    def wait(self, timeout: float | None = None) -> None:
        """Wait for the value."""
        self.exception(timeout)

    def done(self) -> bool:
        """True, after a wait: so loops that ask for it end."""
        self.exception()
        return True

    ready = done

    def successful(self) -> bool:
        """Whether the call has raised nothing."""
        return self.exception() is None

    def running(self) -> bool:
        """False, see `done`."""
        return False

    cancelled = cancel = running

    def add_done_callback(self, fn: Callable) -> None:
        """Refuse: it would run in another thread."""
        raise NotImplementedDerivative(
            "a callback of a future runs in a thread, where derivatives are not followed: call it on the result"
        )


class Calls:
    """Several calls whose results are one list."""

    def __init__(self, calls: list[Call]):
        self.calls = calls

    def result(self, timeout: float | None = None) -> list:
        """The values, when they are there."""
        return [call.result(timeout) for call in self.calls]

    get = result

    def wait(self, timeout: float | None = None) -> None:
        """Wait for the values."""
        for call in self.calls:
            call.wait(timeout)

    def ready(self) -> bool:
        """True, after a wait."""
        self.wait()
        return True

    def successful(self) -> bool:
        """Whether no call has raised anything."""
        return all(call.successful() for call in self.calls)


def results(calls: list[Call]) -> Iterator:
    """Values in order, each when it is asked for."""
    for call in calls:
        yield call.result()


def values_in(x: Any) -> Any:
    """A structure with the values of its calls."""
    if isinstance(x, Call):
        return x.result()
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[values_in(v) for v in x])
    if isinstance(x, list | tuple | set):
        return type(x)([values_in(v) for v in x])
    return {k: values_in(v) for k, v in x.items()} if isinstance(x, dict) else x


def holds_call(x: Any) -> bool:
    """Whether there is a call in a structure."""
    if isinstance(x, list | tuple | set):
        return any(map(holds_call, x))
    return any(map(holds_call, x.values())) if isinstance(x, dict) else isinstance(x, Call)
