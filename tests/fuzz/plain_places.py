"""Random plain programs of square matrices: diagonals, pairs of index arrays, groups of labels, empty parts."""

from __future__ import annotations

from .chance import Chance

HEAD = """import math
from collections import namedtuple
import numpy as np
K = 0.7
Spot = namedtuple("Spot", "u v")
SPOTS = [Spot(0.3, 2), Spot(-0.4, 1), Spot(0.9, 3)]
"""


class PlacesWriter(Chance):
    """Writes one program from a source of chance."""

    least, most = -1.0, 1.5

    def matrix(self) -> str:
        return self.pick("A", "B", "A", "B", "A * B", "A.T + B", "np.diag(v)", "A @ B * 0.3", "np.outer(v, x)")

    def vector(self, depth: int = 1) -> str:
        if not depth:
            return self.pick("x", "v", "x")
        m = self.matrix()
        return self.pick(
            "x", "v", f"({m}).diagonal()", f"np.diag({m})", f"({m})[{self.pick('0', '-1', ':, 1')}]", "np.cumsum(x)",
            f"{self.vector(0)} * {self.number(0)}", f"({m}) @ x", "np.sort(x)",
            "np.clip(v, -0.5, 0.8)", "np.roll(v, 1)",
        )  # fmt: skip

    def number(self, depth: int = 1) -> str:
        if not depth:
            return self.pick("a", "s", "0.5", "-1.2", "K", "x[1]", "v[-1]")
        v, m = self.vector(0), self.matrix()
        return self.pick(
            f"np.sum({self.vector()})", f"np.trace({m})", f"{v} @ x", f"np.where({v}[0] > {self.number(0)}, a, 0.3)",
            f"np.sign({self.number(0)}) * a", f"np.abs({self.number(0)})", "sum(p.u * a ** p.v for p in SPOTS)",
            f"float({self.number(0)})", f"np.sum(({m})[np.{self.pick('triu', 'tril', 'diag')}_indices_from(A)])",
            "A[1, 2:] @ x[2:]", f"np.maximum({self.number(0)}, 0)", f"np.sum(x[L == {self.pick(0, 1, 2)}])",
        )  # fmt: skip

    def mask(self) -> str:
        return self.pick("x > 0.2", "v < a", "np.abs(x) < 0.5", "~(x > a)", "L == 1", "x > v")

    def statement(self, depth: int) -> list[str]:
        m, at = self.pick("A", "B"), self.pick("I, I", "I, J", "J, I", "I, I[::-1]", "J, J", "[0, 2], [1, 1]")
        chosen = self.pick(f"s * x[{self.mask()}]", "v[v > 0.3]", "np.array([a])")
        kinds = [
            [f"s = {self.number()} * 0.4"], [f"{m} = 0.5 * ({self.matrix()})"], [f"v = {self.vector()} * 0.7"],
            [f"np.fill_diagonal({m}, {self.pick(self.number(0), self.vector(0), self.number(0))})"],
            [f"{m}[{at}] {self.pick('=', '+=', '-=')} {self.pick(self.number(0), 'x', 'x[:2]')}"],
            [f"{m}[np.diag_indices_from({m})] {self.pick('=', '+=')} {self.number(0)}"],
            ["x = x * 1.0", f"x[{self.mask()}] = {chosen}"],
            [f"e = v[{self.mask()}]", "s += e @ e"],
            ["m = v > K", "v = v * 1.0", f"v[m] = x[m] * {self.number(0)}"],
            [f"v = {self.pick('np.cumsum(x)', 'np.sort(v)', 'x * 1.0')}", f"v[{self.pick(0, -1)}] = {self.number(0)}"],
        ]  # fmt: skip
        if depth:
            inner = ["    " + line for line in self.statement(depth - 1)]
            kinds += [
                ["for g in np.unique(L):", "    e = x[L == g]", f"    s += np.sum(e * e) * {self.number(0)}", *inner],
                ["for g, k in zip(*np.unique(L, return_counts=True)):", "    s += x[L == g].sum() * k", *inner],
                ["for i in range(2, -1, -1):", "    v[i] = x[i] - A[i, i + 1:] @ v[i + 1:] * 0.3", *inner],
                ["for i in range(3):", f"    s += A[i, :i] @ x[:i] * {self.number(0)}", *inner],
                ["for i in range(N):", *inner], [f"if {self.number()} > 0.2:", *inner],
            ]  # fmt: skip
        return self.pick(*kinds)

    def program(self) -> str:
        lines = [
            f"A, B = np.array([{self.numbers(9)}]).reshape(3, 3) * a, np.full((3, 3), a / 3)",
            "s, v = 0.1, x * 0.5",
        ]
        for _ in range(self.pick(2, 3, 4)):
            lines += self.statement(1)
        lines.append(f"return s + {self.number()} + np.sum(A * B) + v @ x")
        body = "\n".join("    " + line for line in lines)
        labels = [self.rng.randrange(3) for _ in range(3)]
        places = self.pick("[0, 1, 2]", "[0, 1, 2]", "[2, 0, 1]", "[0, 0, 1]", "[0, -1, 1]")
        head = f"L, N = np.array({labels}), {self.pick(1, 2)}\nI, J = np.array({places}), np.array([1, 2, 0])\n"
        x = f"np.array([{self.numbers(3)}])"
        second = self.pick(x, x, f"np.array([{self.numbers(4)}])", f"np.array([{self.numbers(6)}])[::2]")
        arguments = f"first = ({self.numbers(1)}, {x})\nsecond = ({self.pick(self.numbers(1), '2')}, {second})\n"
        return f"{HEAD}{head}def program(a, x):\n{body}\n{arguments}"
