"""Statements other than loops: what they assign, and where they go on."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NoReturn

from morula.static.python.bindings import assignments, jumps
from morula.static.python.choice import Budget
from morula.static.python.containers import METHODS
from morula.static.python.expressions import BITS, OPERATORS
from morula.static.python.ir import Again, Block, Branch, Fail, Set, Unsupported, is_flag, is_written_out
from morula.static.python.jumps import JUMPS, Jumps
from morula.static.python.optionals import is_none
from morula.static.python.scopes import Array, Box, ListOf, Names, Scope, Single, Small, key_of
from morula.static.python.things import (
    ABSENT,
    Generated,
    Thing,
    Turns,
    is_dict,
    is_known_list,
    is_number_like,
    is_of_class,
)
from morula.static.python.unsupported import NoLoop
from morula.static.python.vacating import Item
from morula.static.python.writes import is_alike
from morula.transform.syntax import walk

__all__ = ["FALLS", "JUMPS", "MAYBE", "Statements"]

LARGEST = 4000  # statements of a program
DISPLAYS = (ast.Dict, ast.List, ast.Tuple, ast.DictComp, ast.ListComp)  # whose items nothing is written into
LARGEST_UNROLLED = 1500  # where a loop is written out
FALLS, MAYBE = "falls", "maybe"  # through a statement: always, not always; `JUMPS` is never


class Statements(Jumps):
    """The part of a `front.Builder` that reads statements; how they are passed is one of `FALLS`, `MAYBE`, `JUMPS`.

    Attributes:
        size: statements of the program so far.
        budget: of the attempt, which ends where it is spent.
        unrolled: loops that are written out.
        floating: variables that hold arrays of several shapes, or also numbers.
        hole: where a branch goes on that has not jumped, if there is just one.
        once: what is assigned to variables that are assigned just once.
        held_by: the same, with every value of those that are written into.
    """

    size: int
    budget: Budget
    unrolled: set[Any]
    floating: set[Any]
    hole: Block | None
    once: dict[str, str]
    held_by: dict[str, list[str]]

    def emit(self, statement: Any) -> None:
        self.size += 1
        self.budget.check()
        if self.size > (LARGEST_UNROLLED if self.unrolled else LARGEST):
            raise NoLoop("a function that is too large")
        self.forget(statement)
        if self.views_unread:
            self.note_built(statement)
        self.out.append(statement)

    def block(self, statements: Sequence[ast.stmt]) -> str:
        """Build statements one after the other, the rest of them where nothing has jumped."""
        swapped = 0  # statements that have been read together with one before
        for i, s in enumerate(statements):
            if swapped:
                swapped -= 1
                continue
            if (exchange := self.exchange(statements[i:])) is not None:
                s, swapped = exchange[0], exchange[1] - 1
            self.line, self.hole = getattr(s, "lineno", 0), None
            if len(self.scopes) == 1:
                self.outer_line = self.line
            self.statement += 1
            self.scopes[-1].current = s
            del self.slots_held[self.scopes[-1].held_before :]
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
            with self.within(None), self.perhaps():
                after = self.block(statements[i + 1 :])
            scope.sure.pop()
            return JUMPS if after == JUMPS else MAYBE
        return FALLS

    def _Pass(self, s: ast.Pass) -> str:
        return FALLS

    def _Global(self, s: ast.Global) -> str:
        self.assign_globally(s.names)
        return FALLS

    def _Expr(self, s: ast.Expr) -> str:
        if not isinstance(s.value, ast.Constant):
            self.value(s.value)
        return FALLS

    def _Import(self, s: ast.Import) -> str:
        for alias in s.names:
            module = alias.name if alias.asname else alias.name.partition(".")[0]
            self.assign(ast.Name(alias.asname or module, ast.Store()), self.imported(module, None))
        return FALLS

    def _ImportFrom(self, s: ast.ImportFrom) -> str:
        if s.level or s.module is None:
            raise Unsupported("a relative import", self.line)
        for alias in s.names:
            self.assign(ast.Name(alias.asname or alias.name, ast.Store()), self.imported(s.module, alias.name))
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
        first, *others = s.targets
        self.target = first.id if isinstance(first, ast.Name) and not isinstance(s.value, DISPLAYS) else ""
        if self.swapped(s):
            return FALLS
        value = self.assigned_value(first, s.value)
        self.target = ""
        self.assign(first, value)
        if others and not isinstance(value, str) and not is_none(value):
            if not isinstance(first, ast.Name):
                raise Unsupported("an array or a tuple of several names", self.line)
            value = self.value_or_none(ast.copy_location(ast.Name(first.id, ast.Load()), first))
        for target in others:
            self.assign(target, self.standing_for(target, value))
        return FALLS

    def _AnnAssign(self, s: ast.AnnAssign) -> str:
        if s.value is not None:
            self.assign(s.target, self.value(s.value))
        return FALLS

    def _AugAssign(self, s: ast.AugAssign) -> str:
        target: Any = self.place_named(s.target) if isinstance(s.target, ast.Name) else self.item_instead(s.target)
        if target is not s.target:
            s = ast.copy_location(ast.AugAssign(target, s.op, s.value), s)
        if isinstance(s.target, ast.Attribute):
            return self._changed_part(s, self.value(s.target.value), s.target)
        owner = self.thing_written(s.target) if isinstance(s.target, ast.Subscript) else None
        if owner is not None and isinstance(s.target, ast.Subscript):
            return self._changed_part(s, owner, s.target)
        if isinstance(s.target, ast.Name) and isinstance(thing := self.thing_named(s.target.id), Thing):
            self.assign(s.target, self.thing_operator(s.op, thing, self.value(s.value), True))
            return FALLS
        if type(s.op) not in OPERATORS and not (type(s.op) in BITS and isinstance(s.target, ast.Name)):
            raise Unsupported("an augmented assignment of something other than a number or an item", self.line)
        if isinstance(s.target, ast.Subscript):
            self.store_augmented(s.op, s.target, s.value)
            return FALLS
        old = self.value(ast.copy_location(ast.Name(s.target.id, ast.Load()), s.target))
        value = self.value(s.value)
        if (found := self.named_operator(METHODS.get(type(s.op)), old, value)) is not ABSENT:
            if self.own_method(old, f"__i{METHODS[type(s.op)]}__") is not None:
                raise Unsupported("an augmented assignment by a method of a named tuple", self.line)
            self.assign(s.target, found)
        elif isinstance(old, str):
            self.assign(s.target, self.operated(s.op, old, self.operand(value)))
        elif (tuples := self.tuples_operator(s.op, old, value)) is not None:
            self.assign(s.target, tuples)
        else:
            self.augmented(s.target, s.op, old, value)
        return FALLS

    def thing_written(self, target: ast.Subscript) -> Thing | None:
        """The list or the dict that an item is assigned of; None where it is an array or a list of numbers."""
        owner = self.value(target.value)
        if isinstance(owner, Thing):
            return owner
        if any(isinstance(n, ast.Call) for n in walk(target.value)):  # which would be called twice
            raise Unsupported("writing into something other than an array or a list of numbers", self.line)
        return None

    def _changed_part(self, s: ast.AugAssign, owner: Any, target: ast.Attribute | ast.Subscript) -> str:
        """An augmented assignment to an attribute or an item of a thing."""
        if not isinstance(owner, Thing):
            raise Unsupported("an augmented assignment of something other than a number", self.line)
        if isinstance(target, ast.Attribute):
            old = self.attribute_of(owner, target.attr)
        else:
            old = self.item_of(owner, target.slice)
        new = self.value(s.value)
        if isinstance(old, Thing):
            found = self.thing_operator(s.op, old, new, True)
        elif isinstance(old, str) and isinstance(new, str) and type(s.op) in OPERATORS:
            found = self.compute(OPERATORS[type(s.op)], old, new)
        elif isinstance(old, Small | Array):
            key = target.attr if isinstance(target, ast.Attribute) else self.key(target.slice, owner.kind is dict)
            self.alone_in_slot(owner, key, old)
            found = self.operated(s.op, old, self.operand(new))
            if not (isinstance(found, Small) if isinstance(old, Small) else is_alike(old, found)):
                raise Unsupported("an augmented assignment of another shape or type", self.line)
        else:
            raise Unsupported("an augmented assignment of something other than a number", self.line)
        is_kept = isinstance(old, Small | Array)  # which the object has itself, not by a property
        with self.in_place() if is_kept else nullcontext():
            if isinstance(target, ast.Attribute):
                self.set_attribute(owner, target.attr, found)
            else:
                self.set_item(owner, target.slice, found)
        return FALLS

    def assign(self, target: ast.expr, value: Any) -> None:
        value = value if isinstance(target, ast.Name | ast.Attribute | ast.Subscript) else self.present(value)
        if isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, Generated) or (isinstance(value, Thing) and is_of_class(value)):
                value = self.iterated(value)
            starred = [i for i, each in enumerate(target.elts) if isinstance(each, ast.Starred)]
            if starred and isinstance(value, ListOf | Array):
                value = self.spread_out(value)
            if isinstance(value, ListOf):
                value = self.items(value, len(target.elts)) if value.is_vector else self.as_array(value)
            if isinstance(value, Array) and value.shape[0] == len(target.elts):
                value = tuple([self.read(value, [str(i)], False) for i in range(value.shape[0])])
            if isinstance(value, Turns) or is_known_list(value):
                value = self.sequence(value)
            value = value.parts if isinstance(value, Small) else tuple(value) if isinstance(value, tuple) else value
            if starred and isinstance(value, tuple) and len(value) + 1 >= len(target.elts):
                at, after = starred[0], len(target.elts) - starred[0] - 1
                first, last = value[:at], value[len(value) - after :]
                middle = self.list_of(tuple(map(self.held, value[at : len(value) - after])))
                target = ast.Tuple(
                    [getattr(each, "value", each) if i == at else each for i, each in enumerate(target.elts)]
                )
                value = (*first, middle, *last)
            if not isinstance(value, tuple) or len(value) != len(target.elts):
                raise Unsupported("unpacking of something other than a tuple of that length", self.line)
            is_glance = all(isinstance(n, ast.Name) and n.id in self.looking for n in target.elts)
            for each, part in zip(target.elts, (self.glanced if is_glance else self.held)(value), strict=True):
                self.assign(each, part)
            return
        if isinstance(target, ast.Attribute):
            self.set_attribute(self.value(target.value), target.attr, value)
            return
        if isinstance(target, ast.Subscript):
            place = self.item_instead(target)
            owner = self.thing_written(place)
            if owner is not None:
                self.set_item(owner, place.slice, value if is_dict(owner) else self.present(value))
            else:
                self.store(place, self.present(value))
            return
        if not isinstance(target, ast.Name):
            raise Unsupported("an assignment to something other than a variable", self.line)
        scope = self.scopes[-1]
        if target.id not in scope.nonlocals and self.is_optional(key := (scope.function.__code__, target.id), value):
            self.set_optional((scope.number, target.id), key, value)
            return
        value = self.lines_of(key_of(scope, target.id), self.present(value))
        self.check_assigned(target.id, value)
        if target.id in scope.nonlocals:
            self.assign_captured(scope, target, value)
            return
        if self.is_coded((scope.function.__code__, target.id), value):
            self.set_coded(scope, target.id, value)
            scope.sure[-1].add(target.id)
            return
        if not is_number_like(value) and not isinstance(value, ListOf):
            value = self.held(value)
            scope.things[target.id] = self.kept_of(scope, target.id, value)
            if isinstance(value, Item):
                self.stand(scope, target.id, value)
            scope.replaced[target.id] = self.of_several(value)
            return
        scope.things.pop(target.id, None)
        if (is_written_out(value) or is_flag(value)) and target.id not in self.changed_inside(scope):
            scope.things[target.id] = value
        if not isinstance(value, str):
            self.bind(scope, target.id, value)
            return
        if target.id in scope.bound:
            self.float(key_of(scope, target.id), f"{target.id!r}, which is a tuple or an array elsewhere")
        scope.numbers.add(target.id)
        self.emit(Set(scope.variable(target.id), value))
        scope.sure[-1].add(target.id)
        if self.is_assigned_once(scope, target.id):
            self.note_once(scope.variable(target.id), value)

    def note_once(self, var: str, value: str) -> None:
        """Note what a variable assigned once holds: where an array is written into, it is a new one each time."""
        self.once[var] = value
        self.held_by.setdefault(var, []).append(value)

    def is_assigned_once(self, scope: Scope, name: str) -> bool:
        return assignments(self.definition(scope.function))[name] == 1

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
        if isinstance(value, Single):
            return self.settled_single(value)
        if not isinstance(value, str | Small | Array | ListOf | Box):
            raise Unsupported("a value that is no number", self.line)
        return Box(value.atom, value.place) if isinstance(value, Box) else value

    def several(self, scope: Scope, name: str, value: Any) -> None:
        """Assign a tuple or an array to a variable, which holds such a thing wherever it is assigned."""
        key = key_of(scope, name)
        if key <= self.floating:
            scope.things[name] = self.each(self.copy, self.in_one_form(value))
            scope.tuples.add(name)
            return
        if name in scope.numbers:
            self.float(key, f"{name!r}, which is a number elsewhere")
        held, pairs = self.placed(value, f"v{scope.number}_{{}}_{name}")
        parts = [part for part, _ in pairs]
        scope.tuples.add(name)
        scope.sure[-1].add(name)
        if scope.bound.setdefault(name, held) != held:
            self.float(key, f"{name!r}, which is something else elsewhere")
        kept = [self.copy(v) if v in parts else v for _, v in pairs]
        for part, v in zip(parts, kept, strict=True):
            self.emit(Set(part, v))
        is_counted = isinstance(value, Array) and value.dtype.kind in "bi" and key <= self.by_slices  # written into
        if self.is_assigned_once(scope, name) and not is_counted:
            for part, v in zip(parts, kept, strict=True):
                self.note_once(part, v)

    def float(self, key: Names, reason: str) -> NoReturn:
        """Build the program anew with a variable that is known, wherever it stands, to hold what it holds there."""
        if key & (self.floating | self.by_reference):
            raise Unsupported(reason, self.line)
        self.floating |= key
        raise Again

    def copy(self, atom: str) -> str:
        """A temporary that holds what an atom holds now."""
        target = self.compute("copy", atom)
        if atom in self.program.shapes:
            self.program.shapes[target] = self.program.shapes[atom]
        return target
