"""Random programs that take all that a generator, or an object that yields its items, gives; for `plain`, which judges.

``f(*g)``, ``tuple(g)``, ``[*g, x]``, ``zip(g, h)``, ``sorted(g)`` and unpacking, where the loop around it may change
what the generator reads, and where the generator may do more than to yield.
"""

from __future__ import annotations

import random

from .chance import Chance

HEAD = """import math
import numpy as np
K = 0.7
class Point:
    __slots__ = ("x", "y", "z")
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z
    def __iter__(self):
        yield self.x
        yield self.y
        yield self.z
    def __add__(self, o):
        return Point(*(p + q for p, q in zip(self, o)))
    def __mul__(self, k):
        return Point(*[c * k for c in self])
class Path:
    def __init__(self, a):
        self.items, self.taken = [v for v in a], 0
    def __iter__(self):
        for v in self.items:
            self.taken += 1
            yield v
class Listed(Path):
    def __iter__(self):
        return iter(self.items)
def counted(a, n):
    for i in range(n):
        yield a[i] * K
def some(a):
    for v in a:
        if v > 0.4:
            yield v
def noted(a, log):
    for v in a:
        log.append(v)
        yield v * v
def three(p, q, r):
    return p * q - r
"""


class YieldedWriter(Chance):
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.has_inner = rng.random() < 0.3
        self.has_effects = rng.random() < 0.3

    def given(self) -> str:
        """Something that gives its items one by one, some of them only once."""
        if self.has_inner and self.rng.random() < 0.2:
            return "each()"
        if self.has_effects and self.rng.random() < 0.4:
            return self.bumped()
        return self.pick("p", "q", "t", "w", "counted(x, 3)", "counted(t.items, 3)", "some(x)", "noted(x, log)",
                         "(v * 0.5 for v in x)", "(v * k for v in p)", "x", "[1.0, 2.0, 0.5]", "iter(p)")  # fmt: skip

    def bumped(self) -> str:
        """The same of something that changes what else is gone through."""
        return self.pick("(bump(v) for v in (0.5, c, 1.0))", "map(bump, (0.5, c))", "[bump(v) for v in (c, 0.3)]",
                         "(bump(v) for v in w)")  # fmt: skip

    def taken(self) -> str:
        g, h = self.given(), self.given()
        return self.pick(
            f"three(*{self.pick('p', 'q', 'counted(x, 3)', g)})", f"sum([*{g}, c])", f"max({g})", f"tuple({g})[-1]",
            f"list({g})[0]", f"sum({g})", f"sum(a * b for a, b in zip({g}, {h}))", f"sorted({g})[0]",
            f"sum(a - b for a, b in zip({g}, (1.0, 0.5)))", f"np.array([*{g}]).sum()", f"len(list({g}))",
            f"sum(map(math.sin, {g}))", f"math.hypot(*{g})", f"min([a * b for a in {g} for b in {h}])",
            f"sum(i * a for i, a in enumerate({g}))", f"max(*{g}, c)",
        )  # fmt: skip

    def change(self) -> str:
        return self.pick("p.y = p.y + a", "x[2] = a * 0.5", "k = k + 0.1", "log.append(a)", "t.items[1] = a", "s += a",
                         "q = q + p", "x = x * 0.9", "p.z, q.x = q.x, p.z")  # fmt: skip

    def statement(self) -> list[str]:
        if self.has_effects and self.rng.random() < 0.3:
            a, b = self.pick("p", "h", "x", "t.items", "t"), self.bumped()
            return [self.pick(f"s += sum(a * b for a, b in zip({a}, {b}))",
                              f"for a, b in zip({a}, {b}):\n    s += a * b",
                              f"for i, a in enumerate({b}):\n    s += a * h.y + x[1]")]  # fmt: skip
        kind = self.rng.randrange(6)
        if kind == 0:
            changes = [f"    {self.change()}" for _ in range(self.rng.randint(0, 2))]
            ends = ["    if s > 4.0:", "        break"] * (self.rng.random() < 0.3)
            return [f"for a, b in zip({self.given()}, {self.given()}):", "    s += a * b", *changes, *ends]
        if kind == 1:
            return [f"for i, a in enumerate({self.given()}):", "    s += a * i", f"    {self.change()}"]
        if kind == 2:
            return [f"a, b, r = {self.pick('p', 'q', 'counted(x, 3)', 'p + q')}", "s += a * b - r"]
        if kind == 3:
            return [self.pick("p = p + q", "q = p * c", "p = Point(*counted(x, 3))", "q = Point(*p)")]
        return [f"s += {self.taken()}"]

    def program(self) -> str:
        body = ["s, a, k, log = 0.1, c, 0.7, []", "x = x.copy()", "p, q = Point(x[0], x[1], c), Point(c, 0.5, x[2])"]
        body += ["t, w = Path(x), Listed(x)"]
        if self.has_effects:
            changed = self.pick("h.y = h.y + v", "x[1] = x[1] * v", "t.items[1] = v", "log.append(v)")
            body += ["h = p", "def bump(v):", f"    {changed}", "    return v"]
        if self.has_inner:
            body += ["def each():", "    for v in x:", "        yield v * k"]
        for _ in range(self.rng.randint(2, 5)):
            body += self.statement()
        body.append("return s + p.x * q.y + len(log) + t.taken * 0.5 + k + x[2]")
        lines = "\n".join("    " + part for line in body for part in line.split("\n"))
        first = f"(np.array([{self.numbers(4)}]), {self.numbers(1)})"
        second = f"(np.array([{self.numbers(5)}]), {self.pick('0.5', '1', 'np.float64(0.3)')})"
        return f"{HEAD}def program(x, c):\n{lines}\nfirst = {first}\nsecond = {second}\n"
