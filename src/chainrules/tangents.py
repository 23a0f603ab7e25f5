"""Cotangents that are not plain numbers, arrays or containers, and their algebra.

The algebra of ``+`` fits on this page. Of two operands the one that stands higher decides:

====================  ================================================================================
``Thunk``             is forced first; what it gives takes its place (``InplaceThunk`` alike)
NotImplementedTangent ``NotImplementedTangent + NoTangent`` stays itself; any other sum raises
``NoTangent``         the identity: there is no derivative here at all (an index, a string)
``ZeroTangent``       the identity: the derivative is zero and known to be
``Tangent``           adds field by field to a ``Tangent`` of the same class; added to an object of that
                      class it gives the object moved, see `chainrules.add_tangent`
list, tuple, dict     add item by item; what one of two dictionaries lacks is a zero
anything else         ``a + b`` as Python and NumPy define it; ``None`` is a zero
====================  ================================================================================

Scalar ``*`` leaves ``NoTangent``, ``ZeroTangent`` and ``NotImplementedTangent`` what they are, and goes into
the fields of a ``Tangent`` and into the value of a ``Thunk``. The idea is that of Julia's ChainRulesCore.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

__all__ = [
    "AbstractTangent",
    "InplaceThunk",
    "NoTangent",
    "NotImplementedDerivative",
    "NotImplementedTangent",
    "Tangent",
    "Thunk",
    "ZeroTangent",
    "is_absent",
    "unthunk",
]


class NotImplementedDerivative(NotImplementedError):
    """A derivative that no rule provides was needed.

    >>> NotImplementedTangent("nobody worked it out").raise_()
    Traceback (most recent call last):
    chainrules.tangents.NotImplementedDerivative: nobody worked it out...
    """


class AbstractTangent:
    """Base of the special tangents; NumPy arrays leave ``array + tangent`` to it.

    >>> import numpy as np
    >>> isinstance(ZeroTangent(), AbstractTangent), np.ones(2) + ZeroTangent()
    (True, array([1., 1.]))
    """

    __slots__ = ()
    __array_ufunc__ = None

    def __add__(self, other: Any) -> Any:
        return _add(self, other)

    def __radd__(self, other: Any) -> Any:
        return _add(self, other)

    def __mul__(self, factor: Any) -> Any:
        return self

    def __rmul__(self, factor: Any) -> Any:
        return self * factor


class _Zero(AbstractTangent):
    __slots__ = ()
    _instance: _Zero

    def __new__(cls) -> Any:
        return cls._instance

    def __init_subclass__(cls) -> None:
        cls._instance = object.__new__(cls)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __reduce__(self) -> Any:
        return (type(self), ())

    def __bool__(self) -> bool:
        return False


class NoTangent(_Zero):
    """The argument has no derivative: an index, a string, a shape. One instance.

    >>> NoTangent() is NoTangent(), NoTangent() + 2.0
    (True, 2.0)
    """

    __slots__ = ()


class ZeroTangent(_Zero):
    """The derivative is structurally zero. One instance.

    >>> ZeroTangent() + 2.0, 3.0 * ZeroTangent()
    (2.0, ZeroTangent())
    """

    __slots__ = ()


class Tangent(AbstractTangent):
    """The cotangent of an object: a record of its fields.

    Args:
        primal: the class of the object it belongs to.
        fields: cotangents by attribute name; a field that is missing reads as ``None``.

    Raises:
        TypeError: on adding a tangent of another class, or adding to an object of another class.

    ``Tangent[P](x=1.0)`` is the same as ``Tangent(P, x=1.0)``. ``primal + tangent`` is a new object, moved by
    the tangent: see `chainrules.add_tangent`.

    >>> class Point:
    ...     def __init__(self, x, y): self.x, self.y = x, y
    >>> t = Tangent(Point, x=1.0, y=None)
    >>> t, t.x, t.z, t + Tangent[Point](y=2.0)
    (Tangent[Point](x=1.0, y=None), 1.0, None, Tangent[Point](x=1.0, y=2.0))
    >>> moved = Point(5.0, 6.0) + 2.0 * t
    >>> moved.x, moved.y
    (7.0, 6.0)
    """

    __slots__ = ("_fields", "_primal")
    _fields: dict[str, Any]
    _primal: type

    def __init__(self, primal: type, /, **fields: Any) -> None:
        object.__setattr__(self, "_primal", primal)
        object.__setattr__(self, "_fields", fields)

    def __class_getitem__(cls, primal: type) -> Any:
        return partial(cls, primal)

    def fields(self) -> Mapping[str, Any]:
        """The cotangents by field name, read-only."""
        return MappingProxyType(self._fields)

    @property
    def primal_type(self) -> type:
        """The class this is a tangent of."""
        return self._primal

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._fields.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Tangent is immutable; cannot set {name!r}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Tangent):
            return NotImplemented
        return self._primal is other._primal and _same(self._fields, other._fields)

    def __hash__(self) -> int:
        return hash((self._primal, tuple(sorted(self._fields))))

    def __mul__(self, factor: Any) -> Tangent:
        scaled = {k: None if v is None else _scale(v, factor) for k, v in self._fields.items()}
        return Tangent(self._primal, **scaled)

    def __repr__(self) -> str:
        inside = ", ".join(f"{k}={v!r}" for k, v in self._fields.items())
        return f"Tangent[{self._primal.__name__}]({inside})"

    def _repr_html_(self) -> str:
        """A table of the fields, for notebooks; a tangent inside is a table inside."""
        from html import escape

        rows = ""
        for name, value in self._fields.items():
            inside = value._repr_html_() if isinstance(value, Tangent) else f"<code>{escape(repr(value))}</code>"
            rows += f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{inside}</td></tr>"
        return f"<table><caption>Tangent of {escape(self._primal.__qualname__)}</caption>{rows}</table>"

    def __reduce__(self) -> Any:
        return (partial(Tangent, self._primal, **self._fields), ())


class Thunk(partial):
    """A cotangent that is worked out only where it is needed.

    Args:
        fn: called, with the further arguments if any are given, to get the cotangent.

    >>> t = Thunk(lambda: 3.0)
    >>> unthunk(t), t + 1.0
    (3.0, 4.0)
    """

    __slots__ = ()
    __array_ufunc__ = None

    def __add__(self, other: Any) -> Any:
        return _add(self, other)

    def __radd__(self, other: Any) -> Any:
        return _add(self, other)

    def __mul__(self, factor: Any) -> Thunk:
        return Thunk(lambda: _scale(unthunk(self), factor))

    def __rmul__(self, factor: Any) -> Thunk:
        return self * factor

    def __repr__(self) -> str:
        return f"Thunk({getattr(self.func, '__qualname__', self.func)})"


class InplaceThunk(Thunk):
    """A `Thunk` that can also add itself into memory, where that is cheaper than making it.

    The cotangent of ``x[i]`` for a large ``x`` is nearly all zeros: adding it into what is there touches one
    element. `accumulate_into` takes this way; everywhere else it is an ordinary `Thunk`.

    Args:
        add_to: called with an array that the caller owns, of the shape of the primal; adds the cotangent into
            it, and returns it.
        fn: as for `Thunk`: makes the cotangent.
        args: the further arguments of ``fn``.

    >>> import numpy as np
    >>> def add_to(x_bar):
    ...     x_bar[1] += 2.0
    ...     return x_bar
    >>> t = InplaceThunk(add_to, lambda: np.array([0.0, 2.0, 0.0]))
    >>> t.add_to(np.ones(3)), t + np.ones(3)
    (array([1., 3., 1.]), array([1., 3., 1.]))
    """

    add_to: Any

    def __new__(cls, add_to: Any, fn: Any, *args: Any) -> Any:
        """`add_to(y)` adds in place; `fn(*args)` makes the cotangent."""
        self = super().__new__(cls, fn, *args)
        self.add_to = add_to
        return self

    def __reduce__(self) -> Any:
        return (InplaceThunk, (self.add_to, self.func, *self.args))


_LIBRARY = os.path.join(os.path.dirname(__file__), "library")  # whose lines tell a user nothing


class NotImplementedTangent(AbstractTangent):
    """A cotangent nobody has worked out; it raises where it would be used, and is never a silent zero.

    Args:
        reason: what is missing, and what to do about it.

    >>> t = NotImplementedTangent("d jv / d order is not implemented")
    >>> t + NoTangent() is t
    True
    >>> t + 1.0
    Traceback (most recent call last):
    chainrules.tangents.NotImplementedDerivative: d jv / d order is not implemented (<doctest ...>:1)
    """

    __slots__ = ("file", "line", "reason")

    def __init__(self, reason: str) -> None:
        caller = sys._getframe(1)
        self.reason, self.file, self.line = reason, caller.f_code.co_filename, caller.f_lineno

    def raise_(self) -> Any:
        """Raise `NotImplementedDerivative` with the reason, and where a rule of one's own said so."""
        where = "" if self.file.startswith(_LIBRARY) else f" ({self.file}:{self.line})"
        raise NotImplementedDerivative(f"{self.reason}{where}")

    def __repr__(self) -> str:
        return f"NotImplementedTangent({self.reason!r})"


def unthunk(x: Any) -> Any:
    """The value of a `Thunk`, or ``x`` itself.

    Args:
        x: any cotangent.

    Raises:
        NotImplementedDerivative: for a `NotImplementedTangent`.

    >>> unthunk(Thunk(lambda: 3.0)), unthunk(2.0)
    (3.0, 2.0)
    """
    while isinstance(x, Thunk):
        x = x()
    if isinstance(x, NotImplementedTangent):
        x.raise_()
    return x


def is_absent(x: Any) -> bool:
    """Whether a tangent says that there is none: ``None``, `NoTangent`, `ZeroTangent`, or containers of those.

    Args:
        x: any tangent or cotangent; a `Thunk` is not forced, and a `NotImplementedTangent` is not absent.

    >>> is_absent(ZeroTangent()), is_absent([None, {"a": None}]), is_absent([None, 1.0]), is_absent(0.0)
    (True, True, False, False)
    """
    if isinstance(x, (list, tuple)):
        for part in x:  # noqa: SIM110  (engines run this: a generator takes them longer)
            if not is_absent(part):
                return False
        return True
    if isinstance(x, (dict, Tangent)):
        return all(map(is_absent, (x if isinstance(x, dict) else x.fields()).values()))
    return x is None or isinstance(x, (NoTangent, ZeroTangent))


def _force(x: Any) -> Any:
    while isinstance(x, Thunk):
        x = x()
    return x


def _scale(x: Any, factor: Any) -> Any:
    if isinstance(x, (list, tuple)):
        scaled = [None if v is None else _scale(v, factor) for v in x]
        return x._make(scaled) if hasattr(x, "_make") else type(x)(scaled)
    if isinstance(x, dict):
        return {k: None if v is None else _scale(v, factor) for k, v in x.items()}
    return x * factor


_addition: list[Callable[[Any, Any], Any]] = []  # what `+` means, said by `spaces`, which knows values and tangents


def defines_addition(add: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Make ``add`` the meaning of ``tangent + other``; a decorator."""
    _addition[:] = [add]
    return add


def _add(a: Any, b: Any) -> Any:
    return _addition[0](a, b)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return all(_same(a.get(k), b.get(k)) for k in {**a, **b})
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    equal = a == b
    return bool(equal.all()) if hasattr(equal, "all") else bool(equal)
