"""``print(...)``: what is printed is noted where the program prints it, and printed once the text has come to its end.

A text that gives way has printed nothing, so that the eager tier may begin anew.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from morula.static.python.forms import Form
from morula.static.python.ir import Program, Unsupported
from morula.static.python.scopes import Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.texts import literally

__all__ = ["SAID", "Printing"]

SAID = "said"  # the list in the text


class Printing:
    """The part of a `front.Builder` that reads ``print``."""

    line: int
    program: Program
    sub: Any
    defining: int
    compute: Callable[..., str]
    value: Callable[[ast.expr], Any]
    given: Callable[[dict[str, Any], Any], str]
    put_in_text: Callable[..., str]

    def printed(self, node: ast.Call) -> Static:
        """A call of ``print`` with numbers, arrays and texts."""
        is_once = self.program.verb == "gradient" and not self.program.weighted and self.sub is None
        named = {k.arg: k.value for k in node.keywords}
        ends = {k: named.pop(k, ast.Constant(default)) for k, default in (("sep", " "), ("end", "\n"))}
        named.pop("flush", None)
        is_plain = not named and all(isinstance(v, ast.Constant) and type(v.value) is str for v in ends.values())
        if not is_once or not is_plain or self.defining or has_own_rule(print):
            raise Unsupported("such a call to print", self.line)
        sep, end = [literally(v.value) for v in ends.values()]  # type: ignore[attr-defined]
        atoms: list[str] = []
        template = sep.join([self.put_in_text(self.value(a), atoms) for a in node.args]) + end
        where = self.given(self.program.space, template.format)
        numbers = ", ".join([f"{{a{i}}}" for i in range(len(atoms))])
        terms = (None,) * len(atoms)
        form = Form(f"{SAID}.append({where}({numbers}))", frozenset(), terms, is_drawn=True)
        self.compute("numpy", *atoms, f=form)
        self.program.prints = True
        return Static(None)
