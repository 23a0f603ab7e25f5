"""Whether two code objects do the same: both are walked side by side, and must do equal steps on every path.

Two programs that cannot be told apart by any step have the same values, effects and exceptions. The order of blocks,
copies of them, lines and columns play no part; constants must agree in type and in every bit.
"""

import inspect
from types import CodeType
from typing import Any

from morula.transform.bytecode.graph import Graph, Node, graph_of

# Flags that change what calling a code object means.
MEANING = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
    | inspect.CO_ITERABLE_COROUTINE
    | inspect.CO_OPTIMIZED
    | inspect.CO_NEWLOCALS
)


def same_code(a: CodeType, b: CodeType) -> bool:
    """Whether `a` and `b`, with all code inside them, do the same."""
    return a is b or _equal(a, b) or _same(a, b)


def constant_key(value: Any) -> Any:
    """Equal for two constants exactly if a program cannot tell them apart (1, 1.0 and True; 0.0 and -0.0; nan)."""
    if isinstance(value, float):
        return float, repr(value)
    if isinstance(value, complex):
        return complex, repr(value.real), repr(value.imag)
    if isinstance(value, tuple):
        return tuple, tuple(map(constant_key, value))
    if isinstance(value, frozenset):
        return frozenset, frozenset(map(constant_key, value))
    return type(value), value


def _head(code: CodeType) -> tuple:
    n = code.co_argcount + code.co_kwonlyargcount
    n += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return (
        code.co_name,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_varnames[:n],
        code.co_flags & MEANING,
        sorted(code.co_freevars),
        sorted(code.co_cellvars),
    )


def _equal(a: CodeType, b: CodeType) -> bool:
    """The quick way: equal bytes, names and constants, in equal order."""
    return (
        a.co_code == b.co_code
        and _head(a) == _head(b)
        and a.co_names == b.co_names
        and a.co_varnames == b.co_varnames
        and a.co_cellvars == b.co_cellvars
        and a.co_freevars == b.co_freevars
        and a.co_exceptiontable == b.co_exceptiontable
        and len(a.co_consts) == len(b.co_consts)
        and all(map(_same_constant, a.co_consts, b.co_consts))
    )


def _same_constant(a: Any, b: Any) -> bool:
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return same_code(a, b)
    return not isinstance(a, CodeType) and not isinstance(b, CodeType) and constant_key(a) == constant_key(b)


def _same(a: CodeType, b: CodeType) -> bool:
    if _head(a) != _head(b):
        return False
    left, right = graph_of(a), graph_of(b)
    seen: set[tuple[int, int]] = set()
    waiting = [(left.entry, right.entry)]
    while waiting:
        i, j = waiting.pop()
        i, j = _past_nulls(left, i), _past_nulls(right, j)
        if (i, j) in seen:
            continue
        seen.add((i, j))
        m, n = left.nodes[i], right.nodes[j]
        if not _same_step(m, n) or len(m.succ) != len(n.succ):
            return False
        waiting += zip(m.succ, n.succ, strict=True)
        if m.handler is not None and n.handler is not None:
            if m.handler[1:] != n.handler[1:]:
                return False
            waiting.append((m.handler[0], n.handler[0]))
        elif m.handler is not n.handler:
            return False
    return True


def _past_nulls(graph: Graph, i: int) -> int:
    """Methods are called with or without a NULL below, by what the rest of the file imports: to the same effect."""
    while graph.nodes[i].op == "PUSH_NULL":
        i = graph.nodes[i].succ[0]
    return i


def _same_step(m: Node, n: Node) -> bool:
    if m.op != n.op and {m.op, n.op} != {"LOAD_ATTR", "LOAD_METHOD"}:
        return False
    return _same_constant(m.val, n.val)
