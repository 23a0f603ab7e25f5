"""Products from the left at many points, without what is the same at all of them.

Most of a discretized equation is linear: cotangents pass its differences, slices and joins with the same factors
whatever the values are. A `Plan` has carried the seeds of all colours back over one tape. It keeps what came of them
by constant factors alone, and the few steps that read values. For another run of the same program only those steps are
taken, with the values of its tape, for all seeds at once.

A plan is never trusted: what it gives is compared with one exact product of the tape at hand.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from chainrules import is_absent, only_moves, unthunk
from morula.eager.calls.held import as_held
from morula.eager.context.entries import OperandPull, Pull
from morula.eager.context.number_entries import Gather
from morula.eager.context.run import Run
from morula.eager.forward.program import whole
from morula.eager.memory.array_shadows import Buffer, Keyed, Strided
from morula.eager.memory.keys import is_basic
from morula.eager.memory.layout import owner_of
from morula.eager.memory.writes import PartWrite, Write, is_write, target_of
from morula.eager.operators.in_place import InPlace
from morula.verbs.curvature import Rows, in_rows, reduced

ndarray = np.ndarray
SUMS = frozenset([np.sum, np.mean, np.cumsum, np.diff, ndarray.sum, ndarray.mean, ndarray.cumsum])
LONGEST = 500  # entries of a tape; loops over elements have more, and nothing to gain
FLOAT = np.dtype(float)
Step = Callable[[list, Rows], None]


class Unplanned(Exception):
    """The tape holds something that a plan does not know."""


class Plan:
    """The way back over a tape for several seeds, split into what is constant and what reads values."""

    def __init__(self, tape: list, leaf: Any, y_d: Any, seeds: ndarray):
        """`seeds` has a row for each seed; `leaf` and `y_d` are the shadows of the argument and the value."""
        self._leaf = leaf
        self._n = len(seeds)
        self._length = len(tape)
        self._fixed = Rows(self._n)
        self._varying: set[int] = set()  # the roots of shadows that steps reach
        self._steps: list[Step] = []
        self._same: list[Callable[[list], bool]] = []
        self._written = {id(owner_of(target_of(e)[0])) for e in tape if is_write(e)}
        self._fixed.add(y_d, np.array(seeds).reshape(self._n, *y_d.shape))
        with np.errstate(all="ignore"):
            for i in reversed(range(len(tape))):
                self._entry(i, tape[i])
        self.constant = self._fixed.or_zeros(leaf).reshape(self._n, -1).copy()
        del self._fixed

    @staticmethod
    def of(run: Any, seeds: ndarray) -> "Plan | None":
        """The plan of a run of one array; None where it holds something that is not known here."""
        if not isinstance(run, Run):
            return None
        (leaf, *_), y_d, tape = run._leaves, run.ctx.shadow_of(run.y, run.y_d), run.ctx.tape
        if len(tape) > LONGEST or any(type(s) is list or not is_known(s) for s in (leaf, y_d)):
            return None
        try:
            return Plan(tape, leaf, y_d, seeds)
        except Unplanned:
            return None

    def fits(self, tape: list) -> bool:
        """Whether a tape looks like the one of the plan, with the same constants."""
        return len(tape) == self._length and all(same(tape) for same in self._same)

    def changes(self, tape: list) -> ndarray:
        """What has to be added to `constant` for this tape: a row for each seed."""
        rows = Rows(self._n)
        for step in self._steps:
            step(tape, rows)
        return rows.or_zeros(self._leaf).reshape(self._n, -1)

    # -- entries, from the last to the first ---------------------------------------------------------------------

    def _entry(self, i: int, entry: Any) -> None:
        kind = type(entry)
        if kind is tuple and len(entry) in (5, 8):
            self._elementwise(i, entry)
        elif kind is Pull or kind is OperandPull:
            self._pull(i, entry)
        elif kind is Gather and whole(entry.key):
            self._linear(entry.y_d, entry.x_d, lambda rows, g: rows.add_at(entry.x_d, entry.key, g))
        elif kind is InPlace and entry.op.p == 1 and entry.op.q in (1, -1):
            if entry.z_d is not None:
                self._scaled(entry.x_d, entry.z_d, entry.op.q)
        elif (kind is Write or kind is PartWrite) and entry.unique and type(entry.v_d) is not tuple:
            self._write(entry.x_d, entry.key, entry.v_d)
        elif kind is tuple and len(entry) == 6:
            self._write(entry[1], entry[2], entry[4])
        else:
            raise Unplanned

    def _known(self, *shadows: Any) -> None:
        if not all(map(is_known, shadows)):
            raise Unplanned

    def _linear(self, y_d: Any, x_d: Any, send: Callable[[Rows, ndarray], None]) -> None:
        """A cotangent that goes on by a constant linear map."""
        self._known(y_d, x_d)
        fixed = self._fixed.get(y_d)
        if fixed is not None:
            send(self._fixed, fixed.copy())
        if root(y_d) in self._varying:
            self._varying.add(root(x_d))
            self._steps.append(lambda tape, rows: send(rows, rows.or_zeros(y_d).copy()))

    def _scaled(self, y_d: Any, x_d: Any, factor: Any) -> None:
        shape = () if type(x_d) is list else x_d.shape
        is_one = type(factor) in (int, float) and factor == 1
        self._linear(y_d, x_d, lambda rows, g: rows.add(x_d, reduced(g if is_one else g * factor, shape)))

    def _elementwise(self, i: int, entry: tuple) -> None:
        operands = (len(entry) - 2) // 3
        values = entry[operands + 1 : 2 * operands + 2]
        for k in range(operands):
            p, x_d = entry[1 + k], entry[2 * operands + 2 + k]
            if p is None or x_d is None:
                continue
            if not callable(p):
                self._same.append(partial(_same_number, i, 1 + k, p))
                self._scaled(entry[0], x_d, p)
                continue
            other = None
            if operands == 2 and entry[2 - k] is None and values[0] is None and values[1 + k] is None:
                other = values[2 - k]
            if other is not None:
                self._same.append(partial(_same_factor, i, p, k, other))
                self._scaled(entry[0], x_d, p(*values))
            else:
                self._product(i, k, entry[0], x_d, values)

    def _product(self, i: int, k: int, y_d: Any, x_d: Any, values: tuple) -> None:
        """A factor that depends on values."""
        self._known(y_d, x_d)
        if any(isinstance(a, ndarray) and id(owner_of(a)) in self._written for a in values):
            raise Unplanned  # they have to be rewound
        fixed, moves = self._fixed.get(y_d), root(y_d) in self._varying
        if fixed is None and not moves:
            return
        shape = () if type(x_d) is list else x_d.shape
        fixed = None if fixed is None else fixed.copy()
        self._varying.add(root(x_d))
        n = len(values)

        def step(tape: list, rows: Rows) -> None:
            entry = tape[i]
            g = fixed if not moves else rows.or_zeros(y_d) if fixed is None else rows.or_zeros(y_d) + fixed
            rows.add(x_d, reduced(entry[1 + k](*entry[n : 2 * n]) * g, shape))

        size = 3 * n - 1
        self._same.append(lambda tape: type(tape[i]) is tuple and len(tape[i]) == size and callable(tape[i][1 + k]))
        self._steps.append(step)

    def _pull(self, i: int, entry: Pull) -> None:
        if type(entry.y_d) is tuple:
            raise Unplanned
        targets: list[tuple[tuple[int, ...], Any]] = []
        for j, _, d in entry.targets:
            targets += flattened((j,), d)
        self._known(entry.y_d, *(d for _, d in targets))
        fixed, moves = self._fixed.get(entry.y_d), root(entry.y_d) in self._varying
        if fixed is None and not moves:
            return
        is_linear = entry.f in SUMS or only_moves(entry.f)
        if not is_linear and self._written:
            raise Unplanned
        self._same.append(lambda tape: type(tape[i]) is type(entry) and tape[i].f is entry.f)
        if is_linear and fixed is not None:
            pulled(entry, fixed, targets, self._fixed)
        if moves or not is_linear:
            self._varying |= {root(d) for _, d in targets}
            kept = None if fixed is None or is_linear else fixed.copy()
            y_d = entry.y_d

            def step(tape: list, rows: Rows) -> None:
                g = kept if not moves else rows.or_zeros(y_d) if kept is None else rows.or_zeros(y_d) + kept
                assert g is not None
                pulled(tape[i], g, targets, rows)

            self._steps.append(step)

    def _write(self, x_d: Any, key: Any, v_d: Any) -> None:
        if x_d is None:
            return
        if not (is_basic(key) or whole(key)):
            raise Unplanned
        self._known(x_d, *(() if v_d is None else (v_d,)))
        shape = () if type(v_d) is list or v_d is None else v_d.shape

        def back(rows: Rows) -> None:
            here = rows.get(x_d)
            if here is not None:
                if v_d is not None:
                    rows.add(v_d, reduced(np.array(here[in_rows(key)]), shape))
                here[in_rows(key)] = 0

        back(self._fixed)
        if root(x_d) in self._varying:
            if v_d is not None:
                self._varying.add(root(v_d))
            self._steps.append(lambda tape, rows: back(rows))


def root(shadow: Any) -> int:
    """What names the memory, or the number, of a shadow."""
    return id(shadow if type(shadow) is list else shadow.buffer)


def is_known(shadow: Any) -> bool:
    """Whether a shadow is that of a number, or of double precision memory in C order, of which all is its own."""
    if type(shadow) is list:
        return True
    if type(shadow) not in (Buffer, Keyed, Strided) or shadow.overlaps or shadow.dtype != FLOAT:
        return False
    memory = shadow.buffer
    place = memory.place
    if place is not None and (place.first or place.scale != 1 or place.other is not None):
        return False
    step = FLOAT.itemsize
    for n, stride in zip(reversed(memory.shape), reversed(memory.strides), strict=True):
        if n != 1 and stride != step:
            return False
        step *= n
    if memory.dtype != FLOAT or place is None:
        return bool(memory.dtype == FLOAT)
    return place.span in (None, step) and not (place.aside or place.asides or place.stopped)


def _same_number(i: int, at: int, p: Any, tape: list) -> bool:
    """Whether an operation has the same partial, a number."""
    return type(tape[i]) is tuple and len(tape[i]) > at and not callable(tape[i][at]) and tape[i][at] == p


def _same_factor(i: int, p: Any, k: int, z: Any, tape: list) -> bool:
    """Whether an operation of two operands has the same inactive one, and the same partial."""
    entry = tape[i]
    if type(entry) is not tuple or len(entry) != 8 or entry[1 + k] is not p or entry[2 - k] is not None:
        return False
    now = entry[5 - k]
    return now is z or (type(now) is type(z) and np.array_equal(now, z))


def flattened(at: tuple[int, ...], d: Any) -> list[tuple[tuple[int, ...], Any]]:
    """The shadows in a structure of tuples, and where they stand."""
    if d is None:
        return []
    if type(d) in (list, Buffer, Keyed, Strided):
        return [(at, d)]
    if type(d) is not tuple:
        raise Unplanned
    return [found for i, part in enumerate(d) for found in flattened((*at, i), part)]


def pulled(entry: Pull, bars: ndarray, targets: list, rows: Rows) -> None:
    """Send rows of cotangents through a pullback, one by one."""
    for r, bar in enumerate(bars):
        with as_held(entry.held):
            found = entry.pullback(bar if bar.ndim else bar.item())
        found = found if type(found) is tuple else (found,)
        for at, d in targets:
            part: Any = found
            for j in at:
                part = None if part is None else unthunk(part)[j]
            part = unthunk(part)
            if not is_absent(part):
                view, part = rows.or_zeros(d), np.asarray(part)
                if part.shape != view.shape[1:] or part.dtype.kind not in "fiu":
                    raise Unplanned
                view[r] += part
