"""Loops, handlers, ``finally`` and context managers, read off a graph."""

import ast
from dataclasses import dataclass
from typing import Any

from morula.transform.bytecode.blocks import Blocks, Loop, Place
from morula.transform.bytecode.comprehensions import comprehension
from morula.transform.bytecode.same import constant_key
from morula.transform.bytecode.stack import Stack
from morula.transform.bytecode.values import Caught, Exit, Iter, Part, Running, Unreadable


@dataclass(frozen=True)
class Finally:
    """Leaving the block repeats what the handler does from `start` on."""

    start: int


@dataclass(frozen=True)
class Handler:
    """The body of an ``except`` clause, whose variable is deleted at its end."""

    caught: Caught
    named: bool


class Structure(Blocks):
    """Adds the compound statements to `Blocks`."""

    # -- loops --------------------------------------------------------------------------------------------

    def _loop(self, here: int, stack: Stack, place: Place) -> int | None:
        if self.nodes[here].op == "FOR_ITER":
            return self._for(here, stack, place)
        return self._while(here, stack, place)

    def _for(self, here: int, stack: Stack, place: Place) -> int | None:
        node = self.nodes[here]
        stack.line = node.line
        source = stack.raw()
        iterable = source.value if isinstance(source, Iter) else stack.tree(source)
        if not isinstance(source, Iter) and not (isinstance(iterable, ast.Name) and iterable.id == ".0"):
            raise Unreadable("a loop over an iterator")
        marker = Running()
        targets: list[Any] = [None]
        loop = Loop(here, marker)
        inner = Place((*place.loops, loop), place.stops | {here}, place.regions, place.copies)
        body, end, _ = self.read(node.succ[0], [*stack.items, marker, Part(targets, 0)], inner)
        if end not in (here, None):
            raise Unreadable("a jump out of a loop")
        exhausted = node.succ[1]
        for op in ("END_FOR", "POP_TOP") if self.nodes[exhausted].op == "END_FOR" else ():
            if self.nodes[exhausted].op == op and (op == "END_FOR" or FOR_POPS):
                exhausted = self.nodes[exhausted].succ[0]
        made = comprehension(targets[0], iterable, body, stack)
        if made is not None:
            made.order = stack.items[-1].order
            stack.items[-1] = made
            return exhausted
        after = exhausted if loop.after is None else loop.after
        orelse: list[ast.stmt] = []
        if after != exhausted:
            orelse, end, _ = self.read(exhausted, stack.items, place.with_stops(after))
            if end not in (after, None):
                raise Unreadable("a jump out of the else of a loop")
        stack.line = node.line
        stack.emit(ast.For(targets[0], iterable, body or [stack.placed(ast.Pass())], orelse))
        return after

    def _while(self, here: int, stack: Stack, place: Place) -> int | None:
        line = self.nodes[here].line
        after = self._behind(here)
        loop = Loop(here, None, after)
        stops = place.stops | {here} | ({after} if after is not None else set())
        inner = Place((*place.loops, loop), frozenset(stops), place.regions, place.copies)
        body, end, _ = self.read(here, stack.items, inner, begun=True)
        stack.line = line
        if end == after and after is not None and end != here:
            body.append(stack.placed(ast.Break()))
        elif end not in (here, None):
            raise Unreadable("a jump out of a loop")
        stack.emit(ast.While(stack.placed(ast.Constant(True)), body or [stack.placed(ast.Pass())], []))
        return after

    def _behind(self, head: int) -> int | None:
        """Where a ``while`` loop leads: what all ways out of it meet at, else the way out that goes on longest."""
        inside = {head}
        before: dict[int, list[int]] = {}
        reached, waiting = {head}, [head]
        while waiting:
            i = waiting.pop()
            region = self.nodes[i].region
            for t in [*self.nodes[i].succ, *([region] if region in self.nodes else [])]:
                before.setdefault(t, []).append(i)
                if t not in reached:
                    reached.add(t)
                    waiting.append(t)
        waiting = list(before.get(head, []))
        while waiting:
            i = waiting.pop()
            if i not in inside:
                inside.add(i)
                waiting += before.get(i, [])
        join = self.joins.get(head)
        if join is not None and join not in inside:
            return join
        exits = {t for i in inside for t in self.nodes[i].succ if t not in inside}
        return max(exits, key=lambda t: (len(self._from(t)), t), default=None)

    def _from(self, i: int) -> set[int]:
        found, waiting = {i}, [i]
        while waiting:
            for t in self.nodes[waiting.pop()].succ:
                if t not in found:
                    found.add(t)
                    waiting.append(t)
        return found

    # -- leaving blocks -----------------------------------------------------------------------------------

    def _left(self, here: int, stack: Stack, place: Place) -> int | None:
        """The node behind the block that a path has left; None if it returns, or leaves the loop as well."""
        regions, copies = list(place.regions), list(place.copies)
        first = True
        while regions and not self._inside(here, regions[-1]):
            if not first and not self._pending(stack):
                break
            here = self._past_copy(copies[-1], here, stack)
            regions.pop()
            copies.pop()
            first = False
        node = self.nodes[here]
        if self._pending(stack):
            while node.op in ("SWAP", "POP_TOP"):
                stack.do(node)
                here, node = node.succ[0], self.nodes[node.succ[0]]
            if node.op != "RETURN_VALUE":
                raise Unreadable("a value that leaves a block")
            stack.line = node.line
            stack.emit(ast.Return(stack.pop()))
            return None
        if here not in place.stops and self.returns(here, stack):
            out, _, _ = self.read(here, stack.items, Place(place.loops))
            stack.out.extend(out)
            return None
        if node.op == "POP_TOP" and stack.items and isinstance(stack.items[-1], Running) and here not in place.stops:
            return self._step(here, stack, place)
        return here

    def _pending(self, stack: Stack) -> bool:
        return bool(stack.items) and isinstance(stack.items[-1], ast.expr)

    def _past_copy(self, copy: Any, here: int, stack: Stack) -> int:
        if isinstance(copy, Handler):
            return self._handled(here, stack, copy)
        if isinstance(copy, Finally):
            return self._repeated(copy.start, here)
        if isinstance(copy, Exit):
            if self.nodes[here].op == "SWAP":
                stack.do(self.nodes[here])
                here = self.nodes[here].succ[0]
            for op in ("LOAD_CONST", "LOAD_CONST", "LOAD_CONST", "CALL", "POP_TOP"):
                if self.nodes[here].op != op:
                    raise Unreadable("the end of a with block")
                here = self.nodes[here].succ[0]
            if stack.raw() is not copy:
                raise Unreadable("the end of a with block")
        return here

    def _repeated(self, start: int, here: int) -> int:
        """Where the copy of a ``finally`` body ends that begins `here`."""
        seen, waiting, ends = set(), [(start, here)], set()
        while waiting:
            i, j = waiting.pop()
            if (i, j) in seen:
                continue
            seen.add((i, j))
            m, n = self.nodes[i], self.nodes[j]
            if m.op == "RERAISE" and n.op != "RERAISE":
                ends.add(j)
            elif m.op != n.op or constant_key(m.val) != constant_key(n.val) or len(m.succ) != len(n.succ):
                raise Unreadable("the end of a finally block")
            else:
                waiting += zip(m.succ, n.succ, strict=True)
        if len(ends) != 1:
            raise Unreadable("the end of a finally block")
        return ends.pop()

    def _handled(self, here: int, stack: Stack, scope: Handler) -> int:
        """The end of an ``except`` clause."""
        if self.nodes[here].op == "SWAP":
            stack.do(self.nodes[here])
            here = self.nodes[here].succ[0]
        if self.nodes[here].op != "POP_EXCEPT" or not stack.items or stack.raw() is not scope.caught:
            raise Unreadable("the end of a handler")
        here = self.nodes[here].succ[0]
        for op in ("LOAD_CONST", "STORE", "DELETE") if scope.named else ():
            if not self.nodes[here].op.startswith(op):
                raise Unreadable("the end of a handler")
            here = self.nodes[here].succ[0]
        return here

    # -- try and with -------------------------------------------------------------------------------------

    def _try(self, here: int, stack: Stack, place: Place, region: int) -> int | None:
        start = self.nodes[region].succ[0]
        if self.nodes[start].op == "WITH_EXCEPT_START":
            return self._with(here, stack, place, region)
        items = list(stack.items)
        clauses = self._clauses(start, items, place, region)
        if clauses is None:
            return self._finally(here, stack, place, region)
        line = self.nodes[here].line
        body, end, after_items = self.read(here, items, place.inside(region, None))
        handlers, ends = clauses
        meeting = self._meeting(end, [e for e in ends if e is not None], place, stack)
        for handler, e in zip(handlers, ends, strict=True):
            if e is not None and e != meeting:
                handler.body += self._onwards(e, items, place, meeting, stack)
            handler.body = handler.body or [stack.placed(ast.Pass())]
        orelse = self._onwards(end, after_items, place, meeting, stack) if end not in (None, meeting) else []
        stack.line = line
        stack.emit(ast.Try(body or [stack.placed(ast.Pass())], handlers, orelse, []))
        stack.items[:] = items
        return meeting

    def _meeting(self, end: int | None, ends: list[int], place: Place, stack: Stack) -> int | None:
        going_on = [e for e in ends if e not in place.stops and not self.returns(e, stack)] or ends
        if end is not None and (not going_on or end in going_on):
            return end
        return going_on[0] if going_on else None

    def _onwards(
        self, here: int | None, items: list[Any], place: Place, meeting: int | None, stack: Stack
    ) -> list[ast.stmt]:
        """What follows a block on one of several ways, up to where they meet."""
        assert here is not None
        out, end, _ = self.read(here, items, place.with_stops(meeting))
        if end in (None, meeting):
            return out
        loop = place.loops[-1] if place.loops else None
        if loop is not None and end == loop.head:
            return [*out, stack.placed(ast.Continue())]
        if loop is not None and end == loop.after and loop.marker is None:
            return [*out, stack.placed(ast.Break())]
        raise Unreadable("ways out of a handler that do not meet")

    def _clauses(self, start: int, items: list[Any], place: Place, region: int) -> Any:
        """The ``except`` clauses of a handler with the nodes behind each; None if it is no such handler."""
        cleanup = self.nodes[region].region
        if cleanup is None:
            return None
        handlers: list[ast.ExceptHandler] = []
        ends: list[int | None] = []
        here: int | None = start
        while here is not None and self.nodes[here].op != "RERAISE":
            caught = Caught()
            clause = Stack([*items, caught, Caught()], [], self.functions)
            clause.line = self.nodes[here].line
            kind: ast.expr | None = None
            entry: int = here
            following: int | None = None
            if self.nodes[here].op != "POP_TOP":
                read = self._type_of_clause(here, clause)
                if read is None:
                    if handlers:
                        raise Unreadable("an except clause")
                    return None
                kind, entry, following = read
            node = self.nodes[entry]
            name = node.val if node.op.startswith("STORE") else None
            if not node.op.startswith("STORE") and node.op != "POP_TOP":
                raise Unreadable("an except clause")
            made = clause.placed(ast.ExceptHandler(kind, name, []))
            inner = place.inside(cleanup, Handler(caught, name is not None))
            made.body, end, _ = self.read(node.succ[0], [*items, caught], inner)
            handlers.append(made)
            ends.append(end)
            here = following
        return (handlers, ends) if handlers else None

    def _type_of_clause(self, here: int, clause: Stack) -> tuple[ast.expr, int, int] | None:
        while self.nodes[here].op != "CHECK_EXC_MATCH":
            node = self.nodes[here]
            if len(node.succ) != 1 or node.op in ("RERAISE", "POP_EXCEPT", "GET_ITER", "BEFORE_WITH"):
                return None
            try:
                clause.do(node)
            except Unreadable:
                return None
            if clause.out:
                return None
            here = node.succ[0]
        branch = self.nodes[self.nodes[here].succ[0]]
        if branch.op != "BRANCH":
            return None
        return clause.pop(), branch.succ[0], branch.succ[1]

    def _finally(self, here: int, stack: Stack, place: Place, region: int) -> int | None:
        start, cleanup = self.nodes[region].succ[0], self.nodes[region].region
        items = list(stack.items)
        last, end, _ = self.read(
            start, [*items, Caught(), Caught()], place if cleanup is None else place.inside(cleanup, None)
        )
        if end is not None:
            raise Unreadable("a finally block")
        line = self.nodes[here].line
        body, end, _ = self.read(here, items, place.inside(region, Finally(start)))
        stack.line = line
        if len(body) == 1 and isinstance(body[0], ast.Try) and not body[0].finalbody:
            body[0].finalbody = last
            stack.out.append(body[0])
        else:
            stack.emit(ast.Try(body or [stack.placed(ast.Pass())], [], [], last))
        return end

    def _with(self, here: int, stack: Stack, place: Place, region: int) -> int | None:
        position = next((n for n in reversed(range(len(stack.items))) if isinstance(stack.items[n], Exit)), None)
        if position is None:
            raise Unreadable("a with block")
        manager = stack.items[position]
        line = manager.manager.lineno
        body, end, _ = self.read(here, stack.items, place.inside(region, manager))
        del stack.items[position:]
        behind = self._suppressed(region)
        if end is not None and behind is not None and end != behind:
            raise Unreadable("a with block that is left in several ways")
        item = ast.withitem(manager.manager, manager.entered.targets[0])
        stack.line = line
        stack.emit(ast.With([item], body or [stack.placed(ast.Pass())]))
        return behind if behind is not None else end

    def _suppressed(self, region: int) -> int | None:
        """Where a context manager that suppresses an exception leads."""
        branch = self.nodes[self.nodes[self.nodes[region].succ[0]].succ[0]]
        if branch.op != "BRANCH":
            return None
        here = branch.succ[0]
        for op in ("POP_TOP", "POP_EXCEPT", "POP_TOP", "POP_TOP"):
            if self.nodes[here].op != op:
                raise Unreadable("the end of a with block")
            here = self.nodes[here].succ[0]
        return here


FOR_POPS = "CALL_KW" in __import__("dis").opmap  # since 3.13 the iterator is popped by an instruction of its own
