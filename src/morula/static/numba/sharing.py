"""Memory that arguments and results of compiled code share.

What compiled code returns refers to memory by a handle of Numba's own, so that a view of an argument is none to NumPy.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from morula.eager.context.protocol import Context
from morula.eager.memory.array_shadows import is_stopped
from morula.eager.memory.layout import address_of, extent, owner_of

ndarray = np.ndarray


# the function in C: NumPy's own asks the classes of the arguments first, which takes as long again
may_share = getattr(np.may_share_memory, "_implementation", np.may_share_memory)


def shared(a: ndarray, b: ndarray) -> bool:
    """Whether two arrays share elements."""
    if a is b or (a.base is None and b.base is None):
        return a is b
    return bool(may_share(a, b) and np.shares_memory(a, b))


def any_shared(arrays: Sequence[ndarray], others: Sequence[ndarray]) -> bool:
    """Whether one of `arrays` shares elements with another one among `others`."""
    return any(a is not b and shared(a, b) for a in arrays for b in others) or any(
        sum(b is a for b in others) > 1 for a in arrays
    )


def as_views(y: Any, given: Sequence[ndarray]) -> Any:
    """A result in which arrays that lie in the memory of `given` arrays, or of one another, are views of these.

    Returns:
        The result; None where two arrays of it overlap and neither holds the other.
    """
    if isinstance(y, ndarray):
        return as_view(y, given)
    if not isinstance(y, tuple | list):
        return y
    parts: list[Any] = [None] * len(y)
    fresh: list[ndarray] = []
    sizes = [v.nbytes if isinstance(v, ndarray) else 0 for v in y]
    for i in sorted(range(len(y)), key=lambda i: -sizes[i]):
        parts[i] = as_views(y[i], [*given, *fresh])
        if parts[i] is None and y[i] is not None:
            return None
        fresh += _arrays(parts[i])
    if isinstance(y, list):
        return parts
    return type(y)(*parts) if hasattr(y, "_fields") else tuple(parts)


def _arrays(y: Any) -> list[ndarray]:
    if isinstance(y, ndarray):
        return [y]
    return [a for v in y for a in _arrays(v)] if isinstance(y, tuple | list) else []


def as_view(y: ndarray, given: Sequence[ndarray]) -> ndarray | None:
    """`y` itself, or the same part of memory as a view of the owner of the one of `given` that it lies in."""
    for x in given:
        if y is x:
            return y
        owner = owner_of(x)
        if owner is owner_of(y) or not np.may_share_memory(y, owner):
            continue
        memory = owner if owner.flags.c_contiguous else owner.T
        low, high = extent(owner)
        first, last = extent(y)
        if not memory.flags.c_contiguous or first < low or last > high:
            return None
        view: ndarray = ndarray(y.shape, y.dtype, memory, address_of(y) - low, y.strides)
        view.flags.writeable = y.flags.writeable and view.flags.writeable
        return view
    return y


def is_special(ctx: Context, written: list[ndarray]) -> bool:
    """Whether more is to be known of memory that is written than its shadow."""
    aliased, handed_out = ctx.records.aliased, ctx.handed_out
    for x in written:
        key = id(owner_of(x))
        if key in aliased or key in handed_out or ctx.buffers.is_original(x):
            return True
        d = ctx.buffers.find(x)
        if d is not None and (d.overlaps or is_stopped(d.buffer)):
            return True
    return False


def copied(x: Any) -> Any:
    """An argument whose arrays nobody else can write into."""
    if isinstance(x, ndarray):
        return x.copy(order="K")
    if isinstance(x, tuple):
        parts = [copied(v) for v in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    return x
