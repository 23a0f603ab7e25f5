"""Iterators that a loop goes through at once, as the loops that they stand for: of generator expressions, `map` ...

What such an iterator calls is called when its turn comes, just as in the program: right before the body of the loop.
"""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

from morula.static.python.bindings import breaks
from morula.static.python.comprehensions import Given
from morula.static.python.cursors import Cursors
from morula.static.python.ir import Program, Unsupported
from morula.static.python.scopes import Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.streams import stream_for
from morula.static.python.things import Turns, is_known_list
from morula.transform.syntax import walk

__all__ = ["Iterables"]

STREAMS = (map, filter, itertools.accumulate, itertools.starmap)
CONSUMERS = (sum, list, tuple, max, min, any, all, sorted)


class Enough(Exception):
    """What a comprehension is left by before its end."""


class Iterables(Cursors):
    """The part of a `front.Builder` that goes through such iterators."""

    lists_are_things: bool
    has_lists: bool
    value: Callable[[ast.expr], Any]
    block: Callable[[list[ast.stmt]], str]
    is_outside: Callable[[str], bool]
    _comprehended: Callable[..., None]
    _unused: Callable[[str], str]
    generator_of: Callable[[ast.expr], Any]
    check_beside: Callable[[list[ast.expr]], None]
    given: Callable[[dict[str, Any], Any], str]
    program: Program
    _enumerated: Callable[[ast.expr], Any]
    _renamed: Callable[[Any], tuple[ast.expr, list[ast.comprehension]]]

    def first_of(self, node: ast.GeneratorExp, default: list[ast.expr]) -> Any:
        """``next(x for x in items if test)``; of items that are known, those behind the first are not looked at."""
        self.has_lists = True
        items = node.generators[0].iter
        is_known = self.lists_are_things and isinstance(items, ast.Name | ast.Attribute)
        if len(node.generators) == 1 and not (is_known and is_known_list(self.value(items))):
            return self._first_by_loop(node, default)
        found: list[Any] = []

        def take(inner: Any) -> None:
            found.append(self.held(self.value(inner.elt)))
            raise Enough

        try:
            self._comprehended(node, take)
        except Enough:
            return found[0]
        if not default:
            raise Unsupported("next of an iterator that has come to its end", self.line)
        return self.value(default[0])

    def _first_by_loop(self, node: ast.GeneratorExp, default: list[ast.expr]) -> Any:
        """The same as a loop that is left; without a `default`, what it has not found is read as a failure."""
        items, (loop,) = self._renamed(node)
        name = self._own("first")
        body: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], items), ast.Break()]
        for test in reversed(loop.ifs):
            body = [ast.If(test, body, [])]
        otherwise: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], v) for v in default]
        line = self.line
        self.block(self._placed([ast.For(loop.target, loop.iter, body, otherwise)], node))
        self.line = line
        return self.value(ast.copy_location(ast.Name(name, ast.Load()), node))

    def stream_of(self, node: ast.expr) -> Any:
        """The function that gives an iterator, if a call is one of such a function; else None."""
        if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
            return None
        owner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        if isinstance(owner, Given):
            found = owner.value
        elif not isinstance(owner, ast.Name) or not self.is_outside(owner.id):
            return None
        else:
            found = self.value(owner)
        if isinstance(node.func, ast.Attribute):
            if not isinstance(found, Static) or found.value is not itertools:
                return None
            found = self.value(node.func)
        f = found.value if isinstance(found, Static) and not isinstance(found.value, ModuleType) else None
        return f if any(f is streaming for streaming in STREAMS) and not has_own_rule(f) else None

    def over_stream(self, s: ast.For) -> list[ast.stmt] | None:
        """A loop over such an iterator as one over what that goes through; None for something else."""
        if isinstance(s.iter, ast.GeneratorExp):
            return self._over_expression(s, s.iter)
        if (chained := self._chained_by(s.iter)) is not None:
            return self._over_expression(s, chained)
        if (calls := self._over_calls(s)) is not None:
            return calls
        f, call = self.stream_of(s.iter), s.iter
        if f is None or not isinstance(call, ast.Call):
            return None
        if f is itertools.accumulate:
            return self._accumulated(s, call)
        if call.keywords or len(call.args) < 2 or (len(call.args) > 2 and f is not map):
            return None
        function = call.args[0]
        is_none = isinstance(function, ast.Constant) and function.value is None
        called: ast.expr = function if f is filter and is_none else Given(self.value(function))
        each = [self._own("item") for _ in call.args[1:]]
        items: list[ast.expr] = [ast.Name(name, ast.Load()) for name in each]
        if f is filter:
            test = items[0] if is_none else ast.Call(called, items, [])
            body: list[ast.stmt] = [ast.If(test, [ast.Assign([s.target], items[0]), *s.body], [])]
        else:
            given: list[ast.expr] = [ast.Starred(items[0], ast.Load())] if f is itertools.starmap else items
            body = [ast.Assign([s.target], ast.Call(called, given, [])), *s.body]
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in each]
        if len(each) == 1:
            return self._placed([ast.For(targets[0], call.args[1], body, [])], s)
        together = ast.Call(Given(Static(zip)), call.args[1:], [])
        return self._placed([ast.For(ast.Tuple(targets, ast.Store()), together, body, [])], s)

    def counted_stream(self, s: ast.For) -> list[ast.stmt] | None:
        """``for i, x in enumerate(f()): body``, with a variable that counts; None for something else."""
        it = s.iter
        if not isinstance(s.target, ast.Tuple) or len(s.target.elts) != 2 or not isinstance(it, ast.Call):
            return None
        given = [*it.args, *[k.value for k in it.keywords]]
        is_stream = bool(given) and (isinstance(given[0], ast.GeneratorExp) or self._is_stream(given[0]))
        if len(given) > 2 or not is_stream or self._enumerated(it) is None:
            return None
        name = self._own("count")
        count = ast.Name(name, ast.Load())
        first = ast.Assign([ast.Name(name, ast.Store())], given[1] if given[1:] else ast.Constant(0))
        shown = ast.Assign([s.target.elts[0]], count)
        more = ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), ast.Constant(1))
        return self._placed([first, ast.For(s.target.elts[1], given[0], [shown, more, *s.body], [])], s)

    def of_tuples(self, s: ast.For) -> list[ast.stmt] | None:
        """``for pair in zip(a, b): body``, where the pair is put together from its parts; None for something else."""
        it = s.iter
        if not isinstance(s.target, ast.Name) or not isinstance(it, ast.Call):
            return None
        f = it.func.value.value if isinstance(it.func, Given) and isinstance(it.func.value, Static) else None
        f = self._resolved(it.func) if f is None else f
        n = len(it.args) if f is zip else 2 if f is enumerate or f is itertools.pairwise else 0
        if n < 2 or has_own_rule(f) or any(isinstance(a, ast.Starred) for a in it.args):
            return None
        names = [self._own("part") for _ in range(n)]
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        whole = ast.Assign([s.target], ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load()))
        return self._placed([ast.For(target, it, [whole, *s.body], [])], s)

    def _resolved(self, node: ast.expr) -> Any:
        """The callable that a name from outside stands for, or an attribute of what it stands for; None for others."""
        if isinstance(node, ast.Attribute):
            owner = self._resolved(node.value)
            is_known = owner is itertools or owner is itertools.chain
            return getattr(owner, node.attr, None) if is_known else None
        if not isinstance(node, ast.Name) or not self.is_outside(node.id):
            return None
        found = self.value(node)
        return found.value if isinstance(found, Static) else None

    def _chained_by(self, node: ast.expr) -> ast.GeneratorExp | None:
        """``itertools.chain.from_iterable(rows)`` as a generator expression."""
        if (
            not isinstance(node, ast.Call)
            or node.keywords
            or len(node.args) != 1
            or isinstance(node.args[0], ast.Starred)
        ):
            return None
        f = self._resolved(node.func)
        if f is None or f != itertools.chain.from_iterable or has_own_rule(itertools.chain):
            return None
        row, each = self._own("row"), self._own("item")
        loops = [
            ast.comprehension(ast.Name(row, ast.Store()), node.args[0], [], 0),
            ast.comprehension(ast.Name(each, ast.Store()), ast.Name(row, ast.Load()), [], 0),
        ]
        return self._placed([ast.GeneratorExp(ast.Name(each, ast.Load()), loops)], node)[0]

    def _over_calls(self, s: ast.For) -> list[ast.stmt] | None:
        """``for target in iter(f, end): body``, where that is a number as it is written."""
        call = s.iter
        if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 2 or s.orelse:
            return None
        end = call.args[1]
        end = end.operand if isinstance(end, ast.UnaryOp) and isinstance(end.op, ast.USub) else end
        if (
            self._resolved(call.func) is not iter
            or not isinstance(end, ast.Constant)
            or type(end.value) not in (int, float)
        ):
            return None
        item = self._own("item")
        read = ast.Name(item, ast.Load())
        body: list[ast.stmt] = [
            ast.Assign([ast.Name(item, ast.Store())], ast.Call(Given(self.value(call.args[0])), [], [])),
            ast.If(ast.Compare(call.args[1], [ast.Eq()], [read]), [ast.Break()], []),
            ast.Assign([s.target], read), *s.body,
        ]  # fmt: skip
        return self._placed([ast.While(ast.Constant(True), body, [])], s)

    def _over_expression(self, s: ast.For, node: ast.GeneratorExp) -> list[ast.stmt] | None:
        if len(node.generators) > 1 and breaks(s.body):
            return None
        items, generators = self._renamed(node)
        body: list[ast.stmt] = [ast.Assign([s.target], items), *s.body]
        for g in reversed(generators):
            for test in reversed(g.ifs):
                body = [ast.If(test, body, [])]
            body = [ast.For(g.target, g.iter, body, [])]
        return self._placed(body, s)

    def _accumulated(self, s: ast.For, call: ast.Call) -> list[ast.stmt] | None:
        """``for target in itertools.accumulate(items, f): body``."""
        given = dict(zip(("iterable", "func"), call.args, strict=False)) | {k.arg: k.value for k in call.keywords}
        if "iterable" not in given or not given.keys() <= {"iterable", "func"} or len(call.args) > 2:
            return None
        f = given.get("func")
        total, each, begun = self._own("total"), self._own("item"), self._own("begun")
        old, item = ast.Name(total, ast.Load()), ast.Name(each, ast.Load())
        more: ast.expr = ast.BinOp(old, ast.Add(), item)
        if f is not None and not (isinstance(f, ast.Constant) and f.value is None):
            more = ast.Call(Given(self.value(f)), [old, item], [])
        step = ast.If(
            ast.Name(begun, ast.Load()), [ast.Assign([ast.Name(total, ast.Store())], more)],
            [ast.Assign([ast.Name(total, ast.Store())], item),
             ast.Assign([ast.Name(begun, ast.Store())], ast.Constant(True))],
        )  # fmt: skip
        loop = ast.For(
            ast.Name(each, ast.Store()), given["iterable"], [step, ast.Assign([s.target], old), *s.body], []
        )  # fmt: skip
        return self._placed([ast.Assign([ast.Name(begun, ast.Store())], ast.Constant(False)), loop], s)

    def consumed(self, f: Any, node: ast.Call) -> ast.Call | None:
        """A call that takes all of such an iterator, with a generator expression in its place."""
        is_known = any(f is g for g in (*CONSUMERS, functools.reduce))
        if node.args and isinstance(node.args[0], ast.GeneratorExp):
            vars(node.args[0])["is_taken_at_once"] = is_known and f is not functools.reduce and len(node.args) == 1
        chained = self._chained_by(node.args[0]) if is_known and node.args else None
        if chained is not None:
            is_list = f in (list, tuple) and len(node.args) == 1
            given = ast.ListComp(chained.elt, chained.generators) if is_list else chained
            call = ast.Call(node.func, [ast.copy_location(given, node), *node.args[1:]], node.keywords)
            return self._placed([call], node)[0]
        if not is_known or not node.args or self.lists_are_things or not self._is_stream(node.args[0]):
            return None
        each = self._own("item")
        loop = ast.comprehension(ast.Name(each, ast.Store()), node.args[0], [], 0)
        item = ast.Name(each, ast.Load())
        is_list = f in (list, tuple) and len(node.args) == 1
        all_of_it = ast.ListComp(item, [loop]) if is_list else ast.GeneratorExp(item, [loop])
        found = ast.Call(node.func, [ast.copy_location(all_of_it, node), *node.args[1:]], node.keywords)
        return self._placed([found], node)[0]

    def streamed(self, callee: Any, node: ast.Call) -> Any:
        """What is called, or the generator function that stands for it."""
        stream = stream_for(callee.value, node) if isinstance(callee, Static) else None
        return callee if stream is None else Static(stream, self.given(self.program.space, stream))

    def _is_stream(self, node: ast.expr) -> bool:
        if self.stream_of(node) is not None or self.generator_of(node) is not None:
            return True
        return isinstance(node, ast.Call) and stream_for(self._resolved(node.func), node) is not None

    def turns_of_stream(self, f: Any, args: list, node: ast.Call) -> Turns | None:
        """``map(f, items)`` of items that are known, each of which is read when its turn comes; None otherwise."""
        if f is itertools.accumulate:
            return self._sums(args, node)
        turns = [self.turns_of(v) for v in args[1:]]
        if f is not map or not turns or any(t is None for t in turns):
            return None
        function = ast.copy_location(Given(args[0]), node)

        def one(values: tuple[Callable[[], Any], ...]) -> Any:
            given: list[ast.expr] = [ast.copy_location(Given(v()), node) for v in values]
            return self.value(ast.copy_location(ast.Call(function, given, []), node))

        things = tuple([thing for t in turns if t for thing in t.things])
        rows = zip(*[t.values for t in turns if t], strict=False)
        return Turns([partial(one, row) for row in rows], things)

    def _sums(self, args: list, node: ast.Call) -> Turns | None:
        """``itertools.accumulate(items, f)`` of items that are known."""
        turns = self.turns_of(args[0]) if 1 <= len(args) <= 2 else None
        if turns is None:
            return None
        totals: list[Any] = []

        def one(place: int, value: Callable[[], Any]) -> Any:
            if place != len(totals):
                raise Unsupported("totals that are read in another order", self.line)
            x: ast.expr = ast.copy_location(Given(value()), node)
            if totals:
                total: ast.expr = ast.copy_location(Given(totals[-1]), node)
                more = ast.BinOp(total, ast.Add(), x)
                x = ast.copy_location(ast.Call(Given(args[1]), [total, x], []) if args[1:] else more, node)
            totals.append(self.held(self.value(x)))
            return totals[-1]

        return Turns([partial(one, i, v) for i, v in enumerate(turns.values)], turns.things)

    def folded_by(self, node: ast.Call) -> Any:
        """``functools.reduce(f, items)``: the last of what `itertools.accumulate` gives."""
        function, items = node.args
        name, each = self._own("found"), self._own("item")
        stream = ast.Call(Given(Static(itertools.accumulate)), [items, function], [])
        keep = ast.Assign([ast.Name(name, ast.Store())], ast.Name(each, ast.Load()))
        line = self.line
        self.block(self._placed([ast.For(ast.Name(each, ast.Store()), stream, [keep], [])], node))
        self.line = line
        return self.value(ast.copy_location(ast.Name(name, ast.Load()), node))

    def _own(self, stem: str) -> str:
        name = self._unused(stem)
        self.scopes[-1].own.add(name)
        return name

    def _placed(self, nodes: list[Any], s: ast.AST) -> list[Any]:
        for node in nodes:
            for n in walk(node):
                if isinstance(n, ast.stmt | ast.expr) and not hasattr(n, "lineno"):
                    ast.copy_location(n, s)
        return nodes
