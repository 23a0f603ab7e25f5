"""Which elements a linear function of an array reads for each element of its value, found by calling it.

A map with windows (an interpolation, a resampling, a filter) reads elements that lie close together, so few arrays tell
where they are: each has ones at elements that lie so far apart that no window holds two of them. The weights say that
an element is read; weighted with the positions, which one; and weighted with random numbers, that it was a single one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...patterns import mark_leaves, pattern
from .patterns import array_marks

SPACINGS = (6, 12, 24, 48)
MOST = 200  # arrays of ones


def local_terms(f: Callable, shape: tuple[int, ...]) -> tuple[Any, Any] | None:
    """The flat positions in the value, and those of the elements that are read for them; None where windows are wide.

    Args:
        f: a linear function of an array, up to a constant.
        shape: of the array.

    >>> local_terms(lambda x: x[1:] - x[:-1], (3,))
    (array([0, 0, 1, 1]), array([0, 1, 1, 2]))
    """
    rest = np.asarray(f(np.zeros(shape)))
    size = int(np.prod(shape))
    numbers = np.arange(1.0, size + 1)
    drawn = np.random.default_rng(0).uniform(1.0, 2.0, size)
    tried = None
    for spacing in SPACINGS:
        steps = [min(spacing, n) for n in shape]
        if np.prod(steps) > MOST or steps == tried:
            return None
        tried = steps
        found = []
        for first in np.ndindex(*steps):
            ones = np.zeros(shape)
            ones[tuple(slice(k, None, step) for k, step in zip(first, steps, strict=True))] = 1.0
            ones = ones.ravel()
            weights, positions, checks = (np.ravel(f((ones * v).reshape(shape)) - rest) for v in (1.0, numbers, drawn))
            there = np.flatnonzero((weights != 0) | (checks != 0))
            with np.errstate(all="ignore"):
                at = positions[there] / weights[there]
            at = np.where(np.isfinite(at), np.rint(at), 0).astype(int) - 1
            if np.any((at < 0) | (at >= size)):
                break
            apart = abs(checks[there] - weights[there] * drawn[at])
            if np.any(ones[at] == 0) or np.any(apart > 1e-9 * abs(weights[there])):
                break
            found.append((there, at))
        else:
            rows, columns = zip(*found, strict=True)
            return np.concatenate(rows), np.concatenate(columns)
    return None


def windows_of(f: Any, at: int = 0, when: Callable[..., bool] | None = None) -> Any:
    """The pattern of a function that is linear in its argument `at`, where all others are constant.

    Args:
        f: the function.
        at: which argument.
        when: says of the arguments of a call whether the function reads windows; None for always.
    """

    def windowed(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """The elements whose weight is not zero."""
        if mark_leaves((*marks[:at], *marks[at + 1 :])) or not isinstance(y, np.ndarray) or not y.size:
            return NotImplemented
        if when is not None and not when(*args, **kwargs):
            return NotImplemented
        options = {k: v for k, v in kwargs.items() if k not in ("output", "overwrite_data")}
        shape = np.shape(args[at])
        found = local_terms(lambda x: f(*args[:at], x, *args[at + 1 :], **options), shape)
        if found is None:
            return NotImplemented
        rows, columns = found
        return joining.scattered(y.shape, [(rows, np.ravel(array_marks(args[at], marks[at]))[columns])], "linear")

    return windowed


def locally_linear(f: Any, at: int = 0, when: Callable[..., bool] | None = None) -> None:
    """Declare the pattern `windows_of` a function."""
    pattern(f)(windows_of(f, at, when))


@pattern(np.correlate)
def correlated(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """A window of the operand that varies."""
    at = 0 if marks[0] is not None else 1
    return windows_of(np.correlate, at)(joining, y, args, marks, kwargs)
