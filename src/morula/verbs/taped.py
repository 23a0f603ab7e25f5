"""A run on a tape whose cotangents are asked for leaf by leaf, alone or inside a differentiated function."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from chainrules import Tangent
from morula.eager.calls.registry import structural, where_active
from morula.eager.context.protocol import Context
from morula.eager.context.run import Run
from morula.static.python.answers import Pulled, noted, static_pulled
from morula.static.python.pairs import note, static_gradient
from morula.verbs.gradients import pullback
from morula.verbs.static_runs import StaticRun
from morula.verbs.structure import Structure

ndarray = np.ndarray


class Taped:
    """A run whose cotangents are asked for leaf by leaf.

    Attributes:
        y: its value.
        outs: the structure of that.
    """

    def __init__(
        self, f: Callable, args: tuple, kwargs: dict, ins: list[Structure], active: tuple[int, ...] | None = None
    ):
        """`ins` are the structures of the arguments that are `active`, which come first; None means all."""
        self._ins = ins
        self._run = taped(f, args, kwargs, active)
        self.y = self._run.y
        try:
            self.outs = Structure(self.y, "the result")
        except BaseException:
            self._run.restore_arguments()
            raise

    def pull(self, parts: list) -> list:
        """The cotangents of the leaves of all arguments, for those of the leaves of the result."""
        bars = pulled(self._run, self.outs.tangent(parts))[: len(self._ins)]
        return [part for s, bar in zip(self._ins, bars, strict=True) for part in s.parts(bar)]

    @property
    def run(self) -> Any:
        """The run on a tape of its own; None where there is none."""
        return self._run.run if isinstance(self._run, _Plain) else None

    @property
    def tape(self) -> list | None:
        """Its tape."""
        return None if self.run is None else self.run.ctx.tape

    def close(self) -> None:
        """Arguments as they were before; the value keeps what it has."""
        if self._run.wrote():
            self.y = self.outs.value([p.copy() if isinstance(p, ndarray) else p for p in self.outs.values(self.y)])
            self._run.restore_arguments()


class _Plain:
    """A run on a tape of its own."""

    def __init__(self, run: Run):
        self.run = run
        self.y = run.y

    def wrote(self) -> bool:
        return bool(self.run.ctx.writes or self.run.ctx.records.inputs)

    def restore_arguments(self) -> None:
        self.run.ctx.restore_arguments()


class _Static:
    """A number and its gradient by a static adjoint, which writes into nothing."""

    def __init__(self, y: Any, bars: tuple):
        self.y = y
        self.bars = bars

    def wrote(self) -> bool:
        return False

    def restore_arguments(self) -> None:
        """They are as they were."""

    def scaled(self, seed: Any) -> tuple:
        return tuple([times(bar, float(seed)) for bar in self.bars])


def times(bar: Any, factor: float) -> Any:
    """A cotangent times a number."""
    if bar is None:
        return None
    if isinstance(bar, dict):
        return {key: times(part, factor) for key, part in bar.items()}
    if isinstance(bar, tuple | list):
        return type(bar)([times(part, factor) for part in bar])
    if isinstance(bar, Tangent):
        return Tangent(bar.primal_type, **{name: times(part, factor) for name, part in bar.fields().items()})
    return bar * factor


class _Pulled:
    """A value of any kind by a static adjoint, which writes into nothing."""

    def __init__(self, pulled: Pulled):
        self.y = pulled.y
        self.run = StaticRun(pulled)

    def wrote(self) -> bool:
        return False

    def restore_arguments(self) -> None:
        """They are as they were."""


class _Nested:
    """The same inside a differentiated function, where it works on copies of its arguments."""

    def __init__(self, y: Any, back: Callable):
        self.y = y
        self.back = back

    def wrote(self) -> bool:
        return False

    def restore_arguments(self) -> None:
        """They are as they were."""


def taped(f: Callable, args: tuple, kwargs: dict, active: tuple[int, ...] | None) -> Any:
    """A run of `f`, to be given to `pulled`."""
    if kwargs:
        return _Plain(Run(f, args, kwargs, active=active))
    static = static_gradient(f, args, active)
    if static is not None:
        return _Static(*static)
    if (active is None or active == tuple(range(len(args)))) and (pulled := static_pulled(f, args)) is not None:
        return _Pulled(pulled)
    start = perf_counter()
    run = Run(f, args, kwargs, active=active)
    seconds = perf_counter() - start
    if isinstance(run.y, float):
        note(f, args, seconds, active)
    else:
        noted("pullback", f, args, seconds, tuple(range(len(args))))
    return _Plain(run)


def pulled(run: Any, seed: Any) -> tuple:
    """The cotangents of the arguments, for a seed of the value."""
    if isinstance(run, _Static):
        return run.scaled(seed)
    return run.run.gradients(seed, absent=True)[1:] if isinstance(run, _Pulled) else run.run.gradients(seed)[1:]


def _taped_nested(f: Callable, args: tuple, kwargs: dict, active: Any) -> Any:
    return _Nested(*pullback(f, *args, **kwargs))


def _pulled_nested(run: Any, seed: Any) -> tuple:
    return run.back(seed)


@where_active(taped)
def _(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> tuple[Any, Any]:
    return ctx.call(_taped_nested, args, ds, kw, kw_d)


@structural(pulled)
def _(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> tuple[Any, Any]:
    if isinstance(args[0], _Nested):
        return ctx.call(_pulled_nested, args, ds, kw, kw_d)
    return ctx.opaque(pulled, args, kw), None
