"""Variables that become something else for good: ``path = np.array(path)`` behind the loop that has filled the list."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

from morula.static.python.comprehensions import Renamed
from morula.static.python.unsupported import Unsupported
from morula.transform import SourceUnavailable, reading_of
from morula.transform.deep import copied
from morula.transform.mangling import mangled
from morula.transform.syntax import walk

__all__ = ["text_of_function"]

INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def text_of_function(code: CodeType) -> tuple[Any, set[str]]:
    """The syntax tree of a function as it is read, and the variables in it that are not the program's.

    Raises:
        Unsupported: there is none, or it is no ordinary function.
    """
    try:
        where = reading_of(code)
    except SourceUnavailable as reason:
        raise Unsupported(str(reason)) from None
    node = where.node if where.class_name is None else mangled(copied(where.node), where.class_name)
    if not isinstance(node, ast.FunctionDef | ast.Lambda):
        raise Unsupported("a function that is not an ordinary one")
    return with_own_names(node, code) if isinstance(node, ast.FunctionDef) else (node, set())


def with_own_names(node: ast.FunctionDef, code: CodeType) -> tuple[ast.FunctionDef, set[str]]:
    """A function in which such variables have another name from there on, and these names."""
    found: set[str] = set()
    given = {n.arg for n in walk(node.args) if isinstance(n, ast.arg)}
    for i in range(len(node.body)):
        name = _made_anew(node.body[i])
        if not name or name in given or _is_shared(node, name):
            continue
        own = f"{name}_{len(found)}"
        while own in {*code.co_varnames, *code.co_cellvars, *code.co_freevars, *code.co_names}:
            own += "_"
        if not found:
            node = copied(node)
        found.add(own)
        rename = Renamed({name: own})
        first = node.body[i]
        assert isinstance(first, ast.Assign)
        first.targets = [rename.visit(t) for t in first.targets]
        node.body[i + 1 :] = [rename.visit(x) for x in node.body[i + 1 :]]
    return node, found


def _made_anew(s: ast.stmt) -> str:
    """The variable of ``x = f(x)``, or of a call that it is otherwise part of; an empty text for anything else."""
    if not isinstance(s, ast.Assign) or len(s.targets) > 1 or not isinstance(s.value, ast.Call):
        return ""
    (target,) = s.targets
    name = target.id if isinstance(target, ast.Name) else ""
    return name if any(isinstance(n, ast.Name) and n.id == name for n in walk(s.value)) else ""


def _is_shared(node: ast.FunctionDef, name: str) -> bool:
    """Whether others may see the variable, or have one of that name."""
    for inner in walk(node):
        if isinstance(inner, ast.Global | ast.Nonlocal | ast.Delete):
            return True
        if inner is not node and isinstance(inner, INNER):
            own = {getattr(n, "id", getattr(n, "arg", getattr(n, "name", None))) for n in walk(inner)}
            if name in own:
                return True
    return False
