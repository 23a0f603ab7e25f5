"""Small constructors for the syntax trees that the transform emits."""

import ast
from collections.abc import Iterable

CTX = "<ctx>"  # the context: no name that a program could use


def none() -> ast.Constant:
    return ast.Constant(None)


def is_absent(shadow: ast.expr | None) -> bool:
    """Whether a shadow is known to be None."""
    return shadow is None or (isinstance(shadow, ast.Constant) and shadow.value is None)


def fresh(atom: ast.expr) -> ast.expr:
    """An atom as a node of its own, without a position: where it is used is where it stands."""
    if isinstance(atom, ast.Name):
        return ast.Name(atom.id, ast.Load())
    if isinstance(atom, ast.Constant):
        return ast.Constant(atom.value)
    if isinstance(atom, ast.Attribute):
        return ast.Attribute(fresh(atom.value), atom.attr, ast.Load())
    if isinstance(atom, ast.UnaryOp):
        return ast.UnaryOp(atom.op, fresh(atom.operand))
    return atom


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def constant(value: object) -> ast.Constant:
    return ast.Constant(value)  # type: ignore[arg-type]


def tuple_of(items: Iterable[ast.expr], ctx: ast.expr_context | None = None) -> ast.Tuple:
    return ast.Tuple(list(items), ctx or ast.Load())


def pair(value: str, shadow: str) -> ast.Tuple:
    """The assignment target ``value, shadow``."""
    return ast.Tuple([store(value), store(shadow)], ast.Store())


def ctx_call(method: str, *args: ast.expr) -> ast.Call:
    """``ctx.method(*args)``."""
    return ast.Call(ast.Attribute(load(CTX), method, ast.Load()), list(args), [])


def assign(target: ast.expr, value: ast.expr) -> ast.Assign:
    return ast.Assign([target], value)


def is_none(*names: ast.expr) -> ast.Compare:
    """``a is b is None``: true when every one of `names` is None."""
    return ast.Compare(names[0], [ast.Is()] * len(names), [*names[1:], none()])
