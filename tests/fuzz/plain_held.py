"""Random programs with arrays in lists that grow, in dicts with computed keys, in queues and in lists of tuples.

Arrays have several names, are handed on for good, written into before and after they are put somewhere, and taken out
again; for `plain`.
"""

from __future__ import annotations

import random
from typing import Any

HEAD = """import math
from collections import defaultdict, deque
import numpy as np

A = np.arange(4.0).reshape(2, 2) * 0.3 + 0.2
class Log:
    def __init__(self):
        self.rows, self.at = [], {}
    def add(self, a, k):
        self.rows.append(a)
        self.at[k] = a
K = 1
"""
CHANGES = (
    "{a} = {a} * 0.5", "{a} *= 0.9", "{a} += {b}", "{a}[0, 1] = x", "{a} = {b}", "{a}, {b} = {b}, {a}",
    "{a} = {b}.T", "{a} = {b}.copy()", "{a}[0] = {b}[1]", "{a} = np.tanh({a} @ {b})", "{a} = A * x", "{a} = -{b}",
)  # fmt: skip
PUTS = (
    "L.append({a})", "L.append({a}.copy())", "L.append({a} * y)", "L.append({a} @ A)", "D[{i}] = {a}",
    "D[{i}] = {a} + x", "D[{i}] += {a}", "D[{i}] = D[{i}] * 0.5 + {a}", "L[{j}] = {a} - y", "L[{j}] += x",
    "L[{j}][0, 0] = y", "Q.append({a} * 0.5)", "Q.appendleft({a})", "P.append(({a} * x, {i}))", "P.append(({a}, {i}))",
    "L = L[::-1]", "M = L", "L.insert(0, {a} * 1.0)", "o.add({a}, {i})", "o.add({a} * y, {i})", "o.rows[{j}] = {a}",
    "R = [{a}, {b}]; R[0] -= 0.1 * R[1]; s = s + R[0].sum()", "R = [{a}]; R[0] -= y; s = s + R[0][0, 1]",
    "R = [{a} * x, {b}]\\nfor r_ in range(2):\\n    R[r_] -= y * R[r_]\\ns = s + R[0].sum() * R[1][1, 0]",
    "V.append({a}[0])", "V.append({a}.ravel()[:2])", "V[{j}][1] = y", "V.append({a}[0] * x)", "V[{j}] *= 0.5",
    "V = [v_ for v_ in {a}]", "R = [np.zeros_like(v_) for v_ in (a, b)]; R[0] += {a}; s = s + R[0].sum() * R[1].sum()",
    "D = {{k_: v_ * 0.5 for k_, v_ in D.items()}}", "Z[{i}] = {a} + Z[{i}]", "Z[{i}] += {a}",
)  # fmt: skip
TAKES = (
    "s = s + L[{j}].sum()", "{a} = L[{j}]", "{a} = L[{j}] * x", "{a} = D.get({i}, A)", "s = s + sum(L)[0, 1]",
    "s = s + np.array(L)[:, 0, 1].sum()", "s = s + np.stack(L).mean(axis=0)[1, 1]", "{a} = np.vstack(L)[:2] * 0.5",
    "for v_ in L:\\n    s = s * 0.9 + v_[1, 0]", "for k_, v_ in D.items():\\n    s = s + k_ * v_.sum()",
    "for k_, (v_, n_) in enumerate(P):\\n    s = s + k_ * v_[0, 0] * n_", "for v_ in L:\\n    v_ *= 0.5",
    "if Q:\\n    {a} = Q.popleft()", "if Q:\\n    s = s + Q.pop().sum()", "{a}, n_ = P[-1]\\ns = s + n_ * x",
    "s = s + sum(v_.sum() for v_ in L)", "s = s + o.at[0].sum()", "s = s + sum(r_[0, 0] for r_ in o.rows)",
    "s = s + sum(v_[1] for v_ in V)", "s = s + V[{j}].sum()", "for v_ in V:\\n    v_[0] = x",
    "s = s + np.array(V).sum()",
    "s = s + len(L) * x", "if len(L) > 3:\\n    {a} = L.pop()", "s = s + kept({a})", "s = s + Z[{i}][0, 0]",
)  # fmt: skip


class HeldWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.loops: list[str] = []

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def filled(self, text: str) -> list[str]:
        a, b = self.pick("a", "b", "c"), self.pick("a", "b", "c")
        i = self.pick("k", "0", "1", *self.loops, *[f"{v} % 2" for v in self.loops])
        j = self.pick("0", "-1", "0", *[f"{v} % len(L)" for v in self.loops])
        return text.format(a=a, b=b, i=i, j=j).replace("\\n", "\n").split("\n")

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.randrange(10)
        if kind < 3:
            return self.filled(self.pick(*CHANGES))
        if kind < 6:
            return self.filled(self.pick(*PUTS))
        if kind < 8 or not depth:
            return self.filled(self.pick(*TAKES))
        if kind == 8:
            test = self.pick("x > y", "s > 1.0", "len(L) > 2", "k in D", f"{self.pick('a', 'b')}[0, 1] > x")
            lines = [f"if {test}:", *self.block(depth - 1)]
            return lines + (["else:", *self.block(depth - 1)] if self.rng.random() < 0.3 else [])
        i = f"i{len(self.loops)}"
        self.loops.append(i)
        lines = [f"for {i} in range({self.rng.randint(2, 5)}):", *self.block(depth - 1)]
        self.loops.pop()
        return lines

    def block(self, depth: int) -> list[str]:
        return ["    " + line for _ in range(self.rng.randint(1, 4)) for line in self.statement(depth)]

    def program(self) -> str:
        lines = ["s = x", f"k = {self.rng.randrange(3)}", "o = Log()"]
        lines += ["a = A * x", f"b = {self.pick('a * y', 'A + y', 'np.eye(2) * x', 'a')}", "c = A @ a"]
        lines += [f"L = {self.pick('[]', '[a]', '[A * x]', '[a * 0.5, b]', '[v_ * a for v_ in range(3)]')}", "M = L"]
        lines += [f"D = {self.pick('{}', '{0: a, 1: b}', '{k: A * y}', '{v_: A * v_ * x for v_ in range(3)}')}"]
        lines += [f"Q = deque({self.pick('', '[a]', '[A * x, b * 1.0]')})", "P = [(A * x, 1)]", "V = [a[1]]"]
        lines += [f"Z = defaultdict(lambda: {self.pick('np.zeros((2, 2))', 'A * x', 'A')})"]
        if self.rng.random() < 0.7:
            lines.append("L.append(A * y)")
        for _ in range(self.rng.randint(3, 7)):
            lines += self.statement(2)
        lines.append(f"return {self.pick('s', 's', 's + L[-1].sum()', 's + a[0, 1] * b[1, 1]', 's + D[0].sum()')}")
        parts = [HEAD + "def kept(m):\n    N = [m]\n    N[0] = N[0] * 0.5\n    return N[0].sum()"]
        parts.append("\n".join(["def program(x, y):", *["    " + line for line in lines]]))
        given = ("0.7", "1.3", "np.float64(0.9)", "-0.4")
        for name in ("first", "second"):
            parts.append(f"{name} = ({self.rng.choice(given)}, {self.rng.choice(given)})")
        return "\n".join(parts) + "\n"
