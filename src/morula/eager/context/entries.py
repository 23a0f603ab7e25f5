"""Tape entries of calls that rules answer, and of hooks."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import (
    AbstractTangent,
    NotImplementedTangent,
    ProjectTo,
    Thunk,
    project,
    thunks,
    unthunk,
)
from morula.eager.calls.held import Held, as_held
from morula.eager.context.tape import LARGE, Entry, NaNMet, has_nan, take
from morula.eager.memory.array_shadows import ARRAY_SHADOWS, Buffer
from morula.errors import MorulaError, NotDifferentiable, RuleError, arose_at, describe
from morula.frames import Callers

ndarray = np.ndarray
NUMBERS = (float, int, complex, np.number, bool)


class OfCallable:
    """Base of the shadows of callables: no cotangent at all is an error there."""

    __slots__ = ()

    def deliver(self, bar: Any) -> None:
        raise NotImplementedError


class Pull(Entry):
    """y = f(*args) with a pullback from a rule.

    `targets` holds ``(index, x, x_d)`` for each active positional argument: x_d may be a structure of shadows. Of an
    array the shadow says all that is needed, and x is None: whether the array lives on is the rule's affair.
    The pullback sees the objects that the rule was given as they were then: `held`. Rules of the library take ``None``
    for a result that was not used, which may say more than zeros (`numpy.linalg.eigh`); those of the user are `filled`.
    `callers` are for errors: where the call of `f` was.
    """

    __slots__ = ("callers", "f", "filled", "held", "n", "pullback", "targets", "y_d")
    reads: tuple[str, ...] = ("pullback",)
    opaque = False  # whether the pullback is the user's

    def __init__(
        self, f: Any, y_d: Any, pullback: Callable, n: int, targets: list, callers: Callers = (), held: Held = (),
        filled: bool = False,
    ):  # fmt: skip
        self.callers = callers
        self.f = f
        self.y_d = y_d
        self.pullback = pullback
        self.n = n
        self.targets = targets
        self.held = held
        self.filled = filled

    def pull(self, strict: bool) -> None:
        y_d = self.y_d
        if type(y_d) is list:
            y_bar = y_d[0]
            if type(y_bar) is int:
                return
            y_d[0] = 0
        elif type(y_d) is Buffer:
            y_bar = y_d.bar
            if y_bar is None:
                return
            y_d.bar, y_d.owned = None, False
            if type(y_bar) is not ndarray:
                y_bar = np.asarray(y_bar)
        elif (y_bar := take(y_d)) is None:
            return
        try:
            if self.held:
                with as_held(self.held):
                    self._pull(y_bar, strict)
            else:
                self._pull(y_bar, strict)
        except NaNMet:
            raise
        except Exception as error:
            arose_at(error, self.callers)
            if isinstance(error, NotImplementedError) and not self.opaque:
                refusal = NotDifferentiable(f"the derivative of {describe(self.f)}: {error}")
                arose_at(refusal, self.callers)
                raise refusal from None
            raise

    def _pull(self, y_bar: Any, strict: bool) -> None:
        if self.filled and type(self.y_d) is tuple:
            y_bar = filled(y_bar, self.y_d)
        bars = self.own_pullback(y_bar, strict) if self.opaque else self.pullback(y_bar)
        if type(bars) is not tuple:
            if self.n != 1:
                raise RuleError(
                    f"the pullback of the rule for {describe(self.f)} returned one cotangent, "
                    f"but it was called with {self.n} positional arguments: return a tuple of {self.n}"
                )
            bars = (bars,)
        elif len(bars) != self.n:
            raise RuleError(
                f"the pullback of the rule for {describe(self.f)} returned {len(bars)} cotangents "
                f"for {self.n} positional arguments"
            )
        for i, x, x_d in self.targets:
            bar = bars[i]
            try:
                if type(x_d) is Buffer:  # of arrays that own their memory, with nothing to convert
                    if type(bar) is Thunk:
                        bar = bar()
                    if type(bar) is ndarray and bar.dtype is x_d.dtype and bar.shape == x_d.shape:
                        x_d.add(bar)
                        continue
                if bar is not None or isinstance(x_d, (OfCallable, tuple)):
                    deliver(x, x_d, bar)
            except MorulaError:
                raise
            except NotImplementedError as reason:
                raise NotDifferentiable(
                    f"the derivative of {describe(self.f)} with respect to argument {i}: {reason}"
                ) from None
            except (ValueError, TypeError, AttributeError) as error:
                raise RuleError(
                    f"the rule for {describe(self.f)} gave argument {i} a cotangent that does not fit it: {error}"
                ) from error

    def own_pullback(self, y_bar: Any, strict: bool) -> Any:
        """What a pullback of the user makes of the cotangent."""
        raise NotImplementedError


class OperandPull(Pull):
    """The same where each operand has a function of its own that gives its cotangent (`chainrules.derived.by_operand`).

    Attributes:
        bars: for each argument such a function of ``(*kept, y_bar)``, or None.
        kept: what these read.
    """

    __slots__ = ("bars", "kept")
    reads = ("kept",)
    callers: Callers = ()
    held: Held = ()
    filled = False

    def __init__(self, f: Any, y_d: Any, bars: tuple, kept: tuple, targets: list):
        self.f = f
        self.y_d = y_d
        self.bars = bars
        self.kept = kept
        self.targets = targets

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.bars)

    def is_large(self) -> bool:
        y_d = self.y_d
        return type(y_d) is not list and y_d.bar is not None and y_d.bar.size > LARGE

    def pullback(self, y_bar: Any) -> tuple:
        return thunks(self.bars, self.kept, y_bar)

    def pull(self, strict: bool) -> None:
        y_d = self.y_d
        if type(y_d) is list:
            y_bar = y_d[0]
            if type(y_bar) is int:
                return
            y_d[0] = 0
        else:
            y_bar = y_d.bar
            if y_bar is None:
                return
            y_d.bar, y_d.owned = None, False
        bars, kept = self.bars, self.kept
        for i, x, x_d in self.targets:
            bar = bars[i]
            if bar is not None:
                x_bar = bar(*kept, y_bar)
                if type(x_bar) is ndarray and type(x_d) is Buffer and x_bar.dtype is x_d.dtype:
                    if x_bar.shape == x_d.shape:
                        x_d.add(x_bar, True)
                        continue
                elif type(x_bar) is list and type(x_d) is tuple and len(x_bar) == len(x_d):
                    _deliver_pieces(x, x_d, x_bar)
                    continue
                deliver(x, x_d, x_bar)


class UserPull(Pull):
    """The same with a pullback of the user, which runs once per sweep whatever happens (see `tape`).

    The objects that it was given must be as they were: it may read them.
    """

    __slots__ = ("bars_met", "objects")
    reads = ("objects", "pullback")
    opaque = True

    def __init__(
        self, f: Any, y_d: Any, pullback: Callable, n: int, targets: list, callers: Callers, filled: bool, args: tuple
    ):  # fmt: skip
        super().__init__(f, y_d, pullback, n, targets, callers, (), filled)
        self.bars_met: Any = None
        self.objects = [(args[i], dict(args[i].__dict__)) for i, *_ in targets if hasattr(args[i], "__dict__")]

    def own_pullback(self, y_bar: Any, strict: bool) -> Any:
        for x, before in self.objects:
            if x.__dict__.keys() != before.keys() or any(x.__dict__[k] is not v for k, v in before.items()):
                raise NotDifferentiable(
                    f"a {type(x).__qualname__} was changed after it had been passed to the rule for {describe(self.f)}"
                )
        if strict and self.bars_met is not None:
            bars, self.bars_met = self.bars_met[0], None
            return bars
        if not strict and has_nan(y_bar):
            raise NaNMet
        bars = self.pullback(own_copy(y_bar))
        self.bars_met = None if strict else (bars,)
        return bars


def own_copy(bar: Any) -> Any:
    """A cotangent that code of the user's own may write into."""
    if type(bar) is ndarray:
        return bar.copy()
    return tuple([own_copy(b) for b in bar]) if type(bar) is tuple else bar


def filled(bar: tuple, shadow: tuple) -> tuple:
    """A tuple of cotangents with zeros for the parts that nothing reached."""
    parts = []
    for b, s in zip(bar, shadow, strict=True):
        if b is None and type(s) is tuple:
            b = filled((None,) * len(s), s)
        elif b is None and s is not None:
            b = 0.0 if type(s) is list else np.zeros(s.shape, s.dtype)
        parts.append(b)
    return tuple(parts)


def deliver(x: Any, x_d: Any, bar: Any) -> None:
    """Add the cotangent `bar`, as a rule returned it, to the shadow `x_d` of `x`."""
    kind = type(x_d)
    if kind in ARRAY_SHADOWS:
        if isinstance(bar, Thunk):
            bar = unthunk(bar)
        if type(bar) is ndarray and bar.dtype is x_d.dtype and bar.shape == x_d.shape:
            x_d.add(bar)
            return
    elif kind is list:
        if type(bar) is float and type(x) is float:
            x_d[0] += bar
            return
    elif kind is tuple:
        if type(bar) is list and len(bar) == len(x_d) and not isinstance(x, dict):
            _deliver_pieces(x, x_d, bar)
            return
    elif x_d is None:
        return
    if bar is None:
        if isinstance(x_d, OfCallable):
            x_d.deliver(None)
        elif type(x_d) is tuple:
            for shadow in x_d[1] if isinstance(x, dict) else x_d:
                if isinstance(shadow, OfCallable | tuple):
                    deliver(None, shadow, None)
        return
    if isinstance(bar, Thunk):
        bar = unthunk(bar)
    if isinstance(bar, NotImplementedTangent):
        project(bar, x)  # raises, naming the rule
    if kind is list:
        bar = project(bar, x)
        if bar is None or isinstance(bar, AbstractTangent):
            return
        x_d[0] += float(bar) if type(bar) is int or type(bar) is bool else bar
    elif kind is tuple:
        _deliver_parts(x, x_d, bar)
    elif kind in ARRAY_SHADOWS:
        if type(bar) is not ndarray or bar.shape != x_d.shape or bar.dtype != x_d.dtype:
            bar = ProjectTo(ndarray, x_d.shape, x_d.dtype)(bar)
            if isinstance(bar, AbstractTangent):
                return
        x_d.add(bar if type(bar) is ndarray else np.asarray(bar))
    else:
        x_d.deliver(bar)


def _deliver_pieces(x: Any, x_d: tuple, bars: list) -> None:
    """Into the shadows of the parts of a list or a tuple; `x` may be None where all of them are arrays."""
    i = 0
    for shadow in x_d:
        if shadow is not None:
            bar = bars[i]
            if type(bar) is ndarray and type(shadow) in ARRAY_SHADOWS and bar.dtype is shadow.dtype:
                if bar.shape == shadow.shape:
                    shadow.add(bar)
                    i += 1
                    continue
            deliver(None if x is None else _item(x, i), shadow, bar)
        i += 1


def _deliver_parts(x: Any, x_d: tuple, bar: Any) -> None:
    """Into a structure of shadows: a tuple of them for a tuple or list, ``(keys, shadows)`` for a dict."""
    if isinstance(bar, AbstractTangent):
        fields = getattr(bar, "fields", None)
        if fields is None:
            return
        bar = dict(fields())
    if isinstance(x, dict):
        keys, shadows = x_d
        for key, shadow in zip(keys, shadows, strict=True):
            deliver(x[key], shadow, bar.get(key) if isinstance(bar, dict) else bar[key])
        return
    if isinstance(bar, ndarray):
        bar = project(bar, x)  # a list that was broadcast
    if isinstance(bar, dict):
        names = getattr(x, "_fields", ())
        bar = [bar.get(n) for n in names]
    if not hasattr(bar, "__getitem__") or len(bar) != len(x_d):
        raise ValueError(f"{len(x_d)} parts were expected")
    for i, shadow in enumerate(x_d):
        if shadow is not None:
            deliver(_item(x, i), shadow, _item(bar, i))


def _item(x: Any, i: int) -> Any:
    """An item of a list or a tuple; of a tuple whatever methods its class has."""
    return tuple.__getitem__(x, i) if isinstance(x, tuple) else x[i]


class Hooked(Entry):
    """Identity whose cotangent passes through a function of the user."""

    __slots__ = ("bars_met", "fn", "x", "x_d", "y_d")
    reads = ("fn", "x")

    def __init__(self, y_d: Any, x: Any, x_d: Any, fn: Callable):
        self.y_d = y_d
        self.x = x
        self.x_d = x_d
        self.fn = fn
        self.bars_met: Any = None

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is None:
            return
        if strict and self.bars_met is not None:
            bar, self.bars_met = self.bars_met[0], None
        else:
            if not strict and has_nan(y_bar):
                raise NaNMet
            bar = self.fn(own_copy(y_bar))
            if bar is not None and np.shape(bar) != np.shape(y_bar):
                raise RuleError(
                    f"the hook {describe(self.fn)} returned a cotangent of shape {np.shape(bar)} "
                    f"for one of {np.shape(y_bar)}"
                )
            self.bars_met = None if strict else (bar,)
        deliver(self.x, self.x_d, bar)
