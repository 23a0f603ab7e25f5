"""What a call of a compiled function leaves on the tape."""

from typing import Any

import numpy as np

from morula.eager.context.protocol import Context
from morula.eager.context.tape import LARGE, Entry, take, to_number
from morula.eager.memory.layout import owner_of, reinterprets
from morula.eager.memory.writes import Write
from morula.errors import NotDifferentiable
from morula.static.numba.sharing import shared
from morula.static.tiers.kernel_table import watched

ndarray = np.ndarray


class Overwritten(Write):
    """Memory that a compiled function may have written into: its cotangent is the affair of the call's own entry."""

    __slots__ = ()

    def pull(self, strict: bool) -> None:
        self.undo()


class NativeCall(Entry):
    """y = f(*args), by the kernels of `f`.

    Attributes:
        f: the compiled function.
        args: as they were given; arrays hold what the call has left there when a sweep comes here.
        kept: what the forward kernel has kept for the backward one.
        watched: the value, where that may lie in there unseen.
        arrays_d: for each leaf of the arguments that is an array, it and its shadow.
        numbers_d: for each other leaf, its type and its shadow.
        apart: the numbers of those arrays whose cotangents are added up once the kernel is done: they share memory.
        written: the shadows of arrays that it writes into.
        values: for each leaf of the value the type of the number, or shape and dtype of the array.
        y_d: their shadows; None where one is memory of an argument, which has a shadow already.
    """

    __slots__ = (
        "apart",
        "args",
        "arrays_d",
        "f",
        "kept",
        "kernels",
        "numbers_d",
        "values",
        "watched",
        "written",
        "y_d",
    )
    reads = ("args", "kept", "watched")

    def __init__(
        self, f: Any, kernels: Any, args: tuple, y: Any, kept: Any, arrays_d: list, numbers_d: list, written: list,
        values: tuple, y_d: tuple,
    ):  # fmt: skip
        self.f = f
        self.kernels = kernels
        self.args = args
        self.kept = kept
        self.watched = watched(kept, y)
        self.arrays_d = arrays_d
        self.numbers_d = numbers_d
        self.written = written
        self.values = values
        self.y_d = y_d
        self.apart = apart_of(arrays_d, written)

    def is_large(self) -> bool:
        return any(x.size > LARGE for x, _ in self.arrays_d)

    def pull(self, strict: bool) -> None:
        bars = [take(d) for d in self.y_d]
        if all(b is None for b in bars) and all(d.buffer.bar is None for d in self.written):
            return
        seeds = tuple([seed_for(v, b) for v, b in zip(self.values, bars, strict=True)])
        apart = self.apart
        if len(self.arrays_d) > 1:
            for i, (_, d) in enumerate(self.arrays_d):
                if i not in apart:
                    d.view()  # the memory of all of them is laid out before the first is used
        array_bars = tuple([
            np.zeros(x.shape, x.dtype) if i in apart else d.view() for i, (x, d) in enumerate(self.arrays_d)
        ])  # fmt: skip
        found = self.kernels.backward(self.args, self.kept, array_bars, seeds)
        for (kind, d), bar in zip(self.numbers_d, found, strict=True):
            if d is not None:
                d[0] += bar if kind is float else to_number(bar, kind)
        for i in apart:
            d = self.arrays_d[i][1]
            if d is not None:
                d.add(array_bars[i], True)


def shadow_of_written(ctx: Context, x: ndarray) -> Any:
    """The shadow of memory that active values were written into."""
    x_d = ctx.buffers.find(x)
    if x_d is None:
        owner = owner_of(x)
        if owner.dtype != x.dtype and not reinterprets(x.dtype, owner.dtype):
            raise NotDifferentiable("active values are written through a view of another dtype")
        ctx.buffers.new(owner)
        x_d = ctx.buffers.find(x)
    return x_d


NOTHING: frozenset[int] = frozenset()


def apart_of(arrays_d: list, written: list) -> frozenset[int]:
    """The arrays whose cotangents a kernel must not add to in place: without a shadow, or with shared elements."""
    if all(d is not None and not d.overlaps for _, d in arrays_d):
        if len({id(d.buffer) for _, d in arrays_d}) == len(arrays_d):
            return NOTHING
    return frozenset({
        i for i, (x, d) in enumerate(arrays_d)
        if d is None or (not any(d is w for w in written) and (d.overlaps or is_among(i, x, d, arrays_d)))
    })  # fmt: skip


def is_among(i: int, x: ndarray, d: Any, arrays_d: list) -> bool:
    """Whether another one of the arrays shares elements with one of them."""
    return any(
        j != i and other is not None and other.buffer is d.buffer and shared(x, z)
        for j, (z, other) in enumerate(arrays_d)
    )


def seed_for(value: Any, bar: Any) -> Any:
    """The cotangent of a leaf of the value as a kernel takes it; zeros where there is none."""
    if type(value) is tuple:
        shape, dtype = value
        return np.zeros(shape, dtype) if bar is None else np.ascontiguousarray(bar, dtype).reshape(shape)
    if issubclass(value, complex):
        return complex(0.0 if bar is None else bar)
    return 0.0 if bar is None else float(bar.real)


def structured(ctx: Context, y: Any, leaves: Any, shadows: list[Any]) -> Any:
    """The shadow of a value from those of its leaves."""
    if not isinstance(y, tuple):
        return shadows[0] if leaves else None

    def inside(v: Any, path: tuple[int, ...]) -> Any:
        if isinstance(v, tuple):
            return ctx.packed(tuple([inside(part, (*path, i)) for i, part in enumerate(v)]))
        return by_path.get(path)

    by_path = {leaf.path: d for leaf, d in zip(leaves, shadows, strict=True)}
    return inside(y, ())
