"""The split adjoint: `forward` returns the value and a tape, `backward` reads the tape as often as it is called."""

import ast
from dataclasses import dataclass
from typing import Any

from morula.static import ir
from morula.static.ir import Function
from morula.static.naming import unused
from morula.static.numba.emit.backward import Backward
from morula.static.numba.emit.cleanup import cleaned
from morula.static.numba.emit.forward import Forward
from morula.static.numba.emit.joint import keep_value, own_shadows, ready, requested, result_values
from morula.static.numba.emit.namespace import HELPERS
from morula.static.numba.emit.outlined import outlined
from morula.static.numba.emit.tapes import Tapes
from morula.static.numba.emit.text import Lines, Texts, zero
from morula.static.passes.explosive import explosive
from morula.static.passes.record import KEEP, SHADOW, Record
from morula.transform.syntax import parsed


@dataclass
class Split:
    """The two functions, and their namespace."""

    forward: str
    backward: str
    text: str
    namespace: dict[str, Any]


def emit_split(f: Function, active: tuple[bool, ...], name: str, is_parallel: bool = False) -> Split | None:
    """The texts of `name_forward` and `name_backward`.

    None where array variables are rebound by loops and branches: their shadows go with them, so the two halves
    cannot be told apart.
    """
    leaves = requested(f, active)
    names = unused(f, HELPERS)
    memory, activity = ready(f, leaves, names)
    record = Record(f, memory, activity, set(), may_undo=False)
    if any(activity.is_active(v) for v in record.rebound):
        return None
    if any(how is KEEP and isinstance(key, tuple) and key[0] is SHADOW for key, how in record.plan.items()):
        return None  # a shadow that is kept is used up by the first time
    tape = names("tape")
    texts, out = Texts(), Lines()
    tapes = Tapes(record, texts, names)
    tapes.list_type = "List()"
    forward = Forward(record, tapes, texts, out)
    signs = forward.hide_signs()
    forward.block(f.body.statements)
    value = keep_value(f, names, out)
    for top, kept in tapes.list_tops():
        out.add(f"{top} = len({kept})")
    back = Lines()
    forward.out = back
    backward = Backward(record, tapes, texts, forward, explosive(f, activity), back, is_parallel)
    results = result_values(f)
    bars = [f"{v.name}_bar" for v in leaves if ir.is_array(v)]
    seeds = [names("seed") for _ in results]
    own_shadows(f, leaves, activity, back)
    backward.prologue(f.body.statements)
    for x, seed in zip(results, seeds, strict=True):
        if ir.is_array(x) and activity.is_active(x):
            back.add(f"{x.name}_bar += {seed}")
        else:
            backward.add(x, seed)
    backward.block(f.body.statements)
    returned = []
    for v in leaves:
        if not ir.is_array(v):
            returned.append(f"{v.name}_bar" if v in backward.defined else zero(v.type))
    out.lines[0:0] = tapes.lists() + signs
    back.lines[0:0] = [f"    {backward.hidden_zero} = opaque(0)"] if backward.hidden_zero else []
    parameters = [p.name for p in f.parameters]
    bound = {*parameters, *bars, *seeds, *f.namespace, *HELPERS}
    kept_names = read_first(back.text(), bound)
    out.add(f"return {value}, {_tuple(kept_names)}")
    taken = Lines()
    if kept_names:
        taken.add(f"{_tuple(kept_names)} = {tape}")
    taken.lines += back.lines
    taken.add(f"return {_tuple(returned)}")
    arguments = ", ".join(parameters)
    first = cleaned(f"def {name}_forward({arguments}):\n{out.text()}\n")
    second = cleaned(f"def {name}_backward({', '.join([*parameters, tape, *bars, *seeds])}):\n{taken.text()}\n")
    second = outlined(second, f"{name}_backward", names)
    return Split(f"{name}_forward", f"{name}_backward", f"{first}\n\n{second}", f.namespace)


def _tuple(names: list[str]) -> str:
    return f"({', '.join(names)}{',' if len(names) == 1 else ''})"


BUILTINS = {"range", "len", "max", "min", "abs", "float", "int", "bool", "complex", "print", "round", "np", "math"}


def read_first(text: str, bound: set[str]) -> list[str]:
    """The names that a text reads before it assigns them."""
    seen: set[str] = set()
    found: list[str] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            visit(node.value)
            for target in node.targets:
                visit(target)
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):
                visit(ast.Name(node.target.id, ast.Load()))
            visit(node.value)
            visit(node.target)
        elif isinstance(node, ast.For):
            visit(node.iter)
            visit(node.target)
            for s in node.body:
                visit(s)
        elif isinstance(node, ast.Name):
            if node.id not in seen:
                seen.add(node.id)
                if isinstance(node.ctx, ast.Load) and node.id not in bound and node.id not in BUILTINS:
                    found.append(node.id)
        else:
            for child in ast.iter_child_nodes(node):
                visit(child)

    visit(parsed("def f():\n" + (text or "    pass")))
    return found
