"""Random programs of NumPy's arrays, written so that all shapes fit; for `plain`, which judges them."""

from __future__ import annotations

import random
from typing import Any

from . import plain_library as library

HEAD = "import math\nimport numpy as np\nfrom numpy.linalg import norm\n" + library.HEAD
Shape = tuple[int, ...]


class ArrayWriter:
    """Writes one program from a source of chance; what it knows of a variable is its shape."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.n, self.m = rng.sample([2, 3, 4, 5, 9], 2)
        self.names: dict[str, Shape] = {}
        self.count = 0
        self.helpers: list[tuple[str, Shape, Shape]] = []

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    @property
    def shapes(self) -> list[Shape]:
        return [(self.n,), (self.m,), (self.m, self.n), (self.n, self.n), ()]

    def atom(self, shape: Shape) -> str:
        known = [name for name, s in self.names.items() if s == shape]
        if known and self.rng.random() < 0.85:
            return self.rng.choice(known)
        if not shape:
            return self.pick("0.5", "2.0", "-1.5", "3", "K", "0.1")
        if shape == (self.m, self.n):
            return "G"
        kinds = [f"np.ones({shape})", f"np.full({shape}, 0.5)", f"np.zeros({shape})"]
        if len(shape) == 1:
            numbers = ", ".join(self.pick("0.3", "-0.7", "1.1", self.number(0)) for _ in range(shape[0]))
            n = shape[0]
            kinds.append(
                self.pick(f"np.linspace(0.1, 1.0, {n})", f"np.mgrid[0:1:{n}j]", f"0.1 * np.indices(({n},))[0]")
            )
            return self.pick(*kinds, f"np.array([{numbers}])", f"np.arange({shape[0]}) * 0.1", "0.5 * np.ones(len(x))"
                             if shape == (self.n,) else kinds[0])  # fmt: skip
        return self.pick(*kinds[:3], f"np.eye({self.n})" if shape == (self.n, self.n) else kinds[0])

    def number(self, depth: int) -> str:
        if depth == 0:
            return self.atom(())
        kind = self.rng.randrange(12)
        shape = self.pick(*self.shapes[:4])
        part = self.array(shape, depth - 1)
        if kind < 3:
            return self.pick(f"np.sum({part})", f"({part}).sum()", f"np.mean({part})", f"({part}).mean()")
        if kind == 3:
            return self.pick(f"({part}).max()", f"np.min({part})", f"norm({part})", f"np.std({part})",
                             f"({part}).prod()")  # fmt: skip
        if kind == 4:
            index = ", ".join(self.pick("0", "-1", "1", "i % 2") for _ in shape)
            return f"({part})[{index}]"
        if kind == 5:
            other = self.array((self.n,), depth - 1)
            return self.pick(f"({self.array((self.n,), depth - 1)} @ {other})", f"np.dot({other}, {other})")
        if kind == 6:
            return f"{self.pick('math.sin', 'np.tanh', 'math.cos', 'float', 'abs')}({self.number(depth - 1)})"
        if kind == 7 and shape == (self.n, self.n):
            return f"np.trace({part})"
        if kind == 8:
            return f"({self.number(depth - 1)} if {self.number(0)} < 0.4 else {self.number(0)})"
        if kind == 9:
            return library.number(self, depth)
        return f"({self.number(depth - 1)} {self.pick('+', '-', '*', '/')} {self.number(depth - 1)})"

    def array(self, shape: Shape, depth: int) -> str:
        if not shape:
            return self.number(depth)
        if depth == 0 or self.rng.random() < 0.15:
            return self.atom(shape)
        kind = self.rng.randrange(21)

        def part(of: Shape = shape) -> str:
            return self.array(of, depth - 1)

        if kind < 5:
            one, other = part(), self.array(self.smaller(shape), depth - 1)
            one, other = self.pick((one, other), (other, one))
            return f"({one} {self.pick('+', '-', '*', '+', '-', '*', '/')} {other})"
        if kind < 7:
            f = self.pick("np.sin", "np.tanh", "np.cos", "np.abs", "np.negative", "np.square", "np.arctan")
            return f"{f}({part()})"
        if kind == 7:
            return self.pick(f"np.exp(np.sin({part()}))", f"np.log(1.0 + {part()} ** 2)",
                             f"np.sqrt(0.1 + {part()} ** 2)")  # fmt: skip
        if kind == 8:
            return f"{self.pick('', '-')}{part()} ** {self.pick('2', '3', '2.0')}"
        if kind == 9:
            f = self.pick("np.maximum", "np.minimum", "np.hypot", "np.arctan2", "np.add")
            return f"{f}({part()}, {self.array(self.smaller(shape), depth - 1)})"
        if kind == 10:
            test = f"{part()} {self.pick('<', '>', '<=')} {self.array(self.smaller(shape), 0)}"
            return f"np.where({test}, {part()}, {self.array(self.pick(shape, ()), depth - 1)})"
        if kind == 11:
            return f"np.clip({part()}, -0.5, {self.pick('0.5', '1.0')})"
        if kind == 12 and self.helpers:
            name, given, gives = self.rng.choice(self.helpers)
            if gives == shape:
                return f"{name}({self.array(given, depth - 1)}, {self.number(0)})"
        if kind == 13:
            return self.pick(f"({part()})[::-1]", f"({part()}).copy()", f"np.cumsum({part()}, axis=0)", f"(+{part()})")
        if kind == 14:
            return f"({part()} > {self.number(0)}) * {part()}"
        if kind == 15 and self.rng.random() < 0.5:
            return library.elementwise(self, part(), self.array(self.smaller(shape), depth - 1))
        if len(shape) == 1:
            return self.vector(shape[0], depth, kind)
        return self.matrix(shape, depth, kind)

    def smaller(self, shape: Shape) -> Shape:
        return self.pick(shape, shape, (), shape[1:], ())

    def vector(self, n: int, depth: int, kind: int) -> str:
        def square() -> str:
            return self.array((self.n, self.n), depth - 1)

        if kind == 15 and n > 1:
            k = self.rng.randint(1, n - 1)
            parts = [self.array((n,), depth - 1) for _ in range(2)]
            return f"np.concatenate((({parts[0]})[:{k}], ({parts[1]})[{k}:]))"
        if kind == 16 and n == self.m:
            return f"({self.array((self.m, self.n), depth - 1)} @ {self.array((self.n,), depth - 1)})"
        if kind == 17 and n == self.n:
            matrix = self.array((self.m, self.n), depth - 1)
            return self.pick(f"np.sum({matrix}, axis=0)", f"({matrix}).mean(axis=0)", f"({matrix})[{self.pick(0, -1)}]",
                             f"({matrix})[i % 2]", f"({self.array((self.m,), depth - 1)} @ {matrix})",
                             f"({matrix}).max(axis=0)")  # fmt: skip
        if kind == 18 and n == self.n:
            well = f"({square()} * 0.1 + 3.0 * np.eye({n}))"
            given = self.array((n,), depth - 1)
            return self.pick(f"({square()} @ {given})", f"np.linalg.solve({well}, {given})", f"np.diag({square()})")
        if kind == 20 and n == self.n:
            return library.vector(self, depth)
        if kind == 19 and n == self.m:
            matrix = self.array((self.m, self.n), depth - 1)
            return self.pick(f"({matrix}).sum(axis=-1)", f"({matrix})[:, {self.pick(0, -1)}]",
                             f"({matrix}).std(axis=1)")  # fmt: skip
        return f"({self.array((n,), depth - 1)} - {self.number(0)})"

    def matrix(self, shape: Shape, depth: int, kind: int) -> str:
        m, n = shape

        def part() -> str:
            return self.array(shape, depth - 1)

        if kind == 15:
            column = self.array((m,), depth - 1) if m in (self.n, self.m) else part()
            return f"({part()} * ({column})[:, None])"
        if kind == 16:
            f, axis = self.pick("mean", "sum", "max"), self.pick(0, 1)
            return f"({part()} - ({part()}).{f}(axis={axis}, keepdims=True))"
        if kind == 17:
            return f"({part()} @ {self.array((self.n, self.n), depth - 1)})"
        if kind == 18 and m == n:
            return self.pick(f"({part()}).T", f"np.linalg.inv({part()} * 0.1 + 3.0 * np.eye({n}))",
                             f"np.outer(x, {self.array((n,), 0)})")  # fmt: skip
        if kind == 19 and m == n and self.rng.random() < 0.6:
            return library.square(self, depth)
        if kind == 19:
            return f"({part()}).reshape({m * n}).reshape({m}, {n})"
        if kind == 20:
            return f"np.array([{', '.join(self.array((n,), 0) for _ in range(m))}])" if m < 5 else part()
        return f"(-{part()})"

    def block(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 3)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.randrange(10)
        if depth == 0 or kind < 5:
            shape = self.pick(*self.shapes)
            old = [name for name, s in self.names.items() if s == shape and name not in "YZ"]
            self.count += 1
            name = self.rng.choice(old) if old and self.rng.random() < 0.6 else f"v{self.count}"
            line = f"{name} = {self.array(shape, 3)}"
            if depth == 2 or self.rng.random() < 0.2:  # elsewhere it may be unbound
                self.names[name] = shape
            return [line]
        if kind == 5:
            name, shape = self.rng.choice([item for item in self.names.items() if item[0] not in "YZ"])
            return [f"{name} {self.pick('+=', '-=', '*=')} {self.array(shape, 2)}"] if self.rng.random() < 0.3 else (
                [f"{name} = {name} {self.pick('+', '-', '*')} {self.array(shape, 2)}"])  # fmt: skip
        if kind == 6:
            heads = ["for i in range(3):", "for j in range(N):", f"for row in {self.array((self.m, self.n), 1)}:",
                     f"for i, v in enumerate({self.array((self.n,), 1)}):"]  # fmt: skip
            head = self.rng.choice(heads)
            before = dict(self.names)
            if "row" in head:
                self.names["row"] = (self.n,)
            elif " v " in head:
                self.names["v"] = ()
            body = self.block(depth - 1)
            if self.rng.random() < 0.3:
                body.append(f"if {self.number(1)} > 2.0: {self.pick('break', 'continue')}")
            self.names = before
            return [head, *["    " + line for line in body]]
        if kind == 7:
            before = dict(self.names)
            lines = [f"if {self.number(1)} < {self.number(0)}:", *["    " + line for line in self.block(depth - 1)]]
            self.names = dict(before)
            if self.rng.random() < 0.5:
                lines += ["else:", *["    " + line for line in self.block(depth - 1)]]
            self.names = before
            return lines
        if kind == 8:
            return [f"if {self.number(1)} > 1.0:", f"    return {self.number(2)}"]
        return [f"s = {self.number(3)}"]

    def program(self) -> str:
        rng, n, m = self.rng, self.n, self.m

        def numbers(k: int) -> str:
            return ", ".join(f"{rng.uniform(-1.5, 1.5):.3f}" for _ in range(k))

        parts = [HEAD, f"K = {self.pick('0.7', '2', '-0.3', 'np.float64(0.4)')}"]
        parts += [f"N = {self.pick('2', '3', '1')}", "i = 1"]
        parts.append(f"G = np.array([{numbers(m * n)}]).reshape({m}, {n})")
        for k in range(rng.randint(0, 2)):
            given, gives = self.pick(*self.shapes[:4]), self.pick(*self.shapes[:4])
            self.names = {"u": given, "c": (), "s": ()}
            body = ["s = c * 2.0", *self.block(1)]
            lines = [f"x = np.ones({n})", *body, f"return {self.array(gives, 2)}"]
            parts.append("\n".join([f"def h{k}(u, c):", *["    " + line for line in lines]]))
            self.helpers.append((f"h{k}", given, gives))
        self.names = {"x": (n,), "y": (), "X": (m, n)}
        parameters = self.pick(["x", "y"], ["x"], ["x", "X"], ["x", "y", "X"])
        parts += ["Y = G * 0.5", "Z = 0.25"]
        self.names = {name: shape for name, shape in self.names.items() if name in parameters}
        self.names |= {"Y": (m, n), "Z": (), "s": ()}
        body = ["s = 0.1", *self.block(2), *self.block(2), f"return s + {self.number(3)} * {self.number(2)}"]
        parts.append("\n".join([f"def program({', '.join(parameters)}):", *["    " + line for line in body]]))
        first = {"x": f"np.array([{numbers(n)}])", "y": "0.4", "X": f"np.array([{numbers(m * n)}]).reshape({m}, {n})"}
        others = {
            "x": self.pick(f"np.array([{numbers(n)}], dtype=np.float32)", f"np.arange({n})", f"np.ones({n + 1})",
                           f"np.array([{numbers(2 * n)}])[::2]", f"np.array([{numbers(n - 1)}, np.nan])", "G[0]",
                           f"np.array([{numbers(n)}]) * 1e200", f"np.broadcast_to(0.3, ({n},))", f"[{numbers(n)}]"),
            "y": self.pick("np.float64(0.2)", "1", "0.4", "0.0"),
            "X": self.pick("G", "G.T.copy().T", "G.tolist()", "G * 1j", "G[:, ::-1]", "G > 0",
                           "np.round(G).astype(int)"),
        }  # fmt: skip
        parts.append(f"first = ({', '.join(first[p] for p in parameters)},)")
        parts.append(f"second = ({', '.join(others[p] for p in parameters)},)")
        return "\n".join(parts) + "\n"
