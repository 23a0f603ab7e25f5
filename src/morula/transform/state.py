"""Global variables that are state: programs rebind them, so that a read of one asks the context for its shadow.

All other globals are read plainly, at no cost. A name of a module is state once a source that was met rebinds it
from inside a function: by ``global name``, as ``globals()["name"]``, or as an attribute of the module. What shows only
when it happens (``setattr(module, computed, v)``) is added then.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from morula.transform.syntax import walk

# The local name of a module (None: this one) and its full name, and the name of a variable in it.
Rebound = tuple[str | None, str, str]

_state: dict[int, tuple[dict, set[str]]] = {}  # id(namespace) -> (namespace, kept alive; names in it)


def state_of(namespace: dict[str, Any]) -> set[str]:
    found = _state.get(id(namespace))
    return found[1] if found is not None else set()


def add_state(namespace: dict[str, Any], names: Iterable[str]) -> set[str]:
    """Declare names state; those that were not are returned."""
    new = set(names) - state_of(namespace)
    if new:
        _state.setdefault(id(namespace), (namespace, set()))[1].update(new)
    return new


def learn(found: Iterable[Rebound], source_globals: dict[str, Any]) -> set[str]:
    """Declare state what a source with these globals rebinds; returns the names that were not state before."""
    new: set[str] = set()
    for owner, full_name, name in found:
        module = source_globals.get(owner, sys.modules.get(full_name)) if owner is not None else None
        if owner is None:
            new |= add_state(source_globals, [name])
        elif isinstance(module, ModuleType):
            new |= add_state(vars(module), [name])
    return new


def rebound_globals(tree: ast.Module) -> Iterator[Rebound]:
    """The global variables that the functions of a source rebind, there and in modules that it imports."""
    imported = dict(_imported_modules(tree))
    for node in walk(tree):
        if isinstance(node, ast.Global):
            yield from ((None, "", name) for name in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id in imported:
                yield node.value.id, imported[node.value.id], node.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            if isinstance(node.slice, ast.Constant):
                if _is_call_of(node.value, "globals"):
                    yield None, "", str(node.slice.value)
                else:
                    module = _dict_owner(node.value)
                    if module in imported:
                        yield module, imported[module], str(node.slice.value)
        elif isinstance(node, ast.Call) and _is_call_of(node, "setattr") and len(node.args) == 3:
            owner, name = node.args[:2]
            if isinstance(owner, ast.Name) and owner.id in imported and isinstance(name, ast.Constant):
                yield owner.id, imported[owner.id], str(name.value)


NAME = re.compile(r"\w+")
OWNER = re.compile(r"(?<![\w.])(\w+)\.\w+[ \t]*(?:[^\w. \t(\[]|$)")
OF_A_DICT = ("globals()[", ".modules[", ".__dict__[", "vars(", "setattr(")
COMPOUND = re.compile(r"\s*(?:async|case|class|def|elif|else|except|finally|for|if|match|try|while|with)\b")
GLOBAL = re.compile(r"(?:^|[:;])[ \t]*global\b")


def may_rebind_globals(lines: list[str]) -> bool:
    """Whether `rebound_globals` may find anything in a source: by its text, which is many times as fast.

    Targets of ``for`` and ``with`` are not looked at; what they rebind is found when it happens.
    """
    imported: set[str] = set()
    targets: set[str] = set()
    in_import = False
    for line in lines:
        if in_import or "import" in line:
            _, found, names = (line if in_import else " " + line).partition(" import ")
            imported.update(NAME.findall(names if found else line if in_import else ""))
            in_import = (in_import or bool(found)) and (
                line.rstrip().endswith("\\") or (("(" in line or in_import) and ")" not in line)
            )
        elif "global" in line and GLOBAL.search(line):
            return True
        if "." in line and "=" in line:
            targets.update(OWNER.findall(_target(line)))
        if "(" in line or "[" in line:
            for way in OF_A_DICT:
                if way in line:
                    found_owner = NAME.search(line, line.index(way) + len(way))
                    if way[-1] == "[" or (found_owner is not None and found_owner[0] not in ("self", "cls")):
                        targets.update(NAME.findall(line))
                        if way in OF_A_DICT[:2]:
                            return True
    return not imported.isdisjoint(targets)


def _target(line: str) -> str:
    """What may be the target of an assignment on a line."""
    target, _, rest = line.partition("=")
    if rest.startswith("=") or (target[-1:] in "!<>" and not target.endswith(("<<", ">>"))):
        return ""
    if "`" in target or target.count("(") != target.count(")") or target.count("[") != target.count("]"):
        return ""
    if line.count("(") < line.count(")"):
        return ""
    return target if COMPOUND.match(target) else target.partition(":")[0]


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _dict_owner(node: ast.expr) -> str:
    """``m`` in ``vars(m)`` and ``m.__dict__``."""
    owner: ast.AST = node
    if isinstance(node, ast.Call) and _is_call_of(node, "vars") and len(node.args) == 1:
        owner = node.args[0]
    elif isinstance(node, ast.Attribute) and node.attr == "__dict__":
        owner = node.value
    return owner.id if owner is not node and isinstance(owner, ast.Name) else ""


def _imported_modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that may stand for modules, with where to find those: imports, and what was taken from `sys.modules`."""
    for node in walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                yield alias.asname or first, alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            table = node.value.value
            if isinstance(table, ast.Attribute) and table.attr == "modules":
                yield from ((t.id, t.id) for t in node.targets if isinstance(t, ast.Name))
