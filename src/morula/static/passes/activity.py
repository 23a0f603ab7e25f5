"""Which values have a derivative: they depend on a requested argument, and the result depends on them."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from morula.static import ir
from morula.static.ir import Branch, Function, Loop, Op, Value, walk
from morula.static.numba.elementary import describe_op
from morula.static.passes.memory import Memory
from morula.static.unsupported import Unsupported

SCALAR = frozenset({"unary", "binary", "call", "cast"})
MOVES = frozenset({"copy", "gather", "sum", "item", "load", "map", "fit", "resized"})


class Activity:
    """The active values and classes of memory of a function.

    Args:
        f: the function.
        memory: its classes of memory.
        requested: the parameters (or parts of parameters) that are differentiated by.
    """

    def __init__(self, f: Function, memory: Memory, requested: Iterable[Value]):
        self.memory = memory
        statements = list(walk(f.body))
        onward: dict[Any, list[Any]] = defaultdict(list)
        back: dict[Any, list[Any]] = defaultdict(list)
        for s in statements:
            for x, y in self.pairs(s):
                if isinstance(x, Value):
                    onward[self.key(x)].append(y)
                    if isinstance(y, Value):
                        back[self.key(y)].append(x)
        varied = self._reached(onward, {self.key(v) for v in requested})
        for y in [y for x in onward if x in varied for y in onward[x]]:
            if not (ir.is_active_type(y.type) or ir.is_discrete_type(y.type)):
                raise Unsupported(f"a value of type {y.type}")
        results = {self.key(v) for v in ir.result_leaves(f.result) if isinstance(v, Value)}
        # What is left in an argument is a result, too.
        results |= {self.key(v) for v in f.leaves if ir.is_array(v) and memory.is_written(v)}
        useful = self._reached(back, results)
        self.varied = varied
        self.active = varied & useful
        for s in statements:
            if isinstance(s, Op) and s.kind == "constant_call" and any(self.varies(x) for x in s.args):
                if ir.is_active_type(s.out.type):
                    raise Unsupported(f"a call to {s.attr.__name__} with active values")

    def key(self, v: Any) -> Any:
        return self.memory.of(v) if ir.is_array(v) else v

    def is_active(self, v: Any) -> bool:
        return isinstance(v, Value) and self.key(v) in self.active

    def varies(self, v: Any) -> bool:
        return isinstance(v, Value) and self.key(v) in self.varied

    def flows(self, s: Op) -> list[tuple[Any, Any]]:
        """Pairs (from, to): values along which derivatives go."""
        if s.kind in SCALAR or s.kind == "map":
            kind, attr = s.attr if s.kind == "map" else (s.kind, s.attr)
            partials = describe_op(kind, attr).partials
            pairs = zip(s.args, partials, strict=False)
            return [(x, s.out) for x, p in pairs if p not in (None, "0")]
        if s.kind in MOVES:
            return [(s.args[0], s.out)]
        if s.kind in ("store", "fill"):
            return [(s.args[1], s.args[0])]
        if s.kind == "scatter":
            return [(s.args[2], s.args[0])]
        if s.kind == "array":
            places = [s.attr.parameters.index(name) for name in s.attr.differentiable]
            return [(s.args[k], out) for k in places for out in s.outs]
        return []

    def pairs(self, s: Any) -> Iterable[tuple[Any, Any]]:
        """As `flows`, of any statement."""
        if isinstance(s, Op):
            return self.flows(s)
        if isinstance(s, Loop):
            return [
                (x, y)
                for c in s.carries
                for x, y in ((c.init, c.phi), (c.next, c.phi), (c.phi, c.out), (c.init, c.out))
            ]
        assert isinstance(s, Branch)
        return [(x, j.out) for j in s.joins for x in (j.then, j.orelse)]

    def _reached(self, edges: dict[Any, list[Any]], start: set) -> set:
        """The keys that can be reached along edges."""
        found = {v for v in start if ir.is_active_type(v.type)}
        work = list(found)
        while work:
            for target in edges.get(work.pop(), ()):
                if isinstance(target, Value) and ir.is_active_type(target.type):
                    key = self.key(target)
                    if key not in found:
                        found.add(key)
                        work.append(key)
        return found
