"""Local names of arrays of objects, lists, dicts and variables, which are written into by all of their names.

Names are taken in loops and branches, outlive what stood in their places, swap, and are captured and returned.
"""

from __future__ import annotations

import random

from . import plain

PLACES = ("o.u", "o.v", "o.u", "o.v", "b.u", "l[0]", "l[1]", "d['k']", "d['m']")
NAMES = ("p", "q", "r")
WRITES = (
    "{a}[1:] *= 0.6", "{a}[:2] += {b}[1:3]", "{a}[:] = {b} * 0.5", "{a} += 0.3 * {b}", "{a} *= h",
    "{a}[0] = h * {b}[1]",
    "{a}[1:-1] = 0.5 * ({a}[2:] + {a}[:-2])", "{a}[-1] = {b}[-2]", "{a}[1:-1] += h * ({b}[2:] - {b}[:-2])",
    "np.multiply({a}, 0.9, out={a})", "{a}[{k}] -= {b}[{k}]", "{a}[i] = {b}[0] * 0.4",
)  # fmt: skip
READS = ("{a}[0] * {b}[1]", "{a}.sum()", "{a}[1:] @ {b}[:-1]", "({a} * {b}).sum()", "{a}[2] - h", "{a}[-1]")
CLASS = """
class Grid:
    def __init__(self, u, v):
        self.u, self.v = u, v
        self.t = 0.1
    def get(self):
        return self.u
"""


class StandingWriter:
    """Writes one such program."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def program(self) -> str:
        rng = self.rng
        lines = [*plain.HEAD.splitlines(), *CLASS.splitlines()]
        for i in range(3):
            lines += [
                f"    def m{i}(self, h):",
                "        o, i = self, 1",
                *self._body(2, "        ", ("o.u", "o.v"), "h"),
            ]
        for i in range(2):
            lines += [f"def e{i}(p, q, h):", "    i, r = 0, p * 1.0", *self._body(2, "    ", (), "h", ("p", "q"))]
            lines[-1] = rng.choice([lines[-1], "    return p", "    return q", "    return"])
        made = (
            "np.array([x, 0.4, x * y, 0.3])",
            "np.ones(4) * y",
            "np.array([y, x, 0.2, y])",
            "np.linspace(0.0, 1.0, 4) * x",
        )
        lines += ["def program(x, y):", "    i, h = 2, 0.3 * y"]
        for name in NAMES:
            lines.append(f"    {name} = {rng.choice([*made, 'p', 'p * 0.5'] if name != 'p' else made)}")
        lines += [
            f"    o = Grid({rng.choice([*made, 'p'])}, {rng.choice([*made, 'q'])})",
            f"    b = Grid({rng.choice([*made, 'o.u'][: 4 + (rng.random() < 0.2)])}, {rng.choice(made)})",
            f"    l = [{rng.choice([*made, *made, 'o.v'])}, {rng.choice(made)}]",
            f"    d = {{'k': {rng.choice(made)}, 'm': {rng.choice(made)}}}",
        ]
        if rng.random() < 0.5:
            lines += ["    def c0(h):", "        i = 0", *self._body(1, "        ", PLACES, "h", ("p", "o.u"), True)]
        else:
            lines += ["    def c0(h):", "        return h"]
        lines += self._body(rng.randint(2, 5), "    ", PLACES, "x")[:-1]
        total = " + ".join(
            rng.sample(["p.sum()", "q[1] * r[2]", "(o.u * o.v).sum()", "b.u[1]", "b.v[0]", "l[0] @ l[1]",
                        "d['k'][2] * d['m'][1]", "r[0]"], 5)
        )  # fmt: skip
        lines.append(f"    return float(h + {total})")
        return "\n".join([*lines, "first = (0.83, 0.46)", "second = (-0.31, 0.72)"]) + "\n"

    def _body(
        self, n: int, ends: str, places: tuple, number: str, names: tuple = NAMES, is_inside: bool = False
    ) -> list:
        """Statements, and a result."""
        found: list[str] = []
        if names == NAMES and places and number == "h":
            found = [f"{name} = {self.rng.choice(places)}" for name in names]
        self.places, self.names, self.is_inside, self.number = places, names, is_inside, number
        for _ in range(n):
            found += self._statement(0)
        return [f"{ends}{line}" for line in [*found, f"return {self._read()}"]]

    def _array(self) -> str:
        return self.rng.choice([*self.names, *self.names, *(self.places or self.names)])

    def _fill(self, text: str) -> str:
        text = text.replace("{k}", str(self.rng.randrange(4)))
        while "{a}" in text or "{b}" in text:
            a = self._array()
            if "{a}" in text and self.rng.random() < 0.8:
                text = text.replace("{a}", a)
            text = text.replace("{b}", self._array(), 1)
            text = text.replace("{a}", a)
        return text

    def _read(self) -> str:
        return self._fill(self.rng.choice(READS))

    def _statement(self, depth: int) -> list[str]:
        rng, kind = self.rng, self.rng.random()
        name = rng.choice([n for n in self.names if "." not in n] or ["p"])
        place = rng.choice(self.places or ("p", "q"))
        other = rng.choice(self.places or ("p", "q"))
        if kind < 0.3:
            return [self._fill(rng.choice(WRITES))]
        if kind < 0.4:
            return [f"h = 0.5 * h + 0.2 * {self._read()}"]
        if kind < 0.55 and not self.is_inside:
            two = rng.sample(list(self.names), 2)
            return [rng.choice([f"{name} = {place}", f"{name} = {place}", f"{two[0]}, {two[1]} = {place}, {other}",
                                f"{two[0]} = {two[1]}", f"{name} = {place} * 0.5", f"{name} = {self._array()}[:]",
                                f"{two[0]} = {two[1]} = {place}",
                                f"{two[0]}, {two[1]} = {two[1]}, {two[0]}"])]  # fmt: skip
        if kind < 0.65 and self.places:
            return [rng.choice([f"{place} = {place} * 0.9", f"{place} = {self._array()} + 0.1", f"{place} = {name}",
                                f"{place}, {other} = {other}, {place}", f"o.u, o.v = {name}, {rng.choice(self.names)}",
                                "o.u, o.v = o.v, o.u"])]  # fmt: skip
        if kind < 0.8 and self.number == "x" and not self.is_inside:
            array = self._array()
            call = rng.choice([f"o.m{rng.randrange(3)}(h)", f"b.m{rng.randrange(3)}(h)", "c0(h)",
                               f"np.sum(e{rng.randrange(2)}({array}, {self._array()}, h) or 0.1)"
                               if rng.random() < 0.1 else f"o.m{rng.randrange(3)}(0.5)"])  # fmt: skip
            return [rng.choice([f"h = 0.3 * {call}", f"h += 0.1 * {call}", call, f"o.t += {call}",
                                f"e{rng.randrange(2)}({array}, {self._array()}, h)",
                                f"{array} = e{rng.randrange(2)}({array}, {self._array()}, h)",
                                f"{name} = o.get()"])]  # fmt: skip
        if depth > 1:
            return [self._fill(rng.choice(WRITES))]
        inner = [f"    {line}" for _ in range(rng.randint(1, 2)) for line in self._statement(depth + 1)]
        if kind < 0.9:
            k = f"k{depth}"
            over = [f"for {name} in l:", f"for {name} in (o.u, d['k']):"]
            is_outer = self.number == "x" and not self.is_inside
            each = rng.choice([f"for {k} in range({rng.randint(1, 3)}):"] * 3 + over * is_outer)
            return [
                each,
                *inner,
                *(
                    [f"    if h > 1.5: {rng.choice(['break', 'continue'])}", f"    {self._fill(rng.choice(WRITES))}"]
                    * (rng.random() < 0.2)
                ),
            ]
        more = ["else:", *[f"    {line}" for line in self._statement(depth + 1)]] * (rng.random() < 0.5)
        return [f"if h {rng.choice('<>')} {rng.choice(['0.2', '-0.1', '0.5'])}:", *inner, *more]
