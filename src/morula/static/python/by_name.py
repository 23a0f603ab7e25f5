"""Attributes by names that are known texts, and messages to a log that nobody sees."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from morula.static.python.ir import Unsupported
from morula.static.python.scopes import Static
from morula.static.python.texts import is_text
from morula.static.python.things import ABSENT, Bound, Thing

__all__ = ["ByName"]

LEVELS = {"debug": 10, "info": 20, "warning": 30}  # of messages of `logging`


class ByName:
    """The part of a `front.Builder` that reads them."""

    line: int
    value: Callable[[ast.expr], Any]
    has: Callable[[Thing, Any], bool]
    find: Callable[[type, str], tuple[Any, str]]
    attribute_from: Callable[[Any, str], Any]
    set_attribute: Callable[[Any, str, Any], None]
    guard: Callable[[str], None]

    def by_name(self, f: Any, args: list) -> Any:
        """A call of `getattr`, `setattr` or `hasattr`; `ABSENT` where it is something else."""
        n = {getattr: (2, 3), setattr: (3,), hasattr: (2,)}.get(f, ())
        if len(args) not in n or not is_text(args[1]):
            return ABSENT
        owner, name = args[0], args[1].value
        if f is setattr:
            self.set_attribute(owner, name, args[2])
            return Static(None)
        is_open = f is hasattr or len(args) == 3
        if is_open and isinstance(owner, Static) and type(owner.value) is ModuleType:
            return self._of_module(f, owner, name, *args[2:])
        if is_open and not (isinstance(owner, Thing) and owner.kind not in (list, dict)):
            raise Unsupported(f"a call to {f.__name__} of something other than an object", self.line)
        is_there = not is_open or self.has(owner, name) or self.find(owner.kind, name)[0] is not ABSENT
        if (f is hasattr or not is_there) and owner.home is None:
            raise Unsupported("an attribute that an object from outside may lack", self.line)
        if f is hasattr:
            if is_there and type(self.find(owner.kind, name)[0]) is property:
                raise Unsupported("hasattr of a property", self.line)
            return str(is_there)
        return self.attribute_from(owner, name) if is_there else args[2]

    def _of_module(self, f: Any, owner: Static, name: str, *default: Any) -> Any:
        """What a module has or lacks, which it still does while the text runs."""
        module = owner.value
        is_there = name in vars(module)
        makes_more = "__getattr__" in vars(module) and module.__name__ not in ("numpy", "scipy")
        if not is_there and (makes_more or hasattr(module, name)):
            raise Unsupported("an attribute that a module makes when it is asked for", self.line)
        if f is hasattr or not is_there:
            self.guard(f"{name!r} {'in' if is_there else 'not in'} {owner.where}.__dict__")
            return str(is_there) if f is hasattr else default[0]
        return self.attribute_from(owner, name)

    def is_unseen(self, callee: Any, node: ast.Call) -> bool:
        """Whether a call is a message to a log that is switched off for such messages when the text begins."""
        f = callee.function.value if isinstance(callee, Bound) else None
        if type(f) is not FunctionType or f.__module__ != "logging" or f.__name__ not in LEVELS:
            return False
        owner = callee.owner
        if type(owner.value) is not sys.modules["logging"].Logger or not owner.where or node.keywords:
            return False
        self.guard(f"not {owner.where}.isEnabledFor({LEVELS[f.__name__]})")
        for each in node.args:
            self.value(each)
        return True
