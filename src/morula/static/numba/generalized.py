"""What `numba.guvectorize` made, as functions under `numba.njit`: loops around the function of one core.

    dots(a, b, y)        for i in range(y.shape[0]):
                             dot(a[i], b, y[i : i + 1])

A core without axes is a number where the signature says so, and otherwise an array of one element.
"""

import re
import weakref
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from morula.static.numba.vectorized import defined, is_closed
from morula.static.tiers.dispatch import is_of_numba, python_function

_MADE: "weakref.WeakKeyDictionary[Any, dict[tuple, Any]]" = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Operand:
    """An operand: its name, the names of its core's axes, how many axes it has, and whether its core is a number."""

    name: str
    core: tuple[str, ...]
    ndim: int
    is_number: bool

    @property
    def loops(self) -> int:
        """How many axes it has besides those of its core."""
        return self.ndim - len(self.core)


def is_generalized(f: Any) -> bool:
    """Whether `f` was made by `numba.guvectorize`."""
    return type(f).__name__ == "GUFunc" and is_of_numba(type(f))


def as_function(f: Any, args: tuple) -> Any:
    """The function that answers a call from Python, and writes into what it is given to write into; None for none."""
    try:
        given = tuple([numba.typeof(a) for a in args])
    except ValueError:
        return None
    return of_generalized(f, given) if len(given) == len(_cores(f)) else of_values(f, given)


def of_generalized(f: Any, given: tuple[types.Type, ...]) -> Any:
    """The function that does the same to all operands, those that it writes into being the last; None for none.

    What reads something from outside has none, as little as a call for whose very types nothing was compiled.
    """
    operands = _operands(f, given)
    if operands is None:
        return None
    made = _MADE.setdefault(f, {})
    if operands not in made:
        made[operands] = _compiled(f, operands, _lines(operands, _inputs(f)))
    return made[operands]


def of_values(f: Any, given: tuple[types.Type, ...]) -> Any:
    """The function that answers with the one array that `f` fills; None where its shape or type is not in sight."""
    found = [sig for sig in f.gufunc_builder._sigs if tuple(map(_dtype, sig.args[: len(given)])) == _dtypes(given)]
    inputs = _inputs(f)
    cores = _cores(f)
    if len(found) != 1 or len(given) != inputs or len(cores) != inputs + 1:
        return None
    loops = max([getattr(t, "ndim", 0) - len(core) for t, core in zip(given, cores[:-1], strict=True)])
    out = found[0].args[-1].dtype
    if loops < 0 or not set(cores[-1]) <= {axis for core in cores[:-1] for axis in core}:
        return None
    ndim = loops + len(cores[-1])
    operands = _operands(f, (*given, types.Array(out, max(ndim, 1), "C")))
    if operands is None:
        return None
    made = _MADE.setdefault(f, {})
    if (operands, ndim) not in made:
        made[operands, ndim] = _compiled(f, operands[:-1], _answering(f, operands, ndim, out))
    return made[operands, ndim]


def _cores(f: Any) -> list[tuple[str, ...]]:
    """The names of the axes of each operand's core."""
    signature = f.gufunc_builder.signature.replace(" ", "")
    return [tuple(x for x in core.split(",") if x) for core in re.findall(r"\(([^)]*)\)", signature)]


def _inputs(f: Any) -> int:
    signature: str = f.gufunc_builder.signature
    return signature.partition("->")[0].count("(")


def _dtype(t: types.Type) -> Any:
    return types.unliteral(getattr(t, "dtype", t))


def _dtypes(given: tuple[types.Type, ...]) -> tuple:
    return tuple(map(_dtype, given))


def _operands(f: Any, given: tuple[types.Type, ...]) -> tuple[Operand, ...] | None:
    python = python_function(f)
    cores = _cores(f)
    if not isinstance(python, FunctionType) or not is_closed(python) or f.gufunc_builder.writable_args:
        return None
    sigs = [sig for sig in f.gufunc_builder._sigs if tuple(map(_dtype, sig.args)) == _dtypes(given)]
    if len(sigs) != 1 or len(cores) != len(given):
        return None
    found = []
    for k, (t, core, inner) in enumerate(zip(given, cores, sigs[0].args, strict=True)):
        found.append(Operand(f"x{k}", core, getattr(t, "ndim", 0), not isinstance(inner, types.Array)))
        if found[-1].loops < 0 or (not core and not found[-1].is_number and found[-1].ndim == 0):
            return None
    outs = found[_inputs(f) :]
    if any(x.loops != outs[0].loops for x in outs) or any(x.loops > outs[0].loops for x in found):
        return None
    return tuple(found)


def _lines(operands: tuple[Operand, ...], inputs: int) -> list[str]:
    """The loops over all axes that are not of a core."""
    lines = []
    sizes: dict[str, str] = {}
    for x in operands:
        for axis, name in enumerate(x.core):
            size = f"{x.name}.shape[{x.loops + axis}]"
            if sizes.setdefault(name, size) != size:
                lines += [f"if {size} != {sizes[name]}:", '    raise ValueError("mismatch in a core dimension")']
    out = operands[inputs]
    for x in operands:
        for axis in range(x.loops):
            size, whole = f"{x.name}.shape[{axis}]", f"{out.name}.shape[{axis + out.loops - x.loops}]"
            if x is not out:
                allowed = f"{size} != {whole}" + (f" and {size} != 1" if x in operands[:inputs] else "")
                lines += [f"if {allowed}:", '    raise ValueError("operands could not be broadcast together")']
    for axis in range(out.loops):
        lines.append("    " * axis + f"for i{axis} in range({out.name}.shape[{axis}]):")
    args = ", ".join([_core_of(x, out.loops) for x in operands])
    return [*lines, "    " * out.loops + f"kernel({args})"]


def _core_of(x: Operand, loops: int) -> str:
    """The core of an operand at the places of the loops."""
    places = [f"(i{axis + loops - x.loops} if {x.name}.shape[{axis}] != 1 else 0)" for axis in range(x.loops)]
    if not x.core and not x.is_number:
        places[-1] = f"{places[-1]} : {places[-1]} + 1"
    return f"{x.name}[{', '.join(places)}]" if places else x.name


def _answering(f: Any, operands: tuple[Operand, ...], ndim: int, dtype: types.Type) -> list[str]:
    """The loops, around which the array is made that they fill."""
    *given, out = operands
    sizes = {name: f"{x.name}.shape[{x.loops + axis}]" for x in given for axis, name in enumerate(x.core)}
    lines = []
    for axis in range(out.loops if ndim else 0):
        lines.append(f"n{axis} = 1")
        for x in given:
            if (own := axis - out.loops + x.loops) >= 0:
                lines += [f"if {x.name}.shape[{own}] != 1:", f"    n{axis} = {x.name}.shape[{own}]"]
    shape = [*(f"n{axis}" for axis in range(ndim - len(out.core))), *(sizes[name] for name in out.core)] or ["1"]
    lines.append(f"{out.name} = np.empty(({', '.join(shape)},), dtype=np.{as_dtype(dtype).name})")
    return [*lines, *_lines(operands, len(given)), f"return {out.name}" + ("" if ndim else "[0]")]


def _compiled(f: Any, operands: tuple[Operand, ...], lines: list[str]) -> Any:
    python = python_function(f)
    made = _MADE.setdefault(f, {})
    kernel = made.setdefault("kernel", numba.njit(error_model="numpy")(python))  # type: ignore[call-overload]
    given = ", ".join([x.name for x in operands])
    name = python.__name__ if python.__name__.isidentifier() else "function"
    text = f"def {name}({given}):\n" + "".join([f"    {line}\n" for line in lines])
    space = {"np": np, "kernel": kernel}
    return numba.njit(error_model="numpy")(defined(text, name, f"<{name} over arrays {id(kernel)} {operands}>", space))


__all__ = ["as_function", "is_generalized", "of_generalized", "of_values"]
