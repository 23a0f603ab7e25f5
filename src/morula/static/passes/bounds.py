"""Bounds of integers: an index that is known not to be negative needs no wrap-around."""

from typing import Any

from morula.static.ir import Branch, Const, Loop, Op, Value

REMAINDERS = ("%", "wrap_up", "wrap_down")


class Bounds:
    """Lower bounds, found where they are asked for."""

    def __init__(self) -> None:
        self.least: dict[Value, int | None] = {}

    def lower(self, x: Any) -> int | None:
        """The largest known number that the integer `x` is never below; None if there is none."""
        if isinstance(x, Const):
            return x.value if isinstance(x.value, int) else None
        if not isinstance(x, Value):
            return None
        if x not in self.least:
            self.least[x] = None  # what depends on itself is not known
            self.least[x] = self._of(x)
        return self.least[x]

    def is_natural(self, x: Any) -> bool:
        """Whether the integer `x` is never negative."""
        found = self.lower(x)
        return found is not None and found >= 0

    def _of(self, x: Value) -> int | None:
        d = x.definition
        if isinstance(d, Loop):
            return self._of_loop(d, x)
        if isinstance(d, Branch):
            for j in d.joins:
                if j.out is x:
                    return _least(self.lower(j.then), self.lower(j.orelse))
        if isinstance(d, Op) and d.kind == "shape":
            return 0
        if isinstance(d, Op) and d.kind == "binary":
            a, b = (self.lower(y) for y in d.args)
            if d.attr == "+" and a is not None and b is not None:
                return a + b
            if d.attr == "-" and a is not None and isinstance(d.args[1], Const) and isinstance(d.args[1].value, int):
                return a - d.args[1].value
            if d.attr == "*" and a is not None and b is not None and a >= 0 and b >= 0:
                return a * b
            if d.attr == "max2":
                return max((y for y in (a, b) if y is not None), default=None)
            if d.attr in ("min2", "bdim"):
                return _least(a, b)
            if d.attr == "//" and a is not None and a >= 0 and b is not None and b >= 0:
                return 0  # (dividing by zero has no value)
            if d.attr in REMAINDERS and b is not None and b >= 0:
                return 0
        return None

    def _of_loop(self, loop: Loop, x: Value) -> int | None:
        if x is loop.trips:
            return 0
        if x is loop.index:
            if isinstance(loop.step, Const) and loop.step.value > 0:
                return self.lower(loop.start)
            if isinstance(loop.step, Const) and loop.step.value < 0:
                stop = self.lower(loop.stop)
                return None if stop is None else stop + 1
            return None
        for c in loop.carries:
            if x is c.phi or x is c.out:
                if isinstance(c.next, Value) and self._grows(c.next, c.phi):
                    return self.lower(c.init)
        return None

    def _grows(self, x: Any, phi: Value) -> bool:
        """Whether `x` is `phi` plus something that is not negative."""
        if x is phi:
            return True
        d = x.definition if isinstance(x, Value) else None
        if isinstance(d, Op) and d.kind == "binary" and d.attr == "+":
            a, b = d.args
            return (self._grows(a, phi) and self.is_natural(b)) or (self._grows(b, phi) and self.is_natural(a))
        if isinstance(d, Loop):
            return any(c.out is x and self._grows(c.init, phi) and self._grows(c.next, c.phi) for c in d.carries)
        if isinstance(d, Branch):
            return any(j.out is x and self._grows(j.then, phi) and self._grows(j.orelse, phi) for j in d.joins)
        return False


def upper(x: Any) -> int | None:
    """A number that the integer `x` never exceeds; None if none is known."""
    if isinstance(x, Const):
        return x.value if isinstance(x.value, int) else None
    d = x.definition if isinstance(x, Value) else None
    if isinstance(d, Loop) and x is d.index and isinstance(d.step, Const) and d.step.value > 0:
        stop = upper(d.stop)
        return None if stop is None else stop - 1
    if isinstance(d, Op) and d.kind == "binary":
        a, b = (upper(y) for y in d.args)
        if a is None or b is None:
            return None
        if d.attr == "+":
            return a + b
        if d.attr == "-" and isinstance(d.args[1], Const):
            return a - b
        if d.attr == "*" and a >= 0 and b >= 0 and all(map(Bounds().is_natural, d.args)):
            return a * b
    return None


def offset(x: Any) -> tuple[Any, int]:
    """An integer as something and a constant that is added to it."""
    if isinstance(x, Const):
        return None, x.value
    d = x.definition if isinstance(x, Value) else None
    if isinstance(d, Op) and d.kind == "binary" and d.attr in ("+", "-"):
        a, b = d.args
        if isinstance(b, Const) and isinstance(b.value, int):
            base, distance = offset(a)
            return base, distance + (b.value if d.attr == "+" else -b.value)
        if isinstance(a, Const) and isinstance(a.value, int) and d.attr == "+":
            base, distance = offset(b)
            return base, distance + a.value
    return x, 0


def _least(*found: int | None) -> int | None:
    bounds = [x for x in found if x is not None]
    return min(bounds) if len(bounds) == len(found) else None
