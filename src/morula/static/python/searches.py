"""Where a number stands in a list: `bisect`, and the methods and operators that ask for equal items."""

from __future__ import annotations

import ast
import bisect
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.ir import Branch, Fail, Unsupported, is_name
from morula.static.python.scopes import Array, Display, ListOf, Small

__all__ = ["BISECTIONS", "Searches"]

BISECTIONS = frozenset([bisect.bisect_left, bisect.bisect_right])
METHODS = {"index": list.index, "count": list.count}


class Searches:
    """The part of a `front.Builder` that searches lists."""

    line: int
    by_reference: set[Any]
    compute: Callable[..., str]
    emit: Callable[[Any], None]
    listed: Callable[[Any], ListOf]
    constant: Callable[[Any], Any]
    unlisted: Callable[[Any], Any]

    def bisected(self, f: Any, args: list) -> str:
        """``bisect.bisect(numbers, x)``."""
        if len(args) != 2 or not isinstance(args[1], str):
            raise Unsupported(f"a call to {f.__name__} with these arguments", self.line)
        numbers = args[0]
        if isinstance(numbers, Array | Small):
            raise Unsupported(f"a call to {f.__name__} with an array", self.line)
        return self.compute("search", self._searched(numbers).var, args[1], f=f)

    def found_in(self, owner: Any, name: str, node: ast.Call) -> str | None:
        """``numbers.index(x)`` or ``numbers.count(x)``; None where it is something else."""
        if name not in METHODS or len(node.args) != 1 or node.keywords:
            return None
        return self.equal_items(owner, METHODS[name], self.only_number(self.value(node.args[0])))

    def equal_items(self, numbers: Any, f: Any, x: str) -> str:
        if isinstance(numbers, ListOf) and (numbers.is_queue or numbers.kind is np.ndarray):
            raise Unsupported(f"the method {f.__name__!r} of something other than a list", self.line)
        array = self._searched(numbers)
        if is_name(x):
            self.emit(Branch(self.compute("!=", x, x), [Fail()]))  # a NaN is found where the very same one stands
        return self.compute("search", array.var, x, f=f)

    def _searched(self, numbers: Any) -> ListOf:
        numbers = self.unlisted(numbers)
        if isinstance(numbers, tuple) and numbers and all(isinstance(v, str) for v in numbers):
            return self.listed(Display(numbers))
        if not isinstance(numbers, ListOf) or not numbers.is_vector:
            raise Unsupported("a search in something other than a list of numbers", self.line)
        return numbers

    value: Callable[[ast.expr], Any]
    only_number: Callable[[Any], str]
