"""Many programs, counted: how many were right, refused, skipped and wrong."""

import re
import time
from collections import Counter
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, seed, settings

from .check import Verdict, check
from .grammar import Group, programs
from .groups import CORE, DEFAULT, REFUSED
from .shrink import shrunk

Task = tuple[tuple[str, ...], int, int, float]

CHUNK = 100  # programs that are drawn together
ALIKE = re.compile(r"-?\b\d[\d.e+-]*|\[[^\]]*\]|'[^']*'")  # what differs in messages about the same thing


@dataclass
class Survey:
    """Counts of verdicts, and one program for each kind of failure.

    Attributes:
        verdicts: by kind; also of programs that "raised", that a "complex step" confirmed, and that are
            "noted" (they have no forward mode, or not all second derivatives).
        messages: of refusals and skips, also those of forward mode and second order, without their numbers.
        examples: a program for each of them.
        failures: a program for each kind of disagreement, with its message.
    """

    verdicts: Counter = field(default_factory=Counter)
    messages: Counter = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    failures: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def programs(self) -> int:
        return sum(self.verdicts[k] for k in ("right", "refused", "skipped", "wrong"))

    def share(self, kind: str) -> float:
        return self.verdicts[kind] / max(1, self.programs)

    def add(self, source: str, verdict: Verdict) -> None:
        self.verdicts[verdict.kind] += 1
        self.verdicts["raised"] += verdict.raised
        self.verdicts["complex step"] += verdict.by_complex_step
        self.verdicts["noted"] += bool(verdict.notes)
        self.verdicts["compiled"] += verdict.is_compiled
        for note in verdict.notes:
            self.note(source, note)
        if verdict.kind == "wrong":
            self.failures.setdefault(signature(verdict), (source, verdict.message))
        elif verdict.kind != "right":
            self.note(source, f"{verdict.kind}: {verdict.message}")

    def note(self, source: str, message: str) -> None:
        message = ALIKE.sub("_", message)[:160]
        self.messages[message] += 1
        self.examples.setdefault(message, source)

    def merge(self, other: "Survey") -> None:
        self.verdicts.update(other.verdicts)
        self.messages.update(other.messages)
        self.examples = {**other.examples, **self.examples}
        self.failures = {**other.failures, **self.failures}

    def report(self) -> str:
        lines = [f"{self.programs} programs"]
        for kind in ("right", "wrong", "refused", "skipped"):
            lines.append(f"  {kind:8} {self.verdicts[kind]:7}  {100 * self.share(kind):6.2f} %")
        lines.append(f"of these {self.verdicts['raised']} raised, {self.verdicts['complex step']} had complex steps")
        lines.append(f"and {self.verdicts['noted']} have no forward mode, or were chosen and have no second derivative")
        lines += [f"and the adjoints of {self.verdicts['compiled']} were compiled"] * bool(self.verdicts["compiled"])
        lines += [f"  {number:6}  {message}" for message, number in self.messages.most_common()]
        return "\n".join(lines)


def signature(verdict: Verdict) -> str:
    """What failures of the same kind have in common."""
    what, _, _ = verdict.message.partition(": ")
    return ALIKE.sub("_", verdict.message if "raised" in what or what == "native" else what)[:80]


def survey(groups: tuple[Group, ...], start: int, number: int, until: float = float("inf")) -> Survey:
    """Check `number` programs, which the seed `start` determines, or as many as there are until a time."""
    found = Survey()
    for first in range(0, number, CHUNK):
        if time.monotonic() > until:
            break

        @seed(start * 1_000_003 + first)
        @settings(
            max_examples=min(CHUNK, number - first), database=None, deadline=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(programs(groups))
        def judge(source: str) -> None:
            found.add(source, check(source))

        judge()
    return found


def checked(task: Task) -> tuple[Task, Survey]:
    """What `survey` finds, with groups by their names: for another process, beside what it was asked for."""
    names, *rest = task
    return task, survey((CORE, *(g for g in (*DEFAULT, *REFUSED) if g.name in names)), *rest)


def smallest(source: str) -> tuple[str, str]:
    """A smaller program that fails in the same way, and its message."""
    before = signature(check(source))
    order = {"second": 2, "third": 3}.get(before.partition(" ")[0], 1)

    def fails(candidate: str) -> bool:
        verdict = check(candidate, seconds=2.0, order=order)
        return verdict.kind == "wrong" and signature(verdict) == before

    best = shrunk(source, fails)
    return best, check(best, order=order).message
