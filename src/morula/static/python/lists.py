"""Names of arrays and lists that the program makes and writes into.

As long as nothing is written into an array of few numbers, or into a list of known length, its numbers are atoms. Where
that turns out to be wrong the program is built again with real lists in the variables concerned (`relist`): names of
one array are names of one list then. An array that is written into by slices becomes another array instead, which is
the same as long as it has no other name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from morula.static.python.arrays import indices
from morula.static.python.growth import check_changes, check_growth, check_order, copy_arguments, known_names
from morula.static.python.ir import (
    CHANGES,
    Again,
    Append,
    Branch,
    Drop,
    Set,
    Unsupported,
)
from morula.static.python.lending import Lending
from morula.static.python.lengths import Lengths, Made
from morula.static.python.memory import MAKING, Memory
from morula.static.python.numpy_calls import NumpyCalls
from morula.static.python.numpy_idioms import taken_for_writes
from morula.static.python.rows import Rows
from morula.static.python.scopes import Array, Display, ListOf, Named, Names, Range, Scope, Single, Small, key_of
from morula.static.python.sharing import arrays_in
from morula.transform.syntax import walk

__all__ = ["Lists", "is_all", "is_ellipsis", "parts_of"]


IN_A_TUPLE = (None, "a tuple")  # the name of what stands in a tuple or a list
CHANGING = frozenset(["append", "appendleft", "extend", "insert", "pop", "popleft", "sort"])


class Lists(NumpyCalls, Lengths, Rows, Lending):
    """The part of a `front.Builder` that binds arrays and lists to names.

    Attributes:
        by_reference: variables whose arrays and lists are lists in the text, since something is written into them.
        by_slices: variables of arrays that are written into by slices.
        vague: variables that hold lists of several lengths.
        own: the parameters of the function itself, with the arguments that only they stand for.
        snapshots: by arrays from outside, the variables that got their numbers; None for something else.
        rewritten: arrays from outside that are written into.
        viewed: arrays made of lists, of which views are about.
        views_looked_at: those of which functions have views, with what these change.
    """

    by_reference: set[Any]
    looking: set[str]
    assign: Callable[[ast.expr, Any], None]
    by_slices: set[Any]
    looked_at: set[Any]  # codes
    vague: set[Any]
    own: dict[Names, str]
    lent: set[str]  # copies of lists that are not given back as they were
    snapshots: dict[str, set[Any]]
    rewritten: set[str]
    viewed: set[str]
    views_looked_at: list[tuple[set[str], list[CHANGES]]]
    defining: int  # functions that call themselves around it
    target: str  # the variable that is assigned
    operated: Callable[[ast.operator, Any, Any], Any]
    several: Callable[[Scope, str, Any], None]
    bind_in_cell: Callable[[Scope, str, Any], bool]

    # -- names ----------------------------------------------------------------------------------------------

    def named(self, scope: Scope, name: str) -> Any:
        """What a variable holds that holds no number."""
        return self.as_named(scope, name, scope.bound[name])

    def as_named(self, scope: Scope, name: str, value: Any) -> Any:
        if isinstance(value, Array):
            return replace(value, origins=value.origins | key_of(scope, name))
        if isinstance(value, Small | Display):
            return self.likewise(value, parts_of(value), key_of(scope, name))
        return value

    def likewise(self, value: Any, parts: Iterable[str], also: Names = frozenset()) -> Any:
        """A small array, a list or a tuple, as `value` is one, of the same variables."""
        if isinstance(value, Small):
            return Small(tuple(parts), value.origins | also)
        if isinstance(value, Named):
            return Named(parts, value.kind, value.where)
        if not isinstance(value, Display):
            return Range(parts) if isinstance(value, Range) else tuple(parts)
        found = Display(parts)
        found.origins = value.origins | also
        return found

    def expect_writes(self, code: Any, node: Any) -> None:
        """Take note of the variables of a function that it writes items of, or whose length it changes."""
        if code in self.looked_at:
            return
        self.looked_at.add(code)
        for n in walk(node):
            given = {(code, v.id) for v in taken_for_writes(n) if isinstance(v, ast.Name)}
            self.by_reference |= given
            self.by_slices |= given
            is_store = isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load)
            if is_store or (isinstance(n, ast.Attribute) and n.attr in CHANGING):
                owner = getattr(n, "value", None)
                if not isinstance(owner, ast.Name):
                    continue
                self.by_reference.add((code, owner.id))
                if is_store and _is_by_slices(n.slice):
                    self.by_slices.add((code, owner.id))

    def append(self, array: ListOf, value: str, start: bool = False) -> None:
        if array.var in self.made_lists:
            self.made_lists[array.var].grown.append(self.around)
        self.emit(Append(array.var, value, start))
        if array.longest is not None:  # then it loses an item at its other end
            if array.var in self.made_lists:
                self.made_lists[array.var].is_shrunk = True
            branch = Branch(self.compute(">", self.compute("length", array.var), str(array.longest)))
            branch.body.append(Drop(array.var, "(-1)" if start else "0"))
            self.emit(branch)

    def same_list(self, array: ListOf, op: str = "copy") -> ListOf:
        return replace(array, var=self.compute(op, array.var))

    def seen(self, value: Any) -> None:
        """Take note that something other than a variable holds an array."""
        if isinstance(value, Array | Single) and value.of:
            self.viewed.add(value.of)
        elif isinstance(value, ListOf) and value.measured:
            self.snapshots.setdefault(value.measured.partition("[")[0], set()).add(None)
        elif isinstance(value, tuple):
            for part in value:
                self.seen(part)

    @contextmanager
    def looked_at_by(self, values: Iterable[Any]) -> Iterator[None]:
        """A function is run that has these values: it may look at views of arrays after it has written into them."""
        views = {array.of for value in values for array in arrays_in(value) if not isinstance(array, Small)} - {""}
        before = {id(s) for s in self.program.statements()} if views else set()
        yield
        if views:
            changes = [s for s in self.program.statements() if isinstance(s, CHANGES) and id(s) not in before]
            self.views_looked_at.append((views, changes))

    def settled_single(self, value: Single) -> Single:
        """An array without axes that is kept: of what it may be a view nothing must be written into any more."""
        self.share(value.origins)
        self.seen(value)
        return Single(value.atom)

    def in_tuple(self, value: Any, names: Names = frozenset()) -> Any:
        """A tuple or a list of these `names`, which may be read more than once: what is in it has several names."""
        return self.likewise(
            value, [self._inside(v, names if isinstance(value, Display) else frozenset()) for v in value]
        )

    def _inside(self, value: Any, names: Names) -> Any:
        if isinstance(value, Small | Array):
            return replace(value, origins=value.origins | {IN_A_TUPLE})
        if not isinstance(value, tuple):
            return value
        found = self.in_tuple(value, names)
        return self._of_names(found, found.origins | names | {IN_A_TUPLE}) if isinstance(value, Display) else found

    def left(self, scope: Scope, result: Any) -> Any:
        """What a function returns, when its variables are no more."""
        if not isinstance(result, Small | Display | Array):
            return result
        result = self._of_names(result, result.origins | getattr(scope.result, "origins", frozenset()))
        if scope.result == result:
            scope.result = result
        return result

    def without_own(self, scope: Scope, result: Any) -> Any:
        """What a function has returned, of which its variables are no more; what they shared is still about."""
        if not isinstance(result, Small | Display | Array):
            return result
        code = scope.function.__code__
        others = frozenset([key for key in result.origins if key[0] is not code])
        bonds = frozenset().union(*[names for names in self.bonds if names & result.origins])
        is_lost = {key for key in bonds if key[0] is not code} <= others and bonds.isdisjoint(self.held_elsewhere)
        kept = [] if is_lost else [key for key in result.origins if key in self.shared]
        return self._of_names(result, others.union(kept))

    def _of_names(self, value: Any, names: Names) -> Any:
        if not isinstance(value, Display):
            return replace(value, origins=names)
        found = Display(value)
        found.origins = names
        return found

    def bind(self, scope: Scope, name: str, value: Any) -> None:
        """Assign what is no number to a variable."""
        if self.bind_in_cell(scope, name, value):
            return
        key = key_of(scope, name)
        before = scope.bound.get(name)
        is_list = isinstance(before, ListOf) or (key <= self.by_reference and not key <= self.by_slices)
        if isinstance(value, ListOf):
            if not is_list and value.measured and value.kind is not list and not value.origins <= self.by_reference:
                given = value.measured.partition("[")[0]
                self.snapshots.setdefault(given, set()).update(key)
                value = self.tagged(value, frozenset() if self.own.get(key) == given else value.origins)
        elif is_list and isinstance(value, Display) and self._is_of_rows(key, value):
            value = self.list_of_rows(key, tuple(value))
        elif is_list and isinstance(value, Small | Display | Array):
            if isinstance(value, Array) and (
                not _may_be_list(value) or (value.origins and value.origins <= self.by_reference)
            ):
                self.put_by_slices(key)
            value = self.listed(value)
        if isinstance(value, ListOf):
            if before is not None and not isinstance(before, ListOf):
                self.relist(key)
            self._bind_list(scope, name, value)
        elif isinstance(value, Single):
            self.several(scope, name, value)
        elif isinstance(value, tuple | Small | Array):
            self.alone -= key
            if name in self.looking and isinstance(value, Array):
                pass  # nothing is written into it as long as the variable is about
            elif isinstance(value, Small | Display | Array) and value.origins:
                self.share(value.origins | key, True, False)
            elif isinstance(value, Array) and value.of:  # which is a view of a list
                self.share(key)
            elif isinstance(value, Small | Array):
                self.alone |= key
            self.seen(value)
            self.several(scope, name, self.in_tuple(value, key) if isinstance(value, tuple) else value)
        else:
            raise Unsupported(f"{name!r}, which is not a number", self.line)

    def put_by_slices(self, key: Names) -> NoReturn:
        """Build the program anew, with an array that each write makes a new one in this variable."""
        if key <= self.by_slices:
            raise Unsupported("writing into such an array", self.line)
        self.by_slices |= key
        raise Again

    def _is_of_rows(self, key: Names, value: Display) -> bool:
        """Whether a new list that something is appended to is one of rows."""
        if key not in self.of_rows and value and not all(isinstance(v, str) for v in value):
            row = self._row(value[0])
            self.of_rows[key] = tuple if row.rows is tuple else row.kind, row.shape[0] or row.width
            raise Again
        return key in self.of_rows

    def begin_list(self, var: str) -> None:
        self.made_lists[var] = Made(self.around, "0")

    def tagged(self, value: ListOf, origins: Names) -> Small | Array:
        """An array from outside in the form in which it is computed with."""
        return replace(self.one_form(value), origins=origins)

    def _bind_list(self, scope: Scope, name: str, value: ListOf) -> None:
        if name in scope.numbers:
            raise Unsupported(f"{name!r}, which is a number elsewhere", self.line)
        held = self.varying(value, scope.variable(name))
        key = key_of(scope, name)
        if key <= self.vague:
            held = replace(held, shape=(None,) * len(held.shape))
        before = scope.bound.setdefault(name, held)
        if before != held and replace(before, width=None) == replace(held, width=None):  # it is only what seems to be
            before = held = scope.bound[name] = replace(held, width=None)
        if before != held:
            if replace(before, shape=()) != replace(held, shape=()) or len(before.shape) != len(held.shape):
                raise Unsupported(f"{name!r}, which is something else elsewhere", self.line)
            self.vague |= key
            raise Again
        scope.tuples.add(name)
        scope.sure[-1].add(name)
        if value.kind is list and not value.measured:
            first = self.computed.get(value.var)
            is_new = first is not None and first.op in MAKING
            is_new |= first is not None and first.op == "copy" and self.length_of_list(value.var) is not None
            self.made_lists.pop(held.var, None)
            if is_new:
                self.made_lists[held.var] = Made(self.around, self.compute("length", value.var))
        self.emit(Set(held.var, value.var))

    def varying(self, value: ListOf, var: str) -> ListOf:
        """The list that a variable holds to which `value` is assigned."""
        shape: tuple[int | None, ...] = value.shape
        if not value.fixed:
            shape = self._known_shape(value)
            if value.is_short and value.measured and value.kind is not list:
                shape = value.shape
                self.program.lengths[value.measured] = value.shape[0] or 0
        return replace(value, var=var, shape=shape, fixed=True, measured="", index=())

    def _known_shape(self, value: ListOf) -> tuple[int | None, ...]:
        """The shape of an array from outside that a variable holds: that of now, where it is asked for."""
        if not self.by_length or value.kind is list or value.measured not in self.shape_of_input:
            return (None,) * len(value.shape)
        given = next(i for i in self.program.inputs if i.name == value.measured)
        self.guard(f"{given.read}.shape == {self.shape_of_input[value.measured]}")
        return value.shape

    def listed(self, value: Small | Display | Array) -> ListOf:
        """A list of the numbers of an array that has no name yet, or of a list."""
        if value.origins:
            if value.origins <= self.by_reference:
                raise Unsupported("an array of several names that is written into", self.line)
            self.relist(value.origins)
        if isinstance(value, Array):
            if value.of or not _may_be_list(value):
                raise Unsupported("writing into such an array", self.line)
            return ListOf(self.compute("listed", value.atom, f=np.ndarray), value.shape, True)
        parts = parts_of(value)
        if not all(isinstance(v, str) for v in parts):
            raise Unsupported("a list of something other than numbers", self.line)
        if isinstance(value, Display):
            return ListOf(self.compute("display", *parts, f=list), (None,), True, list)
        found = ListOf(self.compute("display", *parts, f=np.ndarray), (len(parts),), True)
        self.reads |= {("index", (found.var, str(i))): v for i, v in enumerate(parts)}
        return found

    def as_array(self, value: Any) -> Array:
        """An array of any form as NumPy has it; of a list it is a copy that stands for it."""
        if not isinstance(value, ListOf) or (value.measured and value.measured.partition("[")[0] not in self.rewritten):
            return super().as_array(value)
        shape = value.shape if value.fixed else (None,)
        if value.measured in self.shape_of_input:
            shape = self.shape_of_input[value.measured]
            given = next(i for i in self.program.inputs if i.name == value.measured)
            self.guard(f"{given.read}.shape == {shape}")
        if None in shape and not self.by_length:
            self.by_length = True
            raise Again
        if value.kind is not list and None in shape:
            shape = self._observed_shape(value)
        if value.kind is list or not value.is_float or None in shape or 0 in shape:
            raise Unsupported("arithmetic of lists, or of arrays of unknown shapes", self.line)
        atom = self.compute("packed", value.var)
        self.program.shapes[atom] = found = tuple([n for n in shape if n is not None])
        return Array(atom, found, np.dtype(np.float64), of=atom)

    def _observed_shape(self, value: ListOf) -> tuple[int | None, ...]:
        """The shape that an array has here, which is found by running the program up to there."""
        return tuple([self.observed_integer(self.compute(op, value.var)) if n is None else n
                      for n, op in zip(value.shape, ("length", "width"), strict=False)])  # fmt: skip

    def check_views(self) -> None:
        """Numbers that were taken from an array must not be asked for when something was written into it."""
        memory = Memory(self.program)
        copy_arguments(self.program, memory, self.lent)
        self.check_meanwhile(memory)
        for var, keys in self.snapshots.items():
            if memory.is_written(var):
                if None in keys:
                    raise Unsupported("an array of several names that is written into")
                self.relist(frozenset(keys))
        written = {i.name for i in self.program.inputs if i.array and memory.is_written(i.name)}
        if written:
            self.rewritten |= written
            raise Again
        if names := known_names(self.program, memory, self.known_elsewhere):
            self.relist(names)
        check_growth(self.program, memory)
        if self.viewed:
            check_order(self.program, memory, self.viewed)
        for views, changes in self.views_looked_at:
            check_changes(self.program, memory, views, changes)


def _is_by_slices(index: ast.expr) -> bool:
    """Whether an index has slices that do not come to rows, or to all of an array."""
    nodes = indices(index)
    while nodes and is_all(nodes[-1]):
        nodes = nodes[:-1]
    return not nodes or any(isinstance(n, ast.Slice | ast.Compare) or is_ellipsis(n) for n in nodes)


def _may_be_list(value: Array) -> bool:
    """Whether an array may stand in the text as a list, or a list of lists."""
    return value.dtype == np.float64 and len(value.shape) <= 2


def is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def is_all(node: ast.expr) -> bool:
    """Whether an index is a colon alone."""
    return isinstance(node, ast.Slice) and node.lower is None and node.upper is None and node.step is None


def parts_of(value: Any) -> tuple:
    return value.parts if isinstance(value, Small) else tuple(value) if isinstance(value, tuple) else ()
