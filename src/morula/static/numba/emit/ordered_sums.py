"""Sums that LLVM should add up in order, with their terms in vectors, although the program subtracts.

`faithful_vectors` has LLVM do so with ``s + t``. It does not with ``s - t``, and of ``s + -t`` or ``s + -0.5 * t`` it
makes ``s - ...`` first. So signs are changed by a product with -1, which is as exact, where LLVM does not know the -1:
``s + minus * t`` and ``s + minus * (0.5 * t)``.
"""

from collections.abc import Iterator
from typing import Any

from numba.core import types

from morula.static.ir import Const, Loop, Op, Value, walk
from morula.static.numba.emit.text import Texts, has_vector_version, operand_text
from morula.static.passes.fuse import is_sum


def changes_of_sign(statements: list[Any]) -> set[Op]:
    """Of all statements of a function the operations in sums that should change signs without LLVM's knowing it."""
    found: set[Op] = set()
    for loop in statements:
        if isinstance(loop, Loop) and _may_have_vectors(loop):
            for c in loop.carries:
                d: Any = c.next.definition if isinstance(c.next, Value) else None
                is_own = isinstance(d, Op) and d.kind == "binary" and d in loop.body.statements and d.args[0] is c.phi
                if is_own and c.phi.type == types.float64 and is_sum(c.phi, loop.body, c.next):
                    found |= {d} if d.attr == "-" else set()
                    found |= {x for x in _factors(d.args[1]) if _is_negative(x)}
    return found


def with_hidden_sign(s: Op, minus: str, texts: Texts) -> str:
    """The text of such an operation; `minus` is the name of the -1."""
    if s.kind == "unary":
        return f"{minus} * {operand_text(s.args[0])}"
    if s.attr == "-":
        return f"{operand_text(s.args[0])} + {minus} * {operand_text(s.args[1])}"
    positive = [Const(abs(x.value)) if isinstance(x, Const) else x for x in s.args]
    return f"{minus} * ({texts.operation(Op(s.kind, s.outs, positive, s.attr))})"


def _may_have_vectors(loop: Loop) -> bool:
    inside = list(walk(loop.body))
    return not any(isinstance(s, Loop) for s in inside) and any(
        isinstance(s, Op) and s.kind == "call" and has_vector_version(s) for s in inside
    )


def _is_negative(s: Op) -> bool:
    """Whether LLVM can see that an operation changes a sign."""
    if s.out.type != types.float64:
        return False
    if s.kind == "unary":
        return s.attr == "-"
    return sum(isinstance(x, Const) and x.value < 0 for x in s.args) == 1


def _factors(x: Any) -> Iterator[Op]:
    """The operations that make a product or a quotient."""
    d = x.definition if isinstance(x, Value) else None
    if isinstance(d, Op) and (d.kind == "unary" or (d.kind == "binary" and d.attr in ("*", "/"))):
        yield d
        for y in d.args:
            yield from _factors(y)
