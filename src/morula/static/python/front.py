"""From the source of a function to the form that is reversed, with the functions that it calls written into it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from morula.static.python.expressions import OPERATORS, Expressions
from morula.static.python.ir import Again, Block, Branch, Compute, Fail, Loop, Program, Set, Sub, Unsupported
from morula.static.python.scopes import Array, Display, ListOf, Scope, Small, assigned, breaks, jumps, returns
from morula.transform import SourceUnavailable, reading_of

__all__ = ["Builder"]

ATTEMPTS = 12  # to build a program
LARGEST = 4000  # statements of a program
FALLS, MAYBE, JUMPS = "falls", "maybe", "jumps"  # through a statement: always, not always, never


class Builder(Expressions):
    """Builds one `Program`.

    `is_plain` says of a Python function whether nothing but its code tells what it means. A function that returns
    several numbers is one of their sum with `weights`, an array that is another argument then, behind its own.
    Arrays of few numbers are numbers where they are to be small, and others lists; else they are what NumPy has.
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
        self.is_plain, self.is_small, self.has_arrays = is_plain, is_small, False
        self.recursive = set()
        self.layouts = {}
        self.by_reference, self.shared, self.vague, self.by_length = set(), set(), set(), False
        for _ in range(ATTEMPTS):
            self._begin(function, wanted, weights is not None, captured)
            try:
                self._build(function, args, weights)
                self.check_snapshots()
                return
            except Again:
                continue
            except Unsupported as reason:
                reason.has_arrays = self.has_arrays
                if self.scopes and self.scopes[-1].function is not function:
                    reason.function = self.scopes[-1].function.__qualname__
                raise
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
        self.line = 0
        self.subs: dict[Any, Sub] = {}
        self.expected: set[Any] = set()
        self.computed: dict[str, Compute] = {}
        self.once: dict[str, str] = {}  # what is assigned to variables that are assigned just once
        self.given_ints: dict[str, tuple[str, int]] = {}
        self.lengths_of: dict[str, tuple[int, ...]] = {}
        self._samples: dict[Any, Any] = {}
        self.known, self.known_in = {}, self.out
        self.augmenting, self.snapshots, self.iterating = set(), {}, 0

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
        for i, name in enumerate(names):
            if i < len(args):
                found = self.input(f"a{i}", "", args[i], name)
            else:
                j = len(defaults) - len(names) + i
                found = self.input(f"g{i}", f"function.__defaults__[{j}]", defaults[j], name)
            if name in rebound and isinstance(found, str):
                self.emit(Set(scope.variable(name), found))
                scope.numbers.add(name)
                scope.sure[-1].add(name)
            elif name in rebound:
                self.scopes.append(scope)
                self.bind(scope, name, found)
                self.scopes.pop()
            else:
                scope.bound[name] = found
        self.program.n_args = len(args)
        if weights is not None:
            if missing:
                raise Unsupported("a call that leaves out arguments")
            given = self.input(f"a{len(names)}", "", weights, "weights")
            self.program.n_args += 1
        self.body(scope, node)
        if weights is not None:
            scope.result = self._weighted(scope.result, given, len(weights))
        if not isinstance(scope.result, str):
            raise Unsupported("a value that is no number")
        self.program.result = scope.result

    def _weighted(self, result: Any, weights: ListOf, n: int) -> str:
        """The variable of a sum of results."""
        if isinstance(result, Array) and result.shape == weights.shape:
            self.emit(Set("weighted", self.array_operator("matmul", result, weights)))
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
            scope.result = None if scope.result is None else Unsupported
        out.insert(start, Set(scope.returned, "False"))
        self.scopes.pop()
        self.out = out

    # -- statements ---------------------------------------------------------------------------------------

    def emit(self, statement: Any) -> None:
        self.size += 1
        if self.size > LARGEST:
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
            self.emit(Branch(self.number(s.test), [], [Fail()]))
        return FALLS

    def _Raise(self, s: ast.Raise) -> str:
        self.emit(Fail())
        return JUMPS

    def _Assign(self, s: ast.Assign) -> str:
        value = self.value(s.value)
        for target in s.targets:
            self.assign(target, value)
        return FALLS

    def _AnnAssign(self, s: ast.AnnAssign) -> str:
        if s.value is not None:
            self.assign(s.target, self.value(s.value))
        return FALLS

    def _AugAssign(self, s: ast.AugAssign) -> str:
        if type(s.op) not in OPERATORS or not isinstance(s.target, ast.Name | ast.Subscript):
            raise Unsupported("an augmented assignment of something else than a number or an item", self.line)
        op = OPERATORS[type(s.op)]
        if isinstance(s.target, ast.Subscript):
            self.store_augmented(op, s.target, s.value)
            return FALLS
        old = self.value(ast.copy_location(ast.Name(s.target.id, ast.Load()), s.target))
        if isinstance(old, str):
            self.assign(s.target, self.compute(op, old, self.number(s.value)))
        else:
            self.augmented(s.target, op, old, self.value(s.value))
        return FALLS

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, ListOf) and not self.is_small and not value.is_vector:
                value = self.one_form(value)
            if isinstance(value, ListOf):
                value = self.items(value, len(target.elts))
            if isinstance(value, Array) and value.shape[0] == len(target.elts):
                value = tuple([self.read(value, [str(i)], False) for i in range(value.shape[0])])
            value = value.parts if isinstance(value, Small) else tuple(value) if isinstance(value, tuple) else value
            if not isinstance(value, tuple) or len(value) != len(target.elts):
                raise Unsupported("unpacking of something else than a tuple of that length", self.line)
            for each, part in zip(target.elts, self.held(value), strict=True):
                self.assign(each, part)
            return
        if isinstance(target, ast.Subscript):
            self.store(self.value(target.value), target.slice, value)
            return
        if not isinstance(target, ast.Name):
            raise Unsupported("an assignment to an attribute", self.line)
        scope = self.scopes[-1]
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

    def copy(self, atom: str) -> str:
        """A temporary that holds what an atom holds now."""
        target = self.compute("copy", atom)
        if atom in self.program.shapes:
            self.program.shapes[target] = self.program.shapes[atom]
        return target

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

    def _Return(self, s: ast.Return) -> str:
        if s.value is None:
            raise Unsupported("a return without a value", self.line)
        scope, value = self.scopes[-1], self.value(s.value)
        if isinstance(value, str):
            result: Any = f"result{scope.number}"
            self.emit(Set(result, value))
        elif isinstance(value, Small | tuple | Array):
            result, pairs = self.placed(self.in_one_form(value), f"result{scope.number}_{{}}")
            for var, v in pairs:
                self.emit(Set(var, v))
        elif isinstance(value, ListOf):
            result = self.varying(value, f"result{scope.number}")
            self.emit(Set(result.var, value.var))
        else:
            raise Unsupported("a value that is no number", self.line)
        if isinstance(result, Small | Display):  # the variables of the function itself are no more
            origins = result.origins | getattr(scope.result, "origins", frozenset())
            result = type(result)(result.parts if isinstance(result, Small) else result)
            own = scope.function.__code__
            object.__setattr__(result, "origins", frozenset([key for key in origins if key[0] is not own]))
        if scope.result is not None and type(scope.result) is not type(result):
            raise Unsupported("values of several kinds", self.line)
        if isinstance(result, Small | Display) and scope.result == result:
            scope.result = result
        if scope.result not in (None, result):
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
        branch = Branch(self.number(s.test))
        self.emit(branch)
        one, end, bound = self.inside(branch.body, s.body)
        other, other_end, other_bound = self.inside(branch.orelse, s.orelse)
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
            if not isinstance(s.target, ast.Name) or s.target.id in scope.bound:
                raise Unsupported("a loop over something else than numbers", self.line)
            args = tuple([self.number(a) for a in it.args])  # type: ignore[attr-defined]
            scope.numbers.add(s.target.id)
            return self._loop(scope.variable(s.target.id), args, s.body, None, [])
        counter = self.fresh("i")
        if self.is_call_of(it, enumerate) and len(it.args) == 1 and isinstance(s.target, ast.Tuple):  # type: ignore[attr-defined]
            index, *targets = s.target.elts
            lists = [self.value(it.args[0])]  # type: ignore[attr-defined]
            starts = [(index, counter)]
        elif self.is_call_of(it, zip) and isinstance(s.target, ast.Tuple):
            lists, targets, starts = [self.value(a) for a in it.args], s.target.elts, []  # type: ignore[attr-defined]
        else:
            lists, starts = [self.value(it)], []
        lists = [x.parts if isinstance(x, Small) else self.held(x) if isinstance(x, ListOf) else x for x in lists]
        if len(lists) != len(targets) or not lists:
            raise Unsupported("a loop over something else than numbers", self.line)
        if all(isinstance(x, tuple) for x in lists):
            return self._unrolled(s, lists, targets, bool(starts))
        if not self.is_small:
            lists = [x if isinstance(x, ListOf) and x.is_vector else self.held(self.one_form(x)) for x in lists]
        if not all(isinstance(x, ListOf | Array) for x in lists):
            raise Unsupported("a loop over something else than arrays and ranges", self.line)
        length, *lengths = [str(x.shape[0]) if isinstance(x, Array) else self.length(x) for x in lists]
        for other in lengths:
            length = self.compute("call", length, other, f=min)
        each = list(zip(targets, lists, strict=True))
        of_lists = any(isinstance(x, ListOf) and x.kind is list for x in lists)
        self.iterating += of_lists
        status = self._loop(counter, (length,), s.body, None, [*starts, *each])
        self.iterating -= of_lists
        return status

    def _unrolled(self, s: ast.For, lists: list[tuple], targets: list[ast.expr], counted: bool) -> str:
        if jumps(s.body):
            raise Unsupported("a jump out of a loop over a tuple", self.line)
        lists = [self.held(values) for values in lists]
        for i, values in enumerate(zip(*lists, strict=False)):
            if counted:
                assert isinstance(s.target, ast.Tuple)
                self.assign(s.target.elts[0], str(i))
            for target, value in zip(targets, values, strict=True):
                self.assign(target, value)
            self.block(s.body)
        return FALLS

    def _loop(
        self, var: str | None, args: tuple, body: Sequence[ast.stmt], test: ast.expr | None, first: list
    ) -> str:  # fmt: skip
        scope = self.scopes[-1]
        skip, leave = self.fresh("skip"), self.fresh("leave")
        loop = Loop(var, args, exit=leave)
        self.emit(Set(leave, "False"))
        self.emit(loop)
        out, self.out = self.out, loop.body
        scope.loops.append((skip, leave))
        scope.sure.append(set() if var is None else {name for name, known in scope.names.items() if known == var})
        self.emit(Set(skip, "False"))
        if test is not None:
            branch = Branch(self.number(test), [], [Set(leave, "True")])
            self.emit(branch)
            self.out = branch.body
        for target, source in first:
            if isinstance(source, Array):
                self.assign(target, self.read(source, [var], False))
            else:
                self.assign(target, self.part(source, str(var)) if isinstance(source, ListOf) else source)
        self.block(body)
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
