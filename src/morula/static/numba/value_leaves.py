"""The parts of a compiled function's value that have a derivative."""

from typing import Any

from numba.core import types

from morula.static.ir import Const, Function, Value, is_array
from morula.static.numba.emit.joint import result_values
from morula.static.tiers.kernel_summary import Leaf


def value_leaves(f: Function) -> tuple[Leaf, ...]:
    wanted = {id(x) for x in result_values(f)}
    found: list[Leaf] = []

    def visit(x: Any, path: tuple[int, ...]) -> None:
        items = getattr(x, "items", None)
        if items is not None:
            for k, item in enumerate(items):
                visit(item, (*path, k))
        elif id(x) in wanted:
            found.append(Leaf(0, path, isinstance(x, Value) and is_array(x)))

    visit(f.result, ())
    return tuple(found)


def value_kind(result: Any) -> str:
    """The kind of a value, as `Summary` has it."""
    t = result.type if isinstance(result, Value) else None
    if t == types.float64:
        return "number"
    if isinstance(t, types.Array) and t.dtype == types.float64 and t.ndim:
        return "array"
    if isinstance(result, Const) and result.value is None:
        return "none"
    if not getattr(result, "items", ()):
        return ""
    every = [isinstance(x, Value) and x.type == types.float64 for x in result.items]
    return "numbers" if all(every) and not result.fields else ""
