"""Fewer steps for the same numbers: cotangents that are only handed on, and operations of constants inside loops."""

from __future__ import annotations

import ast
import re
from typing import Any

from morula.static.python.ir import (
    Append,
    Attempt,
    Block,
    Branch,
    Compute,
    Drop,
    Invoke,
    Loop,
    Program,
    Set,
    Store,
    is_name,
)

__all__ = ["Line", "handed_on", "hoist", "is_fresh", "read_as", "settle"]

Line = tuple[str, str, str]  # target, "=" or "+=" or "-=", text
NAME = re.compile(r"\b[A-Za-z_]\w*\b")
CHANGE = re.compile(r"\.(?:pop|append|insert)\(|\bplus")  # of a list
CHEAP = frozenset(["add", "sub", "mul", "truediv", "neg"])


def handed_on(lines: list[Line], lasting: set[str], lists: set[str] = frozenset()) -> list[Line]:  # type: ignore[assignment]
    """Write the text of a cotangent that is read just once, or is a name, where it is read.

    `lasting` are names that others read, too; `lists` those of lists, in which elements change.

    >>> handed_on([("a", "=", "x_b"), ("b", "=", "a * y"), ("z_b", "+=", "b")], {"z_b", "x_b"})
    [('z_b', '+=', 'x_b * y')]
    """
    lines = _without_unread(without_returns(lines), lasting)
    i = 0
    while i < len(lines):
        target, op, _ = lines[i]
        if op != "=" or "[" in target or target in lasting or not _inlined(lines, i, lists):
            i += 1
    return [_without_sign(line) for line in lines if line[0] != line[2] or line[1] != "="]


def _without_sign(line: Line) -> Line:
    """An addition of a negative as a subtraction, which is the same to the bit.

    >>> _without_sign(("a[i]", "+=", "(-x_b) * y"))
    ('a[i]', '-=', 'x_b * y')
    >>> _without_sign(("a", "=", "plus_at(a, key[1:], (-(x_b * y)))"))
    ('a', '=', 'minus_at(a, key[1:], x_b * y)')
    """
    target, op, text = line
    if "-" not in text or (op == "=" and not text.startswith("plus_at(")):
        return line
    node = ast.parse(text, mode="eval").body
    if op != "=":
        found = _positive(node)
        return (target, "-=" if op == "+=" else "+=", ast.unparse(found)) if found else line
    if isinstance(node, ast.Call) and (found := _positive(node.args[2])):
        array, key = map(ast.unparse, node.args[:2])
        return target, op, f"minus_at({array}, {key}, {ast.unparse(found)})"
    return line


def _positive(node: ast.expr) -> ast.expr | None:
    """The expression of which this one is the negative, if one can see that."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return node.operand
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div) and (left := _positive(node.left)):
        return ast.BinOp(left, node.op, node.right)
    return None


def _without_unread(lines: list[Line], lasting: set[str]) -> list[Line]:
    """Leave out assignments to names that nothing reads, such as that of what a constant was added to."""
    found: list[Line] = []
    read: set[str] = set()
    for target, op, text in reversed(lines):
        if op == "=" and target.isidentifier() and target not in lasting | read and not CHANGE.search(text):
            continue
        read.update(NAME.findall(text), NAME.findall(target) if op != "=" or "[" in target else ())
        found.append((target, op, text))
    return found[::-1]


def without_returns(lines: list[Line]) -> list[Line]:
    """Leave out assignments to a name of what it holds, since that was taken from it.

    >>> without_returns([("a", "=", "x_b"), ("x_b", "=", "a"), ("z_b", "+=", "a")])
    [('a', '=', 'x_b'), ('z_b', '+=', 'a')]
    """
    found: list[Line] = []
    same: dict[str, str] = {}
    for target, op, text in lines:
        if op == "=" and same.get(text) == target:
            continue
        changed = root(target)
        same = {one: other for one, other in same.items() if changed not in (one, other)}
        if op == "=" and target == changed and NAME.fullmatch(text):
            same[target] = text
        found.append((target, op, text))
    return found


def _inlined(lines: list[Line], i: int, lists: set[str]) -> bool:
    target, _, text = lines[i]
    is_move = NAME.fullmatch(text) is not None
    sources = set(NAME.findall(text))
    pattern = re.compile(rf"\b{target}\b")
    uses: list[int] = []
    for j in range(i + 1, len(lines)):
        if root(lines[j][0]) == target:
            return False
        if target in lines[j][2]:
            uses += [j] * len(pattern.findall(lines[j][2]))
    if not uses or (len(uses) > 1 and not is_move):
        return False
    between = lines[i + 1 : uses[-1]]
    if any(root(line[0]) in sources for line in between):
        return False
    if sources & lists and any("[" in line[0] or CHANGE.search(line[2]) for line in between):
        return False
    if CHANGE.search(text):
        return False
    for j in sorted(set(uses)):
        to, op, within = lines[j]
        alone = within == target
        put = text if is_move or alone or (within.startswith(f"{target} *") and not _is_sum(text)) else f"({text})"
        lines[j] = (to, op, pattern.sub(put.replace("\\", "\\\\"), within))
    del lines[i]
    return True


def root(target: str) -> str:
    """The variable of which a target is a part."""
    return target.partition("[")[0]


def is_fresh(text: str) -> bool:
    """Whether an expression gives an array that nobody else has.

    >>> is_fresh("z * a.T"), is_fresh("(z * a).T"), is_fresh("where(c, z, 0.0)")
    (True, False, True)
    """
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("at", "plus_at", "minus_at", "where", "add_reduce", "add_between", "array", "without")
    return isinstance(node, ast.BinOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub))


def _is_sum(text: str) -> bool:
    return text.startswith("-") or " + " in text or " - " in text or " if " in text


def settle(program: Program, variables: dict[str, str]) -> None:
    """Take what the program is given itself in the place of variables that begin with it and never change."""
    changed = {s.var for s in program.statements() if isinstance(s, Set)}
    renamed = {var: given for var, given in variables.items() if var not in changed}
    begun = [Set(var, given) for var, given in variables.items() if var in changed]
    given = set(renamed.values())
    for s in program.statements():
        read_as(s, renamed)
        if isinstance(s, Compute) and s.op == "copy" and s.args[0] in given:
            renamed[s.target] = s.args[0]
    _drop(program.body, renamed)
    for sub in program.subs:
        _drop(sub.body, renamed)
    program.body[:0] = begun


def read_as(s: Any, renamed: dict[str, str]) -> None:
    """Let a statement read other atoms; what stands inside it is left."""
    if isinstance(s, Compute | Invoke | Loop):
        s.args = tuple([renamed.get(a, a) for a in s.args])
    elif isinstance(s, Set | Store | Append):
        s.value = renamed.get(s.value, s.value)
        if isinstance(s, Store):
            s.index = tuple([renamed.get(i, i) for i in s.index])
    elif isinstance(s, Drop):
        s.at = renamed.get(s.at, s.at)
    elif isinstance(s, Branch):
        s.test = renamed.get(s.test, s.test)


def _drop(block: Block, renamed: dict[str, str]) -> None:
    block[:] = [s for s in block if not isinstance(s, Compute) or s.target not in renamed]
    for s in block:
        if isinstance(s, Branch):
            _drop(s.body, renamed)
            _drop(s.orelse, renamed)
        elif isinstance(s, Loop):
            _drop(s.body, renamed)


def hoist(program: Program) -> None:
    """Compute what loops compute of constants alone before the outermost of them, once for equal operations."""
    counts: dict[str, int] = dict.fromkeys(program.names(), 1)
    _count(program.body, counts, 1)
    for sub in program.subs:
        _count(sub.body, counts, 2)
        counts |= dict.fromkeys(sub.params, 2)
    constant = {name for name, n in counts.items() if n == 1}
    found: dict[tuple, str] = {}
    renamed: dict[str, str] = {}

    def moved(block: Block, out: Block) -> Block:
        kept: Block = []
        for s in block:
            read_as(s, renamed)
            if isinstance(s, Compute) and s.op in CHEAP and all(not is_name(a) or a in constant for a in s.args):
                key = (s.op, s.args)
                if key in found:
                    renamed[s.target] = found[key]
                else:
                    found[key] = s.target
                    constant.add(s.target)
                    out.append(s)
                continue
            if isinstance(s, Attempt):
                s.body = outside(s.body)
            elif isinstance(s, Branch):
                s.body, s.orelse = moved(s.body, out), moved(s.orelse, out)
            elif isinstance(s, Loop):
                s.body = moved(s.body, out)
            kept.append(s)
        return kept

    def outside(block: Block) -> Block:
        kept: Block = []
        for s in block:
            read_as(s, renamed)
            if isinstance(s, Branch):
                s.body = outside(s.body)
                found.clear()  # it may not have been computed
                s.orelse = outside(s.orelse)
                found.clear()
            elif isinstance(s, Loop):
                s.body = moved(s.body, kept)
            kept.append(s)
        return kept

    for block in (program.body, *[s.body for s in program.subs]):
        found.clear()
        block[:] = outside(block)


def _count(block: Block, counts: dict[str, int], times: int) -> None:
    for s in block:
        if isinstance(s, Compute | Set):
            name = s.target if isinstance(s, Compute) else s.var
            counts[name] = counts.get(name, 0) + times
        elif isinstance(s, Invoke):
            counts |= {name: counts.get(name, 0) + times for name in s.targets}
        elif isinstance(s, Branch):
            _count(s.body, counts, times)
            _count(s.orelse, counts, times)
        elif isinstance(s, Loop):
            if s.var is not None:
                counts[s.var] = counts.get(s.var, 0) + 2
            _count(s.body, counts, 2)
