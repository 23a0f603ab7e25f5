"""Random plain programs whose variables, attributes and results hold one constant or another: names of states, say."""

from __future__ import annotations

from typing import Any

from . import plain

HELPERS = """
from enum import Enum
class Kind(Enum):
    A = 1
    B = 2
    C = 3
RATES = {'a': 0.3, 'b': -0.7, 'c': 0.1}
NEXT = {'a': 'b', 'b': 'c', 'c': 'a'}
class Machine:
    def __init__(self, x, state='a'):
        self.x, self.state, self.kind = x, state, Kind.A
    def step(self, h):
        if self.state == 'a':
            self.x += h
            if self.x > 0.5: self.state = 'b'
        elif self.state in ('b', 'c'):
            self.x *= 0.5
            self.state = NEXT[self.state]
        if self.kind is Kind.A and h > 0.2:
            self.kind = Kind.B
        elif self.kind is not Kind.C:
            self.kind = Kind.C if self.x < h else Kind.A
        return self.state
"""
NAMES = ("'a'", "'b'", "'c'")
MEMBERS = ("Kind.A", "Kind.B", "Kind.C")


class Writer(plain.Writer):
    """Writes them: `g` is a text, `k` a member of an enumeration, `w` a text or None, `o` a machine."""

    def __init__(self, rng: Any):
        super().__init__(rng)
        self.is_inside = False  # the program itself, and no helper
        self.objects, self.of_floats = False, True

    def number(self, names: list[str], depth: int = 3) -> str:
        """Numbers of Python's more often than not: of others there is no static adjoint if they are sometimes such."""
        for _ in range(6):
            found = super().number(names, min(depth, 2))
            if not any(numpy in found for numpy in ("A", "a[", "B[", "np.", "%", "True", "r0", "**")):
                return found
        return self.atom(names)

    def of_arrays(self, names: list[str]) -> list[str]:
        return ["x = x * 0.5"]

    def inner_functions(self, names: list[str]) -> list[str]:
        return []

    def program(self) -> str:
        source = super().program()
        names = ["x"]
        lines = [f"if {self.test(names)}: return {self.pick(*NAMES)}", *self.statement(names, 0, 0, 1),
                 f"return {self.pick(*NAMES)} if {self.test(names)} else {self.pick(*NAMES)}"]  # fmt: skip
        helper = "\n".join(["def s0(x):", *["    " + line for line in lines], ""])
        head, _, body = source.replace(plain.HEAD, plain.HEAD + HELPERS).partition("\ndef program(")
        first, _, rest = body.partition("\n")
        start = [
            "p, q, r, s = 0.5, x, 0.2, -0.3",
            "g, k, w, o = 'a', Kind.A, None, Machine(0.3)",
            "d = {'a': x, 'b': 0.2, 'c': 0.5}",
        ]
        inner = "\n".join("    " + line for line in start)
        return f"{head}\n{helper}def program({first}\n{inner}\n{rest}"

    def asked(self) -> str:
        """A test of a constant."""
        return self.pick(f"g == {self.pick(*NAMES)}", f"g != {self.pick(*NAMES)}", f"k is {self.pick(*MEMBERS)}",
                         f"k == {self.pick(*MEMBERS)}", "w is None", f"w == {self.pick(*NAMES)}", "g in ('a', 'c')",
                         f"o.state == {self.pick(*NAMES)}", "o.kind is Kind.B", "g == o.state", "g not in ('b',)",
                         "w is not None and g == 'b'", "g in RATES")  # fmt: skip

    def statement(self, names: list[str], depth: int, loops: int, values: int) -> list[str]:
        if not self.is_inside or depth == 0 or self.rng.random() < 0.55:
            return super().statement(names, depth, loops, values)
        x = self.number(names, 1)
        kind = self.rng.randrange(7)
        if kind < 2:
            body = self.block(names, depth - 1, loops, values)
            return [f"if {self.asked()}:", *["    " + line for line in body]]
        if kind == 2:
            return [self.pick(f"g = {self.pick(*NAMES)}", "g = NEXT[g]", f"g = s0({x})", "g = o.state",
                              "g = o.step(0.3)", f"g = {self.pick(*NAMES)} if {self.test(names)} else g")]  # fmt: skip
        if kind == 3:
            return [self.pick(f"k = {self.pick(*MEMBERS)}", "k = o.kind", f"w = {self.pick('None', *NAMES)}", "w = g",
                              f"k = Kind.B if {self.asked()} else k")]  # fmt: skip
        if kind == 4:
            return [self.pick(f"o.step({x})", f"o.state = {self.pick('g', *NAMES)}", "x = x + o.x", "o.x -= 0.1 * x")]
        if kind == 5:
            return [self.pick("x = x * RATES[g]", "x += d[g]", f"d[g] = {x}", "d[g] += x", "x += RATES[o.state]")]
        return [f"x = x {self.pick('+', '*')} (0.5 if {self.asked()} else {x})"]

    def function(self, name: str, parameters: list[str], values: int, depth: int) -> str:
        self.is_inside = name == "program"
        found = super().function(name, parameters, values, depth)
        self.is_inside = False
        return found
