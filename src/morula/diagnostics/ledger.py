"""What an observer writes down: lines and what they cost, and where activity ends."""

from collections.abc import Callable
from time import perf_counter
from types import CodeType, FunctionType
from typing import Any

from morula.diagnostics.places import LIBRARY, Kinds, Line
from morula.eager.calls.twins import Twins
from morula.transform import SourceUnavailable, Template
from morula.transform.marks import marked_code

__all__ = ["End", "Ledger", "MarkedTwins", "Strange"]


class End:
    """Activity that ended: at which line, by what, and the shadows that had come there."""

    __slots__ = ("line", "shadows", "times", "why")

    def __init__(self, line: Line, why: str):
        self.line = line
        self.why = why
        self.times = 0
        self.shadows: list[Any] = []


class Strange:
    """The first value of a line that was not finite going forward; `after` so many entries of the tape."""

    __slots__ = ("after", "line", "value", "what")

    def __init__(self, line: Line, what: str, value: Any, after: int):
        self.after = after
        self.line = line
        self.what = what
        self.value = value


class Ledger:
    """Lines by where they stand, of all runs that one report is about; and the clock, which one line pays at a time."""

    def __init__(self, memory: Callable[[], tuple[int, int]] | None = None):
        self.kinds = Kinds()
        self.users: dict[tuple[str, int], Line] = {}
        self.inner: dict[tuple[tuple[str, int], Line], Line] = {}
        self.by_code: dict[int, tuple[CodeType, list[Line]]] = {}  # of the user's code, by instruction
        self.nowhere = Line("", 0)
        self.current = self.user = self.nowhere
        self.site: tuple[str, int] | None = None  # of the line that pays, where a mark has said so
        self.then = perf_counter()
        self.back = False  # whether time goes to the way back
        self.memory = memory
        self.peak = 0
        self.peak_at: tuple[Line, bool] | None = None

    def line(self, site: tuple[str, int], under: Line | None = None) -> Line:
        """The line that stands at `site`."""
        if self.kinds[site[0]] != LIBRARY:
            found = self.users.get(site)
            if found is None:
                found = self.users[site] = Line(*site)
            return found
        user = self.user if under is None else under
        found = self.inner.get((site, user))
        if found is None:
            found = self.inner[site, user] = Line(*site, user)
        return found

    def turn_to(self, line: Line) -> None:
        """From now on `line` pays; what was before it has paid."""
        now = perf_counter()
        before = self.current
        if self.back:
            before.backward += now - self.then
        else:
            before.forward += now - self.then
        if self.memory is not None:
            peak = self.memory()[1]
            if peak > self.peak:
                self.peak = peak
                self.peak_at = (before, self.back)
        self.current = line
        self.then = now
        self.site = None


class MarkedTwins(Twins):
    """Twins that say where they are."""

    def __init__(self, ledger: Ledger):
        super().__init__()
        self.ledger = ledger

    def of(self, f: FunctionType, template: Template) -> Any:
        """The marked twin of `f`."""
        twin = self.table.get(f)
        if twin is None:
            twin = super().of(f, template)
            if not self.ledger.kinds[f.__code__.co_filename]:
                return twin  # a body that the engine puts in the place of a function
            ledger, line = self.ledger, self.ledger.current
            ledger.turn_to(ledger.nowhere)
            try:
                twin = self.table[f] = FunctionType(marked_code(f), f.__globals__, f.__name__, None, twin.__closure__)
            except (SourceUnavailable, ValueError):
                return twin
            finally:
                ledger.turn_to(line)
        return twin
