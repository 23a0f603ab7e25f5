"""Method calls, by what the object is."""

import functools
import types
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any
from weakref import ProxyTypes

import numpy as np

from morula.eager.calls.called_back import watched
from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.registry import C_METHODS, STRUCTURAL, no_rule
from morula.eager.containers.container_types import CHANGING, container_of
from morula.eager.context.kinds import (
    ATOMS,
    fields_of,
    has_method,
    is_hashable,
    is_plain_object,
    plain_number,
)
from morula.eager.context.part import Part
from morula.eager.numpy.array_methods import COMPUTING
from morula.eager.numpy.array_subclasses import is_overriding, is_subclass, is_transparent
from morula.eager.objects.construction import is_generated_new, is_namedtuple_method, with_named_shadows
from morula.eager.objects.copies import REDUCERS
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]


NUMBER_DUNDERS = {
    "__abs__": abs, "__float__": float, "__round__": round, "__int__": int, "__bool__": bool, "__repr__": repr,
    "__str__": str, "__hash__": hash, "__complex__": complex,
}  # fmt: skip
OPERATORS = frozenset("add sub mul truediv floordiv mod pow matmul neg pos invert lshift rshift".split())
COMPARISONS = frozenset({"__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"})


class Methods(Part):
    """``o.name(*args)`` in a reverse context."""

    __slots__ = ()

    def method(
        self,
        o: Any,
        o_d: Any,
        name: str,
        args: tuple,
        ds: tuple,
        kw: dict | None = None,
        kw_d: dict | None = None,
    ) -> Pair:
        """``o.name(*args, **kw)`` without making the bound method where that can be avoided."""
        kind = type(o)
        if kind is ndarray:
            f = COMPUTING.get(name)
            if f is not None:
                if kw or len(args) > 1:
                    return self.call(f, (o, *args), (o_d, *ds), kw, kw_d)
                if args:
                    return self.on2[f](self, o, args[0], o_d, ds[0])
                return self.on1[f](self, o, o_d)
            return self.array_method(o, o_d, name, args, ds, kw or {}, kw_d or {})
        kw = kw or {}
        kw_d = kw_d or {}
        if kind is list:
            return self.list_method(o, None, name, args, ds, kw, kw_d)
        if kind is dict and name != "fromkeys":
            return self.dict_method(o, None, name, args, ds, kw, kw_d)
        if kind in ProxyTypes:
            return self.method(self.behind(o), None, name, args, ds, kw, kw_d)
        if self.is_ordinary(kind):
            return self.instance_method(o, o_d, name, args, ds, kw, kw_d)
        if kind is ModuleType or isinstance(o, ModuleType):
            return self.call(getattr(o, name), args, ds, kw, kw_d)
        if isinstance(o, type):
            return self.class_method(o, name, args, ds, kw, kw_d)
        if isinstance(o, ndarray) and is_overriding(kind) and hasattr(ndarray, name) and not has_method(kind, name):
            return self.overriding_method(o, name, args, ds, kw, kw_d)
        if isinstance(o, ndarray) and is_transparent(kind) and hasattr(ndarray, name) and not has_method(kind, name):
            return self.subclass_method(o, name, args, ds, kw, kw_d)
        if kind in ATOMS:
            return self._atom_method(o, o_d, name, args, ds, kw, kw_d)
        if isinstance(o, float) and name in float.__dict__ and not has_method(kind, name):
            return self._atom_method(float.__float__(o), o_d, name, args, ds, kw, kw_d)
        if kind is types.GeneratorType:
            return self.generator_method(o, name, args, ds)
        container = container_of(kind)
        if container is not None and name not in fields_of(o):
            if container is tuple and name in ("_replace", "_asdict", "_make") and is_namedtuple_method(kind, name):
                return self.tuple_method(o, o_d, name, args, ds, kw, kw_d)
            if name == "fromkeys" and type(kind.fromkeys) is BuiltinFunctionType:
                return self._from_keys(kind, args, ds)
            if hasattr(kind, name) and not has_method(kind, name):
                return self.container_method(o, o_d, name, args, ds, kw, kw_d)
        if kind is super:
            bound = getattr(o, name)
            if isinstance(bound, MethodType):
                own = o_d if bound.__self__ is o.__self__ else None
                return self.call(bound.__func__, (bound.__self__, *args), (own, *ds), kw, kw_d)
            if name != "__new__" and isinstance(getattr(bound, "__self__", None), ModuleType | None):  # static
                return self.call(bound, args, ds, kw, kw_d)
            return self._super_builtin(o, o_d, name, bound, args, ds, kw, kw_d)
        return self.instance_method(o, o_d, name, args, ds, kw, kw_d)

    def is_ordinary(self, kind: type) -> bool:
        """Whether the instances of a class are objects whose methods no other class of this engine's knows better."""
        found = self.attribute_kinds.get((kind, "()"))
        if found is None:
            special = (ModuleType, type, ndarray, float, types.GeneratorType, super)
            found = kind not in ATOMS and not issubclass(kind, special) and container_of(kind) is None
            found = found and not any("__class__" in vars(base) for base in kind.__mro__[:-1])  # no proxy of others
            self.attribute_kinds[(kind, "()")] = found
        return found

    def instance_method(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``o.name(*args, **kw)`` as Python finds it."""
        kind = type(o)
        if not has_method(kind, "__getattribute__") and name not in fields_of(o):
            for base in kind.__mro__:
                found = base.__dict__.get(name)
                if found is not None:
                    if type(found) is FunctionType:
                        return self.call(found, (o, *args), (o_d, *ds), kw, kw_d)
                    break
            else:
                found = None
            if (
                found is not None
                and not isinstance(found, type | BuiltinFunctionType | MethodType | np.ufunc)  # which are not bound
                and type(found) not in (classmethod, staticmethod, property)
                and not hasattr(type(found), "__set__")
            ):
                meaning = meaning_of(found)
                if meaning.adjoint or meaning.handler or meaning.rules or meaning.constant or meaning.program:
                    return self.call(found, (o, *args), (o_d, *ds), kw, kw_d)
                if not (has_method(type(found), "__get__") or is_plain_object(found)):
                    return self._builtin_method(o, o_d, name, args, ds, kw, kw_d)
        f, f_d = self.getattr(o, o_d, name)
        if type(f) is BuiltinFunctionType and f.__self__ is o:  # a method in C, which the class gave in its own way
            return self._builtin_method(o, o_d, f.__name__, args, ds, kw, kw_d)
        return self.call(f if f_d is None else self.callee(f, f_d), args, ds, kw, kw_d)

    def _atom_method(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method of a number, a string, a ufunc ..."""
        kind = type(o)
        if name in ("as_integer_ratio", "hex") and o_d is not None:
            raise no_rule(getattr(kind, name))  # the same number in integers or text, which have no derivative
        if isinstance(o, np.generic):
            return self.number_method(o, o_d, name, args, ds, kw, kw_d)
        if kind is np.ufunc:
            return self.ufunc_method(o, name, args, ds, kw, kw_d)
        if kind is str or kind is bytes:
            if name == "join":
                pairs = list(self.iter(*args, *ds))
                if kind is bytes and any(self.array_shadow(v, d) is not None for v, d in pairs):
                    raise NotDifferentiable("bytes.join of an active array would lose its derivative")
                return o.join([v for v, _ in pairs]), None
            if kind is bytes and self.any_active(args, ds, kw, kw_d):
                raise no_rule(getattr(bytes, name))
            if name in ("format", "__mod__", "format_map"):
                self.tell_all(args, ds, kw, kw_d)
            if args and not ATOMS.issuperset(map(type, args)):
                return watched(self, getattr(o, name), args, kw), None
            return getattr(o, name)(*args, **kw), None
        if name == "conjugate" and o_d is not None and not args:
            return o.conjugate(), self.call(np.conjugate, (o,), (o_d,))[1]
        f = getattr(o, name)
        if isinstance(f, type):  # ``x.dtype.type(y)``
            return self.call(f, args, ds, kw, kw_d)
        own = self.number_dunder(o, o_d, name, args, ds)
        if own is not None:
            return own
        if name.startswith("__") and (o_d is not None or self.any_active(args, ds, kw, kw_d)):
            raise no_rule(f)
        if self.any_active(args, ds, kw, kw_d):
            raise no_rule(f)
        return f(*args, **kw), None

    def number_dunder(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple) -> Pair | None:
        """A special method of a number, as the operation that it is; None where it is none."""
        if name in NUMBER_DUNDERS and not args:
            return self.call(NUMBER_DUNDERS[name], (o,), (o_d,))
        if name in COMPARISONS and len(args) == 1:
            return getattr(self, name.strip("_"))(o, o_d, args[0], ds[0]), None
        if name in ("__pow__", "__rpow__") and args[1:] == (None,):  # a modulus
            args, ds = args[:1], ds[:1]
        if not name.startswith("__") or len(args) > 1 or (o_d is None and not self.any_active(args, ds, {}, {})):
            return None
        plain = name.strip("_")
        if plain in ("divmod", "rdivmod") and len(args) == 1:
            pairs = ((o, args[0]), (o_d, ds[0])) if plain == "divmod" else ((args[0], o), (ds[0], o_d))
            return self.call(divmod, *pairs)
        if plain.startswith("r") and plain[1:] in OPERATORS and len(args) == 1:
            return getattr(self, plain[1:])(args[0], ds[0], o, o_d)
        if plain in OPERATORS:
            return getattr(self, plain)(o, o_d, *[p for pair in zip(args, ds, strict=True) for p in pair])
        return None

    def class_method(self, cls: type, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        f, _ = self.getattr(cls, None, name)
        if name == "_make" and issubclass(cls, tuple) and hasattr(cls, "_fields"):
            values, shadows = self.spread(args[0], ds[0])
            return f(values), self.packed(tuple(shadows))
        if cls is object and name == "__getattribute__":
            return self.object_getattribute(args[0], ds[0], args[1])
        if cls is object and name == "__setattr__":
            self.object_setattr(args[0], args[1], args[2], ds[2])
            return None, None
        if name == "__new__" and args and hasattr(args[0], "_fields") and is_generated_new(cls):
            return with_named_shadows(f(*args, **kw), ds[1:], kw_d)
        if (meaning := meaning_of(f)).handler or meaning.substitute:
            return self.call(f, args, ds, kw, kw_d)
        if isinstance(f, BuiltinFunctionType) and isinstance(f.__self__, type):
            if name == "__new__" and args and isinstance(args[0], type) and cls.__new__ is object.__new__:
                return object.__new__(args[0]), None
            if name == "fromkeys" and 1 <= len(args) <= 2 and not kw:
                return self._from_keys(cls, args, ds)
            if self.any_active(args, ds, kw, kw_d):
                if name == "__new__":
                    return self.made_by_new(f, args, ds, kw, kw_d)
                raise no_rule(f)
            return f(*args, **kw), None
        return self.call(f, args, ds, kw, kw_d)

    def _from_keys(self, cls: Any, args: tuple, ds: tuple) -> Pair:
        """``cls.fromkeys(keys[, value])``."""
        d, _ = self.call(cls, (), ())
        value, value_d = (args[1], ds[1]) if len(args) > 1 else (None, None)
        for key, key_d in self.iter(args[0], ds[0]):
            self.setitem(d, None, key, value, value_d, key_d)
        return d, None

    def made_by_new(self, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``cls.__new__(cls, *args)`` as a builtin base defines it."""
        if f is type.__new__:
            return self.new_class(f, args[0], args[1:], kw, kw_d), None
        handler = STRUCTURAL.get(f)
        if handler is not None:
            return handler(self, args, ds, kw, kw_d)
        cls = args[0] if args else None
        if isinstance(f, FunctionType):
            if hasattr(cls, "_fields") and f.__module__.startswith("namedtuple_"):
                return with_named_shadows(f(*args, **kw), ds[1:], kw_d)
            return self.call(f, args, ds, kw, kw_d)
        if isinstance(cls, type) and issubclass(cls, float | complex) and len(args) > 1 and not kw:
            y, y_d = self.call(float if issubclass(cls, float) else complex, args[1:], ds[1:])
            return f(cls, y), y_d
        if isinstance(cls, type) and issubclass(cls, int):
            return f(*args, **kw), None  # an integer is cut off
        container = container_of(cls) if isinstance(cls, type) else None
        if container is tuple and len(args) == 2 and not kw and not hasattr(cls, "_fields"):
            pairs = list(self.iter(args[1], ds[1]))
            return f(cls, [v for v, _ in pairs]), self.packed(tuple([d for _, d in pairs]))
        if container is frozenset and len(args) == 2 and not kw:
            return self.made_set(functools.partial(f, cls), args[1:], ds[1:])
        if container in CHANGING:
            return f(cls), None  # their items come with __init__
        if self.any_active(args, ds, kw, kw_d) and f is not object.__new__:
            y = f(*args, **kw) if f is ndarray.__new__ else None
            if (
                y is not None
                and is_subclass(y)
                and all(
                    d is None or isinstance(a, ndarray)
                    for a, d in zip((*args, *kw.values()), (*ds, *(kw_d.get(k) for k in kw)), strict=True)
                )
            ):
                if (x := y.base) is not None and isinstance(x, ndarray) and x.dtype == y.dtype:
                    return y, None  # a view of the buffer
            raise no_rule(f)
        return f(*args, **kw), None

    def _super_builtin(self, o: Any, o_d: Any, name: str, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method that ``super()`` found in a builtin base."""
        owner = o.__self__
        if name in REDUCERS:
            return self.reducer(owner, o_d, name, args, ds)
        if name == "__new__":
            return self.made_by_new(f, args, ds, kw, kw_d)
        if not isinstance(owner, type) and container_of(type(owner)) is not None:
            if isinstance(f, BuiltinFunctionType | MethodWrapperType) and hasattr(container_of(type(owner)), name):
                return self.container_method(owner, o_d, name, args, ds, kw, kw_d)
            return self.call(f, args, ds, kw, kw_d)
        if is_subclass(owner) and hasattr(ndarray, name) and name != "__init__":
            return self.array_super(owner, name, f, args, ds, kw, kw_d)
        if name == "__getattribute__":
            return self.object_getattribute(owner, o_d, *args)
        if name == "__setattr__":
            self.object_setattr(owner, args[0], args[1], ds[1])
            return None, None
        if name == "__delattr__":
            self.object_delattr(owner, *args)
            return None, None
        if isinstance(owner, type) and name == "__call__":
            return self.instantiate(owner, args, ds, kw, kw_d)
        if name == "__init_subclass__":
            return f(*args, **kw), None
        if isinstance(owner, type) and name == "__init__":
            type.__init__(owner, *args, **kw)
            return None, None
        if name == "__init__" and isinstance(owner, BaseException):
            f(*args, **kw)
            self.exception_arguments(owner, args, ds)
            return None, None
        if name == "__init__" and not args and not kw:
            f()
            return None, None
        if isinstance(owner, int | float | complex):
            return self.method(plain_number(owner), o_d, name, args, ds, kw, kw_d)
        return self._dunder(owner, name, f, args, ds, kw, kw_d)

    def _dunder(self, o: Any, name: str, f: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        unbound = vars(getattr(f, "__objclass__", object)).get(name)
        if is_hashable(unbound) and unbound in STRUCTURAL:
            return self.call(unbound, (o, *args), (None, *ds), kw, kw_d)
        if self.any_active((o, *args), (None, *ds), kw, kw_d):
            raise no_rule(f)
        return f(*args, **kw), None

    def _builtin_method(self, o: Any, o_d: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method written in C of an object that is no array, list, dict or tuple."""
        if name == "__get__" and isinstance(o, FunctionType | MethodDescriptorType | WrapperDescriptorType):
            y = o.__get__(*args, **kw)
            return (y, None) if not ds or ds[0] is None else self.bound(y, ds[0])
        if name in REDUCERS:
            return self.reducer(o, o_d, name, args, ds)
        special = C_METHODS.get(type(o))
        if special is not None:
            return special(self, o, name, args, ds, kw, kw_d)
        f = getattr(o, name)
        if self.any_active((o, *args), (o_d, *ds), kw, kw_d):
            raise no_rule(getattr(type(o), name, f))
        return self.opaque(f, args, kw), None
