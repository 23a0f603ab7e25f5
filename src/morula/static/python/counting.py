"""Functions of integers under `functools.lru_cache`, such as binomial coefficients by recursion: called as they are.

What comes out of them is an integer, of integers, and has no derivative.
"""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Callable
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

from morula.static.python.forms import Form
from morula.static.python.ir import Program, Unsupported, is_name
from morula.static.python.scopes import Static
from morula.static.python.slopes import has_own_rule

__all__ = ["Counting", "is_counting"]

INTEGER = frozenset(["int"])
CACHED = type(functools.lru_cache(len))


class Counting:
    """The part of a `front.Builder` that calls them."""

    line: int
    program: Program
    compute: Callable[..., str]
    given: Callable[[dict[str, Any], Any], str]
    types_now: Callable[..., frozenset[str]]

    def counted(self, callee: Static, args: list) -> str:
        f = callee.value
        if has_own_rule(f) or not all(isinstance(a, str) and self.types_now(a, 3) <= INTEGER for a in args):
            raise Unsupported(f"a call to {f.__name__} with something other than integers", self.line)
        self.program.relied_on += [(a, INTEGER) for a in args if is_name(a)]
        numbers = ", ".join([f"{{a{i}}}" for i in range(len(args))])
        text = f"alike({callee.where}({numbers}), {self.given(self.program.space, int)})"
        return self.compute("numpy", *args, f=Form(text, INTEGER, (None,) * len(args)))


def is_counting(f: Any) -> bool:
    """Whether a function that keeps its results reads nothing but itself, numbers and functions of `math`.

    >>> @functools.cache
    ... def ways(n):
    ...     return 1 if n < 2 else ways(n - 1) + ways(n - 2)
    >>> is_counting(ways), is_counting(len)
    (True, False)
    """
    inside = getattr(f, "__wrapped__", None) if type(f) is CACHED else None
    return type(inside) is FunctionType and not inside.__closure__ and _is_plain(inside.__code__, inside.__globals__, f)


def _is_plain(code: CodeType, names: dict[str, Any], f: Any) -> bool:
    for name in code.co_names:
        found = names.get(name, math if name == "math" else getattr(builtins, name, getattr(math, name, None)))
        if not (found is f or found is math or isinstance(found, int | type | BuiltinFunctionType)):
            return False
    return all(_is_plain(c, names, f) for c in code.co_consts if isinstance(c, CodeType))
