"""The intermediate representation as text, for reading: Python with the types of new values beside it.

A line ``x = phi(a, b)`` at the start of a loop says that ``x`` is ``a`` in the first iteration, and what ``b`` was
before in every other one; after a branch ``y = a if test else b`` says what comes out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from morula.static import ir
from morula.static.numba.emit.text import Texts

__all__ = ["listing"]

Remark = Callable[[ir.Value], str]


def listing(f: ir.Function, remark: Remark | None = None) -> str:
    """The text of a function.

    Args:
        f: the function, after any pass.
        remark: what to say about a value at the end of the line that assigns it; its type, where it is not given.

    >>> from numba import float64
    >>> from morula.static.front.lower import lower
    >>> from morula.static.front.normal_form import normal_form
    >>> from morula.static.front.types import line_types
    >>> def cube(x):
    ...     return x * x * x
    >>> form = normal_form(cube)
    >>> print(listing(lower(form, (float64,), line_types(form, (float64,)))))
    def cube(x):  # x: float64
        t1 = x * x  # float64
        result = t1 * x  # float64
        return result
    """
    say = remark or (lambda v: str(v.type))
    parameters = ", ".join(p.name for p in f.parameters)
    types = "; ".join(f"{p.name}: {say(p)}" for p in f.parameters)
    lines = [f"def {f.name}({parameters}):" + (f"  # {types}" if types else "")]
    lines += ["    " + line for line in _block(f.body, say)]
    lines.append(f"    return {_result(f.result)}")
    return "\n".join(lines)


def _block(block: ir.Block, say: Remark) -> Iterator[str]:
    for s in block.statements:
        if isinstance(s, ir.Op):
            yield _op(s, say)
        elif isinstance(s, ir.Loop):
            yield from _loop(s, say)
        else:
            yield from _branch(s, say)


def _op(s: ir.Op, say: Remark) -> str:
    texts = Texts()
    if s.kind == "store":
        return f"{_operand(s.args[0])}[{', '.join(map(_operand, s.args[2:]))}] {s.attr or ''}= {_operand(s.args[1])}"
    try:
        right = texts.operation(s)
    except (AssertionError, AttributeError, KeyError):  # remarks by the half that emits it
        right = f"{s.kind}({', '.join(map(_operand, s.args))})"
    if not s.outs:
        return right
    return f"{', '.join(v.name for v in s.outs)} = {right}" + _remarks(s.outs, say)


def _remarks(values: list[ir.Value], say: Remark) -> str:
    remarks = [text for v in values if (text := say(v))]
    return f"  # {', '.join(remarks)}" if remarks else ""


def _loop(s: ir.Loop, say: Remark) -> Iterator[str]:
    if s.start is None:
        yield "while True:"
    else:
        yield f"for {s.index} in range({_operand(s.start)}, {_operand(s.stop)}, {_operand(s.step)}):"
    for c in s.carries:
        yield f"    {c.phi} = phi({_operand(c.init)}, {_operand(c.next)})" + _remarks([c.phi], say)
    yield from ("    " + line for line in _block(s.body, say))
    if s.exit is not None:
        yield f"    if {_operand(s.exit)}: break"


def _branch(s: ir.Branch, say: Remark) -> Iterator[str]:
    yield f"if {_operand(s.test)}:"
    yield from ("    " + line for line in _block(s.then, say))
    if s.orelse.statements:
        yield "else:"
        yield from ("    " + line for line in _block(s.orelse, say))
    for j in s.joins:
        yield f"{j.out} = {_operand(j.then)} if {_operand(s.test)} else {_operand(j.orelse)}" + _remarks([j.out], say)


def _operand(x: Any) -> str:
    return "undefined" if isinstance(x, ir.Undefined) else repr(x)


def _result(result: Any) -> str:
    items = getattr(result, "items", None)
    return _operand(result) if items is None else f"({', '.join(map(_result, items))})"
