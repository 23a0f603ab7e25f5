"""What a client of Dask means in differentiated programs: pullbacks stay on the workers that ran the calls."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import dask
import distributed
from distributed.cfexecutor import ClientExecutor

import chainrules
import morula.interop.remote as remote  # used later: the import of that may be what loads this
from morula.interop.worker import bars_alone, kept, run_back, without_pullback
from morula.verbs.tools import means

__all__ = ["over_client"]

Client = distributed.Client
chainrules.opaque(Client, distributed.Future, ClientExecutor, distributed.LocalCluster)
chainrules.non_differentiable(
    Client, Client.__enter__, Client.__exit__, Client.close, Client.get_executor, distributed.LocalCluster,
    distributed.LocalCluster.__enter__, distributed.LocalCluster.__exit__, distributed.LocalCluster.close,
    ClientExecutor.__enter__, ClientExecutor.__exit__, ClientExecutor.shutdown, distributed.get_client,
)  # fmt: skip


class OnWorkers(remote.Runner):
    """A runner whose derivatives go where the calls went.

    Attributes:
        client: the client. When that is closed, another one of its scheduler; None where that is gone, too: what is
            left then runs here.
        options: of `Client.submit`.
    """

    def __init__(self, client: Any, options: dict[str, Any]):
        super().__init__(self.submit, client.scheduler.address.startswith("inproc"))
        self.client, self.options = client, options

    def visit(self, f: Callable, wanted: tuple[bool, ...], args: tuple) -> remote.Visit:
        """A call whose pullback stays; it is freed with the tape."""
        return KeptVisit(self, f, wanted, args)

    def submit(self, f: Callable, *args: Any) -> remote.Answer:
        """Send a call away."""
        if self.client is not None and self.client.status not in ("running", "connecting"):
            self.client = reopened(self.client)
        if self.client is None:
            return lambda _=None: f(*args)
        return self.client.submit(f, *args, pure=False, **self.options).result


def reopened(client: Any) -> Any:
    """Another client of the same scheduler, None without one."""
    try:
        made = Client(client.scheduler.address, timeout=5, set_as_default=False)
    except (OSError, AttributeError):
        return None
    weakref.finalize(made, made.close)
    return made


class KeptVisit(remote.Visit):
    """A call whose pullback lies on a worker."""

    def __init__(self, runner: OnWorkers, f: Callable, wanted: tuple[bool, ...], args: tuple):
        self.runner, self.f, self.wanted, self.args = runner, f, wanted, args
        self.client, self.options = runner.client, runner.options
        self.made = self.client.submit(kept, f, wanted, *args, pure=False, **runner.options)
        self.future = self.client.submit(without_pullback, self.made, pure=False, **runner.options)
        self.found: Any = None

    def answer(self, timeout: float | None = None) -> Any:
        """The value, and the gradient of a number."""
        if self.found is None:
            self.found = self.runner.own(self.future.result)(timeout)
        return self.found

    def back(self, y_bar: Any) -> remote.Answer:
        """Ask the worker, unless the gradient has come along; where it is gone, the call runs once more."""
        bars = self.answer()[1]
        if bars is not None:
            return lambda _: remote.scaled(bars, y_bar)
        if self.client.status != "running":
            return self.runner.send(bars_alone, self.f, self.wanted, y_bar, *self.args)
        options = {**self.options, "workers": list(self.client.who_has([self.made])[self.made.key]) or None}
        return self.runner.own(self.client.submit(run_back, self.made, y_bar, pure=False, **options).result)


def over_client(client: Any, options: dict[str, Any] | None = None) -> remote.Runner:
    """The runner of a client, with those of the options of a call that say where it runs."""
    return OnWorkers(client, {k: v for k, v in (options or {}).items() if k in KEPT})


chainrules.non_differentiable(over_client)
chainrules.opaque(OnWorkers)


@means(Client.submit)
def client_submit(self: Any, func: Callable, *args: Any, **kwargs: Any) -> remote.Call:
    """A call on a worker; the values of earlier calls among its arguments are waited for."""
    options = {k: v for k, v in kwargs.items() if k in OPTIONS}
    kwargs = {k: remote.values_in(v) for k, v in kwargs.items() if k not in OPTIONS}
    f, given = remote.unwrapped(func, tuple([remote.values_in(a) for a in args]), kwargs)
    return remote.Call(remote.begun(over_client(self, options), f, given))


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
    if isinstance(x, dict):
        return {k: gathered(client, v) for k, v in x.items()}
    return (gathered(client, v) for v in x) if isinstance(x, Iterator) else x


@means(Client.scatter)
def client_scatter(self: Any, data: Any, **options: Any) -> Any:
    """What is active goes along with the calls that take it."""
    if isinstance(data, dict):
        return {k: remote.Call.of_value(v) for k, v in data.items()}
    if isinstance(data, list | tuple | set | frozenset):
        return type(data)([remote.Call.of_value(v) for v in data])
    return remote.Call.of_value(data)


@means(Client.compute)
def client_compute(self: Any, collections: Any, sync: bool = False, **options: Any) -> Any:
    """The values, or calls of them."""
    found = dask.compute(*listed(collections), scheduler=self) if sync else [
        remote.Call.of_value(x) if later is None else later
        for x, later in with_calls(dask.persist(*listed(collections), scheduler=self))
    ]  # fmt: skip
    return list(found) if isinstance(collections, list | tuple | set | frozenset) else found[0]


@means(Client.persist)
def client_persist(self: Any, collections: Any, **options: Any) -> Any:
    """The same, under way."""
    found = dask.persist(*listed(collections), scheduler=self)
    return list(found) if isinstance(collections, list | tuple | set | frozenset) else found[0]


def listed(collections: Any) -> list:
    return list(collections) if isinstance(collections, list | tuple | set | frozenset) else [collections]


def with_calls(collections: Any) -> list:
    """Collections, each with the call that it is; None for others."""
    return [(x, getattr(x, "call", None)) for x in collections]


@means(distributed.wait)
def wait(fs: Any, timeout: Any = None, return_when: str = "ALL_COMPLETED") -> Any:
    """For all of them, whatever was asked for."""
    calls = set(fs) if isinstance(fs, list | tuple | set) else {fs}
    for f in calls:
        f.exception(timeout)
    return distributed.client.DoneAndNotDoneFutures(calls, set())


class Completed:
    """Calls in the order in which they were begun, as `distributed.as_completed` gives futures."""

    def __init__(self, futures: Any, with_results: bool):
        self.waiting = list(futures)
        self.with_results = with_results

    def __iter__(self) -> Completed:
        return self

    def __next__(self) -> Any:
        if not self.waiting:
            raise StopIteration
        call = self.waiting.pop(0)
        return (call, call.result()) if self.with_results else call

    def add(self, future: Any) -> None:
        """One more."""
        self.waiting.append(future)

    def update(self, futures: Any) -> None:
        """Some more."""
        self.waiting.extend(futures)

    def count(self) -> int:
        """How many there are still."""
        return len(self.waiting)

    def is_empty(self) -> bool:
        """Whether none is left."""
        return not self.waiting

    def has_ready(self) -> bool:
        """Whether one is left."""
        return bool(self.waiting)

    def next_batch(self, block: bool = True) -> list:
        """All."""
        return list(self)

    def batches(self) -> Iterator:
        """One batch."""
        return iter([list(self)])


@means(distributed.as_completed)
def as_completed(futures: Any = None, *, with_results: bool = False, **options: Any) -> Any:
    """In the order in which they were begun."""
    return Completed(futures or [], with_results)


@means(ClientExecutor.submit)
def executor_submit(self: Any, fn: Callable, *args: Any, **kwargs: Any) -> Any:
    """A call on a worker."""
    return client_submit(self._client, fn, *args, **kwargs)


@means(ClientExecutor.map)
def executor_map(self: Any, fn: Callable, *iterables: Any, **kwargs: Any) -> Iterator:
    """Calls on workers, all under way."""
    return remote.results(client_map(self._client, fn, *iterables))


KEPT = frozenset(["workers", "resources", "retries", "priority", "fifo_timeout", "allow_other_workers"])
OPTIONS = KEPT | frozenset([
    "key", "actor", "actors", "pure", "batch_size",
])  # fmt: skip
