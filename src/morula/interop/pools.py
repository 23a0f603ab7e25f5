"""What `multiprocessing.Pool` means in differentiated programs: its work stays in its processes."""

from __future__ import annotations

import multiprocessing.pool
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import chainrules
import morula.interop.remote as remote  # used later: the import of that may be what loads this
from morula.verbs.tools import means

Pool = multiprocessing.pool.Pool
chainrules.opaque(Pool)


def over_pool(pool: Any) -> remote.Runner:
    """A runner; on the way back of a closed pool one that makes a pool of its own."""
    later: list[Any] = []

    def send(f: Callable, *args: Any) -> Callable[[], Any]:
        if not later:
            try:
                return pool.apply_async(f, args).get
            except ValueError:
                if pool._state == "RUN":
                    raise
                later.append(pool._ctx.Pool(pool._processes))
                weakref.finalize(send, later[0].terminate)
        return later[0].apply_async(f, args).get

    return remote.Runner(send)


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


def results(calls: list) -> Iterator:
    """Values in order, each when it is asked for."""
    for call in calls:
        yield call.result()


@means(Pool.map)
def pool_map(self: Any, func: Callable, iterable: Any, chunksize: Any = None) -> list:
    """A list of values."""
    return list(results(begun(self, func, [(x,) for x in iterable], {})))


@means(Pool.imap)
def pool_imap(self: Any, func: Callable, iterable: Any, chunksize: int = 1) -> Iterator:
    """An iterator of values; also for `imap_unordered`."""
    return results(begun(self, func, [(x,) for x in iterable], {}))


means(Pool.imap_unordered)(pool_imap)


@means(Pool.starmap)
def pool_starmap(self: Any, func: Callable, iterable: Any, chunksize: Any = None) -> list:
    """A list of values."""
    return list(results(begun(self, func, iterable, {})))


@means(Pool.apply)
def pool_apply(self: Any, func: Callable, args: tuple = (), kwds: Any = None) -> Any:
    """One value."""
    return begun(self, func, [args], kwds or {})[0].result()
