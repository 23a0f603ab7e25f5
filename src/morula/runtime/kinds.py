"""Types by how the run time treats them."""

from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    ModuleType,
    NoneType,
    NotImplementedType,
    SimpleNamespace,
)
from typing import Any

import numpy as np

# Numbers whose arithmetic is that of real scalars; their tape entries hold nothing but partials.
REAL = frozenset({float, int, bool, np.float64, np.float32, np.float16, np.longdouble})

# Values that can neither be active nor hold anything active.
ATOMS = frozenset(
    {
        str,
        bytes,
        int,
        bool,
        float,
        complex,
        NoneType,
        type(Ellipsis),
        NotImplementedType,
        range,
        slice,
        CodeType,
        ModuleType,
        type,
        np.dtype,
        BuiltinFunctionType,
        np.ufunc,
        *(t for t in set(np.sctypeDict.values()) if issubclass(t, np.generic) and t is not np.object_),
        *(type(np.dtype(t)) for t in "?bBhHiIlLqQefdgFDGSUV"),
    }
)

HASHABLE_CALLABLES = frozenset({FunctionType, BuiltinFunctionType, type, np.ufunc, type(np.sum), type(len)})

HEAP_TYPE = 1 << 9


def is_float_kind(x: Any) -> bool:
    return x.dtype.kind in "fc"


def is_plain_object(x: Any) -> bool:
    """Whether `x` is an instance of a Python class that keeps its state in attributes."""
    cls = type(x)
    if cls is SimpleNamespace:
        return True
    if not cls.__flags__ & HEAP_TYPE or issubclass(cls, type) or issubclass(cls, BaseException):
        return False
    return hasattr(x, "__dict__") or any("__slots__" in base.__dict__ for base in cls.__mro__)
