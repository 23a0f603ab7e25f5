"""Tuples as the row of their parts: how calls that stay calls take and return them."""

from collections.abc import Iterable, Iterator
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.operands import Items
from morula.static.ir import Const, Value
from morula.static.unsupported import Unsupported


def flat_operands(x: Any) -> list[Any]:
    """The numbers and arrays inside an operand.

    Raises:
        Unsupported: there is something else inside, a function say.
    """
    if isinstance(x, Value | Const):
        return [x]
    items = getattr(x, "items", None)
    if not isinstance(items, tuple):
        raise Unsupported("a call with something that is no number, array or tuple")
    return [leaf for item in items for leaf in flat_operands(item)]


def operand_type(x: Any) -> types.Type:
    """The Numba type of an operand."""
    if isinstance(x, Value):
        return x.type
    if isinstance(x, Const):
        if x.value is None:
            return types.none
        found = _CONSTANTS.get(type(x.value))
        if found is None:
            raise Unsupported(f"a call with a {type(x.value).__name__}")
        return found
    if not isinstance(x, Items):
        raise Unsupported(f"{getattr(x, 'name', x)} as an operand")
    items = [operand_type(item) for item in x.items]
    made = getattr(x.type, "instance_class", x.type)
    if x.fields and isinstance(made, type) and issubclass(made, tuple):
        return types.NamedTuple(items, made)
    return types.Tuple(items)


_CONSTANTS = {bool: types.boolean, int: types.intp, float: types.float64, complex: types.complex128}


def flat_types(t: types.Type) -> list[types.Type]:
    """The types of the numbers and arrays inside a type."""
    if isinstance(t, types.BaseTuple):
        return [leaf for item in t for leaf in flat_types(item)]
    return [t]


def rebuilt(t: types.Type, leaves: Iterator[Any]) -> Any:
    """An operand of type `t` from its parts."""
    if isinstance(t, types.BaseTuple):
        return Items(tuple(rebuilt(item, leaves) for item in t), tuple(getattr(t, "fields", ())), t)
    return next(leaves)


def tuple_text(t: types.Type, leaves: Iterator[str], namespace: dict[str, Any]) -> str:
    """The text of a value of type `t` from the texts of its parts."""
    if not isinstance(t, types.BaseTuple):
        return next(leaves)
    inner = ", ".join([tuple_text(item, leaves, namespace) for item in t])
    if isinstance(t, types.BaseNamedTuple):
        namespace[t.instance_class.__name__] = t.instance_class
        return f"{t.instance_class.__name__}({inner})"
    return f"({inner},)" if len(t) == 1 else f"({inner})"


def part_texts(t: types.Type, text: str) -> list[str]:
    """The texts of the parts of a value of type `t`."""
    if not isinstance(t, types.BaseTuple):
        return [text]
    return [part for k, item in enumerate(t) for part in part_texts(item, f"{text}[{k}]")]


def row(parts: Iterable[str]) -> str:
    """A tuple of texts."""
    found = list(parts)
    return f"({', '.join(found)}{',' if len(found) == 1 else ''})"


def is_active_leaf(t: types.Type) -> bool:
    """Whether a part of an argument or value can have a cotangent."""
    return ir.is_active_type(t)
