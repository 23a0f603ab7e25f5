"""Lines of the user's program, and where in it the engine is."""

import ast
import functools
import linecache
import os
from types import CodeType
from typing import Any

from morula.frames import ENGINE, LIBRARY, USER, Kinds

__all__ = ["ENGINE", "LIBRARY", "USER", "Kinds", "Line", "line_text", "segment", "short_name"]


class Line:
    """What is known of one line.

    Attributes:
        under: of a library's line, the line of the user that called it; None for the user's own.
        runs: how often it began.
        forward, backward: seconds.
        kept: bytes that the tape keeps for it.
        largest: the largest magnitude of a cotangent that came back to it; NaN once one was.
        entries: on the tape.
        tiers: what differentiated it, beside the eager tier: "compiled".
    """

    __slots__ = ("backward", "entries", "file", "forward", "kept", "largest", "number", "runs", "tiers", "under")

    def __init__(self, file: str, number: int, under: "Line | None" = None):
        self.file = file
        self.number = number
        self.under = under
        self.runs = 0
        self.forward = 0.0
        self.backward = 0.0
        self.kept = 0
        self.largest = 0.0
        self.entries = 0
        self.tiers: set[str] = set()

    @property
    def user(self) -> "Line":
        """The line of the user that this one works for."""
        return self if self.under is None else self.under

    @property
    def seconds(self) -> float:
        """Forward and backward."""
        return self.forward + self.backward

    @property
    def text(self) -> str:
        """The source text, without indentation."""
        return line_text(self.file, self.number).strip()

    @property
    def place(self) -> str:
        """File and line, for people."""
        return f"{short_name(self.file)}:{self.number}"

    def __repr__(self) -> str:
        return f"<{self.place} {self.text}>"


def line_text(file: str, number: int) -> str:
    """The text of a line, "" where it is not available."""
    return linecache.getline(file, number).rstrip("\n")


def short_name(file: str) -> str:
    """A file name as short as it is clear."""
    if file.startswith("<"):
        return file
    parts = file.split(os.sep)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            return "/".join(parts[parts.index(folder) + 1 :])
    return parts[-1]


@functools.lru_cache(maxsize=512)
def positions(code: CodeType) -> tuple[tuple[int | None, int | None, int | None, int | None], ...]:
    """Line, last line, column, last column by instruction."""
    return tuple(code.co_positions())


def segment(code: CodeType, lasti: int) -> str:
    """The source text of what an instruction belongs to; "" where that is not one line."""
    line, last, start, end = positions(code)[lasti // 2]
    if line is None or start is None or end is None or line != last:
        return ""
    text = line_text(code.co_filename, line).encode()[start:end].decode(errors="replace")
    return text.strip()


def names_in(text: str) -> list[str]:
    """The variables that an expression reads; none where it is no expression.

    >>> names_in("np.sqrt(x) - y[0]")
    ['np', 'x', 'y']
    """
    try:
        tree: Any = ast.parse(text, mode="eval")
    except SyntaxError:
        return []
    found = sorted([n for n in ast.walk(tree) if isinstance(n, ast.Name)], key=lambda n: (n.lineno, n.col_offset))
    return list(dict.fromkeys(n.id for n in found))
