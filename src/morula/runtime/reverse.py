"""The reverse context: the meaning that shadows have when a gradient is wanted."""

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from morula.errors import SeedError
from morula.runtime.access import Access
from morula.runtime.activity import Activity
from morula.runtime.arithmetic import Arithmetic
from morula.runtime.arrays import Arrays
from morula.runtime.attributes import Attributes
from morula.runtime.calls import Calls, HandlerTable
from morula.runtime.construction import Construction
from morula.runtime.containers import Containers
from morula.runtime.control import Control
from morula.runtime.entries import Write, deliver
from morula.runtime.functions import Twins
from morula.runtime.iteration import Iteration
from morula.runtime.memory import Buffers, owner_of
from morula.runtime.methods import Methods
from morula.runtime.records import Records
from morula.runtime.results import Results
from morula.runtime.rule_calls import RuleCalls
from morula.runtime.tape import NaNMet, has_nan, sweep

ndarray = np.ndarray


class Reverse(
    Arithmetic,
    Access,
    Attributes,
    Containers,
    Iteration,
    Calls,
    RuleCalls,
    Results,
    Construction,
    Methods,
    Arrays,
    Control,
    Activity,
):
    """One forward run under differentiation, and the backward sweeps over what it recorded."""

    __slots__ = (
        "append",
        "attribute_kinds",
        "buffers",
        "generators",
        "memo",
        "on1",
        "on2",
        "plain_twins",
        "records",
        "tape",
        "twins",
        "writes",
    )

    def __init__(self) -> None:
        self.tape: list[Any] = []
        self.append = self.tape.append
        self.writes: list[Write] = []
        self.buffers = Buffers()
        self.records = Records(self.buffers)
        self.twins = Twins()
        self.generators: dict[int, tuple] = {}
        self.plain_twins: dict[FunctionType, tuple[Callable, int]] = {}
        self.memo: dict[Any, tuple[Any, Any]] = {}
        self.attribute_kinds: dict[tuple[type, str], Any] = {}
        self.on1 = HandlerTable(self.handler1)
        self.on2 = HandlerTable(self.handler2)

    def finish_forward(self) -> None:
        """Drop what only the forward run needed (and the reference cycles with it)."""
        del self.on1, self.on2
        self.generators.clear()
        self.memo.clear()
        self.attribute_kinds.clear()

    # -- backward -----------------------------------------------------------------------------------------

    def seed(self, y: Any, y_d: Any, bar: Any) -> None:
        """Put the cotangent `bar` of the result in its place."""
        if bar is None:
            return
        shadow = self.shadow_of(y, y_d)
        if shadow is None:
            return
        try:
            deliver(y, shadow, bar)
        except (ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
            raise SeedError(f"the seed does not have the structure of the function's value: {error}") from error

    def backward(self, y: Any, y_d: Any, bar: Any, collect: Any, again: bool) -> Any:
        """Sweep back from the seed `bar` and return what `collect` finds at the leaves.

        `again`: memory is left as it is now, for further sweeps; otherwise arguments are left as they were
        before the forward run.
        """
        done = False
        with np.errstate(all="ignore"):
            try:
                self.seed(y, y_d, bar)
                try:
                    sweep(self.tape, False)
                    found = collect()
                    done = not has_nan(found)
                except NaNMet:
                    pass
                if not done:
                    self.clear()
                    self.redo()
                    self.seed(y, y_d, bar)
                    sweep(self.tape, True)
                    found = collect()
                    done = True
                return found
            finally:
                if not done:
                    self.clear()
                for write in self.writes:
                    if write.x_d is not None:
                        write.x_d.buffer.take()
                if again:
                    self.redo()
                else:
                    self.restore_arguments()

    def clear(self) -> None:
        """Forget every cotangent, wherever a sweep stopped."""
        for entry in self.tape:
            if type(entry) is list:
                entry[0] = 0
            elif type(entry) is tuple:
                entry[0].take()
            else:
                empty(getattr(entry, "y_d", None))
        for buffer in list(self.buffers.table.values()):
            buffer.take()
        for record in self.records.table.values():
            record.whole = None
            for _, leaf in (record.leaves or {}).values():
                empty(leaf)

    def redo(self) -> None:
        """Memory as the forward run left it, wherever the last sweep stopped."""
        for write in self.writes:
            if write.new is not None:
                write.redo()

    def restore_arguments(self) -> None:
        """Arguments as they were before the forward run, everything else as that left it."""
        for record in self.records.inputs:
            record.restore()
        if not self.writes:
            return
        for write in reversed(self.writes):
            if write.new is None:
                write.undo()
        arguments = {id(owner_of(x)) for x in self.records.kept}
        for write in self.writes:
            if id(owner_of(write.x)) not in arguments:
                write.redo()


def empty(shadow: Any) -> None:
    if type(shadow) is list:
        shadow[0] = 0
    elif type(shadow) is tuple:
        for s in shadow:
            empty(s)
    elif shadow is not None:
        shadow.take()
