"""Random plain programs of what a static adjoint knows without running: types, flags, texts, lengths, what is None.

Objects have flags that decide about shapes, lists that grow in loops and become arrays, tables under texts and members
of enumerations, arrays or None; dicts get their keys in loops and are made anew in another order.
"""

from __future__ import annotations

from tests.fuzz import plain_everyday

HELPERS = """from collections import defaultdict
from enum import Enum
class Kind(Enum):
    A = 1
    B = 2
TABLE = {Kind.A: 0.4, Kind.B: -0.3, ('k', 1): 0.2}
class Pair:
    def __init__(self, u, v):
        self.u, self.v = u, v
    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return Pair(self.u * other, self.v * other)
        return Pair(self.u * other.u - self.v * other.v, self.u * other.v + self.v * other.u)
class Model:
    def __init__(self, grid, is_wide=True, power=2, by=(0.5, (1, 'k'))):
        self.grid, self.is_wide, self.power, self.by = grid, is_wide, power, by
        self.log, self.last, self.turns = [], None, 0
        if not isinstance(power, int):
            raise TypeError(f'power is {power!r}')
    def step(self, h):
        self.turns += 1
        v = np.array([h, h * self.by[0], 0.3])
        v = np.concatenate([v, v]) if self.is_wide else v
        if self.last is not None:
            v = v + 0.5 * self.last
        self.last = v
        self.log.append(h)
        return np.sum(v ** self.power) * 0.1
    def seen(self):
        s = np.array(self.log)
        return np.mean(self.log) + np.sum(np.diff(s) ** 2)
    def at(self, t):
        i = min(bisect.bisect([0.1, 0.5, 0.9], t), len(self.grid) - 1)
        return self.grid[i]
def mixed(pts, t):
    if len(pts) == 1:
        return pts[0]
    return mixed([(1 - t) * a + t * b for a, b in zip(pts[:-1], pts[1:])], t)
"""


class KnownWriter(plain_everyday.EverydayWriter):
    """Writes them: `m` is a model, `r` a pair, `d` a dict of numbers, `h` one with defaults, `w` an array or None."""

    def of_list(self) -> str:
        x, y, member = self.atom(), self.atom(), self.pick("Kind.A", "Kind.B", "('k', 1)")
        place = self.pick("{0}", "{n}", "{2 - 1}")
        return self.pick(
            f"np.sum([{x}, {y}, 0.5])", f"np.dot([{x}, x], [0.5, {y}])", f"np.mean(np.diff([{x}, {y}, x]))",
            f"np.max([{x}, {y}])", f"(r * {x}).u", "(r * r).v", f"mixed([{x}, y, 0.3, x], {y})", "m.seen()",
            f"m.at({x})", f"d[f'k{place}']", f"TABLE[{member}] * {x}",
            f"({x} if isinstance({y}, float) else 0.5)", f"({x} if isinstance({y}, (int, float)) else 0.5)",
            f"({x} if np.isscalar({y}) and not callable({x}) else 0.3)", "sum(d.values())", "h['a']",
            "len(h['l']) * 0.1", f"sum(np.outer(v, [{x}, 0.5])[0, 1] for v in ([{y}, x], [0.2, x]))",
            f"sorted(['b', 'a'])[0].count('a') * {x}", f"np.asarray({x}).flatten()[0]", f"np.clip({x}, -0.5, {y})",
            "(0.0 if w is None else np.sum(w))", "m.turns * 0.2", f"m.step({x})",
            f"sum(sorted([(0.5, {x}), (0.2, {y})], key=lambda t: t[0])[0])",
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        kinds = [self.named, self.gone_through, self.within_loop] if depth else []
        return self.pick(self.simple, self.changed, self.changed, self.held, self.held, *kinds)(depth)

    def held(self, depth: int) -> list[str]:
        x, y, wide, power = self.atom(), self.number(1), self.pick("True", "False", "flag"), self.pick("2", "3", "n")
        array = self.pick(f"np.array([{x}, 0.5, {y}])", "None")
        return self.pick(
            [f"r = r * {self.pick(x, 'r', f'Pair({x}, 0.5)', '0.5')}"], [f"x = x + 0.1 * m.step({y})"],
            [f"m = Model([{x}, 0.5, {y}, x], {wide}, {power})"], [f"w = {array}"], [f"w = {array} if flag else None"],
            ["if w is not None:", f"    w = w * {x}"], [f"if {self.test()}:", f"    w = {array}"],
            [f"h['a'] += {y}"], [f"h['l'].append({y})"], [f"d = {{'k1': {x}, 'k0': d['k0'], 'k2': {y}}}"],
            [f"d[f'k{{n}}'] = {y}"], [f"if flag: x = x * {y}", f"else: x = {self.pick('x', y)}"],
            [f"if {x} > 40.0: raise ValueError(f'{{x}} is large')", f"d['k1'] = {y}"],
            ["m.grid[0] = x * 0.5"], ["g = m.grid", f"x = x + g[1] * {x}"],
            ["w = w if w is None else w.copy()", "if w is not None:", "    w[0] = 0.2"],
        )  # fmt: skip

    def within_loop(self, depth: int) -> list[str]:
        x = self.atom()
        body = self.pick(
            [f"    h[{self.pick(repr('a'), repr('c'))}] += {x}", "    h['l'].append(x * i)"],
            [f"    x = x + 0.1 * m.step({x} * i)"], [f"    d = {{'k2': d['k0'], 'k0': d['k2'] * 0.5, 'k1': {x}}}"],
            ["    new = {}", "    for k in ('k0', 'k1', 'k2'): new[k] = d[k] * 0.5 + 0.1", "    d = new"],
            ["    if w is not None: x = x + 0.1 * np.sum(w)", f"    w = np.array([{x}, x, 0.5]) * i"],
            [f"    r = r * Pair({x}, 0.1) * 0.5"], [f"    L = L[i - 1 :: -1] + [{x}, 0.2, 0.1]"],
        )  # fmt: skip
        head = self.pick(f"for i in range({self.pick('3', 'n', '70')}):", "for i in range(1, n + 1):")
        return [head, *body, *self.block(depth)]

    def program(self) -> str:
        source = super().program()
        start = ["n, w = n, None", "m, r = Model([x, 0.5, y, 0.2], flag), Pair(x, 0.3)",
                 "d, h = {'k0': x, 'k1': 0.2, 'k2': y}, defaultdict(float)", "h['l'] = []"]  # fmt: skip
        body = "\n".join(["def program(x, y, flag=False, n=2):", *["    " + line for line in start], ""])
        found = source.replace("def program(x, y):\n", HELPERS + body)
        return found + self.pick("", "", "first += (True,)\n", "first += (False, 2)\nsecond += (True, 3)\n")
