"""Random items and orders: batches, resampling, choices of texts and numbers, shuffled arrays; for `plain`."""

from __future__ import annotations

import random

from .plain_methods import indented

HEAD = """import math, random
import numpy as np
K, N = 0.7, 4
X = np.array([[0.3, -0.2], [0.1, 0.4], [-0.6, 0.5], [0.9, 0.2]])
def pick(g, n):
    return g.choice(n)
"""
READS = (
    "u[rng.choice(4)]", "rng.choice(u)", "np.sum(rng.choice(u, size=3))", "np.sum(u[rng.permutation(4)] * v)",
    "np.sum(rng.permutation(u) * v)", "u[order[1]]", "np.sum(u[order[:2]])", "np.sum(X[order[1:3]] @ u[:2])",
    "rng.choice([-1.0, 1.0])", "rng.choice([1, 2, 3]) * {e}", "np.sum(rng.choice([0.5, 2.0], size=4) * u)",
    "rnd.choice([-1, 1]) * {e}", "rnd.choice([x, y, 0.5])", "rnd.choice((x, {e}))", "rnd.choice(l)",
    "u[pick(rng, 4)]",
    "rng.normal({e}, 0.3)", "rng.normal(z, abs({e}))", "np.sum(rng.normal({e}, x * x, size=3))",
    "rng.uniform(-0.5, {e})",
    "np.sum(rng.uniform(low={e}, high=2.0, size=(2, 2)))", "rng.exponential(abs({e}))",
    "rng.normal(0.0, 1 / np.sqrt(N))",
    "np.sum(rng.normal(scale=0.1 / math.sqrt(N), size=4) * u)", "np.shape(u)[0] * x", "np.size(m) + np.ndim(u) * z",
    "np.sum(rng.normal(u, abs({e})) * v)", "np.sum(rng.uniform(u - 1.0, m * m))", "np.sum(rng.normal(m, q)[1])",
    "rnd.gauss({e}, 0.3)", "rnd.gauss(0, x)", "rnd.uniform({e}, y)", "rnd.normalvariate(z, {e})",
    "rng.random()", "rnd.random()", "rnd.randint(0, 3)", "u[rng.choice(4, p=q)]", "rng.choice(u, p=q)",
    "u[rng.choice(N, p=[0.1, 0.2, 0.3, 0.4])]", "np.sum(rng.choice(u, 2, False))", "u[rng.integers(4)]",
    "d[rnd.choice(('a', 'b'))]", "d[rnd.choice(['a', 'b'])] * {e}", "np.sum(rng.choice(m)[:2])",
    "np.sum(rng.permutation(m)[0])", "m[rng.choice(4), rng.choice(4)]", "t[s_, rnd.choice([0, 1])]", "t[s_, 0]",
    "rng.poisson(2.0) * {e}", "np.sum(rng.gamma(2.0, size=4) * u)", "rng.binomial(3, 0.5) * 0.5",
    "rnd.betavariate(1.0, 2.0) * {e}", "np.sum(rng.poisson(order + 1) * u)", "u[rng.binomial(3, 0.4)]",
    "np.sum(rng.multivariate_normal([0.0, K], np.eye(2)) * u[:2])", "rng.laplace(K, 0.3)", "rng.poisson(order[1] + 1)",
    "x", "y", "z", "K", "u[0]", "u[3]", "v[1]",
)  # fmt: skip
CHANGES = (
    "order = rng.permutation(4)", "rng.shuffle(order)", "rng.shuffle(u)", "rng.shuffle(m)", "rng.shuffle(v[1:])",
    "v = u", "v = u[::-1]", "v = u * {e}", "u = rng.permutation(v)", "u = rng.choice(v, 4)", "u[rng.choice(4)] = {e}",
    "u[order[0]] += {e}", "l.append({e})", "l = [{e}, x]", "d[rnd.choice(['a', 'b'])] = {e}", "d['a'] = {e}",
    "s_ = rnd.choice([0, 1, 2])", "t[s_, rnd.choice([0, 1])] = {e}", "t[rng.choice(3), 1] += {e}",
    "way = rnd.choice(['up', 'down', 'up'])\nif way == 'up':\n    z += {e}", "q = np.exp(u) / np.exp(u).sum()",
    "m = np.outer(u, v)", "v = m.std(axis=0)\nm[:, 1] = m[:, 0] * {e}", "q = np.linalg.norm(m, axis=1)\nm[0] = v",
    "for i in rng.permutation(4):\n    z += u[i] * {e}",
    "if rnd.random() < 0.5:\n    rng.shuffle(u)",
    "for i in order:\n    z += u[i]\n    if z > {e}: break", "z += {e}", "z = {e}", "z *= {e}",
)  # fmt: skip


class DrawnWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        # most constructs are left out, so that few are refused
        self.reads, self.changes = [*rng.sample(READS, 9), "x"], [*rng.sample(CHANGES, 6), "z += {e}"]

    def number(self, depth: int = 1) -> str:
        inner = self.number(0) if depth else self.rng.choice(("x", "y", "z", "0.4"))
        read = self.rng.choice(self.reads).format(e=inner)
        return self.rng.choice((read, f"{read} * 0.5", f"{read} - {self.rng.choice('xy')}", f"math.tanh({read})"))

    def block(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 4)):
            how = self.rng.random()
            if how < 0.25 and depth:
                lines += [f"for i in range({self.rng.choice((2, 3, 14))}):", *indented(self.block(depth - 1))]
            elif how < 0.35 and depth:
                lines += [f"if {self.number()} > {self.number()}:", *indented(self.block(depth - 1))]
            else:
                lines += self.rng.choice(self.changes).format(e=self.number()).split("\n")
        return lines

    def program(self) -> str:
        made = self.rng.choice(("np.random.default_rng(3)", "np.random.RandomState(3)"))
        body = [
            f"rng, rnd = {made}, random.Random(5)",
            "u, v, z, s_ = np.array([x, y, 0.4, x * y]), np.ones(4), 0.1, 0",
        ]
        body += [
            "order, l, d = np.arange(4), [x, 0.3, y], {'a': x, 'b': 0.5}",
            f"m, t = np.outer(u, u), {self.rng.choice(('{}', 'np.zeros((3, 2))', 'np.zeros((3, 2))'))}",
        ]
        body += ["for i in range(3):", "    t[i, 0], t[i, 1] = x * i, y", "q = np.array([0.4, 0.3, 0.2, 0.1])"]
        for _ in range(self.rng.randint(1, 3)):
            body += self.block(1)
        end = (
            "float(z + np.sum(u * v) + sum(l) + d['a'] * d['b'] + m[0, 1] + t[1, 0] + rng.random() * rnd.random() * x)"
        )
        lines = [*HEAD.splitlines(), "def program(x, y):", *indented([*body, f"return {end}"])]
        for name in ("first", "second"):
            lines.append(f"{name} = ({self.rng.uniform(-1, 1):.3f}, {self.rng.uniform(-1, 1):.3f})")
        return "\n".join(lines) + "\n"
