"""Subscripts of arrays: which give views, which copy, which name a cell twice."""

from typing import Any

import numpy as np

from morula.eager.memory.layout import owner_of

ndarray = np.ndarray


def is_basic(key: Any) -> bool:
    """Whether indexing with `key` gives a view or an element, not a copy."""
    kind = type(key)
    if kind is int or kind is slice or kind is str:
        return True
    if kind is tuple:
        return all(map(_is_basic_part, key))
    return key is None or key is Ellipsis or _is_index(key)


def _is_basic_part(k: Any) -> bool:
    return type(k) is int or type(k) is slice or k is None or k is Ellipsis or _is_index(k)


def _is_index(k: Any) -> bool:
    if isinstance(k, bool | np.bool_):
        return False
    return isinstance(k, int | np.integer) or (hasattr(k, "__index__") and not isinstance(k, ndarray))


def frozen_key(key: Any, written: ndarray | None = None) -> Any:
    """A key that later changes to the program's lists cannot reach, nor the release of memory that is not NumPy's.

    Whatever is no basic key is an array in it, as NumPy sees lists, ranges and, inside tuples, tuples. An array in the
    memory of `written`, which the key is about to change (``left[left] = ...``), is copied.
    """
    if type(key) is ndarray:
        lent = key.base is not None and owner_of(key).base is not None
        return key.copy() if lent or (written is not None and np.may_share_memory(key, written)) else key
    if is_basic(key):
        return key
    if type(key) is tuple:
        return tuple([k if _is_basic_part(k) else frozen_key([*k] if type(k) is tuple else k, written) for k in key])
    made = np.array(key)
    return made if made.size or made.dtype.kind == "b" else made.astype(int)


def writes_once(key: Any) -> bool:
    """Whether no cell can be selected twice by a frozen key: basic keys and masks."""
    parts = key if type(key) is tuple else (key,)
    return all(not isinstance(k, ndarray) or k.dtype.kind == "b" for k in parts)
