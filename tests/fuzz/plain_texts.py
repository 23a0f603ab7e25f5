"""Random plain programs that put their numbers into texts, collect these in lists, print and log them."""

from __future__ import annotations

import re

from . import plain

HELPERS = """
import logging
LOG = logging.getLogger("plain")
class Notes:
    def __init__(self):
        self.lines, self.n = [], 0.5
    def add(self, x):
        self.lines.append(f"<{x:.4g}>")
        self.n += 0.25 * x
"""


class Writer(plain.Writer):
    """Writes them; `notes` is a list of texts in every function."""

    def statement(self, names: list[str], depth: int, loops: int, values: int) -> list[str]:
        if depth == 0 or self.rng.random() < 0.5:
            return super().statement(names, depth, loops, values)
        return self.pick(self.noted, self.noted, self.printed, self.counted, self.looped, self.logged)(names)

    def text(self, names: list[str]) -> str:
        x, y = self.number(names, 1), self.number(names, 1)
        spec = self.pick("", ":.3f", ":10.2e", ":>8.3g", "!s:>20", self.pick("", "!r"))
        return self.pick(
            f'f"{{{x}{spec}}} {{{y}:.4f}}"', f'"%.5f %s" % ({x}, {y})', f'"%g" % ({x})',
            f'"{{:.3f}}|{{}}".format({x}, {y})',
            f'"{{k:.3e}}".format(k={x})', f"str({x})", f'format({x}, ".4f")', '"-" * 5', f'"a" + f"{{{x}}}"',
            f'", ".join(f"{{v:.2f}}" for v in ({x}, {y}))', '",".join(notes)', 'f"{len(notes):>4d}"',
        )  # fmt: skip

    def noted(self, names: list[str]) -> list[str]:
        if self.rng.random() < 0.4:
            text = self.text(names)
            return [f"if {self.test(names)}:", f"    notes.append({text})"]
        return [f"message = {self.text(names)}", f"notes.append(message{self.pick('', ' + message')})"]

    def printed(self, names: list[str]) -> list[str]:
        given = [self.pick(self.text(names), self.number(names, 1)) for _ in range(self.pick(1, 2))]
        ends = self.pick("", ', sep="-"', ', end="!"')
        return [f"print({', '.join(given)}{ends})"]

    def counted(self, names: list[str]) -> list[str]:
        target = self.rng.choice(names)
        return [f"if {self.pick('len(notes) > 2', 'notes')}:", f"    {target} = {target} * 1.1"]

    def looped(self, names: list[str]) -> list[str]:
        lines = [*self.block(names, 0, 1, 1), f"notes.append({self.text(names)})"]
        return [f"for j in range({self.pick('2', '3', 'N')}):", *["    " + line for line in lines],
                'print("; ".join(notes))']  # fmt: skip

    def logged(self, names: list[str]) -> list[str]:
        text = self.text(names)
        return [
            self.pick(
                f"LOG.debug({text})",
                f'LOG.info("%s %s", {self.number(names, 1)}, {text})',
                f"notes_of.add({self.number(names, 1)})",
            )
        ]

    def program(self) -> str:
        source = super().program().replace(plain.HEAD, plain.HEAD + HELPERS)
        begun = r'\1    notes, message, notes_of = [], "", Notes()' + "\n"
        return re.sub(r"((?:^|\n)def \w+\(.*\):\n)", begun, source)
