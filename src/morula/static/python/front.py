"""From the source of a function to the form that is reversed, with the functions that it calls written into it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from morula.static.python.asides import called_apart
from morula.static.python.bindings import assigned, replaced
from morula.static.python.choice import Budget
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
)
from morula.static.python.memory import Memory
from morula.static.python.parameters import parameters
from morula.static.python.renaming import text_of_function
from morula.static.python.results import Results
from morula.static.python.scopes import Coded, ListOf, Maybe, Scope, Single, Static
from morula.static.python.statements import JUMPS
from morula.static.python.things import OfFew, Rigid, Thing, is_number_like
from morula.static.python.tidy import settle
from morula.static.python.types import Types, types_of_argument
from morula.static.python.unsupported import NO_NUMBER
from morula.static.python.values import layout_of_value

__all__ = ["Builder"]

ATTEMPTS = 30  # to build a program
MOST_GIVEN_UP = 4  # sides of branches


class Builder(Results):
    """Builds one `Program`.

    `is_plain` says of a Python function whether nothing but its code tells what it means. A function that returns
    several numbers is one of their sum with `weights`, an array that is another argument then, behind its own.
    Sides of branches that cannot be built end in a failure, for the `reason`.
    Arrays of few numbers become numbers where they can, if they are to be small. `probe` runs a program to its end.
    The attempts of all builders of one program have one `budget`. The larger of two numbers is found `by_branches`
    where its type depends on which of them it is. The builders of one program share the `texts` of its functions. The
    verb "callee" is a pullback of what an eager run calls: what the function writes into arrays that it is given is
    behind its value then.
    """

    attempts = ATTEMPTS

    def __init__(
        self,
        function: FunctionType,
        args: Sequence[Any],
        wanted: tuple[int, ...],
        is_plain: Callable[[FunctionType], bool],
        weights: Any = None,
        captured: Sequence[str] = (),
        is_small: bool = True,
        verb: str = "gradient",
        probe: Callable[[Program], Any] = lambda program: None,
        budget: Budget | None = None,
        by_branches: bool = False,
        texts: dict[CodeType, tuple[Any, set[str]]] | None = None,
    ):
        self.is_plain = is_plain
        self.is_small = is_small
        self.by_branches = by_branches
        self.probe = probe
        self.hands_back = verb == "callee"
        verb = "pullback" if self.hands_back else verb
        self.observed: dict[Any, int] = {}
        self.recursive, self.written_out = set(), set()
        self.layouts = {}
        self.by_reference, self.by_slices, self.shared, self.vague, self.rewritten = set(), set(), set(), set(), set()
        self.bonds: list[Any] = []
        self.held_elsewhere: set[Any] = set()
        self.by_length, self.looked_at = False, set()
        self.floating = set()
        self.replaced_later = {}
        self.unrolled: set[Any] = set()  # loops that are written out
        self.lasting: set[Any] = set()
        self.lists_are_things = self.short_lists = self.choosing = self.are_flags_known = False
        self.copies, self.never_copied = set(), set()
        self.made_classes: dict[Any, type] = {}
        self.given_up, self.sides = set(), []
        self.optional, self.never_optional, self.uncaught, self.unsplit, self.kinds = {}, set(), {}, set(), {}
        self.listed_slots: set[Any] = set()
        self.late, self.names_before_late = set(), None
        self.unsettled: set[Any] = set()
        self.stands, self.could_stand, self.never_stands, self.celled = set(), {}, set(), set()
        self.made_before: list[tuple[Any, Any]] = []
        self.coded, self.never_coded, self.table, self.others = set(), set(), [], set()
        self.budget = budget or Budget()
        self.texts = {} if texts is None else texts
        self.definitions: dict[CodeType, Any] = {}
        self.apart: dict[CodeType, set[int]] = {}
        self.given_anew: list[Any] = []
        self.renamed: dict[CodeType, set[str]] = {}
        self.codes, self.met_later = {}, []
        self.of_texts: set[Any] = set()
        self.listed_cursors = set()
        self.of_rows, self.parts_asked, self.values_found = {}, {}, {}
        self.reason: Unsupported | None = None  # why a side of a branch was given up
        side: Any = None
        first: Unsupported | None = None  # what the first attempt failed of
        for _ in range(self.attempts):
            self._begin(function, wanted, weights is not None, captured)
            self.program.verb = verb
            try:
                self._build(function, args, weights)
                self.check_views()
                self.check_seen()
                self.spent -= {a for s in self.program.statements() for a in atoms_of(s)}
                for block in (self.program.body, *[sub.body for sub in self.program.subs]):
                    without(block, self.spent)
                return
            except Again:
                continue
            except Unsupported as reason:
                if isinstance(reason, Rigid) and reason.late is not None:
                    self.allow_late(*reason.late)
                    continue
                if isinstance(reason, Rigid) and reason.name not in (None, *self.copies, *self.never_copied):
                    self.copies.add(reason.name)
                    continue
                if isinstance(reason, Rigid) and self.could_choose and not self.choosing:
                    self.choosing = True
                    continue
                if self.has_flags and not self.are_flags_known:
                    self.are_flags_known = True
                    continue
                reason.may_be_large = self.program.is_small
                reason.outer_line = self.outer_line if reason.line else 0
                if self.scopes and self.scopes[-1].function is not function:
                    reason.function = self.scopes[-1].function.__qualname__
                reason.__traceback__ = None  # its frames hold arrays
                is_again = isinstance(reason, Rigid | OfFew) and first is not None and str(reason) == str(first)
                first = first or reason
                first.may_be_large |= reason.may_be_large
                if first is reason:
                    side = self.sides[-1] if self.sides else None
                if self.has_lists and not self.short_lists and not is_again:
                    self.lists_are_things, self.short_lists = not self.lists_are_things, self.lists_are_things
                    self.unrolled.clear()
                    continue
                if first.attempt is not None:
                    self.uncaught[first.attempt] = first
                    self.lists_are_things = self.short_lists = self.choosing = False
                    first = None
                    continue
                if side is not None and verb in ("gradient", "pullback") and len(self.given_up) < MOST_GIVEN_UP:
                    self.given_up.add(side)
                    self.reason = self.reason or first
                    self.lists_are_things = self.short_lists = self.choosing = False
                    first = None
                    continue
                try:
                    raise first from None
                finally:
                    del first
            finally:
                self._samples.clear()
                self.values_of_input.clear()
        raise Unsupported("a program that takes too many attempts to read")

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
        self.held_by: dict[str, list[str]] = {}  # the same, and every value where an array is written into
        self.given_ints: dict[str, tuple[str, int]] = {}
        self.has_flags = self.could_choose = False
        self.shape_of_input: dict[str, tuple[int, ...]] = {}
        self.spent: set[str] = set()  # temporaries that nobody needs
        self._samples: dict[Any, Any] = {}
        self.values_of_input: dict[str, Any] = {}
        self.gone_through: set[int] = set()
        self.line = self.outer_line = 0
        self.subs: dict[Any, Sub] = {}
        self.maybes: dict[Any, Any] = {}
        self.made_of, self.slots_set = {}, []
        self.trying = self.filtering = self.statement = 0
        self.named_in, self.unfit = set(), {}
        self.closures, self.handed_on, self.in_text, self.attributes_named = {}, set(), set(), set()
        self.sees_things = False
        self.views_unread, self.written_since = [], []
        self.known_floats = {}
        self.expected: set[Any] = set()
        self.reads, self.reads_in = {}, self.out
        self.changing, self.snapshots, self.viewed, self.views_looked_at = set(), {}, set(), []
        self.put_into, self.looking, self.known_elsewhere = set(), set(), {}
        self.defining = 0
        self.alone, self.swaps, self.slot_swaps, self.own, self.lent, self.writes = set(), [], [], {}, set(), []
        self.put_into_slots, self.slots_held, self.read_from, self.taken_in = set(), [], {}, {}
        self.target = ""
        self.from_outside: dict[int, Thing] = {}
        self.prologue: dict[str, str] = {}
        self.leaves: dict[str, Any] = {}
        self.classes: dict[type, Any] = {}
        self.pending: dict[int, Any] = {}
        self.sub: Any = None
        self.in_argument = False
        self.has_lists = False
        self.sides, self.consumers = [], []
        self.asked, self.made_now = Counter(), Counter()
        self.functions: list[Any] = []
        self.are_called, self.objects_made = False, {}
        self.standing_now, self.is_in_place = [], False
        self.around, self.made_lists, self.lengths_of_inputs, self.measuring = (), {}, {}, set()

    # -- the function itself ------------------------------------------------------------------------------

    def _build(self, function: FunctionType, args: Sequence[Any], weights: Any) -> None:
        scope = Scope(function, 0)
        node = self.definition(function)
        names = parameters(node)
        defaults = function.__defaults__ or ()
        missing = max(len(names) - len(args), 0)
        more = [f"{node.args.vararg.arg}[{i}]" for i in range(len(args) - len(names))] if node.args.vararg else []
        if missing > len(defaults) or len(args) > len(names) + len(more):
            raise Unsupported("a call whose arguments do not fit")
        rebound = assigned(node)
        if missing:
            self.guard(f"len(function.__defaults__) == {len(defaults)}")
        named = [*names, *more]
        values = [self.argument(i, x, name) for i, (x, name) in enumerate(zip(args, named, strict=False))]
        if weights is not None:
            if missing:
                raise Unsupported("a call that leaves out arguments")
            values.append(self.input(f"a{len(args)}", "", weights, "weights"))
        self.program.n_args = len(values)
        self.in_argument = True
        structured = {i: self.of_outside(f"a{i}", x, named[i]) for i, x in self.pending.items()}
        self.in_argument = False
        found_more = tuple([structured.get(i, values[i]) for i in range(len(names), len(args))])
        starred = [(node.args.vararg.arg, found_more)] if node.args.vararg else []
        only = [(a.arg, self.keyword_default(Static(function), a.arg)) for a in node.args.kwonlyargs]
        if node.args.kwarg is not None:
            only.append((node.args.kwarg.arg, self.new_thing(dict, {})))
        for i, (name, other) in enumerate([*zip(names, names, strict=True), *starred, *only]):
            if i >= len(names):
                found = other
            elif i < len(args):
                found = structured.get(i, values[i])
            else:
                j = len(defaults) - len(names) + i
                found = self.of_outside(f"function.__defaults__[{j}]", defaults[j], name)
            key = (function.__code__, name)
            if isinstance(found, ListOf) and i < min(len(args), len(names)):
                self.own[frozenset([key])] = found.var
            if isinstance(found, ListOf) and found.kind is list and found.is_vector and key in self.by_reference:
                found = self.whole(found)  # the list itself is given back as it was
                self.lent |= set() if self.program.is_given_back(i) else {found.var}
            if isinstance(found, ListOf) and (key in self.by_slices or not found.measured):
                rebound = rebound | {name}
            if name in rebound and self.is_optional(key, found):
                self.set_optional((0, name), key, found)
            elif name in rebound and self.is_coded(key, found):
                self.set_coded(scope, name, found)
                scope.sure[-1].add(name)
            elif name in rebound and not is_number_like(found) and not isinstance(found, ListOf):
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
        if self.hands_back:
            scope.result = self.with_written(scope, node, names, structured)
            self.program.by_leaves = True
        if weights is not None:
            scope.result = self.weighted(scope.result, values[-1], len(weights))
        if self.program.verb in ("tangent", "pullback"):
            self.program.value = layout_of_value(scope.result, partial(self.is_shared, replaced(node)))
        elif isinstance(scope.result, Single) and self.program.verb == "gradient":
            self.program.is_single = True
            scope.result = self.compute("element", scope.result.atom)
        elif not isinstance(scope.result, str):
            raise Unsupported(NO_NUMBER)
        self.program.result = scope.result
        self.program.written.update([a for key, a in self.own.items() if self.swapped_with(key) & self.put_into])
        self._check_relied()
        settle(self.program, self.prologue)
        self.program.structures = self.structures_of(structured)

    def _check_relied(self) -> None:
        """See to it that numbers have the types that answers to `isinstance` relied on."""
        if self.program.relied_on:
            types = Types(self.program, Memory(self.program))
            if any(types[atom] - kinds for atom, kinds in self.program.relied_on):
                raise Unsupported("isinstance of a number that is of several types")

    def argument(self, i: int, x: Any, name: str) -> Any:
        if types_of_argument(x) is not None:
            return self.input(f"a{i}", "", x, name)
        if (found := self.list_input(f"a{i}", "", x, name)) is not None:
            return found
        self.program.inputs.append(Input(f"a{i}", f"a{i}", type(x), frozenset(), in_argument=True))
        self.pending[i] = x
        return None

    def definition(self, function: FunctionType, allowed: int = 0) -> Any:
        """The text of a function; of a generator, too, where that is `allowed`."""
        code = function.__code__
        if code in self.definitions:
            return self.definitions[code]
        if code.co_flags & 0x2A0 & ~allowed:
            raise Unsupported("a generator or a coroutine")
        if code not in self.texts:
            self.texts[code] = text_of_function(code)
        node, renamed = self.texts[code]
        if code in self.apart and (found := called_apart(node, self.apart[code], code)) is not None:
            node, renamed = found[0], renamed | found[1]
        self.renamed[code] = renamed
        self.expect_writes(code, node)
        self.definitions[code] = node
        return node

    def body(self, scope: Scope, node: Any) -> None:
        self.scopes.append(scope)
        scope.held_before = len(self.slots_held)
        scope.own |= self.renamed.get(scope.function.__code__, set())
        if isinstance(node, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            body = node.body
        start = len(self.out)
        out = self.out
        status = self.block(body)
        if status != JUMPS:
            is_none = isinstance(scope.result, Static) and scope.result.value is None
            if not scope.number and scope.result is not None and not is_none:
                self.out = out
                self.emit(Branch(scope.returned, [], [Fail()]))
                status = JUMPS
            if isinstance(scope.result, Coded):
                self.out = out
                self.emit(Branch(scope.returned, [], [Set(scope.result.atom, self.code_of(Static(None)))]))
                status = JUMPS
            if scope.number and scope.result is not None and not is_none:
                self.expect_none((scope.function.__code__, "return"), scope.result)
            if status != JUMPS and not isinstance(scope.result, Maybe):
                scope.result = None if scope.result is None or is_none else Unsupported
        if isinstance(scope.result, Maybe):
            out[start:start] = [Set(var, "UNBOUND") for var in scope.result.atoms]
        out.insert(start, Set(scope.returned, "False"))
        self.scopes.pop()
        self.out = out


def without(block: Block, spent: set[str]) -> None:
    """Leave out what nobody needs."""
    block[:] = [s for s in block if not isinstance(s, Compute) or s.target not in spent]
    for s in block:
        if isinstance(s, Branch):
            without(s.body, spent)
            without(s.orelse, spent)
        elif isinstance(s, Loop):
            without(s.body, spent)
