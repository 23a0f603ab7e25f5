"""What the writers of random programs draw from."""

from __future__ import annotations

import random
from typing import Any


class Chance:
    """A writer with a source of chance.

    Attributes:
        least, most: the numbers that programs are given lie between them.
    """

    least, most = 0.1, 1.2

    def __init__(self, rng: random.Random):
        self.rng = rng

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def numbers(self, n: int) -> str:
        """So many numbers, side by side."""
        return ", ".join(f"{self.rng.uniform(self.least, self.most):.3f}" for _ in range(n))
