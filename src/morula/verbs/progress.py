"""``progress=``: long work shown by whatever shows iterations, as `tqdm` does."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["Progress", "Shown", "ticking"]

Progress = Callable[[range], Iterable[Any]]  # tqdm, rich.progress.track, or a generator function


def nothing() -> None:
    """Nobody looks."""


def ticking(progress: Progress | None, n: int) -> Callable[[], None]:
    """What to call after each of `n` steps, where `progress` would be put around a loop over them.

    >>> def percent(steps):
    ...     for i in steps:
    ...         print(f"{i / len(steps):.0%}")
    ...         yield i
    ...     print("done")
    >>> tick = ticking(percent, 2)
    0%
    >>> tick()
    50%
    >>> tick()
    done
    """
    if progress is None:
        return nothing
    steps = iter(progress(range(n)))
    next(steps, None)

    def tick() -> None:
        next(steps, None)

    return tick


class Shown:
    """A tape, whose walk back is shown."""

    def __init__(self, tape: list[Any], progress: Progress):
        self.tape = tape
        self.progress = progress

    def __reversed__(self) -> Iterator[Any]:
        tape = self.tape
        last = len(tape) - 1
        for i in self.progress(range(len(tape))):
            yield tape[last - i]
