"""The text of a function that gives value and gradient: the program forward, then its statements in reverse.

What the way back reads of a turn of a loop is kept in one tuple, on a list that belongs to that run of the loop;
outside loops the variables themselves are still there. A stretch of statements that nothing interrupts computes into
temporaries and assigns the program's variables at its end, so that until then they are what they were at its start.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Any

import numpy as np

from morula.static.python.complex_numbers import COMPLEX, TAKEN_APART
from morula.static.python.flow import Flow, is_temporary, local, segments
from morula.static.python.forward import SIGNS, WayThere, asked_inside
from morula.static.python.ir import (
    CHANGES,
    Append,
    Attempt,
    Block,
    Branch,
    Compute,
    Drop,
    Fail,
    Invoke,
    Loop,
    Program,
    Set,
    Store,
    Sub,
    Unsupported,
    atoms_of,
    is_name,
    walk,
)  # fmt: skip
from morula.static.python.plain_classes import dataclass
from morula.static.python.reverse import Lines, bar
from morula.static.python.slopes import Slopes
from morula.static.python.sums import compensated
from morula.static.python.types import COMPARISONS, Types
from morula.static.python.unsupported import OfTwoKinds, Undecided

__all__ = ["Emitter", "indented"]


@dataclass()
class Frame:
    """One turn of a loop, one call of a function, or the program.

    Attributes:
        of: None for the program.
        kept: what the way back reads, ``(what it is when the turn ends, its name then)``.
    """

    of: Loop | Sub | None
    changed: set[str]
    kept: dict[str, str] = field(default_factory=dict)

    def packed(self) -> tuple[str, str]:
        """The text of what is kept, and that of the names that it has on the way back."""
        kept, names = list(self.kept.values()) or ["0"], list(self.kept) or ["_"]
        return kept[0] if len(kept) == 1 else f"({', '.join(kept)})", ", ".join(names)


OF_MATH = "(Raised, LookupError, ValueError, OverflowError)"  # others may be none of the program's there
SILENT = COMPARISONS | {"add", "sub", "mul", "neg", "pos", "copy", "plain", "element", "index"}


class Emitter(WayThere):
    def __init__(self, program: Program, types: Types, flow: Flow, slopes: Slopes):
        self.program, self.types, self.flow, self.slopes = program, types, flow, slopes
        self.memory = flow.memory
        self.frames = [Frame(None, set())]
        self.count = 0
        self.depth = 0  # of branches inside the frame
        self.trying = False  # whether exceptions are caught: then operations stay in order
        self.perhaps: set[str] = set()  # names that a turn keeps though its path may not set them
        self.replaced: dict[int, str] = {}
        self.arrays = {i.array for i in program.inputs if i.array}
        self.going_back: set[int] | None = None  # the functions that have a way back, by their identities
        reads = Counter(a for s in program.statements() for a in atoms_of(s))
        handed = {*program.results, *[r for s in program.subs for r in s.results]}
        self.read_once = {a for a, n in reads.items() if n == 1 and is_temporary(a)} - handed
        self.as_numpy: set[str] = set()  # variables of which it is noted whether they would be NumPy's numbers

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # -- blocks -------------------------------------------------------------------------------------------

    def block(self, block: Block) -> tuple[Lines, Lines]:
        """The lines forward, and those of the way back."""
        forward: Lines = []
        parts: list[Lines] = []
        run: list[Any] = []
        for part in [*segments(block), None]:
            if isinstance(part, list):
                run = part
                continue
            asked = self._asked(part)
            there, back = self.stretch(run, asked)
            run = []
            forward += there
            parts.append(back)
            if part is not None:
                there, back = getattr(self, f"_{type(part).__name__}")(part)
                if isinstance(part, Branch) and there and not back and part.test in self.read_once:
                    asked_inside(part.test, forward, there)
                forward += there
                parts.append(back)
        return forward, [line for part in reversed(parts) for line in part]

    def _asked(self, part: Any) -> list[str]:
        if isinstance(part, Branch):
            return [part.test]
        return list(part.args) if isinstance(part, Loop | Invoke) else []

    def _Fail(self, s: Fail) -> tuple[Lines, Lines]:
        return [f"raise Raised({s.kind})" if s.kind and self.trying else "raise Failed"], []

    def _Attempt(self, s: Attempt) -> tuple[Lines, Lines]:
        self.depth += 1
        is_exact, is_of_math = self._is_caught(s), self._raises_by_math(s)
        is_raised = any(isinstance(x, Fail) and x.kind for x in walk(s.body))
        outer, self.trying = self.trying, is_exact or is_of_math or is_raised
        body, back = self.block(s.body)
        self.trying = outer
        self.depth -= 1
        forward = [f"{s.test} = 0", *body]
        if is_exact or is_of_math or is_raised:
            handlers = f"({', '.join(s.handlers)},)"
            caught = f"    {s.test} = caught(error, {handlers})"
            kind = "Exception" if is_exact else OF_MATH if is_of_math else "Raised"
            forward = [f"{s.test} = 0", "try:", *indented(body or ["pass"]), f"except {kind} as error:", caught]
        if not back:
            return forward, []
        flag, after = self._kept(s.test)
        return [*forward, *after], [f"if not {flag}:", *indented(back)]

    def _is_caught(self, s: Attempt) -> bool:
        """Whether the text raises what the program would: for Python's numbers and containers, step by step."""
        return _is_simple(s) and all(map(self._is_of_python, _computed(s)))

    def _raises_by_math(self, s: Attempt) -> bool:
        """Whether all that raises in the program is computed with Python's numbers, or by functions of `math`."""
        return _is_simple(s) and all(self._is_of_python(x) or _is_of_math(x) for x in _computed(s))

    def _is_of_python(self, s: Compute) -> bool:
        return all(not is_name(a) or self.types[a] <= {"float", "int", "bool"} for a in (*s.args, s.target))

    def _Branch(self, s: Branch) -> tuple[Lines, Lines]:
        self.depth += 1
        body, body_back = self.block(s.body)
        other, other_back = self.block(s.orelse)
        self.depth -= 1
        forward = (
            ([f"if {s.test}:", *indented(body or ["pass"])] + (["else:", *indented(other)] if other else []))
            if (body or other)
            else []
        )
        if not body_back and not other_back:
            return forward, []
        flag = s.test
        if is_name(flag):
            flag, before = self._kept(flag)
            forward = before + forward
        back = [f"if {flag}:", *indented(body_back or ["pass"])]
        return forward, back + (["else:", *indented(other_back)] if other_back else [])

    def _Loop(self, s: Loop) -> tuple[Lines, Lines]:
        if s.var in self.flow.active:
            raise Unsupported("a variable of a loop that holds something else, too")
        frame, body, back = self._framed(s)
        head = "while True:" if s.var is None else f"for {s.var} in range({', '.join(s.args)}):"
        leave = [f"if {s.exit}:", "    break"] if s.exit else []
        if not back:
            return [head, *indented(body + leave or ["pass"])], []
        turns, push = self.fresh("turns"), self.fresh("push")
        what, names = frame.packed()
        forward = [f"{turns} = []", f"{push} = {turns}.append", head, *indented([*body, f"{push}({what})", *leave])]
        self._keep(turns, turns)
        return forward, [f"for {names} in reversed({turns}):", *indented(back)]

    def _framed(self, s: Loop | Sub) -> tuple[Frame, Lines, Lines]:
        frame = Frame(s, self.flow.changed[id(s)])
        self.frames.append(frame)
        depth, self.depth = self.depth, 0
        body, back = self.block(s.body)
        self.depth = depth
        self.frames.pop()
        return frame, body, back

    # -- functions that call themselves -------------------------------------------------------------------

    def _Invoke(self, s: Invoke) -> tuple[Lines, Lines]:
        there = f"{s.sub.name}({', '.join(s.args)})"
        targets = ", ".join(s.targets)
        if not self._is_active(s.sub):
            return [f"{targets} = {there}" if targets else there], []  # it may return None
        tape = self.fresh("tape")
        self._keep(tape, tape)
        bars = [bar(t) if t in self.flow.active else self.program.zero for t in s.targets]
        pairs = [(a, p) for a, p in zip(s.args, s.sub.params, strict=True) if p in self.flow.active]
        sent = [self.fresh("w") if a in self.flow.active else "_" for a, _ in pairs]
        back = [f"{', '.join(sent)} = " if sent else "", f"{s.sub.name}_back({', '.join([tape, *bars])})"]
        lines = ["".join(back)]
        lines += [f"{b} = {self.program.zero}" for t, b in zip(s.targets, bars, strict=True) if t in self.flow.active]
        lines += [f"{bar(a)} += {w}" for (a, _), w in zip(pairs, sent, strict=True) if w != "_"]
        return [f"{tape}, {targets} = {there}"], lines

    def _is_active(self, sub: Sub) -> bool:
        """Whether there is a way back: for what the function returns, or for what it puts into lists of the text."""
        if self.going_back is None:
            self.going_back = {id(s) for s in self.program.subs if self._begins_back(s)}
            while more := {id(s) for s in self.program.subs if self._calls_any(s, self.going_back)} - self.going_back:
                self.going_back |= more
        return id(sub) in self.going_back

    def _begins_back(self, sub: Sub) -> bool:
        return any(r in self.flow.active for r in sub.results) or any(
            isinstance(s, CHANGES) and s.array in self.flow.active for s in walk(sub.body)
        )

    def _calls_any(self, sub: Sub, found: set[int]) -> bool:
        return any(isinstance(s, Invoke) and id(s.sub) in found for s in walk(sub.body))

    def functions(self) -> Lines:
        """The text of functions that call themselves: one that gives a tape and the results, one that goes back."""
        lines: Lines = []
        for sub in self.program.subs:
            outer, self.perhaps = self.perhaps, set()
            frame, body, back = self._framed(sub)
            unset, self.perhaps = self.perhaps, outer
            own, results = local(sub, self.flow), ", ".join(sub.results)
            if unset:
                body.insert(0, f"{' = '.join(sorted(unset))} = None")
            packed, names = frame.packed()
            is_active = self._is_active(sub)
            lines += [f"def {sub.name}({', '.join(sub.params)}):", *indented(body)]
            lines.append(f"    return {packed if is_active else ''}{', ' * is_active}{results}")
            if not is_active:
                continue
            active = sorted(self.flow.active & own - set(sub.results))
            zeros = [a for a in active if not is_temporary(a) or a in self.flow.escaping]
            outside = [bar(a) for a in sorted(self.flow.active - own) if self._is_written(bar(a), back)]
            bars = ", ".join(bar(p) for p in sub.params if p in self.flow.active)
            lines.append(f"def {sub.name}_back(tape, {', '.join(map(bar, sub.results))}):")
            lines += indented([f"nonlocal {', '.join(outside)}"] if outside else [])
            lines += indented([f"{names} = tape", *self.zeros(zeros), *back])
            lines.append(f"    return {bars}")
        return lines

    def _is_written(self, name: str, lines: Lines) -> bool:
        starts = (f"{name} =", f"{name} +=", f"{name} -=")
        return any(line.lstrip().startswith(starts) for line in lines)

    # -- what is kept -------------------------------------------------------------------------------------

    def _keep(self, name: str, now: str) -> None:
        frame = self.frames[-1]
        if frame.of is not None:
            frame.kept[name] = now
            if self.depth and name == now:
                self.perhaps.add(name)

    def _kept(self, atom: str, what: str = "") -> tuple[str, Lines]:
        """The name of an atom's present value on the way back, or of `what` goes with it; the lines that see to it."""
        what = what or atom
        if not is_name(atom) or atom in self.flow.constant:  # which is there on the way back, too
            return what, []
        frame = self.frames[-1]
        if is_temporary(atom) and not self._is_from_outside(atom):
            self._keep(what, what)
            return what, []
        if frame.of is not None and atom not in frame.changed:
            name = f"k_{what}"
            self._keep(name, what)
            return name, []
        name = self.fresh("k")
        self._keep(name, name)
        return name, [f"{name} = {what}"]

    def _is_from_outside(self, atom: str) -> bool:
        """Whether a temporary is none of the function's that is written, but of the one around it."""
        return any(isinstance(f.of, Sub) and atom not in local(f.of, self.flow) for f in self.frames)

    # -- a stretch of statements ----------------------------------------------------------------------------

    def stretch(self, run: list[Any], asked: list[str]) -> tuple[Lines, Lines]:
        env: dict[str, str] = {}
        steps: list[Any] = []
        for s in run:
            if isinstance(s, Set):
                env[s.var] = env.get(s.value, s.value)
                continue
            now = {a: env.get(a, a) for a in atoms_of(s)}
            if isinstance(s, Compute):
                steps.append(Compute(s.target, s.op, tuple([now[a] for a in s.args]), s.f))
            elif isinstance(s, Store):
                steps.append(Store(now[s.array], tuple([now[i] for i in s.index]), now[s.value]))
            elif isinstance(s, Append):
                steps.append(Append(now[s.array], now[s.value], s.start, tuple([now[x] for x in s.unlike])))
            else:
                steps.append(Drop(now[s.array], now[s.at], tuple([now[x] for x in s.unlike])))
        env = {var: atom for var, atom in env.items() if var in self.flow.live and atom != var}
        own = {s.target: s for s in steps if isinstance(s, Compute)}
        names: dict[str, str] = {}
        shadows: dict[str, str] = {}
        before: Lines = []

        def value(atom: str) -> str:
            if atom not in names:
                names[atom], lines = self._kept(atom)
                before.extend(lines)
            return names[atom]

        def shadow(array: str) -> str:
            if array not in shadows:
                shadows[array], lines = self._kept(array, bar(array))
                before.extend(lines)
            return shadows[array]

        back = self._way_back(steps, env, own, value, shadow, shadows)
        noted = self._notes(env, own)
        forward = self._way_there(steps, env, names, asked)
        return [*before, *noted, *forward], back

    # -- the type of the value ------------------------------------------------------------------------------

    def is_numpy(self, atom: str, own: dict) -> str:
        """A text that is true where the program would have a `numpy.float64` for an atom."""
        types = self.types[atom] if is_name(atom) else frozenset()
        if "np.int64" in types and len(types) > 1:
            raise OfTwoKinds("a value that is sometimes one of NumPy's integers")
        if types & COMPLEX:  # of which the text has what the program has
            return "False"
        if types == {"np.float64"} or "np.float64" not in types:
            return str("np.float64" in types)
        if atom not in own:
            if is_temporary(atom):
                chosen = next(
                    (s for s in self.program.statements() if isinstance(s, Compute) and s.target == atom), None
                )
                if chosen is None or chosen.op != "chosen":
                    raise OfTwoKinds("a value that is sometimes one of NumPy's numbers")
                return self.is_numpy(chosen.args[0], own)  # a variable that nothing else is assigned to
            if any(isinstance(frame.of, Sub) for frame in self.frames):
                raise OfTwoKinds("a recursive function of numbers that are sometimes NumPy's")
            self.as_numpy.add(atom)
            return f"n_{atom}"
        s = own[atom]
        if s.f in (max, min):
            raise Undecided("a value that is sometimes one of NumPy's numbers")
        if (
            s.op not in SIGNS
            and s.op not in ("copy", "bound", "plain", "chosen", "sum", "neg", "pos")
            and s.f not in (abs, compensated, *TAKEN_APART.values())
        ):
            raise OfTwoKinds("a value that is sometimes one of NumPy's numbers")
        found = {self.is_numpy(a, own) for a in (s.args[:1] if s.op == "chosen" else s.args)}
        return "True" if "True" in found else " or ".join(sorted(found - {"False"})) or "False"

    def _notes(self, env: dict, own: dict) -> Lines:
        noted = {var: self.is_numpy(atom, own) for var, atom in env.items() if var in self.as_numpy}
        if not noted:
            return []
        return [f"{', '.join(f'n_{v}' for v in noted)} = {', '.join(noted.values())}"]


def indented(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]


def _computed(s: Attempt) -> list[Compute]:
    return [x for x in walk(s.body) if isinstance(x, Compute)]


def _is_simple(s: Attempt) -> bool:
    """Whether nothing is called under a ``try`` but functions of numbers, and what asks or changes containers."""
    return not any(isinstance(x, Invoke) for x in walk(s.body)) and not any(map(_raises_otherwise, _computed(s)))


def _raises_otherwise(s: Compute) -> bool:
    """Whether what stands for a step may raise something else than the program does."""
    is_alike = s.op != "numpy" or s.f.raises_alike
    return not is_alike or s.f is np.ndarray or s.op == "order" or (s.op == "new" and len(s.args) == 3)


def _is_of_math(s: Compute) -> bool:
    """Whether an operation raises what the program's does with NumPy's floats, which the text has as Python's: none."""
    is_alike = s.op == "numpy" and s.f.raises_alike
    return is_alike or s.op in SILENT or (s.op == "call" and getattr(s.f, "__module__", "") == "math")
