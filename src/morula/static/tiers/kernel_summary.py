"""What a caller of kernels has to know before any of them is compiled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Leaf:
    """One number or array inside the arguments, or of the value."""

    argument: int
    path: tuple[int, ...]
    is_array: bool


def in_order(leaves: Sequence[Leaf], arrays: Iterable[Any], numbers: Iterable[Any]) -> list[Any]:
    """What there is for each leaf, from what there is for those that are arrays, and for the numbers."""
    ours, others = iter(arrays), iter(numbers)
    return [next(ours if leaf.is_array else others) for leaf in leaves]


@dataclass(frozen=True)
class Summary:
    """What is known of the adjoints of one function for one combination of argument types.

    Attributes:
        leaves: the active differentiable parts of the arguments.
        value_leaves: the differentiable parts of the value.
        written: the arguments whose arrays the function may write into.
        may_burst: whether a seed can become infinite: then the guarded text is needed.
        value_kind: "number" where the value is one float, "array" where it is one array of floats, "numbers" where it
            is a tuple of floats, "none" where it is None; else "".
        is_repeatable: whether a second run does what the first one did: it prints and draws nothing.
    """

    leaves: tuple[Leaf, ...]
    value_leaves: tuple[Leaf, ...]
    written: frozenset[int]
    may_burst: bool
    value_kind: str
    is_repeatable: bool
