"""What runs a static adjoint: its text compiled, with what that calls, and a watch on what NumPy is told to do."""

from __future__ import annotations

import builtins
import contextlib
import re
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from morula.eager.calls.meanings import is_plain_function
from morula.eager.memory.layout import may_overlap
from morula.static.python.choice import Budget, Spent
from morula.static.python.draws import drawing, undrawn
from morula.static.python.helpers import HELPERS, caught_by, say
from morula.static.python.still import has_still_defaults, is_still
from morula.static.python.unsupported import NoItem, NoLoop, NoRow, Undecided, Unsupported

if TYPE_CHECKING:
    from morula.static.python.ir import Input, Program

__all__ = ["USUAL", "NotNow", "Other", "generated", "is_ordinary"]

USUAL: Any = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
OWN = re.compile(r"function\.__closure__\[\d+\]\.cell_contents")
OWN_PART = re.compile(OWN.pattern + r"(\[\d+\])*")  # a tuple, or an item of one
NAMED = re.compile(r"(h\d+) = (.*)")
LARGEST = 20_000  # elements of an array of which a list is made
BUILTINS = builtins.__dict__
CAUGHT = (ZeroDivisionError, ValueError, OverflowError, KeyError, IndexError)  # others may be none of the program's


class Other(Exception):
    """The arguments, or what the function reads, are of other types."""


class NotNow(Exception):
    """What NumPy or the interpreter is told to do about the program's steps asks for the eager tier."""


class Failed(Exception):
    """The program raises."""


class Raised(Exception):
    """The program raises an exception of this class, which it may catch."""

    def __init__(self, kind: type):
        self.kind = kind


def fail() -> Any:
    raise Failed


def caught(error: Exception, handlers: tuple) -> int:
    """By which of the handlers an exception of the program's is caught, from 1 on; others end the text."""
    kind = error.kind if type(error) is Raised else type(error)
    if type(error) is Raised or kind in CAUGHT:
        if number := caught_by(kind, handlers):
            return number
    raise error


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


def is_ordinary(f: Any) -> bool:
    return f.__builtins__ is BUILTINS and is_plain_function(f)


def _is_alike(f: Any) -> bool:
    """Whether a function of the code that was read is another one of the same meaning, with captures of its own."""
    return type(f) is FunctionType and is_ordinary(f)


def generated(
    f: FunctionType, args: tuple, wanted: tuple[int, ...], weights: np.ndarray | None = None,
    captured: tuple[str, ...] = (), verb: str = "gradient", is_exact: bool = False, budget: Budget | None = None,
    is_repeated: bool = False, by_running: bool = False,
) -> tuple[Callable, str, frozenset[str], tuple]:  # fmt: skip
    program, text, reason = _read(f, args, wanted, weights, captured, verb, is_exact, budget, is_repeated, by_running)
    space = program.space
    bare = compiled(program, text, f)
    run = drawing(bare, program.draws_from)
    calls_numpy = bool(program.shapes) or any(isinstance(v, np.ufunc) for v in space.values())
    has_numbers = any(t.startswith("np.") for given in program.inputs for t in given.types) or _makes_arrays(program)
    if program.follows_kinds and (calls_numpy or has_numbers):
        raise Unsupported("statistics of what may be NumPy's numbers")
    if program.weighted:
        pass  # it is called in a backward pass: what warns has warned
    elif calls_numpy:
        run = _watched(run, "raise")  # what warns there is the eager tier's
    elif has_numbers:
        run = _watched(run, None)
    if program.has_ties and verb == "gradient" and not (program.stored or program.draws_from) and _fails(run, f, args):
        with contextlib.suppress(Unsupported):  # of two equal numbers the program knows which one it has
            return generated(f, args, wanted, weights, captured, verb, is_exact, budget, by_running=True)
    is_doubtful = program.is_observed or program.uncaught is not None
    if verb in ("gradient", "pullback", "callee") and (reason is not None or (is_doubtful and not program.stored)):
        given = args if weights is None else (*args, weights)
        given = ([args[0]], *given[1:]) if is_repeated else given
        with undrawn(program.draws_from):
            if reason is not None and (program.stored or not _gets_through(run, f, given)):
                raise reason
            if is_doubtful and not program.stored and _fails(run, f, given):
                raise program.uncaught or Unsupported("integers that are others each time")
    bare.__globals__["say"] = say  # what has run until now was a trial
    outside = [i for i in program.inputs[program.n_args :] if i.name not in program.constants | program.fixed]
    named = {m[1]: m[2] for m in map(NAMED.match, program.guards) if m is not None}
    kinds = {_kind_of(given, named) for given in outside}
    kinds |= {_place_of(read, named) or "globals" for read in program.tuples}
    kinds |= {"writes"} if (program.written and not program.handed) or program.stored else set()
    kinds |= {"asked"} if program.fixed else set()
    kinds |= {"texts"} if program.spells else set()
    kinds |= {"prints"} if program.prints else set()
    if program.things:
        kinds.add("members" if program.are_given else "attributes")
    outside_kinds = frozenset(kinds)
    if verb in ("pullback", "callee"):
        from morula.static.python.memory import hands_on

        assert program.value is not None
        outside_kinds |= {"shares"} if program.value.is_shared() or hands_on(program) else set()
        outside_kinds |= {"doubts"} if "doubt = doubt or" in text else set()
        if verb == "pullback":
            return _with(run, program.value), text, outside_kinds, ()
        from morula.static.python.places import Places  # few functions are called so

        places = Places(
            tuple([path for path, _ in program.paths()]), program.handed, program.returns, _read_by(program)
        )
        return _with(run, program.value, places), text, outside_kinds, ()
    return run, text, outside_kinds, () if verb == "gradient" else paths_of(program)


def compiled(program: Program, text: str, f: FunctionType) -> Callable:
    """The function that a text comes to."""
    from morula.static.python.absent import EXACT

    space = program.space | {
        "Other": Other, "Failed": Failed, "UNBOUND": Unbound(), "LARGEST": LARGEST, "fail": fail, "real": real,
        "caught": caught, "Raised": Raised, "is_plain": _is_alike, "ModuleType": ModuleType,
        "may_overlap": may_overlap, "is_still": is_still,
        "has_still_defaults": has_still_defaults, **HELPERS, **(EXACT if program.is_exact else {}),
    }  # fmt: skip
    exec(compile(text, f"<static adjoint of {f.__qualname__}>", "exec"), space)
    run: Callable = space["value_and_gradient"]
    return run


class Seen(Exception):
    """What a run was to find."""

    def __init__(self, value: Any):
        self.value = value


def observe(value: Any) -> None:
    raise Seen(value)


def probed(program: Program, f: FunctionType, args: tuple) -> Any:
    """What a program is run for; None where it comes to another end."""
    from morula.static.python.assemble import text_of
    from morula.static.python.observed import OBSERVE

    program.space[OBSERVE] = observe
    with warnings.catch_warnings(), np.errstate(all="ignore"), undrawn(program.draws_from):
        warnings.simplefilter("ignore")
        try:
            compiled(program, text_of(program), f)(f, *args)
        except Seen as found:
            return found.value
        except Exception:
            return None
    return None


def _with(run: Callable, *more: Any) -> Callable:
    return lambda *args: (*run(*args), *more)


def _read_by(program: Program) -> dict[Any, Any]:
    """What a program reads in the arguments, by position and by step."""
    from morula.static.python.ir import Structure

    def below(part: Any) -> dict[Any, Any] | None:
        if not isinstance(part, Structure):
            return None
        return {(part.kind != "object", k): below(v) for k, v in part.parts.items()}

    return {i: below(part) for i, part in program.structures.items() if part is not None}


def paths_of(program: Program) -> tuple[tuple, ...]:
    """Where the numbers and arrays are that the program is differentiated by: the argument, then keys and indices."""
    from morula.static.python.ir import Structure

    def below(part: Any, path: tuple) -> Iterator[tuple]:
        if isinstance(part, Structure):
            if part.kind == "object":
                raise Unsupported("the tangent of an object")
            for key, inner in part.parts.items():
                yield from below(inner, (*path, key))
        elif part is not None:
            yield path

    parts = [(i, program.structures.get(i, program.inputs[i])) for i in program.wanted]
    return tuple([path for i, part in parts for path in below(part, (i,))])


def _read(
    f: FunctionType, args: tuple, wanted: tuple[int, ...], weights: np.ndarray | None, captured: tuple[str, ...],
    verb: str, is_exact: bool, budget: Budget | None, is_repeated: bool, by_running: bool,
) -> tuple[Program, str, Unsupported | None]:  # fmt: skip
    """The program that a function is, its text, and why it may fail on the way that it takes now.

    Arrays of few numbers are numbers if that can be.
    """
    from morula.static.python.assemble import text_of  # most programs run without these modules
    from morula.static.python.front import Builder
    from morula.static.python.things import OfFew, Rigid

    may_be_large = few_in_vain = False
    build: Any = Builder
    texts: dict[CodeType, tuple[Any, set[str]]] = {}  # of functions

    def read(is_small: bool) -> tuple[Program, str, Unsupported | None]:
        try:
            return read_once(is_small, False)
        except Undecided:
            if by_running:
                raise
            return read_once(is_small, True)

    def read_once(is_small: bool, by_branches: bool) -> tuple[Program, str, Unsupported | None]:
        nonlocal may_be_large
        given = args if weights is None else (*args, weights)
        probe = partial(probed, f=f, args=given)
        builder = build(
            f, args, wanted, is_plain_function, weights, captured, is_small, verb, probe, budget, by_branches, texts
        )  # fmt: skip
        may_be_large = builder.program.is_small
        builder.program.is_exact, builder.program.is_repeated = is_exact, is_repeated
        builder.program.has_ties, builder.program.is_told = by_branches, by_running
        return builder.program, text_of(builder.program), builder.reason

    def read_either() -> tuple[Program, str, Unsupported | None]:
        nonlocal few_in_vain
        found = None
        if few_in_vain:
            return read(False)
        try:
            found = read(True)
            if found[2] is None or not found[2].may_be_large:
                return found
        except Unsupported as reason:
            if not (may_be_large or reason.may_be_large):
                raise
            few_in_vain = isinstance(reason, OfFew)
        try:
            return read(False)
        except Unsupported:
            if found is None:
                raise
            return found

    first: Unsupported | None = None
    found = None
    try:
        found = read_either()
        if found[2] is None and found[0].uncaught is None:
            return found
    except Unsupported as reason:
        first = reason
    from morula.static.python.boxed import Boxer, may_have_boxes

    is_refused = isinstance(first or (found and found[2]), NoRow | NoItem | NoLoop | Rigid)
    may_be_boxed = is_refused or (verb in ("gradient", "pullback", "callee") and may_have_boxes(f))
    reasons: list[str] = []
    for stage in ((False, False), (True, True), (True, False)) if may_be_boxed else ():
        if len(reasons) == 2 and reasons[0] == reasons[1]:  # which is between the two
            break
        build = partial(Boxer, *stage)
        try:
            other = read_either()
            if other[2] is None and (found is None or other[0].uncaught is None):
                return other
            found = found or other
            reasons.append(str(other[2] or other[0].uncaught))
        except Unsupported as reason:
            reasons.append(str(reason))
        except Spent:
            if found is None:
                raise
            break
    if found is None:
        try:
            raise first or Unsupported("a program that is not read")
        finally:
            del first  # whose traceback has this frame, which holds arrays
    return found


def _gets_through(run: Callable, f: FunctionType, args: tuple) -> bool:
    """Whether a text does not fail for these arguments; it must have no effect but what it returns."""
    try:
        return run(f, *args) is not None
    except Exception:
        return False


def _fails(run: Callable, f: FunctionType, args: tuple) -> bool:
    """Whether a text gives way for these arguments on its way through the program."""
    try:
        run(f, *args)
    except Failed:
        return True
    except Exception:
        return False
    return False


def _makes_arrays(program: Program) -> bool:
    from morula.static.python.ir import Compute

    return any(isinstance(s, Compute) and (s.f is np.ndarray or s.op == "element") for s in program.statements())


def _kind_of(given: Input, named: dict[str, str]) -> str:
    """Where a value from outside stands, or that it is an array; `named` has what the names in such texts stand for."""
    if OWN.fullmatch(given.read) and (not given.is_list or given.is_array):
        return "own cells"
    if given.in_argument:
        return "members"
    return _place_of(given.read, named) or ("arrays" if given.is_list else "globals")


def _place_of(read: str, named: dict[str, str]) -> str | None:
    """What a text reads from, if no global variable: of a tuple in a cell of the function's own, what is active in it
    is known, as of a number there.
    """
    while (name := read.partition("[")[0].partition(".")[0]) in named:
        read = named[name] + read[len(name) :]
    if not OWN_PART.fullmatch(read) and ("__closure__" in read or "defaults__" in read):
        return "cells"
    return "attributes" if "__dict__" in read else None


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
