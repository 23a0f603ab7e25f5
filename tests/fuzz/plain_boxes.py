"""Random programs with sets, heaps, dicts with computed keys, and lists and queues of tuples; for `plain`."""

from __future__ import annotations

import random
from typing import Any

HEAD = """import heapq
import math
from collections import Counter, OrderedDict, defaultdict, deque
import numpy as np
"""
NOTES = """
class Notes:
    def __init__(self, u):
        self.u, self.d = u, {}
        self.seen = set()
        self.log = []
    def note(self, k, v):
        self.d[k] = v * self.u
        self.seen.add((k, 1))
        self.log.append((v, k))
    def count(self, k, v):
        self.d[k] = self.d.get(k, 0.0) + v
        return self.d[k] if (k, 1) in self.seen else self.u
    def total(self):
        t = len(self.seen) * 0.1
        for k, v in self.d.items():
            t = t * 0.5 + v
        for v, k in self.log:
            t += v * k
        return t
"""
CHANGES = (
    "L.sort()", "L.sort(key=lambda e_: e_[1])", "L.sort(key=lambda e_: (-e_[0], e_[1]))", "L.sort(reverse=True)",
    "L.reverse()", "M = D.copy()", "D.update(M)", "L = L[1:]", "L, H = H, L", "S = S | {k}",
    "T = {(b_, a_) for a_, b_ in T}", "N_ = {}; N_[k] = x; M = N_", "D = {k_: 0.5 * v_ for k_, v_ in D.items()}",
    "L.extend(Q)", "D, W = W, D", "H = [(x * k, k), (y, 2)]; heapq.heapify(H)", "Q = deque([(x, 1)])",
    "G = defaultdict(list)", "L = [(v_, k_) for k_, v_ in D.items()]", "del D[k]", "L = sorted(L)", "S.clear()",
    "S = set(D)", "D[k] = tick()", "D[int(tick())] = tick()", "S.add(int(tick()))", "G[k] = ticks()",
    "G[k].extend(ticks())", "S = S | {int(tick())}", "L = sorted(L, key=lambda e_: -e_[1])",
    "R = sorted(D, key=D.get); s = s + len(R) * x",
    "S = set(S)", "S.update(S | {9, 1})", "S = {8, 0, 16, k}", "S |= {16, 8, 0}", "S = S - {1}",
    "M = dict(D)", "S = set(sorted(S))", "L.sort(key=lambda e_: e_[0] * len(L))",
    "S.add(k * 8); S.discard(k); S.add(0)", "k = S.pop() if S else k", "G[0] = [x, y]", "G[k] = sorted(G[k])",
    "G[0].sort(reverse=True)", "B = G[0]; B.append(s)", "S = {8, 16, 0}",
)  # fmt: skip
PAIRS = ("L", "Q", "H")  # of a number and an integer


class BoxWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.loops: list[str] = []  # variables that hold integers

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    # -- expressions ----------------------------------------------------------------------------------------

    def whole(self) -> str:
        """An integer."""
        i = self.pick("k", "k", *self.loops, str(self.rng.randrange(4)))
        size = f"len({self.pick('S', 'D', 'L')})"
        return self.pick(i, i, i, f"({i} + 1) % 4", f"({i} * 3 + 1) % 5", f"int(abs(x) * {self.pick(2, 3)})", size)

    def key(self, name: str) -> str:
        """A key of a dict, or a member of a set; those of `E` and `T` are pairs."""
        if name in ("E", "T"):
            return f"({self.whole()}, {self.whole()})"
        return self.whole()

    def number(self, depth: int = 2) -> str:
        kind = self.rng.randrange(13) if depth else self.rng.randrange(2)
        if kind < 2:
            return self.pick("x", "y", "s", "s", "0.5", "-1.2", "x * y", "2")
        d = self.pick("D", "E", "D", "W")
        if kind < 4:
            return f"{d}.get({self.key(d)}, {self.number(0)})"
        if kind == 4:
            e = self.key(d)
            return f"({d}[{e}] if {e} in {d} else {self.number(depth - 1)})"
        if kind == 5:
            return self.pick("sum(D.values())", "sum(v * v for v in E.values())", "(max(D.values()) if D else 0.5)",
                             "sum([v for _, v in W.items()])", "sum(k_ * v_ for k_, v_ in D.items())",
                             "sum(k_ for k_ in S)", "sum(a_ + 2 * b_ for a_, b_ in T)", "len(G)")  # fmt: skip
        if kind == 6:
            return self.pick("sum(G[0])", f"sum(v_ for v_ in G.get({self.whole()}, []))", "len(H) * 0.1", "len(Q)",
                             f"(L[-1][0] if L else {self.number(0)})",
                             f"(H[0][0] if H else {self.number(0)})", "memoised(3)", f"memoised({self.whole()})",
                             "visit(0, set())", "tick()", "min(tick(), y)", "sum(ticks())",
                             "max(ticks())", "(1.0 if (tick(), 1) == (y, k) else x)",
                             "len(ticks())", "sorted(ticks())[0]",
                             f"D.get({self.whole()}, tick())", "list(ticks())[1]", "(x if int(tick()) in S else y)",
                             "D[max(D, key=D.get)] if D else s",
                             "max(L, key=lambda e_: e_[0] * x)[0] if L else y", "min(H)[0] if H else x",
                             "sum(v_ * k_ for k_, v_ in sorted(D.items(), key=lambda e_: -e_[1])[:2])",
                             "o.total()", f"o.count({self.whole()}, {self.number(0)})")  # fmt: skip
        if kind == 7:
            name = self.pick("S", "T", "D", "E")
            return f"({self.number(0)} if {self.key(name)} {self.pick('in', 'not in')} {name} else {self.number(0)})"
        if kind == 8:
            return self.pick(f"F[{self.whole()}]", f"C[{self.whole()}]", f"F[{self.whole()}] * x")
        if kind == 9:
            return f"math.{self.pick('sin', 'cos', 'tanh')}({self.number(depth - 1)})"
        return f"({self.number(depth - 1)} {self.pick('+', '-', '*')} {self.number(depth - 1)})" if depth else "0.3"

    def test(self) -> str:
        name = self.pick("S", "T", "D", "E", "W")
        return self.pick(
            f"{self.key(name)} {self.pick('in', 'not in')} {name}", f"s {self.pick('<', '>')} {self.number(1)}",
            self.pick(*PAIRS, "S", "G"), f"k < {self.whole()}", f"not {self.pick(*PAIRS)}",
            f"L and {self.number(0)} > 0.2", f"({self.whole()}, {self.whole()}) == ({self.whole()}, k)",
        )  # fmt: skip

    # -- statements -----------------------------------------------------------------------------------------

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.randrange(24)
        d, x = self.pick("D", "E", "W", "D", "E", "F"), self.number(2)
        if kind < 4:
            how = self.pick("=", "=", "+=", "*=") if d == "F" else "="
            return [f"{d}[{self.key(d)}] {how} {x}"]
        if kind == 4:
            return [f"D[{(e := self.key('D'))}] = D.get({e}, {self.pick('0.0', '0', self.number(0))}) + {x}"]
        if kind == 5:
            e = self.key(d)
            return [f"if {e} in {d}:", f"    {d}[{e}] {self.pick('+=', '*=', '-=')} {x}",
                    *(["else:", f"    {d}[{e}] = {self.number(1)}"] if self.rng.random() < 0.6 else [])]  # fmt: skip
        if kind == 6:
            name = self.pick("S", "T")
            return [f"{name}.{self.pick('add', 'add', 'discard')}({self.key(name)})"]
        if kind in (7, 8):
            how = self.pick("L.append({})", "Q.append({})", "Q.appendleft({})", "heapq.heappush(H, {})",
                            "L.insert(0, {})", "heapq.heappush(H, {})", "s, k = heapq.heappushpop(H, {})")  # fmt: skip
            return [how.format(f"({self.number(1)}, {self.whole()})")]
        if kind in (9, 10):
            name, take = self.pick(("L", "L.pop()"), ("Q", "Q.popleft()"), ("H", "heapq.heappop(H)"), ("Q", "Q.pop()"))
            target = self.pick("y, k = {}", "r_ = {}", "p_, q_ = {}")
            use = {"y": "s = s + y", "r": "s = s + r_[0] * (r_[1] + 1)", "p": "s = s - p_ * q_"}[target[0]]
            return [f"if {name}:", f"    {target.format(take)}", f"    {use}"]
        if kind == 11:
            return [f"G{self.pick(f'.setdefault({self.whole()}, [])', f'[{self.whole()}]')}.append({self.number(1)})"]
        if kind == 12:
            return [self.pick(f"C[{self.whole()}] += {self.pick('1', '1', '2')}", f"F[{self.whole()}] += {x}",
                              f"y = D.setdefault({self.whole()}, {self.number(1)})",
                              f"y = D.pop({self.whole()}, {self.number(0)})",
                              f"s = s + W.pop({self.whole()}, 0.25)")]  # fmt: skip
        if kind == 13:
            return [self.pick(*CHANGES)]
        if kind in (14, 15, 16) and depth:
            return self.loop(depth)
        if kind in (17, 18) and depth:
            lines = [f"if {self.test()}:", *self.block(depth - 1)]
            return lines + (["else:", *self.block(depth - 1)] if self.rng.random() < 0.4 else [])
        if kind == 19 and self.loops:
            return [f"if {self.test()}:", f"    {self.pick('break', 'continue', 'return s')}"]
        if kind == 20:
            return [
                self.pick(
                    f"k = {self.whole()}",
                    f"y = mix(D, {self.number(0)})",
                    "fill(E, x, k)",
                    f"s = s + near(S, {self.number(0)})",
                )
            ]
        return [f"{self.pick('s', 's', 'y')} = {self.pick('s + ', '')}{x}"]

    def loop(self, depth: int) -> list[str]:
        i = f"i{len(self.loops)}"
        heads = [(f"for {i} in range({self.rng.randint(2, 6)}):", "")] * 3
        heads += [
            (f"for {i} in S:", ""), (f"for {i}, v_ in D.items():", "s = s + v_ * 0.3"),
            (f"for {i} in D:", f"s = s + D[{i}]"),
            (f"for {i}, w_ in T:", f"s = s + w_ * {i} * x"), (f"for v_, {i} in L:", "s = s + v_ * 0.2"),
            (f"for v_, {i} in reversed(L):", "s = 0.3 * s + v_"),
            (f"for {i}, v_ in enumerate(ticks()):", "s = s + v_"), (f"for {i} in map(int, ticks()):", "s = s * x"),
            (f"for {i}, v_ in enumerate(reversed(ticks())):", f"s = s * 0.5 + {i} * v_"),
            (f"for {i}, (v_, w_) in enumerate(L):", "s = s - v_ * w_ * 0.1"),
            (f"for {i} in list(D):", f"D[{i}] = D[{i}] * x"),
            (f"for ({i}, j_), v_ in E.items():", "s = s + v_ * j_"), (f"for {i} in sorted(S):", f"s = s * 0.5 + {i}"),
            (f"for {i} in D.keys():", ""), (f"for {i} in S:", f"s = s * 0.7 + {i}"),
            (f"for {i} in set(D):", f"s = 0.7 * s - {i}"), (f"for v_, {i} in sorted(H):", "s = 0.5 * s + v_"),
        ]  # fmt: skip
        head, first = self.pick(*heads)
        if self.rng.random() < 0.15:
            name, take = self.pick(
                ("L", "v_, k = L.pop()"), ("Q", "v_, k = Q.popleft()"), ("H", "v_, k = heapq.heappop(H)")
            )
            body = ["    n += 1", f"    {take}", "    s = s + v_ * (k + 1)", *self.block(depth - 1)]
            return ["n = 0", f"while {name} and n < 6:", *body]
        self.loops.append(i)
        body = [f"    {first}"] if first else []
        body += self.block(depth - 1)
        self.loops.pop()
        return [head, *body]

    def block(self, depth: int) -> list[str]:
        return ["    " + line for _ in range(self.rng.randint(1, 3)) for line in self.statement(depth)]

    # -- the program ----------------------------------------------------------------------------------------

    def helpers(self) -> list[str]:
        return [
            "def mix(d, z):", "    for k_, v_ in d.items():",
            f"        z = z * 0.5 + v_ * {self.pick('0.3', 'k_', 'z')}",
            f"    return {self.pick('z', 'z + len(d)')}",
            "def fill(d, z, k):", "    for i in range(3):",
            f"        d[({self.pick('k, i', 'i, k', 'i, i')})] = z * {self.pick('i', '0.5', 'k')}",
            "def near(seen, z):", f"    if {self.pick('1', '2', '0')} in seen:",
            f"        return z * {self.pick('0.5', '2.0')}",
            "    return z",
        ]  # fmt: skip

    def ticking(self) -> list[str]:
        """Functions inside that count how often they are called."""
        return ["t_ = 0", "def tick():", "    nonlocal t_", "    t_ += 1", f"    return {self.pick('x', 'y')} * t_",
                "def ticks():", "    return [tick(), tick()]"]  # fmt: skip

    def memoised(self) -> list[str]:
        """A function inside that keeps what it has found."""
        step = self.pick(
            "0.5 * memoised(n - 1)", "0.5 * memoised(n - 1) + 0.3 * x * memoised(n - 2)", "x * memoised(n - 2)"
        )
        ask = self.pick(
            ["if n in memo:", "    return memo[n]"], ["if n not in memo:", f"    memo[n] = {step}", "return memo[n]"]
        )
        rest = [] if len(ask) == 3 else [f"v = {step}", "memo[n] = v", "return v"]
        body = ["if n < 2:", f"    return {self.pick('x', 'x * n', 'y + n', '0.5')}", *ask, *rest]
        return ["def memoised(n):", *["    " + line for line in body]]

    def visiting(self) -> list[str]:
        """A function inside that walks a graph, with what it has seen."""
        body = ["if i in seen:", "    return 0.0", "seen.add(i)", f"v = {self.pick('x', 'x * i', 'y + i')}"]
        body += [f"v = v + {self.pick('0.5', 'x')} * visit((i * {self.pick(2, 3)} + 1) % 5, seen)"]
        return ["def visit(i, seen):", *["    " + line for line in [*body, "return v"]]]

    def program(self) -> str:
        start = {
            "S": ("set()", "{1, 2}", "set([k, 0])", "{v % 3 for v in range(k + 2)}"),
            "T": ("set()", "{(0, k), (1, 1)}"),
            "D": ("{}", "{k: x}", "{0: 0.5, k: y}", "dict()", "{v: v * x for v in range(4)}", "OrderedDict()"),
            "E": ("{}", "{(0, 1): x}", "{(0, k): 0.5, (k, 1): x}"),
            "W": ("{}", "{k: 2.0 * y}", "{v: 0.5 for v in range(3)}"),
            "F": ("defaultdict(float)", "defaultdict(float)", "defaultdict(lambda: 0.5)"),
            "C": ("Counter()", "defaultdict(int)", "Counter([1, 2, 1, k])"),
            "G": ("defaultdict(list)", "defaultdict(list)"),
            "L": ("[(x, 0)]", "[(0.5, k), (y, 1), (x, 1)]", "[(x, 1), (x, 1), (y, 2)]"), "M": ("{}", "{k: y}"),
            "Q": ("deque([(x, k)])", "deque([(y, 2), (x, 0)])"), "H": ("[(y, k)]", "[(x, 2)]", "[(0.5, 1), (x, 3)]"),
        }  # fmt: skip
        lines = ["s = x", f"k = {self.rng.randrange(4)}"]
        lines += [f"{name} = {self.rng.choice(options)}" for name, options in start.items()]
        lines += ["o = Notes(y)", "memo = {}", *self.ticking(), *self.memoised(), *self.visiting()]
        for _ in range(self.rng.randint(2, 6)):
            lines += self.statement(2)
        lines.append(f"return s + {self.number(2)}")
        parts = [HEAD + NOTES + "K = 1\n" + "\n".join(self.helpers())]
        parts.append("\n".join(["def program(x, y):", *["    " + line for line in lines]]))
        numbers = [f"{self.rng.uniform(-1.5, 1.5):.3f}" for _ in range(3)]
        given = self.pick(numbers[1], "2", f"np.float64({numbers[1]})", "0.5")
        parts.append(f"first = ({numbers[0]}, {given})")
        parts.append(f"second = ({self.pick(numbers[2], '1', '-0.5', 'np.float64(0.3)')}, 0.4)")
        return "\n".join(parts) + "\n"
