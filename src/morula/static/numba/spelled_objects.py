"""The text of a module that finds again the objects that generated code names."""

import ast
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from morula.static.tiers.dispatch import is_dispatcher
from morula.transform.syntax import parsed

LARGEST = 20_000  # bytes of a constant array: Numba caches no code with large ones
OWN = ("morula.", "numba.", "numpy.", "math.", "builtins.")  # what the versions in a key tell all about


def is_own(module: str) -> bool:
    return f"{module}.".startswith(OWN)


def header(text: str, namespace: dict[str, Any]) -> str | None:
    """The imports and assignments that a generated text needs; None where one of its names cannot be said.

    Args:
        text: of one or more functions.
        namespace: the objects that it may name.
    """
    used = {node.id for node in ast.walk(parsed(text)) if isinstance(node, ast.Name)}
    # The module that makes the vector functions known to the process has to come before machine code that calls them.
    lines = ["from morula.static.numba import vector_math"]
    for name in sorted(used & namespace.keys() - {"vector_math"}):
        line = object_text(name, namespace[name])
        if line is None:
            return None
        lines.append(line)
    return "\n".join(lines) + "\n"


def object_text(name: str, value: Any) -> str | None:
    """The statements that bind a name to an object again, in any process; None where there are none.

    Equal text means an equal object, as far as compiled code can tell.
    """
    if isinstance(value, ModuleType):
        return f"import {value.__name__} as {name}" if sys.modules.get(value.__name__) is value else None
    if isinstance(value, np.ndarray):
        return _array_text(name, value)
    if isinstance(value, np.dtype):
        return f"import numpy as np\n{name} = np.dtype({value.str!r})" if value.kind in "biufc" else None
    if isinstance(value, np.generic):
        if value.dtype.kind not in "biufc":
            return None
        return f"import numpy as np\n{name} = np.frombuffer({value.tobytes()!r}, {value.dtype.str!r})[0]"
    if _is_literal(value):
        text = repr(value)
        return f"{name} = {type(value).__name__}({text!r})" if type(value) in (float, complex) else f"{name} = {text}"
    if is_dispatcher(value):
        return _dispatcher_text(name, value)
    if isinstance(value, type):
        fields = getattr(value, "_fields", None)
        module = value.__module__
        if not (is_own(module) or issubclass(value, BaseException) or (fields and issubclass(value, tuple))):
            return None
        line = _import_text(name, value, value)
        return line if line is None or not fields else f"{line}  # {', '.join(fields)}"
    if isinstance(value, FunctionType | BuiltinFunctionType | np.ufunc) or hasattr(value, "__qualname__"):
        owner = getattr(value, "__module__", None)
        return _import_text(name, value, value) if owner and is_own(owner) else None
    return None


def _is_literal(value: Any) -> bool:
    if type(value) is tuple:
        return all(type(v) in (int, bool, str) or (type(v) is float and np.isfinite(v)) for v in value)
    return type(value) in (int, float, complex, bool, str, type(None))


def _array_text(name: str, x: np.ndarray) -> str | None:
    order = "C" if x.flags.c_contiguous else "F" if x.flags.f_contiguous else ""
    if type(x) is not np.ndarray or x.dtype.kind not in "biufc" or not order or x.nbytes > LARGEST:
        return None
    shape = tuple(map(int, x.shape))
    held = f"bytearray({x.tobytes(order)!r})"  # type: ignore[arg-type]
    return f"import numpy as np\n{name} = np.ndarray({shape}, {x.dtype.str!r}, {held}, order={order!r})"


def _dispatcher_text(name: str, value: Any) -> str | None:
    """Only of Morula's own functions: the versions in a key tell nothing of others."""
    function = value.py_func
    if not is_own(function.__module__):
        return None
    found = _import_text(name, function, value)
    if found is not None:
        return found
    line = _import_text(f"{name}_python", function, function)
    given = {k: v for k, v in value.targetoptions.items() if v and k != "nopython"}
    if line is None or given != {"error_model": "numpy"}:
        return None
    return f"{line}\nimport numba\n{name} = numba.njit(error_model='numpy')({name}_python)"


def _import_text(name: str, like: Any, value: Any) -> str | None:
    """An import, if the module of `like` has `value` under the name of `like`."""
    module, qualified = like.__module__, like.__qualname__
    if not qualified.isidentifier() or getattr(sys.modules.get(module), qualified, None) is not value:
        return None
    return f"from {module} import {qualified} as {name}"
