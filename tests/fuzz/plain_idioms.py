"""Random plain programs of NumPy's everyday ways: kept slices, computed places, outputs, selections, integer arrays."""

from __future__ import annotations

from .chance import Chance

HEAD = """import math
import numpy as np
K = 0.7
B = np.arange(8.0) * 0.1 + 0.1
INNER, PARTS = slice(1, -1), [slice(0, 3), slice(2, 6)]
def soft(x, t=0.1):
    if x > t:
        return x - t
    return 0.5 * x
vsoft = np.vectorize(soft)
class Grid:
    def __init__(self, n):
        self.left, self.right = slice(None, n), slice(-n, None)
def lse(z, axis=None):
    m = np.max(z, axis=axis, keepdims=True)
    return np.squeeze(m + np.log(np.sum(np.exp(z - m), axis=axis, keepdims=True)), axis=axis)
"""


class IdiomsWriter(Chance):
    """Writes one program from a source of chance."""

    def vector(self) -> str:
        return self.pick("x", "u", "v", "u", "v")

    def slice(self) -> str:
        return self.pick("INNER", "w", "PARTS[i]", "g.left", "g.right", "slice(i, i + 2)", "np.s_[1:4]", "sl[i]")

    def places(self) -> str:
        return self.pick(
            "at", "[i, 5]", "[0, i + 1]", "list(t)", "n", "np.array([i, 4])", "[k for k in range(6) if k % 2]", "order",
            "free", "n[:2]",
        )  # fmt: skip

    def single(self) -> str:
        v = self.vector()
        return self.pick(
            "np.array(s)", "np.asarray(a)", f"np.squeeze({v}[2:3])", f"lse({v})", f"{v}[:1].reshape(())",
            f"np.where({v}[0] > 0.4, a, s)", f"({v}[None] @ {v}[:, None]).squeeze()", "np.array(0.4)",
        )  # fmt: skip

    def number(self) -> str:
        v = self.vector()
        return self.pick(
            "a", "s", "0.5", "K", f"{v}[1]", f"{v}[{self.slice()}].sum()", f"{v}[{self.places()}].sum()", "A[t]",
            f"float({self.single()})", self.single(), "q", f"(q * {self.single()})", "n[1]", "n.sum() * 0.1",
            f"lse(A, axis={self.pick('0', '1')})[0]", f"{self.single()}.item()", "A[INNER, i].sum()", "A[both].sum()",
            "np.block([[A, A.T], [A * a, A]]).sum()", "np.dstack((A, A * a))[1].sum()", "vsoft(A)[1, 0]",
            "np.fromfunction(lambda j, k: s * j + k * a, (3, 2)).sum()",
        )  # fmt: skip

    def whole(self) -> str:
        v, c, d = self.vector(), self.number(), self.number()
        return self.pick(
            f"{v} * {c}",
            f"np.select([{v} < 0.3, {v} < 0.8], [{v} * {self.pick(c, '1')}, {d}], default={self.pick(c, '0', v)})",
            f"np.fromiter(({c} * k + e for k, e in enumerate({v})), float)", f"np.array([e * {c} for e in {v}])",
            f"np.cumsum({v}) * 0.3",
            f"np.array([{c}] * 8)", f"np.roll({v}, i)", f"np.where({v} > {c}, {v}, B)",
            f"np.sin({v} * np.arange(8) * i)", f"vsoft({v})", f"vsoft({v}, {c})", f"np.vectorize(lambda e: e * K)({v})",
            f"np.fromfunction(lambda j: np.sin(j * {c}), (8,))", f"np.dstack([{v}, v])[0, :, 1]",
            f"np.block([{v}[:3], v[3:]])",
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        n, v, c = self.pick("u", "v"), self.vector(), self.number()
        op, row = self.pick("=", "+=", "*="), self.pick("z.sum()", "np.cumsum(z)", "z * s", "0.5")
        kinds = [
            [f"s = {c} * 0.3 + 0.1"], [f"s += {c} * 0.2"], [f"{n} = {self.whole()}"], [f"q = {self.single()}"],
            [f"{n}[{self.slice()}] {op} {c}"], [f"{n}[{self.places()}] {op} {c}"], [f"{n}[:] = {v} * 0.5"],
            [f"np.{self.pick('add', 'multiply', 'maximum')}({v}, {c}, out={n})"], [f"np.sin({n}, out={n})"],
            [f"{n}[...] = {self.pick(c, v)}"],
            [f"np.copyto({n}, {self.pick(c, v)})"], [f"np.add.at({n}, {self.places()}, {c})"],
            [f"w = {self.slice()}"], [f"t = ({self.pick('i', '1')}, {self.pick('i + 1', '2', '0')})"],
            [f"A[{self.pick('both', 'INNER', 't', 'np.ix_(t, [0, 2])', 'np.s_[:, 1]', 'i, 0:2')}] {op} {c}"],
            [f"at = [{self.pick('i', '1', '3')}, {self.pick('i + 2', '4', '6')}]"], ["at.append(i + 3)"],
            [f"n[{self.pick('i', '1', '-1')}] {self.pick('=', '+=')} {self.pick('i', '1', 'k')}"],
            ["k = (k * 3 + i) % 5"],
            [f"A = np.array([{self.vector()}[:3] * {c}] * 3)"], [f"n[0] = np.argmax({v})"],
            [f"r = np.apply_along_axis(lambda z: {row}, {self.pick(0, 1)}, A)", "s += r.sum() * 0.1"],
            ["order = np.argsort(v)[:3]"],
            [f"it = iter({n})", "s += next(it)", self.pick(f"{n} *= {c}", f"{n}[1] = {c}", f"{n} = {v} * 2", "pass"),
             "for e in it:", "    s += e * 0.1"],
        ]  # fmt: skip
        if depth:
            inner = ["    " + line for _ in range(self.pick(1, 2)) for line in self.statement(depth - 1)]
            kinds += [
                ["for i in range(2):", *inner], ["for i in range(1, 3):", *inner], [f"if {c} > 0.4:", *inner],
                ["for (i, j), e in np.ndenumerate(A[:2, :2]):", "    s += e * (i + 0.5 * j)", *inner],
                ["for w in PARTS:", *inner], ["for i, e in enumerate(v[:2]):", "    s += e", *inner],
            ]  # fmt: skip
        return self.pick(*kinds)

    def program(self) -> str:
        lines = [
            "u, v, A = B * a, np.zeros(8), np.outer(x[:3], x[3:6]) + 0.2", "s, q, i, k = 0.1, 0.2, 1, 2",
            "g, w, both, t = Grid(3), slice(1, 4), (INNER, slice(0, 2)), (0, 2)",
            "at, sl = [1, 3], [INNER, slice(0, 4)]",
            "n, order = np.zeros(3, int), np.array([2, 0, 1])", "free = [k for k in range(8) if k % 3]",
        ]  # fmt: skip
        for _ in range(self.pick(2, 3, 4, 5)):
            lines += self.statement(1)
        lines.append("return s + float(q) * 0.1 + u.sum() * 0.3 + v @ x + A.sum() * 0.2")
        body = "\n".join("    " + line for line in lines)
        x = f"np.array([{self.numbers(8)}])"
        return (
            f"{HEAD}def program(a, x):\n{body}\nfirst = ({self.numbers(1)}, {x})\nsecond = ({self.numbers(1)}, {x})\n"
        )
