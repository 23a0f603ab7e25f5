"""A compiled function inside a differentiated one: its call is one entry on the tape."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.eager.calls.registry import no_rule
from morula.eager.context.kinds import ATOMS
from morula.eager.context.protocol import Context
from morula.eager.memory.array_shadows import ARRAY_SHADOWS
from morula.eager.memory.fingerprints import fingerprint
from morula.eager.memory.layout import owner_of
from morula.eager.numpy.array_subclasses import as_plain, is_masked_class, is_subclass
from morula.eager.replay.lost import mark
from morula.errors import NotDifferentiable, describe
from morula.static.numba.entries import NativeCall, Overwritten, shadow_of_written, structured
from morula.static.numba.forward_calls import SHARED, forward_call, is_single
from morula.static.numba.generators import drawing_as_compiled, drawing_itself, is_followed
from morula.static.numba.prepared import ways_of
from morula.static.numba.sharing import any_shared, as_views, is_special
from morula.static.numba.starred import in_tuple, with_tuple
from morula.static.numba.way_texts import GENERAL, with_halves, with_partials
from morula.static.numba.whole_calls import call_along, whole_call
from morula.static.tiers.dispatch import has_python_function, is_dispatcher, positional
from morula.static.tiers.fallback import current_mode, fall_back, for_tangents, python_body
from morula.static.tiers.kernel_table import (
    STARS,
    arrays_in,
    at,
    compile_backward,
    does_not_compile,
    is_of_compiler,
    kernels_for,
)
from morula.static.unsupported import Unsupported

ndarray = np.ndarray
Pair = tuple[Any, Any]


def call_compiled(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """``f(*args, **kw)`` of a function that Numba compiled, in a context."""
    if not is_dispatcher(f):
        return _call_ufunc(ctx, f, args, ds, kw, kw_d)
    if any(is_subclass(a) and not is_masked_class(type(a)) for a in args):
        plain = tuple(map(as_plain, args))  # compiled code sees the memory alone
        y, y_d = call_compiled(ctx, f, plain, ds, kw, kw_d)
        return next((a for a, p in zip(args, plain, strict=True) if p is y), y), y_d
    if not kw:
        ways = ways_of(f)
        ctx.ways[id(f)] = ways, f
        found = ways.call(ctx, f, args, ds)
        if found is not None:
            return found
    from morula.static.numba.implementations import refuse_numbas_own

    if is_followed() and any(map(_is_of_compiled_code, (*args, *kw.values()))):
        refuse_numbas_own(f)
        return _followed(ctx, f, args, ds, kw, kw_d)
    function = f.py_func
    # What it captures is constant when compiled.
    hidden = (function.__closure__ or function.__defaults__ or ctx.state) and ctx.reaches_active(function, set())
    shadows = None if kw else _shadows_of(ctx, args, ds)
    if not hidden:
        if shadows is None:
            active = ctx.any_active(args, ds, kw, kw_d)
        else:
            active = any(d is not None for d in shadows)
        if not active:
            return _call_plainly(ctx, f, args, ds, kw), None
    refuse_numbas_own(f)
    if (whole := _as_a_whole(ctx)) is not None and not (hidden or kw or shadows is None):
        every = positional(f, args, {})
        found = None if every is None else whole(ctx, f, every, shadows + (None,) * (len(every) - len(args)))
        if found is not None:
            return found
    in_forward_mode = ctx.depth or not ctx.taped
    if in_forward_mode and not is_single(ctx):
        with drawing_as_compiled(f):
            return ctx.call(for_tangents(f), args, ds, kw, kw_d)
    if current_mode() == "never":
        return _followed(ctx, f, args, ds, kw, kw_d)
    found, reason = None, None
    try:
        if hidden:
            raise Unsupported("captured variables or module state that are active", function=function.__qualname__)
        bound = positional(f, args, kw)
        target = f
        if bound is None:
            if kw:
                raise Unsupported(STARS, function=function.__qualname__)
            target, bound = with_tuple(f), in_tuple(f, args)
            given = in_tuple(f, tuple([ctx.shadow_of(a, d) for a, d in zip(args, ds, strict=True)]))
            shadows = (*given[:-1], ctx.packed(given[-1]))
        elif shadows is None or len(bound) > len(args):
            names = function.__code__.co_varnames[len(args) : len(bound)]
            every = (*ds, *(kw_d.get(name) for name in names))
            shadows = tuple([ctx.shadow_of(a, d) for a, d in zip(bound, every, strict=True)])
        refuse_containers(f, bound, shadows)
        call = forward_call if in_forward_mode else _call_natively
        found = call(ctx, target, bound, shadows) if all(map(_is_ordinary, shadows)) else None
        if found is None and current_mode() == "require":
            raise Unsupported("arguments that only Python code can be given here", function=function.__qualname__)
    except Unsupported as unsupported:
        reason = unsupported
    if reason is not None:
        fall_back(f, reason)  # out here, so that what it raises does not show how that was found out
    return _followed(ctx, f, args, ds, kw, kw_d) if found is None else found


def _as_a_whole(ctx: Context) -> Callable | None:
    """What takes a call for one operation where second derivatives are asked for; None where they are not."""
    if not ctx.depth or current_mode() == "never":
        return None
    if ctx.recording is not None:
        return whole_call
    return call_along if ctx.depth == 1 and ctx.taped and not ctx.around else None


def _followed(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """The call of the Python function, whose records are NumPy's: fields are items of these, not attributes.

    Compiled code also counts to a float, such as one that a compiled function returns on one of its ways.
    """
    try:
        with drawing_as_compiled(f):
            return ctx.call(python_body(f), args, ds, kw, kw_d)
    except TypeError as error:
        fact = str(error)
        if "cannot be interpreted as an integer" not in fact:
            raise
        raise NotDifferentiable(
            f"{describe(f)} is followed as its Python function, where {fact}, which only compiled code can. Write "
            "int(...) around it"
        ) from error
    except AttributeError as error:
        record, name = error.obj, error.name
        if not (isinstance(record, np.void) and name in (record.dtype.names or ())):
            raise
    raise NotDifferentiable(
        f"{describe(f)} reads the field {name!r} of a structured array as an attribute, which only compiled code can "
        f"do, and no adjoint is generated for structured arrays. Write record[{name!r}], or pass one array for each "
        "field"
    )


def _is_of_compiled_code(x: Any) -> bool:
    """Whether only compiled code can hand something on to compiled code: an empty list, a list of lists, a dict."""
    if isinstance(x, tuple):
        return any(map(_is_of_compiled_code, x))
    if isinstance(x, list | set):
        return not x or any(isinstance(item, list | set | dict) for item in x)
    return type(x) is dict


def _shadows_of(ctx: Context, args: tuple, ds: tuple) -> tuple | None:
    """The shadows of numbers and arrays; None where there is anything else."""
    found = []
    for a, d in zip(args, ds, strict=True):
        if type(a) is ndarray:
            found.append(ctx.buffers.find(a) if d is None else d)
        elif type(a) in ATOMS:
            found.append(d)
        else:
            return None
    return tuple(found)


def refuse_containers(f: Any, args: tuple, shadows: tuple) -> None:
    """Raise where an active argument is nothing that a kernel takes."""
    for a, d in zip(args, shadows, strict=True):
        if not (isinstance(a, ndarray | tuple) or type(a) in ATOMS or _is_ordinary(d)):
            raise Unsupported(f"an argument of type {type(a).__qualname__}", function=f.py_func.__qualname__)


def _is_ordinary(d: Any) -> bool:
    """Whether a shadow is that of a number or of an array with a cotangent."""
    return d is None or type(d) is list or type(d) in ARRAY_SHADOWS or (type(d) is tuple and all(map(_is_ordinary, d)))


def _call_plainly(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict) -> Any:
    """A call that nothing active reaches; what it writes is logged, and views that it returns are NumPy's."""
    arrays = arrays_in((*args, *kw.values()))
    before = [(x, x.copy(), fingerprint(x)) for x in arrays if x.flags.writeable]
    try:
        with drawing_itself(f):
            y = f(*args, **kw)
    finally:
        for x, old, mark_of_old in before:
            if fingerprint(x) != mark_of_old:
                ctx.log_write(x, old)
    if not kw:
        ways_of(f).add_plain(ctx, f, args, ds)
    views = as_views(y, arrays)
    return y if views is None else views


def _call_ufunc(ctx: Context, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """What `numba.vectorize` made is followed by elements, what `guvectorize` made as the loops that it stands for."""
    if not ctx.any_active(args, ds, kw, kw_d):
        return ctx.opaque(f, args, kw), None
    if type(f).__name__ == "GUFunc" and not kw:
        from morula.static.numba.generalized import as_function

        made = as_function(f, args)
        if made is not None:
            return call_compiled(ctx, made, args, ds, kw, kw_d)
    function = python_body(f) if has_python_function(f) else None
    if function is None or kw or len(args) != function.__code__.co_argcount:
        raise no_rule(f)
    if current_mode() != "never":
        fall_back(f, Unsupported("numba.vectorize", function=function.__qualname__))
    result = f(*[np.asarray(a).ravel()[:1] for a in args])  # for its dtype
    return ctx.call(np.vectorize(function, otypes=[np.asarray(result).dtype]), args, ds)


def _call_natively(ctx: Context, f: Any, args: tuple, ds: tuple) -> Pair | None:
    """The call by its kernels, with all arguments by position; None where the Python function is to be followed.

    Raises:
        Unsupported: there are no kernels for it.
    """
    active = tuple([
        d is not None or (type(a) not in ATOMS and type(a) is not ndarray and ctx.reaches_active(a, set()))
        for a, d in zip(args, ds, strict=True)
    ])  # fmt: skip
    kernels = kernels_for(f, args, active)
    if kernels is None:
        return _call_plainly(ctx, f, args, ds, {}), None
    ways = ways_of(f)
    way = ways.add(with_partials, ctx, kernels, args, ds)
    if way is not None:
        try:
            quick = way(ctx, f, args, ds)
        except Exception as error:
            if is_of_compiler(error):
                raise does_not_compile(f, args, active, error) from None
            raise
        if quick is not None:
            return quick
    arrays = arrays_in(args)
    written = arrays_in([args[i] for i in sorted(kernels.written)]) if kernels.written else []
    if written:
        if len(arrays) > 1 and any_shared(written, arrays):
            raise Unsupported(SHARED, function=f.py_func.__qualname__)
        if is_special(ctx, written):
            return None
    before = [x.copy() for x in written]
    try:
        y, kept = kernels.forward(args)
        compile_backward(kernels, args, y, kept)
    except Exception as error:
        if is_of_compiler(error):
            _restore(written, before)
            raise does_not_compile(f, args, active, error) from None
        return _failed(ctx, f, args, ds, written, before, error)
    ways.add(with_halves, ctx, kernels, args, ds)
    if type(y) is not float:
        views = as_views(y, arrays)
        if views is None and y is not None:
            _restore(written, before)
            raise Unsupported("results that overlap in part", function=f.py_func.__qualname__)
        y = views
    shadows = _log_writes(ctx, kernels, args, ds, written, before)
    return _recorded(ctx, f, kernels, args, arrays, shadows, y, kept)


def _finished(ctx: Context, f: Any, kernels: Any, args: tuple, ds: tuple, y: ndarray, kept: Any) -> Pair | None:
    """The rest of a call of a function that writes into nothing; None where it goes the general path again."""
    arrays = arrays_in(args)
    views = as_views(y, arrays)
    if views is None:
        return None
    return _recorded(ctx, f, kernels, args, arrays, _log_writes(ctx, kernels, args, ds, [], []), views, kept)


def _restore(arrays: Sequence[ndarray], before: Sequence[ndarray]) -> None:
    for x, old in zip(arrays, before, strict=True):
        x[...] = old


def _failed(
    ctx: Context, f: Any, args: tuple, ds: tuple, written: Sequence[ndarray], before: Sequence[ndarray],
    error: Exception,
) -> Pair:  # fmt: skip
    """After an error of the program's."""
    if any(x.tobytes() != old.tobytes() for x, old in zip(written, before, strict=True)):
        return _run_again(ctx, f, args, ds, written, before)
    mark(ctx, describe(f), error)
    raise error


def _run_again(
    ctx: Context, f: Any, args: tuple, ds: tuple, written: Sequence[ndarray], before: Sequence[ndarray]
) -> Pair:
    """After an error that left something half written: the Python function, whose tape says what was written."""
    _restore(written, before)
    ctx.call(python_body(f), args, ds)
    raise NotDifferentiable(
        f"{describe(f)} raised after it had written into its arguments, and its Python function does not raise"
    )


def _log_writes(
    ctx: Context, kernels: Any, args: tuple, ds: tuple, written: list[ndarray], before: list[ndarray]
) -> list[tuple[Any, Any]]:  # fmt: skip
    """Put on the tape what the call overwrote; the leaves of the arguments and their shadows."""
    pairs: list[tuple[Any, Any]] = []
    owned: dict[int, Any] = {}
    for leaf in kernels.leaves:
        x, d = args[leaf.argument], ds[leaf.argument]
        for i in leaf.path:
            x, d = x[i], None if d is None else d[i]
        if leaf.is_array and leaf.argument in kernels.written:
            d = owned[id(x)] = shadow_of_written(ctx, x)
        elif leaf.is_array and d is None:
            d = ctx.buffers.find(x)
        pairs.append((x, d))
    for x, old in zip(written, before, strict=True):
        ctx.log(Overwritten(x, owned.get(id(x)), Ellipsis, old, None, None, True), owner_of(x))
    return pairs


def _recorded(
    ctx: Context, f: Any, kernels: Any, args: tuple, arrays: list[ndarray], pairs: list, y: Any, kept: Any
) -> Pair:  # fmt: skip
    """The value and its shadow, with the call on the tape."""
    leaves = kernels.leaves
    arrays_d = [pair for pair, leaf in zip(pairs, leaves, strict=True) if leaf.is_array]
    numbers_d = [(type(x), d) for (x, d), leaf in zip(pairs, leaves, strict=True) if not leaf.is_array]
    written = [
        d for (_, d), leaf in zip(pairs, leaves, strict=True) if leaf.is_array and leaf.argument in kernels.written
    ] if kernels.written else []  # fmt: skip
    if type(y) is float and len(kernels.value_leaves) == 1:
        y_d: Any = [0]
        ctx.append(NativeCall(f, kernels, args, y, kept, arrays_d, numbers_d, written, (float,), (y_d,)))
        return y, y_d
    values = [at((y,), (0, *leaf.path)) for leaf in kernels.value_leaves]
    found, results = [], []
    for v, leaf in zip(values, kernels.value_leaves, strict=True):
        shadow: Any = None
        result: Any = None
        if not leaf.is_array:
            shadow = result = None if v is None else [0]
        else:
            shadow = ctx.buffers.find(v)
            if shadow is None and not any(owner_of(v) is owner_of(x) for x in arrays):
                shadow = result = ctx.buffers.new(v)
        found.append(shadow)
        results.append(result)
    kinds = tuple([(v.shape, v.dtype) if isinstance(v, ndarray) else type(v) for v in values])
    ctx.append(NativeCall(f, kernels, args, y, kept, arrays_d, numbers_d, written, kinds, tuple(results)))
    return y, structured(ctx, y, kernels.value_leaves, found)


GENERAL.update(finished=_finished, failed=_failed)
