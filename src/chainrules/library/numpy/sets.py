"""Sets: their elements are chosen among those of the arguments, of equal ones the first in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from .shared import as_array, leading, scatter

_np: Any = np


def _sources(flat: Any, chosen: Any) -> Any:
    """Positions in ``flat`` of the first elements that equal the ``chosen`` ones; of the NaNs one after the other."""
    order = np.argsort(flat, kind="stable")
    at = np.searchsorted(flat[order], chosen)
    missing = chosen != chosen
    if flat.dtype.kind in "fc" and np.any(missing):
        at = at + np.where(missing, np.cumsum(missing) - 1, 0)
    return order[np.minimum(at, max(len(order) - 1, 0))]


def _sent_back(arrays: tuple[Any, ...], chosen: Any, y_bar: Any) -> tuple[Any, ...]:
    """The cotangents of arrays whose elements were chosen."""
    flat = np.concatenate([a.ravel() for a in arrays])
    bar = scatter(_sources(flat, chosen), y_bar, len(flat))
    ends = np.cumsum([a.size for a in arrays])[:-1]
    return tuple([part.reshape(a.shape) for part, a in zip(np.split(bar, ends), arrays, strict=True)])


def _first_slices(a: Any, chosen: Any, axis: int) -> Any:
    """Where along an axis of ``a`` the ``chosen`` slices are first; those may come in any order."""
    first: dict[bytes, int] = {}
    for i, v in enumerate(np.moveaxis(a, axis, 0)):
        first.setdefault(_content(v), i)
    return np.array([first[_content(v)] for v in np.moveaxis(chosen, axis, 0)], int)


def _content(x: Any) -> bytes:
    return np.asarray(x + 0).tobytes()  # one zero for both signs


@rrule(np.unique)
@leading
def unique_rule(
    ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: Any = None, **options: Any,
) -> Any:  # fmt: skip
    """The seed of each value, or of each slice along the axis, to its first occurrence."""
    y = _np.unique(ar, return_index, return_inverse, return_counts, axis, **options)
    a = as_array(ar)

    def unique_pullback(y_bar: Any) -> Any:
        g, values = (y_bar[0], y[0]) if isinstance(y, tuple) else (y_bar, y)
        if g is None:
            return None
        if axis is None:
            return _sent_back((a,), values, g)[0]
        places = np.moveaxis(np.arange(a.size).reshape(a.shape), axis, 0)[_first_slices(a, values, axis)]
        return scatter(places, np.moveaxis(as_array(g), axis, 0), a.size).reshape(a.shape)

    return y, unique_pullback


def _named(f: Any) -> None:
    @rrule(f)
    def named_rule(x: Any) -> Any:
        """The seed of each value to its first occurrence."""
        y, a = f(x), as_array(x)

        def named_pullback(y_bar: Any) -> Any:
            g, values = (y_bar[0], y[0]) if isinstance(y, tuple) else (y_bar, y)
            return None if g is None else _sent_back((a,), values, g)[0]

        return y, named_pullback


for name in ("unique_values", "unique_counts", "unique_inverse", "unique_all"):
    if hasattr(np, name):
        _named(getattr(np, name))


def _of_two(f: Any) -> None:
    def set_rule(ar1: Any, ar2: Any, assume_unique: bool = False, *args: Any, **options: Any) -> Any:
        """The seed of each element to where it occurs first, in the first array before the second."""
        y = f(ar1, ar2, *((assume_unique, *args) if args or assume_unique else ()), **options)
        arrays = as_array(ar1), as_array(ar2)

        def set_pullback(y_bar: Any) -> Any:
            g, values = (y_bar[0], y[0]) if isinstance(y, tuple) else (y_bar, y)
            return (None, None) if g is None else _sent_back(arrays, values, g)

        return y, set_pullback

    rrule(f)(leading(set_rule, active=2))


for f in (np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d):
    _of_two(f)
