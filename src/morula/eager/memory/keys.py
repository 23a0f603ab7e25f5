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
        return all(type(k) is int or type(k) is slice or k is None or k is Ellipsis or _is_index(k) for k in key)
    return key is None or key is Ellipsis or _is_index(key)


def _is_index(k: Any) -> bool:
    if isinstance(k, bool | np.bool_):
        return False
    return isinstance(k, int | np.integer) or (hasattr(k, "__index__") and not isinstance(k, ndarray))


def frozen_key(key: Any) -> Any:
    """A key that later changes to the program's lists cannot reach, nor the release of memory that is not NumPy's."""
    if type(key) is list:
        return np.array(key) if key else np.array(key, int)
    if type(key) is ndarray:
        return key.copy() if key.base is not None and owner_of(key).base is not None else key
    if type(key) is tuple and any(type(k) is list or type(k) is ndarray for k in key):
        return tuple([frozen_key(k) if type(k) is list or type(k) is ndarray else k for k in key])
    return key


def writes_once(key: Any) -> bool:
    """Whether no cell can be selected twice: basic keys and masks."""
    parts = key if type(key) is tuple else (key,)
    return all(not isinstance(k, ndarray | list) or np.asarray(k).dtype.kind == "b" for k in parts)
