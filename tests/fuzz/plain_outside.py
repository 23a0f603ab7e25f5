"""Random programs that read containers from outside at computed places; for `plain`.

They are global variables, attributes of a global object, and arguments. Between two calls `change` gives them other
contents: other types, lengths and keys, another container in their place, or one in two places.
"""

from __future__ import annotations

import random
from typing import Any

from .plain_boxes import BoxWriter

OUTSIDE = """
NAMES = ["a", "b", "c"]
RATES = {"a": 0.3, "b": -0.7, "c": 1.2}
NEAR = {0: [(1, 0.5), (2, 1.5)], 1: [(2, -0.4)], 2: [], 3: [(0, 0.9), (1, 0.1), (3, 0.6)]}
ROWS = [[0.4, 1.5], [-0.3, 0.8], [2.0, 0.2]]
LINKS = {0: (1, 2), 1: (3,), 2: (0, 1, 3), 3: ()}
CELLS = {(0, 0): 0.5, (0, 1): -1.5, (1, 0): 0.25}
TREE = {"a": {"b": 0.5, "c": 0.2}, "b": {"a": 1.5}, "c": {}}
STEPS = [("up", 1, 0.5), ("down", 0, 0.2), ("up", 2, -0.3)]
class Store:
    def __init__(self):
        self.table = [0.5, -0.2, 0.7]
        self.next = {0: [1, 2], 1: [0], 2: []}
        self.used = 0
    def at(self, i):
        return self.table[i % 3]
    def way(self, i, z):
        for j in self.next[i % 3]:
            z = 0.5 * z + self.table[j] * z
        return z
store = Store()
def change(n):
    global RATES, NEAR
    if n == 0: RATES["b"] = 2
    elif n == 1: NEAR[1].append((0, 0.3))
    elif n == 2: NEAR[3] = []
    elif n == 3: ROWS[0][:] = [1, 2.5]
    elif n == 4: LINKS[0] = (1, 2, 3)
    elif n == 5: RATES = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
    elif n == 6: NEAR[0] = [(1, True)]
    elif n == 7: RATES["c"] = np.float64(0.4)
    elif n == 8: NAMES[0] = "c"
    elif n == 9: NEAR = {i: [(i, 0.5)] for i in range(4)}
    elif n == 10: store.table = [1, 2.0, -0.5]
    elif n == 11: store.next[0] = NEAR[0] and [2]
    elif n == 12: TREE["c"] = TREE["a"]
    elif n == 13: STEPS.append(("up", 1.5, 0.1))
    elif n == 14: CELLS[True, 1] = 3
    elif n == 15: store.table.append(0.9)
"""


class OutsideWriter(BoxWriter):
    """Writes one program from a source of chance."""

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.has_arguments = rng.random() < 0.5

    def index(self, n: int) -> str:
        return f"({self.whole()}) % {n}"

    def name(self) -> str:
        return self.pick(f"NAMES[{self.index(3)}]", f"NAMES[{self.index(3)}]", "'b'", f"STEPS[{self.index(3)}][0][0]")

    def number(self, depth: int = 2) -> str:
        if self.rng.random() > 0.4:
            return super().number(depth)
        i = self.index
        given = (f"p[{i(2)}]", f"q[{self.name()}]", f"sum(p) * q['a'] + p[{i(2)}]") if self.has_arguments else ("x",)
        return self.pick(
            f"RATES.get({self.name()}, 0.5)", f"sum(v_ for _, v_ in NEAR[{i(4)}])", f"ROWS[{i(3)}][{i(2)}]",
            f"CELLS.get(({i(2)}, {i(2)}), x)", f"(x if {i(4)} in LINKS[{i(4)}] else y)", f"len(NEAR[{i(4)}])",
            f"sum(RATES[c_] for c_ in {self.name()} if c_ in RATES)", f"sum(TREE.get({self.name()}, {{}}).values())",
            f"STEPS[{i(3)}][1]", f"STEPS[{i(3)}][2] * x", "max(RATES.values())", f"store.at({i(3)})",
            f"store.way({i(3)}, {super().number(0)})", f"store.table[{i(3)}] * x", f"ROWS[{i(3)}][-1] * y",
            f"sum([a_ * b_ for a_, b_ in ROWS[:{i(3)}]])", f"sum(sorted(ROWS[{i(3)}])[:1])", f"reached({i(4)}, 2)",
            "max(store.table[j_] for j_ in store.next[0])", *given,
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        if self.rng.random() > 0.3:
            return super().statement(depth)
        i, x = self.index, super().number(1)
        return [self.pick(
            f"L = [(v_, j_) for j_, v_ in NEAR[{i(4)}]]", f"G[k] = list(ROWS[{i(3)}])", f"G[k] = ROWS[{i(3)}]",
            f"G[k].extend(ROWS[{i(3)}])", f"E = dict(CELLS); E[{i(2)}, {i(2)}] = {x}", "E.update(CELLS)",
            f"y, v_ = ROWS[{i(3)}]; s = s + v_", f"w_ = NEAR[{i(4)}]; s = s + len(w_)", "E = CELLS.copy()",
            f"ROWS[{i(3)}][0] = 0.25", f"w_, j_, v_ = STEPS[{i(3)}]; s = s + v_ * (j_ if w_ == 'up' else x)",
            f"D = {{j_: v_ * x for j_, v_ in NEAR[{i(4)}]}}", f"S = set(LINKS[{i(4)}])", f"S.update(LINKS[{i(4)}])",
            f"heapq.heappush(H, (RATES.get({self.name()}, 0.5) * x, k))", "store.used += 1",
            f"w_ = ROWS[{i(3)}] if k else ROWS[0]; s = s + w_[0]", "B = store.next[0]; s = s + len(B)",
        )]  # fmt: skip

    def loop(self, depth: int) -> list[str]:
        if self.rng.random() > 0.5:
            return super().loop(depth)
        i = f"i{len(self.loops)}"
        head, first = self.pick(
            (f"for {i}, v_ in NEAR[{self.index(4)}]:", "s = s + v_ * 0.3"), (f"for {i} in LINKS[{self.index(4)}]:", ""),
            (f"for {i}, (v_, w_) in enumerate(ROWS):", "s = s + v_ * w_"), (f"for {i} in LINKS:", "s = s * 0.9"),
            (f"for {i}, r_ in NEAR.items():", f"s = s + len(r_) * {i} * x"), (f"for {i} in range(len(STEPS)):", ""),
            (f"for {i} in store.next[{self.index(3)}]:", f"s = s + store.table[{i}]"),
            (f"for w_, {i}, v_ in STEPS:", "s = s * 0.5 + v_ * RATES.get(w_, x)"),
        )  # fmt: skip
        body = [f"    {first}"] if first else []
        self.loops.append(i)
        body += self.block(depth - 1)
        self.loops.pop()
        return [head, *body]

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def program(self) -> str:
        source = super().program()
        last = self.pick("sum(store.table)", "0.5", "i")
        reached = ["def reached(i, n):", "    if n == 0:", f"        return {last}",
                   "    z = 0.0", "    for j, v in NEAR[i]:", "        z = z + v * reached(j, n - 1)", "    return z",
                   ""]  # fmt: skip
        head, rest = source.split("def program(x, y):")
        if self.has_arguments:
            body, _, last = rest.partition("\nfirst = (")
            p, q = "[0.4, -0.6]", self.pick("RATES", '{"a": 0.5, "b": 1.5, "c": 0.3, "u": 0.1, "d": 0.2}')
            last = last.replace("\nsecond = (", f"\nsecond = ({p}, {q}, ")
            rest = f"{body}\nfirst = ({p}, {q}, {last}"
            return f"{head}{OUTSIDE}{chr(10).join(reached)}def program(p, q, x, y):{rest}"
        return f"{head}{OUTSIDE}{chr(10).join(reached)}def program(x, y):{rest}"
