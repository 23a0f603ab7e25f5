"""Conditions, loops, handlers and context managers: the structure of a program, read off its graph.

A path is followed until it ends or meets a node where somebody waits for it: the head of a loop, the place behind a
loop, or where two branches meet again. A path that two branches share but cannot meet on is written twice. Whether what
was read is right is not decided here: it is compiled, and compared.
"""

import ast
from dataclasses import dataclass, field
from typing import Any

from morula.transform.bytecode.conditions import both, conditional, either, fails, negated, same_value
from morula.transform.bytecode.graph import Graph, Node
from morula.transform.bytecode.minimal import loop_heads, post_dominators
from morula.transform.bytecode.stack import Stack
from morula.transform.bytecode.values import (
    AssertionName,
    Exit,
    Part,
    Running,
    Shared,
    Unreadable,
)

MOST_STEPS = 200_000  # paths that are written twice may be so again inside


@dataclass
class Loop:
    """A loop that is being read."""

    head: int
    marker: Running | None
    after: int | None = None


@dataclass
class Place:
    """What surrounds the node that is being read."""

    loops: tuple[Loop, ...] = ()
    stops: frozenset[int] = frozenset()
    regions: tuple[int, ...] = ()
    copies: tuple[Any, ...] = field(default=())  # for each region, what leaving it repeats

    def with_stops(self, *stops: int | None) -> "Place":
        return Place(self.loops, self.stops | {s for s in stops if s is not None}, self.regions, self.copies)

    def inside(self, region: int, copy: Any) -> "Place":
        return Place(self.loops, self.stops, (*self.regions, region), (*self.copies, copy))


class Blocks:
    """Reads the statements of one graph."""

    def __init__(self, graph: Graph, functions: Any):
        self.graph = graph
        self.nodes = graph.nodes
        self.functions = functions
        self.heads = loop_heads(graph)
        self.joins = post_dominators(graph)
        self.steps = 0

    # -- paths --------------------------------------------------------------------------------------------

    def read(
        self, i: int, items: list[Any], place: Place, begun: bool = False
    ) -> tuple[list[ast.stmt], int | None, list[Any]]:
        """Statements from node `i` on, the node where the path stopped (None: it ended), and the stack there."""
        stack = Stack(list(items), [], self.functions)
        here: int | None = i
        while here is not None:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Unreadable("too many paths")
            if not begun:
                if here in place.stops:
                    return stack.out, here, stack.items
                if place.regions and not self._inside(here, place.regions[-1]):
                    return stack.out, self._left(here, stack, place), stack.items
            begun = False
            here = self._step(here, stack, place)
        return stack.out, None, stack.items

    def _inside(self, i: int, region: int) -> bool:
        at = self.nodes[i].region
        seen = set()
        while at is not None and at not in seen:
            if at == region:
                return True
            seen.add(at)
            at = self.nodes[at].region if at in self.nodes else None
        return False

    def _step(self, here: int, stack: Stack, place: Place) -> int | None:
        node = self.nodes[here]
        region = self._opened(node, place)
        if region is not None:
            return self._try(here, stack, place, region)
        if here in self.heads and not any(loop.head == here for loop in place.loops):
            return self._loop(here, stack, place)
        match node.op:
            case "BRANCH" | "BRANCH_NONE" | "BRANCH_OR_POP":
                return self._branch(here, stack, place)
            case "RETURN_VALUE":
                stack.line = node.line
                stack.emit(ast.Return(stack.pop()))
                return None
            case "RAISE_VARARGS":
                stack.line = node.line
                self._raise(node.val, stack)
                return None
            case "GET_YIELD_FROM_ITER":
                return self._yield_from(here, stack)
            case "BEFORE_WITH":
                stack.line = node.line
                entered = Part([None], 0)
                stack.push(Exit(stack.pop(), entered))
                stack.push(entered)
                return node.succ[0]
            case "RETURN_GENERATOR":
                first = self.nodes[node.succ[0]]
                return first.succ[0] if first.op == "POP_TOP" else node.succ[0]
            case "RERAISE":
                return None
            case "STUCK":
                raise Unreadable("an empty loop")
        popped = stack.items[-1] if node.op == "POP_TOP" and stack.items else None
        stack.do(node)
        if isinstance(popped, Running):
            return self._after_break(node.succ[0], stack, place, popped)
        return node.succ[0]

    def _after_break(self, here: int, stack: Stack, place: Place, marker: Running) -> int | None:
        """The iterator of a loop was dropped: a ``break``, or a ``return``."""
        loop = next((lp for lp in place.loops if lp.marker is marker), None)
        if loop is None or (stack.items and isinstance(stack.items[-1], ast.expr)) or self.returns(here, stack):
            return here
        if loop.after is None:
            loop.after = here
        if loop.after != here or place.loops[-1] is not loop:
            return here
        stack.emit(ast.Break())
        return None

    def returns(self, here: int, stack: Stack) -> bool:
        """Whether a path returns a constant, having left the loops around it."""
        node = self.nodes[here]
        for item in reversed(stack.items):
            if node.op != "POP_TOP" or not isinstance(item, Running):
                break
            node = self.nodes[node.succ[0]]
        return node.op == "LOAD_CONST" and self.nodes[node.succ[0]].op == "RETURN_VALUE"

    def _raise(self, n: int, stack: Stack) -> None:
        parts: list[Any] = stack.raws(n)
        if parts and isinstance(parts[0], AssertionName):
            made = ast.Raise(stack.tree(parts[0]), None)
            made.message = None  # type: ignore[attr-defined]
        else:
            trees = [stack.tree(p) for p in parts]
            made = ast.Raise(*[*trees, None, None][:2])
            called = trees[0] if trees else None
            if isinstance(called, ast.Call) and getattr(called, "asserts", False):
                made.message = called.args[0]  # type: ignore[attr-defined]
        stack.emit(made)

    def _yield_from(self, here: int, stack: Stack) -> int:
        node = self.nodes[here]
        while node.op != "SEND":
            node = self.nodes[node.succ[0]]
        stack.line = self.nodes[here].line
        stack.push(stack.placed(ast.YieldFrom(stack.pop())))
        after = node.succ[1]
        return self.nodes[after].succ[0] if self.nodes[after].op == "END_SEND" else after

    # -- branches -----------------------------------------------------------------------------------------

    def _branch(self, here: int, stack: Stack, place: Place) -> int | None:
        test, yes, no, items = self._condition(here, stack, place)[-1]
        yes_items, no_items = items if isinstance(items, tuple) else (items, items)
        join = self.joins.get(here)
        inner = place.with_stops(join)
        a, a_end, a_items = self.read(yes, yes_items, inner)
        b, b_end, b_items = self.read(no, no_items, inner)
        line = self.nodes[here].line
        stack.line = line
        a_end = self._jumped(a, a_end, b_end, join, place, stack)
        b_end = self._jumped(b, b_end, a_end, join, place, stack)
        if a_end is not None and b_end is not None and a_end != b_end:
            raise Unreadable("branches that do not meet")
        end = a_end if a_end is not None else b_end
        if a_end is not None and b_end is not None:
            merged = self._merged(test, a, b, a_items, b_items, stack)
            if merged is not None:
                stack.items[:] = merged
                return end
        if a_end is not None or b_end is not None:
            stack.items[:] = a_items if a_end is not None else b_items
        self._emit_if(test, a, b, a_end is None, stack)
        return end

    def _jumped(
        self, out: list[ast.stmt], end: int | None, other: int | None, join: int | None, place: Place, stack: Stack
    ) -> int | None:
        """A branch that ends at the head of the loop, or behind it, where the other one goes on."""
        if end is None or end in (other, join) or not place.loops:
            return end
        loop = place.loops[-1]
        if end == loop.head and other is not None:
            out.append(stack.placed(ast.Continue()))
            return None
        if end == loop.after and loop.marker is None:
            out.append(stack.placed(ast.Break()))
            return None
        return end

    def _emit_if(self, test: ast.expr, a: list[ast.stmt], b: list[ast.stmt], a_ends: bool, stack: Stack) -> None:
        if fails(b):
            stack.emit(ast.Assert(test, b[0].message))  # type: ignore[attr-defined]
            stack.out.extend(a)
        elif fails(a):
            stack.emit(ast.Assert(negated(test, stack), a[0].message))  # type: ignore[attr-defined]
            stack.out.extend(b)
        elif not a and b:
            stack.emit(ast.If(negated(test, stack), b, []))
        elif not a:
            stack.emit(ast.If(test, [stack.placed(ast.Pass())], []))
        elif a_ends:
            stack.emit(ast.If(test, a, []))
            stack.out.extend(b)
        else:
            stack.emit(ast.If(test, a, b))

    def _merged(
        self, test: ast.expr, a: list[ast.stmt], b: list[ast.stmt], a_items: list, b_items: list, stack: Stack
    ) -> list[Any] | None:
        """The stack behind a conditional expression; None behind a statement."""
        if len(a_items) != len(b_items):
            raise Unreadable("branches that leave different stacks")
        if not a_items or same_value(a_items[-1], b_items[-1], test):
            return None
        if a or b or any(x is not y for x, y in zip(a_items[:-1], b_items[:-1], strict=True)):
            raise Unreadable("statements inside an expression")
        x, y = a_items[-1], b_items[-1]
        return [*a_items[:-1], stack.placed(conditional(test, x, y, stack))]

    def _condition(self, here: int, stack: Stack, place: Place) -> list[tuple[Any, int, int, Any]]:
        """The test at a branch, alone, and then with more and more of the tests that decide the same question.

        Each with where it leads, yes and no, and the stack there (a pair where the two differ).
        """
        node = self.nodes[here]
        stack.line = node.line
        raw = stack.raw()
        yes, no = node.succ
        items: Any = stack.items
        if node.op == "BRANCH_OR_POP":
            value = raw if isinstance(raw, Shared) else Shared(raw)
            kept, dropped = [*stack.items, value], list(stack.items)
            return [(value, no, yes, (kept, dropped)) if node.val else (value, yes, no, (dropped, kept))]
        if node.op == "BRANCH_NONE":
            test: Any = stack.placed(ast.Compare(stack.tree(raw), [ast.Is()], [stack.placed(ast.Constant(None))]))
        else:
            test = raw
        if isinstance(test, Shared) and any(v is test for v in items):
            return [(test, yes, no, items)]
        middle = getattr(test, "shared_right", None)
        if middle is not None and items and middle is items[-1]:  # a chain of comparisons goes on
            if self.nodes[no].op != "POP_TOP":
                return [(test, yes, no, items)]
            items = (items, items[:-1])
            no = self.nodes[no].succ[0]
        stages = [(stack.tree(test), yes, no, items)]
        while True:
            longer = self._longer(*stages[-1], place, stack)
            if longer is None:
                return stages
            stages.append(longer)

    def _longer(self, test: Any, yes: int, no: int, items: Any, place: Place, stack: Stack) -> Any:
        yes_items, no_items = items if isinstance(items, tuple) else (items, items)
        for other, other_yes, other_no, other_items in self._following_tests(yes, yes_items, place):
            if isinstance(other_items, tuple) or len(other_items) != len(no_items):
                continue
            if other_no == no:
                return both(test, other, stack), other_yes, no, other_items
            if other_yes == no:
                return both(test, negated(other, stack), stack), other_no, no, other_items
        for other, other_yes, other_no, other_items in self._following_tests(no, no_items, place):
            if isinstance(other_items, tuple) or len(other_items) != len(yes_items):
                continue
            if other_yes == yes:
                return either(test, other, stack), yes, other_no, other_items
            if other_no == yes:
                return either(test, negated(other, stack), stack), yes, other_yes, other_items
        return None

    def _following_tests(self, start: int, items: list[Any], place: Place) -> list[tuple[Any, int, int, Any]]:
        """The conditions that a path computes next, if it does nothing else before."""
        stack = Stack(list(items), [], self.functions)
        here = start
        try:
            while True:
                node = self.nodes[here]
                self.steps += 1
                if here in place.stops or here in self.heads or (node.region not in (None, *place.regions[-1:])):
                    return []
                if node.op in ("BRANCH", "BRANCH_NONE"):
                    return self._condition(here, stack, place)
                if len(node.succ) != 1 or node.op in ("RERAISE", "POP_TOP", "GET_YIELD_FROM_ITER", "END_FOR"):
                    return []
                stack.do(node)
                if stack.out or stack.missing:
                    return []
                here = node.succ[0]
        except Unreadable:
            return []

    # -- what `Structure` reads -----------------------------------------------------------------------------

    def _left(self, here: int, stack: Stack, place: Place) -> int | None:
        raise NotImplementedError

    def _loop(self, here: int, stack: Stack, place: Place) -> int | None:
        raise NotImplementedError

    def _try(self, here: int, stack: Stack, place: Place, region: int) -> int | None:
        raise NotImplementedError

    def _opened(self, node: Node, place: Place) -> int | None:
        """The outermost block with a handler that begins at a node."""
        found, region, seen = None, node.region, set()
        while region in self.nodes and region not in seen:
            seen.add(region)
            if self.nodes[region].op == "PUSH_EXC_INFO" and region not in place.regions:
                found = region
            region = self.nodes[region].region
        return found
