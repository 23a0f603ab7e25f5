"""Definitions of functions and classes inside a function.

A nested function stands as it is. So does a class of methods and constants alone; any other class body is
transformed, and the context makes the class of it. The names that a class body binds are names of the class; their
shadows, and all temporaries, are variables of the function around it, which the body declares ``nonlocal``.
"""

import ast

from morula.transform import names
from morula.transform.build import assign, constant, ctx_call, load, none, store, tuple_of
from morula.transform.comprehensions import Comprehensions
from morula.transform.deep import copied
from morula.transform.expressions import Operand, Refused
from morula.transform.mangling import mangled_name, with_mangled_attributes
from morula.transform.names import Scope
from morula.transform.syntax import walk

CLASS_CELL = "__class__"
FRAME_READERS = frozenset({"locals", "vars", "dir", "eval", "exec"})


class Definitions(Comprehensions):
    """Emits ``def`` and ``class``; `Statements` builds on it."""

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        raise NotImplementedError  # `Statements` knows how

    def assign(self, target: ast.expr, operand: Operand) -> None:
        raise NotImplementedError  # `Statements` knows how

    def evaluated(self, target: ast.Attribute | ast.Subscript) -> None:
        raise NotImplementedError  # `Statements` knows how

    def bound(self, name: str, shadow: ast.expr | None = None) -> None:
        """`name` was bound by a statement that stands as it is: its shadow follows (None unless given)."""
        if not self.scope.is_variable(name):  # declared global
            self.emit(ast.Expr(ctx_call("global_written", constant(name), load(name), shadow or none())))
        elif not self.scope.is_inactive(name):
            self.emit(assign(store(self.d(name)), shadow or none()))

    def _FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = [self.copied(self.expr(d)) for d in node.decorator_list]
        args, shadows = self.defaults(node.args)
        raw = type(node)(node.name, args, node.body, [], node.returns, node.type_comment)
        if hasattr(node, "type_params"):
            raw.type_params = node.type_params  # type: ignore[union-attr]
        self.emit(ast.copy_location(raw, node))
        self.default_shadows(load(node.name), shadows)
        self._decorated(node.name, decorators)

    _AsyncFunctionDef = _FunctionDef

    def _decorated(self, name: str, decorators: list[Operand]) -> None:
        made = Operand(load(name))
        for decorator in reversed(decorators):
            made = self.into(ctx_call("call1", self.callee(decorator), made.value, made.d), None)
        if decorators:
            self.emit(assign(store(name), made.value))
        self.bound(name, made.shadow)

    # -- classes ------------------------------------------------------------------------------------------

    def _ClassDef(self, node: ast.ClassDef) -> None:
        decorators = [self.copied(self.expr(d)) for d in node.decorator_list]
        bare = ast.copy_location(ast.ClassDef(node.name, node.bases, node.keywords, node.body, []), node)
        bare.type_params = getattr(node, "type_params", [])  # type: ignore[attr-defined]
        if is_plain_class(bare):
            self.emit(bare)
        elif bare.type_params or _looks_at_its_frame(bare):  # type: ignore[attr-defined]
            self._untransformed_class(bare)
        else:
            self._class_of_context(bare)
        self._decorated(node.name, decorators)

    def _untransformed_class(self, node: ast.ClassDef) -> None:
        """A class whose body runs plainly; nothing active may reach it."""
        used = {n.id for n in names.walk_scope(node.body) if isinstance(n, ast.Name)}
        used |= {n.id for b in [*node.bases, *node.keywords] for n in walk(b) if isinstance(n, ast.Name)}
        self.global_names.read |= {n for n in used if not self.scope.is_variable(n)}
        read = [n for n in sorted(used - names.bound_names(node.body)) if n != node.name and self.scope.is_variable(n)]
        values = tuple_of([load(n) for n in read])
        shadows = tuple_of([none() if self.scope.is_inactive(n) else load(self.d(n)) for n in read])
        self.emit(ast.Expr(ctx_call("plain_class_body", constant(node.name), values, shadows)))
        self.emit(node)

    def _class_of_context(self, node: ast.ClassDef) -> None:
        """``class C(<bases>, metaclass=maker): <transformed body>``; `maker` makes the class as its metaclass would."""
        bases, _ = self._items(node.bases)
        given, keywords, shadows = self._class_keywords(node.keywords)
        maker = self.lasting("maker")
        self.emit(assign(store(maker), ctx_call("class_maker", given, shadows)))
        body = self._class_body(node, maker)
        keywords.insert(0, ast.keyword("metaclass", load(maker)))
        made = ast.ClassDef(node.name, bases, keywords, body, [])
        made.type_params = []  # type: ignore[attr-defined]
        self.emit(ast.copy_location(made, node))

    def _class_keywords(self, keywords: list[ast.keyword]) -> tuple[ast.expr, list[ast.keyword], ast.expr]:
        """The metaclass that is named (or None), the other keywords, and a dict of the shadows of those."""
        given: ast.expr = none()
        found: list[ast.keyword] = []
        keys: list[ast.expr | None] = []
        shadows: list[ast.expr] = []
        for keyword in keywords:
            if keyword.arg is None:
                raise Refused("** in the head of a class", keyword.value)
            operand = self.copied(self.expr(keyword.value))
            if keyword.arg == "metaclass":
                given = operand.value
                continue
            found.append(ast.keyword(keyword.arg, operand.value))
            keys.append(constant(keyword.arg))
            shadows.append(operand.d)
        return given, found, ast.Dict(keys, shadows)

    def _class_body(self, node: ast.ClassDef, maker: str) -> list[ast.stmt]:
        body = with_mangled_attributes([copied(n) for n in node.body], node.name)
        outside = {n for s in names.walk_scope(body) if isinstance(s, ast.Global | ast.Nonlocal) for n in s.names}
        local = names.bound_names(body) - outside
        scope = Scope(set(local), parent=self.scope)
        inner = type(self)(scope, self.global_names, self.suffix, self.taken)
        inner.here, inner.kept, inner.first_parameter = node, self.kept, self.first_parameter
        inner.class_shadows = {n: inner.lasting("s") for n in sorted(local)}
        statements = inner.body(body)
        keys: list[ast.expr | None] = [constant(mangled_name(n, node.name)) for n in inner.class_shadows]
        shadows = ast.Dict(keys, [load(s) for s in inner.class_shadows.values()])
        last, _ = inner.block(lambda: inner.emit(ast.Expr(ctx_call("class_body", load(maker), shadows)), node))
        statements += last
        self.kept = inner.kept
        for name, shadow in inner.class_shadows.items():  # until it is bound, such a name is a global variable
            before = ctx_call("global_shadow", constant(name)) if name in self.global_names.state else none()
            self.emit(assign(store(shadow), before))
        bound = names.bound_names(statements) - local - outside
        if bound:
            binding = ast.Assign([store(n) for n in sorted(bound)], none())
            self.emit(ast.If(ast.Constant(0), [binding], []))
        declared = bound | {n for n in names.bound_names(statements) & outside if n not in _globals_of(body)}
        doc = 1 if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else 0
        if declared:
            statements.insert(doc, ast.copy_location(ast.Nonlocal(sorted(declared)), node))
        return statements

    def annotated(self, node: ast.AnnAssign) -> None:
        """``name: annotation = value`` in a class body, which keeps its annotations."""
        operand = self.copied(self.expr(node.value)) if node.value is not None else None
        value = None if operand is None else operand.value
        if isinstance(node.target, ast.Name):
            self.emit(ast.AnnAssign(node.target, node.annotation, value, node.simple))
            if operand is not None:
                self.emit(assign(store(self.d(node.target.id)), operand.d))
            return
        if operand is not None:
            self.assign(node.target, operand)
        else:
            self.evaluated(node.target)
        self.emit(ast.AnnAssign(ast.Attribute(none(), "_", ast.Store()), node.annotation, None, 0))

    def _super(self, node: ast.Call) -> Operand:
        if CLASS_CELL not in self.scope.free or self.first_parameter is None:
            raise Refused("super() outside a method", node)
        first = self.first_parameter
        made = self.value_into(ast.Call(load("super"), [load(CLASS_CELL), load(first)], []))
        return Operand(made.value, None if self.scope.is_inactive(first) else load(self.d(first)))


def is_plain_class(node: ast.ClassDef) -> bool:
    """Whether a class has no bases, and its body nothing but methods and constants."""
    return not (node.bases or node.keywords) and all(map(_is_plain_member, node.body))


def _is_plain_member(node: ast.stmt) -> bool:
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.FunctionDef(decorator_list=[], args=args) | ast.AsyncFunctionDef(decorator_list=[], args=args):
            defaults = [*args.defaults, *(d for d in args.kw_defaults if d is not None)]
            return all(isinstance(d, ast.Constant) for d in defaults)
        case ast.Assign(targets=[ast.Name()], value=ast.Constant()):
            return True
        case ast.AnnAssign(target=ast.Name(), value=ast.Constant() | None):
            return True
    return False


def _looks_at_its_frame(node: ast.ClassDef) -> bool:
    """Whether a class body asks for its own namespace, or its head spreads a dict."""
    called = [n.func for n in names.walk_scope(node.body) if isinstance(n, ast.Call)]
    return any(k.arg is None for k in node.keywords) or any(
        isinstance(f, ast.Name) and f.id in FRAME_READERS for f in called
    )


def _globals_of(body: list[ast.stmt]) -> set[str]:
    return {n for s in names.walk_scope(list(body)) if isinstance(s, ast.Global) for n in s.names}
