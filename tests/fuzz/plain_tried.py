"""Functions that catch exceptions, or end by ``finally`` or ``with``, called where others catch exceptions."""

from __future__ import annotations

import random

from . import plain

CONTEXTS = """
class Silent:
    def __init__(self, *kinds):
        self.kinds = kinds
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, self.kinds)
class Counted:
    def __init__(self, u):
        self.u = u
    def __enter__(self):
        self.u = self.u * 0.5
        return self
    def __exit__(self, *error):
        self.u = self.u + 1.0
"""
RISKY = ("math.sqrt({x})", "math.log({x})", "0.3 / {x}", "math.acos({x}) * 0.2", "{x} ** 0.5 + abs({x})")
KINDS = ("ValueError", "ZeroDivisionError", "(ValueError, TypeError)", "Exception", "ArithmeticError")


class TriedWriter:
    """Writes one such program."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def program(self) -> str:
        lines = [*plain.HEAD.splitlines(), *CONTEXTS.splitlines(), "K, N = 0.7, 2"]
        callees: list[str] = []
        for name in ("g0", "g1", "g2", "program"):
            args = "x, y" if name == "program" else "x"
            lines += [f"def {name}({args}):", *(f"    {line}" for line in self._body(callees, name == "program"))]
            callees.append(name)
        return "\n".join([*lines, "first = (0.8, 0.3)", "second = (-0.6, 0.4)"]) + "\n"

    def _body(self, callees: list[str], has_y: bool) -> list[str]:
        found = ["z = x * 1.5"]
        for _ in range(self.rng.randint(1, 3)):
            kind, inner = self.rng.random(), self._steps(callees, has_y)
            if kind < 0.5:
                found += ["try:", *inner, *self._handlers(has_y)]
            elif kind < 0.65:
                found += ["try:", *inner, "finally:", f"    z = {self._safe(has_y)}"]
            elif kind < 0.75:
                found += [f"with Silent({self.rng.choice(KINDS)}):", *inner]
            elif kind < 0.85:
                found += ["c = Counted(z)", "with c:", *inner, "z = z + c.u"]
            else:
                found += [line[4:] for line in inner]
        return [*found, f"return z + {self._safe(has_y)}"]

    def _steps(self, callees: list[str], has_y: bool) -> list[str]:
        found = []
        for _ in range(self.rng.randint(1, 2)):
            risk = self.rng.choice(RISKY).format(x=self._safe(has_y))
            if callees and self.rng.random() < 0.6:
                risk = f"{self.rng.choice(callees)}({self._safe(has_y)})"
            found.append(f"    {self.rng.choice(['z =', 'z +=', 'x ='])} {risk}")
        return found

    def _handlers(self, has_y: bool) -> list[str]:
        kinds = self.rng.sample(KINDS, self.rng.choice([1, 1, 2]))
        found = [line for kind in kinds for line in (f"except {kind}:", f"    z = {self._safe(has_y)}")]
        if self.rng.random() < 0.2:
            found += ["else:", f"    x = {self._safe(has_y)}"]
        return found + (["finally:", f"    z = z + {self._safe(has_y)}"] if self.rng.random() < 0.3 else [])

    def _safe(self, has_y: bool) -> str:
        names = ("x", "z", "y") if has_y else ("x", "z")
        a, b = self.rng.choice(names), self.rng.choice(names)
        return self.rng.choice([f"({a} - 0.4)", f"(0.5 * {a} * {b})", f"({a} - {b})", f"math.sin({a})", a, f"{a} * K"])
