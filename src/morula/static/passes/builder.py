"""New statements in the blocks of a function, under names that nothing else has."""

from typing import Any

from numba.core import types

from morula.static.ir import Block, Const, Loop, Op, Operand, Value

INT = types.intp


class Builder:
    """Makes operations and loops; what it makes is numbered."""

    def __init__(self) -> None:
        self.names = 0

    def emit(
        self, block: Block, into: list, kind: str, args: list, t: types.Type, attr: Any, base: str, line: int
    ) -> Value:
        """The value of a new operation, which is appended to `into`."""
        op = Op(kind, [], args, attr, line)
        self.names += 1
        v = Value(f"{base}__{self.names}", t, op, block, base)
        op.outs.append(v)
        into.append(op)
        return v

    def loop_over(self, n: Operand, block: Block, line: int) -> Loop:
        """An empty loop over `range(n)`, for the place of a statement of `block`."""
        body = Block()
        loop = Loop(None, Const(0), n, Const(1), [], body, line=line)
        body.owner, body.parent = loop, block
        self.names += 1
        loop.index = Value(f"k__{self.names}", INT, loop, body, "k")
        return loop
