"""Arrays of records: their fields are views, and only those can be active; a whole record is a bundle of them."""

from typing import Any

import numpy as np

from morula.eager.context.part import Part
from morula.eager.memory.keys import is_basic
from morula.eager.memory.layout import address_of, owner_of
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]


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
            self.setitem(o[name], None, key, part, part_d)

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


def view_of(record: np.void) -> ndarray | None:
    """The array without dimensions that is the memory of a record; None where that is its own."""
    base = record.base
    if not isinstance(base, ndarray):
        return None
    owner = owner_of(base)
    address = record.__array_interface__["data"][0]
    return ndarray((), record.dtype, owner, address - address_of(owner))
