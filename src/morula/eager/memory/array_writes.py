"""Functions that write into arrays by moving elements: `put`, `place`, `putmask`, `fill_diagonal`, `copyto` ...

Where each element goes NumPy itself says: the function runs once more on the numbers of the cells. So its modes,
its repetitions, and what it had written when it raised are what they are.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.eager.calls.registry import structural
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.eager.memory.cells import Cells, same_bytes
from morula.eager.memory.layout import owner_of
from morula.eager.memory.writes import Write
from morula.eager.numpy.array_subclasses import as_plain, is_transparent
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]


class ArrayWrites(Part):
    """Writes that are no assignments, in a reverse context."""

    __slots__ = ()

    def logged_write(self, x: ndarray, run: Callable) -> Any:
        """Run code that writes into the inactive array `x`, so that the backward pass sees it as it was before."""
        return self.logged_writes((x,), run)

    def logged_writes(self, xs: Sequence[ndarray], run: Callable) -> Any:
        """The same for several arrays; also where the code raises half way."""
        before = [x.copy() for x in xs]
        try:
            return run()
        finally:
            for x, old in zip(xs, before, strict=True):
                if x.shape == old.shape and x.flags.writeable:
                    self.log_write(x, old)

    def log_write(self, x: ndarray, old: ndarray) -> None:
        """Remember that the inactive array `x` was `old` until now."""
        owner = owner_of(x)
        self.log(Write(x, None, Ellipsis, old, None, None, True), owner)
        self.buffers.about_to_write(owner, x, Ellipsis)

    def moved(self, x: ndarray, v: Any, v_d: Any, run: Callable) -> None:
        """``run(x, v)`` of code that does nothing but move elements of `v` into `x`."""
        if not self.any_active((x, v), (None, v_d), {}, {}):
            self.logged_write(x, lambda: run(x, v))
            return
        if not x.flags.writeable:
            run(x, v)  # raises
        if x.dtype.kind == "O":
            self.objects_written(x, v, v_d, run)
            return
        if type(x) is not ndarray:
            raise NotDifferentiable(f"active values are moved into a {type(x).__qualname__}; use a plain array")
        if not isinstance(v, ndarray):
            v, v_d = self.call(np.asarray, (v,), (v_d,))
        cells = Cells(x)
        before = cells.copy()
        after, failure = _outcome(cells, lambda y: run(y, v))
        if failure is not None and same_bytes(after, before):
            raise failure
        if np.may_share_memory(x, v) and not same_bytes(_outcome_in_place(x, cells, lambda y: run(y, v)), after):
            raise NotDifferentiable("values are moved into the memory from which they are read; pass a copy of them")
        numbers = np.arange(len(before))
        sources = len(before) + np.arange(v.size).reshape(v.shape)
        try:
            run(cells.laid_out(numbers), sources)
        except Exception as error:
            if type(error) is not type(failure):
                raise
        written = np.flatnonzero(numbers >= len(before))
        v, v_d = self.call(np.ravel, (v,), (v_d,))
        part, part_d = self.getitem(v, v_d, numbers[written] - len(before), None)
        self.write(cells.target, None, cells.key(written), part, part_d)
        if failure is not None:
            raise failure

    def permuted(self, x: ndarray, run: Callable) -> None:
        """``run(x)`` of code that moves the elements of `x` about, whatever they are."""
        if type(x) is not ndarray:
            raise NotDifferentiable(f"active values are moved in a {type(x).__qualname__}; use a plain array")
        if not x.flags.writeable:
            run(x)  # raises
        cells = Cells(x)
        numbers = np.arange(cells.target.size)
        run(cells.laid_out(numbers))
        written = np.flatnonzero(numbers != np.arange(len(numbers)))
        y, y_d = self.getitem(cells.target, None, cells.key(numbers[written]), None)
        self.write(cells.target, None, cells.key(written), y, y_d)


def _outcome(cells: Cells, run: Callable) -> tuple[ndarray, Exception | None]:
    """What an array's cells hold after ``run(x)``, which happens in a copy; and what it raised."""
    memory = cells.copy()
    try:
        run(cells.laid_out(memory))
    except Exception as error:
        return memory, error
    return memory, None


def _outcome_in_place(x: ndarray, cells: Cells, run: Callable) -> ndarray:
    """What the cells of `x` hold after ``run(x)``; they are then as they were."""
    before = cells.target.copy()
    try:
        run(x)
    finally:
        after = cells.copy()
        cells.target[...] = before
    return after


def _mover(f: Any, names: tuple[str, ...]) -> None:
    """Declare a function of an array (its first parameter) and of values (`names[-1]`) that it moves there."""
    # before 2.3 NumPy did not say what the parameters of putmask are
    parameters = ["a", "mask", "values"] if f is np.putmask else list(inspect.signature(f).parameters)
    at = next(n for n in parameters if n in names)

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        given = {**dict(zip(parameters, args, strict=False)), **kw}
        shadows = {**dict(zip(parameters, ds, strict=False)), **kw_d}
        if len(args) > len(parameters) or not {parameters[0], at} <= given.keys():
            return f(*args, **kw), None  # raises
        x, v = given.pop(parameters[0]), given.pop(at)
        if not isinstance(x, ndarray):
            if ctx.any_active(args, ds, kw, kw_d):
                raise NotDifferentiable(f"numpy.{f.__name__} writes into a {type(x).__qualname__}")
            return f(*args, **kw), None
        ctx.moved(x, v, shadows.get(at), lambda y, values: f(y, **given, **{at: values}))
        return None, None

    structural(f)(handler)


for _f in (np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis):
    _mover(_f, ("v", "vals", "values", "val"))


@structural(np.copyto)
def _copyto(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    names = ("dst", "src", "casting", "where")
    given = {**dict(zip(names, args, strict=False)), **kw}
    shadows = {**dict(zip(names, ds, strict=False)), **kw_d}
    if isinstance(dst := given.get("dst"), ndarray) and is_transparent(type(dst)):  # it knows memory, not classes
        given = {name: as_plain(x) for name, x in given.items()}
        return ctx.call(np.copyto, (), (), given, {name: d for name, d in shadows.items() if name != "dst"})
    src = given.get("src")
    if type(dst) is not ndarray or not dst.flags.writeable:
        if isinstance(dst, ndarray) and dst.flags.writeable and ctx.any_active(args, ds, kw, kw_d):
            raise NotDifferentiable(f"numpy.copyto writes into a {type(dst).__qualname__}")
        return ctx.opaque(np.copyto, args, kw), None
    if dst.dtype.kind == "O":
        options = {k: v for k, v in given.items() if k not in ("dst", "src")}
        ctx.objects_written(dst, src, shadows["src"], lambda y, v: np.copyto(y, v, **options))
        return None, None
    if not isinstance(src, ndarray | np.generic):
        np.copyto(np.empty_like(dst), **{k: v for k, v in given.items() if k != "dst"})  # raises, where NumPy does
        src, shadows["src"] = ctx.call(np.asarray, (src,), (shadows.get("src"),))
    elif not (np.can_cast(src.dtype, dst.dtype, given.get("casting", "same_kind")) and _fits(src, dst)):
        np.copyto(*args, **kw)  # raises
    where = given.get("where", True)
    if where is True:
        ctx.write(dst, None, Ellipsis, src, shadows["src"])
        return None, None
    mask = np.broadcast_to(np.asarray(where, bool), dst.shape).copy()
    src, src_d = ctx.call(np.broadcast_to, (src, dst.shape), (shadows["src"], None))
    src, src_d = ctx.getitem(src, src_d, mask, None)
    ctx.write(dst, None, mask, src, src_d)
    return None, None


def _fits(src: Any, dst: ndarray) -> bool:
    """Whether `src` can be broadcast to `dst`; leading axes of length one more are let through."""
    shape = src.shape
    while len(shape) > dst.ndim and shape[0] == 1:
        shape = shape[1:]
    return len(shape) <= dst.ndim and all(
        m in (1, n) for m, n in zip(shape[::-1], dst.shape[: -len(shape) - 1 : -1], strict=True)
    )
