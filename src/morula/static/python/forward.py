"""The way there through a stretch of statements: the text of each one, where nobody else asks for it in another."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from morula.static.python.complex_numbers import complex_text, is_of_complex
from morula.static.python.flow import is_temporary
from morula.static.python.ir import CHANGES, Append, Compute, Drop, Unsupported, atoms_of, is_name
from morula.static.python.memory import MAKING
from morula.static.python.reverse import Lines, WayBack, bar
from morula.static.python.sums import lost, lost_from_zero
from morula.static.python.types import BITS, COMPARISONS, FLOAT, INT

__all__ = ["SIGNS", "WayThere", "asked_inside"]

NAMES = re.compile(r"\b[A-Za-z_]\w*")
SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "mod": "%", "floordiv": "//"}


class WayThere(WayBack):
    """The part of an `emit.Emitter` that writes statements that nothing interrupts, and their cotangents' zeros."""

    trying: bool

    def _way_there(self, steps: list[Any], env: dict, names: dict, asked: list[str]) -> Lines:
        uses: dict[str, int] = {}
        for s in steps:
            for a in atoms_of(s):
                uses[a] = uses.get(a, 0) + 1
        for atom in env.values():
            uses[atom] = uses.get(atom, 0) + 1
        held = names.keys() | self.flow.escaping | set(asked)
        for s in steps:
            if isinstance(s, Compute) and s.op in ("row", "part") and self._has_shadow(s.target):
                held |= set(s.args[1:])  # which its cotangent is found by, too
        texts: dict[str, str] = {}  # of temporaries that stand where they are used
        reads: dict[str, set[str]] = {}  # variables in these texts
        lines: Lines = []

        def inside(atom: str) -> str:
            return texts.pop(atom, atom)

        for s in steps:
            given = [inside(a) for a in atoms_of(s)]
            if not isinstance(s, Compute):
                for target in [t for t in texts if any(self.memory.is_written(a) for a in reads[t])]:
                    lines.append(f"{target} = {texts.pop(target)[1:-1]}")
                lines += self._written(s, given)
                continue
            text = self._operation(s, given)
            is_drawn = s.op == "numpy" and s.f.is_drawn
            is_used_once = s.target not in held and uses.get(s.target, 0) == 1
            if is_used_once and not (is_drawn or self.trying or self._has_shadow(s.target)):
                texts[s.target] = f"({text})"
                reads[s.target] = set().union(*(reads.get(a, {a}) for a in s.args))
            else:
                lines.append(f"{s.target} = {text}")
                if self._has_shadow(s.target):
                    lines.append(f"{bar(s.target)} = {self._shadow_of(s)}")
        env = env | {bar(v): bar(a) for v, a in env.items() if self._has_shadow(v) and a != "UNBOUND"}
        writes = {var: inside(atom) for var, atom in env.items()}
        mentioned = {var: reads.get(atom, {atom}) for var, atom in env.items()}
        if not self.trying:  # else variables keep what they hold where something is raised
            for var in [v for v, atom in env.items() if writes[v] == atom and atom not in held]:
                computed_at_once(var, writes, mentioned, lines)
        while writes:
            free = [v for v in writes if not any(v in mentioned[w] for w in writes if w != v)]
            for var in free:
                text = writes.pop(var)
                lines.append(f"{var} = {text[1:-1] if text.startswith('(') and _is_closed(text) else text}")
            if not free:
                lines.append(f"{', '.join(writes)} = {', '.join(writes.values())}")
                break
        return lines

    def _operation(self, s: Compute, args: list[str]) -> str:
        if is_of_complex(s, self.types) and (text := complex_text(s, args, self.types, self.slopes.named)) is not None:
            return text
        if s.op == "pow" and not s.args[1].isdigit():
            return f"real({args[0]} ** {args[1]})"
        if s.op == "numpy":
            text = s.f.text if s.target in self.flow.active or not s.f.plain else s.f.plain
            return text.format_map({f"a{i}": a for i, a in enumerate(args)})
        if s.op in SIGNS:
            return f"{args[0]} {SIGNS[s.op]} {args[1]}"
        if s.op in COMPARISONS:
            return f" {s.op} ".join(self._compared(s, args))
        if s.op in ("neg", "pos", "not"):
            return {"neg": "-", "pos": "+", "not": "not "}[s.op] + args[0]
        if s.op == "element" and self.types[s.args[0]] & INT:
            return f"float({args[0]})"
        if s.op in ("copy", "plain", "element", "chosen"):
            return args[0]
        if s.op == "sum":
            return f"{self.slopes.named(sum)}(({', '.join(args[1:])},), {args[0]})"
        if s.op == "unset":
            return f"{args[0]} is UNBOUND"
        if s.op == "bound":
            return f"{args[0]} if {args[0]} is not UNBOUND else fail()"
        if s.op == "index":
            return args[0] + "".join([f"[{i}]" for i in args[1:]])
        if s.op == "width":
            return f"len({args[0]}[0])"
        if s.op in MAKING or s.op in ("row", "part"):
            return self._made(s, args)
        if s.op == "packed" and s.f is float:
            return f"array({args[0]}, float)"
        if s.op == "packed":
            return f"{'floats' if self.types[s.args[0]] & INT else 'array'}({args[0]})"
        if s.op == "search":
            return f"{self.slopes.named(s.f)}({', '.join(args)})"
        if s.op in ("length", "int", "float"):
            return f"{'len' if s.op == 'length' else s.op}({args[0]})"
        if s.f in (lost, lost_from_zero):
            return self._lost(s, args)
        if s.f in BITS:
            return f"{args[0]} {BITS[s.f]} {args[1]}"
        if s.f is round and len(args) > 1 and "np.float64" in self.types[s.args[0]]:  # which rounds in its own way
            return f"float({self.slopes.named(np.float64)}({args[0]}).round({args[1]}))"
        called = f"{self.slopes.named(s.f)}({', '.join(args)})"
        return f"float({called})" if isinstance(s.f, np.ufunc) else called

    def _lost(self, s: Compute, args: list[str]) -> str:
        if not self.types.is_compensated(s):
            return args[-1]
        if s.f is lost_from_zero and self.types[s.args[1]] == FLOAT and not self.types.is_whole(s.args[0]):
            return self.slopes.applied(lost_from_zero, tuple(args), str)
        return f"{self.slopes.named(lost)}({', '.join(args)})"

    def _compared(self, s: Compute, args: list[str]) -> list[str]:
        """Operands of a comparison: NumPy makes floats of integers first, Python compares them as they are."""
        one, other = (self.types[a] for a in s.args)
        found = []
        for text, atom, mine, theirs in ((args[0], s.args[0], one, other), (args[1], s.args[1], other, one)):
            is_small = not is_name(atom) and len(atom) < 15
            if ("int" in mine and "np.float64" in theirs) or ("np.int64" in mine and theirs & {"float", "np.float64"}):
                if not is_small and len(theirs) > 1:
                    raise Unsupported("a comparison of an integer with what may be one of NumPy's numbers")
                text = text if is_small else f"float({text})"
            found.append(text)
        return found

    def _made(self, s: Compute, args: list[str]) -> str:
        """What a new list is, or a row."""
        if s.op in ("display", "grid"):
            return f"[{', '.join(args)}]"
        if s.op == "row":
            return args[0] + "".join([f"[{i}]" for i in args[1:]])
        if s.op == "listed":
            return f"{args[0]}.tolist()"
        if s.op == "order":
            return f"order_of({', '.join(args)})"
        if s.op == "reversed":
            return f"{args[0]}[::-1]"
        if s.op == "joined":
            return f"{args[0]} + {args[1]}"
        if s.op in ("sliced", "part"):
            return f"{args[0]}[{':'.join(args[1:])}]"
        if s.op == "copied":
            return f"{args[0]}[:]" if self.memory.ndim[s.target] == 1 else f"[row[:] for row in {args[0]}]"
        if len(args) == 3:
            return f"rows({', '.join(args)})"
        fits = "" if s.f is list or args[1].isdigit() else f" if {args[1]} >= 0 else fail()"
        return f"[{args[0]}] * {args[1]}{fits}"

    def _shadow_of(self, s: Compute) -> str:
        """The cotangent of a new list, of zeros; or that of a row, which is a row."""
        if s.op == "row":
            return bar(s.args[0]) + "".join([f"[{i}]" for i in s.args[1:]])
        if s.op == "part":
            return f"{bar(s.args[0])}[{':'.join(s.args[1:])}]"
        if s.op in ("copy", "bound"):
            return bar(s.args[0])
        is_grid = self.memory.ndim[s.target] == 2
        zero = "NOTHING" if s.op in ("sliced", "reversed", "joined") else self.program.zero
        return f"[[{zero}] * len(row) for row in {s.target}]" if is_grid else f"[{zero}] * len({s.target})"

    def _written(self, s: CHANGES, given: list[str]) -> Lines:
        if isinstance(s, Append | Drop):
            checks = [f"if {x} is {given[0]}: raise Failed" for x in given[2:]]
            return [*checks, *(self._grown(s, *given[:2]) if isinstance(s, Append) else self._dropped(s, *given[:2]))]
        array, *index, value = given
        if s.value in self.memory:
            (i,) = index
            moved = [f"{self.replaced[id(s)]} = {bar(s.array)}[{i}]"] if self._has_shadow(s.array) else []
            return [*moved, f"{array}[{i}] = {value}", *[f"{bar(s.array)}[{i}] = {bar(s.value)}"][: len(moved)]]
        if not self.types[s.value] <= {"float", "np.float64"} and self.memory.kind(s.array) is not list:
            value = f"float({value})"
        value = value[1:-1] if value.startswith("(") and _is_closed(value) else value
        return [f"{array}{''.join([f'[{i}]' for i in index])} = {value}"]

    def _grown(self, s: Append, array: str, value: str) -> Lines:
        how = "insert(0, " if s.start else "append("
        zero = bar(s.value) if s.value in self.memory else self.zero(s.value)
        shadow = [f"{bar(s.array)}.{how}{zero})"] if self._has_shadow(s.array) else []
        return [f"{array}.{how}{value})", *shadow]

    def _dropped(self, s: Drop, array: str, at: str) -> Lines:
        lines = [f"del {array}[{at}]"]
        if not self._has_shadow(s.array):
            return lines
        taken = f"{bar(s.array)}.pop({at})"
        if self.memory.ndim[s.array] == 2:
            return [*lines, f"{self.replaced[id(s)]} = {taken}"]
        return [*lines, taken]


def computed_at_once(var: str, writes: dict[str, str], mentioned: dict[str, set[str]], lines: Lines) -> None:
    """Compute what `var` will hold in the variable itself, where nothing reads what that has held after that.

    `writes` are the names or texts of what variables will hold, and `mentioned` the names in these.

    >>> writes, lines = {"v": "t2", "w": "t1"}, ["t1 = v + a", "t2 = v + t1", "t3 = t2 > b"]
    >>> computed_at_once("v", writes, {"v": {"t2"}, "w": {"t1"}}, lines)
    >>> lines, writes
    (['t1 = v + a', 'v = v + t1', 't3 = v > b'], {'w': 't1'})
    """
    atom = writes[var]
    at = next((i for i, line in enumerate(lines) if line.startswith(f"{atom} = ")), None)
    shared = any(var in mentioned[w] or atom in mentioned[w] for w in writes if w != var)
    if not is_temporary(atom) or at is None or shared:
        return
    own, others = re.compile(rf"\b{var}\b"), re.compile(rf"\b{atom}\b")
    if any(own.search(line) for line in lines[at + 1 :]) or len(others.findall(lines[at])) > 1:
        return
    lines[at:] = [others.sub(var, line) for line in lines[at:]]
    del writes[var]


PLAIN = re.compile(r"(?:[\w.\s<>=!+*/-]|\((?<!\w\()|\))+")  # no calls, no items


def asked_inside(test: str, before: Lines, branch: Lines) -> None:
    """Write the text of what a branch asks for, which nobody else does, where it stands.

    >>> before, branch = ["t1 = x > 0.5", "y = 2.0 * x"], ["if t1:", "    y = 1.0"]
    >>> asked_inside("t1", before, branch)
    >>> before, branch
    (['y = 2.0 * x'], ['if x > 0.5:', '    y = 1.0'])
    """
    at = next((i for i in range(len(before) - 1, -1, -1) if before[i].startswith(f"{test} = ")), None)
    if at is None or branch[0] != f"if {test}:":
        return
    text = before[at].partition(" = ")[2]
    names = set(NAMES.findall(text))
    between = before[at + 1 :]
    changed = {name for line in between for name in NAMES.findall(line.partition(" = ")[0])}
    if PLAIN.fullmatch(text) and all(" = " in line for line in between) and not names & changed:
        branch[0] = f"if {text}:"
        del before[at]


def _is_closed(text: str) -> bool:
    """Whether the first parenthesis is closed by the last character."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return i == len(text) - 1
    return False
