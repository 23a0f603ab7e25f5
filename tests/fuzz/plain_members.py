"""Programs of objects: inheritance, properties, special methods, second names, attributes by name; for `plain`.

What is read and what is changed is drawn from tables, as in `plain_methods`.
"""

from __future__ import annotations

import random

from .plain_methods import indented

HEAD = """import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple
K = 0.7
class Base:
    scale = 0.5
    count = 0
    def __init__(self, u, v=0.3):
        self.u, self.v = u, v
        self.items = [u]
    def energy(self):
        return self.u * self.scale + self.v
    def see(self, x):
        self.last = x
        return x * self.u
    def step(self, h=0.1):
        self.u, self.v = self.u + h * self.v, self.v - h * self.u
        return self
    @property
    def size(self):
        return math.sqrt(0.1 + self.u ** 2)
    @size.setter
    def size(self, s):
        self.u = s * 0.5
    @classmethod
    def at(cls, u):
        return cls(u, cls.scale)
    @staticmethod
    def mix(a, b):
        return a * 0.3 + b
    def __call__(self, t):
        return self.u * t + self.v
    def __len__(self):
        return len(self.items)
    def __getitem__(self, k):
        return self.items[k] * self.v
    def __setitem__(self, k, w):
        self.items[k] = w
    def __iter__(self):
        yield self.u
        yield from self.items
    def __add__(self, other):
        if isinstance(other, Base):
            return Base(self.u + other.u, self.v - other.v)
        return Base(self.u + other, self.v)
    __radd__ = __add__
    def __mul__(self, c):
        return Base(self.u * c, self.v)
    def __iadd__(self, c):
        self.u = self.u + c
        self.items.append(c)
        return self
    def __neg__(self):
        return Base(-self.u, self.v)
    def __lt__(self, other):
        return self.u < other.u
    def __eq__(self, other):
        return isinstance(other, Base) and self.u == other.u
    __hash__ = None
    def __bool__(self):
        return self.u > 0
    def __float__(self):
        return float(self.u)
    def __contains__(self, w):
        return w in self.items
class Child(Base):
    scale = 2
    def __init__(self, u, v=0.2):
        super().__init__(u * 0.9, v)
        self.w = u
    def energy(self):
        return super().energy() * 0.5 + self.w
    @property
    def size(self):
        return super().size + self.w
class Slim:
    __slots__ = ("u", "v")
    def __init__(self, u, v):
        self.u = u
        self.v = v
    def energy(self):
        return self.u - self.v
@dataclass
class Data:
    u: float
    v: float = 0.4
    more: list = field(default_factory=list)
    def __post_init__(self):
        self.total = self.u + self.v
    def energy(self):
        return self.total * self.u
class Pair(NamedTuple):
    u: float
    v: float = 0.6
    def energy(self):
        return self.u * self.v
"""
MAKERS = ("Base({a}, {b})", "Child({a})", "Child({a}, v={b})", "Base(v={b}, u={a})")
READS = (
    "{o}.u", "{o}.v", "{o}.energy()", "{o}.size", "{o}({a})", "{o}[0]", "{o}[-1]", "len({o}) * {a}", "sum({o})",
    "{o}.mix({a}, {b})", "({o} + {p}).u", "({o} * {a}).v", "({a} + {o}).energy()", "(-{o}).u", "max([v for v in {o}])",
    "({a} if {o} < {p} else {b})", "({a} if {o} == {p} else {b})", "({a} if {o} else {b})", "float({o})",
    "({a} if {o} is {p} else {b})",
    "getattr({o}, 'u')", "getattr({o}, 'w', {a})", "{o}.scale * {a}", "Base.scale * {a}",
    "({a} if hasattr({o}, 'w') else {b})", "({a} if isinstance({o}, Child) else {b})", "{o}.items[0]",
    "d.u", "d.total", "d.energy()", "s.u", "s.energy()", "t.u", "t[1]", "t.energy()", "sum(t)", "sum(d.more)",
    "min({o}, {p}).u", "sorted([{o}, {p}])[0].v", "L[0].u", "L[-1].energy()", "sum(o.u for o in L)",
    "type({o}).scale * {a}", "Child.at({a}).u", "Base.at(u={a}).energy()",
    "{o}.step(0.2).u", "Base.energy({o})", "{o}.__class__(0.5).u", "x", "y", "x * y", "z", "0.4",
    "{o}.see({a})", "{o}.last", "{o}.last", "getattr({o}, 'last', {a})",
    "({a} if {o}.u in {o} else {b})", "Data(1, v={a}).energy()", "replace(d, u={a}).total", "t._replace(v={a}).v",
)  # fmt: skip
CHANGES = (
    "{o}.u = {e}", "{o}.v *= {e}", "{o}.size = {e}", "{o}.step({e})", "{o}.step()", "{o} += {e}", "{o}[0] = {e}",
    "{o} = {p}",
    "{o} = {o} + {p}", "{o} = {o} * {e}", "{o} = -{o}", "o, p = p, o", "{o} = {make}", "setattr({o}, 'v', {e})",
    "{o}.items.append({e})", "{o}.items = [{e}, x]", "{o}.scale = {e}", "d.u = {e}", "d.total += {e}",
    "d.more.append({e})",
    "d = replace(d, v={e})", "d = Data({e})", "s.u = {e}", "s.v, s.u = s.u, {e}", "t = t._replace(u={e})",
    "t = Pair({e}, t.u)",
    "a_, b_ = t\n{o}.u = a_ * b_", "L[0] = {o}", "L[-1].u += {e}", "L = [o_ + {e} for o_ in L]", "L.sort()",
    "L.append({o})",
    "for o_ in L:\n    o_.step({e})", "for o_ in L:\n    z = z + o_.energy()", "for w_ in {o}:\n    z += w_ * {e}",
    "{o}.step().step({e})", "{o}.friend = {p}\n{o}.friend.u = {e}", "{o}.u, {o}.v = {o}.v, {e}", "z += {e}", "z = {e}",
    "{o}.see({e})", "{o}.see({e})", "{o}.last = {e}", "{o}.last *= {e}", "{o}.see(x)\n{p}.last = {o}.last",
    "f = {o}.energy\n{o}.u = {e}\nz += f()", "{o}[0], z = z, {o}[0]",
)  # fmt: skip


class MembersWriter:
    """Writes one program from a source of chance; `tables` are its reads and changes, with those that always are."""

    head = HEAD
    tables = (READS, ("{o}.u", "{o}.energy()", "x")), (CHANGES, ("{o}.u = {e}", "z += {e}"))
    start = ("s, d, t = Slim(x, 0.2), Data(y), Pair(x)", "L = [o, p, Base(0.2)]")
    end = "z + o.u - p.v + s.u * 0.5 + d.total + t.v + L[0].u * L[-1].v"
    turns = (2, 3)

    def __init__(self, rng: random.Random):
        self.rng = rng
        # most constructs are left out, so that few are refused
        (reads, always_read), (changes, always_changed) = self.tables
        self.reads = [*rng.sample(reads, 14), *always_read]
        self.changes = [*rng.sample(changes, 12), *always_changed]

    def names(self) -> dict[str, str]:
        return {k: self.rng.choice(of) for k, of in (("o", "op"), ("p", "op"))} | {
            k: self.rng.choice(("x", "y", "z", "0.3", "K")) for k in "ab"
        }

    def number(self) -> str:
        read = self.rng.choice(self.reads).format(**self.names())
        return self.rng.choice((read, read, f"{read} * 0.5", f"{read} - {self.rng.choice('xy')}", f"abs({read})"))

    def change(self) -> list[str]:
        made = self.rng.choice(MAKERS).format(a=self.number(), b="y")
        return self.rng.choice(self.changes).format(e=self.number(), make=made, **self.names()).split("\n")

    def block(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 3)):
            how = self.rng.random()
            if how < 0.15 and depth:
                lines += [f"for i in range({self.rng.choice(self.turns)}):", *indented(self.block(depth - 1))]
            elif how < 0.28 and depth:
                lines += [f"if {self.number()} > {self.number()}:", *indented(self.block(depth - 1))]
                if self.rng.random() < 0.4:
                    lines += ["else:", *indented(self.block(depth - 1))]
            else:
                lines += self.change()
        return lines

    def program(self) -> str:
        o, p = [self.rng.choice(MAKERS).format(a=a, b=b) for a, b in (("x", "0.5"), ("y", "x"))]
        body = [f"o, p, z = {o}, {p}, 0.1", *self.start]
        for _ in range(self.rng.randint(1, 3)):
            body += self.block(2)
        body.append(f"return {self.end}")
        lines = [*self.head.splitlines(), "def program(x, y):", *indented(body)]
        for name in ("first", "second"):
            lines.append(f"{name} = ({self.rng.uniform(-1, 1):.3f}, {self.rng.uniform(-1, 1):.3f})")
        return "\n".join(lines) + "\n"
