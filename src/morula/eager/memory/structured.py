"""Arrays of records: their fields are views, and only those can be active; a whole record is a bundle of them."""

from typing import Any

import numpy as np

from morula.eager.context.part import Part
from morula.eager.memory.keys import is_basic
from morula.eager.memory.layout import address_of, owner_of
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]

# Functions and methods of NumPy that move the elements of their first arguments, or make views of them.
MOVES = frozenset(
    "reshape ravel transpose squeeze swapaxes moveaxis expand_dims flip copy flatten concatenate append stack vstack "
    "hstack take repeat tile roll array asarray delete insert compress extract __copy__ __deepcopy__".split()
)


class Structured(Part):
    """Arrays of records in a reverse context."""

    __slots__ = ()

    def records_item(self, o: ndarray, o_d: Any, key: Any) -> Pair:
        """``o[key]`` of an array of records that holds active values."""
        y = o[key]
        if type(y) is not ndarray:
            return y, o_d  # a record is a view: the shadows of its fields are found when these are read
        if is_basic(key) or (type(key) is list and all(type(k) is str for k in key)):
            return y, self.buffers.find(y)
        for name in _names(o):
            part, part_d = self.getitem(o[name], None, key, None)
            self.setitem(y[name], None, Ellipsis, part, part_d)
        return y, self.buffers.find(y)

    def record_item(self, o: np.void, key: Any) -> Pair:
        """``o[key]`` of one record."""
        record = view_of(o)
        if record is None:
            return o[key], None
        name = _names(o)[key] if isinstance(key, int) else key
        return self.getitem(record[name], None, (), None)

    def write_records(self, o: ndarray, key: Any, v: Any, v_d: Any) -> None:
        """``o[key] = v`` of an array of records, field by field."""
        names = _names(o)
        if isinstance(v, np.void):
            record = view_of(v)
            v, v_d = (v if record is None else record), None
        if type(v) is ndarray and v.dtype.names is not None:
            if np.may_share_memory(o, v):
                parts = [self.call(np.array, (v[name],), (None,)) for name in _names(v)]
            else:
                parts = [(v[name], None) for name in _names(v)]
        elif isinstance(v, tuple):
            parts = list(zip(v, v_d if v_d is not None else (None,) * len(v), strict=True))
        elif isinstance(v, list) and not self.reaches_active(v, set()):
            o_before = o.copy()
            o[key] = v
            self.log_write(o, o_before)
            return
        elif isinstance(v, list):
            raise NotDifferentiable("a list with active values is written into an array of records; write its fields")
        else:
            parts = [(v, v_d)] * len(names)
        for name, (part, part_d) in zip(names, parts, strict=True):
            if isinstance(part, tuple) and part_d is not None and o.dtype[name].names is None:
                part, part_d = self.call(np.array, (part,), (part_d,))
            self.setitem(o[name], None, key, part, part_d)

    def records_call(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A function of NumPy that moves records: numbers in their place say which of them goes where."""
        name = getattr(f, "__name__", "")
        if name == "sort" and args[0].ndim == 1:
            return self.getitem(args[0], ds[0], np.argsort(*args, **kw), None)
        if name in ("item", "tolist") and len(args) == 1 and args[0].ndim <= 1:
            pairs = [self.record_method(r, args[0], "item", (), {}) for r in args[0].reshape(-1)]
            if name == "item" or not args[0].ndim:
                return pairs[0]
            self.new_list(items := [v for v, _ in pairs], [d for _, d in pairs])
            return items, None
        sources: list[ndarray] = []
        numbered = tuple([_numbers_for(a, sources) for a in args])
        if len({a.dtype for a in sources}) > 1 or name not in MOVES or not {"dtype", "out"}.isdisjoint(kw):
            raise NotDifferentiable(f"numpy.{name} of an array of records that holds active values; use its fields")
        y = f(*args, **kw)
        if any(np.may_share_memory(y, a) for a in sources):
            return y, self.buffers.find(y)
        at = f(*numbered, **kw)
        made = np.array(y)
        for field in _names(made):
            shape = (-1, *made.dtype[field].shape)
            columns = [self.call(np.reshape, (a[field], shape), (None, None)) for a in sources]
            self.new_list(parts := [c for c, _ in columns], [d for _, d in columns])
            column, column_d = columns[0] if len(columns) == 1 else self.call(np.concatenate, (parts,), (None,))
            self.setitem(made[field], None, Ellipsis, *self.getitem(column, column_d, at, None))
        return made, self.buffers.find(made)

    def records_from(self, v: Any, v_d: Any, dtype: Any) -> Pair:
        """``np.array(v, dtype)`` of a tuple, or of lists of tuples, of which some numbers are active."""
        y = np.array(v, dtype)

        def write(at: tuple, part: Any, part_d: Any) -> None:
            if isinstance(part, list):
                for i, (item, item_d) in enumerate(self.iter(part, part_d)):
                    write((*at, i), item, item_d)
            else:
                self.setitem(y, None, at, part, part_d)

        write((), v, v_d)
        return y, self.buffers.find(y)

    def record_method(self, o: np.void, record: ndarray, name: str, args: tuple, kw: dict) -> Pair:
        """A method of one record, which lies in active memory."""
        if name in ("copy", "__copy__", "__deepcopy__"):
            made, made_d = self.records_call(np.copy, (record,), (self.buffers.find(record),), {}, {})
            return made[()], made_d
        if name in ("item", "tolist") and not args and not kw and all(not o.dtype[field].shape for field in _names(o)):
            items = [self.method(*self.record_item(o, k), "item", (), ()) for k in _names(o)]
            return tuple([v for v, _ in items]), self.packed(tuple([d for _, d in items]))
        raise NotDifferentiable(f"numpy.void.{name} of a record that holds active values; use its fields")

    def write_record(self, o: np.void, key: Any, v: Any, v_d: Any) -> None:
        """``o[key] = v`` of one record."""
        record = view_of(o)
        if record is None:
            self.refuse_if_active(v, v_d, "writing into a record without an array")
            o[key] = v
            return
        name = _names(o)[key] if isinstance(key, int) else key
        self.setitem(record[name], None, Ellipsis, v, v_d)


def _names(o: Any) -> tuple[str, ...]:
    names = o.dtype.names
    assert names is not None
    return names


def holds_records(x: Any) -> bool:
    """Whether an argument is an array of records, or a list or tuple of such."""
    if type(x) is list or type(x) is tuple:
        return any(map(holds_records, x))
    return isinstance(x, ndarray) and x.dtype.names is not None


def _numbers_for(x: Any, sources: list[ndarray]) -> Any:
    """The same argument with a number for each record, and the arrays of records in order."""
    if type(x) is list or type(x) is tuple:
        return type(x)([_numbers_for(part, sources) for part in x])
    if not holds_records(x):
        return x
    first = sum(a.size for a in sources)
    sources.append(x)
    return np.arange(first, first + x.size).reshape(x.shape)


def active_view(ctx: Any, record: np.void) -> ndarray | None:
    """The memory of a record where it is active, as `view_of` has it."""
    found = view_of(record) if record.dtype.names is not None else None
    return None if found is None or ctx.buffers.find(found) is None else found


def view_of(record: np.void) -> ndarray | None:
    """The array without dimensions that is the memory of a record; None where that is its own."""
    base = record.base
    if not isinstance(base, ndarray):
        return None
    owner = owner_of(base)
    address = record.__array_interface__["data"][0]
    return ndarray((), record.dtype, owner, address - address_of(owner))
