"""What `dask.delayed` means in differentiated programs: a call is begun when its arguments are there."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import dask

import chainrules
import morula.interop.remote as remote  # used later: the import of that may be what loads this
from morula.verbs.tools import means

delayed = importlib.import_module("dask.delayed")  # the function has the same name
plain_compute = dask.compute
chainrules.opaque(delayed.Delayed)


class Later:
    """A call that is made when its value is wanted, or that of another one which takes it."""

    def __init__(self, f: Callable, args: tuple, kwargs: dict):
        self.f, self.args, self.kwargs = f, args, kwargs
        self.call: Any = None

    def begin(self, runner: Any) -> Any:
        """The call, under way; what it takes comes first."""
        if self.call is None:
            for other in later_in((self.args, self.kwargs), []):
                other.begin(runner)
            given, named = filled_in(self.args), filled_in(self.kwargs)
            f, args = remote.unwrapped(self.f, tuple(given), named)
            self.call = remote.Call(remote.begun(runner, f, args))
        return self.call

    def compute(self, **options: Any) -> Any:
        """The value."""
        return dask.compute(self, **options)[0]


def later_in(x: Any, found: list) -> list:
    """The calls in a structure."""
    if isinstance(x, Later):
        found.append(x)
    elif isinstance(x, list | tuple | set):
        for v in x:
            later_in(v, found)
    elif isinstance(x, dict):
        for v in x.values():
            later_in(v, found)
    return found


def filled_in(x: Any) -> Any:
    """A structure with the values of its calls."""
    if isinstance(x, Later):
        return x.call.result()
    if isinstance(x, delayed.Delayed):
        return x.compute()
    if isinstance(x, list | tuple | set):
        return type(x)([filled_in(v) for v in x])
    return {k: filled_in(v) for k, v in x.items()} if isinstance(x, dict) else x


def runner_of(scheduler: Any) -> remote.Runner:
    """A runner that computes each call by Dask, when it is waited for."""

    def send(f: Callable, *args: Any) -> Callable[[], Any]:
        made = dask.delayed(f, pure=False)(*[dask.delayed(a, traverse=False) for a in args])
        value: list = []

        def wait() -> Any:
            if not value:
                value.append(plain_compute(made, scheduler=scheduler)[0])
            return value[0]

        return wait

    return remote.Runner(send)


chainrules.non_differentiable(runner_of)


@means(delayed.DelayedLeaf.__call__)
def leaf_call(self: Any, *args: Any, pure: Any = None, dask_key_name: Any = None, **kwargs: Any) -> Later:
    """A call for later."""
    return Later(self._obj, args, kwargs)


@means(dask.compute)
def compute(*args: Any, traverse: bool = True, scheduler: Any = None, **options: Any) -> tuple:
    """The values, in the structures in which the calls are given."""
    runner = runner_of(scheduler)
    for x in later_in(args, []):
        x.begin(runner)
    return tuple([filled_in(x) for x in args])
