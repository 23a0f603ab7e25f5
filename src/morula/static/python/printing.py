"""``print(...)``: what is printed is noted where the program prints it, and printed once the text has come to its end.

A text that gives way has printed nothing, so that the eager tier may begin anew.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from morula.static.python.forms import Form
from morula.static.python.ir import Program, Unsupported
from morula.static.python.scopes import Array, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.texts import is_text, literally

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

    def printed(self, node: ast.Call) -> Static:
        """A call of ``print`` with numbers, arrays, texts and formatted texts."""
        is_once = self.program.verb == "gradient" and not self.program.weighted and self.sub is None
        named = {k.arg: k.value for k in node.keywords}
        ends = {k: named.pop(k, ast.Constant(default)) for k, default in (("sep", " "), ("end", "\n"))}
        named.pop("flush", None)
        is_plain = not named and all(isinstance(v, ast.Constant) and type(v.value) is str for v in ends.values())
        if not is_once or not is_plain or self.defining or has_own_rule(print):
            raise Unsupported("such a call to print", self.line)
        sep, end = [literally(v.value) for v in ends.values()]  # type: ignore[attr-defined]
        atoms: list[str] = []
        template = sep.join([self._template(a, atoms) for a in node.args]) + end
        where = self.given(self.program.space, template.format)
        numbers = ", ".join([f"{{a{i}}}" for i in range(len(atoms))])
        terms = (None,) * len(atoms)
        form = Form(f"{SAID}.append({where}({numbers}))", frozenset(), terms, is_drawn=True)
        self.compute("numpy", *atoms, f=form)
        self.program.prints = True
        return Static(None)

    def _template(self, node: ast.expr, atoms: list[str]) -> str:
        """What stands for an argument in the format of a line; `atoms` gets the numbers and arrays."""
        if isinstance(node, ast.JoinedStr):
            return "".join([self._template(part, atoms) for part in node.values])
        spec = ""
        if isinstance(node, ast.FormattedValue):
            spec = self._spec(node)
            node = node.value
        value = self.value(node)
        if is_text(value) or (isinstance(value, Static) and value.value is None):
            try:
                return literally(format(str(value.value), spec))
            except ValueError:
                raise Unsupported("a text that does not fit its format", self.line) from None
        if isinstance(value, Array) or not isinstance(value, str):
            raise Unsupported("printing of something other than numbers and texts", self.line)
        atoms.append(value)
        return f"{{:{spec}}}" if spec else "{}"

    def _spec(self, node: ast.FormattedValue) -> str:
        parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
        if node.conversion != -1 or not all(isinstance(p, ast.Constant) for p in parts):
            raise Unsupported("a format that is computed", self.line)
        return "".join([str(p.value) for p in parts if isinstance(p, ast.Constant)])
