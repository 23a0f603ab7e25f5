"""The text of a function that gives value and gradient: the program forward, then its statements in reverse.

What the way back reads of a turn of a loop is kept in one tuple, on a list that belongs to that run of the loop;
outside of loops the variables themselves are still there. A stretch of statements that nothing interrupts computes into
temporaries and assigns the program's variables at its end, so that until then they are what they were at its start.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from morula.static.python.flow import Flow, is_temporary, local, passing, segments
from morula.static.python.ir import (
    Append,
    Block,
    Branch,
    Compute,
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
)  # fmt: skip
from morula.static.python.memory import MAKING
from morula.static.python.slopes import Slopes
from morula.static.python.tidy import Line, handed_on, is_fresh
from morula.static.python.types import COMPARISONS, Types

__all__ = ["Emitter", "Lines", "bar", "indented"]

SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**", "mod": "%", "floordiv": "//"}
Lines = list[str]


@dataclass
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


class Emitter:
    def __init__(self, program: Program, types: Types, flow: Flow, slopes: Slopes):
        self.program, self.types, self.flow, self.slopes = program, types, flow, slopes
        self.memory = flow.memory
        self.frames = [Frame(None, set())]
        self.count = 0
        self.depth = 0  # of branches inside the frame
        self.perhaps: set[str] = set()  # names that a turn keeps though its path may not set them
        self.arrays = {i.array for i in program.inputs if i.array}
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
                forward += there
                parts.append(back)
        return forward, [line for part in reversed(parts) for line in part]

    def _asked(self, part: Any) -> list[str]:
        if isinstance(part, Branch):
            return [part.test]
        return list(part.args) if isinstance(part, Loop | Invoke) else []

    def _Fail(self, s: Fail) -> tuple[Lines, Lines]:
        return ["raise Failed"], []

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
            return [f"{targets} = {there}"], []
        tape = self.fresh("tape")
        self._keep(tape, tape)
        bars = [bar(t) for t in s.targets]
        pairs = [(a, p) for a, p in zip(s.args, s.sub.params, strict=True) if p in self.flow.active]
        sent = [self.fresh("w") if a in self.flow.active else "_" for a, _ in pairs]
        back = [f"{', '.join(sent)} = " if sent else "", f"{s.sub.name}_back({', '.join([tape, *bars])})"]
        lines = ["".join(back)]
        lines += [f"{b} = 0.0" for t, b in zip(s.targets, bars, strict=True) if t in self.flow.active]
        lines += [f"{bar(a)} += {w}" for (a, _), w in zip(pairs, sent, strict=True) if w != "_"]
        return [f"{tape}, {targets} = {there}"], lines

    def _is_active(self, sub: Sub) -> bool:
        return any(r in self.flow.active for r in sub.results)

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
        if not is_name(atom) or atom in self.flow.constant:
            if is_temporary(atom):
                self._keep(what, what)
            return what, []
        frame = self.frames[-1]
        if is_temporary(atom):
            self._keep(what, what)
            return what, []
        if frame.of is not None and atom not in frame.changed:
            name = f"k_{what}"
            self._keep(name, what)
            return name, []
        name = self.fresh("k")
        self._keep(name, name)
        return name, [f"{name} = {what}"]

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
            else:
                steps.append(Append(now[s.array], now[s.value]))
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

    def _way_there(self, steps: list[Any], env: dict, names: dict, asked: list[str]) -> Lines:
        uses: dict[str, int] = {}
        for s in steps:
            for a in atoms_of(s):
                uses[a] = uses.get(a, 0) + 1
        for atom in env.values():
            uses[atom] = uses.get(atom, 0) + 1
        held = names.keys() | self.flow.escaping | set(asked)
        for s in steps:
            if isinstance(s, Compute) and s.op == "row" and self._has_shadow(s.target):
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
            if s.target not in held and uses.get(s.target, 0) == 1 and not self._has_shadow(s.target):
                texts[s.target] = f"({text})"
                reads[s.target] = set().union(*(reads.get(a, {a}) for a in s.args))
            else:
                lines.append(f"{s.target} = {text}")
                if self._has_shadow(s.target):
                    lines.append(f"{bar(s.target)} = {self._shadow_of(s)}")
        env = env | {bar(v): bar(a) for v, a in env.items() if self._has_shadow(v) and a != "UNBOUND"}
        writes = {var: inside(atom) for var, atom in env.items()}
        mentioned = {var: reads.get(atom, {atom}) for var, atom in env.items()}
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
        if s.op in ("copy", "plain", "element"):
            return args[0]
        if s.op == "sum":
            return f"{self.slopes.named(sum)}(({', '.join(args[1:])},), {args[0]})"
        if s.op == "bound":
            return f"{args[0]} if {args[0]} is not UNBOUND else fail()"
        if s.op == "index":
            return args[0] + "".join([f"[{i}]" for i in args[1:]])
        if s.op == "width":
            return f"len({args[0]}[0])"
        if s.op in MAKING or s.op == "row":
            return self._made(s, args)
        if s.op == "packed":
            return f"array({args[0]})"
        if s.op in ("length", "int", "float"):
            return f"{'len' if s.op == 'length' else s.op}({args[0]})"
        called = f"{self.slopes.named(s.f)}({', '.join(args)})"
        return f"float({called})" if isinstance(s.f, np.ufunc) else called

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

    def _way_back(self, steps: list[Any], env: dict, own: dict, value: Any, shadow: Any, shadows: dict) -> Lines:
        active, escaping = self.flow.active, self.flow.escaping
        lines: list[Line] = []
        shapes, inputs = self.program.shapes, self.arrays
        has = set(own) & escaping  # temporaries with a cotangent
        numbers: set[str] = set()  # arrays whose cotangent is still to be broadcast
        fresh: set[str] = set()  # arrays whose cotangent nobody else has
        later: list[tuple[str, str]] = []
        written = [var for var in env if var in active and var not in self.memory]
        unset = set(written)

        def add(atom: str, text: str, index: str = "", is_number: bool = False) -> None:
            if atom not in active:
                return
            is_first = (atom in own and atom not in has) or atom in unset
            if is_number and (atom in escaping or atom not in own):
                text, is_number = f"{self.zero(atom)} + ({text})", False
            if is_first:
                lines.append((bar(atom), "=", f"at({self.zero(atom)}, {_key(index)}, {text})" if index else text))
                has.add(atom)
                unset.discard(atom)
                if is_number:
                    numbers.add(atom)
                elif atom in shapes and (index or is_fresh(text)):
                    fresh.add(atom)
            elif atom in inputs or (atom in fresh and not is_number):
                place = f"[{index}]" if index else ""
                is_less = text.startswith("-")
                lines.append((bar(atom) + place, "-=" if is_less else "+=", text[is_less:]))
            elif atom in shapes:  # others may have the same array for a cotangent
                if index:
                    whole(atom)
                if index:
                    text = f"plus_at({bar(atom)}, {_key(index)}, {text})"
                else:
                    text = f"{bar(atom)} - {text[1:]}" if text.startswith("-") else f"{bar(atom)} + {text}"
                lines.append((bar(atom), "=", text))
                if not is_number:
                    numbers.discard(atom)
                    fresh.add(atom)
            elif text.startswith("-"):
                lines.append((bar(atom), "-=", text[1:]))
            else:
                lines.append((bar(atom), "+=", text))

        def whole(atom: str) -> None:
            if atom in numbers:
                numbers.discard(atom)
                lines.append((bar(atom), "=", f"{self.zero(atom)} + {bar(atom)}"))

        for var in written:
            atom = env[var]
            if atom in active and atom in own:
                add(atom, bar(var))
            elif atom in active:
                moved = self.fresh("w")
                lines.append((moved, "=", bar(var)))
                later.append((atom, moved))
        for atom, moved in later:
            add(atom, moved)
        for s in reversed(steps):
            if not isinstance(s, Compute):
                if s.array in active:
                    self._write_back(s, shadow, value, add, lines)
                continue
            z = s.target
            if z in self.memory:
                if z in active:
                    self._make_back(s, shadow, value, add, lines)
                continue
            if z not in active or z not in has:
                continue
            if s.op == "index":
                if s.args[0] in active:
                    place = "".join([f"[{value(i)}]" for i in s.args[1:]])
                    lines.append((shadow(s.args[0]) + place, "+=", bar(z)))
            elif s.op == "packed":
                whole(z)
                add_to = "plus" if self.memory.ndim[s.args[0]] == 1 else "plus_rows"
                lines.append(("_", "=", f"{add_to}({shadow(s.args[0])}, ({bar(z)}).tolist())"))
            elif s.op == "numpy":
                self._numpy_back(s, value, add, whole, numbers, lines)
            else:
                terms = self.slopes.terms(s, bar(z), value, lambda a: a in active)
                for atom, text in terms:
                    add(atom, text)
            if z in escaping:
                lines.append((bar(z), "=", self.zero(z)))
        lines += [(bar(var), "=", self.zero(var)) for var in sorted(unset)]
        lasting = {target for target, *_ in lines if target[0] != "w" and not is_temporary(target.removeprefix("d_"))}
        lasting |= {bar(t) for t in escaping}
        return [f"{target} {op} {text}" for target, op, text in handed_on(lines, lasting, set(shadows.values()))]

    # -- arrays ---------------------------------------------------------------------------------------------

    def _numpy_back(self, s: Compute, value: Any, add: Any, whole: Any, numbers: set[str], lines: list[Line]) -> None:
        """The way back of a call of NumPy."""
        z = s.target
        terms = [(a, t) for a, t in zip(s.args, s.f.terms, strict=True) if t is not None and a in self.flow.active]
        if any(not t.of_number for _, t in terms) or s.f.prelude:
            whole(z)
        is_number = z in numbers
        texts = _Texts(s, value, bar(z))
        if s.f.prelude:
            texts.prelude = self.fresh("w")
            lines.append((texts.prelude, "=", s.f.prelude.format_map(texts)))
        for a, t in terms:
            one = t.is_number or (is_number and t.of_number == "number")
            add(a, t.text.format_map(texts), t.index.format_map(texts), one and a in self.program.shapes)

    def zeros(self, atoms: Iterable[str]) -> Lines:
        """Lines that begin cotangents."""
        by: dict[str, list[str]] = {}
        for a in atoms:
            by.setdefault(self.zero(a), []).append(bar(a))
        return [f"{' = '.join(bars)} = {zero}" for zero, bars in by.items()]

    def zero(self, atom: str) -> str:
        """The text of a cotangent that nothing has been added to."""
        return self.program.zeros(self.program.shapes[atom]) if atom in self.program.shapes else "0.0"

    # -- lists ----------------------------------------------------------------------------------------------

    def _has_shadow(self, atom: str) -> bool:
        return atom in self.memory and atom in self.flow.active

    def _made(self, s: Compute, args: list[str]) -> str:
        """What a new list is, or a row."""
        if s.op == "display":
            return f"[{', '.join(args)}]"
        if s.op == "row":
            return args[0] + "".join([f"[{i}]" for i in args[1:]])
        if s.op == "listed":
            return f"{args[0]}.tolist()"
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
        if s.op in ("copy", "bound"):
            return bar(s.args[0])
        is_grid = self.memory.ndim[s.target] == 2
        return f"[[0.0] * len(row) for row in {s.target}]" if is_grid else f"[0.0] * len({s.target})"

    def _written(self, s: Store | Append, given: list[str]) -> Lines:
        array, *index, value = given
        if isinstance(s, Append):
            grown = [f"{bar(s.array)}.append(0.0)"] if self._has_shadow(s.array) else []
            return [f"{array}.append({value})", *grown]
        if not self.types[s.value] <= {"float", "np.float64"} and self.memory.kind(s.array) is not list:
            value = f"float({value})"
        value = value[1:-1] if value.startswith("(") and _is_closed(value) else value
        return [f"{array}{''.join([f'[{i}]' for i in index])} = {value}"]

    def _write_back(self, s: Any, shadow: Any, value: Any, add: Any, lines: list[Line]) -> None:
        """The cotangent of what was written is the element's; that of what it was before is another one."""
        if isinstance(s, Append):
            taken = self.fresh("w")
            lines.append((taken, "=", f"{shadow(s.array)}.pop()"))
            add(s.value, taken)
            return
        place = shadow(s.array) + "".join([f"[{value(i)}]" for i in s.index])
        if s.value in self.flow.active:
            taken = self.fresh("w")
            lines.append((taken, "=", place))
            lines.append((place, "=", "0.0"))
            add(s.value, taken)
        else:
            lines.append((place, "=", "0.0"))

    def _make_back(self, s: Compute, shadow: Any, value: Any, add: Any, lines: list[Line]) -> None:
        active = [a for a in passing(s) if a in self.flow.active]
        if not active or s.op in ("row", "copy", "bound"):
            return
        z = shadow(s.target)
        if s.op == "copied":
            add_to = "plus" if self.memory.ndim[s.target] == 1 else "plus_rows"
            lines.append(("_", "=", f"{add_to}({shadow(s.args[0])}, {z})"))
        elif s.op == "listed":
            add(s.args[0], f"array({z})")
        elif s.op == "new":
            add(s.args[0], f"sum({z})" if len(s.args) == 2 else f"sum(map(sum, {z}))")
        else:
            for i, a in enumerate(s.args):
                if a in active:
                    add(a, f"{z}[{i}]")

    # -- the type of the value ------------------------------------------------------------------------------

    def is_numpy(self, atom: str, own: dict) -> str:
        """A text that is true where the program would have a `numpy.float64` for an atom."""
        types = self.types[atom] if is_name(atom) else frozenset()
        if "np.int64" in types and len(types) > 1:
            raise Unsupported("a value that is sometimes one of NumPy's integers")
        if types == {"np.float64"} or "np.float64" not in types:
            return str("np.float64" in types)
        if atom not in own:
            if is_temporary(atom):
                raise Unsupported("a value that is sometimes one of NumPy's numbers")
            if any(isinstance(frame.of, Sub) for frame in self.frames):
                raise Unsupported("a recursive function of numbers that are NumPy's at times")
            self.as_numpy.add(atom)
            return f"n_{atom}"
        s = own[atom]
        if s.op not in SIGNS and s.op not in ("copy", "bound", "plain", "sum", "neg", "pos") and s.f is not abs:
            raise Unsupported("a value that is sometimes one of NumPy's numbers")
        found = {self.is_numpy(a, own) for a in s.args}
        return "True" if "True" in found else " or ".join(sorted(found - {"False"})) or "False"

    def _notes(self, env: dict, own: dict) -> Lines:
        noted = {var: self.is_numpy(atom, own) for var, atom in env.items() if var in self.as_numpy}
        if not noted:
            return []
        return [f"{', '.join(f'n_{v}' for v in noted)} = {', '.join(noted.values())}"]


def bar(atom: str) -> str:
    """The name of an atom's cotangent: no program has a variable of such a name."""
    return f"d_{atom}"


def _key(index: str) -> str:
    """An index as an argument of a call."""
    return f"key[{index}]"


class _Texts(dict):
    """What the names in the text of a term stand for; a value that is asked for is kept for the way back."""

    prelude = ""

    def __init__(self, s: Compute, value: Any, z: str):
        super().__init__(z=z)
        self.s, self.value = s, value

    def __missing__(self, name: str) -> str:
        if name == "p":
            return self.prelude
        return self.value(self.s.target if name == "y" else self.s.args[int(name[1:])])


def _is_closed(text: str) -> bool:
    """Whether the first parenthesis is closed by the last character."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return i == len(text) - 1
    return False


def indented(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]
