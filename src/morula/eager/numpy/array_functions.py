"""Functions that make arrays, look at them as views, or hand on their argument."""

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.called_back import floats_of, holds_floats
from morula.eager.calls.meanings import rules_of
from morula.eager.calls.quick_rules import entered
from morula.eager.calls.registry import OF_LISTS, is_library_rule, no_rule, structural
from morula.eager.context.kinds import DOUBLES
from morula.eager.context.number_entries import Stacked
from morula.eager.context.protocol import Context
from morula.eager.memory.array_shadows import ARRAY_SHADOWS, FLOAT
from morula.eager.numpy.array_subclasses import is_matrix
from morula.eager.python.texts import holds_text
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]


def _view_handler(f: Any) -> Callable:
    """A function that makes nothing but a view of its array argument: the shadow is the same view."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if args and not isinstance(args[0], ndarray):
            args = (ctx.call(np.asarray, args[:1], ds[:1])[0], *args[1:])
        elif not args and not isinstance(kw.get("x"), ndarray):
            kw = {**kw, "x": ctx.call(np.asarray, (kw.get("x"),), (kw_d.get("x"),))[0]}
        y = f(*args, **kw)
        return y, ctx.buffers.find(y)

    return handler


for _view in (np.lib.stride_tricks.as_strided, np.lib.stride_tricks.sliding_window_view):
    structural(_view)(_view_handler(_view))


def _each(f: Any) -> None:
    """A function of several arrays that does the same to each: some may be views, and others copies."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if len(args) == 1 and not kw:
            found = ctx._try_rules(f, args, ds, kw, kw_d)
            if found is None:
                raise no_rule(f)
            return found
        f(*args, **kw)  # raises, where NumPy does
        pairs = [ctx.call(f, (a,), (d,)) for a, d in zip(args, ds, strict=True)]
        return tuple([y for y, _ in pairs]), ctx.packed(tuple([d for _, d in pairs]))

    structural(f)(handler)


for _several in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    _each(_several)


@structural(np.broadcast_arrays)
def _broadcast_arrays(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """Views of the arrays, and of those that are made of numbers and lists."""
    found = ctx._try_rules(np.broadcast_arrays, args, ds, kw, kw_d) if kw or not args else None
    if found is not None:
        return found
    arrays = [
        a if isinstance(a, ndarray) else ctx.call(np.asarray, (a,), (d,))[0] for a, d in zip(args, ds, strict=True)
    ]
    y = np.broadcast_arrays(*arrays, **kw)
    return y, ctx.packed(tuple([ctx.buffers.find(v) for v in y]))


def _memory_of(f: Any) -> Callable:
    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if any(isinstance(a, ndarray) and ctx.buffers.find(a) is not None for a in args):
            raise NotDifferentiable(f"{f.__name__}() of an active array would lose its derivative")
        if any(d is not None and isinstance(a, np.generic) for a, d in zip(args, ds, strict=True)):
            raise NotDifferentiable(f"{f.__name__}() of an active number would lose its derivative")
        if any(ctx.reaches_through_c(a) for a in args):
            raise NotDifferentiable(f"{f.__name__}() of memory that holds active values would lose their derivative")
        if f is memoryview and args and isinstance(args[0], ndarray):
            ctx.hand_out(args[0], "a memoryview")
        return f(*args, **kw), None

    return handler


for _kind in (memoryview, bytes, bytearray):
    structural(_kind)(_memory_of(_kind))


for _method, _as_array in ((np.matrix.getA, np.asarray), (np.matrix.getA1, np.ravel)):
    structural(_method)(lambda ctx, args, ds, kw, kw_d, f=_as_array: ctx.call(f, (args[0].view(ndarray),), (None,)))


def _matrix(make: Callable) -> Callable:
    """``np.matrix(data, dtype)`` and ``np.asmatrix``: an array, seen as a matrix."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        given = dict(zip(("data", "dtype", "copy"), args, strict=False)) | kw
        data, data_d = (args[0], ds[0]) if args else (kw.get("data"), kw_d.get("data"))
        if not ctx.any_active((data,), (data_d,), {}, {}):
            return make(*args, **kw), None
        as_array = np.array if given.get("copy", make is np.matrix) else np.asarray
        if isinstance(data, ndarray):
            data = data.view(ndarray)
        x, x_d = ctx.call(as_array, (data,), (data_d,), {"dtype": given.get("dtype")}, {})
        if x.ndim < 2:
            x, x_d = ctx.call(np.reshape, (x, (1, -1)), (x_d, None))
        return x.view(np.matrix), None

    return handler


structural(np.matrix)(_matrix(np.matrix))
structural(np.asmatrix)(_matrix(np.asmatrix))


INTEGERS = {int}
SEQUENCES = (list, tuple)
NONE: dict = {}


def of_doubles(kw: dict) -> bool:
    """Whether all that a function is told is to make an array of doubles."""
    return len(kw) == 1 and ((dtype := kw.get("dtype")) is float or dtype is np.float64)


def shadows_of_items(ctx: Context, xs: Any, xs_d: Any) -> Any:
    """The shadows of what a list or a tuple holds, those of arrays apart; None where there are none."""
    if type(xs) is list and (record := ctx.records.list_of(xs)) is not None:
        return record.slots
    return xs_d


def of_items(ctx: Context, f: Any, xs: Any, ds: Any, kw: dict) -> Pair | None:
    """An array of numbers, of rows of numbers, or of arrays of one shape, all real; None where it is another one."""
    kinds = set(map(type, xs))
    if DOUBLES.issuperset(kinds):
        shadows = [] if ds is None else [(i, d) for i, d in enumerate(ds) if d is not None]
        return stacked(ctx, f(xs, **kw), shadows) if shadows or kinds != INTEGERS else None
    if len(kinds) > 1 or not ctx.views_at_once:
        return None
    (kind,) = kinds
    if kind in SEQUENCES:
        return of_rows(ctx, f, xs, ds, kw)
    if kind is not ndarray or (forward := forward_of(f)) is None:
        return None
    found = [ctx.buffers.find(x) for x in xs] if ds is None else list(ds)
    for i, x in enumerate(xs):
        if x.dtype is not FLOAT:
            return None
        if found[i] is None:
            found[i] = ctx.buffers.find(x)
    if not any(map(ARRAY_SHADOWS.__contains__, map(type, found))):
        return None
    return entered(ctx, f, forward, ([*xs],), [(0, None, tuple(found))])


def of_rows(ctx: Context, f: Any, rows: Any, ds: Any, kw: dict) -> Pair | None:
    """An array of lists or tuples of numbers, all of one length."""
    n = len(rows[0])
    shadows: list[tuple[int, Any]] = []
    for i, row in enumerate(rows):
        if len(row) != n or not DOUBLES.issuperset(map(type, row)):
            return None
        row_d = shadows_of_items(ctx, row, None if ds is None else ds[i])
        if row_d is not None:
            shadows += [(i * n + j, d) for j, d in enumerate(row_d) if d is not None]
    return stacked(ctx, f(rows, **kw), shadows) if shadows else None


def stacked(ctx: Context, y: ndarray, shadows: list[tuple[int, Any]]) -> Pair | None:
    """A new array of numbers, with these shadows by their places; None where it is one of integers."""
    if y.dtype is not FLOAT:
        return None
    if not shadows:
        return y, None
    y_d = ctx.buffers.of_owner(y)
    ctx.append(Stacked(y_d, shadows))
    return y, y_d


def forward_of(f: Any) -> Any:
    """What the only rule for `f`, the library's, has for lists of arrays (`chainrules.by_operand`)."""
    rules = rules_of(f)
    if len(rules) != 1 or not is_library_rule(rules[0].function):
        return None
    return getattr(rules[0].function, "by_operand", None)


def _array_of_numbers(f: Any) -> Callable:
    """``np.array([x, y, z])`` of numbers, the most frequent way to make an array; anything else is for the rule."""
    first = "object" if f is np.array else "a"

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        is_plain = len(args) == 1 and type(args[0]) in SEQUENCES and (not kw or of_doubles(kw))
        if is_plain and forward_of(f) is not None:  # no rule of the user's
            found = of_items(ctx, f, args[0], shadows_of_items(ctx, args[0], ds[0]), kw)
            if found is not None:
                return found
        if not args and first in kw:
            args, ds = (kw[first],), (kw_d.get(first),)
            kw, kw_d = ({k: v for k, v in d.items() if k != first} for d in (kw, kw_d))
        if f is np.asarray and args and type(args[0]) is ndarray and f(*args, **kw) is args[0]:
            return args[0], ds[0]
        if args and is_matrix(args[0]) and not kw.get("subok"):
            args, ds = (args[0].view(ndarray), *args[1:]), (None, *ds[1:])
        if args and type(args[0]) in (list, tuple) and (len(args) > 1 or kw) and holds_floats(args[0]):
            dtype = args[1] if len(args) > 1 else kw.get("dtype")
            if dtype is not None and np.dtype(dtype).kind in "fc":
                x, x_d = ctx.call(floats_of, args[:1], ds[:1], {}, {})
                args, ds = (x, *args[1:]), (x_d, *ds[1:])
        dtype = kw.get("dtype", args[1] if len(args) == 2 else None)
        if (dtype is object or dtype == "object") and args and ctx.any_active(args, ds, kw, kw_d):
            return ctx.objects_from(args[0], ds[0], {"dtype": object} | kw), None
        if dtype is not None and args and type(args[0]) in (list, tuple) and np.dtype(dtype).names is not None:
            if ctx.any_active(args[:1], ds[:1], {}, {}):
                return ctx.records_from(args[0], ds[0], dtype)
        if ctx.told and args and holds_text(args[0]):
            y = f(*args, **kw)
            return y, ctx.read_back(y)
        if dtype is not None and np.dtype(dtype).kind in "US" and ctx.any_active(args, ds, kw, kw_d):
            a, a_d = ctx.call(f, args[:1], ds[:1])
            return ctx.method(a, a_d, "astype", (dtype,), (None,))
        found = ctx._try_rules(f, args, ds, kw, kw_d)
        if found is not None:
            return found
        if ctx.any_active(args, ds, kw, kw_d):
            raise no_rule(f)
        return f(*args, **kw), None

    OF_LISTS[f] = lambda ctx, xs, ds: of_items(ctx, f, xs, ds, NONE)
    return handler


for _make in (np.array, np.asarray):
    structural(_make)(_array_of_numbers(_make))


@structural(np.nan_to_num)
def _nan_to_num(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """With ``copy=False`` the array itself is written and returned."""
    names = ("x", "copy", "nan", "posinf", "neginf")
    given = {**dict(zip(names, args, strict=False)), **kw}
    shadows = {**dict(zip(names, ds, strict=False)), **kw_d}
    copy = given.pop("copy", True)
    if len(args) > len(names) or "x" not in given:
        return np.nan_to_num(*args, **kw), None  # raises
    x = given.pop("x")
    x_d = shadows.pop("x")
    in_place = not copy and type(x) is ndarray and x.dtype.kind in "fc"
    if in_place and not x.flags.writeable:
        return np.nan_to_num(*args, **kw), None  # raises
    if not copy and type(x) is ndarray and x.dtype.kind in "biu":
        return np.nan_to_num(*args, **kw), ctx.buffers.find(x)  # itself
    shadows.pop("copy", None)
    found = ctx._try_rules(np.nan_to_num, (x,), (x_d,), given, shadows)
    if found is None:
        if ctx.any_active(args, ds, kw, kw_d):
            raise no_rule(np.nan_to_num)
        return ctx.opaque(np.nan_to_num, args, kw), None
    if not in_place:
        return found
    x, x_d = ctx.write_whole(x, x_d, *found)
    return (x, x_d) if x.ndim else ctx.getitem(x, x_d, (), None)


def _overwriting(f: Any) -> None:
    """A function that may use its argument as working memory (``overwrite_input=True``)."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if ctx.any_active(args, ds, kw, kw_d):
            found = ctx._try_rules(f, args, ds, kw, kw_d)
            if found is None:
                raise no_rule(f)
            return found
        return ctx.opaque(f, args, kw), None

    structural(f)(handler)


for _f in (np.median, np.quantile, np.percentile, np.nanmedian, np.nanquantile, np.nanpercentile):
    _overwriting(_f)
