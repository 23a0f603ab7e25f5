"""Sets of constants: those that the code of a function holds, in the order that they have there.

The compiler makes a frozen set of such a display, once for a module, and a module that is read from its ``.pyc`` file
makes it anew from its sorted items. Where items collide its order is then another than that of the same text compiled
again, so a loop over it would add up in another order than the program does.
"""

import ast
from types import CodeType
from typing import Any, cast

from morula.transform.bytecode.same import constant_key
from morula.transform.codes import held_sets
from morula.transform.deep import copied
from morula.transform.syntax import walk

__all__ = ["held_set", "holding_sets_of", "with_held_sets"]


def with_held_sets(node: Any, code: CodeType) -> Any:
    """The tree of a function with the sets that its `code` holds in place of displays; itself where there are none.

    >>> def f(x):
    ...     return [x * i for i in {8, 0}], {8, 0, 16}, {8, x}
    >>> tree = ast.parse("lambda x: ([x * i for i in {8, 0}], {8, 0, 16}, {8, x})", mode="eval").body
    >>> [type(n.elts[0]).__name__ for n in walk(with_held_sets(tree, f.__code__)) if isinstance(n, ast.Set)]
    ['Starred', 'Constant']
    """
    held = _held_by(code)
    made: dict[int, ast.expr] = {}
    looked_into: list[tuple[Any, ast.Set]] = []
    node = copied(node)
    iterated = {id(n.iter) for n in walk(node) if isinstance(n, ast.For | ast.comprehension)}
    compared = {id(c) for n in walk(node) if isinstance(n, ast.Compare) for c in n.comparators}
    for n in walk(node):
        if not isinstance(n, ast.Set) or (key := _key(n)) not in held:
            continue
        constant = ast.copy_location(ast.Constant(cast(Any, held[key])), n)
        if id(n) in compared:
            looked_into.append((key, n))
        elif id(n) in iterated:
            made[id(n)] = constant
        elif len(n.elts) > 2:  # of fewer items one is built at run time
            starred = ast.copy_location(ast.Starred(constant, ast.Load()), n)
            made[id(n)] = ast.copy_location(ast.Set([starred]), n)
    if not made:
        return node
    for key, n in looked_into:  # has no order, but the compiler would make it the one constant for all that are equal
        made[id(n)] = ast.copy_location(ast.Constant(cast(Any, held[key])), n)
    return _Replaced(made).visit(node)


def holding_sets_of(code: CodeType, original: CodeType) -> CodeType:
    """`code`, and all code in it, with the very sets that the `original` holds: the compiler makes new ones, too."""
    held = _held_by(original)

    def with_sets(code: CodeType) -> CodeType:
        consts = []
        for c in code.co_consts:
            if type(c) is frozenset:
                c = held.get(constant_key(c), c)
            consts.append(with_sets(c) if type(c) is CodeType else c)
        return code.replace(co_consts=tuple(consts))

    return with_sets(code)


def held_set(node: ast.expr) -> frozenset | None:
    """The set of constants that an expression goes through, or makes a new set of; None for any other expression."""
    if isinstance(node, ast.Set) and len(node.elts) == 1 and isinstance(node.elts[0], ast.Starred):
        node = node.elts[0].value
    value: object = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is frozenset else None


def _held_by(code: CodeType) -> dict[Any, frozenset]:
    return {constant_key(s): s for s in held_sets(code)}


class _Replaced(ast.NodeTransformer):
    def __init__(self, made: dict[int, ast.expr]):
        self.made = made

    def visit_Set(self, node: ast.Set) -> ast.AST:
        return self.made.get(id(node)) or self.generic_visit(node)


PARTS = ast.Constant | ast.UnaryOp | ast.BinOp | ast.Tuple


def _key(node: ast.Set) -> Any:
    """What a display that the compiler folds is found by."""
    if not all(isinstance(n, PARTS) for item in node.elts for n in walk(item)):
        return None
    try:
        items = [eval(compile(ast.Expression(item), "", "eval"), {"__builtins__": {}}) for item in node.elts]
        return constant_key(frozenset(items))
    except (ArithmeticError, TypeError, ValueError):  # the program's own, when it gets there
        return None
