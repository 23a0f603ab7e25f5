"""A call that runs again in the backward pass: what it reads is put back as it was before it ran first."""

from collections.abc import Callable, Sequence
from types import CellType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from morula.eager.calls.called_back import UNCOUNTED
from morula.eager.calls.captured import FunctionShadow, functions_in, shadow_of_argument, shadow_of_object
from morula.eager.containers.parts import attributes_of, parts_of
from morula.eager.context.entries import deliver
from morula.eager.context.kinds import ATOMS, is_empty, is_plain_object
from morula.eager.context.protocol import Context
from morula.eager.context.run import Run
from morula.eager.memory.arguments import share_memory
from morula.eager.memory.fingerprints import fingerprint
from morula.eager.replay.imprint import Imprint, first_stored, imprint
from morula.eager.replay.remembered import Remembered, drawn_from
from morula.errors import NotDifferentiable, describe

ndarray = np.ndarray


class Call:
    """A call of `f` by a verb that stores nothing of it.

    Attributes:
        what: the verb.
        f, args, kw: what is called, and with what.
        shadows: those of `args`.
        captured: the active variables that it can reach.
        remembered: what it reaches, as it was.
    """

    __slots__ = ("_before", "args", "captured", "f", "kw", "remembered", "shadows", "what")

    def __init__(self, ctx: Context, what: str, f: Any, args: tuple, ds: tuple, kw: dict):
        """Refuse what cannot run again, and remember what the call reads.

        Raises:
            NotDifferentiable: active values reach `f` otherwise than as positional arguments and captured variables.
        """
        if ctx.holds_active_state():
            raise NotDifferentiable(
                f"{describe(f)} under {what} might read a global variable or a class attribute that currently "
                "holds an active value; pass it as an argument, and reset it before"
            )
        if not isinstance(f, FunctionType) and ctx.reaches_active(f, set()):
            raise NotDifferentiable(f"{what} takes a function; pass active objects as its arguments")
        for g in (g for x in (f, *args) for g in functions_in(x)):
            if ctx.globals_hold_active(g):
                raise NotDifferentiable(
                    f"{describe(g)} under {what} reads active values in an array, a collection or an object that is a "
                    "global variable; pass it as an argument"
                )
        self.what = what
        self.f = f
        self.args = args
        self.kw = kw
        self.captured = captured_at_depth(ctx, [f, *(a for a in args if type(a) is FunctionType)], what)
        self.shadows = tuple(
            [None if type(a) is FunctionType else self.shadow_of(ctx, a, d) for a, d in zip(args, ds, strict=True)]
        )
        before = imprint(f, args, kw)
        self._before: Imprint | None = before
        self.remembered = Remembered(before, args, ctx.records.held)

    def shadow_of(self, ctx: Context, a: Any, d: Any) -> Any:
        """The shadow of an argument, objects in it as they are now."""
        shadow = ctx.shadow_of(a, d)
        if shadow is None and not ctx.keyword_active(a, None):
            return None
        if shadow is not None:
            shadow = shadow_of_argument(ctx, a, d, self.what)
        if shadow is None or holds_function(shadow):
            raise NotDifferentiable(f"an argument of {self.what} holds active values deeper inside; pass them directly")
        return shadow

    def first(self, ctx: Context, run: Callable, *given: Any) -> Any:
        """``run(*given)``, the first run of the call; it may not change what it can reach."""
        before, self._before = self._before, None
        assert before is not None
        try:
            y = ctx.opaque(run, given, self.kw)
        except ctx.refusals:
            raise
        except BaseException as error:  # the program may go on
            self._refuse_change(before, error)
            raise
        self._refuse_change(before, None)
        self.remembered.generators = drawn_from(self.remembered.generators)
        return y

    def _refuse_change(self, before: Imprint, cause: BaseException | None) -> None:
        """Refuse what the run has stored, but for counts and texts, which carry no derivative."""
        x = first_stored(before, imprint(self.f, self.args, self.kw), UNCOUNTED)
        if x is None:
            return
        where = "an array that it reaches" if isinstance(x, ndarray) else f"a {type(x).__qualname__} that it reaches"
        if isinstance(x, FunctionType):
            where = "a variable from outside" if x is self.f else f"a variable that {describe(x)} reads"
        raise NotDifferentiable(
            f"{describe(self.f)} under {self.what} stores numbers in {where}, where they would have no derivative; "
            "return them with the value, or store morula.stop_gradient(x) outside"
        ) from cause

    def result_shadow(self, ctx: Context, y: Any, *more: tuple[Any, Any]) -> Any:
        """A shadow for the value `y`; None where nothing active came in. `more`: further values and their shadows."""
        pairs = [*zip(self.args, self.shadows, strict=True), *((v.value, v.shadow) for v in self.captured), *more]
        active = [pair for pair in pairs if pair[1] is not None]
        if not active:
            return None
        values, shadows = zip(*active, strict=True)
        return ctx.result_shadow(y, values, shadows, opaque=True)[0]

    def again(self, *first: Any, active: tuple[int, ...] = ()) -> Run:
        """A run of ``f(*first, *args)`` with a tape; `active`: which of `first` have cotangents."""
        n = len(first)
        positions = (*active, *(n + i for i, s in enumerate(self.shadows) if s is not None))
        arrays = [v.value for v in self.captured if isinstance(v.value, ndarray)]
        args = []
        for a in self.args:
            if isinstance(a, ndarray):
                a = a.copy() if any(share_memory(a, x) for x in arrays) else a
                arrays.append(a)
            args.append(a)
        cells = tuple(v.cells for v in self.captured) or False
        return Run(self.f, (*first, *args), self.kw, with_self=cells, active=positions, fresh=True)

    def check(self, then: Any, now: Any) -> None:
        """Raise where a run gave another value than the one before; both as `summary_of` has them."""
        if then != now:
            raise NotDifferentiable(
                f"{describe(self.f)} under {self.what} returned a different value when it ran again: something "
                "that it reads has changed since"
            )

    def deliver(self, captured_bars: tuple | None, bars: Any) -> None:
        """Hand on the cotangents that a run gave what was captured, and the arguments."""
        for variable, bar in zip(self.captured, captured_bars or (), strict=True):
            deliver(variable.value, variable.shadow, bar)
        for x, x_d, x_bar in zip(self.args, self.shadows, bars, strict=True):
            deliver(x, x_d, x_bar)


class Captured(NamedTuple):
    """An active variable that functions capture: its cells (several where they hold the same object)."""

    cells: tuple[CellType, ...]
    value: Any
    shadow: Any


def captured_at_depth(ctx: Context, functions: list[Any], what: str) -> list[Captured]:
    """The active variables that functions capture, and the functions that these capture, and so on.

    Raises:
        NotDifferentiable: where active values can be reached otherwise.
    """
    found: dict[int, Captured] = {}
    waiting = list(functions)
    seen = set(map(id, waiting))
    while waiting:
        f = waiting.pop()
        if not isinstance(f, FunctionType):
            continue
        if any(s is not None for s in ctx.twins.default_shadows(f).values()):
            raise NotDifferentiable(f"{describe(f)}, under {what}, has an active default argument; pass it instead")
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            if is_empty(cell) or id(cell) in seen:
                continue
            seen.add(id(cell))
            value = cell.cell_contents
            if type(value) is FunctionType:
                if id(value) not in seen:
                    seen.add(id(value))
                    waiting.append(value)
                continue
            pair = ctx.twins.cells.get(id(cell))
            shadow = ctx.shadow_of(value, pair[1].cell_contents if pair is not None else None)
            if shadow is not None:
                shadow = shadow_of_object(ctx, value, shadow, what, {})
            if shadow is not None and not holds_function(shadow):
                key = id(cell) if type(value) in ATOMS else id(value)
                entry = found.get(key, Captured((), value, shadow))
                found[key] = entry._replace(cells=(*entry.cells, cell))
            elif ctx.reaches_active(value, set()):
                raise NotDifferentiable(
                    f"the variable {name!r} that {describe(f)} captures, under {what}, reaches active values; "
                    "pass them as arguments"
                )
        for value in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()):
            if ctx.reaches_active(value, set()):
                raise NotDifferentiable(f"{describe(f)}, under {what}, has an active default argument; pass it instead")
    return list(found.values())


def holds_function(shadow: Any) -> bool:
    if type(shadow) is tuple:
        return any(map(holds_function, shadow))
    return isinstance(shadow, FunctionShadow)


def summary_of(y: Any, seen: tuple[int, ...] = ()) -> Any:
    """A small stand-in for a value: equal for equal ones."""
    if isinstance(y, ndarray):
        return y.shape, y.dtype.str, fingerprint(y)
    if y is None or isinstance(y, float | complex | int | str | np.generic):
        return repr(y.item() if isinstance(y, np.generic) else y)  # compiled code answers in numbers of Python's
    if id(y) in seen:
        return None
    seen = (*seen, id(y))
    if isinstance(y, dict):
        return tuple([(k, summary_of(v, seen)) for k, v in y.items()])
    if isinstance(y, Sequence):
        return tuple([summary_of(v, seen) for v in parts_of(y)])
    if is_plain_object(y):
        return tuple([(name, summary_of(v, seen)) for name, v in attributes_of(y).items()])
    return None
