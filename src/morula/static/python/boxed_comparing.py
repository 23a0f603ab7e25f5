"""Methods by which a program compares objects: `heapq` and `sort` call them for those of the text, too.

They are called as they stand, so they may do nothing but compute with attributes.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable, Iterator
from types import FunctionType, MemberDescriptorType
from typing import Any

from morula.static.python.ir import Unsupported
from morula.transform import SourceUnavailable, reading_of
from morula.transform.syntax import walk

__all__ = ["comparing_methods"]

ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
COMPUTING = (
    ast.Return, ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop,
    ast.Tuple, ast.Constant, ast.Attribute, ast.Name, ast.expr_context, ast.IfExp, ast.If, ast.Call,
)  # fmt: skip


def comparing_methods(kind: type, find: Callable[[str], tuple[Any, str]]) -> dict[str, Any]:
    """The methods that order objects of a class, with the methods and properties that they use, by name.

    Args:
        kind: the class.
        find: what gives an attribute of the class, which is to stay so, and the text that reads it, if there is one.

    Raises:
        Unsupported: they do more than compute with attributes.
    """
    found = _with_what_they_use(kind, find, [name for name in ORDER if find(name)[1]])
    if any(f.__code__.co_filename == functools.__file__ for f in found.values() if type(f) is FunctionType):
        with contextlib.suppress(Unsupported):  # those that `total_ordering` makes ask for it, but not all of them do
            return _with_what_they_use(kind, find, [*found, "__eq__", "__ne__"])
    return found


def _with_what_they_use(kind: type, find: Callable[[str], tuple[Any, str]], names: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while names:
        name = names.pop()
        raw, read = find(name)
        if not read or name in found or type(raw) is MemberDescriptorType or not hasattr(type(raw), "__get__"):
            continue
        f = raw.fget if type(raw) is property else raw
        if type(f) is not FunctionType:
            raise Unsupported(f"objects of type {kind.__qualname__} that are compared by {name!r}")
        found[name] = raw
        names += () if _is_made(kind, name, f) else _asked_for(kind, f)
    return found


def _is_made(kind: type, name: str, f: FunctionType) -> bool:
    """Whether `dataclasses` or `functools` has made a method, which compares what others give."""
    if f.__code__.co_filename == functools.__file__:
        return True
    bases = [base for base in kind.__mro__ if vars(base).get(name) is f]
    is_order = any(getattr(vars(base).get("__dataclass_params__"), "order", False) for base in bases)
    return is_order and f.__code__.co_filename.startswith("<")


def _asked_for(kind: type, f: FunctionType) -> Iterator[str]:
    """The names of the attributes that a method reads, which does nothing but compute with them."""
    reason = f"objects of type {kind.__qualname__} that are compared by {f.__name__!r}"
    try:
        node: Any = reading_of(f.__code__).node
    except SourceUnavailable:
        raise Unsupported(reason) from None
    inside = [n for s in getattr(node, "body", ()) for n in walk(s)]
    params = {a.arg for a in node.args.args}
    for n in inside:
        if not isinstance(n, COMPUTING) or (isinstance(n, ast.Name) and n.id not in params):
            raise Unsupported(reason)
        if isinstance(n, ast.Call) and not isinstance(n.func, ast.Attribute):
            raise Unsupported(reason)
        if isinstance(n, ast.Attribute):
            if not isinstance(n.ctx, ast.Load) or (n.attr.startswith("__") and n.attr not in ORDER):
                raise Unsupported(reason)
            yield n.attr
