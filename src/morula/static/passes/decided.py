"""Branches whose test is known, because lengths are, give way to the side that is taken."""

from typing import Any

from morula.static import ir
from morula.static.front.operations import folded
from morula.static.ir import Block, Branch, Const, Function, Loop, Op, Operand, Value


def decide(f: Function) -> None:
    """Compute operations on literals, and drop the sides of branches that are never taken.

    Numba does so as well. It then finds no type for the lists in which the way there keeps what it made on such a side.
    """
    new: dict[Value, Operand] = {}
    _decide(f.body, new)
    ir.replace_operands(f, new)


def _decide(block: Block, new: dict[Value, Operand]) -> None:
    kept: list[Any] = []
    for s in block.statements:
        if isinstance(s, Loop):
            _decide(s.body, new)
        elif isinstance(s, Branch):
            _decide(s.then, new)
            _decide(s.orelse, new)
            test = _now(s.test, new)
            taken = _taken(s, test)
            if taken is not None:
                new.update({j.out: j.then if taken is s.then else j.orelse for j in s.joins})
                move(taken, block)
                kept += taken.statements
                continue
        elif s.kind == "binary":
            constant = folded(s.attr, *[_now(x, new) for x in s.args])
            if constant is not None:
                new[s.out] = constant
                continue
        kept.append(s)
    block.statements = kept


def _now(x: Any, new: dict[Value, Operand]) -> Any:
    while isinstance(x, Value) and x in new:
        x = new[x]
    return x


def _taken(s: Branch, test: Any) -> Block | None:
    """The side that is always taken, unless the program always ends there: what follows would read unbound names."""
    if not (isinstance(test, Const) and type(test.value) is bool):
        return None
    taken = s.then if test.value else s.orelse
    return None if _ends(taken) else taken


def _ends(side: Block) -> bool:
    return any(
        x.kind == "raise" if isinstance(x, Op) else isinstance(x, Branch) and _ends(x.then) and _ends(x.orelse)
        for x in side.statements
    )


def move(source: Block, target: Block) -> None:
    """What is in scope in a block is so in another one."""
    for s in source.statements:
        for v in ir.values_of(s):
            if v.block is source:
                v.block = target
        for inner in (s.body,) if isinstance(s, Loop) else (s.then, s.orelse) if isinstance(s, Branch) else ():
            inner.parent = target
        if isinstance(s, Loop):
            for c in s.carries:
                if c.out is not None and c.out.block is source:
                    c.out.block = target
