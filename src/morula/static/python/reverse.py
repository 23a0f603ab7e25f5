"""The way back through a stretch of statements: what each one adds to the cotangents of what it read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from morula.static.python.complex_numbers import COMPLEX
from morula.static.python.cotangents import Cotangents, bar
from morula.static.python.flow import Flow, is_temporary, passing
from morula.static.python.ir import Append, Compute, Drop, Program
from morula.static.python.memory import Memory
from morula.static.python.slopes import Slopes
from morula.static.python.tidy import handed_on
from morula.static.python.types import Types

__all__ = ["Lines", "WayBack", "bar"]

Lines = list[str]


class WayBack:
    """The part of an `emit.Emitter` that goes back through statements that nothing interrupts."""

    program: Program
    types: Types
    flow: Flow
    slopes: Slopes
    memory: Memory
    arrays: set[str]
    fresh: Callable[[str], str]
    replaced: dict[int, str]  # by the identity of what takes a row out of a list: what holds the row's cotangent
    _keep: Callable[[str, str], None]

    def _way_back(self, steps: list[Any], env: dict, own: dict, value: Any, shadow: Any, shadows: dict) -> Lines:
        written = [var for var in env if var in self.flow.active and var not in self.memory]
        back = Cotangents(self, own, written)
        self._begin_at_end(back, env, own, written)
        for s in reversed(steps):
            if not isinstance(s, Compute):
                if s.array in self.flow.active:
                    self._write_back(s, shadow, value, back)
            elif s.target in self.memory:
                if s.target in self.flow.active:
                    self._make_back(s, shadow, value, back)
            elif s.target in self.flow.active and s.target in back.has:
                self._step_back(s, shadow, value, back)
        return self._tidied(back, shadows)

    def _begin_at_end(self, back: Cotangents, env: dict, own: dict, written: list[str]) -> None:
        """What the variables hold at the end takes over their cotangents; those of older values do so last."""
        later: list[tuple[str, str]] = []
        for var in written:
            atom = env[var]
            if atom in self.flow.active and atom in own:
                back.add(atom, self._fitting(atom, var, bar(var)))
            elif atom in self.flow.active:
                moved = self.fresh("w")
                back.lines.append((moved, "=", bar(var)))
                later.append((atom, self._fitting(atom, var, moved)))
        for atom, moved in later:
            back.add(atom, moved)

    def _fitting(self, atom: str, var: str, text: str) -> str:
        """What is sent to a number from a variable, which may be a complex one elsewhere."""
        return f"({text}).real" if self.types[var] & COMPLEX and not self.types[atom] & COMPLEX else text

    def _step_back(self, s: Compute, shadow: Any, value: Any, back: Cotangents) -> None:
        """The way back of one operation that has a cotangent."""
        z, lines = s.target, back.lines
        if s.op == "index":
            if s.args[0] in self.flow.active:
                place = shadow(s.args[0]) + "".join([f"[{value(i)}]" for i in s.args[1:]])
                if z in self.program.shapes:  # others may have the same array for a cotangent
                    back.whole(z)
                    lines.append((place, "=", f"{place} + {bar(z)}"))
                else:
                    lines.append((place, "+=", bar(z)))
        elif s.op == "packed":
            back.whole(z)
            add_to = "plus" if self.memory.ndim[s.args[0]] == 1 else "plus_rows"
            lines.append(("_", "=", f"{add_to}({shadow(s.args[0])}, ({bar(z)}).tolist())"))
        elif s.op == "numpy":
            self._numpy_back(s, shadow, value, back)
        else:
            back.whole(z)  # what hands it on to another array knows nothing of shapes
            for atom, text in self.slopes.terms(s, bar(z), value, lambda a: a in self.flow.active):
                if atom in self.memory and atom in self.flow.active:
                    lines.append(("_", "=", f"plus_each({shadow(atom)}, {text})"))
                else:
                    back.add(atom, text)
        if z in self.flow.escaping:
            lines.append((bar(z), "=", self.zero(z)))

    def _tidied(self, back: Cotangents, shadows: dict) -> Lines:
        """The lines, without what they hand on under another name."""
        lines = [*back.lines, *[(bar(var), "=", self.zero(var)) for var in sorted(back.unset)]]
        lasting = {target for target, *_ in lines if target[0] != "w" and not is_temporary(target.removeprefix("d_"))}
        lasting |= {target for target, *_ in lines if target.removeprefix("d_") in self.flow.escaping}
        return [f"{target} {op} {text}" for target, op, text in handed_on(lines, lasting, set(shadows.values()))]

    def _numpy_back(self, s: Compute, shadow: Any, value: Any, back: Cotangents) -> None:
        """The way back of a call to NumPy."""
        z = s.target
        terms = [(a, t) for a, t in zip(s.args, s.f.terms, strict=True) if t is not None and a in self.flow.active]
        if any(not t.of_number for _, t in terms) or s.f.prelude:
            back.whole(z)
        is_number = z in back.numbers
        texts = _Texts(s, value, bar(z))
        if s.f.prelude:
            texts.prelude = self.fresh("w")
            back.lines.append((texts.prelude, "=", s.f.prelude.format_map(texts)))
        for a, t in terms:
            if a in self.memory:
                texts["s"] = shadow(a)
                back.lines.append(("_", "=", t.text.format_map(texts)))
                continue
            one = t.is_number or (is_number and t.of_number == "number")
            back.add(a, t.text.format_map(texts), t.index.format_map(texts), one and a in self.program.shapes)

    def zeros(self, atoms: Iterable[str]) -> Lines:
        """Lines that begin cotangents."""
        by: dict[str, list[str]] = {}
        for a in atoms:
            by.setdefault(self.zero(a), []).append(bar(a))
        return [f"{' = '.join(bars)} = {zero}" for zero, bars in by.items()]

    def zero(self, atom: str) -> str:
        """The text of a cotangent that nothing has been added to."""
        return self.program.zeros(self.program.shapes[atom]) if atom in self.program.shapes else self.program.zero

    def _has_shadow(self, atom: str) -> bool:
        return atom in self.memory and atom in self.flow.active

    def _write_back(self, s: Any, shadow: Any, value: Any, back: Cotangents) -> None:
        """The cotangent of what was written is the element's; that of what it was before is another one."""
        if isinstance(s, Drop):
            taken = self._row_taken(s) if self.memory.ndim[s.array] == 2 else "NOTHING"
            at = f"append({taken})" if s.at == "(-1)" else f"insert({value(s.at)}, {taken})"
            back.lines.append(("_", "=", f"{shadow(s.array)}.{at}"))
            return
        if isinstance(s, Append):
            taken = self.fresh("w")
            at = "0" if s.start else ""
            is_row = s.value in self.memory  # whose cotangent is the very one that it has there
            back.lines.append(("_" if is_row else taken, "=", f"{shadow(s.array)}.pop({at})"))
            if not is_row:
                back.add(s.value, taken)
            return
        if s.value in self.memory:
            back.lines.append((f"{shadow(s.array)}[{value(s.index[0])}]", "=", self._row_taken(s)))
            return
        place = shadow(s.array) + "".join([f"[{value(i)}]" for i in s.index])
        nothing = "NOTHING" if self.memory.kind(s.array) is list else self.program.zero
        if s.value in self.flow.active:
            taken = self.fresh("w")
            back.lines.append((taken, "=", place))
            back.lines.append((place, "=", nothing))
            back.add(s.value, taken)
        else:
            back.lines.append((place, "=", nothing))

    def _row_taken(self, s: Any) -> str:
        """The name of the cotangent of a row that a list has no more: the list gets it back."""
        self.replaced[id(s)] = name = self.fresh("k")
        self._keep(name, name)
        return name

    def _make_back(self, s: Compute, shadow: Any, value: Any, back: Cotangents) -> None:
        active = [a for a in passing(s) if a in self.flow.active]
        if not active or s.op in ("row", "part", "copy", "bound"):
            return
        z = shadow(s.target)
        if s.op == "copied":
            add_to = "plus" if self.memory.ndim[s.target] == 1 else "plus_rows"
            back.lines.append(("_", "=", f"{add_to}({shadow(s.args[0])}, {z})"))
        elif s.op == "sliced":
            places = ", ".join(map(value, s.args[1:]))
            back.lines.append(("_", "=", f"plus_slice({shadow(s.args[0])}, slice({places}), {z})"))
        elif s.op == "reversed":
            back.lines.append(("_", "=", f"plus_slice({shadow(s.args[0])}, slice(None, None, -1), {z})"))
        elif s.op == "joined":
            n = self.fresh("w")  # where the second list begins: cotangents are as long as the lists were then
            is_first = s.args[0] in active
            length = f"len({shadow(s.args[0])})" if is_first else f"len({z}) - len({shadow(s.args[1])})"
            back.lines.append((n, "=", length))
            for a, ends in zip(s.args, (f"None, {n}", f"{n}, None"), strict=True):
                if a in active:
                    back.lines.append(("_", "=", f"plus_slice({shadow(a)}, slice(None), {z}[slice({ends})])"))
        elif s.op == "listed":
            back.add(s.args[0], f"array({z})")
        elif s.op == "new":
            back.add(s.args[0], f"sum({z})" if len(s.args) == 2 else f"sum(map(sum, {z}))")
        else:
            for i, a in enumerate(s.args):
                if a in active:
                    back.add(a, f"{z}[{i}]")


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
