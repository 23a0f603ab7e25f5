"""A compiled function inside of a differentiated one: its call is one entry on the tape."""

from typing import Any

import numpy as np

from morula.errors import NotDifferentiable, describe
from morula.native.dispatch import is_compiled_ufunc, positional, python_function
from morula.native.fallback import current_mode, fall_back, for_tangents
from morula.native.known import STARS, arrays_in, at, kernels_for
from morula.native.sharing import any_shared, as_views
from morula.native.unsupported import Unsupported
from morula.runtime.entries import to_number
from morula.runtime.fingerprints import fingerprint
from morula.runtime.layout import owner_of, reinterprets
from morula.runtime.lost import marking_lost
from morula.runtime.memory import ARRAY_SHADOWS, is_stopped
from morula.runtime.registry import no_rule
from morula.runtime.tape import LARGE, Entry, take
from morula.runtime.writes import Write

ndarray = np.ndarray
Pair = tuple[Any, Any]
SHARED = "arrays that share memory, and writes into one of them"


def call_compiled(ctx: Any, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """``f(*args, **kw)`` of a function that Numba compiled, in a context."""
    if is_compiled_ufunc(f):
        return _call_ufunc(ctx, f, args, ds, kw, kw_d)
    hidden = ctx.reaches_active(f.py_func, set())  # in variables that it captures, which are constants when compiled
    if not hidden and not ctx.any_active(args, ds, kw, kw_d):
        return _call_plainly(ctx, f, args, kw), None
    if ctx.depth or not ctx.taped:
        return ctx.call(for_tangents(f), args, ds, kw, kw_d)
    if current_mode() == "never":
        return ctx.call(f.py_func, args, ds, kw, kw_d)
    try:
        if hidden:
            raise Unsupported("captured variables or module state that are active", function=f.py_func.__qualname__)
        return _call_natively(ctx, f, args, ds, kw, kw_d)
    except Unsupported as reason:
        fall_back(f, reason)
    return ctx.call(f.py_func, args, ds, kw, kw_d)


def _call_plainly(ctx: Any, f: Any, args: tuple, kw: dict) -> Any:
    """A call that nothing active reaches; what it writes is logged, and views that it returns are NumPy's."""
    arrays = arrays_in((*args, *kw.values()))
    before = [(x, x.copy(), fingerprint(x)) for x in arrays if x.flags.writeable]
    try:
        y = f(*args, **kw)
    finally:
        for x, old, mark in before:
            if fingerprint(x) != mark:
                ctx.log_write(x, old)
    views = as_views(y, arrays)
    return y if views is None else views


def _call_ufunc(ctx: Any, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """What `numba.vectorize` made is followed element by element; `guvectorize` has no Python equivalent."""
    if not ctx.any_active(args, ds, kw, kw_d):
        return ctx.opaque(f, args, kw), None
    function = python_function(f)
    if type(f).__name__ != "DUFunc" or kw or len(args) != function.__code__.co_argcount:
        raise no_rule(f)
    if current_mode() != "never":
        fall_back(f, Unsupported("numba.vectorize", function=function.__qualname__))
    return ctx.call(np.vectorize(function, otypes=_types_of_result(f, args)), args, ds)


def _types_of_result(f: Any, args: tuple) -> Any:
    """The dtype that a compiled ufunc gives its result, from a run on one element."""
    return [np.asarray(f(*[np.asarray(a).ravel()[:1] for a in args])).dtype]


class _Site:
    """A call on its way to the tape: its arguments, their shadows, and its kernels."""

    __slots__ = ("args", "arrays", "ds", "f", "kernels", "written")

    def __init__(self, ctx: Any, f: Any, args: tuple, ds: tuple):
        self.f = f
        self.args = args
        self.ds = ds
        active = tuple([_is_active(ctx, a, d) for a, d in zip(args, self.ds, strict=True)])
        self.kernels = kernels = kernels_for(f, args, active)
        self.arrays = arrays_in(args)
        self.written = arrays_in([args[i] for i in sorted(kernels.written)])
        if self.written:
            if len(self.arrays) > 1 and any_shared(self.written, self.arrays):
                raise Unsupported(SHARED, function=f.py_func.__qualname__)
            if not all(map(_is_plain_memory, self.written)):
                raise Unsupported("writes into arrays whose elements share memory", function=f.py_func.__qualname__)

    def is_special(self, ctx: Any) -> bool:
        """Whether it writes into memory of which more is to be known than its cotangent."""
        if not self.written:
            return False
        shadows = [ctx.buffers.find(x) for x in self.written]
        owners = {id(owner_of(x)) for x in self.written}
        return any(d is not None and is_stopped(d.buffer) for d in shadows) or bool(
            owners & (ctx.records.aliased | ctx.handed_out.keys())
        )


def _is_active(ctx: Any, a: Any, d: Any) -> bool:
    if d is not None:
        return True
    return type(a) is not ndarray and ctx.reaches_active(a, set())


def _is_ordinary(d: Any) -> bool:
    """Whether a shadow is that of a number or of an array with a cotangent."""
    return d is None or type(d) is list or type(d) in ARRAY_SHADOWS or (type(d) is tuple and all(map(_is_ordinary, d)))


def _is_plain_memory(x: ndarray) -> bool:
    return 0 not in x.strides or x.size <= 1


def _call_natively(ctx: Any, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if any(kw_d.get(name) is not None for name in kw):
        names = f.py_func.__code__.co_varnames
        by_name = {name: kw_d.get(name) for name in kw}
    else:
        names, by_name = (), {}
    bound = positional(f, args, kw)
    if bound is None:
        raise Unsupported(STARS, function=f.py_func.__qualname__)
    rest = [by_name.get(names[i]) if by_name else None for i in range(len(args), len(bound))]
    shadows = tuple([ctx.shadow_of(a, d) for a, d in zip(bound, (*ds, *rest), strict=True)])
    if not all(map(_is_ordinary, shadows)):
        return ctx.call(f.py_func, args, ds, kw, kw_d)
    site = _Site(ctx, f, bound, shadows)
    if site.is_special(ctx):
        return ctx.call(f.py_func, args, ds, kw, kw_d)
    before = [x.copy() for x in site.written]
    try:
        y, tape = marking_lost(ctx, describe(f), site.kernels.forward, bound)
    except Exception:
        if all(_same(x, old) for x, old in zip(site.written, before, strict=True)):
            raise
        return _run_again(ctx, f, args, ds, kw, kw_d, site.written, before)
    views = as_views(y, site.arrays)
    if views is None and y is not None:
        _restore(site.written, before)
        raise Unsupported("results that overlap in part", function=f.py_func.__qualname__)
    return _recorded(ctx, site, views, tape, before)


def _same(x: ndarray, old: ndarray) -> bool:
    return x.tobytes() == old.tobytes()


def _restore(arrays: list[ndarray], before: list[ndarray]) -> None:
    for x, old in zip(arrays, before, strict=True):
        x[...] = old


def _run_again(
    ctx: Any, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict, written: list[ndarray], before: list[ndarray]
) -> Pair:  # fmt: skip
    """After an error that left something half written: the Python function, whose tape says what was written."""
    _restore(written, before)
    ctx.call(f.py_func, args, ds, kw, kw_d)
    raise NotDifferentiable(
        f"{describe(f)} raised when it had written into its arguments, and its Python function does not raise"
    )


def _recorded(ctx: Any, site: _Site, y: Any, tape: Any, before: list[ndarray]) -> Pair:
    """The value and its shadow, with the writes and the call on the tape."""
    kernels, args = site.kernels, site.args
    leaves = [at(args, (leaf.argument, *leaf.path)) for leaf in kernels.leaves]
    active = {id(x) for x, leaf in zip(leaves, kernels.leaves, strict=True) if leaf.is_array}
    for x, old in zip(site.written, before, strict=True):
        shadow = _shadow_of_written(ctx, x) if id(x) in active else None
        ctx.log(Overwritten(x, shadow, Ellipsis, old, None, None, True), owner_of(x))
    shadows = []
    for x, leaf in zip(leaves, kernels.leaves, strict=True):
        d: Any = site.ds
        for i in (leaf.argument, *leaf.path):
            d = None if d is None else d[i]
        if leaf.is_array and (d is None or leaf.argument in kernels.written):
            d = ctx.buffers.find(x)
        shadows.append(d)
    values = [at((y,), (0, *leaf.path)) for leaf in kernels.value_leaves]
    values_d: list[Any] = []
    results: list[Any] = []
    for v, leaf in zip(values, kernels.value_leaves, strict=True):
        if not leaf.is_array:
            found = result = [0] if v is not None else None
        else:
            found = ctx.buffers.find(v)
            result = None
            if found is None and not any(owner_of(v) is owner_of(x) for x in site.arrays):
                found = result = ctx.buffers.new(v)
        values_d.append(found)
        results.append(result)
    ctx.append(NativeCall(site, tape, leaves, shadows, values, results))
    return y, structured(ctx, y, kernels.value_leaves, values_d)


def structured(ctx: Any, y: Any, leaves: Any, shadows: list[Any]) -> Any:
    """The shadow of a value from those of its leaves."""
    if not isinstance(y, tuple):
        return shadows[0] if leaves else None

    def inside(v: Any, path: tuple[int, ...]) -> Any:
        if isinstance(v, tuple):
            return ctx.packed(tuple([inside(part, (*path, i)) for i, part in enumerate(v)]))
        return by_path.get(path)

    by_path = {leaf.path: d for leaf, d in zip(leaves, shadows, strict=True)}
    return inside(y, ())


def _shadow_of_written(ctx: Any, x: ndarray) -> Any:
    """The shadow of memory that active values were written into."""
    x_d = ctx.buffers.find(x)
    if x_d is None:
        owner = owner_of(x)
        if owner.dtype != x.dtype and not reinterprets(x.dtype, owner.dtype):
            raise NotDifferentiable("active values are written through a view of another dtype")
        ctx.buffers.new(owner)
        x_d = ctx.buffers.find(x)
    return x_d


class Overwritten(Write):
    """Memory that a compiled function may have written into: its cotangent is the affair of the call's own entry."""

    __slots__ = ()

    def pull(self, strict: bool) -> None:
        self.undo()


class NativeCall(Entry):
    """y = f(*args), with the kernels of `f`.

    Attributes:
        args: as they were given; arrays hold what the call has left there when a sweep comes here.
        tape: what the forward kernel kept.
        numbers: ``(number, shadow)`` for each leaf of the arguments that is one.
        arrays_d: for each leaf that is an array, the array and its shadow.
        apart: those among them that share memory; what comes for them is added up once the kernel is done.
        written: the shadows of arrays that it writes into.
        values: the leaves of the value.
        y_d: their shadows; None where one is memory of an argument, which has a shadow already.
    """

    __slots__ = ("apart", "args", "arrays_d", "f", "kernels", "numbers", "tape", "values", "written", "y_d")
    reads = ("args", "tape")

    def __init__(self, site: _Site, tape: Any, leaves: list, shadows: list, values: list, results: list):
        self.f = site.f
        self.kernels = kernels = site.kernels
        self.args = site.args
        self.tape = tape
        pairs = list(zip(leaves, shadows, kernels.leaves, strict=True))
        self.numbers = [(type(x), d) for x, d, leaf in pairs if not leaf.is_array]
        self.arrays_d = [(x, d) for x, d, leaf in pairs if leaf.is_array]
        known = {id(x) for x in site.written}
        self.written = [d for x, d in self.arrays_d if id(x) in known and d is not None]
        self.apart = frozenset({
            i for i, (x, d) in enumerate(self.arrays_d)
            if d is None or (id(x) not in known and (d.overlaps or any_shared([x], site.arrays)))
        })  # fmt: skip
        self.values = [(v.shape, v.dtype) if isinstance(v, ndarray) else type(v) for v in values]
        self.y_d = tuple(results)

    def is_large(self) -> bool:
        return any(x.size > LARGE for x, _ in self.arrays_d)

    def pull(self, strict: bool) -> None:
        bars = [take(d) for d in self.y_d]
        if all(b is None for b in bars) and all(d.buffer.bar is None for d in self.written):
            return
        seeds = tuple([seed_for(v, b) for v, b in zip(self.values, bars, strict=True)])
        for i, (_, d) in enumerate(self.arrays_d):
            if i not in self.apart:
                d.view()  # the memory of all of them is laid out before the first is used
        array_bars = tuple([
            np.zeros(x.shape, x.dtype) if i in self.apart else d.view() for i, (x, d) in enumerate(self.arrays_d)
        ])  # fmt: skip
        found = self.kernels.backward(self.args, self.tape, array_bars, seeds)
        for (kind, d), bar in zip(self.numbers, found, strict=True):
            if d is not None:
                d[0] += to_number(bar, kind)
        for i in self.apart:
            d = self.arrays_d[i][1]
            if d is not None:
                d.add(array_bars[i], True)


def seed_for(value: Any, bar: Any) -> Any:
    """The cotangent of a leaf of the value as a kernel takes it; zeros where there is none."""
    if isinstance(value, tuple):
        shape, dtype = value
        return np.zeros(shape, dtype) if bar is None else np.ascontiguousarray(bar, dtype).reshape(shape)
    if issubclass(value, complex):
        return complex(0.0 if bar is None else bar)
    return 0.0 if bar is None else float(np.real(bar))
