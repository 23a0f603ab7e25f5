"""Random plain programs that catch exceptions, and whose variables, attributes and results may be None."""

from __future__ import annotations

from typing import Any

from . import plain

KINDS = ("ValueError", "ZeroDivisionError", "(ValueError, ZeroDivisionError)", "ArithmeticError", "OverflowError",
         "Exception", "Bad", "(Bad, ValueError)")  # fmt: skip
HELPERS = """
class Bad(Exception): pass
class Worse(Bad): pass
class Memory:
    def __init__(self, x=None):
        self.last, self.sum = x, 0.0
    def note(self, x):
        if self.last is not None and x < self.last:
            self.last = None
            return None
        self.last = x
        self.sum += x
        return x * self.sum
"""


class Writer(plain.Writer):
    """Writes them; functions that may return None are called ``n0``."""

    def __init__(self, rng: Any):
        super().__init__(rng)
        self.objects, self.of_floats = False, self.of_floats or rng.random() < 0.7

    def block(self, names: list[str], depth: int, loops: int, values: int) -> list[str]:
        return super().block(names, min(depth, 2), loops, values)

    def number(self, names: list[str], depth: int = 3) -> str:
        """Numbers of Python's more often than not: only their exceptions are caught in the text."""
        for _ in range(6):
            found = super().number(names, min(depth, 2))
            if not self.of_floats or not any(numpy in found for numpy in ("A", "a[", "B[", "np.", "%", "True")):
                return found
        return self.atom(names)

    def of_arrays(self, names: list[str]) -> list[str]:
        return ["x = x"] if self.of_floats else super().of_arrays(names)

    def program(self) -> str:
        source = super().program()
        names = ["x"]
        lines = [f"if {self.test(names)}:", f"    return {self.pick('None', self.number(names, 2))}",
                 *self.statement(names, 1, 0, 1), self.pick(f"return {self.number(names, 2)}", "pass",
                 f"if {self.test(names)}: raise {self.pick('Bad', 'Worse', 'ValueError')}('x')")]  # fmt: skip
        helper = "\n".join(["def n0(x):", *["    " + line for line in lines], ""])
        return source.replace(plain.HEAD, plain.HEAD + HELPERS).replace("\ndef program(", f"\n{helper}def program(")

    def statement(self, names: list[str], depth: int, loops: int, values: int) -> list[str]:
        if depth == 0 or self.rng.random() < 0.6:
            return super().statement(names, depth, loops, values)
        return self.pick(self.caught, self.nothing, self.remembered)(names, depth, loops, values)

    def risky(self, names: list[str]) -> str:
        x, y = self.number(names, 2), self.number(names, 1)
        return self.pick(f"math.sqrt({x})", f"math.log({x}) * {y}", f"{x} / ({y} - {self.atom(names)})",
                         f"{x} + math.sqrt({y})", f"math.exp({x} * 400.0)", f"{x} ** 0.5 / {y}",
                         f"math.acos({x}) + 1 / ({y})")  # fmt: skip

    def caught(self, names: list[str], depth: int, loops: int, values: int) -> list[str]:
        target = self.pick("p", "q", "r", *names[:2])

        def lines(risks: bool) -> list[str]:
            found = []
            for _ in range(self.pick(1, 1, 2)):
                kind = self.rng.randrange(8 if risks else 5)
                if kind < 2:
                    found.append(f"{target} = {self.number(names, 2)}")
                elif kind == 2:
                    found.append(f"{self.rng.choice(names)} {self.pick('+=', '*=', '-=')} {self.number(names, 1)}")
                elif kind == 3:
                    how = self.pick("break", "continue") if loops and self.rng.random() < 0.5 else ""
                    found.append(how or self.leave(names, values))
                elif kind == 4:
                    found += self.block(names, 0, loops, values)
                elif kind == 5:
                    error = f"raise {self.pick('Bad', 'Worse', 'ValueError')}({self.pick('', repr('no'))})"
                    found += [f"if {self.test(names)}:", f"    {error}"]
                else:
                    found.append(f"{self.pick(f'{target} =', f'{target} =', f'{names[0]} +=')} {self.risky(names)}")
            return found

        found = ["try:", *["    " + x for x in [*lines(True), f"{target} = {self.risky(names)}"]]]
        for _ in range(self.pick(1, 1, 2)):
            head = f"except {self.pick(*KINDS)}{self.pick('', '', ' as error')}:"
            found += [head, *["    " + x for x in lines(False)]]
        for head in ("else:", "finally:"):
            if self.rng.random() < 0.15:
                found += [head, f"    {target} = {self.number(names, 1)}"]
        return found

    def nothing(self, names: list[str], depth: int, loops: int, values: int) -> list[str]:
        inner = self.block(names, depth - 1, loops + 1, values)
        x, y = self.number(names, 2), self.number(names, 1)
        change = self.pick(f"if {self.test(names)}:\n    m = {x}", f"m = {x} if {self.test(names)} else m",
                           f"m = n0({y})", f"m = None if {self.test(names)} else {x}", f"m = {x}")  # fmt: skip
        taken = "if m is not None and m > x:\n    x = m\n    m = None"
        read = self.pick(f"x += {y} if m is None else m", "if m is not None:\n    x = x + m * 0.5", "x += m", taken,
                         f"if m is None or m < {y}:\n    m = {x}", "k = m\nx -= 0.1 if k is None else k")  # fmt: skip
        body = [*inner, *self.rng.sample([change, read], 2)]
        lines = [line for part in body for line in part.split("\n")]
        head = f"for {self.pick('i', 'j')} in range({self.pick('3', 'N', '4')}):"
        end = self.pick([], ["if m is not None:", "    x = m * x"], [f"x = {y} if m is None else m"], ["x = x * m"])
        return [f"m = {self.pick('None', 'None', x)}", head, *["    " + line for line in lines], *end]

    def remembered(self, names: list[str], depth: int, loops: int, values: int) -> list[str]:
        lines = [f"t = h.note({self.number(names, 2)})", f"x += {self.pick('0.5', 'x')} if t is None else t"]
        if self.rng.random() < 0.5:
            lines += ["if h.last is not None:", f"    x = x - h.last * {self.atom(names)}"]
        head = f"for {self.pick('i', 'j')} in range({self.pick('3', 'N', '4')}):"
        return [f"h = Memory({self.pick('', self.atom(names))})", head, *["    " + line for line in lines],
                f"x = {self.pick('h.sum + x', 'x', 'x if h.last is None else h.last')}"]  # fmt: skip
