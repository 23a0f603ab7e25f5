"""What the executor of threads means in differentiated programs: its tasks run here, in order."""

from __future__ import annotations

import concurrent.futures as futures
from collections.abc import Callable, Iterator
from typing import Any

import chainrules
import morula.interop.remote as remote  # used later: the import of that may be what loads this
from morula.verbs.tools import means

chainrules.opaque(futures.Executor)
chainrules.non_differentiable(
    futures.Executor.__enter__, futures.Executor.__exit__, futures.Executor.shutdown,
    futures.ThreadPoolExecutor.shutdown,
)  # fmt: skip


@means(futures.ThreadPoolExecutor.submit)
def thread_submit(self: Any, fn: Callable, /, *args: Any, **kwargs: Any) -> remote.Call:
    """A task of a thread runs here."""
    return remote.Call.of_value(fn(*args, **kwargs))


@means(futures.Executor.map)
def thread_map(self: Any, fn: Callable, *iterables: Any, timeout: Any = None, chunksize: int = 1) -> Iterator:
    """Tasks of threads run here, in order."""
    return iter([fn(*items) for items in zip(*iterables)])  # noqa: B905


@means(futures.as_completed)
def as_completed(fs: Any, timeout: Any = None) -> Iterator:
    """In the order in which they were begun."""
    return iter(list(fs))


@means(futures.wait)
def wait(fs: Any, timeout: Any = None, return_when: str = futures.ALL_COMPLETED) -> tuple:
    """For all of them, whatever was asked for."""
    done = set(fs)
    for f in done:
        f.exception(timeout)
    return futures._base.DoneAndNotDoneFutures(done, set())
