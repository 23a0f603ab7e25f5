"""Functions that write into the arrays they are given, by slices and as a whole, whose callers look at these later.

The caller's variables may be several names of one array, views, and read after exceptions or early exits.
"""

from __future__ import annotations

import random

from . import plain

WRITES = (
    "p[1:] *= 0.6", "p[:2] += q[:2]", "p[:] = q * 0.5", "p += 0.3 * q", "p *= h", "p[0] = h * p[1]",
    "q[1:] = p[1:] * h", "q[-1] = p[0]", "q *= 0.8", "p[:-1] = np.sin(p[1:])", "p[...] = p * p", "q[:1] -= h",
)  # fmt: skip
PLAIN = (
    "h = h * p[0]",
    "h = h + q.sum() * 0.1",
    "p = p * 0.7",
    "q = q + p",
    "r = p",
    "r = q[1:]",
    "h = h + r[0] * 0.2",
)
KEPT = """
class Kept:
    def __init__(self, x):
        self.x = x * 0.5
        self.t = (x * 0.3, 1.0)
"""
KEEPING = (
    "o.x = p",
    "o.t = (p, h)",
    "o.x = r",
    "o.t = (r, 0.5)",
    "o.x = r\no.t = (r, h)",
    "o.x[1:] *= 0.9",
    "o.x += r",
)
RESULTS = ("p.sum() * q[0]", "float(q[1] * h)", "h", "p", "q", "p * q", "r.sum() + p[1]")


class InplaceWriter:
    """Writes one such program."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.functions: list[tuple[str, str]] = []

    def program(self) -> str:
        rng = self.rng
        lines = [*plain.HEAD.splitlines(), *KEPT.splitlines()]
        for i in range(rng.randint(2, 4)):
            lines += self._function(f"f{i}")
        lines += [
            "def program(x, y):",
            "    u = np.array([x, 0.4, x * y, 0.3])",
            f"    v = {rng.choice(['u * y', 'np.array([y, x, 0.2, y])', 'u + x', 'u[::-1] * y'])}",
            f"    w = {rng.choice(['u - v', 'u * 1.0', 'v.copy()', 'np.ones(4) * x', 'u', 'v[:]'])}",
            "    o = Kept(u)",
            "    t = 0.1 * y",
        ]
        for _ in range(rng.randint(3, 6)):
            lines += [f"    {line}" for line in self._statement(0)]
        total = " + ".join(
            rng.sample(["u[0] * u[2]", "v.sum()", "w[1] * w[3]", "u @ w", "v[3] * t", "o.x[1]", "o.t[0][2]"], 4)
        )
        lines.append(f"    return float(t + {total})")
        return "\n".join([*lines, "first = (0.83, 0.46)", "second = (-0.31, 0.72)"]) + "\n"

    def _function(self, name: str) -> list[str]:
        rng, body = self.rng, ["r = p * 1.0"]
        for _ in range(rng.randint(1, 4)):
            kind = rng.random()
            if kind < 0.5:
                body.append(rng.choice(WRITES))
            elif kind < 0.6:
                body += rng.choice(KEEPING).split("\n")
            elif kind < 0.72:
                body.append(rng.choice(PLAIN))
            elif kind < 0.8:
                body += [f"if h > {rng.choice(['0.3', '0.0'])}:", "    " + rng.choice([*WRITES, "return h"])]
            elif kind < 0.86:
                body += ["for k in range(2):", f"    {rng.choice(WRITES)}"]
            elif kind < 0.9:
                body += ["if h > 0.9:", "    raise ValueError('h')"]
            elif self.functions:
                body.append(self._call(("p", "q", "r"), "h", is_statement=True))
        result = rng.choice([*RESULTS, ""])
        self.functions.append((name, "a" if result in ("p", "q", "p * q") else "n" if result else ""))
        return [
            f"def {name}(p, q, h, o):",
            *[f"    {line}" for line in body],
            *([f"    return {result}"] if result else []),
        ]

    def _call(self, arrays: tuple[str, ...], number: str, is_statement: bool = False) -> str:
        rng = self.rng
        name, gives = rng.choice(self.functions)
        given = [rng.choice(arrays) for _ in range(2)]
        if rng.random() < 0.12:
            given[rng.randrange(2)] += rng.choice(["[::-1]", "[:]", " * 1.0", ".copy()"])
        call = f"{name}({given[0]}, {given[1]}, {rng.choice([number, '0.5', f'0.3 * {number}'])}, o)"
        if is_statement:
            return call if gives != "n" or rng.random() < 0.5 else f"{number} = {number} + 0.1 * {call}"
        return call

    def _statement(self, depth: int) -> list[str]:
        rng, kind = self.rng, self.rng.random()
        names = ("u", "v", "w")
        call = self._call(names, "t")
        gives = dict(self.functions)[call.partition("(")[0]]
        name = rng.choice(names)
        if kind < 0.45:
            if gives == "a":
                return [
                    rng.choice([f"{name} = {call}", call, f"t = t + {call}.sum() * 0.1", f"{name} += 0.1 * {call}"])
                ]
            if gives == "n":
                return [rng.choice([f"s = {call}", call, f"t += 0.2 * {call}", f"t = 0.2 * {call} + {name}[0] * t"])]
            return [call]
        if kind < 0.55:
            return [
                rng.choice(["w = u", "v = w", "u, v = v, u", "u = w * 1.0", "w = v[:]", "v = v + u", "w = u[::-1]"])
            ]
        if kind < 0.65:
            return [
                rng.choice(
                    [
                        "u[1:] *= 0.9",
                        "v += 0.1 * w",
                        "w[0] = t",
                        "u[:2] = v[2:]",
                        "t = t + w.sum() * 0.1",
                        "o.x += 0.1",
                        "o.x[1:] *= 0.8",
                        "t = t + o.t[0].sum() * 0.1",
                    ]
                )
            ]
        if depth > 1:
            return [call if gives != "n" else f"t = t * 0.5 + 0.1 * {call}"]
        inner = [line for _ in range(rng.randint(1, 2)) for line in self._statement(depth + 1)]
        if kind < 0.8:
            return [f"for k{depth} in range({rng.randint(2, 3)}):", *[f"    {line}" for line in inner]]
        if kind < 0.9:
            other = self._statement(depth + 1)
            return [f"if t > {rng.choice(['0.2', '-0.4'])}:", *[f"    {line}" for line in inner],
                    "else:", *[f"    {line}" for line in other]]  # fmt: skip
        caught = self._statement(depth + 1)
        return ["try:", *[f"    {line}" for line in inner], "except ValueError:", *[f"    {line}" for line in caught]]
