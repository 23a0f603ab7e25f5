"""What `jvp`, `hvp`, `pullback` and the verbs on top of them get from static adjoints; None where these cannot tell.

Each verb has records of its own, so that its texts are made when it has taken long enough, and nothing that keeps one
verb in the eager tier does so for another.
"""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.registry import structural
from morula.static.python.choice import PURSE, chosen
from morula.static.python.pairs import (
    MOST,
    answered,
    followed,
    function_of,
    is_due,
    known_record,
    made,
    record_of,
)  # fmt: skip
from morula.static.python.runs import Other, is_ordinary

__all__ = ["Pulled", "noted", "static_product", "static_pulled", "static_tangent"]

ndarray = np.ndarray
FLOAT = np.dtype(np.float64)
NUMBERS = frozenset([float, int, np.float64])
KINDS = NUMBERS | {ndarray, str, bool, type(None)}


def static_tangent(f: Any, args: tuple, tangents: tuple) -> tuple[Any, Any] | None:
    """The value of ``f(*args)`` and its tangent along `tangents`, None for what does not move."""
    wanted = tuple([i for i, t in enumerate(tangents) if t is not None])
    found = _answer("tangent", f, args, wanted, tangents)
    return None if found is None or not is_finite(found[2]) else found[1:]


def static_product(f: Any, x: Any, v: Any) -> tuple[Any, Any, Any] | None:
    """The value of ``f(x)``, its gradient, and the change of that along `v`."""
    found = _answer("product", f, (x,), (0,), (v,))
    if found is None or not is_finite(found[1]) or not is_finite(found[2]):
        return None
    return found[0], found[1][0], found[2][0]


def static_pulled(f: Any, args: tuple) -> Pulled | None:
    """The value of ``f(*args)``, with what pulls seeds back to all arguments."""
    if (chosen() != "static" and known_record(f, "pullback") is None) or not all(map(_is_simple, args)):
        return None
    kept = tuple([a if type(a) in NUMBERS else copy.deepcopy(a) for a in args])
    found = _answer("pullback", f, args, tuple(range(len(args))), None)
    return None if found is None else Pulled(f, kept, *found)


def noted(verb: str, f: Any, args: tuple, seconds: float, wanted: tuple[int, ...]) -> None:
    """The eager tier took so long for a verb; make what answers it by then if that pays."""
    if not args or not wanted or chosen() == "eager":
        return
    if type(f) is not FunctionType:
        if (function := function_of(f)) is not None:
            f, owner = function
            noted(verb, f, (owner, *args), seconds, tuple([i + 1 for i in wanted]))
        return
    record = record_of(f, verb)
    record.seconds += PURSE.earned(seconds)
    record.runs += 1
    if record.runs > 1 and is_due(record):
        made(record, f, args, wanted, verb)


def _answer(verb: str, f: Any, args: tuple, wanted: tuple[int, ...], tangents: tuple | None) -> Any:
    mode = chosen()
    if mode == "eager" or not args or not wanted:
        return None
    if type(f) is not FunctionType:
        if (function := function_of(f)) is None:
            return None
        f, owner = function
        moved = None if tangents is None else (None, *tangents)
        return _answer(verb, f, (owner, *args), tuple([i + 1 for i in wanted]), moved)
    record = known_record(f, verb)
    if record is None:
        if mode != "static":
            return None
        record = record_of(f, verb)
    pairs = record.pairs.get(wanted, ())
    makes = mode == "static" or record.is_ripe
    if not (pairs or makes) or followed() or not is_ordinary(f):
        return None
    if tangents is not None and not all(fits(args[i], tangents[i]) for i in wanted):
        return None
    given = (lambda pair: _dots(pair.paths, args, tangents)) if tangents is not None else None
    found = answered(record, wanted, pairs, f, args, given)
    if found is not None or not makes or record.is_final:
        return found
    if len(pairs) < MOST and not any(pair.failures for pair in pairs) and made(record, f, args, wanted, verb):
        return answered(record, wanted, record.pairs.get(wanted, ()), f, args, given)
    return None


@structural(static_tangent, static_product, static_pulled, noted)
def _nothing(*_: Any) -> tuple[Any, Any]:
    """Inside a differentiated function these verbs are followed."""
    return None, None


# -- tangents of arguments ---------------------------------------------------------------------------------------------


def fits(x: Any, t: Any) -> bool:
    """Whether a tangent is one of doubles, in the very structure of a value."""
    kind = type(x)
    if kind is ndarray:
        return type(t) is ndarray and t.shape == x.shape and t.dtype == x.dtype == FLOAT
    if kind is float or kind is np.float64:
        return type(t) in NUMBERS
    if kind is dict:
        return type(t) is dict and x.keys() == t.keys() and all(fits(v, t[k]) for k, v in x.items())
    if kind is tuple or kind is list:
        return type(t) is kind and len(t) == len(x) and all(map(fits, x, t))
    return False


def _dots(paths: tuple, args: tuple, tangents: tuple) -> list[Any]:
    """The tangents of the numbers and arrays at these places."""
    found = []
    for path in paths:
        t: Any = tangents
        for key in path:
            t = t[key]
        if type(t) not in NUMBERS and type(t) is not ndarray:
            raise Other
        found.append(t if type(t) is ndarray else float(t))
    return found


def is_finite(x: Any) -> bool:
    """Whether all numbers in a tangent are finite."""
    kind = type(x)
    if kind is float or kind is np.float64:
        return math.isfinite(x)
    if kind is ndarray:
        return bool(np.isfinite(x).all())
    if kind is dict:
        return all(map(is_finite, x.values()))
    return x is None or (kind in (tuple, list) and all(map(is_finite, x)))


# -- pullbacks ---------------------------------------------------------------------------------------------------------


def _is_simple(x: Any) -> bool:
    if type(x) is dict:
        return all(map(_is_simple, x.values()))
    return type(x) in KINDS or (type(x) in (list, tuple) and all(map(_is_simple, x)))


class Pulled:
    """A value, and what pulls seeds of it back, any number of times.

    Attributes:
        y: the value.
        f, args: what it is of: the arguments as they were, which nobody else has.
    """

    def __init__(self, f: Any, args: tuple, first: tuple, there: Callable, is_once: bool, layout: Any):
        self.f, self.args = f, args
        self.y, self._back = first
        self._there, self._is_once, self._layout = there, is_once, layout
        self._is_used = False
        self._lock = threading.RLock()  # cotangents of lists are those of the run

    def pull(self, seed: Any, absent: bool) -> tuple[tuple, bool] | None:
        """The cotangents of the arguments, and whether one that is zero may be absent; None: ask the eager tier.

        Where it does not matter what is `absent`, None in a seed is a zero.
        """
        try:
            seeds = list(_seeds(self._layout, seed, absent))
            with self._lock, np.errstate(divide="raise", over="raise", invalid="raise"):
                if self._is_once and self._is_used:
                    self._back = self._there()[1]
                self._is_used = True
                found: tuple[tuple, bool] | None = self._back(*seeds)
        except Exception:
            return None
        return found


def _seeds(layout: Any, seed: Any, absent: bool) -> Iterator[Any]:
    """The seeds of the leaves of a value."""
    kind, parts, shape = layout.kind, layout.parts, layout.shape
    if kind in ("tuple", "list"):
        if seed is None and absent:
            seed = (None,) * len(parts)
        if type(seed) not in (tuple, list) or len(seed) != len(parts):
            raise Other
        for part, s in zip(parts, seed, strict=True):
            yield from _seeds(part, s, absent)
    elif kind == "number":
        if type(seed) not in NUMBERS and not (seed is None and absent):
            raise Other
        yield float(seed or 0.0)
    elif seed is None and absent and shape is not None:
        yield np.zeros(shape)
    elif kind == "numbers" and type(seed) is list and all(type(s) in NUMBERS for s in seed):
        yield list(map(float, seed))
    elif kind != "numbers" and type(seed) is ndarray and seed.dtype == FLOAT and shape in (None, seed.shape):
        yield seed.copy()
    else:
        raise Other
