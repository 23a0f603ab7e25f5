"""Lists and dicts of arrays of several shapes that loops fill, go through and change; for `plain`, which judges them.

Variables of loops are names of items: items are written into by them and beside them, and replaced meanwhile.
"""

from __future__ import annotations

import random
import re

from .plain_methods import indented

HEAD = """import math
import numpy as np
K = 0.7
X = np.array([[0.3, -0.2, 0.5], [0.1, 0.4, -0.6]])
def scaled(w, k):
    w *= k
    return np.sum(w)
def squares(w):
    return np.sum(w ** 2)
def wide(m, n, a):
    return np.ones((m, n)) * a
"""
MAKERS = (
    ["W, B = [], []", "for m, n in zip({sizes}[:-1], {sizes}[1:]):", "    W.append(rng.normal(size=(m, n)) * {a})",
     "    B.append(np.zeros(n))"],
    ["W = [rng.standard_normal((m, n)) * {a} for m, n in zip({sizes}, {sizes}[1:])]",
     "B = [np.ones(n) * {b} for n in {sizes}[1:]]"],
    ["W, B = [], []", "last = 3", "for n in {rest}:", "    W.append(wide(last, n, {a}))",
     "    B.append({b} * np.ones(n))", "    last = n"],
    ["sizes = {sizes}", "W, B = [], []", "for i in range(len(sizes) - 1):",
     "    W.append(rng.uniform(-1, 1, (sizes[i], sizes[i + 1])) + {a})", "    B.append(np.full(sizes[i + 1], {b}))"],
)  # fmt: skip
FORWARD = ("h = X * x", "for w, c in zip(W, B):", "    h = np.tanh(h @ w + c)")
HEADS = (
    "for w in W:", "for i, w in enumerate(W):", "for w, c in zip(W, B):", "for i, (w, c) in enumerate(zip(W, B)):",
    "for i in range(len(W)):", "for w in reversed(W):", "for k, w in D.items():", "for w in D.values():",
    "for w, g in zip(W, G):",
)  # fmt: skip
USES = (
    "s += squares(w)", "s += np.sum(w) * {e}", "w *= {e}", "w -= 0.1 * w", "w[0] = {e}", "w[:1] *= {e}",
    "s += scaled(w, {e})",
    "w = w * {e}", "u = w", "L.append(w)", "L.append(w.T)", "L.append(w * {e})", "W[i] *= {e}", "W[i] = W[i] * {e}",
    "W[0] += {e}", "W[-1] = W[-1] * {e}", "B[i] -= {e}", "c += {e}", "s += c[0]", "s += np.sum(u)", "s += len(L) * {e}",
    "D[k] = w * {e}", "s += np.sum(D['u'])", "w -= 0.1 * g",
    "g = g * {e}", "G[0] = G[0] + {e}", "f = lambda: np.sum(w)\ns += f()",
    "if s > {e}: break", "if s > {e}: continue", "s += sum(np.sum(v) for v in W)", "s += np.sum(W[0])",
    "W[0], W[-1] = W[-1], W[0]", "change({e})", "w += np.sum(W[0])",
)  # fmt: skip
BETWEEN = (
    "G = [w * {e} for w in W]", "G = [np.ones_like(w) for w in W]", "W = [w - 0.1 * g for w, g in zip(W, G)]",
    "W.append(W.pop(0))", "u = W[0]", "u *= {e}", "D['u'] = W[0]", "D['v'] = u * {e}", "W[0] -= 0.1 * G[0]",
    "W.append(np.outer(B[0], B[-1]))", "s += squares(u)", "G = W[:]",
)  # fmt: skip


class LayersWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        # most constructs are left out, so that few are refused
        self.uses = [*rng.sample(USES, 4), "s += squares(w)", "w *= {e}"]
        self.changes = rng.random() < 0.2
        self.between = rng.sample(BETWEEN, 2)

    def number(self) -> str:
        return self.rng.choice(("x", "y", "0.5", "K", "x * y", "-0.4", "s", "np.sum(B[0])"))

    def loop(self) -> list[str]:
        head = self.rng.choice(HEADS)
        names = {"i": " i" in head, "c": " c" in head, "g": " g" in head, "k": " k" in head, "change": self.changes}
        uses = [
            use for use in self.uses if all(has or not re.search(rf"\b{name}\b", use) for name, has in names.items())
        ]
        body = [
            line
            for _ in range(self.rng.randint(1, 3))
            for line in self.rng.choice(uses).format(e=self.number()).split("\n")
        ]
        if "range" in head:
            body.insert(0, "w = W[i]")
        return [head, *indented(body)]

    def block(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 3)):
            how = self.rng.random()
            if how < 0.2 and depth:
                lines += [f"for t in range({self.rng.choice((2, 3, 14))}):", *indented(self.block(depth - 1))]
            elif how < 0.35:
                lines += FORWARD
            elif how < 0.5:
                lines.append(self.rng.choice(self.between).format(e=self.number()))
            else:
                lines += self.loop()
        return lines

    def program(self) -> str:
        sizes = [3, *[self.rng.choice((1, 2, 3, 8)) for _ in range(2)]]
        maker = [line.format(sizes=sizes, rest=tuple(sizes[1:]), a="x", b="y") for line in self.rng.choice(MAKERS)]
        body = ["rng, s, L = np.random.default_rng(1), 0.1, []", *maker, "h = X * y"]
        body += ["D, u = {'u': np.outer(B[0], B[-1]) + x, 'v': X * y}, X * x", "G = [np.ones_like(w) * y for w in W]"]
        body += ["def change(k):", "    W[0] = W[0] * k"] * self.changes
        for _ in range(self.rng.randint(1, 2)):
            body += self.block(1)
        total = "sum(np.sum(w) for w in W) + B[0][0] * np.sum(B[-1]) + np.sum(D['u']) + np.sum(u)"
        total += " + np.sum(L[0])" * any("L.append" in line for line in body)
        lines = [
            *HEAD.splitlines(),
            "def program(x, y):",
            *indented(body),
            f"    return float(s + np.sum(h) + {total})",
        ]
        for name in ("first", "second"):
            lines.append(f"{name} = ({self.rng.uniform(-1, 1):.3f}, {self.rng.uniform(-1, 1):.3f})")
        return "\n".join(lines) + "\n"
