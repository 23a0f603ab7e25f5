"""Random programs whose loops give names other arrays, and whose functions write into what they are given; for `plain`.

A name is written into in one turn and stands for another's array in the next: `u` is read for the last time in a turn,
and yet what it holds then may be the array that `v` has.
"""

from __future__ import annotations

import random

from .chance import Chance

HEAD = """import numpy as np
def put(a, k):
    a[0] = k
def added(a, k):
    a[1] += k * a[0]
    return a
def scaled(a, k):
    a *= k
def part(a, k):
    a[1:3] = a[0:2] * k
def through(a, k):
    put(a, k)
    part(a, 0.5)
def fresh(a, k):
    return a * k
def same(a, k):
    return a
def either(a, k):
    if k > 0.6:
        return a
    return a + k
"""
WRITING = ("put", "added", "scaled", "part", "through")
GIVING = ("added", "fresh", "same", "either")


class ReboundWriter(Chance):
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.writing = rng.sample(WRITING, 2)

    def number(self) -> str:
        a, b = self.pick("u", "v", "w", "x"), self.pick("u", "v", "w", "x")
        return self.pick("c", "0.7", "s", f"{a}[0]", f"{a}[1] * {b}[2]", f"{a}[i % 3]", f"{a}.sum() * 0.1")

    def statement(self, depth: int) -> list[str]:
        a, b = self.rng.sample(["u", "v", "w"], 2)
        given = self.pick(a, b, "x", "x", "x * 1.0")
        kind = self.rng.randrange(11)
        if kind < 3:
            return [f"{self.pick(*self.writing)}({a}, {self.number()})"]
        if kind < 5:
            return [f"{a} = {self.pick(given, given, given + '.copy()', given + ' * c')}"]
        if kind == 5:
            return [f"{a} = {self.pick(*GIVING)}({given}, {self.number()})"]
        if kind == 6:
            return [self.pick(f"{a}, {b} = {b}, {a}", f"{a} = {b} = np.zeros(len(x))", f"w = {a}\n{a} = {b}\n{b} = w")]
        if kind == 7:
            return [self.pick(f"{a}[0] = {self.number()}", f"{a}[2] += {self.number()}", f"{a}[:2] *= {self.number()}")]
        if kind == 8 and depth:
            return [f"if {self.number()} > {self.pick('0.4', '0.8')}:", *self.block(depth - 1)]
        if kind == 9 and depth:
            head = self.pick("for i in range(3):", "for i in range(1, len(x) - 1):", "while s < 3.0:\n    s += 0.9")
            return [*head.split("\n"), *self.block(depth - 1)]
        return [f"s += {self.number()}"]

    def block(self, depth: int) -> list[str]:
        lines = [line for _ in range(self.rng.randint(1, 4)) for line in self.statement(depth)]
        return ["    " + part for line in lines for part in line.split("\n")]

    def program(self) -> str:
        n = self.pick(4, 5, 12)
        made = ("np.zeros(len(x))", "x * 1.0", "x.copy()", "x + c")
        body = ["i, s = 1, 0.1", *[f"{name} = {self.pick(*made)}" for name in "uvw"]]
        body += ["for i in range(3):", *self.block(1)]
        for _ in range(self.rng.randint(0, 2)):
            body += self.statement(1)
        body.append(f"return s + {' + '.join(self.pick(f'{a}.sum()', f'{a}[0] * {a}[1]') for a in 'uvwx')}")
        lines = "\n".join("    " + part for line in body for part in line.split("\n"))
        other = self.pick(f"np.array([{self.numbers(n)}])[::-1]", f"np.array([{self.numbers(n + 1)}])", "np.ones(3)")
        return (
            f"{HEAD}def program(x, c):\n{lines}\n"
            f"first = (np.array([{self.numbers(n)}]), 0.4)\nsecond = ({other}, {self.pick('0.9', '1', '0.0')})\n"
        )
