"""Lowering of loops: what they run over, and what they carry from one iteration to the next."""

import ast
from typing import Any

import numpy as np
from numba.core import types

from morula.static import ir
from morula.static.front.lists import ListRef
from morula.static.front.operands import Items, Static, type_of, unified
from morula.static.ir import Block, Carry, Const, Loop, Operand, Undefined, Value
from morula.static.unsupported import Unsupported

INT = types.intp


class Loops:
    """The part of lowering that knows `for` and `while`."""

    def on_While(self: Any, s: ast.While) -> None:
        self.loop(s, None, None, None, None)

    def on_For(self: Any, s: ast.For) -> None:
        assert isinstance(s.target, ast.Name)
        parallel = False
        if isinstance(s.iter, ast.Call) and getattr(s.iter.func, "id", "") in ("range", "prange"):
            parallel = getattr(s.iter.func, "id", "") == "prange"
            bounds = [self.operand(a) for a in s.iter.args]
            start, stop, step = bounds[0] if len(bounds) > 1 else Const(0), bounds[min(1, len(bounds) - 1)], Const(1)
            if len(bounds) == 3:
                step = bounds[2]
            self.loop(s, start, stop, step, lambda k: k, parallel)
            return
        for node in ast.walk(s.iter):
            if isinstance(node, ast.Name) and isinstance(self.env.get(node.id), ListRef):
                self.refuse_growth(self.env[node.id], s)
        trips, item = self.iterated(s.iter)
        if isinstance(trips, int):
            self.unrolled(s, range(trips), item)
        else:
            self.loop(s, Const(0), trips, Const(1), item)

    def unrolled(self: Any, s: Any, places: range, item: Any) -> None:
        """The iterations over the items of a tuple, one after the other; each stands in what `break` leaves of it."""
        body, exit_name = without_exit(s.body)
        for k in places:
            self.env[s.target.id] = item(Const(k))
            self.statements(body)
            left = Const(False) if exit_name is None else self.env[exit_name]
            if not isinstance(left, Const):
                rest = places[places.index(k) + 1 :]
                self.fork(left, lambda: None, lambda rest=rest: self.unrolled(s, rest, item), self.line)
                return
            if left.value:
                return

    def iterated(self: Any, e: ast.expr) -> tuple[Any, Any]:
        """How often a loop runs, and its item in iteration k."""
        if isinstance(e, ast.Call):
            name = getattr(e.func, "id", "")
            if name == "enumerate":
                trips, item = self.iterated(e.args[0])
                first = self.operand(e.args[1]) if len(e.args) > 1 else Const(0)
                return trips, lambda k: Items((self.binary("+", k, first, "k", INT), item(k)))
            if name == "zip":
                parts = [self.iterated(a) for a in e.args]
                trips = parts[0][0]
                for other, _ in parts[1:]:
                    if isinstance(trips, int) != isinstance(other, int):
                        raise Unsupported("zip of a tuple and an array")
                    trips = min(trips, other) if isinstance(trips, int) else self.smaller(trips, other)
                return trips, lambda k: Items(tuple(item(k) for _, item in parts))
            if name == "range":
                bounds = [self.operand(a) for a in e.args]
                if len(bounds) == 1:
                    return self.binary("max2", bounds[0], Const(0), "n", INT), lambda k: k
                raise Unsupported("a range with a start inside zip or enumerate")
            f = None if name else self.operand(e.func).value
            if f is np.ndindex:
                return self.indices([self.operand(a) for a in e.args])
            if f is np.ndenumerate:
                x = self.operand(e.args[0])
                trips, at = self.indices([self.shape(x, axis) for axis in range(x.type.ndim)])
                return trips, lambda k: self.with_element(x, at(k))
            raise Unsupported(f"iteration over {name or 'a call'}")
        x = self.operand(e)
        if isinstance(x, Items):
            return len(x.items), lambda k: x.items[k.value]
        if isinstance(x, ListRef):
            return self.env[x.count], lambda k: self.item_of(x, k)
        if ir.is_array(x):
            if x.type.ndim == 1:
                return self.shape(x, 0), lambda k: self.load(x, [k], "item")
            return self.shape(x, 0), lambda k: self.view(x, [("index", k)], "row")
        raise Unsupported(f"iteration over {type_of(x)}")

    def indices(self: Any, sizes: list) -> tuple[Any, Any]:
        """One loop over all index tuples of a shape."""
        if len(sizes) == 1 and isinstance(sizes[0], Items):
            sizes = list(sizes[0].items)
        one = Const(1)
        blocks = [one]  # how many elements follow each other for one index of an axis, last axis first
        for n in sizes[::-1]:
            blocks.append(n if blocks[-1] is one else self.binary("*", blocks[-1], n, "n", INT))

        def item(k: Any) -> Items:
            found: list[Operand] = []
            for n, block in zip(sizes, blocks[-2::-1], strict=True):
                place = k if block is one else self.emit("binary", [k, block], "place", INT, "//")
                found.append(self.emit("binary", [place, n], "at", INT, "%") if len(found) else place)
            return Items(tuple(found))

        return blocks[-1], item

    def with_element(self: Any, x: Value, at: Items) -> Items:
        return Items((at, self.load(x, list(at.items), "item")))

    def smaller(self: Any, a: Operand, b: Operand) -> Operand:
        return a if a is b else self.binary("min2", a, b, "n", INT)

    def loop(self: Any, s: Any, start: Any, stop: Any, step: Any, item: Any, parallel: bool = False) -> None:
        statements, exit_name = without_exit(s.body)
        # of a loop that is left early it is not known how much it appends
        roomy = self.reserve(s, start, stop, step) if start is not None and exit_name is None else frozenset()
        body = Block()
        loop = Loop(None, start, stop, step, [], body, None, parallel, self.line)
        body.owner, body.parent = loop, self.block
        outer = self.block
        assigned = assigned_names(s)
        line_of_types = self.types_in(s)
        before = self.env
        self.block, self.env = body, dict(before)
        carried = {}
        hidden = self.mutated_in(s)
        for name in [*assigned, *hidden]:
            made = self.carried(name, before.get(name, Undefined()), line_of_types.get(name, []), loop)
            if made is not None:
                carried[name] = self.env[name] = made
        if item is not None:
            loop.index = self.value(s.target.id if isinstance(s.target, ast.Name) else "k", INT, loop)
            self.env[s.target.id] = item(loop.index)
        outside, self.roomy = self.roomy, roomy
        self.statements(statements)
        self.roomy = outside
        if exit_name is not None:
            loop.exit = self.env[exit_name]
            if isinstance(loop.exit, Const) and not loop.exit.value:
                loop.exit = None
        after = self.env
        self.block = outer
        self.env = dict(before)
        if loop.exit is not None or start is None:
            loop.trips = self.value("trips", INT, loop)
        outer.statements.append(loop)
        self.refuse_rebinding(before, after)
        for name, phi in carried.items():
            self.close(loop, phi, before.get(name, Undefined()), after[name])
            self.env[name] = phi

    def types_in(self: Any, s: ast.stmt) -> dict[str, list[types.Type]]:
        found: dict[str, list[types.Type]] = {}
        for line in range(s.lineno, (s.end_lineno or s.lineno) + 1):
            for name, t in self.line_types.assigned.get(line, {}).items():
                found.setdefault(name, []).append(t)
        return found

    def carried(self: Any, name: str, init: Any, assigned: list[types.Type], loop: Loop) -> Any:
        """The value of a variable at the start of an iteration."""
        if isinstance(init, Static | ListRef) or any(isinstance(t, types.List | types.ListType) for t in assigned):
            return None
        if isinstance(init, Items):
            if any(not isinstance(t, types.BaseTuple) for t in assigned):
                return None
            columns = [[t.types[k] for t in assigned] for k in range(len(init.items))]
            items = [self.carried(f"{name}_{k}", x, columns[k], loop) for k, x in enumerate(init.items)]
            return Items(tuple(items), init.fields, init.type)
        if assigned and isinstance(assigned[0], types.BaseTuple):
            first = assigned[0]
            items = [
                self.carried(f"{name}_{k}", Undefined(), [t.types[k] for t in assigned], loop)
                for k in range(len(first.types))
            ]
            return Items(tuple(items), tuple(getattr(first, "fields", ())), first)
        t = unified([type_of(init), *assigned])
        if t is None or isinstance(t, types.Function | types.NoneType | types.DType | types.NumberClass):
            return None
        return self.value(name, t, loop)

    def close(self: Any, loop: Loop, phi: Any, init: Any, next: Any) -> None:
        if isinstance(phi, Items):
            inits = init.items if isinstance(init, Items) else [Undefined()] * len(phi.items)
            if not isinstance(next, Items):
                raise Unsupported("a variable that is a tuple and something else")
            for parts in zip(phi.items, inits, next.items, strict=True):
                self.close(loop, *parts)
        else:
            if isinstance(next, Items | Static):
                raise Unsupported("a variable of two kinds in one loop")
            loop.carries.append(Carry(phi, init, next))


def without_exit(body: list[ast.stmt]) -> tuple[list[ast.stmt], str | None]:
    """The body of a loop, and the flag that its last statement leaves the loop by (`if exit: break`), if it has one."""
    last = body[-1]
    if isinstance(last, ast.If) and isinstance(last.body[0], ast.Break):
        assert isinstance(last.test, ast.Name)
        return body[:-1], last.test.id
    return body, None


def assigned_names(s: ast.stmt) -> list[str]:
    """The variables that a loop assigns."""
    found: dict[str, None] = {}
    for node in ast.walk(s):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
    return list(found)
