"""What lies in containers and objects, and whether it is numbers."""

from collections import deque
from types import MemberDescriptorType
from typing import Any

import numpy as np

from chainrules import varying_fields
from morula.eager.context.kinds import ATOMS, RECORDED, is_exact_number, is_plain_object

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
    """What a container holds now, one level deep; other threads may change it meanwhile."""
    if isinstance(obj, dict):  # whose class may say something else of its values
        return [*dict.values(obj), *(attributes_of(obj).values() if type(obj) is not dict else ())]
    if isinstance(obj, list | tuple | set | frozenset | deque):
        return list(obj)
    if not is_plain_object(obj):
        return []
    names = varying_fields(type(obj))
    return list(attributes_of(obj).values()) if names is None else [getattr(obj, n) for n in names if hasattr(obj, n)]


def attributes_of(obj: Any) -> dict[str, Any]:
    """The attributes that an object holds now, by name."""
    found = {name: getattr(obj, name, MISSING) for name in attribute_names(obj)}
    return {name: value for name, value in found.items() if value is not MISSING}  # of those that were just deleted


def attribute_names(obj: Any) -> list[str]:
    """The attributes that an object holds itself, in its dict or in slots."""
    names = list(getattr(obj, "__dict__", ()))
    for base in type(obj).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(obj, name):
                names.append(name)
    return names


def varying_names(obj: Any) -> list[str] | tuple[str, ...]:
    """The attributes of an object that may vary: all, unless its class says which."""
    return varying_fields(type(obj)) or attribute_names(obj)


def is_like_an_array(x: Any) -> bool:
    """Whether NumPy, or arithmetic, takes an object for numbers."""
    kind = type(x)
    if kind in ATOMS or isinstance(x, (np.ndarray, np.generic, tuple, *RECORDED)) or is_exact_number(kind):
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
    if isinstance(x, (tuple, *RECORDED)):
        parts = x.values() if isinstance(x, dict) else x
    elif is_plain_object(x):
        values = (getattr(x, name) for name in attribute_names(x))
        # an integer beside what is like an array is its name or size
        parts = (v for v in values if not (isinstance(v, int) and is_like_an_array(x)))
    return any(holds_number(v, depth - 1) for v in parts)
