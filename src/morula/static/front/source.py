"""The source of a Numba function, and what its free names stand for."""

import ast
import builtins
import inspect
import math
import textwrap
from collections import Counter
from copy import copy
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from morula.static.front.constant_keys import without_literal_containers
from morula.static.unsupported import Unsupported
from morula.transform.syntax import parsed

MISSING = object()


@dataclass
class Source:
    """One Python function as a tree, with the objects that its free names stand for."""

    function: FunctionType
    tree: ast.FunctionDef
    first_line: int
    free: dict[str, Any] = field(default_factory=dict)
    inner: bool = False  # whether the tree is that of a function defined inside `function`

    @property
    def name(self) -> str:
        return self.tree.name if self.inner else self.function.__name__

    def line(self, node: ast.AST) -> int:
        """The line of `node` in the user's file."""
        return getattr(node, "lineno", 1) + self.first_line - 1

    def lookup(self, name: str) -> Any:
        """What a name that is not local stands for; `MISSING` if nothing does."""
        if name in self.free:
            return self.free[name]
        found = self.function.__globals__.get(name, MISSING)
        return getattr(builtins, name, MISSING) if found is MISSING else found


def own_nodes(node: ast.AST) -> list[ast.AST]:
    """The nodes below `node` that belong to the same function."""
    if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        return []
    return [node, *(n for child in ast.iter_child_nodes(node) for n in own_nodes(child))]


def assigned(tree: ast.FunctionDef) -> Counter[str]:
    """How often a function assigns each of its variables; being given one counts."""
    a = tree.args
    found = Counter(p.arg for p in [*a.posonlyargs, *a.args, *a.kwonlyargs, *([a.vararg] if a.vararg else [])])
    for s in tree.body:
        found.update(n.name for n in ast.walk(s) if isinstance(n, ast.FunctionDef))
        found.update(n.id for n in own_nodes(s) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    return found


def source_of(function: FunctionType) -> Source:
    """The tree of a function.

    Raises:
        Unsupported: its source is not available, or it is no plain `def` or `lambda`.
    """
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise Unsupported("a function whose source is not available", None, function.__name__) from None
    tree = without_literal_containers(_definition(textwrap.dedent("".join(lines)), function, first))
    star = tree.args.vararg
    if star is not None and not function.__code__.co_flags & inspect.CO_VARARGS:  # a tuple is given (`numba.starred`)
        tree = copy(tree)
        tree.args = copy(tree.args)
        tree.args.args, tree.args.vararg = [*tree.args.args, star], None
    free = dict(zip(function.__code__.co_freevars, map(_content, function.__closure__ or ()), strict=True))
    return Source(function, tree, max(first, 1), free)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _definition(text: str, function: FunctionType, first: int) -> ast.FunctionDef:
    try:
        module = parsed(text)
    except SyntaxError:
        raise Unsupported("a function that is no statement of its own", first, function.__name__) from None
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            return node
    lambdas = [node for node in ast.walk(module) if isinstance(node, ast.Lambda)]
    if len(lambdas) == 1 and function.__name__ == "<lambda>":
        body = ast.Return(lambdas[0].body)
        ast.copy_location(body, lambdas[0].body)
        return ast.FunctionDef("lambda_", lambdas[0].args, [body], [], lineno=1)
    raise Unsupported("a function that is not defined by a `def`", first, function.__name__)


MODULES: dict[str, ModuleType] = {"math": math, "np": np, "np.linalg": np.linalg}


def canonical_name(value: Any) -> str | None:
    """The text under which generated code says a function of `math` or NumPy; None for anything else."""
    name = getattr(value, "__name__", None)
    if not isinstance(name, str):
        return None
    for prefix, module in MODULES.items():
        if getattr(module, name, MISSING) is value:
            return f"{prefix}.{name}"
    if getattr(builtins, name, MISSING) is value:
        return name
    return None
