"""Lowering of what says where, chooses, and turns axes: `np.nonzero`, `np.select`, `np.transpose`."""

import operator
from typing import Any

import numpy as np
from numba.core import types

from morula.static import ir
from morula.static.front.operands import type_of
from morula.static.front.operations import scalar_type
from morula.static.ir import Const, Value
from morula.static.unsupported import Unsupported

INT = types.intp


class Choosing:
    """The part of lowering that knows them."""

    def places_by_axis(self: Any, x: Value, base: str) -> list[Any]:
        """Where an array is not 0: for each axis the indices, as `numpy.nonzero` says them."""
        t = types.Array(INT, 1, "C")
        rest: Any = self.emit("constant_call", [x], base, t, attr=np.flatnonzero)
        found: list[Any] = []
        for axis in range(x.type.ndim - 1, 0, -1):
            n = self.elementwise("binary", "max2", [self.shape(x, axis), Const(1)], "n", INT)
            found.append(self.elementwise("binary", "%", [rest, n], base, t))
            rest = self.elementwise("binary", "//", [rest, n], base, t)
        return [rest, *found[::-1]]

    def selected(self: Any, args: list, keywords: dict, base: str) -> Any:
        """`numpy.select`: the first of several conditions that holds chooses."""
        conditions, choices = (list(getattr(x, "items", ())) for x in args[:2])
        found = args[2] if len(args) > 2 else keywords.get("default", Const(0))
        if not conditions or len(conditions) != len(choices) or len(args) > 3 or set(keywords) - {"default"}:
            raise Unsupported("a call of np.select with these arguments")
        for condition, choice in zip(conditions[::-1], choices[::-1], strict=True):
            operands = [condition, choice, found]
            if not all(isinstance(x, Value | Const) for x in operands) or not ir.is_array(condition):
                raise Unsupported("a call of np.select with these arguments")
            ndim = max(x.type.ndim for x in operands if ir.is_array(x))
            kinds = [x.type.dtype if ir.is_array(x) else type_of(x) for x in operands[1:]]
            t = types.Array(scalar_type(operator.add, kinds), ndim, "C")
            found = self.elementwise("call", np.where, operands, base, t)
        return found

    def transposed(self: Any, x: Value, axes: list, base: str, t: types.Type | None) -> Any:
        """The view with its axes in another order."""
        if len(axes) == 1 and hasattr(axes[0], "items"):
            axes = list(axes[0].items)
        if len(axes) == 1 and isinstance(axes[0], Const) and axes[0].value is None:
            return self.attribute(x, "T", base, t)
        ndim = x.type.ndim
        if not all(isinstance(k, Const) and isinstance(k.value, int) for k in axes):
            raise Unsupported("axes of .transpose that are no literals")
        order = tuple([k.value % ndim for k in axes if -ndim <= k.value < ndim])
        if sorted(order) != list(range(ndim)) or len(axes) != ndim:
            raise Unsupported("axes of .transpose that do not match the array")
        return self.emit("view", [x], base, t or types.Array(x.type.dtype, ndim, "A"), attr=("axes", order))
