"""Random plain programs of single complex numbers: Python's and NumPy's, in variables that hold real ones elsewhere."""

from __future__ import annotations

import random
from typing import Any

HEAD = """import cmath, math
import numpy as np
K = 0.7
def turned(z, w):
    if z.real > 0.2:
        return z * w
    return z.conjugate() + w * 0.5j
class Wave:
    def __init__(self, size, phase):
        self.at = cmath.rect(size, phase)
    def moved(self, by):
        self.at = self.at * by + 0.1j
        return abs(self.at)
"""


class ComplexWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.has_array = rng.random() < 0.3
        self.is_mixed = rng.random() < 0.4  # whether variables hold real numbers, too
        self.is_numpy = rng.random() < 0.3

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def real(self, depth: int = 2) -> str:
        kind = self.rng.randrange(6) if depth else 0
        if kind < 2:
            return self.pick("x", "y", "x", "y", "0.5", "-1.2", "K", *["Z[1]", "Z[0]"] * self.has_array)
        if kind == 2:
            return f"({self.real(depth - 1)} {self.pick('+', '-', '*')} {self.real(depth - 1)})"
        if kind == 3:
            return f"math.{self.pick('sin', 'cos', 'tanh')}({self.real(depth - 1)})"
        z = self.complex(depth - 1)
        of_numpy = [f"np.abs({z})"] * self.is_numpy
        return self.pick(
            f"({z}).real", f"({z}).imag", f"abs({z})", f"abs({z}) ** 2", f"cmath.phase({z} + 2.5)", *of_numpy
        )

    def complex(self, depth: int = 2) -> str:
        kind = self.rng.randrange(7) if depth else 0
        if kind < 2:
            return self.pick("z", "w", "z", "w", "1j", "0.3j", f"complex({self.real(0)}, {self.real(0)})", "C")
        if kind < 4:
            left, right = self.complex(depth - 1), self.pick(self.complex, self.complex, self.real)(depth - 1)
            left, right = self.pick((left, right), (right, left))
            return f"({left} {self.pick('+', '-', '*', '*')} {right})"
        if kind == 4:
            return f"({self.complex(depth - 1)} / (2.5 + {self.complex(depth - 1)}))"
        z = self.complex(depth - 1)
        small = f"0.1 * {z}"
        functions = ["exp", "sin", "cos", "sinh", "tanh", "atan", "sqrt"]
        of_numpy = [f"np.{self.pick('exp', 'sin', 'sqrt')}({small} + 0.2j)", f"np.conj({z} + 0j)"] * self.is_numpy
        return self.pick(
            f"cmath.{self.pick(*functions)}({small})", f"cmath.{self.pick(*functions)}({small})",
            f"cmath.log(3.0 + {small})", f"({z} + 0j).conjugate()", f"-{z}", f"({z}) ** {self.pick('2', '3')}",
            f"cmath.rect({self.real(0)}, {self.real(depth - 1)})", f"turned({z} + 0j, {self.complex(depth - 1)})",
            f"(3.0 + {small}) ** {self.pick('0.5', '-1', '1j', 'x')}", f"sum(v * {z} for v in L)",
            f"sum([{z}, 1j])", *of_numpy,
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        kinds = [self.branch, self.loop] if depth else []
        return self.pick(self.simple, self.simple, self.changed, *kinds)(depth)

    def block(self, depth: int) -> list[str]:
        return ["    " + line for _ in range(self.pick(1, 2)) for line in self.statement(depth - 1)]

    def simple(self, depth: int) -> list[str]:
        if self.rng.random() < 0.4:
            return [f"{self.pick('x', 'y')} {self.pick('=', '+=')} 0.3 * {self.real()}"]
        of = self.pick(self.complex, self.complex, self.real) if self.is_mixed else self.complex
        return [
            f"{self.pick('z', 'w')} {self.pick('=', '+=', '-=', '*=')} 0.5 * {of()} + 0j"[
                : None if of == self.complex else -5
            ]
        ]

    def branch(self, depth: int) -> list[str]:
        test = self.pick(f"{self.real(1)} > {self.real(0)}", f"abs({self.complex(0)}) < 1.0", f"{self.complex(0)} != 0")
        return [f"if {test}:", *self.block(depth), "else:", *self.block(depth)]

    def loop(self, depth: int) -> list[str]:
        jump = self.pick([], [], ["    if abs(z) > 2.0:", f"        {self.pick('break', 'continue')}"])
        head = self.pick("for v in L:", "for k in range(3):", "for u in (1j, z, 0.5 + w):")
        z = {"v": "v * 0.5j", "k": "k * 0.3j", "u": "u"}[head[4]]
        return [head, f"    w = 0.4 * w + {z} * {self.complex(1)}", *jump, *self.block(depth)]

    def changed(self, depth: int) -> list[str]:
        z = self.complex(1)
        return self.pick(
            [f"c = [{z}, z, 1j]", "c[0] = c[1] * c[2]", "w = c[0] + c[-1]"], [f"z, w = w, {z}"],
            ["s = Wave(x, y)", f"x = s.moved({z}) * 0.3", "w = s.at"], [f"c = [v * {z} for v in L]", "w = c[1]"],
            ["c = []", "for v in L:", f"    c.append(v * {z} + 0j)", "w = 0.3 * c[-1]"],
        )  # fmt: skip

    def program(self) -> str:
        start = self.pick("0", "0j", "1j", "x") if self.is_mixed else "0j"
        lines = ["z, w = complex(x, 0.5 * y), " + start, "L = [x, 0.5, y * 0.3]", "C = 0.5 - 0.3j"]
        if self.has_array:
            lines.append("Z = np.array([0.3, -1.2, 0.7]) * x")
        for _ in range(self.pick(2, 3, 4)):
            lines += self.statement(2)
        lines.append(f"return {self.real()} + {self.pick('abs(z)', 'z.real', '(z * w).imag', 'abs(w) ** 2')}")
        body = "\n".join("    " + line for line in lines)
        numbers = [f"{self.rng.uniform(-1, 1.5):.3f}" for _ in range(4)]
        second = self.pick("2", numbers[3], numbers[3], f"np.float64({numbers[3]})", "0.5j")
        arguments = f"first = ({numbers[0]}, {numbers[1]})\nsecond = ({numbers[2]}, {second})\n"
        return f"{HEAD}def program(x, y):\n{body}\n{arguments}"
