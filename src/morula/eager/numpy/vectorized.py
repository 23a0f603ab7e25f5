"""``np.vectorize``: the function runs once for every element (or for every item of its signature), transformed."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.eager.calls.registry import INSTANCE_HANDLERS, structural
from morula.eager.containers.container_types import RECORDED
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]
NO_VALUE = np._NoValue
# Whether a single result that is a sequence stays one; older NumPy makes an array of its items.
KEEPS_SEQUENCES = np.vectorize(lambda i: [i, i], otypes="O")(0).ndim == 0


@structural(np.vectorize)
def _construct(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """The object only keeps the function."""
    return np.vectorize(*ctx.callees(args, ds), **kw), None


def _call(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    f, *rest = args
    rest_d = list(ds[1:])
    if f.pyfunc is NO_VALUE:  # it was made without a function, as a decorator with options
        return f(*rest, **kw), None
    excluded = f.excluded
    places: list[Any] = [i for i in range(len(rest)) if i not in excluded]
    names = [n for n in kw if n not in excluded]
    varying = [(rest[i], rest_d[i]) for i in places] + [(kw[n], kw_d.get(n)) for n in names]

    def run(values: Sequence, shadows: Sequence) -> Pair:
        positional, positional_d, named, named_d = list(rest), list(rest_d), dict(kw), dict(kw_d)
        for where, v, d in zip([*places, *names], values, shadows, strict=True):
            if type(where) is int:
                positional[where], positional_d[where] = v, d
            else:
                named[where], named_d[where] = v, d
        return ctx.call(f.pyfunc, tuple(positional), tuple(positional_d), named, named_d)

    if f.signature is not None:
        return _by_items(ctx, f, run, varying)
    if not varying:
        return run((), ())
    return _by_elements(ctx, f, run, varying)


INSTANCE_HANDLERS[np.vectorize] = _call


def _by_elements(ctx: Context, f: Any, run: Callable, varying: list[Pair]) -> Pair:
    """A call without a signature, in NumPy's order, its extra call for the types of the results included."""
    arrays = [ctx.call(np.asarray, (a,), (d,)) for a, d in varying]
    otypes: Any = f.otypes
    first: Pair | None = None
    if otypes is None:
        if any(a.size == 0 for a, _ in arrays):
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        inputs = [ctx.getitem(a, d, (0,) * a.ndim, None) for a, d in arrays]
        first = run([v for v, _ in inputs], [d for _, d in inputs])
        outputs = first[0] if isinstance(first[0], tuple) else (first[0],)
        otypes = [np.asarray(y).dtype.char for y in outputs]
        several = isinstance(first[0], tuple)
    else:
        several = len(otypes) > 1
    order, results = by_visits(ctx, arrays, run, first if f.cache else None)
    if not several:
        return _gathered(ctx, results, order, otypes[0])
    parts = [_gathered(ctx, [_part(r, k, len(otypes)) for r in results], order, t) for k, t in enumerate(otypes)]
    return tuple([y for y, _ in parts]), ctx.packed(tuple([d for _, d in parts]))


def by_visits(ctx: Context, arrays: list[Pair], run: Callable, first: Pair | None = None) -> tuple[ndarray, list[Pair]]:
    """What `run` makes of the elements of arrays in NumPy's order, and for every cell of the result which visit is its.

    `first`: what the first visit has given already.
    """
    columns = [_elements(ctx, a, d) for a, d in arrays]
    order, visits = _visits([a for a, _ in arrays])
    results: list[Pair] = []
    for i in visits:
        if first is not None and not results:
            results.append(first)
            continue
        row = [(values[k], shadows[k]) for k, (values, shadows) in zip(i, columns, strict=True)]
        results.append(run([v for v, _ in row], [d for _, d in row]))
    return order, results


def _elements(ctx: Context, a: ndarray, a_d: Any) -> tuple[list, Sequence]:
    """The elements of an array as Python's own numbers, which the function is given, and their shadows."""
    if a.dtype.kind == "O":
        pairs = ctx.cell_pairs(a)
        return [v for v, _ in pairs], [d for _, d in pairs]
    flat, flat_d = ctx.call(np.ravel, (a,), (a_d,))
    values, _ = ctx.call(ndarray.tolist, (flat,), (flat_d,))
    record = ctx.records.list_of(values)
    return values, [None] * len(values) if record is None else record.slots


def _visits(arrays: list[ndarray]) -> tuple[ndarray, list[tuple[int, ...]]]:
    """Which elements a ufunc of objects visits, one after the other, and for every cell of its result which visit."""
    visits: list[tuple[int, ...]] = []

    def visit(*indices: int) -> int:
        visits.append(indices)
        return len(visits) - 1

    numbers = [np.empty_like(a, object, subok=False) for a in arrays]
    for n in numbers:
        n[...] = np.arange(n.size).reshape(n.shape)
    order = np.frompyfunc(visit, len(arrays), 1)(*numbers)
    return np.asarray(order, int), visits


def _part(result: Pair, k: int, n: int) -> Pair:
    """The k-th of several results."""
    y, y_d = result
    if not isinstance(y, tuple) or len(y) != n:
        raise NotDifferentiable(f"a function under numpy.vectorize returned {y!r:.40} after tuples of {n}")
    return y[k], None if y_d is None else y_d[k]


def _gathered(ctx: Context, results: list[Pair], order: ndarray, otype: Any) -> Pair:
    """The results of the visits as an array."""
    values = [y for y, _ in results]
    if otype == "O":
        if order.ndim or KEEPS_SEQUENCES or not isinstance(values[0], list | tuple | ndarray):
            return objects_in_order(ctx, order, results)
        return ctx.objects_from(*results[0], {"dtype": object}), None
    if any(np.ndim(y) for y in values):
        objects = np.empty(len(values), object)
        objects[:] = values
        np.asarray(objects, dtype=otype)  # raises, unless the type is that of objects
        raise NotDifferentiable("a function under numpy.vectorize returned arrays; give it a signature")
    ctx.new_list(values, [d for _, d in results])
    y, y_d = ctx.call(np.array, (values,), (None,), {"dtype": otype}, {})
    if np.array_equal(order.ravel(), np.arange(order.size)):
        return ctx.call(np.reshape, (y, order.shape), (y_d, None))
    return ctx.getitem(y, y_d, order, None)


def objects_in_order(ctx: Context, order: ndarray, results: list[Pair]) -> Pair:
    """The results of the visits as an array of objects."""
    by_identity = (ndarray, *RECORDED)
    pairs = [results[i] for i in order.flat]
    return ctx.made_objects(order.shape, [(y, None if isinstance(y, by_identity) else d) for y, d in pairs]), None


def _by_items(ctx: Context, f: Any, run: Callable, varying: list[Pair]) -> Pair:
    """A call with a signature: the items are the arrays along the last axes that it names."""
    ins, outs = f._in_and_out_core_dims
    if len(varying) != len(ins):
        raise TypeError(f"wrong number of positional arguments: expected {len(ins)!r}, got {len(varying)!r}")
    arrays = [ctx.call(np.asarray, (a,), (d,)) for a, d in varying]
    sizes: dict[str, int] = {}
    for (a, _), core in zip(arrays, ins, strict=True):
        _agree(sizes, np.shape(a), core)
    shape = np.broadcast_shapes(*[a.shape[: a.ndim - len(core)] for (a, _), core in zip(arrays, ins, strict=True)])
    arrays = [
        ctx.call(np.broadcast_to, (a, shape + tuple(sizes[n] for n in core)), (d, None))
        for (a, d), core in zip(arrays, ins, strict=True)
    ]
    results: list[tuple[Pair, ...]] = []
    for index in itertools.product(*map(range, shape)):
        items = [ctx.getitem(a, d, index, None) for a, d in arrays]
        y, y_d = run([v for v, _ in items], [d for _, d in items])
        n = len(y) if isinstance(y, tuple) else 1
        if n != len(outs):
            raise ValueError(f"wrong number of outputs from pyfunc: expected {len(outs)!r}, got {n!r}")
        parts = ((y, y_d),) if n == 1 else tuple(zip(y, y_d or (None,) * n, strict=True))
        if not results:
            for (v, _), core in zip(parts, outs, strict=True):
                _agree(sizes, np.shape(v), core)
        results.append(parts)
    if not results:
        return _nothing(f, arrays, ctx)
    found = []
    for k, core in enumerate(outs):
        y, y_d = np.empty(shape + tuple(sizes[n] for n in core), _otype(f, k, results[0][k][0])), None
        for index, parts in zip(itertools.product(*map(range, shape)), results, strict=True):
            ctx.write(y, None, index, *parts[k])
        found.append((y, ctx.buffers.find(y)))
    if len(found) == 1:
        return found[0]
    return tuple([y for y, _ in found]), ctx.packed(tuple([d for _, d in found]))


def _otype(f: np.vectorize, k: int, y: Any) -> Any:
    return np.asarray(y).dtype if f.otypes is None else f.otypes[k]


def _agree(sizes: dict[str, int], shape: tuple[int, ...], core: tuple[str, ...]) -> None:
    """Remember the sizes of the axes that a signature names, and raise where two of a name differ."""
    if not core:
        return
    if len(shape) < len(core):
        raise ValueError(
            f"{len(shape)}-dimensional argument does not have enough dimensions for all core dimensions {core!r}"
        )
    for name, n in zip(core, shape[-len(core) :], strict=True):
        if sizes.setdefault(name, n) != n:
            raise ValueError(f"inconsistent size for core dimension {name!r}: {n!r} vs {sizes[name]!r}")


def _nothing(f: np.vectorize, arrays: list[Pair], ctx: Context) -> Pair:
    """The function is not called at all."""
    if any(d is not None for _, d in arrays):
        raise NotDifferentiable("numpy.vectorize with a signature of active arrays without items is not supported")
    return f(*[a for a, _ in arrays]), None
