"""Which plain functions have a static adjoint: those that have taken long enough, for the types they were called with.

A pair computes value and gradient, and has no other effect. Whatever is not as it was when its text was made, whatever
raises, and a cotangent that is zero or not finite in the end, is left to the eager tier, which runs the function from
the start.
"""

from __future__ import annotations

import math
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

from chainrules import when_declared
from morula.eager.calls.registry import WHEN_ADJOINT
from morula.static.python.choice import EXPECTED, LOOKED_AT, PURSE, Account, Budget, Spent, chosen
from morula.static.python.helpers import Unsure
from morula.static.python.runs import NotNow, Other, generated, is_ordinary
from morula.static.python.unsupported import Unsupported, costly
from morula.transform.deep import deeply
from morula.transform.parts import APPLIES, cut_at

__all__ = [
    "INTERNAL", "MAKING", "MOST", "WHEN_DUE", "Pair", "Record", "answered", "current_tier", "followed", "function_of",
    "is_due", "known_record", "made", "new_pair", "note", "record_of", "records_of", "static_gradient",
]  # fmt: skip

PAYS = 0.05  # seconds in the eager tier after which a function gets a static adjoint: some times what that takes
DEARER = 3.0  # each further one has to pay for itself so many times as long
LATE = 99  # attempts, after which that makes no difference
MOST = 4  # specialisations of one function
SOME = 3  # calls in a row with a derivative of zero, after which another text is made for such calls
VAIN = 20  # calls in a row that the eager tier had to take over, after which a static adjoint is dropped
INTERNAL = "no text could be made"
FOLLOWED = "followed("  # in a text: a call that the eager tier follows
ALL = tuple([tuple(range(n)) for n in range(9)])  # positions of so many arguments


@dataclass(eq=False, repr=False)
class Pair:
    """One static adjoint.

    Attributes:
        run: takes the function and the arguments; gives value and gradient.
        text: what it was made of.
        seconds: that it took to make.
        outside: what it reads: "own cells" (numbers and arrays that it captures itself), "cells", "attributes",
            "arrays", "globals", "members" of its arguments, numbers in "texts", what is "asked" whether it is active
            (see `still`). And "writes" into arguments; "prints"; "shares", as others may, what it returns; "doubts"
            whether what is zero is absent.
        paths: where the numbers and arrays are of which it takes tangents.
        calls, failures: that it answered, and that the eager tier had to take over since.
        follows: whether the eager tier follows a call in it.
        again: what is asked where a zero may be an absent derivative; None before, and where there is no such text.
        is_asked, zeros: whether it was asked, and how often it answered.
    """

    run: Callable
    text: str
    seconds: float
    outside: frozenset[str] = frozenset()
    paths: tuple = ()
    calls: int = 0
    failures: int = 0
    follows: bool = False
    again: Callable | None = None
    is_asked: bool = False
    zeros: int = 0


def nobody() -> None:
    """A reference to nothing."""


class Record(Account):
    """What is known of one function, by its code.

    Attributes:
        timed: the calls that `seconds` in the eager tier since the last attempt are of.
        least: seconds that one call has taken; the first takes longer, since what it runs is made then.
        fastest: seconds that the fastest gradient has taken in the eager tier, of late.
        runs, attempts: there, and to make one.
        pairs: by the positions of the wanted arguments, and the names of the wanted captured variables.
        why: the last attempt was in vain. `newest`: what the last gave.
        ordinary: the last function that was found to be one without rules, since any were declared.
        unfit: as an entry of the tape of an eager run: it is called with arrays, or too brief.
        is_whole: it does not run in parts; `look_at`, `lately`, `in_parts`: as of `trials.look_at_parts`.
        uncompiled: why it was not compiled without a decorator.
        weighted: what `static_pullback` and `static_curvature` call, by kinds of arguments; None where there is none.
    """

    __slots__ = (
        "attempts", "code", "fastest", "in_parts", "is_whole", "lately", "least", "look_at", "newest", "ordinary",
        "pairs", "runs", "timed", "uncompiled", "unfit", "weighted", "why",
    )  # fmt: skip

    def __init__(self, code: CodeType, forget: Callable[[Any], None]):
        super().__init__()
        self.code = weakref.ref(code, forget)
        self.timed = self.runs = self.attempts = 0
        self.least = self.fastest = self.lately = math.inf
        self.look_at, self.in_parts = LOOKED_AT, None
        self.pairs: dict[tuple[int | str, ...], tuple[Pair, ...]] = {}
        self.weighted: dict[Any, Callable | None] = {}
        self.why: str | None = None
        self.unfit = self.is_whole = False
        self.newest: Pair | None = None
        self.uncompiled: str | None = None
        self.ordinary: Callable[[], Any] = nobody

    @property
    def is_ripe(self) -> bool:
        """Whether the first call took so long in the eager tier that the next one makes a static adjoint."""
        return self.attempts == 0 and self.seconds > PAYS and PURSE.allows(self) > 0.0

    @property
    def is_final(self) -> bool:
        """Whether there is no static adjoint, as far as is known."""
        return self.why is not None and not self.is_cut

    @property
    def all_pairs(self) -> list[Pair]:
        return [pair for pairs in self.pairs.values() for pair in pairs]


WHEN_DUE: list[Callable[[Record, FunctionType, tuple, tuple[int, ...]], None]] = []  # told which functions are hot
_records: dict[Any, Record] = {}  # by the identities of codes, with the verb where that is not `gradient`
MAKING = threading.RLock()  # a signal handler may take a gradient, too
_version = 0  # of what is declared
_tracer = sys.gettrace
_tool_of: Callable[[int], Any] | None = sys.monitoring.get_tool if hasattr(sys, "monitoring") else None


def record_of(f: FunctionType, verb: str = "gradient") -> Record:
    """What is known of the code of a function."""
    code = f.__code__
    key: Any = id(code) if verb == "gradient" else (id(code), verb)
    record = _records.get(key)
    if record is None or record.code() is not code:
        record = _records[key] = Record(code, partial(_forget_code, key))
    return record


def known_record(f: Any, verb: str) -> Record | None:
    """The same, if anything is known."""
    code = f if type(f) is CodeType else getattr(f, "__code__", None)
    record = _records.get(id(code) if verb == "gradient" else (id(code), verb))
    return record if record is not None and record.code() is code else None


def records_of(code: CodeType) -> list[Record]:
    """What is known of the functions of a code that eager runs call."""
    return [r for verb in ("gradient", "callee") if (r := known_record(code, verb)) is not None]


def _forget_code(key: Any, gone: Any) -> None:
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
    code = f.__code__
    record = _records.get(id(code))
    if record is None or record.code() is not code or not (record.pairs or record.is_ripe):
        if chosen() != "static" or not args:
            return None
        record = record_of(f)
    if wanted is None:
        wanted = ALL[n] if (n := len(args)) < len(ALL) else tuple(range(n))
    mode = chosen()
    pairs = record.pairs.get(wanted, ())
    if mode == "eager" or not (pairs or mode == "static" or record.is_ripe) or followed():
        return None
    if record.ordinary() is not f:  # of one code there may be functions with rules, and without
        if not is_ordinary(f):
            return None
        record.ordinary = weakref.ref(f)
    found = answered(record, wanted, pairs, f, args)
    if found is not None:
        return found
    if not (mode == "static" or record.is_ripe) or not wanted or record.is_final:
        return None
    if len(pairs) < MOST and not any(pair.failures for pair in pairs) and made_of(record, f, args, wanted):
        return answered(record, wanted, record.pairs.get(wanted, ()), f, args)
    return None


def answered(
    record: Record, wanted: tuple[int | str, ...], pairs: Iterable[Pair], f: FunctionType, args: tuple,
    more: Callable[[Pair], Iterable[Any]] | None = None,
) -> Any:  # fmt: skip
    """Value and gradient by the first of the `pairs` whose guards hold; None where the eager tier is to take over.

    `more` gives what a pair takes behind the arguments.
    """
    for pair in pairs:
        try:
            found = pair.run(f, *args) if more is None else pair.run(f, *args, *more(pair))
        except Other:
            continue
        except NotNow:
            return None
        except Unsure:
            found = _exactly(pair, f, args, wanted) if more is None else None
        except Exception:
            found = None
        else:
            if found is None and more is None:
                found = _exactly(pair, f, args, wanted)
        if found is not None:
            pair.failures = 0
            pair.calls += 1
            return found
        pair.failures += 1
        if pair.failures > VAIN:
            record.pairs[wanted] = tuple([p for p in record.pairs.get(wanted, ()) if p is not pair])
        return None
    return None


def _exactly(pair: Pair, f: FunctionType, args: tuple, wanted: tuple[int | str, ...]) -> Any:
    """What a text gives that tells derivatives of zero from absent ones; None where the eager tier is to take over."""
    if not pair.is_asked and (pair.failures >= SOME or chosen() == "static"):
        pair.is_asked = True
        places = tuple([i for i in wanted if isinstance(i, int)])
        if len(places) == len(wanted):
            try:
                with MAKING:
                    pair.again = deeply(lambda: generated(f, args, places, is_exact=True))[0]
            except Exception:  # as in `new_pair`
                pair.again = None
    if pair.again is None:
        return None
    try:
        found = pair.again(f, *args)
    except Exception:
        return None
    pair.zeros += 1
    if pair.zeros >= SOME:  # it is right in any case
        pair.run = pair.again
    return found


def function_of(f: Any) -> tuple[FunctionType, Any] | None:
    """The function that a bound method or a callable object calls, and its first argument."""
    if type(f) is MethodType:
        return (f.__func__, f.__self__) if type(f.__func__) is FunctionType else None
    call = getattr(type(f), "__call__", None)  # noqa: B004
    return (call, f) if type(call) is FunctionType and not isinstance(f, type) else None


def followed() -> bool:
    """Whether something follows the lines of the program."""
    if _tracer() is not None:
        return True
    return _tool_of is not None and (_tool_of(0) is not None or _tool_of(1) is not None)  # debuggers, coverage


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
    seconds = PURSE.earned(seconds)
    record.fastest, record.lately = min(record.fastest, seconds), min(record.lately, seconds)
    record.seconds += seconds
    record.timed, record.runs = record.timed + 1, record.runs + 1
    if record.runs >= record.look_at and record.why is not None:
        from morula.static.python.trials import look_at_parts

        look_at_parts(record, f.__code__, records_of)
    if record.runs > 1 and is_due(record):
        made_of(record, f, args, tuple(range(len(args))) if wanted is None else wanted)


def is_due(record: Record, is_inside: bool = False) -> bool:
    """Whether the eager tier has taken so long for a function that a static adjoint pays."""
    due = PAYS * DEARER ** min(record.attempts, LATE)
    return record.seconds > due and PURSE.allows(record, is_inside) > 0.0 and not followed()


def current_tier() -> str:
    """The tier that holds here; the eager one where something follows the lines of the program."""
    return "eager" if followed() else chosen()


def made_of(record: Record, f: FunctionType, args: tuple, wanted: tuple[int, ...]) -> bool:
    """Make a static adjoint of a function that a verb was called with; whether there is one."""
    for tell in WHEN_DUE:
        tell(record, f, args, wanted)
    return made(record, f, args, wanted)


def made(
    record: Record, f: FunctionType, args: tuple, wanted: tuple[int, ...], verb: str = "gradient",
    captured: tuple[str, ...] = (), is_inside: bool = False,
) -> bool:  # fmt: skip
    """Make a static adjoint for arguments of these types, in a run that goes on or not; whether there is one."""
    is_free = chosen() == "static"
    if not is_free and record.newest is not None and not record.newest.calls:
        PURSE.lose(record, record.newest.seconds)
        record.newest = None
    most = math.inf if is_free else PURSE.allows(record, is_inside)
    if not most:
        return False
    from morula.static.python import assemble, front  # noqa: F401 - loading them is not the attempt's

    record.earlier += record.seconds
    record.attempts += 1
    record.seconds, record.timed, record.why, record.is_cut = 0.0, 0, None, False
    for _ in range(2):  # rules of a library may be loaded the first time
        version = _version
        budget = Budget(most)
        try:
            pair = new_pair(f, args, wanted, verb, captured, budget)
        except Unsupported as reason:
            record.why, record.is_cut = str(reason), reason.is_costly
            if not is_free:
                PURSE.lose(record, budget.taken, reason.is_costly)
            if verb in ("gradient", "pullback", "callee"):  # an eager run goes on with what is around that line
                record.is_whole &= not cut_at(f.__code__, reason.outer_line)
            return False
        finally:
            if is_inside:
                PURSE.inside += budget.taken
        if version == _version:
            break
    else:  # rules were declared in the meantime: it is made anew when it is due again
        record.attempts -= 1
        return False
    record.newest = pair
    key: tuple[int | str, ...] = (*wanted, *captured)
    if pair.follows and verb == "gradient" and not captured and chosen() != "static":
        from morula.static.python.trials import on_trial  # few programs need it

        pair.run = on_trial(record, key, pair)
    record.pairs[key] = (*record.pairs.get(key, ())[1 - MOST :], pair)
    return True


def new_pair(
    f: FunctionType, args: tuple, wanted: tuple[int, ...], verb: str = "gradient", captured: tuple[str, ...] = (),
    budget: Budget | None = None,
) -> Pair:  # fmt: skip
    """The static adjoint of a function for arguments of these types, for which a budget may be spent.

    Raises:
        Unsupported: there is none.
    """
    budget = budget or Budget()
    if not is_ordinary(f):
        raise Unsupported("a rule, or a library's function")
    try:
        with MAKING:
            run, text, outside, paths = deeply(
                lambda: generated(f, args, wanted, captured=captured, verb=verb, budget=budget)
            )
    except Unsupported:
        raise
    except Spent:
        raise costly("a function that takes long to read, and has not run for long enough to pay for it") from None
    except Exception as error:  # too deep for the compiler, say: not the program's, which the eager tier runs
        raise Unsupported(f"{INTERNAL}: {type(error).__name__}: {error}") from error
    return Pair(run, text, budget.taken, outside, paths, follows=FOLLOWED in text)


def forget() -> None:
    """Drop every static adjoint: a rule was declared."""
    global _version
    _version += 1
    for record in _records.copy().values():
        record.pairs.clear()
        record.weighted.clear()
        record.ordinary = nobody
        record.why = record.uncompiled = record.newest = None
        record.attempts, record.lost, record.need = 0, 0.0, EXPECTED


APPLIES.append(lambda code: current_tier() != "eager" and not getattr(known_record(code, "gradient"), "is_whole", 0))
when_declared(forget)
WHEN_ADJOINT.append(forget)
