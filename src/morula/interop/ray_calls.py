"""What Ray means in differentiated programs: tasks run again for their derivatives, pullbacks of actors stay there."""

from __future__ import annotations

import functools
import importlib
import itertools
import threading
import uuid
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import ray
from ray.actor import ActorClass, ActorHandle, ActorMethod
from ray.remote_function import RemoteFunction

import chainrules
import morula.interop.remote as remote  # used later: the import of that may be what loads this
from chainrules import NotImplementedDerivative
from morula.errors import MorulaError
from morula.interop.worker import value_and_pullback
from morula.verbs.tools import means

__all__ = ["OnActor", "over_tasks"]

workers = importlib.import_module("ray._private.worker")
ObjectRef = ray.ObjectRef
chainrules.opaque(ObjectRef, RemoteFunction, ActorClass, ActorHandle, ActorMethod)
chainrules.non_differentiable(ray.init, ray.shutdown, ray.is_initialized, ray.cluster_resources, ray.kill)


def got(ref: Any, timeout: float | None = None) -> Any:
    """The value of a call; of arrays a copy, since those of Ray's store cannot be written."""
    return copied(ray.get(ref, timeout=timeout))


def copied(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x if x.flags.writeable else x.copy()
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(copied, x))
    if type(x) in (list, tuple):
        return type(x)(map(copied, x))
    return {k: copied(v) for k, v in x.items()} if type(x) is dict else x


# -- tasks ------------------------------------------------------------------------------------------------


@functools.cache
def runs() -> Any:
    """The function of Ray that calls a function."""
    return ray.remote(called)


def called(f: Callable, *args: Any) -> Any:
    """What runs on a worker."""
    return f(*args)


def over_tasks(options: dict[str, Any]) -> remote.Runner:
    """A runner of tasks with these options of theirs."""
    own = {k: v for k, v in options.items() if k not in NOT_OURS and v is not None}
    return remote.Runner(lambda f, *args: functools.partial(got, runs().options(**own).remote(f, *args)))


NOT_OURS = frozenset(["max_calls", "num_returns", "serialized_runtime_env_info", "name"])
chainrules.non_differentiable(over_tasks)


def begin(runner: remote.Runner, f: Callable, args: Any, kwargs: Any, count: Any) -> Any:
    """A call under way, or one for each of its results."""
    if not (count is None or isinstance(count, int)):
        raise NotImplementedDerivative("the results of a generator come as they are made: return them in a list")
    given = tuple([remote.values_in(a) for a in args or ()])
    f, given = remote.unwrapped(f, given, {k: remote.values_in(v) for k, v in (kwargs or {}).items()})
    call = remote.Call(remote.begun(runner, f, given))
    return call if count is None or count == 1 else [PartOf(call, i) for i in range(count)]


class PartOf(remote.Call):
    """One of several results."""

    def __init__(self, whole: remote.Call, i: int):
        super().__init__(None)
        self.whole, self.i = whole, i

    def result(self, timeout: float | None = None) -> Any:
        """The value, when it is there."""
        return self.whole.result(timeout)[self.i]


@means(RemoteFunction._remote)
def task_remote(
    self: Any, args: Any = None, kwargs: Any = None, serialized_runtime_env_info: Any = None, **options: Any
) -> Any:  # fmt: skip
    """A task."""
    if self._is_generator:
        raise NotImplementedDerivative("the results of a generator come as they are made: return them in a list")
    return begin(over_tasks(options), self._function, args, kwargs, options.get("num_returns"))


class Given:
    """A remote function that holds active values."""

    def __init__(self, f: Callable, chosen: dict[str, Any]):
        self.f, self.chosen = f, chosen

    def remote(self, *args: Any, **kwargs: Any) -> Any:
        """A task."""
        return begin(over_tasks(self.chosen), self.f, args, kwargs, self.chosen.get("num_returns"))

    def options(self, **options: Any) -> Given:
        """The same with other options."""
        return Given(self.f, {**self.chosen, **options})


@means(workers._make_remote)
def make_remote(function_or_class: Any, options: dict[str, Any]) -> Given:
    """A remote function that holds active values."""
    if isinstance(function_or_class, type):
        raise NotImplementedDerivative(ACTOR)
    return Given(function_or_class, options)


@means(ray.get)
def get(object_refs: Any, *, timeout: float | None = None, **options: Any) -> Any:
    """The values."""
    if isinstance(object_refs, list | tuple):
        return [value_of(x, timeout) for x in object_refs]
    return value_of(object_refs, timeout)


def value_of(x: Any, timeout: float | None) -> Any:
    return x.result(timeout) if isinstance(x, remote.Call) else got(x, timeout)


@means(ray.put)
def put(value: Any, **options: Any) -> remote.Call:
    """What is active goes along with the calls that take it."""
    return remote.Call.of_value(value)


@means(ray.wait)
def wait(ray_waitables: Any, *, num_returns: int = 1, timeout: float | None = None, fetch_local: bool = True) -> tuple:
    """The first of them are ready."""
    for x in ray_waitables[:num_returns]:
        if isinstance(x, remote.Call):
            x.result(timeout)
    return list(ray_waitables[:num_returns]), list(ray_waitables[num_returns:])


# -- actors -----------------------------------------------------------------------------------------------

ACTOR = "an actor lives on after the program: give active values to its methods, not to the call that makes it"
here = threading.local()
_keys = itertools.count()
_process = uuid.uuid4().hex


class OnActor(remote.Runner):
    """A runner for the methods of an actor, where the pullbacks stay."""

    def __init__(self, actor: Any):
        super().__init__(lambda f, *args: functools.partial(got, actor.__ray_call__.remote(on_actor, f, *args)))
        self.actor = actor

    def visit(self, f: Callable, wanted: tuple[bool, ...], args: tuple) -> remote.Visit:
        """A call whose pullback stays with the actor; it is freed with the tape."""
        return ActorVisit(self, f, wanted, args)


class ActorVisit(remote.Visit):
    """A call whose pullback lies with an actor."""

    def __init__(self, runner: OnActor, f: Callable, wanted: tuple[bool, ...], args: tuple):
        self.runner = runner
        self.key = f"{_process} {next(_keys)}"
        self.answer = runner.send(keep, self.key, f, wanted, *args)
        weakref.finalize(self, forgotten, runner.actor, self.key)

    def back(self, y_bar: Any) -> remote.Answer:
        """Ask the actor, unless the gradient has come along."""
        bars = self.answer(None)[1]
        return self.runner.send(back_of, self.key, y_bar) if bars is None else lambda _: remote.scaled(bars, y_bar)


def on_actor(instance: Any, f: Callable, *args: Any) -> Any:
    """What runs where the actor is: ``f(*args)``, which may ask for the actor."""
    here.instance = instance
    return f(*args)


def keep(key: str, f: Callable, wanted: tuple[bool, ...], *args: Any) -> tuple[Any, Any]:
    """The value, of a number the gradient; otherwise the pullback is kept."""
    y, bars, back = value_and_pullback(f, wanted, args)
    if bars is None:
        vars(here.instance).setdefault(PLACE, {})[key] = back
    return y, bars


def back_of(key: str, y_bar: Any) -> tuple:
    """The cotangents of the wanted arguments, by a pullback that lies here."""
    found = vars(here.instance).get(PLACE, {})
    if key not in found:
        raise MorulaError("the actor has been started anew and has lost its pullbacks")
    return found[key](y_bar)


def forgotten(actor: Any, key: str) -> None:
    """Let an actor free a pullback."""
    if ray.is_initialized():
        actor.__ray_call__.remote(forget, key)


def forget(instance: Any, key: str) -> None:
    """Free a pullback."""
    vars(instance).get(PLACE, {}).pop(key, None)


PLACE = "_morula_pullbacks"


def actor_here() -> Any:
    """The actor in whose process this runs."""
    return here.instance


def method(name: str, *args: Any, **kwargs: Any) -> Any:
    """A call of a method of the actor."""
    return getattr(actor_here(), name)(*args, **kwargs)


def over_actor(bound: Any) -> OnActor:
    """The runner of the actor of a method."""
    return OnActor(bound._actor)


chainrules.non_differentiable(actor_here, over_actor)


@means(ActorMethod._remote)
def method_remote(
    self: Any, args: Any = None, kwargs: Any = None, name: Any = "", num_returns: Any = None, **options: Any
) -> Any:  # fmt: skip
    """A call of a method of an actor."""
    count = self._num_returns if num_returns is None else num_returns
    return begin(over_actor(self), functools.partial(method, self._method_name), args, kwargs, count)


@means(ActorClass._remote)
def actor_remote(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Refuse: the actor would be made anew on the way back."""
    raise NotImplementedDerivative(ACTOR)
