"""Values as lists of leaves: numbers and arrays, each with the path that leads to it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from ..spaces import fields_of, rand_tangent
from ..tangents import AbstractTangent, NoTangent, Tangent, is_absent, unthunk

__all__ = [
    "Field",
    "at",
    "complexified",
    "copied",
    "doubled",
    "fields_of",
    "inner",
    "is_absent",
    "is_inexact",
    "leaves",
    "path_text",
    "random_tangent",
    "replaced",
    "scaled",
    "settled",
]

Path = tuple[Any, ...]
_MOST_ITEMS = 100  # that are taken from an iterator
_WHOLE = {np.ndarray, np.float64, float, int, bool, complex, str, type(None), NoTangent}  # found to be leaves at once


class Field(str):
    """A step of a path that is the name of an attribute."""

    __slots__ = ()


def path_text(path: Path) -> str:
    """A path as one would write it behind the value.

    >>> path_text(("a", 0, Field("weight")))
    "['a'][0].weight"
    """
    return "".join(f".{p}" if isinstance(p, Field) else f"[{p!r}]" for p in path)


def is_inexact(x: Any) -> bool:
    """Whether ``x`` is a float or complex number or array: something that can be varied.

    >>> is_inexact(1.0), is_inexact(1), is_inexact(np.zeros(2))
    (True, False, True)
    """
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype.kind in "fc"
    return isinstance(x, (float, complex)) and not isinstance(x, bool)


def leaves(x: Any, path: Path = (), *, fields: bool = False) -> Iterator[tuple[Path, Any]]:
    """The leaves of nested lists, tuples, dictionaries and `Tangent`s, with their paths.

    Args:
        x: the value.
        path: what the paths begin with.
        fields: go into the attributes of objects too. An object that is met inside itself is a leaf.

    >>> list(leaves([1.0, {"a": 2.0}]))
    [((0,), 1.0), ((1, 'a'), 2.0)]
    """
    if type(x) in _WHOLE:
        yield path, x
    else:
        yield from _leaves(x, path, fields, ())


def _leaves(x: Any, path: Path, fields: bool, above: tuple[int, ...]) -> Iterator[tuple[Path, Any]]:
    if isinstance(x, (list, tuple)):
        for i, v in enumerate(x):
            if type(v) in _WHOLE:
                yield (*path, i), v
            else:
                yield from _leaves(v, (*path, i), fields, above)
    elif isinstance(x, dict):
        for k, v in x.items():
            yield from _leaves(v, (*path, k), fields, above)
    elif isinstance(x, Tangent):
        for k, v in x.fields().items():
            yield from _leaves(v, (*path, Field(k)), fields, above)
    else:
        inside = fields_of(x) if fields and id(x) not in above else None
        if not inside:
            yield path, x
        else:
            for k, v in inside.items():
                yield from _leaves(v, (*path, Field(k)), fields, (*above, id(x)))


def at(bar: Any, path: Path) -> Any:
    """The part of a cotangent at ``path``; what is absent on the way is the answer.

    >>> at([None, {"a": 2.0}], (1, "a")), at(None, (1, "a")), at([1.0], (0,))
    (2.0, None, 1.0)
    """
    for p in path:
        bar = unthunk(bar)
        if bar is None or (isinstance(bar, AbstractTangent) and not isinstance(bar, Tangent)):
            return bar
        if isinstance(p, Field):
            bar = bar.get(str(p)) if isinstance(bar, dict) else getattr(bar, p, None)
        elif isinstance(bar, dict):
            bar = bar.get(p)
        else:
            bar = bar[p]
    return unthunk(bar)


def _rebuilt(x: Any, values: list[Any]) -> Any:
    return x._make(values) if hasattr(x, "_make") else type(x)(values)


def replaced(x: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """``x`` with the leaf at ``path`` replaced by ``change(leaf)``; the rest is shared.

    >>> replaced([1.0, (2.0, 3.0)], (1, 0), lambda v: v + 10)
    [1.0, (12.0, 3.0)]
    """
    if not path:
        return change(x)
    first, rest = path[0], path[1:]
    if isinstance(first, Field):
        return _with_field(x, first, replaced(getattr(x, first), rest, change))
    if isinstance(x, dict):
        return {k: replaced(v, rest, change) if k == first else v for k, v in x.items()}
    return _rebuilt(x, [replaced(v, rest, change) if i == first else v for i, v in enumerate(x)])


def _with_field(x: Any, name: str, value: Any) -> Any:
    made = copy.copy(x)
    object.__setattr__(made, str(name), value)
    return made


def _mapped(x: Any, change: Callable[[Any], Any], fields: bool = True, above: tuple[int, ...] = ()) -> Any:
    """``x`` with every leaf changed, in fresh containers; objects whose leaves stay are shared."""
    if type(x) in _WHOLE:
        return change(x)
    if isinstance(x, (list, tuple)):
        return _rebuilt(x, [_mapped(v, change, fields, above) for v in x])
    if isinstance(x, dict):
        return {k: _mapped(v, change, fields, above) for k, v in x.items()}
    inside = fields_of(x) if fields and id(x) not in above else None
    if not inside:
        return change(x)
    made = x
    for name, value in inside.items():
        mine = _mapped(value, change, fields, (*above, id(x)))
        if mine is not value:
            if made is x:
                made = copy.copy(x)
            object.__setattr__(made, name, mine)
    return made


def settled(y: Any) -> Any:
    """A value that can be looked at twice: what an iterator gives, as a list."""
    if isinstance(y, Iterator) and not fields_of(y):
        return [settled(v) for v in islice(y, _MOST_ITEMS)]
    if type(y) in (list, tuple):
        parts = [settled(v) for v in y]
        return parts if type(y) is list else tuple(parts)
    return y


def copied(x: Any) -> Any:
    """``x`` with fresh arrays and containers, arrays in the memory order they had."""
    return _mapped(x, lambda v: v.copy(order="K") if isinstance(v, np.ndarray) else v)


def doubled(x: Any) -> Any:
    """``x`` with single and half precision made double, so that differences mean something."""
    return _mapped(x, _doubled)


def _doubled(x: Any) -> Any:
    if isinstance(x, (np.ndarray, np.generic)):
        if x.dtype in (np.float32, np.float16):
            return x.astype(np.float64)
        return x.astype(np.complex128) if x.dtype == np.complex64 else x
    return x


def complexified(x: Any, rng: np.random.Generator) -> Any:
    """``x`` with a random imaginary part given to every real float in it."""

    def change(v: Any) -> Any:
        if not is_inexact(v) or np.iscomplexobj(v):
            return v
        z = v + 1j * rng.uniform(0.2, 0.8, np.shape(v))
        if isinstance(v, np.ndarray):
            return np.asarray(z, np.result_type(v.dtype, np.complex64))
        return np.result_type(v, np.complex64).type(z) if isinstance(v, np.generic) else complex(z)

    return _mapped(x, change, fields=False)


def scaled(x: Any, factor: float) -> Any:
    """``factor * x`` for a tangent or cotangent in containers; absent parts stay so."""

    def scale(v: Any) -> Any:
        if is_absent(v):
            return None
        return v * factor if is_inexact(v) or isinstance(v, Tangent) else v

    return _mapped(x, scale, fields=False)


def random_tangent(x: Any, rng: np.random.Generator) -> Any:
    """A random tangent or cotangent in the space of ``x``; ``None`` where there is none.

    Args:
        x: number, array, or nested containers of them. Of an object with attributes it is a `Tangent`.
        rng: the source of randomness.

    >>> random_tangent([1, "a"], np.random.default_rng(0))
    [None, None]
    """
    return _mapped(rand_tangent(x, rng), lambda t: None if t is NoTangent() else t, fields=False)


def inner(a: Any, b: Any) -> float:
    """The real inner product ``Re sum conj(a) b`` over all leaves; an absent part is zero.

    >>> inner([1.0, 2j], [3.0, 1j]), inner(None, 2.0)
    (5.0, 0.0)
    """
    a, b = unthunk(a), unthunk(b)
    if isinstance(a, Tangent) or isinstance(b, Tangent):
        if is_absent(a) or is_absent(b):
            return 0.0
        a, b = _as_fields(a), _as_fields(b)
    if a is None or b is None or isinstance(a, AbstractTangent) or isinstance(b, AbstractTangent):
        return 0.0
    if isinstance(a, dict) and isinstance(b, dict):
        return sum(inner(a.get(k), v) for k, v in b.items())
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return sum(inner(u, v) for u, v in zip(a, b, strict=True))
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):  # an array beside a list: element by element
        return sum(inner(u, v) for u, v in zip(a, b, strict=True))
    return float(np.real(np.sum(np.conj(a) * b)))


def _as_fields(x: Any) -> Any:
    if isinstance(x, Tangent):
        return dict(x.fields())
    return fields_of(x) or x
