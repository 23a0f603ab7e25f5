"""Attributes and subscripts, read and written."""

import functools
import types
from typing import Any

import numpy as np

from morula.errors import WAYS_OUT, AliasedArgumentsError, NotDifferentiable
from morula.runtime.entries import Gather, Write
from morula.runtime.kinds import ATOMS, has_method, is_plain_object
from morula.runtime.memory import Keyed, owner_of
from morula.runtime.part import Part
from morula.runtime.records import MISSING

ndarray = np.ndarray
Pair = tuple[Any, Any]


def is_basic(key: Any) -> bool:
    """Whether indexing with `key` gives a view or an element, not a copy."""
    kind = type(key)
    if kind is int or kind is slice or kind is str:
        return True
    if kind is tuple:
        return all(
            type(k) is int or type(k) is slice or k is None or k is Ellipsis or _is_index(k) for k in key
        )
    return key is None or key is Ellipsis or _is_index(key)


def _is_index(k: Any) -> bool:
    if isinstance(k, bool | np.bool_):
        return False
    return isinstance(k, int | np.integer) or (hasattr(k, "__index__") and not isinstance(k, ndarray))


def frozen_key(key: Any) -> Any:
    """A key that later changes to the program's lists cannot reach."""
    if type(key) is list:
        return np.array(key) if key else np.array(key, int)
    if type(key) is tuple and any(type(k) is list for k in key):
        return tuple(frozen_key(k) if type(k) is list else k for k in key)
    return key


def writes_once(key: Any) -> bool:
    """Whether no cell can be selected twice: basic keys and masks."""
    parts = key if type(key) is tuple else (key,)
    return all(not isinstance(k, ndarray | list) or np.asarray(k).dtype.kind == "b" for k in parts)


class Access(Part):
    """Reading and writing parts of arrays, containers and objects."""

    __slots__ = ()

    slice = slice

    # -- subscripts ---------------------------------------------------------------------------------------

    def getitem(self, o: Any, o_d: Any, key: Any, key_d: Any) -> Pair:
        kind = type(o)
        if kind is ndarray:
            if o_d is None:
                if o.base is None and id(o) not in self.buffers.table:
                    return o[key], None
                o_d = self.buffers.find(o)
                if o_d is None:
                    return o[key], None
            y = o[key]
            if type(y) is not ndarray:
                if type(key) is list:
                    key = frozen_key(key)
                node = [0, o_d, key, None]
                self.append(node)
                return y, node
            if is_basic(key):
                return y, Keyed(o_d, key, y)
            key = frozen_key(key)
            y_d = self.buffers.new(y)
            self.append(Gather(y_d, o_d, key, writes_once(key)))
            return y, y_d
        if kind is tuple or isinstance(o, tuple):
            y = o[key]
            if o_d is None:
                return y, None
            y_d = o_d[key]
            if type(key) is slice and all(s is None for s in y_d):
                y_d = None
            return y, y_d
        if kind is list:
            y = o[key]
            record = self.records.list_of(o)
            if record is None:
                return y, None
            if type(key) is slice:
                self.new_list(y, record.slots[key])
                return y, None
            return y, record.slots[key]
        if isinstance(o, dict) and not has_method(kind, "__getitem__"):
            return self._dict_item(o, key)
        if kind in ATOMS:
            y = o[key]
            if o_d is None:
                return y, None
            return self.call(np.reshape, (o, y.shape), (o_d, None)) if isinstance(y, ndarray) else (y, o_d)
        if kind is np.flatiter:
            return self._flat_item(o, key)
        if isinstance(o, ndarray):
            if o_d is not None or self.buffers.find(o) is not None:
                raise NotDifferentiable(
                    f"an active array of class {kind.__qualname__} cannot be indexed yet; use a plain ndarray"
                )
            return o[key], None
        if has_method(kind, "__getitem__"):
            return self.call(kind.__getitem__, (o, key), (o_d, key_d))
        if isinstance(o, list):
            record = self.records.list_of(o)
            return o[key], None if record is None else record.slots[key]
        if isinstance(o, type):
            return o[key], None
        self.refuse_if_active(o, o_d, f"indexing a {kind.__qualname__}")
        return o[key], None

    def _dict_item(self, o: dict, key: Any) -> Pair:
        kind = type(o)
        if key not in o and has_method(kind, "__missing__"):
            return self.call(kind.__missing__, (o, key), (None, None))
        if kind.__name__ == "defaultdict" and key not in o and o.default_factory is not None:
            value, shadow = self.call(o.default_factory, (), ())
            self.setitem(o, None, key, value, shadow)
            return value, shadow
        y = o[key]
        record = self.records.of(o)
        return y, None if record is None else self.records.part(record, key, y)

    def _flat_item(self, o: Any, key: Any) -> Pair:
        base = o.base
        shadow = self.buffers.find(base)
        if shadow is None:
            return o[key], None
        if isinstance(key, int | np.integer):
            return self.getitem(base, shadow, np.unravel_index(int(key) % base.size, base.shape), None)
        flat, flat_d = self.call(np.ravel, (base,), (shadow,))
        return self.getitem(flat.copy() if flat_d is None else flat, flat_d, key, None)

    def setitem(self, o: Any, o_d: Any, key: Any, v: Any, v_d: Any) -> None:
        kind = type(o)
        if kind is ndarray:
            self.write(o, o_d, key, v, v_d)
        elif kind is list:
            self.list_setitem(o, key, v, v_d)
        elif isinstance(o, dict) and not has_method(kind, "__setitem__"):
            o[key] = v
            if v_d is not None:
                self.records.make(o).slots[key] = v_d
            else:
                record = self.records.of(o)
                if record is not None:
                    record.slots[key] = None
        elif kind is np.flatiter:
            self._write_flat(o, key, v, v_d)
        elif has_method(kind, "__setitem__"):
            self.call(kind.__setitem__, (o, key, v), (o_d, None, v_d))
        else:
            self.refuse_if_active(o, o_d, f"writing into a {kind.__qualname__}")
            self.refuse_if_active(v, v_d, f"writing into a {kind.__qualname__}")
            o[key] = v

    def _write_flat(self, o: Any, key: Any, v: Any, v_d: Any) -> None:
        """``x.flat[key] = v``."""
        base = o.base
        if base.flags.c_contiguous:
            self.write(base.reshape(-1), None, key, v, v_d)
            return
        cells = np.arange(base.size)[key]
        self.write(base, None, np.unravel_index(cells, base.shape), v, v_d)

    def delitem(self, o: Any, o_d: Any, key: Any) -> None:
        if type(o) is list:
            self.list_delitem(o, key)
        elif isinstance(o, dict) and not has_method(type(o), "__delitem__"):
            del o[key]
            record = self.records.of(o)
            if record is not None:
                record.slots.pop(key, None)
        elif has_method(type(o), "__delitem__"):
            self.call(type(o).__delitem__, (o, key), (o_d, None))
        else:
            del o[key]

    def write_back(self, o: Any, o_d: Any, key: Any, new: Any, new_d: Any, old: Any) -> None:
        """The last step of ``o[key] op= v``: nothing to do where a view was changed in place."""
        if new is old and type(o) is ndarray and type(new) is ndarray and is_basic(key):
            return
        self.setitem(o, o_d, key, new, new_d)

    # -- writes into arrays -------------------------------------------------------------------------------

    def write(self, x: ndarray, x_d: Any, key: Any, v: Any, v_d: Any) -> None:
        """``x[key] = v``, logged."""
        owner = owner_of(x)
        if self.records.aliased and id(owner) in self.records.aliased:
            raise AliasedArgumentsError(
                "this array was passed as two arguments (or as overlapping views), and it is written: "
                "the two gradients would no longer be separate. Pass a copy as one of them."
            )
        if x_d is None or (x_d.buffer.place is not None and x_d.buffer.place.aside):
            x_d = self.buffers.find(x)
        if type(v) is ndarray:
            if v_d is None:
                v_d = self.buffers.find(v)
        elif type(v) is list or type(v) is tuple:
            v, v_d = self.call(np.array, (v,), (v_d,))
        elif v_d is None and type(v) not in ATOMS:
            v_d = self.shadow_of(v, None)
        key = frozen_key(key)
        if type(v) is ndarray and v_d is not None and np.may_share_memory(x, v):
            v, v_d = self.call(
                np.array, (v,), (v_d,)
            )  # NumPy buffers an overlapping right-hand side; so do we
        old = x[key]
        if type(old) is ndarray:
            old = old.copy()
        x[key] = v
        if x.dtype.kind not in "fc":
            if x.dtype.kind in "OV" and (v_d is not None or self.reaches_active(v, set())):
                raise NotDifferentiable(f"active values are written into an array of dtype {x.dtype}")
            v_d = None  # an integer buffer cuts the derivative
        if v_d is not None and x_d is None:
            if owner.dtype != x.dtype:
                raise NotDifferentiable("active values are written through a view of another dtype")
            self.buffers.new(owner)
            x_d = self.buffers.find(x)
        described: Any = v
        if type(v_d) is list:
            described = type(v)
        elif v_d is not None and type(v_d) is not tuple:
            described = (v.shape, v.dtype)
        elif v_d is None:
            described = None
        entry = Write(x, x_d, key, old, described, v_d, writes_once(key))
        self.append(entry)
        self.writes.append(entry)

    def write_whole(self, x: ndarray, x_d: Any, v: Any, v_d: Any) -> Pair:
        """``x[...] = v``; `x` and its shadow."""
        self.write(x, x_d, Ellipsis, v, v_d)
        return x, x_d if x_d is not None else self.buffers.find(x)

    # -- attributes ---------------------------------------------------------------------------------------

    def getattr(self, o: Any, o_d: Any, name: str) -> Pair:
        kind = type(o)
        if kind is ndarray:
            return self._array_attribute(o, o_d, name)
        how = self.attribute_kind(kind, name)
        if name == "__dict__" and is_plain_object(o) and not isinstance(o, list | dict):
            return self.dict_of(o), None
        if how is PLAIN:
            y = getattr(o, name)
            record = self.records.attributes_of(o)
            if record is None:
                if isinstance(o, list | dict) and name in getattr(o, "__dict__", ()):
                    items = self.records.of(o)
                    if items is not None and items.lifted and self.records.leaf(y) is not None:
                        raise NotDifferentiable(
                            f"the attribute {name!r} of an argument of class {kind.__qualname__}, a kind of "
                            f"{'list' if isinstance(o, list) else 'dict'}, has no place in its gradient"
                        )
                return y, None
            if (
                record.lifted
                and name not in getattr(o, "__dict__", ())
                and type(_class_attribute(kind, name)) is not SLOT
            ):
                return y, None  # a class attribute or a method: not a part of this object
            return y, self.records.part(record, name, y)
        if how is NUMBER:
            return self._number_attribute(o, o_d, name)
        if how is TUPLE:
            y = getattr(o, name)
            if o_d is None or name not in kind._fields:
                return y, None
            return y, o_d[kind._fields.index(name)]
        if how is OUTSIDE:
            return getattr(o, name), None
        if kind is functools.partial and name in ("args", "keywords"):
            return self._partial_attribute(o, name)
        if how is SUPER:
            return self._super_attribute(o, name)
        if isinstance(how, property):
            if how.fget is None:
                return getattr(o, name), None
            return self.call1(how.fget, o, o_d)
        if isinstance(how, functools.cached_property):
            if name in o.__dict__:
                record = self.records.attributes_of(o)
                y = o.__dict__[name]
                return y, None if record is None else self.records.part(record, name, y)
            y, y_d = self.call1(how.func, o, o_d)
            record = self.records.attributes_of(o)
            if record is not None:
                record.about_to_write(name)
            o.__dict__[name] = y
            if y_d is not None:
                self.records.make_attributes(o).slots[name] = y_d
            return y, y_d
        if how is FALLBACK:
            instance = getattr(o, "__dict__", {})
            if name in instance:
                record = self.records.attributes_of(o)
                y = instance[name]
                return y, None if record is None else self.records.part(record, name, y)
            return self.call(kind.__getattr__, (o, name), (o_d, None))
        if how is CUSTOM:
            return self.call(kind.__getattribute__, (o, name), (o_d, None))
        # a descriptor of the user's own
        return self.call(type(how).__get__, (how, o, kind), (None, None, None))

    def dict_of(self, o: Any) -> dict:
        """``o.__dict__``: an object and its dict share one record."""
        d = o.__dict__
        record = self.records.make(o)
        self.records.table[id(d)] = record
        return d

    def attribute_kind(self, kind: type, name: str) -> Any:
        """How ``instance.name`` is found for instances of `kind`."""
        key = (kind, name)
        found = self.attribute_kinds.get(key)
        if found is None:
            found = self.attribute_kinds[key] = _attribute_kind(kind, name)
        return found

    def _partial_attribute(self, o: functools.partial, name: str) -> Pair:
        record = self.records.of(o)
        if record is None:
            return getattr(o, name), None
        if name == "args":
            shadows = tuple(record.slots.get(("args", i)) for i in range(len(o.args)))
            return o.args, None if all(s is None for s in shadows) else shadows
        self.new_dict(o.keywords, {k: record.slots.get(("keywords", k)) for k in o.keywords})
        return o.keywords, None

    def _super_attribute(self, o: Any, name: str) -> Pair:
        """``super().name``: a property of a base runs transformed; a method is bound as usual."""
        owner, kind = o.__self__, o.__self_class__
        mro = kind.__mro__
        for base in mro[mro.index(o.__thisclass__) + 1 :]:
            if name in base.__dict__:
                found = base.__dict__[name]
                if isinstance(found, property) and found.fget is not None:
                    return self.call1(found.fget, owner, None)
                break
        return getattr(o, name), None

    def _array_attribute(self, o: ndarray, o_d: Any, name: str) -> Pair:
        y = getattr(o, name)
        if type(y) is not ndarray:
            if name in RAW_MEMORY and (o_d is not None or self.buffers.find(o) is not None):
                raise NotDifferentiable(
                    f"the attribute {name!r} of an active array would lose its derivative"
                )
            return y, None
        if o_d is None:
            return y, self.buffers.find(y)
        if y is o:
            return y, o_d
        return y, self.buffers.find(y)

    def _number_attribute(self, o: Any, o_d: Any, name: str) -> Pair:
        y = getattr(o, name)
        if o_d is None or name not in ("real", "imag", "T"):
            return y, None
        if name == "T" or (name == "real" and not isinstance(o, complex | np.complexfloating)):
            return y, o_d
        if not isinstance(o, complex | np.complexfloating):
            return y, None
        node = [0, o_d, 1.0 if name == "real" else 1j]  # bar of z is dL/dRe + i dL/dIm
        self.append(node)
        return y, node

    def setattr(self, o: Any, o_d: Any, name: str, v: Any, v_d: Any) -> None:
        kind = type(o)
        if isinstance(o, type):
            self.attribute_kinds.clear()
        how = self.attribute_kind(kind, name)
        if has_method(kind, "__setattr__") and not is_generated(kind.__setattr__):
            function = kind.__setattr__
            self.call(function, (o, name, v), (o_d, None, v_d))
            return
        if isinstance(how, property):
            if how.fset is None:
                setattr(o, name, v)
                return
            self.call(how.fset, (o, v), (o_d, v_d))
            return
        if how not in KINDS and hasattr(type(how), "__set__") and has_method(type(how), "__set__"):
            self.call(type(how).__set__, (how, o, v), (None, o_d, v_d))
            return
        if kind is ndarray:
            if name in ("real", "imag"):
                self.write(getattr(o, name), None, Ellipsis, v, v_d)
                return
            if name == "flat":
                self._write_flat(o.flat, slice(None), v, v_d)
                return
            if self.buffers.find(o) is not None or any(w.x is o for w in self.writes):
                raise NotDifferentiable(
                    f"assigning the attribute {name!r} of an active array is not supported"
                )
            setattr(o, name, v)
            return
        if v_d is not None and isinstance(o, types.ModuleType | type):
            what = "module" if isinstance(o, types.ModuleType) else "class"
            raise NotDifferentiable(
                f"an active value is stored in the {what} attribute {o.__name__}.{name}; keep it in an instance"
            )
        record = self.records.attributes_of(o)
        if record is not None:
            record.about_to_write(name)
        setattr(o, name, v)
        if v_d is not None:
            self.records.make_attributes(o).slots[name] = v_d
        elif record is not None:
            record.slots[name] = None

    def object_getattribute(self, o: Any, name: str) -> Pair:
        """``object.__getattribute__(o, name)``."""
        found = _class_attribute(type(o), name)
        if isinstance(found, property) and found.fget is not None:
            return self.call1(found.fget, o, None)
        y = object.__getattribute__(o, name)
        record = self.records.attributes_of(o)
        if record is None or (record.lifted and name not in object.__getattribute__(o, "__dict__")):
            return y, None
        return y, self.records.part(record, name, y)

    def object_setattr(self, o: Any, name: str, v: Any, v_d: Any) -> None:
        """``object.__setattr__(o, name, v)``."""
        record = self.records.attributes_of(o)
        if record is not None:
            record.about_to_write(name)
        object.__setattr__(o, name, v)
        if v_d is not None:
            self.records.make_attributes(o).slots[name] = v_d
        elif record is not None:
            record.slots[name] = None

    def delattr(self, o: Any, o_d: Any, name: str) -> None:
        if isinstance(o, type):
            self.attribute_kinds.clear()
        how = self.attribute_kind(type(o), name)
        if isinstance(how, property) and how.fdel is not None:
            self.call1(how.fdel, o, o_d)
            return
        if has_method(type(o), "__delattr__") and not is_generated(type(o).__delattr__):
            self.call(type(o).__delattr__, (o, name), (o_d, None))
            return
        record = self.records.attributes_of(o)
        if record is not None:
            record.about_to_write(name)
        delattr(o, name)
        if record is not None:
            record.slots.pop(name, None)

    # -- guards -------------------------------------------------------------------------------------------

    def new_list(self, xs: list, shadows: list) -> None:
        """Give a new list the shadows of its items."""
        for s in shadows:
            if s is not None:
                self.records.make(xs).slots = list(shadows)
                return

    def new_dict(self, d: dict, shadows: dict) -> None:
        """Give a new dict the shadows of its values."""
        for s in shadows.values():
            if s is not None:
                self.records.make(d).slots = dict(shadows)
                return

    def refuse_if_active(self, o: Any, o_d: Any, what: str) -> None:
        if o_d is not None or self.shadow_of(o, None) is not None:
            raise NotDifferentiable(f"{what} that holds active values is not supported. {WAYS_OUT}")


RAW_MEMORY = frozenset({"data", "ctypes", "__array_interface__", "__array_struct__"})


class _Kind:
    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name


PLAIN = _Kind("an instance attribute, a slot or a class attribute")
NUMBER = _Kind("an attribute of a number")
TUPLE = _Kind("an attribute of a tuple")
OUTSIDE = _Kind("an attribute of something that holds nothing active")
FALLBACK = _Kind("found by __getattr__")
SUPER = _Kind("an attribute of super()")
CUSTOM = _Kind("found by a __getattribute__ of the user's own")
KINDS = (PLAIN, NUMBER, TUPLE, OUTSIDE, FALLBACK, CUSTOM, SUPER)
SLOT = type(type("_", (), {"__slots__": ("a",)}).__dict__["a"])  # type: ignore[arg-type]


def is_generated(function: Any) -> bool:
    """Whether a method was made by `exec`, as those of a frozen dataclass are."""
    return getattr(getattr(function, "__code__", None), "co_filename", "") == "<string>"


def _attribute_kind(kind: type, name: str) -> Any:
    if issubclass(kind, int | float | complex | np.generic):
        found = _class_attribute(kind, name)
        return found if isinstance(found, property) else NUMBER
    if issubclass(kind, tuple):
        found = _class_attribute(kind, name)
        if isinstance(found, property):
            return found
        return TUPLE if hasattr(kind, "_fields") else PLAIN
    if kind in ATOMS or issubclass(kind, types.ModuleType | type):
        return PLAIN if issubclass(kind, type | types.ModuleType) else OUTSIDE
    if kind is super:
        return SUPER
    if has_method(kind, "__getattribute__"):
        return CUSTOM
    found = _class_attribute(kind, name)
    if found is MISSING:
        return FALLBACK if has_method(kind, "__getattr__") else PLAIN
    if isinstance(found, property | functools.cached_property):
        return found
    if isinstance(found, types.FunctionType | classmethod | staticmethod) or type(found) is SLOT:
        return PLAIN
    if hasattr(type(found), "__get__") and has_method(type(found), "__get__"):
        return found
    return PLAIN


def _class_attribute(kind: type, name: str) -> Any:
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return MISSING
