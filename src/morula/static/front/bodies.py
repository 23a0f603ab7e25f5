"""Plain bodies in place of calls: functions of arrays that are differentiated with what stands around them.

A body is read, and its types are inferred, as those of the program are; then its statements are lowered where the call
stands. So it needs no adjoint and no tangent of its own, and shares loops with what is around it.
"""

import ast
import functools
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.flat import operand_type
from morula.static.front.normal_form import NormalForm, normal_form
from morula.static.front.operands import dtype_text, type_of
from morula.static.front.types import LineTypes, line_types


@functools.lru_cache(maxsize=512)
def read_body(body: FunctionType, argument_types: tuple) -> tuple[NormalForm, LineTypes]:
    """The normal form of a body, which names numbers and what stands in `numpy` and `math`, and its types."""
    form = normal_form(body)
    return form, line_types(form, argument_types)


class Bodies:
    """The part of lowering that sets plain bodies in place of calls."""

    def in_place_of_call(self: Any, body: Callable[..., Any], args: tuple, base: str, t: types.Type) -> Any:
        """What a body returns for these operands, as type `t`; its operations stand where the call stood."""
        form, line_types = read_body(body, tuple(map(operand_type, args)))
        around = self.env, self.line_types, self.call_line
        self.env = {name: self.static(name, x) for name, x in form.namespace.items() if not isinstance(x, ModuleType)}
        self.env.update(zip(form.parameters, args, strict=True))
        self.line_types = line_types
        self.call_line = self.line
        self.statements(form.tree.body[:-1])
        last = form.tree.body[-1]
        assert isinstance(last, ast.Return) and last.value is not None
        found = self.operand(last.value)
        self.line = self.call_line
        self.env, self.line_types, self.call_line = around
        return self.of_dtype(found, t, base)

    def of_dtype(self: Any, x: Any, t: types.Type, base: str) -> Any:
        """A number or an array with elements of the type that `t` has."""
        dtype = getattr(t, "dtype", t)
        if not ir.is_array(x):
            return x if type_of(x) == dtype else self.emit("cast", [x], base, dtype, attr=dtype_text(dtype))
        if x.type.dtype == dtype:
            return x
        return self.emit("map", [x], base, types.Array(dtype, x.type.ndim, "C"), attr=("cast", dtype_text(dtype)))

    def flattened(self: Any, x: Any) -> Any:
        """The elements of an array as a vector."""
        if x.type.ndim == 1:
            return x
        if x.type.layout != "C":
            x = self.emit("copy", [x], "flat", types.Array(x.type.dtype, x.type.ndim, "C"))
        return self.emit("view", [x], "flat", types.Array(x.type.dtype, 1, "C"), attr=("ravel", None))
