"""A variable that is assigned again in a straight line is several: each has types and a cotangent of its own.

``total = 0``, ``total = total + x[0]``, ``total = total + 0.5`` are an integer, a number of NumPy's and another one; as
one variable they would be something that is sometimes one of NumPy's numbers.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from morula.static.python.ir import Attempt, Block, Branch, Loop, Program, Set, atoms_of, walk
from morula.static.python.memory import Memory
from morula.static.python.tidy import read_as

__all__ = ["split"]


def split(program: Program) -> None:
    """Give what a variable of numbers holds up to its next assignment in the same block a name of its own."""
    counts = Counter(s.var for s in walk(program.body) if isinstance(s, Set))
    ours = {var for var, n in counts.items() if n > 1} - _used_otherwise(program)
    if ours:
        _split(program.body, ours, counts)


def _used_otherwise(program: Program) -> set[str]:
    """Names that others than the statements of the program's body know, and those of lists and arrays."""
    found = {*program.results, *program.names(), *program.lengths, *program.shapes, *Memory(program).leaders}
    found.update(var for parts in program.stored.values() for var in parts.values() if isinstance(var, str))
    found.update(atom for atom, _ in program.relied_on)
    for s in [s for sub in program.subs for s in walk(sub.body)]:  # which read variables of the function around them
        found.update(atoms_of(s))
    for s in walk(program.body):
        if isinstance(s, Loop):
            found.update(name for name in (s.var, s.exit, *s.over) if name)
        elif isinstance(s, Attempt):
            found.add(s.test)
    return found


def _split(block: Block, ours: set[str], counts: Counter[str]) -> None:
    last: dict[str, int] = {}  # where a variable was assigned in this block, and nothing inside another one since
    for i, s in enumerate(block):
        if isinstance(s, Set):
            if s.var in last:
                _rename(block, last[s.var], i, counts)
            if s.var in ours:
                last[s.var] = i
        elif isinstance(s, Branch | Loop):
            for inner in _blocks(s):
                for name in {x.var for x in walk(inner) if isinstance(x, Set)}:
                    last.pop(name, None)
                if not isinstance(s, Attempt):
                    _split(inner, ours, counts)


def _blocks(s: Branch | Loop) -> list[Block]:
    return [s.body, s.orelse] if isinstance(s, Branch) else [s.body]


def _rename(block: Block, start: int, stop: int, counts: Counter[str]) -> None:
    """Another name for what is assigned at `start`, as far as it is read, at the latest at `stop`."""
    first: Any = block[start]
    counts[first.var] += 1
    own = f"{first.var}_n{counts[first.var]}"
    renamed = {first.var: own}
    for s in walk(block[start + 1 : stop + 1]):
        read_as(s, renamed)
    first.var = own
