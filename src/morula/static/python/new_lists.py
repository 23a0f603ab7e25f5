"""Arrays and lists that the program makes: `numpy.zeros` and its kin, and products of lists."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from morula.static.python.ir import Again, Unsupported, is_integer
from morula.static.python.lists import Lists
from morula.static.python.scopes import MOST, Array, Display, ListOf, Small, Static
from morula.static.python.slopes import has_own_rule

__all__ = ["NEW", "NewLists", "is_list"]

FILLS = {np.zeros: "0.0", np.ones: "1.0", np.empty: "0.0", np.zeros_like: "0.0", np.ones_like: "1.0",
         np.empty_like: "0.0"}  # fmt: skip
NEW = frozenset([*FILLS, np.full, np.full_like])
PARAMETERS = {"shape": ("shape", "dtype"), "full": ("shape", "fill_value", "dtype"), "like": ("a", "dtype"),
              "full_like": ("a", "fill_value", "dtype")}  # fmt: skip
MOST_REPEATED = 64  # items of a list that is written out


class NewLists(Lists):
    """The part of a `front.Builder` that makes lists."""

    def new_list(self, f: Any, node: ast.Call) -> Any:
        """``np.zeros(n)`` and its kin."""
        if has_own_rule(f):
            raise Unsupported(f"a call to {f.__name__}, which has a user-defined rule", self.line)
        stem = f.__name__ if f in (np.full, np.full_like) else "like" if f.__name__.endswith("_like") else "shape"
        names = PARAMETERS[stem]
        given = dict(zip(names, node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg}
        found = {name: self.value(each) for name, each in given.items()}
        dtype = found.pop("dtype", None)
        is_said = isinstance(dtype, Static) and dtype.value in (float, np.float64)
        kind = next(
            (k for k in (bool, int) if isinstance(dtype, Static) and dtype.value in (k, np.dtype(k).type)), None
        )
        if (
            len(given) < len(node.args) + len(node.keywords)
            or not set(names) - {"dtype"} == found.keys()
            or (dtype is not None and not is_said and kind is None)
        ):
            raise Unsupported(f"a call to {f.__name__} with these arguments", self.line)
        fill = FILLS[f] if f in FILLS else self.only_number(found["fill_value"])
        shape = self._shape_like(found["a"], is_said or kind is not None) if "a" in found else found["shape"]
        lengths = shape if isinstance(shape, tuple) else (shape,)
        if kind is not None:
            return self._whole(f, fill, lengths, kind)
        key = (self.scopes[-1].function.__code__, self.target)
        is_list = key in self.by_reference and key not in self.by_slices
        if not 1 <= len(lengths) <= 2 or not all(isinstance(n, str) for n in lengths):
            if is_list:
                self.put_by_slices(frozenset([key]))
            return self.numpy_call(*self._spelled_out(f, fill, lengths))
        sizes = tuple([int(n) if n.isdigit() else self.number_of(n) if self.by_length else None for n in lengths])
        if not is_list and self.is_small and len(sizes) == 1 and 0 < (sizes[0] or 0) <= MOST:
            self.program.is_small = True
            return self.together([self.compute("element", fill) for _ in range(sizes[0] or 0)])
        if not is_list:
            try:
                return self.numpy_call(*self._spelled_out(f, fill, lengths))
            except Unsupported:
                pass  # its shape depends on numbers
        return ListOf(self.compute("new", fill, *lengths, f=np.ndarray), sizes, True)

    def _whole(self, f: Any, fill: str, lengths: tuple, kind: type) -> Array:
        """An array of truth values or integers, which is no list of the text."""
        key = (self.scopes[-1].function.__code__, self.target)
        if key in self.by_reference and key not in self.by_slices:
            self.by_slices.add(key)
            raise Again
        make, args, _ = self._spelled_out(f, fill, lengths)
        if make is np.full and (kind is bool or not is_integer(fill)):
            raise Unsupported("such an array of truth values or integers", self.line)
        return self.numpy_call(make, args, {} if make is np.full else {"dtype": Static(kind)})

    def _spelled_out(self, f: Any, fill: str, lengths: tuple) -> tuple[Any, list, dict]:
        """The call that makes such an array, without another one."""
        shape = lengths if len(lengths) > 1 else lengths[0]
        if f in (np.full, np.full_like):
            return np.full, [shape, fill], {}
        return {np.ones: np.ones, np.ones_like: np.ones}.get(f, np.zeros), [shape], {}

    def _shape_like(self, array: Any, is_said: bool) -> Any:
        if isinstance(array, Array) and (array.dtype == np.float64 or is_said):
            return tuple(map(str, array.shape))
        if isinstance(array, Small):
            return str(len(array.parts))
        if not isinstance(array, ListOf) or array.kind is list or not (array.is_float or is_said):
            raise Unsupported("a new array like something other than an array of floats", self.line)
        if len(array.shape) > 2:
            return tuple(map(str, self.as_array(array).shape))
        shape = self.attribute(array, "shape")
        return shape[0] if len(shape) == 1 else shape

    def joined(self, left: Any, right: Any) -> ListOf | Display:
        """``left + right`` for lists."""
        if isinstance(left, Display) and isinstance(right, Display):
            return Display([*self.held(tuple(left)), *self.held(tuple(right))])
        one, other = (self.listed(v) if isinstance(v, Display) else v for v in (left, right))
        if not one.is_vector or not other.is_vector or tuple in (one.rows, other.rows):
            raise Unsupported("a sum of lists of something other than numbers", self.line)
        return ListOf(self.compute("joined", one.var, other.var, f=list), (None,), True, list)

    def repeated(self, one: Any, other: Any) -> ListOf | Display:
        """``[x] * n``."""
        display, n = (one, other) if isinstance(one, Display) else (other, one)
        if isinstance(n, str) and n.isdigit() and len(display) > 1 and len(display) * int(n) <= MOST_REPEATED:
            found = Display(list(display) * int(n))
            return found if len(found) <= MOST else self.listed(found)
        if not isinstance(n, str) or len(display) != 1 or not isinstance(display[0], str):
            raise Unsupported("a product of a list", self.line)
        return ListOf(self.compute("new", display[0], n, f=list), (None,), True, list)


def is_list(value: Any) -> bool:
    """Whether a value is a list of the program's."""
    return isinstance(value, Display) or (isinstance(value, ListOf) and value.kind is list and not value.is_queue)
