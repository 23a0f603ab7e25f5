"""Lowering of what looks into arrays and writes into them."""

import ast
from typing import Any

import numpy as np
from numba.core import types

from morula.static import ir
from morula.static.front.choosing import Choosing
from morula.static.front.lists import ListRef
from morula.static.front.operands import Items, Static, type_of
from morula.static.ir import Const, Operand, Value
from morula.static.unsupported import Unsupported

INT = types.intp
Template = list[tuple[str, Any]]  # of an index: what each part is, and its operand
WHOLE = ("slice", [None, None, None])


class Indexing(Choosing):
    """The part of lowering that knows elements, views and shapes of arrays."""

    def shape(self: Any, x: Value, axis: int) -> Value:
        return self.emit("shape", [x], f"n_{x.name}" if axis == 0 else f"n{axis}_{x.name}", INT, attr=axis)

    def load(self: Any, x: Value, index: list[Operand], base: str) -> Value:
        return self.emit("load", [x, *index], base, x.type.dtype)

    def view(self: Any, x: Value, template: Template, base: str, t: types.Type | None = None) -> Value:
        if t is None:
            ndim = x.type.ndim - sum(kind == "index" for kind, _ in template)
            leading = all(kind == "index" for kind, _ in template)
            t = types.Array(x.type.dtype, ndim, "C" if leading and x.type.layout == "C" else "A")
        if not isinstance(t, types.Array):
            raise Unsupported(f"an index that gives {t}")
        args: list[Operand] = [x]
        shape: list[Any] = []
        for kind, v in template:
            if kind == "index":
                shape.append(("index", len(args)))
                args.append(v)
            elif kind == "slice":
                places: list[int | None] = []
                for part in v:
                    places.append(None if part is None else len(args))
                    if part is not None:
                        args.append(part)
                shape.append(("slice", tuple(places)))
            else:
                shape.append((kind, None))
        return self.emit("view", args, base, t, attr=("index", tuple(shape)))

    def template(self: Any, x: Value, index: ast.expr) -> Template:
        parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
        found: Template = []
        for p in parts:
            if isinstance(p, ast.Slice):
                bounds = [None if b is None else self.operand(b) for b in (p.lower, p.upper, p.step)]
                found.append(("slice", [None if isinstance(b, Const) and b.value is None else b for b in bounds]))
                continue
            v = self.operand(p)
            if isinstance(v, Const) and v.value is None:
                found.append(("newaxis", None))
            elif isinstance(v, Const) and v.value is Ellipsis:
                found.append(("ellipsis", None))
            elif ir.is_array(v):
                axis = sum(kind in ("index", "slice", "array") for kind, _ in found)
                found.append(("array", self.places(v, x, axis) if v.type.dtype == types.boolean else v))
            elif isinstance(v, Value | Const):
                found.append(("index", v))
            elif hasattr(v, "items"):
                found += [("index", part) for part in v.items]
            else:
                raise Unsupported("an index of that kind")
        return _without_ellipsis(found, x.type.ndim)

    def gather(self: Any, x: Value, template: Template, base: str, t: types.Type) -> Value:
        """`x[indices]`: elements, or rows, that an array of integers names; also beside numbers and slices."""
        x, indices, axis = self.indexed(x, template)
        if axis == 0:
            return self.emit("gather", [x, indices], base, types.Array(x.type.dtype, x.type.ndim, "C"))
        rows = self.attribute(x, "T", base, None)
        found = self.emit("gather", [rows, indices], base, types.Array(x.type.dtype, 2, "C"))
        columns = self.attribute(found, "T", base, types.Array(x.type.dtype, 2, "F"))
        made = self.fresh_array([self.shape(columns, k) for k in range(2)], base, types.Array(x.type.dtype, 2, "C"))
        self.effect("fill", [made, columns], None)
        return made

    def indexed(self: Any, x: Value, template: Template) -> tuple[Value, Value, int]:
        """What one array among the parts of an index looks into: the view that the others take, and the axis."""
        arrays = [(place, v) for place, (kind, v) in enumerate(template) if kind == "array"]
        place, indices = arrays[0]
        if len(arrays) > 1 or not isinstance(indices.type.dtype, types.Integer):
            raise Unsupported("an index of several arrays")
        kinds = [kind for kind, _ in template]
        is_apart = any(  # from a number by a slice: the chosen axis comes first then
            kind == "index" and set(kinds[min(k, place) + 1 : max(k, place)]) - {"index"}
            for k, kind in enumerate(kinds)
        )
        axis = sum(kind != "index" for kind in kinds[:place])
        if indices.type.ndim != 1 or is_apart or axis > 1 or "newaxis" in kinds:
            raise Unsupported("an array index beside others")
        if len(template) > 1:
            whole = [WHOLE if kind == "array" else (kind, v) for kind, v in template]
            if any(part != WHOLE for part in whole):
                x = self.view(x, whole, "part")
        if axis == 1 and x.type.ndim != 2:
            raise Unsupported("an array index beside others")
        return x, indices, axis

    def places(self: Any, mask: Value, x: Value, axis: int) -> Value:
        """The indices that a mask chooses along an axis."""
        if mask.type.ndim != 1:
            raise Unsupported("a mask of several axes, among other indices")
        message = "boolean index did not match the indexed array"
        self.require_equal(self.shape(mask, 0), self.shape(x, axis), message, "IndexError")
        return self.emit("constant_call", [mask], "places", types.Array(types.intp, 1, "C"), attr=np.flatnonzero)

    def looked_into(self: Any, x: Value, index: ast.expr, may_copy: bool) -> tuple[Value, Template]:
        """An array and an index; all elements in a row, and places, where the index is a mask of as many axes."""
        v: Any = self.operand(index) if isinstance(index, ast.Name) else Const(None)
        if not (ir.is_array(v) and v.type.dtype == types.boolean and v.type.ndim == x.type.ndim > 1):
            return x, self.template(x, index)
        message = "boolean index did not match the indexed array"
        for axis in range(x.type.ndim):
            self.require_equal(self.shape(v, axis), self.shape(x, axis), message, "IndexError")
        if x.type.layout != "C":
            if not may_copy:
                raise Unsupported("a write through a mask of several axes into an array that is not contiguous")
            x = self.emit("copy", [x], "part", types.Array(x.type.dtype, x.type.ndim, "C"))
        row = self.emit("view", [x], "row", types.Array(x.type.dtype, 1, "C"), attr=("ravel", None))
        places = self.emit("constant_call", [v], "places", types.Array(types.intp, 1, "C"), attr=np.flatnonzero)
        return row, [("array", places)]

    def write(self: Any, target: ast.Subscript, symbol: str | None, value: Any) -> None:
        """`x[index] = value` and `x[index] op= value`."""
        x = self.operand(target.value)
        if isinstance(x, ListRef):
            self.write_item(x, target.slice, symbol, value)
            return
        if not ir.is_array(x):
            raise Unsupported("a write into something that is no array")
        x, template = self.looked_into(x, target.slice, may_copy=False)
        if any(kind == "array" for kind, _ in template):
            x, v, _ = self.indexed(x, template)
            if x.type.ndim != 1:
                raise Unsupported("a write of rows through an array of indices")
            if symbol is not None:  # reads all, then writes all
                old = self.emit("gather", [x, v], "old", types.Array(x.type.dtype, 1, "C"))
                value = self.elementwise("binary", symbol, [old, value], "new", None)
            self.effect("scatter", [x, v, value])
            return
        if not (all(kind == "index" for kind, _ in template) and len(template) == x.type.ndim):
            whole = all(kind == "slice" and v == [None, None, None] for kind, v in template)
            part = x if whole else self.view(x, template, "part")
            self.write_array(part, symbol, value)
            return
        index = [v for _, v in template]
        if not isinstance(value, Value | Const):
            raise Unsupported("a write of something that is no number")
        if ir.is_array(value):
            raise Unsupported("a write of an array into an element")
        if symbol in (None, "+", "-"):
            self.effect("store", [x, value, *index], symbol)
            return
        old = self.load(x, index, "old")
        self.effect("store", [x, self.binary(symbol, old, value, "new", None), *index], None)

    def write_array(self: Any, x: Value, symbol: str | None, value: Any) -> None:
        if hasattr(value, "items") and x.type.ndim == 1:
            value = self.array_of(value, "row", types.Array(x.type.dtype, 1, "C"))
        if not isinstance(value, Value | Const):
            raise Unsupported("a write of something that is no array")
        self.effect("fill", [x, value], symbol)

    def attribute(self: Any, x: Any, name: str, base: str, t: types.Type | None) -> Any:
        if ir.is_array(x):
            if name == "shape":
                return Items(tuple(self.shape(x, k) for k in range(x.type.ndim)))
            if name == "size":
                found: Any = Const(1)
                for k in range(x.type.ndim):
                    n = self.shape(x, k)
                    found = n if k == 0 else self.binary("*", found, n, base, INT)
                return found
            if name == "ndim":
                return Const(x.type.ndim)
            if name == "T":
                return self.emit("view", [x], base, t or x.type, attr=("T", None)) if x.type.ndim > 1 else x
            if name in ("real", "imag") and isinstance(x.type.dtype, types.Complex):
                part = types.Array(x.type.dtype.underlying_float, x.type.ndim, "A")
                return self.emit("view", [x], base, t or part, attr=(name, None))
            if name == "real" or (name == "flat" and x.type.ndim == 1):
                return x
            if name == "flat" and x.type.layout == "C":
                return self.emit("view", [x], base, types.Array(x.type.dtype, 1, "C"), attr=("ravel", None))
            if name == "dtype":
                return Static(np.dtype(str(x.type.dtype)), f"np.{x.type.dtype}")
        elif isinstance(x, Value | Const) and name in ("real", "imag"):
            if name == "imag" and not ir.is_complex_type(type_of(x)):
                return Const(0.0 if ir.is_active_type(type_of(x)) else 0)
            return self.elementwise("unary", name, [x], base, t)
        elif isinstance(x, Value | Const) and name == "value" and isinstance(type_of(x), types.Integer):
            return x  # of a member of an enumeration, which stands here as this number
        raise Unsupported(f"the attribute .{name}")


def _without_ellipsis(template: Template, ndim: int) -> Template:
    """Every axis by name: `...` stands for as many whole slices as there are axes left."""
    if not any(kind == "ellipsis" for kind, _ in template):
        return template
    named = sum(kind in ("index", "slice", "array") for kind, _ in template)
    found: Template = []
    for kind, v in template:
        if kind == "ellipsis":
            found += [("slice", [None, None, None])] * (ndim - named)
        else:
            found.append((kind, v))
    return found
