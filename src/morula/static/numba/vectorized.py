"""What `numba.vectorize` made, as functions under `numba.njit`: of numbers, or as loops over elements."""

import linecache
import weakref
from types import FunctionType
from typing import Any

import numba
import numpy as np

from morula.static.numba.frozen import MISSING, content_of, frozen_names, is_fixed
from morula.static.tiers.dispatch import is_compiled_ufunc, python_function

MOST_AXES = 3

_MADE: "weakref.WeakKeyDictionary[Any, dict[tuple, Any]]" = weakref.WeakKeyDictionary()


def of_ufunc(f: Any, axes: tuple[int, ...]) -> Any:
    """The function for operands of so many axes each, of which those above 0 are equal; None where there is none.

    What reads something from outside has none: its machine code may be that of other values.
    """
    python = python_function(f) if is_compiled_ufunc(f) and type(f).__name__ == "DUFunc" else None
    if not isinstance(python, FunctionType) or not is_closed(python) or not axes:
        return None
    if len({n for n in axes if n}) > 1 or max(axes) > MOST_AXES:
        return None
    made = _MADE.setdefault(f, {})
    if axes not in made:
        number = made.get((0,) * len(axes)) or numba.njit(error_model="numpy")(python)
        made[(0,) * len(axes)] = number
        if any(axes):
            made[axes] = numba.njit(error_model="numpy")(_loops(number, axes, python.__name__))
    return made[axes]


def takes(f: Any, codes: str) -> str | None:
    """The type codes with which a ufunc runs for operands of these; None where that is not certain."""
    signatures = [t.partition("->")[0] for t in f.types]
    if codes in signatures or not getattr(f, "_frozen", True):
        return codes
    floats = "d" * len(codes)
    return floats if floats in signatures and not any("l" in t for t in signatures) else None


def is_closed(python: FunctionType) -> bool:
    """Whether all that a function reads from outside is what nobody rebinds."""
    cells = dict(zip(python.__code__.co_freevars, python.__closure__ or (), strict=True))
    for name in frozen_names(python.__code__):
        value = content_of(cells[name]) if name in cells else python.__globals__.get(name, MISSING)
        if value is not MISSING and not is_fixed(value):
            return False
    return True


def _loops(number: Any, axes: tuple[int, ...], name: str) -> FunctionType:
    """A function that runs over the elements of its operands, which broadcast."""
    given = [f"x{k}" for k in range(len(axes))]
    arrays = [x for x, n in zip(given, axes, strict=True) if n]
    ndim = max(axes)
    lines = []
    for axis in range(ndim):
        lines.append(f"n{axis} = {arrays[0]}.shape[{axis}]")
        for x in arrays[1:]:
            lines += [f"if n{axis} == 1:", f"    n{axis} = {x}.shape[{axis}]"]
        for x in arrays:
            if len(arrays) > 1:
                lines += [f"if {x}.shape[{axis}] != n{axis} and {x}.shape[{axis}] != 1:"]
                lines += ['    raise ValueError("operands could not be broadcast together")']
    lines.append(f"y = np.empty(({', '.join([f'n{axis}' for axis in range(ndim)])},))")
    for axis in range(ndim):
        lines.append("    " * axis + f"for i{axis} in range(n{axis}):")
    index = {x: ", ".join([_place(x, axis, len(arrays)) for axis in range(ndim)]) for x in arrays}
    args = ", ".join([f"{x}[{index[x]}]" if x in index else x for x in given])
    lines.append("    " * ndim + f"y[{', '.join([f'i{axis}' for axis in range(ndim)])}] = number({args})")
    text = f"def {name}({', '.join(given)}):\n" + "".join([f"    {line}\n" for line in [*lines, "return y"]])
    return defined(text, name, f"<{name} over arrays {id(number)} {axes}>", {"np": np, "number": number})


def defined(text: str, name: str, filename: str, space: dict[str, Any]) -> FunctionType:
    """The function that a text defines, whose source is found."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), space)
    made: FunctionType = space[name]
    return made


def _place(x: str, axis: int, many: int) -> str:
    return f"i{axis}" if many == 1 else f"(i{axis} if {x}.shape[{axis}] != 1 else 0)"
