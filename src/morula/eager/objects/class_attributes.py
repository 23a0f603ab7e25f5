"""Attributes of classes, through ``super()``, and as ``object`` itself finds, sets and deletes them."""

import functools
import types
import weakref
from enum import Enum, EnumMeta
from typing import Any

import numpy as np

from morula.eager.containers.parts import MISSING
from morula.eager.context.kinds import (
    C_ATTRIBUTES,
    C_METHODS,
    fields_of,
    has_method,
    is_c_attribute,
    is_library_code,
    plain_number,
)
from morula.eager.context.part import Part
from morula.eager.memory.foreign_memory import KEEPING, is_known
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]
BOUND_METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)
ENUM_ATTRIBUTES = {"value": Enum.__dict__["value"], "name": Enum.__dict__["name"]}  # of which members hold ``_value_``


class ClassAttributes(Part):
    """What an attribute of an instance does not need."""

    __slots__ = ()

    def inherited_shadow(self, mro: tuple, name: str) -> Any:
        """The shadow of an attribute of a class, which some base of it may hold."""
        for base in mro:
            if name in base.__dict__:
                return self.class_shadow(base, name)
        return None

    def special(self, kind: type, name: str, args: tuple, ds: tuple) -> Pair:
        """``kind.name(*args)`` of a special method, bound to the instance ``args[0]`` as Python binds it."""
        how = class_attribute(kind, name)
        if type(how) is staticmethod:
            return self.call(how.__func__, args[1:], ds[1:])
        if type(how) is classmethod:
            return self.call(how.__func__, (kind, *args[1:]), (None, *ds[1:]))
        if is_descriptor(how):
            bound, bound_d = self.call(type(how).__get__, (how, args[0], kind), (None, ds[0], None))
            if bound is how:  # which has kept the instance
                return self.call(type(how).__call__, (how, *args[1:]), (bound_d, *ds[1:]))
            return self.call(bound, args[1:], ds[1:])
        if not hasattr(type(how), "__get__") and how is not MISSING:
            return self.call(how, args[1:], ds[1:])
        return self.call(getattr(kind, name), args, ds)

    def of_class(self, cls: Any, name: str) -> Pair:
        """``cls.name``, as ``type.__getattribute__`` finds it."""
        meta = type(cls)
        if has_method(meta, "__getattribute__"):
            return self.call(meta.__getattribute__, (cls, name), (None, None))
        of_meta = class_attribute(meta, name)
        if isinstance(of_meta, property) and of_meta.fget is not None:
            return self.call1(of_meta.fget, cls, None)
        if of_meta is not MISSING and hasattr(type(of_meta), "__set__"):
            if name == "__dict__" and self.state and self.class_shadow(cls, name) is None and self.state_reaches(cls):
                raise NotDifferentiable(f"the __dict__ of the class {cls.__qualname__}, which holds active values")
            return getattr(cls, name), None
        found = class_attribute(cls, name)
        if found is MISSING:
            if of_meta is MISSING and has_method(meta, "__getattr__"):
                return self.call(meta.__getattr__, (cls, name), (None, None))
            return getattr(cls, name), None
        if is_descriptor(found):
            if isinstance(cls, EnumMeta) and name in cls.__members__:
                return cls.__members__[name], None
            return self.call(
                type(found).__get__, (found, None, cls), (self.inherited_shadow(cls.__mro__, name), None, None)
            )
        return getattr(cls, name), self.inherited_shadow(cls.__mro__, name)

    def class_item(self, cls: Any, key: Any, key_d: Any) -> Pair:
        """``cls[key]``."""
        make = getattr(cls, "__class_getitem__", None)
        if isinstance(make, types.MethodType) and is_code_of_user(make.__func__):
            return self.call1(make, key, key_d)
        return cls[key], None

    def set_in_state(self, o: Any, name: str, v: Any, v_d: Any) -> None:
        """``o.name = v`` of a class or a module."""
        of_meta = class_attribute(type(o), name)
        if isinstance(of_meta, property) and of_meta.fset is not None:
            self.call(of_meta.fset, (o, v), (None, v_d))
            return
        if isinstance(o, types.ModuleType):
            self.refuse_hook(v, o, name)
        setattr(o, name, v)
        self.write_state(o if isinstance(o, type) else vars(o), name, v, v_d)

    def of_super(self, o: Any, o_d: Any, name: str) -> Pair:
        """``super().name``: a property of a base runs transformed; a method is bound as usual.

        The shadow `o_d` is that of the instance, where that is a tuple or a number.
        """
        owner, kind = o.__self__, o.__self_class__
        mro = kind.__mro__
        for base in mro[mro.index(o.__thisclass__) + 1 :]:
            if name in base.__dict__:
                found = base.__dict__[name]
                if owner is kind:  # super() of a class method: what a class itself would find
                    return getattr(o, name), self.class_shadow(base, name)
                if isinstance(found, property) and found.fget is not None:
                    return self.call1(found.fget, owner, o_d)
                if isinstance(found, functools.cached_property):
                    return self.cached_property(owner, o_d, found)
                if is_descriptor(found):
                    return self.call(
                        type(found).__get__, (found, owner, kind), (self.class_shadow(base, name), o_d, None)
                    )
                y = getattr(o, name)
                if o_d is not None and (pair := self._of_valued(owner, o_d, name, y)) is not None:
                    return pair
                if is_of_c(found):
                    return self.c_attribute(owner, None, name, y)
                return y, self.class_shadow(base, name)
        return getattr(o, name), None

    def object_getattribute(self, o: Any, o_d: Any, name: str) -> Pair:
        """``object.__getattribute__(o, name)``."""
        found = class_attribute(type(o), name)
        if isinstance(found, property) and found.fget is not None:
            return self.call1(found.fget, o, o_d)
        is_code = isinstance(found, functools.cached_property) or is_descriptor(found)
        if is_code and (is_data_descriptor(found) or name not in fields_of(o)):
            if isinstance(found, functools.cached_property):
                return self.cached_property(o, o_d, found)
            found_d = self.inherited_shadow(type(o).__mro__, name)
            return self.call(type(found).__get__, (found, o, type(o)), (found_d, o_d, None))
        y = object.__getattribute__(o, name)
        if o_d is not None and name not in fields_of(o):
            pair = self._of_valued(o, o_d, name, y)
            if pair is not None:
                return pair
        if is_of_c(found):
            return self.c_attribute(o, None, name, y)
        record = self.records.attributes_of(o)
        if record is None or (record.lifted and name not in object.__getattribute__(o, "__dict__")):
            return y, None
        return y, self.records.part(record, name, y)

    def _of_valued(self, o: Any, o_d: Any, name: str, y: Any) -> Pair | None:
        """The attribute `y` of a tuple or number of the shadow `o_d`, if it is one of its value, or bound to it."""
        is_tuple = isinstance(o, tuple)
        if not (is_tuple or isinstance(o, int | float | complex | np.generic)):
            return None  # it is found by its identity
        if type(y) in BOUND_METHODS and y.__self__ is o:
            return self.bound(y, o_d)
        if is_tuple:
            return (y, o_d[type(o)._fields.index(name)]) if name in getattr(type(o), "_fields", ()) else None
        number = o.dtype.type(o) if isinstance(o, np.generic) else plain_number(o)
        return self.getattr(number, o_d, name) if number is not o and hasattr(number, name) else None

    def object_setattr(self, o: Any, name: str, v: Any, v_d: Any) -> None:
        """``object.__setattr__(o, name, v)``, or ``type.__setattr__`` of a class."""
        if isinstance(o, type):
            self.attribute_kinds.clear()
            type.__setattr__(o, name, v)
            self.write_state(o, name, v, v_d)
            return
        found = class_attribute(type(o), name)
        if isinstance(found, property) and found.fset is not None:
            self.call(found.fset, (o, v), (None, v_d))
        elif hasattr(type(found), "__set__") and has_method(type(found), "__set__"):
            self.call(type(found).__set__, (found, o, v), (None, None, v_d))
        else:
            if v_d is not None and is_of_c(found):
                self.refuse_kept_in_c(type(o), name)
            self.set_in_instance(o, name, v, v_d, lambda name, v: object.__setattr__(o, name, v))

    def refuse_kept_in_c(self, kind: type, name: str) -> None:
        """Raise where an active value is assigned to an attribute of an object that is not Python's."""
        if issubclass(kind, tuple(KEEPING)):
            return
        if kind not in weakref.ProxyTypes and not is_data_descriptor(class_attribute(kind, name)):
            return
        raise NotDifferentiable(
            f"an active value is assigned to the attribute {name!r} of a {kind.__qualname__}, which keeps it where "
            "it cannot be followed; use an object of your own"
        )

    def object_delattr(self, o: Any, name: str) -> None:
        """``object.__delattr__(o, name)``, also of a class or a module."""
        if isinstance(o, type | types.ModuleType):
            type(o).__delattr__(o, name)
            self.write_state(o if isinstance(o, type) else vars(o), name, MISSING, None)
            return
        found = class_attribute(type(o), name)
        if isinstance(found, property) and found.fdel is not None:
            self.call1(found.fdel, o, None)
            return
        if hasattr(type(found), "__delete__") and has_method(type(found), "__delete__"):
            self.call(type(found).__delete__, (found, o), (None, None))
            return
        record = self.records.attributes_of(o)
        if record is not None:
            record.about_to_write(name)
        object.__delattr__(o, name)
        if record is not None:
            record.slots.pop(name, None)


def is_descriptor(found: Any) -> bool:
    """Whether a class attribute has a ``__get__`` written in Python."""
    return hasattr(type(found), "__get__") and has_method(type(found), "__get__")


BINDERS = (*C_METHODS, types.FunctionType, classmethod, staticmethod, property, functools._lru_cache_wrapper)


def is_of_c(found: Any) -> bool:
    """Whether C code that the engine does not know computes the attribute that a class holds `found` for."""
    if isinstance(found, C_ATTRIBUTES):
        return not is_known(found.__objclass__) and is_c_attribute(found, found.__objclass__)
    return not isinstance(found, BINDERS) and hasattr(type(found), "__get__") and not is_descriptor(found)


def is_data_descriptor(found: Any) -> bool:
    return hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")


def class_attribute(kind: type, name: str) -> Any:
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return MISSING


def is_code_of_user(f: Any) -> bool:
    """Whether `f` is a Python function, and none of a library's."""
    return isinstance(f, types.FunctionType) and not is_library_code(f)
