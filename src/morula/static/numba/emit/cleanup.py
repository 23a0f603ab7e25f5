"""Clean-up of generated text: copies are read through, and what nobody reads goes.

It works on lines: each simple statement of generated code stands on one. A name is replaced only where it is
assigned once and what it copies is not assigned again before the last reading.
"""

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field

from morula.transform.syntax import parsed

PURE_CALLS = frozenset(
    {"float", "int", "bool", "complex", "min", "max", "abs", "times", "ratio", "unit", "len", "round"}
)


@dataclass
class _Facts:
    """Which lines of a text assign and read each name."""

    stores: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    loads: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    simple: dict[int, ast.Assign] = field(default_factory=dict)  # `name = expression`
    block_end: dict[int, int] = field(default_factory=dict)  # the last line of the block that a line stands in
    loops: list[tuple[int, int]] = field(default_factory=list)


def cleaned(text: str) -> str:
    """The same function, without copies and dead assignments."""
    while True:
        lines = text.split("\n")
        facts = _facts(text)
        changed = _read_through(lines, facts)
        changed = _sink(lines, facts, changed) or changed
        if not changed:
            changed = _drop_dead(lines, facts)
        if not changed:
            return text
        text = _joined([line for line in lines if line != REMOVED])


REMOVED = "\0"


def _joined(lines: list[str]) -> str:
    """The lines as a text, with `pass` where nothing is left of a block."""
    found: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        found.append(line)
        if line.endswith(":") and _indent(following) <= _indent(line):
            found.append(" " * (_indent(line) + 4) + "pass")
    return "\n".join(found)


def _facts(text: str) -> _Facts:
    facts = _Facts()
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Name):
            kind = facts.loads if isinstance(node.ctx, ast.Load) else facts.stores
            kind[node.id].append(node.lineno)
        elif isinstance(node, ast.arg):
            facts.stores[node.arg] += [0, 0]
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            facts.loads[node.target.id].append(node.lineno)
            facts.stores[node.target.id].append(node.lineno)  # twice: it is no copy
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            facts.simple[node.lineno] = node
        if isinstance(node, ast.For | ast.While):
            facts.loops.append((node.lineno, node.end_lineno or node.lineno))
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(body, list) and body:
                end = body[-1].end_lineno or body[-1].lineno
                for s in body:
                    facts.block_end[s.lineno] = end
    return facts


def _reach(facts: _Facts, line: int, uses: list[int]) -> int:
    """The last line at which a copy made at `line` may be read: a loop around a reading runs again."""
    last = max(uses)
    for start, end in facts.loops:
        if start > line and any(start <= u <= end for u in uses):
            last = max(last, end)
    return last


def _replace(line: str, name: str, new: str) -> str:
    code, mark, comment = line.partition("  # ")
    return re.sub(rf"(?<![\w.]){re.escape(name)}\b", new, code) + mark + comment


def _read_through(lines: list[str], facts: _Facts) -> bool:
    """`a = b`: what reads `a` reads `b`."""
    changed = False
    touched: set[str] = set()
    for number, node in sorted(facts.simple.items()):
        target, value = node.targets[0], node.value
        assert isinstance(target, ast.Name)
        if not isinstance(value, ast.Name) or target.id in touched or value.id in touched:
            continue
        a, b = target.id, value.id
        uses = facts.loads.get(a, [])
        if a == b or len(facts.stores[a]) != 1 or not uses or min(uses) <= number:
            continue
        if max(uses) > facts.block_end.get(number, 0):
            continue
        last = _reach(facts, number, uses)
        if any(number < s < last or (s == last and s not in uses) for s in facts.stores.get(b, ())):
            continue
        if any(s == last for s in facts.stores.get(b, ())) and not _is_plain(lines[last - 1]):
            continue
        if any(start <= last <= end and start > number for start, end in facts.loops):
            if any(number < s <= last for s in facts.stores.get(b, ())):
                continue
        for u in set(uses):
            lines[u - 1] = _replace(lines[u - 1], a, b)
        lines[number - 1] = REMOVED
        touched |= {a, b}
        changed = True
    return changed


def _is_plain(line: str) -> bool:
    """Whether a line is an assignment: it reads before it writes."""
    return re.match(r"\s*[\w\[\], .()]+ [-+*]?= ", line) is not None and not line.strip().startswith(("for ", "while "))


def _sink(lines: list[str], facts: _Facts, stale: bool) -> bool:
    """`a = expression` ... `b = a`, and nothing else reads `a`: `b = expression`."""
    if stale:
        return False
    changed = False
    touched: set[str] = set()
    for number, node in sorted(facts.simple.items()):
        target, value = node.targets[0], node.value
        assert isinstance(target, ast.Name)
        if not isinstance(value, ast.Name):
            continue
        b, a = target.id, value.id
        if {a, b} & touched or len(facts.stores.get(a, ())) != 1 or facts.loads.get(a) != [number]:
            continue
        made = facts.stores[a][0]
        if made not in facts.simple or made >= number or facts.block_end.get(made) != facts.block_end.get(number):
            continue
        if _indent(lines[made - 1]) != _indent(lines[number - 1]):
            continue
        between = [*facts.loads.get(b, ()), *facts.stores.get(b, ())]
        if any(made < x < number for x in between):
            continue
        lines[made - 1] = re.sub(rf"^(\s*){re.escape(a)} = ", rf"\g<1>{b} = ", lines[made - 1])
        lines[number - 1] = REMOVED
        touched |= {a, b}
        changed = True
    return changed


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _drop_dead(lines: list[str], facts: _Facts) -> bool:
    changed = False
    blocks: dict[int, int] = defaultdict(int)
    for end in facts.block_end.values():
        blocks[end] += 1
    for number, node in facts.simple.items():
        target = node.targets[0]
        assert isinstance(target, ast.Name)
        if not facts.loads.get(target.id) and _is_pure(node.value) and blocks[facts.block_end.get(number, 0)] > 1:
            blocks[facts.block_end[number]] -= 1
            lines[number - 1] = REMOVED
            changed = True
    return changed


def _is_pure(node: ast.expr) -> bool:
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            f = part.func
            root = f.value if isinstance(f, ast.Attribute) else f
            while isinstance(root, ast.Attribute):
                root = root.value
            name = root.id if isinstance(root, ast.Name) else ""
            if name not in ("np", "math", "vector_math") and not (isinstance(f, ast.Name) and f.id in PURE_CALLS):
                return False
    return True
