"""Classes that define operators, comparisons, iteration and calls: vectors of numbers, as objects and named tuples."""

from __future__ import annotations

import random

from . import plain

BODIES = {
    "add": ("V(self.u + other.u, self.v + other.v)",),
    "sub": ("V(self.u - other.u, self.v - other.v)", "self + (-other)"),
    "mul": ("V(self.u * other, self.v * other)",),
    "truediv": ("V(self.u / other, self.v / other)", "self * (1.0 / other)"),
    "matmul": ("self.u * other.u + self.v * other.v",),
    "pow": ("V(self.u ** other, self.v)",),
}
CHECKED = {"add": "isinstance(other, V)", "mul": "isinstance(other, (int, float))", "matmul": "isinstance(other, V)"}
UNARY = {
    "neg": "V(-self.u, -self.v)",
    "abs": "math.hypot(self.u, self.v)",
    "call": "self.u * 0.3 + self.v",
}
ITERATION = ("yield self.u\n        yield self.v", "return iter((self.u, self.v))", "return iter([self.v, self.u])")


class OperatorsWriter:
    """Writes one such program."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def program(self) -> str:
        self.is_tuple = self.rng.random() < 0.4
        lines = [*plain.HEAD.splitlines(), "from typing import NamedTuple", "K, N = 0.7, 2", *self._class()]
        body = [f"a, b = V(x, {self._number('xy')}), V(y, 0.5)", "s, n = x * 0.5, 0"]
        for _ in range(self.rng.randint(2, 5)):
            body += self._statement()
        body.append(f"return ({self._vector()}).u * s + ({self._vector()}).v + {self._scalar()}")
        lines += ["def program(x, y):", *(f"    {line}" for line in body)]
        second = self.rng.choice(["(0.9, -0.4)", "(-1.2, 0.3)", "(2, 0.7)", "(np.float64(0.6), 1.1)"])
        return "\n".join([*lines, "first = (0.8, 0.3)", f"second = {second}"]) + "\n"

    def _class(self) -> list[str]:
        pick = self.rng.random
        found = ["class V(NamedTuple):", "    u: float", "    v: float"] if self.is_tuple else [
            "class V:", "    def __init__(self, u, v):", "        self.u, self.v = u, v"
        ]  # fmt: skip
        for stem, bodies in BODIES.items():
            found.append(f"    def __{stem}__(self, other):")
            if stem in CHECKED and pick() < 0.5:
                found.append(f"        if not {CHECKED[stem]}: return NotImplemented")
            found.append(f"        return {self.rng.choice(bodies)}")
        found += ["    __rmul__ = __mul__"] if pick() < 0.5 else [
            "    def __rmul__(self, other):", "        return V(other * self.u, self.v)"
        ]  # fmt: skip
        found += ["    def __radd__(self, other):", f"        return self if other == 0 else {self._refusal()}"]
        for name, body in UNARY.items():
            given = ", t" if name == "call" else ""
            found += [f"    def __{name}__(self{given}):", f"        return {body}{' * t' if name == 'call' else ''}"]
        if pick() < 0.7:
            found += ["    def __lt__(self, other):", "        return self.u < other.u"]
        else:
            found += ["    def __gt__(self, other):", "        return self.u > other.u"]
        if not self.is_tuple:
            found += ["    def __iter__(self):", f"        {self.rng.choice(ITERATION)}"]
            if pick() < 0.5:
                found += ["    def __eq__(self, other):", "        return self.u == other.u"]
            if pick() < 0.3:
                found += ["    def __iadd__(self, other):", "        self.u += other.u", "        return self"]
        return found

    def _refusal(self) -> str:
        return self.rng.choice(["NotImplemented", "V(self.u + other, self.v)"])

    def _statement(self) -> list[str]:
        name = self.rng.choice("ab")
        return self.rng.choice(
            [
                [f"{name} = {self._vector()}"],
                [f"{name} {self.rng.choice(['+=', '-='])} {self._vector()}"],
                [f"{name} *= {self._number('xys')}"],
                [f"s = {self._scalar()}"],
                [f"for i in range({self.rng.choice(['3', 'N', '9'])}):", f"    {name} = {self._vector()} * 0.5"],
                [f"if {self._test()}:", f"    s = {self._scalar()}", "else:", f"    s += {self._number('xy')}"],
                [f"if {self._test()}:", f"    {name} = {self._vector()}"],
                [f"p, q = {name}", "s += p * q"],
                [f"vs = [{self._vector()}, {self._vector()}, {name}]", "s += sum(vs).u"],
                ["s += sum([V(x * k, y) for k in range(3)], V(0.0, 0.0)).u"],
                [f"c = {name}", f"c += {self._vector()}", "s += c.u"],
            ]
        )

    def _vector(self, depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.3:
            return self.rng.choice(["a", "b", f"V({self._number('xys')}, {self._number('xys')})"])
        x, y, k = self._vector(depth - 1), self._vector(depth - 1), self._number("xys")
        return self.rng.choice([f"({x} + {y})", f"({x} - {y})", f"({k} * {x})", f"({x} * {k})", f"(-{x})",
                                f"({x} / 1.7)", f"({x} ** 2)"])  # fmt: skip

    def _scalar(self) -> str:
        x, y = self._vector(1), self._vector(1)
        called = f"{self.rng.choice('ab')}({self._number('xys')})"
        return self.rng.choice([f"({x} @ {y})", f"abs({x})", called, f"({x}).u"])

    def _test(self) -> str:
        x, y = self._vector(1), self._vector(1)
        return self.rng.choice([f"{x} < {y}", f"{x} > {y}", f"{x} == {y}", f"{x} != {y}", f"{self._scalar()} < 0.3"])

    def _number(self, names: str) -> str:
        a = self.rng.choice(names)
        return self.rng.choice([a, f"({a} - 0.4)", f"math.sin({a})", "0.5", "K", f"{a} * 2"])
