"""Expressions in normal form: one operation on names and constants, after lines for what it needs."""

import ast
import copy
from types import FunctionType
from typing import Any

import numpy as np

from morula.static.front.free_names import as_number, limits_of, part_of
from morula.static.front.lists import is_mutated
from morula.static.front.scopes import Inner, Scope, is_atom, name_node
from morula.static.front.source import MISSING, canonical_name
from morula.static.front.structured import Fresh
from morula.static.numba.called_rules import has_rule
from morula.static.numba.frozen import snapshot
from morula.static.numba.implementations import is_jitable
from morula.transform.syntax import parsed

MOST_INLINED = 1500  # callees stand inline as long as the text is no longer


class Expressions:
    """The part of the maker of a normal form that knows expressions."""

    def atom(self: Any, e: ast.expr, scope: Scope) -> ast.expr:
        """A name or a constant with the value of `e`."""
        made = self.expression(e, scope)
        if is_atom(made):
            return made
        name = self.fresh("t")
        self.set(name, made, scope, e)
        return name_node(name)

    def expression(self: Any, e: ast.expr, scope: Scope) -> ast.expr:
        """`e` as one operation on atoms; what comes before it is emitted."""
        method = getattr(self, f"of_{type(e).__name__}", None)
        if method is None:
            raise self.refuse(_SAID.get(type(e), f"an expression of the kind {type(e).__name__}"), e, scope)
        return method(e, scope)

    def static(self: Any, e: ast.expr, scope: Scope) -> Any:
        """The object that an expression of free names stands for; `MISSING` if it depends on a local one."""
        if isinstance(e, ast.Constant):
            return e.value
        if isinstance(e, ast.Name):
            owner = scope.owner(e.id)
            return scope.source.lookup(e.id) if owner is None else owner.functions.get(e.id, MISSING)
        if isinstance(e, ast.Attribute):
            return part_of(self.static(e.value, scope), e.attr)
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute):
            return limits_of(e, self.static(e.func, scope), [self.static(a, scope) for a in e.args])
        return MISSING

    def named(self: Any, value: Any, hint: str) -> ast.expr:
        """A static object in the text: a literal, a well-known function, or an entry of the namespace."""
        value = as_number(value)
        if isinstance(value, np.number):
            return ast.Call(self.named(type(value), "number"), [ast.Constant(value.item())], [])
        if isinstance(value, bool | int | float | complex | str | type(None)):
            if not (isinstance(value, float) and not np.isfinite(value)) and not isinstance(value, complex):
                return ast.Constant(value)
        canonical = canonical_name(value)
        if canonical is not None:
            return parsed(canonical, "eval").body
        value = self.constants.setdefault(id(value), (value, snapshot(value)))[1]
        for name, held in self.namespace.items():
            if held is value:
                return name_node(name)
        name = self.fresh(hint if hint.isidentifier() else "constant")
        self.namespace[name] = value
        return name_node(name)

    def of_Constant(self: Any, e: ast.Constant, scope: Scope) -> ast.expr:
        return ast.Constant(e.value)

    def of_Name(self: Any, e: ast.Name, scope: Scope) -> ast.expr:
        owner = scope.owner(e.id)
        if owner is not None and e.id not in owner.functions:
            return name_node(self.local(owner, e.id))
        value = scope.source.lookup(e.id) if owner is None else owner.functions[e.id]
        if isinstance(value, Inner):
            raise self.refuse("an inner function as a value", e, scope)
        if value is MISSING:
            raise self.refuse(f"the name {e.id!r}, which is not defined", e, scope)
        return self.named(value, e.id)

    def of_Attribute(self: Any, e: ast.Attribute, scope: Scope) -> ast.expr:
        value = self.static(e, scope)
        if value is not MISSING:
            return self.named(value, e.attr)
        return ast.Attribute(self.atom(e.value, scope), e.attr, ast.Load())

    def of_BinOp(self: Any, e: ast.BinOp, scope: Scope) -> ast.expr:
        left = self.atom(e.left, scope)
        if isinstance(e.op, ast.Pow) and ast.unparse(left).startswith("-"):  # in a text the sign would come last
            name = self.fresh("t")
            self.set(name, left, scope, e)
            left = name_node(name)
        return ast.BinOp(left, e.op, self.atom(e.right, scope))

    def of_UnaryOp(self: Any, e: ast.UnaryOp, scope: Scope) -> ast.expr:
        operand = self.atom(e.operand, scope)
        if isinstance(operand, ast.Constant) and isinstance(operand.value, int | float):
            if isinstance(e.op, ast.USub):
                return ast.Constant(-operand.value)
            if isinstance(e.op, ast.Not):
                return ast.Constant(not operand.value)
        if (
            isinstance(e.op, ast.Not)
            and isinstance(e.operand, ast.Name)
            and is_mutated(e.operand.id, scope.source.tree)
        ):
            name = self.fresh("t")  # Numba knows `not` of a list only where it decides a branch
            self.set(name, ast.Call(name_node("bool"), [operand], []), scope, e)
            operand = name_node(name)
        return ast.UnaryOp(e.op, operand)

    def of_Compare(self: Any, e: ast.Compare, scope: Scope) -> ast.expr:
        left = self.atom(e.left, scope)
        if isinstance(e.ops[0], ast.In | ast.NotIn) and len(e.ops) == 1:
            return self.membership(left, e, scope)
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
        self.emit(ast.If(name_node(result), then, []), scope, e)
        return name_node(result)

    def membership(self: Any, left: ast.expr, e: ast.Compare, scope: Scope) -> ast.expr:
        """`x in (a, b)`, where the items are in sight: `x == a or x == b`."""
        items = self.items_of(e.comparators[0], scope)
        if not items:
            return ast.Compare(left, e.ops, [self.atom(e.comparators[0], scope)])
        held = Held(left, e)
        links = [ast.copy_location(ast.Compare(held, [ast.Eq()], [item]), e) for item in items]
        made: ast.expr = links[0] if len(links) == 1 else ast.copy_location(ast.BoolOp(ast.Or(), list(links)), e)
        if isinstance(e.ops[0], ast.NotIn):
            made = ast.copy_location(ast.UnaryOp(ast.Not(), made), e)
        return self.expression(made, scope)

    def items_of(self: Any, e: ast.expr, scope: Scope) -> list[ast.expr] | None:
        """The items of a tuple or list whose length is in sight."""
        if isinstance(e, ast.Tuple | ast.List | ast.Set):
            return None if any(isinstance(item, ast.Starred) for item in e.elts) else e.elts
        value = self.static(e, scope)
        if isinstance(value, tuple):
            return [Held(self.named(item, "item"), e) for item in value]
        if isinstance(e, ast.Name) and (owner := scope.owner(e.id)) is not None:
            name = owner.rename.get(e.id, "")
            if name in self.lengths:
                parts = [ast.Subscript(name_node(name), ast.Constant(k), ast.Load()) for k in range(self.lengths[name])]
                return [Held(self.part(part, scope, e), e) for part in parts]
        return None

    def part(self: Any, made: ast.expr, scope: Scope, like: ast.AST) -> ast.expr:
        """A name for one operation."""
        name = self.fresh("t")
        self.set(name, made, scope, like)
        return name_node(name)

    def of_Held(self: Any, e: "Held", scope: Scope) -> ast.expr:
        return e.made

    def of_BoolOp(self: Any, e: ast.BoolOp, scope: Scope) -> ast.expr:
        """`a and b`: `t = a`, then `if t: t = b`."""
        result = self.fresh("t")
        is_truth = any(isinstance(v, ast.Compare) or isinstance(getattr(v, "op", None), ast.Not) for v in e.values)
        listed = [is_truth and is_mutated(getattr(v, "id", ""), scope.source.tree) for v in e.values]

        def operand(value: ast.expr, is_list: bool) -> ast.expr:
            """A list beside comparisons is asked for its truth alone: Numba unifies no list with a bool."""
            return (
                ast.Call(name_node("bool"), [self.atom(value, scope)], []) if is_list else self.expression(value, scope)
            )

        self.set(result, operand(e.values[0], listed[0]), scope, e)
        for value, is_list in zip(e.values[1:], listed[1:], strict=True):
            before, self.out = self.out, []
            self.set(result, operand(value, is_list), scope, e)
            then, self.out = self.out, before
            test = self.fresh("t")
            condition: ast.expr = ast.Call(name_node("bool"), [name_node(result)], [])
            if isinstance(e.op, ast.Or):
                condition = ast.UnaryOp(ast.Not(), name_node(result))
            self.set(test, condition, scope, e)
            self.emit(ast.If(name_node(test), then, []), scope, e)
        return name_node(result)

    def of_IfExp(self: Any, e: ast.IfExp, scope: Scope) -> ast.expr:
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
        return name_node(result)

    def of_Tuple(self: Any, e: ast.Tuple, scope: Scope) -> ast.expr:
        return ast.Tuple([self.atom(item, scope) for item in e.elts], ast.Load())

    def of_List(self: Any, e: ast.List, scope: Scope) -> ast.expr:
        return ast.List([self.atom(item, scope) for item in e.elts], ast.Load())

    def of_ListComp(self: Any, e: ast.ListComp, scope: Scope) -> ast.expr:
        made = self.fresh("t")
        scope.local_names.add(made)
        scope.rename[made] = made
        append = ast.Call(ast.Attribute(name_node(made), "append", ast.Load()), [e.elt], [])
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
        return name_node(made)

    def of_Subscript(self: Any, e: ast.Subscript, scope: Scope) -> ast.expr:
        array = self.atom(e.value, scope)
        return ast.Subscript(array, self.index(e.slice, scope), ast.Load())

    def index(self: Any, e: ast.expr, scope: Scope) -> ast.expr:
        if isinstance(e, ast.Tuple):
            return ast.Tuple([self.index(item, scope) for item in e.elts], ast.Load())
        if isinstance(e, ast.Slice):
            parts = [None if p is None else self.atom(p, scope) for p in (e.lower, e.upper, e.step)]
            return ast.Slice(*parts)
        return self.atom(e, scope)

    def of_Call(self: Any, e: ast.Call, scope: Scope) -> ast.expr:
        e = self.without_stars(e, scope)
        f = self.static(e.func, scope)
        if isinstance(e.func, ast.Lambda):
            f = Inner(as_definition(e.func), scope)
        functions = self.functions_given(e, scope) if isinstance(f, Inner) or hasattr(f, "py_func") else {}
        arguments = [ast.Constant(None) if a in functions else self.atom(a, scope) for a in e.args]
        keywords = {
            str(k.arg): ast.Constant(None) if k.value in functions else self.atom(k.value, scope) for k in e.keywords
        }
        if f is MISSING:
            if not isinstance(e.func, ast.Attribute):
                raise self.refuse("a call to a function that is a value", e, scope)
            owner = self.atom(e.func.value, scope)
            method = ast.Attribute(owner, e.func.attr, ast.Load())
            return ast.Call(method, arguments, [ast.keyword(k, v) for k, v in keywords.items()])
        if isinstance(f, Inner):
            return self.inline_inner(f, e, (arguments, keywords), functions, scope)
        python = f if is_jitable(f) else getattr(f, "py_func", None)
        if isinstance(python, FunctionType) and self.may_inline(f, python):
            return self.inline(python, e, (arguments, keywords), functions, scope)
        if functions:
            raise self.refuse("a function that is given to one that is called", e, scope)
        name = getattr(f, "__name__", "function")
        if isinstance(owner := getattr(f, "__self__", None), type):  # a class method, which Numba finds by its class
            method = ast.Attribute(self.named(owner, owner.__name__), name, ast.Load())
            return ast.Call(method, arguments, [ast.keyword(k, v) for k, v in keywords.items()])
        return ast.Call(self.named(f, name), arguments, [ast.keyword(k, v) for k, v in keywords.items()])

    def without_stars(self: Any, e: ast.Call, scope: Scope) -> ast.Call:
        """`f(x, *args)`, where the length of `args` is in sight: `f(x, args[0], args[1])`."""
        if any(k.arg is None for k in e.keywords):
            raise self.refuse("a call with star arguments", e, scope)
        if not any(isinstance(a, ast.Starred) for a in e.args):
            return e
        arguments: list[ast.expr] = []
        for a in e.args:
            items = self.items_of(a.value, scope) if isinstance(a, ast.Starred) else [a]
            if items is None:
                raise self.refuse("a call with star arguments", e, scope)
            arguments += items
        return ast.copy_location(ast.Call(e.func, arguments, e.keywords), e)

    def functions_given(self: Any, e: ast.Call, scope: Scope) -> dict[ast.expr, Any]:
        """The arguments of a call that are functions: the callee's body is made for them."""
        found: dict[ast.expr, Any] = {}
        for a in [*e.args, *(k.value for k in e.keywords)]:
            value = Inner(as_definition(a), scope) if isinstance(a, ast.Lambda) else self.static(a, scope)
            if value is not MISSING and callable(value) and not isinstance(value, type):
                found[a] = value
        return found

    def may_inline(self: Any, f: Any, python: FunctionType) -> bool:
        """Whether a callee stands in place of its call."""
        if f in self.keep or has_rule(f):
            return False
        return python not in self.stack and self.size < MOST_INLINED


def as_definition(e: ast.Lambda) -> ast.FunctionDef:
    """A lambda as a `def`."""
    body = ast.copy_location(ast.Return(e.body), e.body)
    return ast.copy_location(ast.FunctionDef("lambda_", e.args, [body], []), e)


def _rename_targets(e: ast.ListComp, fresh: Fresh, scope: Scope) -> None:
    """Give the variables of a comprehension names of their own: they live in its scope only."""
    names = {n.id for part in e.generators for n in ast.walk(part.target) if isinstance(n, ast.Name)}
    own = {name: fresh(scope.prefix + name) for name in names}
    for name in own.values():
        scope.local_names.add(name)
        scope.rename[name] = name
    for node in ast.walk(e):
        if isinstance(node, ast.Name) and node.id in own:
            node.id = own[node.id]


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
