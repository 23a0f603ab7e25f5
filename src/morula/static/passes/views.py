"""Elements of rows and columns are elements of the array itself: `row = x[i]; row[j]` becomes `x[i, j]`.

A view costs Numba more than the arithmetic that finds an element. Slices are seen through at known places alone: what
is computed along several slices of one array is faster along them, since LLVM knows how they lie to one another.
"""

from typing import Any

from morula.static import ir
from morula.static.ir import Const, Function, Op, Operand, Value
from morula.static.passes.dims import Dims


def elements_of_views(f: Function) -> None:
    """Let loads and stores name the arrays that views look at."""
    _Elements(f).run()


class _Elements:
    def __init__(self, f: Function):
        self.f = f
        self.dims = Dims().fixed

    def run(self) -> None:
        for s in ir.walk(self.f.body):
            if isinstance(s, Op) and s.kind in ("load", "store") and s.attr != "guarded":
                first = 1 if s.kind == "load" else 2
                while (found := self.below(s.args[0], s.args[first:])) is not None:
                    s.args = [found[0], *s.args[1:first], *found[1]]

    def below(self, view: Any, index: list[Operand]) -> tuple[Operand, list[Operand]] | None:
        """The array that a view looks at, and the index there; None where that is not known."""
        d = view.definition
        if not (isinstance(d, Op) and d.kind == "view"):
            return None
        how, template = d.attr
        base: Any = d.args[0]
        if how == "T":
            return base, index[::-1]
        if how != "index" or any(kind not in ("index", "slice") for kind, _ in template):
            return None
        rest = iter(enumerate(index))
        found: list[Operand] = []
        for kind, place in template:
            if kind == "index":
                found.append(d.args[place])
                continue
            axis, i = next(rest)
            moved = self.moved(i, place, d, view, axis)
            if moved is None:
                return None
            found.append(moved)
        return base, [*found, *[i for _, i in rest]]

    def moved(self, i: Operand, place: tuple, d: Op, view: Value, axis: int) -> Operand | None:
        """An index of a slice as one of what is sliced."""
        low, high, step = (None if p is None else d.args[p] for p in place)
        if low is None and high is None and step is None:
            return i
        if not (isinstance(i, Const) and isinstance(low, Const | None) and isinstance(step, Const | None)):
            return None
        first = 0 if low is None else low.value
        key = self.dims.of(view)[axis]
        is_inside = key[0] == "const" and 0 <= i.value < key[1]
        if first < 0 or (step is not None and step.value != 1) or not is_inside:
            return None
        return Const(first + i.value)
