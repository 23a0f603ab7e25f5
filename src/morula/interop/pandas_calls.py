"""Series and frames of pandas that hold active arrays: what its compiled code only looks at, moves or keeps.

Their numbers lie in arrays of NumPy, whose shadows are of the memory; so pandas' own Python code is followed as any
other. What its compiled code computes over windows and groups stands in `pandas_sums`; for the rest of it there are no
rules, and it is refused. Loaded when the program has imported pandas.
"""

import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from pandas._libs import algos, arrays, hashtable, index, internals, join, lib, missing, properties
from pandas.core import algorithms, arraylike, flags, indexing
from pandas.core.array_algos import take
from pandas.core.internals import blocks, managers
from pandas.core.util import hashing

from chainrules import non_differentiable
from morula.eager.calls.observers import DYING_UNSEEN
from morula.eager.calls.registry import structural, where_active
from morula.eager.context.protocol import Context
from morula.eager.memory.foreign_memory import KEEPING
from morula.eager.objects.frames import C_PROPERTIES
from morula.interop.pandas_sums import body_of

Pair = tuple[Any, Any]

# Weak references among its own objects, by which pandas warns of chained assignments and finds flags.
DYING_UNSEEN.update((pd.core.generic.NDFrame, internals.Block, pd.Index))
KEEPING.add(internals.Block)
ENGINES = (index.Float64Engine, index.Float32Engine)  # that find labels of an index, of which they keep the numbers
KEEPING.update(ENGINES)
COUNTED = hashtable.value_count

non_differentiable(
    sys.getrefcount,
    *(getattr(missing, name) for name in ("checknull", "isnaobj") if hasattr(missing, name)),
    *(getattr(lib, name) for name in ("fast_unique_multiple_list_gen", "has_infs") if hasattr(lib, name)),
    *(f for name in dir(lib) if name.startswith(("is_", "infer_")) and callable(f := getattr(lib, name))),
)


def _plain(f: Any) -> None:
    """Compiled code that keeps what it is given, or looks at where it lies."""
    structural(f)(lambda ctx, args, ds, kw, kw_d: (f(*args, **kw), None))


for _owner, _names in (
    (blocks, "NumpyBlock NumericBlock"),
    (managers, "BlockManager"),
    (indexing, "_iLocIndexer _LocIndexer _AtIndexer _iAtIndexer"),
    (flags, "Flags"),
    (internals.BlockManager, "_rebuild_blknos_and_blklocs _rebuild_blknos get_slice _slice_mgr_rows"),
    (getattr(internals, "BlockValuesRefs", None), "add_reference add_index_reference has_reference"),
    (index, "Float64Engine Float32Engine"),
    (join, "left_join_indexer_unique"),
    *((engine, "get_indexer get_indexer_non_unique get_loc _update_from_sliced clear_mapping") for engine in ENGINES),
    (internals.Block, "getitem_block_index slice_block_rows _maybe_squeeze_arg"),
    (arrays.NDArrayBacked, "__init__ __new__ _from_backing_data"),
    (arrays.NDArrayBacked._simple_new, "__func__"),
):
    for _name in _names.split():
        if hasattr(_owner, _name):
            _plain(getattr(_owner, _name))


def _cached(ctx: Context, how: Any, o: Any, o_d: Any) -> Pair:
    """A lazy attribute, which is kept in the object's ``_cache``."""
    cache = getattr(o, "_cache", None)
    if cache is None:
        cache = o._cache = {}
    if how.name in cache:
        return ctx.getitem(cache, None, how.name, None)
    y, y_d = ctx.call1(how.fget, o, o_d)
    ctx.setitem(cache, None, how.name, y, y_d)
    return y, y_d


C_PROPERTIES[properties.CachedProperty] = _cached


_salts = itertools.count(0x9E3779B97F4A7C15, 2)  # odd: sums of hashes differ, too


def _hash(f: Any) -> None:
    """Keys of memo tables: what is active is found in none, since those of an earlier run hold it as a constant."""

    @where_active(f)
    def hashed(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        return f(*args, **kw) + np.uint64(next(_salts)), None


_hash(hashing.hash_pandas_object)
_hash(hashing.hash_array)


@where_active(lib.item_from_zerodim)
def _item_from_zerodim(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    (x,), (x_d,) = args, ds
    return ctx.getitem(x, x_d, (), None) if isinstance(x, np.ndarray) and x.ndim == 0 else (x, x_d)


@body_of(algorithms, "ensure_float64")
def _ensure_float64(arr: Any) -> Any:
    return np.asarray(arr, dtype=np.float64)


@body_of(algos, "diff_2d")
def _diff_2d(arr: Any, out: Any, periods: int, axis: int, datetimelike: bool = False) -> None:
    """``out[i] = arr[i] - arr[i - periods]`` where both are there, else NaN."""
    rows, differences = (arr, out) if axis == 0 else (arr.T, out.T)
    n = len(rows)
    differences[...] = np.nan
    if 0 <= periods < n:
        differences[periods:] = rows[periods:] - rows[: n - periods]
    elif -n < periods < 0:
        differences[:periods] = rows[:periods] - rows[-periods:]


@body_of(arraylike, "maybe_dispatch_ufunc_to_dunder_op")
def _to_operator(self: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """The operator's method that a ufunc stands for, as ``pandas._libs.ops_dispatch`` finds it."""
    name = OPERATORS.get(ufunc.__name__, ufunc.__name__)
    if method != "__call__" or kwargs or name not in DISPATCHED:
        return NotImplemented
    if len(inputs) == 1:
        return getattr(self, f"__{name}__")() if name in UNARY else NotImplemented
    if inputs[0] is self:
        return getattr(self, f"__{name}__")(inputs[1])
    return getattr(self, f"__{REFLECTED.get(name, 'r' + name)}__")(inputs[0])


UNARY = frozenset({"neg", "pos", "abs"})
OPERATORS = {
    "subtract": "sub", "multiply": "mul", "floor_divide": "floordiv", "true_divide": "truediv", "power": "pow",
    "remainder": "mod", "divide": "truediv", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le",
    "greater": "gt", "greater_equal": "ge", "bitwise_or": "or", "bitwise_and": "and", "bitwise_xor": "xor",
    "negative": "neg", "absolute": "abs", "positive": "pos",
}  # fmt: skip
DISPATCHED = frozenset(
    "add sub mul pow mod divmod floordiv truediv eq ne lt gt le ge neg abs pos and or xor matmul".split()
)
REFLECTED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


@body_of(lib, "dicts_to_array")
def _dicts_to_array(dicts: Any, columns: Any) -> Any:
    """Records as rows."""
    table = np.empty((len(dicts), len(columns)), dtype=object)
    for i, record in enumerate(dicts):
        for j, name in enumerate(columns):
            table[i, j] = record.get(name, np.nan)
    return table


def _distinct(table: Any) -> None:
    """Distinct numbers in the order in which they come, and where each of the given ones is among them."""
    unique, factorize = table.unique, table.factorize

    def places(find: Callable, own: Any, values: Any, *args: Any, **kw: Any) -> tuple:
        _, codes, *masks = find(own, values, *args, **kw)
        groups, first = np.unique(codes, return_index=True)
        return first[groups >= 0], codes, *masks

    non_differentiable(places)

    @body_of(table, "unique")
    def distinct(self: Any, values: Any, return_inverse: bool = False, mask: Any = None) -> Any:
        first, codes, *masks = places(unique, self, values, return_inverse=True, mask=mask)
        found = (values[first], *([codes] if return_inverse else []), *masks)
        return found if len(found) > 1 else found[0]

    @body_of(table, "factorize")
    def coded(self: Any, values: Any, *args: Any, **options: Any) -> Any:
        first, codes = places(factorize, self, values, *args, **options)
        return values[first], codes


def _first_of(values: Any, dropna: bool, **options: Any) -> tuple[Any, Any, int]:
    """Where each distinct number comes first, how often it is there, and how many are missing."""
    keys, counts, missing = COUNTED(values, dropna, **options)
    order = np.argsort(values, kind="stable")
    return order[np.searchsorted(values[order], keys)], counts, missing


non_differentiable(_first_of)


@body_of(hashtable, "value_count")
def _value_count(values: Any, dropna: bool, mask: Any = None) -> Any:
    first, counts, missing = _first_of(values, dropna, mask=mask)
    return values[first], counts, missing


for _table in (hashtable.Float64HashTable, hashtable.Float32HashTable):
    _distinct(_table)


def _joined(name: str) -> None:
    """The labels of two sorted indices that are joined, and where they come from."""
    find = getattr(join, name)

    def places(left: Any, right: Any) -> tuple[Any, Any]:
        _, i, j = find(left, right)
        return i, j

    non_differentiable(places)

    @body_of(join, name)
    def labels(left: Any, right: Any) -> Any:
        i, j = places(left, right)
        return np.where(i < 0, right[j], left[i]), i, j


for _how in ("inner", "left", "outer"):
    _joined(f"{_how}_join_indexer")


@body_of(algos, "kth_smallest")
def _kth_smallest(arr: Any, k: int) -> Any:
    return np.sort(arr)[k]


def _filled(names: tuple[str, ...], backwards: bool) -> None:
    """Missing values, in place, by the last one before them in their row, or the next one."""

    def body(values: Any, mask: Any, limit: Any = None, limit_area: Any = None) -> None:
        rows, missing = (values, mask) if values.ndim == 2 else (values[None], mask[None])
        for row, gone in zip(rows, missing, strict=True):
            n, run, last = len(row), 0, None
            for i in range(n - 1, -1, -1) if backwards else range(n):
                if not gone[i]:
                    run, last = 0, i
                elif last is not None and (limit is None or run < limit):
                    row[i] = row[last]
                    gone[i] = False
                    run += 1

    body_of(algos, *names)(body)


_filled(("pad_inplace", "pad_2d_inplace"), backwards=False)
_filled(("backfill_inplace", "backfill_2d_inplace"), backwards=True)


@body_of(lib, "maybe_convert_objects")
def _maybe_convert_objects(objects: Any, **options: Any) -> Any:
    """An array of floats where all objects are numbers or missing."""
    is_float = [isinstance(v, float | int | np.integer | None) and not isinstance(v, bool) for v in objects]
    return np.array([np.nan if v is None else float(v) for v in objects]) if all(is_float) else objects


@body_of(lib, "to_object_array", "to_object_array_tuples")
def _rows(rows: Any, min_width: int = 0) -> Any:
    """Rows as an array of objects."""
    made = np.empty((len(rows), max(min_width, *map(len, rows))), object)
    for i, row in enumerate(rows):
        for j, v in enumerate(row):
            made[i, j] = v
    return made


@body_of(take, "_take_nd_ndarray")
def _take(arr: Any, indexer: Any, axis: int, fill_value: Any, allow_fill: bool) -> Any:
    """Rows or columns by position; those of position -1 are filled."""
    if indexer is None:
        return arr.copy()
    missing = np.asarray(indexer) == -1
    taken = np.take(arr, indexer, axis=axis)
    if not (allow_fill and missing.any()):
        return taken
    along = missing.reshape([-1 if k == axis else 1 for k in range(arr.ndim)])
    return np.where(along, fill_value, taken)


@body_of(algorithms, "map_array")
def _map_array(arr: Any, mapper: Any, na_action: Any = None, convert: bool = True) -> Any:
    """``mapper`` of each value, or what a table has for it."""
    if isinstance(mapper, dict | pd.Series):
        return np.array([mapper.get(v, np.nan) for v in arr])
    return np.array([v if na_action == "ignore" and pd.isna(v) else mapper(v) for v in arr])
