"""Code that may be passed over and gives objects other arrays, arrays that change places, functions out of tables."""

from __future__ import annotations

import random

from . import plain

CLASSES = """
class Field:
    def __init__(self, w, z):
        self.w = w
        self.z = z
        self.act = self.renew
    def renew(self, v, h):
        self.w = v * h
        return 0.3 * h
    def lend(self, v, h):
        self.w = v
        return 0.2 * h
    def fresh(self, v, h):
        self.z = self.z.copy()
        return 0.1 * v[1]
    def grow(self, v, h):
        self.w += h
        return v[2]
    def part(self, v, h):
        self.w[2:5] = h * v[3:6]
        return v[4]
    def swap(self, v, h):
        self.w, self.z = self.z, self.w
        return 0.05 * h
    def early(self, v, h):
        if h > 0.4:
            return 0.2 * h
        self.w = v * 0.5
        return h
    def looped(self, v, h):
        for k in range(3):
            if h * k > 0.5:
                break
            self.w = v * (k + 0.5)
        return 0.1 * h
    def step(self, v, h):
        self.z[1:-1] = self.w[1:-1] + h * (self.w[2:] - v[:-2])
        self.w, self.z = self.z, self.w
        return 0.1
    def turned(self, v, h):
        self.act = self.grow if h > 0.3 else self.renew
        return self.act(v, h)
    def __bool__(self):
        return bool(self.w[3] > 0.1)
    def __len__(self):
        return 4
    def __contains__(self, h):
        return self.z[2] > h
    def __float__(self):
        return float(self.w[5])
def one(v, h):
    return v[1] * h
def other(v, h):
    return math.sin(v[3]) + h
OPS = [one, other, one]
TABLE = {"a": one, "b": other}
"""
METHODS = ("renew", "lend", "fresh", "grow", "part", "swap", "early", "looped", "step", "turned", "act")


class PassedWriter:
    """Writes one such program."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def program(self) -> str:
        rng = self.rng
        lines = [*plain.HEAD.splitlines(), *CLASSES.splitlines()]
        lines += ["def program(x, y):", "    u, t, f = x * np.linspace(0.1, 0.9, 9), 0.1 * y, one"]
        made = "Field(u * {}, u + {})", "Field(y * np.linspace(0.2, 1.0, 9), u - {} * {})", "Field(u, u * {} + {})"
        for name in ("m", "n"):
            lines.append(f"    {name} = {rng.choice(made).format('x', 'y')}")
        for _ in range(rng.randint(2, 5)):
            lines += self._statement("    ")
        if rng.random() < 0.6:
            lines.append(f"    for k in range({rng.choice([2, 3, 14, 40])}):")
            for _ in range(rng.randint(1, 3)):
                lines += self._statement("        ", "k")
        total = " + ".join(rng.sample(["np.sum(m.w * m.z)", "m.z[1]", "n.w[2]", "n.z.sum()", "np.sum(u * u)"], 3))
        lines.append(f"    return float(t + {total})")
        return "\n".join([*lines, "first = (0.83, 0.46)", "second = (-0.31, 0.72)"]) + "\n"

    def _array(self) -> str:
        found = self.rng.choice(["u", "m.w", "m.z", "n.w", "n.z"])
        return self.rng.choice([found, found, f"{found} * 0.5", f"{found}.copy()", f"{found}[::-1]"])

    def _call(self) -> str:
        rng = self.rng
        return f"{rng.choice('mn')}.{rng.choice(METHODS)}({self._array()}, {rng.choice(['x', 'y', '0.3', 't * 0.1'])})"

    def _test(self) -> str:
        return self.rng.choice(["t > 0.2", "x > 0.1", "m", "n", "y in m", "0.2 not in n", "float(m) > t", "t < 0.0"])

    def _statement(self, indent: str, count: str = "") -> list[str]:
        rng = self.rng
        call, more, test = self._call(), self._call(), self._test()
        kind = rng.randrange(9)
        if kind == 0:
            found = [f"t += 0.1 * ({call} if {test} else {more})"]
        elif kind == 1:
            found = [f"t += 0.1 * (({test} and {call}) or {more})"]
        elif kind == 2:
            found = [f"t += 0.1 * {call}"]
        elif kind == 3:
            found = [f"if {test}:", f"    t += 0.1 * {call}", "else:", f"    t -= 0.1 * {more}"]
        elif kind == 4:
            found = [f"f = one if {test} else other", f"t += 0.1 * f({self._array()}, y)"]
        elif kind == 5:
            at = f"{count} % 3" if count else "1"
            key = f"'ab'[{count} % 2]" if count else "'b'"
            found = [f"t += 0.1 * {rng.choice([f'OPS[{at}]', f'TABLE[{key}]', 'f'])}({self._array()}, x)"]
        elif kind == 6:
            found = [rng.choice(["m.w += 0.1 * y", "n.z *= 0.9", "m.z[3] = t", "u = u * 0.9", "n.w[:4] = x", "u += x"])]
        elif kind == 7:
            found = [rng.choice(["m.w, m.z = m.z, m.w", "v = m.w; m.w = m.z; m.z = v", "n.z = m.w", "m.z = u"])]
        else:
            found = [f"t += len(m) * 0.01 + 0.1 * float(n) if {test} else 0.1 * x"]
        return [indent + line for line in found]
