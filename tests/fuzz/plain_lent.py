"""Arrays of objects, lists and variables that a function is given, or an expression holds, while they are written into.

A parameter, and a value that is to be computed with once a call has returned, are further names of such an array: what
the call writes into it is seen through them, too.
"""

from __future__ import annotations

import random

from . import plain

CLASSES = """
class Cell:
    def __init__(self, w, z):
        self.w = w
        self.z = z
    def grow(self, h):
        self.w += h
        return self.w[0]
    def scale(self, h):
        self.z *= h
        return self.z * 0.5
    def turn(self, k, h):
        self.w[k] = h * self.z[k]
        return h
    def renew(self, h):
        self.w = self.z * h
        return self.w
    def own(self):
        return self.w
    def back(self):
        return self.z[::-1]
    def seen(self, v, h):
        self.w *= h
        return v[0] * v[2]
    def both(self, v, h):
        return self.seen(v, h) + v[1] * self.turn(1, h)
class Made(Cell):
    def __init__(self, x):
        self.w = np.array([x, 0.2, x * x])
        self.z = 0.5 * self.w
"""


class LentWriter:
    """Writes one such program."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.functions: list[str] = []

    def program(self) -> str:
        rng = self.rng
        lines = [*plain.HEAD.splitlines(), *CLASSES.splitlines()]
        for name in ("e0", "e1", "e2"):
            lines += [f"def {name}(m, u, v, h):", *self._function()]
            self.functions.append(name)
        lines += [
            "def program(x, y):",
            f"    u, d = np.array([x, {self._number('x y')}, 0.4]), [np.array([y, 0.1, x])]",
        ]
        made = "Made({})", "Cell(np.array([{}, 0.3, y]), np.array([0.2, {}, x]))", "Cell(u * {}, u + {})", "Cell(u, u)"
        for name in ("m", "n"):
            lines.append(f"    {name} = {rng.choice(made[: 3 + (rng.random() < 0.1)]).format(*['x', 'y'])}")
        lines.append("    t = 0.1 * x")
        for _ in range(rng.randint(2, 5)):
            lines += self._statement()
        total = " + ".join(
            rng.sample(["m.w[0] * m.w[2]", "m.z[1]", "n.w[1]", "n.z.sum()", "d[0][1]", "u[1] * u[2]"], 4)
        )
        lines.append(f"    return float(t + {total})")
        return "\n".join([*lines, "first = (0.83, 0.46)", "second = (-0.31, 0.72)"]) + "\n"

    def _number(self, names: str) -> str:
        a, b = self.rng.choice(names.split()), self.rng.choice(names.split())
        return self.rng.choice([a, f"{a} * {b}", f"({a} - 0.3)", f"0.5 * {a}", f"math.sin({a})", "0.7"])

    def _array(self, names: tuple[str, ...]) -> str:
        """An array of three numbers that something else may hold."""
        rng = self.rng
        found = rng.choice([*names, "m.w", "m.z", "m.own()", "m.back()"])
        return rng.choice([found, found, found, f"{found}[::-1]", f"{found}[:]", f"{found} * 0.5", f"{found}.copy()"])

    def _writing(self, names: str, things: tuple[str, ...] = ("m",)) -> str:
        """A call that may write into an array."""
        rng, m = self.rng, self.rng.choice(things)
        h = self._number(names)
        options = [f"{m}.grow({h})", f"{m}.scale({h})", f"{m}.turn({rng.randrange(3)}, {h})", f"{m}.renew({h})"]
        return rng.choice(options)

    def _function(self) -> list[str]:
        rng, found = self.rng, []
        for _ in range(rng.randint(0, 2)):
            found.append(rng.choice([
                "u[0] = h * v[1]", "u *= 0.7", "u[1:] += h", "m.w += v", "m.z[1] = h", "m.w[:] = v * h", "h = v[2] + h",
                "m.w = v", "v = v * h", f"h = h + {self._writing('h')}" if "scale" not in found else "h = h * 0.5",
                "u[2] += v[0]", "m.z = m.z + u", "u = u + v",
            ]))  # fmt: skip
        result = rng.choice(
            ["v[0] * v[1] + u[2]", "float(u @ v)", "m.w[0] + v[2] * h", "v.sum() * u[0]", "v", "m.w", "u"]
        )
        return [f"    {line}" for line in [*found, f"return {result}"]]

    def _expression(self) -> str:
        rng, names = self.rng, "x y t"
        array = self._array(("u", "d[0]", "n.w"))
        call = self._writing(names, ("m", "n"))
        if self.functions and rng.random() < 0.5:
            m = rng.choice("mn")
            given = [self._array(("u", "d[0]", f"{m}.w", "n.z")) for _ in range(2)]
            call = f"{rng.choice(self.functions)}({m}, {given[0]}, {given[1]}, {self._number(names)})"
        return rng.choice([
            call, f"{array} * {call}", f"{array}[1] + {call}", f"np.dot({array}, np.ones(3) * {call})",
            f"m.seen({array}, {self._number(names)})", f"n.both({array}, {self._number(names)})",
            f"({array}, {call})[0]", f"{call} + {array}",
        ])  # fmt: skip

    def _statement(self) -> list[str]:
        rng = self.rng
        kind = rng.random()
        e = self._expression()
        if kind < 0.5:
            return [f"    t += 0.3 * float(np.sum({e}))"]
        if kind < 0.6:
            return [
                f"    for k in range({rng.randint(2, 3)}):",
                f"        t += 0.3 * float(np.sum({e}))",
                self._write(),
            ]
        if kind < 0.75:
            return [self._write()[4:]]
        if kind < 0.85:
            return [f"    m.w[1] += np.sum({e})"]
        if kind < 0.92:
            return [f"    {rng.choice(['m.w', 'n.z', 'u'])} += {e}"]
        return [f"    if t > {rng.choice(['0.2', '-0.5', '1.0'])}:", f"        t -= np.sum({e})"]

    def _write(self) -> str:
        return "        " + self.rng.choice([
            "m.w *= 0.9", "u[1] = t", "d[0] += u", "n.z[0] = x * t", "m.z += n.w", "n.w = n.w * 0.8", "u *= 0.9",
            "m.grow(0.1 * t)", "n.turn(1, y)",
        ])  # fmt: skip
