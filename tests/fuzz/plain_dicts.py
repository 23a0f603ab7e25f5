"""Random programs with dicts keyed by names, with defaults, and generators that go through others; for `plain`."""

from __future__ import annotations

from .chance import Chance

HEAD = """import math
from collections import Counter, defaultdict
import numpy as np
def counted(n, x):
    for i in range(n):
        yield x * (i + 1)
def twice(seq, k=2.0):
    for v in seq:
        yield k * v
        if v > 0.4:
            yield v * v
def smooth(seq, a):
    s = 0.0
    for v in seq:
        s = a * v + (1 - a) * s
        yield s
"""
KEYS = ("'a'", "'b'", "'c'")


class DictWriter(Chance):
    """Writes one program from a source of chance."""

    def key(self) -> str:
        return self.pick(*KEYS, *self.loops)

    def number(self, depth: int = 2) -> str:
        kind = self.rng.randrange(9) if depth else self.rng.randrange(2)
        if kind < 2:
            return self.pick("x", "y", "s", "0.5", "-1.2")
        if kind < 4:
            return self.pick(f"d[{self.key()}]", f"t[{self.key()}]", "d['a']")
        if kind == 4:
            return self.pick(f"d.get({self.key()}, {self.number(0)})", f"c[{self.key()}] * 0.1", "len(d) * 0.1",
                             "sum(t.values())", "max(d.values())")  # fmt: skip
        if kind == 5:
            return self.pick(f"sum(g[{self.key()}])", "sum(len(v) for v in g.values())", "sum(d[k_] for k_ in d)")
        if kind == 6:
            seq = self.pick("counted(3, x)", "twice(counted(2, y))", "smooth(twice(counted(3, x)), 0.3)")
            return self.pick(f"sum({seq})", f"sum(v * v for v in {seq})", f"list({seq})[-1]")
        return f"({self.number(depth - 1)} {self.pick('+', '-', '*')} {self.number(depth - 1)})" if depth else "0.3"

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.randrange(15)
        x, k = self.number(1), self.key()
        if kind < 3:
            return [f"{self.pick('d', 't')}[{k}] {self.pick('=', '+=', '*=')} {x}"]
        if kind == 3:
            return [f"c[{k}] += {self.pick('1', '1', '2', x)}"]
        if kind == 4:
            return [f"g[{k}].append({x})"]
        if kind == 5:
            return [self.pick(f"s += d.setdefault({k}, {x})", f"d.update({{{k}: {x}}})", f"d.update(b={x}, e=y)",
                              f"s += d.pop({k}, {self.number(0)})", f"e = dict(d)\n    e[{k}] = {x}\n    s += e['a']",
                              f"l.setdefault({k}, []).append({x})")]  # fmt: skip
        if kind == 6:
            return [self.pick(f"if {k} in d:\n        s += d[{k}]", f"if {k} not in t:\n        s -= 0.5 * y",
                              "s += sum(v for k_, v in d.items() if k_ != 'b')")]  # fmt: skip
        if kind in (7, 8) and depth:
            name = self.pick("u", "w")
            head = self.pick(f"for {name} in 'abca':", f"for {name} in ['a', 'c']:", f"for {name} in 'b a'.split():",
                             f"for {name} in list(d):", f"for {name}, v_ in zip('ab', (x, y)):")  # fmt: skip
            self.loops.append(name)
            body = self.block(depth - 1)
            self.loops.pop()
            return [head, *body]
        if kind == 9 and depth:
            return [f"if {self.number(1)} > {self.number(0)}:", *self.block(depth - 1)]
        if kind == 10:
            return ["q = twice(counted(3, s))", self.pick("s += sum(q)", "for v in q:\n        s += v * x",
                    "for v in smooth(q, 0.4):\n        s -= v", "s += list(q)[1]")]  # fmt: skip
        if kind == 11 and depth:
            return ["for i in range(3):", *self.block(depth - 1)]
        return [f"s {self.pick('=', '+=')} {x}"]

    def block(self, depth: int) -> list[str]:
        lines = [line for _ in range(self.rng.randint(1, 3)) for line in self.statement(depth)]
        return ["    " + part for line in lines for part in line.replace("\n    ", "\n").split("\n")]

    def program(self) -> str:
        self.loops: list[str] = []
        body = ["s = 0.1", "d = {'a': x, 'b': 0.5, 'c': y * x}", "l = {}",
                f"t = defaultdict({self.pick('float', 'float', 'lambda: 0.5')})", "c = Counter()",
                "g = defaultdict(list)"]  # fmt: skip
        for _ in range(self.rng.randint(3, 8)):
            body += [part for line in self.statement(2) for part in line.replace("\n    ", "\n").split("\n")]
        body.append(f"return s + {self.number()} * {self.number(1)} + sum(d.values()) + sum(t.values()) * len(c)"
                    " + sum(sum(v) for v in g.values()) + len(l) * x")  # fmt: skip
        first = f"first = ({self.rng.uniform(-1, 1):.3f}, {self.rng.uniform(-1, 1):.3f})"
        second = f"second = ({self.pick('-0.3', '1', 'np.float64(0.2)')}, 0.7)"
        text = "\n".join(["def program(x, y):", *["    " + line for line in body]])
        return "\n".join([HEAD, text, first, second]) + "\n"
