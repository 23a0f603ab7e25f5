"""Random programs with lists of numbers and of rows: stacks, queues, matrices; for `plain`, which judges them.

Lists grow and shrink at both ends, are joined, sliced and handed on; rows change places, are copied or shared.
"""

from __future__ import annotations

import random
from typing import Any

HEAD = """import math
from collections import deque
import numpy as np
def doubled(p):
    return [2.0 * v for v in p]
def same(p):
    return p
def product(a, b):
    return [[sum(u * v for u, v in zip(row, column)) for column in zip(*b)] for row in a]
def times(a, b):
    out = [[0.0 for _ in range(len(b[0]))] for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                out[i][j] += a[i][k] * b[k][j]
    return out
class Log:
    def __init__(self):
        self.past, self.recent, self.pairs = [], deque(maxlen=3), []
    def note(self, v):
        self.past.append(v)
        self.recent.append(v)
        self.pairs.append((v, len(self.past)))
        return sum(self.recent) / len(self.recent)
def turned(a):
    return [[a[j][i] for j in range(len(a))] for i in range(len(a[0]))]
"""


class ListWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.n = rng.choice([3, 3, 4, 9])
        self.lists = ["p"]
        self.grids: list[str] = []
        self.pairs: list[str] = []
        self.numbers = ["c", "s"]
        self.has_queue = rng.random() < 0.3
        self.is_shared = rng.random() < 0.3

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def at(self) -> str:
        return self.pick("0", "-1", "1", "i", "i - 1", "-i")

    def number(self, depth: int = 2) -> str:
        kind = self.rng.randrange(9) if depth else self.rng.randrange(3)
        if kind < 2:
            return self.pick(*self.numbers, "0.5", "-1.2")
        if kind < 4:
            return f"{self.pick(*self.lists)}[{self.at()}]"
        if kind < 6 and self.grids:
            return f"{self.pick(*self.grids)}[{self.at()}][{self.pick('0', '1', 'i', '-1')}]"
        if kind == 6:
            x = self.pick(*self.lists)
            return self.pick(f"sum({x})", f"max({x})", f"len({x}) * 0.1", f"math.sin(sum(v * v for v in {x}))")
        if kind == 7 and self.pairs:
            return f"{self.pick(*self.pairs)}[{self.pick('0', '-1')}][{self.pick('0', '1')}]"
        return f"({self.number(depth - 1)} {self.pick('+', '-', '*')} {self.number(depth - 1)})" if depth else "0.3"

    def new(self) -> str:
        x, n = self.pick(*self.lists), self.number(1)
        return self.pick(f"[{n}, c, 0.5]", "[0.5] * 4", f"[v * {self.number(0)} for v in {x}]", f"{x}[:]",
                         f"{x}[1:] + [{n}]", f"{x} + [0.5, -1.2]", f"[2.0] + {x}",
                         f"[c] + {x}", f"{x} + {x}[:2]", f"list({x})", f"{x}.copy()", f"doubled({x})", f"{x}[::-1]",
                         *([x, f"same({x})"] if self.is_shared else [f"{x}[:]"]),
                         f"[{n} * k for k in range({self.pick('3', 'len(p)')})]")  # fmt: skip

    def grid(self) -> str:
        n = self.n
        old = [f"[row[:] for row in {g}]" for g in self.grids]
        old += [f"{f}" for g in self.grids for f in (f"product({g}, {g})", f"times({g}, A)", f"turned({g})")]
        return self.pick(*old, *old, f"[[0.0] * {n} for _ in range({n})]", "[row[:] for row in A]",
                         f"[[c * (i + j) for j in range({n})] for i in range({n})]",
                         f"[[s, c, {self.number(0)}], [0.5, 0.1, s], [c, c, 1.0]]" if n == 3 else "turned(A)",
                         *([*self.grids, "A"] if self.is_shared else []))  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.randrange(18)
        if self.has_queue and self.rng.random() < 0.3:
            return self.of_queues()
        x = self.pick(*self.lists)
        if kind < 2:
            name = self.pick("q", "r", "u")
            lines = [f"{name} = {self.new()}"]
            self.lists += [name] * (name not in self.lists)
            return lines
        if kind < 5:
            return [f"{x}[{self.at()}] {self.pick('=', '=', '+=', '-=', '*=')} {self.number()}"]
        if kind == 5:
            return [self.pick(f"{x}.append({self.number(1)})", f"{x}.insert(0, {self.number(1)})",
                              f"{x} += [{self.number(0)}]", f"{x}.extend([c, {self.number(0)}])",
                              f"{x} += {self.pick(*self.lists)}[:2]")]  # fmt: skip
        if kind == 6:
            return [f"if len({x}) > 3:", f"    s += {x}.pop({self.pick('', '', '0', '-1', '1')})"]
        if kind in (7, 8, 9) and self.grids:
            g = self.pick(*self.grids)
            place = f"{g}[{self.at()}][{self.pick('0', '1', 'i')}]"
            return self.pick([f"{place} {self.pick('=', '+=', '*=')} {self.number()}"],
                             [f"{g}[0], {g}[1] = {g}[1], {g}[0]"],
                             [f"for row in {g}:", f"    row[0] += {self.number(1)}"],
                             [f"{g}[{self.pick('0', '1', 'i')}] = {self.pick(f'[c] * {self.n}', f'{g}[-1][:]')}"],
                             [f"row = {g}.pop()", f"{g}.insert(0, row)"],
                             [f"{g}[1] = [{self.number(0)} * u - v for u, v in zip({g}[0], {g}[1])]"])  # fmt: skip
        if kind in (10, 11):
            name = self.pick("m", "k")
            lines = [f"{name} = {self.grid()}"]
            self.grids += [name] * (name not in self.grids)
            return lines
        if kind == 12:
            if self.pairs:
                return self.pick([f"t.append(({self.number(1)}, {self.number(0)}))"],
                                 ["u_, v_ = t.pop(0)", "s += u_ * v_", "t.append((v_, s))"],
                                 ["for u_, v_ in t:", "    s += u_ * v_"], ["t = t[1:] + [(c, s)]"])  # fmt: skip
            self.pairs.append("t")
            return [f"t = [(c, {self.number(1)})]", f"t.append((s, {self.number(0)}))"]
        if kind in (13, 14) and depth:
            head = self.pick(
                "for i in range(3):",
                "for i in range(1, len(p)):",
                f"for i, v in enumerate({x}):",
                f"for i, v in enumerate({x}[:2]):",
            )
            return [head, *self.block(depth - 1)]
        if kind == 15 and depth:
            lines = [f"if {self.number(1)} > {self.number(0)}:", *self.block(depth - 1)]
            return lines + (["else:", *self.block(depth - 1)] if self.rng.random() < 0.5 else [])
        return [f"s {self.pick('=', '+=')} {self.number()}"]

    def of_queues(self) -> list[str]:
        x = self.number(1)
        return self.pick([f"d.append({x})"], [f"d.appendleft({x})"], ["if d:", "    s += d.popleft()"],
                         [f"s += o.note({x})"],
                         ["if len(d) > 1:", "    s -= d.pop()"], ["s += sum(v * w for v, w in o.pairs)"],
                         ["if o.past:", f"    o.past[-1] {self.pick('=', '*=')} {x}"], ["s += len(o.past) * 0.1"],
                         ["if o.recent:", "    s += o.recent[0] * o.recent[-1]"], [f"d.extend([{x}, c])"],
                         ["for v in d:", "    s += v * 0.5"], ["s += sum(list(d)[:2])"],
                         ["if len(o.past) > 2:", "    s += o.past.pop()"])  # fmt: skip

    def block(self, depth: int) -> list[str]:
        before = [list(x) for x in (self.lists, self.grids, self.pairs)]
        lines = [line for _ in range(self.rng.randint(1, 3)) for line in self.statement(depth)] or ["pass"]
        self.lists, self.grids, self.pairs = before  # what a block makes may not be there after it
        return ["    " + line for line in lines]

    def rows(self, n: int, m: int) -> str:
        return str([[round(self.rng.uniform(-1, 1), 3) for _ in range(m)] for _ in range(n)])

    def program(self) -> str:
        n = self.n
        parameters = self.pick(["p", "c"], ["p", "c"], ["p", "c", "m"])
        self.grids = [*parameters[2:]]
        body = ["i = 1", "s = 0.1", *(["p = p[:]"] if self.rng.random() < 0.5 else [])]
        if self.has_queue:
            longest = self.pick("", ", 3", ", maxlen=2", ", maxlen=4")
            body += [
                "o = Log()",
                f"d = deque({self.pick('[c, s]', '[]', 'p', '[0.0] * 3', '(v * c for v in p)')}{longest})",
            ]
        for _ in range(self.rng.randint(3, 8)):
            body += self.statement(2)
        total = " + ".join(["sum(p)", *[f"sum({x}) * {x}[0]" for x in dict.fromkeys(self.lists)]])
        total += "".join(
            f" + sum([sum(row) for row in {g}]) + {g}[0][0] * {g}[-1][1]" for g in dict.fromkeys(self.grids)
        )
        body.append(f"return s + {self.number()} * {self.number(1)} + {total}")
        given = {"p": self.rows(1, n)[1:-1], "c": "0.4", "m": self.rows(n, n)}
        others = {"p": self.pick(self.rows(1, n + 1)[1:-1], "[1, 2, 3, 4]", "(0.1, 0.2, 0.3)",
                                 "[0.5, np.float64(0.2), 0.1]"),
                  "c": self.pick("0.3", "np.float64(0.2)", "1"),
                  "m": self.pick(self.rows(n, n + 1), "[[1] * 9 for _ in range(9)]",
                                 f"[(0.1,) * {n} for _ in range({n})]")}  # fmt: skip
        return "\n".join([
            HEAD, f"A = {self.rows(n, n)}",
            "\n".join([f"def program({', '.join(parameters)}):", *["    " + line for line in body]]),
            f"first = ({', '.join(given[p] for p in parameters)},)",
            f"second = ({', '.join(others[p] for p in parameters)},)",
        ]) + "\n"  # fmt: skip
