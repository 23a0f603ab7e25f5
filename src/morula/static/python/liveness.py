"""Which variables of a function are read again after each statement, and where one is read for the last time."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from morula.static.python.bindings import NESTED, of_node, own_nodes
from morula.static.python.plain_classes import dataclass
from morula.transform.syntax import walk

__all__ = ["last_uses", "read_after_call", "read_later"]

Live = frozenset[str]
LATER = (ast.GeneratorExp, ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)  # what reads when it is run
SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Pass, ast.Assert, ast.Import, ast.ImportFrom,
          ast.Delete)  # fmt: skip


def read_later(function: Any) -> dict[int, Live]:
    """The variables that may be read after a simple statement, by the identity of that.

    Variables that other functions or generators know are read at any time. Of a function with statements of other
    kinds nothing is known.

    >>> node = ast.parse("def f(a):\\n    b = a\\n    c = b[1:]\\n    b = c.sum()\\n    return b").body[0]
    >>> [sorted(read_later(node)[id(s)]) for s in node.body[:3]]
    [['b'], ['c'], ['b']]
    """
    return _reading(function).after if isinstance(function, ast.FunctionDef) else {}


@of_node
def _reading(function: ast.FunctionDef) -> _Reading:
    reading = _Reading(frozenset(_known_to_others(function)))
    try:
        reading.before(function.body, reading.always, _Ways())
    except _Unknown:
        reading.after.clear()
        reading.after_call.clear()
    return reading


def read_after_call(function: Any) -> dict[int, After]:
    """The variables that may be read once a call that is all that a statement computes has returned, or raised.

    Args:
        function: of which statements are asked that assign the call's value to variables, return it, or drop it.

    >>> node = ast.parse("def f(a, b):\\n    a, b = g(a, b)\\n    c = g(a, b)\\n    return a + c").body[0]
    >>> [sorted(read_after_call(node)[id(s)].returned) for s in node.body[:2]]
    [['g'], ['a']]
    """
    return _reading(function).after_call if isinstance(function, ast.FunctionDef) else {}


def last_uses(function: Any) -> frozenset[int]:
    """Which names, by their identities, are read for the last time: nobody gets at that value of the variable again.

    Variables that comprehensions or other functions know, or that are deleted, are not among them.
    """
    return _last_uses(function) if isinstance(function, ast.FunctionDef) else frozenset()


@of_node
def _last_uses(function: ast.FunctionDef) -> frozenset[int]:
    later, elsewhere = _reading(function).after, frozenset(_seen_elsewhere(function))
    found: set[int] = set()
    for s in walk(function):
        if isinstance(s, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return) and id(s) in later:
            names = [n for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
            uses = Counter([n.id for n in names])
            kept = later[id(s)] | elsewhere
            found.update([id(n) for n in names if uses[n.id] == 1 and n.id not in kept])
    return frozenset(found)


def _seen_elsewhere(function: ast.FunctionDef) -> Iterator[str]:
    for n in walk(function):
        if isinstance(n, NESTED) and n is not function:
            yield from _captured(n)
        elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del):
            yield n.id


def _captured(node: ast.AST) -> Iterator[str]:
    """The names in a function inside, or in another such node, but for those that are its own variables.

    >>> f = ast.parse("def f(u, v=w):\\n    t = u + v + c\\n    return t").body[0]
    >>> sorted(set(_captured(f)))
    ['c', 'w']
    """
    own: set[str] = set()
    if isinstance(node, ast.FunctionDef):
        own = {a.arg for a in walk(node.args) if isinstance(a, ast.arg)}
        others: set[str] = set()
        for n in own_nodes(node):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                own.add(n.id)
            elif isinstance(n, ast.Nonlocal | ast.Global):
                others.update(n.names)
        own -= others
        yield from (n.id for d in [node.args, *node.decorator_list] for n in walk(d) if isinstance(n, ast.Name))
    yield from (n.id for n in walk(node) if isinstance(n, ast.Name) and n.id not in own)


class _Unknown(Exception):
    """A statement of another kind."""


@dataclass()
class _Ways:
    """What is read where ``break``, ``continue`` and an exception lead to."""

    left: Live = frozenset()
    again: Live = frozenset()
    raised: Live = frozenset()


@dataclass(frozen=True)
class After:
    """What is read when a call has returned; and when it has raised, or at any time."""

    returned: Live = frozenset()
    raised: Live = frozenset()


@dataclass()
class _Reading:
    always: Live
    after: dict[int, Live] = field(default_factory=dict)
    after_call: dict[int, After] = field(default_factory=dict)

    def before(self, block: Sequence[ast.stmt], later: Live, ways: _Ways) -> Live:
        """What may be read from a block on, after which `later` is."""
        for s in reversed(block):
            later = self._statement(s, later, ways)
        return later

    def _statement(self, s: ast.stmt, later: Live, ways: _Ways) -> Live:
        if isinstance(s, SIMPLE):
            later |= ways.raised
            self.after[id(s)] = self.after.get(id(s), frozenset()) | later
            targets = s.targets if isinstance(s, ast.Assign) else []
            every = [e for t in targets for e in (t.elts if isinstance(t, ast.Tuple | ast.List) else [t])]
            bound = {e.id for e in every if isinstance(e, ast.Name)}
            if isinstance(s, ast.Assign | ast.Expr) and len(bound) == len(every):
                found = self.after_call.get(id(s), After())
                raised = found.raised | ways.raised | self.always
                self.after_call[id(s)] = After(found.returned | (later - bound), raised)
            return later - bound | _read(s) | self.always
        if isinstance(s, ast.If):
            sides = self.before(s.body, later, ways) | self.before(s.orelse, later, ways)
            return sides | _read(s.test)
        if isinstance(s, ast.For | ast.While):
            first = _read(s.iter) if isinstance(s, ast.For) else frozenset()
            test = _read(s.test) if isinstance(s, ast.While) else frozenset()
            end = self.before(s.orelse, later, ways) | test
            known = end
            while True:
                inside = self.before(s.body, known, _Ways(later, known, ways.raised))
                if inside <= known:
                    return known | first
                known |= inside
        if isinstance(s, ast.With):
            return self.before(s.body, later, ways).union(*[_read(i.context_expr) for i in s.items])
        if isinstance(s, ast.Return | ast.Raise):
            self.after[id(s)] = self.always | ways.raised
            self.after_call[id(s)] = After(raised=self.after[id(s)])
            return _read(s) | self.always | ways.raised
        if isinstance(s, ast.Break | ast.Continue):
            return ways.left if isinstance(s, ast.Break) else ways.again
        if isinstance(s, ast.FunctionDef | ast.ClassDef | ast.Global | ast.Nonlocal):
            return later | self.always
        if isinstance(s, ast.Try):
            return self._tried(s, later, ways)
        raise _Unknown

    def _tried(self, s: ast.Try, later: Live, ways: _Ways) -> Live:
        """A handler may run after any statement, and so may what comes in the end."""
        end = self.before(s.finalbody, later | ways.raised | ways.left | ways.again, ways)
        caught = end.union(*[self.before(h.body, end, ways) for h in s.handlers])
        inner = _Ways(ways.left | end, ways.again | end, ways.raised | caught)
        return self.before(s.body, self.before(s.orelse, end, ways), inner) | caught


def _read(node: ast.AST | None) -> Live:
    """The variables that a statement or an expression reads, or changes what they hold."""
    if node is None:
        return frozenset()
    changed = {id(n.target) for n in walk(node) if isinstance(n, ast.AugAssign)}
    names = [n for n in walk(node) if isinstance(n, ast.Name)]
    return frozenset([n.id for n in names if isinstance(n.ctx, ast.Load | ast.Del) or id(n) in changed])


def _known_to_others(function: ast.FunctionDef) -> Iterator[str]:
    for n in walk(function):
        if isinstance(n, LATER) and n is not function:
            yield from _captured(n)
            yield from (m.name for m in walk(n) if isinstance(m, ast.FunctionDef | ast.ClassDef))
        elif isinstance(n, ast.Global | ast.Nonlocal):
            yield from n.names
        elif isinstance(n, ast.NamedExpr) or (isinstance(n, NESTED) and n is not function):
            yield from (m.id for m in walk(n) if isinstance(m, ast.Name) and not isinstance(m.ctx, ast.Load))
