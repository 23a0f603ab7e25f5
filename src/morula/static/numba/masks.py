"""Whether the branches in the loops of a generated function may become masks of vectors.

LLVM (20, at least) moves a load under a mask past the writes after it, up to the join of the branch
(`faithful_vectors.py`). That does no harm where no such write is to the same place: where what is loaded in branches of
a loop is not stored into there, and what is stored into in branches is only added to. So it is in

for b in range(20):                    but not in      for k in range(n):
    if abs(z[b]) > 1.0:                                    if c[k] > 0.0:
        t_bar = 0.0                                            v_bar = u_bar[k]
    else:                                                      u_bar[k] = 0.0
        t_bar = h_bar[b] * a
"""

import ast
from collections.abc import Iterator
from typing import Any

from morula.static.numba.emit.outlined import text_of
from morula.transform.syntax import parsed

MODULES = frozenset({"np", "math", "cmath", "vector_math"})
CALLED = frozenset({  # what generated code calls by name, and what writes into no array that it is given
    "abs", "added", "all_finite", "bool", "complex", "float", "hold", "int", "is_finite", "len", "max", "min", "opaque",
    "power_dx", "power_dy", "range", "room_for", "round", "start_of", "times", "widened",
})  # fmt: skip
ENDS = (ast.Break, ast.Continue)
LOOPS = (ast.For, ast.While)


def may_use_masks(text: str, name: str) -> bool:
    """Whether all loops with branches of the function `name` in a text are of this kind."""
    function = parsed(text_of(text, name)).body[0]
    nodes = list(ast.walk(function))
    if not all(_is_known(node) for node in nodes if isinstance(node, ast.Call)):
        return False
    same = _aliases(function)
    return all(_is_apart(loop, same) for loop in nodes if isinstance(loop, LOOPS) and not _has_loops(loop))


def _is_known(call: ast.Call) -> bool:
    f = call.func
    if isinstance(f, ast.Name):
        return f.id in CALLED or f.id.endswith("Error")
    return (
        isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and (f.value.id in MODULES or f.attr == "fill")
    )


def _has_loops(loop: Any) -> bool:
    """Whether a loop has others in it which LLVM cannot unroll, so that it makes no vectors of this one."""
    inner = [node for s in loop.body for node in ast.walk(s) if isinstance(node, LOOPS)]
    return not all(
        isinstance(x, ast.For) and isinstance(x.iter, ast.Call) and all(_is_literal(a) for a in x.iter.args)
        for x in inner
    )  # fmt: skip


def _is_literal(x: ast.expr) -> bool:
    return isinstance(x, ast.Constant) or (isinstance(x, ast.UnaryOp) and isinstance(x.operand, ast.Constant))


def _aliases(function: ast.AST) -> dict[str, str]:
    """For the names of arrays one of all those that may be of the same memory."""
    nodes = list(ast.walk(function))
    arrays = {
        x.value.id for x in nodes if isinstance(x, ast.Subscript | ast.Attribute) and isinstance(x.value, ast.Name)
    }
    same: dict[str, str] = {}

    def of(x: str) -> str:
        while x in same:
            x = same[x]
        return x

    for s in nodes:
        if isinstance(s, ast.Assign):
            targets = {x.id for t in s.targets for x in ast.walk(t) if isinstance(x, ast.Name)} & arrays
            if any(isinstance(x, ast.Name) for t in s.targets for x in getattr(t, "elts", [t])):
                read = {x.id for x in ast.walk(s.value) if isinstance(x, ast.Name)} & arrays - MODULES
                for x in targets | read if targets else ():
                    first = of(next(iter(targets)))
                    if of(x) != first:
                        same[of(x)] = first
    return {x: of(x) for x in arrays}


def _is_apart(loop: Any, same: dict[str, str]) -> bool:
    """Whether what branches of a loop load, or store into, is not written, or read, by the rest of it."""
    touched: list[tuple[str, str | None, bool]] = []
    for s in loop.body:
        touched += _touched(s, any(isinstance(x, ENDS) for y in loop.body for x in ast.walk(y)))
    if any(name is None for _, name, _ in touched):
        return not any(inside for _, _, inside in touched)

    def of(kind: str, *wanted: bool) -> set[str]:
        return {same.get(str(name), str(name)) for k, name, inside in touched if k == kind and inside in wanted}

    return not (of("load", True) & of("store", True, False) or of("load", True, False) & of("store", True))


def _touched(node: ast.AST, inside: bool) -> Iterator[tuple[str, str | None, bool]]:
    """Loads and stores of elements: the name of the array, if it has one, and whether they stand in a branch."""
    if isinstance(node, ast.Subscript) and not (isinstance(node.value, ast.Attribute) and node.value.attr == "shape"):
        kind = "load" if isinstance(node.ctx, ast.Load) else "store"
        yield kind, node.value.id if isinstance(node.value, ast.Name) else None, inside
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fill":
        yield "store", getattr(node.func.value, "id", None), inside
    is_branch = isinstance(node, ast.If | ast.IfExp | ast.BoolOp)
    for child in ast.iter_child_nodes(node):
        is_first = child is getattr(node, "test", None) or child is getattr(node, "values", [None])[0]
        yield from _touched(child, inside or (is_branch and not is_first))
