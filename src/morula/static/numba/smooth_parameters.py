"""Which parameters of a function its value depends on otherwise than by place and choice, by its source.

What does not reach the value has no gradient, where generated code would give zeros. And the eager tier differentiates
by an integer that is multiplied with a float, which generated code does not; an integer that is nothing but a bound of
a loop, an index, a shape or a side of a comparison has no derivative in either.
"""

import ast
import builtins
import math
from collections.abc import Collection, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from morula.static.tiers.dispatch import is_dispatcher
from morula.transform import SourceUnavailable, source_of
from morula.transform.names import bound_by

# Functions whose values do not depend smoothly on what they are given.
COUNTING = (
    range, len, int, bool, np.zeros, np.empty, np.ones, np.zeros_like, np.empty_like, np.ones_like, np.eye, np.identity
)  # fmt: skip
# Functions with one argument, by its place and its name, that is a place or a number of elements.
COUNTED = {
    np.bincount: (0, "x"),
    np.full: (0, "shape"),
    np.linspace: (2, "num"),
    np.repeat: (1, "repeats"),
    np.roll: (1, "shift"),
    np.take: (1, "indices"),
}
COUNTS = ("shape", "size", "ndim", "dtype")  # attributes of arrays that are numbers of elements, not elements


def reaching_value(f: FunctionType, args: tuple) -> list[bool]:
    """For each parameter, whether what it was given may reach the value, or be written into an array.

    Of a tuple with integers in it (`holds_integers`) only those count. None is left out wrongly: what is not understood
    reaches the value.
    """
    try:
        tree = source_of(f.__code__).node
    except SourceUnavailable:
        return [True] * len(args)
    names = f.__code__.co_varnames
    return [_Reach(f, tree, names[i], free_parts(a), (f,)).found for i, a in enumerate(args)]


def _reaches_value_of(callee: FunctionType, place: int, free: Collection[int | str], within: tuple) -> bool:
    """As `reaching_value`, for one argument of a call inside."""
    try:
        tree = source_of(callee.__code__).node
    except SourceUnavailable:
        return True
    return _Reach(callee, tree, callee.__code__.co_varnames[place], free, (*within, callee)).found


def holds_integers(a: Any) -> bool:
    """Whether a value is an integer or an array of integers, or a tuple with one at any depth."""
    if isinstance(a, tuple):
        return any(map(holds_integers, a))
    if isinstance(a, np.ndarray):
        return a.dtype.kind in "iu"
    return isinstance(a, int | np.integer) and not isinstance(a, bool)


def free_parts(a: Any) -> Collection[int | str]:
    """What can be read of an argument without what counts: the shape of an array, fields that are no integers."""
    if isinstance(a, np.ndarray):
        return COUNTS
    if not isinstance(a, tuple) or not holds_integers(a):
        return ()
    free = [i for i, v in enumerate(a) if not holds_integers(v)]
    names = getattr(a, "_fields", ())
    return [*free, *(names[i] for i in free if names)]


class _Reach:
    """The variables that may depend smoothly on a parameter, and whether what leaves the function does."""

    def __init__(self, f: FunctionType, tree: Any, name: str, free: Collection[int | str], within: tuple):
        self._globals = f.__globals__
        self._within = within  # the functions whose calls lead here
        self._followed: dict[tuple, bool] = {}
        self._own = {name for n in ast.walk(tree) for name in bound_by(n)}.union(f.__code__.co_freevars)
        self._own |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
        self._parameters = f.__code__.co_varnames[: f.__code__.co_argcount]
        self._names = {name}
        rebound = any(isinstance(n, ast.Name) and n.id == name and n.ctx.__class__ is ast.Store for n in ast.walk(tree))
        self._free = {} if rebound else {name: free}
        before = 0
        self.found = False
        while not self.found and len(self._names) > before:
            before = len(self._names)
            self.found = any(list(map(self._leaves, ast.walk(tree))))
            self.found |= isinstance(tree, ast.Lambda) and self._depends(tree.body)

    def _leaves(self, node: ast.AST) -> bool:
        """Learn from a part of the source which variables depend; whether something leaves the function in it."""
        targets: list[ast.expr]
        if isinstance(node, ast.Call):
            return self._is_written_by(node)
        if isinstance(node, ast.Return):
            return self._depends(node.value)
        if isinstance(node, ast.Expr):
            return isinstance(node.value, ast.Call) and self._depends(node.value)
        if isinstance(node, ast.Assign):
            value, targets = node.value, node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            value, targets = node.value, [node.target]
        elif isinstance(node, ast.For | ast.comprehension):
            spread = [self._spreads(value, [target]) for value, target in self._drawn(node.iter, node.target)]
            return any(spread)
        elif isinstance(node, ast.With):
            return True
        else:
            return isinstance(node, ast.Yield | ast.YieldFrom | ast.Match)
        return self._spreads(value, targets)

    def _spreads(self, value: ast.expr, targets: list[ast.expr]) -> bool:
        """Learn that variables depend on what they are given; whether something leaves the function so."""
        if not self._depends(value):
            return False
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Subscript | ast.Attribute):
                    return True
                if isinstance(part, ast.Name):
                    self._names.add(part.id)
        return False

    def _drawn(self, iterated: ast.expr, target: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
        """What each target of a loop is an item of: `zip` and `enumerate` are looked through."""
        if not (isinstance(iterated, ast.Call) and isinstance(target, ast.Tuple)):
            return [(iterated, target)]
        f, given, targets = self._callee(iterated.func), iterated.args, target.elts
        if f is enumerate and len(given) == 1 and len(targets) == 2 and not iterated.keywords:
            return self._drawn(given[0], targets[1])
        if f is zip and len(given) == len(targets) and not any(isinstance(x, ast.Starred) for x in (*given, *targets)):
            return [pair for x, t in zip(given, targets, strict=True) for pair in self._drawn(x, t)]
        return [(iterated, target)]

    def _is_written_by(self, call: ast.Call) -> bool:
        """What a call may write into depends on what it is given; whether a parameter does now."""
        if not self._depends(call) or self._is_pure(call):
            return False
        given = [*call.args, *(k.value for k in call.keywords)]
        if isinstance(call.func, ast.Attribute):
            given.append(call.func.value)
        names = {part.id for part in given if isinstance(part, ast.Name)} - self._names
        names = {name for name in names if name in self._own or not isinstance(self._globals.get(name), ModuleType)}
        self._names |= names
        return any(name in self._parameters for name in names)

    def _is_pure(self, call: ast.Call) -> bool:
        """Whether a call is one of a function that writes into nothing."""
        f = self._callee(call.func)
        if isinstance(f, np.ufunc):
            return len(call.args) <= f.nin and not call.keywords
        if f is not None and getattr(builtins, getattr(f, "__name__", ""), None) is f:
            return True
        return f is not None and getattr(math, getattr(f, "__name__", ""), None) is f

    def _depends(self, value: ast.expr | None) -> bool:
        return value is not None and any(node.id in self._names for node in self._smooth(value))

    def _smooth(self, node: ast.AST) -> Iterator[ast.Name]:
        """The variables that an expression may depend on smoothly."""
        parts: list[ast.AST]
        if isinstance(node, ast.Name):
            yield node
            return
        # What a comprehension runs over reaches its items by its variables.
        if isinstance(node, ast.Compare | ast.comprehension) or self._is_free(node):
            parts = []
        elif isinstance(node, ast.Subscript):
            parts = [node.value]
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, ast.Call) and self._is_counting(node.func):
            parts = []
        elif isinstance(node, ast.Call) and not any(isinstance(a, ast.Starred) for a in node.args):
            f = self._callee(node.func)
            dropped = self._dropped(f, node)
            place, name = next((counted for g, counted in COUNTED.items() if g is f), (-1, ""))
            parts = [node.func, *(a for i, a in enumerate(node.args) if i != place and i not in dropped)]
            parts += [k.value for k in node.keywords if k.arg != name or place < 0]
        else:
            parts = list(ast.iter_child_nodes(node))
        for part in parts:
            yield from self._smooth(part)

    def _dropped(self, f: Any, call: ast.Call) -> list[int]:
        """The places of the arguments of a compiled function that do not reach its value."""
        if not is_dispatcher(f) or f.py_func in self._within:
            return []
        from morula.static.numba.called_rules import has_rule

        function = f.py_func
        if has_rule(f):
            return []
        found = []
        for place, a in enumerate(call.args[: function.__code__.co_argcount]):
            free = self._free.get(a.id, ()) if isinstance(a, ast.Name) else ()
            key = (function, place, tuple(free))
            if key not in self._followed:
                self._followed[key] = _reaches_value_of(function, place, free, self._within)
            if not self._followed[key]:
                found.append(place)
        return found

    def _is_free(self, node: ast.AST) -> bool:
        """Whether an expression reads a part of the parameter that does not count."""
        if not isinstance(node, ast.Attribute | ast.Subscript) or not isinstance(node.value, ast.Name):
            return False
        free = self._free.get(node.value.id, ())
        if isinstance(node, ast.Attribute):
            return node.attr in free
        return isinstance(node.slice, ast.Constant) and node.slice.value in free

    def _is_counting(self, node: ast.expr) -> bool:
        """Whether a call is one of a function that takes integers for places and numbers of elements."""
        f = self._callee(node)
        if any(f is g for g in COUNTING):
            return True
        return getattr(f, "__name__", "") == "prange" and getattr(f, "__module__", "").startswith("numba.")

    def _callee(self, node: ast.expr) -> Any:
        """The function that is called, where it is a global variable or a part of a module."""
        if isinstance(node, ast.Name) and node.id not in self._own:
            return self._globals.get(node.id, getattr(builtins, node.id, None))
        if isinstance(node, ast.Attribute):
            module = self._callee(node.value)
            return getattr(module, node.attr, None) if isinstance(module, ModuleType) else None
        return None
