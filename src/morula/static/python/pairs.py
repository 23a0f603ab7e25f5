"""Which plain functions have a static adjoint: those that have taken long enough, for the types they were called with.

A pair computes value and gradient, and has no other effect. Whatever is not as it was when its text was made, whatever
raises, and a cotangent that is zero or not finite in the end, is left to the eager tier, which runs the function from
the start.
"""

from __future__ import annotations

import builtins
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from chainrules import when_declared
from morula.eager.calls.direct_calls import is_plain_function
from morula.eager.calls.registry import WHEN_ADJOINT
from morula.static.python.assemble import text_of
from morula.static.python.choice import chosen
from morula.static.python.front import Builder
from morula.static.python.helpers import HELPERS
from morula.static.python.ir import Compute, Input, Program, Unsupported
from morula.transform.deep import deeply

__all__ = [
    "INTERNAL", "Pair", "Record", "answered", "current_tier", "is_due", "made", "new_pair", "note", "record_of",
    "static_gradient",
]  # fmt: skip

PAYS = 0.05  # seconds in the eager tier after which a function gets a static adjoint: some times what that takes
DEARER = 3.0  # each further one has to pay for itself so many times as long
MOST = 4  # specialisations of one function
VAIN = 20  # calls in a row that the eager tier had to take over, after which a static adjoint is dropped
INTERNAL = "no text could be made"
USUAL = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
LARGEST = 20_000  # elements of an array of which a list is made
BUILTINS = builtins.__dict__


class Other(Exception):
    """The arguments, or what the function reads, are of other types."""


class NotNow(Exception):
    """What NumPy or the interpreter is told to do about the program's steps asks for the eager tier."""


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


@dataclass
class Pair:
    """One static adjoint.

    Attributes:
        run: takes the function and the arguments; gives value and gradient.
        text: what it was made of.
        seconds: that it took to make.
        outside: what it reads from outside: "cells", "attributes", "arrays", "globals"; "writes": whether the
            program writes into arguments.
        calls: that it answered.
        failures: calls that the eager tier had to take over, since the last that it answered.
    """

    run: Callable
    text: str
    seconds: float
    outside: frozenset[str] = frozenset()
    calls: int = 0
    failures: int = 0


class Record:
    """What is known of one function, by its code.

    Attributes:
        seconds: spent in the eager tier since the last attempt to make a static adjoint.
        runs: there.
        attempts: to make one.
        pairs: by the positions of the wanted arguments.
        why: the last attempt was in vain.
        unfit: as an entry of the tape of an eager run: it is called with arrays, or too brief.
        weighted: what `static_pullback` calls, by positions and kinds of arguments; None where there is none.
    """

    __slots__ = ("attempts", "code", "pairs", "runs", "seconds", "unfit", "weighted", "why")

    def __init__(self, code: CodeType, forget: Callable[[Any], None]):
        self.code = weakref.ref(code, forget)
        self.seconds = 0.0
        self.runs = 0
        self.attempts = 0
        self.pairs: dict[tuple[int, ...], tuple[Pair, ...]] = {}
        self.weighted: dict[Any, Callable | None] = {}
        self.why: str | None = None
        self.unfit = False

    @property
    def all_pairs(self) -> list[Pair]:
        return [pair for pairs in self.pairs.values() for pair in pairs]


_records: dict[int, Record] = {}
_lock = threading.RLock()  # a signal handler may take a gradient, too
_version = 0  # of what is declared
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
    if type(f) is not FunctionType:
        if not args or (function := function_of(f)) is None:
            return None
        if chosen() == "eager":
            return None
        at = range(len(args)) if wanted is None else wanted
        return static_gradient(function[0], (function[1], *args), tuple([i + 1 for i in at]))
    record = _records.get(id(f.__code__))
    if record is None or record.code() is not f.__code__ or not record.pairs:
        if chosen() != "static" or not args:
            return None
        record = record_of(f)
    if wanted is None:
        wanted = tuple(range(len(args)))
    mode = chosen()
    pairs = record.pairs.get(wanted, ())
    if mode == "eager" or not (pairs or mode == "static") or _is_followed() or not _is_ordinary(f):
        return None
    found = answered(record, wanted, pairs, f, args)
    if found is not None or mode != "static" or not wanted or record.why is not None:
        return found
    if len(pairs) < MOST and not any(pair.failures for pair in pairs) and made(record, f, args, wanted):
        return answered(record, wanted, record.pairs.get(wanted, ()), f, args)
    return None


def answered(record: Record, wanted: tuple[int, ...], pairs: Iterable[Pair], f: FunctionType, args: tuple) -> Any:
    """Value and gradient by the first of the `pairs` whose guards hold; None where the eager tier is to take over."""
    for pair in pairs:
        try:
            found = pair.run(f, *args)
        except Other:
            continue
        except NotNow:
            return None
        except Exception:
            found = None
        if found is not None:
            pair.failures = 0
            pair.calls += 1
            return found
        pair.failures += 1
        if pair.failures > VAIN:
            record.pairs[wanted] = tuple([p for p in record.pairs.get(wanted, ()) if p is not pair])
        return None
    return None


def function_of(f: Any) -> tuple[FunctionType, Any] | None:
    """The function that a bound method or a callable object calls, and its first argument."""
    if type(f) is MethodType:
        return (f.__func__, f.__self__) if type(f.__func__) is FunctionType else None
    call = getattr(type(f), "__call__", None)  # noqa: B004
    return (call, f) if type(call) is FunctionType and not isinstance(f, type) else None


def _is_ordinary(f: Any) -> bool:
    return f.__builtins__ is BUILTINS and is_plain_function(f)


def _is_alike(f: Any) -> bool:
    """Whether a function of the code that was read is another one of the same meaning, with captures of its own."""
    return type(f) is FunctionType and _is_ordinary(f)


def _is_followed() -> bool:
    if sys.gettrace() is not None:
        return True
    return sys.version_info >= (3, 12) and any(sys.monitoring.get_tool(i) is not None for i in _trace_id)


def note(f: Any, args: tuple, seconds: float, wanted: tuple[int, ...] | None = None) -> None:
    """The eager tier took so long for ``f(*args)``; make a static adjoint if that pays."""
    if not args or chosen() == "eager":
        return
    if type(f) is not FunctionType:
        if (function := function_of(f)) is not None:
            at = range(len(args)) if wanted is None else wanted
            note(function[0], (function[1], *args), seconds, tuple([i + 1 for i in at]))
        return
    record = record_of(f)
    record.seconds += seconds
    record.runs += 1
    if record.runs > 1 and is_due(record):
        made(record, f, args, tuple(range(len(args))) if wanted is None else wanted)


def is_due(record: Record) -> bool:
    """Whether the eager tier has taken so long for a function that a static adjoint pays."""
    return record.seconds > PAYS * DEARER**record.attempts and not _is_followed()


def current_tier() -> str:
    """The tier that holds here; the eager one where something follows the lines of the program."""
    return "eager" if _is_followed() else chosen()


def made(record: Record, f: FunctionType, args: tuple, wanted: tuple[int, ...]) -> bool:
    """Make a static adjoint for arguments of these types; whether there is one."""
    record.seconds = 0.0
    record.attempts += 1
    record.why = None
    version = -1
    while version != _version:  # rules may have been declared in the meantime
        version = _version
        try:
            pair = new_pair(f, args, wanted)
        except Unsupported as reason:
            record.why = str(reason)
            return False
    record.pairs[wanted] = (*record.pairs.get(wanted, ())[1 - MOST :], pair)
    return True


def new_pair(f: FunctionType, args: tuple, wanted: tuple[int, ...]) -> Pair:
    """The static adjoint of a function for arguments of these types; nobody takes it before it stands in a record.

    Raises:
        Unsupported: there is none.
    """
    start = perf_counter()
    if not _is_ordinary(f):
        raise Unsupported("a rule, or a library's function")
    try:
        with _lock:
            run, text, outside = deeply(lambda: _generated(f, args, wanted))
    except Unsupported:
        raise
    except Exception as error:  # too deep for the compiler, say: not the program's, which the eager tier runs
        raise Unsupported(f"{INTERNAL}: {type(error).__name__}: {error}") from error
    return Pair(run, text, perf_counter() - start, outside)


def static_pullback(
    f: FunctionType, args: tuple, weights: np.ndarray, wanted: tuple[int, ...], captured: tuple[str, ...] = ()
) -> Callable[..., Any] | None:  # fmt: skip
    """What gives the sum of the numbers that `f` returns with weights, and its gradient; None where there is none.

    It is called with the arguments and the weights, and returns None where it cannot tell. The gradient is by the
    arguments at the positions `wanted` and then by the variables of these names that `f` has `captured`.
    """
    record = record_of(f)
    key = (wanted, captured, len(weights), *map(type, args))
    if key not in record.weighted:
        run = None
        try:
            if not _is_ordinary(f):
                raise Unsupported("a rule, or a library's function")
            with _lock:
                run = deeply(lambda: _generated(f, args, wanted, weights, captured))[0]
        except Exception:  # as in `new_pair`
            run = None
        record.weighted[key] = run
    made = record.weighted[key]
    if made is None:
        return None

    def weighted(*given: Any) -> Any:
        try:
            return made(f, *given)
        except Exception:
            return None

    return weighted


def _generated(
    f: FunctionType, args: tuple, wanted: tuple[int, ...], weights: np.ndarray | None = None,
    captured: tuple[str, ...] = (),
) -> tuple[Callable, str, frozenset[str]]:  # fmt: skip
    program, text = _read(f, args, wanted, weights, captured)
    space = program.space | {
        "Other": Other, "Failed": Failed, "UNBOUND": Unbound(), "LARGEST": LARGEST, "fail": fail, "real": real,
        "is_plain": _is_alike, "ModuleType": ModuleType, **HELPERS,
    }  # fmt: skip
    exec(compile(text, f"<static adjoint of {f.__qualname__}>", "exec"), space)
    run: Callable = space["value_and_gradient"]
    if program.weighted:
        pass  # it is called in a backward pass: what warns has warned
    elif program.shapes or any(isinstance(v, np.ufunc) for v in space.values()):
        run = _watched(run, "raise")  # what warns there is the eager tier's
    elif any(t.startswith("np.") for given in program.inputs for t in given.types) or _makes_arrays(program):
        run = _watched(run, None)
    outside = [i for i in program.inputs[program.n_args :] if i.name not in program.constants]
    kinds = {*map(_kind_of, outside), *(["writes"] if program.written or program.stored else [])}
    return run, text, frozenset(kinds | ({"attributes"} if program.things else set()))


def _read(
    f: FunctionType, args: tuple, wanted: tuple[int, ...], weights: np.ndarray | None, captured: tuple[str, ...]
) -> tuple[Program, str]:  # fmt: skip
    """The program that a function is, and its text: with numbers for arrays of few of them, if that can be."""
    may_be_large = False
    try:
        program = Builder(f, args, wanted, is_plain_function, weights, captured).program
        may_be_large = program.is_small
        return program, text_of(program)
    except Unsupported as reason:
        if not (may_be_large or reason.may_be_large):
            raise
    program = Builder(f, args, wanted, is_plain_function, weights, captured, is_small=False).program
    return program, text_of(program)


def _makes_arrays(program: Program) -> bool:
    return any(isinstance(s, Compute) and (s.f is np.ndarray or s.op == "element") for s in program.statements())


def _kind_of(given: Input) -> str:
    """Where a value from outside stands, or that it is an array."""
    if "__closure__" in given.read or "__defaults__" in given.read:
        return "cells"
    if "__dict__" in given.read:
        return "attributes"
    return "arrays" if given.is_list else "globals"


def _watched(run: Callable, how: str | None) -> Callable:
    """A pair of a program of NumPy's numbers, computed as Python's, which overflow without a word."""

    def watched(*args: Any) -> Any:
        if np.geterr() != USUAL or _are_warnings_errors():
            raise NotNow  # the program wants to hear of it
        if how is None:
            return run(*args)
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return run(*args)

    return watched


def _are_warnings_errors() -> bool:
    for action, message, category, module, line in warnings.filters:
        if issubclass(RuntimeWarning, category):
            if action == "error":
                return True
            if message is None and module is None and line == 0:
                return False
    return False


def forget() -> None:
    """Drop every static adjoint: a rule was declared."""
    global _version
    _version += 1
    for record in _records.copy().values():
        record.pairs.clear()
        record.weighted.clear()
        record.why = None
        record.attempts = 0


when_declared(forget)
WHEN_ADJOINT.append(forget)
