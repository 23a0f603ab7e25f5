"""What a program reads from outside: arguments, captured and global variables, attributes of modules."""

from __future__ import annotations

import builtins
import cmath
import dataclasses
import inspect
import math
import sys
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from morula.static.python.draws import shared_generator
from morula.static.python.ir import Block, Input, Program, Unsupported
from morula.static.python.scopes import ListOf, Scope, Static
from morula.static.python.types import types_of_argument, types_of_list

__all__ = ["FACTORY", "MOST_ITEMS", "Outside", "has_floats", "is_constant"]

MOST_ITEMS = 64  # of a list or a dict whose items are known one by one
_MADE = dataclasses.make_dataclass("_MADE", [("x", list, dataclasses.field(default_factory=list))])
FACTORY = type(inspect.signature(_MADE).parameters["x"].default)  # of what stands for a default that is made
REFUSAL = type(NotImplemented)
LIMITS = (np.finfo, np.iinfo, type(sys.float_info))  # what the numbers of a type are between
CONSTANTS = (BuiltinFunctionType, type, np.ufunc, type(np.sum), type(np.random.default_rng), FACTORY, REFUSAL)


class Outside:
    """The part of a `front.Builder` that knows names from outside; each is read once, when the program begins."""

    program: Program
    out: Block
    line: int
    scopes: list[Scope]
    lists_are_things: bool
    in_argument: bool  # whether what is read is part of an argument
    short_lists: bool  # whether also short lists of numbers are no things
    has_lists: bool
    has_flags: bool  # whether truth values are read
    are_flags_known: bool  # whether the text is one for the truth values that it is given
    lengths_of_inputs: dict[str, int]
    inputs: dict[Any, Any]  # by where they are read
    shape_of_input: dict[str, tuple[int, ...]]  # the shapes of arrays
    values_of_input: dict[str, Any]  # arrays, by their atoms, as long as the text is made
    given_ints: dict[str, tuple[str, int]]  # where integers are read, and what they are now
    check_name: Callable[[Scope, str], None]

    def outside(self, scope: Scope, name: str) -> Any:
        function: Any = scope.function
        self.check_name(scope, name)
        key = (id(function), name)
        if key in self.inputs:
            return self.inputs[key]
        if name.startswith("__") and not name.endswith("__"):
            raise Unsupported(f"the name {name!r}, which is another one inside a class", self.line)
        if function.__builtins__ is not builtins.__dict__:
            raise Unsupported("builtins of the program's own", self.line)
        code = function.__code__
        names = f"{scope.where}.__globals__" if scope.where else "names"
        if name in code.co_freevars:
            cell = (function.__closure__ or ())[code.co_freevars.index(name)]
            try:
                value = cell.cell_contents
            except ValueError:
                raise Unsupported(f"the captured variable {name!r}, which is not bound", self.line) from None
            closure = f"{scope.where or 'function'}.__closure__"
            read = f"{closure}[{code.co_freevars.index(name)}].cell_contents"
        elif name in function.__globals__:
            value = function.__globals__[name]
            read = f"{names}[{name!r}]"
        elif hasattr(builtins, name):
            value = getattr(builtins, name)
            if not str(function.__module__).startswith("morula.static.python."):  # no body of this package's own
                self.guard(f"{name!r} not in {names}")
            read = f"{self.given(self.program.space, builtins.__dict__)}[{name!r}]"
        else:
            raise Unsupported(f"the name {name!r}, which stands for nothing", self.line)
        count = len(self.program.inputs)
        self.inputs[key] = found = self.of_outside(read, value, name)
        if function is self.program.function and name in self.program.captured:
            if len(self.program.inputs) == count or not isinstance(found, str | ListOf):
                raise Unsupported(f"{name!r}, which is not a number", self.line)
            self.program.captured[name] = self.program.inputs[-1]
        return found

    def of_outside(self, read: str, value: Any, name: str) -> Any:
        space = self.program.space
        if type(value) is FunctionType:
            where = self._called_here(read)
            here, code = self.given(space, weakref.ref(value)), self.given(space, value.__code__)
            self.guard(f"{where}.__code__ is {code} and ({where} is {here}() or is_plain({where}))")
            return Static(value, where)
        if type(value) is ModuleType:
            where = self._called_here(read)
            self.guard(f"{where} is {self.given(space, weakref.ref(value))}() and type({where}) is ModuleType")
            return Static(value, where)
        if type(value) is MethodType and shared_generator(value) is not None:  # one each time it is asked for
            where = self._called_here(read)
            self.guard(f"{where} == {self.given(space, value)}")
            return Static(value)
        if isinstance(value, CONSTANTS) or value is None:
            self.guard(f"{read} is {self.given(space, value)}")
            return Static(value)
        return self.input(f"g{len(self.program.inputs)}", read, value, name)

    def input(self, var: str, read: str, value: Any, name: str) -> Any:
        found = types_of_argument(value)
        if found is None:
            raise Unsupported(f"{name!r}, which is {_description(value)}", self.line)
        types, ndim = found
        dtype = getattr(value, "dtype", None)
        made = Input(var, read or var, type(value), types, ndim, dtype, in_argument=self.in_argument)
        self.program.inputs.append(made)
        if type(value) is bool:
            self.has_flags = True
            if self.are_flags_known:
                self.guard(f"{read or var} is {value}")
                return self.literal(value)
        if type(value) in (int, bool):
            self.given_ints[var] = read or var, value
        if ndim:
            self.shape_of_input[var] = value.shape
            self.values_of_input[f"{var}_array"] = value
        return ListOf(var, value.shape, is_float="np.float64" in types, measured=var) if ndim else var

    def list_input(self, var: str, read: str, value: Any, name: str) -> ListOf | None:
        """A list or a tuple of many numbers, or of many of them, as one; None where it is something else."""
        found = types_of_list(value, 1) if self.short_lists else types_of_list(value)
        if found is None or (self.lists_are_things and len(value) <= MOST_ITEMS):
            return None
        self.has_lists = True
        key = ("list", id(value))
        if read and key in self.inputs:
            where, held = self.inputs[key]
            if where[0] == "a":
                raise Unsupported(f"{name!r}, which is an argument, too", self.line)
            self.guard(f"{read} is {where}")
            return held
        read = self._called_here(read) if read else var
        self.program.things.append(read)
        self.program.are_given &= self.in_argument
        row = type(value[0]) if found[1] == 2 else None
        self.program.inputs.append(Input(var, read, type(value), found[0], found[1], row, in_argument=self.in_argument))
        shape = (len(value), None)[: found[1]]
        self.lengths_of_inputs[var] = len(value)
        width = len(value[0]) if row is not None else len(value) if type(value) is tuple else None
        rows = row or (tuple if type(value) is tuple else None)
        is_float = "int" not in found[0]
        made = ListOf(var, shape, kind=list, is_float=is_float, measured=var, rows=rows, width=width)
        self.inputs[key] = read, made
        return made

    def _called_here(self, read: str) -> str:
        """A name for what `read` gives, which nothing but the function itself keeps alive."""
        known = next((g for g in self.program.guards if g.endswith(f" = {read}") and g[0] == "h"), None)
        if known is not None:
            return known.partition(" = ")[0]
        name = f"h{len(self.program.guards)}"
        self.program.guards.append(f"{name} = {read}")
        return name

    def guard(self, text: str) -> None:
        text = f"if not ({text}): raise Other"
        if text not in self.program.guards:
            self.program.guards.append(text)

    def given(self, space: dict[str, Any], value: Any) -> str:
        for name, held in space.items():
            if held is value:
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
        if type(value) is complex and not value.real and cmath.isfinite(value):  # as it is written
            return repr(value)
        raise Unsupported(f"the constant {value!r}", self.line)

    def number_in_text(self, text: str) -> str:
        """``float(text)``, such as infinity."""
        key = ("text", text)
        if key not in self.inputs:
            read = f"{self.given(self.program.space, float)}({text!r})"
            found = self.input(f"g{len(self.program.inputs)}", read, float(text), text)
            self.program.constants.add(found)
            self.inputs[key] = found
        return self.inputs[key]

    def imported(self, module: str, name: str | None) -> Any:
        """What an import statement gives: a module that is loaded, or what goes by a name in it."""
        key = ("import", module, name)
        if key not in self.inputs:
            if module not in sys.modules or (name is not None and name not in vars(sys.modules[module])):
                raise Unsupported(f"an import of {module}", self.line)
            read = f"{self.given(self.program.space, sys.modules)}.get({module!r})"
            found = self.of_outside(read, sys.modules[module], module)
            if name is not None:
                found = self.of_outside(f"{found.where}.__dict__.get({name!r})", vars(sys.modules[module])[name], name)
            self.inputs[key] = found
        return self.inputs[key]


def _description(value: Any) -> str:
    kind = type(value)
    return "an array of another kind" if kind is np.ndarray else f"of type {kind.__qualname__}"


def is_constant(value: Any) -> bool:
    """Whether a value is a text, a number, None, or a tuple of such."""
    if type(value) is tuple:
        return all(map(is_constant, value))
    return value is None or type(value) in (str, int, float, bool)


def has_floats(value: Any) -> bool:
    """Whether a constant is, or holds, a float."""
    return any(map(has_floats, value)) if type(value) is tuple else type(value) is float
