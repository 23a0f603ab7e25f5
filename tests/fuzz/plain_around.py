"""Functions inside a function that call themselves, and read variables that are assigned again around them."""

from __future__ import annotations

import random

from . import plain

NAMES = ("s", "t", "w")


class AroundWriter:
    """Writes one such program."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def program(self) -> str:
        terms = ("x", "y", *NAMES)
        first = [f"{name} = {self._term(('x', 'y'))}" for name in NAMES]
        inner = [
            "def g(u, n):",
            f"    if n <= 0: return {self._term(('u', *NAMES))}",
            f"    return g(u * 0.5, n - 1) * {self._term(NAMES)} + {self._term(('u', *NAMES))}",
        ]
        calls = [f"total += g({self._term(terms)}, {self.rng.choice('0123')})" for _ in range(3)]
        sets = [f"{self.rng.choice(NAMES)} = {self._term(terms)}" for _ in range(self.rng.randint(2, 6))]
        turn = self.rng.sample(calls + sets, len(calls) + len(sets))
        if self.rng.random() < 0.3:
            turn.insert(1, f"if {self.rng.choice(NAMES)} > 0.5: {self.rng.choice(sets)}")
        head = self.rng.choice(["for k in range(3):", "for v in A:", "if x < 2.0:"])
        body = [*first, *inner, "total = 0.0", head, *(f"    {line}" for line in turn), "return total + s * t - w"]
        lines = [*plain.HEAD.splitlines(), "A = [0.4, 1.1, 0.7]", "K, N = 0.7, 2", "def program(x, y):"]
        return (
            "\n".join([*lines, *(f"    {line}" for line in body), "first = (0.3, 0.7)", "second = (-0.4, 1.2)"]) + "\n"
        )

    def _term(self, names: tuple[str, ...]) -> str:
        a, b = self.rng.choice(names), self.rng.choice(names)
        return self.rng.choice([f"math.sin({a} + {b})", f"0.5 * {a} * {b}", f"({a} - 0.3 * {b})", f"math.tanh({a})", a])
