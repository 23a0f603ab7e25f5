"""Random programs that the eager tier runs, whose hot functions and methods are given objects, dicts and lists.

They read and write the numbers in these, some of which are active; others go by several names.
"""

from __future__ import annotations

import random
from typing import Any

HEAD = """import math
import numpy as np
K = 0.7
class Part:
    rate = 0.4
    def __init__(self, x, v, w=None):
        self.x, self.v, self.n, self.name = x, v, 1, "p"
        self.pos = np.array([0.5, 0.25]) if w is None else w
        self.opts = {"k": 0.3, "on": True}
        self.next = None
    @property
    def energy(self):
        return self.x * self.v
"""


class DeepWriter:
    """Writes them: `x`, `y` are numbers, `p`, `q` parts, `d` a dict, `l` a list, `u` an array."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.around: tuple[str, ...] = ()

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.4:
            return self.pick("x", "y", "p.x", "p.v", "q.x", "d['a']", "d['b']", "l[0]", "l[1]", "u[0]", "K", "0.5",
                             "p.energy", "p.pos[1]", "p.opts['k']", "p.rate", "d['in']['c']",
                             *self.around)  # fmt: skip
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(f"({a} + {b})", f"({a} * {b})", f"math.sin({a})", f"({a} - {b})", f"math.tanh({a})",
                         f"({a} if {b} > 0.2 else {b})", f"({a} / (1.0 + {b} ** 2))", f"abs({a})")  # fmt: skip

    def place(self) -> str:
        return self.pick(
            "p.x", "p.v", "q.v", "d['a']", "d['b']", "l[0]", "l[2]", "u[1]", "d['in']['c']", "p.opts['k']", "p.n"
        )

    def write(self) -> list[str]:
        return self.pick(
            [f"{self.place()} = {self.number()}"], [f"{self.place()} {self.pick('+', '*')}= {self.number()}"],
            ["for i in range(3):", f"    {self.place()} += 0.1 * {self.number(1)}"],
            ["for i in range(3):", f"    l[i] = l[i] * 0.5 + {self.number(1)}"],
            [f"if {self.number(1)} > 0.3:", f"    {self.place()} = {self.number(1)}"],
            [f"x = {self.number()}"], ["p.n += 1"], ["for k in d:", "    if k != 'in':", "        d[k] *= 0.9"],
        )  # fmt: skip

    def function(self, name: str) -> list[str]:
        if self.rng.random() < 0.3:  # of a ring, where there is one
            self.around = ("(p.next or q).x", "((p.next or p).next or q).v", "float(text)")
        body = [line for _ in range(self.rng.randint(1, 4)) for line in self.write()]
        if self.rng.random() < 0.15:
            body.append(f"if {self.number(1)} > 0.9: return {self.kinds[name]}")
        self.around = ()
        lines = ["    " + line for line in [*body, f"return {self.kinds[name]}"]]
        return [f"def {name}(x, y, p, q, d, l, u, text):", *lines]

    def statement(self, depth: int) -> list[str]:
        if self.rng.random() < 0.55:
            name = self.pick(*self.kinds)
            p, q = self.pick(("p", "q"), ("q", "p"), ("p", "r"), ("r", "q"), ("p", "p"), ("p.next or p", "q"))
            others = f"{self.pick('d', 'd', 'e')}, {self.pick('l', 'm')}, {self.pick('u', 'p.pos')}, text"
            given = f"{self.number(1)}, y, {p}, {q}, {others}"
            call, kind = f"{name}({given})", self.kinds[name]
            target = {"None": "", "(": "x, y = ", "x": "x = "}.get(kind[0] if kind != "None" else kind, "y = ")
            return [f"{target}{call}"]
        if depth and self.rng.random() < 0.3:
            inner = [*self.statement(depth - 1), *self.statement(depth - 1)]
            return [self.pick("for k in range(2):", f"if {self.number(1)} > -0.2:"), *["    " + line for line in inner]]
        return self.pick(
            self.write(), self.write(), [f"r = Part({self.number(1)}, {self.number(1)})"], ["p.next = q"],
            ["p.next, q.next = q, p"], ["p.next, q.next = q, p"], [f"text = '%.17g' % ({self.number(1)},)"],
            ["q.opts = p.opts"],
            ["e = d"], ["e = dict(d)"], ["m = l"], ["m = list(l)"], ["p, q = q, p"], ["q.pos = u"], ["u = u * 1.0"],
        )  # fmt: skip

    def program(self) -> str:
        kinds = ("None", "None", "x * y", "(x, y + p.x)", "p.v * 0.5")
        self.kinds = {f"f{k}": self.pick(*kinds) for k in range(3)}
        start = [
            "p, q, r = Part(x, 0.3), Part(0.2, y, np.array([x, 0.4])), Part(0.1, 0.2)",
            "d, l, u = {'a': x, 'b': 0.4, 'in': {'c': y}}, [x, 0.2, y], np.array([x, y, 0.1])",
            "e, m, text = {**d}, [*l], '0.75'",
        ]  # fmt: skip
        body = [line for _ in range(self.rng.randint(6, 12)) for line in self.statement(2)]
        end = [f"total = math.sin({self.pick('x', 'y')})"]
        left = "p.x p.v q.x q.v r.x d['a'] d['in']['c'] l[0] l[2] m[1] e['b'] u[1] p.pos[0] q.opts['k'] x y"
        end += [f"total += math.tanh({v})" for v in left.split()]
        lines = [line for name in self.kinds for line in self.function(name)]
        lines += ["def program(x, y):", *["    " + line for line in [*start, *body, *end, "return total + 0.1 * p.n"]]]
        return HEAD + "\n".join(lines) + "\nfirst, second = (0.3123, -0.7311), (0.8237, 0.4119)\n"
