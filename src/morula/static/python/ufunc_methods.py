"""``np.subtract.outer(x, y)``, ``np.add.reduce(x)``, ``np.add.accumulate(x)``: the calls that they stand for."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.comprehensions import Given
from morula.static.python.ir import Unsupported
from morula.static.python.scopes import Array, ListOf, Small, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.things import ABSENT, Bound, Partial

__all__ = ["UfuncMethods", "is_ufunc_method"]

# What a method does along an axis, which is the first one if no other is named.
ALONG: dict[tuple[Any, str], Any] = {
    (np.add, "reduce"): np.sum,
    (np.multiply, "reduce"): np.prod,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "accumulate"): np.cumprod,
}


def is_ufunc_method(f: np.ufunc, name: str) -> bool:
    """Whether a method of a ufunc is one that stands for a call.

    >>> is_ufunc_method(np.subtract, "outer"), is_ufunc_method(np.subtract, "reduce")
    (True, False)
    """
    return (f.nin == 2 and f.nout == 1) if name == "outer" else (f, name) in ALONG


class UfuncMethods:
    """The part of a `front.Builder` that reads such calls."""

    line: int
    value: Callable[[ast.expr], Any]
    held: Callable[[Any], Any]
    as_array: Callable[[Any], Array]

    def of_ufunc_method(self, method: Any, node: ast.Call) -> Any:
        """What a call comes to; `ABSENT` for any other."""
        f: Any = getattr(method, "__self__", None)
        if not isinstance(f, np.ufunc):
            return ABSENT
        name = method.__name__
        if not is_ufunc_method(f, name) or any(isinstance(a, ast.Starred) for a in node.args) or has_own_rule(method):
            raise Unsupported(f"a call to numpy.{f.__name__}.{name}", self.line)
        if name == "outer":
            return self._outer_of(f, node)
        named = {k.arg for k in node.keywords}
        if not 1 <= len(node.args) <= 2 or not named <= ({"axis"} if len(node.args) == 1 else set()):
            raise Unsupported(f"numpy.{f.__name__}.{name} with these arguments", self.line)
        axis = [*node.args[1:], *[k.value for k in node.keywords], ast.Constant(0)][0]
        return self._called_as(ALONG[f, name], node, [node.args[0]], axis)

    def _outer_of(self, f: np.ufunc, node: ast.Call) -> Any:
        if len(node.args) != 2 or node.keywords:
            raise Unsupported(f"numpy.{f.__name__}.outer with these arguments", self.line)
        values = [self.held(self.value(a)) for a in node.args]
        if not all(isinstance(v, Array | ListOf | Small) for v in values):
            raise Unsupported(f"numpy.{f.__name__}.outer of something other than arrays", self.line)
        one, other = map(self.as_array, values)
        shape: Any = ast.Constant((*one.shape, *[1] * len(other.shape)))  # type: ignore[arg-type]
        rows = self._called_as(np.reshape, node, [Given(one), shape])
        return self._called_as(f, node, [Given(rows), Given(other)])

    def _called_as(self, f: Any, node: ast.Call, args: list[ast.expr], axis: ast.expr | None = None) -> Any:
        named = [] if axis is None else [ast.keyword("axis", axis)]
        call = ast.Call(Given(f if isinstance(f, Static | Bound | Partial) else Static(f)), args, named)
        for n in ast.walk(call):
            if isinstance(n, ast.expr | ast.keyword) and not hasattr(n, "lineno"):
                ast.copy_location(n, node)
        return self.value(call)
