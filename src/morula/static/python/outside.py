"""What a program reads from outside: arguments, captured and global variables, attributes of modules."""

from __future__ import annotations

import builtins
import math
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from morula.static.python.ir import Block, Input, Program, Unsupported
from morula.static.python.scopes import ListOf, Scope, Static
from morula.static.python.types import types_of_argument

__all__ = ["Outside"]


class Outside:
    """The part of a `front.Builder` that knows names from outside; each is read once, when the program begins."""

    program: Program
    out: Block
    line: int
    scopes: list[Scope]
    inputs: dict[Any, Any]  # by where they are read

    def outside(self, function: FunctionType, name: str) -> Any:
        key = (id(function), name)
        if key in self.inputs:
            return self.inputs[key]
        code, space = function.__code__, self.program.space
        if name in code.co_freevars:
            cell = (function.__closure__ or ())[code.co_freevars.index(name)]
            try:
                value = cell.cell_contents
            except ValueError:
                raise Unsupported(f"the captured variable {name!r}, which is not bound", self.line) from None
            is_own = function is self.program.function  # another function of the same code has other cells
            where = f"closure[{code.co_freevars.index(name)}]" if is_own else self.given(space, cell)
            read = f"{where}.cell_contents"
        elif name in function.__globals__:
            value = function.__globals__[name]
            where = self.given(space, function.__globals__)
            read = f"{where}[{name!r}]"
        elif hasattr(builtins, name):
            value = getattr(builtins, name)
            where = self.given(space, function.__globals__)
            self.guard(f"{name!r} not in {where}")
            read = f"{self.given(space, builtins.__dict__)}[{name!r}]"
        else:
            raise Unsupported(f"the name {name!r}, which stands for nothing", self.line)
        count = len(self.program.inputs)
        self.inputs[key] = found = self.of_outside(read, value, name)
        if function is self.program.function and name in self.program.captured:
            if len(self.program.inputs) == count:
                raise Unsupported(f"{name!r}, which is no number", self.line)
            self.program.captured[name] = self.program.inputs[-1]
        return found

    def of_outside(self, read: str, value: Any, name: str) -> Any:
        if isinstance(value, ModuleType | BuiltinFunctionType | FunctionType | type | np.ufunc):
            self.guard(f"{read} is {self.given(self.program.space, value)}")
            return Static(value)
        if type(value) is tuple and all(type(v) in (int, float) for v in value):
            self.guard(f"{read} is {self.given(self.program.space, value)}")
            return tuple([self.literal(v) for v in value])
        return self.input(f"g{len(self.program.inputs)}", read, value, name)

    def input(self, var: str, read: str, value: Any, name: str) -> Any:
        found = types_of_argument(value)
        if found is None:
            raise Unsupported(f"{name!r}, which is {_said(value)}", self.line)
        types, is_list = found
        self.program.inputs.append(Input(var, read or var, type(value), types, is_list))
        return ListOf(var) if is_list else var

    def guard(self, text: str) -> None:
        if text not in self.program.guards:
            self.program.guards.append(text)

    def given(self, space: dict[str, Any], value: Any) -> str:
        for name, known in space.items():
            if known is value:
                return name
        name = f"o{len(space)}"
        space[name] = value
        return name

    def literal(self, value: Any) -> str:
        """The atom that a constant is."""
        if type(value) is bool:
            return str(value)
        if (type(value) is int and abs(value) < 1 << 63) or (type(value) is float and math.isfinite(value)):
            return f"({value!r})" if math.copysign(1.0, value) < 0 else repr(value)
        raise Unsupported(f"the constant {value!r}", self.line)


def _said(value: Any) -> str:
    kind = type(value)
    return "an array of another kind" if kind is np.ndarray else f"of type {kind.__qualname__}"
