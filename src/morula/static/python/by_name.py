"""Attributes by names that are known texts, and messages to a log that nobody sees."""

from __future__ import annotations

import ast
import builtins
import operator
import sys
from ast import literal_eval
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

from morula.static.python.ir import Program, Unsupported, is_written_out
from morula.static.python.scopes import Array, Small, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.texts import is_text
from morula.static.python.things import ABSENT, Bound, Thing

__all__ = ["GETTERS", "ByName"]

GETTERS = (operator.itemgetter, operator.attrgetter)
LEVELS = {"debug": 10, "info": 20, "warning": 30}  # of messages of `logging`


class ByName:
    """The part of a `front.Builder` that reads them."""

    line: int
    value: Callable[[ast.expr], Any]
    has: Callable[[Thing, Any], bool]
    not_late: Callable[[Thing, Any], None]
    find: Callable[[type, str], tuple[Any, str]]
    attribute_from: Callable[[Any, str], Any]
    set_attribute: Callable[[Any, str, Any], None]
    guard: Callable[[str], None]
    given: Callable[[dict[str, Any], Any], str]
    program: Program
    definitions: dict[CodeType, Any]
    operated: Callable[..., Any]
    operand: Callable[[Any], Any]

    def getter(self, f: Any, args: list) -> Static:
        """What ``operator.itemgetter(*args)`` or ``operator.attrgetter(*args)`` gives, as a function of the program."""
        keys = [literal_eval(v) if is_written_out(v) else v.value if is_text(v) else None for v in args]
        if not keys or not all(type(k) is str or (f is operator.itemgetter and type(k) is int) for k in keys):
            raise Unsupported(f"a call to {f.__name__} with these arguments", self.line)
        function, self.definitions[function.__code__] = function_of_getter(f, tuple(keys))
        return Static(function, self.given(self.program.space, function))

    def by_name(self, f: Any, args: list) -> Any:
        """A call of `getattr`, `setattr`, `hasattr` or `pow`, an operator; `ABSENT` where it is something else."""
        is_power = f is pow and len(args) == 2 and not has_own_rule(f)
        if is_power and all(isinstance(x, str | Small | Array) for x in args):
            return self.operated(ast.Pow(), *map(self.operand, args))
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
        if is_open:
            self.not_late(owner, name)
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


@lru_cache(maxsize=256)
def function_of_getter(f: Any, keys: tuple) -> tuple[FunctionType, Any]:
    """A lambda that reads these items or attributes, and its text."""
    parts = [f"item[{k!r}]" if f is operator.itemgetter else f"item.{k}" for k in keys]
    if f is operator.attrgetter and not all(name.isidentifier() for k in keys for name in k.split(".")):
        raise Unsupported("a call to attrgetter with these arguments")
    found = parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
    tree = ast.parse(f"lambda item: {found}", mode="eval")
    made = eval(compile(tree, "<getter>", "eval"), {"__builtins__": builtins, "__name__": "getters"})
    return made, tree.body
