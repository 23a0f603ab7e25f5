"""The instructions of a code object as a graph, in one form for CPython 3.11, 3.12 and 3.13.

What differs between the versions, or between two ways of laying out the same program, is gone: jumps are edges,
instructions that do two things are two, and caches, no-ops and the like are left out. What is left of a conditional
jump is a ``BRANCH`` on truth (or, with value "none", on being None), whose first successor is for yes.
"""

import dis
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

SILENT = frozenset(
    "NOP NOT_TAKEN RESUME CACHE EXTENDED_ARG PRECALL COPY_FREE_VARS MAKE_CELL KW_NAMES TO_BOOL "
    "JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT".split()
)
# Instructions that cannot raise: which handler would catch it makes no difference.
SAFE = frozenset(
    "POP_TOP PUSH_NULL SWAP COPY LOAD_CONST STORE_FAST STORE_DEREF LOAD_CLOSURE PUSH_EXC_INFO POP_EXCEPT "
    "RETURN_VALUE MAKE_FUNCTION BUILD_TUPLE END_FOR LOAD_FAST_AND_CLEAR BRANCH_NONE STUCK".split()
)
ENDS = frozenset({"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"})

Handler = tuple[int, int, bool]  # the node that catches, depth of the stack there, whether the place is pushed


@dataclass(slots=True)
class Node:
    """An instruction: what it does, with what, where it leads, and what catches its exceptions."""

    op: str
    val: Any
    line: int | None
    succ: list[int] = field(default_factory=list)
    handler: Handler | None = None
    region: int | None = None  # the node that would catch what it raised, if it could
    where: Any = None  # its line and columns, the same in copies of one expression


@dataclass(frozen=True)
class Graph:
    """The nodes that can be reached, by number, and the number of the first."""

    nodes: dict[int, Node]
    entry: int


def graph_of(code: CodeType) -> Graph:
    steps = list(dis.get_instructions(code))
    table = dis._parse_exception_table(code)  # type: ignore[attr-defined]
    nodes: list[Node] = []
    at: dict[int, int] = {}  # offset -> number of its first node
    targets: dict[int, int] = {}  # number of a node -> offset that it jumps to
    caught: dict[int, Any] = {}
    line: int | None = None
    kwnames: tuple = ()
    for step in steps:
        if step.positions is not None and step.positions.lineno is not None:
            line = step.positions.lineno
        if step.opname == "KW_NAMES":
            kwnames = code.co_consts[step.arg or 0]
        at[step.offset] = len(nodes)
        entry = next((e for e in table if e.start <= step.offset < e.end), None)
        for op, val in _spelled(step, code, kwnames):
            if entry is not None:
                caught[len(nodes)] = entry
            if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
                targets[len(nodes)] = step.argval
            nodes.append(Node(op, val, line, where=step.positions))
        if step.opname in ("CALL", "CALL_KW"):
            kwnames = ()
    return _linked(nodes, at, targets, caught)


def _spelled(step: dis.Instruction, code: CodeType, kwnames: tuple) -> list[tuple[str, Any]]:
    """An instruction as one or two of the common form."""
    op, val, arg = step.opname, step.argval, step.arg or 0
    match op:
        case "LOAD_GLOBAL" if arg & 1:
            pair = [("PUSH_NULL", None), ("LOAD_GLOBAL", val)]
            return pair[::-1] if NULL_IS_SECOND else pair
        case "LOAD_ATTR" if METHODS_ARE_ATTRIBUTES and arg & 1:
            return [("LOAD_METHOD", val)]
        case "LOAD_FAST_LOAD_FAST" | "LOAD_FAST_BORROW_LOAD_FAST_BORROW":
            return [("LOAD_FAST", val[0]), ("LOAD_FAST", val[1])]
        case "STORE_FAST_STORE_FAST":
            return [("STORE_FAST", val[0]), ("STORE_FAST", val[1])]
        case "STORE_FAST_LOAD_FAST":
            return [("STORE_FAST", val[0]), ("LOAD_FAST", val[1])]
        case "LOAD_FAST_CHECK" | "LOAD_FAST_BORROW":  # borrowed since 3.14
            return [("LOAD_FAST", val)]
        case "LOAD_SMALL_INT":
            return [("LOAD_CONST", arg)]
        case "LOAD_COMMON_CONSTANT" if step.argrepr == "AssertionError":
            return [("LOAD_ASSERTION_ERROR", None)]
        case "POP_ITER":
            return [("POP_TOP", None)]
        case "BINARY_OP" if step.argrepr == "[]":
            return [("BINARY_SUBSCR", None)]
        case "RETURN_CONST":
            return [("LOAD_CONST", val), ("RETURN_VALUE", None)]
        case "CALL":
            return [("CALL", (arg, kwnames))]
        case "COMPARE_OP":
            return [(op, val.removeprefix("bool(").removesuffix(")"))]
        case "LIST_TO_TUPLE" | "LOAD_LOCALS":
            return [(op, None)]
        case "BINARY_OP" | "CALL_INTRINSIC_1" | "CALL_INTRINSIC_2":
            return [(op, step.argrepr)]
        case "LOAD_CLASSDEREF":
            return [("LOAD_FROM_DICT_OR_DEREF", val)]
        case "FORMAT_VALUE" | "LOAD_SUPER_ATTR":
            return [(op, (arg & 3, val))]
        case "IS_OP" | "CONTAINS_OP" | "RERAISE" | "CONVERT_VALUE" | "SET_FUNCTION_ATTRIBUTE":
            return [(op, arg)]
        case "JUMP_IF_TRUE_OR_POP" | "JUMP_IF_FALSE_OR_POP":
            return [("BRANCH_OR_POP", "TRUE" in op)]
    if op.startswith("POP_JUMP"):
        kind = op.split("_IF_")[1]
        return [("BRANCH_NONE" if "NONE" in kind else "BRANCH", kind in ("TRUE", "NONE"))]
    if step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
        return [(op, None)]
    return [(op, val)]


METHODS_ARE_ATTRIBUTES = dis.opmap.get("LOAD_METHOD", 256) >= 256  # since 3.12
NULL_IS_SECOND = "CALL_KW" in dis.opmap  # since 3.13


def _linked(nodes: list[Node], at: dict[int, int], targets: dict[int, int], caught: dict[int, Any]) -> Graph:
    after = [at[targets[i]] if _jumps(nodes[i].op) else i + 1 for i in range(len(nodes))]

    def settled(i: int) -> int:
        seen = set()
        while nodes[i].op in SILENT:
            if i in seen:
                nodes[i].op, nodes[i].val = "STUCK", None  # ``while True: pass``
                break
            seen.add(i)
            i = after[i]
        return i

    reached: dict[int, Node] = {}
    entry = settled(0)
    waiting = [entry]
    while waiting:
        i = waiting.pop()
        if i in reached:
            continue
        node = reached[i] = nodes[i]
        if node.op == "STUCK":
            node.succ = [i]
        elif node.op not in ENDS:
            node.succ = [settled(i + 1)]
            if i in targets:
                node.succ.append(settled(at[targets[i]]))
        if node.op in ("BRANCH", "BRANCH_NONE"):
            if node.val:
                node.succ.reverse()
            node.val = None
        if i in caught:
            covering = caught[i]
            node.region = settled(at[covering.target])
            if not is_safe(node):
                node.handler = (node.region, covering.depth, covering.lasti)
                waiting.append(node.region)
        waiting += node.succ
    _without_negations(reached)
    return Graph(reached, entry)


def _without_negations(nodes: dict[int, Node]) -> None:
    """``not in`` and ``is not`` before a branch only exchange its ways; the compiler may write either."""
    new = max(nodes) + 1
    for node in list(nodes.values()):
        if node.op in ("CONTAINS_OP", "IS_OP") and node.val == 1 and nodes[node.succ[0]].op == "BRANCH":
            branch = nodes[node.succ[0]]
            nodes[new] = Node(
                "BRANCH", None, branch.line, branch.succ[::-1], branch.handler, branch.region, branch.where
            )
            node.val, node.succ = 0, [new]
            new += 1


def is_safe(node: Node) -> bool:
    if node.op in ("LOAD_FAST", "LOAD_DEREF"):
        return False
    return node.op in SAFE


def _jumps(op: str) -> bool:
    return op in ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")
