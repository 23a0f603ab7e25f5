"""Lowering of what orders lists of numbers anew: ``xs.sort()``, ``xs.reverse()``, ``sorted(xs)``.

A list with NaN has no order. What `sort` makes of it depends on the places, so lists of floats have a sort of their own
here (`helpers.list_sorted`): NumPy's puts NaN last.
"""

from typing import Any

import numpy as np
from numba.core import types

from morula.static.front.lists import ListRef
from morula.static.ir import Const, Value
from morula.static.unsupported import Unsupported


class ListOrder:
    """The part of lowering that knows the order of lists."""

    env: dict[str, Any]

    def reorder(self: Any, x: ListRef, name: str) -> None:
        """`xs.sort()` or `xs.reverse()`."""
        part = self.part_in_use(x)
        array = types.Array(x.dtype, 1, "C")
        if name == "sort":
            made = self.in_order(part)
        else:
            backwards = self.view(part, [("slice", [None, None, Const(-1)])], "backwards", types.Array(x.dtype, 1, "A"))
            made = self.emit("copy", [backwards], "reversed", array)
        self.copy_numbers(made, self.env[x.array], self.env[x.count])

    def sorted_list(self: Any, x: Any, base: str) -> ListRef:
        """`sorted` of a list or a vector of numbers."""
        array = self.part_in_use(x) if isinstance(x, ListRef) else x
        made: ListRef = self.list_of(self.in_order(array), base)
        return made

    def in_order(self: Any, array: Value) -> Value:
        """The numbers of a vector in the order that a list of them has after `sort`."""
        from morula.static.numba.helpers import list_sorted

        dtype = array.type.dtype
        if not isinstance(dtype, types.Float | types.Integer):
            raise Unsupported(f"a list of {dtype} that is sorted")
        f = list_sorted if isinstance(dtype, types.Float) else np.sort
        found: Value = self.call(f, [array], {}, "sorted", types.Array(dtype, 1, "C"))
        return found
