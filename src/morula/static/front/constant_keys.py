"""Dicts and sets of literals, which a function only looks up: variables for their items.

    p = {"rate": a, "loss": 0.0}        p_rate, p_loss = a, 0.0
    p["loss"] += p["rate"] * x          p_loss += p_rate * x
    wanted = {1, 3}
    if i in wanted: ...                 if i in {1, 3}: ...

Such a dict has texts as keys, is made by one statement, and is nothing but looked up under keys that it was made with,
written there, or asked for one. Numba converts what is written to the type that all values have. So writes are taken
where one of the values is a literal float: another type of value would make the dict one that Numba does not write.
"""

import ast
from copy import deepcopy
from typing import Any

Parents = dict[ast.AST, ast.AST]


def without_literal_containers(tree: ast.FunctionDef) -> ast.FunctionDef:
    """The tree with variables in place of such dicts, and without names for such sets; the tree itself if none are.

    >>> text = "def f(x):\\n    p = {'rate': x, 'loss': 0.0}\\n    p['loss'] += p['rate']\\n    return p['loss']"
    >>> print(ast.unparse(without_literal_containers(ast.parse(text).body[0])))
    def f(x):
        p_rate, p_loss = (x, 0.0)
        p_loss += p_rate
        return p_loss
    """
    if not any(isinstance(n, ast.Dict | ast.Set) for n in ast.walk(tree)):
        return tree
    made = deepcopy(tree)
    parents: Parents = {child: n for n in ast.walk(made) for child in ast.iter_child_nodes(n)}
    given = {a.arg for a in ast.walk(made) if isinstance(a, ast.arg)}
    uses: dict[str, list[ast.Name]] = {}
    for n in ast.walk(made):
        if isinstance(n, ast.Name):
            uses.setdefault(n.id, []).append(n)
    names = {*uses, *given}
    new: dict[ast.AST, ast.AST] = {}
    for s in ast.walk(made):
        if not (isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name)):
            continue
        target = s.targets[0]
        reads = [n for n in uses[target.id] if n is not target]
        is_alone = target.id not in given and all(isinstance(n.ctx, ast.Load) for n in reads)
        if not is_alone or not all(_is_own(n, made, parents) for n in (target, *reads)):
            continue
        if isinstance(s.value, ast.Dict):
            new.update(_variables(s, s.value, reads, parents, names) or {})
        elif isinstance(s.value, ast.Set) and all(isinstance(x, ast.Constant) for x in s.value.elts):
            if reads and all(_is_looked_into(n, parents) for n in reads):
                new.update(dict.fromkeys(reads, s.value))
                new[s] = ast.Pass()
    return ast.fix_missing_locations(_Replaced(new).visit(made)) if new else tree


def _variables(s: Any, d: ast.Dict, uses: list[ast.Name], parents: Parents, names: set[str]) -> dict | None:
    """What stands for the statement that makes a dict, and for all of its uses; None where it is left alone."""
    keys = [k.value for k in d.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]
    if not keys or len(set(keys)) < len(d.keys) or len(keys) < len(d.keys):
        return None
    may_write = any(_is_float(x) for x in d.values)
    name = s.targets[0].id
    variable: dict[str, str] = {}
    for place, key in enumerate(keys):
        found = f"{name}_{key}" if key.isidentifier() else f"{name}_{place}"
        while found in names:
            found += "_"
        names.add(found)
        variable[key] = found
    targets: list[ast.expr] = [ast.Name(variable[k], ast.Store()) for k in keys]
    written: list[ast.Assign] = []
    left = ast.Tuple(targets, ast.Store()) if keys[1:] else targets[0]
    right = ast.Tuple(d.values, ast.Load()) if keys[1:] else d.values[0]
    new: dict[Any, Any] = {s: ast.copy_location(ast.Assign([left], right), s)}
    for n in uses:
        use: Any = parents[n]
        if isinstance(use, ast.Subscript) and use.value is n and _text(use.slice) in variable:
            new[use] = ast.copy_location(ast.Name(variable[_text(use.slice)], use.ctx), use)
            around: Any = parents[use]
            if isinstance(use.ctx, ast.Load):
                continue
            if not may_write or isinstance(use.ctx, ast.Del):
                return None
            if isinstance(around, ast.Assign) and len(around.targets) == 1 and around.targets[0] is use:
                written.append(around)
            elif not isinstance(around, ast.AugAssign):
                return None
        elif _is_looked_into(n, parents) and _text(use.left) is not None:
            is_there = (_text(use.left) in variable) == isinstance(use.ops[0], ast.In)
            new[use] = ast.copy_location(ast.Constant(is_there), use)
        else:
            return None
    for around in written:
        around.value = ast.copy_location(ast.BinOp(ast.Constant(1.0), ast.Mult(), around.value), around)
    return new


def _is_float(e: ast.expr) -> bool:
    """Whether an expression is a literal float, with or without a sign."""
    value = e.operand if isinstance(e, ast.UnaryOp) else e
    return (
        isinstance(value, ast.Constant)
        and type(value.value) is float
        and not isinstance(getattr(e, "op", None), ast.Not)
    )


def _text(e: ast.expr) -> Any:
    return e.value if isinstance(e, ast.Constant) and isinstance(e.value, str) else None


def _is_looked_into(n: ast.Name, parents: Parents) -> bool:
    """Whether a name stands for the container of a test `x in container`."""
    test: Any = parents[n]
    is_test = isinstance(test, ast.Compare) and len(test.ops) == 1 and test.comparators[0] is n
    return is_test and isinstance(test.ops[0], ast.In | ast.NotIn)


def _is_own(n: ast.AST, tree: ast.FunctionDef, parents: Parents) -> bool:
    """Whether a node belongs to this function itself, not to one that is nested in it."""
    while (n := parents[n]) is not tree:
        if isinstance(n, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            return False
    return True


class _Replaced(ast.NodeTransformer):
    def __init__(self, new: dict[ast.AST, ast.AST]):
        self.new = new

    def visit(self, node: ast.AST) -> Any:
        found = self.new.get(node)
        if found is None:
            return self.generic_visit(node)
        found = ast.copy_location(found, node)
        return self.generic_visit(found) if isinstance(found, ast.Assign) else found
