"""The process that compiles the adjoint of a plain function into the disk cache.

It runs ``python -m morula.static.numba.worker FILE FOLDER``. The file holds what `packed` made: the function with all
that it calls, the arguments of one call, and the lines of the sources, which a notebook has only in memory.
"""

import linecache
import os
import pickle
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core import serialize
from numba.core.caching import NullCache

from morula.static.numba.frozen import MISSING, Frozen, content_of, read_names
from morula.static.numba.plain_callees import compiled
from morula.static.numba.spelled_objects import LARGEST
from morula.static.python.runs import is_ordinary
from morula.static.tiers.dispatch import positional
from morula.static.tiers.kernel_table import kernels_for
from morula.static.tiers.verbs import Runners, Wanted, first_run
from morula.static.unsupported import Unsupported

IN_VAIN = 3  # the exit status where the function is not one that Numba, or the generator, takes
EFFECTS = frozenset({"print", "input", "open", "breakpoint", "exec", "eval"})


class Folder(NullCache):
    """Where the adjoints of a function are kept, whose own machine code is not."""

    def __init__(self, path: str):
        self.path = path

    @property
    def cache_path(self) -> str:
        return self.path


def dispatcher_of(f: FunctionType, folder: str) -> tuple[Any, Frozen]:
    """``f`` under Numba, not compiled yet, and the names that it takes for constant.

    Raises:
        Unsupported: it reads what may change in place, calls a function with a rule, or prints, so that it may not be
            run twice.
    """
    for g in functions_of(f):
        if effects := EFFECTS.intersection(read_names(g.__code__)):
            raise Unsupported(f"{g.__qualname__} uses {min(effects)}")
        if not is_ordinary(g):
            raise Unsupported(f"{g.__qualname__} has a rule")
    frozen = Frozen(takes=LARGEST)
    found = compiled(f, frozen)
    if found is None:
        raise Unsupported(
            f"it reads a container, a module or an array of more than {LARGEST:,} bytes from outside, which may change "
            "in place: pass it as an argument"
        )
    return placed(found, folder), frozen


def placed(dispatcher: Any, folder: str) -> Any:
    """The same function with the place of its adjoints; it is not compiled itself, since its value comes with them."""
    dispatcher._cache = Folder(folder)
    dispatcher._can_compile = False
    return dispatcher


def functions_of(f: FunctionType) -> list[FunctionType]:
    """A function and the plain functions that it calls by name, at every depth."""
    every = [f]
    for g in every:
        cells = [content_of(cell) for cell in g.__closure__ or ()]
        found = [*cells, *(g.__globals__.get(name, MISSING) for name in read_names(g.__code__))]
        every += [h for h in found if isinstance(h, FunctionType) and h not in every]
    return every


def packed(f: FunctionType, dispatcher: Any, args: tuple, wanted: Wanted | None) -> bytes:
    """What the process is given."""
    sources = {name: linecache.getlines(name) for name in {g.__code__.co_filename for g in functions_of(f)}}
    dispatcher._can_compile = True  # as Numba wants to have it in another process
    job: bytes = serialize.dumps((sys.path, sources, dispatcher, args, wanted))
    dispatcher._can_compile = False
    return job


def run(file: str, folder: str) -> int:
    """Differentiate the function of the file once, which leaves its adjoint in the folder; the exit status.

    In vain, the file says afterwards why.
    """
    path, sources, dispatcher, args, wanted = pickle.loads(Path(file).read_bytes())
    sys.path[:] = path
    for name, lines in sources.items():
        linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    f = placed(dispatcher, folder)
    if first_run(Runners(), f, args, None if wanted is None else lambda args: wanted) is not None:
        return 0
    Path(file).write_text(reason_for(f, args, wanted), encoding="utf-8")
    return IN_VAIN


def reason_for(f: Any, args: tuple, wanted: Wanted | None) -> str:
    """Why there is no compiled adjoint of a function for these arguments."""
    every = positional(f, args, {}) or args
    active = tuple([i < len(args) and (wanted is None or i in wanted.positions) for i in range(len(every))])
    try:
        kernels_for(f, every, active)
    except Unsupported as reason:
        return f"it uses {reason}"
    return "its value is not one float"


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(5)
    raise SystemExit(run(*sys.argv[1:]))
