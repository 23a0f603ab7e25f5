"""Random plain programs whose arrays grow, many from none: ``t = np.append(t, x)``, joined rows and columns."""

from __future__ import annotations

from .chance import Chance

HEAD = """import math
import numpy as np
K = 0.7
class Log:
    def __init__(self):
        self.t, self.rows = np.array([]), np.zeros((0, 2))
    def add(self, x, p):
        self.t = np.append(self.t, x)
        self.rows = np.vstack((self.rows, p))
def grown(t, x):
    return np.append(t, x * 0.5)
"""


class GrownWriter(Chance):
    """Writes one program from a source of chance."""

    def vector(self) -> str:
        return self.pick("t", "w", "p", "t", "x", "t[-2:]", "w[1:]", "log.t")

    def number(self) -> str:
        return self.pick(
            "a", "s", "0.5", "K", "t.sum()", "w.sum() * 0.1", "np.sum(t ** 2)", "p[0]", "p @ q", "len(t) * 0.1", "x[1]",
            "t[-1]", "w[-1]", "h.sum()", "h[-1, 0]", "m[0].sum()", "np.sum(h[:, 1])", "log.t.sum()", "log.rows.sum()",
            "log.rows[-1, 1]", "t.size * a", "h.shape[0] * s", "np.mean(w)", "i", "1", "np.sum(m * m)",
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        n, c, d, v = self.pick("t", "w"), self.number(), self.number(), self.vector()
        pair, op = self.pick("p", "q", f"[{c}, a]", f"np.array([s, {c}])", "h[-1]"), self.pick("=", "+=", "*=")
        kinds = [
            [f"s = {c} * 0.3 + 0.1"], [f"s += {c} * 0.2"], [f"p = np.array([{c}, p[0] * 0.9])"], [f"q = p * {c} * 0.3"],
            [f"{n} = np.append({n}, {c})"], [f"{n} = np.append({n}, {c})"], [f"{n} = np.append({c}, {n})"],
            [f"{n} = np.append({n}, {self.pick(v, pair)})"], [f"{n} = np.hstack(({n}, {c}))"],
            [f"{n} = np.concatenate(({n}, {self.pick(v, pair)}))"], [f"{n} = np.concatenate([{n}, [{c}, {d}]])"],
            [f"h = np.vstack((h, {pair}))"], [f"h = np.vstack([h, {pair}])"],
            [f"h = np.append(h, [{pair}], axis=0)"], [f"h = np.concatenate((h, [{pair}]))"],
            [f"h = np.r_[h, [{pair}]]"],
            [f"m = np.hstack((m, {self.pick('p[:, None]', 'q.reshape(2, 1)', 'np.ones((2, 1)) * a')}))"],
            [f"m = np.column_stack((m, {pair}))"], [f"m = np.append(m, {self.pick('p', 'q')}[:, None], axis=1)"],
            [f"{n} = grown({n}, {c})"], [f"log.add({c}, p)"], ["w = t"], ["w = t.copy()"],
            ["old = t", "w = np.append(old, s)"],
            [f"{n}[-1] {op} {c}"], [f"{n}[0] {op} {c}"], [f"h[-1] {op} {pair}"],
            [f"{n} {op} {c}" if op != "=" else "pass"],
            [f"{n} = np.insert({n}, 0, {c})"], [f"{n} = np.delete({n}, 0)"], [f"{n} = {n}[-3:]"],
            [f"{n} = np.array([])"],
            [f"{n} = np.array([{c}])"], ["t, w = w, t"], ["h = h[1:]"],
        ]  # fmt: skip
        if depth:
            inner = ["    " + line for _ in range(self.pick(1, 2)) for line in self.statement(depth - 1)]
            kinds += [
                [f"for i in range({self.pick(2, 3, 4)}):", *inner], [f"for i in range({self.pick(2, 3)}):", *inner],
                ["for e in x:", f"    {n} = np.append({n}, e)", *inner], [f"if {c} > 0.4:", *inner],
                ["for e in t[:2]:", "    s += e", *inner],
            ]  # fmt: skip
        return self.pick(*kinds)

    def program(self) -> str:
        lines = [
            f"t = {self.pick('np.array([])', 'np.empty(0)', 'np.zeros(0)', 'np.array([a])', 'x[:1]', 'x[:0]')}",
            f"w = {self.pick('np.array([])', 'np.array([a, s])', 't')}".replace("s]", "0.2]"),
            f"h = {self.pick('np.zeros((0, 2))', 'np.empty((0, 2))', 'np.array([x[:2]])', 'x[:2].reshape(1, 2)')}",
            f"m = {self.pick('np.zeros((2, 0))', 'x[:2][:, None]')}",
            "p, q, s, i, log = x[:2] * a, np.ones(2), 0.1, 1, Log()",
        ]
        for _ in range(self.pick(2, 3, 4, 5)):
            lines += self.statement(1)
        lines.append("return float(s + t.sum() * 0.3 + w.sum() + h.sum() + m.sum() * a + log.t.sum() + log.rows.sum())")
        body = "\n".join("    " + line for line in lines)
        x = f"np.array([{self.numbers(3)}])"
        return (
            f"{HEAD}def program(a, x):\n{body}\nfirst = ({self.numbers(1)}, {x})\nsecond = ({self.numbers(1)}, {x})\n"
        )
