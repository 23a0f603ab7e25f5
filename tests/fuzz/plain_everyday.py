"""Random plain programs of everyday constructs: ``:=``, patterns, contexts, iterators, searches, selections.

They are short, so that most have a static adjoint: of two numbers, with a list and, in some, an array.
"""

from __future__ import annotations

import random
from typing import Any

HEAD = """import bisect, contextlib, enum, functools, heapq, itertools, math, operator, statistics, warnings
from collections import deque, namedtuple
import numpy as np
class Spot:
    __match_args__ = ("u", "v")
    def __init__(self, u, v):
        self.u, self.v = u, v
    def __enter__(self):
        self.u = self.u * 0.5
        return self
    def __exit__(self, *error):
        self.v += 1.0
class Two(namedtuple("Two", "u v")):
    __slots__ = ()
    def __add__(self, other):
        return Two(self.u + other.u, self.v - other.v)
class Ring(Spot):
    @functools.cached_property
    def area(self):
        self.v = self.v + 0.5
        return self.u * self.v
    @property
    def double(self):
        return 2.0 * self.u
    @double.setter
    def double(self, d):
        self.u = 0.5 * d + self.v
Sort = enum.Enum("Sort", {"A": 1, "B": 2, "C": -1})
@contextlib.contextmanager
def scaled(c, by=0.5):
    d = c * by
    yield d + K
@functools.singledispatch
def size(v, x):
    return x * 0.5
@size.register
def _(v: Spot, x):
    return v.u * x
@size.register
def _(v: str, x):
    return len(v) + x
@size.register
def _(v: int, x):
    return v - x
def told(v, is_sum=True):
    if np.ndim(v) == 0:
        return v * v if is_sum is True else v
    return np.sum(v * 2.0)
def leaves(tree):
    if isinstance(tree, tuple):
        for part in tree:
            yield from leaves(part)
    else:
        yield tree
K = 0.7
"""


class EverydayWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.has_array = rng.random() < 0.3
        self.is_noted = rng.random() < 0.3  # whether some calls are counted, so that none may run twice
        self.names = ["x", "y", "p", "q"]

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def atom(self) -> str:
        return self.pick(*self.names, *self.names, "0.5", "-1.2", "K")

    def number(self, depth: int = 2) -> str:
        kind = self.rng.randrange(8) if depth else 0
        if kind < 2:
            return self.atom()
        if kind < 5:
            return f"({self.number(depth - 1)} {self.pick('+', '-', '*')} {self.number(depth - 1)})"
        if kind == 5:
            f = self.pick("math.sin", "math.tanh", "abs", "math.exp(-1.0) * math.cos", *["note"] * 4 * self.is_noted)
            return f"{f}({self.number(depth - 1)})"
        return self.of_array() if self.has_array and self.rng.random() < 0.5 else self.of_list()

    def items(self) -> str:
        """Something that gives numbers one by one."""
        x = self.atom()
        return self.pick(
            "L", "L", f"map(lambda v: v * {x}, L)", "map(math.sin, L)", "L[1:]", f"filter(lambda v: v > {x}, L)",
            "itertools.accumulate(L)", f"itertools.accumulate(L, lambda v, w: v * w + {x})", "L[::-1]", "sorted(L)",
            f"(v * {x} for v in L if v < 1.0)", f"[v + {x} for v in L]", "map(lambda v, w: v * w, L, L[1:])",
            f"itertools.chain(L, [{x}])", "(v * w for v, w in itertools.pairwise(L))",
            f"(v * w for v, w in itertools.combinations([{x}, y, 0.5], 2))",
            f"({x}, 0.5, x)", f"map(abs, [{x}, -0.5])", f"[{x}, 0.3]", f"itertools.accumulate([{x}, y, 0.3])",
            f"itertools.chain.from_iterable([L, [{x}], L])", f"itertools.chain.from_iterable([v, {x}] for v in L)",
            f"heapq.nsmallest(2, {self.pick('L', 'sorted(L)', f'[{x}, y, x]')})", "heapq.nlargest(3, L, key=abs)",
            f"leaves(({x}, (y, 0.5), ((x,), {x})))", f"(m.value * {x} for m in Sort)",
        )  # fmt: skip

    def of_list(self) -> str:
        x, y, items = self.atom(), self.atom(), self.items()
        most = self.pick("max", "min")
        return self.pick(
            f"sum({items})", f"{most}({items})", f"{most}({x}, {y}, 0.4)", f"{most}([{x}, {y}, x])",
            f"{most}({x}, {y})",
            f"{most}({items}, key=lambda v: -v * v)", f"functools.reduce(lambda v, w: v * {x} + w, {items})",
            f"list({items})[{self.pick('0', '-1')}]", f"bisect.bisect([-1.0, 0.2, 0.9], {x})", f"L.index({most}(L))",
            f"L[L.index({most}(L))]", f"L.count({x})", f"sorted(L)[{self.pick('0', '-1')}]", f"int({x} > {y})",
            f"math.dist(({x}, {y}), (0.5, x))", f"statistics.mean([{x}, {y}, 0.5])", f"math.fsum([{x}, {y}, x])",
            f"(z := {x}) * z", f"getattr(Spot({x}, {y}), '{self.pick('u', 'v')}')", f"math.prod([{x}, {y}, 0.5])",
            f"(Two({x}, {y}) + Two(x, 0.5)).{self.pick('u', 'v')}", f"({x} > {y}) * 0.5", f"math.floor({x}) * {y}",
            *[f"sorted(L, key=note)[{self.pick('0', '-1')}]", f"{most}(L, key=note)", f"sorted([{x}, y], key=note)[0]",
              f"sum(map(note, {items}))", f"sum([note(v) for v in {items}])"] * self.is_noted,
            f"(({x} > {y}) {self.pick('&', '|', '^')} (y > 0.2)) * {x}", f"bool({x}) * {y}",
            f"(int({x} > y) {self.pick('<<', '>>', '|', '^')} 1) * {y}", f"sum(({x}, {y}) + (0.5, x) * 2)",
            f"sum([w_ * v for v in L if (w_ := v * {x}) > 0.1])", f"sum((w_ := v + {x}) * w_ for v in L)",
            f"sum(operator.itemgetter({self.pick('0, 1', '-1, 0')})(L))", f"operator.itemgetter(1)(({x}, {y}))",
            f"sorted([({x}, 0.5), ({y}, x)], key=operator.itemgetter(0))[0][1]",
            f"operator.attrgetter('v')({self.pick('Spot', 'Two')}({x}, {y}))", f"(r_ := Ring({x}, {y})).area * r_.v",
            f"pow({x}, {self.pick('2', '3', '2.0')})", f"pow(abs({x}) + 0.1, {y})",
            f"told({x}, {self.pick('True', 'False')})",
            f"size(Spot({x}, {y}), x)", f"size('kk', {x})", f"size({self.pick('2', x)}, {y})", f"size(Ring({x}, y), x)",
        )  # fmt: skip

    def of_array(self) -> str:
        x, y = self.atom(), self.atom()
        return "float({})".format(self.pick(
            f"np.sum(np.r_[{x}, Z, [{y}, x]] ** 2)", f"np.sum(np.where(Z > {x}, Z, {y}))", f"np.max(Z * {x})",
            f"np.sum(np.c_[Z, Z * {x}] ** 2)", f"np.sum(Z > {x})", f"Z[np.argmax(Z)] * {y}", f"np.sum(Z * Z) * {x}",
            f"Z[{self.pick('0', '-1')}].item() * {x}", f"(Z * {x}).sum().item()",
            f"told({self.pick('Z', 'Z[0]')}) * {x}", f"{x}.item() * {y}",
        ))  # fmt: skip

    def test(self) -> str:
        return f"{self.number(1)} {self.pick('<', '>', '<=', '>=')} {self.number(1)}"

    def block(self, depth: int) -> list[str]:
        return ["    " + line for _ in range(self.pick(1, 1, 2)) for line in self.statement(depth - 1)]

    def statement(self, depth: int) -> list[str]:
        kinds = [self.named, self.matched, self.within, self.gone_through] if depth else []
        return self.pick(self.simple, self.simple, self.changed, *kinds)(depth)

    def simple(self, depth: int) -> list[str]:
        return [f"{self.pick(*self.names)} {self.pick('=', '=', '+=')} {self.number()}"]

    def named(self, depth: int) -> list[str]:
        test = f"(z := {self.number(1)}) > {self.atom()}"
        head, end = self.pick(
            (f"if {test}:", "z"), (f"if x > 0.3 and {test}:", "0.1"), (f"if x > 0.3 or {test}:", "x"),
            (f"while n < 3 and {test}:", "0.2"), (f"while (n := n + 1) < 3 and {test}:", "n"),
        )  # fmt: skip
        start, more = (["n = 0"], ["    n += 1"]) if head.startswith("while") else ([], [])
        return [*start, head, *more, *self.block(depth), f"p = p * 0.5 + {end}"]

    def matched(self, depth: int) -> list[str]:
        a, b = self.number(1), self.number(1)
        subject = self.pick(f"({a}, {b})", f"('k', {a})", f"[{a}, {b}, 0.5]", f"Spot({a}, {b})", f"Two({a}, {b})",
                            f"{{'u': {a}, 'v': {b}}}", a, "'k'", "None", f"(({a}, {b}), 0.5)")  # fmt: skip
        patterns = ["('k', w)", "(w, 0.5)", "[w, *_]", "[_, w]", "Spot(w, _)", "Spot(v=w)", "Two(u=w)", "Two(w, _)",
                    "{'u': w, **t}", "{'v': 0.5, 'u': w}", "0.7 | 2", "'k'", "None", "(w, _) as t", "[(w, _), _]",
                    "{'q': w}", "[w, v, *t] if w > v", "(w, v) if v > 0.2", "Spot(w, v) | Two(v, w)"]  # fmt: skip
        lines = [f"match {subject}:"]
        for pattern in self.rng.sample(patterns, self.pick(2, 3, 4)):
            what = "w" if "w" in pattern else "0.3"
            lines += [f"    case {pattern}:", f"        x = x + {what} * {self.atom()}"]
            lines += ["    " + line for line in self.block(depth)]
        return [*lines, "    case _:", *["    " + line for line in self.block(depth)]]

    def within(self, depth: int) -> list[str]:
        head, first = self.pick(
            ("np.errstate(divide='ignore', over='ignore')", []), ("contextlib.nullcontext(x * 0.5) as p", []),
            (f"Spot({self.atom()}, x) as s", ["    x = x * s.u"]),
            (f"scaled({self.atom()}) as p", ["    x = x + p"]), (f"scaled({self.atom()}, by=x) as q", []),
            (f"scaled({self.atom()})", ["    x = x * 0.9"]),
            ("warnings.catch_warnings()", ["    warnings.simplefilter('ignore')"]),
            ("contextlib.suppress(ValueError, ZeroDivisionError)",
             [f"    x = {self.pick('math.sqrt', '1.0 / ', 'math.log')}({self.number(1)})"]),
        )  # fmt: skip
        return [f"with {head}:", *first, *self.block(depth)]

    def gone_through(self, depth: int) -> list[str]:
        jump = self.pick([], [], [f"    if {self.test()}:", f"        {self.pick('break', 'continue')}"])
        change = self.pick([], [], [], [f"    L[{self.pick('0', '-1')}] = x * 0.5"])
        return [f"for v in {self.items()}:", f"    x += v * {self.atom()}", *jump, *change, *self.block(depth)]

    def changed(self, depth: int) -> list[str]:
        x, y = self.atom(), self.number(1)
        if self.has_array:
            return self.pick(
                [f"Z[Z > {x}] = {self.pick('0.5', 'x')}"], [f"Z[np.array([0, 2, {self.pick('1', '-1', '2')}])] += {y}"],
                [f"np.add.at(Z, np.array([0, 1, {self.pick('1', '2')}]), {y})"], [f"Z = Z * {x}"],
                ["Z[[3, 0]] = Z[:2] * x"],
            )  # fmt: skip
        return self.pick(
            [f"L = [{x}, x, 0.5, {y}]"], [f"L = [v * {x} for v in L]"], [f"L[{self.pick('0', '1')}] = {y}"],
            [f"Q = deque(L); Q.rotate({self.pick('1', '-1', '2', 'int(x * 3)')})", "x = x + Q[0] * Q[-1]"],
            [f"r = Ring({x}, {y}); r.double = {y}", "p = r.area + r.u", f"r.u = {x}", "q = r.area * r.double"],
            ["I = iter(L)", f"for v in iter(lambda: next(I), {self.pick('0.5', '-0.2')}):", "    x += v * v"],
            ["L[1] = max(L)"], [f"s = Spot({x}, {y})", "setattr(s, 'u', x)", "x = s.u * s.v"], [f"L.append({y})"],
        )  # fmt: skip

    def program(self) -> str:
        lines = ["p, q = x * 0.3, 0.4", "L = [x, 0.5, y * 0.3, -0.2]"]
        if self.has_array:
            lines.append("Z = np.array([0.3, -1.2, 0.7, 0.1]) * x")
        if self.is_noted:
            lines += ["noted = []", "def note(v):", "    noted.append(v * 0.25)", "    return v * 0.9"]
        for _ in range(self.pick(2, 3, 4)):
            lines += self.statement(2)
        lines.append(
            f"return {self.number()}{self.pick('', '', ' + sum(L)', ' + x * p')}{' + sum(noted)' * self.is_noted}"
        )
        body = "\n".join("    " + line for line in lines)
        numbers = [f"{self.rng.uniform(-1, 1.5):.3f}" for _ in range(4)]
        arguments = f"first = ({numbers[0]}, {numbers[1]})\nsecond = ({numbers[2]}, {self.pick('2', numbers[3])})\n"
        return f"{HEAD}def program(x, y):\n{body}\n{arguments}"
