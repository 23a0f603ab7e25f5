"""What a client of Dask means in differentiated programs: pullbacks stay on the workers that ran the calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import distributed

import chainrules
import morula.interop.remote as remote  # used later: the import of that may be what loads this
from morula.interop.worker import kept, run_back, without_pullback
from morula.verbs.tools import means

__all__ = ["over_client"]

Client = distributed.Client
chainrules.opaque(Client, distributed.Future)
chainrules.non_differentiable(Client.__enter__, Client.__exit__, Client.close)


class OnWorkers(remote.Runner):
    """A runner whose derivatives go where the calls went."""

    def __init__(self, client: Any):
        super().__init__(lambda f, *args: client.submit(f, *args, pure=False).result)
        self.client = client

    def visit(self, f: Callable, wanted: tuple[bool, ...], args: tuple) -> remote.Visit:
        """A call whose pullback stays; it is freed with the tape."""
        return KeptVisit(self, f, wanted, args)


class KeptVisit(remote.Visit):
    """A call whose pullback lies on a worker."""

    def __init__(self, runner: OnWorkers, f: Callable, wanted: tuple[bool, ...], args: tuple):
        self.client = runner.client
        self.made = self.client.submit(kept, f, wanted, *args, pure=False)
        self.answer = self.client.submit(without_pullback, self.made, pure=False).result

    def back(self, y_bar: Any) -> remote.Answer:
        """Ask the worker, unless the gradient has come along."""
        bars = self.answer()[1]
        if bars is not None:
            return lambda _: remote.scaled(bars, y_bar)
        where = list(self.client.who_has([self.made])[self.made.key])
        return self.client.submit(run_back, self.made, y_bar, pure=False, workers=where).result


def over_client(client: Any) -> remote.Runner:
    """The runner of a client."""
    return OnWorkers(client)


chainrules.non_differentiable(over_client)
chainrules.opaque(OnWorkers)


@means(Client.submit)
def client_submit(self: Any, func: Callable, *args: Any, **kwargs: Any) -> remote.Call:
    """A call on a worker; the values of earlier calls among its arguments are waited for."""
    kwargs = {k: v for k, v in kwargs.items() if k not in OPTIONS}
    f, given = remote.unwrapped(func, tuple([remote.values_in(a) for a in args]), kwargs)
    return remote.Call(remote.begun(over_client(self), f, given))


@means(Client.map)
def client_map(self: Any, func: Callable, *iterables: Any, **kwargs: Any) -> list:
    """Calls on workers, all under way."""
    return [client_submit(self, func, *items, **kwargs) for items in zip(*iterables)]  # noqa: B905  # as map does it


@means(Client.gather)
def client_gather(self: Any, futures: Any, **options: Any) -> Any:
    """The values of calls, in the structure in which they are given."""
    return gathered(self, futures)


def gathered(client: Any, x: Any) -> Any:
    if isinstance(x, remote.Call):
        return x.result()
    if isinstance(x, distributed.Future):
        return x.result()
    if isinstance(x, list | tuple | set):
        return type(x)([gathered(client, v) for v in x])
    return {k: gathered(client, v) for k, v in x.items()} if isinstance(x, dict) else list(map(client.gather, x))


@means(Client.scatter)
def client_scatter(self: Any, data: Any, **options: Any) -> Any:
    """What is active goes along with the calls that take it."""
    return data


@means(distributed.as_completed)
def as_completed(futures: Any, **options: Any) -> Any:
    """In the order in which they were begun."""
    return iter(list(futures))


OPTIONS = frozenset([
    "key", "workers", "resources", "retries", "priority", "fifo_timeout", "allow_other_workers", "actor", "actors",
    "pure", "batch_size",
])  # fmt: skip
