"""Random programs of real numbers: the static adjoint and the eager tier must agree, and so must the plain value.

    python -m tests.fuzz --plain --programs 20000

The programs loop, branch, jump, return early, call helpers of several values, read arrays by element, and make and
change objects, lists and dicts. Each is called with arguments of one kind, then with others: other types, unseen
branches, other globals, methods and attributes.
"""

from __future__ import annotations

import copy
import importlib
import io
import linecache
import math
import multiprocessing
import random
import re
import time
import types
import warnings
from contextlib import redirect_stdout
from functools import partial
from typing import Any

import numpy as np

import chainrules
import morula
from morula.static.python.pairs import INTERNAL, record_of

from . import plain_callees, plain_parts, plain_verbs
from .check import Verdict, limited
from .program import TimedOut
from .survey import Survey

HEAD = "import math\nimport numpy as np\nfrom math import sin, exp\n"
RTOL, RTOL_SINGLE = 1e-9, 1e-6
PORTION = 100  # programs of one process
ADDRESS = re.compile(r"0x[0-9a-f]+")
REFUSALS = ("ResultError", "NotDiff", "RuleError", "Aliased")  # of a complex number, say
OBJECTS = """
class Body:
    g = 0.8
    def __init__(self, u, w=0.5, name="b"):
        self.u, self.w, self.name, self.next = u, w, name, None
    def energy(self):
        return self.u * self.w + self.g
    @property
    def double(self):
        return 2.0 * self.u
    def step(self, h):
        self.u += h * self.w
        if self.u > 1.5:
            self.w = self.w * 0.5
            return self
        return self
    def meet(self, other):
        f = self.u - other.u
        self.w -= 0.1 * f
        other.w += 0.1 * f
        return f
class Heavy(Body):
    def __init__(self, u, m):
        super().__init__(u, 0.3, "h")
        self.m = m
    def energy(self):
        return super().energy() * self.m
def reset():
    global W
    W = Body(0.3, -0.7)
    W.next = Heavy(0.9, 1.5)
    D.clear()
    D.update(k=0.4, l=2, m=0.3)
D = {}
reset()
"""


class Writer:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.of_floats = rng.random() < 0.5  # of other types most programs have no static adjoint
        self.helpers: list[tuple[str, int, int]] = []  # name, arguments, values
        self.objects = rng.random() < 0.4
        self.of_floats |= self.objects and rng.random() < 0.8
        self.parameters: list[str] = []
        self.recursive: list[str] = []  # functions of a number and a depth
        self.inner: list[str] = []  # functions of a number that the present function makes

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def atom(self, names: list[str]) -> str:
        if names and self.rng.random() < 0.8:
            return self.rng.choice(names)
        if self.of_floats:
            return self.pick("0.5", "-1.5", "1e-3", "math.pi", "2.0", "0.7")
        return self.pick("0.5", "2", "-1.5", "3", "1e-3", "K", "N", "math.pi", "0.0", "True")

    def number(self, names: list[str], depth: int = 3) -> str:
        if depth == 0 or self.rng.random() < 0.2:
            return self.atom(names)

        def part() -> str:
            return self.number(names, depth - 1)

        if self.objects and self.rng.random() < 0.15:
            return self.of_object(names)
        if self.inner and self.rng.random() < 0.12:
            return f"{self.rng.choice(self.inner)}({part()})"
        kind = self.rng.randrange(21)
        if kind == 20 and self.recursive:
            return f"{self.rng.choice(self.recursive)}({part()}, {self.pick('0', '1', '2', 'N')})"
        if kind < 8:
            return f"({part()} {self.pick('+', '-', '*', '+', '-', '*', '/')} {part()})"
        if kind == 8:
            f = self.pick("math.sin", "sin", "math.cos", "math.tanh", "math.atan", "np.sin", "np.tanh")
            return f"{f}({part()})"
        if kind == 9:
            return f"{self.pick('math.exp', 'exp')}({self.pick('math.sin', 'math.tanh')}({part()}))"
        if kind == 10:
            return f"{self.pick('math.sqrt', 'math.log')}({self.pick('0.1', '1.0')} + {part()} ** 2)"
        if kind == 11:
            return f"{part()} ** {self.pick('2', '3', '1', '0', '2.0')}"
        if kind == 12:
            return f"{self.pick('max', 'min', 'math.atan2', 'math.hypot')}({part()}, {part()})"
        if kind == 13:
            return f"{self.pick('abs', '-', '+', 'float', 'math.fabs')}({part()})"
        if kind == 14:
            return f"({part()} if {self.test(names)} else {part()})"
        if kind == 15:
            return f"{self.pick('(abs({}) + 0.5)', '(abs({}) + 0.5)', '({})').format(part())} ** {part()}"
        if kind == 16 and self.rng.random() < 0.2:
            return f"({self.atom(names)} % {self.pick('2', '1.5')} + {self.atom(names)} // 2)"
        if kind == 17 and any(n == 1 for _, _, n in self.helpers):
            name, k, _ = self.rng.choice([h for h in self.helpers if h[2] == 1])
            return f"{name}({', '.join(part() for _ in range(k))})"
        if kind == 18:
            return self.pick(f"{self.pick('A', 'a')}[{self.pick('0', '1', '-1', 'N')}]", "B[0, 1]", "B[-1][0]")
        if kind == 19 and self.rng.random() < 0.5:
            return self.over_items(names, depth)
        return f"math.copysign({part()}, {part()})"

    def over_items(self, names: list[str], depth: int) -> str:
        """A number that a comprehension or a generator gives."""
        v = self.pick("v", "k", "x")
        item = self.number([*names, v], depth - 1)
        head = self.pick(f"for {v} in A", f"for {v} in range({self.pick('3', 'N')})", f"for {v} in (0.5, 2.0)",
                         f"for {v}, w in zip(A, A) if w > 0.1", f"for {v} in A for w in range(2)")  # fmt: skip
        return self.pick(f"sum({item} {head})", f"sum([{item} {head}], 0.5)", f"[{item} {head}][0]", "sum(A)")

    def test(self, names: list[str]) -> str:
        relation = f"{self.number(names, 1)} {self.pick('<', '>', '<=', '>=', '==', '!=')} {self.number(names, 1)}"
        kind = self.rng.randrange(6)
        if kind == 0:
            return f"{relation} and {self.atom(names)} < 1.0"
        if kind == 1:
            return f"not {self.atom(names)} > 0.3 or {relation}"
        if kind == 2:
            return f"-1.0 < {self.atom(names)} < {self.atom(names)}"
        return relation

    def block(self, names: list[str], depth: int, loops: int, values: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 4)):
            lines += self.statement(names, depth, loops, values)
        return lines

    def statement(self, names: list[str], depth: int, loops: int, values: int) -> list[str]:
        if self.objects and self.rng.random() < 0.25:
            return self.with_objects(names, depth, loops, values)
        kind = self.rng.randrange(17)
        target = self.pick("p", "q", "r", "s", *names[:3])

        def inside() -> list[str]:
            return ["    " + x for x in self.block(names, depth - 1, loops, values)]

        if kind < 5 or depth == 0:
            lines = [f"{target} = {self.number(names)}"]
        elif kind == 5:
            lines = [f"{self.rng.choice(names)} {self.pick('+=', '-=', '*=')} {self.number(names, 2)}"]
            return lines
        elif kind == 6:
            return [f"{self.pick('x, y', 'p, q', 'y, x')} = {self.number(names, 2)}, {self.number(names, 2)}"]
        elif kind in (7, 8):
            lines = [f"if {self.test(names)}:", *inside()]
            if self.rng.random() < 0.6:
                lines += ["else:", *inside()]
            return lines
        elif kind in (9, 10):
            body = ["    " + x for x in self.block(names, depth - 1, loops + 1, values)]
            var = self.pick("i", "j")
            head = self.pick(f"for {var} in range({self.pick('3', 'N', '1, 4', '4, 0, -1')}):", "for v in A:",
                             "for i, v in enumerate(a):", "for v, w in zip(a, A):")  # fmt: skip
            extra = [f"    {self.rng.choice(names)} += {self.pick('v', 'w') if ' v' in head else var} * 0.1"]
            extra = [e.replace(" w ", " v ") if "w" not in head.split(" in ")[0] else e for e in extra]
            return [head, *extra, *body]
        elif kind == 11:
            body = ["    " + x for x in self.block(names, depth - 1, loops + 1, values)]
            test = f"n < {self.pick('2', '3')}{self.pick('', ' and ' + self.test(names))}"
            return ["n = 0", f"while {test}:", "    n += 1", *body]
        elif kind == 12 and loops:
            jump = self.pick("break", "continue", "break", self.leave(names, values))
            return [f"if {self.test(names)}:", f"    {jump}"]
        elif kind == 13:
            return [f"if {self.test(names)}:", f"    {self.leave(names, values)}"]
        elif kind == 16:
            return self.of_arrays(names)
        elif kind == 14 and any(n == 2 for _, _, n in self.helpers):
            name, k, _ = self.rng.choice([h for h in self.helpers if h[2] == 2])
            given = ", ".join(self.number(names, 1) for _ in range(k))
            return [f"{self.pick('x, p', 'p, q', 'y, s')} = {name}({given})"]
        else:
            lines = [f"{target} = {self.number(names, 4)}"]
        if target not in names and self.rng.random() < 0.7:
            names.append(target)  # elsewhere it may be unbound
        return lines

    def thing(self) -> str:
        return self.pick("W", "W.next", "b", "b", "c", "bs[0]", "bs[-1]", *(["o"] if "o" in self.parameters else []))

    def of_object(self, names: list[str]) -> str:
        """A number that an object or a dict holds, or that comes of it."""
        x = self.thing()
        return self.pick(
            f"{x}.u", f"{x}.w", f"{x}.energy()", f"{x}.double", f"{x}.meet({self.thing()})", f"{x}.g",
            f"{x}.step({self.atom(names)}).u", "D['k']", "D['l']", "e['a']", "e['b']", "sum([v.u for v in bs])",
            f"(1.0 if {x}.name == 'b' else {self.atom(names)})", f"(0.5 if {x}.next is None else {x}.w)",
            f"(2.0 if {x} is {self.thing()} else 0.1)", "Body.energy(bs[0])", "float(len(e))", "W.next.m",
        )  # fmt: skip

    def with_objects(self, names: list[str], depth: int, loops: int, values: int) -> list[str]:
        """Statements that make objects, or change them."""
        kind, x, value = self.rng.randrange(9), self.thing(), self.number(names, 2)
        if kind == 0 or not depth:
            return [f"{x}.{self.pick('u', 'w')} {self.pick('=', '+=', '-=', '*=')} {value}"]
        if kind == 1:
            return [f"{self.pick('b', 'c')} = {self.pick('Body', 'Heavy')}({value}, {self.atom(names)})"]
        if kind == 2:
            return [f"b, c = {self.pick('c, b', 'bs[0], c', 'W, bs[1]')}"]
        if kind == 3:
            return [f"{x}.step({value})", f"{x}.meet({self.thing()})"]
        if kind in (4, 5):
            head = self.pick("for v_ in bs:", "for i, v_ in enumerate(bs):", "for v_, u_ in zip(bs, [W, b]):",
                             "for i in range(len(bs)):")  # fmt: skip
            one = "bs[i]" if "range" in head else "v_"
            body = ["    " + line for line in self.block(names, depth - 1, loops + 1, values)]
            return [head, f"    {one}.{self.pick('u', 'w')} += {self.number(names, 1)}", *body]
        if kind == 6:
            place = self.pick("D['k']", "D['l']", "e['a']", "e['b']")
            return [f"{place} {self.pick('=', '+=', '*=')} {value}"]
        if kind == 7:
            line = f"e[{self.pick('k_', repr('a'))}] {self.pick('=', '+=')} w_ * {self.number(names, 1)}"
            return [f"for k_, w_ in {self.pick('e', 'e', 'D')}.items():", "    " + line]
        return [self.pick(f"bs.append(Body({value}))", f"e['c'] = {value}", f"bs[1] = {x}",
                          f"{x}.next = {self.thing()}", f"{x}.double")]  # fmt: skip

    def of_arrays(self, names: list[str]) -> list[str]:
        """Statements with a new array of a few numbers."""
        n, target = self.pick(2, 2, 3), self.pick("x", "q", "r")

        def array() -> str:
            numbers = ", ".join(f"float({self.number(names, 1)})" for _ in range(n))
            return self.pick(f"np.array([{numbers}])", f"np.array([{numbers}])", "U", f"({self.atom(names)} * U)")

        lines = [f"U = np.array([{', '.join(self.pick('0.3', '-1.2', 'float(x)') for _ in range(n))}])"]
        change = f"U = {self.pick('U', array())} {self.pick('+', '-', '*', '/')} {array()}"
        if self.rng.random() < 0.4:
            lines += [f"for _ in range({self.pick('2', 'N')}):", f"    {change}"]
        elif self.rng.random() < 0.3:
            lines += [f"if {self.test(names)}:", f"    {change}"]
        else:
            lines.append(change)
        read = self.pick("U[0] * U[1]", "np.sum(U)", "np.sum(U ** 2)", "U[-1]", "np.mean(-U)", "len(U) * U[0]")
        lines.append(f"{target} = {self.pick('', '', 'float')}({read})")
        if target not in names and self.rng.random() < 0.7:
            names.append(target)
        return lines

    def leave(self, names: list[str], values: int) -> str:
        return "return " + ", ".join(self.number(names, 2) for _ in range(values))

    def function(self, name: str, parameters: list[str], values: int, depth: int) -> str:
        names = [p for p in parameters if p not in ("a", "o")]
        self.parameters = parameters
        start = self.inner_functions(names) if self.rng.random() < 0.3 else []
        body = start + self.block(names, depth, 0, values) + self.block(names, depth, 0, values)
        body.append(self.leave(names, values))
        self.inner = []
        if self.objects:
            start = ["b, c = Body(0.6), Heavy(0.2, 1.1)", "bs = [b, Body(x), c]", "e = {'a': x, 'b': 0.5}"]
            body = [*(s.replace("x", parameters[0]) for s in start), *body]
        return "\n".join([f"def {name}({', '.join(parameters)}):", *["    " + line for line in body]])

    def inner_functions(self, names: list[str]) -> list[str]:
        """A function inside a function, or two: of what it captures, which changes before it is called again."""
        lines: list[str] = []
        for name in ("f1", "f2")[: self.pick(1, 1, 2)]:
            given = self.pick("v", "v", f"v, k={self.rng.choice(names)}")
            if self.rng.random() < 0.4:
                lines.append(f"{name} = lambda {given}: {self.number([*names, 'v'], 2)}")
            elif self.rng.random() < 0.4:
                lines += [f"m{name} = 0.5", f"def {name}(v):", f"    nonlocal m{name}"]
                lines += ["    " + x for x in self.block([*names, "v"], 1, 0, 1)]
                lines += [
                    f"    m{name} {self.pick('=', '+=')} {self.number(['v', f'm{name}'], 1)}",
                    f"    return m{name}",
                ]
                names.append(f"m{name}")
            else:
                lines.append(f"def {name}({given}):")
                lines += ["    " + x for x in self.block([*names, "v"], 1, 0, 1)]
                lines.append(f"    return {self.number([*names, 'v'], 2)}")
            self.inner.append(name)
        return lines

    def calling_itself(self, name: str) -> str:
        """A function of a number and a depth, which calls itself once or twice."""
        names = ["x"]
        lines = [f"if k <= 0{self.pick('', ' or ' + self.test(names))}:", f"    return {self.number(names, 1)}"]
        lines += self.block(names, 1, 0, 1)
        for y in ("y", "z")[: self.pick(1, 1, 2)]:
            lines += [f"{y} = {name}({self.number(names, 1)}, k - {self.pick('1', '2')})"]
            names.append(y)
        lines += [*self.block(names, 1, 0, 1), f"return {self.number(names, 2)} + {names[-1]}"]
        return "\n".join([f"def {name}(x, k):", *["    " + line for line in lines]])

    def program(self) -> str:
        parts = [
            HEAD + OBJECTS * self.objects,
            f"K = {self.pick('0.7', '2', '-0.3')}",
            f"N = {self.pick('2', '3', '1')}",
        ]
        parts.append(f"A = np.array([{', '.join(f'{self.rng.uniform(-1, 1):.3f}' for _ in range(4))}])")
        parts.append("a = A * 0.5")
        parts.append("B = A.reshape(2, 2)")
        for i in range(self.rng.randint(0, 3)):
            arity, values = self.rng.randint(1, 2), self.pick(1, 1, 2)
            parts.append(self.function(f"h{i}", ["x", "y"][:arity], values, 1))
            self.helpers.append((f"h{i}", arity, values))
        if self.rng.random() < 0.3:
            parts.append(self.calling_itself("r0"))
            self.recursive.append("r0")
        parameters = self.pick(["x", "y"], ["x", "y", "a"], ["x"]) + ["o"] * (self.objects and self.rng.random() < 0.5)
        parts.append(self.function("program", parameters, 1, 3))
        numbers = [f"{self.rng.uniform(-1.5, 1.5):.4f}" for _ in range(3)]
        given = {"x": numbers[0], "y": self.pick(numbers[1], "2", f"np.float64({numbers[1]})"), "a": "A[::1] * 1.5"}
        given["o"] = self.pick("Body(0.4, 0.2)", "Heavy(-0.2, 2)")
        others = {"x": self.pick("-0.3", "1", "np.float64(0.2)"), "y": "0.4"}
        others["a"] = self.pick("A[:3] + 1.0", "[0.1, 0.2]")
        others["o"] = self.pick(
            "Heavy(np.float64(0.4), 0.2)", "Body(1, 0.2)", "Body(0.4, None)", "'at W'", "'at W.next'"
        )
        parts.append(f"first = ({', '.join(given[p] for p in parameters)},)")
        parts.append(f"second = ({', '.join(others[p] for p in parameters)},)")
        return "\n".join(parts) + "\n"


# The grammars, each with the end of the part of [0, 1) that it is drawn by.
WRITERS = (
    (0.24, "plain_arrays", "ArrayWriter"), (0.3, "plain_mutants", "MutantWriter"),
    (0.45, "plain_writes", "WritingWriter"), (0.57, "plain_lists", "ListWriter"),
    (0.575, "plain_jumps", "JumpsWriter"), (0.58, "plain_order", "OrderWriter"),
    (0.59, "plain_methods", "MethodsWriter"),
    (0.6, "plain_texts", "Writer"), (0.72, "plain_uncommon", "Writer"), (0.725, "plain_idioms", "IdiomsWriter"),
    (0.727, "plain_sharing", "SharingWriter"), (0.7285, "plain_layers", "LayersWriter"),
    (0.7295, "plain_drawn", "DrawnWriter"), (0.731, "plain_agents", "AgentWriter"),
    (0.7325, "plain_outside", "OutsideWriter"), (0.735, "plain_boxes", "BoxWriter"),
    (0.74, "plain_names", "NamesWriter"),
    (0.75, "plain_held", "HeldWriter"), (0.755, "plain_lent", "LentWriter"), (0.758, "plain_inplace", "InplaceWriter"),
    (0.7605, "plain_slots", "SlotsWriter"), (0.7613, "plain_standing", "StandingWriter"),
    (0.762, "plain_grown", "GrownWriter"), (0.7635, "plain_rebound", "ReboundWriter"),
    (0.764, "plain_yielded", "YieldedWriter"), (0.7645, "plain_aliases", "AliasesWriter"),
    (0.765, "plain_passed", "PassedWriter"),
    (0.83, "plain_states", "Writer"), (0.837, "plain_members", "MembersWriter"),
    (0.845, "plain_copied", "CopiedWriter"),
    (0.88, "plain_dicts", "DictWriter"), (0.91, "plain_known", "KnownWriter"), (0.93, "plain_places", "PlacesWriter"),
    (0.945, "plain_complex", "ComplexWriter"), (0.96, "plain_vectors", "VectorWriter"),
    (0.967, "plain_deep", "DeepWriter"), (0.975, "plain_callees", "CalleeWriter"),
    (0.985, "plain_everyday", "EverydayWriter"), (0.99, "plain_records", "RecordsWriter"),
    (0.9907, "plain_tried", "TriedWriter"), (0.9915, "plain_reads", "ReadsWriter"),
    (0.9935, "plain_raised", "RaisedWriter"),
    (0.995, "plain_operators", "OperatorsWriter"), (0.9975, "plain_given", "GivenWriter"),
    (1.0, "plain_around", "AroundWriter"),
)  # fmt: skip


def writer_at(x: float) -> Any:
    """The grammar of a place in [0, 1)."""
    return writer_of(next(module for end, module, _ in WRITERS if x < end))


def writer_of(module: str) -> Any:
    """The grammar that a module has, `plain_lent` say."""
    name = next(name for _, found, name in WRITERS if found == module)
    return getattr(importlib.import_module(f".{module}", __package__), name)


def check(seed: int, writer: Any = None) -> tuple[str, Verdict]:
    """Write one program and judge it."""
    rng = random.Random(f"plain {seed}")
    place = rng.random()
    drawn = writer or writer_at(place)
    source = plain_verbs.with_packed(drawn(rng).program())
    module = types.ModuleType("plain_program")
    filename = f"<plain {seed}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(source, filename, "exec", dont_inherit=True), vars(module))
            except Exception as error:  # a mutant that changes a statement outside of all functions
                return source, Verdict("skipped", f"no module: {error}")
            with limited(5.0, of_process=True):  # however busy the machine is
                if hasattr(module, "f0"):  # the functions that the program calls are compared
                    with plain_callees.noting_answers() as answers:
                        verdict = judged(module, rng)
                    return source, Verdict("right") if answers else verdict
                return source, judged(module, rng)
    except TimedOut:
        return source, Verdict("skipped", "takes too long")
    except AssertionError as wrong:
        return source, Verdict("wrong", str(wrong))
    finally:
        del linecache.cache[filename]


def judged(module: types.ModuleType, rng: random.Random) -> Verdict:
    f, taken = module.program, 0
    for args in (module.first, module.second, module.first):
        if hasattr(module, "f0"):
            plain_callees.in_eager_runs(f)
        taken += compare(f, args)
        if rng.random() < 0.4:
            how = (rng.choice(plain_verbs.VERBS), f, module.packed, rng.random())
            taken += compare(f, args, partial(plain_verbs.call_of, *how))
        if rng.random() < 0.5:
            module.K = rng.choice([1.1, 3, np.float64(0.3), -0.6])
        if hasattr(module, "Body") and rng.random() < 0.3:
            change = rng.randrange(4)
            if change == 0:
                module.Body.energy = lambda self: self.u * 3.0
            elif change == 1:
                module.Body.g = rng.choice([0.5, 2, None])
            elif change == 2:
                module.Heavy.double = 7.0
            else:
                vars(module.W)["energy"] = lambda: 11.0
        if rng.random() < 0.2:
            module.h0 = lambda *xs: xs[0] * 0.9
        if hasattr(module, "change") and rng.random() < 0.7:
            module.change(rng.randrange(16))
    if rng.random() < 0.2:
        plain_parts.in_parts(f, rng, lambda: compare(f, module.first))
    why = record_of(f).why
    if why is not None and why.startswith(INTERNAL):  # of what cannot run there may be no text
        assert isinstance(told(lambda: f(*module.first)), str), why
    return Verdict("right" if taken else "refused", "" if taken else why or "always the eager tier")


def compare(f: Any, args: tuple, verb: Any = None) -> bool:
    """Both tiers on one call of a verb, `withgradient` without one; whether the static adjoint took it."""
    space = f.__globals__
    arrays = [x for x in (*args, *space.values()) if type(x) is np.ndarray]
    before = [x.copy() for x in arrays]
    lists = [(x, list(x), copy.deepcopy(x)) for x in space.values() if type(x) is list]

    def run(tier: str, call: Any) -> tuple[Any, str]:
        """The outcome, and the state that is left."""
        given = tuple([copy.deepcopy(a) if type(a) is list else a for a in args])
        for x, old in zip(arrays, before, strict=True):
            if x.flags.writeable:
                x[...] = old
        for x, items, old in lists:
            x[:] = items
            for item, was in zip(items, old, strict=True):
                if type(item) is list:
                    item[:] = was
        if "reset" in space:
            kept = dict(vars(space["W"]))
            space["reset"]()
            vars(space["W"]).update({k: v for k, v in kept.items() if k == "energy"})
            given = tuple([copied(a, space) for a in args])
        with morula.tier(tier), redirect_stdout(io.StringIO()) as printed:
            found = told(lambda: call(*given))
        states = [state_of(space.get("W")), space.get("D"), *[state_of(a) for a in given]]
        return found, repr((printed.getvalue(), states, [x.tobytes() for x in arrays], [x for x, _, _ in lists]))

    plain, _ = run("eager", lambda *given: (f(*given), None))
    record = record_of(f)
    if verb is None:
        eager, left = run("eager", lambda *given: morula.withgradient(f, *given))
        static, also_left = run("static", lambda *given: morula.withgradient(f, *given))
    else:
        eager, left = run("eager", verb())
        static, also_left = run("static", verb())
    for x, old in zip(arrays, before, strict=True):
        if x.flags.writeable:
            x[...] = old
    if isinstance(plain, str) and plain.startswith("RecursionError"):  # where that is depends on the tier
        return False
    if isinstance(plain, str) or isinstance(eager, str):
        refused = isinstance(eager, str) and eager.startswith(REFUSALS)
        found = f"eager {eager}, static {static}, plainly {plain}"
        assert (refused or verb or type(plain) is type(eager)) and static == eager, found
        return False
    assert left == also_left, f"left {also_left}, eager {left} for {args}"
    expected = [plain[0], eager[0]] if any(map(is_scattered, args)) else [plain[0]]  # BLAS adds copies otherwise
    assert static[0] is eager[0] is None or any(same(static[0], y) for y in expected), (
        f"value {static[0]!r}, plainly {plain[0]!r} for {args}"
    )
    found = f"gradient {static[1]}, eager {eager[1]} for {args}"
    is_finite = all(np.all(np.isfinite(y)) for y in leaves(plain[0]) if isinstance(y, int | float | np.ndarray))
    assert len(leaves(static[1])) == len(leaves(eager[1])), found
    for g, h in zip(leaves(static[1]), leaves(eager[1]), strict=True):
        assert (g is None) == (h is None) and type(g) is type(h), found
        if isinstance(g, str):
            assert g == h, found
        elif g is not None:
            assert np.shape(g) == np.shape(h), f"gradient {static[1]}, eager {eager[1]} for {args}"
            size = max(1.0, float(np.max(np.abs(h), initial=0.0)))
            if not is_finite:  # which order of overflowing products gives NaN depends on the way
                g, h = np.where(np.isnan(h), 0.0, g), np.where(np.isnan(h), 0.0, h)
            is_single = np.float32 in [np.result_type(x) for x in (g, *args) if isinstance(x, np.ndarray | np.generic)]
            tolerance = RTOL_SINGLE if is_single else RTOL
            assert np.allclose(g, h, rtol=tolerance, atol=tolerance * size, equal_nan=True), found
    return any(pair.calls for pair in record.all_pairs)


def is_scattered(x: Any) -> bool:
    return isinstance(x, np.ndarray) and not x.flags.forc


def leaves(x: Any) -> list[Any]:
    """The parts of a gradient, and what they are called."""
    if isinstance(x, chainrules.Tangent):
        x = dict(x.fields())
    if isinstance(x, dict):
        return [leaf for k, v in x.items() for leaf in (repr(k), *leaves(v))]
    return [leaf for v in x for leaf in leaves(v)] if isinstance(x, tuple | list) else [x]


def state_of(x: Any, depth: int = 3) -> str:
    """What an object holds, as text."""
    if type(x) is list:
        return repr([state_of(v, depth) for v in x])
    if not hasattr(x, "__dict__") or callable(x) or not depth:
        return repr(x) if isinstance(x, float | int | str | np.ndarray) else type(x).__name__
    return repr({k: state_of(v, depth - 1) for k, v in vars(x).items()})


def copied(x: Any, space: dict[str, Any]) -> Any:
    """An argument of its own for each run; `W` is the present one."""
    for one, now in (("at W", space["W"]), ("at W.next", space["W"].next)):
        if isinstance(x, str) and x == one:
            return now
    return copy.deepcopy(x) if hasattr(x, "__dict__") else x


def told(run: Any) -> Any:
    """What a call gives, or the exception that it ends with, whatever the addresses of what its message names."""
    try:
        return run()
    except Exception as error:
        return f"{type(error).__name__}: {ADDRESS.sub('0x', str(error).partition(chr(10))[0])}"


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):  # where a parameter hides a variable, say
        return type(a) is type(b) and np.array_equal(a, b, equal_nan=True)
    if isinstance(a, complex):
        return type(a) is type(b) and repr(a) == repr(b)
    return type(a) is type(b) and ((a != a and b != b) or (a == b and math.copysign(1.0, a) == math.copysign(1.0, b)))


def portion(task: tuple[int, int, float, str]) -> tuple[Survey, list[tuple[int, str, str]]]:
    """What programs of a grammar, from one seed on, gave until a time; and each wrong one: seed, message, source."""
    start, number, until, grammar = task
    writer = writer_of(grammar) if grammar else None
    found: Survey = Survey()
    wrong = []
    for seed in range(start, start + number):
        if time.time() > until:
            break
        try:
            source, verdict = check(seed, writer)
        except TimedOut:  # the alarm rang once more on the way out
            continue
        found.add(source, verdict)
        if verdict.kind == "wrong":
            wrong.append((seed, verdict.message, source))
    return found, wrong


def main(options: Any) -> int:
    """The command."""
    start = options.seed if options.seed is not None else int(time.time()) % 1_000_000 * 1000
    print(f"seed {start}", flush=True)
    total, began = Survey(), time.time()
    until = began + 60 * options.minutes
    known = [module for _, module, _ in WRITERS]
    grammars = known if options.grammars == ["each"] else options.grammars or [""]
    if unknown := [g for g in grammars if g and g not in known]:
        print(f"no such grammar: {', '.join(unknown)}; there are {', '.join(known)}")
        return 2
    tasks = [
        (start + k, min(PORTION, options.programs - k), until, grammar)
        for k in range(0, options.programs, PORTION)
        for grammar in grammars
    ]
    # each portion in a process of its own, so that what programs leave behind does not pile up
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=1) as pool:
        for (_, _, _, grammar), (found, wrong) in zip(tasks, pool.imap(portion, tasks), strict=True):
            total.merge(found)
            for seed, message, source in wrong:
                where = f"seed {seed}{', ' * bool(grammar)}{grammar}"
                print(f"\nwrong ({where}): {message}\n{source}", flush=True)
            if total.programs % 1000 < found.programs:
                print(f"{total.programs} programs, {(time.time() - began) / 60:.0f} min", flush=True)
    print("\n" + total.report(), flush=True)
    return 1 if total.failures else 0
