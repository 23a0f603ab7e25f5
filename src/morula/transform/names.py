"""Which names a function binds, shares and reads, and which of them can never be active."""

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from morula.transform.state import state_of
from morula.transform.syntax import children, walk

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

# Builtins whose result is never active and which do not care who calls them: left as plain calls.
PLAIN_BUILTINS = frozenset(
    "len isinstance issubclass callable id hash repr str ascii bin hex oct ord chr int bool range breakpoint".split()
)


@dataclass
class Scope:
    """The names of one function body, or of one comprehension inside it."""

    local: set[str]
    free: set[str] = field(default_factory=set)
    inactive: set[str] = field(default_factory=set)  # locals that provably never carry a derivative, or an array
    captured: set[str] = field(default_factory=set)  # locals that some nested function reads or rebinds
    parent: "Scope | None" = None
    imports: dict[str, str] = field(default_factory=dict)  # local name -> module, for names bound by import alone

    def owner(self, name: str) -> "Scope | None":
        """The scope (this one or an enclosing comprehension's function) whose variable `name` is."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.local or name in scope.free:
                return scope
            scope = scope.parent
        return None

    def is_variable(self, name: str) -> bool:
        return self.owner(name) is not None

    def is_inactive(self, name: str) -> bool:
        owner = self.owner(name)
        return owner is not None and name in owner.inactive

    def is_shared(self, name: str) -> bool:
        owner = self.owner(name)
        return owner is not None and (name in owner.free or name in owner.captured or owner is not self)


class Globals:
    """What the names that are not variables stand for now; what was taken for granted is remembered.

    The template is only valid while every assumption holds, which `Template.still_holds` checks.
    """

    def __init__(self, namespace: dict[str, Any]):
        self.namespace = namespace
        self.assumed: dict[str, Any] = {}
        self.read: set[str] = set()  # names whose value the code reads
        self.state = frozenset(state_of(namespace))  # names that are read together with their shadow

    def builtin(self, name: str) -> bool:
        """Whether `name` is the builtin of that name, here and now."""
        if name in self.namespace or name in self.state or not hasattr(builtins, name):
            return False
        self.assumed[name] = getattr(builtins, name)
        return True

    def static(self, name: str) -> Any:
        """The object behind `name` if it is a module, a function or a class, else None."""
        if name in self.state:
            return None
        if name in self.namespace:
            value = self.namespace[name]
        elif hasattr(builtins, name):
            value = getattr(builtins, name)
        else:
            return None
        if not is_static(value):
            return None
        self.assumed[name] = value
        return value


def is_static(value: object) -> bool:
    """Whether `value` is of a kind that carries no shadow and hashes by identity."""
    kind = type(value)
    return kind in (FunctionType, BuiltinFunctionType, ModuleType, type) or kind.__name__ in (
        "ufunc",
        "_ArrayFunctionDispatcher",
    )


def bound_names(body: Sequence[ast.AST]) -> set[str]:
    """Names bound by the statements themselves, not inside nested functions or classes."""
    return _bound_by_any(walk_scope(list(body)))


def _bound_by_any(nodes: Iterable[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                names.add(node.id)
        elif not isinstance(node, ast.expr) or isinstance(node, COMPREHENSIONS):
            names.update(bound_by(node))
    return names


def bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name.split(".")[0]
    elif (isinstance(node, ast.ExceptHandler) and node.name) or (
        isinstance(node, ast.MatchAs | ast.MatchStar) and node.name
    ):
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    elif isinstance(node, COMPREHENSIONS):  # a walrus inside binds out here
        for inner in walk(node):
            if isinstance(inner, ast.NamedExpr) and isinstance(inner.target, ast.Name):
                yield inner.target.id


def walk_scope(body: list[Any]) -> Iterator[ast.AST]:
    """Every node of `body` in source order that belongs to its own scope.

    The heads of nested functions (decorators, defaults) and the first iterable of a comprehension belong to it;
    their insides do not.
    """
    waiting = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(_parts_in_scope(node)))


def _parts_in_scope(node: ast.AST) -> list[Any]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [*node.decorator_list, *_defaults(node.args)]
    if isinstance(node, ast.Lambda):
        return _defaults(node.args)
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]
    if isinstance(node, COMPREHENSIONS):
        return [node.generators[0].iter]
    return children(node)


def _defaults(args: ast.arguments) -> list[ast.expr]:
    return [*args.defaults, *(d for d in args.kw_defaults if d is not None)]


def parameters(args: ast.arguments) -> list[str]:
    """Every parameter in the order in which a binder returns them."""
    names = [a.arg for a in [*args.posonlyargs, *args.args]]
    names += [args.vararg.arg] if args.vararg else []
    names += [a.arg for a in args.kwonlyargs]
    return names + ([args.kwarg.arg] if args.kwarg else [])


def mentioned(node: ast.AST) -> set[str]:
    """Names that a piece of source reads, binds or declares nonlocal, at any depth."""
    found: set[str] = set()
    for inner in walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Nonlocal):
            found.update(inner.names)
    return found


def names_in_nested(nodes: list[Any]) -> set[str]:
    """Names that functions, classes and comprehensions among the `nodes` of a scope mention."""
    nested = [node for node in nodes if isinstance(node, NESTED + COMPREHENSIONS)]
    return set().union(*map(mentioned, nested))


def names_in_functions(body: list[Any]) -> set[str]:
    """Names that real function objects made inside `body` mention (also those made inside comprehensions)."""
    found: set[str] = set()
    for node in walk_scope(body):
        if isinstance(node, COMPREHENSIONS):
            found = found.union(*(mentioned(inner) for inner in walk(node) if isinstance(inner, ast.Lambda)))
        elif isinstance(node, NESTED):
            found |= mentioned(node)
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add("__class__")
    return found


def function_scope(args: ast.arguments, body: list[Any], freevars: tuple[str, ...], global_names: Globals) -> Scope:
    """Analyse one function body."""
    nodes = list(walk_scope(body))
    declared_global = {n for node in nodes if isinstance(node, ast.Global) for n in node.names}
    params = set(parameters(args))
    local = (_bound_by_any(nodes) | params) - declared_global - set(freevars)
    scope = Scope(local, set(freevars), captured=names_in_nested(nodes) & local)
    _find_inactive(scope, params, nodes, global_names)
    scope.imports = {n: m for n, m in _imported(nodes).items() if n in scope.inactive}
    return scope


def _imported(nodes: list[Any]) -> dict[str, str]:
    """Names that only ``import module [as name]`` binds, with the module."""
    found: dict[str, str] = {}
    others: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                module = alias.name if alias.asname else name
                if found.setdefault(name, module) != module:
                    others.add(name)
        else:
            others.update(bound_by(node))
    return {n: m for n, m in found.items() if n not in others}


def walrus_only(body: list[Any]) -> set[str]:
    """Names that comprehensions bind out here by ``:=``."""
    return {
        inner.target.id
        for node in walk_scope(body)
        if isinstance(node, COMPREHENSIONS)
        for inner in walk(node)
        if isinstance(inner, ast.NamedExpr)
    }


def identifiers(node: ast.AST) -> set[str]:
    """Every name that a piece of source mentions as a variable, at any depth."""
    found: set[str] = set()
    for inner in walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.arg):
            found.add(inner.arg)
        elif isinstance(inner, ast.Global | ast.Nonlocal):
            found.update(inner.names)
        else:
            found.update(bound_by(inner))
    return found


def _find_inactive(scope: Scope, params: set[str], nodes: list[Any], global_names: Globals) -> None:
    rebound = {
        n
        for outer in nodes
        if isinstance(outer, NESTED)
        for node in walk(outer)
        if isinstance(node, ast.Nonlocal)
        for n in node.names
    }
    sites = _binding_sites(nodes, global_names, scope)
    candidates = {n for n in scope.local if n not in params and n not in rebound and sites.get(n)}
    scope.inactive = {n for n in candidates if None not in sites[n]}
    while True:  # greatest fixed point: assume all, drop what depends on something active
        wrong = {
            n
            for n in scope.inactive
            if not all(site is True or is_inactive(site, scope, global_names, lasting=True) for site in sites[n])  # type: ignore[arg-type]
        }
        if not wrong:
            return
        scope.inactive -= wrong


def _binding_sites(nodes: list[Any], global_names: Globals, scope: Scope) -> dict[str, list[ast.expr | bool | None]]:
    """name -> what it is bound to: an expression, True (never active) or None (may be active)."""
    sites: dict[str, list[ast.expr | bool | None]] = {}
    counted: set[int] = set()

    def bind(target: ast.AST, value: ast.expr | bool | None) -> None:
        if isinstance(target, ast.Name):
            sites.setdefault(target.id, []).append(value)
            counted.add(id(target))

    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                bind(target, node.value)
        elif isinstance(node, ast.AugAssign):
            bind(node.target, ast.BinOp(node.target, node.op, node.value))
        elif isinstance(node, ast.NamedExpr):
            bind(node.target, node.value)
        elif isinstance(node, ast.For) and is_range(node.iter, global_names, scope):
            bind(node.target, True)
        elif isinstance(node, ast.Import) or (isinstance(node, ast.FunctionDef) and not node.decorator_list):
            for name in bound_by(node):
                sites.setdefault(name, []).append(True)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in counted:
            sites.setdefault(node.id, []).append(None)
        elif not isinstance(node, ast.Name):
            for name in bound_by(node):
                sites.setdefault(name, []).append(None)
    return sites


def is_range(node: ast.expr, global_names: Globals, scope: Scope) -> bool:
    return is_plain_builtin(node, global_names, scope) and node.func.id == "range"  # type: ignore[attr-defined]


def is_plain_builtin(node: ast.expr, global_names: Globals, scope: Scope) -> bool:
    """Whether `node` calls one of `PLAIN_BUILTINS` with ordinary positional arguments."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in PLAIN_BUILTINS
        and not node.keywords
        and not any(isinstance(a, ast.Starred) for a in node.args)
        and not scope.is_variable(node.func.id)
        and global_names.builtin(node.func.id)
    )


def is_inactive(node: ast.expr, scope: Scope, global_names: Globals, lasting: bool = False) -> bool:
    """Whether the value of `node` can be seen never to carry a derivative.

    `lasting`: and, if a variable keeps it, never to become active by a write. The result of a comparison may be
    an array.
    """

    def all_inactive(*parts: ast.expr) -> bool:
        inactive = True
        for part in reversed(parts):  # a long sum is deep on its left; `all` would take room on the C stack
            inactive = inactive and is_inactive(part, scope, global_names, lasting)
        return inactive

    match node:
        case ast.Constant() | ast.JoinedStr():
            return True
        case ast.Compare():
            return not lasting or all_inactive(node.left, *node.comparators)
        case ast.Name():
            return scope.is_inactive(node.id)
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.UnaryOp():
            return all_inactive(node.operand)
        case ast.BinOp():
            return all_inactive(node.left, node.right)
        case ast.IfExp():
            return all_inactive(node.body, node.orelse)
        case ast.BoolOp():
            return all_inactive(*node.values)
        case ast.Call():
            return is_plain_builtin(node, global_names, scope)
    return False
