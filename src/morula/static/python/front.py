"""From the source of a function to the form that is reversed, with the functions that it calls written into it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

from morula.static.python.containers import POISON, is_integer, same
from morula.static.python.expressions import OPERATORS, Expressions
from morula.static.python.ir import (
    Again,
    Block,
    Branch,
    Compute,
    Fail,
    Input,
    Loop,
    Program,
    Set,
    Sub,
    Unsupported,
    atoms_of,
)  # fmt: skip
from morula.static.python.scopes import Array, ListOf, Scope, Small, Static, assigned, breaks, jumps, returns
from morula.static.python.things import Rigid, Thing, Turns, is_number_like, merged
from morula.static.python.tidy import settle
from morula.static.python.types import types_of_argument
from morula.transform import SourceUnavailable, reading_of

__all__ = ["Builder"]

SHORT = 12  # turns of a loop that is written out rather than that a variable holds copies
ATTEMPTS = 20  # to build a program
LARGEST = 4000  # statements of a program
LARGEST_UNROLLED = 1500  # where a loop is written out
FALLS, MAYBE, JUMPS = "falls", "maybe", "jumps"  # through a statement: always, not always, never


class Builder(Expressions):
    """Builds one `Program`.

    `is_plain` says of a Python function whether nothing but its code tells what it means. A function that returns
    several numbers is one of their sum with `weights`, an array that is another argument then, behind its own.
    Arrays of few numbers become numbers where they can, if they are to be small.
    """

    def __init__(
        self,
        function: FunctionType,
        args: Sequence[Any],
        wanted: tuple[int, ...],
        is_plain: Callable[[FunctionType], bool],
        weights: Any = None,
        captured: Sequence[str] = (),
        is_small: bool = True,
    ):
        self.is_plain = is_plain
        self.is_small = is_small
        self.recursive = set()
        self.layouts = {}
        self.by_reference, self.by_slices, self.shared, self.vague, self.rewritten = set(), set(), set(), set(), set()
        self.by_length, self.looked_at = False, set()
        self.unrolled: set[Any] = set()  # loops that are written out
        self.lists_are_things = False
        self.copies, self.never_copied = set(), set()
        first: Unsupported | None = None  # what the first attempt failed of
        for _ in range(ATTEMPTS):
            self._begin(function, wanted, weights is not None, captured)
            try:
                self._build(function, args, weights)
                self.check_views()
                self.spent -= {a for s in self.program.statements() for a in atoms_of(s)}
                for block in (self.program.body, *[sub.body for sub in self.program.subs]):
                    without(block, self.spent)
                return
            except Again:
                continue
            except Unsupported as reason:
                if isinstance(reason, Rigid) and reason.name not in (None, *self.copies, *self.never_copied):
                    self.copies.add(reason.name)
                    continue
                reason.may_be_large = self.program.is_small
                if self.scopes and self.scopes[-1].function is not function:
                    reason.function = self.scopes[-1].function.__qualname__
                first = first or reason
                if not self.lists_are_things and self.has_lists:
                    self.lists_are_things = True
                    continue
                raise first from None
        raise Unsupported("a program that is found out only by many attempts")

    def _begin(self, function: FunctionType, wanted: tuple, is_weighted: bool, captured: Sequence[str]) -> None:
        self.program = Program(function, wanted=wanted, weighted=is_weighted)
        self.program.captured = dict.fromkeys(captured)
        self.out: Block = self.program.body
        self.hole: Block | None = None  # where a branch goes on that has not jumped, if there is just one
        self.count = 0
        self.size = 0
        self.scopes: list[Scope] = []
        self.inputs: dict[Any, Any] = {}  # by where they are read
        self.computed: dict[str, Compute] = {}
        self.once: dict[str, str] = {}  # what is assigned to variables that are assigned just once
        self.given_ints: dict[str, tuple[str, int]] = {}
        self.shape_of_input: dict[str, tuple[int, ...]] = {}
        self.spent: set[str] = set()  # temporaries that nobody needs
        self._samples: dict[Any, Any] = {}
        self.line = 0
        self.subs: dict[Any, Sub] = {}
        self.expected: set[Any] = set()
        self.reads, self.reads_in = {}, self.out
        self.changing, self.snapshots, self.viewed = set(), {}, set()
        self.iterating = self.defining = 0
        self.alone, self.swaps, self.own = set(), [], {}
        self.target = ""
        self.from_outside: dict[int, Thing] = {}
        self.prologue: dict[str, str] = {}
        self.leaves: dict[str, Any] = {}
        self.classes: dict[type, Any] = {}
        self.pending: dict[int, Any] = {}
        self.sub: Any = None
        self.in_argument = False
        self.has_lists = False

    # -- the function itself ------------------------------------------------------------------------------

    def _build(self, function: FunctionType, args: Sequence[Any], weights: Any) -> None:
        scope = Scope(function, 0)
        node = self.definition(function)
        names = self.parameters(node)
        defaults = function.__defaults__ or ()
        missing = len(names) - len(args)
        if not 0 <= missing <= len(defaults):
            raise Unsupported("a call that does not fit")
        rebound = assigned(node)
        if missing:
            self.guard(f"len(function.__defaults__) == {len(defaults)}")
        values = [self.argument(i, x, name) for i, (x, name) in enumerate(zip(args, names, strict=False))]
        if weights is not None:
            if missing:
                raise Unsupported("a call that leaves out arguments")
            values.append(self.input(f"a{len(names)}", "", weights, "weights"))
        self.program.n_args = len(values)
        self.in_argument = True
        structured = {i: self.of_outside(f"a{i}", x, names[i]) for i, x in self.pending.items()}
        self.in_argument = False
        for i, name in enumerate(names):
            if i < len(args):
                found = structured.get(i, values[i])
            else:
                j = len(defaults) - len(names) + i
                found = self.of_outside(f"function.__defaults__[{j}]", defaults[j], name)
            key = (function.__code__, name)
            if isinstance(found, ListOf) and i < len(args):
                self.own[frozenset([key])] = found.var
            if isinstance(found, ListOf) and key in self.by_slices:
                rebound = rebound | {name}
            if name in rebound and not is_number_like(found) and not isinstance(found, ListOf):
                scope.things[name] = self.kept_of(scope, name, found)
            elif name in rebound and isinstance(found, str):
                self.emit(Set(scope.variable(name), found))
                scope.numbers.add(name)
                scope.sure[-1].add(name)
            elif name in rebound:
                self.scopes.append(scope)
                self.bind(scope, name, found)
                self.scopes.pop()
            else:
                scope.bound[name] = found
        self.body(scope, node)
        if weights is not None:
            scope.result = self._weighted(scope.result, values[-1], len(weights))
        if not isinstance(scope.result, str):
            raise Unsupported("a value that is no number")
        self.program.result = scope.result
        settle(self.program, self.prologue)
        self.program.structures = self.structures_of(structured)

    def argument(self, i: int, x: Any, name: str) -> Any:
        if types_of_argument(x) is not None:
            return self.input(f"a{i}", "", x, name)
        self.program.inputs.append(Input(f"a{i}", f"a{i}", type(x), frozenset()))
        self.pending[i] = x
        return None

    def _weighted(self, result: Any, weights: ListOf, n: int) -> str:
        """The variable of a sum of results."""
        if isinstance(result, Array) and result.shape == weights.shape:
            total = self.array_operator("matmul", result, weights)
            self.emit(Set("weighted", total))
            return "weighted"
        numbers = (result,) if isinstance(result, str) else result.parts if isinstance(result, Small) else result
        if not isinstance(numbers, tuple) or len(numbers) != n:
            raise Unsupported("a value of another length")
        total = "0.0"
        for i, number in enumerate(numbers):
            product = self.compute("mul", number, self.compute("index", weights.var, str(i)))
            total = self.compute("add", total, product)
        self.emit(Set("weighted", total))
        return "weighted"

    def definition(self, function: FunctionType) -> Any:
        code = function.__code__
        if code.co_flags & 0x2A0 or code.co_kwonlyargcount or code.co_flags & 0x0C:  # generators, coroutines, *, **
            raise Unsupported("a function that is no ordinary one of positional arguments")
        try:
            node = reading_of(code).node
        except SourceUnavailable as reason:
            raise Unsupported(str(reason)) from None
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            raise Unsupported("a function that is no ordinary one")
        self.expect_writes(code, node)
        return node

    def parameters(self, node: Any) -> list[str]:
        return [a.arg for a in (*node.args.posonlyargs, *node.args.args)]

    def body(self, scope: Scope, node: Any) -> None:
        self.scopes.append(scope)
        if isinstance(node, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            body = node.body
        start = len(self.out)
        out = self.out
        status = self.block(body)
        if status != JUMPS:
            is_none = isinstance(scope.result, Static) and scope.result.value is None
            scope.result = None if scope.result is None or is_none else Unsupported
        out.insert(start, Set(scope.returned, "False"))
        self.scopes.pop()
        self.out = out

    # -- statements ---------------------------------------------------------------------------------------

    def emit(self, statement: Any) -> None:
        self.size += 1
        if self.size > (LARGEST_UNROLLED if self.unrolled else LARGEST):
            raise Unsupported("a function that is too large")
        self.forget(statement)
        self.out.append(statement)

    def block(self, statements: Sequence[ast.stmt]) -> str:
        """Build statements one after the other, the rest of them where nothing has jumped."""
        for i, s in enumerate(statements):
            self.line, self.hole = getattr(s, "lineno", 0), None
            method = getattr(self, f"_{type(s).__name__}", None)
            if method is None:
                raise Unsupported(f"{type(s).__name__} statements", self.line)
            status = method(s)
            if status == FALLS:
                continue
            if status == JUMPS or i + 1 == len(statements):
                return status
            scope = self.scopes[-1]
            scope.sure.append(set())  # what follows stands in a branch
            if self.hole is None:
                branch = Branch(scope.loops[-1][0] if scope.loops else scope.returned)
                self.emit(branch)
                self.out = branch.orelse
            else:
                self.out = self.hole
            after = self.block(statements[i + 1 :])
            scope.sure.pop()
            return JUMPS if after == JUMPS else MAYBE
        return FALLS

    def inside(self, block: Block, statements: Sequence[ast.stmt]) -> tuple[str, Block, set[str]]:
        """Build statements into a block.

        Returns:
            How they are passed, the block in which whatever follows them stands, and the names that they then bind.
        """
        out, self.out = self.out, block
        scope = self.scopes[-1]
        scope.sure.append(set())
        status = self.block(statements)
        bound = scope.sure.pop()
        end, self.out = self.out, out
        return status, end, bound if status == FALLS else set()

    def _Pass(self, s: ast.Pass) -> str:
        return FALLS

    def _Expr(self, s: ast.Expr) -> str:
        if not isinstance(s.value, ast.Constant):
            self.value(s.value)
        return FALLS

    def _Assert(self, s: ast.Assert) -> str:
        if __debug__:
            self.emit(Branch(self.truth(s.test), [], [Fail()]))
        return FALLS

    def _Raise(self, s: ast.Raise) -> str:
        self.emit(Fail())
        return JUMPS

    def _Try(self, s: ast.Try) -> str:
        if s.finalbody and jumps([*s.body, *s.orelse]):
            raise Unsupported("a jump out of a block with finally", self.line)
        return self.block(
            [*s.body, *s.orelse, *s.finalbody]
        )  # whatever raises is the eager tier's, also if it is caught

    def _Assign(self, s: ast.Assign) -> str:
        self.target = s.targets[0].id if isinstance(s.targets[0], ast.Name) else ""
        if self.swapped(s):
            return FALLS
        value = self.value(s.value)
        self.target = ""
        first, *others = s.targets
        self.assign(first, value)
        if others and not isinstance(value, str):
            if not isinstance(first, ast.Name):
                raise Unsupported("an array or a tuple of several names", self.line)
            value = self.value(ast.copy_location(ast.Name(first.id, ast.Load()), first))
        for target in others:
            self.assign(target, value)
        return FALLS

    def _AnnAssign(self, s: ast.AnnAssign) -> str:
        if s.value is not None:
            self.assign(s.target, self.value(s.value))
        return FALLS

    def _AugAssign(self, s: ast.AugAssign) -> str:
        if isinstance(s.target, ast.Attribute):
            return self._changed_part(s, self.value(s.target.value), s.target)
        owner = self.thing_written(s.target) if isinstance(s.target, ast.Subscript) else None
        if owner is not None and isinstance(s.target, ast.Subscript):
            return self._changed_part(s, owner, s.target)
        if isinstance(s.target, ast.Name) and (known := self.thing_named(s.target.id)) is not None:
            self.assign(s.target, self.thing_operator(s.op, known, self.value(s.value), True))
            return FALLS
        if type(s.op) not in OPERATORS:
            raise Unsupported("an augmented assignment of something else than a number or an item", self.line)
        if isinstance(s.target, ast.Subscript):
            self.store_augmented(s.op, s.target, s.value)
            return FALLS
        old = self.value(ast.copy_location(ast.Name(s.target.id, ast.Load()), s.target))
        value = self.value(s.value)
        if isinstance(old, str):
            self.assign(s.target, self.operated(s.op, old, self.operand(value)))
        else:
            self.augmented(s.target, s.op, old, value)
        return FALLS

    def thing_written(self, target: ast.Subscript) -> Thing | None:
        """The list or the dict that an item is assigned of; None where it is an array or a list of numbers."""
        owner = self.value(target.value)
        if isinstance(owner, Thing):
            return owner
        if any(isinstance(n, ast.Call) for n in ast.walk(target.value)):  # which would be called twice
            raise Unsupported("writing into something else than an array or a list of numbers", self.line)
        return None

    def _changed_part(self, s: ast.AugAssign, owner: Any, target: ast.Attribute | ast.Subscript) -> str:
        """An augmented assignment to an attribute or an item of a thing."""
        if not isinstance(owner, Thing):
            raise Unsupported("an augmented assignment of something else than a number", self.line)
        if isinstance(target, ast.Attribute):
            old = self.attribute_of(owner, target.attr)
        else:
            old = self.item_of(owner, target.slice)
        new = self.value(s.value)
        if isinstance(old, Thing):
            found = self.thing_operator(s.op, old, new, True)
        elif isinstance(old, str) and isinstance(new, str) and type(s.op) in OPERATORS:
            found = self.compute(OPERATORS[type(s.op)], old, new)
        else:
            raise Unsupported("an augmented assignment of something else than a number", self.line)
        if isinstance(target, ast.Attribute):
            self.set_attribute(owner, target.attr, found)
        else:
            self.set_item(owner, target.slice, found)
        return FALLS

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, ListOf):
                value = self.items(value, len(target.elts)) if value.is_vector else self.as_array(value)
            if isinstance(value, Array) and value.shape[0] == len(target.elts):
                value = tuple([self.read(value, [str(i)], False) for i in range(value.shape[0])])
            value = value.parts if isinstance(value, Small) else tuple(value) if isinstance(value, tuple) else value
            if not isinstance(value, tuple) or len(value) != len(target.elts):
                raise Unsupported("unpacking of something else than a tuple of that length", self.line)
            for each, part in zip(target.elts, self.held(value), strict=True):
                self.assign(each, part)
            return
        if isinstance(target, ast.Attribute):
            self.set_attribute(self.value(target.value), target.attr, value)
            return
        if isinstance(target, ast.Subscript):
            owner = self.thing_written(target)
            if owner is not None:
                self.set_item(owner, target.slice, value)
            else:
                self.store(target, value)
            return
        if not isinstance(target, ast.Name):
            raise Unsupported("an assignment to something else than a variable", self.line)
        scope = self.scopes[-1]
        if not is_number_like(value) and not isinstance(value, ListOf):
            value = self.held(value)
            scope.things[target.id] = self.kept_of(scope, target.id, value)
            return
        scope.things.pop(target.id, None)
        if is_integer(value):
            scope.things[target.id] = value
        if not isinstance(value, str):
            self.bind(scope, target.id, value)
            return
        if target.id in scope.bound:
            raise Unsupported(f"{target.id!r}, which is a tuple or an array elsewhere", self.line)
        scope.numbers.add(target.id)
        self.emit(Set(scope.variable(target.id), value))
        scope.sure[-1].add(target.id)
        if scope.stores is None:
            scope.stores = counted(self.definition(scope.function))
        if scope.stores[target.id] == 1:
            self.once[scope.variable(target.id)] = value

    def placed(self, value: Any, name: str) -> tuple[Any, list[tuple[str, str]]]:
        """The value with variables in place of its atoms, called after `name`; these variables with the atoms."""
        value = self.in_one_form(value)
        found: list[tuple[str, str]] = []

        def variable(atom: str) -> str:
            found.append((name.format(len(found)), atom))
            return found[-1][0]

        return self.each(variable, value), found

    def in_one_form(self, value: Any) -> Any:
        """A value without arrays from outside in two forms."""
        if isinstance(value, tuple):
            return self.likewise(value, [self.in_one_form(v) for v in value])
        if isinstance(value, ListOf) and value.measured:
            if value.origins <= self.by_reference:
                return self.varying(value, self.same_list(value).var)
            self.seen(value)
            value = self.tagged(value, value.origins)
        if not isinstance(value, str | Small | Array | ListOf):
            raise Unsupported("a value that is no number", self.line)
        return value

    def several(self, scope: Scope, name: str, value: Any) -> None:
        """Assign a tuple or an array to a variable, which holds such a thing wherever it is assigned."""
        if name in scope.numbers:
            raise Unsupported(f"{name!r}, which is a number elsewhere", self.line)
        held, pairs = self.placed(value, f"v{scope.number}_{{}}_{name}")
        parts = [part for part, _ in pairs]
        scope.tuples.add(name)
        scope.sure[-1].add(name)
        if scope.bound.setdefault(name, held) != held:
            raise Unsupported(f"{name!r}, which is something else elsewhere", self.line)
        kept = [self.copy(v) if v in parts else v for _, v in pairs]
        for part, v in zip(parts, kept, strict=True):
            self.emit(Set(part, v))

    def copy(self, atom: str) -> str:
        """A temporary that holds what an atom holds now."""
        target = self.compute("copy", atom)
        if atom in self.program.shapes:
            self.program.shapes[target] = self.program.shapes[atom]
        return target

    def _Return(self, s: ast.Return) -> str:
        scope, value = self.scopes[-1], Static(None) if s.value is None else self.value(s.value)
        if isinstance(scope.result, Static) and isinstance(value, Static) and scope.result.value is value.value:
            value = scope.result
        if not is_number_like(value) and not isinstance(value, ListOf):
            result = self.kept_of(scope, "return", self.held(value))
            key = (scope.function.__code__, "return")
            if isinstance(result, Thing) and isinstance(scope.result, Thing) and scope.result is not result:
                if key not in self.copies | self.never_copied:
                    self.copies.add(key)
                    raise Again
        elif isinstance(value, str):
            result = f"result{scope.number}"
            self.emit(Set(result, value))
        elif isinstance(value, ListOf) and (not value.measured or value.origins <= self.by_reference):
            result = self.varying(value, f"result{scope.number}")
            self.emit(Set(result.var, value.var))
        else:
            result, pairs = self.placed(value, f"result{scope.number}_{{}}")
            self.seen(value)
            for var, v in pairs:
                self.emit(Set(var, v))
        result = self.left(scope, result)
        if scope.result is not None and type(scope.result) is not type(result):
            raise Unsupported("values of several kinds", self.line)
        is_other = scope.result is not result if isinstance(result, Thing) else scope.result != result
        if scope.result is not None and is_other:
            raise Unsupported("values of several kinds", self.line)
        scope.result = result
        self.emit(Set(scope.returned, "True"))
        for skip, leave in scope.loops:
            self.emit(Set(skip, "True"))
            self.emit(Set(leave, "True"))
        return JUMPS

    def _Break(self, s: ast.Break) -> str:
        skip, leave = self.scopes[-1].loops[-1]
        self.emit(Set(skip, "True"))
        self.emit(Set(leave, "True"))
        return JUMPS

    def _Continue(self, s: ast.Continue) -> str:
        self.emit(Set(self.scopes[-1].loops[-1][0], "True"))
        return JUMPS

    def _If(self, s: ast.If) -> str:
        test = self.truth(s.test)
        if test in ("True", "False"):
            return self.block(s.body if test == "True" else s.orelse)
        branch, scope = Branch(test), self.scopes[-1]
        self.emit(branch)
        known, alone = dict(scope.things), set(self.alone)
        one, end, bound = self.inside(branch.body, s.body)
        then, scope.things = scope.things, known
        after, self.alone = self.alone, alone
        other, other_end, other_bound = self.inside(branch.orelse, s.orelse)
        self.alone &= after
        if one == JUMPS or other == JUMPS:
            scope.things = scope.things if one == JUMPS else then
        else:
            scope.things = merged(then, scope.things, POISON)
        if one == other and one in (FALLS, JUMPS):
            self.scopes[-1].sure[-1] |= bound & other_bound
            return one
        if {one, other} == {FALLS, JUMPS}:  # what follows stands in the one that falls
            self.scopes[-1].sure[-1] |= bound | other_bound
        self.hole = end if (one, other) == (FALLS, JUMPS) else other_end if (one, other) == (JUMPS, FALLS) else None
        return MAYBE

    def _While(self, s: ast.While) -> str:
        if s.orelse:
            raise Unsupported("else after a loop", self.line)
        return self._loop(None, (), s.body, s.test, [])

    def _For(self, s: ast.For) -> str:
        if s.orelse:
            raise Unsupported("else after a loop", self.line)
        it, targets = s.iter, [s.target]
        scope = self.scopes[-1]
        if self.is_call_of(it, range):
            known = self.known_range(it.args)  # type: ignore[attr-defined]
            if known is not None and self._is_unrolled(s):
                return self._unrolled(s, [Turns([partial(same, v) for v in known])], targets, False)
            if not isinstance(s.target, ast.Name) or s.target.id in scope.bound:
                raise Unsupported("a loop over something else than numbers", self.line)
            args = tuple([self.number(a) for a in it.args])  # type: ignore[attr-defined]
            scope.numbers.add(s.target.id)
            variable = scope.variable(s.target.id)
            scope.things.pop(s.target.id, None)
            try:
                return self._loop(variable, args, s.body, None, [])
            except Rigid as reason:
                is_short = known is not None and len(known) <= SHORT
                may_be_copied = reason.name not in (None, *self.copies, *self.never_copied) and not is_short
                if known is None or may_be_copied:
                    raise
                self.unrolled.add(self._place_of(s))
                raise Again from None
        counter = self.fresh("i")
        if self.is_call_of(it, enumerate) and len(it.args) == 1 and isinstance(s.target, ast.Tuple):  # type: ignore[attr-defined]
            index, *targets = s.target.elts
            lists = [self.value(it.args[0])]  # type: ignore[attr-defined]
            starts = [(index, counter)]
        elif self.is_call_of(it, zip) and isinstance(s.target, ast.Tuple):
            lists, targets, starts = [self.value(a) for a in it.args], s.target.elts, []  # type: ignore[attr-defined]
        else:
            lists, starts = [self.value(it)], []
        for x in lists:
            self.share(x.origins if isinstance(x, Small) else frozenset())  # which are read while the loop runs
        lists = [self.held(x) if (turns := self.turns_of(x)) is None else turns for x in lists]
        if len(lists) != len(targets) or not lists:
            raise Unsupported("a loop over something else than numbers", self.line)
        if all(isinstance(x, Turns) for x in lists):
            return self._unrolled(s, lists, targets, bool(starts))
        if not all(isinstance(x, ListOf | Array) for x in lists):
            raise Unsupported("a loop over something else than arrays and ranges", self.line)
        lists = [x if isinstance(x, ListOf) and (x.is_vector or not x.measured) else self.held(self.as_array(x))
                 for x in lists]  # fmt: skip
        length, *lengths = [str(x.shape[0]) if isinstance(x, Array) else self.length(x) for x in lists]
        for other in lengths:
            length = self.compute("call", length, other, f=min)
        each = list(zip(targets, lists, strict=True))
        of_lists = any(isinstance(x, ListOf) and x.kind is list for x in lists)
        self.iterating += of_lists
        status = self._loop(counter, (length,), s.body, None, [*starts, *each])
        self.iterating -= of_lists
        return status

    def _place_of(self, s: ast.stmt) -> Any:
        return (
            self.scopes[-1].function.__code__,
            s.lineno,
            getattr(s, "col_offset", -1),
        )  # one that a comprehension stands for has no column

    def _is_unrolled(self, s: ast.For) -> bool:
        return self._place_of(s) in self.unrolled

    def _unrolled(self, s: ast.For, lists: list[Turns], targets: list[ast.expr], counted: bool) -> str:
        scope, out, leaves = self.scopes[-1], self.out, returns(s.body) or breaks(s.body)
        names, known = assigned(s), set(scope.things)
        leave = self.fresh("leave")
        if leaves:
            self.emit(Set(leave, "False"))
        for i, values in enumerate(zip(*[x.each(self.held) for x in lists], strict=False)):
            if i and leaves:
                branch = Branch(leave)
                self.emit(branch)
                self.out = branch.orelse
            turn = self.out
            scope.loops.append((self.fresh("skip"), leave))
            scope.sure.append(set())
            self.emit(Set(scope.loops[-1][0], "False"))
            if counted:
                assert isinstance(s.target, ast.Tuple)
                self.assign(s.target.elts[0], str(i))
            for target, value in zip(targets, values, strict=True):
                self.assign(target, value)
            status = self.block(s.body)
            bound = scope.sure.pop()
            scope.loops.pop()
            self.out = turn
            if status == FALLS and not leaves:
                scope.sure[-1] |= bound
            else:
                self.forget_assigned(names, known)
        self.out, self.hole = out, None
        if leaves:
            self.forget_assigned(names, known)
        return MAYBE if returns(s.body) else FALLS

    def _loop(
        self, var: str | None, args: tuple, body: Sequence[ast.stmt], test: ast.expr | None, first: list
    ) -> str:  # fmt: skip
        scope = self.scopes[-1]
        skip, leave = self.fresh("skip"), self.fresh("leave")
        loop = Loop(var, args, exit=leave)
        names = {n for statement in (*body, *[t for t, _ in first]) for n in assigned(statement)}
        known = set(scope.things)
        self.forget_assigned(names, known)
        self.emit(Set(leave, "False"))
        self.emit(loop)
        out, self.out = self.out, loop.body
        scope.loops.append((skip, leave))
        self.alone = set()  # what a turn does may come before it in the next one
        scope.sure.append(set() if var is None else {name for name, known in scope.names.items() if known == var})
        self.emit(Set(skip, "False"))
        if test is not None:
            branch = Branch(self.truth(test), [], [Set(leave, "True")])
            self.emit(branch)
            self.out = branch.body
        for target, source in first:
            if isinstance(source, ListOf):
                value = self.part(source, str(var))
            else:
                value = self.read(source, [str(var)], False) if isinstance(source, Array) else source
            self.assign(target, value)
        self.block(body)
        self.alone = set()
        self.forget_assigned(names, known)
        scope.sure.pop()
        scope.loops.pop()
        self.out = out
        self.hole = None
        if isinstance(test, ast.Constant) and test.value and not breaks(body):
            return JUMPS
        return MAYBE if returns(body) else FALLS


def counted(node: Any) -> Counter[str]:
    """How often a function assigns each variable."""
    return Counter(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))


def without(block: Block, spent: set[str]) -> None:
    """Leave out what nobody needs."""
    block[:] = [s for s in block if not isinstance(s, Compute) or s.target not in spent]
    for s in block:
        if isinstance(s, Branch):
            without(s.body, spent)
            without(s.orelse, spent)
        elif isinstance(s, Loop):
            without(s.body, spent)
