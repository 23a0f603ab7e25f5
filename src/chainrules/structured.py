"""Objects that are a structure, which is constant, and numbers in it: their tangents have the same structure.

A sparse matrix is one: its pattern is constant, and its gradient a sparse matrix of that pattern.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from .registry import VARYING, changed, declaring, up_to_date
from .tangents import Tangent

__all__ = ["same_structure", "tangent_of_fields", "varying_fields", "varying_in"]


def varying_in(names: tuple[str, ...], *classes: type) -> None:
    """Declare that instances of ``classes`` vary in the attributes ``names`` alone.

    A tangent of theirs is such an instance, with the numbers of the tangent in these attributes and all others equal.

    >>> class Polynomial:
    ...     def __init__(self, degrees, coefficients): self.degrees, self.coefficients = degrees, coefficients
    >>> varying_in(("coefficients",), Polynomial)
    >>> varying_fields(Polynomial), varying_fields(int)
    (('coefficients',), None)
    """
    up_to_date()
    with declaring:
        VARYING.update(dict.fromkeys(classes, names))
        changed()


def varying_fields(cls: type) -> tuple[str, ...] | None:
    """The attributes in which instances of a class vary, as `varying_in` declared it for the class or a base of it.

    Returns:
        The names, or None where nothing was declared.

    >>> varying_fields(float) is None
    True
    """
    for base in cls.__mro__ if VARYING else ():
        if base in VARYING:
            return VARYING[base]
    return None


def tangent_of_fields(x: Any, fields: Mapping[str, Any]) -> Any:
    """The tangent of an object with these fields: a `Tangent`, or an object of the structure of ``x``.

    Args:
        x: the object.
        fields: tangents by the name of the attribute; absent ones are zero.

    Returns:
        A `Tangent`. Where `varying_in` holds for the class of ``x``: a copy of ``x`` with the tangents in these
        attributes, if they fit, and None if all of them are absent.

    >>> tangent_of_fields(slice(1), {"stop": 2.0})
    Tangent[slice](stop=2.0)
    """
    names = varying_fields(type(x))
    if names is not None and all(fields.get(name) is None for name in names):
        return None
    if names is None or not all(fits(fields.get(name), getattr(x, name)) for name in names):
        return Tangent(type(x), **fields)
    made = copy.deepcopy(x)
    for name in names:
        part = fields.get(name)
        setattr(made, name, np.zeros_like(getattr(x, name)) if part is None else part)
    return made


def fits(part: Any, value: Any) -> bool:
    """Whether an object can have the part in the place of the value, which rows of a Jacobian are too large for."""
    return part is None or (isinstance(part, type(value)) and np.shape(part) == np.shape(value))


def same_structure(x: Any, tangent: Any) -> bool:
    """Whether a tangent of a class of `varying_in` has the structure of ``x``, as far as arrays and tuples tell.

    Instances of other classes vary in all their attributes, so that each has the structure of each.

    >>> class Step:
    ...     def __init__(self, places, heights): self.places, self.heights = places, heights
    >>> varying_in(("heights",), Step)
    >>> same_structure(Step((0, 1), [2.0]), Step((0, 1), [3.0])), same_structure(Step((0, 1), [2.0]), Step((0,), [3.0]))
    (True, False)
    """
    names = varying_fields(type(x))
    if names is None:
        return True
    for name, part in vars(x).items():
        if name not in names and isinstance(part, (np.ndarray, tuple)):
            other: Any = getattr(tangent, name, None)
            if type(other) is not type(part) or len(other) != len(part):
                return False
            if not all(map(np.array_equal, part, other)):
                return False
    return True
