"""What `concurrent.futures.ProcessPoolExecutor` means in differentiated programs: work of processes stays there."""

from __future__ import annotations

import concurrent.futures as futures
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import chainrules
import morula.interop.remote as remote  # used later: the import of that may be what loads this
from morula.interop import executors  # noqa: F401  (what all executors have in common)
from morula.verbs.tools import means


def over_processes(pool: futures.ProcessPoolExecutor) -> remote.Runner:
    """A runner; on the way back of a closed pool one that makes a pool of its own."""
    later: list[futures.ProcessPoolExecutor] = []

    def send(f: Callable, *args: Any) -> Callable[[], Any]:
        if not later:
            try:
                return pool.submit(f, *args).result
            except RuntimeError:
                if not pool._shutdown_thread:
                    raise
                context = pool._mp_context
                later.append(futures.ProcessPoolExecutor(pool._max_workers, context))  # type: ignore[attr-defined]
                weakref.finalize(send, later[0].shutdown, wait=False)
        return later[0].submit(f, *args).result

    return remote.Runner(send)


chainrules.non_differentiable(over_processes, futures.ProcessPoolExecutor.shutdown)


@means(futures.ProcessPoolExecutor.submit)
def process_submit(self: Any, fn: Callable, /, *args: Any, **kwargs: Any) -> remote.Call:
    """A call in another process."""
    f, given = remote.unwrapped(fn, args, kwargs)
    return remote.Call(remote.begun(over_processes(self), f, given))


@means(futures.ProcessPoolExecutor.map)
def process_map(self: Any, fn: Callable, *iterables: Any, timeout: Any = None, chunksize: int = 1) -> Iterator:
    """All begin before the first is waited for."""
    runner = over_processes(self)
    calls = []
    for items in zip(*iterables):  # noqa: B905  # as map does it
        f, given = remote.unwrapped(fn, items, {})
        calls.append(remote.Call(remote.begun(runner, f, given)))
    return remote.results(calls)
