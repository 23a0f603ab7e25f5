"""Which axes of arrays are known to be of one length, and which lengths are known."""

import operator
from functools import cached_property
from typing import Any

import numpy as np

from morula.static import ir
from morula.static.ir import Block, Branch, Const, Loop, Op, Operand, Undefined, Value
from morula.static.passes.bounds import Bounds, offset, upper

Key = Any
ONE = ("const", 1)
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul}
PRODUCTS = (np.dot, np.matmul, operator.matmul)
AS_LONG = {np.linalg.inv: 0, np.linalg.cholesky: 0, np.linalg.solve: 1}  # as which argument the result is


class Dims:
    """Keys for the lengths of axes: equal keys are equal lengths."""

    def __init__(self) -> None:
        self.keys_by_value: dict[Value, list[Key]] = {}
        self.seen: dict[Key, list[tuple[Value, int]]] = {}

    def of(self, v: Value) -> list[Key]:
        """One key per axis of an array."""
        if v not in self.keys_by_value:
            self.keys_by_value[v] = self._find(v)
            for axis, key in enumerate(self.keys_by_value[v]):
                self.seen.setdefault(key, []).append((v, axis))
        return self.keys_by_value[v]

    def seen_in(self, key: Key, block: Block) -> tuple[Value, int]:
        """An array in the scope of a block, and its axis of this length."""
        return next((v, axis) for v, axis in self.seen[key] if v.block is None or ir.is_within(block, v.block))

    def key(self, x: Operand) -> Key:
        """The key of a length that is given as an operand."""
        if isinstance(x, Const):
            return ("const", x.value)
        if isinstance(x, Value) and isinstance(x.definition, Op) and x.definition.kind == "shape":
            return self.of(x.definition.args[0])[x.definition.attr]  # type: ignore[arg-type]
        return self._cut(x) or ("value", x)

    def _cut(self, x: Operand) -> Key | None:
        """The key of ``max(n - c, 0)``, which is how long all but `c` items of an axis are."""
        less = _operands(x, "max2")
        if less is None or not isinstance(less[1], Const) or less[1].value != 0:
            return None
        whole = _operands(less[0], "-")
        if whole is None or not isinstance(whole[1], Const):
            return None
        base = self.key(whole[0])
        return ("cut", base, whole[1].value) if base[0] == "shape" else None

    def known_number(self, x: Operand) -> Operand:
        """An integer, as a literal if lengths that are known say what it is."""
        d = x.definition if isinstance(x, Value) else None
        if isinstance(d, Op) and d.kind == "shape":
            key = self.key(x)
            return Const(key[1]) if key[0] == "const" else x
        if isinstance(d, Op) and d.kind == "binary" and d.attr in ARITHMETIC:
            a, b = map(self.known_number, d.args)
            if isinstance(a, Const) and isinstance(b, Const) and type(a.value) is type(b.value) is int:
                return Const(ARITHMETIC[d.attr](a.value, b.value))
        return x

    def is_inside(self, i: Operand, key: Key) -> bool:
        """Whether an index is certainly inside an axis."""
        if isinstance(i, Const):
            return key[0] == "const" and -key[1] <= i.value < key[1]
        loop = i.definition if isinstance(i, Value) else None
        if not isinstance(loop, Loop) or i is not loop.index or not Bounds().is_natural(i):
            return False
        most = upper(i)
        return self.key(loop.stop) == key or (key[0] == "const" and most is not None and most < key[1])  # type: ignore[arg-type]

    def _find(self, v: Value) -> list[Key]:
        d = v.definition
        if isinstance(d, Op):
            if d.kind == "new":
                return [self.key(x) for x in d.args]
            if d.kind == "copy":
                return self.of(d.args[0])  # type: ignore[arg-type]
            if d.kind == "fit":
                return [self.key(x) for x in d.args[1:]]
            if d.kind == "view":
                return self._of_view(v, d)
            if d.kind == "array" and getattr(d.attr, "primal", None) in PRODUCTS and len(d.args) == 2:
                first, second = (self.of(x) if ir.is_array(x) else [] for x in d.args)  # type: ignore[arg-type]
                if first and second and len(first) <= 2 and len(second) <= 2:
                    return first[:-1] + second[1:]
            if d.kind == "array" and getattr(d.attr, "primal", None) in AS_LONG:
                return self.of(d.args[AS_LONG[d.attr.primal]])  # type: ignore[arg-type]
        if isinstance(d, Loop | Branch):
            return self._of_variable(v, d)
        found: list[Key] = [("shape", v, axis) for axis in range(v.type.ndim)]
        for axis, length in enumerate(v.lengths or ()):
            if isinstance(length, tuple):
                found[axis] = ("shape", *length)
            elif length is not None:
                found[axis] = ("const", length)
        return found

    def _of_variable(self, v: Value, d: Loop | Branch) -> list[Key]:
        """The lengths of what a loop carries, or a branch hands out: those that are known outside."""
        own: list[Key] = [("shape", v, axis) for axis in range(v.type.ndim)]
        found = self.fixed.of(v)
        return [f if _is_invariant(f, d) else o for f, o in zip(found, own, strict=True)]

    @cached_property
    def fixed(self) -> "Dims":
        """As this, before any expression has become a loop."""
        return _Fixed()

    def _of_view(self, v: Value, d: Op) -> list[Key]:
        how, template = d.attr
        base = self.of(d.args[0])  # type: ignore[arg-type]
        if how == "T":
            return base[::-1]
        if how == "axes":
            return [base[axis] for axis in template]
        if how in ("real", "imag"):
            return base
        own: list[Key] = [("shape", v, axis) for axis in range(v.type.ndim)]
        if how != "index" or any(kind == "ellipsis" for kind, _ in template):
            return own
        found: list[Key] = []
        axis = 0
        for kind, place in template:
            if kind == "newaxis":
                found.append(ONE)
                continue
            if kind == "slice":
                found.append(self._of_slice(base[axis], place, d) or own[len(found)])
            axis += 1
        return found + base[axis:]

    def _of_slice(self, base: Key, place: tuple, d: Op) -> Key | None:
        low, high, step = (None if p is None else self.known_number(d.args[p]) for p in place)
        if step is not None and not (isinstance(step, Const) and step.value == 1):
            return None
        if isinstance(low, Value) and high is not None and base[0] == "const":
            return _window(low, high, base[1])
        cut = 0
        if low is not None:
            if not (isinstance(low, Const) and low.value >= 0):
                return None
            cut += low.value
        if high is not None:
            if not isinstance(high, Const) or (high.value >= 0 and base[0] != "const"):
                return None
            cut -= high.value
        if base[0] == "const":
            bounds = [None if x is None else x.value for x in (low, high)]
            return ("const", len(range(base[1])[slice(*bounds)]))
        if cut == 0:
            return base
        if isinstance(base, tuple) and base[0] == "cut":
            return ("cut", base[1], base[2] + cut)
        return ("cut", base, cut)

    def result(self, operands: list[Any]) -> list[set[Key]]:
        """For each axis of an elementwise result, the keys of the operands that are not 1 for certain."""
        arrays = [self.of(x) for x in operands if ir.is_array(x)]
        ndim = max(map(len, arrays))
        found: list[set[Key]] = [set() for _ in range(ndim)]
        for keys in arrays:
            for axis, key in enumerate(keys[::-1]):
                if key != ONE:
                    found[ndim - 1 - axis].add(key)
        return [keys or {ONE} for keys in found]


class _Fixed(Dims):
    """Lengths that are numbers, also of variables that hold one array after another."""

    def _find(self, v: Value) -> list[Key]:
        d = v.definition
        if isinstance(d, Op) and d.kind == "map":
            own: list[Key] = [("shape", v, axis) for axis in range(v.type.ndim)]
            return [_length_of(keys) or o for keys, o in zip(self.result(d.args), own, strict=True)]
        return super()._find(v)

    def _of_variable(self, v: Value, d: Loop | Branch) -> list[Key]:
        own: list[Key] = [("shape", v, axis) for axis in range(v.type.ndim)]
        if isinstance(d, Branch):
            given = [x for j in d.joins if j.out is v for x in (j.then, j.orelse) if not isinstance(x, Undefined)]
            found = [self.of(x) for x in given]  # type: ignore[arg-type]
            return found[0] if found and all(keys == found[0] for keys in found) else own
        carry = next((c for c in d.carries if v in (c.phi, c.out)), None)
        if carry is None or not ir.is_array(carry.init) or not ir.is_array(carry.next):
            return own
        first = self.of(carry.init)  # type: ignore[arg-type]
        if not all(_is_invariant(key, d) for key in first):
            return own
        before = dict(self.keys_by_value)
        self.keys_by_value[carry.phi] = self.keys_by_value[v] = first
        if self.of(carry.next) != first:  # type: ignore[arg-type]
            self.keys_by_value = before
            return own
        return first


def _operands(x: Operand, operator: str) -> list[Operand] | None:
    d = x.definition if isinstance(x, Value) else None
    return d.args if isinstance(d, Op) and d.kind == "binary" and d.attr == operator else None


def _window(low: Operand, high: Operand, length: int) -> Key | None:
    """The key of a slice between two places that move together, inside an axis of a known length."""
    (moving, first), (other, end) = offset(low), offset(high)
    most = upper(high)
    if moving is not other or end < first or most is None or most > length or not Bounds().is_natural(low):
        return None
    return ("const", end - first)


def _is_invariant(key: Key, s: Loop | Branch) -> bool:
    """Whether a length is a number, or that of an array from outside a loop or branch."""
    if key[0] == "const":
        return True
    blocks = [s.body] if isinstance(s, Loop) else [s.then, s.orelse]
    return key[0] == "shape" and not any(ir.is_within(key[1].block, block) for block in blocks)


def _length_of(keys: set[Key]) -> Key | None:
    """The length of an axis of a result, if the operands' say it."""
    fixed = [key for key in keys if key[0] == "const" and key != ONE]
    return fixed[0] if len(fixed) == 1 else next(iter(keys)) if len(keys) == 1 else None
