"""The parts and leaves of what the tests are given, and of gradients."""

from types import ModuleType

import numpy as np

from chainrules import Tangent


def is_field_object(x):
    return hasattr(x, "__dict__") and not isinstance(x, type | ModuleType) and not callable(x)


def children(x):
    """(key, value) for every part of a container, with keys that `child` understands."""
    if isinstance(x, tuple | list):
        return list(enumerate(x))
    if isinstance(x, dict):
        return list(x.items())
    if isinstance(x, Tangent):
        return list(x.fields().items())
    if is_field_object(x) and not isinstance(x, np.ndarray | np.generic):
        return list(vars(x).items())
    return []


def child(g, key):
    if g is None:
        return None
    if isinstance(g, Tangent):
        return g.fields().get(key)
    if isinstance(g, tuple | list | dict):
        return g[key] if not isinstance(g, dict) else g.get(key)
    return getattr(g, key)


def is_varied(x):
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind in "fc"
    return isinstance(x, float | complex) and not isinstance(x, bool)


def leaves(x, path=()):
    """Paths of all float and complex leaves."""
    if is_varied(x):
        yield path, x
        return
    for k, v in children(x):
        yield from leaves(v, (*path, k))


def replaced(x, path, value):
    """`x` (a copy that is ours) with the leaf at `path` replaced."""
    if not path:
        return value
    key, *rest = path
    if isinstance(x, tuple):
        parts = [replaced(v, rest, value) if i == key else v for i, v in enumerate(x)]
        return x._make(parts) if hasattr(x, "_make") else tuple(parts)
    if isinstance(x, list | dict):
        x[key] = replaced(x[key], rest, value)
    else:
        object.__setattr__(x, key, replaced(getattr(x, key), rest, value))
    return x


def at_path(g, path):
    for key in path:
        g = child(g, key)
    return g
