"""The reverse context: the meaning that shadows have when a gradient is wanted."""

from collections.abc import Callable, Iterator
from itertools import islice
from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.calls import Calls
from morula.eager.calls.methods import Methods
from morula.eager.calls.opaque import Opaque
from morula.eager.calls.rule_calls import RuleCalls
from morula.eager.calls.steps import StepTable
from morula.eager.calls.twins import DirectCalls, HandlerTable, Twins
from morula.eager.containers.activity import Activity
from morula.eager.containers.containers import Containers
from morula.eager.containers.iteration import Iteration
from morula.eager.containers.records import Records
from morula.eager.context.entries import deliver
from morula.eager.context.observed import Observed
from morula.eager.context.refusals import Refusals
from morula.eager.context.results import Results
from morula.eager.context.sweep import sweep_carelessly, sweep_strictly
from morula.eager.context.tape import NaNMet, empty, has_nan, holds_nan, root_of
from morula.eager.forward.tangents import Tangents
from morula.eager.memory.access import Access
from morula.eager.memory.buffers import Buffers
from morula.eager.memory.foreign_memory import ForeignMemory
from morula.eager.memory.layout import caller_memory, owner_of
from morula.eager.memory.structured import Structured
from morula.eager.memory.writes import Rewind, is_write, target_of, undo
from morula.eager.numpy.array_subclasses import ArraySubclasses
from morula.eager.numpy.arrays import Arrays
from morula.eager.numpy.object_arrays import ObjectArrays
from morula.eager.numpy.overrides import Overrides
from morula.eager.objects.attributes import Attributes
from morula.eager.objects.class_attributes import ClassAttributes
from morula.eager.objects.classes import Classes
from morula.eager.objects.construction import Construction
from morula.eager.objects.copies import Copies
from morula.eager.objects.frames import Frames
from morula.eager.objects.state import State, StateRecord
from morula.eager.objects.weak_references import WeakReferences
from morula.eager.operators.arithmetic import Arithmetic
from morula.eager.operators.control import Control
from morula.eager.operators.in_place import InPlaceArrays
from morula.eager.python.texts import Texts
from morula.errors import SeedError

ndarray = np.ndarray


class Reverse(
    Arithmetic,
    InPlaceArrays,
    Access,
    Attributes,
    Frames,
    WeakReferences,
    ClassAttributes,
    State,
    Containers,
    Iteration,
    DirectCalls,
    Calls,
    Opaque,
    ForeignMemory,
    RuleCalls,
    Results,
    Construction,
    Classes,
    Copies,
    Methods,
    Arrays,
    ObjectArrays,
    Overrides,
    ArraySubclasses,
    Structured,
    Control,
    Refusals,
    Activity,
    Tangents,
    Texts,
    Observed,
):
    """One forward run under differentiation, and the backward sweeps over what it recorded."""

    __slots__ = (
        "again",
        "append",
        "around",
        "at",
        "attribute_kinds",
        "buffers",
        "collective",
        "depth",
        "elsewhere",
        "generators",
        "handed_out",
        "handlers",
        "leaves",
        "levels",
        "memo",
        "observer",
        "on1",
        "on2",
        "on3",
        "on_list",
        "plain_twins",
        "pointed",
        "records",
        "state",
        "steps",
        "tape",
        "taped",
        "to_tape",
        "told",
        "twins",
        "ways",
        "writes",
    )
    recording: Any = None

    def __init__(self, taped: bool = True, around: int = 0) -> None:
        """Begin; `around` is how many derivations this one is inside."""
        self.around = around
        self.tape: list[Any] = []
        self.taped = taped
        self.append = self.to_tape = self.tape.append if taped else forget
        self.observer: Any = None
        self.collective: Callable[[Any, Any], Any] | None = None
        self.levels = []
        self.depth = 0
        self.handlers = ()
        self.writes: list[Any] = [] if taped else Unlogged()
        self.buffers = Buffers()
        self.records = Records(self.buffers, shared=around > 0)
        self.state: dict[int, StateRecord] = {}
        self.twins = Twins()
        self.generators: dict[int, tuple] = {}
        self.plain_twins: dict[FunctionType, tuple[Any, int]] = {}
        self.leaves: tuple = ()
        self.elsewhere: list[Any] = []
        self.refusal: BaseException | None = None
        self.handed_out: dict[int, tuple[ndarray, str]] = {}
        self.pointed: dict[int, tuple[ndarray, str]] = {}
        self.ways: dict[int, tuple[Any, Any]] = {}
        self.memo: dict[Any, dict[Any, tuple]] = {}
        self.told: list[tuple[Any, Any, str | None]] = []
        self.attribute_kinds: dict[tuple[type, str], Any] = {}
        self.steps = StepTable()
        self.on1 = HandlerTable(self.handler, 1)
        self.on2 = HandlerTable(self.handler, 2)
        self.on3 = HandlerTable(self.handler, 3)
        self.on_list = HandlerTable(self.handler, 0)

    def of_next_outer(self, rule: Callable) -> Callable:
        """A rule of the user's as it runs here: its code is differentiated by the derivations around this one."""
        outside = self.around + self.depth - (not self.taped)
        if outside == 0:
            return rule

        def outer(*args: Any, **kw: Any) -> Any:
            ctx = Reverse(taped=True, around=outside - 1)
            return ctx.whole(ctx.call, rule, args, (None,) * len(args), kw, {})[0]

        return outer

    def finish_forward(self) -> None:
        """Drop what only the forward run needed (and the reference cycles with it)."""
        if self.observer is not None:
            self.observer.rest()
        del self.on1, self.on2, self.on3, self.on_list
        self.handlers = ()
        self.generators.clear()
        self.memo.clear()
        self.ways.clear()
        self.told.clear()
        self.attribute_kinds.clear()

    # -- backward -----------------------------------------------------------------------------------------

    def seed(self, y: Any, y_d: Any, bar: Any) -> None:
        """Put the cotangent `bar` of the result in its place."""
        if bar is None:
            return
        if self.collective is not None:
            bar = self.collective(y, bar)
        if type(y_d) is list and type(bar) is float and type(y) in (float, np.float64):
            y_d[0] += bar
            return
        shadow = self.shadow_of(y, y_d)
        if shadow is None:
            return
        try:
            deliver(y, shadow, bar)
        except (ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
            raise SeedError(f"the seed does not have the structure of the function's value: {error}") from error

    def backward(
        self, y: Any, y_d: Any, bar: Any, collect: Callable[[], Any], shown: Callable[[list], Any] | None = None
    ) -> Any:
        """Sweep back from the seed `bar` and return what `collect` finds at the leaves; memory is left as it is.

        With `shown`, over what that makes of the tape.
        """
        if self.observer is not None:
            return self.observer.backward(self, y, y_d, bar, collect)
        rewind = Rewind(self.writes)
        done = False
        with np.errstate(all="ignore"):
            try:
                self.seed(y, y_d, bar)
                if shown is None:
                    try:
                        sweep_carelessly(self.tape, once=False)
                        found = collect()
                        done = not has_nan(found)
                    except NaNMet:
                        pass
                    if not done:
                        self._start_again(rewind, y, y_d, bar)
                if not done:
                    sweep_strictly(self.tape if shown is None else shown(self.tape), once=False)
                    found = collect()
                    done = True
                return found
            finally:
                if not done:
                    self.clear()
                rewind.forget()
                rewind.redo()

    def backward_once(self, y: Any, y_d: Any, bar: Any, collect: Callable[[], Any]) -> Any:
        """The same for the only time: frees the tape, and leaves the arguments as they were before the forward run."""
        if self.observer is not None:
            return self.observer.backward_once(self, y, y_d, bar, collect)
        rewind = Rewind(self.writes, once=True) if self.writes else None
        size = len(self.tape)
        with np.errstate(all="ignore"):
            try:
                self.writes.clear()
                self.seed(y, y_d, bar)
                if not self._begin_to_free():
                    self._start_again(rewind, y, y_d, bar)
            except BaseException:
                if rewind is not None and len(self.tape) == size:  # else what is gone has been undone
                    rewind.redo()
                self.restore_arguments(rewind)
                raise
            try:
                if rewind is not None:
                    rewind.prepare_to_free(self.tape, self.argument_owners())
                if self.tape:
                    sweep_strictly(self.tape, once=True)
                return collect()
            finally:
                self.restore_arguments(rewind)

    def _begin_to_free(self) -> bool:
        """Sweep as far as careless products do, and free that part of the tape; False where a NaN came of it."""
        try:
            left = sweep_carelessly(self.tape, once=True)
        except NaNMet:
            return False
        if left == 0 and not self.records.table:
            if any(map(holds_nan, self.leaves)):
                return False
            self.tape.clear()
            return True
        seen: set[int] = set()
        for shadow in self._unsettled(left):
            root = root_of(shadow)
            if id(root) not in seen:
                seen.add(id(root))
                if holds_nan(root):
                    return False
        del self.tape[left:]
        return True

    def _unsettled(self, left: int) -> Iterator[Any]:
        """The shadows that may hold a cotangent when the first `left` entries of the tape are still to be pulled."""
        for entry in islice(self.tape, left):
            if type(entry) is list:
                yield entry
            elif type(entry) is tuple:
                yield entry[1] if len(entry) == 6 else entry[0]
            else:
                yield entry.x_d if is_write(entry) else entry.y_d
        yield from self.leaves
        for record in self.records.table.values():
            for _, leaf in (record.leaves or {}).values():
                yield leaf

    def _start_again(self, rewind: Rewind | None, y: Any, y_d: Any, bar: Any) -> None:
        """As it was before the sweep."""
        self.clear()
        if rewind is not None:
            rewind.forget()
            rewind.redo()
        self.seed(y, y_d, bar)

    def clear(self) -> None:
        """Forget every cotangent, wherever a sweep stopped."""
        for entry in self.tape:
            if type(entry) is list:
                entry[0] = 0
            elif type(entry) is tuple:
                empty(entry[1] if len(entry) == 6 else entry[0])
            else:
                empty(getattr(entry, "y_d", None))
        for buffer in list(self.buffers.table.values()):
            buffer.take()
        for record in self.records.table.values():
            record.whole = None
            for _, leaf in (record.leaves or {}).values():
                empty(leaf)
        for leaf in self.leaves:
            empty(leaf)

    def argument_owners(self) -> set[int]:
        owners = [owner_of(x) for x in self.records.kept]
        return {id(x) for owner in owners for x in (owner, caller_memory(owner))}

    def restore_arguments(self, rewind: Rewind | None = None) -> None:
        """Arguments as they were before the forward run, everything else as that left it.

        `rewind`: of a sweep that frees the tape, which holds what has not been undone.
        """
        for record in reversed(self.records.inputs):  # one that has been met twice has two
            record.restore()
        if rewind is None and not self.writes:
            return
        arguments = self.argument_owners() - self.gone_owners()
        for entry in reversed(self.writes if rewind is None else self.tape):
            if is_write(entry) and id(owner_of(target_of(entry)[0])) in arguments:
                undo(entry)
        if rewind is not None:
            rewind.redo(arguments)


def forget(entry: Any) -> None:
    """Record nothing: what a number was computed of is let go."""
    if type(entry) is list and len(entry) > 2:
        del entry[1:]


class Unlogged(list):
    """The writes of a context without a tape: nobody will undo them."""

    def append(self, entry: Any) -> None:
        """Let it go."""
