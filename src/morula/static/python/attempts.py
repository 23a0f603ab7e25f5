"""``try`` statements: what is caught of the exceptions of numbers is caught in the text, too.

A block under ``try`` becomes assignments of single expressions to names of their own, each of which happens or not.
Where such an expression changes something, or where a loop or another statement stands, a ``raise`` in it becomes a
branch: what comes behind it happens if nothing was raised. Whatever raises in another way is then the eager tier's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from morula.static.python.bindings import jumps, yields
from morula.static.python.classes import HEAP_TYPE
from morula.static.python.contexts import Contexts
from morula.static.python.helpers import caught_by
from morula.static.python.ir import (
    CHANGES,
    Again,
    Attempt,
    Block,
    Branch,
    Compute,
    Fail,
    Loop,
    Set,
    Unsupported,
    atoms_of,
    walk,
)
from morula.static.python.known import PERHAPS, POISON
from morula.static.python.scopes import Static
from morula.static.python.statements import JUMPS
from morula.static.python.things import merged
from morula.static.python.tidy import read_as
from morula.transform import syntax

__all__ = ["Attempts"]


class Attempted(ast.stmt):
    """``name = value``, and the variable that says by which handler an exception was caught: 0 for none."""

    def __init__(self, name: str, value: ast.expr, caught: str, handlers: list[str]):
        super().__init__()
        self.name, self.value, self.caught, self.handlers = name, value, caught, handlers


class Augmented(ast.stmt):
    """An augmented assignment, and the statements that it is taken apart into."""

    _fields = ("parts",)

    def __init__(self, statement: ast.AugAssign, parts: list[ast.stmt], caught: str):
        super().__init__()
        self.statement, self.parts, self.caught = statement, parts, caught


class Attempts(Contexts):
    """The part of a `front.Builder` that reads ``try``.

    Attributes:
        uncaught: such statements in which every exception is left to the eager tier, and why.
        unsplit: assignments in them that are not taken apart, since what they read may change what their values are.
        kinds: the classes of exceptions, or tuples of them, by their texts.
    """

    uncaught: dict[Any, Unsupported]
    unsplit: set[Any]
    kinds: dict[str, Any]
    trying: int  # how many of them are around it

    def _Try(self, s: ast.Try) -> str:
        key = self._at(s)
        if key in self.uncaught or s.finalbody or self.program.verb not in ("gradient", "pullback"):
            self.program.uncaught = self.program.uncaught or self.uncaught.get(key)
            if self.trying:  # what this one would catch, or do at its end, is not the outer one's
                raise Unsupported("a try statement that is run where exceptions are caught", self.line)
            return super()._Try(s)
        try:
            return self.block(self._with_attempts(s))
        except Unsupported as reason:
            reason.attempt = reason.attempt or key  # which is left to the eager tier if no other reading helps
            raise

    def _at(self, s: ast.stmt) -> Any:
        return self.scopes[-1].function.__code__, s.lineno, s.col_offset

    def _with_attempts(self, s: ast.Try) -> list[ast.stmt]:
        """The statements that a ``try`` comes to."""
        handlers = []
        for h in s.handlers:
            if h.name in {n.id for x in h.body for n in syntax.walk(x) if isinstance(n, ast.Name)}:
                raise Unsupported("an exception that is looked at", self.line)
            handlers.append(self._classes_of(h.type))
        caught = self._own_name("caught")
        rest: list[ast.stmt] = list(s.handlers[-1].body)
        for i in range(len(handlers) - 1, 0, -1):
            rest = [ast.If(_is(caught, i), list(s.handlers[i - 1].body), rest)]
        ends = ast.If(_is(caught, 0), list(s.orelse) or [ast.Pass()], rest)
        found = [*self._steps(s.body, caught, handlers), ends]
        if all(map(_is_left, (s.orelse or s.body, *[h.body for h in s.handlers]))):
            found.append(ast.Raise())  # nobody comes here
        self.emit(Set(self.scopes[-1].variable(caught), "0"))
        for statement in found:
            for node in syntax.walk(statement):
                if isinstance(node, ast.stmt | ast.expr) and not hasattr(node, "lineno"):
                    ast.copy_location(node, s)
        return found

    def _own_name(self, stem: str) -> str:
        name = self._unused(stem)
        self.scopes[-1].own.add(name)
        return name

    def _classes_of(self, node: ast.expr | None) -> str:
        """The text of the classes that a handler catches."""
        value = Static(BaseException) if node is None else self.value(node)
        found = []
        for each in value if isinstance(value, tuple) else (value,):
            if not isinstance(each, Static) or not isinstance(each.value, type):
                raise Unsupported("a handler of something other than exceptions", self.line)
            found.append(each)
        text = f"({', '.join(map(self._class_text, found))},)"
        self.kinds[text] = tuple([each.value for each in found])
        return text

    def _class_text(self, found: Static) -> str:
        text = found.where or self.given(self.program.space, found.value)
        self.kinds[text] = found.value
        return text

    def _steps(self, body: Sequence[ast.stmt], caught: str, handlers: list[str]) -> list[ast.stmt]:
        """The statements of a block, each of them if those before it have not raised."""
        if not body:
            return []
        first, *rest = body
        found = self._step(first, caught, handlers)
        more = self._steps(rest, caught, handlers)
        if not more:
            return found
        return [*found, ast.If(_is(caught, 0), more, [])] if any(map(_may_raise, found)) else [*found, *more]

    def _step(self, s: ast.stmt, caught: str, handlers: list[str]) -> list[ast.stmt]:
        if isinstance(s, ast.Pass | ast.Raise | ast.Break | ast.Continue):
            return [Raised(s, caught, handlers)] if isinstance(s, ast.Raise) else [s]
        is_plain = isinstance(s, ast.AugAssign) and isinstance(s.op, ast.Add | ast.Sub | ast.Mult)
        is_split = is_plain or isinstance(s, ast.Assign | ast.Return | ast.If | ast.Expr)
        if not is_split or self._at(s) in self.unsplit:
            if jumps([s]) or yields([s]):
                raise Unsupported("such a statement where exceptions are caught", self.line)
            return [Raised(s, caught, handlers)]
        value = s.test if isinstance(s, ast.If) else s.value  # type: ignore[attr-defined]
        if value is None:
            return [s]
        name = self._own_name("tried")
        attempt = Attempted(name, value, caught, handlers)
        read = ast.Name(name, ast.Load())
        then: list[ast.stmt]
        if isinstance(s, ast.If):
            inner = self._steps(s.body, caught, handlers), self._steps(s.orelse, caught, handlers)
            then = [ast.If(read, *inner)]
        elif isinstance(s, ast.Expr):
            then = []
        elif isinstance(s, ast.AugAssign):
            then = [ast.AugAssign(s.target, s.op, read)]
        else:
            then = [ast.Assign(s.targets, read) if isinstance(s, ast.Assign) else ast.Return(read)]
        if any(isinstance(n, ast.Attribute | ast.Subscript) for x in then for n in ast.iter_child_nodes(x)):
            then = [Raised(x, caught, handlers) for x in then]  # a property's setter, or __setitem__, may raise
        if isinstance(s, ast.AugAssign):
            return [Augmented(s, [attempt, ast.If(_is(caught, 0), then, [])], caught)]
        return [attempt, ast.If(_is(caught, 0), then, [])] if then else [attempt]

    def _Augmented(self, s: Augmented) -> str:
        """The value first, then what it is added to, unless one of them changes something: then as it stands."""
        known = {x.var for x in self.program.statements() if isinstance(x, Set)} - {self.scopes[-1].variable(s.caught)}
        before = self._changes_made(known)
        status = self.block(s.parts)
        if self._changes_made(known) > before + 1:
            self.unsplit.add(self._at(s.statement))
            raise Again
        return status

    def _changes_made(self, known: set[str]) -> int:
        """How many statements write into something, or assign to one of these variables."""
        found = self.program.statements()
        return sum(isinstance(x, CHANGES) or (isinstance(x, Set) and x.var in known) for x in found)

    def _Attempted(self, s: Attempted) -> str:
        """One expression, and where its exceptions lead to."""
        assign = ast.copy_location(ast.Assign([ast.Name(s.name, ast.Store())], s.value), s)
        return self._attempt(s, [assign])

    def _Raised(self, s: Raised) -> str:
        return self._attempt(s, [s.statement])

    def _attempt(self, s: Any, statements: list[ast.stmt]) -> str:
        scope = self.scopes[-1]
        before = {x.var for x in self.program.statements() if isinstance(x, Set)}
        branch = Attempt(scope.variable(s.caught), handlers=tuple(s.handlers))
        scope.numbers.add(s.caught)
        self.emit(branch)
        things_before = dict(scope.things)
        self.trying += 1
        with self.perhaps():
            self.inside(branch.body, statements)
        self.trying -= 1
        scope.things = merged(scope.things, things_before, POISON, PERHAPS)
        branch.orelse.append(Set(branch.test, "1"))
        changes = any(_is_change(x, before) for x in walk(branch.body))
        raised = [x.kind for x in _within(branch) if isinstance(x, Fail) and x.kind] if self.trying else []
        if changes or not all(self._handler_of(kind, branch.handlers) for kind in raised):
            self.out.pop()
            first = self._before_changes(branch, before) if not raised else []
            self.out += first or [Set(branch.test, "0")]
            rest = self._as_branches(branch.body, branch, [])
            self.out += [*self._if_not_caught(branch.test, rest)] if first else rest
        self.forget(branch)
        return "falls"

    def _before_changes(self, attempt: Attempt, before: set[str]) -> Block:
        """What an attempt does before it changes something, which is an attempt of its own; the rest is left in it.

        Variables have what the rest reads of its temporaries.
        """
        n = next((i for i, s in enumerate(attempt.body) if any(_is_change(x, before) for x in walk([s]))), 0)
        first, attempt.body = attempt.body[:n], attempt.body[n:]
        if not any(isinstance(s, Compute) for s in first):
            attempt.body = [*first, *attempt.body]
            return []
        read = {a for s in walk(attempt.body) for a in atoms_of(s)}
        handed = [s.target for s in first if isinstance(s, Compute) and s.target in read]
        if any(isinstance(s, CHANGES) and s.array in handed for s in walk(attempt.body)):
            attempt.body = [*first, *attempt.body]
            return []
        names = {atom: self.fresh("b") for atom in handed}
        shapes = self.program.shapes
        shapes.update({var: shapes[atom] for atom, var in names.items() if atom in shapes})
        for s in walk(attempt.body):
            read_as(s, names)
        first += [Set(var, atom) for atom, var in names.items()]
        return [Attempt(attempt.test, first, [Set(attempt.test, "1")], attempt.handlers)]

    def _if_not_caught(self, caught: str, block: Block) -> Block:
        test = self.fresh("t")
        return [Compute(test, "==", (caught, "0")), Branch(test, block, [])]

    def _as_branches(self, block: Block, attempt: Attempt, leaving: list[str]) -> Block:
        """A block in which what stands behind a ``raise`` is passed over, up to the end of the loops around it.

        Args:
            leaving: the variables that say whether these loops are left.
        """
        found: Block = []
        for i, s in enumerate(block):
            if isinstance(s, Fail) and s.kind:
                number = self._handler_of(s.kind, attempt.handlers)
                caught = [Set(attempt.test, str(number)), *[Set(name, "True") for name in leaving]]
                return [*found, *caught] if number else [*found, s]
            found.append(s)
            if isinstance(s, Fail):
                return found
            if isinstance(s, Attempt) or not any(isinstance(x, Fail) and x.kind for x in _within(s)):
                continue
            if isinstance(s, Loop):
                left = self.fresh("b")
                s.body = self._as_branches([*s.body, Set(left, s.exit or "False")], attempt, [*leaving, left])
                s.exit = left
            else:
                s.body, s.orelse = (self._as_branches(side, attempt, leaving) for side in (s.body, s.orelse))
            if rest := self._as_branches(block[i + 1 :], attempt, leaving):
                found += self._if_not_caught(attempt.test, rest)
            return found
        return found

    def _handler_of(self, kind: str, handlers: tuple[str, ...]) -> int:
        """The number of the handler that catches exceptions of a class, 0 where there is none."""
        number = caught_by(self.kinds[kind], tuple([self.kinds[text] for text in handlers]))
        if self.kinds[kind].__flags__ & HEAP_TYPE:  # whose bases may be others some day
            name = self.given(self.program.space, caught_by)
            self.guard(f"{name}({kind}, ({', '.join(handlers)},)) == {number}")
        return number

    def _Raise(self, s: ast.Raise) -> str:
        """An exception that the program may catch: one of a class without ways of its own, and a message."""
        if self.trying and s.exc is not None:
            node, *args = (s.exc.func, *s.exc.args) if isinstance(s.exc, ast.Call) else (s.exc,)
            found = self.value(node)
            kind: Any = getattr(found, "value", None)
            is_exception = isinstance(kind, type) and issubclass(kind, Exception)
            if is_exception and _is_simple(kind) and all(map(_is_message, args)):
                self.emit(Fail(self._class_text(found)))
                return JUMPS
        return super()._Raise(s)

    def raised(self, kind: type[Exception]) -> str:
        """What stands for a value where finding it raises an exception of one of Python's own classes for certain."""
        self.emit(Fail(self._class_text(Static(kind)) if self.trying else ""))
        return "0.0"


class Raised(ast.stmt):
    """A ``raise`` under ``try``, or another statement; the other attributes as of an `Attempted`."""

    def __init__(self, statement: ast.stmt, caught: str, handlers: list[str]):
        super().__init__()
        self.statement, self.caught, self.handlers = statement, caught, handlers


def _within(s: Any) -> Iterator[Any]:
    """The statements in one, other than those of an `Attempt` in it."""
    for inner in (s.body, s.orelse) if isinstance(s, Branch) else (s.body,) if isinstance(s, Loop) else ():
        for x in inner:
            yield x
            if not isinstance(x, Attempt):
                yield from _within(x)


def _is_change(s: Any, before: set[str]) -> bool:
    """Whether a statement writes into something, or assigns to one of the variables that there were `before`."""
    return isinstance(s, CHANGES) or (isinstance(s, Set) and s.var in before)


def _is(name: str, number: int) -> ast.Compare:
    return ast.Compare(ast.Name(name, ast.Load()), [ast.Eq()], [ast.Constant(number)])


def _is_left(body: list[ast.stmt]) -> bool:
    """Whether nothing comes behind a block."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _is_left(last.body) and _is_left(last.orelse)
    return isinstance(last, ast.Return | ast.Raise | ast.Break | ast.Continue)


def _may_raise(s: ast.stmt) -> bool:
    return any(isinstance(n, Attempted | Raised | Augmented) for n in syntax.walk(s))


def _is_simple(kind: type) -> bool:
    """Whether making such an exception does nothing of the user's."""
    own = [c for c in kind.__mro__ if c.__flags__ & HEAP_TYPE]
    return not any(name in vars(c) for c in own for name in ("__init__", "__new__")) and type(kind) is type


def _is_message(node: ast.expr) -> bool:
    return not any(isinstance(n, ast.Call | ast.NamedExpr | ast.Attribute | ast.Subscript) for n in syntax.walk(node))
