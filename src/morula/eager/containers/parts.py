"""What lies in containers and objects, and whether it is numbers."""

import functools
import operator
import weakref
from collections.abc import Callable, Collection
from enum import Enum, EnumMeta
from types import FunctionType, MemberDescriptorType, MethodType
from typing import Any

import numpy as np

from chainrules import varying_fields
from morula.eager.containers.container_types import CHANGING, CONTAINERS, container_of
from morula.eager.context.kinds import ATOMS, captured_values, fields_of, is_exact_number, is_plain_object
from morula.static.tiers.dispatch import is_compiled_class, python_function
from morula.transform.mangling import mangled_name

MISSING = object()
ARRAY_PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__", "__array_ufunc__", "__array_priority__")
DEPTH = 6  # of containers and objects, in search of numbers


def slot_of(cls: type, name: str) -> Any:
    """The descriptor of a slot, or None where an attribute lives in the object's dict."""
    for base in cls.__mro__:
        found = base.__dict__.get(name)
        if type(found) is MemberDescriptorType:
            return found
    return None


def parts_of(obj: Any) -> list[Any]:
    """What a container or an object holds now, one level deep."""
    kind = container_of(type(obj))
    if kind is not None:
        parts = CONTAINERS[kind].parts(obj)
        return [*parts, *attributes_of(obj).values()] if kind is dict and type(obj) is not dict else parts
    if isinstance(obj, EnumMeta):
        return [v for k, v in vars(obj).items() if not k.startswith("_")] + list(obj.__members__.values())
    if not is_plain_object(obj):
        return []
    if isinstance(obj, Enum):  # not its class, as of other objects
        return [v for k, v in attributes_of(obj).items() if k != "__objclass__"]
    names = varying_fields(type(obj))
    return list(attributes_of(obj).values()) if names is None else [getattr(obj, n) for n in names if hasattr(obj, n)]


def proxied(proxy: Any) -> Any:
    """What a weak proxy stands for; None if that is gone."""
    try:
        return proxy.__sizeof__.__self__
    except ReferenceError:
        return None


def consists_of(x: Any, types: Collection[type]) -> bool:
    """Whether something is of one of the types, or a tuple of such."""
    return type(x) in types or (type(x) is tuple and all(consists_of(v, types) for v in x))


def parts_of_code(f: Any) -> list[Any] | None:
    """What something that can be called holds; None of anything else."""
    if type(f) is FunctionType:
        return [*captured_values(f), *(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()]
    if type(f) is MethodType:
        return [f.__self__, f.__func__]
    if isinstance(f, functools.partial):
        return [f.func, *f.args, *f.keywords.values()]
    if type(f) in weakref.ProxyTypes:
        return [proxied(f)]
    if isinstance(f, weakref.ref):
        return [weakref.ref.__call__(f), *fields_of(f).values()]
    return [python_function(f)] if is_compiled_class(type(f)) else None


def may_change(x: Any) -> bool:
    """Whether an object is exactly a container that may hold something else later."""
    return type(x) in CHANGING


def now_in(x: Any) -> Any:
    """A copy of what a container or an object holds now."""
    return x.copy() if may_change(x) else attributes_of(x)


def same_items(a: Any, b: Any) -> bool:
    """Whether a container holds the same objects, in the same order, as another or what was collected for it."""
    if len(a) != len(b) or not all(map(operator.is_, list(a), list(b))):
        return False
    return not isinstance(b, dict) or all(map(operator.is_, list(a.values()), list(b.values())))


def fill(x: Any, items: Any) -> None:
    """Let a container or an object hold `items`."""
    container = CONTAINERS.get(type(x))
    if container is not None and container.fill is not None:
        container.fill(x, items)
        return
    for name in attribute_names(x):
        if name not in items:
            object.__delattr__(x, name)
    for name, value in items.items():
        object.__setattr__(x, name, value)


def mapped(x: Any, f: Callable[[Any], Any]) -> Any:
    """A list, tuple or dict of what `f` makes of its parts; anything else as it is."""
    kind = type(x)
    if kind is list:
        return [f(v) for v in x]
    if isinstance(x, tuple):
        return kind(*map(f, x)) if hasattr(x, "_fields") else tuple(map(f, x))
    return {k: f(v) for k, v in x.copy().items()} if kind is dict else x


def attributes_of(obj: Any) -> dict[str, Any]:
    """The attributes that an object holds now, by name; no `__getattribute__` of its class is asked for them."""
    fields = fields_of(obj)
    found = {name: fields.get(name, MISSING) if name in fields else in_slot(obj, name) for name in attribute_names(obj)}
    return {name: value for name, value in found.items() if value is not MISSING}  # of those that were just deleted


def in_slot(obj: Any, name: str) -> Any:
    """What an object holds in a slot, or what stands in its place; MISSING where that is empty."""
    slot = slot_of(type(obj), name)
    try:
        return getattr(obj, name) if slot is None else slot.__get__(obj)
    except AttributeError:
        return MISSING


def attribute_names(obj: Any) -> list[str]:
    """The attributes that an object holds itself, in its dict or in slots."""
    names = list(fields_of(obj))
    for base in type(obj).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__"):
                name = mangled_name(name, base.__name__)
                if is_filled(base.__dict__.get(name), obj) or (name not in base.__dict__ and hasattr(obj, name)):
                    names.append(name)
    return names


def is_filled(slot: Any, obj: Any) -> bool:
    """Whether an object has something in a slot, instead of which a `__getattr__` might answer."""
    try:
        slot.__get__(obj)
    except AttributeError:
        return False
    return True


def varying_names(obj: Any) -> list[str] | tuple[str, ...]:
    """The attributes of an object that may vary: all, unless its class says which."""
    return varying_fields(type(obj)) or attribute_names(obj)


def is_like_an_array(x: Any) -> bool:
    """Whether NumPy, or arithmetic, takes an object for numbers."""
    kind = type(x)
    if kind in ATOMS or isinstance(x, np.ndarray | np.generic) or is_exact_number(kind) or container_of(kind):
        return False
    if any(hasattr(kind, name) for name in ARRAY_PROTOCOLS):
        return True
    if hasattr(kind, "__float__") and hasattr(kind, "__mul__"):
        return True
    try:
        return memoryview(x).format in ("f", "d", "<f", "<d")
    except (TypeError, ValueError, BufferError):
        return False


def holds_number(x: Any, depth: int) -> bool:
    """Whether a value is, or holds, a number that is a leaf: a float, or an array of them."""
    kind = type(x)
    if isinstance(x, float | complex | int | np.number) or is_exact_number(kind):
        return kind is not bool
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "fciuV"
    if kind in ATOMS or depth == 0:
        return False
    parts: Any = ()
    if container_of(kind) is not None:
        parts = parts_of(x)
    elif is_plain_object(x):
        values = (getattr(x, name) for name in attribute_names(x))
        # an integer beside what is like an array is its name or size
        parts = (v for v in values if not (isinstance(v, int) and is_like_an_array(x)))
    return any(holds_number(v, depth - 1) for v in parts)
