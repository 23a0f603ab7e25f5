"""Random programs with objects in containers, trees and lists linked by hand; for `plain`.

Objects of several classes are made in loops, known by several names, changed through any of these, compared, sorted and
taken out again; variables and attributes hold None at times.
"""

from __future__ import annotations

import random
from typing import Any

HEAD = """import heapq
import sys
import math
from collections import deque
from dataclasses import dataclass, field
from functools import singledispatch
from typing import NamedTuple
import numpy as np

sys.modules.setdefault(__name__, math)  # where dataclasses look for what annotations mean

class P:
    rate = 0.5
    def __init__(self, u, w=0.5, tag="p"):
        self.u, self.w, self.tag, self.next, self.alive = u, w, tag, None, True
        self.log = []
    def step(self, h):
        self.u += h * self.w * self.rate
        self.alive = self.u < 1.5
        return self
    def meet(self, other):
        f = self.u - other.u
        self.w -= 0.1 * f
        other.w += 0.2 * f
        return f
    @property
    def energy(self):
        return self.u * self.w
    @energy.setter
    def energy(self, e):
        self.w = e * 0.5
    def add(self, v):
        self.log.append(v)
        return len(self.log)
    def same(self, other):
        return self is other
class R(P):
    def __init__(self, u, m):
        super().__init__(u, 0.3, "r")
        self.m = m
    def step(self, h):
        super().step(h)
        self.m = self.m * 0.9 + h
        return self
    @property
    def energy(self):
        return self.u * self.m
class S:
    __slots__ = ("u", "w", "left", "right")
    def __init__(self, u, w):
        self.u, self.w, self.left, self.right = u, w, None, None
    def __lt__(self, other):
        return self.u < other.u
    def depth(self):
        a = self.left.depth() if self.left is not None else 0
        b = self.right.depth() if self.right else 0
        return 1 + max(a, b)
@dataclass
class T:
    u: float
    parts: list = field(default_factory=list)
    pair: tuple = (0.5, 1)
    best: object = None
@dataclass(frozen=True)
class V:
    u: float
    w: float
    def __add__(self, other):
        return V(self.u + other.u, self.w + other.w)
    def __mul__(self, k):
        return V(self.u * k, self.w * k)
    __rmul__ = __mul__
    def __neg__(self):
        return V(-self.u, self.w)
class E(NamedTuple):
    t: float
    k: int
@singledispatch
def weigh(o):
    return 0.25
@weigh.register
def _(o: P):
    return o.u
@weigh.register
def _(o: V):
    return o.w * 2.0
def insert(n, u, w):
    if n is None:
        return S(u, w)
    if u < n.u:
        n.left = insert(n.left, u, w)
    else:
        n.right = insert(n.right, u, w)
    return n
def total(n):
    if n is None:
        return 0.0
    return n.u * 0.5 + n.w * total(n.left) - total(n.right)
def find(ps, u):
    for p in ps:
        if p.u > u:
            return p
    return None
def pair(ps, u):
    best = None
    for p in ps:
        if p.alive and (best is None or p.u * u < best[0]):
            best = (p.u * u, p)
    return best
def value(e):
    if isinstance(e, V):
        return e.u * e.w
    if isinstance(e, T):
        return e.u + sum(value(c) for c in e.parts)
    return e.u
"""
MAKES = (
    "P(x, y)", "P(y * {n})", "R(x, {n})", "P(0.1 * {i}, x)", "P(x + {i}, tag='q')", "R(y * 0.5, x)", "P(-x)",
)  # fmt: skip
CHANGES = (
    "L.append({make})", "L.append({p})", "L.insert(0, {make})", "L = [o_ for o_ in L if o_.alive]", "L.append(L[0])",
    "for o_ in L:\n    o_.step({n})", "for o_ in L:\n    s += o_.energy", "L.sort(key=lambda o_: o_.u)",
    "L.sort(key=lambda o_: -o_.energy)", "L = L[::-1]", "M = L", "M = L[:]", "L = L + [{make}]",
    "{p} = {make}", "{p} = {q}", "{p} = L[{j}]", "L[{j}] = {p}", "L[{j}].u = {n}", "L[{j}].w *= x", "{p}.u += {n}",
    "{p}.energy = y * {n}", "{p}.next = {q}", "{p}.next = None", "if {p}.next is not None:\n    {p}.next.u += x",
    "if {p}.next:\n    {p} = {p}.next", "s += {p}.meet({q})", "s += L[0].meet(L[-1])", "{p}.step(x).w += y",
    "if L:\n    {p} = L.pop()", "if len(L) > 2:\n    del L[0]", "D[{i}] = {p}", "D[{i}] = {make}",
    "D = {{k_: o_ for k_, o_ in D.items() if o_.u < 2.0}}", "if {i} in D:\n    D[{i}].u *= 0.9",
    "{p}.tag = 'z'", "{p}.rate = y", "{p}.add({n})", "s += {p}.add(x) * y", "{p}.log[-1] *= 0.5", "{p}.log = [x, y]",
    "heapq.heappush(H, ({n}, c, {p}))\nc += 1", "if H:\n    t_, _, {p} = heapq.heappop(H)\n    s += t_",
    "heapq.heappush(N, S({n}, x))", "if N:\n    s += heapq.heappop(N).u", "root = insert(root, {n}, y * 0.1)",
    "root = insert(root, x * {i}, 0.3)", "s += total(root)", "s += root.depth() * x if root is not None else y",
    "W.append(({n}, {p}))", "for t_, o_ in W:\n    s += t_ * o_.u", "W.sort(key=lambda e_: e_[0])",
    "head = T(x, [], ({n}, {i}), head)", "head = T(y, [head], best={p})", "if head is not None:\n    head = head.best",
    "n_ = head\nwhile isinstance(n_, T):\n    s += n_.u * n_.pair[0]\n    n_ = n_.best",
    "Z.append(V(x, {n}))", "Z.append(Z[-1] * x + V({n}, y))", "Z = [v_ * 0.5 for v_ in Z]", "Z.append(-Z[0])",
    "A.append(V({n}, x))", "A.append(T({n}, [V(x, y)]))", "A.append(T(x, list(A[-2:])))", "A.append({make})",
    "b_ = pair(L, x)\nif b_ is not None:\n    s += b_[0]\n    b_[1].u -= 0.1 * y",
    "o_ = find(L, {n})\nif o_ is not None:\n    s += o_.energy",
    "o_ = find(L, x)\ns += o_.w if o_ else y",
    "best = None\nfor o_ in L:\n    if best is None or o_.u > best.u:\n        best = o_\nif best:\n    best.w += x",
    "B.append(E({n}, {i}))", "Q.append({p})", "if Q:\n    Q.popleft().u += y",
    "for i_, o_ in enumerate(L):\n    o_.u -= 0.05 * i_", "for o_, r_ in zip(L, L[1:]):\n    s += o_.meet(r_)",
    "for o_, v_ in zip(L, A):\n    o_.u += 0.1 * value(v_)", "L = sorted(L, key=lambda o_: o_.w)[:3]",
    "{p}, {q} = {q}, {p}", "L[0], L[-1] = L[-1], L[0]", "L.remove({p})", "seen.add({p})", "last = {p}",
    "chain = P(x, y)\nfor i_ in range(3):\n    n_ = P(x * i_)\n    n_.next = chain\n    chain = n_",
    "n_ = chain\nwhile n_ is not None:\n    s += n_.u\n    n_.u *= y\n    n_ = n_.next",
    "{p}.pos = (x, {n})", "s += {p}.pos[1]", "{p}.seen = {q}", "if last is None:\n    last = {p}",
    "L.extend([{make}, {make}])", "L = [{make} for i_ in range(3)]", "L = [P(o_.u * x, o_.w) for o_ in L]",
)  # fmt: skip
TAKES = (
    "s += sum(o_.u for o_ in L)", "s += sum([o_.w * o_.u for o_ in L if o_.alive])", "s += {p}.u * {p}.w",
    "s += L[{j}].u",
    "s += max(o_.u for o_ in L)", "s += max(L, key=lambda o_: o_.w).u", "s += min(L, key=lambda o_: o_.energy).w",
    "s += weigh({p}) + weigh(Z[-1])", "s += sum(weigh(o_) for o_ in A)", "s += sum(value(o_) for o_ in A)",
    "s += x if {p} is {q} else y", "s += x if {p} is L[0] else 0.5", "s += y if {p}.tag == 'p' else x",
    "s += x if {p} in L else y", "s += sum(o_.u for o_ in D.values())", "s += sum({p}.log)", "s += len(L) * x",
    "for k_, o_ in D.items():\n    s += k_ * o_.w", "s += Z[-1].u * Z[0].w", "s += sum(e_.t * e_.k for e_ in B)",
    "s += {p}.m if isinstance({p}, R) else {p}.energy", "s += x if {p} in seen else y", "s += {p}.next.u",
    "s += x if {p}.same({q}) else y", "s += last.u if last is not None else x", "s += D[{i}].u",
    "s += x if {p} == {q} else y",
    "s += sum(o_.u * o_.rate for o_ in L)", "s += any(o_.u > x for o_ in L) * y", "s += Z[{j}].u + (Z[0] + Z[-1]).w",
)  # fmt: skip


class AgentWriter:
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.loops: list[str] = []
        self.changes = rng.sample(CHANGES, 16)
        self.takes = rng.sample(TAKES, 8)
        self.makes = rng.sample(MAKES, 3)
        self.with_none = rng.random() < 0.5

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def filled(self, text: str) -> list[str]:
        i = self.pick("k", "1", *self.loops, *[f"{v} % 2" for v in self.loops])
        j = self.pick("0", "-1", *[f"{v} % len(L)" for v in self.loops])
        n = self.pick("x", "y", "x * y", "0.5", f"x * {i}", "math.sin(s)", f"(y + 0.1 * {i})", "1.5")
        p, q = self.pick("a", "b"), self.pick("a", "b", "b")
        text = text.replace("{make}", self.pick(*self.makes))
        return text.format(p=p, q=q, i=i, j=j, n=n).split("\n")

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.randrange(10)
        if kind < 5:
            return self.filled(self.pick(*self.changes))
        if kind < 7 or not depth:
            return self.filled(self.pick(*self.takes))
        if kind == 7:
            test = self.pick("x > y", "s > 1.0", "len(L) > 2", "a.u > b.u", "a is b", "a.alive", "L[0].u < x")
            lines = [f"if {test}:", *self.block(depth - 1)]
            return lines + (["else:", *self.block(depth - 1)] if self.rng.random() < 0.4 else [])
        i = f"i{len(self.loops)}"
        self.loops.append(i)
        lines = [f"for {i} in range({self.rng.randint(2, 5)}):", *self.block(depth - 1)]
        self.loops.pop()
        return lines

    def block(self, depth: int) -> list[str]:
        return ["    " + line for _ in range(self.rng.randint(1, 4)) for line in self.statement(depth)]

    def program(self) -> str:
        lines = ["s = x", f"k = {self.rng.randrange(3)}", "c = 0", "root = head = last = None", "seen = set()"]
        lines += ["D, H, N, W, A, B = {}, [], [], [], [], []", "Z = [V(x, y)]", "Q = deque()"]
        lines += [
            f"a = {self.pick('P(x, y)', 'P(x)', 'R(x, y)')}",
            f"b = {self.pick('P(y, x)', 'a', 'R(y, 0.3)', 'P(0.4)')}",
        ]
        made = self.pick("P(x * i_, y) for i_ in range(k + 2)", "P(0.2 * i_) for i_ in range(3)")
        lines += [f"L = {self.pick('[]', '[a]', '[a, b]', f'[{made}]')}"]
        lines += ["chain = a"]
        if self.rng.random() < 0.8:
            lines.append("L.append(P(y))")
        for _ in range(self.rng.randint(3, 8)):
            lines += self.statement(2)
        lines.append(f"return {self.pick('s', 's + a.u', 's + L[-1].u', 's + b.w * a.u', 's + sum(o_.w for o_ in L)')}")
        parts = [HEAD, "\n".join(["def program(x, y):", *["    " + line for line in lines]])]
        given = ("0.7", "1.3", "0.9", "-0.4", "np.float64(0.8)")
        for name in ("first", "second"):
            parts.append(f"{name} = ({self.rng.choice(given)}, {self.rng.choice(given)})")
        return "\n".join(parts) + "\n"
