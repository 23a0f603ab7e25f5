"""Making instances: classes, named tuples, dataclasses."""

import dataclasses
import inspect
import io
import threading
import types
import weakref
from typing import Any

from morula.eager.calls.observers import keeps_values, refuse_unseen
from morula.eager.calls.registry import STRUCTURAL, no_rule, structural
from morula.eager.containers.container_types import CHANGING, container_of
from morula.eager.context.kinds import has_method, is_exact_number, is_library_code, is_plain_object
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]

# under which builtin exceptions keep what they are made with
EXCEPTION_ATTRIBUTES = (
    "value code errno strerror filename filename2 name obj path msg lineno offset text object start end reason"
).split()
LOOKS_AT_NOTHING = (BaseException, io.IOBase, types.ModuleType, threading.local)  # in __new__; but for `args`


class Construction(Part):
    """``cls(*args)`` in a reverse context."""

    __slots__ = ()

    def construct(self, cls: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``cls(*args, **kw)``."""
        if issubclass(cls, tuple) and hasattr(cls, "_fields") and is_generated_new(cls):
            if not has_method(cls, "__init__"):
                return with_named_shadows(cls(*args, **kw), ds, kw_d)
            obj, obj_d = with_named_shadows(cls.__new__(cls, *args, **kw), ds, kw_d)
            self.call(cls.__init__, (obj, *args), (obj_d, *ds), kw, kw_d)  # may leave attributes beside the fields
            self._check_unseen(obj)
            return obj, obj_d
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
            if not isinstance(type(cls).__call__, types.FunctionType):  # a class, say, as in that of TypedDict
                return self.call(type(cls).__call__, args, ds, kw, kw_d)
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
                self.exception_arguments(y, args, ds)
                return y, None
            container = container_of(cls)
            if container is not None:
                return self._container(cls, container, args, ds, kw, kw_d)
            if issubclass(cls, float | complex):
                return self.made_by_new(cls.__new__, (cls, *args), (None, *ds), kw, kw_d)
            if self.any_active(args, ds, kw, kw_d):
                raise no_rule(cls)
            made = cls(*args, **kw)
            self._check_unseen(made)
            return made, None
        container, obj_d = container_of(cls), None
        if own_new:
            obj, obj_d = self.call(cls.__new__, (cls, *args), (None, *ds), kw, kw_d)
            if not issubclass(type(obj), cls):
                return obj, obj_d
            cls = type(obj)  # whose constructor runs
            own_init, container = has_method(cls, "__init__"), container_of(cls)
        elif cls.__new__ is object.__new__:
            obj = cls.__new__(cls)
        elif issubclass(cls, LOOKS_AT_NOTHING):
            obj = cls.__new__(cls, *args, **kw)
        else:
            obj, obj_d = self.made_by_new(cls.__new__, (cls, *args), (None, *ds), kw, kw_d)
        if issubclass(cls, BaseException):
            self.exception_arguments(obj, args, ds)
        if own_init:
            self.call(cls.__init__, (obj, *args), (obj_d, *ds), kw, kw_d)
        elif container in CHANGING:
            self.container_method(obj, None, "__init__", args, ds, kw, kw_d)
        elif cls.__init__ is object.__init__:
            pass  # which does nothing to an object
        elif cls.__init__ in STRUCTURAL:
            self.call(cls.__init__, (obj, *args), (obj_d, *ds), kw, kw_d)
        else:
            if self.any_active(args, ds, kw, kw_d):
                raise no_rule(cls)
            obj.__init__(*args, **kw)
        self._check_unseen(obj)
        return obj, obj_d

    def _check_unseen(self, obj: Any) -> None:
        if (hasattr(type(obj), "__del__") or keeps_values(type(obj))) and self.reaches_active(obj, set()):
            refuse_unseen(obj, self.records)
            if is_plain_object(obj):
                self.records.make_attributes(obj)

    def exception_arguments(self, error: BaseException, args: tuple, ds: tuple) -> None:
        """The shadows of what an exception was made with, also under the names that builtin ones give it."""
        if any(d is not None for d in ds):
            slots = self.records.make(error).slots
            slots["args"] = tuple(ds)
            for name in EXCEPTION_ATTRIBUTES:
                for arg, d in zip(args, ds, strict=True):
                    if d is not None and getattr(error, name, None) is arg:
                        slots[name] = d

    def raised(self, error: Any) -> Any:
        """``raise error``: a class makes its instance here, where that runs transformed."""
        if isinstance(error, type) and issubclass(error, BaseException):
            return self.construct(error, (), (), {}, {})[0]
        return error

    def _container(self, cls: Any, container: type, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A list, a dict, a set ... of a class without a constructor of its own in Python."""
        obj, obj_d = self.made_by_new(cls.__new__, (cls, *args), (None, *ds), kw, kw_d)
        if container in CHANGING:
            self.container_method(obj, None, "__init__", args, ds, kw, kw_d)
        return obj, obj_d


@structural(type.__call__)
def _type_call(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """How a metaclass makes an instance."""
    make = ctx.instantiate if has_method(type(args[0]), "__call__") else ctx.call
    return make(args[0], args[1:], ds[1:], kw, kw_d)


def with_named_shadows(y: Any, ds: tuple, kw_d: dict) -> Pair:
    """A named tuple with the shadows of the arguments that made it."""
    given = dict(zip(y._fields, ds, strict=False)) | kw_d
    shadows = tuple(given.get(n) for n in y._fields)
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


def is_namedtuple_method(kind: type, name: str) -> bool:
    """Whether a method is the one that `collections.namedtuple` gives its classes, not one written in its place."""
    return getattr(getattr(kind, name, None), "__module__", None) == "collections"


def dataclass_of(init: Any, obj: Any) -> Any:
    """The dataclass for which `dataclasses.dataclass` generated `init`, a base of the class of `obj`; or None."""
    for base in type(obj).__mro__:
        if base.__dict__.get("__init__") is init and "__dataclass_fields__" in base.__dict__:
            return base
    return None


def signature_of(f: types.FunctionType) -> inspect.Signature:
    """The signature of a generated function, which does not change; it is worked out once."""
    found = _signatures.get(f)
    if found is None:
        found = _signatures[f] = inspect.signature(f)
    return found


_signatures: weakref.WeakKeyDictionary[types.FunctionType, inspect.Signature] = weakref.WeakKeyDictionary()


def bound_to(signature: inspect.Signature, args: tuple, kw: dict) -> dict[str, Any]:
    """The arguments of a call by the names of the parameters.

    Raises:
        TypeError: they do not fit these.
    """
    parameters = signature.parameters
    bound = dict(zip(parameters, args, strict=False)) | kw
    are_simple = len(bound) == len(args) + len(kw) and parameters.keys() >= kw.keys()
    if are_simple and all(
        p.kind is p.POSITIONAL_OR_KEYWORD and (name in bound or p.default is not p.empty)
        for name, p in parameters.items()
    ):
        return bound
    return signature.bind(*args, **kw).arguments


def dataclass_init(ctx: Context, owner: Any, obj: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> None:
    """``owner.__init__(obj, *args, **kw)`` as the documentation of `dataclasses` gives it."""
    signature = signature_of(owner.__init__)
    bound = bound_to(signature, (obj, *args), kw)
    shadows = bound_to(signature, (None, *ds), {k: kw_d.get(k) for k in kw})
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
            value = signature.parameters[name].default if field.init else field.default
            shadow = ctx.shadow_in_object(field, "default") if value is field.default else None
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
