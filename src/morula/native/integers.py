"""Which integers of a function count as numbers: those that its value depends on otherwise than by place and choice.

The eager tier differentiates by an integer that is multiplied with a float, and generated code does not. An integer
that is nothing but a bound of a loop, an index, a shape or a side of a comparison has no derivative in either.
"""

import ast
import builtins
from collections.abc import Collection, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from morula.transform import SourceUnavailable, source_of

# Functions whose values do not depend smoothly on integers that they are given.
COUNTING = (range, len, int, bool, np.zeros, np.empty, np.ones, np.zeros_like, np.empty_like, np.ones_like)
COUNTS = ("shape", "size", "ndim", "dtype")  # attributes that are numbers of elements, not elements


def reaching_value(f: FunctionType, args: tuple, active: Collection[bool]) -> list[int]:
    """The positions of active arguments that are integers, or hold some, which may reach the value as numbers.

    None is left out wrongly: what is not understood counts.
    """
    positions = [i for i, (a, is_active) in enumerate(zip(args, active, strict=True)) if is_active and holds_some(a)]
    if not positions:
        return []
    try:
        tree = source_of(f.__code__).node
    except SourceUnavailable:
        return positions
    return [i for i in positions if _Reach(f, tree, f.__code__.co_varnames[i], free_parts(args[i])).found]


def holds_some(a: Any) -> bool:
    """Whether a value is an integer or an array of integers, or a tuple with one at any depth."""
    if isinstance(a, tuple):
        return any(map(holds_some, a))
    if isinstance(a, np.ndarray):
        return a.dtype.kind in "iu"
    return isinstance(a, int | np.integer) and not isinstance(a, bool)


def free_parts(a: Any) -> Collection[int | str]:
    """The places in a tuple, and the names of its fields, in which there is no integer; of an array its attributes."""
    if isinstance(a, np.ndarray):
        return COUNTS
    if not isinstance(a, tuple):
        return ()
    free = [i for i, v in enumerate(a) if not holds_some(v)]
    names = getattr(a, "_fields", ())
    return [*free, *(names[i] for i in free if names)]


class _Reach:
    """The variables that may depend smoothly on a parameter, and whether what leaves the function does."""

    def __init__(self, f: FunctionType, tree: Any, name: str, free: Collection[int | str]):
        self._globals = f.__globals__
        self._names = {name}
        rebound = any(isinstance(n, ast.Name) and n.id == name and n.ctx.__class__ is ast.Store for n in ast.walk(tree))
        self._free = {} if rebound else {name: free}
        before = 0
        self.found = isinstance(tree, ast.Lambda) and self._depends(tree.body)
        while not self.found and len(self._names) > before:
            before = len(self._names)
            self.found = any(list(map(self._leaves, ast.walk(tree))))

    def _leaves(self, node: ast.AST) -> bool:
        """Learn from a statement which variables it gives such values; whether one leaves the function in it."""
        targets: list[ast.expr]
        if isinstance(node, ast.Return):
            return self._depends(node.value)
        if isinstance(node, ast.Expr):
            return isinstance(node.value, ast.Call) and self._depends(node.value)
        if isinstance(node, ast.Assign):
            value, targets = node.value, node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            value, targets = node.value, [node.target]
        elif isinstance(node, ast.For):
            value, targets = node.iter, [node.target]
        else:
            return isinstance(node, ast.Yield | ast.YieldFrom | ast.Match)
        if not self._depends(value):
            return False
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Subscript | ast.Attribute):
                    return True
                if isinstance(part, ast.Name):
                    self._names.add(part.id)
        return False

    def _depends(self, value: ast.expr | None) -> bool:
        return value is not None and any(node.id in self._names for node in self._smooth(value))

    def _smooth(self, node: ast.AST) -> Iterator[ast.Name]:
        """The variables that an expression may depend on smoothly."""
        parts: list[ast.AST]
        if isinstance(node, ast.Name):
            yield node
            return
        if isinstance(node, ast.Compare) or self._is_free(node):
            parts = []
        elif isinstance(node, ast.Subscript):
            parts = [node.value]
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, ast.Call) and self._is_counting(node.func):
            parts = []
        else:
            parts = list(ast.iter_child_nodes(node))
        for part in parts:
            yield from self._smooth(part)

    def _is_free(self, node: ast.AST) -> bool:
        """Whether an expression reads a part of the parameter in which there is no integer."""
        if not isinstance(node, ast.Attribute | ast.Subscript) or not isinstance(node.value, ast.Name):
            return False
        free = self._free.get(node.value.id, ())
        if isinstance(node, ast.Attribute):
            return node.attr in free
        return isinstance(node.slice, ast.Constant) and node.slice.value in free

    def _is_counting(self, node: ast.expr) -> bool:
        """Whether a call is one of a function that takes integers for places and numbers of elements."""
        f: Any = None
        if isinstance(node, ast.Name):
            f = self._globals.get(node.id, getattr(builtins, node.id, None))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            f = getattr(self._globals.get(node.value.id), node.attr, None)
        if any(f is g for g in COUNTING):
            return True
        return getattr(f, "__name__", "") == "prange" and getattr(f, "__module__", "").startswith("numba.")
