"""Which plain functions have a static adjoint: those that have taken long enough, for the types they were called with.

A pair computes value and gradient, and has no other effect. Whatever is not as it was when its text was made, whatever
raises, and a cotangent that is zero or not finite in the end, is left to the eager tier, which runs the function from
the start.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from chainrules import when_declared
from morula.eager.calls.direct_calls import is_plain_function
from morula.eager.calls.registry import WHEN_ADJOINT
from morula.static.python.assemble import text_of
from morula.static.python.front import Builder
from morula.static.python.ir import Unsupported
from morula.transform.deep import deeply

Pair = tuple[Callable, dict[str, Any]]
__all__ = ["INTERNAL", "Record", "note", "record_of", "static_gradient", "tier"]

PAYS = 0.02  # seconds in the eager tier after which a function gets a static adjoint
MOST = 4  # specialisations of one function
INTERNAL = "no text could be made"
USUAL = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
LARGEST = 20_000  # elements of an array of which a list is made


class Other(Exception):
    """The arguments, or what the function reads, are of other types."""


class Stale(Exception):
    """A name stands for another function than it did."""


class Failed(Exception):
    """The program raises."""


def fail() -> Any:
    raise Failed


def real(z: Any) -> Any:
    """A power, where it is a real number: of a negative one NumPy makes a NaN, and Python a complex number."""
    if type(z) is complex:
        raise Failed
    return z


class Unbound:
    """What a variable holds that has not been assigned: nothing can be done with it."""

    def __bool__(self) -> bool:
        raise Failed

    def __eq__(self, other: object) -> bool:
        raise Failed

    __hash__ = None  # type: ignore[assignment]


class Record:
    """What is known of one function, by its code.

    Attributes:
        seconds: spent in the eager tier.
        runs: there.
        pairs: by the positions of the wanted arguments: each with the global variables that it was made for.
        why: there is no pair; None as long as that is not known.
        weighted: the pairs of `static_pullback`, by positions and kinds of arguments; None where there is none.
        failures: calls of a pair that the eager tier had to take over, since the last that it did not.
    """

    __slots__ = ("code", "failures", "pairs", "runs", "seconds", "texts", "weighted", "why")

    def __init__(self, code: CodeType, forget: Callable[[Any], None]):
        self.code = weakref.ref(code, forget)
        self.seconds = 0.0
        self.runs = 0
        self.failures = 0
        self.pairs: dict[tuple[int, ...], list[Pair]] = {}
        self.texts: list[str] = []
        self.weighted: dict[Any, Pair | None] = {}
        self.why: str | None = None


_records: dict[int, Record] = {}
_lock = threading.Lock()
_mode = os.environ.get("MORULA_TIER", "eager")
_trace_id = (0, 1)  # of tools that follow lines: debuggers, coverage


def record_of(f: FunctionType) -> Record:
    """What is known of the code of a function."""
    code = f.__code__
    record = _records.get(id(code))
    if record is None or record.code() is not code:
        key = id(code)
        record = _records[key] = Record(code, partial(_forget_code, key))
    return record


def _forget_code(key: int, gone: Any) -> None:
    if key in _records and _records[key].code is gone:
        del _records[key]


def static_gradient(f: Any, args: tuple, wanted: tuple[int, ...] | None = None) -> tuple[Any, tuple] | None:
    """Value and gradient of ``f(*args)`` by the positions `wanted` (None: all); None: the eager tier is to do it."""
    if type(f) is not FunctionType or _mode == "eager" or wanted == () or not args:
        return None
    record = _records.get(id(f.__code__))
    if record is None:
        if _mode != "static":
            return None
        record = record_of(f)
    if wanted is None:
        wanted = tuple(range(len(args)))
    pairs = record.pairs.get(wanted)
    if pairs is None:
        if _mode != "static" or record.why is not None:
            return None
        pairs = _made(record, f, args, wanted)
    if sys.gettrace() is not None or _is_followed() or not is_plain_function(f):
        return None
    for pair, space in pairs:
        if space is not f.__globals__:
            continue
        try:
            found = pair(f.__closure__, *args)
        except Other:
            continue
        except Stale:
            record.pairs.clear()
            return None
        except Exception:
            found = None
        if found is not None:
            record.failures = 0
            return found
        record.failures += 1
        if record.failures > 20:
            record.pairs[wanted] = []
        return None
    if _mode == "static" and len(pairs) < MOST and record.failures == 0:
        n = len(pairs)
        if len(_made(record, f, args, wanted)) > n:
            return static_gradient(f, args, wanted)
    return None


def _is_followed() -> bool:
    if sys.version_info < (3, 12):
        return False
    return any(sys.monitoring.get_tool(i) is not None for i in _trace_id)


def note(f: Any, args: tuple, seconds: float, wanted: tuple[int, ...] | None = None) -> None:
    """The eager tier took so long for ``f(*args)``; make a static adjoint if that pays."""
    if type(f) is not FunctionType or _mode == "eager":
        return
    record = record_of(f)
    record.seconds += seconds
    record.runs += 1
    if record.why is None and record.runs > 1 and record.seconds > PAYS:
        record.seconds = 0.0
        wanted = tuple(range(len(args))) if wanted is None else wanted
        if len(record.pairs.get(wanted, ())) < MOST:
            _made(record, f, args, wanted)


def _made(record: Record, f: FunctionType, args: tuple, wanted: tuple[int, ...]) -> list[Pair]:
    pairs = record.pairs.setdefault(wanted, [])
    try:
        if not is_plain_function(f):
            raise Unsupported("a rule, or a library's function")
        with _lock:
            pair, text = deeply(lambda: _generated(f, args, wanted))
    except Unsupported as reason:
        record.why = str(reason)
        return pairs
    except Exception as error:  # too deep for the compiler, say: not the program's, which the eager tier runs
        record.why = f"{INTERNAL}: {type(error).__name__}: {error}"
        return pairs
    pairs.append((pair, f.__globals__))
    record.texts.append(text)
    return pairs


def static_pullback(
    f: FunctionType, args: tuple, weights: np.ndarray, wanted: tuple[int, ...], captured: tuple[str, ...] = ()
) -> Callable[..., Any] | None:  # fmt: skip
    """What gives the sum of the numbers that `f` returns with weights, and its gradient; None where there is none.

    It is called with the arguments and the weights, and returns None where it cannot tell. The gradient is by the
    arguments at the positions `wanted` and then by the variables of these names that `f` has `captured`.
    """
    record = record_of(f)
    key = (wanted, captured, len(weights), *map(type, args))
    made = record.weighted.get(key)
    if key not in record.weighted or (made is not None and made[1] is not f.__globals__):
        try:
            if not is_plain_function(f):
                raise Unsupported("a rule, or a library's function")
            with _lock:
                made = (deeply(lambda: _generated(f, args, wanted, weights, captured))[0], f.__globals__)
        except Exception:  # as in `_made`
            made = None
        record.weighted[key] = made
    if made is None:
        return None
    pair = made[0]

    def weighted(*given: Any) -> Any:
        try:
            return pair(f.__closure__, *given)
        except Exception:
            return None

    return weighted


def _generated(
    f: FunctionType, args: tuple, wanted: tuple[int, ...], weights: np.ndarray | None = None,
    captured: tuple[str, ...] = (),
) -> tuple[Callable, str]:  # fmt: skip
    program = Builder(f, args, wanted, is_plain_function, weights, captured).program
    text = text_of(program)
    space = program.space | {
        "Other": Other, "Stale": Stale, "Failed": Failed, "UNBOUND": Unbound(), "LARGEST": LARGEST, "fail": fail,
        "real": real,
    }  # fmt: skip
    exec(compile(text, f"<static adjoint of {f.__qualname__}>", "exec"), space)
    pair: Callable = space["value_and_gradient"]
    if program.weighted:  # it is called in a backward pass: what warns has warned
        return pair, text
    if any(isinstance(v, np.ufunc) for v in space.values()):  # what warns there is the eager tier's
        return _raising(pair), text
    if any(t.startswith("np.") for given in program.inputs for t in given.types):
        return _as_numpy_is_set(pair), text
    return pair, text


def _raising(pair: Callable) -> Callable:
    def raising(*args: Any) -> Any:
        with np.errstate(all="raise"):
            return pair(*args)

    return raising


def _as_numpy_is_set(pair: Callable) -> Callable:
    def asking(*args: Any) -> Any:
        if np.geterr() != USUAL:  # the program may want to hear of what Python's floats do without a word
            raise Other
        return pair(*args)

    return asking


def forget() -> None:
    """Drop every static adjoint: a rule was declared."""
    for record in list(_records.values()):
        record.pairs.clear()
        record.weighted.clear()
        record.why = None


when_declared(forget)
WHEN_ADJOINT.append(forget)


@contextmanager
def tier(name: str) -> Iterator[None]:
    """Choose for a block how plain functions are differentiated.

    Args:
        name: ``"eager"``, which holds outside of any block: by the eager tier; ``"auto"``: by static adjoints where
            that pays; ``"static"``: from the first call on, wherever there can be one.

    >>> import morula
    >>> with morula.tier("eager"):
    ...     morula.gradient(lambda x: x * x, 3.0)
    (6.0,)
    """
    global _mode
    if name not in ("auto", "eager", "static"):
        raise ValueError(f"there is no tier {name!r}: it is 'auto', 'eager' or 'static'")
    before, _mode = _mode, name
    try:
        yield
    finally:
        _mode = before
