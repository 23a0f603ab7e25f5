"""Which lists of a program may be one and the same: those that assignments and rows hand on.

A list stands for an array of the program's, or for a list of its own; an array of rows is a list of lists. Whatever is
the same array there is the same list here, so views by rows and second names need no care. A list through which a
derivative passes has a second one beside it, its cotangent, which goes wherever the list goes.
"""

from __future__ import annotations

import numpy as np

from morula.static.python.ir import CHANGES, Append, Compute, Program, Set, Store, Unsupported

__all__ = ["MAKING", "Memory", "hands_on"]

MAKING = frozenset(["new", "display", "grid", "copied", "sliced", "reversed", "listed", "order", "joined"])
HANDING = frozenset(["row", "part", "copy", "bound"])  # where the operand is a list


class Memory:
    """The lists of a program, in classes of those that may share memory.

    Attributes:
        leaders: the atoms of lists; each with one that stands for its class.
        written: the leaders of classes that are written into.
        made: those of classes with lists that the program makes.
        ndim: the axes of each.
    """

    def __init__(self, program: Program):
        kinds: dict[str, type] = {i.name: np.ndarray if i.is_array else list for i in program.inputs if i.is_list}
        statements = list(program.statements())
        kinds |= {s.target: s.f for s in statements if isinstance(s, Compute) and s.op in MAKING}
        self.leaders = {name: name for name in kinds}
        while True:
            before = dict(self.leaders)
            for s in statements:
                if isinstance(s, Set) and s.value != "UNBOUND":
                    self._join(s.var, s.value)
                elif isinstance(s, Compute) and s.op in HANDING:
                    self._join(s.target, s.args[0])
                elif isinstance(s, Store | Append) and s.value in self.leaders:
                    self._join(s.array, s.value)
            if self.leaders == before:
                break
        self.ndim = self._axes(program, statements)
        self.kinds: dict[tuple[str, int], type] = {}
        for name, kind in kinds.items():
            if self.kinds.setdefault((self.leaders[name], self.ndim[name]), kind) is not kind:
                raise Unsupported("what is sometimes an array and sometimes a list")
        changes = [s for s in statements if isinstance(s, CHANGES)]
        self.written = {self.leaders[s.array] for s in changes}
        self.made = {self.leaders[s.target] for s in statements if isinstance(s, Compute) and s.op in MAKING}

    def _axes(self, program: Program, statements: list) -> dict[str, int]:
        """Of each list, 2 where it is one of lists."""
        found = {i.name: i.ndim for i in program.inputs if i.is_list}
        while True:
            before = len(found)
            for s in statements:
                if isinstance(s, Set) and s.value in found:
                    found[s.var] = found[s.value]
                elif isinstance(s, Compute) and s.target in self.leaders:
                    if s.op == "grid":
                        found[s.target] = 2
                    elif s.op in ("new", "display", "joined"):
                        found[s.target] = 2 if len(s.args) == 3 and s.op == "new" else 1
                    elif s.op == "listed":
                        found[s.target] = len(program.shapes[s.args[0]])
                    elif s.args[0] in found:
                        found[s.target] = found[s.args[0]] - (s.op == "row")
            if len(found) == before:
                return found

    def _join(self, one: str, other: str) -> None:
        of_one, of_other = self.leaders.get(one), self.leaders.get(other)
        if of_one is None or of_other is None:
            if of_one or of_other:
                self.leaders[one] = self.leaders[other] = of_one or of_other or ""
        elif of_one != of_other:
            for name, leader in self.leaders.items():
                if leader == of_one:
                    self.leaders[name] = of_other

    def __contains__(self, atom: str) -> bool:
        return atom in self.leaders

    def leader(self, atom: str) -> str:
        """The one that stands for the class of an atom; the atom itself if it is no list."""
        return self.leaders.get(atom, atom)

    def kind(self, atom: str) -> type:
        """What the program has for a list: `numpy.ndarray` or `list`."""
        leader, ndim = self.leaders[atom], self.ndim[atom]
        return self.kinds.get((leader, ndim)) or self.kinds[leader, 3 - ndim]  # rows are what the whole is

    def is_written(self, atom: str) -> bool:
        return self.leader(atom) in self.written

    def all_like(self, atoms: set[str]) -> set[str]:
        """The lists that may share memory with some of these."""
        some = {self.leaders[a] for a in atoms if a in self.leaders}
        return {a for a, leader in self.leaders.items() if leader in some}


def hands_on(program: Program) -> bool:
    """Whether a list that is returned may be one that an input is, or one that is returned twice.

    They stand for what is one and the same array or list in the program, of which the value has a copy.
    """
    assert program.value is not None
    value = program.value
    returned = [value] if not program.handed else [value.parts[0]] if program.returns else []
    lists = [leaf.list for part in returned for leaf in part.leaves() if leaf.list]
    if not lists:
        return False
    memory = Memory(program)
    leaders = [memory.leader(name) for name in lists]
    given = {memory.leader(i.name) for i in program.inputs if i.is_list}
    return len(set(leaders)) < len(leaders) or not given.isdisjoint(leaders)
