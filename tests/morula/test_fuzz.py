"""Random small programs: loops, branches, writes, views, exceptions, closures, generators, containers.

Each is compared with the plain run bit for bit, and its gradient with central differences.
"""

# ruff: noqa: E501
import math
import random

import numpy as np
import pytest
from morula_helpers import at_path, differences, module_of, verify

N = 4
PROGRAMS = 150


class Writer:
    """Writes a random program; every variable that it may read is bound at that point."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.counter = 0
        self.in_function = 0

    def pick(self, *options):
        return self.random.choice(options)

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    # -- expressions, kept of moderate size ------------------------------------------------------------------------

    def number(self):
        return f"({round(self.random.uniform(-1.5, 1.5), 2)})"

    def index(self, loops):
        return self.pick(*(f"({i} + {k}) % {N}" for i in loops for k in (0, 1)), str(self.random.randrange(-N, N)))

    def scalar(self, loops, depth=2):
        r = self.random.random()
        if depth == 0 or r < 0.25:
            return self.pick(
                "a", "b", "c", "s", self.number(), f"{self.pick('u', 'v', 'w')}[{self.index(loops)}]", "p[0]"
            )
        x = self.scalar(loops, depth - 1)
        y = self.scalar(loops, depth - 1)
        return self.pick(
            f"({x} + {y})",
            f"({x} - {y})",
            f"({x} * {y})",
            f"({x} / (1.0 + {y} ** 2))",
            f"math.sin({x})",
            f"math.tanh({x})",
            f"np.cos({x})",
            f"(-{x})",
            f"abs({x})",
            f"max({x}, {y})",
            f"({x} if {y} > 0.1 else {y})",
            f"{self.array(loops, depth - 1)}.sum()",
            f"({self.array(loops, depth - 1)} @ {self.array(loops, depth - 1)})",
            f"sum(t * {x} for t in {self.array(loops, 0)})",
            f"(lambda t: t * {x})({y})",
            f"float({x})",
            f"math.sqrt(1.0 + {x} ** 2)",
            f"(held[-1] * {x})",
            f"(table['k'] * {x})",
        )

    def array(self, loops, depth=2):
        r = self.random.random()
        if depth == 0 or r < 0.25:
            return self.pick("u", "v", "w", "x")
        x = self.array(loops, depth - 1)
        y = self.array(loops, depth - 1)
        s = self.scalar(loops, depth - 1)
        return self.pick(
            f"({x} + {y})",
            f"({x} * {y})",
            f"({x} - {s})",
            f"({x} * {s})",
            f"np.sin({x})",
            f"np.tanh({x})",
            f"({x} / (1.0 + {y} ** 2))",
            f"np.where({x} > 0.0, {y}, {s})",
            f"np.maximum({x}, {y})",
            f"{x}[::-1]",
            f"{x}[[0, 2, 2, 1]]",
            f"np.concatenate([{x}[2:], {y}[:2]])",
            f"np.array([{s}, {self.scalar(loops, 0)}, 0.3, {self.scalar(loops, 0)}])",
            f"np.cumsum({x})",
            f"np.outer({x}, {y})[1]",
            f"{x}.reshape(2, 2).T.ravel()",
            f"np.roll({x}, 1)",
            f"{x}.copy()",
            f"np.clip({x}, -1.0, 1.0)",
            f"np.array([t * {s} for t in {x}])",
        )

    # -- statements -----------------------------------------------------------------------------------------------

    def put(self, level, line):
        self.lines.append("    " * level + line)

    def block(self, level, loops, n, depth):
        for _ in range(n):
            self.statement(level, loops, depth)

    def statement(self, level, loops, depth):
        simple = (
            self.assign_scalar, self.assign_array, self.write_element, self.write_slice, self.view, self.write_view,
            self.containers, self.augment, self.fancy_write,
        )  # fmt: skip
        compound = (
            self.for_loop,
            self.while_loop,
            self.branch,
            self.exception,
            self.closure,
            self.generator,
            self.rows,
        )
        kinds = simple + compound if depth and not self.in_function else simple
        self.random.choice(kinds)(level, loops, depth)

    def assign_scalar(self, level, loops, depth):
        self.put(level, f"{self.pick('a', 'b', 'c')} = math.tanh({self.scalar(loops)})")
        if self.pick(0, 0, 1):
            self.put(level, "a, b = b, a")

    def assign_array(self, level, loops, depth):
        name = self.pick("u", "v", "w")
        self.put(
            level,
            f"{name} = {self.pick('np.tanh(' + self.array(loops) + ')', self.pick('u', 'v', 'w', 'x'))}",
        )

    def write_element(self, level, loops, depth):
        name = self.pick("u", "v", "w", "x")
        self.put(
            level,
            f"{name}[{self.index(loops)}] {self.pick('=', '=', '+=', '*=')} math.sin({self.scalar(loops)})",
        )

    def write_slice(self, level, loops, depth):
        name = self.pick("u", "v", "w", "x")
        other = self.pick("u", "v", "w", name)
        self.put(
            level,
            self.pick(
                f"{name}[1:] = {other}[:-1]",
                f"{name}[:2] = {other}[2:] * {self.scalar(loops, 1)}",
                f"{name}[::2] += {other}[1::2]",
                f"{name}[...] = np.tanh({self.array(loops, 1)})",
                f"{name}[1:3] *= 0.5",
                f"{name}[::-1] = np.sin({other})",
            ),
        )

    def augment(self, level, loops, depth):
        name = self.pick("u", "v", "w", "x", "a", "b")
        value = self.scalar(loops, 1) if name in "ab" else self.array(loops, 1)
        self.put(level, f"{name} {self.pick('+=', '-=', '*=')} math.sin({value})" if name in "ab" else
                 f"{name} {self.pick('+=', '-=', '*=')} np.sin({value})")  # fmt: skip

    def view(self, level, loops, depth):
        self.put(
            level,
            f"p = {self.pick('u', 'v', 'w', 'x')}{self.pick('[1:3]', '[::2]', '[2:][::-1]', '.reshape(2, 2)[1]')}",
        )

    def write_view(self, level, loops, depth):
        self.put(
            level,
            self.pick(
                f"p[0] = math.tanh({self.scalar(loops, 1)})",
                "p *= 0.7",
                f"p[:] = np.sin({self.pick('u', 'v', 'x')}[:2])",
                "p += p[::-1]",
            ),
        )

    def fancy_write(self, level, loops, depth):
        name = self.pick("u", "v", "w")
        self.put(
            level,
            self.pick(
                f"{name}[[0, 2, 0]] = np.sin({self.pick('u', 'x')}[:3])",
                f"{name}[{name} > 0.2] *= {self.number()}",
                f"{name}[[1, 3]] += p",
                f"{name}[[3, 1]] = {name}[[1, 3]]",
            ),
        )

    def containers(self, level, loops, depth):
        value = f"math.tanh({self.scalar(loops, 1)})"
        self.put(
            level,
            self.pick(
                f"held.append({value})",
                f"held[0] = {value}",
                "a = held.pop() if len(held) > 1 else b",
                f"table['k'] = {value}",
                f"table['k'] *= {value}",
                f"held, table['old'] = [*held[-2:], {value}], table['k']",
                f"box.v = box.v * 0.5 + {value}",
                "c = box.v",
                f"box.w = {self.pick('u', 'v', 'x')}",
                "box.w[0] += box.v",
            ),
        )

    def for_loop(self, level, loops, depth):
        i = self.fresh("i")
        head = self.pick(
            f"for {i} in range({self.random.randrange(1, 4)}):",
            f"for {i}, t{i} in enumerate({self.pick('u', 'v', 'x')}):",
            f"for {i} in reversed(range(3)):",
        )
        self.put(level, head)
        if "enumerate" in head:
            self.put(level + 1, f"c = math.sin(c + t{i})")
        self.block(level + 1, [*loops, i], self.random.randrange(1, 4), depth - 1)
        if self.pick(0, 1):
            self.put(level + 1, f"if {self.scalar([*loops, i], 1)} > 0.4:")
            self.put(level + 2, self.pick("break", "continue"))
            self.block(level + 1, [*loops, i], 1, 0)
        if self.pick(0, 0, 1):
            self.put(level, "else:")
            self.block(level + 1, loops, 1, 0)

    def while_loop(self, level, loops, depth):
        n = self.fresh("n")
        self.put(level, f"{n} = 0")
        self.put(level, f"while {n} < {self.random.randrange(1, 4)} and {self.scalar(loops, 1)} < 0.9:")
        self.put(level + 1, f"{n} += 1")
        self.block(level + 1, [*loops, n], 2, depth - 1)

    def branch(self, level, loops, depth):
        self.put(level, f"if {self.scalar(loops, 1)} > {self.number()}:")
        self.block(level + 1, loops, 2, depth - 1)
        if self.pick(0, 1):
            self.put(level, f"elif {self.scalar(loops, 0)} < {self.number()}:")
            self.block(level + 1, loops, 1, depth - 1)
        self.put(level, "else:")
        self.block(level + 1, loops, 1, depth - 1)

    def exception(self, level, loops, depth):
        self.put(level, "try:")
        self.block(level + 1, loops, 2, depth - 1)
        self.put(
            level + 1,
            self.pick(
                "u[9] = a",
                f"if {self.scalar(loops, 1)} > 0: raise IndexError",
                "b = a + held[99]",
                "c = table['none']",
            ),
        )
        self.block(level + 1, loops, 1, depth - 1)
        self.put(level, "except (IndexError, KeyError):")
        self.block(level + 1, loops, 1, depth - 1)
        if self.pick(0, 1):
            self.put(level, "finally:")
            self.block(level + 1, loops, 1, 0)

    def closure(self, level, loops, depth):
        f = self.fresh("f")
        self.put(level, f"def {f}(t, k={self.scalar(loops, 0)}):")
        self.put(level + 1, "nonlocal a, b, c, u, v, w, x, p, held")
        self.in_function += 1
        self.block(level + 1, loops, 2, 0)
        self.in_function -= 1
        self.put(level + 1, f"return t * k + {self.pick('a', 'u[0]', 's', 'p[1]')}")
        self.put(level, f"a = math.tanh({f}({self.scalar(loops, 1)}) + {f}(b, k=c))")

    def generator(self, level, loops, depth):
        g, t = self.fresh("g"), self.fresh("t")
        self.put(level, f"def {g}(m):")
        self.put(level + 1, "for j in range(m):")
        self.put(level + 2, f"yield {self.scalar([*loops, 'j'], 1)} * x[j]")
        self.put(level, f"for {t} in {g}(3):")
        self.put(level + 1, f"c = math.sin(c + {t})")
        self.block(level + 1, loops, 1, 0)

    def rows(self, level, loops, depth):
        m, r = self.fresh("m"), self.fresh("r")
        self.put(level, f"{m} = np.stack([{self.pick('u', 'v')}, {self.array(loops, 1)}, x])")
        self.put(level, f"for {r} in {m}{self.pick('', '.T', '[1:]')}:")
        self.put(
            level + 1,
            self.pick(f"{r} *= {self.scalar(loops, 1)}", f"{r}[0] = {r}[1] * a", f"b = math.sin(b + {r}.sum())"),
        )
        self.put(level, f"w = np.tanh({m}.sum(axis=0))")


def program(seed):
    writer = Writer(seed)
    writer.put(0, "class Box: pass")
    writer.put(0, "def program(x, y, s):")
    for line in (
        "a, b, c = s, s * 0.5, 1.0", "u, v, w = x * 0.5, y, np.zeros(4)", "p = v[1:3]", "held = [a]",
        "table = {'k': b}", "box = Box()", "box.v, box.w = c, v",
    ):  # fmt: skip
        writer.put(1, line)
    writer.block(1, [], 7, 2)
    writer.put(
        1,
        "return math.sin(a) + b * c + (u * v).sum() + w @ x + p.sum() + sum(held) + table['k'] + box.v + (box.w * y).sum()",
    )
    return "\n".join(writer.lines) + "\n"


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_program(seed):
    source = program(seed)
    f = module_of(source, f"random program {seed}", np=np, math=math).program
    rng = np.random.default_rng(seed)
    args = (rng.uniform(-1, 1, N), rng.uniform(-1, 1, N), float(rng.uniform(-1, 1)))
    try:
        g = verify(f, *args, fd=False)
        coarse, fine = differences(f, args, 1e-4), differences(f, args, 1e-5)
        for path in coarse:
            got = at_path(g, path)
            if np.allclose(coarse[path], fine[path], rtol=1e-5, atol=1e-6):  # else a branch is too close to tell
                np.testing.assert_allclose(0.0 if got is None else got, fine[path], rtol=2e-5, atol=2e-6)
    except BaseException as error:
        error.add_note(source)
        raise
