"""Which axes of arrays are known to be of one length."""

from typing import Any

from morula.static import ir
from morula.static.ir import Block, Const, Op, Operand, Value

Key = Any
ONE = ("const", 1)


class Dims:
    """Keys for the lengths of axes: equal keys are equal lengths."""

    def __init__(self) -> None:
        self.known: dict[Value, list[Key]] = {}
        self.seen: dict[Key, list[tuple[Value, int]]] = {}

    def of(self, v: Value) -> list[Key]:
        """One key per axis of an array."""
        if v not in self.known:
            self.known[v] = self._find(v)
            for axis, key in enumerate(self.known[v]):
                self.seen.setdefault(key, []).append((v, axis))
        return self.known[v]

    def seen_in(self, key: Key, block: Block) -> tuple[Value, int]:
        """An array in the scope of a block, and its axis of this length."""
        return next((v, axis) for v, axis in self.seen[key] if v.block is None or ir.is_within(block, v.block))

    def key(self, x: Operand) -> Key:
        """The key of a length that is given as an operand."""
        if isinstance(x, Const):
            return ("const", x.value)
        if isinstance(x, Value) and isinstance(x.definition, Op) and x.definition.kind == "shape":
            return self.of(x.definition.args[0])[x.definition.attr]  # type: ignore[arg-type]
        return ("value", x)

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
        return [("shape", v, axis) for axis in range(v.type.ndim)]

    def _of_view(self, v: Value, d: Op) -> list[Key]:
        how, template = d.attr
        base = self.of(d.args[0])  # type: ignore[arg-type]
        if how == "T":
            return base[::-1]
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
        low, high, step = (None if p is None else d.args[p] for p in place)
        if step is not None and not (isinstance(step, Const) and step.value == 1):
            return None
        cut = 0
        if low is not None:
            if not (isinstance(low, Const) and low.value >= 0):
                return None
            cut += low.value
        if high is not None:
            if not (isinstance(high, Const) and high.value < 0):
                return None
            cut -= high.value
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
