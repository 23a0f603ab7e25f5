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
class _Accesses:
    """Which lines of a text assign and read each name; kept right while the lines change."""

    stores: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    loads: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    read_by: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))  # the names that a line reads
    simple: dict[int, tuple[str, bool]] = field(default_factory=dict)  # `name = expression`: the name, whether pure
    copies: dict[int, str] = field(default_factory=dict)  # `name = other`: the other name
    block_end: dict[int, int] = field(default_factory=dict)  # the last line of the block that a line stands in
    loops: list[tuple[int, int]] = field(default_factory=list)

    def remove(self, number: int) -> None:
        """Line `number` of `simple` is gone."""
        self.stores[self.simple.pop(number)[0]].remove(number)
        self.copies.pop(number, None)
        for name in self.read_by.pop(number, ()):
            self.loads[name].remove(number)

    def read_instead(self, name: str, other: str) -> None:
        """What reads `name` reads `other`."""
        uses = self.loads.pop(name)
        self.loads[other] += uses
        for u in set(uses):
            self.read_by[u] = [other if x == name else x for x in self.read_by[u]]
            if self.copies.get(u) == name:
                self.copies[u] = other

    def assign_instead(self, number: int, other: str) -> None:
        """Line `number` of `simple` assigns `other`."""
        name, is_pure = self.simple[number]
        self.stores[name].remove(number)
        self.stores[other].append(number)
        self.simple[number] = other, is_pure


def cleaned(text: str) -> str:
    """The same function, without copies and dead assignments."""
    lines = text.split("\n")
    accesses = _accesses(text)
    while _read_through(lines, accesses) or _sink(lines, accesses) or _drop_dead(lines, accesses):
        pass
    return _joined([line for line in lines if line != REMOVED])


REMOVED = "\0"


def _joined(lines: list[str]) -> str:
    """The lines as a text, with `pass` where nothing is left of a block."""
    found: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        found.append(line)
        if line.endswith(":") and _indent(following) <= _indent(line):
            found.append(" " * (_indent(line) + 4) + "pass")
    return "\n".join(found)


def _accesses(text: str) -> _Accesses:
    accesses = _Accesses()
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                accesses.loads[node.id].append(node.lineno)
                accesses.read_by[node.lineno].append(node.id)
            else:
                accesses.stores[node.id].append(node.lineno)
        elif isinstance(node, ast.arg):
            accesses.stores[node.arg] += [0, 0]
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            accesses.loads[node.target.id].append(node.lineno)
            accesses.read_by[node.lineno].append(node.target.id)
            accesses.stores[node.target.id].append(node.lineno)  # twice: it is no copy
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            accesses.simple[node.lineno] = node.targets[0].id, _is_pure(node.value)
            if isinstance(node.value, ast.Name):
                accesses.copies[node.lineno] = node.value.id
        if isinstance(node, ast.For | ast.While):
            accesses.loops.append((node.lineno, node.end_lineno or node.lineno))
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(body, list) and body:
                end = body[-1].end_lineno or body[-1].lineno
                for s in body:
                    accesses.block_end[s.lineno] = end
    return accesses


def _reach(accesses: _Accesses, line: int, uses: list[int]) -> int:
    """The last line at which a copy made at `line` may be read: a loop around a reading runs again."""
    last = max(uses)
    for start, end in accesses.loops:
        if start > line and any(start <= u <= end for u in uses):
            last = max(last, end)
    return last


def _replace(line: str, name: str, new: str) -> str:
    code, mark, comment = line.partition("  # ")
    return re.sub(rf"(?<![\w.]){re.escape(name)}\b", new, code) + mark + comment


def _read_through(lines: list[str], accesses: _Accesses) -> bool:
    """`a = b`: what reads `a` reads `b`."""
    changed = False
    touched: set[str] = set()
    for number, b in sorted(accesses.copies.items()):
        a = accesses.simple[number][0]
        if a in touched or b in touched:
            continue
        uses = accesses.loads.get(a, [])
        if a == b or len(accesses.stores[a]) != 1 or not uses or min(uses) <= number:
            continue
        if max(uses) > accesses.block_end.get(number, 0):
            continue
        last = _reach(accesses, number, uses)
        if any(number < s < last or (s == last and s not in uses) for s in accesses.stores.get(b, ())):
            continue
        if any(s == last for s in accesses.stores.get(b, ())) and not _is_plain(lines[last - 1]):
            continue
        if any(start <= last <= end and start > number for start, end in accesses.loops):
            if any(number < s <= last for s in accesses.stores.get(b, ())):
                continue
        for u in set(uses):
            lines[u - 1] = _replace(lines[u - 1], a, b)
        lines[number - 1] = REMOVED
        accesses.remove(number)
        accesses.read_instead(a, b)
        touched |= {a, b}
        changed = True
    return changed


def _is_plain(line: str) -> bool:
    """Whether a line is an assignment: it reads before it writes."""
    return re.match(r"\s*[\w\[\], .()]+ [-+*]?= ", line) is not None and not line.strip().startswith(("for ", "while "))


def _sink(lines: list[str], accesses: _Accesses) -> bool:
    """`a = expression` ... `b = a`, and nothing else reads `a`: `b = expression`."""
    changed = False
    touched: set[str] = set()
    for number, a in sorted(accesses.copies.items()):
        b = accesses.simple[number][0]
        if {a, b} & touched or len(accesses.stores.get(a, ())) != 1 or accesses.loads.get(a) != [number]:
            continue
        made = accesses.stores[a][0]
        if (
            made not in accesses.simple
            or made >= number
            or accesses.block_end.get(made) != accesses.block_end.get(number)
        ):
            continue
        if _indent(lines[made - 1]) != _indent(lines[number - 1]):
            continue
        between = [*accesses.loads.get(b, ()), *accesses.stores.get(b, ())]
        if any(made < x < number for x in between):
            continue
        lines[made - 1] = re.sub(rf"^(\s*){re.escape(a)} = ", rf"\g<1>{b} = ", lines[made - 1])
        lines[number - 1] = REMOVED
        accesses.remove(number)
        accesses.assign_instead(made, b)
        touched |= {a, b}
        changed = True
    return changed


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _drop_dead(lines: list[str], accesses: _Accesses) -> bool:
    changed = False
    blocks: dict[int, int] = defaultdict(int)
    for number, end in accesses.block_end.items():
        blocks[end] += lines[number - 1] != REMOVED
    for number, (name, is_pure) in list(accesses.simple.items()):
        if is_pure and not accesses.loads.get(name) and blocks[accesses.block_end.get(number, 0)] > 1:
            blocks[accesses.block_end[number]] -= 1
            lines[number - 1] = REMOVED
            accesses.remove(number)
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
