"""Which numbers of a value depend on which numbers of the arguments: patterns, declared once for each function.

An engine that wants the pattern of a Jacobian gives every number a *mark*, an integer that stands for a set of inputs;
0 stands for none. The pattern of a function says what the marks of its value are. A function without one is dense: each
number of its value depends on every number of its arguments, which is right, and less sparse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

import numpy as np

from .registry import PATTERNS, up_to_date
from .tables import entering, entry_of

__all__ = ["Joining", "Pattern", "mark_leaves", "only_moves", "pattern", "pattern_of"]

Kind = Literal["linear", "smooth", "product", "quotient"]


class Joining(Protocol):
    """What a pattern asks of an engine: new marks."""

    def join(self, shape: tuple[int, ...], parts: list[Any], kind: Kind) -> Any:
        """Marks of `shape`, each the union of those of `parts` at its place, all of them broadcast.

        `kind` says which inputs meet nonlinearly: none in a ``"linear"`` function, all in a ``"smooth"`` one, those of
        different parts in a ``"product"``, and in a ``"quotient"`` those of the second part with all.
        """

    def grouped(self, marks: Any, axes: tuple[int, ...], kind: Kind) -> Any:
        """The union of marks along `axes`, which are gone from the result."""

    def scattered(self, shape: tuple[int, ...], terms: list[tuple[Any, Any]], kind: Kind) -> Any:
        """Marks of `shape`; each of `terms` has flat places in it, and marks that go there."""


Pattern = Callable[[Joining, Any, tuple, tuple, dict], Any]


def pattern(*fs: Any) -> Callable[[Pattern], Pattern]:
    """Declare the pattern of functions: a decorator.

    Args:
        fs: the functions. The pattern is called with a `Joining`, the value, the arguments, their marks (arrays of
            integers in the structure of the arguments, ``None`` for constants) and the keywords, which are constants.
            It returns the marks of the value, in its shape; or ``NotImplemented``, and the call is dense.

    >>> def reverse(x): return x[::-1]
    >>> @pattern(reverse)
    ... def reverse_pattern(joining, y, args, marks, kwargs):
    ...     return marks[0][::-1]
    >>> pattern_of(reverse) is reverse_pattern
    True
    """
    return entering(PATTERNS, fs)


def pattern_of(f: Any) -> Pattern | None:
    """The pattern that was declared for ``f`` by `pattern`, or None: then every number of the result depends on every
    number of the arguments.

    >>> pattern_of(len) is None
    True
    """
    return entry_of(PATTERNS, f)


def mark_leaves(marks: Any) -> list[Any]:
    """The arrays and numbers in a structure of marks, in order; None and empty arrays are left out.

    Args:
        marks: marks of a value, in its structure of lists, tuples and dicts.

    >>> mark_leaves([np.array([1]), None, (2,)])
    [array([1]), 2]
    """
    if marks is None:
        return []
    if isinstance(marks, dict):
        return [leaf for part in marks.values() for leaf in mark_leaves(part)]
    if isinstance(marks, (list, tuple)):
        return [leaf for part in marks for leaf in mark_leaves(part)]
    return [marks] if np.size(marks) else []


MOVING: set[Any] = set()  # functions whose values are made of elements of their arguments


def only_moves(f: Any) -> bool:
    """Whether each element of a value of ``f`` is an element of an argument, or a constant: slices, joins, transposes.

    Args:
        f: any callable.

    Returns:
        False also of what nobody has declared.

    >>> import numpy as np
    >>> only_moves(np.concatenate), only_moves(np.sin)
    (True, False)
    """
    up_to_date()
    try:
        return f in MOVING
    except TypeError:
        return False
