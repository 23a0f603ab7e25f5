"""Plain functions under Numba without a decorator: the mode ``"compile"`` of `native_mode`.

What has been found hot enough for a static adjoint is compiled as well, in a process of its own and into the disk
cache. Until that is ready, and wherever something is not as it was, the other tiers answer. The first answer of
compiled code is compared with theirs, for integers and errors are not the same under Numba.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from contextlib import suppress
from math import isfinite
from pathlib import Path
from time import perf_counter
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from morula.eager.context.run import Run
from morula.eager.context.seeds import or_zero, unit_seed
from morula.static.python import pairs
from morula.static.python.pairs import Pair, Record, answered
from morula.static.python.runs import Other
from morula.static.tiers import kernel_table, verbs
from morula.static.tiers.fallback import WHEN_COMPILE, current_mode
from morula.static.tiers.kernel_table import arrays_in
from morula.static.tiers.verbs import Runners, Wanted
from morula.static.unsupported import Unsupported

if TYPE_CHECKING:
    from morula.static.numba.frozen import Frozen

MOST = 4  # compiled adjoints of one function
PAUSE = 0.02  # seconds between two looks at a process
TOLERANCE = 1e-8  # by which the first answer may differ, relative to the largest number: sums are in another order
NUMBERS = frozenset([float, int, bool, np.float64])
OUTSIDE = frozenset({"cells", "attributes", "arrays", "globals", "writes"})  # what an eager run around may have changed

_waiting: list[Ahead] = []  # the first is being compiled
_lock = threading.RLock()


class Ahead:
    """The compiled adjoint of a plain function for arguments of the types of one call.

    Attributes:
        state: "queued", "compiling", "compiled" (the adjoint is in the disk cache), "ready" (and loaded), or what
            stands against it.
    """

    def __init__(self, record: Record, f: FunctionType, args: tuple, wanted: tuple[int, ...], job: bytes,
                 dispatcher: Any, frozen: Frozen, folder: str):  # fmt: skip
        self.record, self.positions, self.job, self.folder = record, wanted, job, folder
        self.f = weakref.ref(f)
        self.dispatcher, self.frozen = dispatcher, frozen
        self.types, self.shapes = kernel_table.fingerprint(args), shapes_of(args)
        self.runners = Runners()
        self.kind: type = float
        self.state = "queued"
        self.pair = Pair(self, "", 0.0, OUTSIDE)
        self._process: subprocess.Popen | None = None
        self._file = ""
        self._looked = perf_counter()

    def __call__(self, f: FunctionType, *args: Any) -> tuple[Any, tuple]:
        """Value and gradient.

        Raises:
            Other: the other tiers are to answer.
        """
        if current_mode() != "compile" or f is not self.f() or not self.frozen.is_unchanged():
            raise Other
        if self.frozen.contents and self._shares(args):
            raise Other
        if self.state != "ready" and not self._is_ready(f, args):
            raise Other
        found = self.runners.run(args)
        if found is None:
            raise Other
        y, bars = found
        if not (isfinite(y) and is_finite(bars)):  # where Python raises, compiled code may go on with a NaN
            raise Other
        return (y if self.kind is float else self.kind(y)), bars

    def start(self) -> None:
        """Begin to compile."""
        self.state = "compiling"
        descriptor, self._file = tempfile.mkstemp(suffix=".morula")
        with os.fdopen(descriptor, "wb") as file:
            file.write(self.job)
        self.job = b""
        command = [sys.executable, "-m", "morula.static.numba.worker", self._file, self.folder]
        surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        null = subprocess.DEVNULL
        self._process = subprocess.Popen(command, env=surroundings, stdin=null, stdout=null, stderr=null)

    def look(self) -> None:
        """Find out whether it is compiled."""
        with _lock:
            if self._process is None or (status := self._process.poll()) is None:
                return
            self.state = "compiled" if status == 0 else self._why(status)
            self.end()
            begin_next()

    def _why(self, status: int) -> str:
        """What stands against it, as the process has said in its file."""
        from morula.static.numba.worker import IN_VAIN

        if status == IN_VAIN:
            with suppress(OSError, UnicodeDecodeError):
                return Path(self._file).read_text(encoding="utf-8")
        return f"the process that compiles ended with {status}"

    def end(self) -> None:
        """Have no process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._file:
            with suppress(OSError):
                os.unlink(self._file)
            self._file = ""
        if self in _waiting:
            _waiting.remove(self)

    def drop(self, reason: str) -> None:
        """Never answer."""
        self.state = self.record.uncompiled = reason
        every = self.record.pairs.get(self.positions, ())
        self.record.pairs[self.positions] = tuple([p for p in every if p is not self.pair])

    def _shares(self, args: tuple) -> bool:
        """Whether an argument lies in the memory of an array that was taken for constant."""
        given = arrays_in(args)
        return any(np.may_share_memory(x, a) for x, _ in self.frozen.contents for a in given)

    def _is_ready(self, f: FunctionType, args: tuple) -> bool:
        now = perf_counter()
        if self.state in ("queued", "compiling") and now - self._looked > PAUSE:
            self._looked = now
            (_waiting[0] if _waiting else self).look()
        if self.state != "compiled":
            if self.state not in ("queued", "compiling"):
                self.drop(self.state)  # it was found that there is none
            return False
        if shapes_of(args) != self.shapes or kernel_table.fingerprint(args) != self.types:
            return False
        self._load(f, args)
        return self.state == "ready"

    def _load(self, f: FunctionType, args: tuple) -> None:
        """Have it from the disk, and compare what it finds with what the other tiers do."""
        try:
            wanted = chosen(self.positions, args)
            found = verbs.first_run(self.runners, self.dispatcher, args, None if wanted is None else lambda _: wanted)
        except Exception as error:
            return self.drop(f"{type(error).__name__} in compiled code")
        if found is None:
            return self.drop("it was not found in the disk cache")
        others = [p for p in self.record.pairs.get(self.positions, ()) if not isinstance(p.run, Ahead)]
        expected = answered(self.record, self.positions, others, f, args)
        if expected is None:
            run = Run(f, args, {}, active=self.positions)
            every = run.gradients_once(lambda y: unit_seed(y, "gradient"))
            expected = run.y, tuple([every[i] for i in self.positions])
        if wanted is not None:  # of which compiled code has zeros where there is nothing
            pairs = zip(expected[1], self.positions, strict=True)
            expected = expected[0], tuple([or_zero(bar, args[i]) for bar, i in pairs])
        if not is_alike(found, expected):
            return self.drop("Python and compiled code give different numbers")
        self.kind = type(expected[0])
        self.state = "ready"
        return None


def compile_ahead(record: Record, f: FunctionType, args: tuple, wanted: tuple[int, ...]) -> None:
    """Have the adjoint of a function that has been found hot compiled, if it can be."""
    if current_mode() != "compile" or not sys.executable:
        return
    kept = [p.run for p in record.pairs.get(wanted, ()) if isinstance(p.run, Ahead)]
    if len(kept) >= MOST:
        return
    try:
        if not all(map(is_plain, args)):
            raise Unsupported("an argument is something other than numbers, arrays, and tuples of them")
        kernel_table.prepare()  # first, for this declares rules
        types = kernel_table.fingerprint(args)
        if any(ahead.types == types and ahead.f() is f for ahead in kept):
            return
        ahead = made_for(record, f, args, wanted)
    except ImportError:
        record.uncompiled = "Numba is not installed"
    except Unsupported as reason:
        record.uncompiled = str(reason)
    except Exception as error:
        record.uncompiled = f"it cannot be sent to another process ({type(error).__name__}: {error})"
    else:
        record.uncompiled = None
        record.pairs[wanted] = (ahead.pair, *record.pairs.get(wanted, ()))
        with _lock:
            _waiting.append(ahead)
            _waiting[0].look()
            begin_next()


def made_for(record: Record, f: FunctionType, args: tuple, wanted: tuple[int, ...]) -> Ahead:
    """The adjoint to be compiled of ``f`` for arguments of these types."""
    from morula.static.numba import worker

    folder = cache_folder()
    dispatcher, frozen = worker.dispatcher_of(f, folder)
    job = worker.packed(f, dispatcher, args, chosen(wanted, args))
    return Ahead(record, f, args, wanted, job, dispatcher, frozen, folder)


def begin_next() -> None:
    """Start the next process: there is one at a time."""
    while _waiting and _waiting[0].state == "queued":
        try:
            _waiting[0].start()
        except (OSError, ValueError):  # ValueError: of the environment
            _waiting[0].drop("no process could be started")
            _waiting[0].end()
        except BaseException:  # interrupted
            _waiting[0].end()
            raise


def end_all() -> None:
    """Leave no process behind."""
    with _lock:
        for ahead in _waiting[:]:
            ahead.end()


def forget_waiting() -> None:
    """The processes are those of the process that has forked this one."""
    global _lock
    _lock = threading.RLock()
    _waiting.clear()


def begin() -> None:
    """Take part: a block of the mode was opened. What has been made before is made anew, and compiled."""
    if compile_ahead not in pairs.WHEN_DUE:
        pairs.WHEN_DUE.append(compile_ahead)
        atexit.register(end_all)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=forget_waiting)
        pairs.forget()


def cache_folder() -> str:
    """Where adjoints of plain functions are kept; a folder that is made here is nobody else's to write into."""
    from numba.misc.appdirs import AppDirs

    given = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(given) if given else Path(AppDirs("morula", appauthor=False).user_cache_dir)
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder)


def chosen(positions: tuple[int, ...], args: tuple) -> Wanted | None:
    """What is wanted of compiled code."""
    return None if positions == tuple(range(len(args))) else Wanted(positions, False, True)


def is_plain(x: Any) -> bool:
    """Whether an argument is a number, an array of numbers, or a tuple of such."""
    if type(x) is tuple:
        return all(map(is_plain, x))
    return type(x) in NUMBERS or (type(x) is np.ndarray and x.dtype.kind in "fiub")


def shapes_of(x: Any) -> Any:
    return tuple(map(shapes_of, x)) if isinstance(x, tuple) else np.shape(x)


def is_finite(bars: Any) -> bool:
    """Whether cotangents are, of which there may be none."""
    if isinstance(bars, tuple):
        return all(map(is_finite, bars))
    return bars is None or isfinite(np.add.reduce(bars, None) if type(bars) is np.ndarray else bars)


def is_alike(found: Any, expected: Any) -> bool:
    """Whether two answers are the same but for rounding."""
    if isinstance(found, tuple) and isinstance(expected, tuple):
        return len(found) == len(expected) and all(map(is_alike, found, expected))
    if found is None or expected is None:
        return found is expected
    if isinstance(found, tuple) or isinstance(expected, tuple) or np.shape(found) != np.shape(expected):
        return False
    largest = np.max(np.abs(expected), initial=0.0)
    return bool(np.all(np.abs(np.subtract(found, expected)) <= TOLERANCE * largest))


WHEN_COMPILE.append(begin)
