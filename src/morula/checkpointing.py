"""`checkpoint`: a call of which nothing is stored, and which runs again in the backward pass."""

import sys
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

import numpy as np

from morula.errors import NotDifferentiable, describe
from morula.runtime.captured import captured_by, names_of, rebinds_outside
from morula.runtime.entries import deliver, filled
from morula.runtime.fingerprints import fingerprint
from morula.runtime.held import kept_argument
from morula.runtime.imprint import changed, imprint
from morula.runtime.kinds import captured_values, is_empty
from morula.runtime.random_state import set_state, state_of
from morula.runtime.registry import structural
from morula.runtime.run import Run
from morula.runtime.tape import Entry, take

ndarray = np.ndarray
Pair = tuple[Any, Any]


def checkpoint(f: Callable, /, *args: Any, **kwargs: Any) -> Any:
    """``f(*args, **kwargs)``, of which nothing is stored: the backward pass runs `f` again.

    Side effects of `f` happen once more in every backward pass. Variables that `f` captures and random generators
    that it reaches (as arguments, captured or global variables, and NumPy's global one) are as they were at the
    first run; if the value still comes out differently, that is an error.

    Args:
        f: a function that does not write into its arguments.
        args, kwargs: its arguments.

    Returns:
        The value of `f`.

    Raises:
        NotDifferentiable: `f` writes into its arguments, into what it captures or into other state that it reaches,
            or gives another value when it runs again.

    >>> import morula
    >>> morula.gradient(lambda x: morula.checkpoint(lambda v: v**3, x), 2.0)
    (12.0,)
    """
    return f(*args, **kwargs)


class _Checkpoint(Entry):
    """The tape entry of a checkpointed call.

    `captured` holds ``(name, value, shadow)`` of the active variables that `f` captures; `generators` the random
    generators with their states before the call; `summary` a fingerprint of the value.
    """

    __slots__ = ("args", "captured", "ds", "f", "generators", "kwargs", "summary", "y_d")

    def __init__(self, f: Any, args: tuple, ds: tuple, kwargs: dict, captured: list[tuple], generators: list):
        self.y_d: Any = None
        self.summary: Any = None
        self.f = f
        self.args = args
        self.ds = ds
        self.kwargs = kwargs
        self.captured = captured
        self.generators = generators

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is None:
            return
        if isinstance(self.y_d, tuple):
            y_bar = filled(y_bar, self.y_d)
        now = [(g, state_of(g)) for g, _ in self.generators]
        try:
            for generator, state in self.generators:
                set_state(generator, state)
            run = Run(self.f, self.args, self.kwargs, with_self=names_of(self.captured))
        finally:
            for generator, state in now:
                set_state(generator, state)
        if summary_of(run.y) != self.summary:
            raise NotDifferentiable(
                f"{describe(self.f)} under checkpoint gave another value when it ran again: "
                "something that it reads has changed since"
            )
        f_bar, *bars = run.gradients(y_bar)
        for name, value, shadow in self.captured:
            deliver(value, shadow, getattr(f_bar, name, None))
        for x, x_d, x_bar in zip(self.args, self.ds, bars, strict=True):
            deliver(x, x_d, x_bar)


@structural(checkpoint)
def _checkpoint(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    f, args, ds = args[0], args[1:], ds[1:]
    if ctx.depth:  # tangents are computed on the way, and what they need is gone when it is
        return ctx.call(f, args, ds, kw, kw_d)
    if any(ctx.keyword_active(v, kw_d.get(k)) for k, v in kw.items()):
        raise NotDifferentiable("active keyword arguments of checkpoint are not supported; pass them by position")
    if ctx.holds_active_state():
        raise NotDifferentiable(
            f"{describe(f)} under checkpoint might read a global variable or a class attribute that holds an active "
            "value now; pass it as an argument, and reset it before"
        )
    if not isinstance(f, FunctionType) and ctx.reaches_active(f, set()):
        raise NotDifferentiable("checkpoint takes a function; pass active objects as its arguments")
    if isinstance(f, FunctionType) and rebinds_outside(f):
        raise NotDifferentiable(f"{describe(f)} under checkpoint rebinds a variable from outside; return the value")
    captured = captured_by(ctx, f, "checkpoint")
    shadows = tuple(ctx.shadow_of(a, d) for a, d in zip(args, ds, strict=True))
    if any(s is None and ctx.keyword_active(a, None) for a, s in zip(args, shadows, strict=True)):
        raise NotDifferentiable("an argument of checkpoint holds active values further inside; pass them themselves")
    generators = [(g, state_of(g)) for g in random_generators(f, args)]
    entry = _Checkpoint(frozen(f), tuple(map(kept_argument, args)), shadows, kw, captured, generators)
    before = imprint(f, args, kw)
    y = ctx.opaque(f, args, kw)
    if changed(before, imprint(f, args, kw)):
        raise NotDifferentiable(
            f"{describe(f)} under checkpoint writes into its arguments, what it captures, or other state in reach"
        )
    if all(s is None for s in shadows) and not captured:
        return y, None
    values = (*args, *(value for _, value, _ in captured))
    all_shadows = (*shadows, *(shadow for *_, shadow in captured))
    y_d, view = ctx.result_shadow(y, values, all_shadows, opaque=True)
    if y_d is None or view:
        return y, y_d
    entry.y_d = y_d
    entry.summary = summary_of(y)
    ctx.append(entry)
    return y, ctx.attach(y, y_d)


def frozen(f: Any, known: dict[int, Any] | None = None) -> Any:
    """`f` with the variables that it captures as they are now, also those that a captured function captures."""
    if not isinstance(f, FunctionType) or not f.__closure__:
        return f
    known = {} if known is None else known  # what was frozen already: functions and cells
    if id(f) in known:
        return known[id(f)]
    cells = [known.setdefault(id(c), CellType()) for c in f.__closure__]
    made = known[id(f)] = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, tuple(cells))
    made.__kwdefaults__ = f.__kwdefaults__
    made.__qualname__ = f.__qualname__
    for cell, now in zip(f.__closure__, cells, strict=True):
        if is_empty(now) and not is_empty(cell):
            value = cell.cell_contents
            now.cell_contents = frozen(value, known) if isinstance(value, FunctionType) else kept_argument(value)
    return made


def summary_of(y: Any) -> Any:
    """A small stand-in for a value: equal for equal ones."""
    if isinstance(y, ndarray):
        return y.shape, fingerprint(y)
    if isinstance(y, float | complex | np.inexact):
        return repr(y)
    if isinstance(y, list | tuple):
        return tuple(summary_of(v) for v in y)
    if isinstance(y, dict):
        return tuple((k, summary_of(v)) for k, v in y.items())
    return None


def random_generators(f: Any, args: tuple) -> list[Any]:
    """NumPy's generators that a function can reach by name, and NumPy's global one."""
    if "numpy.random" not in sys.modules:
        return []
    random = sys.modules["numpy.random"]
    reached = [*args, *captured_values(f)]
    code = getattr(f, "__code__", None)
    if code is not None:
        reached += [f.__globals__.get(n) for n in code.co_names]
    kinds = (random.Generator, random.RandomState)
    return [random.mtrand._rand, *(v for v in reached if isinstance(v, kinds))]
