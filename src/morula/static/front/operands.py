"""What lowering holds beside values and constants: tuples, static objects; and the types of all of them."""

from dataclasses import dataclass
from typing import Any

from numba.core import types
from numba.core.registry import cpu_target

from morula.static.ir import Const, Value


@dataclass(eq=False, frozen=True)
class Items:
    """A tuple: its items are values of their own. `fields` are the names of a named tuple's."""

    items: tuple
    fields: tuple[str, ...] = ()
    type: Any = None


@dataclass(eq=False, frozen=True)
class Static:
    """An object of the namespace: a function, a dtype, a global array."""

    value: Any
    name: str


def type_of(x: Any) -> types.Type:
    """The Numba type of an operand."""
    if isinstance(x, Value):
        return x.type
    if isinstance(x, Items):
        return types.Tuple([type_of(i) for i in x.items])
    if isinstance(x, Const):
        return _CONSTANTS.get(type(x.value), types.undefined)
    return types.undefined


_CONSTANTS = {bool: types.boolean, int: types.intp, float: types.float64, complex: types.complex128}


def unified(found: list[types.Type]) -> types.Type | None:
    """The type that values of all these types have in common, as Numba sees it."""
    found = [t for t in found if t is not types.undefined]
    if not found:
        return None
    return cpu_target.typing_context.unify_types(*found)


def dtype_text(t: types.Type) -> str:
    """How generated code names a dtype."""
    return "np.bool_" if isinstance(t, types.Boolean) else f"np.{t}"
