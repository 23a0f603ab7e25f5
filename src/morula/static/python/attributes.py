"""Attributes of objects, arrays, classes and modules."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from morula.static.python.by_name import ByName
from morula.static.python.classes import OF_OBJECT
from morula.static.python.complex_numbers import TAKEN_APART
from morula.static.python.concatenators import Concatenators
from morula.static.python.containers import Containers
from morula.static.python.distributions import is_distribution
from morula.static.python.followed import Made
from morula.static.python.ir import Unsupported
from morula.static.python.library_objects import Fixed
from morula.static.python.outside import LIMITS
from morula.static.python.scatters import ADDED_AT
from morula.static.python.scopes import OF_SINGLE, Array, Coded, ListOf, Named, Single, Small, Static
from morula.static.python.slices import Slices
from morula.static.python.things import Frozen, Thing, is_member
from morula.static.python.ufunc_methods import is_ufunc_method

__all__ = ["Attributes"]

OF_MEMBERS = ("value", "name", "_value_", "_name_")  # of enumerations


class Attributes(Containers, Concatenators, Slices, ByName):
    """The part of a `front.Builder` that reads attributes."""

    known_floats: dict[str, Any]
    member: Callable[[Static, str], Static | None]

    def _value_Attribute(self, node: ast.Attribute) -> Any:
        if (above := self.super_of(node.value)) is not None:
            return self.method_of_super(*above, node.attr)
        return self.attribute_from(self.value(node.value), node.attr)

    def attribute_from(self, owner: Any, name: str) -> Any:
        if isinstance(owner, Single) and name in OF_SINGLE:
            return OF_SINGLE[name]
        if isinstance(owner, str) and name in ("real", "imag"):
            return self.compute("call", owner, f=TAKEN_APART[name])
        if isinstance(owner, Thing):
            return self.attribute_of(owner, name)
        if isinstance(owner, Fixed):
            return self.library_attribute(owner, name)
        if isinstance(owner, Made):
            return self.made_attribute(owner, name)
        if isinstance(owner, Named):
            return self.part_of_named(owner, name)
        if isinstance(owner, Static) and (member := self.member(owner, name)) is not None:
            return member
        if isinstance(owner, Static) and is_member(owner.value) and name in OF_MEMBERS:
            return self.constant_of(getattr(owner.value, name))
        if isinstance(owner, Coded) and name in OF_MEMBERS:
            return self.text_of_code(owner, f".{name}")
        if isinstance(owner, Static) and isinstance(owner.value, LIMITS):
            return self._limit(getattr(owner.value, name, None), name)
        if isinstance(owner, Static) and owner.value in ADDED_AT and name == "at":
            return Static(ADDED_AT[owner.value])
        if isinstance(owner, Static) and isinstance(owner.value, np.ufunc) and is_ufunc_method(owner.value, name):
            return Static(getattr(owner.value, name))
        if isinstance(owner, Static) and owner.value is object and name in OF_OBJECT:
            return Static(OF_OBJECT[name])
        if isinstance(owner, Frozen) or (isinstance(owner, Static) and is_distribution(owner.value)):
            return self.method_of_distribution(owner, name)
        if isinstance(owner, Static) and isinstance(owner.value, type) and owner.where:
            return self.of_class(owner, name)
        if isinstance(owner, ListOf) and owner.is_queue and name == "maxlen":
            return Static(None) if owner.longest is None else str(owner.longest)
        if isinstance(owner, ListOf | Small) and name in ("shape", "size") and self.is_flat(owner):
            return self.attribute(owner, name)
        if isinstance(owner, ListOf | Small | Array):
            return self.array_attribute(self.as_array(owner), name)
        if not isinstance(owner, Static) or not isinstance(owner.value, ModuleType):
            raise Unsupported(f"the attribute {name!r}", self.line)
        if (found := self.concatenator(owner, name)) is not None:
            return found
        self.check_part(owner, name)
        key = (owner.where, name)
        if key not in self.inputs:
            if name not in vars(owner.value):
                raise Unsupported(f"the attribute {name!r}", self.line)
            read = f"{owner.where}.__dict__[{name!r}]"
            self.inputs[key] = found = self.of_outside(read, vars(owner.value)[name], name)
            if owner.value in (math, np) and isinstance(found, str):
                self.program.constants.add(found)
                if type(number := vars(owner.value)[name]) is float and math.isfinite(number):
                    self.known_floats[found] = read, number
        return self.inputs[key]

    def _limit(self, number: Any, name: str) -> str:
        """A limit of the numbers of a type, such as ``np.finfo(float).eps``."""
        if type(number) is np.float64:
            return self.compute("element", repr(float(number)))
        if type(number) not in (int, float):
            raise Unsupported(f"the attribute {name!r} of a type of numbers", self.line)
        return self.literal(number)

    def is_flat(self, owner: ListOf | Small) -> bool:
        """Whether its numbers stand in a list, or in a list of lists."""
        return isinstance(owner, Small) or len(owner.shape) <= 2
