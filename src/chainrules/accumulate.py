"""Adding cotangents: never in place, except where the caller says it owns the memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from .tangents import InplaceThunk, NoTangent, NotImplementedTangent, Tangent, Thunk, ZeroTangent, _force

__all__ = ["accumulate", "accumulate_into"]

_ZEROS = (NoTangent, ZeroTangent, type(None))
_ndarray = np.ndarray


def accumulate(a: Any, b: Any) -> Any:
    """Return the sum ``a + b`` of two cotangents of one value; neither is changed.

    Args:
        a: a cotangent of any allowed form; ``None`` is a zero.
        b: another, of the same value.

    Returns:
        A new cotangent, or one of the two where the other is a zero.

    Raises:
        NotImplementedDerivative: where a `NotImplementedTangent` would be added to something.
        TypeError: where the two cannot belong to one value.

    >>> accumulate([1.0, None], [2.0, 3.0]), accumulate(None, 2.0)
    ([3.0, 3.0], 2.0)
    """
    ta, tb = type(a), type(b)
    if ta is tb and (ta is float or ta is _ndarray):
        return a + b
    if a is None:
        return b
    if b is None:
        return a
    if isinstance(a, Thunk) or isinstance(b, Thunk):
        return accumulate(_force(a), _force(b))
    if ta is NotImplementedTangent or tb is NotImplementedTangent:
        return _not_implemented(a, b)
    if ta in _ZEROS and tb is not NoTangent:  # of two zeros the one that is a number's stays
        return b
    if tb in _ZEROS:
        return a
    if isinstance(a, (list, tuple)):
        return _sequences(a, b)
    if isinstance(b, (list, tuple)):
        return _sequences(b, a)
    if isinstance(a, dict) and isinstance(b, dict):
        return {**a, **{k: accumulate(a.get(k), v) for k, v in b.items()}}
    if ta is Tangent or tb is Tangent:
        return _tangents(a, b)
    return a + b


def accumulate_into(a: Any, b: Any) -> Any:
    """Return the sum ``a + b``, written into ``a`` if that is a writable array that can hold it.

    Args:
        a: a cotangent the caller owns: nobody else may hold its memory.
        b: a cotangent, not changed.

    Returns:
        The sum, which is ``a`` itself where it was written in place.

    >>> a = np.ones(2)
    >>> accumulate_into(a, np.ones(2)) is a, a.tolist()
    (True, [2.0, 2.0])
    """
    if type(a) is _ndarray:
        if isinstance(b, Thunk):
            if type(b) is InplaceThunk and a.flags.writeable:
                return b.add_to(a)
            b = _force(b)
        if type(b) is _ndarray:
            if a.shape == b.shape and a.flags.writeable and (a.dtype is b.dtype or _holds(a, b)):
                a += b
                return a
        elif type(b) in (float, np.float64) and a.dtype.kind in "fc" and a.flags.writeable:
            a += b
            return a
    return accumulate(a, b)


def _holds(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.result_type(a, b) == a.dtype)


def _not_implemented(a: Any, b: Any) -> Any:
    if type(a) is NoTangent:
        return b
    if type(b) is NoTangent:
        return a
    return (a if type(a) is NotImplementedTangent else b).raise_()


def _sequences(a: Any, b: Any) -> Any:
    if not isinstance(b, (list, tuple, _ndarray)) or len(a) != len(b):
        raise TypeError(f"cannot add the cotangents {_brief(a)} and {_brief(b)}: they differ in structure")
    added = [accumulate(x, y) for x, y in zip(a, b, strict=True)]
    return a._make(added) if hasattr(a, "_make") else type(a)(added)


def _tangents(a: Any, b: Any) -> Any:
    if not (isinstance(a, Tangent) and isinstance(b, Tangent) and a.primal_type is b.primal_type):
        raise TypeError(f"cannot add the cotangents {_brief(a)} and {_brief(b)}: they are of different classes")
    mine, other = a.fields(), b.fields()
    return Tangent(a.primal_type, **{k: accumulate(mine.get(k), other.get(k)) for k in {**mine, **other}})


def _brief(x: Any) -> str:
    text = repr(x)
    return f"{type(x).__name__} {text if len(text) < 60 else text[:57] + '...'}"
