"""The compiled adjoints of one Numba function, and where they are kept."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Leaf:
    """One number or array inside of the arguments, or of the value."""

    argument: int
    path: tuple[int, ...]
    is_array: bool
