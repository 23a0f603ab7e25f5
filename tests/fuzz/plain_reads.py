"""Reads that fail at times and are caught, lists changed in their middle, texts made in loops, and iterators."""

from __future__ import annotations

import random
import re

from . import plain

HEAD = """
import itertools
import operator
from collections import Counter, OrderedDict, defaultdict
from itertools import accumulate, dropwhile, groupby, islice, pairwise, takewhile, zip_longest
WORDS = ("1.5", "x", "-2", "", "0.25", "FX")
RULES = {"F": "F+X", "X": "-F", "+": "+"}
def steps(u):
    while True:
        yield u
        u = 0.7 * u + 0.1
"""
START = [
    "L = [x, y * 0.5, x - y]",
    "M = [3, 1, 2, 1]",
    "D = {1: x, 2: y * x}",
    "O = OrderedDict()",
    "t = 'FXF+'",
    "p = {'u': x, 'v': y * 0.3}",
    "C = Counter('abca')",
    "z = x * 0.5",
    "A = np.array([x, y, x * y, 0.5, 1.0, x, y, -x])",
    "s = {'a': A * 0.5, 'b': A - 0.2}",
    "K = [x]",
    "E = {1: y}",
    "r = {'u': x}",
    "q = {'a': A * 1.0}",
    "B = A * 2.0",
]
TRIED = [
    "z = D[{k}]",
    "z += D[{k}] * {v}",
    "D[{k}] += {v}",
    "z = D.pop({k})",
    "D[{k}] = D[{j}] * 0.5",
    "del D[{k}]",
    "z = L[{i}]",
    "L[{i}] = {v}",
    "L[{i}] += {v}",
    "z = L.pop({i})",
    "z = L[M[{j}]]",
    "M.remove({k})",
    "z += M.index({k})",
    "z = float(WORDS[{j}])",
    "z += int(WORDS[{j}])",
    "z = O.pop({k}) + {v}",
    "O.move_to_end({k})",
    "z = math.sqrt({v}) + D[{k}]",
    "z = math.log({v})",
    "z += {v} / (M[{j}] - 1)",
    "z += {v} / (i - 1)",
    "z = O.popitem(last=False)[1]",
    "z = t.index('XX')",
    "D[{k}], z = {v}, D[{j}]",
    "L.remove(max(L))",
    "z = p['w']",
    "z = min(L) / L[{i}]",
]
KINDS = (
    "KeyError",
    "IndexError",
    "ValueError",
    "LookupError",
    "(KeyError, ValueError)",
    "ZeroDivisionError",
    "Exception",
)
PLAIN = [
    "L.insert({i}, {v})",
    "L.append({v})",
    "L.reverse()",
    "del L[{i}:{j}]",
    "L[{i}:{j}] = [{v}, {v}]",
    "L[:] = L[1:] + L[:1]",
    "L = L[::-1]",
    "K = L",
    "L = K[:]",
    "z += L.count({v}) + M.count({k})",
    "z += sum(L) * 0.1",
    "z += max(L, default=0.0)",
    "L = sorted(L)",
    "L.extend([{v}])",
    "L = L[:8]",
    "M.insert({j}, {k})",
    "M = M[:6]",
    "M.append({k})",
    "D[{k}] = {v}",
    "z += D.get({k}, {v})",
    "z += D.setdefault({k}, {v})",
    "D = dict(D)",
    "E = D",
    "z += D.pop({k}, {v})",
    "z += sum(D.values())",
    "O[{k}] = {v}",
    "z += sum(O.values()) * 0.1",
    "z += 0.1 if {k} in O else {v}",
    "t = ''.join(RULES.get(c, c) for c in t)[:20]",
    "t = t[1:] + t[:1]",
    "t = t.replace('X', 'F').lower().upper()",
    "z += t.count('F') * {v}",
    "z += 0.1 if t.startswith('F') else {v}",
    "t = t + 'FX+'[{k} % 3]",
    "t = f'{t}{M[0]}'[:12]",
    "p = {q: w * 0.9 + {v} for q, w in p.items()}",
    "z += p['u'] * p['v']",
    "p = {'u': p['v'], 'v': {v}}",
    "r = p",
    "z += r['u']",
    "p['u'] = {v}",
    "s = {q: w * 0.9 + x for q, w in s.items()}",
    "z += np.sum(s['a'] * s['b'])",
    "s['a'] = s['b'] * {v}",
    "s['a'] += {v}",
    "q = s",
    "z += np.sum(q['a'])",
    "B = s['b']",
    "B[1] = {v}",
    "z += np.sum(B)",
    "C.update('aF')",
    "z += C['F'] * {v}",
    "z += C.most_common(1)[0][1]",
    "z += sum(islice(steps({v}), {j}))",
    "z += sum(np.add.reduce(np.subtract.outer(A, A[:2])) * {v})",
]
LOOPS = [
    "for c in t:",
    "for n, c in enumerate(t):",
    "for k, w in D.items():",
    "for w in L:",
    "for n, w in enumerate(L):",
    "for a, b in zip_longest(L, M, fillvalue=0.5):",
    "for pair in zip(L, M):",
    "for a, b in pairwise(L):",
    "for w in accumulate(L, initial=y):",
    "for w in accumulate(L, operator.mul):",
    "for w in takewhile(lambda a: a > 0, L):",
    "for w in dropwhile(lambda a: a > 0, L):",
    "for w in islice(L, 1, 3):",
    "for w in islice(steps(x), 4):",
    "for w in reversed(L):",
    "for q, w in p.items():",
    "for b, g in groupby(L, key=lambda a: a > 0):",
    "for c, g in groupby(t):",
    "for c in 'F+X' * 3:",
]
BODIES = {
    "c": ["z += {v} if c == 'F' else 0.1", "z = z * 0.9 if c in 'X+' else z + 0.1", "D[ord(c) % 4] = {v}"],
    "w": ["z += w * {v}", "z = z * 0.5 + w", "D[{k}] = w", "if w > z: z = w"],
    "a": ["z += a * b", "z += b * {v}"],
    "pair": ["z += pair[0] * pair[1]"],
    "g": ["z += sum(list(g)) if {v} > 0 else z * 0.1", "n = len(list(g))", "h = list(g)"],
    "n": ["z += n * {v}"],
}


OURS = re.compile(r"\b[LKMDEOCtprsqB]\b")  # the variables of `START`
ABOUT = {
    "lists": set("LKM"),
    "dicts": set("DE"),
    "orders": set("OC"),
    "texts": set("tM"),
    "parts": set("pr"),
    "arrays": set("sqB"),
}
ENDS = {
    "lists": "sum(L)",
    "dicts": "sum(D.values())",
    "orders": "sum(O.values())",
    "texts": "len(t)",
    "parts": "sum(p.values())",
    "arrays": "np.sum(s['a'])",
}


class ReadsWriter:
    """Writes one such program."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def program(self) -> str:
        self.about = self.rng.sample(sorted(ABOUT), self.rng.choice([1, 1, 2, 2, 3]))
        self.names = {"z"}.union(*[ABOUT[name] for name in self.about])
        body = [line for _ in range(self.rng.randint(2, 4)) for line in self._statement()]
        lines = [*plain.HEAD.splitlines(), *HEAD.splitlines(), "def program(x, y):"]
        lines += [f"    {s}" for s in START if s.split()[0] in self.names | {"A"}]
        lines += [f"    for i in range({self.rng.randint(2, 12)}):", *[f"        {line}" for line in body]]
        lines += ["        z = math.tanh(z)", f"    return z + 0.1 * ({' + '.join(ENDS[n] for n in self.about)})"]
        a, b = (round(self.rng.uniform(-1.5, 1.5), 3) for _ in range(2))
        second = self.rng.choice([f"({b}, {a})", f"({a}, -{abs(b)})", f"(2, {b})", f"(np.float64({b}), {a})"])
        return "\n".join([*lines, f"first = ({a}, {b})", f"second = {second}"]) + "\n"

    def _statement(self, depth: int = 0) -> list[str]:
        kind = self.rng.random()
        if kind < 0.4:
            found = ["try:", *[f"    {self._filled(TRIED)}" for _ in range(self.rng.choice([1, 1, 2]))]]
            kinds = [*self.rng.sample(KINDS, self.rng.choice([0, 1])), "(LookupError, ValueError, ArithmeticError)"]
            for name in kinds:
                found += [f"except {name}:", f"    {self._filled([*PLAIN, 'z = {v}', 'z = {v}', 'pass'])}"]
            return found + (["else:", f"    z += {self._value()}"] if self.rng.random() < 0.2 else [])
        if kind < 0.6 and depth == 0:
            head = self._of_ours(LOOPS)
            own = [n for n in BODIES if n in head.split(" in ")[0].replace(",", "").split()[1:]]
            body = [self._filled(BODIES[self.rng.choice(own)])] if own else []
            return [head, *[f"    {line}" for line in body or ["z += 0.1"]]]
        if kind < 0.72 and depth == 0:
            return [f"if {self._value()} > {self._value()}:", *[f"    {line}" for line in self._statement(1)]]
        return [self._filled(PLAIN)]

    def _of_ours(self, templates: list[str]) -> str:
        """One that is about nothing but the variables that there are."""
        return self.rng.choice([t for t in templates if set(OURS.findall(t)) <= self.names])

    def _filled(self, templates: list[str]) -> str:
        text = self._of_ours(templates)
        for name, draw in (("{v}", self._value), ("{k}", self._key), ("{i}", self._index), ("{j}", self._place)):
            while name in text:
                text = text.replace(name, draw(), 1)
        return text

    def _value(self) -> str:
        return self.rng.choice(["x", "y", "z", "x * y", "z - 0.3", "math.sin(z)", "0.5", "y * i", "z * 0.7"])

    def _key(self) -> str:
        return self.rng.choice(["i", "i % 3", "1", "2", "5", "(i * 2) % 5"])

    def _index(self) -> str:
        return self.rng.choice(["0", "1", "-1", "i", "i % 2", "7", "-4", "i - 1"])

    def _place(self) -> str:
        return self.rng.choice(["0", "1", "2", "i % 4", "i % 3"])
