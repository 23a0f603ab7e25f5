"""Patterns of programs on vectors, from the tape of one run: sets of indices as a few stretches with offsets.

Slices, joins and operations element by element treat long stretches of a vector alike: the elements from `low` to
`high` reach the results that lie some offsets before them. Walking back over a tape such stretches move, overlap and
end, and none of it takes longer for longer vectors. What is no such program is left to marks (`eager.forward.marks`).
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from chainrules import unthunk
from morula.eager.calls.held import as_held
from morula.eager.context.entries import OperandPull, Pull
from morula.eager.context.run import Run
from morula.eager.memory.array_shadows import Buffer, Keyed, Strided
from morula.eager.memory.writes import PartWrite, Write
from morula.eager.operators.in_place import InPlace
from morula.errors import NotDifferentiable
from morula.static.tiers.dispatch import is_dispatcher
from morula.verbs.constant_parts import LONGEST, Unplanned, flattened, is_known

ndarray = np.ndarray
Stretch = tuple[int, int, frozenset]  # from where to where in memory, and what has to be taken off for the results
MOST = 48  # stretches of one memory: more are no vectors treated alike
# Functions whose operands go to one place each, which their pullbacks tell.
ONCE = frozenset({
    np.concatenate, np.hstack, np.reshape, ndarray.reshape, np.ravel, ndarray.ravel, ndarray.flatten, np.copy,
    ndarray.copy, np.roll,
})  # fmt: skip


def pattern_by_tape(f: Callable, x: Any, args: tuple, kwargs: dict) -> tuple[Any, tuple[int, int]] | None:
    """The stretches of the vector `x` with their offsets, and the Jacobian's shape; None where marks are needed."""
    if type(x) is not ndarray or x.dtype != float or x.ndim != 1 or not x.flags.c_contiguous:
        return None
    if is_dispatcher(f):  # followed as Python, element by element
        return None
    try:
        run = Run(f, (x, *args), kwargs, active=(0,))
    except NotDifferentiable:
        return None
    try:
        y = run.y
        if type(y) is not ndarray or y.dtype != float or y.ndim != 1 or len(run.ctx.tape) > LONGEST:
            return None
        y_d = run.ctx.shadow_of(y, run.y_d)
        walk = Walk()
        if y_d is not None:
            memory, start, size = walk.place(y_d)
            walk.add(memory, [(start, start + size, frozenset((start,)))])
            for entry in reversed(run.ctx.tape):
                walk.entry(entry)
        memory, start, size = walk.place(run._leaves[0])
        found = [(low - start, high - start, {d - start for d in ds}) for low, high, ds in walk.at(memory, start, size)]
        return found, (y.size, x.size)
    except Unplanned:
        return None
    finally:
        if run.ctx.writes or run.ctx.records.inputs:
            run.ctx.restore_arguments()


class Walk:
    """Which results the elements of each memory reach, at a point of the way back."""

    def __init__(self) -> None:
        self._table: dict[int, list[Stretch]] = {}

    def place(self, shadow: Any) -> tuple[int, int, int]:
        """The memory of a shadow, where it begins there, and its size."""
        if type(shadow) is list or not is_known(shadow):
            raise Unplanned
        start, size = extent(shadow)
        return id(shadow.buffer), start, size

    def add(self, memory: int, stretches: list[Stretch]) -> None:
        """More results that elements reach."""
        self._table.setdefault(memory, []).extend(stretches)

    def at(self, memory: int, start: int, size: int) -> list[Stretch]:
        """The stretches inside a part of a memory, in order, none of which overlap."""
        found = merged(self._table.get(memory, []))
        if found:
            self._table[memory] = list(found)
        end = start + size
        return [(max(low, start), min(high, end), ds) for low, high, ds in found if low < end and high > start]

    def take(self, memory: int, start: int, size: int) -> list[Stretch]:
        """The same, and they are there no more."""
        found, end = self.at(memory, start, size), start + size
        rest = [(low, min(high, start), ds) for low, high, ds in self._table.get(memory, []) if low < start]
        rest += [(max(low, end), high, ds) for low, high, ds in self._table.get(memory, []) if high > end]
        self._table[memory] = rest
        return found

    def send(self, stretches: list[Stretch], shift: int, memory: int) -> None:
        """Elements of `memory` that lie `shift` after those of the stretches reach what these reach."""
        moved = [(low + shift, high + shift, frozenset([d + shift for d in ds])) for low, high, ds in stretches]
        self.add(memory, moved)

    # -- entries -------------------------------------------------------------------------------------------------

    def entry(self, entry: Any) -> None:
        """Back over one entry of the tape."""
        kind = type(entry)
        if kind is tuple and len(entry) in (5, 8):
            operands = (len(entry) - 2) // 3
            memory, start, size = self.place(entry[0])
            found = self.take(memory, start, size)
            for p, x_d in zip(entry[1 : 1 + operands], entry[2 + 2 * operands :], strict=True):
                if p is not None and x_d is not None and not (type(p) is int and p == 0):
                    self._alike(found, start, entry[0], x_d)
        elif (kind is Pull or kind is OperandPull) and entry.f in ONCE:
            self._moved(entry)
        elif kind is InPlace:
            if entry.x_d is not None and entry.z_d is not None:
                memory, start, size = self.place(entry.x_d)
                self._alike(self.at(memory, start, size), start, entry.x_d, entry.z_d)
        elif kind is Write or kind is PartWrite:
            self._written(entry.x_d, entry.key, entry.v_d)
        elif kind is tuple and len(entry) == 6:
            self._written(entry[1], entry[2], entry[4])
        else:
            raise Unplanned

    def _alike(self, found: list[Stretch], start: int, y_d: Any, x_d: Any) -> None:
        """Each element of x reaches what the element of y at its place does."""
        memory, x_start, _ = self.place(x_d)
        if x_d.shape != y_d.shape:
            raise Unplanned
        self.send(found, x_start - start, memory)

    def _moved(self, entry: Pull) -> None:
        """Elements go to one place each: a pullback of places tells which."""
        memory, start, size = self.place(entry.y_d)
        found = self.take(memory, start, size)
        with as_held(entry.held):
            pulled: Any = entry.pullback(np.arange(1.0, size + 1).reshape(entry.y_d.shape))
        for j, _, d in entry.targets:
            for at, x_d in flattened((j,), d):
                part: Any = pulled if type(pulled) is tuple else (pulled,)
                for k in at:
                    part = unthunk(part)[k]
                part = unthunk(part)
                if type(part) is not ndarray:
                    raise Unplanned
                x_memory, x_start, x_size = self.place(x_d)
                places = np.ravel(part).astype(np.intp) - 1
                ends = [0, *(np.flatnonzero(np.diff(places) != 1) + 1).tolist(), x_size]
                if len(ends) > MOST or len(places) != x_size or not x_size or places.min() < 0:
                    raise Unplanned
                for low, high in pairwise(ends):
                    first = start + int(places[low])
                    inside = [(max(a, first), min(b, first + high - low), ds) for a, b, ds in found]
                    self.send([s for s in inside if s[0] < s[1]], x_start + low - first, x_memory)

    def _written(self, x_d: Any, key: Any, v_d: Any) -> None:
        if x_d is None:
            return
        memory, start, _ = self.place(x_d)
        low, high = reached(key, x_d.shape)
        found = self.take(memory, start + low, high - low)
        if v_d is not None and found:
            v_memory, v_start, v_size = self.place(v_d)
            if v_size != high - low:
                raise Unplanned
            self.send(found, v_start - start - low, v_memory)


def extent(shadow: Any) -> tuple[int, int]:
    """Where a stretch of memory begins, and its size."""
    size = 1
    for n in shadow.shape:
        size *= n
    if type(shadow) is Buffer:
        return 0, size
    if type(shadow) is Keyed:
        start, _ = extent(shadow.parent)
        low, high = reached(shadow.key, shadow.parent.shape)
        if high - low != size:
            raise Unplanned
        return start + low, size
    assert type(shadow) is Strided
    step = shadow.dtype.itemsize
    for n, stride in zip(reversed(shadow.shape), reversed(shadow.strides), strict=True):
        if n != 1 and stride != step:
            raise Unplanned
        step *= n
    return shadow.offset // shadow.dtype.itemsize, size


def reached(key: Any, shape: tuple[int, ...]) -> tuple[int, int]:
    """From where to where a key reaches in memory of this shape: slices of the first axis, or one number."""
    if key is Ellipsis:
        key = slice(None)
    if type(key) is tuple and len(key) == 1:
        (key,) = key
    if type(key) is int and len(shape) == 1:
        return key % shape[0], key % shape[0] + 1
    if type(key) is not slice or not shape:
        raise Unplanned
    low, high, step = key.indices(shape[0])
    if step != 1:
        raise Unplanned
    width = 1
    for n in shape[1:]:
        width *= n
    return low * width, max(low, high) * width


def merged(stretches: list[Stretch]) -> list[Stretch]:
    """Stretches that do not overlap, in order."""
    stretches = [s for s in stretches if s[0] < s[1]]
    if len(stretches) < 2:
        return stretches
    if len(stretches) > MOST:
        raise Unplanned
    ends = sorted({end for low, high, _ in stretches for end in (low, high)})
    found: list[Stretch] = []
    for low, high in pairwise(ends):
        ds = frozenset().union(*[ds for a, b, ds in stretches if a <= low and high <= b])
        if not ds:
            continue
        if found and found[-1][1] == low and found[-1][2] == ds:
            found[-1] = (found[-1][0], high, ds)
        else:
            found.append((low, high, ds))
    if len(found) > MOST or max([len(ds) for _, _, ds in found]) > MOST:
        raise Unplanned
    return found


def compressed(stretches: list, shape: tuple[int, int]) -> tuple[ndarray, ndarray, ndarray]:
    """The pattern as three arrays in CSC format: the numbers of entries, the rows, and where columns end."""
    counts = np.zeros(shape[1], np.int32)
    rows = []
    for low, high, ds in stretches:
        counts[low:high] = len(ds)
        offsets = -np.array(sorted(ds, reverse=True), np.int32)
        rows.append(np.add.outer(np.arange(low, high, dtype=np.int32), offsets).ravel())
    ends = np.zeros(shape[1] + 1, np.int32)
    np.cumsum(counts, out=ends[1:])
    indices = np.concatenate(rows) if rows else np.zeros(0, np.int32)
    return np.ones(len(indices), bool), indices, ends
