"""Weak references: that an object dies shows through them, and a run keeps objects longer than the plain program.

A reference that leads to nothing here does so plainly, too. One that still leads to an object is followed where that is
certainly alive in the plain program (`liveness`), and refused elsewhere. The classes of `weakref` that keep references
are followed as code of the user's is.
"""

import sys
import weakref
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.observers import DYING_UNSEEN, no_callback, no_weak_reference, runs_users_code
from morula.eager.calls.registry import structural
from morula.eager.calls.watched_observers import Watched, watch
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.eager.objects.liveness import certainly_alive, in_a_twin
from morula.errors import NotDifferentiable
from morula.frames import is_engine_frame

Pair = tuple[Any, Any]
MODULES = ("weakref", "_weakrefset")
COLLECTIONS: dict[type, Callable[[Any], Iterable[weakref.ref]]] = {  # what refers to what they hold
    weakref.WeakSet: lambda x: x.data,
    weakref.WeakKeyDictionary: lambda x: x.data,
    weakref.WeakValueDictionary: lambda x: x.data.values(),
}


def check_alive(objects: Iterable[Any]) -> None:
    """Refuse objects to which weak references lead here, and perhaps not in the plain program."""
    found = [x for x in objects if not isinstance(x, tuple(DYING_UNSEEN))]
    if not certainly_alive(found):
        raise no_weak_reference(found[0])


class WeakReferences(Part):
    """Weak references in a reverse context."""

    __slots__ = ()

    def referent(self, reference: weakref.ref) -> Pair:
        """``reference()``."""
        found = weakref.ref.__call__(reference)
        if found is not None:
            check_alive([found])
        return found, self.array_shadow(found, None)

    def behind(self, proxy: Any) -> Any:
        """What a weak proxy stands for; anything else as it is.

        Raises:
            ReferenceError: that is gone.
        """
        if type(proxy) not in weakref.ProxyTypes:
            return proxy
        found = proxy.__sizeof__.__self__
        check_alive([found])
        return found

    def refers_weakly(self, f: FunctionType) -> bool:
        """Whether a function is one of the classes that keep weak references, whose lengths are watched from then on.

        These tell how many objects have died.
        """
        if f.__globals__.get("__name__") not in MODULES:
            return False
        for cls in COLLECTIONS:
            watch(cls, "__len__", vars(cls)["__len__"], list, self.records, Length)
        return True


class Length(Watched):
    """How many weakly referenced objects of a collection are alive."""

    def call(self, args: tuple, kw: dict) -> Any:
        if not is_engine_frame(sys._getframe(2).f_globals) and in_a_twin():
            try:
                check_alive([x for r in list(COLLECTIONS[self.cls](args[0])) if (x := r()) is not None])
            except NotDifferentiable as error:
                for records in list(self.runs):
                    records.refusal = error
                raise
        return self.original(*args, **kw)


@structural(weakref.ref.__call__)
def _call(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.referent(*args)


def _referring(make: Any, position: int = 0) -> None:
    """Declare what makes weak references: what they lead to stays active, and no callback runs without shadows."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if len(args) > position and ctx.any_active(args[position:], ds[position:], kw, kw_d):
            x, callbacks = args[position], (*args[position + 1 :], *kw.values())
            if ds[position] is not None and type(x) is not np.ndarray:
                raise no_weak_reference(x)
            if make is weakref.finalize or any(map(runs_users_code, callbacks)):
                raise no_callback(x)
        return make(*args, **kw), None

    structural(make)(handler)


_referring(weakref.ref)
_referring(weakref.proxy)
_referring(weakref.finalize)
_referring(weakref.ref.__new__, 1)
_referring(weakref.ref.__init__, 1)
