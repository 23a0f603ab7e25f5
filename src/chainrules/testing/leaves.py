"""Values as lists of leaves: numbers and arrays, each with the path that leads to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..tangents import AbstractTangent, Tangent, unthunk

__all__ = ["copied", "inner", "is_inexact", "leaves", "random_tangent", "replaced"]

Path = tuple[Any, ...]


def is_inexact(x: Any) -> bool:
    """Whether ``x`` is a float or complex number or array: something that can be varied.

    >>> is_inexact(1.0), is_inexact(1), is_inexact(np.zeros(2))
    (True, False, True)
    """
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype.kind in "fc"
    return isinstance(x, (float, complex)) and not isinstance(x, bool)


def leaves(x: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The leaves of nested lists, tuples, dictionaries and `Tangent`s, with their paths.

    >>> list(leaves([1.0, {"a": 2.0}]))
    [((0,), 1.0), ((1, 'a'), 2.0)]
    """
    if isinstance(x, (list, tuple)):
        for i, v in enumerate(x):
            yield from leaves(v, (*path, i))
    elif isinstance(x, dict):
        for k, v in x.items():
            yield from leaves(v, (*path, k))
    elif isinstance(x, Tangent):
        for k, v in x.fields().items():
            yield from leaves(v, (*path, k))
    else:
        yield path, x


def replaced(x: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """``x`` with the leaf at ``path`` replaced by ``change(leaf)``; the rest is shared.

    >>> replaced([1.0, (2.0, 3.0)], (1, 0), lambda v: v + 10)
    [1.0, (12.0, 3.0)]
    """
    if not path:
        return change(x)
    first, rest = path[0], path[1:]
    if isinstance(x, dict):
        return {k: replaced(v, rest, change) if k == first else v for k, v in x.items()}
    values = [replaced(v, rest, change) if i == first else v for i, v in enumerate(x)]
    return x._make(values) if hasattr(x, "_make") else type(x)(values)


def copied(x: Any) -> Any:
    """``x`` with fresh arrays and containers, arrays in the memory order they had."""
    if isinstance(x, (list, tuple)):
        values = [copied(v) for v in x]
        return x._make(values) if hasattr(x, "_make") else type(x)(values)
    if isinstance(x, dict):
        return {k: copied(v) for k, v in x.items()}
    return x.copy(order="K") if isinstance(x, np.ndarray) else x


def random_tangent(x: Any, rng: np.random.Generator) -> Any:
    """A random tangent or cotangent in the space of ``x``; ``None`` where there is none.

    Args:
        x: number, array, or nested containers of them.
        rng: the source of randomness.

    >>> random_tangent([1, "a"], np.random.default_rng(0))
    [None, None]
    """
    if isinstance(x, (list, tuple)):
        values = [random_tangent(v, rng) for v in x]
        return x._make(values) if hasattr(x, "_make") else type(x)(values)
    if isinstance(x, dict):
        return {k: random_tangent(v, rng) for k, v in x.items()}
    if not is_inexact(x):
        return None
    shape = np.shape(x)
    t = rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
    if np.iscomplexobj(x):
        t = t + 1j * rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
    if isinstance(x, np.ndarray):
        return np.asarray(t, dtype=x.dtype)
    return type(x)(t) if isinstance(x, np.generic) else complex(t) if isinstance(x, complex) else float(t)


def inner(a: Any, b: Any) -> float:
    """The real inner product ``Re sum conj(a) b`` over all leaves; an absent part is zero.

    >>> inner([1.0, 2j], [3.0, 1j]), inner(None, 2.0)
    (5.0, 0.0)
    """
    a, b = unthunk(a), unthunk(b)
    if a is None or b is None or isinstance(a, AbstractTangent) or isinstance(b, AbstractTangent):
        return 0.0
    if isinstance(a, dict) and isinstance(b, dict):
        return sum(inner(a.get(k), v) for k, v in b.items())
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return sum(inner(u, v) for u, v in zip(a, b, strict=True))
    return float(np.real(np.sum(np.conj(a) * b)))
