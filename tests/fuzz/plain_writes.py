"""Random programs that write into arrays and lists, by elements, rows and slices; for `plain`, which judges them.

Names come to stand for one array, views are kept and written through, callees write into what they are given, and the
two arrays of a double buffer change places.
"""

from __future__ import annotations

import random
from typing import Any

HEAD = "import math\nimport numpy as np\n"

# Arrays that share their memory; NumPy lets nobody write into the first three.
VIEWS = ("np.diagonal(np.outer({0}, {0}))", "np.diag(np.diag({0}))", "np.broadcast_to(c, ({1},))", "{0}[::-1]",
         "np.einsum('i->i', {0})", "np.ravel({0})", "np.asarray({0})", "np.outer({0}, {0}).T[1]")  # fmt: skip


class WritingWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.n = rng.choice([4, 5, 6, 9, 12])
        self.arrays: list[str] = []
        self.lists: list[str] = []
        self.grids: list[str] = []
        self.numbers = ["c", "s"]
        self.has_view = rng.random() < 0.3
        self.has_bump = rng.random() < 0.25

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def index(self) -> str:
        return self.pick("i", "i + 1", "i - 1", "0", "1", "-1", str(self.n - 2), "-i")

    def number(self, depth: int = 2) -> str:
        kind = self.rng.randrange(9) if depth else self.rng.randrange(4)
        if self.has_bump and self.arrays and self.rng.random() < 0.25:
            return f"bumped({self.pick(*self.arrays)})"
        if kind < 2:
            return self.pick(*self.numbers, "0.5", "-1.2")
        if kind < 5 and self.arrays:
            return f"{self.pick(*self.arrays)}[{self.index()}]"
        if kind == 5 and self.lists:
            return f"{self.pick(*self.lists)}[{self.pick('0', '-1', 'i % 2')}]"
        if kind == 6 and self.grids:
            return f"{self.pick(*self.grids)}[{self.pick('i % 3', '0', '-1')}, {self.pick('0', '1', '-1')}]"
        if depth and kind == 7:
            return f"{self.pick('math.sin', 'np.tanh', 'abs', 'float')}({self.number(depth - 1)})"
        return f"({self.number(depth - 1)} {self.pick('+', '-', '*')} {self.number(depth - 1)})" if depth else "0.3"

    def part(self) -> str:
        """A slice of two numbers fewer than an array has."""
        return f"{self.pick(*self.arrays)}[{self.pick('1:-1', '2:', ':-2')}]"

    def sum_of_parts(self) -> str:
        factor = self.pick(self.part(), f"({self.part()} - {self.part()})")
        if self.has_bump:
            return self.pick(f"{self.part()} * {self.number()}", f"{self.part()} + {self.number()} * {factor}",
                             f"({self.part()} * {self.number(0)} + {self.part()})")  # fmt: skip
        return f"{self.part()} {self.pick('+', '-', '*')} {self.number(0)} * {factor}"

    def new(self) -> str:
        n = self.n
        old = self.pick(*self.arrays) if self.arrays else "x"
        return self.pick(f"np.zeros({n})", f"np.full({n}, 0.5)", "np.zeros(len(x))", "x.copy()", "x * 1.0",
                         f"{old}.copy()", f"np.zeros_like({old})", f"c * {old}", f"{old}", f"kept({old})",
                         self.pick(*VIEWS).format(old, n))  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.randrange(16)
        a = self.pick(*self.arrays) if self.arrays else "x"
        if kind < 2 or not self.arrays:
            name = self.pick("u", "v", "w")
            lines = [f"{name} = {self.new()}"]
            self.arrays += [name] * (name not in self.arrays)
            return lines
        if kind < 5:
            return [f"{a}[{self.index()}] {self.pick('=', '=', '+=', '-=', '*=')} {self.number()}"]
        if kind == 5:
            return [f"{a}[1:-1] {self.pick('=', '+=', '-=')} {self.sum_of_parts()}"]
        if kind == 6:
            return [self.pick(f"{a} {self.pick('+=', '*=')} {self.number(1)}", f"{a}[::2] *= 0.5",
                              f"{a} -= {self.pick(*self.arrays)} * 0.5", f"{a}[:] = {self.number(1)}")]  # fmt: skip
        if kind == 7 and len(self.arrays) > 1:
            one, other = self.rng.sample(self.arrays, 2)
            return [self.pick(f"{one}, {other} = {other}, {one}", f"{one} = {other}", f"{one}[0], {other}[1] = c, s")]
        if self.has_bump and self.rng.random() < 0.2:
            view = f"{a}[{self.pick('1:', '::-1', '1:-1')}]"
            return [self.pick(f"s += ({view} * bumped({a})).sum()", f"s += np.sum({view} - bumped({a}))",
                              f"s += ({a} * bumped({a})).sum() + {a}[2] * bumped({a})")]  # fmt: skip
        if kind == 8:
            return [f"written({a}, {self.number(1)})"]
        if kind == 9 and self.has_view:
            self.arrays.append("t")
            return [f"t = {a}[{self.pick(':', '::-1', '1:')}]"] if "t" not in self.arrays[:-1] else []
        if kind == 10:
            if self.lists:
                return [self.pick(f"y.append({self.number(1)})", f"y[{self.pick('0', '-1')}] += {self.number(1)}",
                                  "for v in y:\n    s += v * 0.5")]  # fmt: skip
            self.lists.append("y")
            return [f"y = {self.pick('[]', '[c]', '[c, s]', '[0.5] * 3')}", f"y.append({self.number(1)})"]
        if kind == 11:
            if self.grids:
                row = self.pick(f"c, {self.number(1)}", "g[0] * 0.5", "np.array([c, s])")
                return [self.pick(f"g[i % 3] = {row}", f"g[1, 0] = {self.number(1)}", "g[2] += g[0]", "s += g[1, 1]",
                                  f"g[0][1] *= {self.number(1)}")]  # fmt: skip
            self.grids.append("g")
            return [f"g = np.{self.pick('zeros', 'ones')}((3, 2))", f"g[0] = {self.number(1)}, c"]
        if kind in (12, 13) and depth:
            head = self.pick("for i in range(3):", "for i in range(1, len(x) - 1):", "for i, v in enumerate(x):")
            return [head, *self.block(depth - 1)]
        if kind == 14 and depth:
            lines = [f"if {self.number(1)} > {self.number(0)}:", *self.block(depth - 1)]
            return lines + (["else:", *self.block(depth - 1)] if self.rng.random() < 0.5 else [])
        return [f"s {self.pick('=', '+=')} {self.number()}"]

    def block(self, depth: int) -> list[str]:
        before = [list(x) for x in (self.arrays, self.lists, self.grids)]
        lines = [line for _ in range(self.rng.randint(1, 3)) for line in self.statement(depth)] or ["pass"]
        self.arrays, self.lists, self.grids = before  # what a block makes may not be there after it
        return ["    " + part for line in lines for part in line.split("\n")]

    def program(self) -> str:
        numbers = ", ".join(f"{self.rng.uniform(-1, 1):.3f}" for _ in range(self.n))
        parts = [HEAD, "def kept(a):\n    return a", "def written(a, k):\n    a[0] = k\n    a[-1] += a[1] * k"]
        parts += ["def bumped(a):\n    a[2] *= 0.9\n    return a[0]"] * self.has_bump
        body = ["i = 1", "s = 0.1", f"u = {self.new()}"]
        self.arrays = ["u", *(["x"] if self.rng.random() < 0.3 else [])]
        for _ in range(self.rng.randint(3, 8)):
            body += self.statement(2)
        total = " + ".join(f"{self.pick('np.sum({0} * {0})', '{0}.sum()', '{0}[0] * {0}[1]', '{0}[-1]')}".format(a)
                           for a in dict.fromkeys(self.arrays))  # fmt: skip
        body.append(f"return s + {self.number()} * {self.number(1)} + {total}")
        lines = [part for line in body for part in line.split("\n")]
        parts.append("\n".join(["def program(x, c):", *["    " + line for line in lines]]))
        other = self.pick(f"np.array([{numbers}])[::-1]", f"np.ones({self.n + 1})", "np.array([0.5, 0.2])", "Z[::2]",
                          f"np.arange({self.n})", f"np.array([{numbers}], dtype=np.float32)", "Z[:3]",
                          f"np.broadcast_to(0.3, ({self.n},))")  # fmt: skip
        parts.append(f"Z = np.linspace(0.1, 0.9, {2 * self.n})")
        parts.append(f"first = (np.array([{numbers}]), 0.4)")
        parts.append(f"second = ({other}, {self.pick('0.3', 'np.float64(0.2)', '1', '0.0')})")
        return "\n".join(parts) + "\n"
