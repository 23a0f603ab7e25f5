"""Random plain programs of arrays that share memory for a while: views, second names, swaps, and writes between reads.

Whether a write is seen depends on what is read later, in a loop also on what an earlier turn has left.
"""

from __future__ import annotations

from .chance import Chance

HEAD = """import math
import numpy as np
K = 0.7
B = np.arange(8.0) * 0.1 + 0.1
INNER = slice(1, -1)
def tail(z):
    return z[1:]
def same(z):
    return z
def slope(z):
    g = np.zeros_like(z)
    g[1:] = z[1:] - z[:-1]
    return g
def relax(z, h):
    z[1:-1] *= h
    return z
"""
NAMES = ("u", "v", "w", "p")


class SharingWriter(Chance):
    """Writes one program from a source of chance."""

    def name(self) -> str:
        return self.pick(*NAMES)

    def number(self) -> str:
        n = self.name()
        return self.pick("a", "s", "K", "0.3", f"{n}.sum()", f"{n}[1]", f"{n}[-1]", f"np.squeeze({n}[2:3])", "q")

    def whole(self) -> str:
        """An array of eight numbers, which may be another one's memory."""
        n = self.name()
        return self.pick(
            n, n, n, f"{n}[:]", f"{n}[::-1]", f"{n}.copy()", f"{n} * {self.pick('a', 'K', '0.5')}", "np.zeros(8)",
            f"{n}.reshape(8)", f"same({n})", f"np.asarray({n})", f"{n} + {self.name()}", f"slope({n})", "B * a",
            f"{n}.reshape(2, 4).T.reshape(8)", f"np.where({n} > 0.2, {n}, {self.name()})",
        )  # fmt: skip

    def part(self) -> str:
        n = self.name()
        return self.pick(
            f"{n}[1:]", f"{n}[i:]", f"{n}[INNER]", f"{n}[:3]", f"tail({n})", f"{n}[::2]", f"{n}[i:i + 2]",
            f"{n}.reshape(2, 4)[0]", f"{n}.reshape(2, 4)[:, i]", f"{n}[[0, i]]",
        )  # fmt: skip

    def write(self) -> list[str]:
        n, m, c = self.name(), self.name(), self.number()
        op = self.pick("=", "+=", "*=", "-=")
        return self.pick(
            [f"{n}[1:-1] {op} {c}"], [f"{n}[1:-1] = {m}[1:-1] + 0.1 * ({m}[2:] - {m}[:-2])"], [f"{n}[i] {op} {c}"],
            [f"{n}[2:] {op} {m}[:-2]"], [f"{n} {op if op != '=' else '+='} {self.pick(m, c)}"], [f"{n}[INNER] = {c}"],
            [f"{n}[:] = {m}"], [f"{n}[{n} > 0.3] = {c}"], [f"np.add.at({n}, [0, i, 1], {c})"], [f"relax({n}, 0.9)"],
            [f"{n}[[i, 5]] {op} {c}"], [f"{self.pick('k', 'r', n, n, m, m)}[0] {op} {c}"],
        )  # fmt: skip

    def name_given(self) -> list[str]:
        n, m, o = self.rng.sample(NAMES, 3)
        return self.pick(
            [f"{n} = {self.whole()}"], [f"{n} = {self.whole()}"], [f"{n}, {m} = {m}, {n}"],
            [f"t = {n}", f"{n} = {m}", f"{m} = t"], [f"t = {n}", f"{n} = {m}", f"{m} = {o}", f"{o} = t"],
            [f"{n}, {m}, {o} = {m}, {o}, {n}"], [f"k = {self.part()}"], [f"k = {self.part()}"],
            [f"{n} = {m} = {self.whole()}"],
            [f"q = {self.number()}"], [f"old = {n}", f"{n} = {n}.copy()"], [f"t = {n}", f"{n} = {m}"],
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        kinds = [
            self.write(), self.write(), self.write(), self.name_given(), self.name_given(),
            [f"s += {self.number()} * 0.3"],
            [f"s += {self.pick('k', 'old', 't', self.part(), self.name())}.sum() * 0.2"],
            [f"r = {self.part()}", "s += (r * r).sum() * 0.1"],
        ]  # fmt: skip
        if depth:
            inner = ["    " + line for _ in range(self.pick(1, 2, 3)) for line in self.statement(depth - 1)]
            kinds += [
                [f"for i in range({self.pick(2, 3)}):", *inner], [f"for i in range({self.pick(2, 3)}):", *inner],
                [f"if {self.number()} > {self.pick(0.2, 0.5)}:", *inner],
                [f"for i in range({self.pick(2, 3)}):", *inner, f"    if {self.number()} > 1.2:", "        break"],
                [f"for c in {self.pick('B[:2]', self.name() + '[:2]')}:", "    s += c", *inner],
            ]  # fmt: skip
        return self.pick(*kinds)

    def program(self) -> str:
        lines = [
            "u, v, w, p = B * a, np.zeros(8), x * 1.0, np.sin(x)", "s, q, i, k = 0.1, 0.2, 1, u[2:]",
            "old, t, r = x * 0.5, x + 1.0, x * a",
        ]  # fmt: skip
        for _ in range(self.pick(2, 3, 4, 5)):
            lines += self.statement(2)
        lines.append(
            f"return s + {' + '.join(f'{n}.sum() * 0.{i + 1}' for i, n in enumerate(self.rng.sample(NAMES, 3)))}"
        )
        body = "\n".join("    " + line for line in lines)
        x = f"np.array([{self.numbers(8)}])"
        return (
            f"{HEAD}def program(a, x):\n{body}\nfirst = ({self.numbers(1)}, {x})\nsecond = ({self.numbers(1)}, {x})\n"
        )
