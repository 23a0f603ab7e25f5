"""Programs of loops, generators and functions that are left in every way there is; for `plain`, which judges them.

Loops of each kind stand in one another, in functions and in generators that hand on to one another; ``break``,
``continue``, ``return``, ``yield``, ``raise`` and ``else`` are drawn for any place where Python has them.
"""

from __future__ import annotations

import random

HEAD = """import contextlib, itertools, math
import numpy as np
K = 0.7
T = (0.4, -0.3, 1.2)
A = np.array([0.5, -0.2, 0.9])
class Bad(Exception): pass
class Node:
    def __init__(self, v, below=()):
        self.v, self.below = v, below
    def walk(self):
        yield self.v
        for b in self.below:
            yield from b.walk()
@contextlib.contextmanager
def scaled(c):
    d = c * 0.5
    yield d + K
def leaves(t):
    if isinstance(t, tuple):
        for p in t:
            yield from leaves(p)
    else:
        yield t
"""
CONSTANTS = ("0.5", "-0.3", "2.0", "K", "1")


class JumpsWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.functions: list[tuple[str, str]] = []  # names, and what they are: "value", "maybe" or "generator"
        self.count = 0

    def pick(self, *of: str) -> str:
        return self.rng.choice(of)

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def number(self, names: list[str]) -> str:
        a, b, c = self.rng.choice(names), self.rng.choice(names), self.pick(*CONSTANTS)
        called = [name for name, kind in self.functions if kind == "value"]
        if called and self.rng.random() < 0.15:
            return f"{self.rng.choice(called)}({a}, {b})"
        return self.pick(
            f"{a} * {c}", f"{a} - {b}", f"{a} * {b} + {c}", f"math.sin({a})", f"{a} + {c}", f"max({a}, {c})"
        )

    def test(self, names: list[str]) -> str:
        return f"{self.rng.choice(names)} {self.pick('<', '>')} {self.pick('0.3', '1.1', '-0.4', *names)}"

    def iterated(self, names: list[str]) -> str:
        """What a loop goes through: numbers, one by one."""
        x, y = self.rng.choice(names), self.rng.choice(names)
        generators = [name for name, kind in self.functions if kind == "generator"]
        if generators and self.rng.random() < 0.5:
            call = f"{self.rng.choice(generators)}({x}, {y})"
            others = (f"itertools.islice({call}, 3)", f"({x} * v for v in {call})", f"list({call})")
            return call if self.rng.random() < 0.9 else self.pick(*others)
        return self.pick(
            "range(3)", f"({x}, {y}, 0.4)", f"[{x}, 0.2, {y}]", "T", "A", f"leaves(({x}, (0.5, {y}), {x}))",
            f"({x} * v for v in T)", f"Node({x}, (Node({y}), Node(0.3))).walk()", f"A * {x}", "range(2, 0, -1)",
            f"reversed(({x}, {y}))", f"leaves(({x}, {y}))", f"({x} * v for v in leaves((0.3, {y})))",
        )  # fmt: skip

    def loop(self, names: list[str], depth: int, kind: str) -> list[str]:
        how = self.rng.random()
        v = self.fresh("v")
        if how < 0.2:
            n = self.fresh("n")
            head = [f"{n} = 0", f"while {self.pick(f'{n} < 3', f'{n} < 4 and {self.test(names)}', 'True')}:"]
            first = [f"    {n} += 1", *([f"    if {n} > 3:", "        break"] if head[1] == "while True:" else [])]
        elif how < 0.3:
            head, first = [f"for {self.fresh('i')}, {v} in enumerate({self.iterated(names)}):"], []
        elif how < 0.38:
            w = self.fresh("w")
            head, first = [f"for {v}, {w} in zip({self.iterated(names)}, {self.iterated(names)}):"], []
        else:
            head, first = [f"for {v} in {self.iterated(names)}:"], []
        inside = [*names, v] if how >= 0.2 else names
        body = first + self.indented(self.block(inside, depth - 1, kind, True))
        after = ["else:", *self.indented(self.block(names, 0, kind, False))] if self.rng.random() < 0.2 else []
        return [*head, *body, *after]

    def indented(self, lines: list[str]) -> list[str]:
        return ["    " + line for line in lines]

    def jump(self, names: list[str], kind: str, in_loop: bool) -> str:
        ways = ["break", "break", "continue"] if in_loop else []
        if kind == "generator":
            ways += ["return", f"yield {self.number(names)}"]
        elif kind == "maybe":
            ways += ["return", f"return {self.number(names)}", "return None"]
        else:
            ways += [f"return {self.number(names)}"]
        return self.rng.choice([*ways, "raise Bad"] if self.rng.random() < 0.1 else ways)

    def step(self, names: list[str], depth: int, kind: str, in_loop: bool) -> list[str]:
        how, x = self.rng.random(), self.pick("x", "y")
        if how < 0.25 and depth > 0:
            return self.loop(names, depth, kind)
        if how < 0.45:
            lines = [f"if {self.test(names)}:", "    " + self.jump(names, kind, in_loop)]
            return lines + (["else:", f"    {x} = {self.number(names)}"] if self.rng.random() < 0.2 else [])
        if how < 0.55 and kind == "generator":
            generators = [name for name, of in self.functions if of == "generator"]
            if generators and self.rng.random() < 0.4:
                return [f"yield from {self.rng.choice(generators)}({self.number(names)}, {x})"]
            return [self.pick(f"yield {self.number(names)}", f"yield {x}", f"yield from {self.iterated(names)}")]
        if how < 0.6 and depth > 0:
            if self.rng.random() < 0.4:
                v = self.fresh("v")
                inside = f"    {x} -= {self.number([*names, v])}"
                return [f"with scaled({self.number(names)}) as {v}:", inside, f"{x} += {v}"]
            inner = self.block(names, depth - 1, kind, in_loop)
            lines = ["try:", *self.indented(inner), f"except {self.pick('Bad', '(Bad, ValueError)')}:"]
            lines.append(f"    {self.pick('pass', f'{x} = {self.number(names)}', self.jump(names, kind, in_loop))}")
            return lines + (["finally:", f"    {x} += 0.1"] if self.rng.random() < 0.1 else [])
        if how < 0.68:
            maybe = [name for name, of in self.functions if of == "maybe"]
            if maybe:
                m = self.fresh("m")
                call = f"{m} = {self.rng.choice(maybe)}({self.number(names)}, {x})"
                return [
                    call,
                    f"if {m} is {self.pick('not ', '')}None:",
                    f"    {x} = {self.pick(m, self.number(names))}",
                ]
        return [f"{x} {self.pick('=', '+=', '-=')} {self.number(names)}"]

    def block(self, names: list[str], depth: int, kind: str, in_loop: bool) -> list[str]:
        return [line for _ in range(self.rng.randint(1, 2)) for line in self.step(names, depth, kind, in_loop)]

    def recursive(self, name: str, kind: str) -> list[str]:
        lines = [f"def {name}(x, y, k=2):", "    if k == 0:", "        " + self.jump(["x", "y"], kind, False)]
        lines += self.indented(self.block(["x", "y"], 1, kind, False))
        if kind == "generator":
            lines.append(f"    yield from {name}({self.number(['x', 'y'])}, y, k - 1)")
        else:
            lines.append(f"    m = {name}({self.number(['x', 'y'])}, y, k - 1)")
        lines += self.indented(self.block(["x", "y"], 1, kind, False))
        end = {"generator": "yield x", "maybe": self.pick("return m", "x = y", "return None"), "value": "return m + x"}
        return [*lines, "    " + end[kind]]

    def function(self) -> list[str]:
        name, kind = self.fresh("f"), self.pick("value", "maybe", "generator", "generator")
        if self.rng.random() < 0.15:
            lines = self.recursive(name, kind)
        else:
            lines = [f"def {name}(x, y):", *self.indented(self.block(["x", "y"], 2, kind, False))]
            end = {
                "generator": f"yield {self.number(['x', 'y'])}",
                "maybe": "x += y",
                "value": f"return {self.number(['x', 'y'])}",
            }
            lines.append("    " + end[kind])
        self.functions.append((name, kind))
        return lines

    def program(self) -> str:
        lines = HEAD.splitlines()
        for _ in range(self.rng.randint(1, 3)):
            lines += self.function()
        lines += ["def program(x, y):", *self.indented(self.loop(["x", "y"], 2, "value"))]
        lines += self.indented(self.block(["x", "y"], 2, "value", False))
        lines += [f"    return {self.number(['x', 'y'])}"]
        for name in ("first", "second"):
            lines.append(f"{name} = ({self.rng.uniform(-1, 1):.3f}, {self.rng.uniform(-1, 1):.3f})")
        return "\n".join(lines) + "\n"
