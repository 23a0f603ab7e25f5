"""The report: what `explain` found, for people and for programs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.diagnostics.births import Birth
from morula.diagnostics.ledger import Ledger, Strange
from morula.diagnostics.observer import Observer
from morula.diagnostics.places import Line
from morula.diagnostics.reach import Reason, reasons
from morula.diagnostics.values import shown
from morula.eager.context.protocol import Context
from morula.eager.memory.guards import kept_arrays
from morula.eager.memory.layout import owner_of
from morula.static.tiers.dispatch import is_dispatcher

__all__ = ["Report"]


class Report:
    """What happened in differentiated runs, by line; printed as text, shown as HTML in notebooks.

    Attributes:
        value, gradient: of `explain`.
        lines: a `Line` for each line of the user that ran: its ``file``, ``number`` and ``text``, ``runs``,
            ``forward`` and ``backward`` in seconds, ``kept`` in bytes, ``largest`` cotangent.
        inner: likewise for lines of libraries, each of which has the user's as ``under``.
        births: where the first infinite cotangent was born, and the first NaN (see ``first``); empty where all are
            finite.
        strange: values that were not finite already going forward, with their ``line``.
        reasons: for each argument without a gradient, or with one of zero, its ``name`` and ``notes``: pairs of a line
            and a sentence.
        runs: how many runs were watched.
        peak: bytes of memory at the peak, None unless it was asked for; ``peak_at``: the line.
    """

    def __init__(self, tier: str | Callable[[], str] = "", memory: Any = None):
        self._tier = tier
        self.value: Any = None
        self.gradient: tuple | None = None
        self.error: BaseException | None = None
        self.runs = 0
        self.births: list[Birth] = []
        self.reasons: list[Reason] = []
        self.strange: list[Strange] = []
        self.entries = 0
        self.kept = 0
        self._ledger = Ledger(memory)
        self._last: Observer | None = None
        self._watches: list[Observer] = []

    # -- while it is written ------------------------------------------------------------------------------

    def watch(self, ctx: Context, f: Any, run: Any) -> None:
        """A run begins."""
        ledger = self._ledger
        nested = ledger.back or ctx.around > 0
        observer = Observer(ctx, f, run, ledger, nested)
        if not self.births:  # those of the first run that has any
            observer.births = self.births
        if not nested:
            self.runs += 1
            if run is not None:
                self._last = observer
        ledger.turn_to(ledger.current)

    def settle(self) -> None:
        """Everything has run."""
        watch = self._last
        self._ledger.turn_to(self._ledger.nowhere)
        if watch is None:
            return
        self._weigh(watch)
        self.reasons = reasons(watch)
        if self.births or watch.strange:
            self.strange = strange_values(watch)
        self._last = None

    def _weigh(self, watch: Observer) -> None:
        """What the tape keeps, by line; memory counts where it is first kept."""
        tape = watch.ctx.tape
        numbers: dict[tuple[Line, int], int] = {}  # entries of numbers, by line and length
        others: list[Any] = []
        by_entry: dict[int, Line] = {}
        for i, (entry, place) in enumerate(zip(tape, watch.places, strict=False)):
            if entry.__class__ is list and place.__class__ is Line:
                key = place, len(entry)
                numbers[key] = numbers.get(key, 0) + 1
            else:
                others.append(entry)
                by_entry[id(entry)] = line = watch.line_of(i)
                line.entries += 1
                line.kept += 120
                if entry.__class__ is not tuple and is_dispatcher(getattr(entry, "f", None)):
                    line.tiers.add("compiled")
        for (line, n), times in numbers.items():
            line.entries += times
            line.kept += times * (56 + 24 * n)  # the list, and its numbers
        seen = {id(owner_of(x)) for x in watch.ctx.records.kept}
        for x, entry in kept_arrays(others, first_only=True):
            owner = owner_of(x)
            if id(owner) not in seen:
                seen.add(id(owner))
                by_entry[id(entry)].kept += owner.nbytes
        self.entries = len(tape)
        self.kept = sum(line.kept for line in (*self._ledger.users.values(), *self._ledger.inner.values()))

    @property
    def tier(self) -> str:
        """Which tier would differentiate the function, and why; found out when it is asked for."""
        if not isinstance(self._tier, str):
            self._tier = self._tier()
        return self._tier

    @property
    def tier_note(self) -> str:
        """The same, with what ran here."""
        return f"{self.tier}\n(here the eager tier ran)" if self.runs and "eager tier:" not in self.tier else self.tier

    # -- what was found -----------------------------------------------------------------------------------

    @property
    def lines(self) -> list[Line]:
        """The user's lines."""
        found = [
            line for line in self._ledger.users.values() if line.file and (line.runs or line.entries or line.seconds)
        ]
        return sorted(found, key=lambda line: (line.file, line.number))

    @property
    def inner(self) -> list[Line]:
        """The lines of libraries."""
        return sorted(self._ledger.inner.values(), key=lambda line: (line.file, line.number))

    @property
    def first(self) -> Birth | None:
        """Where the first cotangent that is not finite was born: None where all are finite."""
        return self.births[0] if self.births else None

    @property
    def peak(self) -> int | None:
        """The most memory, in bytes, that Python and NumPy held beyond the start; None where it was not measured."""
        return self._ledger.peak if self._ledger.memory is not None else None

    @property
    def peak_at(self) -> Line | None:
        """The line that ran at the peak."""
        return None if self._ledger.peak_at is None else self._ledger.peak_at[0]

    @property
    def peak_is_back(self) -> bool:
        """Whether the peak was on the way back."""
        return self._ledger.peak_at is not None and self._ledger.peak_at[1]

    def folded(self) -> dict[Line, Line]:
        """The user's lines with what libraries did for them added."""
        totals = {}
        for line in self.lines:
            total = totals[line] = Line(line.file, line.number)
            for one in (line, *[i for i in self._ledger.inner.values() if i.under is line]):
                total.forward += one.forward
                total.backward += one.backward
                total.kept += one.kept
                total.entries += one.entries
                total.tiers |= one.tiers
                total.largest = one.largest if not one.largest <= total.largest else total.largest
            total.runs = line.runs
        return totals

    # -- how it is shown ----------------------------------------------------------------------------------

    def __str__(self) -> str:
        from morula.diagnostics.text import text_of

        return text_of(self)

    def __repr__(self) -> str:
        return str(self)

    def html(self) -> str:
        """A page of its own, which needs no network."""
        from morula.diagnostics.html import page_of

        return page_of(self)

    def _repr_html_(self) -> str:
        from morula.diagnostics.html import fragment_of

        return fragment_of(self)

    def save(self, path: Any) -> None:
        """Write the HTML page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html())


def strange_values(watch: Observer) -> list[Strange]:
    """The first values of lines that are not finite, of calls and of operations on the tape, in the order they ran."""
    found: list[Strange] = list(watch.strange.values())
    lines: set[Line] = set()
    for i, entry in enumerate(watch.ctx.tape):
        y = None
        if type(entry) is tuple and len(entry) != 6:
            y = entry[(len(entry) - 2) // 3 + 1]
        elif hasattr(entry, "args"):
            y = getattr(entry, "y", None)
        if isinstance(y, np.ndarray | float) and not np.all(np.isfinite(y)):
            line = watch.line_of(i)
            if line not in lines:
                lines.add(line)
                found.append(Strange(line, watch.segment_of(i), shown(y), i + 1))
            if len(lines) == 3:
                break
    for i, numbers in watch.singular.items():
        bad = {n: v for n, v in numbers.items() if not np.isfinite(v)}
        if bad:
            found.append(Strange(watch.line_of(i), watch.segment_of(i), ", ".join(map(shown, bad.values())), i + 1))
    first: dict[Line, Strange] = {}
    for strange in sorted(found, key=lambda s: s.after):
        first.setdefault(strange.line, strange)
    return list(first.values())
