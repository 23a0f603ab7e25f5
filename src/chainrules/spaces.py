"""Tangents of a given value: the zero one, a random one, and moving the value by one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from .accumulate import accumulate
from .declarations import is_constant
from .tangents import AbstractTangent, NoTangent, Tangent, Thunk, defines_addition, unthunk

__all__ = ["add_tangent", "rand_tangent", "zero_tangent"]

_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def zero_tangent(x: Any) -> Any:
    """The zero of the tangents of ``x``, in numbers.

    Args:
        x: number, array, containers of them, or an object with attributes.

    Returns:
        ``0.0``, an array of zeros, a container of the same structure, a `Tangent` of the fields; `NoTangent`
        for what has no tangents: integers, strings, functions.

    >>> zero_tangent([1.5, 2, {"a": np.ones(2, np.float32)}])
    [0.0, NoTangent(), {'a': array([0., 0.], dtype=float32)}]
    """
    return _made(x, _zero, ())


def rand_tangent(x: Any, rng: np.random.Generator | None = None) -> Any:
    """A random tangent (or cotangent) of ``x``, with parts of size 0.5 to 1.5 and of either sign.

    Args:
        x: as for `zero_tangent`.
        rng: the source of randomness; a fresh one by default.

    >>> rand_tangent([1, "a"])
    [NoTangent(), NoTangent()]
    >>> rand_tangent(np.ones((2, 3), complex)).shape
    (2, 3)
    """
    rng = np.random.default_rng() if rng is None else rng

    def draw(leaf: Any) -> Any:
        t = _draws(rng, np.shape(leaf))
        if np.iscomplexobj(leaf):
            t = t + 1j * _draws(rng, np.shape(leaf))
        if isinstance(leaf, np.ndarray):
            return np.asarray(t, dtype=leaf.dtype)
        return type(leaf)(t) if isinstance(leaf, np.generic) else complex(t) if isinstance(leaf, complex) else float(t)

    return _made(x, draw, ())


def add_tangent(primal: Any, tangent: Any) -> Any:
    """``primal`` moved by ``tangent``: a new value; neither is changed.

    Args:
        primal: number, array, container, or object.
        tangent: one of its tangents, of any form; what is absent moves nothing.

    Returns:
        A value of the primal's type. An object is copied and its fields moved: a dataclass or named tuple is
        made anew, any other has its attributes replaced. A class that needs more than that (fields that
        depend on each other, C types) defines ``__add_tangent__(self, fields)``, which gets a dictionary of
        tangents by field name and returns the moved object.

    Raises:
        TypeError: where the object cannot be rebuilt, or the tangent is of another class.

    >>> add_tangent({"a": 1.0, "b": [2.0]}, {"b": [0.5]})
    {'a': 1.0, 'b': [2.5]}
    """
    tangent = unthunk(tangent)
    if isinstance(tangent, Tangent):
        return _moved(primal, tangent)
    if tangent is None or isinstance(tangent, AbstractTangent):
        return primal
    if isinstance(primal, dict):
        return {k: add_tangent(v, tangent.get(k)) for k, v in primal.items()}
    if isinstance(primal, (list, tuple)):
        parts = [add_tangent(v, t) for v, t in zip(primal, tangent, strict=True)]
        return _like(primal, parts)
    if isinstance(primal, np.ndarray) and primal.dtype.kind in "fc":
        return primal + np.asarray(tangent, primal.dtype)
    return primal + tangent


@defines_addition
def _add(a: Any, b: Any) -> Any:
    """``a + b`` for a tangent ``a``: a value moved by it where ``b`` is one, else the sum of two tangents."""
    if isinstance(a, Tangent) and not isinstance(b, (AbstractTangent, Thunk, type(None))):
        return add_tangent(b, a)
    return accumulate(a, b)


def fields_of(x: Any) -> dict[str, Any] | None:
    """The attributes of an object of a class written in Python; ``None`` for everything else, and for constants.

    >>> class Line:
    ...     def __init__(self): self.slope = 2.0
    >>> fields_of(Line()), fields_of(3.0), fields_of(fields_of)
    ({'slope': 2.0}, None, None)
    """
    cls = type(x)
    if not cls.__flags__ & _MADE_BY_PYTHON or isinstance(x, (type, Number, np.ndarray, np.generic, AbstractTangent)):
        return None
    if isinstance(x, (list, tuple, dict, str, bytes, set, frozenset, Thunk)) or cls.__module__ in ("enum", "pathlib"):
        return None
    if is_constant(x):
        return None
    found = dict(getattr(x, "__dict__", None) or {})
    for base in cls.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(x, name):
                found[name] = getattr(x, name)
    return found


def _made(x: Any, leaf: Callable[[Any], Any], above: tuple[int, ...]) -> Any:
    if isinstance(x, np.ndarray):
        return leaf(x) if x.dtype.kind in "fc" else NoTangent()
    if isinstance(x, (float, complex, np.inexact)):
        return leaf(x)
    if isinstance(x, (AbstractTangent, Thunk)) or id(x) in above:
        return NoTangent()  # an object that contains itself: its tangent ends there
    above = (*above, id(x))
    if isinstance(x, (list, tuple)):
        return _like(x, [_made(v, leaf, above) for v in x])
    if isinstance(x, dict):
        return {k: _made(v, leaf, above) for k, v in x.items()}
    fields = {name: _made(v, leaf, above) for name, v in (fields_of(x) or {}).items()}
    if all(type(t) is NoTangent for t in fields.values()):
        return NoTangent()
    return Tangent(type(x), **fields)


def _zero(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, x.dtype)
    return type(x)(0) if isinstance(x, np.generic) else 0j if isinstance(x, complex) else 0.0


def _draws(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return rng.uniform(0.5, 1.5, shape) * (2 * rng.integers(0, 2, shape) - 1)


def type_of(x: Any) -> Any:
    """What makes a list, tuple or named tuple like ``x`` of a list; a tuple where its class takes something else."""
    if hasattr(x, "_make"):
        return x._make
    return tuple if isinstance(x, tuple) and type(x).__new__ is not tuple.__new__ else type(x)


def _like(x: Any, parts: list[Any]) -> Any:
    return type_of(x)(parts)


def _moved(primal: Any, tangent: Tangent) -> Any:
    cls = tangent.primal_type
    if not isinstance(primal, cls):
        raise TypeError(f"a {tangent!r:.60} cannot be added to a {type(primal).__name__}")
    own = getattr(primal, "__add_tangent__", None)
    if own is not None:
        return own(dict(tangent.fields()))
    try:
        if isinstance(primal, tuple) and hasattr(primal, "_replace"):
            moved = {k: add_tangent(getattr(primal, k), t) for k, t in tangent.fields().items()}
            return primal._replace(**moved)
        new = copy.copy(primal)
        for name, t in tangent.fields().items():
            object.__setattr__(new, name, add_tangent(getattr(primal, name), t))
    except (AttributeError, TypeError, ValueError, copy.Error) as error:
        raise TypeError(
            f"a {type(primal).__name__} cannot be rebuilt from its fields {list(tangent)}: {error}. "
            f"Define {type(primal).__name__}.__add_tangent__(self, fields), which returns the moved object"
        ) from error
    return new
