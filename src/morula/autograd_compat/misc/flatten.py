"""Nested lists, tuples and dicts of numbers and arrays as one vector, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["flatten", "flatten_func"]


def flatten(value: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The vector of all numbers in a structure, and the function that makes a structure of such a vector.

    >>> vector, unflatten = flatten({"w": np.eye(2), "b": [1.0, 2.0]})
    >>> vector, unflatten(2 * vector)["b"]
    (array([1., 2., 1., 0., 0., 1.]), [np.float64(2.0), np.float64(4.0)])
    """
    parts: list[Any] = []
    build = laid_out(value, parts, 0)[0]
    vector = np.concatenate([np.reshape(part, -1) for part in parts]) if parts else np.zeros(0)
    return vector, build


def laid_out(value: Any, parts: list[Any], start: int) -> tuple[Callable[[Any], Any], int]:
    """What makes a value of a vector in which it begins at `start`, and where it ends."""
    if isinstance(value, dict):
        names = sorted(value)
        build, stop = laid_out([value[name] for name in names], parts, start)
        return lambda vector: dict(zip(names, build(vector), strict=True)), stop
    if isinstance(value, list | tuple):
        builds = []
        for item in value:
            build, start = laid_out(item, parts, start)
            builds.append(build)
        kind = type(value)
        if hasattr(value, "_fields"):
            return lambda vector: kind(*[build(vector) for build in builds]), start
        return lambda vector: kind([build(vector) for build in builds]), start
    shape, stop = np.shape(value), start + np.size(value)
    parts.append(value)
    if shape == ():
        return lambda vector: vector[start], stop
    return lambda vector: np.reshape(vector[start:stop], shape), stop


def flatten_func(func: Callable[..., Any], example: Any) -> tuple[Callable[..., Any], Callable[[Any], Any], Any]:
    """A function of a structure as one of vectors; also the way back, and the vector of the example."""
    vector, unflatten = flatten(example)
    return lambda x, *args: flatten(func(unflatten(x), *args))[0], unflatten, vector
