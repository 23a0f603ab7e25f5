"""Random plain programs of records that are sorted, random numbers of shared generators, and calls of libraries."""

from __future__ import annotations

import random
from typing import Any

HEAD = """import functools, math, random
from collections import namedtuple
import numpy as np
from scipy import interpolate, stats
Two = namedtuple("Two", "u v")
class Item:
    def __init__(self, u, v, tag="a"):
        self.u, self.v, self.tag = u, v, tag
T = np.array([0.0, 0.4, 0.7, 1.0])
QUOTED = {0.5: 0.3, 1: -0.4, 2.5: 0.2}
K = 0.7
"""


class RecordsWriter:
    """Writes one program from a source of chance: of two numbers and an array of four."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.names = ["x", "y", "p", "q"]

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def atom(self) -> str:
        return self.pick(*self.names, *self.names, "Z[0]", "Z[2]", "0.5", "-1.2", "K")

    def number(self, depth: int = 1) -> str:
        if not depth:
            return self.atom()
        one, other = self.number(depth - 1), self.atom()
        return self.pick(
            f"({one} {self.pick('+', '-', '*')} {other})", f"math.sin({one})", f"max({one}, {other})",
            f"min({one}, 0.3)", f"max((Z * {one}).mean(), {self.pick('0.0', '0.2', other)})", f"abs({one})",
            f"{one} * random.{self.pick('random()', 'gauss(0, 1)', 'uniform(0.5, 2)')}",
            f"{one} + np.random.{self.pick('normal()', 'rand()', 'uniform(0, 1)', 'standard_normal()')}",
            "Z[np.random.randint(0, 4)]", "Z[random.randrange(4)]", "Z[random.randint(0, 3)] * x",
            f"own[{self.pick('0.5', '1', '2.5')}] * {other}", f"QUOTED[{self.pick('0.5', '1')}] * {other}",
        )  # fmt: skip

    def rows(self) -> str:
        """Records of one kind."""
        a, b, c, d = (self.number(self.pick(0, 1)) for _ in range(4))
        return self.pick(
            f"[({a}, {b}), ({c}, {d}), (x, 0.5)]", f"[({a}, 'b'), ({b}, 'a'), ({c}, 'c')]",
            f"[(v * {a}, i) for i, v in enumerate(Z)]", f"[Two({a}, {b}), Two({c}, 0.3)]",
            f"list(zip(['c', 'a', 'b', 'd'], Z * {a}))", f"[(1, {a}), (1, {b}), (0, {c})]",
            f"[(({a}, {b}), 'k'), (({c}, 1.0), 'l')]",
        )  # fmt: skip

    def sorting(self) -> list[str]:
        turned = self.pick("", ", reverse=True")
        key = self.pick("", "", ", key=lambda r: r[1]", ", key=lambda r: (r[1], r[0])", ", key=lambda r: r[0]")
        if self.rng.random() < 0.4:
            rows = self.pick(
                f"[Item({self.number()}, v) for v in Z]", f"[Item({self.atom()}, {self.atom()}, t) for t in 'ba']",
                f"[Item(v, v * {self.atom()}, 'ab'[i % 2]) for i, v in enumerate(Z)]",
            )  # fmt: skip
            how = self.pick(f"R.sort(key=lambda r: r.u{turned})", f"R = sorted(R, key=lambda r: r.v{turned})",
                            f"R = sorted(R, key=lambda r: (r.tag, -r.u){turned})[:2]")  # fmt: skip
            use = self.pick("x = x + R[0].u * 0.5", "p = sum(r.v * (i + 1) for i, r in enumerate(R))",
                            "for r in R:\n        q += r.u * (0.3 if r.tag == 'a' else 0.7)", "R[0].u = x",
                            "y = y + R[-1].v")  # fmt: skip
            return [f"R = {rows}", how, use, "p += R[0].v"]
        how = self.pick(f"R = sorted(R{key}{turned})", f"R.sort({(key + turned)[2:]})", "R = [max(R), min(R)]")
        use = self.pick("x = x + of(R[0])", "p = sum(of(r) * (i + 1) for i, r in enumerate(R))", "q = of(R[-1])")
        return [f"R = {self.rows()}", how, use]

    def asking(self) -> list[str]:
        z = self.pick("Z", "Z * x", "Z + y", "np.sin(Z)")
        made = self.pick("CubicSpline", "PchipInterpolator", "interp1d")
        f = self.pick("skew", "kurtosis", "gmean", "sem")
        sample = f"np.abs({z}) + 0.5" if f == "gmean" else z
        return self.pick(
            [f"p = float(interpolate.{made}(T, {z})({self.pick('0.3', '0.8', '0.4')}))"],
            [f"q = q + stats.{f}({sample}) * {self.atom()}"],
            [f"F = interpolate.{made}(T, {z})", self.pick("Z[1] = x", "Z = Z * 0.5", "x = x * 2"), "p = float(F(0.6))"],
            [f"own[{self.pick('0.5', '1', '2.5')}] {self.pick('=', '+=')} {self.number()}"],
            ["for key, v in QUOTED.items():", f"    p += own[key] * v * {self.atom()}"],
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        kinds = [self.sorting, self.sorting, self.asking, self.meshing]
        if self.rng.random() < 0.35:
            return [f"{self.pick(*self.names)} {self.pick('=', '+=')} {self.number(2)}"]
        if depth and self.rng.random() < 0.3:
            head = self.pick("for i in range(3):", f"if {self.number()} > {self.atom()}:", "for v in Z:")
            return [head, *["    " + line for line in self.statement(depth - 1)]]
        return self.pick(*kinds)()

    def meshing(self) -> list[str]:
        rows = self.pick("[0, 2]", "[1, 0]", "[2, 0, 1]", "[0, 0]")
        what = self.pick(self.atom(), "Z[:2].sum()", self.number())
        return self.pick(
            [f"M[np.ix_({rows}, [0, 1])] {self.pick('=', '+=', '*=', '-=')} {what}", "p = p + (M * M).sum() * 0.1"],
            [f"q = np.linalg.det(M[np.ix_([0, 1], [1, 2])] + {what})"],
            [f"e = x if hasattr(np, '{self.pick('trapezoid', 'no_such_name')}') else y", "x = x + e"],
        )  # fmt: skip

    def program(self) -> str:
        lines = [
            "random.seed(3)", "np.random.seed(5)", "p, q = x * 0.3, 0.4", "own = {0.5: x, 1: y, 2.5: x * y}",
            "M = np.ones((3, 3)) * x", "def of(r):", "    return r[0] if isinstance(r[0], float) else r[1]",
        ]  # fmt: skip
        if self.rng.random() < 0.5:
            decorator = ["def twice(f):", "    @functools.wraps(f)", "    def g(r):", "        return 1.5 * f(r)"]
            lines[-2:] = [*decorator, "    return g", "@twice", *lines[-2:]]
        for _ in range(self.pick(2, 3, 4)):
            lines += self.statement(1)
        lines.append(f"return {self.number(2)} + x * p + q * y")
        body = "\n".join("    " + line.replace("\n    ", "\n        ", 1) for line in lines)
        numbers = [f"{self.rng.uniform(-1, 1.5):.3f}" for _ in range(8)]
        z = [f"np.array([{', '.join(f'{self.rng.uniform(0.1, 1.5):.3f}' for _ in range(4))}])" for _ in range(2)]
        arguments = f"first = ({numbers[0]}, {numbers[1]}, {z[0]})\n"
        arguments += f"second = ({numbers[2]}, {self.pick('2', numbers[3], 'np.float64(0.4)')}, {z[1]})\n"
        return f"{HEAD}def program(x, y, Z):\n{body}\n{arguments}"
