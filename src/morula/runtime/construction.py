"""Making instances: classes, named tuples, dataclasses."""

import dataclasses
import inspect
import types
from collections import defaultdict, deque
from typing import Any

from morula.errors import NotDifferentiable, no_rule
from morula.runtime.kinds import container_of, has_method, is_exact_number, is_library_code
from morula.runtime.part import Part

Pair = tuple[Any, Any]


class Construction(Part):
    """``cls(*args)`` in a reverse context."""

    __slots__ = ()

    def construct(self, cls: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``cls(*args, **kw)``."""
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return self.named_tuple(cls, args, ds, kw, kw_d)
        if is_exact_number(cls) and self.any_active(args, ds, kw, kw_d):
            if len(args) == 1 and type(ds[0]) is list and not kw:
                return cls(*args), ds[0]  # the same number
            raise no_rule(cls)
        if cls is types.SimpleNamespace:
            made = cls(*args)
            for k, v in kw.items():
                self.setattr(made, None, k, v, kw_d.get(k))
            return made, None
        if issubclass(cls, type):
            return self.call_metaclass(cls, args, ds, kw, kw_d)
        if has_method(type(cls), "__call__"):
            if not is_library_code(type(cls).__call__):
                return self.call(type(cls).__call__, (cls, *args), (None, *ds), kw, kw_d)
            if not self.any_active(args, ds, kw, kw_d):
                return cls(*args, **kw), None
            raise no_rule(cls)
        return self.instantiate(cls, args, ds, kw, kw_d)

    def instantiate(self, cls: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``type.__call__(cls, *args, **kw)``."""
        own_init, own_new = has_method(cls, "__init__"), has_method(cls, "__new__")
        if not (own_init or own_new):
            if issubclass(cls, BaseException):
                y = cls(*args, **kw)
                if any(d is not None for d in ds):
                    self.records.make(y).slots["args"] = tuple(ds)
                return y, None
            container = container_of(cls)
            if container is not None:
                return self._container(cls, container, args, ds, kw, kw_d)
            if self.any_active(args, ds, kw, kw_d):
                raise no_rule(cls)
            return cls(*args, **kw), None
        container, obj_d = container_of(cls), None
        if own_new:
            obj, obj_d = self.call(cls.__new__, (cls, *args), (None, *ds), kw, kw_d)
            if not isinstance(obj, cls):
                return obj, obj_d
        elif cls.__new__ is object.__new__:
            obj = cls.__new__(cls)
        elif container is not None:
            obj, obj_d = self.made_by_new(cls.__new__, (cls, *args), (None, *ds), kw, kw_d)
        else:
            obj = cls.__new__(cls, *args, **kw)
        if issubclass(cls, BaseException) and any(d is not None for d in ds):
            self.records.make(obj).slots["args"] = tuple(ds)
        if own_init:
            self.call(cls.__init__, (obj, *args), (obj_d, *ds), kw, kw_d)
        elif container in (list, set, dict, deque):
            self.container_method(obj, None, "__init__", args, ds, kw, kw_d)
        elif cls.__init__ is not object.__init__:
            if self.any_active(args, ds, kw, kw_d):
                raise no_rule(cls)
            obj.__init__(*args, **kw)
        return obj, obj_d

    def _container(self, cls: Any, container: type, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A list, a dict, a set ... of a class without a constructor of its own in Python."""
        obj, obj_d = self.made_by_new(cls.__new__, (cls, *args), (None, *ds), kw, kw_d)
        if container not in (tuple, frozenset):
            if issubclass(cls, defaultdict):
                obj.__init__(*args[:1])
                args, ds = args[1:], ds[1:]
            self.container_method(obj, None, "__init__", args, ds, kw, kw_d)
        return obj, obj_d

    def named_tuple(self, cls: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if has_method(cls, "__new__") and not is_generated_new(cls):
            raise NotDifferentiable(f"the named tuple {cls.__qualname__} overrides __new__")
        y = cls(*args, **kw)
        given = dict(zip(cls._fields, ds, strict=False)) | kw_d
        shadows = tuple(given.get(n) for n in cls._fields)
        return y, None if all(s is None for s in shadows) else shadows


def is_generated_new(cls: type) -> bool:
    for base in cls.__mro__:
        if "__new__" in base.__dict__:
            new = base.__dict__["__new__"]
            new = getattr(new, "__func__", new)
            return (
                getattr(new, "__code__", None) is None
                or new.__code__.co_filename.startswith("<string>")
                or (new.__module__ is not None and new.__module__.startswith("namedtuple_"))
            )
    return True


def dataclass_of(init: Any, obj: Any) -> Any:
    """The dataclass for which `dataclasses.dataclass` generated `init`, a base of the class of `obj`; or None."""
    if init.__name__ != "__init__" or init.__code__.co_filename != "<string>":
        return None
    for base in type(obj).__mro__:
        if base.__dict__.get("__init__") is init and "__dataclass_fields__" in base.__dict__:
            return base
    return None


def dataclass_init(ctx: Any, owner: Any, obj: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> None:
    """``owner.__init__(obj, *args, **kw)`` as the documentation of `dataclasses` gives it."""
    signature = inspect.signature(owner.__init__)
    bound = signature.bind(obj, *args, **kw).arguments
    shadows = signature.bind(None, *ds, **{k: kw_d.get(k) for k in kw}).arguments
    frozen = owner.__dataclass_params__.frozen
    post: list[Any] = []
    post_d: list[Any] = []
    for name, field in owner.__dataclass_fields__.items():
        kind = field._field_type.name
        if kind == "_FIELD_CLASSVAR":
            continue
        if field.init and name in bound:
            value, shadow = bound[name], shadows.get(name)
        elif field.default is not dataclasses.MISSING:
            value, shadow = field.default, ctx.shadow_in_object(field, "default")
            if not field.init and not frozen and "__slots__" not in owner.__dict__:
                continue  # stays the class attribute
        elif field.default_factory is not dataclasses.MISSING:
            value, shadow = ctx.call(field.default_factory, (), ())
        else:
            continue
        if kind == "_FIELD_INITVAR":
            post.append(value)
            post_d.append(shadow)
        elif frozen:
            ctx.object_setattr(obj, name, value, shadow)
        else:
            ctx.setattr(obj, None, name, value, shadow)
    if hasattr(obj, "__post_init__"):
        ctx.method(obj, None, "__post_init__", tuple(post), tuple(post_d))
