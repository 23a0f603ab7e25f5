"""What travels through a program: which atoms are read where, which carry derivatives to the result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from morula.static.python.complex_numbers import OF_COMPLEX
from morula.static.python.forms import Form
from morula.static.python.ir import (
    CHANGES,
    Append,
    Block,
    Branch,
    Compute,
    Fail,
    Input,
    Invoke,
    Loop,
    Program,
    Set,
    Store,
    Sub,
    Unsupported,
    atoms_of,
    is_name,
)  # fmt: skip
from morula.static.python.memory import Memory
from morula.static.python.slopes import Slopes
from morula.static.python.sums import PARTIALS as LOST
from morula.static.python.types import BITS, COMPARISONS, OF_INTEGERS, TESTS

__all__ = ["Flow", "is_temporary", "local", "passing", "segments"]

# Operations that hand a cotangent on to each operand, be it zero.
SMOOTH = frozenset(["add", "sub", "mul", "truediv", "neg", "pos", "copy", "plain", "sum", "float", "element"])

# Whose operands have no derivative in the eager tier, either: what depends on them through these alone is absent.
OF_NOTHING = frozenset(["not", "unset", "int", "length", "width", "order", "search"])
OF_FIRST = frozenset(["index", "row", "new", "copied", "sliced", "reversed", "part"])  # the other operands are integers


def segments(block: Block) -> Iterator[Any]:
    """The statements of a block: lists of those that nothing interrupts, and branches, loops and failures."""
    run: list[Any] = []
    for s in block:
        if isinstance(s, Compute | Set | CHANGES):
            run.append(s)
            continue
        yield run  # also where it is empty: what a branch asks for is read after it
        run = []
        yield s
    if run:
        yield run


class Flow:
    """Facts about a program that do not depend on the path it takes.

    Attributes:
        active: the atoms through which a derivative of the result passes.
        live: variables that are read in another stretch of statements than they were assigned in.
        escaping: temporaries that are used in another stretch than they were computed in.
        constant: variables that have one value in all of a run.
        changed: by the identity of a loop or a function, the variables that its turns assign.
        reached: atoms that a cotangent reaches whatever path the program takes: if it is zero, it is not absent.
        zeroed: inputs that the result depends on through an operation whose derivative is zero everywhere, or as parts
            of an array: what is sent to them on such a path is zero, and no text says so.
    """

    def __init__(self, program: Program, slopes: Slopes, memory: Memory):
        self.program, self.memory = program, memory
        drop_unread(program)
        self.changed: dict[int, set[str]] = {}
        self.constant = self._constant()
        written = [var for parts in program.stored.values() for var in parts.values()]
        self.live: set[str] = {*program.results, *written, *[r for s in program.subs for r in s.results]}
        self.escaping: set[str] = set()
        for block in (program.body, *[s.body for s in program.subs]):
            self._reads(block)
        for atom in program.results:
            self._read(atom)
        self.zeroed: set[str] = set()
        self.active = self._active(slopes)
        self.handing = self._handing(slopes)
        self.reached = self._reached(program.body, program.results, slopes)

    def _handing(self, slopes: Slopes) -> dict[int, set[str]]:
        """By the identity of a function, the parameters that a cotangent of all it returns reaches for sure."""
        self.handing = {id(s): set(s.params) for s in self.program.subs}
        while True:
            before = dict(self.handing)
            for s in self.program.subs:
                found = self._reached(s.body, set(s.results), slopes)
                self.handing[id(s)] = self.handing[id(s)] & found
            if self.handing == before:
                return before

    def _reached(self, block: Block, found: set[str], slopes: Slopes) -> set[str]:
        """The atoms that a cotangent reaches for sure before a block, for those after it."""
        found = set(found)
        for s in reversed(block):
            if isinstance(s, Set):
                if s.var in found:
                    found.discard(s.var)
                    found.add(s.value)
            elif isinstance(s, Compute):
                if s.target in found:  # what was written into may have lost what was there
                    found.update([a for a in handed_to(s, slopes) if not self.memory.is_written(a)])
            elif isinstance(s, Invoke):
                is_whole = found.issuperset(s.targets)
                found.difference_update(s.targets)
                if is_whole:
                    handing = self.handing[id(s.sub)]
                    found.update(a for p, a in zip(s.sub.params, s.args, strict=True) if p in handing)
            elif isinstance(s, Branch):
                ways = [self._reached(b, found, slopes) for b in (s.body, s.orelse) if not raises(b)]
                found = set.intersection(*ways) if ways else found
            elif isinstance(s, Loop):  # of any number of turns
                while not found <= (before := self._reached(s.body, found, slopes)):
                    found &= before
                found.discard(s.var or "")
        return found

    def ties(self, atoms: tuple[str, ...], slopes: Slopes) -> tuple[set[str], set[str]]:
        """The atoms that a cotangent of these alone reaches for sure, and those that it may reach."""
        statements = list(self.program.statements())
        every = {id(s): used(s) for s in statements if isinstance(s, Compute)}
        perhaps = self._leading_to(set(atoms), statements, every, self.program.groups)
        return self._reached(self.program.body, set(atoms), slopes), perhaps

    def _constant(self) -> set[str]:
        counts: dict[str, int] = dict.fromkeys(self.program.names(), 1)

        def count(block: Block, times: int) -> set[str]:
            assigned: set[str] = set()
            for s in block:
                if isinstance(s, Set | Compute):
                    name = s.var if isinstance(s, Set) else s.target
                    assigned.add(name)
                    counts[name] = counts.get(name, 0) + times
                elif isinstance(s, Invoke):
                    assigned.update(s.targets)
                    for name in s.targets:
                        counts[name] = counts.get(name, 0) + times
                elif isinstance(s, Branch):
                    assigned |= count(s.body, times) | count(s.orelse, times)
                elif isinstance(s, Loop):
                    inner = count(s.body, 2)
                    self.changed[id(s)] = inner
                    if s.var is not None:
                        counts[s.var] = counts.get(s.var, 0) + 2
                        inner = inner | {s.var}
                    assigned |= inner
            return assigned

        count(self.program.body, 1)
        for sub in self.program.subs:
            self.changed[id(sub)] = count(sub.body, 2)
        return {name for name, n in counts.items() if n == 1}

    def _reads(self, block: Block) -> None:
        for part in segments(block):
            if isinstance(part, list):
                defined: set[str] = set()
                for s in part:
                    for a in atoms_of(s):
                        if is_name(a) and a not in defined:
                            self._read(a)
                    if isinstance(s, Compute | Set):
                        defined.add(s.target if isinstance(s, Compute) else s.var)
            elif isinstance(part, Branch):
                self._read(part.test)
                self._reads(part.body)
                self._reads(part.orelse)
            elif isinstance(part, Loop):
                for a in (*part.args, *([part.exit] if part.exit else [])):
                    self._read(a)
                self._reads(part.body)
            elif isinstance(part, Invoke):
                for a in part.args:
                    self._read(a)

    def _read(self, atom: str) -> None:
        if is_temporary(atom):
            self.escaping.add(atom)
        elif is_name(atom):
            self.live.add(atom)

    def _active(self, slopes: Slopes) -> set[str]:
        statements = list(self.program.statements())
        variables = [i for i in self.program.sources() if carries(i)]
        sources = {name for i in variables for name in (i.name, i.array) if name}
        moving = set(sources)
        useful = self.program.results
        computed = [s for s in statements if isinstance(s, Compute)]
        smooth = {id(s): () if slopes.is_constant(s) else sloping(s, slopes) for s in computed}
        if self.program.verb in ("gradient", "pullback"):
            self._refuse_zeros(statements, smooth)
        while True:
            before = len(moving), len(useful)
            for s in statements:
                if isinstance(s, Set):
                    if s.value in moving:
                        moving.add(s.var)
                    if s.var in useful:
                        useful.add(s.value)
                elif isinstance(s, Compute):
                    operands = smooth[id(s)]
                    if any(a in moving for a in operands):
                        moving.add(s.target)
                    if s.target in useful:
                        useful.update(operands)
                elif isinstance(s, Invoke):
                    for name, given in s.passed():
                        if given in moving:
                            moving.add(name)
                        if name in useful:
                            useful.add(given)
                elif isinstance(s, Store | Append):
                    if s.value in moving:
                        moving.add(s.array)
                    if s.array in useful:
                        useful.add(s.value)
            moving |= self.memory.all_like(moving)
            useful |= self.memory.all_like(useful)
            if before == (len(moving), len(useful)):
                break
        still = {s.args[i] for s in computed if isinstance(s.f, Form) for i in s.f.still}
        if still and not sources.isdisjoint(self._leading_to(still, statements, {id(s): used(s) for s in computed})):
            raise Unsupported("random numbers of a distribution that moves, be it in steps")
        return moving & useful

    def _refuse_zeros(self, statements: list[Any], smooth: dict[int, tuple[str, ...]]) -> None:
        """A derivative that is zero on every path is zero, and no absent one: the eager tier knows which."""
        computed = [s for s in statements if isinstance(s, Compute)]
        every = {id(s): used(s) for s in computed}
        groups = self.program.groups
        smoothly = self._leading_to(set(self.program.results), statements, smooth)
        somehow = self._leading_to(set(self.program.results), statements, every, groups)
        flat = {a for s in computed if s.target in somehow for a in every[id(s)] if a not in smooth[id(s)]}
        # an array is sent to as a whole
        parts = {a for group in groups if not somehow.isdisjoint(group) for a in group}
        self.zeroed = self._leading_to(flat | parts, statements, every, groups)
        for i in self.program.sources():
            names = {i.name, i.array} if carries(i) else set()
            if names & somehow and not names & smoothly:
                raise Unsupported("a derivative that is zero everywhere")

    def _leading_to(
        self, found: set[str], statements: list[Any], operands: dict[int, tuple[str, ...]], groups: Any = ()
    ) -> set[str]:  # fmt: skip
        """The atoms that something depends on through these `operands` of each operation, and all of their groups."""
        while True:
            before = len(found)
            for s in reversed(statements):
                if isinstance(s, Set) and s.var in found:
                    found.add(s.value)
                elif isinstance(s, Compute) and s.target in found:
                    found.update(operands[id(s)])
                elif isinstance(s, Invoke):
                    found.update(given for name, given in s.passed() if name in found)
                elif isinstance(s, Store | Append) and s.array in found:
                    found.add(s.value)
            found |= self.memory.all_like(found)
            found.update(*[group for group in groups if not found.isdisjoint(group)])
            if before == len(found):
                return found


def local(sub: Sub, flow: Flow) -> set[str]:
    """What belongs to one call of a function: its parameters, and what its body assigns."""
    return {*sub.params, *flow.changed[id(sub)]}


def passing(s: Compute) -> tuple[str, ...]:
    """The operands through which a derivative can travel."""
    if s.op in OF_FIRST:
        return s.args[:1]
    return s.args if s.op != "numpy" else tuple([a for a, t in zip(s.args, s.f.terms, strict=True) if t is not None])


def sloping(s: Compute, slopes: Slopes) -> tuple[str, ...]:
    """Of these, the operands by which the derivative is not zero everywhere."""
    if s.op == "chosen":
        return s.args if slopes.is_exact else s.args[:1]
    if s.op == "call" and s.f not in (abs, max, min, *OF_COMPLEX) and s.f not in TESTS | OF_INTEGERS | BITS.keys():
        return tuple([a for a, p in zip(s.args, slopes.partials(s), strict=True) if callable(p) or p != 0])
    return passing(s)


def used(s: Compute) -> tuple[str, ...]:
    """The operands that the value is a function of, with a derivative that may be zero everywhere."""
    if s.op in COMPARISONS or s.op in OF_NOTHING or s.f in TESTS or s.f in BITS:
        return ()
    if s.op in OF_FIRST:
        return passing(s)
    if s.op == "call" and s.f in LOST:  # in sums, of which that is a part
        return tuple([a for a, p in zip(s.args, LOST[s.f], strict=True) if p])
    if s.op != "numpy":
        return s.args
    return () if s.f.is_constant else s.f.values(s.args)


def handed_to(s: Compute, slopes: Slopes) -> tuple[str, ...]:
    """The operands that get the operation's cotangent times a derivative, be that zero."""
    if s.op == "numpy":
        return () if s.f.may_be_absent else passing(s)
    if s.op == "pow":
        p = s.args[1].strip("()")
        return s.args[:1] if not is_name(p) and p not in ("True", "False") and p[-1] != "j" and float(p) >= 1 else ()
    if s.op == "call" and s.f not in (abs, max, min, *OF_COMPLEX) and not slopes.is_constant(s):
        return sloping(s, slopes)
    return s.args[:1] if s.op in ("index", "row", "chosen") else s.args if s.op in SMOOTH else ()


def raises(block: Block) -> bool:
    return any(isinstance(s, Fail) for s in block)


def carries(given: Input) -> bool:
    return not given.types & {"bool", "np.bool"}


def is_temporary(atom: str) -> bool:
    return atom[0] == "t" and atom[1:].isdigit()


def drop_unread(program: Program) -> None:
    """Leave out flags that nothing asks for."""
    while True:
        read = {*program.results, *[var for parts in program.stored.values() for var in parts.values()]}
        read |= {r for s in program.subs for r in s.results}
        left: set[str] = set()
        for s in program.statements():
            read.update(atoms_of(s))
            if isinstance(s, Set) and s.value == "True":
                left.add(s.var)
        for s in program.statements():
            if isinstance(s, Loop) and s.exit is not None:
                if s.exit in left:
                    read.add(s.exit)
                else:
                    s.exit = None
        found = [_without(block, read) for block in (program.body, *[s.body for s in program.subs])]
        if not any(found):
            return


def _without(block: Block, read: set[str]) -> bool:
    kept = [s for s in block if not isinstance(s, Set) or s.var in read]
    found = len(kept) < len(block)
    block[:] = kept
    for s in block:
        if isinstance(s, Branch):
            found |= _without(s.body, read) | _without(s.orelse, read)
        elif isinstance(s, Loop):
            found |= _without(s.body, read)
    return found
