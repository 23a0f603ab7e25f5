"""Arrays that are put together: a fresh array, each part of which is filled."""

from typing import Any

import numpy as np
from numba.core import types

from morula.static import ir
from morula.static.ir import Const, Value
from morula.static.unsupported import Unsupported

WHOLE = ("slice", [None, None, None])
CONCATENATE = "np.concatenate(): input sizes over dimension {} do not match"
COLUMNS = CONCATENATE.format(0)
STACK = "np.stack(): all input arrays must have the same shape"


class Joins:
    """The part of lowering that knows `concatenate`, `stack` and their kin."""

    def joined(self: Any, f: Any, args: list, keywords: dict, base: str, t: Any) -> Value:
        """The call of a function of `JOINING`, whose arrays stand in a tuple."""
        arrays = list(getattr(args[0], "items", ()))
        axis = args[1] if len(args) > 1 else keywords.get("axis", Const(0))
        ndims = {x.type.ndim if ir.is_array(x) else 0 for x in arrays}
        if len(args) > 2 or set(keywords) - {"axis"} or not isinstance(t, types.Array) or not isinstance(axis, Const):
            raise Unsupported(f"a call to {f.__name__} with these arguments")
        if len(ndims) != 1 or 0 in ndims:
            raise Unsupported(f"a call to {f.__name__} with arrays of these shapes")
        ndim = ndims.pop()
        if f is np.stack:
            return self.stacked(arrays, axis.value % (ndim + 1), base, t)
        if f in (np.vstack, np.column_stack) and ndim == 1:
            return self.stacked(arrays, int(f is np.column_stack), base, t, STACK if f is np.vstack else COLUMNS)
        if f is np.hstack or f is np.column_stack:
            return self.concatenated(arrays, min(ndim - 1, 1), base, t)
        return self.concatenated(arrays, axis.value % ndim, base, t)

    def concatenated(self: Any, arrays: list[Value], axis: int, base: str, t: types.Array) -> Value:
        """Arrays one after the other, along an axis that they have."""
        sizes = [self.shape(arrays[0], k) for k in range(t.ndim)]
        ends = [sizes[axis]]
        for x in arrays[1:]:
            for k in range(t.ndim):
                if k != axis:
                    self.require_equal(sizes[k], self.shape(x, k), CONCATENATE.format(k))
            ends.append(self.binary("+", ends[-1], self.shape(x, axis), "n", types.intp))
        sizes[axis] = ends[-1]
        made = self.fresh_array(sizes, base, t)
        for x, low, high in zip(arrays, [Const(0), *ends], ends, strict=False):
            template = [WHOLE] * axis + [("slice", [low, high, None])] + [WHOLE] * (t.ndim - axis - 1)
            self.effect("fill", [self.view(made, template, "part"), x], None)
        return made

    def stacked(self: Any, arrays: list[Value], axis: int, base: str, t: types.Array, message: str = STACK) -> Value:
        """Arrays of one shape, along an axis of their own."""
        inner = [self.shape(arrays[0], k) for k in range(t.ndim - 1)]
        for x in arrays[1:]:
            for k, n in enumerate(inner):
                self.require_equal(n, self.shape(x, k), message)
        made = self.fresh_array([*inner[:axis], Const(len(arrays)), *inner[axis:]], base, t)
        for place, x in enumerate(arrays):
            template = [WHOLE] * axis + [("index", Const(place))] + [WHOLE] * (t.ndim - axis - 1)
            self.effect("fill", [self.view(made, template, "part"), x], None)
        return made

    def require_equal(self: Any, n: Any, m: Any, message: str, error: str = "ValueError") -> None:
        if n is not m:
            differ = self.binary("!=", n, m, "differ", types.boolean)
            self.fork(differ, lambda: self.effect("raise", [Const(message)], error), lambda: None, self.line)


JOINING = (np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack)
