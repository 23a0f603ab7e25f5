"""Sweeps of several threads: those that rewind the same memory take turns, all others go on side by side.

A sweep rewinds what its run has written. Another one over that memory, in another thread, has to wait for its end. Its
pullbacks are the user's code, which may itself wait for that other thread; then neither can go on, and one of them says
so. What a pullback waits for cannot be known, so that is taken for granted of a thread that stands still for long.
"""

import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from morula.eager.memory.layout import caller_memory, owner_of
from morula.errors import MorulaError

PATIENCE = 60.0  # seconds in which the thread that is waited for may stand still
GLANCE = 0.2  # seconds between two looks at it

_changed = threading.Condition()
_going_on: list["Turn"] = []


class Turn(NamedTuple):
    """A sweep that goes on.

    Attributes:
        thread: that it runs in.
        memory: what it rewinds, by identity; referred to weakly, since a sweep frees what nobody will see again.
    """

    thread: int
    memory: dict[int, Callable[[], Any]]

    def hinders(self, other: "Turn") -> bool:
        """Whether `other` has to wait for this one."""
        return self.thread != other.thread and any(
            key in other.memory and refer() is other.memory[key]() is not None for key, refer in self.memory.items()
        )


@contextmanager
def turn(writes: list[Any]) -> Iterator[None]:
    """While the block runs no other thread rewinds what `writes` have written.

    Raises:
        MorulaError: another one does, and stands still.
    """
    mine = Turn(threading.get_ident(), memory_of(writes))
    with _changed:
        _wait(mine)
        _going_on.append(mine)
    try:
        yield
    finally:
        with _changed:
            _going_on[:] = [turn for turn in _going_on if turn is not mine]
            _changed.notify_all()


def _wait(mine: Turn) -> None:
    seen: Any = None
    since = time.monotonic()
    while others := {turn.thread for turn in _going_on if turn.hinders(mine)}:
        now = {thread: position(thread) for thread in others}
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > PATIENCE:
            raise MorulaError(
                "the backward passes of two threads use the same memory, into which both runs have written, and "
                f"the other thread has made no progress for {PATIENCE:g} seconds: if one of its pullbacks or hooks "
                "waits for this thread, neither can continue. Give each thread its own arrays"
            )
        _changed.wait(GLANCE)


def position(thread: int) -> tuple[tuple[int, int], ...]:
    """Where a thread is: its frames, by identity, and the instruction in each."""
    frame = sys._current_frames().get(thread)
    found = []
    while frame is not None:
        found.append((id(frame), frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


def memory_of(writes: list[Any]) -> dict[int, Callable[[], Any]]:
    """References to the memory that was written, by identity: to its owner, or to what that got it from."""
    found: dict[int, Callable[[], Any]] = {}
    for x in {id(x): x for x in [w[0] if type(w) is tuple else w.x for w in writes]}.values():
        owner = caller_memory(owner_of(x))
        if owner.base is None:
            found[id(owner)] = weakref.ref(owner)
        else:
            found[id(owner.base)] = partial(getattr, owner, "base")
    return found
