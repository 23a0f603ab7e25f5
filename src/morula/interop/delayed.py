"""What `dask.delayed` means in differentiated programs: a call is begun when its arguments are there.

Nothing of Dask's graphs is followed. A call that active values reach is a `Later`, which knows its function and
arguments; `compute` begins all calls of one depth together, by the scheduler that Dask would take.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import dask
import dask.base

import chainrules
import morula.interop.remote as remote  # used later: the import of that may be what loads this
from morula.verbs.tools import means

__all__ = ["Given", "Later", "computed"]

delayed = sys.modules["dask.delayed"]  # the function in it has the same name
plain_compute = dask.compute
chainrules.opaque(delayed.Delayed)


class Later:
    """A call that is made when its value is wanted, or that of another one which takes it.

    Attributes:
        f, args, kwargs: the call.
        nout: how many values it returns, if it is known.
        call: once it is under way.
    """

    def __init__(self, f: Callable, args: tuple, kwargs: dict | None = None, nout: int | None = None):
        self.f, self.args, self.kwargs, self.nout = f, args, kwargs or {}, nout
        self.call: Any = None

    def begin(self, runner: Any, plain: dict) -> None:
        """Send the call away; what it takes is there."""
        if self.call is None:
            f, args = remote.unwrapped(self.f, tuple(filled_in(self.args, plain)), filled_in(self.kwargs, plain))
            self.call = remote.Call(remote.begun(runner, f, args))

    def compute(self, **options: Any) -> Any:
        """The value."""
        return dask.compute(self, **options)[0]

    def persist(self, **options: Any) -> Later:
        """Itself, under way."""
        return dask.persist(self, **options)[0]

    def __call__(self, *args: Any, pure: Any = None, dask_key_name: Any = None, **kwargs: Any) -> Later:
        """A call of the value, later."""
        return Later(called, (self, *args), kwargs)

    def __getattr__(self, name: str) -> Later:
        if name.startswith("_"):
            raise AttributeError(f"Attribute {name} not found")
        return Attribute(self, name)

    def __getitem__(self, key: Any) -> Later:
        return Later(operator.getitem, (self, key))

    def __iter__(self) -> Iterator[Later]:
        if self.nout is None:
            raise TypeError("Delayed objects of unspecified length are not iterable")
        return iter([self[i] for i in range(self.nout)])

    def __len__(self) -> int:
        if self.nout is None:
            raise TypeError("Delayed objects of unspecified length have no len()")
        return self.nout

    def __bool__(self) -> bool:
        raise TypeError("Truth of Delayed objects is not supported")


class Attribute(Later):
    """An attribute of a value; called, a call of a method."""

    def __init__(self, owner: Later, name: str):
        super().__init__(getattr, (owner, name))

    def __call__(self, *args: Any, **kwargs: Any) -> Later:
        owner, name = self.args
        return Later(method_called, (owner, name, *args), kwargs)


class Given(Later):
    """A value that takes no call; a function among these is called with what it is given."""

    def __init__(self, value: Any, nout: int | None = None):
        super().__init__(called, (value,), None, nout)

    def begin(self, runner: Any, plain: dict) -> None:
        """It is there."""
        if self.call is None:
            self.call = remote.Call.of_value(filled_in(self.args, plain)[0])

    def __call__(self, *args: Any, pure: Any = None, dask_key_name: Any = None, **kwargs: Any) -> Later:
        """A call of the value, later."""
        return Later(self.args[0], args, kwargs, self.nout)


def called(f: Callable, *args: Any, **kwargs: Any) -> Any:
    """A call of a function that is itself a value."""
    return f(*args, **kwargs)


def method_called(owner: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """A call of a method of a value."""
    return getattr(owner, name)(*args, **kwargs)


def with_operators(name: str) -> None:
    """Give `Later` an operator of two values, from both sides."""
    op = getattr(operator, name)
    setattr(Later, f"__{name.strip('_')}__", lambda self, other: Later(op, (self, other)))
    setattr(Later, f"__r{name.strip('_')}__", lambda self, other: Later(op, (other, self)))


def with_operator(name: str, method: str) -> None:
    """Give `Later` an operator or a comparison that starts from the left."""
    op = getattr(operator, name)
    setattr(Later, method, lambda self, *other: Later(op, (self, *other)))


for name in ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor"):
    with_operators(name)
for name in ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne"):
    with_operator(name, f"__{name}__")
Later.__hash__ = object.__hash__  # type: ignore[method-assign]


def depths(x: Any, found: dict[int, tuple[int, Later]]) -> int:
    """How deep the calls in a structure lie upon each other; `found` notes it of each."""
    if isinstance(x, Later):
        if id(x) not in found:
            found[id(x)] = 1 + max(depths(x.args, found), depths(x.kwargs, found)), x
        return found[id(x)][0]
    if isinstance(x, list | tuple | set):
        return max([depths(v, found) for v in x], default=0)
    return max([depths(v, found) for v in x.values()], default=0) if isinstance(x, dict) else 0


def plain_in(x: Any, found: dict[int, Any]) -> None:
    """Note the collections of Dask in a structure which nothing active has reached."""
    if isinstance(x, list | tuple | set):
        for v in x:
            plain_in(v, found)
    elif isinstance(x, dict):
        plain_in(list(x.values()), found)
    elif not isinstance(x, Later) and dask.base.is_dask_collection(x):
        found[id(x)] = x


def filled_in(x: Any, plain: dict[int, Any]) -> Any:
    """A structure with the values of its calls, and of what is `plain`."""
    if isinstance(x, Later):
        return x.call.result()
    if id(x) in plain:
        return plain[id(x)]
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[filled_in(v, plain) for v in x])
    if isinstance(x, list | tuple | set):
        return type(x)([filled_in(v, plain) for v in x])
    return {k: filled_in(v, plain) for k, v in x.items()} if isinstance(x, dict) else x


def under_way(x: Any, scheduler: Any, wait: bool) -> dict[int, Any]:
    """Begin all calls in a structure, those of one depth together; returns the values of what is plain in it."""
    runner = runner_of(scheduler)
    found: dict[int, tuple[int, Later]] = {}
    depths(x, found)
    others: dict[int, Any] = {}
    plain_in(x if wait else (), others)
    for _, later in found.values():
        if later.call is None:
            plain_in((later.args, later.kwargs), others)
    plain = computed(others, runner, scheduler)
    for depth in range(1, 1 + max([d for d, _ in found.values()], default=0)):
        for d, later in list(found.values()):
            if d == depth:
                later.begin(runner, plain)
    return plain


def computed(collections: dict[int, Any], runner: Any, scheduler: Any) -> dict[int, Any]:
    """The values of collections of Dask; with a client, futures, which stay where they are."""
    if not collections:
        return {}
    client = getattr(runner, "client", None)
    if client is not None:
        return dict(zip(collections, client.compute(list(collections.values())), strict=True))
    return dict(zip(collections, plain_compute(*collections.values(), scheduler=scheduler), strict=True))


def runner_of(scheduler: Any) -> remote.Runner:
    """The runner of a scheduler; by default of that which Dask would take."""
    get = dask.base.get_scheduler(scheduler=scheduler)
    client = getattr(get, "__self__", None)
    if client is not None and hasattr(client, "submit"):
        return sys.modules["morula.interop.distributed"].over_client(client)

    def run(calls: list) -> list:
        made = [
            dask.delayed(f, pure=False)(*[dask.delayed(a, traverse=False) for a in args]) for f, args in calls
        ]  # fmt: skip
        return list(plain_compute(*made, scheduler=scheduler))

    return remote.in_waves(run, here=True)


chainrules.non_differentiable(runner_of, computed, plain_in)


@means(delayed.delayed)
def make_delayed(
    obj: Any, name: Any = None, pure: Any = None, nout: int | None = None, traverse: bool = True
) -> Any:  # fmt: skip
    """A value or a function for later."""
    return obj if isinstance(obj, Later) else Given(obj, nout)


@means(delayed.DelayedLeaf.__call__)
def leaf_call(self: Any, *args: Any, pure: Any = None, dask_key_name: Any = None, **kwargs: Any) -> Later:
    """A call for later."""
    return Later(self._obj, args, kwargs, self._nout)


@means(delayed.Delayed.__call__)
def delayed_call(self: Any, *args: Any, pure: Any = None, dask_key_name: Any = None, **kwargs: Any) -> Later:
    """A call of a function that Dask computes."""
    return Later(called, (self, *args), kwargs)


@means(delayed.DelayedAttr.__call__)
def attribute_call(self: Any, *args: Any, **kwargs: Any) -> Later:
    """A call of a method of what Dask computes."""
    return Later(method_called, (self._obj, self._attr, *args), kwargs)


@means(dask.compute)
def compute(*args: Any, traverse: bool = True, scheduler: Any = None, **options: Any) -> tuple:
    """The values, in the structures in which the calls are given."""
    plain = under_way(args, scheduler, True)
    return tuple([remote.values_in(filled_in(x, plain)) for x in args])


@means(dask.persist)
def persist(*args: Any, traverse: bool = True, scheduler: Any = None, **options: Any) -> tuple:
    """The same, under way."""
    under_way(args, scheduler, False)
    return args


@means(dask.optimize)
def optimize(*args: Any, **options: Any) -> tuple:
    """The same."""
    return args
