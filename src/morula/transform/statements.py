"""Statements in shadow-passing form: control flow stays what it is, assignments move pairs."""

import ast

from morula.transform import names
from morula.transform.build import assign, constant, ctx_call, load, none, pair, store, tuple_of
from morula.transform.exceptions import Exceptions
from morula.transform.expressions import BINARY, Operand, Refused
from morula.transform.names import COMPREHENSIONS
from morula.transform.patterns import pattern_data


class Statements(Exceptions):
    """Emits the body of one function."""

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The transformed form of a list of statements, in a block of its own."""

        def run() -> None:
            for statement in statements:
                self.statement(statement)

        out, _ = self.block(run)
        return out or [self._pass(statements)]

    def _pass(self, statements: list[ast.stmt]) -> ast.stmt:
        like = statements[0] if statements else self.here
        return ast.copy_location(ast.Pass(), like)

    def statement(self, node: ast.stmt) -> None:
        self.count = 0
        before, self.here = self.here, node
        try:
            method = getattr(self, "_" + type(node).__name__, None)
            if method is None:
                raise Refused(f"the statement {type(node).__name__}", node)
            method(node)
        finally:
            self.here = before

    # -- plain --------------------------------------------------------------------------------------------

    def _Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            self.emit(ast.Pass() if self.class_shadows is None else node)  # of a class it may be the docstring
        elif isinstance(node.value, ast.Yield):
            inner = node.value.value
            operand = self.expr(inner) if inner is not None else Operand(none())
            self.emit(ast.Expr(ast.Yield(tuple_of([operand.value, operand.d]))))
        else:
            result = self.expr(node.value)
            last = self.out[-1] if self.out else None
            if isinstance(last, ast.Assign) and self.is_temporary(last.targets[0], result):
                self.out[-1] = ast.copy_location(ast.Expr(last.value), last)  # nothing holds the result, as plainly
            elif isinstance(node.value, ast.Name | ast.Attribute) and not isinstance(result.at, ast.Constant):
                self.emit(ast.Expr(result.value))  # reading a name may raise

    def _Return(self, node: ast.Return) -> None:
        operand = self.expr(node.value) if node.value is not None else Operand(none())
        self.leave_finally()
        self.emit(ast.Return(tuple_of([operand.value, operand.d])))

    def _keep(self, node: ast.stmt) -> None:
        self.emit(node)

    _Pass = _Global = _keep

    def _Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.emit(node)
        for name in sorted(names.bound_names([node])):
            self.bound(name)

    def _TypeAlias(self, node: ast.stmt) -> None:
        self.emit(node)
        self.bound(node.name.id)  # type: ignore[attr-defined]

    def _ImportFrom(self, node: ast.ImportFrom) -> None:
        self.emit(node)
        for alias in node.names:
            name = alias.asname or alias.name
            where = [constant(node.module), constant(node.level), constant(alias.name), load(name)]
            self.bound(name, ctx_call("imported_shadow", *where))

    def _Nonlocal(self, node: ast.Nonlocal) -> None:
        """Nothing: the twin declares every free variable, and its shadow, at its top."""

    def _Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.emit(ast.Delete([ast.Name(target.id, ast.Del())]))
                if not self.scope.is_variable(target.id):
                    self.emit(ast.Expr(ctx_call("global_written", constant(target.id), none(), none())))
            elif isinstance(target, ast.Attribute):
                base = self.expr(target.value)
                self.emit(ast.Expr(ctx_call("delattr", base.value, base.d, constant(target.attr))))
            elif isinstance(target, ast.Subscript):
                base, key = self.exprs([target.value, target.slice])
                self.emit(ast.Expr(ctx_call("delitem", base.value, base.d, key.value, *shadow_if_any(key))))
            elif isinstance(target, ast.Tuple | ast.List):
                self._Delete(ast.Delete(target.elts))

    # -- assignment ---------------------------------------------------------------------------------------

    def _Assign(self, node: ast.Assign) -> None:
        first = node.targets[0]
        if len(node.targets) == 1 and isinstance(first, ast.Tuple | ast.List) and self._pairwise(first, node.value):
            return
        operand = self.expr(node.value, self._direct(node.targets))
        if len(node.targets) > 1 and isinstance(operand.value, ast.Name):
            operand = self.copied(operand)
        for target in node.targets:
            self.assign(target, operand)

    def _direct(self, targets: list[ast.expr]) -> str | None:
        """The variable that may receive the last operation without a temporary."""
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            return None
        name = targets[0].id
        return name if self.scope.is_variable(name) and not self.scope.is_inactive(name) else None

    def _pairwise(self, target: ast.Tuple | ast.List, value: ast.expr) -> bool:
        """``a, b = b, a`` without building the tuple."""
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
            return False
        if any(isinstance(n, ast.Starred) for n in [*value.elts, *target.elts]):
            return False
        operands = [self.copied(self.expr(v)) for v in value.elts]
        for t, operand in zip(target.elts, operands, strict=True):
            self.assign(t, operand)
        return True

    def assign(self, target: ast.expr, operand: Operand) -> None:
        """Store an operand in any assignment target."""
        if isinstance(target, ast.Name):
            self.assign_name(target.id, operand)
        elif isinstance(target, ast.Attribute):
            base = self.expr(target.value)
            self.emit(
                ast.Expr(ctx_call("setattr", base.value, base.d, constant(target.attr), operand.value, operand.d))
            )
        elif isinstance(target, ast.Subscript):
            base, key = self.exprs([target.value, target.slice])
            key_d = shadow_if_any(key)
            written = ctx_call("setitem", base.value, base.d, key.value, operand.value, operand.d, *key_d)
            self.emit(ast.Expr(written))
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, operand)
        else:
            raise Refused(f"assignment to {type(target).__name__}", target)

    def _unpack(self, target: ast.Tuple | ast.List, operand: Operand) -> None:
        stars = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
        n = len(target.elts)
        before, after = (stars[0], n - stars[0] - 1) if stars else (n, -1)
        unpacked = ctx_call("unpack", operand.value, operand.d, constant(before), constant(after))
        temps = [self.lasting("u") for _ in target.elts]
        if not temps:
            self.emit(ast.Expr(unpacked))
            return
        left = ast.Tuple(
            [
                tuple_of([store(t) for t in temps], ast.Store()),
                tuple_of([store(self.d(t)) for t in temps], ast.Store()),
            ],
            ast.Store(),
        )
        self.emit(assign(left, unpacked))
        for t, name in zip(target.elts, temps, strict=True):
            inner = t.value if isinstance(t, ast.Starred) else t
            self.assign(inner, Operand(load(name), load(self.d(name))))

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if self.class_shadows is not None:
            self.annotated(node)
        elif node.value is not None:
            self.assign(node.target, self.expr(node.value, self._direct([node.target])))
        elif isinstance(node.target, ast.Name):
            self._declared(node.target.id)
        else:
            self.evaluated(node.target)

    def evaluated(self, target: ast.Attribute | ast.Subscript) -> None:
        """A bare annotation of an attribute or item: what the target is made of is evaluated."""
        for part in [target.value] if isinstance(target, ast.Attribute) else [target.value, target.slice]:
            self._Expr(ast.copy_location(ast.Expr(part), part))

    def _declared(self, name: str) -> None:
        """A bare annotation: it does nothing, but makes `name` (and its shadow) a variable of the function."""
        names_made = [name] if self.scope.is_inactive(name) or name in self.scope.free else [name, self.d(name)]
        for made in names_made:
            self.emit(ast.AnnAssign(store(made), constant(None), None, 1))

    def _AugAssign(self, node: ast.AugAssign) -> None:
        method = "i" + BINARY[type(node.op)].rstrip("_")
        target = node.target
        if isinstance(target, ast.Name):
            if self.scope.is_inactive(target.id):
                self.emit(ast.AugAssign(target, node.op, self.expr(node.value).value))
                return
            load_node = ast.copy_location(load(target.id), target)
            left, right = self.exprs([load_node, node.value])
            self.assign(target, self._in_place(method, left, right, self._direct([target])))
        elif isinstance(target, ast.Attribute):
            base = self.copied(self.expr(target.value))
            old = self.into(ctx_call("getattr", base.value, base.d, constant(target.attr)), None)
            new = self._in_place(method, old, self.expr(node.value), None)
            self.emit(ast.Expr(ctx_call("setattr", base.value, base.d, constant(target.attr), new.value, new.d)))
        else:
            base, key = (self.copied(o) for o in self.exprs([target.value, target.slice]))
            old = self.into(ctx_call("getitem", base.value, base.d, key.value, key.d), None)
            new = self._in_place(method, old, self.expr(node.value), None)
            key_shadow = [] if key.shadow is None else [key.d]
            back = ctx_call("write_back", base.value, base.d, key.value, new.value, new.d, old.value, *key_shadow)
            self.emit(ast.Expr(back))

    def _in_place(self, method: str, left: Operand, right: Operand, target: str | None) -> Operand:
        return self.into(ctx_call(method, left.value, left.d, right.value, right.d), target)

    # -- control flow -------------------------------------------------------------------------------------

    def _If(self, node: ast.If) -> None:
        test = self.expr(node.test)
        self.emit(ast.If(test.value, self.body(node.body), self.body(node.orelse) if node.orelse else []))

    def _While(self, node: ast.While) -> None:
        head, test = self.block(lambda: self.expr(node.test))
        if not head:
            orelse = self.body(node.orelse) if node.orelse else []
            self.emit(ast.While(test.value, self.loop_body(node.body), orelse))
            return
        finished = self.lasting("done") if node.orelse else None
        leave: list[ast.stmt] = [ast.Break()]
        if finished is not None:
            self.emit(assign(store(finished), constant(False)))
            leave.insert(0, assign(store(finished), constant(True)))
        head.append(ast.If(ast.UnaryOp(ast.Not(), test.value), leave, []))
        self.emit(ast.While(constant(True), [*head, *self.loop_body(node.body)], []), node.test)
        if finished is not None:
            self.emit(ast.If(load(finished), self.body(node.orelse), []))

    def _For(self, node: ast.For) -> None:
        orelse = self.body(node.orelse) if node.orelse else []
        if names.is_range(node.iter, self.global_names, self.scope) and isinstance(node.target, ast.Name):
            assert isinstance(node.iter, ast.Call)
            bounds = ast.Call(load("range"), [o.value for o in self.exprs(node.iter.args)], [])
            self.emit(ast.For(store(node.target.id), bounds, self._loop_body(node, None), orelse))
            return
        pairs = self._iterated(self.expr(node.iter))
        direct = self._direct([node.target])
        name = direct or self.lasting("v")
        item = Operand(load(name), load(self.d(name)))
        body = self._loop_body(node, None if direct else item)
        self.emit(ast.For(pair(name, self.d(name)), pairs, body, orelse))

    def _iterated(self, iterable: Operand) -> ast.expr:
        """``ctx.iter(...)``; a temporary is not kept, so that what it held dies with the loop, as it does plainly."""
        last = self.out[-1] if self.out else None
        if isinstance(last, ast.Assign) and isinstance(iterable.at, ast.Name):
            target = last.targets[0]
            if self.is_temporary(target, iterable):
                self.out.pop()
                if isinstance(target, ast.Tuple):
                    return ctx_call("iter_pair", last.value)
                return ctx_call("iter", last.value, none())
        return ctx_call("iter", iterable.value, iterable.d)

    def _loop_body(self, node: ast.For, item: Operand | None) -> list[ast.stmt]:
        if item is not None:
            head, _ = self.block(lambda: self.assign(node.target, item))
            return [*head, *self.loop_body(node.body)]
        body = self.loop_body(node.body)
        if isinstance(node.target, ast.Name) and names.is_range(node.iter, self.global_names, self.scope):
            name = node.target.id
            if not self.scope.is_variable(name):
                return body
            if not self.scope.is_inactive(name):
                head, _ = self.block(lambda: self.emit(assign(store(self.d(name)), none()), node.target))
                return [*head, *body]
        return body

    def _Match(self, node: ast.Match) -> None:
        subject = self.copied(self.expr(node.subject))
        kept = self.lasting("subject")
        self._set(kept, subject, True)
        subject = Operand(load(kept), load(self.d(kept)))
        matched = self.lasting("matched")
        self.emit(assign(store(matched), constant(False)))
        for case in node.cases:
            body, _ = self.block(lambda case=case: self._case(case, subject, matched))  # type: ignore[misc]
            self.emit(ast.If(ast.UnaryOp(ast.Not(), load(matched)), body, []), case.pattern)

    def _case(self, case: ast.match_case, subject: Operand, matched: str) -> None:
        found = self.fresh()
        self.emit(
            assign(store(found), ctx_call("match", subject.value, subject.d, pattern_data(case.pattern))),
            case.pattern,
        )
        captures, _ = self.block(lambda: self._bind_captures(case.pattern, found))
        rest, _ = self.block(lambda: self._guarded(case, matched))
        self.emit(ast.If(ast.Compare(load(found), [ast.IsNot()], [none()]), [*captures, *rest], []), case.pattern)

    def _bind_captures(self, pattern: ast.pattern, found: str) -> None:
        for name in sorted(names.bound_names([pattern])):
            item = self.into(ast.Subscript(load(found), constant(name), ast.Load()), None)
            self.assign_name(name, item)

    def _guarded(self, case: ast.match_case, matched: str) -> None:
        def chosen() -> None:
            self.emit(assign(store(matched), constant(True)), case.pattern)
            self.out.extend(self.body(case.body))

        if case.guard is None:
            chosen()
            return
        guard = self.expr(case.guard)
        body, _ = self.block(chosen)
        self.emit(ast.If(guard.value, body, []), case.guard)


def shadow_if_any(key: Operand) -> list[ast.expr]:
    """The shadow of a key, which is left out where it has none: nearly everywhere."""
    return [] if key.shadow is None else [key.d]


def refuses_whole(node: ast.AST) -> Refused | None:
    """A reason for which no part of a function can be transformed."""
    if isinstance(node, ast.AsyncFunctionDef):
        return Refused("an async function", node)
    return None


assert all(hasattr(Statements, "_" + c.__name__) for c in COMPREHENSIONS)
