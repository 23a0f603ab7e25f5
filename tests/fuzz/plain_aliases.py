"""Random programs whose lists have several names, in dicts, in lists and in objects, and change; for `plain`."""

from __future__ import annotations

from .chance import Chance

HEAD = """import copy
class Box:
    def __init__(self, v):
        self.v = v
    def put(self, k):
        self.v.append(k)
        return self
def grown(v, k):
    v.append(k * 0.5)
    return v
"""
OWNERS = ("l", "m", "l", "m", "d['a']", "d['b']", "r[0]", "r[-1]", "o.v", "w.v")


class AliasesWriter(Chance):
    """Writes one program from a source of chance."""

    def number(self) -> str:
        owner = self.pick(*OWNERS)
        return self.pick("x", "c", "0.7", "s", f"{owner}[0]", f"{owner}[-1] * x", f"len({owner})", f"sum({owner})")

    def whole(self) -> str:
        """A list of numbers, maybe one that others have."""
        a, b = self.pick(*OWNERS), self.pick(*OWNERS)
        return self.pick(a, a, a, f"{a}[:]", f"list({a})", f"copy.copy({a})", f"{a} + {b}", f"[{self.number()}, c]",
                         f"[v * 0.5 for v in {a}]", f"grown({a}, {self.number()})", f"sorted({a})")  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        a, b, n = self.whole(), self.whole(), self.number()
        kind = self.rng.randrange(9)
        if kind == 0:
            return [f"{self.pick('l', 'm')} = {a}"]
        if kind == 1:
            return [self.pick(
                f"d = dict.fromkeys('ab', {a})", f"d = {{k: {a} for k in 'ab'}}", f"d = dict(a={a}, b={b})",
                "d = dict(d)", "d = copy.deepcopy(d)", "d = {**d}", "d['b'] = d['a']", f"d['a'] = {a}",
                f"d.update(b={a})", f"d.setdefault('a', {a}).append(c)", f"d = dict(zip('ab', [{a}] * 2))",
            )]  # fmt: skip
        if kind == 2:
            return [self.pick(
                f"r = [{a}, {b}]", f"r = [{a}] * 2", f"r = [{a} for _ in range(2)]", "r = [list(v) for v in (l, m)]",
                "r[0] = r[1]", f"r.append({a})", f"r[-1] = {a}", "r = r[::-1]", "l, m = r[0], r[-1]", "r = list(r)",
            )]  # fmt: skip
        if kind == 3:
            return [self.pick(f"o = Box({a})", f"o.v = {a}", "w = o", "w = Box(o.v)", "w = copy.copy(o)",
                              f"o.put({n}).put(c)", "o, w = w, o")]  # fmt: skip
        if kind == 4 and depth:
            return [self.pick("for i in range(2):", f"if {n} > 0.6:"), *self.block(depth - 1)]
        owner = self.pick(*OWNERS)
        return [self.pick(
            f"{owner}.append({n})", f"{owner}[0] = {n}", f"{owner}[-1] += {n}", f"{owner}.insert(0, {n})",
            f"{owner}.extend([{n}, c])", f"{owner}.reverse()", f"{owner}[:] = [{n}, x]", f"{owner}.sort()",
            f"if len({owner}) > 2:\n    s += {owner}.pop()", f"s += {n}", f"{self.pick('l', 'm')} += [{n}]",
        )]  # fmt: skip

    def block(self, depth: int) -> list[str]:
        lines = [line for _ in range(self.rng.randint(1, 3)) for line in self.statement(depth)]
        return ["    " + part for line in lines for part in line.split("\n")]

    def program(self) -> str:
        body = [
            "s, l, m = 0.1, [x, c], [0.5, x * c]",
            f"d = {{'a': {self.pick('l', '[c]')}, 'b': {self.pick('m', '[x]')}}}",
        ]
        body += [f"r = [{self.pick('l', '[0.3]')}, m]", f"o, w = Box({self.pick('l', '[x, 0.2]')}), Box(m)"]
        for _ in range(self.rng.randint(2, 6)):
            body += self.statement(1)
        body.append("return s + " + " + ".join(f"sum({v}) * {i + 1}" for i, v in enumerate(dict.fromkeys(OWNERS))))
        lines = "\n".join("    " + part for line in body for part in line.split("\n"))
        first = f"({self.numbers(2)})"
        return f"{HEAD}def program(x, c):\n{lines}\nfirst = {first}\nsecond = (0.4, {self.pick('0.9', '1')})\n"
