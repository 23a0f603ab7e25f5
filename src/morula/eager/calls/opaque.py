"""Calls of code that is not transformed, and what it can do to memory."""

from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.context.kinds import ATOMS, module_of, rebinds_outside
from morula.eager.context.part import Part
from morula.eager.memory.fingerprints import fingerprint
from morula.eager.memory.guards import Guard, arrays_in
from morula.eager.memory.layout import caller_memory, owner_of
from morula.errors import NotDifferentiable, describe

ndarray = np.ndarray
CONCURRENT = frozenset("threading _thread concurrent multiprocessing asyncio signal".split())
QUEUES = ("queue", "_queue")  # which may lie between threads
# under which names modules keep functions that Python calls
HOOKS = frozenset("showwarning formatwarning excepthook unraisablehook displayhook breakpointhook".split())
SHARED = "active values are stored in memory that two arrays own, which share it through {}: copy one of them"
COPIED = 1 << 16  # elements, up to which what a callback can reach is copied, so that its writes can be undone


class Opaque(Part):
    """How a reverse context calls what it cannot see into."""

    __slots__ = ()

    def opaque(self, f: Any, args: tuple, kw: dict) -> Any:
        """``f(*args, **kw)``; what it writes into arrays that it can reach is found out.

        Raises:
            NotDifferentiable: it wrote into active memory.
        """
        arrays = [a for a in (*args, *kw.values()) if isinstance(a, ndarray)]
        arrays = [a if a.flags.writeable else owner_of(a) for a in arrays]  # C code need not heed the flag
        library = library_of(f)
        if library in CONCURRENT:
            self.share(f, args, kw)
        if library == "numpy" and getattr(f, "__module__", "") == "numpy.ctypeslib":
            for x in arrays:
                self.point_at(x, describe(f))
        for x in behind_callables(f, args, kw, is_deep=library in CONCURRENT or library in QUEUES):
            self.hand_out(x, describe(f))
            if x.size <= COPIED:
                arrays.append(x)
        before = [(a.copy(), fingerprint(a)) for a in arrays]
        try:
            y = f(*args, **kw)
        except BufferError as error:
            if self.buffers.lent:
                raise self.cannot_release(error) from error
            raise
        finally:
            for a, (old, mark) in zip(arrays, before, strict=True):
                if a.flags.writeable and a.shape == old.shape and a.dtype == old.dtype and fingerprint(a) != mark:
                    if self.buffers.find(a) is not None:
                        raise NotDifferentiable(
                            f"{describe(f)} is not transformed, and it wrote into an array that holds active values"
                        )
                    self.log_write(a, old)
        self.watch_foreign(y, arrays)
        if self.buffers.lent:
            self.check_lent()
        return y

    def share(self, f: Any, args: tuple, kw: dict) -> None:
        """A call that may start another thread, or wait for one: what threads can reach must stay inactive.

        Raises:
            NotDifferentiable: what was handed to another thread holds active values by now.
        """
        given = (getattr(f, "__self__", None), *args, *kw.values())
        if getattr(f, "__name__", "") == "start" or any(callable(v) for v in given):
            self.elsewhere += [v for v in given if type(v) not in ATOMS]
        self.check_elsewhere()

    def check_elsewhere(self) -> None:
        if any(self.reaches_active(v, set()) for v in self.elsewhere):
            raise NotDifferentiable(
                "an object that another thread can reach was given active values, which cannot be followed there; "
                "compute them here, and hand over the results"
            )

    def refuse_hook(self, hook: Any, of: Any, name: str) -> None:
        """Refuse a function or object that Python will call on its own, if it can reach, or may store, active values.

        `of` is the module among whose variables it becomes `name`, or the function that registers it.
        """
        if name and name not in HOOKS:
            return
        if self.reaches_active(hook, set()) or (
            isinstance(hook, FunctionType) and self.twins.captures_paired(hook) and rebinds_outside(hook)
        ):
            where = f"{of.__name__}.{name}" if name else f"a hook of {describe(of)}"
            raise NotDifferentiable(
                f"{describe(hook)} becomes {where}, which Python calls where active values cannot be followed: it "
                "must neither capture them nor rebind a variable of the differentiated function"
            )

    # -- memory that others can reach ---------------------------------------------------------------------

    def hand_out(self, x: ndarray, how: str) -> None:
        """From now on code that is not transformed may write into the memory of `x`, at any time."""
        owner = owner_of(x)
        if id(owner) in self.handed_out or owner.size == 0:
            return
        if self.buffers.find(owner) is not None:
            self.refuse_shared(owner)
        ours = caller_memory(owner)
        for other, _ in self.handed_out.values():  # which were compared with each other when their turn came
            if (
                np.may_share_memory(other, owner)
                and caller_memory(other) is not ours
                and self.buffers.find(other) is not None
            ):
                raise NotDifferentiable(SHARED.format(how))
        self.handed_out[id(owner)] = (owner, how)
        self.append(Guard(owner, how))

    def point_at(self, x: ndarray, how: str) -> None:
        """The same, where that code gets to know the address, and may read there at any time too."""
        owner = owner_of(x)
        self.hand_out(x, how)
        self.pointed[id(owner)] = (owner, how)

    def watch_foreign(self, y: Any, given: Any = ()) -> None:
        """Watch memory that is not NumPy's own (a bytearray's, say) and has just been made an array."""
        if type(y) is ndarray and y.base is not None:
            owner = owner_of(y)
            foreign = caller_memory(owner).base
            if foreign is not None:
                what = f"a {type(foreign).__qualname__}"
                for x in given:
                    if np.may_share_memory(x, y):
                        self.hand_out(x, what)
                self.hand_out(y, what)

    def refuse_shared(self, owner: ndarray) -> None:
        """Memory that holds active values, and that another owner names too: shadows are found by owner."""
        ours = caller_memory(owner)  # an argument and the caller's array are known to share it
        for other, how in self.handed_out.values():
            if np.may_share_memory(other, owner) and caller_memory(other) is not ours:
                raise NotDifferentiable(SHARED.format(how))


def behind_callables(f: Any, args: tuple, kw: dict, is_deep: bool) -> Iterator[ndarray]:
    """The arrays that functions among the arguments of a call can reach, or that a thread is told of."""
    seen: set[int] = set()
    for value in (f, getattr(f, "__self__", None), *args, *kw.values()):
        if type(value) not in ATOMS and (is_deep or callable(value)):
            for x in arrays_in(value, seen, through_globals=True):
                if type(x) is ndarray and x.flags.writeable:
                    yield x


def library_of(f: Any) -> str:
    """The package that a function, or the object whose method it is, belongs to."""
    return (module_of(f) or module_of(type(getattr(f, "__self__", None)))).partition(".")[0]


def is_concurrent(f: Any) -> bool:
    """Whether `f` belongs to the library of threads and the like."""
    return library_of(f) in CONCURRENT


def is_queue(f: Any) -> bool:
    """Whether `f` belongs to the queues."""
    return library_of(f) in QUEUES
