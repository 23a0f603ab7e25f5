"""``with`` statements whose context managers do nothing that a text would have to do as well.

Whatever warns of NumPy's in a text is left to the eager tier, so that a text need not be told what to ignore. An object
of a class of the user's is entered and left by its methods; whatever raises in between is the eager tier's, too.
"""

from __future__ import annotations

import ast
import contextlib
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from morula.static.python.bindings import jumps
from morula.static.python.branches import Branches
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Unsupported
from morula.static.python.scopes import Static
from morula.static.python.statements import JUMPS
from morula.static.python.things import Thing
from morula.transform.syntax import walk

__all__ = ["Contexts"]

SILENT = frozenset(["ignore", "warn"])
HELPER = contextlib.contextmanager(iter).__code__  # of all functions that this makes
GENERATOR = 0x20  # of `co_flags`
FILTERS = (warnings.simplefilter, warnings.filterwarnings)


class Contexts(Branches):
    """The part of a `front.Builder` that reads ``with``.

    Attributes:
        filtering: how many blocks are around it after which the filters of warnings are what they were.
    """

    filtering: int
    trying: int
    dunder: Callable[..., Any]
    definition: Callable[..., Any]
    over_generator: Callable[[ast.For, Any], str]

    def _With(self, s: ast.With) -> str:
        (first, *rest) = s.items
        body: list[ast.stmt] = [ast.copy_location(ast.With(rest, s.body), s)] if rest else s.body
        call = first.context_expr
        manager = self.value(call.func) if isinstance(call, ast.Call) else None
        made_by = manager.value if isinstance(manager, Static) else None
        if isinstance(call, ast.Call) and made_by in (np.errstate, contextlib.suppress, contextlib.nullcontext,
                                                    warnings.catch_warnings):  # fmt: skip
            return self._known_context(s, made_by, call, first.optional_vars, body)
        if isinstance(call, ast.Call) and type(made_by) is FunctionType and made_by.__code__ is HELPER:
            assert isinstance(manager, Static)
            return self._generated_context(s, manager, call, first.optional_vars, body)
        return self._own_context(s, self.value(call), first.optional_vars, body)

    def _known_context(
        self, s: ast.With, made_by: Any, call: ast.Call, target: ast.expr | None, body: list[ast.stmt]
    ) -> str:  # fmt: skip
        if made_by is contextlib.suppress and not call.keywords and target is None:
            handler = ast.ExceptHandler(ast.Tuple(call.args, ast.Load()), None, [ast.Pass()])
            return self.block([ast.fix_missing_locations(ast.copy_location(ast.Try(body, [handler], [], []), s))])
        if made_by is contextlib.nullcontext and len(call.args) < 2 and not call.keywords:
            if target is not None:
                self.assign(target, self.value_or_none(call.args[0]) if call.args else Static(None))
            elif call.args:
                self.value_or_none(call.args[0])
            return self.block(body)
        if made_by is np.errstate and not call.args and target is None:
            settings = [k.value.value if isinstance(k.value, ast.Constant) else None for k in call.keywords]
            if all(k.arg is not None for k in call.keywords) and SILENT.issuperset(settings):
                return self.block(body)
        if made_by is warnings.catch_warnings and not call.args and not call.keywords and target is None:
            self.filtering += 1
            status = self.block(body)
            self.filtering -= 1
            return status
        raise Unsupported("a with statement of this kind", self.line)

    def _generated_context(
        self, s: ast.With, manager: Static, call: ast.Call, target: ast.expr | None, body: list[ast.stmt]
    ) -> str:  # fmt: skip
        """The block of what `contextlib.contextmanager` made of a generator, as the one turn of a loop over that."""
        place = HELPER.co_freevars.index("func")
        cell = manager.value.__closure__[place]
        f = None if cell == type(cell)() else cell.cell_contents  # a manager made in the text has none yet
        found = self.of_outside(f"{manager.where}.__closure__[{place}].cell_contents", f, "func")
        if type(f) is not FunctionType or not _yields_once(self.definition(f, GENERATOR)) or jumps(body) or self.trying:
            raise Unsupported("a with statement of this kind", self.line)
        if target is None:
            target = ast.Name(self._unused("entered"), ast.Store())
            self.scopes[-1].own.add(target.id)
        loop = ast.For(target, call, body, [])
        return self.over_generator(ast.copy_location(loop, s), found)

    def _own_context(self, s: ast.With, manager: Any, target: ast.expr | None, body: list[ast.stmt]) -> str:
        """The block of an object of a class of the user's, which it leaves at its end."""
        last = body[-1] if isinstance(body[-1], ast.Return) else None
        inner = body[:-1] if last else body
        if not isinstance(manager, Thing) or jumps(inner) or self.trying:  # which `__exit__` would be told of
            raise Unsupported("a with statement of this kind", self.line)
        entered = self.dunder(manager, "__enter__", [])
        if target is not None:
            self.assign(target, entered)
        status = self.block(inner)
        if status == JUMPS:
            return status
        value = None if last is None else Static(None) if last.value is None else self.held(self.value(last.value))
        self.dunder(manager, "__exit__", [Static(None)] * 3)
        if last is None:
            return status
        return self.block([ast.copy_location(ast.Return(ast.copy_location(Given(value), last)), last)])

    def is_filter(self, f: Any, node: ast.Call) -> bool:
        """Whether a call only says which warnings are to be seen, until the end of a block."""
        action = node.args[0] if node.args else None
        is_heard = isinstance(action, ast.Constant) and action.value == "ignore"
        rest = [*node.args[1:], *[k.value for k in node.keywords]]
        return (
            f in FILTERS
            and self.filtering > 0
            and is_heard
            and all(isinstance(a, ast.Constant | ast.Name) for a in rest)
        )


def _yields_once(function: ast.FunctionDef) -> bool:
    """Whether a generator yields once, whatever the way it goes."""
    yields = [n for n in walk(function) if isinstance(n, ast.Yield | ast.YieldFrom)]
    body = [inner for s in function.body for inner in (s.body if isinstance(s, ast.Try | ast.With) else [s])]
    steps = [s.value for s in body if isinstance(s, ast.Expr | ast.Assign)]
    return len(yields) == 1 and yields[0] in steps and not any(isinstance(n, ast.Return) for n in walk(function))
