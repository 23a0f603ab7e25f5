"""Objects of which NumPy makes arrays: methods of theirs that it prefers, and what their ``__array_wrap__`` returns.

Which result goes to whose ``__array_wrap__`` differs from function to function. So the function runs once with
stand-ins that note it, and what they noted is done with the result of the rule.
"""

from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.registry import is_library_rule
from morula.eager.context.kinds import ATOMS, has_method, is_plain_object
from morula.eager.context.part import Part
from morula.eager.numpy.array_subclasses import same_numbers
from morula.errors import NotDifferentiable, describe

ndarray = np.ndarray
Pair = tuple[Any, Any]
METHOD_OF = {"amax": "max", "amin": "min", "around": "round"}
WRAPPERS = frozenset({"_wrapfunc", "_wrapreduction", "_wrapreduction_any_all"})


class Wrapped:
    """What a stand-in was given to wrap."""

    def __init__(self, stand_in: "StandIn", y: ndarray, context: Any, returns_scalar: bool) -> None:
        self.of, self.y, self.context, self.returns_scalar = stand_in.of, y, context, returns_scalar


class StandIn:
    """Stands for an object with ``__array__`` and ``__array_wrap__``.

    Args:
        of: the object.
        x: its array.
    """

    def __init__(self, of: Any, x: ndarray) -> None:
        self.of, self.x, self.was_asked = of, x, False
        self.__array_priority__ = getattr(of, "__array_priority__", 0.0)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> ndarray:
        return np.array(self.x, dtype=dtype)

    def __array_wrap__(self, y: ndarray, context: Any = None, return_scalar: bool = False) -> Wrapped:
        self.was_asked = True
        return Wrapped(self, y, context, return_scalar)


def wraps(x: Any) -> bool:
    """Whether an object makes results of NumPy's into something of its own."""
    return type(x) not in ATOMS and is_plain_object(x) and has_method(type(x), "__array_wrap__")


def calls_method(f: Any, args: tuple) -> bool:
    """Whether a function of NumPy's is the method of this name where its argument has one, as with tables."""
    inner = getattr(f, "__wrapped__", None)
    if type(inner) is not FunctionType or not args or type(args[0]) in ATOMS:
        return False
    name = METHOD_OF.get(f.__name__, f.__name__)
    asked = inner.__code__.co_names
    is_asked = name in asked or not WRAPPERS.isdisjoint(asked)
    return is_asked and is_plain_object(args[0]) and hasattr(type(args[0]), name)


class ArrayLikes(Part):
    """Objects of which NumPy makes arrays in a reverse context."""

    __slots__ = ()

    def of_array_likes(self, f: Any, rule: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair | None:
        """A call of NumPy's with such objects; None where it is a call with their arrays."""
        if not is_library_rule(rule):
            return None
        if calls_method(f, args):
            return self.call_function(f.__wrapped__, args, ds, kw, kw_d)
        if not any(map(wraps, args)):
            return None
        values, shadows = self.with_arrays(args, ds)
        stand_ins = [StandIn(a, v) if wraps(a) else v for a, v in zip(args, values, strict=True)]
        seen = f(*stand_ins, **kw)
        parts = seen if isinstance(seen, tuple) else (seen,)
        if not any(s.was_asked for s in stand_ins if isinstance(s, StandIn)):
            return None
        y, y_d = self.call(f, values, shadows, kw, kw_d)
        ys, ys_d = (y, y_d or (None,) * len(y)) if isinstance(seen, tuple) else ((y,), (y_d,))
        found = [self._wrapped(f, w, v, d, args, ds) for w, v, d in zip(parts, ys, ys_d, strict=True)]
        if not isinstance(seen, tuple):
            return found[0]
        return tuple([v for v, _ in found]), self.packed(tuple([d for _, d in found]))

    def _wrapped(self, f: Any, seen: Any, y: Any, y_d: Any, args: tuple, ds: tuple) -> Pair:
        """What becomes of a result `y`, of which a stand-in has made `seen`."""
        given = seen.y if isinstance(seen, Wrapped) else seen
        if not isinstance(given, ndarray | np.generic) or np.shape(given) != np.shape(y) or not same_numbers(given, y):
            raise NotDifferentiable(f"{describe(f)} computes with what an __array_wrap__ returns; give it an array")
        if not isinstance(seen, Wrapped):
            return y, y_d
        if not isinstance(y, ndarray):
            y, y_d = self.call1(np.asarray, y, y_d)
        method = type(seen.of).__array_wrap__
        n = method.__code__.co_argcount - 1 if isinstance(method, FunctionType) else 3  # older ones take less
        context, context_d = seen.context, None
        if context is not None:
            context, context_d = (context[0], args, context[2]), (None, self.packed(ds), None)
        given, given_d = (y, context, seen.returns_scalar)[:n], (y_d, context_d, None)[:n]
        return self.call(method, (seen.of, *given), (None, *given_d))
