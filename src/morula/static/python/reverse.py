"""The way back through a stretch of statements: what each one adds to the cotangents of what it read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from morula.static.python.flow import Flow, is_temporary, passing
from morula.static.python.ir import Append, Compute, Drop, Program
from morula.static.python.memory import Memory
from morula.static.python.slopes import Slopes
from morula.static.python.tidy import Line, handed_on, is_fresh
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
                whole(z)  # what hands it on to another array knows nothing of shapes
                terms = self.slopes.terms(s, bar(z), value, lambda a: a in active)
                for atom, text in terms:
                    if atom in self.memory and atom in active:
                        lines.append(("_", "=", f"plus_each({shadow(atom)}, {text})"))
                    else:
                        add(atom, text)
            if z in escaping:
                lines.append((bar(z), "=", self.zero(z)))
        lines += [(bar(var), "=", self.zero(var)) for var in sorted(unset)]
        lasting = {target for target, *_ in lines if target[0] != "w" and not is_temporary(target.removeprefix("d_"))}
        lasting |= {target for target, *_ in lines if target.removeprefix("d_") in escaping}
        return [f"{target} {op} {text}" for target, op, text in handed_on(lines, lasting, set(shadows.values()))]

    def _numpy_back(self, s: Compute, value: Any, add: Any, whole: Any, numbers: set[str], lines: list[Line]) -> None:
        """The way back of a call to NumPy."""
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
        return self.program.zeros(self.program.shapes[atom]) if atom in self.program.shapes else self.program.zero

    def _has_shadow(self, atom: str) -> bool:
        return atom in self.memory and atom in self.flow.active

    def _write_back(self, s: Any, shadow: Any, value: Any, add: Any, lines: list[Line]) -> None:
        """The cotangent of what was written is the element's; that of what it was before is another one."""
        if isinstance(s, Drop):
            back = self._row_taken(s) if self.memory.ndim[s.array] == 2 else "NOTHING"
            at = f"append({back})" if s.at == "(-1)" else f"insert({value(s.at)}, {back})"
            lines.append(("_", "=", f"{shadow(s.array)}.{at}"))
            return
        if isinstance(s, Append):
            taken = self.fresh("w")
            at = "0" if s.start else ""
            is_row = s.value in self.memory  # whose cotangent is the very one that it has there
            lines.append(("_" if is_row else taken, "=", f"{shadow(s.array)}.pop({at})"))
            if not is_row:
                add(s.value, taken)
            return
        if s.value in self.memory:
            lines.append((f"{shadow(s.array)}[{value(s.index[0])}]", "=", self._row_taken(s)))
            return
        place = shadow(s.array) + "".join([f"[{value(i)}]" for i in s.index])
        nothing = "NOTHING" if self.memory.kind(s.array) is list else self.program.zero
        if s.value in self.flow.active:
            taken = self.fresh("w")
            lines.append((taken, "=", place))
            lines.append((place, "=", nothing))
            add(s.value, taken)
        else:
            lines.append((place, "=", nothing))

    def _row_taken(self, s: Any) -> str:
        """The name of the cotangent of a row that a list has no more: the list gets it back."""
        self.replaced[id(s)] = name = self.fresh("k")
        self._keep(name, name)
        return name

    def _make_back(self, s: Compute, shadow: Any, value: Any, add: Any, lines: list[Line]) -> None:
        active = [a for a in passing(s) if a in self.flow.active]
        if not active or s.op in ("row", "part", "copy", "bound"):
            return
        z = shadow(s.target)
        if s.op == "copied":
            add_to = "plus" if self.memory.ndim[s.target] == 1 else "plus_rows"
            lines.append(("_", "=", f"{add_to}({shadow(s.args[0])}, {z})"))
        elif s.op == "sliced":
            places = ", ".join(map(value, s.args[1:]))
            lines.append(("_", "=", f"plus_slice({shadow(s.args[0])}, slice({places}), {z})"))
        elif s.op == "reversed":
            lines.append(("_", "=", f"plus_slice({shadow(s.args[0])}, slice(None, None, -1), {z})"))
        elif s.op == "joined":
            n = self.fresh("w")  # where the second list begins: cotangents are as long as the lists were then
            is_first = s.args[0] in active
            lines.append((n, "=", f"len({shadow(s.args[0])})" if is_first else f"len({z}) - len({shadow(s.args[1])})"))
            for a, ends in zip(s.args, (f"None, {n}", f"{n}, None"), strict=True):
                if a in active:
                    lines.append(("_", "=", f"plus_slice({shadow(a)}, slice(None), {z}[slice({ends})])"))
        elif s.op == "listed":
            add(s.args[0], f"array({z})")
        elif s.op == "new":
            add(s.args[0], f"sum({z})" if len(s.args) == 2 else f"sum(map(sum, {z}))")
        else:
            for i, a in enumerate(s.args):
                if a in active:
                    add(a, f"{z}[{i}]")


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
