"""What `joblib.Parallel` means in differentiated programs: its work stays in joblib's processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import joblib

import chainrules
import morula.interop.remote as remote  # used later: the import of that may be what loads this
from morula.verbs.tools import means

chainrules.opaque(joblib.Parallel)


def over_joblib(parallel: Any) -> remote.Runner | None:
    """A runner; None where the tasks run in this process, one by one or in threads."""
    workers = joblib.effective_n_jobs(parallel.n_jobs)
    if workers == 1 or getattr(parallel._backend, "uses_threads", False):
        return None

    def run(calls: list) -> list:
        found = dict(parallel((numbered, (i, f, *args), {}) for i, (f, args) in enumerate(calls)))
        return [found[i] for i in range(len(calls))]

    return remote.in_waves(run)


def numbered(i: int, f: Callable, *args: Any) -> tuple[int, Any]:
    """A value with the number of its call, since some kinds of Parallel return values in another order."""
    return i, f(*args)


chainrules.non_differentiable(over_joblib, joblib.Parallel.__enter__, joblib.Parallel.__exit__)


@means(joblib.Parallel.__call__)
def parallel_call(self: Any, iterable: Any) -> Any:
    """A list of values, or an iterator where that was asked for."""
    runner = over_joblib(self)
    calls = []
    for func, args, kwargs in iterable:
        if runner is None:
            calls.append(remote.Call.of_value(func(*args, **kwargs)))
        else:
            f, given = remote.unwrapped(func, tuple(args), kwargs)
            calls.append(remote.Call(remote.begun(runner, f, given)))
    found = [call.result() for call in calls]
    return iter(found) if self.return_generator else found
