"""Subscripts of anything: read, assigned to, deleted."""

from types import MappingProxyType
from typing import Any

import numpy as np

from morula.eager.containers.container_types import CHANGING, CONTAINERS, SEQUENCES, container_of
from morula.eager.containers.dicts import mapping_of
from morula.eager.context.kinds import ATOMS, has_method
from morula.eager.context.number_entries import Gather
from morula.eager.memory.array_shadows import Keyed
from morula.eager.memory.assignments import Assignments
from morula.eager.memory.foreign_memory import safe_owner
from morula.eager.memory.guards import kept_arrays
from morula.eager.memory.keys import frozen_key, is_basic, writes_once
from morula.eager.memory.reach import arrays_of
from morula.eager.memory.wholes import ObjectsShadow, RecordsShadow
from morula.eager.numpy.array_subclasses import as_plain, is_subclass
from morula.errors import WAYS_OUT, NotDifferentiable

ndarray = np.ndarray
OBJECT = np.dtype(object)
Pair = tuple[Any, Any]


class Access(Assignments):
    """Reading and writing parts of arrays, containers and objects."""

    __slots__ = ()

    slice = slice

    def active_slice(self, start: Any, start_d: Any, stop: Any, stop_d: Any, step: Any, step_d: Any) -> Any:
        """``start:stop:step`` where some are active: whole numbers are places, which have derivative zero."""
        for v, d in ((start, start_d), (stop, stop_d), (step, step_d)):
            if d is not None and not isinstance(v, int | np.integer):
                raise NotDifferentiable(
                    "a slice was given active bounds, which have no derivative: use np.linspace or np.arange"
                )
        return slice(start, stop, step)

    # -- subscripts ---------------------------------------------------------------------------------------

    def getitem(self, o: Any, o_d: Any, key: Any, key_d: Any) -> Pair:
        kind = type(o)
        if kind is ndarray:
            if o_d is None:
                o_d = self.buffers.table.get(id(o))
                if o_d is None:
                    if o.base is None:
                        return o[key], None
                    o_d = self.buffers.find(o)
                elif o_d.place is not None or o_d() is not o:
                    o_d = self.buffers.find(o)
                if o_d is None:
                    return o[key], None
                if type(o_d) is ObjectsShadow:
                    return self.objects_item(o, key)
            y = o[key]
            if type(y) is ndarray or type(o_d) is RecordsShadow:
                if type(key) is slice and type(o_d) is not RecordsShadow:
                    return y, Keyed(o_d, key, y)
                return self._part_of_array(o, o_d, key, y)
            node = [0, o_d, frozen_key(key) if type(key) is list else key, None]
            self.append(node)
            return y, node
        if kind is tuple or (isinstance(o, tuple) and not has_method(kind, "__getitem__")):
            y = o[key]
            if o_d is None:
                return y, None
            part = o_d[key]
            return y, self.packed(part) if type(key) is slice else part
        if kind is list:
            y = o[key]
            record = self.records.list_of(o)
            if record is None:
                return y, None
            if type(key) is slice:
                self.new_list(y, record.slots[key])
                return y, None
            return y, record.slots[key]
        if kind is dict and key_d is None:
            y = o[key]
            record = self.records.of(o)
            return y, None if record is None else self.records.part(record, key, y)
        return self._item(o, o_d, key, key_d)

    def _part_of_array(self, o: ndarray, o_d: Any, key: Any, y: Any) -> Pair:
        """``y = o[key]`` of an active array, where it is an array or one of records: a view, or a copy of elements."""
        if type(o_d) is RecordsShadow:
            return self.records_item(o, o_d, key)
        if is_basic(key):
            return y, Keyed(o_d, key, y)
        key = frozen_key(key)
        y_d = self.buffers.new(y)
        self.append(Gather(y_d, o_d, key, writes_once(key)))
        return y, y_d

    def _item(self, o: Any, o_d: Any, key: Any, key_d: Any) -> Pair:
        """``o[key]`` of what is no array, list, dict or tuple itself."""
        kind = type(o)
        if isinstance(o, dict) and not has_method(kind, "__getitem__"):
            return self.dict_getitem(o, key, key_d)
        if kind is np.void:
            return self.record_item(o, key)
        if kind in ATOMS:
            if kind is type:
                return self.class_item(o, key, key_d)
            y = o[key]
            if o_d is None:
                return y, None
            if not isinstance(y, ndarray):
                return y, o_d
            return self.call(np.reshape, (o, y.shape), (o_d, None)) if y.size else (y, None)  # by a mask that is false
        if kind is np.flatiter:
            return self._flat_item(o, key)
        if isinstance(o, ndarray):
            if is_subclass(o):
                return self.subclass_item(o, o_d, key, key_d)
            if o_d is not None or self.buffers.find(o) is not None:
                raise NotDifferentiable(
                    f"indexing an active array of class {kind.__qualname__} is not implemented; use a plain ndarray"
                )
            return o[key], None
        if has_method(kind, "__getitem__"):
            return self.special(kind, "__getitem__", (o, key), (o_d, key_d))
        if isinstance(o, list):
            return self.list_getitem(o, key)
        container = container_of(kind)
        if container in SEQUENCES:
            return CONTAINERS[container].method(self, o, o_d, "__getitem__", (key,), (key_d,), {}, {})
        if isinstance(o, type):
            return self.class_item(o, key, key_d)
        if kind is MappingProxyType:
            return self.getitem(mapping_of(o), None, key, key_d)
        self.refuse_if_active(o, o_d, f"indexing a {kind.__qualname__}")
        return o[key], None

    def _flat_item(self, o: Any, key: Any) -> Pair:
        base = o.base
        shadow = self.buffers.find(base)
        if shadow is None:
            return o[key], None
        if isinstance(key, int | np.integer):
            return self.getitem(base, shadow, np.unravel_index(int(key) % base.size, base.shape), None)
        flat, flat_d = self.call(np.ravel, (base,), (shadow,))
        return self.getitem(flat.copy() if flat_d is None else flat, flat_d, key, None)

    def setitem(self, o: Any, o_d: Any, key: Any, v: Any, v_d: Any, key_d: Any = None) -> None:
        kind = type(o)
        if kind is ndarray:
            if (type(v) is not ndarray and self.write_element(o, key, v, v_d)) or self.write_part(o, key, v, v_d):
                return
            if o.dtype.names is None:
                self.write(o, o_d, key, v, v_d)
            elif isinstance(key, str):
                self.setitem(o[key], None, Ellipsis, v, v_d)
            else:
                self.write_records(o, key, v, v_d)
        elif kind is list:
            self.list_setitem(o, key, v, v_d)
        elif kind is dict or (isinstance(o, dict) and not has_method(kind, "__setitem__")):
            self.dict_setitem(o, key, v, v_d, key_d)
        elif kind is np.flatiter:
            self._write_flat(o, key, v, v_d)
        elif kind is np.void:
            self.write_record(o, key, v, v_d)
        elif kind is memoryview and isinstance(o.obj, ndarray) and self.buffers.find(o.obj) is None:
            self.refuse_if_active(v, v_d, "writing into a memoryview")
            self.logged_write(o.obj, lambda: o.__setitem__(key, v))
        elif isinstance(o, ndarray) and not has_method(kind, "__setitem__"):
            self.write_subclass(o, key, v, v_d)
        elif has_method(kind, "__setitem__"):
            self.special(kind, "__setitem__", (o, key, v), (o_d, key_d, v_d))
        elif isinstance(o, list):
            self.list_setitem(o, key, v, v_d)
        elif (container := container_of(kind)) in SEQUENCES and container in CHANGING:
            CONTAINERS[container].method(self, o, o_d, "__setitem__", (key, v), (key_d, v_d), {}, {})
        elif kind in ATOMS:
            o[key] = v  # raises
        else:
            self.refuse_if_active(o, o_d, f"writing into a {kind.__qualname__}")
            self.refuse_if_active(v, v_d, f"writing into a {kind.__qualname__}")
            o[key] = v

    def write_subclass(self, o: ndarray, key: Any, v: Any, v_d: Any) -> None:
        """``o[key] = v`` of an array of a class of its own, which stays inactive."""
        if is_subclass(o):
            self.setitem(as_plain(o), None, key, as_plain(v), None if is_subclass(v) else v_d)
            return
        if self.buffers.find(o) is not None or self.any_active((v,), (v_d,), {}, {}):
            raise NotDifferentiable(
                f"active values in an array of class {type(o).__qualname__} cannot be followed; use a plain ndarray"
            )
        self.logged_write(o.view(ndarray), lambda: o.__setitem__(key, v))

    def _write_flat(self, o: Any, key: Any, v: Any, v_d: Any) -> None:
        """``x.flat[key] = v``; values that are too few are repeated, and those too many left out."""
        base = o.base if type(o.base) is ndarray else o.base.view(ndarray)
        if base.dtype is OBJECT:
            self.objects_written(base, v, v_d, lambda y, values: y.flat.__setitem__(key, values))
            return
        if type(v) is ndarray and np.may_share_memory(base, v):  # NumPy does not buffer here: cell after cell
            flat, flat_d = self.call(np.ravel, (v,), (v_d,)) if v.ndim != 1 else (v, v_d)
            for i, cell in enumerate(np.atleast_1d(np.arange(base.size)[key])):
                self.setitem(o, None, int(cell), *self.getitem(flat, flat_d, i % v.size, None))
            return
        if not isinstance(v, ndarray | list | tuple):
            v_d = self.shadow_of(v, v_d)
        else:
            count = np.arange(base.size)[key].size
            v, v_d = self.call(np.ravel, (v,), (v_d,))
            if isinstance(key, int | np.integer) and len(v):
                v, v_d = self.getitem(v, v_d, 0, None)
            elif len(v) != count and len(v):
                v, v_d = self.getitem(v, v_d, np.arange(count) % len(v), None)
        if base.flags.c_contiguous:
            self.write(base.reshape(-1), None, key, v, v_d)
            return
        cells = np.arange(base.size)[key]
        self.write(base, None, np.unravel_index(cells, base.shape), v, v_d)

    def delitem(self, o: Any, o_d: Any, key: Any, key_d: Any = None) -> None:
        kind = type(o)
        if kind is list:
            self.list_delitem(o, key)
        elif has_method(kind, "__delitem__"):
            self.special(kind, "__delitem__", (o, key), (o_d, key_d))
        elif hasattr(kind, "__delitem__") and container_of(kind) is not None:
            self.container_method(o, o_d, "__delitem__", (key,), (key_d,), {}, {})
        else:
            del o[key]

    def write_back(self, o: Any, o_d: Any, key: Any, new: Any, new_d: Any, old: Any, key_d: Any = None) -> None:
        """The last step of ``o[key] op= v``: nothing to do where a view was changed in place."""
        if type(o) is ndarray:
            if new is old and type(new) is ndarray and is_basic(key):
                return
            if self.write_element(o, key, new, new_d):
                return
        self.setitem(o, o_d, key, new, new_d, key_d)

    # -- guards -------------------------------------------------------------------------------------------

    def refuse_if_kept(self, x: ndarray, what: str) -> None:
        """Refuse what changes the layout of an array that is active, or that the tape refers to."""
        if (
            self.buffers.find(x) is not None
            or any(safe_owner(part) is x for part in arrays_of(self.tape))
            or any(safe_owner(part) is x for part, _ in kept_arrays(self.tape))
        ):
            raise NotDifferentiable(f"{what} that has already been used is not supported; make another array of it")

    def refuse_if_active(self, o: Any, o_d: Any, what: str) -> None:
        if o_d is not None or self.reaches_active(o, set()):
            raise NotDifferentiable(f"{what} that holds active values is not supported. {WAYS_OUT}")
