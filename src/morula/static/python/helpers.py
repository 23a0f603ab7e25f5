"""What the texts of static adjoints call, to make lists and to add up their cotangents."""

from __future__ import annotations

from typing import Any

__all__ = ["HELPERS"]


def rows(number: float, n: int, m: int) -> list[list[float]]:
    """A new array of `n` rows."""
    if n < 0 or m < 0:
        raise ValueError
    return [[number] * m for _ in range(n)]


def plus(bars: list[float], others: list[float]) -> None:
    """Add to a cotangent what a copy of the list has for one."""
    for i, bar in enumerate(others):
        bars[i] += bar


def plus_rows(bars: list[list[float]], others: list[list[float]]) -> None:
    for row, other in zip(bars, others, strict=True):
        plus(row, other)


HELPERS: dict[str, Any] = {"rows": rows, "plus": plus, "plus_rows": plus_rows}
