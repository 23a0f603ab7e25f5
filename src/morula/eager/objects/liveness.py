"""Whether an object is certainly alive in the user's program at a moment of a run.

A run keeps more objects alive than the program does: temporaries of twins, what records and the tape hold. So that a
weak reference still leads to an object here does not tell that it does so plainly. An object is certainly alive where
strong references lead to it from a variable of the user's in a frame that runs, or from a module.
"""

import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from types import (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    ModuleType,
    TracebackType,
)
from typing import Any

import numpy as np

from morula.eager.containers.parts import parts_of_code
from morula.eager.context.kinds import ATOMS
from morula.frames import is_engine_frame
from morula.transform.build import CTX

MOST = 1_000_000  # objects that are looked through
LEAVES = ATOMS - {type, ModuleType}
# What holds more than the user's variables, or holds something longer than it does plainly.
CLOSED = (FrameType, TracebackType, GeneratorType, CoroutineType, AsyncGeneratorType)
SNAPSHOTS = sys.version_info < (3, 13)  # whether ``frame.f_locals`` of a function is a dict that the frame keeps


def certainly_alive(objects: Iterable[Any]) -> bool:
    """Whether all these objects are alive in the plain program, too, at this point of the run."""
    wanted = {id(x): x for x in objects if not is_a(x, (type, ModuleType))}
    if not wanted:
        return True
    roots = list(user_variables())
    return reach(roots, wanted, held_by) or reach([*roots, *modules()], wanted, everything_in)


def reach(roots: list[Any], wanted: dict[int, Any], parts: Callable[[Iterable[Any]], list[Any]]) -> bool:
    """Remove from `wanted` what strong references lead to from `roots`; whether that is all of it."""
    new, seen = roots, set[int]()
    while new and len(seen) < MOST:
        fresh = {id(x): x for x in new if type(x) not in LEAVES and id(x) not in seen and not is_engines(x)}
        for key in wanted.keys() & fresh.keys():
            del wanted[key]
        if not wanted:
            return True
        seen.update(fresh)
        new = parts(x for x in fresh.values() if not (is_a(x, CLOSED) or is_builtin_iterator(type(x))))
    return False


def is_a(x: Any, classes: type | tuple[type, ...]) -> bool:
    """As `isinstance`, which asks objects for their class: dead proxies, and code of the user's."""
    return issubclass(type(x), classes)


def held_by(objects: Iterable[Any]) -> list[Any]:
    """What objects hold, apart from what they share with others by their class or module."""
    found: list[Any] = []
    plain = []
    for x in objects:
        kind = type(x)
        if kind is FunctionType:
            found += (*(parts_of_code(x) or ()), vars(x))
        elif kind is np.ndarray:
            if x.dtype.hasobject:
                found += x.ravel().tolist()
        elif not is_a(x, (type, ModuleType)):
            plain.append(x)
    return found + gc.get_referents(*plain)


def everything_in(objects: Iterable[Any]) -> list[Any]:
    return gc.get_referents(*objects)


def is_builtin_iterator(kind: type) -> bool:
    return hasattr(kind, "__next__") and kind.__module__ in ("builtins", "itertools", "collections")


def is_engines(x: Any) -> bool:
    """Whether something belongs to the engine, which holds more than the program does."""
    if is_a(x, ModuleType):
        return is_engine_frame(vars(x))
    where = getattr(x if is_a(x, (type, FunctionType)) else type(x), "__module__", "")
    return type(where) is str and where.partition(".")[0] in ("morula", "chainrules")


def modules() -> Iterator[ModuleType]:
    return (m for m in list(sys.modules.values()) if isinstance(m, ModuleType))


def user_variables() -> Iterator[Any]:
    """What the user's variables of the frames that run hold, the innermost first."""
    originals: dict[int, dict[CodeType, CodeType]] = {}  # of twins, by context
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_engine_frame(frame.f_globals) and not frame.f_code.co_filename.startswith("<static adjoint"):
            yield from variables_in(frame, originals)
        frame = frame.f_back


def variables_in(frame: FrameType, originals: dict[int, dict[CodeType, CodeType]]) -> list[Any]:
    """The values of the user's variables in one frame."""
    found = frame.f_locals
    ctx = found.get(CTX)
    if ctx is None:
        return list(found.values())
    if id(ctx) not in originals:
        originals[id(ctx)] = {t.code: f.__code__ for f, t in ctx.twins.templates.items() if t.code is not None}
    code = originals[id(ctx)].get(frame.f_code)
    names = () if code is None else code.co_varnames + code.co_cellvars + code.co_freevars
    values = [found[n] for n in names if n in found]
    if SNAPSHOTS:
        found.clear()  # or the frame keeps all that until the function ends
    return values


def in_a_twin() -> bool:
    """Whether transformed code runs around this."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and CTX not in frame.f_code.co_varnames:
        frame = frame.f_back
    return frame is not None
