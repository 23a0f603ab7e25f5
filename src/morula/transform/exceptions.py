"""Exceptions: ``raise``, ``assert``, ``try``, ``with``, and the jumps that may leave a ``finally``.

The program's exceptions are raised, caught and passed on as they are plainly. The errors of the engine are not for the
program: see `eager/context/refusals.py`.
"""

import ast

from morula.transform.build import CTX, ctx_call, load, pair
from morula.transform.definitions import Definitions
from morula.transform.expressions import Operand, Refused
from morula.transform.syntax import walk


class Exceptions(Definitions):
    """Emits what raises, catches and cleans up; `Statements` builds on it."""

    loops_in_finally: int | None = None  # how many loops of the innermost ``finally`` are around; None outside one

    def _Raise(self, node: ast.Raise) -> None:
        made: list[str] = []
        parts = [self._raised(p, made) if p is not None else None for p in (node.exc, node.cause)]
        raised = ast.Raise(*parts)
        if not made:
            self.emit(raised)
            return
        # A frame that holds the error, whose traceback holds the frame, would keep all that the run has computed.
        self.emit(ast.Try([raised], [], [], [ast.Delete([ast.Name(name, ast.Del()) for name in made])]))

    def _raised(self, node: ast.expr, made: list[str]) -> ast.expr:
        """The error to raise, or its class; `made` gets the temporaries that hold it."""
        value = self.expr(node).value
        if not isinstance(node, ast.Call):
            return ctx_call("raised", value)  # a class makes its own instance
        if isinstance(value, ast.Name) and self.is_fresh(value.id):
            made.append(value.id)
        return value

    def _Assert(self, node: ast.Assert) -> None:
        if not __debug__:  # python -O: the plain program has no assertions either
            self.emit(ast.Pass())
            return
        test = self.expr(node.test)
        fail, _ = self.block(lambda: self._failed(node.msg))
        self.emit(ast.If(ast.UnaryOp(ast.Not(), test.value), fail, []))

    def _failed(self, message: ast.expr | None) -> None:
        parts = [self.expr(message)] if message is not None else []
        self.emit(ast.Raise(ctx_call("failed", *(part for p in parts for part in (p.value, p.d)))))

    def _With(self, node: ast.With) -> None:
        item, rest = node.items[0], node.items[1:]
        manager = self.expr(item.context_expr)
        entered = self.lasting("w")
        body: list[ast.stmt] = []
        if item.optional_vars is not None:
            target = item.optional_vars
            body, _ = self.block(lambda: self.assign(target, Operand(load(entered), load(self.d(entered)))))
        if rest:
            inner = ast.copy_location(ast.With(rest, node.body), node)
            more, _ = self.block(lambda: self._With(inner))
            body += more
        else:
            body += self.body(node.body)
        managed = ast.withitem(ctx_call("manager", manager.value, manager.d), pair(entered, self.d(entered)))
        self.emit(ast.With([managed], body))

    def _Try(self, node: ast.Try | ast.TryStar) -> None:
        """Handlers see what the program raised, ``finally`` has its say of that alone (`eager/context/refusals.py`)."""
        body = self.body(node.body)
        if node.handlers:
            handlers = [self._handler(handler, isinstance(node, ast.TryStar)) for handler in node.handlers]
            orelse = self.body(node.orelse) if node.orelse else []
            if isinstance(node, ast.TryStar):
                caught: ast.stmt = ast.TryStar(body, handlers, orelse, [])
            else:
                caught = ast.Try(body, [self.let_through(), *handlers], orelse, [])
            body, _ = self.block(lambda: self.emit(caught))
        if node.finalbody:
            body = [ast.Try(body, [self.let_through()], [], self._finally(node.finalbody))]
        for statement in body:
            self.emit(statement)

    _TryStar = _Try

    def let_through(self) -> ast.ExceptHandler:
        """The clause that lets a refusal through."""
        refusals = ast.Attribute(load(CTX), "refusals", ast.Load())
        return ast.ExceptHandler(refusals, None, [ast.Expr(ctx_call("refuse")), ast.Raise()])

    def _handler(self, handler: ast.ExceptHandler, of_groups: bool) -> ast.ExceptHandler:
        body = self.body(handler.body)
        if handler.name:
            head, _ = self.block(lambda: self._caught(handler))
            body = [*head, *body]
        if handler.type is not None and any(map(self._is_user_call, walk(handler.type))):
            raise Refused("a call in the head of an except clause", handler.type)
        kinds = ctx_call("seen_by", handler.type) if of_groups and handler.type is not None else handler.type
        return ast.copy_location(ast.ExceptHandler(kinds, handler.name, body), handler)

    def _finally(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        before, self.loops_in_finally = self.loops_in_finally, 0
        try:
            return self.body(statements)
        finally:
            self.loops_in_finally = before

    def _is_user_call(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return False
        return not (isinstance(node.func, ast.Name) and self.global_names.builtin(node.func.id))

    def _caught(self, handler: ast.ExceptHandler) -> None:
        assert handler.name is not None
        before, self.here = self.here, handler
        self.bound(handler.name)
        self.here = before

    # -- jumps --------------------------------------------------------------------------------------------

    def _jump(self, node: ast.Break | ast.Continue) -> None:
        if not self.loops_in_finally:
            self.leave_finally()
        self.emit(node)

    _Break = _Continue = _jump

    def leave_finally(self) -> None:
        """A jump out of ``finally`` leaves an error behind, but not one that belongs to the run."""
        if self.loops_in_finally is not None:
            self.emit(ast.Expr(ctx_call("stay_refused")))

    def loop_body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The body of a loop, whose ``break`` and ``continue`` leave nothing but the loop."""
        if self.loops_in_finally is None:
            return self.body(statements)
        self.loops_in_finally += 1
        try:
            return self.body(statements)
        finally:
            self.loops_in_finally -= 1
