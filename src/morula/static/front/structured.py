"""One entry, one exit: `break`, `continue` and `return` become flags and `else` branches.

Afterwards a loop is left only at the end of its body (`if exit_1: break`), and a function only at its end
(`return value`), so that each block is a plain sequence that can be walked backwards.
"""

import ast
from collections.abc import Callable

from morula.static.front.source import own_nodes
from morula.static.unsupported import Unsupported

JUMPS = (ast.Break, ast.Continue, ast.Return)
Fresh = Callable[[str], str]


def structured(body: list[ast.stmt], fresh: Fresh, result: str) -> tuple[list[ast.stmt], bool]:
    """The body of a function in structured form; its value is left in the variable `result`.

    Returns:
        The statements, and whether there is a value at all.

    Raises:
        Unsupported: `try`, `with`, `match`, generators and other statements that have no such form.
    """
    level = _Level(fresh, result, fresh("returned"), None, None)
    found = level.block(body)
    has_value = any(isinstance(node, ast.Return) and node.value is not None for s in body for node in own_nodes(s))
    if level.uses_returned:
        found.insert(0, _set(level.returned, False, body[0]))
    return found, has_value


def _set(name: str, value: bool, like: ast.AST) -> ast.stmt:
    made = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value), lineno=1)
    return _located(made, like)


def _located(made: ast.stmt, like: ast.AST) -> ast.stmt:
    ast.copy_location(made, like)
    return ast.fix_missing_locations(made)


def _read(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _may_jump(node: ast.stmt, in_loop: bool = False) -> bool:
    """Whether control can leave the statement otherwise than at its end (an inner loop keeps its own `break`)."""
    if isinstance(node, ast.Return):
        return True
    if isinstance(node, ast.Break | ast.Continue):
        return not in_loop
    if isinstance(node, ast.If):
        return any(_may_jump(s, in_loop) for s in node.body + node.orelse)
    if isinstance(node, ast.For | ast.While):
        return any(_may_jump(s, True) for s in node.body) or any(_may_jump(s, in_loop) for s in node.orelse)
    return False


def _always_jumps(block: list[ast.stmt]) -> bool:
    """Whether control never reaches the end of the block."""
    for node in block:
        if isinstance(node, JUMPS):
            return True
        if isinstance(node, ast.If) and node.orelse and _always_jumps(node.body) and _always_jumps(node.orelse):
            return True
    return False


class _Level:
    """The statements of one loop body, or of the function itself."""

    def __init__(self, fresh: Fresh, result: str, returned: str, exit: str | None, outer: "_Level | None"):
        self.fresh = fresh
        self.result = result
        self.returned = returned
        self.exit = exit
        self.outer = outer
        self.skip = fresh("skip")
        self.uses_returned = False

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for place, node in enumerate(body):
            rest = body[place + 1 :]
            if isinstance(node, JUMPS):
                return found + self.jump(node)
            if isinstance(node, ast.If) and _may_jump(node):
                return found + self.branch(node, rest)
            if isinstance(node, ast.For | ast.While):
                loop, ended, returns = self.loop(node)
                found += loop
                if node.orelse:
                    rest = [_located(ast.If(ended, node.orelse, []), node), *rest]
                if returns:
                    return found + self.after_return(node, rest)
                if node.orelse:
                    return found + self.block(rest)
                continue
            if isinstance(node, ast.Try | ast.With | ast.Match | ast.ClassDef | ast.Global | ast.Nonlocal):
                raise Unsupported(_SAID.get(type(node), "a statement without structured form"), node.lineno)
            if isinstance(node, ast.If):
                found.append(_located(ast.If(node.test, self.block(node.body), self.block(node.orelse)), node))
            else:
                found.append(node)
        return found

    def jump(self, node: ast.stmt) -> list[ast.stmt]:
        """The flags that stand for one jump."""
        made: list[ast.stmt] = []
        if isinstance(node, ast.Return):
            if node.value is not None:
                target = ast.Name(self.result, ast.Store())
                made.append(_located(ast.Assign([target], node.value, lineno=1), node))
            if self.exit is not None:
                self.note_return()
                made.append(_set(self.returned, True, node))
        if not isinstance(node, ast.Continue) and self.exit is not None:
            made.append(_set(self.exit, True, node))
        made.append(_set(self.skip, True, node))
        return made

    def note_return(self) -> None:
        level: _Level | None = self
        while level is not None:
            level.uses_returned = True
            level = level.outer

    def branch(self, node: ast.If, rest: list[ast.stmt]) -> list[ast.stmt]:
        """An `if` that may jump: what follows it goes where control still is."""
        then_jumps = any(_may_jump(s) for s in node.body)
        else_jumps = any(_may_jump(s) for s in node.orelse)
        if _always_jumps(node.body) and not else_jumps:
            return [_located(ast.If(node.test, self.block(node.body), self.block(node.orelse + rest)), node)]
        if _always_jumps(node.orelse) and not then_jumps:
            return [_located(ast.If(node.test, self.block(node.body + rest), self.block(node.orelse)), node)]
        both = _located(ast.If(node.test, self.block(node.body), self.block(node.orelse)), node)
        if not rest:
            return [both]
        go_on = _located(ast.If(ast.UnaryOp(ast.Not(), _read(self.skip)), self.block(rest), []), rest[0])
        return [_set(self.skip, False, node), both, go_on]

    def after_return(self, node: ast.stmt, rest: list[ast.stmt]) -> list[ast.stmt]:
        """What follows a loop that may have returned."""
        left = [_set(self.skip, True, node)]  # it may stand in a branch that something follows
        if self.exit is not None:
            left.insert(0, _set(self.exit, True, node))
        return [_located(ast.If(_read(self.returned), left, self.block(rest)), rest[0] if rest else node)]

    def loop(self, node: ast.For | ast.While) -> tuple[list[ast.stmt], ast.expr, bool]:
        """The loop without its `else`, the condition for that to run, and whether the loop may return."""
        body = node.body
        before: list[ast.stmt] = []
        done: list[ast.stmt] = []  # in an iteration that a `while` loop does not begin
        if isinstance(node, ast.While):
            if node.orelse:
                finished = self.fresh("finished")
                before, done = [_set(finished, False, node)], [_set(finished, True, node)]
            if not (isinstance(node.test, ast.Constant) and node.test.value):
                body = [_located(ast.If(node.test, node.body, [*done, _located(ast.Break(), node)]), node)]
        leaves = any(isinstance(n, ast.Break | ast.Return) for s in body for n in own_nodes(s))
        exit = self.fresh("exit")
        level = _Level(self.fresh, self.result, self.returned, exit, self)
        made = level.block(body)
        if leaves:
            before.append(_set(exit, False, node))
            made = [_set(exit, False, node), *made, _located(ast.If(_read(exit), [ast.Break()], []), node)]
        loop: ast.stmt
        if isinstance(node, ast.While):
            loop = ast.While(ast.Constant(True), made, [])
        else:
            loop = ast.For(node.target, node.iter, made, [], lineno=1)
        ended: ast.expr = ast.UnaryOp(ast.Not(), _read(exit)) if leaves else ast.Constant(True)
        if done:
            ended = _read(finished)
        return [*before, _located(loop, node)], ended, level.uses_returned


_SAID = {
    ast.Try: "`try`",
    ast.With: "`with`",
    ast.Match: "`match`",
    ast.ClassDef: "a class",
    ast.Global: "`global`",
    ast.Nonlocal: "`nonlocal`",
}
