"""What `multiprocessing.Pool` means in differentiated programs: its work stays in its processes."""

from __future__ import annotations

import functools
import math
import multiprocessing.pool
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import chainrules
import morula.interop.remote as remote  # used later: the import of that may be what loads this
from chainrules import NotImplementedDerivative
from morula.verbs.tools import means

Pool = multiprocessing.pool.Pool
chainrules.opaque(Pool)


def over_pool(pool: Any) -> remote.Runner:
    """A runner; on the way back of a closed pool one that makes a pool of its own."""
    later: list[Any] = []

    def send(f: Callable, *args: Any) -> Callable[[], Any]:
        if not later:
            try:
                return functools.partial(awaited, pool, pool.apply_async(f, args), pids_of(pool))
            except ValueError:
                if pool._state == "RUN":
                    raise
                later.append(pool._ctx.Pool(pool._processes))
                weakref.finalize(send, later[0].terminate)
        return functools.partial(awaited, later[0], later[0].apply_async(f, args), pids_of(later[0]))

    return remote.Runner(send)


def pids_of(pool: Any) -> set[int]:
    """The workers of a pool."""
    return {process.pid for process in pool._pool}


def awaited(pool: Any, answer: Any, workers: set[int], timeout: float | None = None) -> Any:
    """The value of a call that was sent to these workers.

    Raises:
        ProcessError: one of them has died; the pool starts another one, which knows nothing of the call.
    """
    end = math.inf if timeout is None else time.monotonic() + timeout
    suspected = False
    while time.monotonic() < end:
        answer.wait(min(INTERVAL, max(end - time.monotonic(), 0.0)))
        if answer.ready() or pool._maxtasksperchild is not None:
            break
        if suspected:
            raise multiprocessing.ProcessError("a worker of the pool died before its call was over")
        suspected = pool._state == "RUN" and not workers <= pids_of(pool)
    return answer.get(None if timeout is None else max(end - time.monotonic(), 0.0))


INTERVAL = 1.0  # seconds between looks at the workers


chainrules.non_differentiable(over_pool, Pool.__enter__, Pool.__exit__, Pool.close, Pool.join, Pool.terminate)


def begun(pool: Any, func: Callable, rows: Any, kwds: dict) -> list:
    """The calls, all under way."""
    if isinstance(pool, multiprocessing.pool.ThreadPool):  # its tasks hold what is active: they run here
        return [remote.Call.of_value(func(*args, **kwds)) for args in rows]
    runner = over_pool(pool)
    calls = []
    for args in rows:
        f, given = remote.unwrapped(func, tuple(args), kwds)
        calls.append(remote.Call(remote.begun(runner, f, given)))
    return calls


@means(Pool.map)
def pool_map(self: Any, func: Callable, iterable: Any, chunksize: Any = None) -> list:
    """A list of values."""
    return list(remote.results(begun(self, func, [(x,) for x in iterable], {})))


@means(Pool.imap)
def pool_imap(self: Any, func: Callable, iterable: Any, chunksize: int = 1) -> Iterator:
    """An iterator of values; also for `imap_unordered`."""
    return remote.results(begun(self, func, [(x,) for x in iterable], {}))


means(Pool.imap_unordered)(pool_imap)


@means(Pool.starmap)
def pool_starmap(self: Any, func: Callable, iterable: Any, chunksize: Any = None) -> list:
    """A list of values."""
    return list(remote.results(begun(self, func, iterable, {})))


@means(Pool.apply)
def pool_apply(self: Any, func: Callable, args: tuple = (), kwds: Any = None) -> Any:
    """One value."""
    return begun(self, func, [args], kwds or {})[0].result()


@means(Pool.apply_async)
def pool_apply_async(
    self: Any, func: Callable, args: tuple = (), kwds: Any = None, callback: Any = None, error_callback: Any = None
) -> Any:  # fmt: skip
    """A call that goes on."""
    refuse_callbacks(callback, error_callback)
    return begun(self, func, [args], kwds or {})[0]


@means(Pool.map_async)
def pool_map_async(
    self: Any, func: Callable, iterable: Any, chunksize: Any = None, callback: Any = None, error_callback: Any = None
) -> Any:  # fmt: skip
    """Calls that go on, for one list."""
    refuse_callbacks(callback, error_callback)
    return remote.Calls(begun(self, func, [(x,) for x in iterable], {}))


@means(Pool.starmap_async)
def pool_starmap_async(
    self: Any, func: Callable, iterable: Any, chunksize: Any = None, callback: Any = None, error_callback: Any = None
) -> Any:  # fmt: skip
    """Calls that go on, for one list."""
    refuse_callbacks(callback, error_callback)
    return remote.Calls(begun(self, func, iterable, {}))


def refuse_callbacks(*callbacks: Any) -> None:
    """Raise where a pool is to call something."""
    if any(callbacks):
        raise NotImplementedDerivative(
            "a callback of a pool runs in a thread, where derivatives are not followed: call it on what get() gives"
        )
