"""Programs in which what an expression calls changes what other parts of it read; for `plain`, which judges them.

Each operand is read when its turn comes, once: variables, items, attributes and captured variables, in operators, calls
with keywords, comparisons, displays, choices and assignments of every kind.
"""

from __future__ import annotations

import random

HEAD = """import math
import numpy as np
K = 0.7
class O:
    def __init__(self, v):
        self.v, self.n = v, 0
    @property
    def twice(self):
        self.n += 1
        self.v = self.v * 0.5 + 0.1
        return self.v * self.n
    @twice.setter
    def twice(self, v):
        self.v = v * 0.5 - self.v
    def up(self, by=0.2, *more, k=0.3):
        self.v = self.v * k + by + sum(more)
        return self.v
def three(a, b=0.4, c=-0.3, *, k=1.0):
    return a * 0.5 - b * k + c * c
def several(*a, **k):
    return sum([v * (i + 1) for i, v in enumerate(a)]) + sum([v for v in k.values()])
"""
BEFORE = """o, L, d, n = O(x), [x, y, 0.5], {"a": y, "b": x * y}, 0
a = np.array([x, y, 0.2])
def g(by=0.1):
    nonlocal x
    x = x * 0.8 + by
    return x
def put(v):
    L[0] = v * 0.7 - L[1]
    return v * y
def key(v):
    d["a"] = v + d["a"] * 0.3
    return d["b"]
def fill(v):
    a[1] = a[0] - v * 0.5
    return v
def i():
    nonlocal n
    n = (n + 1) % 3
    return n"""


class OrderWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        # some programs have no arrays, and some no index that is computed
        self.has_arrays, self.has_places = rng.random() < 0.4, rng.random() < 0.4
        self.names_inside = rng.random() < 0.15  # of a variable that no function captures

    def pick(self, *of: str) -> str:
        return self.rng.choice(of)

    def place(self) -> str:
        return self.pick("i()", "n", "0", "2") if self.has_places else self.pick("0", "1", "2")

    def read(self) -> str:
        reads = ["x", "x", "y", "o.v", "L[0]", "L[1]", f"L[{self.place()}]", 'd["a"]', "K", "0.3"]
        return self.rng.choice([*reads, "a[1]", "a[0]"] if self.has_arrays else reads)

    def change(self, depth: int) -> str:
        e = self.value(depth - 1)
        ways = [f"(x := {e})", "(x := x * y)"] if self.names_inside else ["g()", f"g({e})", "g(by=x)"]
        ways += [f"put({e})", f"key({e})", "o.up()", f"o.up({e})", "o.twice", f"o.up(k={e})", f"o.up({e}, x, k=y)"]
        return self.rng.choice([*ways, f"fill({e})"] if self.has_arrays else ways)

    def value(self, depth: int) -> str:
        if depth <= 0 or self.rng.random() < 0.2:
            return self.read()
        if self.rng.random() < 0.35:
            return self.change(depth)
        a, b, c = (self.value(depth - 1) for _ in range(3))
        return self.pick(
            f"({a} + {b})", f"({a} * {b})", f"({a} - {b})", f"-{a}", f"max({a}, {b})", f"math.sin({a})",
            f"({a} if {b} < {c} else {self.value(depth - 1)})", f"({a} if {b} < {c} < x else y)",
            f"({a} < {b} < {c}) * {self.read()}", f"three({a}, c={b}, b={c})", f"three({a}, {b}, k={c})",
            f"three(c={a}, a={b})", f"several({a}, {b}, z={c}, w=x)", f"several(*[{a}, {b}], {c})",
            f"[{a}, {b}, {c}][{self.pick('0', '1', '2')}]", f"({a}, {b})[0]", f"sum([{a}, {b}, x])",
            f'{{"p": {a}, "q": {b}}}["p"]', f"min([{a}, {b}])", f"({a} and {b} or {c})", f"abs({a}) ** 2",
            f"sum([v * {a} for v in (x, {b})])", f"three(**{{'a': {a}, 'b': {b}}})", f"(lambda u, v=x: u * v + x)({a})",
        )  # fmt: skip

    def target(self) -> str:
        return self.pick("x", "y", "o.v", f"L[{self.place()}]", 'd["a"]', "o.twice", "z")

    def statement(self) -> list[str]:
        how = self.rng.random()
        if how < 0.3:
            return [f"{self.target()} = {self.value(3)}"]
        if how < 0.5:
            place = self.pick("x", "y", "o.v", f"L[{self.place()}]", "o.twice")
            return [f"{place} {self.pick('+=', '*=', '-=')} {self.value(2)}"]
        if how < 0.65:
            return [f"{self.target()}, {self.target()} = {self.value(2)}, {self.value(2)}"]
        if how < 0.72:
            return [f"{self.target()} = {self.target()} = {self.value(2)}"]
        if how < 0.8:
            return [f"for v in ({self.value(1)}, {self.value(1)}, x):", f"    x = x - v * {self.value(2)}"]
        if how < 0.9:
            return [f"if {self.value(2)} < {self.value(2)}:", f"    {self.target()} = {self.value(2)}"]
        return [f"z = z + {self.value(3)}"]

    def program(self) -> str:
        lines = [*HEAD.splitlines(), "def program(x, y):"]
        before = BEFORE.splitlines()
        if not self.has_arrays:  # nothing that is not read
            at = before.index("def fill(v):")
            before[at : at + 3] = []
            before.remove("a = np.array([x, y, 0.2])")
        if self.names_inside:
            at = before.index("def g(by=0.1):")
            before[at : at + 4] = []
        body = [*before, "z = 0.2"]
        for _ in range(self.rng.randint(1, 4)):
            body += self.statement()
        ends = "z + x * y + o.v - L[0] + L[1] * 0.5 - L[2] + d['a']" + " + a.sum()" * self.has_arrays
        lines += ["    " + line for line in [*body, f"return {ends}"]]
        for name in ("first", "second"):
            lines.append(f"{name} = ({self.rng.uniform(-1, 1):.3f}, {self.rng.uniform(-1, 1):.3f})")
        return "\n".join(lines) + "\n"
