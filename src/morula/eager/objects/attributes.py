"""Attributes, read and written: found as Python finds them, with properties and descriptors transformed."""

import builtins
import functools
import types
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any
from weakref import ProxyTypes

import numpy as np

from morula.eager.containers.container_types import RECORDED, container_of
from morula.eager.context.kinds import ATOMS, PARTIALS, dict_of, fields_of, has_method, is_empty, is_plain_object
from morula.eager.context.part import Part
from morula.eager.memory.layout import owner_of
from morula.eager.memory.reshaped import assign_shape
from morula.eager.objects.attribute_kinds import (
    CLASS_STATE,
    CUSTOM,
    FALLBACK,
    FRAME,
    ITEM,
    KINDS,
    NUMBER,
    OF_C,
    OF_CLASS,
    OF_MODULE,
    OUTSIDE,
    PLAIN,
    PROXIED,
    SUPER,
    TUPLE,
    attribute_kind,
)
from morula.eager.objects.class_attributes import (
    BOUND_METHODS,
    ENUM_ATTRIBUTES,
    class_attribute,
    is_data_descriptor,
    is_descriptor,
)
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]


class Attributes(Part):
    """``o.name`` in a reverse context."""

    __slots__ = ()

    def getattr(self, o: Any, o_d: Any, name: str) -> Pair:
        kind = type(o)
        if kind is ndarray or (isinstance(o, ndarray) and is_array_attribute(kind, name)):
            return self._array_attribute(o, o_d, name)
        how = self.attribute_kind(kind, name)
        if how is PROXIED:
            return self.getattr(self.behind(o), None, name)
        if name == "__dict__" and type(dict_of(o)) is dict and kind not in NAMESPACES:
            return self.dict_of(o), None
        if kind in FUNCTION_PARTS and name in FUNCTION_PARTS[kind]:
            return self._function_part(o, name)
        if kind in PARTIALS and name in ("args", "keywords"):
            return self._partial_attribute(o, name)
        if how is PLAIN or (how is CLASS_STATE and name in fields_of(o)):
            y = getattr(o, name)
            if o_d is not None and isinstance(o, tuple) and type(y) in BOUND_METHODS:
                return self.bound(y, o_d)
            record = self.records.attributes_of(o)
            if record is None:
                if isinstance(o, RECORDED):
                    self._refuse_unplaced(o, name, y)
                return y, None
            if record.lifted and name not in fields_of(o) and type(class_attribute(kind, name)) is not SLOT:
                return y, None  # a class attribute or a method: not a part of this object
            return y, self.records.part(record, name, y)
        return self._attribute_by_kind(o, o_d, name, how)

    def _refuse_unplaced(self, o: Any, name: str, y: Any) -> None:
        """An attribute of a container that is an argument has no derivative: its gradient has the form of the items."""
        items = self.records.of(o)
        if items is None or not items.lifted or name not in fields_of(o):
            return
        if self.records.leaf(y) is not None:
            raise NotDifferentiable(
                f"the attribute {name!r} of an argument of class {type(o).__qualname__}, a kind of "
                f"{container_of(type(o)).__name__}, has no place in its gradient"
            )

    def _attribute_by_kind(self, o: Any, o_d: Any, name: str, how: Any) -> Pair:
        """``o.name`` that is not just kept in the object, by the `attribute_kind`."""
        kind = type(o)
        if how is OF_C:
            return self.computed_in_c(o, o_d, name)
        if how is NUMBER:
            return self._number_attribute(o, o_d, name)
        if how is OF_CLASS:
            return self.of_class(o, name)
        if how is CLASS_STATE:
            return getattr(o, name), self.inherited_shadow(kind.__mro__, name)
        if how is OF_MODULE:
            return self.module_attribute(o, name)
        if how is TUPLE:
            if name in fields_of(o):
                return self.in_instance(o, name)
            y = getattr(o, name)
            if o_d is not None and type(y) in BOUND_METHODS:
                return self.bound(y, o_d)
            if o_d is None or name not in kind._fields:
                return y, None
            return y, o_d[kind._fields.index(name)]
        if how is OUTSIDE:
            return getattr(o, name), None
        if how is FRAME:
            return self.frame_attribute(o, name)
        if how is SUPER:
            return self.of_super(o, o_d, name)
        if how is ITEM:
            return self.getitem(o, None, name, None)
        if how is FALLBACK and name in fields_of(o):
            return self.in_instance(o, name)
        if how is not FALLBACK:
            try:
                return self._by_code(o, o_d, name, how)
            except AttributeError:
                if not has_method(kind, "__getattr__"):
                    raise
        return self.call(kind.__getattr__, (o, name), (o_d, None))

    def _by_code(self, o: Any, o_d: Any, name: str, how: Any) -> Pair:
        """What a property, another descriptor of the user's or a ``__getattribute__`` answers."""
        kind = type(o)
        if isinstance(how, property):
            if how.fget is None:
                return getattr(o, name), None
            return self.call1(how.fget, o, o_d)
        if isinstance(how, functools.cached_property):
            return self.cached_property(o, o_d, how)
        if how is CUSTOM:
            return self.call(kind.__getattribute__, (o, name), (o_d, None))
        if how is ENUM_ATTRIBUTES.get(name):
            return self.getattr(o, o_d, f"_{name}_")
        # a descriptor of the user's own
        if name in fields_of(o) and not is_data_descriptor(how):
            return self.in_instance(o, name)
        return self.call(type(how).__get__, (how, o, kind), (self.inherited_shadow(kind.__mro__, name), o_d, None))

    def bound(self, method: Any, o_d: Any) -> Pair:
        """A method of a tuple or a number as a value: the shadow of what it is bound to is kept for its call."""
        self.records.make(method).slots["__self__"] = o_d
        return method, None

    def callee(self, f: Any, f_d: Any) -> Any:
        """What is called, where that has a shadow: a tuple or a number of a class with ``__call__`` takes it along."""
        kind = type(f)
        if not isinstance(f, tuple | float | complex) or not has_method(kind, "__call__"):
            return f
        how = class_attribute(kind, "__call__")
        return self.bound(MethodType(how, f), f_d)[0] if type(how) is FunctionType else f

    def callees(self, args: tuple, ds: tuple) -> tuple:
        """Arguments of what calls some of them: see `callee`."""
        return tuple([a if d is None else self.callee(a, d) for a, d in zip(args, ds, strict=True)])

    def dict_of(self, o: Any) -> dict:
        """``o.__dict__``: an object and its dict share one record."""
        d = o.__dict__
        record = self.records.table[id(d)] = self.records.make_attributes(o)
        self.records.alive.append(d)  # `o` may get another one
        if record.seen:
            record.check_all()
        return d

    def attribute_kind(self, kind: type, name: str) -> Any:
        """How ``instance.name`` is found for instances of `kind`."""
        key = (kind, name)
        found = self.attribute_kinds.get(key)
        if found is None:
            found = attribute_kind(kind, name)
            is_state = found not in (OF_CLASS, OF_MODULE) and not is_descriptor(found)
            if self.state and is_state and self.inherited_shadow(kind.__mro__, name):
                found = CLASS_STATE
            self.attribute_kinds[key] = found
        return found

    def cached_property(self, o: Any, o_d: Any, how: functools.cached_property) -> Pair:
        name = how.attrname
        assert name is not None
        if name in o.__dict__:
            return self.in_instance(o, name)
        y, y_d = self.call1(how.func, o, o_d)
        self.set_in_instance(o, name, y, y_d, o.__dict__.__setitem__)
        return y, y_d

    def in_instance(self, o: Any, name: str) -> Pair:
        """What the ``__dict__`` of an instance holds."""
        record = self.records.attributes_of(o)
        y = o.__dict__[name]
        return y, None if record is None else self.records.part(record, name, y)

    def set_in_instance(self, o: Any, name: str, v: Any, v_d: Any, store: Callable[[str, Any], None]) -> None:
        """``store(name, v)``, which puts `v` where an instance keeps its attributes."""
        record = self.records.attributes_of(o)
        if record is not None:
            record.about_to_write(name)
        store(name, v)
        if v_d is not None:
            record = self.records.make_attributes(o)
            record.slots[name] = v_d
            if name != "args":  # which an exception makes a tuple of
                record.seen[name] = v
        elif record is not None:
            record.slots[name] = None
            if record.seen:
                record.seen[name] = v

    def _function_part(self, o: Any, name: str) -> Pair:
        """The defaults of a function, or what a cell of a closure holds."""
        y = getattr(o, name)
        if name == "cell_contents":
            pair = self.twins.cells.get(id(o))
            return y, None if pair is None or is_empty(pair[1]) else pair[1].cell_contents
        shadows = self.twins.default_shadows(o)
        if name == "__kwdefaults__" and y is not None:
            self.new_dict(y, {k: shadows.get(k) for k in y})
            self.twins.expose_defaults(o, self.records.make(y))
            return y, None
        if not shadows or y is None:
            return y, None
        last = o.__code__.co_varnames[o.__code__.co_argcount - len(y) : o.__code__.co_argcount]
        return y, self.packed(tuple(shadows.get(n) for n in last))

    def _partial_attribute(self, o: functools.partial, name: str) -> Pair:
        record = self.records.of(o)
        if record is None:
            return getattr(o, name), None
        if name == "args":
            shadows = tuple(record.slots.get(("args", i)) for i in range(len(o.args)))
            return o.args, None if all(s is None for s in shadows) else shadows
        self.new_dict(o.keywords, {k: record.slots.get(("keywords", k)) for k in o.keywords})
        return o.keywords, None

    def _array_attribute(self, o: ndarray, o_d: Any, name: str) -> Pair:
        y = getattr(o, name)
        if not isinstance(y, ndarray):
            if name in RAW_MEMORY:
                if o_d is not None or self.buffers.find(o) is not None:
                    raise NotDifferentiable(f"the attribute {name!r} of an active array would lose its derivative")
                self.point_at(o, f"its attribute {name!r}")
            return y, None
        if type(y) is not ndarray:
            self.finalized(y, (o,))
            return y, None
        if y.dtype.kind == "O" and owner_of(y) is not owner_of(o):
            self.objects_attribute(o, name, y)
            return y, None
        if o_d is None:
            return y, self.buffers.find(y) if y.dtype.kind != "O" else None
        if y is o:
            return y, o_d
        owner = owner_of(y)
        return y, self.buffers.view(o_d.buffer, y, owner) if owner is owner_of(o) else self.buffers.find(y)

    def _number_attribute(self, o: Any, o_d: Any, name: str) -> Pair:
        if type(o) not in ATOMS and name in fields_of(o):
            return self.in_instance(o, name)
        y = getattr(o, name)
        if o_d is not None and type(y) in BOUND_METHODS:
            return self.bound(y, o_d) if y.__self__ is o else (y, None)
        if o_d is None or name not in OF_NUMBERS:
            return y, None
        if name == "flat":
            return self.call(np.asarray, (o,), (o_d,))[0].flat, None  # its items are read off that array
        if name not in ("real", "imag", "T"):
            raise NotDifferentiable(f"the attribute {name!r} of an active number would lose its derivative")
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
        if how is PROXIED:
            self.setattr(self.behind(o), None, name, v, v_d)
            return
        if has_method(kind, "__setattr__") and not is_generated(kind.__setattr__):
            function = kind.__setattr__
            self.call(function, (o, name, v), (o_d, None, v_d))
            return
        if kind.__setattr__ is dict.__setitem__:
            self.setitem(o, None, name, v, v_d)
            return
        if name == "__dict__" and is_plain_object(o):
            self._replace_dict(o, v)
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
        if kind is types.FunctionType and name == "__code__":
            setattr(o, name, v)
            of_twins: tuple[dict, ...] = (self.twins.table, self.twins.templates, self.twins.bindings)
            for table in (*of_twins, self.plain_twins, self.steps, self.on1, self.on2, self.on3):
                table.pop(o, None)
            return
        if kind in FUNCTION_PARTS and name in FUNCTION_PARTS[kind]:
            if self.any_active((o, v), (None, v_d), {}, {}):
                raise NotDifferentiable(f"the attribute {name!r} of a function or cell with active values is assigned")
        if kind is ndarray or (isinstance(o, ndarray) and is_array_attribute(kind, name)):
            self._set_array_attribute(o, o_d, name, v, v_d)
            return
        if isinstance(o, types.ModuleType | type):
            if o is builtins and v_d is not None:
                raise NotDifferentiable(
                    f"builtins.{name} is assigned an active value, which every module would read without its "
                    "derivative; use a global variable of a module"
                )
            self.set_in_state(o, name, v, v_d)
            return
        if v_d is not None and how is OF_C:
            self.refuse_kept_in_c(kind, name)
        self.set_in_instance(o, name, v, v_d, functools.partial(setattr, o))

    def _set_array_attribute(self, x: ndarray, x_d: Any, name: str, v: Any, v_d: Any) -> None:
        if name in ("real", "imag"):
            part = getattr(x, name)
            if owner_of(part) is not owner_of(x):
                setattr(x, name, v)  # raises
            self.setitem(part, None, Ellipsis, v, v_d)
        elif name == "flat":
            if isinstance(v, ndarray) and np.shares_memory(x, v):  # NumPy may read elements that it has written
                raise NotDifferentiable("part of an array is assigned to its own .flat: assign a copy of the part")
            self._write_flat(x.flat, slice(None), v, v_d)
        elif name == "shape":
            assign_shape(self, x, x_d, v)
        else:
            self.refuse_if_kept(x, f"assigning the attribute {name!r} of an array")
            setattr(x, name, v)

    def _replace_dict(self, o: Any, d: dict) -> None:
        """``o.__dict__ = d``: the record of the dict becomes that of the object."""
        record = self.records.of(o)
        if record is not None and record.lifted:
            raise NotDifferentiable("the __dict__ of an argument is replaced")
        o.__dict__ = d
        self.records.table[id(o)] = self.records.make(d)
        self.records.alive.append(o)  # the record refers to `d` only

    def delattr(self, o: Any, o_d: Any, name: str) -> None:
        if type(o) in ProxyTypes:
            o = self.behind(o)
        if isinstance(o, type):
            self.attribute_kinds.clear()
        if has_method(type(o), "__delattr__") and not is_generated(type(o).__delattr__):
            self.call(type(o).__delattr__, (o, name), (o_d, None))
            return
        self.object_delattr(o, name)


FUNCTION_PARTS = {
    types.FunctionType: frozenset({"__defaults__", "__kwdefaults__"}),
    types.CellType: frozenset({"cell_contents"}),
}
NAMESPACES = (type, types.ModuleType)
ARRAY_ATTRIBUTES = {k: v for k, v in vars(ndarray).items() if type(v) is types.GetSetDescriptorType}


def is_array_attribute(kind: type, name: str) -> bool:
    """Whether an attribute of arrays of a class of its own is that of all arrays."""
    return name in ARRAY_ATTRIBUTES and class_attribute(kind, name) is ARRAY_ATTRIBUTES[name]


OF_NUMBERS = frozenset({"real", "imag", "T", "flat", "base", "data", "__array_interface__", "__array_struct__"})
RAW_MEMORY = frozenset({"data", "ctypes", "__array_interface__", "__array_struct__"})


SLOT = type(type("_", (), {"__slots__": ("a",)}).__dict__["a"])


def is_generated(function: Any) -> bool:
    """Whether a method was made by `exec`, as those of a frozen dataclass are."""
    return getattr(getattr(function, "__code__", None), "co_filename", "") == "<string>"
