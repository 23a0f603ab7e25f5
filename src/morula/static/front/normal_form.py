"""The normal form: one operation a line, callees in place, every free name resolved.

    q = x[i] * w + b          t1 = x[i]
                              t2 = t1 * w
                              q = t2 + b

Operands are names and constants only. Functions that Numba compiled stand inline, their variables renamed
(`helper_x`). The text is an ordinary function again, so Numba can infer its types line by line.
"""

import ast
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np
from numba.core import types

from morula.static.front.expressions import Expressions
from morula.static.front.free_names import as_number
from morula.static.front.inlining import Inlining, plain_parameters
from morula.static.front.scopes import Scope, marked, name_node
from morula.static.front.source import MISSING, Source, assigned, source_of
from morula.static.front.structured import structured
from morula.static.naming import Names
from morula.static.tiers.dispatch import is_dispatcher
from morula.static.unsupported import Unsupported
from morula.transform.syntax import parsed

MOST_LINES = 4000


@dataclass
class NormalForm:
    """A function in normal form: its text, the objects that it names, and where each line came from."""

    name: str
    parameters: list[str]
    text: str
    tree: ast.FunctionDef
    namespace: dict[str, Any]
    user_lines: dict[int, tuple[str, int]] = field(default_factory=dict)
    inlined: list[FunctionType] = field(default_factory=list)
    ruled: dict[Any, Any] = field(default_factory=dict)  # rules of the user for calls, by function and types
    typed: dict[tuple, Any] = field(default_factory=dict)  # its types by line, by those of the arguments


def normal_form(function: FunctionType, keep: frozenset = frozenset(), lengths: tuple[Any, ...] = ()) -> NormalForm:
    """The normal form of a Python function in Numba's subset.

    Args:
        function: the function.
        keep: callables that are not set in place. Calls of functions that call themselves stay, too, and those of all
            functions once the text is long.
        lengths: how many items each argument has that is a tuple, and those that are functions; `lengths_of` their
            types.

    Raises:
        Unsupported: the function uses a construct that has no normal form.
    """
    maker = _Maker(keep)
    maker.stack.append(function)
    maker.names.taken.add(function.__name__)
    source = source_of(function)
    parameters = plain_parameters(source)
    scope = maker.scope(source, prefix="")
    for name in parameters:
        scope.rename[name] = maker.fresh(name)
    for name, length in zip(parameters, lengths, strict=False):
        if not is_dispatcher(length):
            maker.note_length(name, length, scope)
        elif assigned(source.tree)[name] == 1:  # by being given
            scope.functions[name] = length
    try:
        body, has_value = maker.body(scope)
    except Unsupported as error:
        if not error.function:
            error.function = scope.source.name
        raise
    value = name_node(scope.result) if has_value else ast.Constant(None)
    body.append(marked(ast.Return(value), scope, source.tree.body[-1]))
    names = [scope.rename[p] for p in parameters]
    arguments = ast.arguments([], [ast.arg(n) for n in names], kwonlyargs=[], kw_defaults=[], defaults=[])
    identifier = source.name if source.name.isidentifier() else "function"
    made = ast.FunctionDef(identifier, arguments, body, [], lineno=1)
    made.type_params = []  # type: ignore[attr-defined]  # of Python 3.12, whose `ast` asks for it
    text = ast.unparse(ast.fix_missing_locations(made))
    tree = parsed(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    form = NormalForm(identifier, names, text, tree, maker.namespace, inlined=maker.inlined)
    _note_lines(made.body, tree.body, form.user_lines)
    return form


def lengths_of(argument_types: tuple) -> tuple[Any, ...]:
    """How many items each argument has that is a tuple, of Numba's types, and functions; empty where there is none."""
    found = tuple(
        len(t) if isinstance(t, types.BaseTuple) else t.dispatcher if isinstance(t, types.Dispatcher) else None
        for t in argument_types
    )
    return found if any(n is not None for n in found) else ()


def _note_lines(made: list[ast.stmt], parsed: list[ast.stmt], lines: dict[int, tuple[str, int]]) -> None:
    for m, p in zip(made, parsed, strict=True):
        lines[p.lineno] = getattr(m, "user", ("", 0))
        for block in ("body", "orelse"):
            _note_lines(getattr(m, block, []) or [], getattr(p, block, []) or [], lines)


class _Maker(Expressions, Inlining):
    """Makes the normal form of one function and of what it calls."""

    def __init__(self, keep: frozenset):
        self.keep = keep
        self.size = 0
        self.namespace: dict[str, Any] = {"np": np}
        self.namespace["math"] = __import__("math")
        self.constants: dict[int, tuple[Any, Any]] = {}  # by identity: an object, and what stands for it
        self.names = Names()
        self.out: list[ast.stmt] = []
        self.stack: list[FunctionType | ast.FunctionDef] = []
        self.inlined: list[FunctionType] = []
        self.where: tuple[Scope, ast.AST] | None = None
        self.count = 0
        self.lengths: dict[str, int] = {}  # of the variables that hold one tuple all the time

    # -- names ------------------------------------------------------------------------------------------------

    def fresh(self, base: str) -> str:
        """A name that is not in use."""
        if base == "t":
            self.count += 1
            base = f"t{self.count}"
        return self.names(base)

    def scope(self, source: Source, prefix: str) -> Scope:
        return Scope(source, prefix, self.fresh(f"{prefix}result"), set(assigned(source.tree)))

    def local(self, scope: Scope, name: str) -> str:
        found = scope.rename.get(name)
        if found is None:
            found = scope.rename[name] = self.fresh(scope.prefix + name)
        return found

    def length_of(self, e: ast.expr) -> int | None:
        """How many items the tuple has that an atom stands for, if that is in sight."""
        if isinstance(e, ast.Tuple):
            return len(e.elts)
        return self.lengths.get(e.id) if isinstance(e, ast.Name) else None

    def note_length(self, name: str, length: int | None, scope: Scope) -> None:
        """Note how long the tuples are that a variable holds, if only one statement assigns it."""
        if length is not None and assigned(scope.source.tree)[name] <= 1:
            self.lengths[scope.rename[name]] = length

    # -- statements -------------------------------------------------------------------------------------------

    def body(self, scope: Scope) -> tuple[list[ast.stmt], bool]:
        named = {n.id if isinstance(n, ast.Name) else n.arg for n in ast.walk(scope.source.tree)
                 if isinstance(n, ast.Name | ast.arg)}  # fmt: skip

        def fresh_flag(base: str) -> str:
            name = self.fresh(base)
            while name in named:  # a flag is no variable of the function's, which may be called `skip` or `exit_1`
                name = self.fresh(base)
            scope.local_names.add(name)
            scope.rename[name] = name
            return name

        scope.local_names.add(scope.result)
        scope.rename[scope.result] = scope.result
        try:
            statements, has_value = structured(scope.source.tree.body, fresh_flag, scope.result)
        except Unsupported as reason:  # by the line in the tree, which begins at the function
            line = None if reason.line is None else scope.source.first_line + reason.line - 1
            raise Unsupported(reason.construct, line, scope.source.name) from None
        return self.block(statements, scope), has_value

    def block(self, statements: list[ast.stmt], scope: Scope) -> list[ast.stmt]:
        before, self.out = self.out, []
        for s in statements:
            self.where = scope, s
            self.statement(s, scope)
            self.where = scope, s
        found, self.out = self.out, before
        return found

    def emit(self, node: ast.stmt, scope: Scope, like: ast.AST) -> None:
        self.out.append(marked(node, scope, like))
        self.size += 1
        if self.size > MOST_LINES:
            raise Unsupported("a function of too many operations", scope.source.line(like))

    def set(self, name: str, value: ast.expr, scope: Scope, like: ast.AST) -> None:
        self.emit(ast.Assign([name_node(name, ast.Store())], value, lineno=1), scope, like)

    def refuse(self, construct: str, node: ast.AST, scope: Scope) -> Unsupported:
        return Unsupported(construct, scope.source.line(node), scope.source.name)

    def statement(self, s: ast.stmt, scope: Scope) -> None:
        method = getattr(self, f"on_{type(s).__name__}", None)
        if method is None:
            raise self.refuse(f"`{type(s).__name__.lower()}`", s, scope)
        method(s, scope)

    def on_Pass(self, s: ast.Pass, scope: Scope) -> None:
        pass

    def on_Break(self, s: ast.Break, scope: Scope) -> None:
        self.emit(ast.Break(), scope, s)

    def on_Assign(self, s: ast.Assign, scope: Scope) -> None:
        first = s.targets[0]
        if len(s.targets) == 1 and isinstance(first, ast.Name):
            if self.stands_for_function(first.id, s.value, scope):
                return
            self.set_name(first.id, s.value, scope, s)
            return
        if isinstance(s.value, ast.Tuple) and len(s.targets) == 1 and isinstance(first, ast.Tuple | ast.List):
            if len(s.value.elts) == len(first.elts) and not any(isinstance(e, ast.Starred) for e in s.value.elts):
                values = [self.held(e, scope) for e in s.value.elts]
                for target, value in zip(first.elts, values, strict=True):
                    self.assign(target, value, scope, s)
                return
        value = self.atom(s.value, scope)
        for target in s.targets:
            self.assign(target, value, scope, s)

    def held(self, e: ast.expr, scope: Scope) -> ast.expr:
        """The value of `e` now, under a name that the statement itself does not rebind."""
        value = self.atom(e, scope)
        if isinstance(value, ast.Constant) or not isinstance(e, ast.Name):
            return value
        held = self.fresh("t")
        self.set(held, value, scope, e)
        return name_node(held)

    def on_AnnAssign(self, s: ast.AnnAssign, scope: Scope) -> None:
        if s.value is not None:
            self.assign(s.target, self.atom(s.value, scope), scope, s)

    def set_name(self, name: str, value: ast.expr, scope: Scope, like: ast.stmt) -> None:
        made = self.expression(value, scope)
        self.set(self.local(scope, name), made, scope, like)
        self.note_length(name, self.length_of(made), scope)

    def assign(self, target: ast.expr, value: ast.expr, scope: Scope, like: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            self.set(self.local(scope, target.id), value, scope, like)
        elif isinstance(target, ast.Tuple | ast.List):
            for place, item in enumerate(target.elts):
                if isinstance(item, ast.Starred):
                    raise self.refuse("a starred target", target, scope)
                if isinstance(item, ast.Name):
                    self.set(self.local(scope, item.id), _item(value, place), scope, like)
                else:
                    part = self.fresh("t")
                    self.set(part, _item(value, place), scope, like)
                    self.assign(item, name_node(part), scope, like)
        elif isinstance(target, ast.Subscript):
            array = self.atom(target.value, scope)
            index = self.index(target.slice, scope)
            self.emit(ast.Assign([ast.Subscript(array, index, ast.Store())], value, lineno=1), scope, like)
        else:
            raise self.refuse("an assignment to an attribute", target, scope)

    def on_AugAssign(self, s: ast.AugAssign, scope: Scope) -> None:
        if isinstance(s.target, ast.Name):
            value = self.atom(s.value, scope)
            self.emit(ast.AugAssign(name_node(self.local(scope, s.target.id), ast.Store()), s.op, value), scope, s)
        elif isinstance(s.target, ast.Subscript):
            array = self.atom(s.target.value, scope)
            index = self.index(s.target.slice, scope)
            value = self.atom(s.value, scope)
            self.emit(ast.AugAssign(ast.Subscript(array, index, ast.Store()), s.op, value), scope, s)
        else:
            raise self.refuse("an assignment to an attribute", s.target, scope)

    def on_Expr(self, s: ast.Expr, scope: Scope) -> None:
        if isinstance(s.value, ast.Constant):
            return
        made = self.expression(s.value, scope)
        if isinstance(made, ast.Call):
            self.emit(ast.Expr(made), scope, s)

    def on_Assert(self, s: ast.Assert, scope: Scope) -> None:
        error = ast.Call(name_node("AssertionError"), [s.msg] if s.msg else [], [])
        test = ast.UnaryOp(ast.Not(), s.test)
        branch = ast.If(test, [ast.Raise(error)], [])
        for node in ast.walk(branch):
            ast.copy_location(node, s)
        self.statement(branch, scope)

    def on_Raise(self, s: ast.Raise, scope: Scope) -> None:
        error = s.exc
        if isinstance(error, ast.Call):
            arguments = [a if isinstance(a, ast.Constant) else self.atom(a, scope) for a in error.args]
            error = ast.Call(self.raised(error.func, scope), arguments, [])
        elif error is not None:
            error = self.raised(error, scope)
        self.emit(ast.Raise(error), scope, s)

    def raised(self, e: ast.expr, scope: Scope) -> ast.expr:
        value = self.static(e, scope)
        if value is MISSING:
            raise self.refuse("an exception that is not named", e, scope)
        return self.named(value, getattr(value, "__name__", "error"))

    def on_If(self, s: ast.If, scope: Scope) -> None:
        if len(s.body) == 1 and isinstance(s.body[0], ast.Break) and isinstance(s.test, ast.Name):
            self.emit(ast.If(name_node(self.local(scope, s.test.id)), [ast.Break()], []), scope, s)
            return
        test = self.test(s.test, scope)
        if isinstance(test, ast.Constant):
            self.out += self.block(s.body if test.value else s.orelse, scope)
            return
        self.branch(test, s.body, s.orelse, scope, s)

    def branch(self, test: ast.expr, then: list[ast.stmt], orelse: list[ast.stmt], scope: Scope, like: ast.AST) -> None:
        made = ast.If(test, self.block(then, scope), self.block(orelse, scope))
        if made.body or made.orelse:
            made.body = made.body or [marked(ast.Pass(), scope, like)]
            self.emit(made, scope, like)

    def test(self, e: ast.expr, scope: Scope) -> ast.expr:
        """A condition: a name that holds a bool, or a constant."""
        value = as_number(self.static(e, scope))
        if value is not MISSING and isinstance(value, bool | int | float | type(None)):
            return ast.Constant(bool(value))
        atom = self.atom(e, scope)
        if isinstance(atom, ast.Constant):
            return ast.Constant(bool(atom.value))
        if isinstance(e, ast.Compare) or (isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not)):
            return atom
        if isinstance(e, ast.Name) and e.id in scope.rename and scope.rename[e.id] == e.id and "_" in e.id:
            if e.id.split("_")[0] in ("returned", "skip", "exit"):
                return atom
        name = self.fresh("t")
        self.set(name, ast.Call(name_node("bool"), [atom], []), scope, e)
        return name_node(name)

    def on_While(self, s: ast.While, scope: Scope) -> None:
        self.emit(ast.While(ast.Constant(True), self.block(s.body, scope), []), scope, s)

    def on_For(self, s: ast.For, scope: Scope) -> None:
        iterated = self.iterated(s.iter, scope)
        if isinstance(s.target, ast.Name):
            target = self.local(scope, s.target.id)
            body = self.block(s.body, scope)
        else:
            target = self.fresh("t")
            before, self.out = self.out, []
            self.assign(s.target, name_node(target), scope, s)
            unpacking, self.out = self.out, before
            body = unpacking + self.block(s.body, scope)
        body = body or [marked(ast.Pass(), scope, s)]
        self.emit(ast.For(name_node(target, ast.Store()), iterated, body, [], lineno=1), scope, s)

    def iterated(self, e: ast.expr, scope: Scope) -> ast.expr:
        """What a loop runs over: `range`, `enumerate`, `zip`, `np.ndindex`, `np.ndenumerate` or a name."""
        if isinstance(e, ast.Call) and not e.keywords:
            f = self.static(e.func, scope)
            if (
                f in (range, enumerate, zip, reversed, np.ndindex, np.ndenumerate)
                or getattr(f, "__name__", "") == "prange"
            ):
                if f is enumerate or f is zip or f is reversed:
                    arguments = [self.iterated(a, scope) for a in e.args]
                else:
                    arguments = [self.atom(a, scope) for a in e.args]
                return ast.Call(self.named(f, f.__name__), arguments, [])
        return self.atom(e, scope)


def _item(value: ast.expr, place: int) -> ast.expr:
    return ast.Subscript(value, ast.Constant(place), ast.Load())
