"""What has no static adjoint. It stands alone: most programs load none of the modules that raise it."""

from __future__ import annotations

from typing import Any

__all__ = ["NO_NUMBER", "NoItem", "NoLoop", "NoRow", "OfTwoKinds", "Undecided", "Unsupported", "costly"]

NO_NUMBER = "a value that is no number"


class Unsupported(Exception):
    """A construct that has no static adjoint here: the eager tier runs the function.

    Attributes:
        function: the name of the one that it stands in, where that is known.
        outer_line: where the function that was to have a static adjoint calls it, or has it itself; 0 if not known.
        is_costly: whether there may be one, which takes longer to find than the function has run so far.
        attempt: the place of the `try` statement that it stands in, if any.
        may_be_large: whether it may be one only because arrays of few numbers are taken for numbers.
    """

    def __init__(self, construct: str, line: int = 0):
        super().__init__(construct)
        self.construct = construct
        self.line = line
        self.function = ""
        self.outer_line = 0
        self.may_be_large = self.is_costly = False
        self.attempt: Any = None

    def __str__(self) -> str:
        places = [f"line {self.line}"] if self.line else []
        return f"{self.construct} ({', '.join(places + [self.function][: bool(self.function)])})".removesuffix(" ()")


def costly(construct: str) -> Unsupported:
    """What says that finding out takes too long for now."""
    found = Unsupported(construct)
    found.is_costly = True
    return found


class NoRow(Unsupported):
    """An array in a list, which cannot be a row of numbers there."""


class NoItem(Unsupported):
    """An item at a computed place that is no number: there may be one if the text has the container itself."""


class NoLoop(Unsupported):
    """What can only be written out, turn by turn: there may be a loop if the text has the container itself."""


class OfTwoKinds(Unsupported):
    """A number that is Python's at times, and NumPy's at other times, where nobody has noted which."""


class Undecided(OfTwoKinds):
    """The larger or the smaller of two numbers, of which one is NumPy's: a branch tells which type it has."""
