"""Smaller programs that fail alike: statements are dropped or opened, expressions replaced by their parts."""

import ast
import copy
from collections.abc import Callable, Iterator

BODIES = ("body", "orelse", "finalbody", "handlers")


def shrunk(source: str, fails: Callable[[str], bool]) -> str:
    """The smallest program that is found by single steps, each of which still `fails`."""
    best = ast.unparse(ast.parse(source)) + "\n"
    if not fails(best):
        return source
    progress = True
    while progress:
        progress = False
        for steps in (fewer_statements, simpler_expressions):
            at = 0
            while True:
                found = next_smaller(best, steps, at, fails)
                if found is None:
                    break
                best, at = found
                progress = True
    return best


def next_smaller(
    source: str, steps: Callable[[ast.Module], Iterator[ast.Module]], at: int, fails: Callable[[str], bool]
) -> tuple[str, int] | None:
    """The first step, from number `at` on, after which the program still fails, and its number."""
    for number, tree in enumerate(steps(ast.parse(source))):
        if number < at:
            continue
        try:
            candidate = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            compile(candidate, "<candidate>", "exec")
        except (SyntaxError, ValueError, TypeError):
            continue
        if len(candidate) < len(source) and fails(candidate):
            return candidate, number
    return None


def lists_of(tree: ast.AST) -> list[list[ast.stmt]]:
    """Every list of statements, outermost first."""
    found = []
    for node in ast.walk(tree):
        for name in BODIES:
            statements = getattr(node, name, None)
            if isinstance(statements, list) and statements:
                found.append(statements)
    return found


def fewer_statements(tree: ast.Module) -> Iterator[ast.Module]:
    """With one statement dropped (the last ones first), or replaced by what it holds."""
    for which in range(len(lists_of(tree))):
        for k in reversed(range(len(lists_of(tree)[which]))):
            made = copy.deepcopy(tree)
            statements = lists_of(made)[which]
            old = statements.pop(k)
            if not statements and isinstance(old, ast.stmt):
                statements.append(ast.Pass())
            yield made
            for name in BODIES:
                inner = getattr(old, name, None)
                if isinstance(old, ast.stmt) and isinstance(inner, list) and inner:
                    made = copy.deepcopy(tree)
                    statements = lists_of(made)[which]
                    statements[k : k + 1] = [
                        s for part in getattr(statements[k], name) for s in getattr(part, "body", [part])
                    ]
                    yield made


def simpler_expressions(tree: ast.Module) -> Iterator[ast.Module]:
    """With one expression replaced by one of its parts, or by a number."""
    places = [
        (number, name, k)
        for number, node in enumerate(ast.walk(tree))
        for name, value in ast.iter_fields(node)
        for k, child in enumerate(value if isinstance(value, list) else [value])
        if isinstance(child, ast.expr) and not isinstance(child, ast.Constant)
    ]
    for number, name, k in places:
        for option in options_of(child_at(tree, number, name, k)):
            made = copy.deepcopy(tree)
            node = nth(made, number)
            if isinstance(getattr(node, name), list):
                getattr(node, name)[k] = copy.deepcopy(option)
            else:
                setattr(node, name, copy.deepcopy(option))
            yield made
        node = nth(tree, number)
        if isinstance(getattr(node, name), list) and len(getattr(node, name)) > 1:
            made = copy.deepcopy(tree)
            del getattr(nth(made, number), name)[k]
            yield made


def nth(tree: ast.AST, number: int) -> ast.AST:
    for k, node in enumerate(ast.walk(tree)):
        if k == number:
            return node
    raise IndexError(number)


def child_at(tree: ast.AST, number: int, name: str, k: int) -> ast.expr:
    value = getattr(nth(tree, number), name)
    return value[k] if isinstance(value, list) else value


def options_of(expression: ast.expr) -> Iterator[ast.expr]:
    for part in ast.iter_child_nodes(expression):
        if isinstance(part, ast.expr):
            yield part
        yield from (p for p in ast.iter_child_nodes(part) if isinstance(p, ast.expr) and not isinstance(part, ast.expr))
    for name in ("s", "x"):
        yield ast.Name(name, ast.Load())
    yield ast.Constant(0.5)
