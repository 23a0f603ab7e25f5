"""Random programs that the eager tier runs, whose functions are hot: their calls are entries of its tape.

The functions return numbers, arrays, tuples and lists, views and what they were given; they read what they capture,
globals, attributes and defaults, and some write into arrays. Between calls the program changes all of that.
"""

from __future__ import annotations

import random
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from morula.static.python import callees
from morula.static.python import pairs as pairs_module
from morula.static.python.pairs import record_of

HEAD = """import math
import numpy as np
K, G = 0.7, np.array([0.4, -0.3, 0.9])
class Model:
    scale = 0.6
    def __init__(self, k, w):
        self.k, self.w, self.log = k, w, []
    def rates(self, x, u):
        return u * self.k + self.w * math.sin(x), x * self.scale
    def energy(self, u):
        return float(u @ self.w) * self.k
    def __call__(self, x):
        return x * self.k + self.w[1]
"""


def in_eager_runs(f: types.FunctionType) -> None:
    """See to it that the eager tier runs a function, whatever it calls."""
    for verb in ("gradient", "pullback"):
        record = record_of(f, verb)
        record.why, record.attempts = "the functions that it calls are compared", 99


@contextmanager
def noting_answers() -> Iterator[list[str]]:
    """The names of the functions whose static adjoints have answered for calls of them."""
    found = []

    def answered(record: Any, key: Any, pairs: Any, f: Any, args: Any) -> Any:
        answer = pairs_module.answered(record, key, pairs, f, args)
        if answer is not None:
            found.append(f.__name__)
        return answer

    before, callees.answered = callees.answered, answered
    try:
        yield found
    finally:
        callees.answered = before


class CalleeWriter:
    """Writes them: `x`, `y` are numbers, `u`, `v` vectors of three, `m` a model, `held` a list of numbers."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.captures = False
        self.rebinds = rng.random() < 0.3  # global variables and what a class holds
        self.writes = rng.random() < 0.5  # into what the functions are given

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.3:
            own = ("b", "c[1]") if self.captures and self.rng.random() < 0.4 else ()
            return self.pick("x", "y", "x", "y", "u[0]", "v[2]", "K", "G[1]", "0.5", "-1.3", *own)
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"math.sin({a})", f"math.tanh({a})", f"abs({a})",
            f"{a} ** 2", f"({a} / (1.0 + {b} ** 2))", f"math.exp(-abs({a}))", f"max({a}, {b})",
            f"({a} if {b} > 0.1 else {b})", f"float(np.sum({self.vector(depth - 1)}))", f"min({a}, 0.4)",
        )  # fmt: skip

    def vector(self, depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.3:
            own = ("c",) if self.captures and self.rng.random() < 0.4 else ()
            return self.pick("u", "v", "u", "v", "G", *own)
        a, b, t = self.vector(depth - 1), self.vector(depth - 1), self.number(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} * {b})", f"({a} * {t})", f"np.sin({a})", f"{a}[::-1]", f"({a} - {t})",
            f"np.array([{t}, 0.3, {self.number(depth - 1)}])", f"np.tanh({a})", f"np.cumsum({a})",
            f"np.where({a} > 0.0, {a}, {t})", f"np.outer({a}, {b})[1]", f"{a}.copy()", f"np.maximum({a}, {b})",
        )  # fmt: skip

    def body(self, returned: str) -> list[str]:
        """Statements of a function, and what it returns."""
        lines = []
        for _ in range(self.rng.randrange(3)):
            lines += self.pick(
                [f"x = {self.number()}"], [f"v = {self.vector()}"],
                [f"if {self.number()} > 0.2:", f"    y = {self.number()}"],
                [f"for i in range({self.pick(2, 3)}):", f"    x = 0.5 * x + {self.number(1)}"],
                ["v = v * 1.0", f"v[{self.pick(0, 1, -1)}] = {self.number()}"],
                ["v = v.copy()", f"v[1:] {self.pick('*', '+', '')}= {self.pick('u[:2]', 'x')}"],
                [f"if {self.number()} > 0.7: return {returned}"],
                *([self.written()] * 8 if self.writes else ()),
            )  # fmt: skip
        return [*lines, f"return {returned}"]

    def written(self) -> list[str]:
        """A write into an array that the function is given."""
        w, place = self.pick("u", "v", "u"), self.pick(0, 1, 2, -1)
        return self.pick(
            [f"{w}[{place}] {self.pick('', '+', '*')}= {self.number()}"],
            [f"{w} {self.pick('+', '*')}= {self.number()}"],
            [f"{w}[1:] {self.pick('', '+')}= {self.pick('u[:2]', 'x', 'v[1:] * y')}"], [f"{w}[:] = {self.vector()}"],
            [f"for i in range(1, {self.pick('3', 'len(u)')}):", f"    {w}[i] = {w}[i - 1] * x + {self.number(1)}"],
            [f"if {self.number()} > 0.1:", f"    {w}[{place}] = {self.number()}"], [f"{w} -= {self.vector()}"],
        )  # fmt: skip

    def returned(self) -> tuple[str, str]:
        """What a function returns, and of which kind it is."""
        x, y, u = self.number(), self.number(), self.vector()
        return self.pick(
            (x, "number"), (x, "number"), (f"({x}, {y})", "pair"), (u, "vector"), (u, "vector"),
            (f"({u}, {x})", "mixed"), (f"[{x}, {y}]", "pair"), (f"({x}, ({u}, {y}))", "nested"),
            (self.pick("v", "u[::-1]", "u", "v[:]"), "vector"), (f"({self.pick('u', 'v')}, {x})", "mixed"),
            (f"(u[:2], {x})", "short"), *([("None", "nothing")] * 6 if self.writes else ()),
        )  # fmt: skip

    def function(self, name: str, parameters: str, indent: str = "") -> list[str]:
        returned, kind = self.returned()
        self.kinds[name] = kind
        return [f"{indent}def {name}({parameters}):", *[f"{indent}    {line}" for line in self.body(returned)]]

    def called(self) -> list[str]:
        """A call of a function, and what becomes of its result."""
        name = self.pick(*self.kinds)
        given = f"{self.number(1)}, {self.number(1)}, {self.vector(1)}, {self.vector(1)}"
        if self.rng.random() < 0.25:
            given = self.pick("x, y, u, v", "y, x, v, u", "x, x, u, u", "x, y, v=u, u=v", "*(x, y), u, v")
        if self.writes and self.rng.random() < 0.8:
            arrays = self.pick("u, v", "v, u", "u, c", "c, v", "u, m.w", "m.w, v", "u, G", "u, u[::-1]", "v, v",
                               "w[:3], w[3:]", "w[1:4], v", "w[2:5], w[:3]", "w[::2], u", "u, z", "z, v")  # fmt: skip
            given = f"{self.number(1)}, {self.number(1)}, {arrays}"
        call, kind = f"{name}({given})", self.kinds[name]
        place = self.pick(0, 1, 2, -1)
        return {
            "nothing": [call],
            "number": [self.pick(f"x = {call}", f"y = x * 0.5 + {call}", f"u[{place}] = {call}", f"x, y = y, {call}")],
            "pair": [self.pick(f"x, y = {call}", f"a, y = {call}", f"x = sum({call})", f"x = {call}[1]")],
            "vector": self.pick(
                [f"u = {call}"], [f"u = {call}", f"u[{place}] = {self.number(1)}"], [f"v = v + {call}"],
                [f"v[:] = {call}"], [f"u, v = v, {call}"], [f"v = {call}", "v *= x"],
            ),
            "mixed": [self.pick(f"u, x = {call}", f"v, y = {call}", f"u = {call}[0] * 0.5")],
            "nested": [self.pick(f"x, (u, y) = {call}", f"x = {call}[1][1]")],
            "short": [self.pick(f"u[:2], x = {call}", f"x = {call}[0].sum()", f"v[1:] = {call}[0]")],
        }[kind]  # fmt: skip

    def changed(self) -> list[str]:
        """Something that functions read is another one from here on."""
        x, u = self.number(1), self.vector(1)
        outside = [[f"K = {self.pick('0.2', '1.3', x)}"], [f"G[{self.pick(0, 1)}] = 0.2"], ["G = G * 0.5"],
                   ["Model.scale = 0.3"]] * self.rebinds  # fmt: skip
        return self.pick(
            *outside, [f"b = {x}"], [f"c = {u}"], [f"c[{self.pick(0, 2)}] = {x}"], [f"m.k = {self.pick(x, '0.9')}"],
            [f"m.w = {u} * 1.0"],
            ["m.w[1] = 0.8"], ["m.scale = x"], [f"u[1] = {x}"], [f"v *= {x}"], ["u = u.copy()"],
            [f"held.append({x})"], [f"held[0] = {x}"], [f"m = Model({x}, {u} * 1.0)"], ["v = u"], ["u = u * 1.0"],
            [f"x = x + outer(outer({x}))"], [f"x = 0.5 * x + inner({x})"], [f"y = summed({x}) * 0.1"],
            ["u, y = m.rates(x, u)"], ["x = 0.1 * x + m.energy(u)"], [f"y = m({x})"],
            ["try: x = risky(x)", "except ValueError: x = x * 0.7"],
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.random()
        if kind < 0.6:
            return self.called()
        if kind < 0.85 or not depth:
            return self.changed()
        head = self.pick(f"for k in range({self.pick(2, 3)}):", f"if {self.number(1)} > -0.2:")
        inner = [*self.statement(depth - 1), *self.statement(depth - 1)]
        return [head, *["    " + line for line in inner]]

    def program(self) -> str:
        self.kinds: dict[str, str] = {}
        top = [line for k in range(2) for line in self.function(f"f{k}", "x, y, u, v")]
        self.captures = True
        inner = [line for k in range(2) for line in self.function(f"g{k}", "x, y, u, v", "    ")]
        default = self.function("d0", self.pick("x, y, u, v, K=x", "x, y, u=u, v=c", "x, y, u, v, *, K=y"), "    ")
        self.captures = False
        body = [line for _ in range(self.rng.randint(6, 12)) for line in self.statement(2)]
        outside = ["global K, G", "K, G = 0.7, np.array([0.4, -0.3, 0.9])", "Model.scale = 0.6"]
        start = [
            *(outside if self.rebinds else ()),
            "u, v = np.array([x, 0.2, y]), np.array([0.5, x * y, -0.4])", "b, c, held = x * y, u * 0.5, [x, 0.3]",
            "m = Model(0.8, np.array([0.1, -0.6, 0.3]))", "w, z = np.array([0.1, x, 0.2, y, 0.5, -0.2]), np.zeros(3)",
        ]  # fmt: skip
        helpers = [
            "    def inner(t): return t * b + c[0]", "    def outer(t): return inner(t) * 0.5 + inner(0.3)",
            "    def summed(t): return t * sum(held)", "    def risky(t):",
            "        if t > 0.5: raise ValueError(t)", "        return t * 2.0 + b",
        ]  # fmt: skip
        end = [
            "y = math.sin(y) + np.sin(w).sum() + np.sin(z).sum()",
            "return math.tanh(x) + y + float(np.tanh(u) @ np.sin(v)) + math.tanh(b) + math.sin(held[0])",
        ]
        lines = [*top, "def program(x, y):", *["    " + line for line in start], *inner, *default, *helpers]
        lines += ["    " + line for line in [*body, *end]]
        return HEAD + "\n".join(lines) + "\nfirst, second = (0.3123, -0.7311), (0.8237, 0.4119)\n"
