"""Arrays without axes, as ``np.asarray(x)`` gives one of a number, and NumPy's numbers: their methods."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.complex_numbers import TAKEN_APART
from morula.static.python.ir import Program, Unsupported, is_name
from morula.static.python.scopes import Single

__all__ = ["Singles"]


class Singles:
    """The part of a `front.Builder` that knows arrays without axes."""

    line: int
    program: Program
    compute: Callable[..., str]
    operand: Callable[[Any], Any]
    of_number: Callable[[Any, str], Any]
    only_number: Callable[[Any], str]
    new_array: Callable[[Any], Any]

    def method_of_number(self, atom: str, name: str) -> str:
        """``x.item()`` and its kin, for a number."""
        if name != "item":
            return self.compute("call", atom, f=TAKEN_APART[name])
        if not is_name(atom):
            raise Unsupported(f"the method {name!r} of a number", self.line)
        self.program.relied_on.append((atom, frozenset(["np.float64"])))  # Python's numbers have no such method
        return self.compute("float", atom)

    def method_of_single(self, owner: Single, name: str, node: ast.Call) -> Any:
        """``np.asarray(x).flatten()`` and its kin, for a number."""
        if node.args or node.keywords:
            raise Unsupported(f"the method {name!r} of an array without axes", self.line)
        if name in ("item", "tolist"):
            return self.compute("float", self.operand(owner))
        if name in ("sum", "mean", "max", "min"):
            return self.of_number(getattr(np, name), self.only_number(self.operand(owner)))
        if name in ("copy", "squeeze"):
            return Single(self.compute("element", owner.atom)) if name == "copy" else owner
        if name not in ("flatten", "ravel"):
            raise Unsupported(f"the method {name!r} of an array without axes", self.line)
        return self.vector_of(owner.atom)

    def vector_of(self, atom: str) -> Any:
        """An array of one number."""
        return self.new_array((atom,))
