"""Random plain programs of small objects that are replaced as a whole, and written into by any of their names."""

from __future__ import annotations

import random
from typing import Any

HEAD = "import math\n"
CLASSES = """class V:
    def __init__(self, x, y=0.5):
        self.x, self.y = x, y
    def __add__(self, other):
        return V(self.x + other.x, self.y + other.y)
    def __mul__(self, a):
        return V(self.x * a, self.y * a)
    __rmul__ = __mul__
    def size(self):
        return math.hypot(self.x, self.y + 2.5)
    def move(self, h):
        self.x += h
        return self
class Mover:
    def __init__(self, at, v):
        self.at, self.v, self.old = at, v, None
        self.frame = Frame(at)
    def step(self, h):
        self.at = self.at + h * self.v
        if self.at.x > 1.0:
            self.v = self.v * 0.5
class Frame:
    def __init__(self, origin):
        self.origin, self.scale = origin, 0.7
"""


class VectorWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.is_written = rng.random() < 0.5  # whether objects change in place, too
        self.is_inside = rng.random() < 0.3  # whether the program makes the classes
        self.vectors = ["u", "w", "b.at", "b.v", "c.at", "vs[0]", "vs[1]", "d['k']", "b.frame.origin"]

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def number(self, depth: int = 1) -> str:
        if depth and self.rng.random() < 0.5:
            return f"({self.number(0)} {self.pick('+', '-', '*')} {self.number(0)})"
        v = self.pick(*self.vectors)
        return self.pick("x", "y", "0.3", f"{v}.x", f"{v}.y", f"{v}.size()", "b.frame.scale")

    def vector(self) -> str:
        v, w = self.pick(*self.vectors), self.pick(*self.vectors)
        return self.pick(
            v, f"V({self.number()}, {self.number()})", f"V({self.number()})", f"{v} + {w}", f"{self.number(0)} * {v}",
            f"{v} * {self.number(0)}", *[f"({v} if x > 0.3 else {w})"] * (self.rng.random() < 0.1),
            *[f"{v}.move({self.number(0)})"] * self.is_written,
        )  # fmt: skip

    def simple(self, depth: int) -> list[str]:
        if self.is_written and self.rng.random() < 0.3:
            return [f"{self.pick(*self.vectors)}.{self.pick('x', 'y')} {self.pick('=', '+=')} {self.number()} * 0.5"]
        return self.pick(
            [f"{self.pick(*self.vectors)} = {self.vector()}"], [f"{self.pick(*self.vectors)} = {self.vector()}"],
            [f"{self.pick('x', 'y')} {self.pick('=', '+=')} 0.4 * {self.number()}"],
            [f"{self.pick('b', 'c')}.step(0.2)"],
            [f"{self.pick(*self.vectors)} = V({self.number()}, {self.number()})"],
            [f"{self.pick(*self.vectors)} = {self.pick(*self.vectors)} * 0.5 + {self.pick(*self.vectors)}"],
            *[self.rare()] * (self.rng.random() < 0.2),
        )  # fmt: skip

    def rare(self) -> list[str]:
        return self.pick(
            ["c.frame = b.frame"], ["vs.append(u)", "w = vs.pop()"], ["vs = [v * 0.9 for v in vs]"], ["b, c = c, b"],
            [f"if {self.pick(*self.vectors)} is {self.pick(*self.vectors)}:", "    x = x * 0.5"],
            [f"b = Mover({self.vector()}, u)"], [f"b.frame = Frame({self.vector()})"],
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        return self.pick(self.simple, self.simple, *[self.loop, self.branch] * bool(depth))(depth)

    def block(self, depth: int) -> list[str]:
        return ["    " + line for _ in range(self.pick(1, 2, 3)) for line in self.statement(depth - 1)]

    def loop(self, depth: int) -> list[str]:
        n = f"n{self.rng.randrange(100)}"
        head, more = self.pick(
            (f"for {n} in range(N):", []), (f"while {n} < N:", [f"    {n} += 1"]), ("for v in vs:", [])
        )
        jump = self.pick([], [], [f"    if {self.number()} > 1.2:", f"        {self.pick('break', 'continue')}"])
        start = [f"{n} = 0"] if more else []
        return [*start, head, *more, *self.block(depth), *jump, *self.block(depth)]

    def branch(self, depth: int) -> list[str]:
        return [f"if {self.number()} > {self.number(0)}:", *self.block(depth), "else:", *self.block(depth)]

    def program(self) -> str:
        lines = ["N = 3 if y < 9.0 else 4", "u, w = V(x, y), V(0.2, x)", "b, c = Mover(u, V(y)), Mover(V(x), w)"]
        lines += ["vs = [V(x, 0.3), V(0.1, y)]", "d = {'k': V(0.4, x)}"]
        for _ in range(self.pick(2, 3, 4)):
            lines += self.statement(2)
        lines.append(f"return {self.number()} + {' + '.join(f'{v}.x * {v}.y' for v in self.vectors)}")
        body = "\n".join("    " + line for line in lines)
        numbers = [f"{self.rng.uniform(-1, 1.5):.3f}" for _ in range(4)]
        arguments = f"first = ({numbers[0]}, {numbers[1]})\nsecond = ({numbers[2]}, {self.pick('2', numbers[3])})\n"
        if self.is_inside:
            body = "\n".join("    " + line for line in CLASSES.splitlines()) + "\n" + body
        return f"{HEAD}{'' if self.is_inside else CLASSES}def program(x, y):\n{body}\n{arguments}"
