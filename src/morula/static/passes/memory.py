"""Whose memory an array value may be: values that may share memory are in one class."""

from collections import defaultdict
from typing import Any

from morula.static import ir
from morula.static.ir import Branch, Function, Loop, Op, Value, walk

ALIASING = frozenset({"view", "fit", "resized"})
WRITERS = frozenset({"store", "fill", "scatter"})


class Memory:
    """The classes of array values of one function.

    Two parameters are taken to be apart; a caller that passes overlapping arrays, of which one is written, must
    see to it.
    """

    def __init__(self, f: Function):
        self.parent: dict[Value, Value] = {}
        self.writers: dict[Value, list[Op]] = defaultdict(list)
        self.readers: dict[Value, list[Op]] = defaultdict(list)
        self.fresh: set[Value] = set()
        statements = list(walk(f.body))
        for s in statements:
            if isinstance(s, Op) and s.kind in ALIASING:
                self.join(s.out, s.args[0])
            elif isinstance(s, Loop):
                for c in s.carries:
                    self.join(c.phi, c.init)
                    self.join(c.phi, c.next)
                    self.join(c.phi, c.out)
            elif isinstance(s, Branch):
                for j in s.joins:
                    self.join(j.out, j.then)
                    self.join(j.out, j.orelse)
        for s in statements:
            if not isinstance(s, Op):
                continue
            if s.kind in WRITERS:
                self.writers[self.of(s.args[0])].append(s)
            for x in s.args[1:] if s.kind in WRITERS else s.args:
                if ir.is_array(x) and s.kind not in ALIASING and s.kind != "shape":
                    self.readers[self.of(x)].append(s)
        self.parameters = {self.of(v) for v in f.leaves if ir.is_array(v)}
        self.results = {self.of(v) for v in ir.result_leaves(f.result) if ir.is_array(v)}

    def of(self, v: Any) -> Value:
        """The representative of the class of an array value."""
        while v in self.parent:
            v = self.parent[v]
        return v

    def join(self, a: Any, b: Any) -> None:
        if ir.is_array(a) and ir.is_array(b):
            a, b = self.of(a), self.of(b)
            if a is not b:
                self.parent[a] = b

    def root(self, v: Any) -> Any:
        """The array that a view looks at."""
        while isinstance(v.definition, Op) and v.definition.kind in ALIASING:
            v = v.definition.args[0]
        return v

    def are_apart(self, a: Any, b: Any) -> bool:
        """Whether two array values never share memory at one time.

        Beside arrays of different classes, these are what an iteration makes and what a variable of the loop held when
        it began, and variables that a loop only exchanges (`u, v = v, u`), if what they hold before the loop is apart.
        """
        a, b = self.root(a), self.root(b)
        if self.of(a) is not self.of(b) or _is_made_after(a, b) or _is_made_after(b, a):
            return True
        loop = a.definition
        if a is b or not isinstance(loop, Loop) or b.definition is not loop:
            return False
        carries = {c.phi: c for c in loop.carries if ir.is_array(c.phi)}
        outs = {c.out for c in carries.values()}
        if not ({a, b} <= set(carries) or {a, b} <= outs) or {c.next for c in carries.values()} != set(carries):
            return False
        inits = [self.root(c.init) for c in carries.values()]
        fresh = all(isinstance(x.definition, Op) and x.definition.kind in ("new", "copy") for x in inits)
        return fresh and len(set(inits)) == len(inits)

    def is_written(self, v: Any) -> bool:
        return bool(self.writers.get(self.of(v)))

    def written_in(self, block: ir.Block) -> set[Value]:
        """The classes that statements inside a block write."""
        return {self.of(s.args[0]) for s in walk(block) if isinstance(s, Op) and s.kind in WRITERS}


def _is_made_after(made: Any, phi: Any) -> bool:
    """Whether an array is new in the iteration of a loop that has `phi` from before."""
    loop = phi.definition
    if not isinstance(loop, Loop) or not (isinstance(made.definition, Op) and made.definition.kind == "new"):
        return False
    return any(c.phi is phi for c in loop.carries) and ir.is_within(made.block, loop.body)
