"""Exceptions that methods, setters and functions raise half way, loops that raise, and handlers of several classes."""

from __future__ import annotations

import random

from . import plain

CLASSES = """
class Low(Exception):
    pass
class Lower(Low):
    pass
class High(ValueError):
    pass
def checked(v, least):
    if v < least:
        raise Low("low")
    return v * 1.1
"""
KINDS = ("Low", "Lower", "High", "ValueError", "(Low, High)", "Exception", "(Lower, ZeroDivisionError)")
RAISED = ("Low", "Lower('u')", "High('large')", "ValueError", "Low()")


class RaisedWriter:
    """Writes one such program."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.methods: list[str] = []
        self.targets: list[str] = []  # whose assignment may raise

    def program(self) -> str:
        rng = self.rng
        lines = [*plain.HEAD.splitlines(), *CLASSES.splitlines(), "class Tank:", "    def __init__(self, u):"]
        lines += ["        self.u, self.n, self.log = u, 0, []"]
        for name in ("fill", "drain", "turn"):
            lines += [f"    def {name}(self, a):", *self._method()]
            self.methods.append(name)
        if rng.random() < 0.5:
            lines += ["    @property", "    def level(self):", *self._method("self.u")]
            lines += ["    @level.setter", "    def level(self, a):", *self._method()]
            self.targets.append("s.level")
        if rng.random() < 0.4:
            lines += ["    def __getitem__(self, k):", "        return self.u * k"]
            lines += ["    def __setitem__(self, k, a):", *self._method()]
            self.targets.append("s[2]")
        lines += ["def program(x, y):", "    s, t, z = Tank(x), 0.0, y"]
        if rng.random() < 0.5:
            lines += ["    t = x * 0.1"]
        lines += [f"    for i in range({rng.randint(2, 6)}):", *self._try(2, rng.random() < 0.3)]
        if rng.random() < 0.4:
            lines += self._try(1, False)
        total = "t + z * s.u + s.n * y + sum(s.log)" if rng.random() < 0.5 else "t + z + s.u * s.n * 0.1"
        lines += [f"    return {total}"]
        first, second = ("(0.8, 0.3)", "(-0.4, 0.7)") if rng.random() < 0.6 else (
            "(np.float64(0.8), 0.3)", "(np.float64(0.5), np.float64(-0.2))")  # fmt: skip
        return "\n".join([*lines, f"first = {first}", f"second = {second}"]) + "\n"

    def _number(self, names: str) -> str:
        a, b = self.rng.choice(names.split()), self.rng.choice(names.split())
        return self.rng.choice(
            [a, f"{a} * {b}", f"({a} - 0.3)", f"0.5 * {a}", f"math.sin({a})", f"({a} + {b})", f"{a} / ({b} + 2.0)"]
        )

    def _test(self, names: str) -> str:
        bound = self.rng.choice(["-0.5", "0.2", "0.6", "1.0", "1.5"])
        return f"{self._number(names)} {self.rng.choice('<>')} {bound}"

    def _method(self, names: str = "self.u a") -> list[str]:
        found = []
        for _ in range(self.rng.randint(1, 4)):
            kind = self.rng.random()
            if kind < 0.35:
                found.append(f"if {self._test(names)}: raise {self.rng.choice(RAISED)}")
            elif kind < 0.55:
                found.append(f"self.u {self.rng.choice(['+=', '-=', '='])} {self._number(names)} * 0.4")
            elif kind < 0.65:
                found.append("self.n += 1")
            elif kind < 0.75:
                found.append(f"self.log.append({self._number(names)})")
            elif kind < 0.85 and self.methods:
                found.append(f"self.u = 0.3 * self.{self.rng.choice(self.methods)}({self._number(names)})")
            elif kind < 0.93:
                leaving = self.rng.choice(["raise Lower", "break", "continue", "raise High"])
                found += [
                    f"for k in range({self.rng.randint(1, 3)}):",
                    f"    self.u = self.u * 0.7 + {self._number(names)} * 0.3",
                    f"    if {self._test(names)}: {leaving}",
                    "    self.n += 1",
                ]
            else:
                found.append(f"if {self._test(names)}: return {self._number(names)}")
        return [f"        {line}" for line in [*found, f"return {self._number(names)}"]]

    def _try(self, depth: int, may_leave: bool) -> list[str]:
        """A ``try``, indented by as many steps as `depth` says."""
        rng = self.rng
        lines = ["try:", *(f"    {line}" for _ in range(rng.randint(1, 3)) for line in self._step(2))]
        kinds = rng.sample(KINDS, rng.choice([1, 1, 2]))
        for kind in kinds:
            lines += [f"except {kind}:", f"    {self._simple()}"]
            if may_leave and rng.random() < 0.5:
                lines += [f"    {rng.choice(['continue', 'break'])}"]
        if rng.random() < 0.25:
            lines += ["else:", f"    {self._simple()}"]
        if "Exception" not in kinds and rng.random() < 0.8:
            lines = ["try:", *(f"    {line}" for line in lines), "except Exception:", f"    {self._simple()}"]
        return [f"{'    ' * depth}{line}" for line in lines]

    def _simple(self) -> str:
        names = "x y z s.u"
        return self.rng.choice([
            f"t += {self._number(names)}", f"z = {self._number(names)}", "s.n += 1", f"s.u = {self._number(names)}",
            f"t, z = {self._number(names)}, {self._number(names)}", "pass", f"s.log.append({self._number(names)})",
        ])  # fmt: skip

    def _step(self, depth: int) -> list[str]:
        rng, names = self.rng, "x y z s.u"
        kind = rng.random()
        call = f"s.{rng.choice(self.methods)}({self._number(names)})"
        if kind < 0.3:
            return [f"{rng.choice(['t +=', 'z =', 't -='])} {call}"]
        if kind < 0.4:
            return [f"t += {call} * checked({self._number(names)}, {rng.choice(['-0.4', '0.1'])})"]
        if kind < 0.5:
            return [f"if {self._test(names)}: raise {rng.choice(RAISED)}"]
        if kind < 0.6 and depth:
            inner = rng.choice(["range(3)", "(0.2, 0.9)"])
            return [f"for j in {inner}:", *(f"    {line}" for line in self._step(depth - 1)), f"    {self._simple()}"]
        if kind < 0.68 and depth:
            return [f"if {self._test(names)}:", *(f"    {line}" for line in self._step(depth - 1)),
                    "else:", f"    {self._simple()}"]  # fmt: skip
        if kind < 0.76 and depth:
            return ["try:", *(f"    {line}" for line in self._step(depth - 1)), f"except {rng.choice(KINDS)}:",
                    f"    {self._simple()}"]  # fmt: skip
        if kind < 0.82:
            return [call]
        if kind < 0.92 and self.targets:
            return [f"{rng.choice(self.targets)} {rng.choice(['=', '+=', '-='])} {self._number(names)}"]
        return [self._simple()]
