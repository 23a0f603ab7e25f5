"""The normal form: one operation a line, callees in place, every free name resolved.

    q = x[i] * w + b          t1 = x[i]
                              t2 = t1 * w
                              q = t2 + b

Operands are names and constants only. Functions that Numba compiled stand inline, their variables renamed
(`helper_x`). The text is an ordinary function again, so Numba can infer its types line by line.
"""

import ast
import copy
import inspect
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from morula.native.called_rules import has_rule
from morula.native.front.source import MISSING, Source, canonical_name, source_of
from morula.native.front.structured import Fresh, structured
from morula.native.unsupported import Unsupported

MOST_LINES = 4000
MOST_INLINED = 1500  # callees stand inline as long as the text is no longer
FRESH = "variables: "


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


def normal_form(function: FunctionType, keep: frozenset = frozenset()) -> NormalForm:
    """The normal form of a Python function in Numba's subset.

    Args:
        function: the function.
        keep: callables that are not set in place. Calls of functions that call themselves stay, too, and those of all
            functions once the text is long.

    Raises:
        Unsupported: the function uses a construct that has no normal form.
    """
    maker = _Maker(keep)
    maker.stack.append(function)
    maker.taken.add(function.__name__)
    source = source_of(function)
    parameters = plain_parameters(source)
    scope = maker.scope(source, prefix="")
    for name in parameters:
        scope.rename[name] = maker.fresh(name)
    try:
        body, has_value = maker.body(scope)
    except Unsupported as error:
        if not error.function:
            error.function = scope.source.name
        raise
    value = _name(scope.result) if has_value else ast.Constant(None)
    body.append(_marked(ast.Return(value), scope, source.tree.body[-1]))
    names = [scope.rename[p] for p in parameters]
    arguments = ast.arguments([], [ast.arg(n) for n in names], kwonlyargs=[], kw_defaults=[], defaults=[])
    identifier = source.name if source.name.isidentifier() else "function"
    made = ast.FunctionDef(identifier, arguments, body, [], lineno=1, type_params=[])
    text = ast.unparse(ast.fix_missing_locations(made))
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    form = NormalForm(identifier, names, text, tree, maker.namespace, inlined=maker.inlined)
    _note_lines(made.body, tree.body, form.user_lines)
    return form


def plain_parameters(source: Source) -> list[str]:
    """The parameters of a function without stars."""
    a = source.tree.args
    if a.vararg or a.kwarg:
        raise Unsupported("star arguments", source.line(source.tree), source.name)
    return [p.arg for p in a.posonlyargs + a.args + a.kwonlyargs]


def _note_lines(made: list[ast.stmt], parsed: list[ast.stmt], lines: dict[int, tuple[str, int]]) -> None:
    for m, p in zip(made, parsed, strict=True):
        lines[p.lineno] = getattr(m, "user", ("", 0))
        for block in ("body", "orelse"):
            _note_lines(getattr(m, block, []) or [], getattr(p, block, []) or [], lines)


def _name(name: str, ctx: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, ctx or ast.Load())


def _is_atom(e: ast.expr) -> bool:
    return isinstance(e, ast.Name | ast.Constant)


def _marked(node: ast.stmt, scope: "_Scope", like: ast.AST) -> ast.stmt:
    node.user = (scope.source.name, scope.source.line(like))  # type: ignore[attr-defined]
    return node


@dataclass
class _Scope:
    source: Source
    prefix: str
    result: str
    local_names: set[str]
    rename: dict[str, str] = field(default_factory=dict)


class _Maker:
    """Makes the normal form of one function and of what it calls."""

    def __init__(self, keep: frozenset):
        self.keep = keep
        self.size = 0
        self.namespace: dict[str, Any] = {"np": np}
        self.namespace["math"] = __import__("math")
        self.taken: set[str] = {"np", "math", "range", "len", "max", "min", "abs", "int", "float", "bool", "y_bar"}
        self.out: list[ast.stmt] = []
        self.stack: list[FunctionType] = []
        self.inlined: list[FunctionType] = []
        self.where: tuple[_Scope, ast.AST] | None = None
        self.count = 0

    # -- names ------------------------------------------------------------------------------------------------

    def fresh(self, base: str) -> str:
        """A name that is not in use."""
        if base == "t":
            self.count += 1
            base = f"t{self.count}"
        name, k = base, 1
        while name in self.taken:
            name, k = f"{base}_{k}", k + 1
        self.taken.add(name)
        return name

    def scope(self, source: Source, prefix: str) -> _Scope:
        a = source.tree.args
        local = {p.arg for p in a.posonlyargs + a.args + a.kwonlyargs}
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                local.add(node.id)
        return _Scope(source, prefix, self.fresh(f"{prefix}result"), local)

    def local(self, scope: _Scope, name: str) -> str:
        found = scope.rename.get(name)
        if found is None:
            found = scope.rename[name] = self.fresh(scope.prefix + name)
        return found

    # -- statements -------------------------------------------------------------------------------------------

    def body(self, scope: _Scope) -> tuple[list[ast.stmt], bool]:
        made: set[str] = set()

        def fresh_flag(base: str) -> str:
            name = self.fresh(base)
            made.add(name)
            scope.local_names.add(name)
            scope.rename[name] = name
            return name

        scope.local_names.add(scope.result)
        scope.rename[scope.result] = scope.result
        statements, has_value = structured(scope.source.tree.body, fresh_flag, scope.result)
        return self.block(statements, scope), has_value

    def block(self, statements: list[ast.stmt], scope: _Scope) -> list[ast.stmt]:
        before, self.out = self.out, []
        for s in statements:
            self.where = scope, s
            self.statement(s, scope)
            self.where = scope, s
        found, self.out = self.out, before
        return found

    def emit(self, node: ast.stmt, scope: _Scope, like: ast.AST) -> None:
        self.out.append(_marked(node, scope, like))
        self.size += 1
        if self.size > MOST_LINES:
            raise Unsupported("a function of too many operations", scope.source.line(like))

    def set(self, name: str, value: ast.expr, scope: _Scope, like: ast.AST) -> None:
        self.emit(ast.Assign([_name(name, ast.Store())], value, lineno=1), scope, like)

    def refuse(self, construct: str, node: ast.AST, scope: _Scope) -> Unsupported:
        return Unsupported(construct, scope.source.line(node), scope.source.name)

    def statement(self, s: ast.stmt, scope: _Scope) -> None:
        method = getattr(self, f"on_{type(s).__name__}", None)
        if method is None:
            raise self.refuse(f"`{type(s).__name__.lower()}`", s, scope)
        method(s, scope)

    def on_Pass(self, s: ast.Pass, scope: _Scope) -> None:
        pass

    def on_Break(self, s: ast.Break, scope: _Scope) -> None:
        self.emit(ast.Break(), scope, s)

    def on_Assign(self, s: ast.Assign, scope: _Scope) -> None:
        first = s.targets[0]
        if len(s.targets) == 1 and isinstance(first, ast.Name):
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

    def held(self, e: ast.expr, scope: _Scope) -> ast.expr:
        """The value of `e` now, under a name that the statement itself does not rebind."""
        value = self.atom(e, scope)
        if isinstance(value, ast.Constant) or not isinstance(e, ast.Name):
            return value
        held = self.fresh("t")
        self.set(held, value, scope, e)
        return _name(held)

    def on_AnnAssign(self, s: ast.AnnAssign, scope: _Scope) -> None:
        if s.value is not None:
            self.assign(s.target, self.atom(s.value, scope), scope, s)

    def set_name(self, name: str, value: ast.expr, scope: _Scope, like: ast.stmt) -> None:
        made = self.expression(value, scope)
        self.set(self.local(scope, name), made, scope, like)

    def assign(self, target: ast.expr, value: ast.expr, scope: _Scope, like: ast.stmt) -> None:
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
                    self.assign(item, _name(part), scope, like)
        elif isinstance(target, ast.Subscript):
            array = self.atom(target.value, scope)
            index = self.index(target.slice, scope)
            self.emit(ast.Assign([ast.Subscript(array, index, ast.Store())], value, lineno=1), scope, like)
        else:
            raise self.refuse("an assignment to an attribute", target, scope)

    def on_AugAssign(self, s: ast.AugAssign, scope: _Scope) -> None:
        if isinstance(s.target, ast.Name):
            value = self.atom(s.value, scope)
            self.emit(ast.AugAssign(_name(self.local(scope, s.target.id), ast.Store()), s.op, value), scope, s)
        elif isinstance(s.target, ast.Subscript):
            array = self.atom(s.target.value, scope)
            index = self.index(s.target.slice, scope)
            value = self.atom(s.value, scope)
            self.emit(ast.AugAssign(ast.Subscript(array, index, ast.Store()), s.op, value), scope, s)
        else:
            raise self.refuse("an assignment to an attribute", s.target, scope)

    def on_Expr(self, s: ast.Expr, scope: _Scope) -> None:
        if isinstance(s.value, ast.Constant):
            return
        made = self.expression(s.value, scope)
        if isinstance(made, ast.Call):
            self.emit(ast.Expr(made), scope, s)

    def on_Assert(self, s: ast.Assert, scope: _Scope) -> None:
        error = ast.Call(_name("AssertionError"), [s.msg] if s.msg else [], [])
        test = ast.UnaryOp(ast.Not(), s.test)
        branch = ast.If(test, [ast.Raise(error)], [])
        for node in ast.walk(branch):
            ast.copy_location(node, s)
        self.statement(branch, scope)

    def on_Raise(self, s: ast.Raise, scope: _Scope) -> None:
        error = s.exc
        if isinstance(error, ast.Call):
            arguments = [a if isinstance(a, ast.Constant) else self.atom(a, scope) for a in error.args]
            error = ast.Call(self.raised(error.func, scope), arguments, [])
        elif error is not None:
            error = self.raised(error, scope)
        self.emit(ast.Raise(error), scope, s)

    def raised(self, e: ast.expr, scope: _Scope) -> ast.expr:
        value = self.static(e, scope)
        if value is MISSING:
            raise self.refuse("an exception that is not named", e, scope)
        return self.named(value, getattr(value, "__name__", "error"))

    def on_If(self, s: ast.If, scope: _Scope) -> None:
        if len(s.body) == 1 and isinstance(s.body[0], ast.Break) and isinstance(s.test, ast.Name):
            self.emit(ast.If(_name(self.local(scope, s.test.id)), [ast.Break()], []), scope, s)
            return
        test = self.test(s.test, scope)
        if isinstance(test, ast.Constant):
            self.out += self.block(s.body if test.value else s.orelse, scope)
            return
        self.branch(test, s.body, s.orelse, scope, s)

    def branch(
        self, test: ast.expr, then: list[ast.stmt], orelse: list[ast.stmt], scope: _Scope, like: ast.AST
    ) -> None:
        made = ast.If(test, self.block(then, scope), self.block(orelse, scope))
        if made.body or made.orelse:
            made.body = made.body or [_marked(ast.Pass(), scope, like)]
            self.emit(made, scope, like)

    def test(self, e: ast.expr, scope: _Scope) -> ast.expr:
        """A condition: a name that holds a bool, or a constant."""
        value = self.static(e, scope)
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
        self.set(name, ast.Call(_name("bool"), [atom], []), scope, e)
        return _name(name)

    def on_While(self, s: ast.While, scope: _Scope) -> None:
        self.emit(ast.While(ast.Constant(True), self.block(s.body, scope), []), scope, s)

    def on_For(self, s: ast.For, scope: _Scope) -> None:
        iterated = self.iterated(s.iter, scope)
        if isinstance(s.target, ast.Name):
            target = self.local(scope, s.target.id)
            body = self.block(s.body, scope)
        else:
            target = self.fresh("t")
            before, self.out = self.out, []
            self.assign(s.target, _name(target), scope, s)
            unpacking, self.out = self.out, before
            body = unpacking + self.block(s.body, scope)
        body = body or [_marked(ast.Pass(), scope, s)]
        self.emit(ast.For(_name(target, ast.Store()), iterated, body, [], lineno=1), scope, s)

    def iterated(self, e: ast.expr, scope: _Scope) -> ast.expr:
        """What a loop runs over: `range`, `enumerate`, `zip` or a name."""
        if isinstance(e, ast.Call) and not e.keywords:
            f = self.static(e.func, scope)
            if f in (range, enumerate, zip, reversed) or getattr(f, "__name__", "") == "prange":
                if f is enumerate or f is zip or f is reversed:
                    arguments = [self.iterated(a, scope) for a in e.args]
                else:
                    arguments = [self.atom(a, scope) for a in e.args]
                return ast.Call(self.named(f, f.__name__), arguments, [])
        return self.atom(e, scope)

    # -- expressions ------------------------------------------------------------------------------------------

    def atom(self, e: ast.expr, scope: _Scope) -> ast.expr:
        """A name or a constant with the value of `e`."""
        made = self.expression(e, scope)
        if _is_atom(made):
            return made
        name = self.fresh("t")
        self.set(name, made, scope, e)
        return _name(name)

    def expression(self, e: ast.expr, scope: _Scope) -> ast.expr:
        """`e` as one operation on atoms; what comes before it is emitted."""
        method = getattr(self, f"of_{type(e).__name__}", None)
        if method is None:
            raise self.refuse(_SAID.get(type(e), f"an expression of the kind {type(e).__name__}"), e, scope)
        return method(e, scope)

    def static(self, e: ast.expr, scope: _Scope) -> Any:
        """The object that an expression of free names stands for; `MISSING` if it depends on a local one."""
        if isinstance(e, ast.Constant):
            return e.value
        if isinstance(e, ast.Name):
            return MISSING if e.id in scope.local_names else scope.source.lookup(e.id)
        if isinstance(e, ast.Attribute):
            owner = self.static(e.value, scope)
            return getattr(owner, e.attr, MISSING) if isinstance(owner, ModuleType | type) else MISSING
        return MISSING

    def named(self, value: Any, hint: str) -> ast.expr:
        """A static object in the text: a literal, a well-known function, or an entry of the namespace."""
        if isinstance(value, bool | int | float | complex | str | type(None)):
            if not (isinstance(value, float) and not np.isfinite(value)) and not isinstance(value, complex):
                return ast.Constant(value)
        known = canonical_name(value)
        if known is not None:
            return ast.parse(known, mode="eval").body
        for name, held in self.namespace.items():
            if held is value:
                return _name(name)
        name = self.fresh(hint if hint.isidentifier() else "constant")
        self.namespace[name] = value
        return _name(name)

    def of_Constant(self, e: ast.Constant, scope: _Scope) -> ast.expr:
        return ast.Constant(e.value)

    def of_Name(self, e: ast.Name, scope: _Scope) -> ast.expr:
        if e.id in scope.local_names:
            return _name(self.local(scope, e.id))
        value = scope.source.lookup(e.id)
        if value is MISSING:
            raise self.refuse(f"the name {e.id!r}, which is not defined", e, scope)
        return self.named(value, e.id)

    def of_Attribute(self, e: ast.Attribute, scope: _Scope) -> ast.expr:
        value = self.static(e, scope)
        if value is not MISSING:
            return self.named(value, e.attr)
        return ast.Attribute(self.atom(e.value, scope), e.attr, ast.Load())

    def of_BinOp(self, e: ast.BinOp, scope: _Scope) -> ast.expr:
        left = self.atom(e.left, scope)
        return ast.BinOp(left, e.op, self.atom(e.right, scope))

    def of_UnaryOp(self, e: ast.UnaryOp, scope: _Scope) -> ast.expr:
        operand = self.atom(e.operand, scope)
        if isinstance(operand, ast.Constant) and isinstance(operand.value, int | float):
            if isinstance(e.op, ast.USub):
                return ast.Constant(-operand.value)
            if isinstance(e.op, ast.Not):
                return ast.Constant(not operand.value)
        return ast.UnaryOp(e.op, operand)

    def of_Compare(self, e: ast.Compare, scope: _Scope) -> ast.expr:
        left = self.atom(e.left, scope)
        if len(e.ops) == 1:
            return ast.Compare(left, e.ops, [self.atom(e.comparators[0], scope)])
        middle = self.atom(e.comparators[0], scope)
        first = ast.Compare(left, e.ops[:1], [middle])
        result = self.fresh("t")
        self.set(result, first, scope, e)
        before, self.out = self.out, []
        rest = self.of_Compare(Held.compare(middle, e), scope)
        self.set(result, rest, scope, e)
        then, self.out = self.out, before
        self.emit(ast.If(_name(result), then, []), scope, e)
        return _name(result)

    def of_Held(self, e: "Held", scope: _Scope) -> ast.expr:
        return e.made

    def of_BoolOp(self, e: ast.BoolOp, scope: _Scope) -> ast.expr:
        """`a and b`: `t = a`, then `if t: t = b`."""
        result = self.fresh("t")
        self.set(result, self.expression(e.values[0], scope), scope, e)
        for value in e.values[1:]:
            before, self.out = self.out, []
            self.set(result, self.expression(value, scope), scope, e)
            then, self.out = self.out, before
            test = self.fresh("t")
            condition: ast.expr = ast.Call(_name("bool"), [_name(result)], [])
            if isinstance(e.op, ast.Or):
                condition = ast.UnaryOp(ast.Not(), _name(result))
            self.set(test, condition, scope, e)
            self.emit(ast.If(_name(test), then, []), scope, e)
        return _name(result)

    def of_IfExp(self, e: ast.IfExp, scope: _Scope) -> ast.expr:
        test = self.test(e.test, scope)
        if isinstance(test, ast.Constant):
            return self.expression(e.body if test.value else e.orelse, scope)
        result = self.fresh("t")
        branches = []
        for value in (e.body, e.orelse):
            before, self.out = self.out, []
            self.set(result, self.expression(value, scope), scope, e)
            made, self.out = self.out, before
            branches.append(made)
        self.emit(ast.If(test, *branches), scope, e)
        return _name(result)

    def of_Tuple(self, e: ast.Tuple, scope: _Scope) -> ast.expr:
        return ast.Tuple([self.atom(item, scope) for item in e.elts], ast.Load())

    def of_List(self, e: ast.List, scope: _Scope) -> ast.expr:
        return ast.List([self.atom(item, scope) for item in e.elts], ast.Load())

    def of_ListComp(self, e: ast.ListComp, scope: _Scope) -> ast.expr:
        made = self.fresh("t")
        scope.local_names.add(made)
        scope.rename[made] = made
        append = ast.Call(ast.Attribute(_name(made), "append", ast.Load()), [e.elt], [])
        body: list[ast.stmt] = [ast.Expr(append)]
        e = copy.deepcopy(e)
        _rename_targets(e, self.fresh, scope)
        append.args = [e.elt]
        for part in reversed(e.generators):
            for condition in reversed(part.ifs):
                body = [ast.If(condition, body, [])]
            body = [ast.For(part.target, part.iter, body, [], lineno=1)]
        for s in body:
            for node in ast.walk(s):
                ast.copy_location(node, e)
        self.set(made, ast.List([], ast.Load()), scope, e)
        self.out += self.block(body, scope)
        return _name(made)

    def of_Subscript(self, e: ast.Subscript, scope: _Scope) -> ast.expr:
        array = self.atom(e.value, scope)
        return ast.Subscript(array, self.index(e.slice, scope), ast.Load())

    def index(self, e: ast.expr, scope: _Scope) -> ast.expr:
        if isinstance(e, ast.Tuple):
            return ast.Tuple([self.index(item, scope) for item in e.elts], ast.Load())
        if isinstance(e, ast.Slice):
            parts = [None if p is None else self.atom(p, scope) for p in (e.lower, e.upper, e.step)]
            return ast.Slice(*parts)
        return self.atom(e, scope)

    def of_Call(self, e: ast.Call, scope: _Scope) -> ast.expr:
        if any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords):
            raise self.refuse("a call with star arguments", e, scope)
        f = self.static(e.func, scope)
        arguments = [self.atom(a, scope) for a in e.args]
        keywords = {str(k.arg): self.atom(k.value, scope) for k in e.keywords}
        if f is MISSING:
            if not isinstance(e.func, ast.Attribute):
                raise self.refuse("a call of a function that is a value", e, scope)
            owner = self.atom(e.func.value, scope)
            method = ast.Attribute(owner, e.func.attr, ast.Load())
            return ast.Call(method, arguments, [ast.keyword(k, v) for k, v in keywords.items()])
        python = getattr(f, "py_func", None)
        if isinstance(python, FunctionType) and self.may_inline(f, python):
            return self.inline(python, arguments, keywords, scope, e)
        name = getattr(f, "__name__", "function")
        return ast.Call(self.named(f, name), arguments, [ast.keyword(k, v) for k, v in keywords.items()])

    def may_inline(self, f: Any, python: FunctionType) -> bool:
        """Whether a callee stands in place of its call."""
        if f in self.keep or has_rule(f):
            return False
        return python not in self.stack and self.size < MOST_INLINED

    # -- callees ----------------------------------------------------------------------------------------------

    def inline(
        self, python: FunctionType, arguments: list[ast.expr], keywords: dict, scope: _Scope, call: ast.Call
    ) -> ast.expr:
        """The body of a callee in place of its call."""
        source = source_of(python)
        plain_parameters(source)
        inner = self.scope(source, f"{source.name}_" if source.name.isidentifier() else "lambda_")
        try:
            bound = inspect.signature(python).bind(*arguments, **keywords)
        except TypeError:
            raise self.refuse(f"a call of {source.name} with arguments that do not fit", call, scope) from None
        given = dict(bound.arguments)
        # Each call begins with variables that hold nothing, also where it stands in a loop.
        names = sorted(inner.local_names - set(given)) + [inner.result]
        marker = FRESH + " ".join(self.local(inner, name) for name in names)
        self.emit(ast.Expr(ast.Constant(marker)), scope, call)
        for name, parameter in inspect.signature(python).parameters.items():
            value = given.get(name)
            if value is None:
                value = self.named(parameter.default, name)
            self.set(self.local(inner, name), value, scope, call)
        self.stack.append(python)
        if python not in self.inlined:
            self.inlined.append(python)
        body, has_value = self.body(inner)
        self.stack.pop()
        self.out += body
        return _name(inner.result) if has_value else ast.Constant(None)


def _rename_targets(e: ast.ListComp, fresh: Fresh, scope: _Scope) -> None:
    """Give the variables of a comprehension names of their own: they live in its scope only."""
    names = {n.id for part in e.generators for n in ast.walk(part.target) if isinstance(n, ast.Name)}
    own = {name: fresh(scope.prefix + name) for name in names}
    for name in own.values():
        scope.local_names.add(name)
        scope.rename[name] = name
    for node in ast.walk(e):
        if isinstance(node, ast.Name) and node.id in own:
            node.id = own[node.id]


def _item(value: ast.expr, place: int) -> ast.expr:
    return ast.Subscript(value, ast.Constant(place), ast.Load())


class Held(ast.expr):
    """An operand that is in normal form already."""

    def __init__(self, made: ast.expr, like: ast.AST):
        super().__init__()
        self.made = made
        ast.copy_location(self, like)

    @staticmethod
    def compare(left: ast.expr, e: ast.Compare) -> ast.Compare:
        """What is left of a chained comparison after its first link."""
        made = ast.Compare(Held(left, e), e.ops[1:], e.comparators[1:])
        return ast.copy_location(made, e)


_SAID = {
    ast.Lambda: "a lambda",
    ast.DictComp: "a dict",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.SetComp: "a set",
    ast.GeneratorExp: "a generator",
    ast.Yield: "a generator",
    ast.YieldFrom: "a generator",
    ast.Await: "`await`",
    ast.NamedExpr: "`:=`",
    ast.JoinedStr: "an f-string",
    ast.Starred: "a star",
}
