"""Free names: the objects that they stand for, as generated code holds them."""

import ast
from enum import Enum, IntEnum
from types import ModuleType
from typing import Any

import numba
import numpy as np

from morula.static.front.operands import Items, Static
from morula.static.front.source import MISSING
from morula.static.ir import Const, Op, Undefined, Value

PYTHONS = {np.float64: float, np.complex128: complex, np.bool_: bool, np.int64: int}  # which Numba takes for the same


def as_number(value: Any) -> Any:
    """A constant as Python's number, where Numba takes it for the same; otherwise as it is.

    >>> as_number(np.float64(0.5)), as_number(np.float32(0.5)), as_number("rbf")
    (0.5, np.float32(0.5), 'rbf')
    """
    if isinstance(value, IntEnum):
        return int(value)
    kind = PYTHONS.get(type(value))
    return value if kind is None else kind(value)


def part_of(owner: Any, name: str) -> Any:
    """An attribute of an object, if it is the same all the time; `MISSING` otherwise."""
    if isinstance(owner, ModuleType | type | np.finfo | np.iinfo):
        return getattr(owner, name, MISSING)
    return getattr(owner, name) if isinstance(owner, Enum) and name in ("name", "value") else MISSING


def limits_of(e: ast.Call, f: Any, arguments: list[Any]) -> Any:
    """What `np.finfo(dtype)` and `np.iinfo(dtype)` give; `MISSING` for any other call."""
    if f not in (np.finfo, np.iinfo) or len(arguments) != 1 or e.keywords or arguments[0] is MISSING:
        return MISSING
    return f(arguments[0])


class FreeNames:
    """The part of lowering that knows what stands outside the function."""

    form: Any
    constants: dict[int, Value]  # the arrays from outside, by identity; they are defined at the top
    line: int

    def static(self: Any, name: str, value: Any) -> Any:
        """The operand for an object: a constant, a tuple of operands, or the object itself."""
        value = as_number(value)
        if isinstance(value, Undefined):
            return value
        if isinstance(value, Enum) and type(value.value) is int:  # Numba compares members of one enumeration only
            return Const(value.value)
        if type(value) in (bool, int, float, complex):
            return Const(value)
        if isinstance(value, np.ndarray):
            return self.constant_array(name, value)
        if isinstance(value, tuple):
            fields = tuple(getattr(value, "_fields", ()))
            return Items(tuple([self.static(f"{name}_{k}", v) for k, v in enumerate(value)]), fields)
        return Static(value, name)

    def constant_array(self: Any, name: str, array: np.ndarray) -> Value:
        """An array from outside is a constant: it has a name in the generated code, and no shadow."""
        constant: Value | None = self.constants.get(id(array))
        if constant is None:
            if self.form.namespace.get(name) is not array:  # an item of a tuple, which has no name so far
                name = self.fresh(name)
                self.form.namespace[name] = array
            root = self.block
            while root.parent is not None:
                root = root.parent
            op = Op("constant", [], [], name, self.line)
            constant = Value(name, numba.typeof(array).copy(readonly=True), op, root)
            op.outs.append(constant)
            root.statements.insert(0, op)
            self.constants[id(array)] = constant
        return constant
